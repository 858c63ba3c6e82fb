//! The formats of requests and answers on the wire. Tests inspect a single one, that of chat completions,
//! whatever the dialect.

use serde_json::{Value, json};

use super::shapes::{image_part, pieces, with_images};
use super::{MODEL, gemini, responses};

/// The dialect of one of the server's paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Chat completions.
    OpenAi,
    /// Responses.
    OpenAiResponses,
    /// Messages.
    Anthropic,
    /// `streamGenerateContent`.
    Gemini,
    /// Ollama's own chat.
    Ollama,
}

/// An event on the wire.
pub(super) enum Event {
    Bytes(String),
    Pause,
}

impl Dialect {
    pub(super) fn of_path(path: &str) -> Option<Self> {
        match path {
            "/v1/chat/completions" | "/chat/completions" => Some(Self::OpenAi),
            "/v1/responses" | "/responses" => Some(Self::OpenAiResponses),
            "/v1/messages" => Some(Self::Anthropic),
            "/api/chat" => Some(Self::Ollama),
            path => gemini::model_of(path).map(|_| Self::Gemini),
        }
    }

    /// Converts the request to this path to a chat completion.
    pub(super) fn as_completion(self, body: Value, path: &str) -> Value {
        match self {
            Self::OpenAi => body,
            Self::OpenAiResponses => responses::as_completion(body),
            Self::Anthropic => completion_of_messages(body),
            Self::Gemini => gemini::as_completion(body, path),
            Self::Ollama => completion_of_ollama(body),
        }
    }

    pub(super) fn stream(self) -> Stream {
        Stream {
            dialect: self,
            events: Vec::new(),
            calls: 0,
            blocks: 0,
            open: None,
            items: responses::Items::default(),
        }
    }
}

/// The events of one answer.
pub(super) struct Stream {
    dialect: Dialect,
    events: Vec<Event>,
    calls: u64,
    /// For Messages: the number of blocks so far, and the kind of the open one.
    blocks: u64,
    open: Option<&'static str>,
    /// For Responses.
    items: responses::Items,
}

impl Stream {
    pub(super) fn events(self) -> Vec<Event> {
        self.events
    }

    pub(super) fn pause(&mut self) {
        self.events.push(Event::Pause);
    }

