//! A file is a tool as soon as it is saved. The files and the watcher are real; a line-based host reads the
//! definitions instead of TypeScript.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use nova_app::{App, CancellationToken, ChangeSetKind, ToolRun};
use nova_protocol::{Commands as _, ErrorCode, Event, Nothing, SkillState, ToolResult, ToolRow};
use nova_testkit::{PATIENCE, ScriptedApprover};
use serde_json::{Value, json};

use super::nova::{Nova, wait_for};

const WEATHER: &str = "name: weather\ndescription: Says the weather.\neffect: read\ngives: sunny\n";

fn dynamic(nova: &Nova) -> PathBuf {
    nova.config().join("tools").join("dynamic")
}

fn save(nova: &Nova, file: &str, text: &str) {
    fs::create_dir_all(dynamic(nova)).unwrap();
    fs::write(dynamic(nova).join(file), text).unwrap();
}

/// Nova with its watcher, after every file was read.
async fn watching(nova: &Nova) -> App {
    let app = nova.start().await;
    app.watch();
    app.tools_loaded(PATIENCE).await;
    app
}

pub(super) async fn call(app: &App, tool: &str) -> ToolResult {
    app.run_tool(ToolRun {
        run: "test".into(),
        tool: tool.into(),
        args: json!({}),
        kind: ChangeSetKind::Cli,
        approver: Arc::new(ScriptedApprover::always(nova_protocol::Decision::Once)),
        by_hand: true,
        cancel: CancellationToken::new(),
    })
    .await
}

async fn tool(app: &App, name: &str) -> Option<ToolRow> {
    app.list_tools(Nothing {}).await.unwrap().into_iter().find(|row| row.name == name)
}

/// Waits until the tools match, checking at each change of the registry.
async fn until(app: &App, what: &str, so: impl AsyncFn(&App) -> bool) {
    let mut events = app.events();
    let waiting = async {
        while !so(app).await {
            wait_for(&mut events, |event| matches!(event, Event::RegistryChanged { .. })).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("timed out waiting for: {what}"));
}

async fn until_gives(app: &App, name: &str, value: &str) {
    until(app, value, async |app| call(app, name).await.value == Some(json!(value))).await;
}

#[tokio::test]
async fn file_is_a_tool_once_saved_and_none_once_deleted() {
    let nova = Nova::new("", []);
    let app = watching(&nova).await;
    let mut events = app.events();

    save(&nova, "weather.ts", WEATHER);
    let added = wait_for(&mut events, |event| matches!(event, Event::RegistryChanged { .. })).await;
    let Event::RegistryChanged { added, .. } = added else { unreachable!() };
    assert_eq!(added, ["dynamic", "dynamic.weather"], "the skill and its tool");
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("sunny")), "callable with the event");

    save(&nova, "weather.ts", &WEATHER.replace("sunny", "rain"));
    until_gives(&app, "dynamic.weather", "rain").await;

    fs::remove_file(dynamic(&nova).join("weather.ts")).unwrap();
    let removed = wait_for(
        &mut events,
        |event| matches!(event, Event::RegistryChanged { removed, .. } if !removed.is_empty()),
    )
    .await;
    let Event::RegistryChanged { removed, .. } = removed else { unreachable!() };
    assert_eq!(removed, ["dynamic", "dynamic.weather"]);
    assert_eq!(call(&app, "dynamic.weather").await.error.unwrap().code, ErrorCode::UnknownTool);
}

#[tokio::test]
async fn broken_file_keeps_the_last_good_version_and_says_so_until_fixed() {
    let nova = Nova::new("", []);
    save(&nova, "weather.ts", WEATHER);
    let app = watching(&nova).await;

    save(&nova, "weather.ts", "name: weather\nthis is no line\n");
    until(&app, "the message is shown", async |app| {
        tool(app, "dynamic.weather").await.unwrap().reason.is_some()
    })
    .await;
    let row = tool(&app, "dynamic.weather").await.unwrap();
    assert_eq!(row.state, SkillState::Available);
    assert_eq!(
        row.reason.as_deref(),
        Some("weather.ts:2:1: \"this is no line\" is not understood. The last good version stays in use.")
    );
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("sunny")));
    let skills = app.list_skills(Nothing {}).await.unwrap();
    let skill = skills.iter().find(|row| row.id == "dynamic").unwrap();
    assert_eq!((skill.state, &skill.reason), (SkillState::Available, &row.reason));

    save(&nova, "weather.ts", &WEATHER.replace("sunny", "snow"));
    until_gives(&app, "dynamic.weather", "snow").await;
    assert_eq!(tool(&app, "dynamic.weather").await.unwrap().reason, None);
}

