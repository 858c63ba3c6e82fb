//! Calls of other tools during a call.

use async_trait::async_trait;
use jiff::civil::Date;
use serde_json::Value;

/// The tools that a running tool [may call](crate::ToolSpec::may_call).
///
/// Each call is judged by the rules of the called tool. Its writes join the draft of the running call, and
/// are shown and written with it.
#[async_trait]
pub trait ToolCalls: Send + Sync {
    /// Calls `skill.tool` and returns its value. Concurrent calls run concurrently, except that writes are
    /// serialised.
    ///
    /// # Errors
    /// The error of the call, including a denial.
    async fn call(&self, tool: &str, args: Value) -> Result<Value, CallError>;

    /// Returns the sections of a day that the skills' manifests declare, each as a value. Their tools are
    /// called as by [`ToolCalls::call`], including those of inactive skills.
    ///
    /// # Errors
    /// If the running tool may not call others. A failed tool is a section with a `problem`.
    async fn today(&self, day: Date) -> Result<Vec<Value>, CallError> {
        Err(may_not_call(&format!("the tools of {day}")))
    }

    /// Runs a tool of the skill `vault` for a tool that [declares](crate::ToolSpec::vault) access to notes.
    /// It is part of the running call: its reads and planned writes count as those of that call.
    ///
    /// # Errors
    /// The error of the tool, including a denial by a rule.
    async fn vault(&self, tool: &str, _args: Value) -> Result<Value, CallError> {
        Err(CallError {
            code: "tool_failed".into(),
            message: format!("This tool may not use {tool}: it declares no access to notes."),
            hint: "Add vault: 'read' or vault: 'write' to its file.".into(),
        })
    }
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    /// The code on the wire: `denied_by_rule`.
    pub code: String,
    pub message: String,
    /// The remedy; empty if there is none.
    pub hint: String,
}

/// Refuses all calls, for tools that do not declare that they call others.
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
