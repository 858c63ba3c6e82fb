//! Splits a finished answer into text, calls and data to send back.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::item::{Item, Part};
use crate::ToolCall;
use crate::read::Fault;
use crate::wire_ids::free_id;

/// The items of an answer, split by kind.
#[derive(Default)]
pub(super) struct Closing {
    /// Ids of calls that a generated one must not repeat.
    taken: HashSet<String>,
    seen: HashSet<String>,
    pub(super) text: String,
    pub(super) calls: Vec<ToolCall>,
    pub(super) is_refusal: bool,
    /// The items to send back.
    pub(super) kept: Vec<Value>,
}

impl Closing {
    pub(super) fn new(taken: HashSet<String>) -> Self {
        Self { taken, ..Self::default() }
    }

    /// `is_cut`: the model was interrupted, so its last call may be incomplete.
    pub(super) fn add(&mut self, item: Item, is_cut: bool) -> Result<(), Fault> {
        match item.part {
            Part::Message { text, is_refusal } => {
                self.is_refusal |= is_refusal;
                let plain = || json!({ "type": "message", "role": "assistant", "content": text });
                self.kept.push(item.whole.unwrap_or_else(plain));
                self.text.push_str(&text);
            }
            // Without encrypted or plain content, it only refers to something that the server has not stored.
            Part::Reasoning => self.kept.extend(item.whole.filter(|whole| {
                whole["encrypted_content"].is_string()
                    || whole["content"].as_array().is_some_and(|content| !content.is_empty())
            })),
            Part::Call { id, name, arguments, .. } => {
                let is_half = match &item.whole {
                    None => serde_json::from_str::<Map<String, Value>>(&arguments).is_err(),
                    Some(whole) => whole["status"] == "incomplete",
                };
                let is_readable = serde_json::from_str::<Map<String, Value>>(&arguments).is_ok();
                match is_cut {
                    true if is_half || !is_readable => return Ok(()),
                    false if is_half => return Err(Fault::Truncated),
                    _ => {}
                }
                let id = if id.is_empty() { free_id(&mut self.taken) } else { id };
                if !self.seen.insert(id.clone()) {
                    return Ok(());
                }
                let mut kept = match item.whole {
                    Some(Value::Object(whole)) => whole,
                    _ => Map::from_iter([("type".to_owned(), json!("function_call"))]),
                };
                kept.remove("arguments");
                kept.insert("call_id".into(), json!(id));
                self.kept.push(Value::Object(kept));
                let arguments = if arguments.trim().is_empty() { "{}".to_owned() } else { arguments };
                self.calls.push(ToolCall { id, name, arguments });
            }
            Part::Other => self.kept.extend(item.whole),
        }
        Ok(())
    }
}
