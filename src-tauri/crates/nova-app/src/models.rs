use std::sync::Arc;
use std::time::Duration;

use nova_protocol::{ErrorCode, LocalModelServer, UserError};
use nova_provider::{
    Limits, Locality, Provider, ProviderKind, ProviderSettings, connect, detect, is_same_model,
};
use nova_session::ModelPlace;

use crate::app::App;
use crate::config::{ProviderConfig, host_of};
use crate::credentials::provider_keys::provider_fingerprint;
use crate::health::Watched;
use crate::model_place::QueriedLocation;

/// Timeout without output for a local model, which may have to be loaded, and to process a long prompt.
const LOADING: Duration = Duration::from_secs(300);

/// A model selected for a turn.
pub(crate) struct ChosenModel {
    pub(crate) provider: Arc<dyn Provider>,
    /// `provider/model`
    pub(crate) name: String,
    /// Without the provider id.
    pub(crate) model: String,
    /// Where the data goes, unless `place` says otherwise.
    pub(crate) locality: Locality,
    pub(crate) agreed: bool,
    pub(crate) place: Option<Arc<dyn ModelPlace>>,
    /// In tokens, if reported.
    pub(crate) context: Option<u64>,
    /// Whether it accepts images, if configured or reported.
    pub(crate) images: Option<bool>,
}

/// The provider and the model of `provider/model`.
pub(crate) fn split_model(name: &str) -> Result<(&str, &str), UserError> {
    name.split_once('/').ok_or_else(|| {
        UserError::new(
            ErrorCode::UnknownModel,
            format!("\"{name}\" is not a model."),
            "Write it as provider/model.",
        )
    })
}

impl App {
    /// The configured providers, and possible local model servers.
    pub(crate) fn providers(&self) -> Vec<ProviderConfig> {
        let mut providers = self.config().providers;
        for server in &self.inner.options.local_servers {
            let there = |provider: &ProviderConfig| {
                provider.id == server.id
                    // A configured Ollama replaces the default one.
                    || (server.kind == ProviderKind::Ollama && provider.kind == ProviderKind::Ollama)
                    || provider.address().is_some_and(|address| same_address(address, &server.address))
            };
            if !providers.iter().any(there) {
                providers.push(ProviderConfig {
                    base_url: Some(server.address.clone()),
                    ..ProviderConfig::new(&server.id, server.kind.clone())
                });
            }
        }
        providers
    }

    /// Without secrets, to determine its locality.
    pub(crate) fn connect(&self, config: &ProviderConfig) -> Result<Arc<dyn Provider>, UserError> {
        Ok(connect(config.kind.clone(), self.settings(config))?)
    }

    /// With its key, as referenced in the configuration.
    pub(crate) async fn connect_with_key(
        &self,
        config: &ProviderConfig,
    ) -> Result<Arc<dyn Provider>, UserError> {
        let read = match config.timeout {
            Some(seconds) => Duration::from_secs(seconds),
            None if self.connect(config)?.locality() == Locality::Local => LOADING,
            None => Limits::default().read,
        };
        let answer = config.answer_timeout.map_or(Limits::default().answer, Duration::from_secs);
        self.connect_within(config, Limits { read, answer, ..Limits::default() }).await
    }

    /// Like `connect_with_key`, with other limits. A remote provider without the user's agreement is refused:
    /// nothing is sent to it, and its key is not even read.
    pub(crate) async fn connect_within(
        &self,
        config: &ProviderConfig,
        limits: Limits,
    ) -> Result<Arc<dyn Provider>, UserError> {
        let secrets = self.provider_secrets(config).await?;
        let mut settings = self.settings(config);
        settings.limits = limits;
        settings.headers = secrets.headers;
        settings.key = Arc::new(move || secrets.key.clone());
        Ok(connect(config.kind.clone(), settings)?)
    }

    pub(crate) fn settings(&self, config: &ProviderConfig) -> ProviderSettings {
        let mut settings = ProviderSettings::new(&config.id);
        settings.base_url.clone_from(&config.base_url);
        settings.context = config.context;
        settings.thinking = config.thinking;
        settings.deferred_tools = config.deferred_tools;
        settings.proxy = self.inner.options.proxy.as_deref().and_then(|address| address.parse().ok());
        settings
    }

    /// Whether the user agreed to send notes and keys to the provider in its current configuration.
    pub(crate) fn agrees(&self, config: &ProviderConfig, locality: &Locality) -> bool {
        match locality {
            Locality::Local => true,
            Locality::Remote { host } => {
                self.inner.trust.agrees(&config.id, host, &provider_fingerprint(config))
            }
        }
    }

