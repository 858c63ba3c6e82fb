//! Encodes a request as the body of a Responses request.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{carried, reasons};
use crate::request::{is_blank, noticed};
use crate::wire_ids::WireIds;
use crate::{ChatRequest, Image, Message, ToolChoice, ToolDefinition, normalise_schema};

/// The minimum that the API accepts.
const LEAST_OUTPUT: u32 = 16;

/// The body. Parts that stay the same from step to step come first, and parts that may change follow the
/// conversation, so that the body of a longer one starts with the bytes of the shorter one.
///
/// Nothing is stored on the server, so reasoning is exchanged in encrypted form.
pub(super) fn encode(request: &ChatRequest, provider: &str, with_summary: bool) -> Vec<u8> {
    let mut body = Map::new();
    body.insert("model".into(), json!(request.model));
    body.insert("stream".into(), json!(true));
    body.insert("store".into(), json!(false));
    if reasons(&request.model) {
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    }
    if with_summary {
        body.insert("reasoning".into(), json!({ "summary": "auto" }));
    }
    if !is_blank(&request.system) {
        body.insert("instructions".into(), json!(request.system));
    }
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    body.insert("input".into(), input(request, provider));
    if !request.tools.is_empty() {
        let choice = match &request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!("none")),
            ToolChoice::Required(name) => Some(json!({ "type": "function", "name": name })),
        };
        body.extend(choice.map(|choice| ("tool_choice".into(), choice)));
    }
    if let Some(limit) = request.max_output {
        body.insert("max_output_tokens".into(), json!(limit.max(LEAST_OUTPUT)));
    }
    Value::Object(body).to_string().into_bytes()
}

/// Schemas are not strict, since strict ones must require every argument.
fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": normalise_schema(&tool.input_schema),
        "strict": false,
    })
}

/// A deferred tool is defined at the point where the conversation loads it, as the result of a tool search.
/// Searches follow all outputs, each of which follows its call.
fn input(request: &ChatRequest, provider: &str) -> Value {
    let mut out = Vec::new();
    let mut found = Vec::new();
    let mut ids = WireIds::default();
    let mut unloaded: HashMap<&str, &ToolDefinition> =
        request.deferred.iter().map(|tool| (tool.name.as_str(), tool)).collect();
    for message in &request.messages {
        if let Message::ToolOutput { call_id, content, loads } = message {
            let id = ids.of_output(call_id);
            out.push(json!({ "type": "function_call_output", "call_id": id, "output": content }));
            found.extend(search(loads, &mut unloaded, &mut ids));
            continue;
        }
        out.append(&mut found);
        match message {
            Message::User { content, images } => {
                let said = (images.is_empty() || !content.is_empty()).then(|| text(content));
                out.push(user(said.into_iter().chain(images.iter().map(image)).collect()));
            }
            Message::Notice { text: notice, mark, loads } => {
                out.push(user(vec![text(&noticed(mark, notice))]));
                let names = loads.as_ref().map_or(&[][..], |loads| &loads.tools);
                out.extend(search(names, &mut unloaded, &mut ids));
            }
            Message::Assistant { text, calls, provider_data } => {
                let calls = ids.of_calls(calls);
                let carried = provider_data
                    .as_ref()
                    .and_then(|data| carried::items(data, provider, &request.model, &calls));
                let plain =
                    || carried::text(text).into_iter().chain(calls.iter().map(carried::call)).collect();
                out.extend(carried.unwrap_or_else(plain));
            }
            Message::ToolOutput { .. } => {}
        }
    }
    out.append(&mut found);
    Value::Array(out)
}

fn user(content: Vec<Value>) -> Value {
    json!({ "type": "message", "role": "user", "content": content })
}

fn text(text: &str) -> Value {
    json!({ "type": "input_text", "text": text })
}

fn image(image: &Image) -> Value {
    let address = format!("data:{};base64,{}", image.media_type, image.data);
    json!({ "type": "input_image", "detail": "auto", "image_url": address })
}

/// A client-side tool search with the tools that it found; empty if all of them are known.
fn search(names: &[String], unloaded: &mut HashMap<&str, &ToolDefinition>, ids: &mut WireIds) -> Vec<Value> {
    let tools: Vec<Value> = names
        .iter()
        .filter_map(|name| unloaded.remove(name.as_str()))
        .map(|deferred| {
            let mut tool = tool(deferred);
            tool["defer_loading"] = json!(true);
            tool
        })
        .collect();
    if tools.is_empty() {
        return Vec::new();
    }
    let id = ids.of_its_own();
    let query: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let item = |kind: &str, key: &str, value: Value| json!({ "type": kind, "call_id": id, "execution": "client", "status": "completed", key: value });
    vec![
        item("tool_search_call", "arguments", json!({ "query": query.join(" ") })),
        item("tool_search_output", "tools", json!(tools)),
    ]
}
