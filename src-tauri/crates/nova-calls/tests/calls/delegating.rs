//! Calls that delegate tasks to simulated sub-agents.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use nova_calls::{
    Answer, ApprovalRequest, Approver, Call, CallScope, Outcome, Settled, SubAgentEnd, SubAgentHow,
    SubAgentTask, SubAgents, run_call, run_or_detach,
};
use nova_protocol::{Decision, ErrorCode};
use nova_skill::{
    CallToken, Description, Effect, Skill, Task, TaskLimits, Tool, ToolContext, ToolError, ToolOutput,
    ToolSpec, Value, async_trait, json,
};
use nova_testkit::{ScriptedApprover, snapshot_of};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{Bench, fetch};

const LIMIT: Duration = Duration::from_secs(600);

/// `boss.give`: delegates a task.
#[derive(Clone)]
struct Boss(ToolSpec);

fn boss() -> ToolSpec {
    let spec =
        ToolSpec::new("give", Description::purpose("Gives a task."), json!({"type": "object"}), Effect::Read);
    ToolSpec { delegates: true, ..spec }
}

impl Skill for Boss {
    fn skill_md(&self) -> &str {
        "---\nname: boss\ndescription: Gives tasks.\n---\nGive.\n"
    }

    fn manifest(&self) -> &str {
        "display_name: Boss\nversion: 1.0.0\n"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(self.clone())]
    }
}

#[async_trait]
impl Tool for Boss {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(&self, _: CallToken, _: Value, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let limits = TaskLimits { steps: 20, tokens: 60_000, time: LIMIT, per_turn: 8 };
        let task = Task { name: "helper".into(), prompt: "look".into(), skills: None, limits };
        let end = ctx.delegate().run(task).await?;
        Ok(json!({"text": end.text, "unfinished": end.unfinished}).into())
    }
}

/// Works for the given time, after asking the user if `asks` is set, and ends when cancelled.
struct Worker {
    works: Duration,
    asks: bool,
}

#[async_trait]
impl SubAgents for Worker {
    async fn run(&self, task: SubAgentTask) -> Result<SubAgentEnd, ToolError> {
        if self.asks {
            task.user.approver().ask(&request()).await;
        }
        let how = tokio::select! {
            biased;
            () = task.cancel.cancelled() => SubAgentHow::Stopped,
            () = sleep(self.works) => SubAgentHow::Answered,
        };
        Ok(SubAgentEnd {
            how,
            text: "so far".into(),
            sources: Vec::new(),
            seen: Default::default(),
            local_only: true,
            untrusted: true,
            unknown: true,
        })
    }
}

fn request() -> ApprovalRequest {
    ApprovalRequest {
        call: "call2".into(),
        tool: "crm.add_contact".into(),
        args: json!({}),
        effect: nova_protocol::Effect::Write,
        principal: nova_protocol::PrincipalView {
            kind: nova_protocol::PrincipalKind::Subagent,
            name: "helper".into(),
        },
        question: "Change 1 note?".into(),
        decisions: vec![Decision::Once, Decision::Deny],
        editable: false,
        diff: None,
        details: Vec::new(),
        host: None,
        credentials: Vec::new(),
        elicitation: None,
        revision: 1,
    }
}

/// Answers after an hour.
struct Hesitant;

#[async_trait]
impl Approver for Hesitant {
    async fn ask(&self, _: &ApprovalRequest) -> Answer {
        sleep(Duration::from_secs(3600)).await;
        Answer::Decided { decision: Decision::Once, args: None, by: "you".into(), reason: None }
    }
}

fn scope(worker: Worker, spec: ToolSpec) -> CallScope {
    let bench = Bench::new(fetch(Effect::Read, &[]), ScriptedApprover::default(), &[])
        .with_approver(Hesitant, Duration::from_secs(1));
    let snapshot = snapshot_of(vec![Box::new(Boss(spec))]);
    CallScope { snapshot, sub_agents: Arc::new(worker), ..bench.scope }
}

fn call() -> Call {
    Call::with_value("call1".into(), "boss.give", json!({}))
}

async fn outcome(works: u64, asks: bool) -> Outcome {
    let scope = scope(Worker { works: Duration::from_secs(works), asks }, boss());
    run_call(&scope, call(), CancellationToken::new()).await
}

#[tokio::test(start_paused = true)]
async fn task_has_its_own_time_limit() {
    let begun = Instant::now();
    let outcome = outcome(599, false).await;
    assert_eq!(outcome.result.unwrap(), json!({"text": "so far", "unfinished": null}));
    assert_eq!(begun.elapsed().as_secs(), 599);
    assert!(outcome.from_outside && outcome.local_only);
}

#[tokio::test(start_paused = true)]
async fn task_returns_partial_work_at_its_time_limit() {
    let begun = Instant::now();
    let outcome = outcome(10_000, false).await;
    assert_eq!(outcome.result.unwrap(), json!({"text": "so far", "unfinished": "10 minutes used up"}));
    assert_eq!(begun.elapsed(), LIMIT);
}

#[tokio::test(start_paused = true)]
async fn questions_of_a_task_do_not_count_as_its_time() {
    let outcome = outcome(500, true).await;
    assert_eq!(outcome.result.unwrap()["unfinished"], Value::Null);
    assert_eq!(outcome.ms, 500_000);
}

#[tokio::test(start_paused = true)]
async fn stopped_call_waits_for_its_sub_agent() {
    let scope = scope(Worker { works: Duration::from_secs(100), asks: false }, boss());
    let stop = CancellationToken::new();
    let (stopped, _) = tokio::join!(run_call(&scope, call(), stop.clone()), async {
        sleep(Duration::from_secs(3)).await;
        stop.cancel();
    });
    assert_eq!(stopped.result.unwrap_err().code, ErrorCode::Cancelled);
    assert!(stopped.unknown, "outcome of the sub-agent is unknown");
}

#[tokio::test(start_paused = true)]
async fn delegating_call_is_never_detached() {
    let scope = scope(Worker { works: Duration::from_secs(60), asks: false }, boss());
    let settled = run_or_detach(&scope, call(), CancellationToken::new(), Duration::from_secs(5)).await;
    assert!(matches!(settled, Settled::Ended(outcome) if outcome.result.is_ok()));
}

#[tokio::test]
async fn undeclared_delegation_is_refused() {
    let spec = ToolSpec { delegates: false, ..boss() };
    let scope = scope(Worker { works: Duration::ZERO, asks: false }, spec);
    let refused = run_call(&scope, call(), CancellationToken::new()).await.result.unwrap_err();
    assert!(refused.message.contains("may not start a sub-agent"), "{refused}");
}
