//! A skill's settings, and its statistics.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use nova_app::{App, Desktop, NoApprover};
use nova_protocol::{
    CallTool, Commands as _, CreateSkill, EnableSkill, ErrorCode, Nothing, SessionRef, SetSkill, SetTool,
    SkillLifetime, SkillMode, SkillRef, SkillRow, SkillState, SkillUsage, SuggestTools,
};
use nova_testkit::{PATIENCE, call, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, turn};

fn set(skill: &str) -> SetSkill {
    SetSkill { skill: skill.into(), ..SetSkill::default() }
}

#[tokio::test]
async fn settings_are_written_into_the_configuration_and_nothing_else_changes() {
    let nova = Nova::new(PEOPLE, []);
    let mut before = nova.read_settings();
    before["skills"] = json!({"CRM": {"note": "mine"}, "gone": {"enabled": false}});
    nova.settings(&before);
    let app = nova.start().await;

    let rows = app
        .set_skill(SetSkill {
            mode: Some(SkillMode::Always),
            lifetime: Some(SkillLifetime::Turn),
            pinned: Some(true),
            hidden: Some(true),
            ..set("crm")
        })
        .await
        .unwrap();

    let row = rows.iter().find(|row| row.id == "crm").unwrap();
    assert_eq!(
        (row.mode.as_str(), row.lifetime.as_str(), row.pinned, row.hidden),
        ("always", "turn", true, true)
    );
    let mut expected = before.clone();
    expected["skills"]["CRM"] =
        json!({"note": "mine", "mode": "always", "lifetime": "turn", "pinned": true, "hidden": true});
    assert_eq!(nova.read_settings(), expected);
}

#[tokio::test]
async fn disabled_tool_is_missing_and_can_be_enabled_again() {
    let nova = Nova::new(PEOPLE, [call("load_skill", json!({"skill": "crm"})), text("Loaded.")]);
    let app = nova.start().await;
    let tool = |on: bool| SetSkill { tool: Some(SetTool { tool: "add_contact".into(), on }), ..set("crm") };

    app.set_skill(tool(false)).await.unwrap();

    let detail = app.skill_detail(SkillRef { skill: "crm".into() }).await.unwrap();
    let off: Vec<_> = detail.tools.iter().filter(|tool| !tool.on).map(|tool| tool.name.as_str()).collect();
    assert_eq!(off, ["crm.add_contact"]);
    turn(&app, None, "And Jane?", NoApprover).await;
    let request = nova.model.requests().pop().unwrap()["tools"].to_string();
    assert!(request.contains("crm__get_contact") && !request.contains("crm__add_contact"), "{request}");

    app.set_skill(tool(true)).await.unwrap();
    let detail = app.skill_detail(SkillRef { skill: "crm".into() }).await.unwrap();
    assert!(detail.tools.iter().all(|tool| tool.on), "{detail:?}");
    let unknown = SetSkill { tool: Some(SetTool { tool: "nothing".into(), on: false }), ..set("crm") };
    assert_eq!(app.set_skill(unknown).await.unwrap_err().code, ErrorCode::UnknownTool);
}

#[tokio::test]
async fn invalid_configuration_is_refused_with_the_key_and_nothing_is_written() {
    let nova = Nova::new(PEOPLE, []);
    let folder = nova.config().join("skills").join("post");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), "---\nname: post\ndescription: Mail.\n---\n").unwrap();
    fs::write(
        folder.join("manifest.yaml"),
        "config: {type: object, properties: {signature: {type: string}, most: {type: integer, minimum: 1}}}\n",
    )
    .unwrap();
    fs::write(folder.join("config.yaml"), "signature: Yours\nmost: 20\n").unwrap();
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    let config = |value: Value| SetSkill { config: Some(value), ..set("post") };
    let detail = || app.skill_detail(SkillRef { skill: "post".into() });

    let before = nova.read_settings();
    let refused = app.set_skill(config(json!({"most": 0}))).await.unwrap_err();
    assert!(refused.message.contains("most"), "{}", refused.message);
    assert_eq!(nova.read_settings(), before);

    app.set_skill(config(json!({"most": 5}))).await.unwrap();
    let now = detail().await.unwrap();
    assert_eq!(now.config, json!({"signature": "Yours", "most": 5}));
    assert_eq!(now.own_config, json!({"most": 5}));
    assert!(now.config_schema.unwrap()["properties"]["most"].is_object());

    let reset: SetSkill = serde_json::from_value(json!({"skill": "post", "config": null})).unwrap();
    app.set_skill(reset).await.unwrap();
    assert_eq!(detail().await.unwrap().config, json!({"signature": "Yours", "most": 20}));
}

