//! The state of an answer while its lines arrive, one JSON object each. No I/O.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::carried::is_of;
use crate::read::{AnswerState, Fault, MOST_PARTS};
use crate::wire_ids::free_id;
use crate::{ChatEvent, ChatRequest, Completed, FinishReason, ToolCall, Usage};

const DIALECT: &str = "ollama";

/// Everything received so far.
pub(super) struct Reply {
    provider: String,
    model: String,
    /// Ids of the calls in the conversation, and of those of this answer.
    taken: HashSet<String>,
    text: String,
    thinking: String,
    calls: Vec<ToolCall>,
    done: Option<String>,
}

impl Reply {
    pub(super) fn new(provider: &str, request: &ChatRequest) -> Self {
        Self {
            provider: provider.to_owned(),
            model: request.model.clone(),
            taken: request.call_ids(),
            text: String::new(),
            thinking: String::new(),
            calls: Vec::new(),
            done: None,
        }
    }
}

/// The model's thinking in an answer of its own.
pub(super) fn thinking<'a>(data: &'a Value, provider: &str, model: &str) -> Option<&'a str> {
    let ours = is_of(data, DIALECT, provider, model);
    data["thinking"].as_str().filter(|_| ours)
}

impl AnswerState for Reply {
    const LINES: bool = true;

    fn accept(&mut self, data: &str, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        if data.trim().is_empty() {
            return Ok(());
        }
        let Ok(Value::Object(line)) = serde_json::from_str(data) else {
            return Err(Fault::Bad("a line of it is not a JSON object"));
        };
        if let Some(error) = line.get("error").filter(|error| !error.is_null()) {
            return Err(Fault::Reported(error.clone()));
        }
        let message = line.get("message").unwrap_or(&Value::Null);
        let text = |key: &str| message[key].as_str().filter(|text| !text.is_empty());
        if let Some(thought) = text("thinking") {
            self.thinking.push_str(thought);
            events.push(ChatEvent::ReasoningDelta(thought.to_owned()));
        }
        if let Some(said) = text("content") {
            self.text.push_str(said);
            events.push(ChatEvent::TextDelta(said.to_owned()));
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            self.call(call, events)?;
        }
        if line.get("done") == Some(&Value::Bool(true)) {
            let number = |key: &str| line.get(key).and_then(Value::as_u64);
            // Omitted if the whole prompt was still cached.
            if let (input, Some(output)) = (number("prompt_eval_count").unwrap_or(0), number("eval_count")) {
                events.push(ChatEvent::Usage(Usage { input, cached: 0, output }));
            }
            let reason = line.get("done_reason").and_then(Value::as_str);
            self.done = Some(reason.unwrap_or("stop").to_owned());
        }
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.done.is_some()
    }

    fn is_done(&self) -> bool {
        self.done.is_some()
    }

    fn close(self) -> Result<Completed, Fault> {
        let finish = match self.done.as_deref() {
            None => return Err(Fault::Truncated),
            Some("length") => FinishReason::Length,
            Some("stop") if !self.calls.is_empty() => FinishReason::ToolCalls,
            Some("stop") => FinishReason::Stop,
            Some(other) => FinishReason::Other(other.to_owned()),
        };
        let provider_data = (!self.thinking.is_empty()).then(|| {
            json!({
                "dialect": DIALECT, "provider": self.provider, "model": self.model, "thinking": self.thinking,
            })
        });
        Ok(Completed { text: self.text, calls: self.calls, finish, provider_data })
    }
}

impl Reply {
    /// Calls are sent in one piece.
    fn call(&mut self, call: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        let function = &call["function"];
        let Some(name) = function["name"].as_str().filter(|name| !name.is_empty()) else {
            return Err(Fault::Bad("a tool call has no name"));
        };
        if self.calls.len() >= MOST_PARTS {
            return Err(Fault::TooMuch("it has more than 10,000 calls"));
        }
        let arguments = match &function["arguments"] {
            Value::Null => "{}".to_owned(),
            Value::String(text) => text.clone(),
            whole => whole.to_string(),
        };
        let id = match call["id"].as_str().filter(|id| !id.is_empty()) {
            Some(id) if self.calls.iter().any(|other| other.id == id) => return Ok(()),
            Some(id) => id.to_owned(),
            None => free_id(&mut self.taken),
        };
        self.taken.insert(id.clone());
        events.push(ChatEvent::ToolCallDelta {
            index: self.calls.len(),
            name: Some(name.to_owned()),
            arguments_so_far_len: arguments.len(),
        });
        self.calls.push(ToolCall { id, name: name.to_owned(), arguments });
        Ok(())
    }
}
