use std::time::Duration;

use async_trait::async_trait;

use crate::{Source, ToolError};

/// Gives tasks to sub-agents: models that work in a session of their own, with tools of their own.
#[async_trait]
pub trait Delegate: Send + Sync {
    /// Gives a task to a sub-agent and waits for its end. Tasks of several calls run at the same time.
    ///
    /// # Errors
    /// When the call is not one of a chat's own model, when a skill is unknown, when the turn has started too
    /// many, or why the sub-agent failed.
    async fn run(&self, task: Task) -> Result<TaskEnd, ToolError>;
}

/// What a sub-agent is to do, and how far it may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// What the user sees it called.
    pub name: String,
    pub prompt: String,
    /// The skills it may use, or single tools as `skill.tool`; the skills that are active in the chat where
    /// it is `None`.
    pub skills: Option<Vec<String>>,
    pub limits: TaskLimits,
}

/// How far a sub-agent may go.
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

/// What a sub-agent answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskEnd {
    /// Its answer, or what it said last where it is unfinished.
    pub text: String,
    /// The limit that ended it: "20 steps used up".
    pub unfinished: Option<String>,
    /// The notes and pages that it read.
    pub sources: Vec<Source>,
    /// It has read untrusted text.
    pub untrusted: bool,
}
