//! The Chat Completions API of OpenAI and the many compatible servers.

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::http::{Ask, Endpoint};
use crate::read::read;
use crate::settings::{Locality, ProviderSettings};
use crate::{ChatRequest, ChatStream, ModelInfo, ModelLookup, Provider, ProviderError, forwarding};

mod answer;
mod calls;
mod carried;
mod encode;
mod local;

pub(crate) const DEFAULT_ADDRESS: &str = "https://api.openai.com/v1";

/// A server with the Chat Completions API.
pub(crate) struct OpenAi {
    endpoint: Endpoint,
}

impl OpenAi {
    pub(crate) fn new(settings: ProviderSettings) -> Result<Self, ProviderError> {
        Ok(Self { endpoint: Endpoint::new(settings, DEFAULT_ADDRESS)? })
    }
}

#[async_trait]
impl Provider for OpenAi {
    fn id(&self) -> &str {
        self.endpoint.id()
    }

    fn locality(&self) -> Locality {
        self.endpoint.locality()
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        models(&self.endpoint).await
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
            path: "chat/completions",
            query: None,
            body: Some(self.encode(request)),
            model: Some(&request.model),
            images: request.images().next().is_some(),
        };
        let answer = self.endpoint.open(ask, &cancel).await;
        let answer = answer.map_err(|error| no_tools(error, request))?;
        let state = answer::Completion::new(self.id(), request);
        Ok(read(answer, state))
    }

    fn defers_tools(&self, _model: &str) -> bool {
        false
    }

    fn encode(&self, request: &ChatRequest) -> Vec<u8> {
        encode::encode(request, self.id(), self.endpoint.base().host_str().unwrap_or_default())
    }
}

/// Lists the models of a server with OpenAI's format.
pub(crate) async fn models(endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ProviderError> {
    let listing = endpoint.listing("models", None).await?;
    // Some servers send a bare array.
    let models = listing.get("data").unwrap_or(&listing).as_array();
    let models = models.ok_or_else(|| ProviderError::BadResponse {
        provider: endpoint.id().to_owned(),
        reason: "its list of models has no `data`".into(),
    })?;
    let listed = models.iter().filter_map(|model| {
        let number = |key| model.get(key).and_then(Value::as_u64);
        Some(ModelInfo {
            id: model.get("id").and_then(Value::as_str)?.to_owned(),
            // OpenRouter, vLLM and Groq, in this order.
            context: number("context_length")
                .or_else(|| number("max_model_len"))
                .or_else(|| number("context_window")),
            tools: takes_tools(model),
            images: takes_images(model),
            runs_at: None,
        })
    });
    let mut listed = listed.collect();
    if endpoint.locality() == Locality::Local {
        local::ask_more(endpoint, models, &mut listed).await;
    }
    Ok(listed)
}

/// OpenRouter's information on a model.
fn takes_tools(model: &Value) -> Option<bool> {
    let parameters = model.get("supported_parameters")?.as_array()?;
    Some(parameters.iter().any(|parameter| parameter == "tools"))
}

/// The information of OpenRouter and Mistral on a model, in this order.
fn takes_images(model: &Value) -> Option<bool> {
    let kinds = model["architecture"]["input_modalities"].as_array();
    let listed = kinds.map(|kinds| kinds.iter().any(|kind| kind == "image"));
    listed.or_else(|| model["capabilities"]["vision"].as_bool())
}

/// Servers that do not report missing tool support in advance do so now: llama.cpp, vLLM and Ollama, in this
/// order.
pub(crate) fn no_tools(error: ProviderError, request: &ChatRequest) -> ProviderError {
    const PHRASES: [&str; 3] =
        ["tools param requires --jinja", "requires --enable-auto-tool-choice", "does not support tools"];
    match error {
        ProviderError::Failed { provider, detail, .. }
            if PHRASES.iter().any(|phrase| detail.contains(phrase)) =>
        {
            ProviderError::NoTools { provider, model: request.model.clone() }
        }
        error => error,
    }
}
