//! The state of an answer while its events arrive. No I/O.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::carried;
use crate::read::{AnswerState, Fault, MOST_PARTS};
use crate::wire_ids::{free_id, wire_id};
use crate::{ChatEvent, ChatRequest, Completed, FinishReason, ToolCall, Usage};

/// Everything received so far.
pub(super) struct Reply {
    provider: String,
    model: String,
    /// Ids of the calls in the conversation.
    taken: HashSet<String>,
    /// By their index on the wire, in the order in which they started.
    blocks: Vec<(u64, Block)>,
    usage: Usage,
    stop_reason: Option<String>,
    done: bool,
}

/// One block of content.
enum Block {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    Call {
        id: String,
        name: String,
        /// The initial input, for servers that send the arguments in one piece.
        whole: Value,
        arguments: String,
        closed: bool,
    },
    /// Any other block is sent back unchanged.
    Other(Value),
}

impl Reply {
    pub(super) fn new(provider: &str, request: &ChatRequest) -> Self {
        Self {
            provider: provider.to_owned(),
            model: request.model.clone(),
            taken: request.call_ids(),
            blocks: Vec::new(),
            usage: Usage::default(),
            stop_reason: None,
            done: false,
        }
    }
}

impl AnswerState for Reply {
    fn accept(&mut self, data: &str, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        if data.trim().is_empty() {
            return Ok(());
        }
        let Ok(Value::Object(event)) = serde_json::from_str(data) else {
            return Err(Fault::Bad("a part of it is not a JSON object"));
        };
        let index = event.get("index").and_then(Value::as_u64).unwrap_or(0);
        let part = |key: &str| event.get(key).unwrap_or(&Value::Null);
        match part("type").as_str() {
            Some("message_start") => self.use_tokens(&part("message")["usage"], events),
            Some("content_block_start") => self.begin(index, part("content_block"), events)?,
            Some("content_block_delta") => self.grow(index, part("delta"), events)?,
            Some("content_block_stop") => {
                if let Some(Block::Call { closed, .. }) = self.block(index) {
                    *closed = true;
                }
            }
            Some("message_delta") => {
                self.stop(&part("delta")["stop_reason"]);
                self.use_tokens(part("usage"), events);
            }
            Some("message_stop") => self.done = true,
            // The server ignored the request for a stream.
            Some("message") => {
                for (index, block) in (0..).zip(part("content").as_array().into_iter().flatten()) {
                    self.begin(index, block, events)?;
                }
                self.stop(part("stop_reason"));
                self.use_tokens(part("usage"), events);
                self.done = true;
            }
            Some("error") => return Err(Fault::Reported(part("error").clone())),
            // `ping`, and unknown events: the API requires clients to tolerate them.
            _ => {}
        }
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn close(self) -> Result<Completed, Fault> {
        let reason = self.stop_reason.ok_or(Fault::Truncated)?;
        let cut = matches!(reason.as_str(), "max_tokens" | "model_context_window_exceeded" | "refusal");
        let mut out = Closing { taken: self.taken, ..Closing::default() };
        for (_, block) in self.blocks {
            out.add(block, cut)?;
        }
        let finish = match reason.as_str() {
            "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
            "refusal" => FinishReason::ContentFilter(None),
            "tool_use" => FinishReason::ToolCalls,
            "end_turn" | "stop_sequence" if !out.calls.is_empty() => FinishReason::ToolCalls,
            "end_turn" | "stop_sequence" => FinishReason::Stop,
            _ => FinishReason::Other(reason),
        };
        let provider_data = carried::keep(&self.provider, &self.model, out.kept);
        Ok(Completed { text: out.text, calls: out.calls, finish, provider_data })
    }
}

impl Reply {
    fn block(&mut self, index: u64) -> Option<&mut Block> {
        self.blocks.iter_mut().rev().find(|(own, _)| *own == index).map(|(_, block)| block)
    }

    fn begin(&mut self, index: u64, block: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        if self.block(index).is_some() {
            return Err(Fault::Bad("two parts of it have the same number"));
        }
        if self.blocks.len() >= MOST_PARTS {
            return Err(Fault::TooMuch("it has more than 10,000 parts"));
        }
        let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
        let begun = match block["type"].as_str() {
            Some("text") => Block::Text(String::new()),
            Some("thinking") => Block::Thinking { text: String::new(), signature: text("signature") },
            Some("tool_use") => {
                let name = text("name");
                if name.is_empty() {
                    return Err(Fault::Bad("a tool call has no name"));
                }
                Block::Call {
                    id: text("id"),
                    name,
                    whole: block["input"].clone(),
                    arguments: String::new(),
                    closed: false,
                }
            }
            Some(_) => Block::Other(block.clone()),
            None => return Err(Fault::Bad("a part of it has no type")),
        };
        let call = matches!(begun, Block::Call { .. });
        self.blocks.push((index, begun));
        if call {
            self.tell_call(index, events);
        }
        // A few servers put the start of the text here, as do all that send the answer in one piece.
        self.say(index, &text("text"), events);
        self.think(index, &text("thinking"), events);
        Ok(())
    }

