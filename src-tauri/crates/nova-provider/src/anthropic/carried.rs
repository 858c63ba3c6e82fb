//! Data that the server requires back with its own answer: thinking with its signature, in its position
//! between texts and calls.
//!
//! Stored as `{"dialect": "anthropic", "provider", "model", "content": [block…]}` and only sent back to the
//! same model of the same provider: others cannot verify a signature.

use serde_json::{Value, json};

use crate::carried::is_of;
use crate::request::is_blank;
use crate::wire_ids::{NamedCall, arguments_object, wire_id};

const DIALECT: &str = "anthropic";

/// The blocks to send back, if there are others than texts and calls.
pub(super) fn keep(provider: &str, model: &str, blocks: Vec<Value>) -> Option<Value> {
    let plain = |block: &Value| matches!(block["type"].as_str(), Some("text" | "tool_use"));
    (!blocks.iter().all(plain))
        .then(|| json!({ "dialect": DIALECT, "provider": provider, "model": model, "content": blocks }))
}

/// The blocks of an answer of this model, in their original order, with exactly these calls: the server
/// requires an output for each.
pub(super) fn blocks(
    data: &Value,
    provider: &str,
    model: &str,
    calls: &[NamedCall<'_>],
) -> Option<Vec<Value>> {
    let ours = is_of(data, DIALECT, provider, model);
    let content = data["content"].as_array().filter(|_| ours)?;
    let mut left: Vec<&NamedCall<'_>> = calls.iter().collect();
    let mut blocks = Vec::new();
    for block in content {
        match block["type"].as_str() {
            Some("text") if block["text"].as_str().is_none_or(is_blank) => {}
            Some("tool_use") => {
                let made = |call: &&NamedCall<'_>| block["id"] == wire_id(&call.call.id);
                if let Some(at) = left.iter().position(made) {
                    blocks.push(call(left.remove(at)));
                }
            }
            _ => blocks.push(block.clone()),
        }
    }
    blocks.extend(left.into_iter().map(call));
    Some(blocks)
}

/// A call as a block of the API.
pub(super) fn call(NamedCall { call, id }: &NamedCall<'_>) -> Value {
    json!({ "type": "tool_use", "id": id, "name": call.name, "input": arguments_object(call) })
}
