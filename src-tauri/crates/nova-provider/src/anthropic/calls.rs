//! Calls as the API wants them: which id each has on the wire.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::ToolCall;

/// A call as the model made it.
pub(super) fn call(NamedCall { call, id }: &NamedCall<'_>) -> Value {
    let input = serde_json::from_str::<Map<String, Value>>(&call.arguments)
        .map_or_else(|_| json!({ "invalid_json": call.arguments }), Value::Object);
    json!({ "type": "tool_use", "id": id, "name": call.name, "input": input })
}

/// A call with its id on the wire.
pub(super) struct NamedCall<'a> {
    pub(super) call: &'a ToolCall,
    id: String,
}

/// The ids of the calls of a conversation, each once: the API refuses a second call of the same id, and
/// other providers count theirs anew in each answer.
#[derive(Default)]
pub(super) struct WireIds {
    taken: HashSet<String>,
    /// Of the last answer's calls, by what the conversation calls them.
    open: HashMap<String, String>,
}

impl WireIds {
    pub(super) fn of_calls<'a>(&mut self, calls: &'a [ToolCall]) -> Vec<NamedCall<'a>> {
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

    /// For a call that the conversation does not know.
    pub(super) fn of_its_own(&mut self) -> String {
        let mut numbers = (1..).map(|number| format!("nova_{number}"));
        let id = numbers.find(|id| !self.taken.contains(id)).unwrap_or_default();
        self.taken.insert(id.clone());
        id
    }

    pub(super) fn of_output(&self, call: &str) -> String {
        self.open.get(call).cloned().unwrap_or_else(|| wire_id(call))
    }
}

pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The API takes `[A-Za-z0-9_-]+`; ids of a conversation that began with another provider may hold
/// more.
pub(super) fn wire_id(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    if id.is_empty() { "_".into() } else { id.chars().map(plain).collect() }
}