#[tokio::test]
async fn file_that_never_worked_is_listed_with_its_reason_beside_the_others() {
    let nova = Nova::new("", []);
    save(&nova, "weather.ts", WEATHER);
    save(&nova, "odd.ts", "no line\n");
    save(&nova, "schema.ts", "name: schema\nschema: {\"type\": 5}\n");
    let app = watching(&nova).await;

    let row = tool(&app, "dynamic.odd").await.unwrap();
    assert_eq!(row.state, SkillState::Broken);
    assert_eq!(row.reason.as_deref(), Some("odd.ts:1:1: \"no line\" is not understood."));
    let refused = call(&app, "dynamic.odd").await.error.unwrap();
    assert!(refused.message.contains("odd.ts:1:1"), "{refused}");
    assert_eq!(tool(&app, "dynamic.schema").await.unwrap().state, SkillState::Broken);
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("sunny")));
}

#[tokio::test]
async fn tool_whose_file_broke_while_nova_was_closed_still_works() {
    let nova = Nova::new("", []);
    save(&nova, "weather.ts", WEATHER);
    drop(watching(&nova).await);

    save(&nova, "weather.ts", "broken\n");
    save(&nova, "usurper.ts", &WEATHER.replace("sunny", "stolen"));
    let app = watching(&nova).await;
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("sunny")), "its name is unique");
    let usurper = tool(&app, "dynamic.usurper").await.unwrap();
    assert_eq!(
        (usurper.state, usurper.reason.as_deref()),
        (
            SkillState::Broken,
            Some(
                "usurper.ts: the tool weather is defined in weather.ts already. Give this one another name."
            )
        )
    );
}

#[tokio::test]
async fn two_new_files_that_define_one_tool_are_both_refused_until_one_is_gone() {
    let nova = Nova::new("", []);
    save(&nova, "one.ts", WEATHER);
    save(&nova, "two.ts", &WEATHER.replace("sunny", "rain"));
    let app = watching(&nova).await;
    for (name, other) in [("dynamic.one", "two.ts"), ("dynamic.two", "one.ts")] {
        let row = tool(&app, name).await.unwrap();
        assert_eq!(row.state, SkillState::Broken);
        assert!(row.reason.as_deref().unwrap().contains(&format!("is defined in {other} too")), "{row:?}");
    }
    assert_eq!(call(&app, "dynamic.weather").await.error.unwrap().code, ErrorCode::UnknownTool);

    fs::remove_file(dynamic(&nova).join("one.ts")).unwrap();
    until_gives(&app, "dynamic.weather", "rain").await;
}

#[tokio::test]
async fn renamed_file_keeps_its_tool() {
    let nova = Nova::new("", []);
    save(&nova, "old.ts", WEATHER);
    let app = watching(&nova).await;
    assert_eq!(
        tool(&app, "dynamic.weather").await.unwrap().reason.as_deref(),
        Some("old.ts defines the tool weather. Name the file weather.ts, so that it is found.")
    );
    fs::rename(dynamic(&nova).join("old.ts"), dynamic(&nova).join("weather.ts")).unwrap();
    until(&app, "it has its own name", async |app| {
        tool(app, "dynamic.weather").await.is_some_and(|row| row.reason.is_none())
    })
    .await;
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("sunny")));
}

