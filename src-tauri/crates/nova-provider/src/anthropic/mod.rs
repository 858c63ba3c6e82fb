//! The Messages of Anthropic and of the servers that copy them.
//!
//! Source: Anthropic's API reference, "Messages", "Streaming messages", "Extended thinking" and
//! "Prompt caching", version `2023-06-01`.

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::http::{Ask, Endpoint, KeyHeader};
use crate::read::read;
use crate::settings::{Locality, ProviderSettings, Thinking};
use crate::{ChatRequest, ChatStream, ModelInfo, Provider, ProviderError};

mod answer;
mod carried;
mod encode;

pub(crate) const DEFAULT_ADDRESS: &str = "https://api.anthropic.com/v1";

/// Of the API; a header of the configuration overrides it.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// A server that speaks Messages.
pub(crate) struct Anthropic {
    endpoint: Endpoint,
    thinking: Option<Thinking>,
}

impl Anthropic {
    pub(crate) fn new(mut settings: ProviderSettings) -> Result<Self, ProviderError> {
        if !settings.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(VERSION.0)) {
            settings.headers.push((VERSION.0.into(), VERSION.1.into()));
        }
        let thinking = settings.thinking;
        let endpoint = Endpoint::new(settings, DEFAULT_ADDRESS)?.with_key_in(KeyHeader::ApiKey);
        Ok(Self { endpoint, thinking })
    }
}

#[async_trait]
impl Provider for Anthropic {
    fn id(&self) -> &str {
        self.endpoint.id()
    }

    fn locality(&self) -> Locality {
        self.endpoint.locality()
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        // A page has 20 entries unless asked otherwise, and 1,000 at most.
        let listing = self.endpoint.listing("models", Some("limit=1000")).await?;
        let models = listing.get("data").and_then(Value::as_array);
        let models = models.ok_or_else(|| ProviderError::BadResponse {
            provider: self.id().to_owned(),
            reason: "its list of models has no `data`".into(),
        })?;
        Ok(models
            .iter()
            .filter_map(|model| {
                Some(ModelInfo {
                    id: model.get("id").and_then(Value::as_str)?.to_owned(),
                    context: model.get("max_input_tokens").and_then(Value::as_u64),
                    tools: None,
                    images: model["capabilities"]["image_input"]["supported"].as_bool(),
                    runs_at: None,
                })
            })
            .collect())
    }

    async fn stream(
        &self,
        request: &ChatRequest,
        cancel: CancellationToken,
    ) -> Result<ChatStream, ProviderError> {
        let ask = Ask {
            path: "messages",
            query: None,
            body: Some(self.encode(request)),
            model: Some(&request.model),
            images: request.images().next().is_some(),
        };
        let answer = self.endpoint.open(ask, &cancel).await?;
        Ok(read(answer, answer::Reply::new(self.id(), request)))
    }

    fn encode(&self, request: &ChatRequest) -> Vec<u8> {
        let own = self.endpoint.base().host_str() == Some("api.anthropic.com");
        encode::encode(request, self.id(), self.thinking, own)
    }
}
