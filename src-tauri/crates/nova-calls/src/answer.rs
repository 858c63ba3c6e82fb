use async_trait::async_trait;
use nova_protocol::{Decision, DetailView, Effect, NoteDiffView, PrincipalView};
use nova_skill::Elicitation;
use serde_json::Value;

/// A question to the user: whether a call may run, or one from the program behind a running call.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRequest {
    pub call: String,
    /// `skill.tool`
    pub tool: String,
    pub args: Value,
    pub effect: Effect,
    pub principal: PrincipalView,
    /// "Change 1 note?"
    pub question: String,
    /// The decisions offered, in order.
    pub decisions: Vec<Decision>,
    pub editable: bool,
    /// The planned changes, for calls that write notes.
    pub diff: Option<Vec<NoteDiffView>>,
    /// The tool's description of what the call would do, if its arguments do not show it.
    pub details: Vec<DetailView>,
    pub host: Option<String>,
    /// Credentials that allowing the call also grants for the first time: `service/key` or `service`.
    pub credentials: Vec<String>,
    /// The question of the program behind the call. `once` sends the arguments of the answer as its values;
    /// an approver that cannot show the question leaves it unanswered.
    pub elicitation: Option<Elicitation>,
    /// Incremented when the question changes while it waits.
    pub revision: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Decided {
        decision: Decision,
        /// Edited arguments of an allowing decision, or the values that a program requested.
        args: Option<Value>,
        by: String,
        reason: Option<String>,
    },
    /// Ask again with these arguments.
    Revised { args: Value },
    /// Nobody answered, which is a denial.
    Unanswered { reason: String },
}

/// Answers questions. Dropping the future withdraws the question.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Called before the question is emitted: answers may arrive from now on.
    fn expect(&self, _request: &ApprovalRequest) {}

    async fn ask(&self, request: &ApprovalRequest) -> Answer;

    /// Whether several questions can be open at the same time.
    fn at_once(&self) -> bool {
        false
    }
}

/// For runs without a user: every question is denied immediately.
pub struct NoApprover;

#[async_trait]
impl Approver for NoApprover {
    async fn ask(&self, _request: &ApprovalRequest) -> Answer {
        Answer::Unanswered { reason: "nobody can approve it".into() }
    }
}
