//! Assembles tool calls from deltas, however a server numbers them.
//!
//! A delta belongs to a call by its id, otherwise by its `index`, otherwise by its position in the chunk.
//! `index` is only a label: it may start at 1, be 0 for every call, or be missing; gaps are never filled.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::ToolCall;
use crate::wire_ids::free_id;

/// The calls of one answer, while it arrives.
#[derive(Default)]
pub(super) struct Calls {
    started: Vec<StartedCall>,
}

/// A call that has started.
struct StartedCall {
    id: Option<String>,
    index: Option<i64>,
    /// Its position in the chunk in which it started.
    position: usize,
    name: String,
    arguments: String,
    braces: Braces,
    extra: Option<Value>,
}

/// The end of the answer, as far as it affects calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The model stopped by itself: its calls are as intended.
    Complete,
    /// It was truncated by a limit or a filter: the last call may be incomplete.
    Truncated,
    /// The stream was closed without a reason: every call must be verifiably complete.
    Unknown,
}

/// Why calls cannot be returned.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CallFault {
    Nameless,
    Incomplete,
}

/// The state of a call after a delta, for display.
pub(super) struct Progress {
    pub(super) index: usize,
    pub(super) name: Option<String>,
    pub(super) length: usize,
}

impl Calls {
    /// Processes the delta at `position` of its chunk.
    pub(super) fn accept(&mut self, position: usize, delta: &Value) -> Option<Progress> {
        // A few servers omit the wrapper.
        let function = delta.get("function").unwrap_or(delta);
        let text = |value: Option<&Value>| {
            value.and_then(Value::as_str).filter(|s| !s.is_empty()).map(str::to_owned)
        };
        let id = match delta.get("id") {
            Some(Value::Number(number)) => Some(number.to_string()),
            other => text(other),
        };
        let name = text(function.get("name"));
        let arguments = match function.get("arguments") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(piece)) => piece.clone(),
            // As sent by Ollama and its imitators.
            Some(whole) => whole.to_string(),
        };
        let piece =
            Piece { id, index: delta.get("index").and_then(Value::as_i64), position, name, arguments };
        if piece.id.is_none() && piece.name.is_none() && piece.arguments.is_empty() {
            return None;
        }
        let at = match self.owner(&piece) {
            Some(at) => at,
            None => {
                self.started.push(StartedCall::new(&piece));
                self.started.len() - 1
            }
        };
        self.started[at].add(piece);
        if let Some(extra) = delta.get("extra_content") {
            self.started[at].extra = Some(extra.clone());
        }
        let call = &self.started[at];
        let repeated = call.id.is_some() && self.started[..at].iter().any(|earlier| earlier.id == call.id);
        (!repeated).then(|| Progress {
            index: at,
            name: Some(call.name.clone()).filter(|name| !name.is_empty()),
            length: call.arguments.len(),
        })
    }

    /// The number of calls that have started, including repeats.
    pub(super) fn count(&self) -> usize {
        self.started.len()
    }

    /// Returns the calls, complete and with unique ids. `taken` are the ids of the conversation so far, which
    /// generated ids must not repeat. Extras are added to `extras` by call id.
    pub(super) fn close(
        self,
        ending: Ending,
        mut taken: HashSet<String>,
        extras: &mut Map<String, Value>,
    ) -> Result<Vec<ToolCall>, CallFault> {
        taken.extend(self.started.iter().filter_map(|call| call.id.clone()));
        let mut seen = HashSet::new();
        let mut calls = Vec::new();
        for call in self.started {
            let blank = call.arguments.trim().is_empty();
            if call.name.is_empty() && blank {
                continue;
            }
            let whole = serde_json::from_str::<Map<String, Value>>(&call.arguments).is_ok();
            match ending {
                Ending::Truncated if !whole || call.name.is_empty() => continue,
                Ending::Unknown if !whole => return Err(CallFault::Incomplete),
                _ if call.name.is_empty() => return Err(CallFault::Nameless),
                _ => {}
            }
            let id = call.id.unwrap_or_else(|| free_id(&mut taken));
            if !seen.insert(id.clone()) {
                continue;
            }
            extras.extend(call.extra.map(|extra| (id.clone(), extra)));
            let arguments = if blank { "{}".to_owned() } else { call.arguments };
            calls.push(ToolCall { id, name: call.name, arguments });
        }
        Ok(calls)
    }

    /// The call that a delta continues; `None` if it starts a new one.
    fn owner(&self, piece: &Piece) -> Option<usize> {
        let by_index = |index: i64| self.started.iter().rposition(|call| call.index == Some(index));
        match (&piece.id, piece.index) {
            (Some(id), index) => {
                let known = |call: &StartedCall| call.id.as_ref() == Some(id);
                let labels_agree =
                    |call: &StartedCall| index.is_none() || call.index.is_none() || call.index == index;
                let exact = self.started.iter().rposition(|call| known(call) && labels_agree(call));
                if let Some(at) = exact {
                    // A repetition of the complete call: a separate entry, dropped as a repeat.
                    let again = piece.name.is_some() && self.started[at].braces.closed && !piece.is_blank();
                    return (!again).then_some(at);
                }
                if self.started.iter().any(known) {
                    // A known id under another index: it is the same call, unless the delta has a name again,
                    // and then it is a repeat.
                    return if piece.name.is_some() { None } else { self.started.iter().rposition(known) };
                }
                let labelled = match index {
                    Some(index) => by_index(index),
                    None => self.started.iter().rposition(|call| call.position == piece.position),
                }?;
                let call = &self.started[labelled];
                // An id that arrives late, or a new one with every delta (which has no name then).
                let late = call.id.is_none() && !call.ends_before(piece);
                (late || piece.name.is_none()).then_some(labelled)
            }
            (None, Some(index)) => match by_index(index) {
                Some(at) => (!self.started[at].ends_before(piece)).then_some(at),
                // The label was omitted at first.
                None => self.by_position(piece).filter(|&at| self.started[at].index.is_none()),
            },
            (None, None) => self.by_position(piece),
        }
    }

    /// The call of a delta that has neither id nor index.
    fn by_position(&self, piece: &Piece) -> Option<usize> {
        let at = self.started.iter().rposition(|call| call.position == piece.position)?;
        if piece.name.is_some() {
            return (!self.started[at].ends_before(piece)).then_some(at);
        }
        // The call at this position may be complete while a later one is still open.
        let open = || self.started.iter().rposition(|call| !call.braces.closed);
        if self.started[at].braces.closed { open().or(Some(at)) } else { Some(at) }
    }
}

