//! The state of an answer while its events arrive. No I/O.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::carried;
use super::closing::Closing;
use super::item::{Item, Kind, Part, kind_of};
use crate::read::{AnswerState, Fault, MOST_PARTS};
use crate::server_message::humanise;
use crate::{ChatEvent, ChatRequest, Completed, FinishReason, Usage};

/// Everything received so far.
pub(super) struct Reply {
    provider: String,
    model: String,
    /// Ids of the calls in the conversation.
    taken: HashSet<String>,
    /// In the order in which they started.
    items: Vec<Item>,
    /// Indices of the latest item of each kind: of all, with a number, with an id.
    newest: HashMap<Kind, usize>,
    by_number: HashMap<(Kind, u64), usize>,
    by_id: HashMap<(Kind, String), usize>,
    /// Indices of calls by their own ids.
    by_call: HashMap<String, usize>,
    calls: usize,
    usage: Usage,
    ended: Option<Ended>,
}

enum Ended {
    Completed,
    /// It stopped early, for this reason.
    Incomplete(String),
}

impl Reply {
    pub(super) fn new(provider: &str, request: &ChatRequest) -> Self {
        Self {
            provider: provider.to_owned(),
            model: request.model.clone(),
            taken: request.call_ids(),
            items: Vec::new(),
            newest: HashMap::new(),
            by_number: HashMap::new(),
            by_id: HashMap::new(),
            by_call: HashMap::new(),
            calls: 0,
            usage: Usage::default(),
            ended: None,
        }
    }
}

impl AnswerState for Reply {
    fn accept(&mut self, data: &str, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        // Compatible servers may use the end marker of chat completions.
        if matches!(data.trim(), "" | "[DONE]") {
            return Ok(());
        }
        let Ok(Value::Object(event)) = serde_json::from_str(data) else {
            return Err(Fault::Bad("a part of it is not a JSON object"));
        };
        let part = |key: &str| event.get(key).unwrap_or(&Value::Null);
        let delta = part("delta").as_str().unwrap_or_default();
        match part("type").as_str() {
            Some("response.output_item.added") => {
                self.begin(part("output_index").as_u64(), part("item"), events)?;
            }
            Some("response.output_item.done") => {
                self.complete(part("output_index").as_u64(), part("item"), events)?;
            }
            Some("response.output_text.delta") => self.say(&event, delta, false, events)?,
            Some("response.refusal.delta") => self.say(&event, delta, true, events)?,
            Some("response.reasoning_summary_text.delta" | "response.reasoning_text.delta") => {
                think(delta, events);
            }
            Some("response.reasoning_summary_part.added") if part("summary_index").as_u64() > Some(0) => {
                think("\n\n", events);
            }
            Some("response.function_call_arguments.delta") => {
                let at = self.call(&event)?;
                if let Part::Call { arguments, .. } = &mut self.items[at].part {
                    arguments.push_str(delta);
                }
                self.tell_call(at, events);
            }
            Some("response.function_call_arguments.done") => {
                let at = self.call(&event)?;
                self.take_arguments(at, part("arguments"), events);
            }
            Some("response.completed" | "response.incomplete" | "response.failed" | "response.cancelled") => {
                self.end(part("response"), events)?;
            }
            Some("error") => return Err(Fault::Reported(error_of(event))),
            // The server ignored the request for a stream.
            None if part("object") == "response" => self.end(&Value::Object(event), events)?,
            None if !part("error").is_null() => return Err(Fault::Reported(part("error").clone())),
            // Intermediate events, and unknown ones: the API requires clients to tolerate them.
            _ => {}
        }
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.ended.is_some()
    }

    fn is_done(&self) -> bool {
        self.ended.is_some()
    }

    fn close(self) -> Result<Completed, Fault> {
        let ended = self.ended.ok_or(Fault::Truncated)?;
        let is_cut = matches!(ended, Ended::Incomplete(_));
        let mut out = Closing::new(self.taken);
        for item in self.items {
            out.add(item, is_cut)?;
        }
        let finish = match ended {
            Ended::Incomplete(reason) => match reason.as_str() {
                "max_output_tokens" => FinishReason::Length,
                "content_filter" => FinishReason::ContentFilter(None),
                other => FinishReason::Incomplete(humanise(other)),
            },
            Ended::Completed if !out.calls.is_empty() => FinishReason::ToolCalls,
            Ended::Completed if out.is_refusal => FinishReason::Refusal,
            Ended::Completed => FinishReason::Stop,
        };
        let provider_data = carried::keep(&self.provider, &self.model, out.kept);
        Ok(Completed { text: out.text, calls: out.calls, finish, provider_data })
    }
}

impl Reply {
    /// The item that an event refers to: one of this kind with its number, otherwise with its id. An id alone
    /// is unreliable, because a few servers change an item's id in each event.
    fn find(&self, kind: Kind, index: Option<u64>, id: &str) -> Option<usize> {
        let by_id = self.by_id.get(&(kind, id.to_owned())).copied().filter(|_| !id.is_empty());
        let exact = by_id.filter(|at| index.is_some() && self.items[*at].index == index);
        let by_number = || self.by_number.get(&(kind, index?)).copied();
        let newest = || self.newest.get(&kind).copied().filter(|_| index.is_none() && id.is_empty());
        exact.or_else(by_number).or(by_id).or_else(newest)
    }

