use std::sync::Arc;

use nova_protocol::{ErrorCode, LocalModelServer, UserError};
use nova_provider::{
    Limits, Locality, ModelInfo, Provider, ProviderError, ProviderSettings, connect, default_address, detect,
};

use crate::app::App;
use crate::config::ProviderConfig;
use crate::health::Watched;

/// A model, ready for a turn.
pub(crate) struct ChosenModel {
    pub(crate) provider: Arc<dyn Provider>,
    /// `provider/model`
    pub(crate) name: String,
    /// Without the provider's id.
    pub(crate) model: String,
    /// Where what is sent ends up.
    pub(crate) locality: Locality,
    pub(crate) agreed: bool,
    /// In tokens, where a provider said so.
    pub(crate) context: Option<u64>,
    /// Whether it can look at images, where that is configured or its provider said so.
    pub(crate) images: Option<bool>,
}

/// The environment variable that holds a provider's key: `NOVA_<ID>_KEY`.
pub(crate) fn key_variable(id: &str) -> String {
    let name: String =
        id.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    format!("NOVA_{name}_KEY")
}

impl App {
    /// The configured providers, and the model servers that may be on this machine.
    pub(crate) fn providers(&self) -> Vec<ProviderConfig> {
        let mut providers = self.config().providers;
        for server in &self.inner.options.local_servers {
            let there = |provider: &ProviderConfig| {
                let address = provider.base_url.as_deref().or_else(|| default_address(&provider.kind));
                provider.id == server.id
                    // Who has set up an Ollama has said where it is.
                    || (server.kind == "ollama" && provider.kind == "ollama")
                    || address.is_some_and(|address| same_address(address, &server.address))
            };
            if !providers.iter().any(there) {
                providers.push(ProviderConfig {
                    base_url: Some(server.address.clone()),
                    ..ProviderConfig::new(&server.id, &server.kind)
                });
            }
        }
        providers
    }

    /// Without any secret: to know where it is.
    pub(crate) fn connect(&self, config: &ProviderConfig) -> Result<Arc<dyn Provider>, UserError> {
        connect(&config.kind, self.settings(config)).map_err(|error| model_error(&error))
    }

    /// With its key, as the configuration refers to it.
    async fn connect_with_key(&self, config: &ProviderConfig) -> Result<Arc<dyn Provider>, UserError> {
        self.connect_within(config, Limits::default()).await
    }

    /// The same with other limits.
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
        connect(&config.kind, settings).map_err(|error| model_error(&error))
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

    pub(crate) fn agrees(&self, provider: &str, locality: &Locality) -> bool {
        match locality {
            Locality::Local => true,
            Locality::Remote { host } => self.inner.trust.agrees(provider, host),
        }
    }

    /// The user agrees that a remote provider sees messages and notes.
    ///
    /// # Errors
    /// `unknown_model` when there is no such provider.
    pub fn agree_to_provider(&self, id: &str) -> Result<(), UserError> {
        let config = self.provider_config(id)?;
        if let Locality::Remote { host } = self.connect(&config)?.locality() {
            self.inner.trust.agree(id, &host).map_err(|error| trust_error(&error))?;
        } else {
            // A local server may pass single models on; agreeing covers where they run.
            self.inner.trust.agree(id, PASSED_ON).map_err(|error| trust_error(&error))?;
        }
        Ok(())
    }

    /// Takes an agreement back.
    ///
    /// # Errors
    /// `unknown_model` when there is no such provider.
    pub fn revoke_provider_agreement(&self, id: &str) -> Result<(), UserError> {
        self.provider_config(id)?;
        self.inner.trust.revoke(id).map_err(|error| trust_error(&error))
    }

    fn provider_config(&self, id: &str) -> Result<ProviderConfig, UserError> {
        let providers = self.providers();
        let names: Vec<&str> = providers.iter().map(|provider| provider.id.as_str()).collect();
        let hint = format!("Providers: {}.", names.join(", "));
        providers.iter().find(|provider| provider.id == id).cloned().ok_or_else(|| {
            UserError::new(ErrorCode::UnknownModel, format!("There is no provider \"{id}\"."), hint)
        })
    }

