use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use nova_protocol::{ErrorCode, ProviderRow, UserError};
use nova_provider::{Locality, Provider, ProviderError, ProviderSettings, connect, ollama};

use crate::app::App;
use crate::config::ProviderConfig;

/// The id of the model server that Nova finds by itself.
const FOUND: &str = "ollama";

/// A model, ready for a turn.
pub(crate) struct ChosenModel {
    pub(crate) provider: Arc<dyn Provider>,
    /// Without the provider's id.
    pub(crate) model: String,
    /// Where what is sent ends up.
    pub(crate) locality: Locality,
    pub(crate) agreed: bool,
    /// In tokens, where a provider said so.
    pub(crate) context: Option<u64>,
}

/// The environment variable that holds a provider's key: `NOVA_<ID>_KEY`.
pub(crate) fn key_variable(id: &str) -> String {
    let name: String =
        id.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    format!("NOVA_{name}_KEY")
}

impl App {
    /// The configured providers, and the model server found on this machine.
    pub(crate) fn providers(&self) -> Vec<ProviderConfig> {
        let mut providers = self.config().providers;
        if !providers.iter().any(|provider| provider.id == FOUND || provider.kind == "ollama") {
            providers.push(ProviderConfig {
                id: FOUND.into(),
                kind: "ollama".into(),
                base_url: Some(self.inner.options.ollama.clone()),
                api_key: None,
                headers: Vec::new(),
                models: Vec::new(),
                context: None,
                thinking: None,
            });
        }
        providers
    }

    /// Without any secret: to know where it is.
    fn connect(&self, config: &ProviderConfig) -> Result<Arc<dyn Provider>, UserError> {
        connect(&config.kind, self.settings(config)).map_err(|error| model_error(&error))
    }

    /// With its key, as the configuration refers to it.
    async fn connect_with_key(&self, config: &ProviderConfig) -> Result<Arc<dyn Provider>, UserError> {
        let secrets = self.provider_secrets(config).await?;
        let mut settings = self.settings(config);
        settings.headers = secrets.headers;
        settings.key = Arc::new(move || secrets.key.clone());
        connect(&config.kind, settings).map_err(|error| model_error(&error))
    }

    fn settings(&self, config: &ProviderConfig) -> ProviderSettings {
        let mut settings = ProviderSettings::new(&config.id);
        settings.base_url.clone_from(&config.base_url);
        settings.context = config.context;
        settings.thinking = config.thinking;
        settings.proxy = self.inner.options.proxy.as_deref().and_then(|address| address.parse().ok());
        settings
    }

    /// Every provider with its models; one that does not answer has a problem instead. The model
    /// server that Nova only looked for is left out when it is not there.
    pub async fn list_provider_rows(&self) -> Vec<ProviderRow> {
        let configured = self.config().providers;
        let rows =
            self.providers().into_iter().map(|config| {
                let is_configured = configured.iter().any(|other| other.id == config.id);
                async move {
                    self.provider_row(&config).await.filter(|row| is_configured || row.problem.is_none())
                }
            });
        futures::future::join_all(rows).await.into_iter().flatten().collect()
    }

    async fn provider_row(&self, config: &ProviderConfig) -> Option<ProviderRow> {
        let mut row = ProviderRow {
            id: config.id.clone(),
            kind: config.kind.clone(),
            local: false,
            host: config.base_url.clone().unwrap_or_default(),
            agreed: false,
            models: config.models.clone(),
            without_tools: Vec::new(),
            problem: None,
            key: self.provider_key(config).await,
        };
        match self.connect(config) {
            Ok(provider) => {
                let locality = provider.locality();
                row.local = locality == Locality::Local;
                if let Locality::Remote { host } = &locality {
                    row.host.clone_from(host);
                }
                row.agreed = self.agrees(&config.id, &locality);
                let listed = match self.connect_with_key(config).await {
                    Ok(provider) => provider.models().await.map_err(|error| model_error(&error)),
                    Err(problem) => {
                        // Listed models or not: no message would be answered.
                        row.problem = Some(problem);
                        return Some(row);
                    }
                };
                match listed {
                    Ok(models) => {
                        let contexts = models.iter().filter_map(|model| {
                            Some((format!("{}/{}", config.id, model.id), model.context?))
                        });
                        self.contexts().extend(contexts);
                        row.without_tools = models
                            .iter()
                            .filter(|model| model.tools == Some(false))
                            .map(|model| model.id.clone())
                            .collect();
                        let listed = models.into_iter().map(|model| model.id);
                        row.models.extend(
                            listed.filter(|model| !config.models.contains(model)).collect::<Vec<_>>(),
                        );
                    }
                    Err(_) if !config.models.is_empty() => {}
                    Err(problem) => row.problem = Some(problem),
                }
            }
            Err(problem) => row.problem = Some(problem),
        }
        Some(row)
    }

    /// The contexts of models that a provider has told of since the start, in tokens.
    fn contexts(&self) -> MutexGuard<'_, HashMap<String, u64>> {
        self.inner.contexts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// In tokens: as it is configured, else where a provider said so.
    pub(crate) fn context_of(&self, model: &str) -> Option<u64> {
        let provider = model.split_once('/')?.0;
        let configured = self.config().providers.into_iter().find(|config| config.id == provider);
        configured.and_then(|config| config.context).or_else(|| self.contexts().get(model).copied())
    }

    fn agrees(&self, provider: &str, locality: &Locality) -> bool {
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
        let row = rows.iter().filter(|row| row.local).find(|row| !row.models.is_empty())?;
        Some(format!("{}/{}", row.id, row.models.first()?))
    }

    /// Finds the model by its `provider/model` name, else the default.
    pub(crate) async fn choose_model(&self, wanted: Option<&str>) -> Result<ChosenModel, UserError> {
        let name = match wanted {
            Some(name) => name.to_owned(),
            None => self.default_model().await.ok_or_else(|| {
                UserError::new(
                    ErrorCode::NoModel,
                    format!("No model is configured, and none was found at {}.", self.inner.options.ollama),
                    "Start Ollama, or add a provider to nova.config.json. Every tool runs without a model from Run a tool.",
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
        // A model server on this machine may run single models elsewhere. What it does not say of
        // a model counts as elsewhere.
        if locality == Locality::Local && config.kind == "ollama" {
            let latest = format!("{model}:latest");
            let listed = provider.models().await.map_err(|error| model_error(&error))?;
            let listed = listed.into_iter().find(|listed| listed.id == model || listed.id == latest);
            let elsewhere = match listed {
                Some(listed) => listed.runs_at,
                None => Some(config.base_url.clone().unwrap_or_default()),
            };
            if let Some(host) = elsewhere {
                locality = Locality::Remote { host };
                agreed = self.inner.trust.agrees(id, PASSED_ON);
            }
        }
        let context = self.context_of(&name);
        Ok(ChosenModel { provider, model: model.to_owned(), locality, agreed, context })
    }

    /// What a model server on this machine offers; None where there is none.
    pub(crate) async fn find_local_models(&self) -> Option<Vec<String>> {
        let base = url::Url::parse(&self.inner.options.ollama).ok()?;
        let models = ollama::detect(&base).await.ok()?;
        Some(models.into_iter().map(|model| model.id).collect())
    }
}

/// Stands for the host in an agreement to models that a local server passes on.
const PASSED_ON: &str = "(passed on)";

fn trust_error(error: &std::io::Error) -> UserError {
    UserError::new(ErrorCode::Io, format!("trust.json: {error}."), "Make the data folder writable.")
}

pub(crate) fn model_error(error: &ProviderError) -> UserError {
    nova_session::provider_error(error)
}
