//! The state of an answer while its chunks arrive. No I/O.

use std::collections::HashSet;

use serde_json::Value;

use super::calls::{CallFault, Calls, Ending};
use super::carried::Carried;
use crate::read::{AnswerState, Fault, MOST_PARTS};
use crate::{ChatEvent, ChatRequest, Completed, FinishReason, Usage};

/// Everything received so far.
pub(super) struct Completion {
    provider: String,
    model: String,
    /// Ids of the calls in the conversation.
    taken: HashSet<String>,
    text: String,
    calls: Calls,
    carried: Carried,
    usage: Option<Usage>,
    /// The only choice that is read, determined by the first chunk.
    choice: Option<u64>,
    finish: Option<String>,
    done: bool,
}

impl Completion {
    pub(super) fn new(provider: &str, request: &ChatRequest) -> Self {
        Self {
            provider: provider.to_owned(),
            model: request.model.clone(),
            taken: request.call_ids(),
            text: String::new(),
            calls: Calls::default(),
            carried: Carried::default(),
            usage: None,
            choice: None,
            finish: None,
            done: false,
        }
    }
}

impl AnswerState for Completion {
    fn is_done(&self) -> bool {
        self.done
    }

    fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    fn accept(&mut self, data: &str, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        match data.trim() {
            "" => return Ok(()),
            "[DONE]" => {
                self.done = true;
                return Ok(());
            }
            _ => {}
        }
        let Ok(Value::Object(mut chunk)) = serde_json::from_str(data) else {
            return Err(Fault::Bad("a part of it is not a JSON object"));
        };
        if let Some(error) = chunk.remove("error").filter(|error| !error.is_null()) {
            return Err(Fault::Reported(error));
        }
        for choice in chunk.get("choices").and_then(Value::as_array).into_iter().flatten() {
            self.choice(choice, events)?;
        }
        if let Some(usage) = chunk.get("usage").and_then(usage)
            && self.usage != Some(usage)
        {
            self.usage = Some(usage);
            events.push(ChatEvent::Usage(usage));
        }
        Ok(())
    }

    fn close(mut self) -> Result<Completed, Fault> {
        let ending = match self.finish.as_deref() {
            None if !self.done => return Err(Fault::Truncated),
            None => Ending::Unknown,
            Some("length" | "content_filter") => Ending::Truncated,
            Some(_) => Ending::Complete,
        };
        let calls = self.calls.close(ending, self.taken, &mut self.carried.extra_content).map_err(
            |fault| match fault {
                CallFault::Nameless => Fault::Bad("a tool call has no name"),
                CallFault::Incomplete => Fault::Truncated,
            },
        )?;
        let finish = match self.finish.as_deref() {
            // Several servers report `stop` together with calls.
            None | Some("stop") if !calls.is_empty() => FinishReason::ToolCalls,
            None | Some("stop") => FinishReason::Stop,
            Some("tool_calls") => FinishReason::ToolCalls,
            Some("length") => FinishReason::Length,
            Some("content_filter") => FinishReason::ContentFilter(None),
            Some(other) => FinishReason::Other(other.to_owned()),
        };
        let provider_data = self.carried.into_value(&self.provider, &self.model);
        Ok(Completed { text: self.text, calls, finish, provider_data })
    }
}

impl Completion {
    fn choice(&mut self, choice: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        let number = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
        if *self.choice.get_or_insert(number) != number {
            return Ok(());
        }
        if let Some(error) = choice.get("error").filter(|error| !error.is_null()) {
            return Err(Fault::Reported(error.clone()));
        }
        // `message` if a server sends the whole answer at once.
        if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
            self.delta(delta, events)?;
        }
        match choice.get("finish_reason").and_then(Value::as_str) {
            Some("error") => return Err(Fault::Reported(Value::Null)),
            Some(reason) if !reason.is_empty() => self.finish = Some(reason.to_owned()),
            _ => {}
        }
        Ok(())
    }

    fn delta(&mut self, delta: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        let text = |key: &str| delta.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(Value::Array(pieces)) = delta.get("reasoning_details") {
            self.carried.add_details(pieces);
        }
        // Two names for the same field; servers that know both send both.
        if let Some(reasoning) = text("reasoning_content") {
            self.carried.reasoning_content.push_str(reasoning);
            events.push(ChatEvent::ReasoningDelta(reasoning.to_owned()));
        } else if let Some(reasoning) = text("reasoning") {
            events.push(ChatEvent::ReasoningDelta(reasoning.to_owned()));
        }
        match delta.get("content") {
            Some(Value::String(text)) => self.say(text, events),
            // Mistral's parts: text, and thinking that contains texts.
            Some(Value::Array(parts)) => {
                for part in parts {
                    if let Some(text) = part.get("text").and_then(Value::as_str) {
                        self.say(text, events);
                    }
                    for thought in part.get("thinking").and_then(Value::as_array).into_iter().flatten() {
                        if let Some(text) = thought.get("text").and_then(Value::as_str) {
                            events.push(ChatEvent::ReasoningDelta(text.to_owned()));
                        }
                    }
                }
            }
            _ => {}
        }
        // A refusal is shown as the text of the answer.
        if let Some(refusal) = text("refusal") {
            self.say(refusal, events);
        }
        for (position, call) in
            delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten().enumerate()
        {
            if let Some(progress) = self.calls.accept(position, call) {
                events.push(ChatEvent::ToolCallDelta {
                    index: progress.index,
                    name: progress.name,
                    arguments_so_far_len: progress.length,
                });
            }
            if self.calls.count() > MOST_PARTS {
                return Err(Fault::TooMuch("it has more than 10,000 calls"));
            }
        }
        Ok(())
    }

    fn say(&mut self, text: &str, events: &mut Vec<ChatEvent>) {
        if !text.is_empty() {
            self.text.push_str(text);
            events.push(ChatEvent::TextDelta(text.to_owned()));
        }
    }
}

fn usage(usage: &Value) -> Option<Usage> {
    let number = |path: &str| usage.pointer(path).and_then(Value::as_u64);
    Some(Usage {
        input: number("/prompt_tokens")?,
        // DeepSeek uses another name.
        cached: number("/prompt_tokens_details/cached_tokens")
            .or_else(|| number("/prompt_cache_hit_tokens"))
            .unwrap_or(0),
        output: number("/completion_tokens").unwrap_or(0),
    })
}