#[tokio::test]
async fn calls_of_a_skill_are_counted() {
    let nova = Nova::new(
        PEOPLE,
        [
            call("load_skill", json!({"skill": "crm"})),
            call("crm__get_contact", json!({"name": "Jane Doe"})),
            call("crm__get_contact", json!({"name": "Nobody"})),
            call("crm__list_contacts", json!({})),
            text("Done."),
        ],
    );
    let app = nova.start().await;
    turn(&app, None, "And Jane?", NoApprover).await;

    let row = app.list_skills(Nothing {}).await.unwrap().into_iter().find(|row| row.id == "crm").unwrap();
    let used = row.usage;
    assert_eq!((used.activations, used.calls, used.errors), (1, 3, 1));
    assert!(used.mean_ms.is_some() && used.tokens > 0);
    assert_eq!(used.days.values().sum::<u32>(), 3);
    assert_eq!(used.days.keys().next().unwrap().len(), "2026-11-21".len());
    assert!(used.last_used.unwrap().starts_with(used.days.keys().next().unwrap()));
    let detail = app.skill_detail(SkillRef { skill: "crm".into() }).await.unwrap();
    let of = |tool: &str| detail.tools.iter().find(|row| row.tool == tool).unwrap();
    assert_eq!((of("get_contact").calls, of("get_contact").errors), (2, 1));
    assert_eq!((of("list_contacts").calls, of("add_contact").calls), (1, 0));
    let last = detail.last_error.unwrap();
    assert_eq!(last.tool, "get_contact");
    assert!(last.message.contains("Nobody"), "{}", last.message);

    let (_, rows) = nova.json(&["skill", "list"]);
    let crm = rows.as_array().unwrap().iter().find(|row| row["id"] == "crm").unwrap();
    assert_eq!((&crm["usage"]["calls"], &crm["usage"]["errors"]), (&json!(3), &json!(1)));
}

#[tokio::test]
async fn calls_by_forms_and_commands_are_counted() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    let form = |run: &str, name: &str| CallTool {
        run: run.into(),
        tool: "crm.get_contact".into(),
        args: json!({"name": name}),
    };
    assert!(app.call_tool(form("run-1", "Jane Doe")).await.unwrap().ok);
    assert!(!app.call_tool(form("run-2", "Nobody")).await.unwrap().ok);
    let command = nova.run(&["tool", "call", "crm.list_contacts", "--args", "{}"]);
    assert_eq!(command.status.code(), Some(0), "{command:?}");

    let used = used_of(&app, "crm").await;
    assert_eq!((used.activations, used.calls, used.errors), (0, 3, 1));
    assert!(used.last_used.is_some() && used.tokens > 0, "{used:?}");
    let detail = app.skill_detail(SkillRef { skill: "crm".into() }).await.unwrap();
    assert_eq!(detail.last_error.unwrap().tool, "get_contact");
    let (_, rows) = nova.json(&["skill", "list"]);
    let crm = rows.as_array().unwrap().iter().find(|row| row["id"] == "crm").unwrap();
    assert_eq!(crm["usage"]["calls"], json!(3));
}

#[tokio::test]
async fn deleted_chat_keeps_its_counts_but_not_its_text() {
    let answers = [
        call("load_skill", json!({"skill": "crm"})),
        call("crm__get_contact", json!({"name": "Nobody"})),
        text("There is none."),
    ];
    let nova = Nova::new(PEOPLE, answers);
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "And Nobody?", NoApprover).await;
    let last_error = async || app.skill_detail(SkillRef { skill: "crm".into() }).await.unwrap().last_error;
    assert!(last_error().await.unwrap().message.contains("Nobody"));
    let before = used_of(&app, "crm").await;
    assert_eq!((before.activations, before.calls, before.errors), (1, 1, 1));

    app.delete_session(SessionRef { session: end.session }).await.unwrap();

    assert_eq!(used_of(&app, "crm").await, before);
    assert_eq!(last_error().await, None, "the last error is deleted with its chat");
}

async fn used_of(app: &App, skill: &str) -> SkillUsage {
    let rows = app.list_skills(Nothing {}).await.unwrap();
    rows.into_iter().find(|row| row.id == skill).unwrap().usage
}