    pub(super) fn begin(&mut self) {
        match self.dialect {
            Dialect::OpenAi => self.delta(json!({"role": "assistant", "content": ""}), None),
            Dialect::Anthropic => self.named(json!({"type": "message_start", "message": {
                "id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": MODEL,
                "stop_reason": null, "usage": {"input_tokens": 0, "output_tokens": 1},
            }})),
            Dialect::OpenAiResponses => {
                let events = self.items.begin();
                self.all_named(events);
            }
            Dialect::Gemini | Dialect::Ollama => {}
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        match self.dialect {
            Dialect::OpenAi => self.delta(json!({"content": text}), None),
            Dialect::OpenAiResponses => {
                let events = self.items.text(text);
                self.all_named(events);
            }
            Dialect::Gemini => self.data(gemini::text(text)),
            Dialect::Anthropic => {
                self.block("text", json!({"type": "text", "text": ""}));
                self.grow(json!({"type": "text_delta", "text": text}));
            }
            Dialect::Ollama => self.line(json!({"role": "assistant", "content": text})),
        }
    }

    pub(super) fn reasoning(&mut self, text: &str) {
        match self.dialect {
            Dialect::OpenAi => self.delta(json!({"reasoning_content": text}), None),
            Dialect::Anthropic => {
                self.block("thinking", json!({"type": "thinking", "thinking": "", "signature": ""}));
                self.grow(json!({"type": "thinking_delta", "thinking": text}));
            }
            Dialect::OpenAiResponses => {
                let events = self.items.reasoning(text);
                self.all_named(events);
            }
            Dialect::Gemini => self.data(gemini::reasoning(text)),
            Dialect::Ollama => self.line(json!({"role": "assistant", "content": "", "thinking": text})),
        }
    }

    pub(super) fn call(&mut self, id: &str, name: &str, arguments: &str) {
        let index = self.calls;
        self.calls += 1;
        match self.dialect {
            Dialect::OpenAi => {
                let function = json!({"name": name, "arguments": ""});
                let begun = json!({"index": index, "id": id, "type": "function", "function": function});
                self.delta(json!({"tool_calls": [begun]}), None);
                for piece in pieces(arguments) {
                    let more = json!({"index": index, "function": {"arguments": piece}});
                    self.delta(json!({"tool_calls": [more]}), None);
                }
            }
            Dialect::Anthropic => {
                self.close_block();
                self.block("tool_use", json!({"type": "tool_use", "id": id, "name": name, "input": {}}));
                for piece in pieces(arguments) {
                    self.grow(json!({"type": "input_json_delta", "partial_json": piece}));
                }
                self.close_block();
            }
            Dialect::OpenAiResponses => {
                let events = self.items.call(id, name, arguments);
                self.all_named(events);
            }
            Dialect::Gemini => self.data(gemini::call(id, name, arguments, index == 0)),
            Dialect::Ollama => {
                let read = serde_json::from_str::<Value>(arguments);
                let arguments = read.unwrap_or_else(|_| Value::String(arguments.to_owned()));
                let call =
                    json!({"id": id, "function": {"index": index, "name": name, "arguments": arguments}});
                self.line(json!({"role": "assistant", "content": "", "tool_calls": [call]}));
            }
        }
    }

    pub(super) fn error(&mut self, message: &str) {
        match self.dialect {
            Dialect::OpenAi => self.data(json!({"error": {"message": message, "type": "server_error"}})),
            Dialect::Anthropic => {
                self.named(json!({"type": "error", "error": {"type": "api_error", "message": message}}));
            }
            Dialect::OpenAiResponses => self.named(responses::error(message)),
            Dialect::Gemini => self.data(gemini::error(message)),
            Dialect::Ollama => self.bytes(format!("{}\n", json!({"error": message}))),
        }
    }

    /// `finish` is a finish reason of chat completions; the usage has input tokens, cached ones among them,
    /// and output tokens.
    pub(super) fn end(&mut self, finish: &str, (input, cached, output): (u64, u64, u64)) {
        match self.dialect {
            Dialect::OpenAi => {
                self.delta(json!({}), Some(finish));
                let usage = json!({
                    "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
                    "prompt_tokens_details": {"cached_tokens": cached},
                });
                self.data(json!({"model": MODEL, "choices": [], "usage": usage}));
                self.bytes("data: [DONE]\n\n".into());
            }
            Dialect::Anthropic => {
                self.close_block();
                let reason = match finish {
                    "stop" => "end_turn",
                    "tool_calls" => "tool_use",
                    "length" => "max_tokens",
                    "content_filter" => "refusal",
                    other => other,
                };
                let usage = json!({
                    "input_tokens": input - cached, "cache_read_input_tokens": cached, "output_tokens": output,
                });
                self.named(
                    json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}),
                );
                self.named(json!({"type": "message_stop"}));
            }
            Dialect::OpenAiResponses => {
                let events = self.items.end(finish, (input, cached, output));
                self.all_named(events);
            }
            Dialect::Gemini => self.data(gemini::end(finish, (input, cached, output))),
            Dialect::Ollama => {
                let reason = if finish == "tool_calls" { "stop" } else { finish };
                let end = json!({
                    "model": MODEL, "message": {"role": "assistant", "content": ""}, "done": true,
                    "done_reason": reason, "prompt_eval_count": input, "eval_count": output,
                });
                self.bytes(format!("{end}\n"));
            }
        }
    }

    fn bytes(&mut self, bytes: String) {
        self.events.push(Event::Bytes(bytes));
    }

    fn data(&mut self, data: Value) {
        self.bytes(format!("data: {data}\n\n"));
    }

    fn delta(&mut self, delta: Value, finish: Option<&str>) {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        let object = "chat.completion.chunk";
        self.data(json!({"id": "chatcmpl-1", "object": object, "model": MODEL, "choices": [choice]}));
    }

    fn named(&mut self, event: Value) {
        let kind = event["type"].as_str().unwrap_or_default().to_owned();
        self.bytes(format!("event: {kind}\ndata: {event}\n\n"));
    }

    fn all_named(&mut self, events: Vec<Value>) {
        events.into_iter().for_each(|event| self.named(event));
    }

    /// Opens a block, unless one of this kind is open.
    fn block(&mut self, kind: &'static str, block: Value) {
        if self.open == Some(kind) {
            return;
        }
        self.close_block();
        self.named(json!({"type": "content_block_start", "index": self.blocks, "content_block": block}));
        self.open = Some(kind);
        self.blocks += 1;
    }

    fn grow(&mut self, delta: Value) {
        self.named(json!({"type": "content_block_delta", "index": self.blocks - 1, "delta": delta}));
    }

    fn close_block(&mut self) {
        let Some(kind) = self.open.take() else { return };
        if kind == "thinking" {
            self.grow(json!({"type": "signature_delta", "signature": "c2lnbmVk"}));
        }
        self.named(json!({"type": "content_block_stop", "index": self.blocks - 1}));
    }

    fn line(&mut self, message: Value) {
        self.bytes(format!("{}\n", json!({"model": MODEL, "message": message, "done": false})));
    }
}

