//! What a server wants to see again with its own answer: a note in the conversation, which begins with
//! `{"dialect", "provider", "model"}`.

use serde_json::Value;

/// Whether the note is of this model: another can read no reasoning and no signature of it.
pub(crate) fn is_of(data: &Value, dialect: &str, provider: &str, model: &str) -> bool {
    data["dialect"] == dialect && data["provider"] == provider && data["model"] == model
}
