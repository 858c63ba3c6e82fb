//! Models that a server on this machine runs elsewhere, and whether notes may go with provider or model.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use nova_protocol::{ErrorCode, PassedOn, UserError};
use nova_provider::{Asked, Locality, ModelInfo, Provider, ProviderError};
use nova_session::{ModelPlace, Placed};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::ProviderConfig;
use crate::credentials::provider_keys::provider_fingerprint;
use crate::models::{host_of, model_error};

/// A server on this machine answers at once, or something is wrong with it.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a server is not asked again that is none of those that pass models on: some write a line into
/// their log for each such question. Hardly another one takes its place within that time.
const NOT_ASKED: Duration = Duration::from_secs(60);

/// The addresses of servers that pass nothing on, and when they said so.
pub(crate) type PlainServers = HashMap<String, Instant>;

/// Where a model runs that its server may pass on, asked at each turn: the server may have changed its mind.
pub(crate) struct AskedPlace {
    pub(crate) app: App,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) address: String,
    /// Without the provider's id.
    pub(crate) model: String,
}

#[async_trait]
impl ModelPlace for AskedPlace {
    async fn find(&self, cancel: &CancellationToken) -> Result<Placed, UserError> {
        let asked = tokio::time::timeout(PATIENCE, self.ask(cancel)).await;
        let found = asked.unwrap_or(Err(ProviderError::Timeout { after: PATIENCE }));
        let (host, images) = match found.map_err(|error| model_error(&error))? {
            Some(found) => (found.runs_at.as_deref().map(host_passed_to), found.images),
            None => (None, None),
        };
        let provider = self.provider.id();
        Ok(Placed {
            agreed: host.as_ref().is_none_or(|host| self.app.inner.trust.agrees_to_pass_on(provider, host)),
            locality: host.map_or(Locality::Local, |host| Locality::Remote { host }),
            images,
        })
    }
}

impl AskedPlace {
    /// None where its server passes no model on.
    async fn ask(&self, cancel: &CancellationToken) -> Result<Option<ModelInfo>, ProviderError> {
        let asked = self.app.plain_servers().get(&self.address).copied();
        if asked.is_some_and(|at| at.elapsed() < NOT_ASKED) {
            return Ok(None);
        }
        let (provider, model) = (self.provider.id(), &self.model);
        let found = match self.provider.model(model, cancel).await? {
            Asked::PassesNothingOn => {
                self.app.plain_servers().insert(self.address.clone(), Instant::now());
                return Ok(None);
            }
            // One that it does not list it cannot run.
            Asked::HasNot => {
                let (provider, model) = (provider.to_owned(), model.clone());
                return Err(ProviderError::ModelNotFound { provider, model });
            }
            Asked::Has(found) => found,
        };
        self.app.note_told(&format!("{provider}/{model}"), &found);
        Ok(Some(found))
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
        let address = provider_fingerprint(&config);
        if let Locality::Remote { host } = self.connect(&config)?.locality() {
            return self.inner.trust.agree(id, &host, &address).map_err(|error| trust_error(&error));
        }
        self.inner.trust.rebind(id, &address).map_err(|error| trust_error(&error))?;
        let hosts = self.hosts_passed_to(&config).await?;
        if hosts.is_empty() {
            return Ok(());
        }
        self.inner.trust.agree_to_pass_on(id, &hosts).map_err(|error| trust_error(&error))
    }

    /// The user agrees that this host sees messages and notes: the provider's own, or one that it passes
    /// models on to.
    ///
    /// # Errors
    /// `unknown_model` when there is no such provider, `bad_request` when it is at another host or passes
    /// nothing on to it; what went wrong when a server on this machine does not say where its models run.
    pub async fn agree_to_host(&self, id: &str, host: &str) -> Result<(), UserError> {
        let config = self.provider_config(id)?;
        let address = provider_fingerprint(&config);
        let agreed = match self.connect(&config)?.locality() {
            Locality::Remote { host: own } if own == host => self.inner.trust.agree(id, host, &address),
            // Its own address: that of its key, which was bound to another one.
            Locality::Local if self.is_at(&config, host) => self.inner.trust.rebind(id, &address),
            Locality::Local => {
                if !self.hosts_passed_to(&config).await?.contains(host) {
                    return Err(UserError::new(
                        ErrorCode::BadRequest,
                        format!("{id} does not pass models on to {host}."),
                        "Check the list of providers, then answer again.",
                    ));
                }
                self.inner.trust.agree_to_pass_on(id, &BTreeSet::from([host.to_owned()]))
            }
            Locality::Remote { host: own } => {
                return Err(UserError::new(
                    ErrorCode::BadRequest,
                    format!("{id} is at {own}, not at {host}."),
                    "Check the list of providers, then answer again.",
                ));
            }
        };
        agreed.map_err(|error| trust_error(&error))
    }

    fn is_at(&self, config: &ProviderConfig, host: &str) -> bool {
        config.address().is_some_and(|address| host_of(address) == host)
    }

    /// Every host that a server on this machine passes a model on to now.
    async fn hosts_passed_to(&self, config: &ProviderConfig) -> Result<BTreeSet<String>, UserError> {
        let models = self.connect_with_key(config).await?.models().await;
        let models = models.map_err(|error| model_error(&error))?;
        Ok(models.iter().filter_map(|model| model.runs_at.as_deref().map(host_passed_to)).collect())
    }

    fn plain_servers(&self) -> MutexGuard<'_, PlainServers> {
        self.inner.plain_servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether TypeScript tools may run where the system confines nothing.
    ///
    /// # Errors
    /// When the answer cannot be kept.
    pub fn allow_unconfined_tools(&self, allowed: bool) -> Result<(), UserError> {
        self.inner.trust.answer_unconfined(allowed).map_err(|error| trust_error(&error))
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
