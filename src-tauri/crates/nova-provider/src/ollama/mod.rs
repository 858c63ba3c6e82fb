//! Ollama by its own API, because only that lets a request set its context size: otherwise the server
//! silently truncates the beginning of a long one, including the tools.
//!
//! Source: Ollama's API documentation, "Generate a chat completion", "List local models" and "Show
//! model information".

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use futures::stream::{self, StreamExt};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::forwarding::tags;
use crate::http::{Ask, Endpoint};
use crate::read::read;
use crate::settings::{Locality, ProviderSettings};
use crate::{ChatRequest, ChatStream, ModelInfo, ModelLookup, Provider, ProviderError, is_same_model};

mod answer;
mod encode;

/// Ollama's default address.
pub(crate) const DEFAULT_ADDRESS: &str = "http://127.0.0.1:11434";

/// Maximum number of concurrent queries for models.
const SHOWN_AT_ONCE: usize = 4;

/// An Ollama server.
pub(crate) struct Ollama {
    endpoint: Endpoint,
    /// The user's context size, in tokens.
    context: Option<u64>,
    shown: Mutex<HashMap<String, Shown>>,
}

/// The server's information on a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Shown {
    /// The model's context size in tokens.
    context: Option<u64>,
    tools: Option<bool>,
    images: Option<bool>,
}

impl Ollama {
    /// `base_url` may include `/v1` or not.
    pub(crate) fn new(mut settings: ProviderSettings) -> Result<Self, ProviderError> {
        let base = settings.base_url.as_deref().unwrap_or(DEFAULT_ADDRESS).trim_end_matches('/');
        settings.base_url = Some(base.strip_suffix("/v1").unwrap_or(base).to_owned());
        let context = settings.context;
        Ok(Self { endpoint: Endpoint::new(settings, DEFAULT_ADDRESS)?, context, shown: Mutex::default() })
    }

    /// The server's information on a model, cached. An older server without this API is supported.
    async fn shown(&self, model: &str, cancel: &CancellationToken) -> Result<Shown, ProviderError> {
        if let Some(shown) = self.known(model) {
            return Ok(shown);
        }
        let body = Some(json!({ "model": model }).to_string().into_bytes());
        let ask = Ask { path: "api/show", query: None, body, model: Some(model), images: false };
        let shown = match self.endpoint.document(ask, cancel).await {
            Ok(said) => read_shown(&said),
            Err(ProviderError::BadResponse { .. } | ProviderError::Failed { .. }) => Shown::default(),
            Err(error) => return Err(error),
        };
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).insert(model.to_owned(), shown);
        Ok(shown)
    }

    fn known(&self, model: &str) -> Option<Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).get(model).copied()
    }
}

#[async_trait]
impl Provider for Ollama {
    fn id(&self) -> &str {
        self.endpoint.id()
    }

    fn locality(&self) -> Locality {
        self.endpoint.locality()
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        let never = CancellationToken::new();
        let models = tags(&self.endpoint, "api/tags", &never).await?;
        let asked = stream::iter(models).map(|mut model| async {
            // A model is listed even if the query fails.
            let shown = self.shown(&model.id, &never).await.unwrap_or_default();
            (model.context, model.tools, model.images) = (shown.context, shown.tools, shown.images);
            model
        });
        Ok(asked.buffered(SHOWN_AT_ONCE).collect().await)
    }

    async fn model(&self, id: &str, cancel: &CancellationToken) -> Result<ModelLookup, ProviderError> {
        let listed = tags(&self.endpoint, "api/tags", cancel).await?;
        let Some(mut model) = listed.into_iter().find(|model| is_same_model(&model.id, id)) else {
            return Ok(ModelLookup::Missing);
        };
        // Queried by the name that the request will use, which finds the cached result.
        let shown = self.shown(id, cancel).await?;
        (model.context, model.tools, model.images) = (shown.context, shown.tools, shown.images);
        Ok(ModelLookup::Found(model))
    }

    async fn stream(
        &self,
        request: &ChatRequest,
        cancel: CancellationToken,
    ) -> Result<ChatStream, ProviderError> {
        let shown = self.shown(&request.model, &cancel).await?;
        if shown.tools == Some(false) && !request.tools.is_empty() {
            return Err(ProviderError::NoTools {
                provider: self.id().to_owned(),
                model: request.model.clone(),
            });
        }
        if shown.images == Some(false) && request.images().next().is_some() {
            return Err(ProviderError::NoImages {
                provider: self.id().to_owned(),
                model: request.model.clone(),
            });
        }
        let body = self.encode(request);
        let needed = encode::tokens_of(body.len(), request);
        if let Some(context) = self.context
            && needed > context
        {
            return Err(ProviderError::ContextTooSmall {
                provider: self.id().to_owned(),
                context,
                needed,
                tools: request.tools.len(),
            });
        }
        let ask = Ask {
            path: "api/chat",
            query: None,
            body: Some(body),
            model: Some(&request.model),
            images: request.images().next().is_some(),
        };
        let answer = self.endpoint.open(ask, &cancel).await.map_err(|error| no_tools(error, request))?;
        Ok(read(answer, answer::Reply::new(self.id(), request)))
    }

    fn defers_tools(&self, _model: &str) -> bool {
        false
    }

    fn encode(&self, request: &ChatRequest) -> Vec<u8> {
        let most = self.known(&request.model).and_then(|shown| shown.context);
        encode::encode(request, self.id(), self.context, most)
    }
}

/// An older server reports missing tool support only now.
fn no_tools(error: ProviderError, request: &ChatRequest) -> ProviderError {
    match error {
        ProviderError::Failed { provider, detail, .. } if detail.contains("does not support tools") => {
            ProviderError::NoTools { provider, model: request.model.clone() }
        }
        error => error,
    }
}

fn read_shown(said: &Value) -> Shown {
    let lengths = said["model_info"].as_object().into_iter().flatten();
    let context = lengths
        .filter(|(key, _)| key.ends_with(".context_length"))
        .find_map(|(_, length)| length.as_u64().filter(|length| *length > 0));
    let can = said["capabilities"].as_array();
    let can = |what: &str| can.map(|can| can.iter().any(|word| word == what));
    Shown { context, tools: can("tools"), images: can("vision") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_parsed_and_missing_ones_unknown() {
        let read = |said: &str| read_shown(&serde_json::from_str(said).expect("JSON"));
        assert_eq!(
            read(
                r#"{"capabilities":["completion","tools"],"model_info":{"qwen3.block_count":36,"qwen3.context_length":40960}}"#
            ),
            Shown { context: Some(40_960), tools: Some(true), images: Some(false) }
        );
        assert_eq!(
            read(r#"{"capabilities":["completion","vision"]}"#),
            Shown { context: None, tools: Some(false), images: Some(true) }
        );
        assert_eq!(read(r#"{"license":"MIT"}"#), Shown::default());
    }
}
