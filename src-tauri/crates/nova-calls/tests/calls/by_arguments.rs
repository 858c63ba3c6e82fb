//! A tool whose effect depends on its arguments: without addresses it fetches nothing.

use std::sync::Arc;

use nova_calls::{Call, run_call};
use nova_protocol::{Decision, ErrorCode, Event};
use nova_skill::{
    CallToken, Description, Effect, Principal, PrincipalKind, Skill, Tool, ToolContext, ToolError,
    ToolOutput, ToolSpec, Value, async_trait, json,
};
use nova_testkit::{Reply, ScriptedApprover, WebServer, decided, snapshot_of};
use tokio_util::sync::CancellationToken;

use crate::{Bench, Fetch, fetch};

const HERE: &str = "http://api.weather.com/now";
const HOST: &str = "api.weather.com";

/// The second tool replaces the first for calls with addresses.
#[derive(Clone)]
struct Either(Fetch, Fetch);

impl Skill for Either {
    fn skill_md(&self) -> &str {
        self.0.skill_md()
    }

    fn manifest(&self) -> &str {
        self.0.manifest()
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let parameters = json!({"type": "object"});
        let spec = ToolSpec::new("script", Description::purpose("Runs a script."), parameters, Effect::Write);
        let script = Script(ToolSpec { calls_tools: true, on_notes: true, ..spec });
        vec![Arc::new(self.clone()), Arc::new(script)]
    }
}

/// Calls the other tool and returns the result.
struct Script(ToolSpec);

#[async_trait]
impl Tool for Script {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(&self, _: CallToken, _: Value, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let called = ctx.tools().call("net.fetch", json!({"urls": [HERE]})).await;
        Ok(called.unwrap_or_else(|error| json!(error.message)).into())
    }
}

#[async_trait]
impl Tool for Either {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    fn for_call(&self, args: &Value, _: &Value) -> Option<Arc<dyn Tool>> {
        let has_addresses = args["urls"].as_array().is_some_and(|urls| !urls.is_empty());
        has_addresses.then(|| Arc::new(self.1.clone()) as Arc<dyn Tool>)
    }

    async fn run(&self, _: CallToken, _: Value, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        Ok(json!("nothing was sent").into())
    }
}

async fn bench(effects: [Effect; 2], decisions: &[Decision]) -> (Bench, WebServer) {
    let server = WebServer::start(|_| Reply::text("sunny")).await;
    let [one, other] = effects.map(|effect| fetch(effect, &[HOST]));
    let answers = ScriptedApprover::new(decisions.iter().map(|decision| decided(*decision)));
    let mut bench = Bench::new(one.clone(), answers, &[(HOST, &server)]);
    bench.scope.snapshot = snapshot_of(vec![Box::new(Either(one, other))]);
    (bench, server)
}

#[tokio::test]
async fn call_is_judged_by_the_effect_of_its_arguments() {
    let (bench, _server) = bench([Effect::Read, Effect::External], &[Decision::Once]).await;
    assert_eq!(bench.call(&[]).await.result, Ok(json!("nothing was sent")));
    assert_eq!(bench.asked(), [""; 0]);
    assert_eq!(bench.call(&[HERE]).await.result, Ok(json!(["sunny"])));
    assert_eq!(bench.asked(), [HOST]);
    let started = bench.events.events().into_iter().filter_map(|event| match event {
        Event::ToolCallStarted { effect, .. } => Some(effect),
        _ => None,
    });
    assert_eq!(started.collect::<Vec<_>>(), [nova_protocol::Effect::Read, nova_protocol::Effect::External]);
}

#[tokio::test]
async fn call_denied_by_its_arguments_does_nothing() {
    let (bench, server) = bench([Effect::Read, Effect::External], &[Decision::Deny]).await;
    let error = bench.call(&[HERE]).await.result.expect_err("denied");
    assert_eq!((error.code, server.requests().len()), (ErrorCode::DeniedByUser, 0));
}

#[tokio::test]
async fn arguments_cannot_reduce_the_effect() {
    let (bench, server) = bench([Effect::External, Effect::Read], &[Decision::Once]).await;
    assert_eq!(bench.call(&[HERE]).await.result, Ok(json!("nothing was sent")), "the listed tool is called");
    assert_eq!((bench.asked().len(), server.requests().len()), (1, 0));
}

/// It knows the tool by its listed effect.
#[tokio::test]
async fn client_cannot_make_a_call_with_another_effect() {
    let (mut bench, server) = bench([Effect::Read, Effect::External], &[Decision::Once]).await;
    bench.scope.principal = Principal { kind: PrincipalKind::McpClient, ..Principal::owner() };
    bench.call(&[]).await.result.expect("the read runs");
    let error = bench.call(&[HERE]).await.result.expect_err("refused");
    assert_eq!(
        error.message,
        "net.fetch cannot be called like this by an MCP client: it changes something elsewhere."
    );
    assert_eq!((bench.asked().len(), server.requests().len()), (0, 0));
}

/// A planned call is repeated whenever a note changes.
#[tokio::test]
async fn script_cannot_make_a_call_with_another_effect() {
    let (bench, server) = bench([Effect::Read, Effect::External], &[Decision::Once]).await;
    let call = Call::with_value("call1".into(), "net.script", json!({}));
    let outcome = run_call(&bench.scope, call, CancellationToken::new()).await;
    let refused = "net.fetch cannot be called like this by a script: it changes something elsewhere.";
    assert_eq!((outcome.result, server.requests().len()), (Ok(json!(refused)), 0));
}