    fn begin(
        &mut self,
        index: Option<u64>,
        item: &Value,
        events: &mut Vec<ChatEvent>,
    ) -> Result<usize, Fault> {
        let text = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
        let part = match item["type"].as_str() {
            Some("message") => Part::Message { text: String::new(), is_refusal: false },
            Some("reasoning") => Part::Reasoning,
            Some("function_call") => {
                let (id, name) = (text("call_id"), text("name"));
                if name.is_empty() {
                    return Err(Fault::Bad("a tool call has no name"));
                }
                let place = self.calls;
                Part::Call { id, name, arguments: text("arguments"), place }
            }
            Some(_) => Part::Other,
            None => return Err(Fault::Bad("a part of it has no type")),
        };
        // A repeated event is not a new item.
        let (kind, id) = (kind_of(&part), text("id"));
        if let Some(at) = self.by_id.get(&(kind, id.clone())).copied().filter(|_| !id.is_empty())
            && self.items[at].index == index
        {
            return Ok(at);
        }
        self.push(Item { index, id, part, whole: None }, events)
    }

    fn push(&mut self, item: Item, events: &mut Vec<ChatEvent>) -> Result<usize, Fault> {
        if self.items.len() >= MOST_PARTS {
            return Err(Fault::TooMuch("it has more than 10,000 parts"));
        }
        let (at, kind) = (self.items.len(), item.kind());
        self.newest.insert(kind, at);
        if let Some(index) = item.index {
            self.by_number.insert((kind, index), at);
        }
        self.by_id.insert((kind, item.id.clone()), at);
        if let Part::Call { id, .. } = &item.part {
            self.calls += 1;
            if !id.is_empty() {
                self.by_call.insert(id.clone(), at);
            }
        }
        self.items.push(item);
        self.tell_call(at, events);
        Ok(at)
    }

    /// Processes a complete item, which may be the only event for it.
    fn complete(
        &mut self,
        index: Option<u64>,
        item: &Value,
        events: &mut Vec<ChatEvent>,
    ) -> Result<(), Fault> {
        let kind = match item["type"].as_str() {
            Some("message") => Kind::Message,
            Some("reasoning") => Kind::Reasoning,
            Some("function_call") => Kind::Call,
            _ => Kind::Other,
        };
        let call_id = item["call_id"].as_str().unwrap_or_default();
        let found = match self.by_call.get(call_id) {
            Some(at) => Some(*at),
            None => self.find(kind, index, item["id"].as_str().unwrap_or_default()),
        };
        let is_open = |at: &usize| {
            let own = &self.items[*at];
            let is_other_call = matches!(&own.part, Part::Call { id, .. } if !id.is_empty() && id != call_id);
            own.whole.is_none() && !is_other_call
        };
        let at = match found.filter(is_open) {
            Some(at) => at,
            None => self.begin(index, item, events)?,
        };
        self.fill(at, item, events);
        Ok(())
    }

    fn fill(&mut self, at: usize, item: &Value, events: &mut Vec<ChatEvent>) {
        self.items[at].whole = Some(item.clone());
        match &mut self.items[at].part {
            Part::Message { text, is_refusal } => {
                let contents = item["content"].as_array().map(Vec::as_slice).unwrap_or_default();
                *is_refusal |= contents.iter().any(|content| content["type"] == "refusal");
                let said = contents
                    .iter()
                    .filter_map(|content| content["text"].as_str().or_else(|| content["refusal"].as_str()));
                let whole: String = said.collect();
                if let Some(rest) = whole.strip_prefix(text.as_str()).filter(|rest| !rest.is_empty()) {
                    events.push(ChatEvent::TextDelta(rest.to_owned()));
                    *text = whole;
                }
            }
            Part::Call { id, .. } => {
                if id.is_empty() {
                    *id = item["call_id"].as_str().unwrap_or_default().to_owned();
                }
                self.take_arguments(at, &item["arguments"], events);
            }
            Part::Reasoning | Part::Other => {}
        }
    }

    fn say(
        &mut self,
        event: &Map<String, Value>,
        delta: &str,
        refusal: bool,
        events: &mut Vec<ChatEvent>,
    ) -> Result<(), Fault> {
        if delta.is_empty() {
            return Ok(());
        }
        let (index, id) = place(event);
        let at = match self.find(Kind::Message, index, id) {
            Some(at) => at,
            None => {
                let part = Part::Message { text: String::new(), is_refusal: false };
                self.push(Item { index, id: id.to_owned(), part, whole: None }, events)?
            }
        };
        if let Part::Message { text, is_refusal } = &mut self.items[at].part {
            text.push_str(delta);
            *is_refusal |= refusal;
            events.push(ChatEvent::TextDelta(delta.to_owned()));
        }
        Ok(())
    }