#[test]
fn skill_is_pinned_at_the_command_line() {
    let nova = Nova::new(PEOPLE, []);
    let pinned = |command: &str| {
        let (code, rows) = nova.json(&["skill", command, "crm"]);
        assert_eq!(code, 0);
        rows.as_array().unwrap().iter().find(|row| row["id"] == "crm").unwrap()["pinned"].clone()
    };
    assert_eq!([pinned("pin"), pinned("unpin")], [json!(true), json!(false)]);
    let unknown = nova.run(&["skill", "pin", "crn"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("crm"));
}

#[tokio::test]
async fn settings_show_the_cost_of_the_skill_catalog() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    let few = app.skill_catalog(Nothing {}).await.unwrap();
    assert!(few.tokens > 100 && few.budget == 1_000, "{few:?}");

    for at in 0..40 {
        let folder = nova.config().join("skills").join(format!("skill-{at}"));
        fs::create_dir_all(&folder).unwrap();
        let text = format!("---\nname: skill-{at}\ndescription: {}\n---\n", "What it is about. ".repeat(20));
        fs::write(folder.join("SKILL.md"), text).unwrap();
    }
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    let many = app.skill_catalog(Nothing {}).await.unwrap();
    assert!(many.shortened && many.tokens <= many.budget && many.whole > 4_000, "{many:?}");
}

#[tokio::test]
async fn tested_example_does_not_count_for_itself() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    let rows = app.list_skills(Nothing {}).await.unwrap();
    let example = rows.iter().find(|row| row.id == "crm").unwrap().examples[0].clone();
    let best = async |example_of_a_skill: bool| {
        let request = SuggestTools {
            text: example.clone(),
            limit: Some(1),
            example: example_of_a_skill.then_some(true),
        };
        app.suggest_tools(request).await.unwrap().remove(0)
    };
    let (known, tested) = (best(false).await, best(true).await);
    assert_eq!((known.skill.as_str(), tested.skill.as_str()), ("crm", "crm"));
    assert!(tested.score < known.score, "it counted its own example: {} and {}", tested.score, known.score);
}

/// Records what it was asked to show.
#[derive(Default)]
struct FileManager(Mutex<Vec<PathBuf>>);

#[async_trait::async_trait]
impl Desktop for FileManager {
    async fn pick_folder(&self) -> Option<PathBuf> {
        None
    }

    async fn pick_file(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn open_url(&self, url: &str) -> Result<(), String> {
        Err(format!("{url} is not asked for"))
    }

    fn show_file(&self, path: &Path) -> Result<(), String> {
        self.0.lock().unwrap().push(path.to_owned());
        Ok(())
    }
}

#[tokio::test]
async fn problems_of_a_skill_are_shown_in_their_files() {
    let manager = Arc::new(FileManager::default());
    let mut nova = Nova::new(PEOPLE, []);
    nova.desktop = manager.clone();
    let skills = nova.config().join("skills");
    for (id, text) in
        [("letters", "---\nname: letters\ndescription: Letters.\n---\n"), ("torn", "---\nname: torn\n---\n")]
    {
        fs::create_dir_all(skills.join(id)).unwrap();
        fs::write(skills.join(id).join("SKILL.md"), text).unwrap();
    }
    let dynamic = nova.config().join("tools").join("dynamic");
    fs::create_dir_all(&dynamic).unwrap();
    fs::write(dynamic.join("torn.ts"), "nothing that a tool is").unwrap();
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    let show = |skill: &str| app.show_skill_files(SkillRef { skill: skill.into() });

    for skill in ["letters", "torn", "dynamic"] {
        show(skill).await.unwrap_or_else(|error| panic!("{skill}: {error}"));
    }
    let shown = manager.0.lock().unwrap().clone();
    assert_eq!(
        shown,
        [skills.join("letters/SKILL.md"), skills.join("torn/SKILL.md"), dynamic.join("torn.ts")]
    );

    let native = show("crm").await.unwrap_err();
    assert_eq!((native.code, native.message.contains("no file")), (ErrorCode::BadRequest, true));
    assert_eq!(show("nobody").await.unwrap_err().code, ErrorCode::UnknownSkill);

    app.show_skills_folder(Nothing {}).await.unwrap();
    assert_eq!(manager.0.lock().unwrap().last(), Some(&skills));
}

#[tokio::test]
async fn ineffective_settings_are_shown_in_their_file() {
    let manager = Arc::new(FileManager::default());
    let mut nova = Nova::new(PEOPLE, []);
    nova.desktop = manager.clone();
    let shown = async || {
        nova.start().await.show_config_file(Nothing {}).await.unwrap();
        manager.0.lock().unwrap().pop().unwrap()
    };
    assert_eq!(shown().await, nova.config().join("nova.config.json"));
    nova.rules("permissions:\n  deny: [ add_contact\n");
    assert_eq!(shown().await, nova.config().join("permissions.yaml"), "the broken skill");
}

#[tokio::test]
async fn skill_created_in_the_window_works_at_once() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    let create = async |name: &str| app.create_skill(CreateSkill { name: name.into() }).await;

