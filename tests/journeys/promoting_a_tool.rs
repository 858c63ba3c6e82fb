//! The assistant writes a tool; the user reviews it and decides.

use std::fs;
use std::path::PathBuf;

use nova_app::App;
use nova_protocol::{
    Commands as _, Decision, DryRunTool, ErrorCode, Event, Nothing, PendingToolRef, PendingToolRow,
};
use nova_testkit::{FixedCredentials, PATIENCE, ScriptedApprover, call as tool_call, text};
use serde_json::json;

use super::nova::{Nova, turn, wait_for};
use super::writing_a_tool::call;

const WEATHER: &str = "name: weather\ndescription: Says the weather.\neffect: external\n\
                       hosts: api.weather.example\nproposes: cdn.weather.example\ncredentials: weather-api\n\
                       asks: https://api.weather.example/now\ngives: sunny\n";

fn tools(nova: &Nova, folder: &str) -> PathBuf {
    nova.config().join("tools").join(folder)
}

async fn one_pending(app: &App) -> PendingToolRow {
    let mut rows = app.list_pending_tools(Nothing {}).await.unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.remove(0)
}

fn that(row: &PendingToolRow) -> PendingToolRef {
    PendingToolRef { name: row.name.clone(), hash: row.hash.clone() }
}

/// A Nova in which the tool may be granted the credential that it declares.
fn with_key(answers: impl IntoIterator<Item = nova_testkit::Answer>) -> Nova {
    let mut nova = Nova::new("", answers);
    nova.credentials = FixedCredentials::default().with("weather-api", "canary");
    nova
}

#[tokio::test]
async fn pending_tool_works_once_promoted() {
    let create = json!({"name": "weather", "source": WEATHER});
    let nova = with_key([tool_call("core__create_tool", create), text("It waits for you.")]);
    let app = nova.start().await;
    let (_, events) =
        turn(&app, None, "Write a weather tool", ScriptedApprover::always(Decision::Once)).await;
    let output = events
        .iter()
        .find_map(|event| match event {
            Event::ToolCallCompleted { ok: true, output, .. } => Some(output.clone()),
            _ => None,
        })
        .unwrap();
    assert_eq!(
        output,
        json!({
            "waits_for_the_user": true, "tool": "weather", "file": "weather.ts", "effect": "external",
            "hosts": ["api.weather.example"], "proposed_hosts": ["cdn.weather.example"],
            "credentials": ["weather-api"], "replaces": null,
        })
    );
    assert_eq!(call(&app, "dynamic.weather").await.error.unwrap().code, ErrorCode::UnknownTool);

    let row = one_pending(&app).await;
    assert_eq!((row.name.as_str(), row.source.as_str(), &row.replaces), ("weather", WEATHER, &None));
    let defined = row.definition.clone().unwrap();
    assert_eq!((defined.tool.as_str(), defined.hosts), ("weather", vec!["api.weather.example".to_owned()]));
    let tried = app
        .dry_run_tool(DryRunTool { name: row.name.clone(), hash: row.hash.clone(), args: json!({}) })
        .await
        .unwrap();
    assert_eq!(
        (tried.requests[0].url.as_str(), tried.value),
        ("https://api.weather.example/now", Some(json!("sunny")))
    );

    let promoted = app.promote_tool(that(&row)).await.unwrap();
    assert_eq!((promoted.tool.as_str(), &promoted.replaced), ("dynamic.weather", &None));
    assert_eq!(fs::read_to_string(tools(&nova, "dynamic").join("weather.ts")).unwrap(), WEATHER);
    assert_eq!(app.list_pending_tools(Nothing {}).await.unwrap(), []);
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("sunny")), "at once");

    nova.model.finish();
}

