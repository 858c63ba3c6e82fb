use std::time::Duration;

use async_trait::async_trait;

use crate::{Source, ToolError};

/// Delegates tasks to sub-agents: models that work in a session of their own, with their own tools.
#[async_trait]
pub trait Delegate: Send + Sync {
    /// Runs a task in a sub-agent to its end. Tasks of several calls run at the same time.
    ///
    /// # Errors
    /// When the call is not one of a chat's own model, when a skill is unknown, when the turn has started too
    /// many, or why the sub-agent failed.
    async fn run(&self, task: Task) -> Result<TaskEnd, ToolError>;
}

/// A task for a sub-agent, with its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its name in the window.
    pub name: String,
    pub prompt: String,
    /// The skills it may use, or single tools as `skill.tool`; the skills that are active in the chat where
    /// it is `None`.
    pub skills: Option<Vec<String>>,
    pub limits: TaskLimits,
}

/// Limits of a sub-agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskLimits {
    /// Requests to the model; the user may allow as many again.
    pub steps: u32,
    /// Tokens of all its requests, those that the provider had cached not counted.
    pub tokens: u64,
    /// The time it works, waiting for the user's answers not counted.
    pub time: Duration,
    /// The sub-agents of one turn, which together can spend no more than this many times the limits.
    pub per_turn: usize,
}

/// The answer of a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskEnd {
    /// Its answer; the last text if it is unfinished.
    pub text: String,
    /// The limit that ended it: "20 steps used up".
    pub unfinished: Option<String>,
    /// The notes and pages that it read.
    pub sources: Vec<Source>,
    /// It has read untrusted text.
    pub untrusted: bool,
}
