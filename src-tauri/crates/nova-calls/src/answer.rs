use async_trait::async_trait;
use nova_protocol::{Decision, DetailView, Effect, NoteDiffView, PrincipalView};
use nova_skill::Elicitation;
use serde_json::Value;

/// "May this call run?", or what the program behind it asks while it runs.
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
    /// What may be answered, in the order to offer it.
    pub decisions: Vec<Decision>,
    pub editable: bool,
    /// What would be written, for calls that write notes.
    pub diff: Option<Vec<NoteDiffView>>,
    /// What the call would do, where its tool says more than the arguments do.
    pub details: Vec<DetailView>,
    pub host: Option<String>,
    /// What allowing it also hands out for the first time: names, `service/key` or `service`.
    pub credentials: Vec<String>,
    /// What the program behind the call asks. `once` with the values as its arguments sends them; an approver that cannot
    /// show the question leaves it unanswered.
    pub elicitation: Option<Elicitation>,
    /// Grows when the question changed while it waited.
    pub revision: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Decided {
        decision: Decision,
        /// Edited arguments that accompany an allowing decision, or the values that a program asked for.
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
    /// Called before the question is emitted: from now on an answer may come.
    fn expect(&self, _request: &ApprovalRequest) {}

    async fn ask(&self, request: &ApprovalRequest) -> Answer;

    /// Whether several questions can be open at the same time.
    fn at_once(&self) -> bool {
        false
    }
}

/// Nobody is there: what would ask is denied at once.
pub struct NoApprover;

#[async_trait]
impl Approver for NoApprover {
    async fn ask(&self, _request: &ApprovalRequest) -> Answer {
        Answer::Unanswered { reason: "nobody can approve it".into() }
    }
}
