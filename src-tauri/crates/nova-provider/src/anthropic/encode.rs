//! Encodes a request as the body of a Messages request.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::carried::{self, call};
use crate::request::{is_blank, noticed};
use crate::settings::Thinking;
use crate::wire_ids::{NamedCall, WireIds};
use crate::{ChatRequest, Image, Message, ToolChoice, ToolDefinition, normalise_schema};

/// The API requires a limit. Every recent model supports this one.
const MAX_OUTPUT: u32 = 8_192;

/// The body. Parts that stay the same from step to step come first, and parts that may change follow the
/// messages, so that the body of a longer conversation starts with the bytes of the shorter one.
///
/// A cache breakpoint follows the system prompt, which includes the tools before it. The breakpoint of the
/// messages moves with every request; `own` marks Anthropic's own server, which sets it automatically if
/// requested at the top level, without changing earlier bytes.
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
            // Thinking counts towards the limit, which must be the larger one.
            limit = limit.saturating_add(tokens);
            body.insert("thinking".into(), json!({ "type": "enabled", "budget_tokens": tokens }));
        }
    }
    body.insert("max_tokens".into(), json!(limit));
    if !request.tools.is_empty() {
        let choice = match &request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!({ "type": "none" })),
            // Requests with thinking and a forced tool are refused.
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

/// All outputs of one answer's calls must be in one message. Anything else may follow in further messages of
/// the same role.
///
/// A deferred tool is known from the first output that refers to it. Such an output may only contain
/// references, so its text follows after all outputs. If the user activated a skill, a synthetic call that
/// loads it is inserted, because only outputs may refer to tools.
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
                // Images are understood best before the text about them.
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
                // The server refuses empty messages.
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

/// The server refuses texts of only white space.
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
