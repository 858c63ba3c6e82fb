//! Runs a tool that fetches from a real server, through `run_call`, with scripted answers.

mod by_arguments;
mod crashing;
mod delegating;
mod detaching;
mod eliciting;
mod fetching;
mod nesting;
mod on_vault;
mod previewing;
mod reporting;
mod reviewing;
mod ruling;
mod secrets;
mod writing;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use nova_calls::{Access, Approver, Call, CallScope, Grants, NoCredentials, Outcome, run_call};
use nova_protocol::{Decision, Event};
use nova_registry::{
    LoadedSkill, Registry, Rules, RulesInForce, Scan, Settings, SkillMd, Source, SourceKind,
};
use nova_skill::{
    CallToken, Description, Effect, HttpRequest, Manifest, Principal, Skill, Tool, ToolContext, ToolError,
    ToolOutput, ToolSpec, Value, async_trait, json,
};
use nova_testkit::{
    ApprovedContents, FixedClock, KeptRules, PATIENCE, RecordedEvents, ScriptedApprover, WebServer,
    snapshot_of, web_of,
};
use tokio_util::sync::CancellationToken;

/// `net.fetch {urls, method}`: fetches all addresses concurrently and returns the texts.
#[derive(Clone)]
pub(crate) struct Fetch(pub(crate) ToolSpec);

pub(crate) fn fetch(effect: Effect, hosts: &[&str]) -> Fetch {
    let parameters = json!({"type": "object", "properties": {"urls": {"type": "array"}}});
    let spec = ToolSpec::new("fetch", Description::purpose("Fetches."), parameters, effect);
    Fetch(ToolSpec { hosts: hosts.iter().map(ToString::to_string).collect(), ..spec })
}

impl Skill for Fetch {
    fn skill_md(&self) -> &str {
        "---\nname: net\ndescription: Fetches.\n---\nFetch.\n"
    }

    fn manifest(&self) -> &str {
        "display_name: Net\nversion: 1.0.0\n"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(self.clone())]
    }
}

#[async_trait]
impl Tool for Fetch {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    /// The hosts in its arguments, for a tool that declares "*".
    fn hosts(&self, args: &Value, _: &Value) -> Option<Vec<String>> {
        let varies = self.0.hosts.iter().any(|host| host == "*");
        let urls = args["urls"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let urls = urls.filter_map(|url| url.parse().ok());
        varies.then(|| urls.filter_map(|url| nova_http::host_of(&url)).collect())
    }

    async fn run(
        &self,
        _: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        let urls = args["urls"].as_array().cloned().unwrap_or_default();
        let all = urls.iter().filter_map(Value::as_str).map(|url| {
            let request = HttpRequest {
                method: args["method"].as_str().unwrap_or("GET").into(),
                url: url.parse().expect("a valid test URL"),
                headers: BTreeMap::new(),
                body: None,
                timeout: None,
            };
            ctx.http().send(request)
        });
        let mut texts = Vec::new();
        for answer in futures::future::join_all(all).await {
            texts.push(String::from_utf8_lossy(&answer?.body).into_owned());
        }
        Ok(json!(texts).into())
    }
}

/// Offers the tool as an MCP server does, without a file that defines it.
struct Server(Fetch);

impl Source for Server {
    fn kind(&self) -> SourceKind {
        SourceKind::Mcp
    }

    fn scan(&self) -> Scan {
        let skill_md = SkillMd::parse(self.0.skill_md()).expect("a valid test SKILL.md");
        let tool: Arc<dyn Tool> = Arc::new(self.0.clone());
        let (tools, manifest) = (vec![tool.into()], Manifest::default());
        let skill = LoadedSkill::new("net".into(), skill_md, manifest, tools);
        Scan { skills: vec![skill], problems: Vec::new() }
    }
}

pub(crate) fn fetching(urls: &[&str]) -> Call {
    Call::with_value("call1".into(), "net.fetch", json!({ "urls": urls }))
}

/// Shared setup of the calls of a test.
pub(crate) struct Bench {
    pub(crate) scope: CallScope,
    pub(crate) approver: ScriptedApprover,
    pub(crate) events: RecordedEvents,
    pub(crate) rules: KeptRules,
}

impl Bench {
    pub(crate) fn new(tool: Fetch, approver: ScriptedApprover, servers: &[(&str, &WebServer)]) -> Self {
        let (events, rules) = (RecordedEvents::new(), KeptRules::default());
        let scope = CallScope {
            access: Access {
                vault: None,
                rules: Arc::default(),
                save_rule: Arc::new(rules.clone()),
                approved: Arc::new(ApprovedContents::default()),
                web: Arc::new(web_of(servers)),
                credentials: Arc::new(NoCredentials),
                stores: Arc::new(nova_testkit::MemoryStores::default()),
                folders: Arc::new(()),
                sandboxes: Arc::new(()),
                clock: Arc::new(FixedClock::default()),
                approver: Arc::new(approver.clone()),
                time_limit: PATIENCE,
            },
            snapshot: snapshot_of(vec![Box::new(tool)]),
            callable: None,
            grants: Arc::new(Grants::default()),
            given: Arc::new(()),
            events: Arc::new(events.clone()),
            change_set: None,
            touched: Arc::default(),
            history: Arc::default(),
            sub_agents: Arc::new(()),
            privacy: Arc::default(),
            asker: Arc::new(()),
            session: "session1".into(),
            turn: Some("turn1".into()),
            principal: Principal::owner(),
            author: "model".into(),
            by_hand: false,
        };
        Self { scope, approver, events, rules }
    }

    pub(crate) fn with_rules(mut self, yaml: &str) -> Self {
        self.scope.access.rules = Arc::new(RulesInForce::new(Rules::parse(yaml).expect("valid test rules")));
        self
    }

    pub(crate) fn with_tool(mut self, tool: Fetch) -> Self {
        self.scope.snapshot = snapshot_of(vec![Box::new(tool)]);
        self
    }

    /// Replaces the tool by one that a server offers.
    pub(crate) fn with_server(mut self, tool: Fetch) -> Self {
        self.scope.snapshot = Registry::new(vec![Box::new(Server(tool))], &Settings::default()).snapshot();
        self
    }

    pub(crate) fn with_approver(mut self, approver: impl Approver + 'static, limit: Duration) -> Self {
        self.scope.access.approver = Arc::new(approver);
        self.scope.access.time_limit = limit;
        self
    }

    /// Makes a call in a new turn.
    pub(crate) async fn call(&self, urls: &[&str]) -> Outcome {
        let scope = CallScope { history: Arc::default(), ..self.scope.clone() };
        run_call(&scope, fetching(urls), CancellationToken::new()).await
    }

    /// Makes a call in the shared turn.
    pub(crate) async fn call_in_turn(&self, urls: &[&str]) -> Outcome {
        run_call(&self.scope, fetching(urls), CancellationToken::new()).await
    }

    /// The host of each question; "" if it had none.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.approver.asked().into_iter().map(|request| request.host.unwrap_or_default()).collect()
    }

    pub(crate) fn decisions(&self) -> Vec<Vec<Decision>> {
        self.approver.asked().into_iter().map(|request| request.decisions).collect()
    }

    pub(crate) fn everything_said(&self) -> String {
        let events: Vec<Event> = self.events.events();
        serde_json::to_string(&events).expect("events serialise")
    }
}