    fn grow(&mut self, index: u64, delta: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        if self.block(index).is_none() {
            return Err(Fault::Bad("it continues a part that never started"));
        }
        let text = |key: &str| delta[key].as_str().unwrap_or_default();
        match delta["type"].as_str() {
            Some("text_delta") => self.say(index, text("text"), events),
            Some("thinking_delta") => self.think(index, text("thinking"), events),
            Some("signature_delta") => {
                if let Some(Block::Thinking { signature, .. }) = self.block(index) {
                    signature.push_str(text("signature"));
                }
            }
            Some("input_json_delta") => {
                if let Some(Block::Call { arguments, .. }) = self.block(index) {
                    arguments.push_str(text("partial_json"));
                }
                self.tell_call(index, events);
            }
            _ => {}
        }
        Ok(())
    }

    fn say(&mut self, index: u64, more: &str, events: &mut Vec<ChatEvent>) {
        if let Some(Block::Text(text)) = self.block(index).filter(|_| !more.is_empty()) {
            text.push_str(more);
            events.push(ChatEvent::TextDelta(more.to_owned()));
        }
    }

    fn think(&mut self, index: u64, more: &str, events: &mut Vec<ChatEvent>) {
        if let Some(Block::Thinking { text, .. }) = self.block(index).filter(|_| !more.is_empty()) {
            text.push_str(more);
            events.push(ChatEvent::ReasoningDelta(more.to_owned()));
        }
    }

    fn tell_call(&mut self, index: u64, events: &mut Vec<ChatEvent>) {
        let calls = self.blocks.iter().filter(|(_, block)| matches!(block, Block::Call { .. }));
        for (place, (own, block)) in calls.enumerate() {
            if let Block::Call { name, arguments, .. } = block
                && *own == index
            {
                events.push(ChatEvent::ToolCallDelta {
                    index: place,
                    name: Some(name.clone()),
                    arguments_so_far_len: arguments.len(),
                });
            }
        }
    }

    fn stop(&mut self, reason: &Value) {
        if let Some(reason) = reason.as_str() {
            self.stop_reason = Some(reason.to_owned());
        }
    }

    /// Counts refer to the whole answer so far. Cached tokens are not included in `input_tokens`.
    fn use_tokens(&mut self, usage: &Value, events: &mut Vec<ChatEvent>) {
        let number = |key: &str| usage[key].as_u64();
        let before = self.usage;
        if let Some(fresh) = number("input_tokens") {
            let cached = number("cache_read_input_tokens").unwrap_or(0);
            let written = number("cache_creation_input_tokens").unwrap_or(0);
            self.usage.input = fresh.saturating_add(cached).saturating_add(written);
            self.usage.cached = cached;
        }
        if let Some(output) = number("output_tokens") {
            self.usage.output = output;
        }
        if self.usage != before {
            events.push(ChatEvent::Usage(self.usage));
        }
    }
}

/// The blocks of an answer, split by kind.
#[derive(Default)]
struct Closing {
    taken: HashSet<String>,
    text: String,
    calls: Vec<ToolCall>,
    /// The blocks to send back.
    kept: Vec<Value>,
}

impl Closing {
    /// `cut`: the model was interrupted, so its last call may be incomplete.
    fn add(&mut self, block: Block, cut: bool) -> Result<(), Fault> {
        match block {
            Block::Text(text) => {
                self.text.push_str(&text);
                self.kept.push(json!({ "type": "text", "text": text }));
            }
            // Unsigned thinking would be refused.
            Block::Thinking { signature, .. } if signature.is_empty() => {}
            Block::Thinking { text, signature } => {
                self.kept.push(json!({ "type": "thinking", "thinking": text, "signature": signature }));
            }
            Block::Call { id, name, whole, arguments, closed } => {
                let arguments = match (arguments.trim().is_empty(), whole) {
                    (false, _) => arguments,
                    (true, Value::Object(whole)) => Value::Object(whole).to_string(),
                    (true, _) => "{}".to_owned(),
                };
                let readable = serde_json::from_str::<Map<String, Value>>(&arguments).is_ok();
                match (closed && readable, cut) {
                    (false, true) => return Ok(()),
                    (false, false) if !closed && !readable => return Err(Fault::Truncated),
                    _ => {}
                }
                let id = if id.is_empty() { free_id(&mut self.taken) } else { id };
                if self.calls.iter().any(|call| call.id == id) {
                    return Ok(());
                }
                self.kept.push(json!({ "type": "tool_use", "id": wire_id(&id), "name": name }));
                self.calls.push(ToolCall { id, name, arguments });
            }
            Block::Other(block) => self.kept.push(block),
        }
        Ok(())
    }
}
