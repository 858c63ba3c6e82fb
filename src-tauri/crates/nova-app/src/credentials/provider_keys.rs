//! Keys and headers of providers: resolves references in the configuration to secrets, each only for the URL
//! for which it was granted.

use nova_credentials::{CredentialError, CredentialName, Destination, GrantConsumer, Place, Template};
use nova_protocol::{ErrorCode, ProviderKey, ProviderKeyState, UserError};
use nova_provider::{Locality, key_variable};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use crate::app::App;
use crate::config::{ProviderConfig, host_of};

/// Secrets sent to a provider with each request.
pub(crate) struct ProviderSecrets {
    pub(crate) key: Option<SecretString>,
    /// Values may be secret; the provider never logs them.
    pub(crate) headers: Vec<(String, String)>,
}

impl App {
    /// Resolves the references of a provider at its configured URL.
    ///
    /// # Errors
    /// `provider_not_agreed`, `credential_needed`, `credential_not_granted` and the like, each with its
    /// remedy.
    pub(crate) async fn provider_secrets(
        &self,
        config: &ProviderConfig,
    ) -> Result<ProviderSecrets, UserError> {
        let locality = self.connect(config)?.locality();
        if let Locality::Remote { host } = &locality
            && !self.agrees(config, &locality)
        {
            return Err(nova_session::not_agreed(host, &config.id));
        }
        self.refuse_plain_http(config, &locality)?;
        let key = match &config.api_key {
            Some(text) => Some(self.provider_text(config, Place::ProviderKey, text).await?),
            None => self.variable_of(config, &locality)?,
        };
        let mut headers = Vec::with_capacity(config.headers.len());
        for (name, text) in &config.headers {
            let value = self.provider_text(config, Place::Header, text).await?;
            headers.push((name.clone(), value.expose_secret().to_owned()));
        }
        Ok(ProviderSecrets { key, headers })
    }

    /// The key in the environment, if the provider is the one that the user agreed to.
    fn variable_of(
        &self,
        config: &ProviderConfig,
        locality: &Locality,
    ) -> Result<Option<SecretString>, UserError> {
        let variable = key_variable(&config.id);
        let Some(key) = (self.inner.options.secret)(&variable) else { return Ok(None) };
        // For a remote provider, the agreement itself is bound to its URL.
        if *locality != Locality::Local
            || self.inner.trust.is_bound(&config.id, &provider_fingerprint(config))
        {
            return Ok(Some(key));
        }
        let host = host_of(address_of(config));
        Err(UserError::new(
            ErrorCode::ProviderNotAgreed,
            format!(
                "You allowed {variable} for another address of {}; it would now be sent to {host}.",
                config.id
            ),
            format!("Agree in the window, or run: nova provider allow {}", config.id),
        )
        .about_host(&host))
    }

    /// Refuses to send a key over plain http to another machine.
    fn refuse_plain_http(&self, config: &ProviderConfig, locality: &Locality) -> Result<(), UserError> {
        let Locality::Remote { host } = locality else { return Ok(()) };
        let is_plain = Url::parse(address_of(config)).is_ok_and(|url| url.scheme() == "http");
        let refers = |text: &String| text.contains("${credentials:");
        let has_key = config.api_key.is_some()
            || config.headers.iter().any(|(_, text)| refers(text))
            || (self.inner.options.secret)(&key_variable(&config.id)).is_some();
        if !(is_plain && has_key) {
            return Ok(());
        }
        Err(UserError::new(
            ErrorCode::ConfigBroken,
            format!(
                "Over plain http, anyone on the network path to {host} could read the key of {}.",
                config.id
            ),
            "Use an https address, reach the server through a tunnel at http://localhost (ssh -L), or \
             remove the key.",
        ))
    }

    async fn provider_text(
        &self,
        config: &ProviderConfig,
        place: Place,
        text: &str,
    ) -> Result<SecretString, UserError> {
        let template = Template::parse(place, text)?;
        if template.references().next().is_none() {
            return Ok(text.into());
        }
        let (consumer, destination) = provider_consumer(config)?;
        let (consumer, destination, credentials) = (&consumer, &destination, &self.inner.user_credentials);
        let resolved = template
            .resolve(
                |name: CredentialName| async move { credentials.granted(consumer, destination, &name).await },
            )
            .await;
        match resolved {
            Ok(secret) => Ok(secret),
            // Without a stored credential, granting it would not help.
            Err(CredentialError::NotGranted { name, .. }) if self.is_missing(&name).await => {
                Err(CredentialError::Missing { name }.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn is_missing(&self, name: &CredentialName) -> bool {
        self.inner.user_credentials.names().await.is_ok_and(|names| !names.contains(name))
    }

    /// Where a provider's key is, for display.
    pub(crate) async fn provider_key(&self, config: &ProviderConfig) -> ProviderKey {
        let template =
            config.api_key.as_deref().and_then(|text| Template::parse(Place::ProviderKey, text).ok());
        let referred = template.as_ref().and_then(|template| template.references().next().cloned());
        let Some(name) = referred else {
            let has_variable = (self.inner.options.secret)(&key_variable(&config.id)).is_some();
            let state = if has_variable { ProviderKeyState::Environment } else { ProviderKeyState::None };
            return ProviderKey { credential: own_key(&config.id), state };
        };
        let state = match (self.inner.user_credentials.names().await, provider_consumer(config)) {
            (Err(_), _) => ProviderKeyState::Unknown,
            (Ok(names), _) if !names.contains(&name) => ProviderKeyState::Missing,
            (Ok(_), Ok((consumer, destination)))
                if self
                    .inner
                    .user_credentials
                    .grants
                    .allow(&name, &consumer, &destination)
                    .unwrap_or(false) =>
            {
                ProviderKeyState::Granted
            }
            _ => ProviderKeyState::NotGranted,
        };
        ProviderKey { credential: name.into(), state }
    }
}

/// A provider as the consumer of a grant: another kind or URL under the same id is a different one.
pub(super) fn provider_consumer(config: &ProviderConfig) -> Result<(GrantConsumer, Destination), UserError> {
    let url = Url::parse(address_of(config)).map_err(|error| {
        UserError::new(
            ErrorCode::ConfigBroken,
            format!("The address of {} is invalid: {error}.", config.id),
            "Correct base_url in nova.config.json.",
        )
    })?;
    Ok((consumer_of(config), Destination::host(&url)))
}

fn consumer_of(config: &ProviderConfig) -> GrantConsumer {
    GrantConsumer::new(
        format!("provider:{}", config.id),
        &["provider", config.kind.as_str(), address_of(config)],
    )
}

/// Hash of kind and URL, which an agreement is bound to.
pub(crate) fn provider_fingerprint(config: &ProviderConfig) -> String {
    consumer_of(config).fingerprint
}

fn address_of(config: &ProviderConfig) -> &str {
    config.address().unwrap_or_default()
}

/// Default name of a provider's key.
pub(crate) fn own_key(id: &str) -> String {
    let service: String =
        id.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    let service = service.trim_start_matches(['-', '_', '.']);
    format!("{}/key", if service.is_empty() { "provider" } else { service })
}
