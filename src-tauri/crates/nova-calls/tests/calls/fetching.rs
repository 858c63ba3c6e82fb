//! Which hosts a call may contact, and which questions it asks.

use std::sync::Arc;
use std::time::Duration;

use nova_calls::{Answer, ApprovalRequest, Approver, Call, NoApprover, run_call};
use nova_protocol::{Decision, ErrorCode, Event, SourceView};
use nova_skill::{
    CallToken, Effect, Skill, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, Value, async_trait, json,
};
use nova_testkit::{PATIENCE, Reply, ScriptedApprover, WebServer, decided, denied, snapshot_of};
use tokio_util::sync::CancellationToken;

use crate::{Bench, fetch};

const HERE: &str = "http://api.weather.com/now?key=k";
const THERE: &str = "http://other.example.com/";

async fn sunny() -> WebServer {
    WebServer::start(|_| Reply::text("sunny")).await
}

fn answers(decisions: &[Decision]) -> ScriptedApprover {
    ScriptedApprover::new(decisions.iter().map(|decision| decided(*decision)))
}

#[tokio::test]
async fn declared_host_is_asked_about_once_before_the_call() {
    let server = sunny().await;
    let bench = Bench::new(
        fetch(Effect::External, &["API.weather.com."]),
        answers(&[Decision::Once, Decision::Once]),
        &[("api.weather.com", &server)],
    );
    let outcome = bench.call(&[HERE]).await;
    assert_eq!(outcome.result, Ok(json!(["sunny"])));
    let place = SourceView::web("http://api.weather.com/now", "2026-11-21T09:00:00Z");
    assert_eq!(outcome.sources, [place], "the query is dropped");
    assert_eq!(bench.approver.asked()[0].question, "Send this to api.weather.com?");
    bench.call(&[HERE]).await.result.expect("allowed again");
    assert_eq!(bench.asked(), ["api.weather.com", "api.weather.com"], "once allows one request");
}

#[tokio::test]
async fn session_grant_covers_one_host() {
    let (server, other) = (sunny().await, sunny().await);
    let bench = Bench::new(
        fetch(Effect::External, &["api.weather.com"]),
        answers(&[Decision::Session, Decision::Session]),
        &[("api.weather.com", &server), ("other.example.com", &other)],
    );
    for urls in [[HERE, HERE], [HERE, THERE], [THERE, HERE]] {
        bench.call(&urls).await.result.expect("allowed");
    }
    assert_eq!(bench.asked(), ["api.weather.com", "other.example.com"]);
}

#[tokio::test]
async fn hosts_in_arguments_are_granted_one_by_one() {
    let (server, other) = (sunny().await, sunny().await);
    let bench = Bench::new(
        fetch(Effect::External, &["*"]),
        answers(&[Decision::Session, Decision::Session]),
        &[("api.weather.com", &server), ("other.example.com", &other)],
    );
    for urls in [[HERE], [THERE], [HERE], [THERE]] {
        bench.call(&urls).await.result.expect("allowed");
    }
    assert_eq!(bench.asked(), ["api.weather.com", "other.example.com"]);
    assert_eq!(bench.approver.asked()[1].question, "Send this to other.example.com?");
    let without_always = [Decision::Once, Decision::Session, Decision::Deny];
    assert_eq!(bench.decisions(), [without_always, without_always], "a rule would cover every host");
}

#[tokio::test]
async fn rule_with_arguments_covers_the_hosts_of_its_calls() {
    let server = sunny().await;
    let bench = Bench::new(
        fetch(Effect::External, &["*"]),
        answers(&[]),
        &[("api.weather.com", &server), ("other.example.com", &server)],
    )
    .with_rules("permissions: {allow: ['net__fetch(urls=http://api.weather.com/*)']}");
    bench.call(&[HERE]).await.result.expect("by the rule");
    assert_eq!(bench.asked(), [""; 0]);
    bench.call(&[THERE]).await.result.expect_err("no approver");
    assert_eq!(bench.asked(), ["other.example.com"]);
}

#[tokio::test]
async fn denied_call_contacts_no_host() {
    let server = sunny().await;
    let bench = Bench::new(
        fetch(Effect::External, &["api.weather.com"]),
        ScriptedApprover::new([denied("not now")]),
        &[("api.weather.com", &server)],
    );
    assert_eq!(bench.call(&[HERE]).await.result.expect_err("denied").code, ErrorCode::DeniedByUser);
    assert_eq!(server.requests(), []);
}

