use std::collections::BTreeSet;
use std::sync::Arc;

use nova_calls::{Access, Call, CallScope, Grants, NoCredentials, Outcome, SubAgents, run_call};
use nova_http::Web;
use nova_protocol::{Decision, UserError};
use nova_registry::{NativeSkills, Registry, Rules, RulesInForce, Settings, SkillSettings, Snapshot, State};
use nova_skill::{CredentialSource, Effect, FolderSource, GivenFiles, Manifest, Principal, Skill};
use nova_vault::{ChangeSetKind, Privacy, Vault};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::{
    ApprovedContents, Dovecot, KeptRules, MemoryStores, PATIENCE, RecordedEvents, Reply, ScriptedApprover,
    TempVault, WebRequest, WebServer, web_of, web_with,
};

/// A skill over a vault, whose tools are called by name. For plain `#[test]` functions: it has its own
/// runtime.
///
/// Every call runs as in the program (`nova_calls::run_call`), on behalf of the model: questions go to
/// [`SkillInVault::approver`], which allows everything by default.
pub struct SkillInVault {
    pub vault: TempVault,
    pub approver: ScriptedApprover,
    pub events: RecordedEvents,
    pub rules: Rules,
    pub privacy: Privacy,
    pub credentials: Arc<dyn CredentialSource>,
    /// The skill's stores, which persist across calls.
    pub stores: MemoryStores,
    /// Folders outside of the vault.
    pub folders: Arc<dyn FolderSource>,
    /// Files that the user chose or dropped.
    pub given: Arc<dyn GivenFiles>,
    /// Runs delegated tasks; refuses them by default.
    pub sub_agents: Arc<dyn SubAgents>,
    web: Arc<Web>,
    server: Option<WebServer>,
    registry: Registry,
    id: String,
    opened: Vault,
    runtime: Runtime,
}

impl SkillInVault {
    /// # Panics
    /// If the skill cannot be loaded.
    #[track_caller]
    pub fn new(skill: Box<dyn Skill>, vault: impl Into<TempVault>) -> Self {
        let registry = registry_of(vec![skill]);
        let id = registry.snapshot().skills()[0].id.clone();
        Self::of(registry, id, vault.into())
    }

    /// A skill beside another one whose tools it may call.
    ///
    /// # Panics
    /// If one cannot be loaded.
    #[track_caller]
    pub fn beside(other: Box<dyn Skill>, skill: fn() -> Box<dyn Skill>, vault: impl Into<TempVault>) -> Self {
        let id = snapshot_of(vec![skill()]).skills()[0].id.clone();
        Self::of(registry_of(vec![skill(), other]), id, vault.into())
    }

    fn of(registry: Registry, id: String, vault: TempVault) -> Self {
        Self {
            id,
            opened: vault.open(),
            vault,
            approver: ScriptedApprover::always(Decision::Once),
            events: RecordedEvents::new(),
            rules: Rules::default(),
            privacy: Privacy::default(),
            credentials: Arc::new(NoCredentials),
            stores: MemoryStores::default(),
            folders: Arc::new(()),
            given: Arc::new(()),
            sub_agents: Arc::new(()),
            web: Arc::new(web_of(&[])),
            server: None,
            registry,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime for the test"),
        }
    }

    /// Sets `skills.<id>.config`.
    ///
    /// # Panics
    /// If the skill refuses it.
    #[track_caller]
    pub fn with_config(self, config: Value) -> Self {
        let own = SkillSettings { config, ..SkillSettings::default() };
        self.registry.reload(&Settings([(self.id.clone(), own)].into()));
        let snapshot = self.registry.snapshot();
        assert_eq!(snapshot.config_problem(), None, "the configuration is valid");
        self
    }

    /// Adds a web in which all these names lead to one server with these responses.
    pub fn with_web(
        mut self,
        names: &[&str],
        answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let server = self.runtime.block_on(WebServer::start(answer));
        let names: Vec<(&str, &WebServer)> = names.iter().map(|name| (*name, &server)).collect();
        self.web = Arc::new(web_of(&names));
        self.server = Some(server);
        self
    }

