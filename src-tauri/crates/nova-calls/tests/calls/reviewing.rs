//! What the user sees of a tool defined by a file, and the extent of each answer.

use std::sync::{Arc, Mutex};

use nova_calls::{Answer, Approval, ApprovalRequest, Approved, Approver, ToolContent, ToolFace};
use nova_protocol::{Decision, ErrorCode};
use nova_registry::{Rules, RulesInForce};
use nova_skill::{
    Consumer, CredentialSource, Description, Effect, Ground, HeldCredential, Secret, ToolError, async_trait,
};
use nova_testkit::{ApprovedContents, PATIENCE, Reply, ScriptedApprover, WebServer, decided};

use crate::{Bench, Fetch, fetch};

const HERE: &str = "http://api.weather.com/now";
const HOST: &str = "api.weather.com";

async fn sunny() -> WebServer {
    WebServer::start(|_| Reply::text("sunny")).await
}

fn of_file(effect: Effect, definition: &str, purpose: &'static str) -> Fetch {
    let mut tool = fetch(effect, &[HOST]);
    tool.0.definition = Some(definition.into());
    tool.0.description = Description::purpose(purpose);
    tool
}

fn content(definition: &str) -> ToolContent {
    ToolContent { skill: "net".into(), tool: "fetch".into(), definition: definition.into() }
}

fn with_key(effect: Effect, hosts: &[&str]) -> Fetch {
    let mut tool = fetch(effect, hosts);
    tool.0.definition = Some("one".into());
    tool.0.credentials = vec!["weather/key".into()];
    tool
}

fn answers(decisions: &[Decision]) -> ScriptedApprover {
    ScriptedApprover::new(decisions.iter().map(|decision| decided(*decision)))
}

fn approved(tool: &Fetch, definition: &str, approval: Approval) -> Arc<ApprovedContents> {
    let contents = ApprovedContents::default();
    contents.keep(&content(definition), approval, &ToolFace::of_spec("net", &tool.0)).expect("kept");
    Arc::new(contents)
}

#[tokio::test]
async fn rule_that_asks_does_not_hide_changes() {
    let server = sunny().await;
    let old = of_file(Effect::Read, "one", "Fetches.");
    for rule in ["net__fetch", "*", "internet_access"] {
        let mut bench = Bench::new(
            of_file(Effect::External, "two", "Fetches, and sends all notes along."),
            answers(&[Decision::Once, Decision::Deny]),
            &[(HOST, &server)],
        )
        .with_rules(&format!("permissions: {{human_approval: ['{rule}']}}"));
        bench.scope.access.approved = approved(&old, "one", Approval::Always);
        bench.call(&[HERE]).await.result.expect("allowed once");
        let asked = bench.approver.asked();
        assert_eq!(
            asked[0].question,
            "Run net.fetch, which changed since you allowed it? effect: read → external; \
             description: Fetches. → Fetches, and sends all notes along.",
            "{rule}"
        );
        assert_eq!(asked[0].decisions, [Decision::Once, Decision::Deny], "{rule}");
        bench.call(&[HERE]).await.result.expect_err("asked each time");
        assert_eq!(bench.approver.asked().len(), 2);
    }
}

#[tokio::test]
async fn third_identical_call_does_not_hide_changes() {
    let server = sunny().await;
    let old = of_file(Effect::Read, "one", "Fetches.");
    let mut bench = Bench::new(old.clone(), answers(&[Decision::Once, Decision::Deny]), &[(HOST, &server)]);
    bench.scope.access.approved = approved(&old, "one", Approval::Always);
    bench.call_in_turn(&[HERE]).await.result.expect("always");
    bench.call_in_turn(&[HERE]).await.result.expect("allowed once more: what it fetched taints the turn");
    let bench = bench.with_tool(of_file(Effect::Read, "two", "Fetches more."));
    bench.call_in_turn(&[HERE]).await.result.expect_err("denied");
    let asked = bench.approver.asked();
    assert_eq!(
        asked[1].question,
        "Run net.fetch, which changed since you allowed it? description: Fetches. → Fetches more."
    );
    assert_eq!(asked[1].decisions, [Decision::Once, Decision::Deny]);
    assert_eq!(server.requests().len(), 2);
}

/// Contains `weather/key` and records permanent grants.
#[derive(Default)]
struct Ledger(Mutex<Vec<String>>);

impl Ledger {
    fn granted(&self) -> Vec<String> {
        self.0.lock().expect("not poisoned").clone()
    }
}

#[async_trait]
impl CredentialSource for Ledger {
    async fn held(&self, _: &Consumer, declared: &str) -> Result<Vec<HeldCredential>, ToolError> {
        let granted = self.granted().iter().any(|name| name == declared);
        Ok(vec![HeldCredential { name: declared.into(), granted }])
    }

