//! The state of an answer while its chunks arrive, each of which is a response with additional parts. No I/O.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::carried;
use super::names::renamed;
use crate::read::{AnswerState, Fault, MOST_PARTS};
use crate::server_message::humanise;
use crate::wire_ids::free_id;
use crate::{ChatEvent, ChatRequest, Completed, FinishReason, ToolCall, Usage};

/// Everything received so far.
pub(super) struct Reply {
    provider: String,
    model: String,
    /// Tools with another name on the wire.
    renamed: HashMap<String, String>,
    /// Ids of the calls in the conversation, and of those of this answer.
    taken: HashSet<String>,
    text: String,
    calls: Vec<ToolCall>,
    /// The parts to send back.
    kept: Vec<Value>,
    usage: Usage,
    /// The only candidate that is read, determined by the first chunk.
    candidate: Option<u64>,
    /// At least one chunk was a response.
    is_answer: bool,
    /// Why the whole request was refused.
    blocked: Option<String>,
    finish: Option<String>,
    done: bool,
}

impl Reply {
    pub(super) fn new(provider: &str, request: &ChatRequest) -> Self {
        Self {
            provider: provider.to_owned(),
            model: request.model.clone(),
            renamed: renamed(request),
            taken: request.call_ids(),
            text: String::new(),
            calls: Vec::new(),
            kept: Vec::new(),
            usage: Usage::default(),
            candidate: None,
            is_answer: false,
            blocked: None,
            finish: None,
            done: false,
        }
    }
}

impl AnswerState for Reply {
    fn accept(&mut self, data: &str, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        match data.trim() {
            "" => return Ok(()),
            // Sent by compatible servers.
            "[DONE]" => {
                self.done = true;
                return Ok(());
            }
            _ => {}
        }
        match serde_json::from_str(data) {
            Ok(chunk @ Value::Object(_)) => self.chunk(&chunk, events),
            // The server ignored the request for a stream.
            Ok(Value::Array(chunks)) if chunks.iter().all(Value::is_object) => {
                chunks.iter().try_for_each(|chunk| self.chunk(chunk, events))
            }
            _ => Err(Fault::Bad("a part of it is not a JSON object")),
        }
    }

    fn is_finished(&self) -> bool {
        self.finish.is_some() || self.blocked.is_some()
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn close(self) -> Result<Completed, Fault> {
        let has_calls = !self.calls.is_empty();
        let finish = match (self.finish.as_deref(), self.blocked) {
            (None, Some(reason)) => FinishReason::Blocked(reason),
            // A valid answer without content.
            (None, None) if self.is_answer && self.candidate.is_none() => FinishReason::Stop,
            (None, None) if self.done && has_calls => FinishReason::ToolCalls,
            (None, None) if self.done => FinishReason::Stop,
            (None, None) => return Err(Fault::Truncated),
            // Compatible servers report calls as the finish reason.
            (Some("STOP" | "FUNCTION_CALL"), _) if has_calls => FinishReason::ToolCalls,
            (Some("STOP" | "FUNCTION_CALL"), _) => FinishReason::Stop,
            (Some("MAX_TOKENS"), _) => FinishReason::Length,
            (Some(filter), _) if is_filter(filter) => FinishReason::ContentFilter(Some(humanise(filter))),
            (Some(other), _) => FinishReason::Incomplete(humanise(other)),
        };
        let provider_data = carried::keep(&self.provider, &self.model, self.kept);
        Ok(Completed { text: self.text, calls: self.calls, finish, provider_data })
    }
}

impl Reply {
    fn chunk(&mut self, chunk: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(Fault::Reported(error.clone()));
        }
        let candidates = chunk["candidates"].as_array();
        let feedback = &chunk["promptFeedback"];
        self.is_answer |= candidates.is_some() || feedback.is_object() || chunk["usageMetadata"].is_object();
        for candidate in candidates.into_iter().flatten() {
            self.candidate(candidate, events)?;
        }
        if let Some(reason) = feedback["blockReason"].as_str().filter(|reason| is_reason(reason)) {
            self.blocked = Some(humanise(reason));
        }
        self.use_tokens(&chunk["usageMetadata"], events);
        Ok(())
    }