    /// As [`SkillInVault::with_web`], beside a mail server whose certificate is trusted. Apart from 127.0.0.1, no local
    /// address counts as public.
    pub fn with_web_beside(
        mut self,
        mail: &Dovecot,
        names: &[&str],
        answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let server = self.runtime.block_on(WebServer::start(answer));
        let names: Vec<(&str, &WebServer)> = names.iter().map(|name| (*name, &server)).collect();
        let web = web_with(&names, |options| options.authorities = vec![mail.certificate().into()]);
        self.web = Arc::new(web);
        self.server = Some(server);
        self
    }

    /// Adds this web.
    pub fn with_web_of(mut self, web: Web) -> Self {
        self.web = Arc::new(web);
        self
    }

    /// The local address of the server of [`SkillInVault::with_web`].
    ///
    /// # Panics
    /// If there is none.
    pub fn web_address(&self) -> String {
        let server = self.server.as_ref().expect("the test has a server");
        format!("http://{}", server.address())
    }

    /// From now on, time limits elapse as soon as nothing else is left to do.
    pub fn skip_waiting(&self) {
        self.runtime.block_on(async { tokio::time::pause() });
    }

    /// The requests to the server of [`SkillInVault::with_web`].
    pub fn requests(&self) -> Vec<WebRequest> {
        self.server.as_ref().map(WebServer::requests).unwrap_or_default()
    }

    /// Calls a tool by its id, in a separate change set.
    ///
    /// # Panics
    /// If the tool accesses a record type or a field that its manifest does not declare, even if it handles
    /// the error.
    #[track_caller]
    pub fn call(&self, tool: &str, args: Value) -> Outcome {
        self.call_until(tool, args, CancellationToken::new())
    }

    /// As [`SkillInVault::call`], cancelled by `stop`.
    ///
    /// # Panics
    /// As [`SkillInVault::call`].
    #[track_caller]
    pub fn call_until(&self, tool: &str, args: Value, stop: CancellationToken) -> Outcome {
        let snapshot = self.registry.snapshot();
        let skill = &self.id;
        let change_set = Arc::new(self.opened.change_set(ChangeSetKind::Turn, "a test".into()));
        let scope = CallScope {
            access: Access {
                vault: Some(self.opened.clone()),
                rules: Arc::new(RulesInForce::new(self.rules.clone())),
                save_rule: Arc::new(KeptRules::default()),
                approved: Arc::new(ApprovedContents::default()),
                web: self.web.clone(),
                credentials: self.credentials.clone(),
                stores: Arc::new(self.stores.clone()),
                folders: self.folders.clone(),
                sandboxes: Arc::new(()),
                clock: Arc::new(self.vault.clock().clone()),
                approver: Arc::new(self.approver.clone()),
                time_limit: PATIENCE,
            },
            snapshot: snapshot.clone(),
            callable: None,
            grants: Arc::new(Grants::default()),
            given: self.given.clone(),
            events: Arc::new(self.events.clone()),
            change_set: Some(change_set.clone()),
            touched: Arc::default(),
            history: Arc::default(),
            sub_agents: self.sub_agents.clone(),
            privacy: Arc::new(self.privacy.clone()),
            asker: Arc::new(()),
            session: "session1".into(),
            turn: Some("turn1".into()),
            principal: Principal::owner(),
            author: "model".into(),
            by_hand: false,
        };
        let call = Call::with_value("call1".into(), format!("{skill}.{tool}"), args);
        let outcome = self.runtime.block_on(run_call(&scope, call, stop));
        drop(scope);
        if let Some(change_set) = Arc::into_inner(change_set) {
            change_set.close().expect("the change set closes");
        }
        let own = snapshot.skills().iter().find(|skill| skill.id == self.id).expect("the skill");
        assert_declared(&own.records);
        outcome
    }