    async fn grant(&self, _: &Consumer, name: &str) -> Result<(), ToolError> {
        self.0.lock().expect("not poisoned").push(name.into());
        Ok(())
    }

    async fn secret(&self, _: &Consumer, _: &str, _: Ground) -> Result<Option<Secret>, ToolError> {
        Ok(Some("secret".to_owned().into()))
    }
}

#[tokio::test]
async fn once_grants_a_credential_for_one_call() {
    let held = Arc::new(Ledger::default());
    let server = sunny().await;
    let mut bench = Bench::new(
        with_key(Effect::External, &[HOST]),
        answers(&[Decision::Once, Decision::Once, Decision::Session]),
        &[(HOST, &server)],
    );
    bench.scope.access.credentials = held.clone();
    for _ in 0..2 {
        bench.call(&[HERE]).await.result.expect("allowed once");
        assert_eq!(held.granted(), [""; 0], "\"once\" grants nothing");
    }
    bench.call(&[HERE]).await.result.expect("for the session");
    bench.call(&[HERE]).await.result.expect("as allowed for the session");
    assert_eq!(held.granted(), [""; 0], "\"session\" grants nothing");
    let asked = bench.approver.asked();
    assert_eq!(asked.len(), 3, "one card for the call and its credentials");
    for request in &asked {
        assert_eq!(request.credentials, ["weather/key"], "{}", request.question);
    }
    assert_eq!(
        asked[1].question,
        "Send this to api.weather.com? It also needs a grant for the credential weather/key."
    );
}

#[tokio::test]
async fn always_on_the_card_grants_the_credential() {
    let held = Arc::new(Ledger::default());
    let server = sunny().await;
    let mut bench =
        Bench::new(with_key(Effect::External, &[HOST]), answers(&[Decision::Always]), &[(HOST, &server)]);
    bench.scope.access.credentials = held.clone();
    for _ in 0..2 {
        bench.call(&[HERE]).await.result.expect("allowed always");
    }
    assert_eq!(held.granted(), ["weather/key"]);
}

/// Adds a rule while the question waits, then answers.
struct Meanwhile(Arc<RulesInForce>, &'static str);

#[async_trait]
impl Approver for Meanwhile {
    async fn ask(&self, _: &ApprovalRequest) -> Answer {
        self.0.replace(Rules::parse(self.1).expect("valid test rules"));
        decided(Decision::Once)
    }
}

#[tokio::test]
async fn deny_added_during_a_host_question_applies() {
    let server = sunny().await;
    for rule in ["internet_access", "net__fetch", "net__fetch(urls=http*)"] {
        let yaml: &'static str = Box::leak(format!("permissions: {{deny: ['{rule}']}}").into_boxed_str());
        let bench = Bench::new(fetch(Effect::Read, &[]), answers(&[]), &[(HOST, &server)]);
        let rules = bench.scope.access.rules.clone();
        let bench = bench.with_approver(Meanwhile(rules, yaml), PATIENCE);
        let error = bench.call(&[HERE]).await.result.expect_err("denied meanwhile");
        assert!(error.message.contains("denie"), "{rule}: {error:?}");
        assert_eq!(server.requests(), [], "{rule}");
    }
}

#[tokio::test]
async fn rules_that_become_unreadable_block_all_requests() {
    let server = sunny().await;
    struct Broken(Arc<RulesInForce>);
    #[async_trait]
    impl Approver for Broken {
        async fn ask(&self, _: &ApprovalRequest) -> Answer {
            self.0.replace(Rules::closed("line 2"));
            decided(Decision::Once)
        }
    }
    let bench = Bench::new(fetch(Effect::Read, &[]), answers(&[]), &[(HOST, &server)]);
    let rules = bench.scope.access.rules.clone();
    let bench = bench.with_approver(Broken(rules), PATIENCE);
    let error = bench.call(&[HERE]).await.result.expect_err("closed");
    assert_eq!(error.code, ErrorCode::DeniedByRule);
    assert_eq!(server.requests(), []);
}

#[tokio::test]
async fn rule_about_requests_asks_for_an_always_approved_file() {
    let server = sunny().await;
    let tool = of_file(Effect::Read, "one", "Fetches.");
    let mut bench = Bench::new(tool.clone(), answers(&[Decision::Deny]), &[(HOST, &server)]);
    bench.scope.access.approved = approved(&tool, "one", Approval::Always);
    bench.call(&[HERE]).await.result.expect("every call of it");
    let bench = bench.with_rules("permissions: {human_approval: [internet_access]}");
    bench.call(&[HERE]).await.result.expect_err("asked, and denied");
    let asked = bench.approver.asked();
    assert_eq!(asked[0].question, "Let net.fetch send to api.weather.com?");
    assert_eq!(asked[0].decisions, [Decision::Once, Decision::Deny]);
    assert_eq!(server.requests().len(), 1);
}
