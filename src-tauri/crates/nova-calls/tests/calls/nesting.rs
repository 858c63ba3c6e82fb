//! Inner calls, made by a running tool.

use std::sync::Arc;

use nova_calls::{Call, run_call};
use nova_protocol::Event;
use nova_skill::{
    CallToken, Description, Effect, Skill, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, Value,
    async_trait, json,
};
use nova_testkit::{ScriptedApprover, snapshot_of};
use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;

use crate::{Bench, fetch};

/// `net.both` makes two concurrent calls of `net.meet`, each of which waits for the other.
struct Meeting(Arc<Barrier>);

impl Skill for Meeting {
    fn skill_md(&self) -> &str {
        "---\nname: net\ndescription: Meets.\n---\nMeet.\n"
    }

    fn manifest(&self) -> &str {
        "display_name: Net\nversion: 1.0.0\n"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let spec = |id: &str, effect: Effect| {
            let parameters = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
            ToolSpec::new(id, Description::purpose("Meets."), parameters, effect)
        };
        let both = ToolSpec { calls_tools: true, on_notes: true, ..spec("both", Effect::Write) };
        vec![Arc::new(Both(both)), Arc::new(Meet(spec("meet", Effect::Read), self.0.clone()))]
    }
}

struct Both(ToolSpec);

#[async_trait]
impl Tool for Both {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(&self, _: CallToken, _: Value, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let (one, other) = tokio::join!(
            ctx.tools().call("net.meet", json!({"n": 1})),
            ctx.tools().call("net.meet", json!({"n": 2})),
        );
        Ok(json!([one.is_ok(), other.is_ok()]).into())
    }
}

struct Meet(ToolSpec, Arc<Barrier>);

#[async_trait]
impl Tool for Meet {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(&self, _: CallToken, _: Value, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        self.1.wait().await;
        Ok(json!("met").into())
    }
}

#[tokio::test]
async fn inner_calls_run_concurrently_and_name_the_outer_call() {
    let mut bench = Bench::new(fetch(Effect::Read, &[]), ScriptedApprover::default(), &[]);
    bench.scope.snapshot = snapshot_of(vec![Box::new(Meeting(Arc::new(Barrier::new(2))))]);
    let call = Call::with_value("call1".into(), "net.both", json!({}));
    let outcome = run_call(&bench.scope, call, CancellationToken::new()).await;
    assert_eq!(outcome.result, Ok(json!([true, true])));
    let started: Vec<(String, Option<String>)> = bench
        .events
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::ToolCallStarted { call, within, .. } => Some((call, within)),
            _ => None,
        })
        .collect();
    let of_outer = Some("call1".to_owned());
    assert_eq!(started[0], ("call1".into(), None));
    assert_eq!(started.len(), 3);
    assert!(started[1..].iter().all(|(_, within)| *within == of_outer), "{started:?}");
}

#[tokio::test]
async fn tool_of_an_uncallable_skill_is_refused() {
    let mut bench = Bench::new(fetch(Effect::Read, &[]), ScriptedApprover::default(), &[]);
    bench.scope.snapshot = snapshot_of(vec![Box::new(Meeting(Arc::new(Barrier::new(2))))]);
    bench.scope.callable = Some(Arc::default());
    let call = Call::with_value("call1".into(), "net.both", json!({}));
    let outcome = run_call(&bench.scope, call, CancellationToken::new()).await;
    assert_eq!(outcome.result, Ok(json!([false, false])));
}
