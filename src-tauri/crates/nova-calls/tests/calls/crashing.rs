//! Tools that panic or never end, in a task of their own or as a part of their call's.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use nova_calls::{Call, CallScope, run_call};
use nova_protocol::{Decision, ErrorCode};
use nova_skill::{
    CallToken, Description, Effect, Skill, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, Value,
    async_trait, json,
};
use nova_testkit::{ScriptedApprover, snapshot_of};
use tokio_util::sync::CancellationToken;

use crate::{Bench, fetch};

/// `faulty.work {panics}`: panics after its first wait, or never ends.
#[derive(Clone)]
struct Faulty(ToolSpec);

impl Skill for Faulty {
    fn skill_md(&self) -> &str {
        "---\nname: faulty\ndescription: Works.\n---\nWork.\n"
    }

    fn manifest(&self) -> &str {
        "display_name: Faulty\nversion: 1.0.0\n"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(self.clone())]
    }
}

#[async_trait]
impl Tool for Faulty {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(&self, _: CallToken, args: Value, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        tokio::task::yield_now().await;
        assert!(args["panics"] != true, "the tool panics");
        std::future::pending().await
    }
}

async fn check(nonblocking: bool, args: Value, code: ErrorCode, message: &str) {
    let parameters = json!({"type": "object", "properties": {"panics": {"type": "boolean"}}});
    let spec = ToolSpec::new("work", Description::purpose("Works."), parameters, Effect::Read);
    let faulty = Faulty(ToolSpec { nonblocking, time_limit: Some(Duration::from_secs(3)), ..spec });
    let bench = Bench::new(fetch(Effect::Read, &[]), ScriptedApprover::always(Decision::Once), &[]);
    let scope = CallScope { snapshot: snapshot_of(vec![Box::new(faulty)]), ..bench.scope };

    let call = Call::with_value("call1".into(), "faulty.work", args);
    let error = run_call(&scope, call, CancellationToken::new()).await.result.unwrap_err();

    assert_eq!((error.code, error.message.as_str()), (code, message), "nonblocking: {nonblocking}");
}

#[tokio::test]
async fn panic_fails_only_its_call() {
    for nonblocking in [false, true] {
        check(
            nonblocking,
            json!({"panics": true}),
            ErrorCode::ToolFailed,
            "faulty.work crashed. Nothing was written.",
        )
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn endless_tool_is_stopped_at_its_time_limit() {
    for nonblocking in [false, true] {
        check(
            nonblocking,
            json!({}),
            ErrorCode::ToolTimedOut,
            "faulty.work did not finish in 3 s and was stopped.",
        )
        .await;
    }
}
