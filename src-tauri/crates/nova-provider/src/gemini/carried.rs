//! Data that is sent back to the server with its own answer: its parts with their thought signatures, and the
//! ids that it gave to calls.
//!
//! Stored as `{"dialect": "gemini", "provider", "model", "parts": [part…]}` and only sent back to the same
//! model of the same provider. A call is stored without its arguments, with its id in the conversation as
//! `call`.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::names::wire_name;
use crate::ToolCall;
use crate::carried::is_of;
use crate::request::is_blank;
use crate::wire_ids::arguments_object;

const DIALECT: &str = "gemini";

/// Replaces the signature of a call by another model.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// The parts to send back, if there are others than text and calls.
pub(super) fn keep(provider: &str, model: &str, parts: Vec<Value>) -> Option<Value> {
    let is_plain = |part: &Value| {
        part["thoughtSignature"].is_null()
            && (part["text"].is_string() || !part["call"].is_null() && part["functionCall"]["id"].is_null())
    };
    (!parts.iter().all(is_plain))
        .then(|| json!({ "dialect": DIALECT, "provider": provider, "model": model, "parts": parts }))
}

/// Converts an assistant's message to the parts of a content, with the server's ids of its calls.
pub(super) fn parts(
    text: &str,
    calls: &[ToolCall],
    data: Option<&Value>,
    provider: &str,
    model: &str,
) -> (Vec<Value>, HashMap<String, Value>) {
    let ours = |data: &&Value| is_of(data, DIALECT, provider, model);
    let Some(kept) = data.filter(ours).and_then(|data| data["parts"].as_array()) else {
        return (plain(text, calls, model), HashMap::new());
    };
    let mut left: Vec<&ToolCall> = calls.iter().collect();
    let (mut parts, mut ids) = (Vec::new(), HashMap::new());
    for part in kept {
        let Some(id) = part["call"].as_str() else {
            parts.push(part.clone());
            continue;
        };
        let Some(at) = left.iter().position(|call| call.id == id) else { continue };
        let call = left.remove(at);
        let mut part = part.clone();
        if let Value::Object(fields) = &mut part {
            fields.remove("call");
        }
        part["functionCall"]["args"] = Value::Object(arguments_object(call));
        if let Some(given) = part["functionCall"].get("id") {
            ids.insert(call.id.clone(), given.clone());
        }
        parts.push(part);
    }
    parts.extend(left.into_iter().map(call));
    (parts, ids)
}

fn plain(text: &str, calls: &[ToolCall], model: &str) -> Vec<Value> {
    let said = (!is_blank(text)).then(|| json!({ "text": text }));
    let mut calls: Vec<Value> = calls.iter().map(call).collect();
    if let Some(first) = calls.first_mut()
        && wants_signatures(model)
    {
        first["thoughtSignature"] = json!(UNSIGNED);
    }
    said.into_iter().chain(calls).collect()
}

fn call(call: &ToolCall) -> Value {
    let mut function = Map::new();
    function.insert("name".into(), json!(wire_name(&call.name)));
    function.insert("args".into(), Value::Object(arguments_object(call)));
    json!({ "functionCall": function })
}

/// Models from Gemini 3 on refuse a step whose first call is unsigned.
fn wants_signatures(model: &str) -> bool {
    const WITHOUT: [&str; 4] = ["gemini-1", "gemini-2", "gemma", "learnlm"];
    !WITHOUT.iter().any(|old| model.starts_with(old))
}
