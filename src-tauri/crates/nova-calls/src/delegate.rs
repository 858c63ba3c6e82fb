//! Delegates tasks to sub-agents on behalf of a call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use nova_protocol::Decision;
use nova_registry::ToolEntry;
use nova_skill::{Delegate, Effect, Principal, Task, TaskEnd, ToolError, VaultPath};
use nova_vault::note::ContentHash;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::questions::Questions;
use crate::view::{effect_view, principal_view};
use crate::watch::CallWatch;
use crate::{
    Answer, ApprovalRequest, Approver, SubAgentEnd, SubAgentHow, SubAgentTask, SubAgentUser, SubAgents,
};

/// Asks the user on behalf of the call.
struct UserOfCall {
    questions: Arc<Questions>,
    request: ApprovalRequest,
    approver: Arc<dyn Approver>,
}

#[async_trait]
impl SubAgentUser for UserOfCall {
    fn approver(&self) -> Arc<dyn Approver> {
        self.approver.clone()
    }

    async fn allows_more(&self, name: &str, used: u32, more: u32) -> bool {
        let mut request = self.request.clone();
        request.question =
            format!("The sub-agent “{name}” has used up {used} steps. Go on with {more} more?");
        match self.questions.ask_mid_run(&mut request).await {
            Ok(answer) => self.questions.settle(&request, answer).is_ok(),
            Err(_) => false,
        }
    }
}

/// Asks the user on behalf of a sub-agent, with the stopwatch of the call paused.
struct WhileCallWaits {
    approver: Arc<dyn Approver>,
    watch: Arc<CallWatch>,
}

#[async_trait]
impl Approver for WhileCallWaits {
    fn expect(&self, request: &ApprovalRequest) {
        self.approver.expect(request);
    }

    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        let _pause = self.watch.stopwatch.pause();
        self.approver.ask(request).await
    }

    fn at_once(&self) -> bool {
        self.approver.at_once()
    }
}

/// Reads and effects of a call's sub-agents, for its outcome.
#[derive(Default)]
pub(crate) struct Delegated(Mutex<SubAgentTotals>);

#[derive(Default)]
pub(crate) struct SubAgentTotals {
    pub(crate) seen: BTreeMap<VaultPath, ContentHash>,
    pub(crate) local_only: bool,
    pub(crate) untrusted: bool,
    pub(crate) unknown: bool,
}

impl Delegated {
    pub(crate) fn take(&self) -> SubAgentTotals {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, end: &SubAgentEnd) {
        let mut totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        totals.seen.extend(end.seen.clone());
        totals.local_only |= end.local_only;
        totals.untrusted |= end.untrusted;
        totals.unknown |= end.unknown;
    }
}

/// Delegates tasks on behalf of one call.
pub(crate) struct CallDelegate {
    agents: Arc<dyn SubAgents>,
    user: Arc<UserOfCall>,
    tainted: bool,
    cancel: CancellationToken,
    delegated: Arc<Delegated>,
}

impl CallDelegate {
    pub(crate) fn new(
        agents: Arc<dyn SubAgents>,
        approver: &Arc<dyn Approver>,
        questions: &Arc<Questions>,
        (call, tool, args, principal): (&str, &ToolEntry, &Value, &Principal),
        (tainted, cancel): (bool, CancellationToken),
        delegated: Arc<Delegated>,
    ) -> Self {
        let request = ApprovalRequest {
            call: call.to_owned(),
            tool: tool.shown_name(),
            args: args.clone(),
            effect: effect_view(Effect::Read),
            principal: principal_view(principal),
            question: String::new(),
            decisions: vec![Decision::Once, Decision::Deny],
            editable: false,
            diff: None,
            details: Vec::new(),
            host: None,
            credentials: Vec::new(),
            elicitation: None,
            revision: 0,
        };
        let approver =
            Arc::new(WhileCallWaits { approver: approver.clone(), watch: questions.watch.clone() });
        let user = Arc::new(UserOfCall { questions: questions.clone(), request, approver });
        Self { agents, user, tainted, cancel, delegated }
    }

    /// Runs the task until it ends or reaches its time limit.
    async fn run_in_time(&self, task: Task) -> Result<SubAgentEnd, ToolError> {
        let limit = task.limits.time;
        let cancel = self.cancel.child_token();
        let running = self.agents.run(SubAgentTask {
            call: self.user.request.call.clone(),
            task,
            tainted: self.tainted,
            cancel: cancel.clone(),
            user: self.user.clone(),
        });
        tokio::pin!(running);
        tokio::select! {
            biased;
            ended = &mut running => return ended,
            () = self.user.questions.watch.stopwatch.passed(limit) => cancel.cancel(),
        }
        let mut end = running.await?;
        if end.how == SubAgentHow::Stopped && !self.cancel.is_cancelled() {
            end.how = SubAgentHow::UsedUp(shown(limit));
        }
        Ok(end)
    }
}

#[async_trait]
impl Delegate for CallDelegate {
    async fn run(&self, task: Task) -> Result<TaskEnd, ToolError> {
        let name = task.name.clone();
        let end = self.run_in_time(task).await?;
        self.delegated.add(&end);
        let unfinished = match end.how {
            SubAgentHow::Answered => None,
            SubAgentHow::UsedUp(what) => Some(format!("{what} used up")),
            SubAgentHow::Stopped if self.cancel.is_cancelled() => return Err(ToolError::Cancelled),
            SubAgentHow::Stopped => {
                let hint = "Continue without it, and start it again only when the user asks for it.";
                return Err(ToolError::failed(format!("The user stopped the sub-agent “{name}”."), hint));
            }
            SubAgentHow::Failed(error) => return Err(ToolError::failed(error.message, error.hint)),
        };
        let SubAgentEnd { text, sources, untrusted, .. } = end;
        Ok(TaskEnd { text, unfinished, sources, untrusted })
    }
}

/// Formats a duration: "10 minutes".
fn shown(time: Duration) -> String {
    let (count, unit) = match time.as_secs() {
        seconds if seconds >= 60 && seconds % 60 == 0 => (seconds / 60, "minute"),
        seconds => (seconds, "second"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}
