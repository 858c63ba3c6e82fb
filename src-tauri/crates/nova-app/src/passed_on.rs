//! Models that a server on this machine runs elsewhere, and whether notes may go with provider or model.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use nova_protocol::{ErrorCode, PassedOn, UserError};
use nova_provider::{Locality, ModelInfo, Provider, ProviderError};
use nova_session::{ModelPlace, Placed};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::models::model_error;

/// A server on this machine answers at once, or something is wrong with it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a model runs that its server may pass on, asked at each turn: the server may have changed its mind.
pub(crate) struct AskedPlace {
    pub(crate) app: App,
    pub(crate) provider: Arc<dyn Provider>,
    /// Without the provider's id.
    pub(crate) model: String,
}

#[async_trait]
impl ModelPlace for AskedPlace {
    async fn find(&self, cancel: &CancellationToken) -> Result<Placed, UserError> {
        let provider = self.provider.id();
        let asked = tokio::time::timeout(PATIENCE, self.provider.model(&self.model, cancel)).await;
        let found = asked.unwrap_or(Err(ProviderError::Timeout { after: PATIENCE }));
        // One that it does not list it cannot run.
        let Some(found) = found.map_err(|error| model_error(&error))? else {
            let (provider, model) = (provider.to_owned(), self.model.clone());
            return Err(model_error(&ProviderError::ModelNotFound { provider, model }));
        };
        let host = found.runs_at.as_deref().map(host_passed_to);
        Ok(Placed {
            agreed: host.as_ref().is_none_or(|host| self.app.inner.trust.agrees_to_pass_on(provider, host)),
            locality: host.map_or(Locality::Local, |host| Locality::Remote { host }),
            images: found.images,
        })
    }
}

impl App {
    /// Those of the models that a server on this machine passes on.
    pub(crate) fn passed_on(&self, provider: &str, models: &[ModelInfo]) -> Vec<PassedOn> {
        let passed_on = models.iter().filter_map(|model| {
            let host = host_passed_to(model.runs_at.as_deref()?);
            let agreed = self.inner.trust.agrees_to_pass_on(provider, &host);
            Some(PassedOn { model: model.id.clone(), host, agreed })
        });
        passed_on.collect()
    }

    /// The user agrees that a remote provider sees messages and notes; of a server on this machine, that
    /// every host does that it passes models on to now.
    ///
    /// # Errors
    /// `unknown_model` when there is no such provider; what went wrong when a server on this machine does
    /// not say where its models run.
    pub async fn agree_to_provider(&self, id: &str) -> Result<(), UserError> {
        let config = self.provider_config(id)?;
        if let Locality::Remote { host } = self.connect(&config)?.locality() {
            return self.inner.trust.agree(id, &host).map_err(|error| trust_error(&error));
        }
        let models = self.connect_with_key(&config).await?.models().await;
        let models = models.map_err(|error| model_error(&error))?;
        let hosts: BTreeSet<String> =
            models.iter().filter_map(|model| model.runs_at.as_deref().map(host_passed_to)).collect();
        if hosts.is_empty() {
            return Ok(());
        }
        self.inner.trust.agree_to_pass_on(id, &hosts).map_err(|error| trust_error(&error))
    }

    /// The user agrees that this host sees messages and notes: the provider's own, or one that it passes
    /// models on to.
    ///
    /// # Errors
    /// `unknown_model` when there is no such provider, `bad_request` when it is at another host.
    pub fn agree_to_host(&self, id: &str, host: &str) -> Result<(), UserError> {
        let config = self.provider_config(id)?;
        let agreed = match self.connect(&config)?.locality() {
            Locality::Remote { host: own } if own == host => self.inner.trust.agree(id, host),
            Locality::Local => self.inner.trust.agree_to_pass_on(id, &BTreeSet::from([host.to_owned()])),
            Locality::Remote { host: own } => {
                return Err(UserError::new(
                    ErrorCode::BadRequest,
                    format!("{id} is at {own}, not at {host}."),
                    "Look at the providers again, then answer.",
                ));
            }
        };
        agreed.map_err(|error| trust_error(&error))
    }

    /// Takes an agreement back: for one host, or for all of a provider.
    ///
    /// # Errors
    /// `unknown_model` when there is no such provider.
    pub fn revoke_provider_agreement(&self, id: &str, host: Option<&str>) -> Result<(), UserError> {
        self.provider_config(id)?;
        self.inner.trust.revoke(id, host).map_err(|error| trust_error(&error))
    }
}

/// "https://ollama.com:443" → "ollama.com"
fn host_passed_to(address: &str) -> String {
    let url = url::Url::parse(address).ok().filter(url::Url::has_host);
    let url = url.or_else(|| url::Url::parse(&format!("https://{address}")).ok());
    let Some((host, port)) = url.as_ref().and_then(|url| Some((url.host_str()?, url.port()))) else {
        return address.to_owned();
    };
    port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn trust_error(error: &std::io::Error) -> UserError {
    UserError::new(ErrorCode::Io, format!("trust.json: {error}."), "Make the data folder writable.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_as_its_host() {
        for (address, host) in [
            ("https://ollama.com:443", "ollama.com"),
            ("https://ollama.com", "ollama.com"),
            ("ollama.com", "ollama.com"),
            ("ollama.com:8443", "ollama.com:8443"),
            ("http://10.0.0.7:11434/api", "10.0.0.7:11434"),
            ("", ""),
        ] {
            assert_eq!(host_passed_to(address), host, "{address}");
        }
    }
}