#[tokio::test]
async fn save_through_a_temporary_file_is_one_change_without_a_gap() {
    let nova = Nova::new("", []);
    save(&nova, "weather.ts", WEATHER);
    let app = watching(&nova).await;
    let mut events = app.events();

    // As vim does: rename the old file, write the new one under its name, delete the old one.
    let (file, backup) = (dynamic(&nova).join("weather.ts"), dynamic(&nova).join("weather.ts~"));
    fs::rename(&file, &backup).unwrap();
    fs::write(dynamic(&nova).join("4913"), "").unwrap();
    fs::write(&file, "").unwrap();
    fs::write(&file, WEATHER.replace("sunny", "fog")).unwrap();
    fs::remove_file(&backup).unwrap();
    let changed = wait_for(&mut events, |event| matches!(event, Event::RegistryChanged { .. })).await;
    assert_eq!(
        changed,
        Event::RegistryChanged {
            added: Vec::new(),
            removed: Vec::new(),
            changed: vec!["dynamic.weather".into()]
        }
    );
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("fog")));
}

#[tokio::test]
async fn recreated_folders_are_watched_again() {
    let nova = Nova::new("", []);
    save(&nova, "weather.ts", WEATHER);
    let app = watching(&nova).await;
    let mut events = app.events();
    fs::remove_dir_all(nova.config().join("tools")).unwrap();
    wait_for(&mut events, |event| {
        matches!(event, Event::RegistryChanged { removed, .. } if removed.contains(&"dynamic.weather".to_owned()))
    })
    .await;
    for value in ["back", "again"] {
        save(&nova, "weather.ts", &WEATHER.replace("sunny", value));
        until_gives(&app, "dynamic.weather", value).await;
    }
}

#[tokio::test]
async fn folder_with_a_skill_md_and_tools_is_a_skill() {
    let nova = Nova::new("", []);
    let app = watching(&nova).await;
    let folder = nova.config().join("skills").join("travel");
    fs::create_dir_all(folder.join("tools")).unwrap();
    fs::write(folder.join("tools").join("trains.ts"), "name: trains\neffect: read\ngives: on time\n")
        .unwrap();
    fs::write(folder.join("SKILL.md"), "---\nname: travel\ndescription: Plans trips.\n---\n\nAsk first.\n")
        .unwrap();
    until_gives(&app, "travel.trains", "on time").await;

    fs::write(folder.join("tools").join("trains.ts"), "broken\n").unwrap();
    until(&app, "the tool's message is shown", async |app| {
        tool(app, "travel.trains").await.unwrap().reason.is_some()
    })
    .await;
    fs::write(folder.join("manifest.yaml"), "display_name: [\n").unwrap();
    until(&app, "the skill's message is shown", async |app| {
        let skills = app.list_skills(Nothing {}).await.unwrap();
        let reason = skills.into_iter().find(|row| row.id == "travel").unwrap().reason;
        reason.is_some_and(|reason| reason.starts_with("manifest.yaml"))
    })
    .await;
    assert_eq!(call(&app, "travel.trains").await.value, Some(json!("on time")), "both last good");

    fs::remove_dir_all(&folder).unwrap();
    until(&app, "it is gone", async |app| tool(app, "travel.trains").await.is_none()).await;
}

#[tokio::test]
async fn start_with_unchanged_files_compiles_none_of_them() {
    let nova = Nova::new("", []);
    save(&nova, "weather.ts", WEATHER);
    drop(watching(&nova).await);
    assert_eq!(nova.tools.loads(), ["weather.ts"]);

    let app = nova.start().await;
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("sunny")), "there without waiting");
    assert_eq!(nova.tools.loads(), ["weather.ts"]);
}

#[tokio::test]
async fn slow_file_delays_neither_the_start_nor_the_others() {
    let nova = Nova::new("", []);
    save(&nova, "weather.ts", WEATHER);
    drop(watching(&nova).await);

    save(&nova, "slow.ts", "name: slow\neffect: read\ngives: at last\n");
    nova.tools.hold();
    let app = nova.start().await;
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("sunny")));
    let slow = tool(&app, "dynamic.slow").await.unwrap();
    assert_eq!((slow.state, slow.reason.as_deref()), (SkillState::Starting, Some("slow.ts is being read.")));
    nova.tools.let_go();
    until_gives(&app, "dynamic.slow", "at last").await;
}