    /// The model that new chats use: the configured one, else the first one found on this machine.
    pub(crate) async fn default_model(&self) -> Option<String> {
        if let Some(model) = self.config().model {
            return Some(model);
        }
        let rows = self.list_provider_rows().await;
        rows.iter().filter(|row| row.local).find_map(|row| {
            let model = row.models.iter().find(|model| !row.without_tools.contains(model))?;
            Some(format!("{}/{model}", row.id))
        })
    }

    /// Finds the model by its `provider/model` name, else the default.
    pub(crate) async fn choose_model(&self, wanted: Option<&str>) -> Result<ChosenModel, UserError> {
        let name = match wanted {
            Some(name) => name.to_owned(),
            None => self.default_model().await.ok_or_else(|| {
                UserError::new(
                    ErrorCode::NoModel,
                    format!("No model is configured, and none was found at {}.", self.looked_at().join(", ")),
                    "Start Ollama or another model server, or add a provider to nova.config.json. Every tool runs without a model from Run a tool.",
                )
            })?,
        };
        let Some((id, model)) = name.split_once('/') else {
            return Err(UserError::new(
                ErrorCode::UnknownModel,
                format!("\"{name}\" does not name a model."),
                "Write it as provider/model.",
            ));
        };
        let config = self.provider_config(id)?;
        let mut provider = self.connect(&config)?;
        let mut locality = provider.locality();
        let mut agreed = self.agrees(id, &locality);
        // Whom nothing is sent needs no key.
        if agreed {
            provider = self.connect_with_key(&config).await?;
        }
        // A model server on this machine may run single models elsewhere. One that it does not list it
        // cannot run.
        let mut images = None;
        if locality == Locality::Local && config.kind == "ollama" {
            let latest = format!("{model}:latest");
            let listed = provider.models().await.map_err(|error| model_error(&error))?;
            let is_it =
                |listed: &ModelInfo| [model, &latest].iter().any(|name| listed.id.eq_ignore_ascii_case(name));
            let listed = listed.into_iter().find(is_it);
            let Some(listed) = listed else {
                let (provider, model) = (id.to_owned(), model.to_owned());
                return Err(model_error(&ProviderError::ModelNotFound { provider, model }));
            };
            images = listed.images;
            if let Some(host) = listed.runs_at {
                locality = Locality::Remote { host };
                agreed = self.inner.trust.agrees(id, PASSED_ON);
            }
        }
        let provider = Arc::new(Watched { app: self.clone(), provider });
        let (context, images) = (self.context_of(&name), self.takes_images(&name).or(images));
        let model = model.to_owned();
        Ok(ChosenModel { provider, name, model, locality, agreed, context, images })
    }

    /// The model servers that answer on this machine.
    pub(crate) async fn find_local_models(&self) -> Vec<LocalModelServer> {
        let found = self.inner.options.local_servers.iter().map(|server| async move {
            let models = detect(&server.kind, &server.address).await.ok()?;
            let without_tools = models.iter().filter(|model| model.tools == Some(false));
            Some(LocalModelServer {
                provider: server.id.clone(),
                host: host_of(&server.address),
                without_tools: without_tools.map(|model| model.id.clone()).collect(),
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

/// "http://127.0.0.1:1234/v1" → "127.0.0.1:1234"
pub(crate) fn host_of(address: &str) -> String {
    url::Url::parse(address)
        .ok()
        .and_then(|url| Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?)))
        .unwrap_or_else(|| address.to_owned())
}

fn same_address(one: &str, other: &str) -> bool {
    let plain = |address: &str| host_of(address).replace("localhost:", "127.0.0.1:");
    plain(one) == plain(other)
}

/// Stands for the host in an agreement to models that a local server passes on.
const PASSED_ON: &str = "(passed on)";

fn trust_error(error: &std::io::Error) -> UserError {
    UserError::new(ErrorCode::Io, format!("trust.json: {error}."), "Make the data folder writable.")
}

pub(crate) fn model_error(error: &ProviderError) -> UserError {
    nova_session::provider_error(error)
}
