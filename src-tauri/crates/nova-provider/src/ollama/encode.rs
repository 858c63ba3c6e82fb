//! Encodes a request as the body of Ollama's chat.

use serde_json::{Map, Value, json};

use super::answer;
use crate::request::noticed;
use crate::{ChatRequest, Message, ToolCall, ToolChoice, ToolDefinition, image_tokens, normalise_schema};

/// A different context size makes the server reload the model, so there are only a few sizes, starting high.
const LEAST_CONTEXT: u64 = 16_384;
/// Tokens reserved for the answer if the request has no limit.
const ANSWER: u64 = 4_096;
/// Assumed bytes of JSON per token. Text has about four, but schemas, names and other scripts have fewer. A
/// context that is too large costs memory; one that is too small truncates the tools.
const BYTES_PER_TOKEN: u64 = 3;

/// The body. Parts that may change from step to step follow the messages, so that the body of a longer
/// conversation starts with the bytes of the shorter one.
///
/// `set` is the user's context size, `most` that of the model. A request that does not fit is refused by the
/// server instead of truncated (`truncate`, `shift`; older servers ignore these and truncate).
pub(super) fn encode(request: &ChatRequest, provider: &str, set: Option<u64>, most: Option<u64>) -> Vec<u8> {
    let mut body = Map::new();
    body.insert("model".into(), json!(request.model));
    body.insert("stream".into(), json!(true));
    // The API cannot forbid or force tools.
    let tools: Vec<&ToolDefinition> = match &request.tool_choice {
        ToolChoice::None => Vec::new(),
        ToolChoice::Auto => request.tools.iter().collect(),
        ToolChoice::Required(name) => request.tools.iter().filter(|tool| tool.name == *name).collect(),
    };
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into_iter().map(tool).collect());
    }
    let system = (!request.system.is_empty()).then(|| json!({ "role": "system", "content": request.system }));
    let messages = (0..request.messages.len()).map(|at| message(request, at, provider));
    body.insert("messages".into(), system.into_iter().chain(messages).collect());
    body.insert("truncate".into(), json!(false));
    body.insert("shift".into(), json!(false));
    let length: usize = body.values().map(|value| value.to_string().len()).sum();
    let needed = tokens_of(length, request);
    let answer = request.max_output.map_or(ANSWER, u64::from);
    let mut options = Map::new();
    options.insert("num_ctx".into(), json!(context(needed + answer, set, most)));
    if let Some(limit) = request.max_output {
        options.insert("num_predict".into(), json!(limit));
    }
    body.insert("options".into(), Value::Object(options));
    Value::Object(body).to_string().into_bytes()
}

/// Estimates the tokens of a request with this many bytes.
pub(super) fn tokens_of(bytes: usize, request: &ChatRequest) -> u64 {
    let of_images: usize = request.images().map(|image| image.data.len()).sum();
    let images: u64 = request.images().map(|image| image_tokens(image.width, image.height)).sum();
    (bytes.saturating_sub(of_images) as u64).div_ceil(BYTES_PER_TOKEN) + images
}

/// The smallest of 16,384, 32,768, … that fits this many tokens, limited by the model's context.
fn context(needed: u64, set: Option<u64>, most: Option<u64>) -> u64 {
    let size = set.unwrap_or_else(|| needed.next_power_of_two().max(LEAST_CONTEXT));
    size.min(most.unwrap_or(u64::MAX))
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({ "type": "function", "function": {
        "name": tool.name,
        "description": tool.description,
        "parameters": normalise_schema(&tool.input_schema),
    }})
}

fn message(request: &ChatRequest, at: usize, provider: &str) -> Value {
    match &request.messages[at] {
        Message::User { content, images } => {
            let mut out = json!({ "role": "user", "content": content });
            if !images.is_empty() {
                out["images"] = images.iter().map(|image| &*image.data).collect();
            }
            out
        }
        Message::ToolOutput { call_id, content, .. } => {
            let mut out = json!({ "role": "tool", "tool_call_id": call_id, "content": content });
            // Outputs are matched to calls by the tool's name; ids were added later.
            if let Some(name) = called(&request.messages[..at], call_id) {
                out["tool_name"] = json!(name);
            }
            out
        }
        Message::Notice { text, mark, .. } => {
            json!({ "role": "user", "content": noticed(mark, text) })
        }
        Message::Assistant { text, calls, provider_data } => {
            let mut out = json!({ "role": "assistant", "content": text });
            // Models that think between calls continue from their thoughts.
            let thoughts = provider_data.as_ref();
            if let Some(thinking) = thoughts.and_then(|data| answer::thinking(data, provider, &request.model))
                && !calls.is_empty()
            {
                out["thinking"] = json!(thinking);
            }
            if !calls.is_empty() {
                out["tool_calls"] = calls.iter().map(call).collect();
            }
            out
        }
    }
}

fn called<'a>(before: &'a [Message], id: &str) -> Option<&'a str> {
    before
        .iter()
        .rev()
        .find_map(|message| match message {
            Message::Assistant { calls, .. } => calls.iter().find(|call| call.id == id),
            _ => None,
        })
        .map(|call| call.name.as_str())
}

fn call(call: &ToolCall) -> Value {
    let arguments = serde_json::from_str::<Map<String, Value>>(&call.arguments)
        .map_or_else(|_| json!({ "invalid_json": call.arguments }), Value::Object);
    json!({ "id": call.id, "function": { "name": call.name, "arguments": arguments } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_has_few_sizes_within_the_models_limit() {
        assert_eq!(context(1, None, None), 16_384);
        assert_eq!(context(16_384, None, None), 16_384);
        assert_eq!(context(16_385, None, None), 32_768);
        assert_eq!(context(50_000, None, Some(40_960)), 40_960);
        assert_eq!(context(1, None, Some(8_192)), 8_192);
        assert_eq!(context(1, Some(4_096), Some(40_960)), 4_096);
        assert_eq!(context(1, Some(100_000), Some(40_960)), 40_960);
    }
}
