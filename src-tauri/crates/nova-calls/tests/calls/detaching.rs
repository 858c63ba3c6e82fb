//! Calls that take longer than their turn waits.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use nova_calls::{Answer, ApprovalRequest, Approver, Call, CallScope, Settled, run_or_detach};
use nova_protocol::{Decision, Event};
use nova_skill::{
    CallToken, Description, Effect, Output, OutputPart, Progress, Skill, Tool, ToolContext, ToolError,
    ToolOutput, ToolSpec, Value, async_trait, json,
};
use nova_testkit::{ScriptedApprover, snapshot_of};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{Bench, fetch};

const SETTLE: Duration = Duration::from_secs(5);

/// `slow.work`: reports progress every second, and ends after `seconds`.
#[derive(Clone)]
struct Slow(ToolSpec);

fn slow(effect: Effect) -> Slow {
    let parameters = json!({"type": "object", "properties": {"seconds": {"type": "integer"}}});
    let spec = ToolSpec::new("work", Description::purpose("Works."), parameters, effect);
    Slow(ToolSpec { on_notes: effect == Effect::Write, ..spec })
}

impl Skill for Slow {
    fn skill_md(&self) -> &str {
        "---\nname: slow\ndescription: Works.\n---\nWork.\n"
    }

    fn manifest(&self) -> &str {
        "display_name: Slow\nversion: 1.0.0\n"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(self.clone())]
    }
}

#[async_trait]
impl Tool for Slow {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(
        &self,
        _: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        let seconds = args["seconds"].as_u64().unwrap_or_default();
        let parts = futures::stream::unfold((1, ctx), move |(second, ctx)| async move {
            if second > seconds {
                let end = OutputPart::End(Ok(Output::new(json!({"worked": seconds}))));
                return Some((end, (second, ctx)));
            }
            sleep(Duration::from_secs(1)).await;
            ctx.progress(Progress { fraction: None, message: Some(format!("{second} s")) });
            Some((OutputPart::Partial(json!({"seconds": second})), (second + 1, ctx)))
        });
        Ok(ToolOutput::Stream(Box::pin(parts)))
    }
}

/// Allows everything after ten minutes.
struct Hesitant;

#[async_trait]
impl Approver for Hesitant {
    async fn ask(&self, _: &ApprovalRequest) -> Answer {
        sleep(Duration::from_secs(600)).await;
        Answer::Decided { decision: Decision::Once, args: None, by: "you".into(), reason: None }
    }
}

fn bench(effect: Effect) -> Bench {
    let bench = Bench::new(fetch(Effect::Read, &[]), ScriptedApprover::always(Decision::Once), &[]);
    let scope = CallScope { snapshot: snapshot_of(vec![Box::new(slow(effect))]), ..bench.scope.clone() };
    Bench { scope, ..bench }
}

async fn work(bench: &Bench, seconds: u64) -> Settled {
    let call = Call::with_value("call1".into(), "slow.work", json!({"seconds": seconds}));
    run_or_detach(&bench.scope, call, CancellationToken::new(), SETTLE).await
}

#[tokio::test(start_paused = true)]
async fn slow_read_is_detached_with_its_partial_result() {
    let bench = bench(Effect::Read);
    let begun = Instant::now();
    let Settled::Detached(detached) = work(&bench, 8).await else { panic!("not detached") };
    assert_eq!(begun.elapsed(), SETTLE);
    // The progress of the fifth second arrives at the same instant, so it may be missing.
    let so_far = detached.watch().so_far().partial.unwrap();
    assert!(so_far == json!({"seconds": 4}) || so_far == json!({"seconds": 5}), "{so_far}");
    let told = bench.events.wait_for_type("tool_call_detached").await;
    assert!(matches!(told, Event::ToolCallDetached { ref call, .. } if call == "call1"), "{told:?}");

    let outcome = detached.end().await;
    assert_eq!(outcome.result.unwrap(), json!({"worked": 8}));
    assert_eq!(begun.elapsed().as_secs(), 8);
    let kinds = bench.events.types();
    assert_eq!(kinds.iter().filter(|kind| *kind == "tool_call_completed").count(), 1, "{kinds:?}");
    assert_eq!(kinds.last().unwrap(), "tool_call_completed");
    let progress = bench.events.events().into_iter().filter_map(|event| match event {
        Event::ToolCallProgress { partial, .. } => partial,
        _ => None,
    });
    let progress: Vec<_> = progress.collect();
    assert_eq!(progress.last().unwrap(), &json!({"seconds": 8}), "it continues reporting");
}

