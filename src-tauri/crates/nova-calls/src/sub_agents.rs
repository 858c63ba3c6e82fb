//! Runs the tasks that calls delegate.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use nova_protocol::UserError;
use nova_skill::{Source, Task, ToolError, VaultPath};
use nova_vault::note::ContentHash;
use tokio_util::sync::CancellationToken;

use crate::Approver;

/// Runs the sub-agents of a turn.
#[async_trait]
pub trait SubAgents: Send + Sync {
    /// Runs a task until it ends, also if `cancel` ends it.
    ///
    /// # Errors
    /// If it cannot start.
    async fn run(&self, task: SubAgentTask) -> Result<SubAgentEnd, ToolError>;
}

/// Refuses all tasks: for forms, clients and sub-agents themselves.
#[async_trait]
impl SubAgents for () {
    async fn run(&self, _: SubAgentTask) -> Result<SubAgentEnd, ToolError> {
        Err(ToolError::NotDeclared {
            what: "Only the model of a chat can start sub-agents, and they start none themselves.".into(),
            remedy: "Do the task yourself.".into(),
        })
    }
}

/// A delegated task.
pub struct SubAgentTask {
    /// The call that waits for it.
    pub call: String,
    pub task: Task,
    /// The task was written after the model had read untrusted text.
    pub tainted: bool,
    pub cancel: CancellationToken,
    pub user: Arc<dyn SubAgentUser>,
}

/// The user, as reached by a sub-agent. Waits for answers do not count as time of the task.
#[async_trait]
pub trait SubAgentUser: Send + Sync {
    /// Answers the approvals of the sub-agent's calls.
    fn approver(&self) -> Arc<dyn Approver>;

    /// Asks the user whether it may take more steps.
    async fn allows_more(&self, name: &str, used: u32, more: u32) -> bool;
}

/// How a sub-agent ended, and what it read.
pub struct SubAgentEnd {
    pub how: SubAgentHow,
    /// Its last answer.
    pub text: String,
    pub sources: Vec<Source>,
    /// The notes that it has read, with the hash of their content.
    pub seen: BTreeMap<VaultPath, ContentHash>,
    /// What it read may not be sent to a remote model.
    pub local_only: bool,
    /// It has read untrusted text.
    pub untrusted: bool,
    /// It was stopped when it may already have had an effect outside of the vault.
    pub unknown: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubAgentHow {
    Answered,
    /// It reached a limit: "20 steps".
    UsedUp(String),
    Stopped,
    Failed(UserError),
}