/// A parsed delta.
struct Piece {
    id: Option<String>,
    index: Option<i64>,
    position: usize,
    name: Option<String>,
    arguments: String,
}

impl Piece {
    fn is_blank(&self) -> bool {
        self.arguments.trim().is_empty()
    }
}

impl StartedCall {
    fn new(piece: &Piece) -> Self {
        Self {
            id: None,
            index: piece.index,
            position: piece.position,
            name: String::new(),
            arguments: String::new(),
            braces: Braces::default(),
            extra: None,
        }
    }

    /// Whether a delta with the same label cannot be part of this call: it names another tool, or the same
    /// tool again after the arguments are complete.
    fn ends_before(&self, piece: &Piece) -> bool {
        match &piece.name {
            Some(name) if !self.name.is_empty() => {
                *name != self.name || (self.braces.closed && !piece.is_blank())
            }
            _ => false,
        }
    }

    fn add(&mut self, piece: Piece) {
        if self.id.is_none() {
            self.id = piece.id;
        }
        if self.index.is_none() {
            self.index = piece.index;
        }
        if self.name.is_empty() {
            self.name = piece.name.unwrap_or_default();
        }
        // The complete arguments are repeated without the name.
        if self.braces.closed && piece.arguments == self.arguments {
            return;
        }
        self.braces.read(&piece.arguments);
        self.arguments.push_str(&piece.arguments);
    }
}

/// Tracks the braces of a JSON object incrementally, so that nothing is scanned twice.
#[derive(Default)]
struct Braces {
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// The outermost brace is closed.
    closed: bool,
}

impl Braces {
    fn read(&mut self, piece: &str) {
        for byte in piece.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_text => self.escaped = true,
                b'"' => self.in_text = !self.in_text,
                _ if self.in_text => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.closed |= self.depth == 0;
                }
                _ => {}
            }
        }
    }
}
