//! Encodes a request as the body of a chat completion.

use serde_json::{Map, Value, json};

use super::carried;
use crate::request::noticed;
use crate::{ChatRequest, Message, ToolCall, ToolChoice, ToolDefinition, normalise_schema};

/// The body. Parts that stay the same from step to step come first, and parts that may change follow the
/// messages, so that the body of a longer conversation starts with the bytes of the shorter one.
pub(super) fn encode(request: &ChatRequest, provider: &str, host: &str) -> Vec<u8> {
    let mut body = Map::new();
    body.insert("model".into(), json!(request.model));
    body.insert("stream".into(), json!(true));
    body.insert("stream_options".into(), json!({ "include_usage": true }));
    // OpenAI refuses an empty list.
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    let system = (!request.system.is_empty()).then(|| json!({ "role": "system", "content": request.system }));
    let messages = request.messages.iter().map(|m| message(m, provider, &request.model));
    body.insert("messages".into(), system.into_iter().chain(messages).collect());
    if !request.tools.is_empty() {
        let choice = match &request.tool_choice {
            // The default; some servers refuse the parameter.
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!("none")),
            ToolChoice::Required(name) => Some(json!({ "type": "function", "function": { "name": name } })),
        };
        body.extend(choice.map(|choice| ("tool_choice".into(), choice)));
    }
    if let Some(limit) = request.max_output {
        // OpenAI's reasoning models refuse the old name; most other servers only know that one.
        let own = host == "api.openai.com" || host.ends_with(".openai.azure.com");
        let name = if own { "max_completion_tokens" } else { "max_tokens" };
        body.insert(name.into(), json!(limit));
    }
    Value::Object(body).to_string().into_bytes()
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({ "type": "function", "function": {
        "name": tool.name,
        "description": tool.description,
        "parameters": normalise_schema(&tool.input_schema),
    }})
}

fn message(message: &Message, provider: &str, model: &str) -> Value {
    match message {
        Message::User { content, images } if images.is_empty() => {
            json!({ "role": "user", "content": content })
        }
        Message::User { content, images } => {
            let text = (!content.is_empty()).then(|| json!({ "type": "text", "text": content }));
            let images = images.iter().map(|image| {
                let address = format!("data:{};base64,{}", image.media_type, image.data);
                json!({ "type": "image_url", "image_url": { "url": address } })
            });
            let parts: Vec<Value> = text.into_iter().chain(images).collect();
            json!({ "role": "user", "content": parts })
        }
        Message::ToolOutput { call_id, content, .. } => {
            json!({ "role": "tool", "tool_call_id": call_id, "content": content })
        }
        // With the role user: several servers refuse a system message after the first one.
        Message::Notice { text, mark, .. } => {
            json!({ "role": "user", "content": noticed(mark, text) })
        }
        Message::Assistant { text, calls, provider_data } => {
            let mut out = Map::new();
            out.insert("role".into(), json!("assistant"));
            let silent = text.is_empty() && !calls.is_empty();
            out.insert("content".into(), if silent { Value::Null } else { json!(text) });
            if !calls.is_empty() {
                out.insert("tool_calls".into(), calls.iter().map(call).collect());
            }
            if let Some(data) = provider_data {
                carried::add_to(&mut out, data, provider, model);
            }
            Value::Object(out)
        }
    }
}

fn call(call: &ToolCall) -> Value {
    let whole = serde_json::from_str::<Map<String, Value>>(&call.arguments).is_ok();
    // Servers parse the arguments in the history, and refuse the request if that fails; the model still sees
    // what it wrote.
    let arguments =
        if whole { call.arguments.clone() } else { json!({ "invalid_json": call.arguments }).to_string() };
    json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
}