fn completion_of_messages(body: Value) -> Value {
    let Value::Object(mut body) = body else { return body };
    let mut messages = Vec::new();
    if let Some(system) = body.remove("system") {
        messages.push(json!({"role": "system", "content": texts(&system)}));
    }
    for message in body.get("messages").and_then(Value::as_array).into_iter().flatten() {
        let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let of = |kind: &str| blocks.iter().filter(|block| block["type"] == kind).collect::<Vec<_>>();
        messages.extend(of("tool_result").into_iter().map(|output| {
            let refers = |block: &Value| block["type"] == "tool_reference";
            let content = match output["content"].as_array() {
                // Only references.
                Some(blocks) if !blocks.is_empty() && blocks.iter().all(refers) => {
                    let names: Vec<&str> = blocks.iter().filter_map(|one| one["tool_name"].as_str()).collect();
                    return json!({"role": "tool", "tool_call_id": output["tool_use_id"], "content": "", "loads": names});
                }
                _ => &output["content"],
            };
            json!({"role": "tool", "tool_call_id": output["tool_use_id"], "content": content})
        }));
        let calls: Vec<Value> = of("tool_use")
            .into_iter()
            .map(|call| {
                let function = json!({"name": call["name"], "arguments": call["input"].to_string()});
                json!({"id": call["id"], "type": "function", "function": function})
            })
            .collect();
        let text = texts(&message["content"]);
        if !calls.is_empty() {
            messages.push(json!({"role": message["role"], "content": text, "tool_calls": calls}));
        } else {
            let images = of("image").into_iter().map(|image| {
                let source = &image["source"];
                let text = |key: &str| source[key].as_str().unwrap_or_default();
                image_part(text("media_type"), text("data"))
            });
            messages.extend(with_images(message["role"].clone(), &text, images.collect()));
        }
    }
    body.insert("messages".into(), messages.into());
    if let Some(Value::Array(tools)) = body.get_mut("tools") {
        for tool in tools {
            let deferred = tool["defer_loading"] == true;
            *tool = json!({"type": "function", "function": {
                "name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"],
            }});
            if deferred {
                tool["defer_loading"] = true.into();
            }
        }
    }
    body.into()
}

fn texts(blocks: &Value) -> String {
    let blocks = blocks.as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect()
}

fn completion_of_ollama(mut body: Value) -> Value {
    let Some(messages) = body["messages"].as_array_mut() else { return body };
    for message in messages {
        let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten() {
            let arguments = call["function"]["arguments"].to_string();
            call["function"]["arguments"] = arguments.into();
            if let Value::Object(call) = call {
                call.entry("type").or_insert("function".into());
            }
        }
        if let Some(images) = message.get("images").and_then(Value::as_array) {
            // The images' type is not specified.
            let images = images.iter().map(|data| image_part("image/*", data.as_str().unwrap_or_default()));
            let text = message["content"].as_str().unwrap_or_default();
            *message = with_images(message["role"].clone(), text, images.collect()).unwrap_or_default();
        }
    }
    body
}
