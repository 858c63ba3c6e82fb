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
use crate::model_place::AskedPlace;

/// How long a model on this machine may say nothing: it may be loaded first, and read a long request.
const LOADING: Duration = Duration::from_secs(300);

/// A model, ready for a turn.
pub(crate) struct ChosenModel {
    pub(crate) provider: Arc<dyn Provider>,
    /// `provider/model`
    pub(crate) name: String,
    /// Without the provider's id.
    pub(crate) model: String,
    /// Where what is sent ends up, as long as `place` says nothing else.
    pub(crate) locality: Locality,
    pub(crate) agreed: bool,
    pub(crate) place: Option<Arc<dyn ModelPlace>>,
    /// In tokens, where a provider said so.
    pub(crate) context: Option<u64>,
    /// Whether it can look at images, where that is configured or its provider has said so.
    pub(crate) images: Option<bool>,
}

impl App {
    /// The configured providers, and the model servers that may be on this machine.
    pub(crate) fn providers(&self) -> Vec<ProviderConfig> {
        let mut providers = self.config().providers;
        for server in &self.inner.options.local_servers {
            let there = |provider: &ProviderConfig| {
                provider.id == server.id
                    // Who has set up an Ollama has said where it is.
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

    /// Without any secret: to know where it is.
    pub(crate) fn connect(&self, config: &ProviderConfig) -> Result<Arc<dyn Provider>, UserError> {
        Ok(connect(config.kind.clone(), self.settings(config))?)
    }

    /// With its key, as the configuration refers to it.
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

    /// The same with other limits. A remote provider that the user has not agreed to is refused: nothing is
    /// sent to it, and no key is even read.
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

    /// Whether the user agreed to send notes and keys to the provider as it is configured now.
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

    /// The model that new chats use: the configured one, else the first one found on this machine; one
    /// that a server here runs elsewhere only where there is no other.
    pub(crate) async fn default_model(&self) -> Option<String> {
        if let Some(model) = self.config().model {
            return Some(model);
        }
        // No remote one is chosen, so none is waited for.
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

    /// Finds the model by its `provider/model` name, else the default. A server that may run it elsewhere
    /// is not asked yet.
    pub(crate) async fn choose_model(&self, wanted: Option<&str>) -> Result<ChosenModel, UserError> {
        let name = match wanted {
            Some(name) => name.to_owned(),
            None => self.default_model().await.ok_or_else(|| {
                UserError::new(
                    ErrorCode::NoModel,
                    format!("No model is configured, and none was found at {}.", self.looked_at().join(", ")),
                    "Start Ollama or another model server, or add a provider to nova.config.json. Tools \
                     work without a model under Run a tool.",
                )
            })?,
        };
        let Some((id, model)) = name.split_once('/') else {
            return Err(UserError::new(
                ErrorCode::UnknownModel,
                format!("\"{name}\" is not a model."),
                "Write it as provider/model.",
            ));
        };
        let config = self.provider_config(id)?;
        let mut provider = self.connect(&config)?;
        let locality = provider.locality();
        let agreed = self.agrees(&config, &locality);
        // Whom nothing is sent needs no key.
        if agreed {
            provider = self.connect_with_key(&config).await?;
        }
        let provider: Arc<dyn Provider> = Arc::new(Watched { health: self.inner.health.clone(), provider });
        let (context, images) = (self.context_of(&name), self.takes_images(&name));
        let model = model.to_owned();
        // An Ollama is one whatever dialect it is spoken to in.
        let place = (locality == Locality::Local).then(|| -> Arc<dyn ModelPlace> {
            let address = config.address();
            Arc::new(AskedPlace {
                trust: self.inner.trust.clone(),
                models: self.inner.models.clone(),
                plain_servers: self.inner.plain_servers.clone(),
                provider: provider.clone(),
                address: host_of(address.unwrap_or_default()),
                model: model.clone(),
            })
        });
        Ok(ChosenModel { provider, name, model, locality, agreed, place, context, images })
    }

    /// The model servers that answer on this machine.
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

    /// Where model servers are looked for, for people.
    pub(crate) fn looked_at(&self) -> Vec<String> {
        self.inner.options.local_servers.iter().map(|server| host_of(&server.address)).collect()
    }
}

fn same_address(one: &str, other: &str) -> bool {
    let plain = |address: &str| host_of(address).replace("localhost:", "127.0.0.1:");
    plain(one) == plain(other)
}
