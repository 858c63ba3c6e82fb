//! The Responses API in the format of OpenAI's server: items that start, grow and are repeated when complete.

use serde_json::{Value, json};

use super::MODEL;
use super::shapes::{image_part, pieces, with_images};

/// The items of one answer.
#[derive(Default)]
pub(super) struct Items {
    whole: Vec<Value>,
    /// The growing item: its kind and its text so far.
    open: Option<(&'static str, String)>,
}

impl Items {
    pub(super) fn begin(&self) -> Vec<Value> {
        let response = response("in_progress", &[], Value::Null);
        vec![
            json!({"type": "response.created", "response": response}),
            json!({"type": "response.in_progress", "response": response}),
        ]
    }

    pub(super) fn text(&mut self, text: &str) -> Vec<Value> {
        let (index, id) = (self.index("message"), self.id("message"));
        let mut events = self.open("message", || {
            let item = json!({"type": "message", "id": id, "status": "in_progress", "role": "assistant", "content": []});
            let part = json!({"type": "output_text", "text": "", "annotations": []});
            vec![
                json!({"type": "response.output_item.added", "output_index": index, "item": item}),
                json!({"type": "response.content_part.added", "item_id": id, "output_index": index, "content_index": 0, "part": part}),
            ]
        });
        events.push(json!({
            "type": "response.output_text.delta", "item_id": id, "output_index": index, "content_index": 0, "delta": text,
        }));
        self.grow(text);
        events
    }

    pub(super) fn reasoning(&mut self, text: &str) -> Vec<Value> {
        let (index, id) = (self.index("reasoning"), self.id("reasoning"));
        let mut events = self.open("reasoning", || {
            let item = json!({"type": "reasoning", "id": id, "summary": []});
            let part = json!({"type": "summary_text", "text": ""});
            vec![
                json!({"type": "response.output_item.added", "output_index": index, "item": item}),
                json!({"type": "response.reasoning_summary_part.added", "item_id": id, "output_index": index, "summary_index": 0, "part": part}),
            ]
        });
        events.push(json!({
            "type": "response.reasoning_summary_text.delta", "item_id": id, "output_index": index, "summary_index": 0, "delta": text,
        }));
        self.grow(text);
        events
    }

    pub(super) fn call(&mut self, call_id: &str, name: &str, arguments: &str) -> Vec<Value> {
        let mut events = self.close();
        let (index, id) = (self.whole.len(), format!("fc_{}", self.whole.len()));
        let item = |arguments: &str, status: &str| {
            json!({
                "type": "function_call", "id": id, "call_id": call_id, "name": name, "arguments": arguments,
                "status": status,
            })
        };
        let added = item("", "in_progress");
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": added}));
        for piece in pieces(arguments) {
            events.push(json!({
                "type": "response.function_call_arguments.delta", "item_id": id, "output_index": index, "delta": piece,
            }));
        }
        events.push(json!({
            "type": "response.function_call_arguments.done", "item_id": id, "output_index": index, "arguments": arguments,
        }));
        let whole = item(arguments, "completed");
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": whole}));
        self.whole.push(whole);
        events
    }

    /// `finish` is a finish reason of chat completions.
    pub(super) fn end(&mut self, finish: &str, (input, cached, output): (u64, u64, u64)) -> Vec<Value> {
        let mut events = self.close();
        let (status, reason) = match finish {
            "stop" | "tool_calls" => ("completed", None),
            "length" => ("incomplete", Some("max_output_tokens")),
            other => ("incomplete", Some(other)),
        };
        let usage = json!({
            "input_tokens": input, "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": output, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input + output,
        });
        let mut response = response(status, &self.whole, usage);
        response["incomplete_details"] = reason.map_or(Value::Null, |reason| json!({"reason": reason}));
        events.push(json!({"type": format!("response.{status}"), "response": response}));
        events
    }

    fn index(&self, kind: &str) -> usize {
        let is_next = self.open.as_ref().is_some_and(|(open, _)| *open != kind);
        self.whole.len() + usize::from(is_next)
    }

    fn id(&self, kind: &str) -> String {
        format!("{}_{}", if kind == "message" { "msg" } else { "rs" }, self.index(kind))
    }

    fn open(&mut self, kind: &'static str, begin: impl FnOnce() -> Vec<Value>) -> Vec<Value> {
        if self.open.as_ref().is_some_and(|(open, _)| *open == kind) {
            return Vec::new();
        }
        let mut events = self.close();
        events.extend(begin());
        self.open = Some((kind, String::new()));
        events
    }