#[tokio::test(start_paused = true)]
async fn call_that_ends_in_time_is_not_detached() {
    let bench = bench(Effect::Read);
    let Settled::Ended(outcome) = work(&bench, 4).await else { panic!("detached unexpectedly") };
    assert_eq!(outcome.result.unwrap(), json!({"worked": 4}));
    assert!(!bench.events.types().contains(&"tool_call_detached".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn call_that_writes_is_never_detached() {
    for effect in [Effect::Write, Effect::Destructive, Effect::Send, Effect::Undeclared] {
        let bench = bench(effect);
        let Settled::Ended(outcome) = work(&bench, 50).await else { panic!("{effect:?} was detached") };
        assert_eq!(outcome.result.unwrap(), json!({"worked": 50}), "{effect:?}");
        assert!(!bench.events.types().contains(&"tool_call_detached".to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_for_an_answer_does_not_detach() {
    let bench = bench(Effect::External);
    let limit = Duration::from_secs(60);
    let bench = bench.with_approver(Hesitant, limit);
    let Settled::Ended(outcome) = work(&bench, 4).await else { panic!("detached after four seconds") };
    assert!(outcome.result.is_ok(), "{outcome:?}");
    let Settled::Detached(detached) = work(&bench, 6).await else { panic!("not detached after six seconds") };
    assert!(detached.end().await.result.is_ok());
}

#[tokio::test(start_paused = true)]
async fn detached_call_has_a_time_limit_and_can_be_stopped() {
    let mut bench = bench(Effect::External);
    bench.scope.access.time_limit = Duration::from_secs(60);
    let Settled::Detached(detached) = work(&bench, 600).await else { panic!("not detached") };
    let begun = Instant::now();
    let error = detached.end().await.result.unwrap_err();
    assert_eq!(error.code.as_str(), "tool_timed_out");
    assert_eq!((begun.elapsed() + SETTLE).as_secs(), 60);

    let Settled::Detached(detached) = work(&bench, 40).await else { panic!("not detached") };
    detached.stop().cancel();
    let outcome = detached.end().await;
    assert_eq!(outcome.result.unwrap_err().code.as_str(), "cancelled");
    assert!(!outcome.unknown, "its outcome is known");
    let so_far = outcome.so_far.unwrap();
    assert!(so_far == json!({"seconds": 4}) || so_far == json!({"seconds": 5}), "{so_far}");
    let mut told = bench.events.events().into_iter().filter_map(|event| match event {
        Event::ToolCallCompleted { so_far, .. } => so_far,
        _ => None,
    });
    assert_eq!(told.next_back(), Some(so_far), "the end keeps the partial result");
}

#[tokio::test(start_paused = true)]
async fn partial_result_from_outside_taints_the_turn() {
    let bench = bench(Effect::External);
    assert!(!bench.scope.history.is_tainted());
    let Settled::Detached(detached) = work(&bench, 6).await else { panic!("not detached") };
    assert!(bench.scope.history.is_tainted());
    assert!(detached.end().await.from_outside);
}

#[tokio::test(start_paused = true)]
async fn rule_added_after_detaching_applies_to_the_result() {
    let bench = bench(Effect::Read);
    let Settled::Detached(detached) = work(&bench, 8).await else { panic!("not detached") };
    let rules = nova_registry::Rules::parse("permissions:\n  deny: [slow__work]\n").unwrap();
    bench.scope.access.rules.replace(rules);
    let error = detached.end().await.result.unwrap_err();
    assert_eq!(error.code.as_str(), "denied_by_rule");
}
