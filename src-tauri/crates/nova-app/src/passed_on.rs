//! Models that a local server forwards to a remote host, and the user's agreement to send notes there.

use std::collections::BTreeSet;

use nova_protocol::{ErrorCode, PassedOn, UserError};
use nova_provider::{Locality, ModelInfo};

use crate::app::App;
use crate::config::{ProviderConfig, host_of};
use crate::credentials::provider_keys::provider_fingerprint;
use crate::model_place::host_passed_to;

impl App {
    /// Which of the models a local server forwards.
    pub(crate) fn passed_on(&self, provider: &str, models: &[ModelInfo]) -> Vec<PassedOn> {
        let passed_on = models.iter().filter_map(|model| {
            let host = host_passed_to(model.runs_at.as_deref()?);
            let agreed = self.inner.trust.agrees_to_pass_on(provider, &host);
            Some(PassedOn { model: model.id.clone(), host, agreed })
        });
        passed_on.collect()
    }

    /// Records the user's agreement to send messages and notes to a remote provider; for a local server, to
    /// every host to which it currently forwards models.
    ///
    /// # Errors
    /// `unknown_model` when there is no such provider; other errors when a local server does not report where
    /// its models run.
    pub async fn agree_to_provider(&self, id: &str) -> Result<(), UserError> {
        let config = self.provider_config(id)?;
        let address = provider_fingerprint(&config);
        if let Locality::Remote { host } = self.connect(&config)?.locality() {
            return Ok(self.inner.trust.agree(id, &host, &address)?);
        }
        self.inner.trust.rebind(id, &address)?;
        let hosts = self.hosts_passed_to(&config).await?;
        if hosts.is_empty() {
            return Ok(());
        }
        Ok(self.inner.trust.agree_to_pass_on(id, &hosts)?)
    }

    /// Records the user's agreement to send messages and notes to this host: the provider's own, or one to
    /// which it forwards models.
    ///
    /// # Errors
    /// `unknown_model` when there is no such provider, `bad_request` when it neither runs at the host nor
    /// forwards to it; other errors when a local server does not report where its models run.
    pub async fn agree_to_host(&self, id: &str, host: &str) -> Result<(), UserError> {
        let config = self.provider_config(id)?;
        let address = provider_fingerprint(&config);
        let agreed = match self.connect(&config)?.locality() {
            Locality::Remote { host: own } if own == host => self.inner.trust.agree(id, host, &address),
            // Its own URL: rebinds the key, which was bound to another one.
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
        Ok(agreed?)
    }

    fn is_at(&self, config: &ProviderConfig, host: &str) -> bool {
        config.address().is_some_and(|address| host_of(address) == host)
    }

    /// The hosts to which a local server currently forwards models.
    async fn hosts_passed_to(&self, config: &ProviderConfig) -> Result<BTreeSet<String>, UserError> {
        let models = self.connect_with_key(config).await?.models().await;
        let models = models?;
        Ok(models.iter().filter_map(|model| model.runs_at.as_deref().map(host_passed_to)).collect())
    }

    /// Sets whether TypeScript tools may run unconfined on systems without confinement.
    ///
    /// # Errors
    /// When the answer cannot be stored.
    pub fn allow_unconfined_tools(&self, allowed: bool) -> Result<(), UserError> {
        Ok(self.inner.trust.answer_unconfined(allowed)?)
    }

    /// Revokes an agreement: for one host, or for all of a provider.
    ///
    /// # Errors
    /// `unknown_model` when there is no such provider.
    pub fn revoke_provider_agreement(&self, id: &str, host: Option<&str>) -> Result<(), UserError> {
        self.provider_config(id)?;
        Ok(self.inner.trust.revoke(id, host)?)
    }
}