    pub(crate) fn provider_config(&self, id: &str) -> Result<ProviderConfig, UserError> {
        let providers = self.providers();
        let names: Vec<&str> = providers.iter().map(|provider| provider.id.as_str()).collect();
        let hint = format!("Providers: {}.", names.join(", "));
        providers.iter().find(|provider| provider.id == id).cloned().ok_or_else(|| {
            UserError::new(ErrorCode::UnknownModel, format!("There is no provider \"{id}\"."), hint)
        })
    }

    /// The model for new chats: the configured one, otherwise the first local one; one that a local server
    /// forwards is the last choice.
    pub(crate) async fn default_model(&self) -> Option<String> {
        if let Some(model) = self.config().model {
            return Some(model);
        }
        // Only local ones are eligible, so remote ones are not queried.
        let rows = self.local_provider_rows().await;
        let mut usable: Vec<(bool, String)> = rows
            .iter()
            .flat_map(|row| {
                let is_without_tools =
                    |model: &str| row.without_tools.iter().any(|other| is_same_model(other, model));
                let usable = row.models.iter().filter(move |model| !is_without_tools(model));
                usable.map(|model| {
                    let leaves = row.passed_on.iter().any(|passed_on| is_same_model(&passed_on.model, model));
                    (leaves, format!("{}/{model}", row.id))
                })
            })
            .collect();
        usable.sort_by_key(|(leaves, _)| *leaves);
        usable.into_iter().next().map(|(_, model)| model)
    }

    /// Resolves a `provider/model` name, or the default. A server that may forward the model is not queried
    /// yet.
    pub(crate) async fn choose_model(&self, wanted: Option<&str>) -> Result<ChosenModel, UserError> {
        let name = match wanted {
            Some(name) => name.to_owned(),
            None => self.default_model().await.ok_or_else(|| {
                UserError::new(
                    ErrorCode::NoModel,
                    format!(
                        "No model is configured, and none was found at {}.",
                        self.local_server_hosts().join(", ")
                    ),
                    "Start Ollama or another model server, or add a provider to nova.config.json. Tools \
                     work without a model under Run a tool.",
                )
            })?,
        };
        let (id, model) = split_model(&name)?;
        let config = self.provider_config(id)?;
        let mut provider = self.connect(&config)?;
        let locality = provider.locality();
        let agreed = self.agrees(&config, &locality);
        // Without agreement nothing is sent, so no key is needed.
        if agreed {
            provider = self.connect_with_key(&config).await?;
        }
        let provider: Arc<dyn Provider> = Arc::new(Watched { health: self.inner.health.clone(), provider });
        let (context, images) = (self.context_of(&name), self.takes_images(&name));
        let model = model.to_owned();
        // An Ollama may forward models in whichever API it is addressed.
        let place = (locality == Locality::Local).then(|| -> Arc<dyn ModelPlace> {
            let address = config.address();
            Arc::new(QueriedLocation {
                trust: self.inner.trust.clone(),
                models: self.inner.models.clone(),
                non_forwarding_servers: self.inner.non_forwarding_servers.clone(),
                provider: provider.clone(),
                address: host_of(address.unwrap_or_default()),
                model: model.clone(),
            })
        });
        Ok(ChosenModel { provider, name, model, locality, agreed, place, context, images })
    }

    /// The local model servers that answer.
    pub(crate) async fn find_local_models(&self) -> Vec<LocalModelServer> {
        let found = self.inner.options.local_servers.iter().map(|server| async move {
            let models = detect(server.kind.clone(), &server.address).await.ok()?;
            let without_tools = models.iter().filter(|model| model.tools == Some(false));
            Some(LocalModelServer {
                provider: server.id.clone(),
                host: host_of(&server.address),
                without_tools: without_tools.map(|model| model.id.clone()).collect(),
                passed_on: self.passed_on(&server.id, &models),
                models: models.into_iter().map(|model| model.id).collect(),
            })
        });
        futures::future::join_all(found).await.into_iter().flatten().collect()
    }

    /// Where local model servers are looked for, for display.
    pub(crate) fn local_server_hosts(&self) -> Vec<String> {
        self.inner.options.local_servers.iter().map(|server| host_of(&server.address)).collect()
    }
}

fn same_address(one: &str, other: &str) -> bool {
    let plain = |address: &str| host_of(address).replace("localhost:", "127.0.0.1:");
    plain(one) == plain(other)
}
