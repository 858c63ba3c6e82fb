//! The form of answers, as the list of tools declares it.

use std::sync::{Arc, LazyLock};

use rmcp::model::JsonObject;
use serde_json::json;

/// What every answer is, a failed one included. Tools do not say what their `value` is.
pub(crate) fn schema() -> Arc<JsonObject> {
    static SCHEMA: LazyLock<Arc<JsonObject>> = LazyLock::new(|| {
        let named =
            |key: &str| json!({"type": "object", "properties": {key: {"type": "string"}}, "required": [key]});
        let schema = json!({
            "type": "object",
            "properties": {
                "value": {},
                "sources": {"type": "array", "items": named("kind")},
                "figures": {"type": "array", "items": named("at")},
                "changes": {"type": "array", "items": named("path")},
                "change_set": {"type": "string"},
                "error": named("code"),
            },
            "anyOf": [{"required": ["value", "sources"]}, {"required": ["error"]}],
        });
        Arc::new(schema.as_object().cloned().unwrap_or_default())
    });
    SCHEMA.clone()
}
