//! `streamGenerateContent` in the format of Google's server: chunks of one candidate.

use serde_json::{Value, json};

use super::MODEL;
use super::shapes::{image_part, with_images};

/// The model, and whether the answer is streamed, from a request's path.
pub(super) fn model_of(path: &str) -> Option<(&str, bool)> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let (_, name) = path.split_once("/models/")?;
    Some((name.strip_suffix(":streamGenerateContent")?, query == "alt=sse"))
}

pub(super) fn text(text: &str) -> Value {
    chunk(json!({"text": text}), None)
}

pub(super) fn reasoning(text: &str) -> Value {
    chunk(json!({"text": text, "thought": true}), None)
}

/// Only the first call of an answer is signed.
pub(super) fn call(id: &str, name: &str, arguments: &str, is_first: bool) -> Value {
    let read = serde_json::from_str::<Value>(arguments);
    let args = read.unwrap_or_else(|_| Value::String(arguments.to_owned()));
    let mut part = json!({"functionCall": {"id": id, "name": name, "args": args}});
    if is_first {
        part["thoughtSignature"] = "c2lnbmVk".into();
    }
    chunk(part, None)
}

/// `finish` is a finish reason of chat completions; the usage has input tokens, cached ones among them, and
/// output tokens.
pub(super) fn end(finish: &str, (input, cached, output): (u64, u64, u64)) -> Value {
    let reason = match finish {
        "stop" | "tool_calls" => "STOP",
        "length" => "MAX_TOKENS",
        "content_filter" => "SAFETY",
        other => other,
    };
    let mut last = chunk(json!({"text": ""}), Some(reason));
    last["usageMetadata"] = json!({
        "promptTokenCount": input, "cachedContentTokenCount": cached, "candidatesTokenCount": output,
        "totalTokenCount": input + output,
    });
    last
}

pub(super) fn error(message: &str) -> Value {
    json!({"error": {"code": 500, "message": message, "status": "INTERNAL"}})
}

fn chunk(part: Value, finish: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"parts": [part], "role": "model"}, "index": 0});
    if let Some(finish) = finish {
        candidate["finishReason"] = finish.into();
    }
    json!({"candidates": [candidate], "modelVersion": MODEL, "responseId": "r1"})
}

/// Converts the request to a chat completion. Calls without an id get one by their position, and outputs are
/// matched to the calls before them by order and name.
pub(super) fn as_completion(body: Value, path: &str) -> Value {
    let Value::Object(mut body) = body else { return body };
    let mut messages = Vec::new();
    if let Some(system) = body.remove("systemInstruction") {
        messages.push(json!({"role": "system", "content": texts(&system["parts"])}));
    }
    let mut open: Vec<(String, Value)> = Vec::new();
    for (place, content) in body.get("contents").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let parts = content["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
        let of = |key: &str| parts.iter().filter_map(|part| part.get(key)).collect::<Vec<&Value>>();
        let text = texts(&content["parts"]);
        if content["role"] == "model" {
            let calls = of("functionCall").into_iter().enumerate().map(|(at, call)| {
                let id = call["id"].as_str().map_or_else(|| format!("place_{place}_{at}"), str::to_owned);
                (id, call)
            });
            let calls: Vec<(String, &Value)> = calls.collect();
            open = calls.iter().map(|(id, call)| (id.clone(), call["name"].clone())).collect();
            let calls: Vec<Value> = calls
                .into_iter()
                .map(|(id, call)| {
                    let function = json!({"name": call["name"], "arguments": call["args"].to_string()});
                    json!({"id": id, "type": "function", "function": function})
                })
                .collect();
            messages.push(match calls.is_empty() {
                true => json!({"role": "assistant", "content": text}),
                false => json!({"role": "assistant", "content": text, "tool_calls": calls}),
            });
            continue;
        }
        for (at, output) in of("functionResponse").into_iter().enumerate() {
            let call = open.get(at).filter(|(id, name)| {
                output["name"] == *name && output.get("id").is_none_or(|given| given == id.as_str())
            });
            let id = call.map_or("no such call", |(id, _)| id.as_str());
            let content = &output["response"]["output"];
            messages.push(json!({"role": "tool", "tool_call_id": id, "content": content}));
        }
        let images = of("inlineData").into_iter().map(|image| {
            let text = |key: &str| image[key].as_str().unwrap_or_default();
            image_part(text("mimeType"), text("data"))
        });
        messages.extend(with_images("user".into(), &text, images.collect()));
    }
    body.remove("contents");
    body.insert("messages".into(), messages.into());
    let declared = body.remove("tools").unwrap_or_default();
    let declared = declared[0]["functionDeclarations"].as_array().cloned().unwrap_or_default();
    let tools = declared.into_iter().map(|tool| {
        json!({"type": "function", "function": {
            "name": tool["name"], "description": tool["description"], "parameters": tool["parametersJsonSchema"],
        }})
    });
    let tools: Vec<Value> = tools.collect();
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    let (model, is_stream) = model_of(path).unwrap_or_default();
    body.insert("model".into(), model.into());
    body.insert("stream".into(), is_stream.into());
    body.into()
}

/// The texts, excluding thoughts.
fn texts(parts: &Value) -> String {
    let parts = parts.as_array().into_iter().flatten().filter(|part| part["thought"] != true);
    parts.filter_map(|part| part["text"].as_str()).collect()
}
