use std::time::Duration;

use async_trait::async_trait;

use crate::{Source, ToolError};

/// Delegates tasks to sub-agents: models with their own session and tools.
#[async_trait]
pub trait Delegate: Send + Sync {
    /// Runs a task in a sub-agent until it ends. Tasks of several calls run concurrently.
    ///
    /// # Errors
    /// If the call was not made by a chat's own model, if a skill is unknown, if the turn has started too
    /// many sub-agents, or if the sub-agent fails.
    async fn run(&self, task: Task) -> Result<TaskEnd, ToolError>;
}

/// A task for a sub-agent, with its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its display name.
    pub name: String,
    pub prompt: String,
    /// The skills it may use, or single tools as `skill.tool`; `None`: the skills that are active in the
    /// chat.
    pub skills: Option<Vec<String>>,
    pub limits: TaskLimits,
}

/// Limits of a sub-agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskLimits {
    /// Requests to the model; the user may allow the same number again.
    pub steps: u32,
    /// Tokens of all its requests, excluding those cached by the provider.
    pub tokens: u64,
    /// Working time, excluding waits for the user's answers.
    pub time: Duration,
    /// Maximum number of sub-agents per turn, which together can use at most this many times the limits.
    pub per_turn: usize,
}

/// The result of a sub-agent.
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