#[tokio::test]
async fn source_without_a_tool_is_refused_with_its_position_and_stays_out() {
    let create = json!({"name": "weather", "source": "name: weather\noops\n"});
    let nova = Nova::new("", [tool_call("core__create_tool", create), text("It cannot be read.")]);
    let app = nova.start().await;
    let (_, events) =
        turn(&app, None, "Write a weather tool", ScriptedApprover::always(Decision::Once)).await;
    let said = events.iter().find_map(|event| match event {
        Event::ToolCallCompleted { ok: false, output, .. } => output["message"].as_str().map(str::to_owned),
        _ => None,
    });
    assert_eq!(said.as_deref(), Some("weather.ts:2:1: \"oops\" is not understood."));
    assert_eq!(app.list_pending_tools(Nothing {}).await.unwrap(), []);
    nova.model.finish();
}

#[tokio::test]
async fn tool_changed_since_its_review_is_neither_promoted_nor_discarded() {
    let nova = with_key([]);
    let app = nova.start().await;
    let file = tools(&nova, "pending").join("weather.ts");
    fs::write(&file, WEATHER).unwrap();
    let seen = that(&one_pending(&app).await);
    fs::write(&file, WEATHER.replace("api.weather", "evil")).unwrap();

    let refused = app.promote_tool(seen.clone()).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::PendingToolChanged);
    assert!(!tools(&nova, "dynamic").join("weather.ts").exists());
    assert_eq!(app.discard_tool(seen).await.unwrap_err().code, ErrorCode::PendingToolChanged);
    assert!(file.exists());
    assert_eq!(
        app.promote_tool(PendingToolRef { name: "other".into(), hash: String::new() })
            .await
            .unwrap_err()
            .code,
        ErrorCode::UnknownPendingTool
    );

    app.discard_tool(that(&one_pending(&app).await)).await.unwrap();
    assert!(!file.exists());
}

#[tokio::test]
async fn broken_tool_is_listed_with_its_line_and_not_promoted() {
    let nova = with_key([]);
    let app = nova.start().await;
    fs::write(tools(&nova, "pending").join("weather.ts"), "name: weather\noops\n").unwrap();
    let row = one_pending(&app).await;
    assert_eq!(row.problem.as_ref().map(|problem| problem.line), Some(Some(2)));
    assert_eq!(app.promote_tool(that(&row)).await.unwrap_err().code, ErrorCode::ToolFileBroken);
}

#[tokio::test]
async fn new_version_shows_its_changes_and_the_old_one_is_kept() {
    let nova = with_key([]);
    fs::create_dir_all(tools(&nova, "dynamic")).unwrap();
    fs::write(tools(&nova, "dynamic").join("weather.ts"), WEATHER).unwrap();
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    let newer = WEATHER.replace("sunny", "rain");
    fs::write(tools(&nova, "pending").join("weather.ts"), &newer).unwrap();

    let row = one_pending(&app).await;
    let replaces = row.replaces.clone().unwrap();
    assert_eq!((replaces.file.as_str(), replaces.diff.summary.as_str()), ("weather.ts", "1 line"));
    let promoted = app.promote_tool(that(&row)).await.unwrap();
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("rain")));
    let kept = PathBuf::from(promoted.replaced.unwrap());
    assert!(kept.starts_with(nova.data().join("tools").join("replaced")), "{}", kept.display());
    assert_eq!(fs::read_to_string(kept).unwrap(), WEATHER);
}

