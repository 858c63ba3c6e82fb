use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use nova_registry::{SourceKind, ToolEntry};
use nova_skill::Effect;
use serde_json::Value;

/// What has happened in a turn that its later calls are judged by. One for all steps of the turn.
#[derive(Debug, Default)]
pub struct TurnSoFar(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The tool whose text nobody vouches for, `skill.tool`.
    heard_from: Option<String>,
    /// By `skill.tool`: each different arguments, and how often.
    calls: HashMap<String, Vec<(Value, usize)>>,
}

impl TurnSoFar {
    /// Whether the model has read text in this turn that strangers can write: a web page, a mail,
    /// the answer of a tool that did not come with the program. Such a text may ask for anything.
    pub fn is_tainted(&self) -> bool {
        self.state().heard_from.is_some()
    }

    /// Text that nobody vouches for goes to the model, for instance a mail that was attached.
    pub fn taint(&self, from: &str) {
        self.state().heard_from = Some(from.to_owned());
    }

    /// A tool has answered. `says_so`: its output is marked as untrusted, or came from the web. Whether
    /// that is text which nobody vouches for.
    pub(crate) fn hear(&self, tool: &ToolEntry, says_so: bool) -> bool {
        let from_outside = matches!(tool.effect(), Effect::External | Effect::Send | Effect::Undeclared);
        let taints = says_so || from_outside || is_foreign(tool);
        if taints {
            self.taint(&tool.shown_name());
        }
        taints
    }

    /// How often this very call was made, this time included.
    pub(crate) fn count(&self, tool: &ToolEntry, args: &Value) -> usize {
        let mut state = self.state();
        let same_tool = state.calls.entry(tool.shown_name()).or_default();
        match same_tool.iter_mut().find(|(before, _)| before == args) {
            Some((_, times)) => {
                *times += 1;
                *times
            }
            None => {
                same_tool.push((args.clone(), 1));
                1
            }
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the tool did not come with the program.
pub fn is_foreign(tool: &ToolEntry) -> bool {
    tool.source != SourceKind::Native || tool.spec().definition.is_some()
}
