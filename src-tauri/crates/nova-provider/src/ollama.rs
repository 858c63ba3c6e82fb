//! Ollama: chat through its OpenAI-compatible address, models through its own.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::http::Endpoint;
use crate::openai::OpenAi;
use crate::settings::{Limits, Locality, ProviderSettings};
use crate::{ChatRequest, ChatStream, ModelInfo, Provider, ProviderError};

/// Where Ollama listens unless told otherwise.
pub const DEFAULT_ADDRESS: &str = "http://127.0.0.1:11434";

/// How long a running server may take to say which models it has.
const DETECTION: Duration = Duration::from_secs(1);

/// Asks the Ollama at `base` for its models, for at most a second. An error means that there is
/// none, or nothing that behaves like one.
pub async fn detect(base: &Url) -> Result<Vec<ModelInfo>, ProviderError> {
    let settings = ProviderSettings {
        base_url: Some(base.to_string()),
        limits: Limits { connect: DETECTION, read: DETECTION, tries: 1, ..Limits::default() },
        ..ProviderSettings::new("ollama")
    };
    let endpoint = Endpoint::new(settings, DEFAULT_ADDRESS)?;
    // The limits above are per read; this one is for the whole.
    tokio::time::timeout(DETECTION, tags(&endpoint))
        .await
        .unwrap_or(Err(ProviderError::Timeout { after: DETECTION }))
}

/// An Ollama server.
pub(crate) struct Ollama {
    chat: OpenAi,
    own: Endpoint,
}

impl Ollama {
    /// `base_url` may be given with or without `/v1`.
    pub(crate) fn new(settings: ProviderSettings) -> Result<Self, ProviderError> {
        let base = settings.base_url.as_deref().unwrap_or(DEFAULT_ADDRESS).trim_end_matches('/');
        let base = base.strip_suffix("/v1").unwrap_or(base).to_owned();
        let chat = ProviderSettings { base_url: Some(format!("{base}/v1")), ..settings.clone() };
        let own = ProviderSettings { base_url: Some(base), ..settings };
        Ok(Self { chat: OpenAi::new(chat)?, own: Endpoint::new(own, DEFAULT_ADDRESS)? })
    }
}

#[async_trait]
impl Provider for Ollama {
    fn id(&self) -> &str {
        self.chat.id()
    }

    fn locality(&self) -> Locality {
        self.chat.locality()
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        tags(&self.own).await
    }

    async fn stream(
        &self,
        request: &ChatRequest,
        cancel: CancellationToken,
    ) -> Result<ChatStream, ProviderError> {
        self.chat.stream(request, cancel).await
    }

    fn encode(&self, request: &ChatRequest) -> Vec<u8> {
        self.chat.encode(request)
    }
}

async fn tags(endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ProviderError> {
    let tags = endpoint.listing("api/tags").await?;
    let Some(models) = tags.get("models").and_then(Value::as_array) else {
        return Err(ProviderError::BadResponse {
            provider: endpoint.id().to_owned(),
            reason: "its list of models is not Ollama's".into(),
        });
    };
    let text = |model: &Value, key: &str| model.get(key).and_then(Value::as_str).map(str::to_owned);
    Ok(models
        .iter()
        .filter_map(|model| {
            Some(ModelInfo {
                id: text(model, "name").or_else(|| text(model, "model"))?,
                context: None,
                runs_at: text(model, "remote_host").filter(|host| !host.is_empty()),
            })
        })
        .collect())
}