    let made = create("Trip_planner").await.unwrap();

    assert_eq!(made.skill, "trip-planner");
    assert_eq!(
        made.files,
        ["SKILL.md", "manifest.yaml", "tools/echo.ts"]
            .map(|file| format!("~/config/skills/trip-planner/{file}"))
    );
    let rows = app.list_skills(Nothing {}).await.unwrap();
    let row = rows.iter().find(|row| row.id == "trip-planner").unwrap();
    assert_eq!((row.source.as_str(), row.state), ("folder", SkillState::Available));
    for (name, says) in
        [("trip planner!", "not a valid name"), ("crm", "another skill"), ("", "not a valid name")]
    {
        let refused = create(name).await.unwrap_err();
        assert!(refused.message.contains(says), "{name}: {}", refused.message);
    }
    let manual = app.skill_manual(Nothing {}).await.unwrap().html;
    assert!(manual.contains("<h1>") && manual.contains("SKILL.md"), "{manual}");
}

#[tokio::test]
async fn skill_reports_in_how_many_chats_it_is_active() {
    let load = || call("load_skill", json!({"skill": "crm"}));
    let unload = call("unload_skill", json!({"skill": "crm"}));
    let answers = [load(), text("Loaded."), load(), text("Loaded."), unload, text("Unloaded.")];
    let nova = Nova::new(PEOPLE, answers);
    let app = nova.start().await;
    let active = async |app: &App| {
        let rows = app.list_skills(Nothing {}).await.unwrap();
        rows.into_iter().find(|row| row.id == "crm").unwrap().active_in
    };
    assert_eq!(active(&app).await, 0);
    let (first, _) = turn(&app, None, "Begin.", NoApprover).await;
    turn(&app, None, "Begin.", NoApprover).await;
    assert_eq!(active(&app).await, 2);
    turn(&app, Some(&first.session), "Enough.", NoApprover).await;
    assert_eq!(active(&app).await, 1);
    let second =
        app.list_sessions(Nothing {}).await.unwrap().into_iter().find(|chat| chat.id != first.session);
    drop(app);

    // A chat not opened since the start counts as well, until it is deleted.
    let again = nova.start().await;
    assert_eq!(active(&again).await, 1);
    again.delete_session(SessionRef { session: second.unwrap().id }).await.unwrap();
    assert_eq!(active(&again).await, 0);
}

#[tokio::test]
async fn broken_skill_can_be_disabled_and_then_reports_no_problem() {
    let nova = Nova::new(PEOPLE, []);
    let folder = nova.config().join("skills").join("torn");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), "---\nname: torn\n---\n").unwrap();
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    let state = |rows: Vec<SkillRow>| rows.into_iter().find(|row| row.id == "torn").unwrap().state;
    let switch = |enabled: bool| EnableSkill { skill: "torn".into(), enabled };

    assert_eq!(state(app.list_skills(Nothing {}).await.unwrap()), SkillState::Broken);
    assert_eq!(app.skill_detail(SkillRef { skill: "torn".into() }).await.unwrap().tools, []);
    assert_eq!(state(app.enable_skill(switch(false)).await.unwrap()), SkillState::Disabled);
    assert_eq!(state(app.enable_skill(switch(true)).await.unwrap()), SkillState::Broken);
}

#[tokio::test]
async fn calendars_key_beside_the_skills_belongs_to_its_skill() {
    let nova = Nova::new(PEOPLE, []);
    let mut settings = nova.read_settings();
    settings["calendars"] = json!([{"id": "Team", "kind": "ics", "url": "Calendars/team.ics"}]);
    nova.settings(&settings);
    let (_, listed) = nova.json(&["tool", "call", "calendar.calendars"]);
    assert!(listed.to_string().contains("Team"), "{listed}");

    let app = nova.start().await;
    let detail = app.skill_detail(SkillRef { skill: "calendar".into() }).await.unwrap();
    assert_eq!(detail.config["calendars"], json!([{"name": "Team", "file": "Calendars/team.ics"}]));
    assert_eq!(detail.own_config, Value::Null, "the form shows what is set for the skill alone");
}
