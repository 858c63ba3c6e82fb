//! The output schema of all tools.

use std::sync::{Arc, LazyLock};

use rmcp::model::JsonObject;
use serde_json::json;

/// The schema of every result, including errors. `value` is unconstrained: tools do not declare its schema.
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
