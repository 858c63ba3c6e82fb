//! Data that a server requires back with its own answer: reasoning and signatures.
//!
//! Stored as `{"dialect": "openai", "provider", "model", "message": {..}, "calls": {id: {..}}}` and only sent
//! back to the same model of the same provider, because others cannot verify a signature.

use serde_json::{Map, Value, json};

use crate::carried::is_of;

const DIALECT: &str = "openai";

/// Collects the data while an answer arrives.
#[derive(Default)]
pub(super) struct Carried {
    /// DeepSeek refuses outputs of calls without the reasoning before them.
    pub(super) reasoning_content: String,
    /// OpenRouter's blocks, with signatures.
    reasoning_details: Vec<Value>,
    /// By call id: Gemini's thought signature, in `extra_content`.
    pub(super) extra_content: Map<String, Value>,
}

impl Carried {
    /// Adds pieces of OpenRouter's blocks; pieces of one block are joined.
    pub(super) fn add_details(&mut self, pieces: &[Value]) {
        for piece in pieces {
            let same =
                |key: &str| self.reasoning_details.last().is_some_and(|last| last.get(key) == piece.get(key));
            let goes_on = same("type") && same("index") && piece.get("data").is_none();
            match (self.reasoning_details.last_mut(), piece) {
                (Some(Value::Object(last)), Value::Object(piece)) if goes_on => {
                    for (key, value) in piece {
                        match (last.get_mut(key), value) {
                            (Some(Value::String(text)), Value::String(more))
                                if matches!(key.as_str(), "text" | "summary") =>
                            {
                                text.push_str(more);
                            }
                            (Some(_), Value::Null) => {}
                            _ => _ = last.insert(key.clone(), value.clone()),
                        }
                    }
                }
                _ => self.reasoning_details.push(piece.clone()),
            }
        }
    }

    pub(super) fn into_value(self, provider: &str, model: &str) -> Option<Value> {
        let mut message = Map::new();
        if !self.reasoning_content.is_empty() {
            message.insert("reasoning_content".into(), json!(self.reasoning_content));
        }
        if !self.reasoning_details.is_empty() {
            message.insert("reasoning_details".into(), json!(self.reasoning_details));
        }
        (!message.is_empty() || !self.extra_content.is_empty()).then(|| {
            json!({
                "dialect": DIALECT, "provider": provider, "model": model,
                "message": message, "calls": self.extra_content,
            })
        })
    }
}

/// Adds the data to an assistant's message on the wire. Only if it has calls: after a final answer the
/// reasoning is no longer needed, but would be charged again.
pub(super) fn add_to(message: &mut Map<String, Value>, data: &Value, provider: &str, model: &str) {
    let ours = is_of(data, DIALECT, provider, model);
    let Some(Value::Array(calls)) = message.get_mut("tool_calls").filter(|_| ours) else {
        return;
    };
    for call in calls {
        let extra = call["id"].as_str().and_then(|id| data["calls"].get(id)).cloned();
        if let (Value::Object(call), Some(extra)) = (call, extra) {
            call.insert("extra_content".into(), extra);
        }
    }
    if let Value::Object(fields) = &data["message"] {
        message.extend(fields.clone());
    }
}