#[tokio::test]
async fn unreadable_file_is_not_replaced() {
    let nova = with_key([]);
    fs::create_dir_all(tools(&nova, "dynamic")).unwrap();
    let own = tools(&nova, "dynamic").join("weather.ts");
    // As saved by an editor in Latin-1.
    fs::write(&own, b"name: weather\n// caf\xe9\n").unwrap();
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    fs::write(tools(&nova, "pending").join("weather.ts"), WEATHER).unwrap();
    let row = one_pending(&app).await;
    let refused = app.promote_tool(that(&row)).await.unwrap_err();
    assert!(refused.message.contains("not UTF-8"), "{refused:?}");
    assert_eq!(fs::read(&own).unwrap(), b"name: weather\n// caf\xe9\n");
    assert!(tools(&nova, "pending").join("weather.ts").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn discards_unreadable_tools_without_following_links() {
    let nova = with_key([]);
    let pending = tools(&nova, "pending");
    let app = nova.start().await;
    let own = nova.config().join("own.ts");
    fs::write(&own, WEATHER).unwrap();
    std::os::unix::fs::symlink(&own, pending.join("link.ts")).unwrap();
    fs::write(pending.join("large.ts"), vec![b'x'; 1024 * 1024 + 1]).unwrap();
    fs::write(pending.join("odd.ts"), b"caf\xe9").unwrap();
    let rows = app.list_pending_tools(Nothing {}).await.unwrap();
    let told = rows.iter().map(|row| {
        let problem = row.problem.as_ref().unwrap();
        (row.name.as_str(), problem.message.as_str())
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            ("large", "it is larger than 1 MB; make it smaller."),
            ("link", "it is a link to a file outside its folder; put the file itself here."),
            ("odd", "it is not UTF-8; save it as UTF-8."),
        ]
    );
    for row in &rows {
        let refused = app.promote_tool(that(row)).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::ToolFileBroken, "{refused:?}");
        let unseen = PendingToolRef { name: row.name.clone(), hash: String::new() };
        assert_eq!(app.discard_tool(unseen).await.unwrap_err().code, ErrorCode::PendingToolChanged);
    }
    // A version newer than the reviewed one.
    fs::write(pending.join("odd.ts"), b"caf\xe9 cr\xe8me").unwrap();
    assert_eq!(app.discard_tool(that(&rows[2])).await.unwrap_err().code, ErrorCode::PendingToolChanged);

    app.discard_tool(that(&rows[0])).await.unwrap();
    app.discard_tool(that(&rows[1])).await.unwrap();
    assert_eq!(fs::read_to_string(&own).unwrap(), WEATHER, "only the link is deleted");
    assert!(fs::symlink_metadata(pending.join("link.ts")).is_err());
    let (code, _) = nova.json(&["tool", "discard", "odd"]);
    assert_eq!(code, 0);
    assert!(fs::read_dir(&pending).unwrap().flatten().all(|entry| !entry.path().ends_with("odd.ts")));
}

#[tokio::test]
async fn only_the_given_one_of_two_similar_names_is_discarded() {
    let nova = with_key([]);
    let app = nova.start().await;
    for file in ["a-b.ts", "a_b.ts"] {
        fs::write(tools(&nova, "pending").join(file), format!("name: {}\n", &file[..3])).unwrap();
    }
    let rows = app.list_pending_tools(Nothing {}).await.unwrap();
    let row = rows.iter().find(|row| row.file == "a_b.ts").unwrap();
    app.discard_tool(that(row)).await.unwrap();
    assert!(!tools(&nova, "pending").join("a_b.ts").exists());
    assert!(tools(&nova, "pending").join("a-b.ts").exists());
}

#[tokio::test]
async fn version_of_a_tool_defined_by_another_file_replaces_that_file() {
    let nova = with_key([]);
    fs::create_dir_all(tools(&nova, "dynamic")).unwrap();
    fs::write(tools(&nova, "dynamic").join("my-weather.ts"), WEATHER).unwrap();
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    fs::write(tools(&nova, "pending").join("weather.ts"), WEATHER.replace("sunny", "rain")).unwrap();
    let row = one_pending(&app).await;
    assert_eq!(row.replaces.as_ref().unwrap().file, "my-weather.ts");
    assert_eq!(app.promote_tool(that(&row)).await.unwrap().file, "my-weather.ts");
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("rain")));
    assert!(!tools(&nova, "dynamic").join("weather.ts").exists());
}