#[test]
fn just_saved_tool_is_listed_by_a_new_process_with_its_reason() {
    let nova = Nova::new("", []);
    let output = nova.run(&["skill", "new", "say-twice", "--kind", "tool"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let file = dynamic(&nova).join("say-twice.ts");
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), file.display().to_string());
    assert!(fs::read_to_string(&file).unwrap().contains("name: 'say_twice'"));
    assert!(nova.config().join("tools").join("nova-tools.d.ts").is_file());
    assert_eq!(nova.run(&["skill", "new", "say-twice", "--kind", "tool"]).status.code(), Some(1));
    assert_eq!(nova.run(&["skill", "new", "../x"]).status.code(), Some(1));

    let (code, rows) = nova.json(&["tool", "list"]);
    let row = rows.as_array().unwrap().iter().find(|row| row["skill"] == "dynamic").unwrap();
    assert_eq!(code, 0);
    assert!(row["state"].is_string() && row["name"].as_str().unwrap().starts_with("dynamic.say"), "{row}");
    let (code, files) = nova.json(&["skill", "new", "trips"]);
    assert_eq!((code, files["files"].as_array().map(Vec::len)), (0, Some(3)));
    let (_, rows) = nova.json(&["skill", "list"]);
    let row: &Value = rows.as_array().unwrap().iter().find(|row| row["id"] == "trips").unwrap();
    assert_eq!((&row["source"], &row["state"]), (&json!("folder"), &json!("available")), "{row}");
}

#[tokio::test]
async fn call_waits_only_for_the_files_of_its_own_skill() {
    let nova = Nova::new("", []);
    save(&nova, "weather.ts", WEATHER);
    let tools = nova.config().join("skills").join("slow-shop").join("tools");
    fs::create_dir_all(&tools).unwrap();
    fs::write(
        tools.parent().unwrap().join("SKILL.md"),
        "---\nname: slow-shop\ndescription: Sells.\n---\nSell.\n",
    )
    .unwrap();
    fs::write(tools.join("sell.ts"), WEATHER.replace("weather", "sell")).unwrap();
    nova.tools.hold_file("sell.ts");

    let app = nova.start().await;
    assert_eq!(app.tool_loaded("dynamic.weather", PATIENCE).await, [""; 0]);
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("sunny")));
    assert_eq!(app.tool_loaded("crm__list_contacts", PATIENCE).await, [""; 0], "the file does not exist");
    let at_once = std::time::Duration::ZERO;
    assert_eq!(app.tool_loaded("slow-shop.sell", at_once).await, ["slow-shop.sell"]);
    assert_eq!(app.tools_loaded(at_once).await, ["slow-shop.sell"]);
    let row = tool(&app, "slow-shop.sell").await.unwrap();
    assert_eq!((row.state, row.reason.as_deref()), (SkillState::Starting, Some("sell.ts is being read.")));

    let waiting = app.tool_loaded("slow_shop__sell", PATIENCE);
    nova.tools.let_go();
    assert_eq!(waiting.await, [""; 0], "- and _ are equal in a skill's id");
    assert_eq!(call(&app, "slow-shop.sell").await.value, Some(json!("sunny")));
}

#[tokio::test]
async fn folder_with_too_many_files_says_so_on_the_skills_row() {
    let nova = Nova::new("", []);
    fs::create_dir_all(dynamic(&nova)).unwrap();
    for number in 0..1003 {
        let text = WEATHER.replace("weather", &format!("tool{number:04}"));
        fs::write(dynamic(&nova).join(format!("tool{number:04}.ts")), text).unwrap();
    }
    let app = watching(&nova).await;
    let skill =
        async || app.list_skills(Nothing {}).await.unwrap().into_iter().find(|row| row.id == "dynamic");
    let row = skill().await.unwrap();
    assert_eq!(row.tools.len(), 1000);
    assert_eq!(
        row.reason.as_deref(),
        Some("Of the 1003 files in its folder only the first 1000 are read. Move some elsewhere.")
    );
    for number in 0..3 {
        fs::remove_file(dynamic(&nova).join(format!("tool{number:04}.ts"))).unwrap();
    }
    until(&app, "all are read", async |_| skill().await.unwrap().reason.is_none()).await;
    assert_eq!(call(&app, "dynamic.tool1002").await.value, Some(json!("sunny")));
}
