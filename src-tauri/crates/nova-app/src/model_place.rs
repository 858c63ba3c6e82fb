//! Determines where a local server runs a model that it may forward to a remote host.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use nova_protocol::UserError;
use nova_provider::{Locality, ModelInfo, ModelLookup, Provider, ProviderError};
use nova_session::{ModelPlace, Placed};
use tokio_util::sync::CancellationToken;

use crate::known_models::KnownModels;
use crate::trust::Trust;

/// Timeout: a local server answers quickly, or something is wrong with it.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to remember that a server does not forward models: some log a line for each such query. It is
/// unlikely to be replaced by another server in this time.
const NOT_ASKED: Duration = Duration::from_secs(60);

/// URLs of servers that do not forward models, and the time of that answer.
#[derive(Default)]
pub(crate) struct NonForwardingServers(Mutex<HashMap<String, Instant>>);

impl NonForwardingServers {
    fn has(&self, address: &str) -> bool {
        self.lock().get(address).is_some_and(|at| at.elapsed() < NOT_ASKED)
    }

    fn add(&self, address: &str) {
        self.lock().insert(address.to_owned(), Instant::now());
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a model runs that its server may forward; queried in each turn, because it may change.
pub(crate) struct QueriedLocation {
    pub(crate) trust: Arc<Trust>,
    pub(crate) models: Arc<KnownModels>,
    pub(crate) non_forwarding_servers: Arc<NonForwardingServers>,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) address: String,
    /// Without the provider id.
    pub(crate) model: String,
}

#[async_trait]
impl ModelPlace for QueriedLocation {
    async fn find(&self, cancel: &CancellationToken) -> Result<Placed, UserError> {
        let asked = tokio::time::timeout(PATIENCE, self.ask(cancel)).await;
        let found = asked.unwrap_or(Err(ProviderError::Timeout { after: PATIENCE }));
        let (host, images) = match found? {
            Some(found) => (found.runs_at.as_deref().map(host_passed_to), found.images),
            None => (None, None),
        };
        let provider = self.provider.id();
        Ok(Placed {
            agreed: host.as_ref().is_none_or(|host| self.trust.agrees_to_pass_on(provider, host)),
            locality: host.map_or(Locality::Local, |host| Locality::Remote { host }),
            images,
        })
    }
}

impl QueriedLocation {
    /// `None` if the server does not forward models.
    async fn ask(&self, cancel: &CancellationToken) -> Result<Option<ModelInfo>, ProviderError> {
        if self.non_forwarding_servers.has(&self.address) {
            return Ok(None);
        }
        let (provider, model) = (self.provider.id(), &self.model);
        let found = match self.provider.model(model, cancel).await? {
            ModelLookup::NotForwarding => {
                self.non_forwarding_servers.add(&self.address);
                return Ok(None);
            }
            // A server cannot run a model that it does not list.
            ModelLookup::Missing => {
                let (provider, model) = (provider.to_owned(), model.clone());
                return Err(ProviderError::ModelNotFound { provider, model });
            }
            ModelLookup::Found(found) => found,
        };
        self.models.note(&format!("{provider}/{model}"), &found);
        Ok(Some(found))
    }
}

/// "https://ollama.com:443" → "ollama.com"
pub(crate) fn host_passed_to(address: &str) -> String {
    let url = url::Url::parse(address).ok().filter(url::Url::has_host);
    let url = url.or_else(|| url::Url::parse(&format!("https://{address}")).ok());
    let Some((host, port)) = url.as_ref().and_then(|url| Some((url.host_str()?, url.port()))) else {
        return address.to_owned();
    };
    port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_shown_as_its_host() {
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