    fn grow(&mut self, text: &str) {
        if let Some((_, so_far)) = &mut self.open {
            so_far.push_str(text);
        }
    }

    fn close(&mut self) -> Vec<Value> {
        let Some((kind, text)) = self.open.take() else { return Vec::new() };
        let index = self.whole.len();
        let whole = match kind {
            "message" => json!({
                "type": "message", "id": format!("msg_{index}"), "status": "completed", "role": "assistant",
                "content": [{"type": "output_text", "text": text, "annotations": []}],
            }),
            _ => json!({
                "type": "reasoning", "id": format!("rs_{index}"), "encrypted_content": "c2VhbGVk",
                "summary": [{"type": "summary_text", "text": text}],
            }),
        };
        self.whole.push(whole.clone());
        vec![json!({"type": "response.output_item.done", "output_index": index, "item": whole})]
    }
}

pub(super) fn error(message: &str) -> Value {
    json!({"type": "error", "code": "server_error", "message": message, "param": null})
}

fn response(status: &str, output: &[Value], usage: Value) -> Value {
    json!({
        "id": "resp_1", "object": "response", "created_at": 1, "status": status, "error": null,
        "incomplete_details": null, "model": MODEL, "output": output, "usage": usage,
    })
}

/// Converts the request to a chat completion: a client-side tool search becomes the output of a call, and its
/// tools become deferred ones.
pub(super) fn as_completion(body: Value) -> Value {
    let Value::Object(mut body) = body else { return body };
    let mut messages = Vec::new();
    if let Some(system) = body.remove("instructions") {
        messages.push(json!({"role": "system", "content": system}));
    }
    let mut tools: Vec<Value> = Vec::new();
    for tool in body.get("tools").and_then(Value::as_array).into_iter().flatten() {
        tools.push(as_tool(tool));
    }
    for item in body.get("input").and_then(Value::as_array).into_iter().flatten() {
        match item["type"].as_str() {
            Some("message") => messages.extend(as_message(item)),
            Some("function_call") => {
                let function = json!({"name": item["name"], "arguments": item["arguments"]});
                add_call(
                    &mut messages,
                    json!({"id": item["call_id"], "type": "function", "function": function}),
                );
            }
            Some("function_call_output") => {
                messages.push(
                    json!({"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]}),
                );
            }
            Some("tool_search_call") => {
                let function = json!({"name": "tool_search", "arguments": item["arguments"].to_string()});
                let call = json!({"id": item["call_id"], "type": "function", "function": function});
                messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
            }
            Some("tool_search_output") => {
                let found = item["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
                let names: Vec<&Value> = found.iter().map(|tool| &tool["name"]).collect();
                messages.push(
                    json!({"role": "tool", "tool_call_id": item["call_id"], "content": "", "loads": names}),
                );
                tools.extend(found.iter().map(as_tool));
            }
            // Reasoning is skipped.
            _ => {}
        }
    }
    body.remove("input");
    body.insert("messages".into(), messages.into());
    body.remove("tools");
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    body.into()
}

fn as_tool(tool: &Value) -> Value {
    let mut out = json!({"type": tool["type"], "function": {
        "name": tool["name"], "description": tool["description"], "parameters": tool["parameters"],
    }});
    if tool["defer_loading"] == true {
        out["defer_loading"] = true.into();
    }
    out
}

/// Merges calls of one answer into one message, with the text before them.
fn add_call(messages: &mut Vec<Value>, call: Value) {
    match messages.last_mut() {
        Some(last) if last["role"] == "assistant" => match last["tool_calls"].as_array_mut() {
            Some(calls) => calls.push(call),
            None => last["tool_calls"] = json!([call]),
        },
        _ => messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]})),
    }
}

fn as_message(item: &Value) -> Option<Value> {
    let parts = match &item["content"] {
        Value::Array(parts) => parts.as_slice(),
        text => return Some(json!({"role": item["role"], "content": text})),
    };
    let text: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    let images = parts.iter().filter_map(|part| {
        let (head, data) = part["image_url"].as_str()?.split_once(";base64,")?;
        Some(image_part(head.strip_prefix("data:")?, data))
    });
    with_images(item["role"].clone(), &text, images.collect())
}
