//! Data that a server requires back with its own answer, stored in the conversation with the keys
//! `{"dialect", "provider", "model"}`.

use serde_json::Value;

/// Whether the data is from this model: others cannot use its reasoning and signatures.
pub(crate) fn is_of(data: &Value, dialect: &str, provider: &str, model: &str) -> bool {
    data["dialect"] == dialect && data["provider"] == provider && data["model"] == model
}
