//! A request as the body of Messages.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::carried::{self, call};
use crate::request::{is_blank, noticed};
use crate::settings::Thinking;
use crate::wire_ids::{NamedCall, WireIds};
use crate::{ChatRequest, Image, Message, ToolChoice, ToolDefinition, normalise_schema};

/// The API wants a limit. Every model of the last years can write as much.
const MAX_OUTPUT: u32 = 8_192;

/// The body. What stays the same from step to step comes first and what may change after the
/// messages, so that a longer conversation starts with the bytes of the shorter one.
///
/// A breakpoint of the cache follows the system prompt, which covers the tools before it. That
/// for the messages moves with every request; `own` says that the server is Anthropic's, which sets it
/// by itself when asked to on the top level: there it changes no byte of what was sent before.
pub(super) fn encode(
    request: &ChatRequest,
    provider: &str,
    thinking: Option<Thinking>,
    own: bool,
) -> Vec<u8> {
    let mut body = Map::new();
    body.insert("model".into(), json!(request.model));
    body.insert("stream".into(), json!(true));
    if !request.tools.is_empty() {
        let deferred = request.deferred.iter().map(|deferred| {
            let mut tool = tool(deferred);
            tool["defer_loading"] = json!(true);
            tool
        });
        body.insert("tools".into(), request.tools.iter().map(tool).chain(deferred).collect());
    }
    let cached = || json!({ "type": "ephemeral" });
    if !is_blank(&request.system) {
        let system = json!([{ "type": "text", "text": request.system, "cache_control": cached() }]);
        body.insert("system".into(), system);
    }
    body.insert("messages".into(), messages(request, provider));
    let mut limit = request.max_output.unwrap_or(MAX_OUTPUT);
    match thinking {
        None => {}
        Some(Thinking::Adaptive) => _ = body.insert("thinking".into(), json!({ "type": "adaptive" })),
        Some(Thinking::Budget(tokens)) => {
            // What is thought counts towards the limit, which must be the larger one.
            limit = limit.saturating_add(tokens);
            body.insert("thinking".into(), json!({ "type": "enabled", "budget_tokens": tokens }));
        }
    }
    body.insert("max_tokens".into(), json!(limit));
    if !request.tools.is_empty() {
        let choice = match &request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!({ "type": "none" })),
            // A model that thinks first cannot be made to call a tool: the request would be refused.
            ToolChoice::Required(_) if thinking.is_some() => None,
            ToolChoice::Required(name) => Some(json!({ "type": "tool", "name": name })),
        };
        body.extend(choice.map(|choice| ("tool_choice".into(), choice)));
    }
    if own {
        body.insert("cache_control".into(), cached());
    }
    Value::Object(body).to_string().into_bytes()
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "input_schema": normalise_schema(&tool.input_schema),
    })
}

/// All outputs of one answer's calls must stand in one message. Anything else may follow it in further
/// messages of the same side.
///
/// A deferred tool is known from the output on that refers to it. Such an output holds references and
/// nothing else, so what it says follows behind all outputs. Where the user activated a skill, a call that
/// loads it stands for that, because nothing but an output may refer to a tool.
fn messages(request: &ChatRequest, provider: &str) -> Value {
    let mut out = Vec::new();
    let (mut outputs, mut said) = (Vec::new(), Vec::new());
    let mut ids = WireIds::default();
    let mut unloaded: HashSet<&str> = request.deferred.iter().map(|tool| tool.name.as_str()).collect();
    let mut references = |names: &[String]| -> Vec<Value> {
        let new = names.iter().filter(|name| unloaded.remove(name.as_str()));
        new.map(|name| json!({ "type": "tool_reference", "tool_name": name })).collect()
    };
    for message in &request.messages {
        if let Message::ToolOutput { call_id, content, loads } = message {
            let id = ids.of_output(call_id);
            let loaded = references(loads);
            let content = match loaded.is_empty() {
                true => json!(content),
                false => {
                    said.extend((!is_blank(content)).then(|| text(content)));
                    json!(loaded)
                }
            };
            outputs.push(json!({ "type": "tool_result", "tool_use_id": id, "content": content }));
            continue;
        }
        outputs.append(&mut said);
        out.extend(user(std::mem::take(&mut outputs)));
        match message {
            Message::User { content, images } => {
                // Images are understood best before the text that is about them.
                let shown = images.iter().map(image);
                let said = (images.is_empty() || !is_blank(content)).then(|| text(content));
                out.extend(user(shown.chain(said).collect()));
            }
            Message::Notice { text: notice, mark, loads } => {
                out.extend(user(vec![text(&noticed(mark, notice))]));
                let Some(loads) = loads else { continue };
                let loaded = references(&loads.tools);
                if !loaded.is_empty() {
                    let id = ids.of_its_own();
                    let input = json!({ "skill": loads.skill });
                    let call = json!({ "type": "tool_use", "id": id, "name": "load_skill", "input": input });
                    out.push(json!({ "role": "assistant", "content": [call] }));
                    out.extend(user(vec![
                        json!({ "type": "tool_result", "tool_use_id": id, "content": loaded }),
                    ]));
                }
            }
            Message::Assistant { text, calls, provider_data } => {
                let calls = ids.of_calls(calls);
                let carried = provider_data
                    .as_ref()
                    .and_then(|data| carried::blocks(data, provider, &request.model, &calls));
                let blocks = carried.unwrap_or_else(|| plain(text, &calls));
                // The server refuses a message of nothing.
                if !blocks.is_empty() {
                    out.push(json!({ "role": "assistant", "content": blocks }));
                }
            }
            Message::ToolOutput { .. } => {}
        }
    }
    outputs.append(&mut said);
    out.extend(user(outputs));
    Value::Array(out)
}

fn user(blocks: Vec<Value>) -> Option<Value> {
    (!blocks.is_empty()).then(|| json!({ "role": "user", "content": blocks }))
}

/// The server refuses a text of white space alone.
fn text(text: &str) -> Value {
    json!({ "type": "text", "text": if is_blank(text) { "(empty)" } else { text } })
}

fn image(image: &Image) -> Value {
    json!({ "type": "image", "source": {
        "type": "base64", "media_type": image.media_type, "data": *image.data,
    }})
}

fn plain(text: &str, calls: &[NamedCall<'_>]) -> Vec<Value> {
    let said = (!is_blank(text)).then(|| json!({ "type": "text", "text": text }));
    said.into_iter().chain(calls.iter().map(call)).collect()
}
