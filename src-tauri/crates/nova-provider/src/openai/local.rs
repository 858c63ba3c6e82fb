//! Information that local model servers provide beyond OpenAI's model list.
//!
//! Sources: LM Studio's REST API v0, "GET /api/v0/models"; the manual of llama.cpp's server, "GET /props".
//! For Ollama see [`forwarding`].

use serde_json::Value;

use crate::ModelInfo;
use crate::forwarding;
use crate::http::Endpoint;

/// Adds information from the server's own API. A missing or unexpected response is ignored.
///
/// Servers that identify themselves by `owned_by` are queried by their own API only, since others would log
/// an error. An unidentified server may be an Ollama, whose models may be remote.
pub(super) async fn ask_more(endpoint: &Endpoint, listed: &[Value], models: &mut Vec<ModelInfo>) {
    let owner = |name: &str| listed.iter().any(|model| model["owned_by"] == name);
    // The base address ends with /v1.
    if owner("organization_owner") {
        if let Ok(said) = endpoint.listing("../api/v0/models", None).await {
            add_lm_studio(models, &said);
        }
    } else if owner("llamacpp") {
        if let Ok(said) = endpoint.listing("../props", None).await {
            add_llama_cpp(models, &said);
        }
    } else {
        forwarding::mark(endpoint, models).await;
    }
}

/// LM Studio lists embedding models along with chat models.
fn add_lm_studio(models: &mut Vec<ModelInfo>, said: &Value) {
    let all = said["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let of = |id: &str| all.iter().find(|model| model["id"] == id);
    models.retain(|model| of(&model.id).is_none_or(|said| said["type"] != "embeddings"));
    for model in models {
        if let Some(said) = of(&model.id) {
            // The loaded context size is the effective one.
            let loaded = said["loaded_context_length"].as_u64();
            model.context = loaded.or_else(|| said["max_context_length"].as_u64()).or(model.context);
            model.images = match said["type"].as_str() {
                Some("vlm") => Some(true),
                Some("llm") => Some(false),
                _ => model.images,
            };
        }
    }
}

/// llama.cpp serves a single model.
fn add_llama_cpp(models: &mut [ModelInfo], said: &Value) {
    if let [model] = models {
        model.context = said["default_generation_settings"]["n_ctx"].as_u64().or(model.context);
        model.tools = said["chat_template_caps"]["supports_tools"].as_bool().or(model.tools);
        model.images = said["modalities"]["vision"].as_bool().or(model.images);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn model(id: &str, context: Option<u64>, tools: Option<bool>) -> ModelInfo {
        ModelInfo { id: id.into(), context, tools, images: None, runs_at: None }
    }

    #[test]
    fn lm_studio_models_have_kind_and_context() {
        let mut models = vec![model("a", None, None), model("b", None, None), model("embed", None, None)];
        let said = json!({"data": [
            {"id": "a", "type": "llm", "max_context_length": 131_072, "loaded_context_length": 4_096},
            {"id": "b", "type": "vlm", "max_context_length": 32_768},
            {"id": "embed", "type": "embeddings", "max_context_length": 2_048},
        ]});
        add_lm_studio(&mut models, &said);
        let talks =
            |id, context, images| ModelInfo { images: Some(images), ..model(id, Some(context), None) };
        assert_eq!(models, [talks("a", 4_096, false), talks("b", 32_768, true)]);
        add_lm_studio(&mut models, &json!({"error": "no such path"}));
        assert_eq!(models.len(), 2);
    }

    #[test]
    fn llama_cpp_model_has_capabilities() {
        let mut models = vec![model("a", None, None)];
        add_llama_cpp(&mut models, &json!({}));
        assert_eq!(models, [model("a", None, None)]);
        let said = json!({
            "default_generation_settings": {"n_ctx": 8_192},
            "chat_template_caps": {"supports_tools": false},
            "modalities": {"vision": true, "audio": false},
        });
        add_llama_cpp(&mut models, &said);
        assert_eq!(models, [ModelInfo { images: Some(true), ..model("a", Some(8_192), Some(false)) }]);
    }
}