    fn call(&self, event: &Map<String, Value>) -> Result<usize, Fault> {
        let (index, id) = place(event);
        self.find(Kind::Call, index, id).ok_or(Fault::Bad("it continues a call that never started"))
    }

    /// Processes the complete arguments, which repeat the deltas.
    fn take_arguments(&mut self, at: usize, whole: &Value, events: &mut Vec<ChatEvent>) {
        let whole = match whole {
            Value::String(text) if !text.trim().is_empty() => text.clone(),
            object @ Value::Object(_) => object.to_string(),
            _ => return,
        };
        if let Part::Call { arguments, .. } = &mut self.items[at].part
            && *arguments != whole
        {
            *arguments = whole;
            self.tell_call(at, events);
        }
    }

    fn tell_call(&self, at: usize, events: &mut Vec<ChatEvent>) {
        if let Part::Call { name, arguments, place, .. } = &self.items[at].part {
            events.push(ChatEvent::ToolCallDelta {
                index: *place,
                name: Some(name.clone()),
                arguments_so_far_len: arguments.len(),
            });
        }
    }

    /// Processes the final response.
    fn end(&mut self, response: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        let status = response["status"].as_str().unwrap_or_default();
        if status == "failed" || !response["error"].is_null() {
            return Err(Fault::Reported(response["error"].clone()));
        }
        let told = self.items.len();
        for item in response["output"].as_array().into_iter().flatten() {
            self.take_late(item, told, events)?;
        }
        self.use_tokens(&response["usage"], events);
        let reason = response["incomplete_details"]["reason"].as_str();
        self.ended = Some(match (status, reason) {
            ("incomplete", reason) => Ended::Incomplete(reason.unwrap_or("incomplete").to_owned()),
            ("cancelled", _) => Ended::Incomplete("cancelled".to_owned()),
            _ => Ended::Completed,
        });
        Ok(())
    }

    /// Adds what earlier events did not report of an item in the final response: the whole item, or its
    /// encrypted reasoning. An item among the first `told` that was reported under another id is not added
    /// again: a call would run twice.
    fn take_late(&mut self, item: &Value, told: usize, events: &mut Vec<ChatEvent>) -> Result<(), Fault> {
        let text = |key: &str| item[key].as_str().unwrap_or_default();
        let by_id = |kind: Kind| {
            self.by_id.get(&(kind, text("id").to_owned())).copied().filter(|_| !text("id").is_empty())
        };
        let told = |is_it: &dyn Fn(&Item) -> bool| self.items[..told].iter().rposition(is_it);
        let known = match text("type") {
            "function_call" => {
                let by_call = self.by_call.get(text("call_id")).copied();
                by_call.or_else(|| by_id(Kind::Call)).or_else(|| {
                    told(&|own| match &own.part {
                        Part::Call { name, arguments, .. } => {
                            (name.as_str(), arguments.as_str()) == (text("name"), text("arguments"))
                        }
                        _ => false,
                    })
                })
            }
            "message" => by_id(Kind::Message).or_else(|| told(&|own| own.kind() == Kind::Message)),
            "reasoning" => match by_id(Kind::Reasoning) {
                None if told(&|own| own.kind() == Kind::Reasoning).is_some() => return Ok(()),
                known => known,
            },
            _ => by_id(Kind::Other),
        };
        let Some(at) = known else { return self.complete(None, item, events) };
        match &mut self.items[at].whole {
            None => self.fill(at, item, events),
            Some(Value::Object(whole)) => {
                let encrypted = item.get("encrypted_content").filter(|content| content.is_string());
                if let Some(encrypted) = encrypted
                    && !whole.get("encrypted_content").is_some_and(Value::is_string)
                {
                    whole.insert("encrypted_content".into(), encrypted.clone());
                }
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Cached tokens are included in `input_tokens`, and reasoning in `output_tokens`.
    fn use_tokens(&mut self, usage: &Value, events: &mut Vec<ChatEvent>) {
        let number = |path: &str| usage.pointer(path).and_then(Value::as_u64);
        let Some(input) = number("/input_tokens") else { return };
        let cached = number("/input_tokens_details/cached_tokens").unwrap_or(0);
        let used = Usage { input, cached, output: number("/output_tokens").unwrap_or(0) };
        if used != self.usage {
            self.usage = used;
            events.push(ChatEvent::Usage(used));
        }
    }
}

fn place(event: &Map<String, Value>) -> (Option<u64>, &str) {
    let id = event.get("item_id").and_then(Value::as_str).unwrap_or_default();
    (event.get("output_index").and_then(Value::as_u64), id)
}

fn think(delta: &str, events: &mut Vec<ChatEvent>) {
    if !delta.is_empty() {
        events.push(ChatEvent::ReasoningDelta(delta.to_owned()));
    }
}

/// The error's fields are in the event itself, or in an object as elsewhere.
fn error_of(mut event: Map<String, Value>) -> Value {
    match event.remove("error") {
        Some(error) if !error.is_null() => error,
        _ => Value::Object(event),
    }
}