    /// The vault after Nova has exited, with all delayed work done, such as moving a deleted note to the
    /// trash.
    pub fn closed(self) -> TempVault {
        let Self { vault, opened, .. } = self;
        drop(opened);
        vault
    }

    /// The value of a call that succeeds.
    #[track_caller]
    pub fn value(&self, tool: &str, args: Value) -> Value {
        match self.call(tool, args.clone()).result {
            Ok(value) => value,
            Err(error) => panic!("{tool} {args} failed: {error}"),
        }
    }

    /// The error of a call that fails.
    #[track_caller]
    pub fn error(&self, tool: &str, args: Value) -> UserError {
        match self.call(tool, args.clone()).result {
            Ok(value) => panic!("{tool} {args} did not fail: {value}"),
            Err(error) => error,
        }
    }
}

/// Calls one tool of a skill over a vault, with everything allowed. For a single call in a test of something
/// else; see [`SkillInVault`].
pub fn run_tool(skill: Box<dyn Skill>, vault: impl Into<TempVault>, tool: &str, args: Value) -> Outcome {
    SkillInVault::new(skill, vault).call(tool, args)
}

/// A snapshot of native skills, as built by the registry.
///
/// # Panics
/// If one cannot be loaded.
#[track_caller]
pub fn snapshot_of(skills: Vec<Box<dyn Skill>>) -> Arc<Snapshot> {
    registry_of(skills).snapshot()
}

#[track_caller]
fn registry_of(skills: Vec<Box<dyn Skill>>) -> Registry {
    let registry = Registry::new(vec![Box::new(NativeSkills::new(skills))], &Settings::default());
    for skill in registry.snapshot().skills() {
        assert!(skill.state != State::Broken, "{}: {}", skill.id, skill.reason.clone().unwrap_or_default());
    }
    registry
}

/// Panics with undeclared names that code has accessed, unless the test is already failing.
#[track_caller]
pub(crate) fn assert_declared(records: &nova_skill::RecordTypes) {
    if !std::thread::panicking() {
        let undeclared = records.undeclared();
        assert!(undeclared.is_empty(), "the manifest does not declare what a tool asks for: {undeclared:?}");
    }
}