#[tokio::test]
async fn interrupted_promotion_is_finished_by_the_next_scan() {
    let nova = with_key([]);
    let app = nova.start().await;
    // As after a kill between the two steps: in force, and still pending.
    fs::write(tools(&nova, "pending").join("weather.ts"), WEATHER).unwrap();
    fs::write(tools(&nova, "dynamic").join("weather.ts"), WEATHER).unwrap();
    assert_eq!(app.list_pending_tools(Nothing {}).await.unwrap(), []);
    assert!(!tools(&nova, "pending").join("weather.ts").exists());
    // As after a kill while writing the file.
    fs::write(tools(&nova, "dynamic").join(".nova-x.tmp"), "half").unwrap();
    app.tools_loaded(PATIENCE).await;
    assert_eq!(call(&app, "dynamic.weather").await.value, Some(json!("sunny")));
}

#[tokio::test]
async fn at_most_twenty_tools_are_pending() {
    let answers = ["twenty-one", "tool7"]
        .map(|name| tool_call("core__create_tool", json!({"name": name, "source": "name: x\n"})));
    let nova = Nova::new("", answers.into_iter().chain([text("Done.")]));
    let app = nova.start().await;
    for number in 0..20 {
        fs::write(tools(&nova, "pending").join(format!("tool{number}.ts")), "name: y\n").unwrap();
    }
    let (_, events) = turn(&app, None, "Write tools", ScriptedApprover::always(Decision::Once)).await;
    let outcomes: Vec<bool> = events
        .iter()
        .filter_map(|event| match event {
            Event::ToolCallCompleted { ok, .. } => Some(*ok),
            _ => None,
        })
        .collect();
    assert_eq!(outcomes, [false, true], "one too many, and a new version of a pending tool");
    nova.model.finish();
}

#[tokio::test]
async fn pending_tool_that_appears_or_disappears_emits_an_event() {
    let nova = with_key([]);
    let app = nova.start().await;
    app.watch();
    app.tools_loaded(PATIENCE).await;
    let mut events = app.events();
    fs::write(tools(&nova, "pending").join("weather.ts"), WEATHER).unwrap();
    wait_for(&mut events, |event| matches!(event, Event::PendingToolsChanged {})).await;
}

#[test]
fn command_line_lists_and_discards_with_documented_exit_codes() {
    let nova = with_key([]);
    assert_eq!(nova.json(&["tool", "pending"]), (0, json!([])));
    fs::write(tools(&nova, "pending").join("weather.ts"), WEATHER).unwrap();
    let (code, rows) = nova.json(&["tool", "pending"]);
    assert_eq!((code, &rows[0]["name"], &rows[0]["source"]), (0, &json!("weather"), &json!(WEATHER)));
    // This build has no tool host, so nothing can be promoted.
    assert_eq!(nova.run(&["tool", "promote", "weather"]).status.code(), Some(1));
    assert_eq!(nova.run(&["tool", "discard", "nothing"]).status.code(), Some(1));
    assert_eq!(nova.run(&["tool", "discard", "weather", "--hash", "other"]).status.code(), Some(1));
    assert_eq!(nova.run(&["tool", "discard", "weather"]).status.code(), Some(0));
    assert_eq!(nova.json(&["tool", "pending"]), (0, json!([])));
}

#[cfg(unix)]
#[tokio::test]
async fn dangling_link_is_listed_with_its_reason_and_can_be_discarded() {
    let nova = Nova::new("", []);
    let pending = tools(&nova, "pending");
    fs::create_dir_all(&pending).unwrap();
    std::os::unix::fs::symlink("nowhere.ts", pending.join("lost.ts")).unwrap();
    let app = nova.start().await;

    let row = one_pending(&app).await;
    assert_eq!((row.name.as_str(), row.source.as_str()), ("lost", ""));
    let problem = row.problem.as_ref().unwrap();
    assert_eq!(problem.message, "it is a link to a missing file; put the file itself here.");
    app.discard_tool(that(&row)).await.unwrap();
    assert_eq!(app.list_pending_tools(Nothing {}).await.unwrap(), []);
}
