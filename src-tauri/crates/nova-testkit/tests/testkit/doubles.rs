//! The doubles in combination, with a small skill.

use std::sync::Arc;
use std::time::Duration;

use nova_protocol::{Decision, ErrorCode, Event};
use nova_registry::Rules;
use nova_skill::{
    Description, Effect, HttpRequest, JsonSchema, NativeTool, NoteScope, ProcessRun, Skill, Task, TaskLimits,
    Tool, ToolContext, ToolError, ToolOutput, VaultPath, async_trait, json, native, schemars,
};
use nova_testkit::{
    FixedCredentials, MemoryStore, RecordedEvents, RecordingHttp, ScriptedApprover, ScriptedDelegate,
    ScriptedProcess, SkillInVault, TempVault, TestContext, assert_sound, decided, denied, edited, revised,
    run_tool,
};

pub(crate) struct Probe;

impl Skill for Probe {
    fn skill_md(&self) -> &str {
        "---\nname: probe\ndescription: Asks every part of its context.\n---\n\nOnly a test.\n"
    }

    fn manifest(&self) -> &str {
        "
display_name: Probe
summary: Asks every part of its context.
version: 0.1.0
records:
  thing:
    folder: Things
    title: name
    fields:
      name: { kind: text, required: true, description: What it is called. }
"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![native(WriteThing), native(AskTooMuch)]
    }
}

/// Accesses an undeclared field and discards the error.
struct AskTooMuch;

#[derive(serde::Deserialize, JsonSchema)]
struct NoArgs {}

#[async_trait]
impl NativeTool for AskTooMuch {
    type Args = NoArgs;
    const ID: &'static str = "ask_too_much";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose("Asks for the colour of things.")
    }

    async fn run(&self, _: NoArgs, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let thing = ctx.records().get("thing")?;
        let colours: Vec<Option<String>> = ctx
            .vault()
            .records("thing")
            .await?
            .iter()
            .map(|note| thing.read(note).text("colour").unwrap_or_default())
            .collect();
        Ok(json!(colours).into())
    }
}

struct WriteThing;

#[derive(serde::Deserialize, JsonSchema)]
struct ThingArgs {
    /// Its name.
    name: String,
}

#[async_trait]
impl NativeTool for WriteThing {
    type Args = ThingArgs;
    const ID: &'static str = "write_thing";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::OwnRecords;

    fn description(&self) -> Description {
        Description::purpose("Writes a thing.")
    }

    async fn run(&self, args: ThingArgs, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let path = ctx.vault().free_path("Things", &args.name).await?;
        let values = [("name".to_owned(), json!(args.name))].into_iter().collect();
        let text = ctx.records().get("thing")?.new_note(&values)?;
        ctx.vault().create(&path, text).await?;
        Ok(json!(path.as_str()).into())
    }
}

fn probe(vault: &str) -> SkillInVault {
    SkillInVault::new(Box::new(Probe), vault)
}

#[test]
fn tool_runs_as_in_the_program() {
    let probe = probe("");
    let outcome = probe.call("write_thing", json!({"name": "Lamp"}));
    assert_eq!(outcome.result, Ok(json!("Things/Lamp.md")));
    assert_eq!(probe.vault.read("Things/Lamp.md"), "---\ntype: thing\nname: Lamp\n---\n");
    assert_eq!(outcome.changes[0].path, "Things/Lamp.md");
    let asked = probe.approver.asked();
    assert_eq!((asked.len(), asked[0].question.as_str()), (1, "Create 1 note?"));
    assert_eq!(
        probe.events.types(),
        ["tool_call_started", "approval_requested", "approval_decided", "change_set", "tool_call_completed"]
    );
    assert!(run_tool(Box::new(Probe), "", "write_thing", json!({"name": "x"})).result.is_ok());
}

#[test]
fn answers_are_given_in_order_then_none() {
    let mut probe = probe("");
    probe.approver = ScriptedApprover::new([
        denied("not now"),
        revised(json!({"name": "Desk"})),
        decided(Decision::Once),
        // A different note from the one on the card, so it asks again.
        edited(json!({"name": "Chair"})),
        decided(Decision::Once),
    ]);
    let lamp = json!({"name": "Lamp"});
    let error = probe.error("write_thing", lamp.clone());
    assert_eq!(error.code, ErrorCode::DeniedByUser);
    assert!(error.message.contains("not now"), "{error}");
    assert_eq!(probe.value("write_thing", lamp.clone()), json!("Things/Desk.md"));
    assert_eq!(probe.value("write_thing", lamp.clone()), json!("Things/Chair.md"));
    assert_eq!(probe.error("write_thing", lamp).code, ErrorCode::ApprovalUnanswered);
    assert_eq!(probe.vault.files(), ["Things/Chair.md", "Things/Desk.md"]);
}

#[test]
fn rules_apply() {
    let mut probe = probe("");
    probe.rules = Rules::parse("permissions: {deny: ['*']}").unwrap();
    assert_eq!(probe.error("write_thing", json!({"name": "x"})).code, ErrorCode::DeniedByRule);
    assert!(probe.approver.asked().is_empty(), "a denied call does not ask");
}