/// Checks the requirements for every built-in skill: its `SKILL.md` follows agentskills.io, its manifest and
/// tools are consistent, and each parameter has a description for the model.
///
/// # Panics
/// If a requirement is violated.
#[track_caller]
pub fn assert_sound(skill: Box<dyn Skill>, folder: &str) {
    let skill_md = skill.skill_md().to_owned();
    let manifest_yaml = skill.manifest().to_owned();
    let snapshot = snapshot_of(vec![skill]);
    let entry = &snapshot.skills()[0];
    let manifest = &entry.manifest;

    // agentskills.io, "Specification".
    assert_eq!(entry.id, folder, "the name in SKILL.md is that of its folder");
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let name_is_legal = (1..=64).contains(&entry.id.len())
        && entry.id.chars().all(legal)
        && !entry.id.starts_with('-')
        && !entry.id.ends_with('-')
        && !entry.id.contains("--");
    assert!(name_is_legal, "{:?} is not a name of a-z, 0-9 and single hyphens", entry.id);
    let length = entry.description.chars().count();
    assert!((1..=1024).contains(&length), "the description has {length} characters, 1 to 1024 are allowed");
    let front = skill_md.split("\n---").next().unwrap_or_default();
    let known = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
    for key in front.lines().skip(1).filter_map(|line| line.split_once(':')).map(|(key, _)| key) {
        let is_top_level = !key.starts_with([' ', '-', '#']);
        assert!(
            !is_top_level || known.contains(&key),
            "SKILL.md has the unknown key {key:?}; it belongs in manifest.yaml"
        );
    }
    let lines = skill_md.lines().count();
    assert!(!entry.instructions.is_empty() && lines <= 500, "SKILL.md has instructions, at most 500 lines");

    for key in keys_at_the_top(manifest_yaml.as_str()) {
        // Unknown keys are accepted for compatibility with later Nova versions, which a built-in manifest
        // does not need.
        assert!(Manifest::KEYS.contains(&key), "manifest.yaml has the unknown key {key:?}");
    }
    assert!(
        manifest.display_name.is_some() && manifest.version.is_some(),
        "the manifest names and dates the skill"
    );
    assert!(
        manifest.summary.as_ref().is_some_and(|said| said.chars().count() <= 100 && said.ends_with('.')),
        "the manifest says to a person in one short sentence what the skill is for"
    );
    let tools: BTreeSet<&str> = entry.tools.iter().map(|tool| tool.id.as_str()).collect();
    assert_eq!(tools.len(), entry.tools.len(), "tool ids are unique");
    for kept in &manifest.loading.always {
        assert!(tools.contains(kept.as_str()), "loading.always names the unknown tool {kept}");
    }
    for glance in manifest.glance.iter().flat_map(|glance| glance.as_array().into_iter().flatten()) {
        let asked = glance["tool"].as_str().unwrap_or_default();
        let tool = entry.tools.iter().find(|tool| tool.id == asked);
        assert!(
            tool.is_some_and(|tool| tool.effect() == Effect::Read),
            "glance asks {asked:?}, which is not a reading tool"
        );
        if let Some(ticks) = glance["today"]["tick"]["tool"].as_str() {
            assert!(tools.contains(ticks), "glance ticks with the unknown tool {ticks}");
        }
    }
    let mut requests = BTreeSet::new();
    for request in manifest.routing.examples.iter().chain(&manifest.routing.near_misses) {
        assert!(requests.insert(request.to_lowercase()), "routing has {request:?} twice");
    }
    for record in manifest.records.iter() {
        let name = record.name();
        for (key, field) in &record.fields {
            assert!(field.description.is_some(), "records.{name}: the field {key} has a description");
        }
        assert!(
            record.new_note(&sample(record)).is_ok(),
            "records.{name}: a note with every field filled in can be written"
        );
    }
    for tool in &entry.tools {
        let spec = tool.spec();
        let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(!spec.id.is_empty() && spec.id.chars().all(legal), "{:?} is not a tool id", spec.id);
        assert!(!spec.description.to_string().is_empty(), "{} says what it does", spec.id);
        assert_eq!(spec.parameters["type"], "object", "{}: arguments are an object", spec.id);
        assert_eq!(
            spec.parameters["additionalProperties"], false,
            "{}: unknown arguments are refused",
            spec.id
        );
        for (name, schema) in spec.parameters["properties"].as_object().into_iter().flatten() {
            assert!(schema["description"].is_string(), "{}: the parameter {name} has a description", spec.id);
        }
    }
    // A field that a tool takes as parameter.
    assert_declared(&entry.records);
}

fn keys_at_the_top(yaml: &str) -> impl Iterator<Item = &str> {
    let lines = yaml.lines().filter(|line| !line.starts_with([' ', '#', '-', '\t']));
    lines.filter_map(|line| line.split_once(':')).map(|(key, _)| key.trim_matches('"'))
}

fn sample(record: &nova_skill::RecordType) -> serde_json::Map<String, Value> {
    use nova_skill::FieldKind;
    let fields = record.fields.iter();
    fields
        .map(|(key, field)| {
            let number = field.min.or(field.max).unwrap_or_default().trunc();
            let value = match field.kind {
                FieldKind::Text | FieldKind::Link => Value::from("Something"),
                FieldKind::Date => Value::from("2026-11-21"),
                FieldKind::Decimal | FieldKind::Integer => Value::from(number.to_string()),
                FieldKind::Bool => Value::from(true),
                FieldKind::Choice => field.choices.first().cloned().into(),
                FieldKind::Currency => Value::from("EUR"),
                FieldKind::List => Value::from(vec!["one"]),
            };
            (key.clone(), value)
        })
        .collect()
}