#[tokio::test]
async fn second_host_asks_during_the_run() {
    let (server, other) = (sunny().await, sunny().await);
    let bench = Bench::new(
        fetch(Effect::External, &["api.weather.com"]),
        ScriptedApprover::new([decided(Decision::Once), denied("who is that")]),
        &[("api.weather.com", &server), ("other.example.com", &other)],
    );
    let error = bench.call(&[HERE, THERE]).await.result.expect_err("denied");
    assert_eq!(error.code, ErrorCode::DeniedByUser);
    assert_eq!(error.message, "other.example.com was not contacted: denied by you: who is that.");
    assert_eq!((server.requests().len(), other.requests().len()), (1, 0));
    let asked = bench.approver.asked();
    assert_eq!(asked[1].call, "call1");
    assert_eq!(asked[1].args, json!({"urls": [HERE, THERE]}));
    assert_eq!((asked[0].revision, asked[1].revision), (1, 2));
    assert_eq!(asked[1].decisions, [Decision::Once, Decision::Session, Decision::Deny]);
    assert!(!asked[1].editable);
}

#[tokio::test]
async fn redirect_to_another_host_asks() {
    let other = sunny().await;
    let server = WebServer::start(|_| Reply::to(302, THERE)).await;
    let bench = Bench::new(
        fetch(Effect::External, &["api.weather.com"]),
        answers(&[Decision::Once, Decision::Deny]),
        &[("api.weather.com", &server), ("other.example.com", &other)],
    );
    bench.call(&[HERE]).await.result.expect_err("denied");
    assert_eq!(bench.asked(), ["api.weather.com", "other.example.com"]);
    assert_eq!(other.requests(), []);
}