#[tokio::test]
async fn wait_finds_earlier_and_later_events() {
    let events = RecordedEvents::new();
    let told = events.clone();
    let waiting = tokio::spawn(async move { told.wait_for_type("text_delta").await });
    let delta = Event::TextDelta { text: "x".into() };
    nova_calls::CallEvents::emit(&events, delta.clone());
    assert_eq!(waiting.await.unwrap(), delta);
    assert_eq!(events.wait_for(|event| *event == delta).await, delta);
}

#[tokio::test]
async fn every_part_of_the_context_has_a_double() {
    let vault = TempVault::from(
        "//- Things/Lamp.md\n---\ntype: thing\nname: Lamp\n---\n//- Templates/T.md\n---\ntype: thing\nname: \"{{title}}\"\n---\n//- Things/Odd.md\n---\nname: [\n---\n",
    );
    let http = RecordingHttp::default().with("https://a.example/", 404, "no").with(
        "https://a.example/b",
        200,
        "yes",
    );
    let process = ScriptedProcess::default().then(0, "out");
    let delegate = ScriptedDelegate::default().then("done");
    let store = MemoryStore::default();
    let ctx = Arc::new(
        TestContext::of(Box::new(Probe))
            .with_vault(&vault.open())
            .with_http(http.clone())
            .with_credentials(FixedCredentials::default().with("a/key", "s3cret"))
            .with_store(store.clone())
            .with_process(process.clone())
            .with_delegate(delegate.clone())
            .with_config(json!({"deep": true})),
    );

    let page = |url: &str| HttpRequest {
        method: "GET".into(),
        url: url.parse().unwrap(),
        headers: Default::default(),
        body: None,
        timeout: None,
    };
    assert_eq!(ctx.http().send(page("https://a.example/b/c")).await.unwrap().body, b"yes");
    assert_eq!(ctx.http().send(page("https://a.example/x")).await.unwrap().status, 404);
    assert!(ctx.http().send(page("https://b.example/")).await.is_err(), "an unknown page");
    assert_eq!(http.requests().len(), 3);

    assert!(ctx.credentials().has("a/key").await && ctx.credentials().get("b/key").await.is_err());
    ctx.store().set("n", json!(1)).await.unwrap();
    assert_eq!(store.values()["n"], 1);
    let run = ProcessRun::new(["ls"]);
    assert_eq!(ctx.process().run(run.clone(), Box::new(|_| {})).await.unwrap().text, "out");
    assert_eq!(process.run_so_far(), [run]);
    let limits = TaskLimits { steps: 1, tokens: 1, time: Duration::ZERO, per_turn: 1 };
    let task = Task { name: "thinker".into(), prompt: "think".into(), skills: None, limits };
    assert_eq!(ctx.delegate().run(task.clone()).await.unwrap().text, "done");
    assert_eq!(delegate.given(), [task]);
    assert_eq!((ctx.clock().today().to_string(), &ctx.config()["deep"]), ("2026-11-21".into(), &json!(true)));

    let names: Vec<_> =
        ctx.vault().records("thing").await.unwrap().iter().map(|note| note.path.to_string()).collect();
    assert_eq!(names, ["Things/Lamp.md"], "templates and broken notes are not records");
    let broken = ctx.vault().unreadable("thing").await.unwrap();
    assert_eq!(broken.iter().map(|problem| &*problem.path).collect::<Vec<_>>(), ["Things/Odd.md"]);
    let path = WriteThing.run(ThingArgs { name: "Lamp".into() }, ctx.clone()).await;
    assert!(path.is_ok(), "the name is taken, so the note gets another");
    let planned: Vec<VaultPath> = ctx.planned().diffs().into_iter().map(|planned| planned.path).collect();
    assert_eq!(planned, [VaultPath::parse("Things/Lamp 2.md").unwrap()]);
    assert!(!vault.exists("Things/Lamp 2.md"), "a planned write is not on disk");
}

#[test]
fn sound_skill_is_distinguished_from_unsound() {
    assert_sound(Box::new(Probe), "probe");
    let wrong = std::panic::catch_unwind(|| assert_sound(Box::new(Probe), "other"));
    assert!(wrong.is_err(), "the folder was renamed");
}

#[test]
fn undeclared_field_fails_the_test_even_if_its_error_is_discarded() {
    let said = |body: &dyn Fn()| {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).expect_err("it fails");
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    let vault = "//- Lamp.md\n---\ntype: Thing\n---\n";
    let probe = probe(vault);
    let asks = || {
        probe.call("ask_too_much", json!({}));
    };
    assert!(said(&asks).contains("the field colour of thing"));

    let vault = TempVault::from(vault);
    let asks = || {
        let ctx = Arc::new(TestContext::of(Box::new(Probe)).with_vault(&vault.open()));
        let asked = futures::executor::block_on(AskTooMuch.run(NoArgs {}, ctx));
        assert!(asked.is_ok());
    };
    assert!(said(&asks).contains("the field colour of thing"));
}
