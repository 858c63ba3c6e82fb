//! Google's Gemini API, also for Gemma.
//!
//! Source: Google's Gemini API reference, "Generating content" (`streamGenerateContent`) and "Models", and
//! its guides "Function calling", "Thought signatures", "Structured outputs" and "Safety settings".

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
mod names;
mod schema;

pub(crate) const DEFAULT_ADDRESS: &str = "https://generativelanguage.googleapis.com/v1beta";

/// A server with `generateContent`.
pub(crate) struct Gemini {
    endpoint: Endpoint,
    thinking: Option<Thinking>,
}

impl Gemini {
    pub(crate) fn new(settings: ProviderSettings) -> Result<Self, ProviderError> {
        let thinking = settings.thinking;
        let endpoint = Endpoint::new(settings, DEFAULT_ADDRESS)?.with_key_in(KeyHeader::GoogApiKey);
        Ok(Self { endpoint, thinking })
    }
}

#[async_trait]
impl Provider for Gemini {
    fn id(&self) -> &str {
        self.endpoint.id()
    }

    fn locality(&self) -> Locality {
        self.endpoint.locality()
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        // A page has 50 entries by default, and at most 1,000.
        let listing = self.endpoint.listing("models", Some("pageSize=1000")).await?;
        let models = listing.get("models").and_then(Value::as_array);
        let models = models.ok_or_else(|| ProviderError::BadResponse {
            provider: self.id().to_owned(),
            reason: "its list of models has no `models`".into(),
        })?;
        let generates = |model: &&Value| {
            let methods = model["supportedGenerationMethods"].as_array();
            methods.is_none_or(|methods| methods.iter().any(|method| method == "generateContent"))
        };
        let listed = models.iter().filter(generates).filter_map(|model| {
            let name = model.get("name").and_then(Value::as_str)?;
            Some(ModelInfo {
                id: name.strip_prefix("models/").unwrap_or(name).to_owned(),
                context: model.get("inputTokenLimit").and_then(Value::as_u64),
                tools: None,
                images: None,
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
        let path = path(&request.model).ok_or_else(|| ProviderError::ModelNotFound {
            provider: self.id().to_owned(),
            model: request.model.clone(),
        })?;
        let ask = Ask {
            path: &path,
            query: Some("alt=sse"),
            body: Some(self.encode(request)),
            model: Some(&request.model),
            images: request.images().next().is_some(),
        };
        let answer = self.endpoint.open(ask, &cancel).await;
        let answer = answer.map_err(|error| no_tools(error, request))?;
        Ok(read(answer, answer::Reply::new(self.id(), request)))
    }

    fn defers_tools(&self, _model: &str) -> bool {
        false
    }

    fn encode(&self, request: &ChatRequest) -> Vec<u8> {
        encode::encode(request, self.id(), self.thinking)
    }
}

/// The path of a model's requests. `None` for a name that would lead elsewhere.
fn path(model: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./@".contains(c);
    let is_name = |part: &str| !part.is_empty() && part.chars().any(|c| c != '.');
    if !model.chars().all(is_plain) || !model.split('/').all(is_name) {
        return None;
    }
    let folder = if model.contains('/') { "" } else { "models/" };
    Some(format!("{folder}{model}:streamGenerateContent"))
}

/// A model without tool support is only detected by the refusal of its tools.
fn no_tools(error: ProviderError, request: &ChatRequest) -> ProviderError {
    match error {
        ProviderError::Failed { provider, detail, .. }
            if detail.to_lowercase().contains("function calling is not enabled") =>
        {
            ProviderError::NoTools { provider, model: request.model.clone() }
        }
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn each_model_has_its_own_path() {
        let found = |model| path(model).unwrap_or_default();
        assert_eq!(found("gemini-2.5-flash"), "models/gemini-2.5-flash:streamGenerateContent");
        assert_eq!(found("tunedModels/mine-1"), "tunedModels/mine-1:streamGenerateContent");
        for model in
            ["", "..", "../../x", "a/../b", "/etc", "a//b", "a?key=1", "a#b", "a%2e", "a b", "a:b", "é"]
        {
            assert_eq!(path(model), None, "{model}");
        }
    }
}
