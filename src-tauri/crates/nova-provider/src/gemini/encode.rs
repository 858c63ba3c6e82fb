//! Encodes a request as the body of `streamGenerateContent`.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::carried;
use super::names::wire_name;
use super::schema::reduce;
use crate::request::{is_blank, noticed};
use crate::settings::Thinking;
use crate::{ChatRequest, Image, Message, ToolChoice, ToolDefinition};

/// The body. Parts that stay the same from step to step come first, and parts that may change follow the
/// conversation, so that the body of a longer one starts with the bytes of the shorter one. The model is part
/// of the URL.
pub(super) fn encode(request: &ChatRequest, provider: &str, thinking: Option<Thinking>) -> Vec<u8> {
    let mut body = Map::new();
    if !is_blank(&request.system) {
        body.insert("systemInstruction".into(), json!({ "parts": [{ "text": request.system }] }));
    }
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        body.insert("tools".into(), json!([{ "functionDeclarations": tools }]));
    }
    body.insert("contents".into(), contents(request, provider));
    if !request.tools.is_empty() {
        let config = match &request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!({ "mode": "NONE" })),
            ToolChoice::Required(name) => {
                Some(json!({ "mode": "ANY", "allowedFunctionNames": [wire_name(name)] }))
            }
        };
        body.extend(config.map(|config| ("toolConfig".into(), json!({ "functionCallingConfig": config }))));
    }
    let mut config = Map::new();
    if let Some(limit) = request.max_output {
        config.insert("maxOutputTokens".into(), json!(limit));
    }
    match thinking {
        None => {}
        Some(Thinking::Adaptive) => {
            config.insert("thinkingConfig".into(), json!({ "includeThoughts": true }));
        }
        Some(Thinking::Budget(tokens)) => {
            let thinking = json!({ "includeThoughts": true, "thinkingBudget": tokens });
            config.insert("thinkingConfig".into(), thinking);
        }
    }
    if !config.is_empty() {
        body.insert("generationConfig".into(), Value::Object(config));
    }
    Value::Object(body).to_string().into_bytes()
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "name": wire_name(&tool.name),
        "description": tool.description,
        "parametersJsonSchema": reduce(&tool.input_schema),
    })
}

/// The calls of the last answer: their ids in the conversation, names, and the server's ids, if any.
#[derive(Default)]
struct Open {
    calls: Vec<(String, String)>,
    ids: HashMap<String, Value>,
}

impl Open {
    /// An output, with its index among the outputs of the answer.
    fn output(&self, call_id: &str, content: &str) -> (usize, Value) {
        let place = self.calls.iter().position(|(id, _)| id == call_id);
        let name = place.map_or("unknown", |place| self.calls[place].1.as_str());
        let mut response = Map::new();
        if let Some(id) = self.ids.get(call_id) {
            response.insert("id".into(), id.clone());
        }
        response.insert("name".into(), json!(wire_name(name)));
        response.insert("response".into(), json!({ "output": content }));
        (place.unwrap_or(usize::MAX), json!({ "functionResponse": response }))
    }
}

/// All outputs of one answer's calls are in one content, in the order of the calls: without ids, the order
/// identifies them.
fn contents(request: &ChatRequest, provider: &str) -> Value {
    let mut out = Vec::new();
    let mut open = Open::default();
    let mut outputs: Vec<(usize, Value)> = Vec::new();
    for message in &request.messages {
        if let Message::ToolOutput { call_id, content, .. } = message {
            outputs.push(open.output(call_id, content));
            continue;
        }
        out.extend(all_outputs(&mut outputs));
        match message {
            Message::User { content, images } => {
                // Images are understood best before the text about them.
                let said = (images.is_empty() || !is_blank(content)).then(|| text(content));
                out.push(user(images.iter().map(image).chain(said).collect()));
            }
            Message::Notice { text: notice, mark, .. } => out.push(user(vec![text(&noticed(mark, notice))])),
            Message::Assistant { text, calls, provider_data } => {
                let (parts, ids) =
                    carried::parts(text, calls, provider_data.as_ref(), provider, &request.model);
                let calls = calls.iter().map(|call| (call.id.clone(), call.name.clone()));
                open = Open { calls: calls.collect(), ids };
                // The server refuses empty contents.
                if !parts.is_empty() {
                    out.push(json!({ "role": "model", "parts": parts }));
                }
            }
            Message::ToolOutput { .. } => {}
        }
    }
    out.extend(all_outputs(&mut outputs));
    Value::Array(out)
}

fn all_outputs(outputs: &mut Vec<(usize, Value)>) -> Option<Value> {
    outputs.sort_by_key(|(place, _)| *place);
    let parts: Vec<Value> = outputs.drain(..).map(|(_, output)| output).collect();
    (!parts.is_empty()).then(|| user(parts))
}

fn user(parts: Vec<Value>) -> Value {
    json!({ "role": "user", "parts": parts })
}

/// The server refuses empty texts.
fn text(text: &str) -> Value {
    json!({ "text": if is_blank(text) { "(empty)" } else { text } })
}

fn image(image: &Image) -> Value {
    json!({ "inlineData": { "mimeType": image.media_type, "data": *image.data } })
}
