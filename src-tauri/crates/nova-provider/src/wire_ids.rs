//! Maps the calls of a conversation to their ids on the wire.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::ToolCall;

/// Maximum length of an id before a numeric suffix: OpenAI accepts 64 characters.
const LONGEST: usize = 56;

/// A call with its id on the wire.
pub(crate) struct NamedCall<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) id: String,
}

/// The unique ids of the calls of a conversation: APIs refuse duplicates, and other providers restart their
/// numbering in each answer.
#[derive(Default)]
pub(crate) struct WireIds {
    taken: HashSet<String>,
    /// Wire ids of the last answer's calls, by their ids in the conversation.
    open: HashMap<String, String>,
}

impl WireIds {
    pub(crate) fn of_calls<'a>(&mut self, calls: &'a [ToolCall]) -> Vec<NamedCall<'a>> {
        self.open.clear();
        let name = |call: &'a ToolCall| {
            let plain = wire_id(&call.id);
            let numbered = (2..).map(|number| format!("{plain}_{number}"));
            let id = std::iter::once(plain.clone()).chain(numbered).find(|id| !self.taken.contains(id));
            let id = id.unwrap_or(plain);
            self.taken.insert(id.clone());
            self.open.insert(call.id.clone(), id.clone());
            NamedCall { call, id }
        };
        calls.iter().map(name).collect()
    }

    /// A new id, for a call that is not in the conversation.
    pub(crate) fn of_its_own(&mut self) -> String {
        let mut numbers = (1..).map(|number| format!("nova_{number}"));
        let id = numbers.find(|id| !self.taken.contains(id)).unwrap_or_default();
        self.taken.insert(id.clone());
        id
    }

    pub(crate) fn of_output(&self, call: &str) -> String {
        self.open.get(call).cloned().unwrap_or_else(|| wire_id(call))
    }
}

/// Generates a unique id for a call to which the server gave none.
pub(crate) fn free_id(taken: &mut HashSet<String>) -> String {
    let mut numbers = (taken.len() + 1..).map(|number| format!("call_{number}"));
    let id = numbers.find(|id| !taken.contains(id)).unwrap_or_default();
    taken.insert(id.clone());
    id
}

/// APIs accept `[A-Za-z0-9_-]+`; ids from another provider may contain other characters.
pub(crate) fn wire_id(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    if id.is_empty() { "_".into() } else { id.chars().take(LONGEST).map(plain).collect() }
}

/// The arguments of a call as an object, whatever the model wrote: APIs refuse anything else, and the model
/// still sees what it wrote.
pub(crate) fn arguments_object(call: &ToolCall) -> Map<String, Value> {
    serde_json::from_str(&call.arguments).unwrap_or_else(|_| {
        let mut written = Map::new();
        written.insert("invalid_json".into(), json!(call.arguments));
        written
    })
}
