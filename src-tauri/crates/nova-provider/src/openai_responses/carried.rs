//! Data that is sent back to the server with its own answer: encrypted reasoning, and the phase of its texts,
//! in the order of the answer.
//!
//! Stored as `{"dialect": "openai_responses", "provider", "model", "items": [item…]}`, calls without their
//! arguments, and only sent back to the same model of the same provider: no other can read it.

use serde_json::{Map, Value, json};

use crate::carried::is_of;
use crate::request::is_blank;
use crate::wire_ids::{NamedCall, arguments_object};

const DIALECT: &str = "openai_responses";

/// The items to send back, if they contain more than texts and calls.
pub(super) fn keep(provider: &str, model: &str, items: Vec<Value>) -> Option<Value> {
    let is_plain = |item: &Value| match item["type"].as_str() {
        Some("message") => item["phase"].is_null(),
        Some("function_call") => item["namespace"].is_null(),
        _ => false,
    };
    (!items.iter().all(is_plain))
        .then(|| json!({ "dialect": DIALECT, "provider": provider, "model": model, "items": items }))
}

/// The items of an answer of this model, in their original order, with exactly these calls: the server
/// requires an output for each.
pub(super) fn items(
    data: &Value,
    provider: &str,
    model: &str,
    calls: &[NamedCall<'_>],
) -> Option<Vec<Value>> {
    let ours = is_of(data, DIALECT, provider, model);
    let kept = data["items"].as_array().filter(|_| ours)?;
    let mut left: Vec<&NamedCall<'_>> = calls.iter().collect();
    let mut items = Vec::new();
    for item in kept {
        if item["type"] != "function_call" {
            items.push(item.clone());
            continue;
        }
        let made = |call: &&NamedCall<'_>| item["call_id"] == call.call.id.as_str();
        if let (Some(at), Value::Object(item)) = (left.iter().position(made), item) {
            items.push(call_with(item.clone(), left.remove(at)));
        }
    }
    items.extend(left.into_iter().map(call));
    // Reasoning without a subsequent item is refused.
    while items.last().is_some_and(|item| item["type"] == "reasoning") {
        items.pop();
    }
    Some(items)
}

/// A call as an item of the API.
pub(super) fn call(call: &NamedCall<'_>) -> Value {
    call_with(Map::from_iter([("type".to_owned(), json!("function_call"))]), call)
}

fn call_with(mut item: Map<String, Value>, NamedCall { call, id }: &NamedCall<'_>) -> Value {
    item.insert("call_id".into(), json!(id));
    item.insert("name".into(), json!(call.name));
    let is_object = serde_json::from_str::<Map<String, Value>>(&call.arguments).is_ok();
    let arguments =
        if is_object { call.arguments.clone() } else { Value::Object(arguments_object(call)).to_string() };
    item.insert("arguments".into(), json!(arguments));
    Value::Object(item)
}

/// The text of an answer whose items are unknown.
pub(super) fn text(text: &str) -> Option<Value> {
    (!is_blank(text)).then(|| json!({ "type": "message", "role": "assistant", "content": text }))
}
