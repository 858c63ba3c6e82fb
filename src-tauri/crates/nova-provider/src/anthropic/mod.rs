//! The Messages API of Anthropic and compatible servers.
//!
//! Source: Anthropic's API reference, "Messages", "Streaming messages", "Extended thinking", "Prompt
//! caching" and "Tool search tool", version `2023-06-01`.

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::http::{Ask, Endpoint, KeyHeader};
use crate::read::read;
use crate::settings::{Locality, ProviderSettings, Thinking};
use crate::{ChatRequest, ChatStream, ModelInfo, ModelLookup, Provider, ProviderError, forwarding};

mod answer;
mod carried;
mod encode;

pub(crate) const DEFAULT_ADDRESS: &str = "https://api.anthropic.com/v1";

/// The API version; a header in the configuration overrides it.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// A server with the Messages API.
pub(crate) struct Anthropic {
    endpoint: Endpoint,
    thinking: Option<Thinking>,
    deferred_tools: Option<bool>,
}

/// Prefixes of Anthropic's own models that do not support deferred tools.
const WITHOUT_DEFERRED_TOOLS: [&str; 8] = [
    "claude-2",
    "claude-3",
    "claude-instant",
    "claude-sonnet-4-0",
    "claude-sonnet-4-2025",
    "claude-opus-4-0",
    "claude-opus-4-1",
    "claude-opus-4-2025",
];

impl Anthropic {
    pub(crate) fn new(mut settings: ProviderSettings) -> Result<Self, ProviderError> {
        if !settings.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(VERSION.0)) {
            settings.headers.push((VERSION.0.into(), VERSION.1.into()));
        }
        let (thinking, deferred_tools) = (settings.thinking, settings.deferred_tools);
        let endpoint = Endpoint::new(settings, DEFAULT_ADDRESS)?.with_key_in(KeyHeader::ApiKey);
        Ok(Self { endpoint, thinking, deferred_tools })
    }

    fn is_own(&self) -> bool {
        self.endpoint.base().host_str() == Some("api.anthropic.com")
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
        // A page has 20 entries by default, and at most 1,000.
        let listing = self.endpoint.listing("models", Some("limit=1000")).await?;
        let models = listing.get("data").and_then(Value::as_array);
        let models = models.ok_or_else(|| ProviderError::BadResponse {
            provider: self.id().to_owned(),
            reason: "its list of models has no `data`".into(),
        })?;
        let listed = models.iter().filter_map(|model| {
            Some(ModelInfo {
                id: model.get("id").and_then(Value::as_str)?.to_owned(),
                context: model.get("max_input_tokens").and_then(Value::as_u64),
                tools: None,
                images: model["capabilities"]["image_input"]["supported"].as_bool(),
                runs_at: None,
            })
        });
        let mut listed: Vec<ModelInfo> = listed.collect();
        forwarding::mark(&self.endpoint, &mut listed).await;
        Ok(listed)
    }

    async fn model(&self, id: &str, cancel: &CancellationToken) -> Result<ModelLookup, ProviderError> {
        forwarding::model(&self.endpoint, id, cancel).await
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

    fn defers_tools(&self, model: &str) -> bool {
        // With a thinking budget, an answer that calls a tool must start with thinking, but the synthetic
        // call of an activation by the user has none.
        let is_able = !matches!(self.thinking, Some(Thinking::Budget(_)));
        let known = self.is_own() && !WITHOUT_DEFERRED_TOOLS.iter().any(|old| model.starts_with(old));
        is_able && self.deferred_tools.unwrap_or(known)
    }

    fn encode(&self, request: &ChatRequest) -> Vec<u8> {
        encode::encode(request, self.id(), self.thinking, self.is_own())
    }
}
