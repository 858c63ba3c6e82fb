//! Determines which models a local server forwards to another machine, whatever the dialect.
//!
//! Only Ollama is known to do that. It reports it in its own model list at the server's root, which is also
//! available if OpenAI's or Anthropic's dialect is used.
//!
//! Source: Ollama's API documentation, "List local models" and "Show model information".

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::http::{Ask, Endpoint};
use crate::settings::Locality;
use crate::{ModelInfo, ModelLookup, ProviderError, is_same_model};

/// Ollama's information on the model.
///
/// # Errors
/// If no response identifies the server: an unknown one may forward requests.
pub(crate) async fn model(
    endpoint: &Endpoint,
    id: &str,
    cancel: &CancellationToken,
) -> Result<ModelLookup, ProviderError> {
    if endpoint.locality() != Locality::Local {
        return Ok(ModelLookup::NotForwarding);
    }
    let Some(listed) = list_of_ollama(endpoint, cancel).await? else { return Ok(ModelLookup::NotForwarding) };
    if let Some(listed) = listed.into_iter().find(|model| is_same_model(&model.id, id)) {
        return Ok(ModelLookup::Found(listed));
    }
    // It also knows a model by longer names, and may know remote models that it does not list.
    let body = Some(json!({ "model": id }).to_string().into_bytes());
    let ask = Ask { path: "/api/show", query: None, body, model: Some(id), images: false };
    match endpoint.document(ask, cancel).await {
        Ok(said) if said["remote_host"].as_str().is_none_or(str::is_empty) && !is_cloud(id) => {
            let id = id.to_owned();
            Ok(ModelLookup::Found(ModelInfo { id, context: None, tools: None, images: None, runs_at: None }))
        }
        Ok(_) => Ok(ModelLookup::Missing),
        Err(error) if is_not_found(&error) => Ok(ModelLookup::Missing),
        Err(error) => Err(error),
    }
}

/// Adds to a list from another dialect where its models run. A server that does not answer is ignored.
pub(crate) async fn mark(endpoint: &Endpoint, models: &mut [ModelInfo]) {
    if endpoint.locality() != Locality::Local {
        return;
    }
    let Ok(Some(listed)) = list_of_ollama(endpoint, &CancellationToken::new()).await else { return };
    for model in models {
        let known = listed.iter().find(|known| is_same_model(&known.id, &model.id));
        model.runs_at = known.and_then(|known| known.runs_at.clone());
    }
}

/// The models of an Ollama server, without their capabilities.
pub(crate) async fn tags(
    endpoint: &Endpoint,
    path: &str,
    cancel: &CancellationToken,
) -> Result<Vec<ModelInfo>, ProviderError> {
    let ask = Ask { path, query: None, body: None, model: None, images: false };
    let tags = endpoint.document(ask, cancel).await?;
    let Some(models) = tags.get("models").and_then(Value::as_array) else {
        return Err(ProviderError::BadResponse {
            provider: endpoint.id().to_owned(),
            reason: "its list of models is not Ollama's".into(),
        });
    };
    let text = |model: &Value, key: &str| model.get(key).and_then(Value::as_str).map(str::to_owned);
    let listed = models.iter().filter_map(|model| {
        Some(ModelInfo {
            id: text(model, "name").or_else(|| text(model, "model"))?,
            context: None,
            tools: None,
            images: None,
            runs_at: text(model, "remote_host").filter(|host| !host.is_empty()),
        })
    });
    Ok(listed.collect())
}

/// `None` if it is another kind of server.
async fn list_of_ollama(
    endpoint: &Endpoint,
    cancel: &CancellationToken,
) -> Result<Option<Vec<ModelInfo>>, ProviderError> {
    match tags(endpoint, "/api/tags", cancel).await {
        Ok(listed) => Ok(Some(listed)),
        Err(error) if is_not_found(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the server responded that there is no such resource. An Ollama server that cannot read its models
/// fails with 500.
fn is_not_found(error: &ProviderError) -> bool {
    match error {
        ProviderError::Failed { status, .. } => status.is_none_or(|status| status < 500 || status == 501),
        ProviderError::BadResponse { .. }
        | ProviderError::ModelNotFound { .. }
        | ProviderError::RefusedKey { .. } => true,
        _ => false,
    }
}

/// Whether it is a model of Ollama's cloud, by its name: `kimi-k2:1t-cloud`, `glm-5:cloud`.
fn is_cloud(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("-cloud") || name.ends_with(":cloud")
}
