//! The Responses API of OpenAI and compatible servers, without server-side state.
//!
//! Source: OpenAI's API reference, "Responses" and "Streaming events", and its guides "Reasoning models",
//! "Conversation state" and "Tool search".

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::http::{Ask, Endpoint};
use crate::openai;
use crate::read::read;
use crate::settings::{Locality, ProviderSettings, Thinking};
use crate::{ChatRequest, ChatStream, ModelInfo, ModelLookup, Provider, ProviderError, forwarding};

mod answer;
mod carried;
mod closing;
mod encode;
mod item;

pub(crate) const DEFAULT_ADDRESS: &str = openai::DEFAULT_ADDRESS;

/// A server with the Responses API.
pub(crate) struct OpenAiResponses {
    endpoint: Endpoint,
    thinking: Option<Thinking>,
    deferred_tools: Option<bool>,
}

impl OpenAiResponses {
    pub(crate) fn new(settings: ProviderSettings) -> Result<Self, ProviderError> {
        let (thinking, deferred_tools) = (settings.thinking, settings.deferred_tools);
        Ok(Self { endpoint: Endpoint::new(settings, DEFAULT_ADDRESS)?, thinking, deferred_tools })
    }

    fn is_own(&self) -> bool {
        self.endpoint.base().host_str() == Some("api.openai.com")
    }
}

#[async_trait]
impl Provider for OpenAiResponses {
    fn id(&self) -> &str {
        self.endpoint.id()
    }

    fn locality(&self) -> Locality {
        self.endpoint.locality()
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        openai::models(&self.endpoint).await
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
            path: "responses",
            query: None,
            body: Some(self.encode(request)),
            model: Some(&request.model),
            images: request.images().next().is_some(),
        };
        let answer = self.endpoint.open(ask, &cancel).await;
        let answer = answer.map_err(|error| openai::no_tools(error, request))?;
        Ok(read(answer, answer::Reply::new(self.id(), request)))
    }

    fn defers_tools(&self, model: &str) -> bool {
        self.deferred_tools.unwrap_or_else(|| self.is_own() && searches_tools(model))
    }

    fn encode(&self, request: &ChatRequest) -> Vec<u8> {
        encode::encode(request, self.id(), self.thinking.is_some())
    }
}

/// OpenAI's models from gpt-5.4 on support tools that are loaded within the conversation.
fn searches_tools(model: &str) -> bool {
    let Some(version) = name(model).strip_prefix("gpt-") else { return false };
    let number = |text: &str| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    };
    let minor = version.split_once('.').and_then(|(_, minor)| number(minor)).unwrap_or(0);
    number(version).is_some_and(|major| (major, minor) >= (5, 4))
}

/// Whether the model reasons before it answers: others refuse a request for their reasoning.
fn reasons(model: &str) -> bool {
    const WITHOUT: [&str; 4] = ["gpt-3", "gpt-4", "chatgpt", "gpt-5-chat"];
    !WITHOUT.iter().any(|old| name(model).starts_with(old))
}

/// The base name of a model: fine-tuned ones have the prefix "ft:", and gateways add the vendor before a `/`.
fn name(model: &str) -> &str {
    let model = model.rsplit('/').next().unwrap_or(model);
    model.strip_prefix("ft:").unwrap_or(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_search_tools_are_recognised_by_name() {
        for model in ["gpt-5.4", "gpt-5.4-mini-2026-03-17", "gpt-5.10", "gpt-6-astra", "ft:gpt-5.5:me::1"] {
            assert!(searches_tools(model), "{model}");
        }
        for model in ["gpt-5", "gpt-5-mini", "gpt-5.3-codex", "gpt-4.9", "o4-mini", "gpt-", "llama", ""] {
            assert!(!searches_tools(model), "{model}");
        }
    }

    #[test]
    fn models_without_reasoning_are_recognised_by_name() {
        for model in ["gpt-4.1", "gpt-4o-mini", "ft:gpt-4o:me::1", "openai/gpt-4.1", "gpt-5-chat-latest"] {
            assert!(!reasons(model), "{model}");
        }
        for model in ["gpt-5", "gpt-5.4-mini", "o3", "gpt-oss-120b"] {
            assert!(reasons(model), "{model}");
        }
    }
}