    fn candidate(&mut self, candidate: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        let number = candidate["index"].as_u64().unwrap_or(0);
        if *self.candidate.get_or_insert(number) != number {
            return Ok(());
        }
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            self.part(part, events)?;
        }
        if let Some(reason) = candidate["finishReason"].as_str().filter(|reason| is_reason(reason)) {
            self.finish = Some(reason.to_owned());
        }
        Ok(())
    }

    fn part(&mut self, part: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        if let Some(call) = part.get("functionCall").filter(|call| call.is_object()) {
            return self.call(call, part, events);
        }
        let is_signed = part["thoughtSignature"].is_string();
        let Some(text) = part["text"].as_str() else {
            return if part.is_object() { self.keep(part.clone()) } else { Ok(()) };
        };
        let is_thought = part["thought"] == true;
        if !text.is_empty() {
            match is_thought {
                true => events.push(ChatEvent::ReasoningDelta(text.to_owned())),
                false => {
                    self.text.push_str(text);
                    events.push(ChatEvent::TextDelta(text.to_owned()));
                }
            }
        }
        match self.kept.last_mut() {
            // Unsigned thoughts are only for display.
            _ if !is_signed && (is_thought || text.is_empty()) => Ok(()),
            // Signed parts are kept as they are; others are concatenated.
            Some(last) if !is_signed && is_plain_text(last) => {
                if let Value::String(before) = &mut last["text"] {
                    before.push_str(text);
                }
                Ok(())
            }
            _ => self.keep(part.clone()),
        }
    }

    /// A call arrives complete in one chunk.
    fn call(&mut self, call: &Value, part: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        let Some(name) = call["name"].as_str().filter(|name| !name.is_empty()) else {
            return Err(Fault::Bad("a tool call has no name"));
        };
        let arguments = match &call["args"] {
            Value::Null => "{}".to_owned(),
            Value::String(text) => text.clone(),
            whole => whole.to_string(),
        };
        let given = call["id"].as_str().filter(|id| !id.is_empty());
        let id = match given {
            Some(id) if self.calls.iter().any(|other| other.id == id) => return Ok(()),
            Some(id) => id.to_owned(),
            None => free_id(&mut self.taken),
        };
        self.taken.insert(id.clone());
        let mut kept = json!({ "call": id, "functionCall": { "name": name } });
        if let Some(given) = given {
            kept["functionCall"]["id"] = json!(given);
        }
        if let Some(signature) = part.get("thoughtSignature") {
            kept["thoughtSignature"] = signature.clone();
        }
        self.keep(kept)?;
        let name = self.renamed.get(name).map_or(name, String::as_str).to_owned();
        events.push(ChatEvent::ToolCallDelta {
            index: self.calls.len(),
            name: Some(name.clone()),
            arguments_so_far_len: arguments.len(),
        });
        self.calls.push(ToolCall { id, name, arguments });
        Ok(())
    }

    fn keep(&mut self, part: Value) -> Result<(), Fault> {
        if self.kept.len() >= MOST_PARTS {
            return Err(Fault::TooMuch("it has more than 10,000 parts"));
        }
        self.kept.push(part);
        Ok(())
    }

    /// Counts refer to the whole answer so far. Thoughts are not included in `candidatesTokenCount`.
    fn use_tokens(&mut self, usage: &Value, events: &mut Vec<ChatEvent>) {
        let number = |key: &str| usage[key].as_u64();
        let Some(input) = number("promptTokenCount") else { return };
        let written = number("candidatesTokenCount").unwrap_or(0);
        let used = Usage {
            input,
            cached: number("cachedContentTokenCount").unwrap_or(0),
            output: written.saturating_add(number("thoughtsTokenCount").unwrap_or(0)),
        };
        if used != self.usage {
            self.usage = used;
            events.push(ChatEvent::Usage(used));
        }
    }
}

fn is_plain_text(part: &Value) -> bool {
    part["text"].is_string() && part["thoughtSignature"].is_null() && part["thought"] != true
}

/// Excludes the unspecified default of an enum.
fn is_reason(word: &str) -> bool {
    !word.is_empty() && !word.ends_with("_UNSPECIFIED")
}

/// Whether the finish reason is one of Google's filters.
fn is_filter(reason: &str) -> bool {
    const FILTERS: [&str; 11] = [
        "SAFETY",
        "RECITATION",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
        "ESCALATION",
        "MODEL_ARMOR",
        "PUP_LIMITED_DISABLED",
    ];
    FILTERS.contains(&reason)
}