#[tokio::test]
async fn concurrent_requests_to_one_host_ask_once() {
    let server = sunny().await;
    for decision in [Decision::Once, Decision::Deny] {
        let bench =
            Bench::new(fetch(Effect::Read, &[]), answers(&[decision]), &[("api.weather.com", &server)]);
        let outcome = bench.call(&[HERE, HERE, HERE]).await;
        assert_eq!(outcome.result.is_ok(), decision == Decision::Once);
        assert_eq!(bench.asked(), ["api.weather.com"]);
    }
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn tool_declared_as_reading_asks_before_a_request() {
    let server = sunny().await;
    let bench = Bench::new(
        fetch(Effect::Read, &["api.weather.com"]),
        answers(&[Decision::Once]),
        &[("api.weather.com", &server)],
    );
    bench.call(&[HERE]).await.result.expect("allowed");
    assert_eq!(bench.asked(), ["api.weather.com"]);
    assert_eq!(bench.approver.asked()[0].effect, nova_protocol::Effect::External);
}

#[tokio::test]
async fn rule_covers_only_declared_hosts() {
    let (server, other) = (sunny().await, sunny().await);
    let servers = [("api.weather.com", &server), ("other.example.com", &other)];
    let tool = || fetch(Effect::External, &["api.weather.com"]);
    let bench = Bench::new(tool(), answers(&[Decision::Deny]), &servers)
        .with_rules("permissions: {allow: [net__fetch]}");
    bench.call(&[HERE]).await.result.expect("by the rule");
    assert_eq!(bench.asked(), [""; 0]);
    bench.call(&[THERE]).await.result.expect_err("denied");
    assert_eq!(bench.asked(), ["other.example.com"]);

    let bench = Bench::new(tool(), answers(&[]), &servers)
        .with_rules("permissions: {allow: [net__fetch], deny: ['net__*']}");
    assert_eq!(bench.call(&[HERE]).await.result.expect_err("denied").code, ErrorCode::DeniedByRule);

    let bench = Bench::new(tool(), answers(&[Decision::Once, Decision::Once]), &servers)
        .with_rules("permissions: {human_approval: [net__fetch]}");
    bench.call(&[HERE, THERE]).await.result.expect("allowed");
    assert_eq!(bench.decisions(), [[Decision::Once, Decision::Deny]; 2], "each host asks each time");
}

#[tokio::test]
async fn nothing_is_sent_without_a_user() {
    let server = sunny().await;
    let bench = Bench::new(fetch(Effect::Read, &[]), answers(&[]), &[("api.weather.com", &server)])
        .with_approver(NoApprover, nova_testkit::PATIENCE);
    let error = bench.call(&[HERE]).await.result.expect_err("no approver");
    assert_eq!(error.code, ErrorCode::ApprovalUnanswered);
    assert!(error.message.contains("nobody can approve it"), "{error}");
    assert_eq!(server.requests(), []);
}

/// Never answers.
struct Silent;

#[async_trait]
impl Approver for Silent {
    async fn ask(&self, _: &ApprovalRequest) -> Answer {
        std::future::pending().await
    }
}

#[tokio::test]
async fn stop_during_a_question_ends_the_call() {
    let server = sunny().await;
    let bench = Bench::new(fetch(Effect::Read, &[]), answers(&[]), &[("api.weather.com", &server)])
        .with_approver(Silent, nova_testkit::PATIENCE);
    let cancel = CancellationToken::new();
    let call = Call::with_value("call1".into(), "net.fetch", json!({ "urls": [HERE] }));
    let stop = async {
        bench.events.wait_for_type("approval_requested").await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(run_call(&bench.scope, call, cancel.clone()), stop);
    assert_eq!(outcome.result.expect_err("stopped").code, ErrorCode::Cancelled);
    assert_eq!(server.requests(), []);
}

/// Allows everything after an hour.
struct Slow;

#[async_trait]
impl Approver for Slow {
    async fn ask(&self, _: &ApprovalRequest) -> Answer {
        tokio::time::sleep(Duration::from_secs(3600)).await;
        decided(Decision::Once)
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_for_the_user_does_not_count_as_tool_time() {
    let server = sunny().await;
    let bench = Bench::new(fetch(Effect::Read, &[]), answers(&[]), &[("api.weather.com", &server)])
        .with_approver(Slow, Duration::from_secs(20));
    let outcome = bench.call(&[HERE]).await;
    assert_eq!(outcome.result, Ok(json!(["sunny"])));
    assert!(outcome.ms < 20_000, "{} ms", outcome.ms);
}

#[tokio::test(start_paused = true)]
async fn tool_that_takes_too_long_is_stopped() {
    let server = WebServer::start(|_| Reply::Stall(Vec::new())).await;
    let bench = Bench::new(fetch(Effect::Read, &[]), answers(&[]), &[("api.weather.com", &server)])
        .with_approver(Slow, Duration::from_secs(5));
    let error = bench.call(&[HERE]).await.result.expect_err("too long");
    assert_eq!(error.code, ErrorCode::ToolTimedOut);
}

/// Whether the outcome is unknown after a call was stopped while it waited for its response.
async fn unknown_after(effect: Effect, method: &str, by_server: bool) -> bool {
    let server = WebServer::start(|_| Reply::Stall(Vec::new())).await;
    let tool = fetch(effect, &["api.weather.com"]);
    let bench =
        Bench::new(tool.clone(), ScriptedApprover::always(Decision::Once), &[("api.weather.com", &server)]);
    let mut bench = if by_server { bench.with_server(tool) } else { bench };
    bench.scope.access.time_limit = Duration::from_secs(5);
    let call = Call::with_value("call1".into(), "net.fetch", json!({"urls": [HERE], "method": method}));
    let outcome = run_call(&bench.scope, call, CancellationToken::new()).await;
    assert_eq!(outcome.result.expect_err("too long").code, ErrorCode::ToolTimedOut);
    outcome.unknown
}

#[tokio::test(start_paused = true)]
async fn stopped_safe_request_has_no_unknown_outcome() {
    for (effect, method, by_server, unknown) in [
        (Effect::Read, "POST", false, false),
        (Effect::External, "GET", false, false),
        (Effect::External, "post", false, true),
        (Effect::External, "GET", true, true),
        (Effect::Undeclared, "GET", false, true),
        (Effect::Send, "GET", false, true),
    ] {
        assert_eq!(
            unknown_after(effect, method, by_server).await,
            unknown,
            "{effect:?} {method} {by_server}"
        );
    }
}

/// Blocks until its time is over, and only then sends a request.
#[derive(Clone)]
struct ActsLate(crate::Fetch);

impl Skill for ActsLate {
    fn skill_md(&self) -> &str {
        self.0.skill_md()
    }

    fn manifest(&self) -> &str {
        self.0.manifest()
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(self.clone())]
    }
}

#[async_trait]
impl Tool for ActsLate {
    fn spec(&self) -> &ToolSpec {
        &self.0.0
    }

    async fn run(
        &self,
        token: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        // It cannot be aborted while it blocks its thread.
        while !ctx.cancel().is_cancelled() {
            std::thread::yield_now();
        }
        self.0.run(token, args, ctx).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_made_while_stopping_count() {
    let server = WebServer::start(|_| Reply::Stall(Vec::new())).await;
    let tool = fetch(Effect::External, &["api.weather.com"]);
    let approver = ScriptedApprover::always(Decision::Once);
    let mut bench = Bench::new(tool.clone(), approver, &[("api.weather.com", &server)]);
    bench.scope.snapshot = snapshot_of(vec![Box::new(ActsLate(tool))]);
    bench.scope.access.time_limit = Duration::from_millis(1);
    let args = json!({"urls": [HERE], "method": "POST"});
    let call = Call::with_value("call1".into(), "net.fetch", args);
    let outcome = run_call(&bench.scope, call, CancellationToken::new()).await;
    assert_eq!(outcome.result.expect_err("too long").code, ErrorCode::ToolTimedOut);
    assert!(outcome.unknown, "it may have acted before the timeout");
}

fn of_file(effect: Effect, definition: &str) -> crate::Fetch {
    let mut tool = fetch(effect, &["api.weather.com"]);
    tool.0.definition = Some(definition.into());
    tool
}

#[tokio::test]
async fn first_call_of_each_content_of_a_file_asks() {
    let server = sunny().await;
    let mut bench = Bench::new(
        of_file(Effect::Read, "one"),
        answers(&[Decision::Always, Decision::Once, Decision::Deny]),
        &[("api.weather.com", &server)],
    )
    .with_rules("permissions: {allow: ['*']}");
    bench.scope.by_hand = true;
    bench.call(&[HERE]).await.result.expect("allowed");
    bench.call(&[HERE]).await.result.expect("always");
    let asked = bench.approver.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(
        asked[0].question,
        "Run net.fetch for the first time? Effect: read. Hosts: api.weather.com. Credentials: none."
    );
    assert_eq!(bench.rules.rules(), [""; 0], "a rule would cover later versions of the file");

    let bench = bench.with_tool(of_file(Effect::Send, "two"));
    bench.call(&[HERE]).await.result.expect("allowed once");
    bench.call(&[HERE]).await.result.expect_err("denied: a send asks each time");
    assert_eq!(bench.approver.asked().len(), 3);
    assert_eq!(bench.decisions()[1], [Decision::Once, Decision::Deny]);
}

#[tokio::test]
async fn session_grant_does_not_cover_a_changed_file() {
    let server = sunny().await;
    let bench = Bench::new(
        of_file(Effect::External, "one"),
        answers(&[Decision::Session, Decision::Once, Decision::Once]),
        &[("api.weather.com", &server)],
    );
    bench.call(&[HERE]).await.result.expect("allowed");
    bench.call(&[HERE]).await.result.expect("granted");
    assert_eq!(bench.approver.asked().len(), 1);
    let bench = bench.with_tool(of_file(Effect::External, "two"));
    bench.call(&[HERE]).await.result.expect("allowed");
    bench.call(&[HERE]).await.result.expect("allowed");
    assert_eq!(bench.approver.asked().len(), 3, "a seen host is not granted");
    let back = bench.with_tool(of_file(Effect::External, "one"));
    back.call(&[HERE]).await.result.expect_err("the approver is gone");
    assert_eq!(back.approver.asked().len(), 4, "a replaced file asks again");
}

#[tokio::test]
async fn always_for_a_host_outlives_the_session_but_not_the_content() {
    let (server, other) = (sunny().await, sunny().await);
    let mut bench = Bench::new(
        of_file(Effect::External, "one"),
        answers(&[Decision::Session, Decision::Always]),
        &[("api.weather.com", &server), ("other.example.com", &other)],
    );
    bench.call(&[HERE, THERE]).await.result.expect("allowed");
    let offered = bench.decisions().pop().expect("a question");
    assert_eq!(offered, [Decision::Once, Decision::Session, Decision::Always, Decision::Deny]);

    bench.scope.grants = std::sync::Arc::default();
    let bench = bench.with_approver(answers(&[Decision::Once]), PATIENCE);
    bench.call(&[HERE, THERE]).await.result.expect("asked for the declared host alone");
    assert_eq!(bench.rules.rules(), [""; 0], "no rule names a host");

    let changed = bench
        .with_tool(of_file(Effect::External, "two"))
        .with_approver(answers(&[Decision::Once, Decision::Deny]), PATIENCE);
    let error = changed.call(&[HERE, THERE]).await.result.expect_err("asked again, and denied");
    assert_eq!(error.message, "other.example.com was not contacted: denied by you.");

    // A `human_approval` rule asks each time.
    let back = changed
        .with_tool(of_file(Effect::External, "one"))
        .with_rules("permissions: {human_approval: ['net__fetch']}")
        .with_approver(answers(&[Decision::Once, Decision::Deny]), PATIENCE);
    back.call(&[HERE, THERE]).await.result.expect_err("asked again, and denied");
}

#[tokio::test]
async fn question_states_whether_the_call_is_running() {
    let (server, other) = (sunny().await, sunny().await);
    let bench = Bench::new(
        fetch(Effect::External, &["api.weather.com"]),
        answers(&[Decision::Once, Decision::Once]),
        &[("api.weather.com", &server), ("other.example.com", &other)],
    );
    bench.call(&[HERE, THERE]).await.result.expect("allowed");
    let asked = bench.events.events().into_iter().filter_map(|event| match event {
        Event::ApprovalRequested { host, mid_run, .. } => Some((host.unwrap_or_default(), mid_run)),
        _ => None,
    });
    let asked: Vec<_> = asked.collect();
    assert_eq!(asked, [("api.weather.com".to_owned(), false), ("other.example.com".to_owned(), true)]);
}
