//! Keys and headers of providers: references of the configuration become secrets, each only at the
//! address for which it was granted.

use nova_credentials::{CredentialError, CredentialName, Destination, GrantConsumer, Place, Template};
use nova_protocol::{ErrorCode, ProviderKey, ProviderKeyState, UserError};
use nova_provider::default_address;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::told;
use crate::app::App;
use crate::config::ProviderConfig;
use crate::models::key_variable;

/// What a provider is sent beside its requests.
pub(crate) struct ProviderSecrets {
    pub(crate) key: Option<SecretString>,
    /// With values that may be secret; the provider never prints them.
    pub(crate) headers: Vec<(String, String)>,
}

impl App {
    /// What the configuration refers to, for this provider at its address.
    ///
    /// # Errors
    /// `credential_needed`, `credential_not_granted` and the like, each with its remedy.
    pub(crate) async fn provider_secrets(
        &self,
        config: &ProviderConfig,
    ) -> Result<ProviderSecrets, UserError> {
        let key = match &config.api_key {
            Some(text) => Some(self.provider_text(config, Place::ProviderKey, text).await?),
            None => (self.inner.options.secret)(&key_variable(&config.id)),
        };
        let mut headers = Vec::with_capacity(config.headers.len());
        for (name, text) in &config.headers {
            let value = self.provider_text(config, Place::Header, text).await?;
            headers.push((name.clone(), value.expose_secret().to_owned()));
        }
        Ok(ProviderSecrets { key, headers })
    }

    async fn provider_text(
        &self,
        config: &ProviderConfig,
        place: Place,
        text: &str,
    ) -> Result<SecretString, UserError> {
        let template = Template::parse(place, text).map_err(|error| told(&error))?;
        if template.references().next().is_none() {
            return Ok(text.into());
        }
        let (consumer, destination) = provider_consumer(config)?;
        let (consumer, destination, kept) = (&consumer, &destination, &self.inner.kept);
        let resolved = template
            .resolve(|name: CredentialName| async move { kept.granted(consumer, destination, &name).await })
            .await;
        match resolved {
            Ok(secret) => Ok(secret),
            // Where a credential is not even kept, to grant it would not help.
            Err(CredentialError::NotGranted { name, .. }) if self.is_missing(&name).await => {
                Err(told(&CredentialError::Missing { name }))
            }
            Err(error) => Err(told(&error)),
        }
    }

    async fn is_missing(&self, name: &CredentialName) -> bool {
        self.inner.kept.names().await.is_ok_and(|names| !names.contains(name))
    }

    /// Where a provider's key is, for people.
    pub(crate) async fn provider_key(&self, config: &ProviderConfig) -> ProviderKey {
        let template =
            config.api_key.as_deref().and_then(|text| Template::parse(Place::ProviderKey, text).ok());
        let referred = template.as_ref().and_then(|template| template.references().next().cloned());
        let Some(name) = referred else {
            let has_variable = (self.inner.options.secret)(&key_variable(&config.id)).is_some();
            let state = if has_variable { ProviderKeyState::Environment } else { ProviderKeyState::None };
            return ProviderKey { credential: own_key(&config.id), state };
        };
        let state = match (self.inner.kept.names().await, provider_consumer(config)) {
            (Err(_), _) => ProviderKeyState::Unknown,
            (Ok(names), _) if !names.contains(&name) => ProviderKeyState::Missing,
            (Ok(_), Ok((consumer, destination)))
                if self.inner.kept.grants.allow(&name, &consumer, &destination).unwrap_or(false) =>
            {
                ProviderKeyState::Granted
            }
            _ => ProviderKeyState::NotGranted,
        };
        ProviderKey { credential: name.into(), state }
    }
}

/// A provider as grants know it: another kind or address under the same id is another one.
pub(super) fn provider_consumer(config: &ProviderConfig) -> Result<(GrantConsumer, Destination), UserError> {
    let address = config.base_url.as_deref().or_else(|| default_address(&config.kind)).unwrap_or_default();
    let url = Url::parse(address).map_err(|error| {
        UserError::new(
            ErrorCode::ConfigBroken,
            format!("The address of {} is not one: {error}.", config.id),
            "Correct base_url in nova.config.json.",
        )
    })?;
    let consumer =
        GrantConsumer::new(format!("provider:{}", config.id), &["provider", &config.kind, address]);
    Ok((consumer, Destination::host(&url)))
}

/// What a provider's key is called where nothing else is said.
pub(crate) fn own_key(id: &str) -> String {
    let service: String =
        id.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    let service = service.trim_start_matches(['-', '_', '.']);
    format!("{}/key", if service.is_empty() { "provider" } else { service })
}
