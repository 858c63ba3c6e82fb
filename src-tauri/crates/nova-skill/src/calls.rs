//! Calls of other tools in the middle of a call.

use async_trait::async_trait;
use jiff::civil::Date;
use serde_json::Value;

/// The tools that a running tool [may call](crate::ToolSpec::may_call).
///
/// Each call goes by its own rules, as if it had been made by itself. The notes that it writes join the draft of
/// the running call, and are shown and written with it.
#[async_trait]
pub trait ToolCalls: Send + Sync {
    /// Calls `skill.tool` and returns its value. Calls made at the same time run at the same time, except that one
    /// writes after the other.
    ///
    /// # Errors
    /// The error of the call, also when it was denied.
    async fn call(&self, tool: &str, args: Value) -> Result<Value, CallError>;

    /// What the skills say of a day: the sections that their manifests declare, each as a value. The tools behind them
    /// are called as by [`ToolCalls::call`], also those of skills that are not active.
    ///
    /// # Errors
    /// Where the running tool may not call others. A tool that fails is a section with a `problem`.
    async fn today(&self, day: Date) -> Result<Vec<Value>, CallError> {
        Err(may_not_call(&format!("the tools of {day}")))
    }

    /// Runs a tool of the skill `vault` for a tool that [declares](crate::ToolSpec::vault) what it does with notes.
    /// It is part of the running call: what it reads that call has read, and what it plans is asked about and
    /// written with it.
    ///
    /// # Errors
    /// The error of the tool, also where a rule is about it.
    async fn vault(&self, tool: &str, _args: Value) -> Result<Value, CallError> {
        Err(CallError {
            code: "tool_failed".into(),
            message: format!("This tool may not use {tool}: it declares no access to notes."),
            hint: "Add vault: 'read' or vault: 'write' to its file.".into(),
        })
    }
}

/// Why a call had no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    /// The code on the wire: `denied_by_rule`.
    pub code: String,
    pub message: String,
    /// What to do about it; empty where nothing can be done.
    pub hint: String,
}

/// None, for tools that do not declare that they call others.
#[async_trait]
impl ToolCalls for () {
    async fn call(&self, tool: &str, _: Value) -> Result<Value, CallError> {
        Err(may_not_call(tool))
    }
}

fn may_not_call(what: &str) -> CallError {
    CallError {
        code: "tool_failed".into(),
        message: format!("This tool may not call {what}."),
        hint: "Return the arguments and let the assistant call it.".into(),
    }
}
