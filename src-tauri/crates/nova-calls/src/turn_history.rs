use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use nova_registry::{SourceKind, ToolEntry};
use nova_skill::Effect;
use serde_json::Value;

/// The history of a turn on which its later calls are judged; shared by all its steps.
#[derive(Debug, Default)]
pub struct TurnHistory(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The first tool that returned untrusted text, `skill.tool`.
    tainted_by: Option<String>,
    /// By `skill.tool`: distinct arguments with their count.
    calls: HashMap<String, Vec<(Value, usize)>>,
}

impl TurnHistory {
    /// Whether the model has read untrusted text in this turn, which may contain any instruction: a web page,
    /// a mail, the output of a tool that is not part of the program.
    pub fn is_tainted(&self) -> bool {
        self.state().tainted_by.is_some()
    }

    /// Records that untrusted text goes to the model, for instance an attached mail.
    pub fn taint(&self, from: &str) {
        self.state().tainted_by = Some(from.to_owned());
    }

    /// Records the output of a tool. `says_so`: it is marked as untrusted, or came from the web. Returns
    /// whether it is untrusted.
    pub(crate) fn record_output(&self, tool: &ToolEntry, says_so: bool) -> bool {
        let from_outside = matches!(tool.effect(), Effect::External | Effect::Send | Effect::Undeclared);
        let taints = says_so || from_outside || is_foreign(tool);
        if taints {
            self.taint(&tool.shown_name());
        }
        taints
    }

    /// Counts an identical call; returns the number including this time.
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

/// Whether the tool is not part of the program.
pub fn is_foreign(tool: &ToolEntry) -> bool {
    tool.source != SourceKind::Native || tool.spec().definition.is_some()
}
