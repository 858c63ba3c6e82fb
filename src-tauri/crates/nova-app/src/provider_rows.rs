use std::time::Duration;

use nova_protocol::{ErrorCode, ProviderRow, UserError};
use nova_provider::{Limits, Locality, ModelInfo, ProviderError, ProviderKind, detect, is_same_model};
use tokio::time::timeout;

use crate::app::App;
use crate::config::{ProviderConfig, host_of};

/// How long to cache the list of a remote provider. Local ones are queried each time.
const KEPT: Duration = Duration::from_secs(600);

/// Total timeout, because the user waits for the lists.
const WHOLE: Duration = Duration::from_secs(10);
const LIMITS: Limits = Limits {
    connect: Duration::from_secs(5),
    read: Duration::from_secs(10),
    answer: Duration::from_secs(60),
    answer_bytes: 8 * 1024 * 1024,
    tries: 1,
    longest_wait: Duration::ZERO,
};

const TOO_LATE: ProviderError = ProviderError::Timeout { after: WHOLE };

impl App {
    /// All providers with their models. One that does not answer has a problem, and its configured or last
    /// known models. Auto-detected local servers are omitted if they do not answer.
    pub async fn list_provider_rows(&self) -> Vec<ProviderRow> {
        self.rows_of(self.providers()).await
    }

    /// The local ones only.
    pub(crate) async fn local_provider_rows(&self) -> Vec<ProviderRow> {
        let mut providers = self.providers();
        providers.retain(|config| {
            self.connect(config).is_ok_and(|provider| provider.locality() == Locality::Local)
        });
        self.rows_of(providers).await
    }

    async fn rows_of(&self, providers: Vec<ProviderConfig>) -> Vec<ProviderRow> {
        let configured = self.config().providers;
        let rows = providers.into_iter().map(|config| {
            let is_configured = configured.iter().any(|other| other.id == config.id);
            async move {
                if is_configured {
                    return Some(self.provider_row(&config, None).await);
                }
                let address = config.base_url.as_deref().unwrap_or_default();
                let found = detect(config.kind.clone(), address).await.ok()?;
                Some(self.provider_row(&config, Some(found)).await)
            }
        });
        futures::future::join_all(rows).await.into_iter().flatten().collect()
    }

    async fn provider_row(&self, config: &ProviderConfig, found: Option<Vec<ModelInfo>>) -> ProviderRow {
        let mut row = ProviderRow {
            id: config.id.clone(),
            kind: config.kind.clone(),
            local: false,
            host: config.base_url.clone().unwrap_or_default(),
            agreed: false,
            models: config.models.clone(),
            without_tools: Vec::new(),
            without_images: Vec::new(),
            context: config.context,
            passed_on: Vec::new(),
            problem: None,
            key: self.provider_key(config).await,
            favourites: favourites_of(&config.id, &self.config().favourites),
            prices: config.prices.clone(),
            health: self.inner.health.of(&config.id),
        };
        let locality = match self.connect(config) {
            Ok(provider) => provider.locality(),
            Err(problem) => {
                row.problem = Some(problem);
                return row;
            }
        };
        row.local = locality == Locality::Local;
        row.host = match &locality {
            Locality::Remote { host } => host.clone(),
            Locality::Local => host_of(config.address().unwrap_or_default()),
        };
        row.agreed = self.agrees(config, &locality);
        let mut listed = match found {
            Some(found) => found,
            None => match self.ask_for_models(config, row.local).await {
                Ok(listed) => listed,
                Err(NoModels { problem, known, without_key, silent }) => {
                    // Even with configured models: without its key no message would be answered, and if a
                    // local server is silent it is unknown whether it exists and where its models run.
                    let unlisted = config.models.is_empty() && problem.code != ErrorCode::ProviderNotAgreed;
                    if without_key || row.local && silent || unlisted {
                        row.problem = Some(problem);
                    }
                    known
                }
            },
        };
        for model in &mut listed {
            // Uses the configured spelling.
            if let Some(written) = config.models.iter().find(|written| is_same_model(&model.id, written)) {
                model.id.clone_from(written);
            }
            self.inner.models.note(&format!("{}/{}", config.id, model.id), model);
        }
        let without_tools = listed.iter().filter(|model| model.tools == Some(false));
        row.without_tools = without_tools.map(|model| model.id.clone()).collect();
        let without_images = listed.iter().filter(|model| config.images.or(model.images) == Some(false));
        row.without_images = without_images.map(|model| model.id.clone()).collect();
        if config.images == Some(false) {
            let others = config.models.iter().filter(|id| !listed.iter().any(|model| model.id == **id));
            row.without_images.extend(others.cloned());
        }
        if row.local {
            row.passed_on = self.passed_on(&config.id, &listed);
        }
        let others = listed.into_iter().map(|model| model.id).filter(|id| !config.models.contains(id));
        row.models.extend(others);
        row
    }

    async fn ask_for_models(&self, config: &ProviderConfig, local: bool) -> Result<Vec<ModelInfo>, NoModels> {
        let known = self.inner.models.listed(config);
        let provider = self.connect_within(config, LIMITS).await.map_err(|problem| {
            // Before the agreement, the models listed during the setup are shown.
            let known = known.as_ref().filter(|_| problem.code == ErrorCode::ProviderNotAgreed);
            let known = known.map(|(_, models)| models.clone()).unwrap_or_default();
            let is_listed = !known.is_empty() || !config.models.is_empty();
            let only_asks = problem.code == ErrorCode::ProviderNotAgreed && !local && is_listed;
            NoModels { problem, known, without_key: !only_asks, silent: false }
        })?;
        match known {
            Some((at, known)) if !local && at.elapsed() < KEPT => Ok(known),
            known => match timeout(WHOLE, provider.models()).await.unwrap_or(Err(TOO_LATE)) {
                Ok(models) => {
                    self.inner.models.note_list(config, models.clone());
                    Ok(models)
                }
                Err(error) => Err(NoModels {
                    silent: config.kind == ProviderKind::Ollama
                        || matches!(error, ProviderError::Unreachable { .. } | ProviderError::Timeout { .. }),
                    problem: error.into(),
                    known: known.map(|(_, models)| models).unwrap_or_default(),
                    without_key: false,
                }),
            },
        }
    }

    /// In tokens: configured, otherwise as reported by the provider.
    pub(crate) fn context_of(&self, model: &str) -> Option<u64> {
        let configured = self.configured_of(model).and_then(|config| config.context);
        configured.or_else(|| self.inner.models.context(model))
    }

    /// Whether it accepts images: configured, otherwise as reported by the provider.
    pub(crate) fn takes_images(&self, model: &str) -> Option<bool> {
        let configured = self.configured_of(model).and_then(|config| config.images);
        configured.or_else(|| self.inner.models.takes_images(model))
    }

    fn configured_of(&self, model: &str) -> Option<ProviderConfig> {
        let provider = model.split_once('/')?.0;
        self.config().providers.into_iter().find(|config| config.id == provider)
    }
}

/// The favourites (`provider/model`) of one provider, by its own model names.
fn favourites_of(provider: &str, all: &[String]) -> Vec<String> {
    let own = all.iter().filter_map(|model| model.strip_prefix(provider)?.strip_prefix('/'));
    own.map(str::to_owned).collect()
}

/// Why a provider's models cannot be listed now.
struct NoModels {
    problem: UserError,
    /// Models listed earlier.
    known: Vec<ModelInfo>,
    without_key: bool,
    /// It did not answer, or not where its models run; as opposed to a provider without a list of models.
    silent: bool,
}
