//! Skill folders, in every shape that people leave them in.

use std::fs;
use std::path::PathBuf;

use nova_app::{App, TurnEnd};
use nova_protocol::{Commands as _, Decision, Event, Nothing, SkillRow, SkillState};
use nova_testkit::{PATIENCE, ScriptedApprover, call as model_call, text};
use serde_json::json;

use super::nova::{Nova, turn, wait_for};
use super::writing_a_tool::call;

const GOOD: &str = "---\nname: good\ndescription: Works.\n---\n\nText.\n";

fn write(nova: &Nova, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let file = nova.config().join("skills").join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    file
}

async fn rows(app: &App) -> Vec<SkillRow> {
    app.list_skills(Nothing {}).await.unwrap()
}

async fn row(app: &App, id: &str) -> SkillRow {
    rows(app).await.into_iter().find(|row| row.id == id).unwrap_or_else(|| panic!("{id} is listed"))
}

async fn started(nova: &Nova) -> App {
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    app
}

#[tokio::test]
async fn unusable_skill_is_listed_with_its_reason_and_hides_no_other() {
    let nova = Nova::new("", []);
    write(&nova, "good/SKILL.md", GOOD);
    write(&nova, "unreadable/SKILL.md", "---\nname: [\n---\n");
    write(
        &nova,
        "huge/SKILL.md",
        format!("---\nname: huge\ndescription: {}\n---\n", "x".repeat(1024 * 1024)),
    );
    write(&nova, "binary/SKILL.md", [0xff, 0xfe, 0x00]);
    write(&nova, "silent/SKILL.md", "---\nname: silent\n---\nText.\n");
    write(&nova, "empty/notes.txt", "");
    let mut bomb = String::from("---\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for level in 1..9 {
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(",")));
    }
    write(&nova, "bomb/SKILL.md", format!("{bomb}name: bomb\ndescription: y\n---\n"));
    write(&nova, "odd-manifest/SKILL.md", GOOD.replace("good", "odd-manifest"));
    write(&nova, "odd-manifest/manifest.yaml", "version: 1\nloading:\n  mode: sometimes\n");
    let app = started(&nova).await;
    for (id, told) in [
        ("unreadable", "The front matter of SKILL.md cannot be read"),
        ("huge", "larger than"),
        ("binary", "not UTF-8"),
        ("silent", "SKILL.md has no description."),
        ("empty", "The folder has no SKILL.md."),
        ("bomb", "cannot be read"),
        ("odd-manifest", "manifest.yaml, line 3"),
    ] {
        let row = row(&app, id).await;
        let reason = row.reason.unwrap();
        assert_eq!(row.state, SkillState::Broken, "{id}");
        assert!(reason.contains(told), "{id}: {reason}");
        assert!(reason.len() < 500, "{id}: the reason is readable");
    }
    assert_eq!(row(&app, "good").await.state, SkillState::Available);
}

#[tokio::test]
async fn skill_that_deviates_from_the_standard_works_and_its_row_says_so() {
    let nova = Nova::new("", []);
    for (path, text) in [
        ("other-name/SKILL.md", GOOD.to_owned()),
        ("colon/SKILL.md", "---\nname: colon\ndescription: Use when: asked\n---\nText.\n".into()),
        ("long/SKILL.md", format!("---\nname: long\ndescription: {}\n---\nText.\n", "x".repeat(3000))),
        ("extra/SKILL.md", "---\nname: extra\ndescription: D.\ncolour: red\n---\nText.\n".into()),
        ("older/manifest.yaml", "name: older\ndescription: An older layout.\nversion: 1.0.0\n".into()),
        ("older/instructions.md", "# How\n\nDo it.\n".into()),
        ("older/tools.py", "def tool(): pass\n".into()),
    ] {
        write(&nova, path, text);
    }
    let app = started(&nova).await;
    for (id, told) in [
        ("other-name", "SKILL.md says name: good, its folder is other-name."),
        ("colon", "Put the value in quotation marks"),
        ("long", "description is 3000 characters long."),
        ("extra", "The key colour is not one of the standard's"),
        ("older", "tools.py is not run: rewrite it as tools/*.ts."),
    ] {
        let row = row(&app, id).await;
        assert_eq!(row.state, SkillState::Available, "{id}");
        assert!(row.reason.as_ref().unwrap().contains(told), "{id}: {:?}", row.reason);
    }
    let older = app.registry().snapshot().skill("older").unwrap().clone();
    assert_eq!(
        (&*older.description, &*older.instructions, &*older.version),
        ("An older layout.", "# How\n\nDo it.", "1.0.0")
    );
    let long = app.registry().snapshot().skill("long").unwrap().clone();
    assert_eq!(long.description.chars().count(), 1024);
}

#[tokio::test]
async fn properly_named_one_of_two_folders_with_the_same_id_wins() {
    let nova = Nova::new("", []);
    for id in ["My_Skill", "my-skill", "my_skill"] {
        write(&nova, &format!("{id}/SKILL.md"), GOOD.replace("good", id));
    }
    let app = started(&nova).await;
    let states: Vec<_> = rows(&app)
        .await
        .into_iter()
        .filter(|row| row.id.eq_ignore_ascii_case("my-skill") || row.id.contains('_'))
        .map(|row| (row.id, row.state))
        .collect();
    assert_eq!(
        states,
        [
            ("my-skill".to_owned(), SkillState::Available),
            ("My_Skill".to_owned(), SkillState::Broken),
            ("my_skill".to_owned(), SkillState::Broken),
        ]
    );
    let reason = row(&app, "my_skill").await.reason.unwrap();
    assert_eq!(reason, "id taken by your skill my-skill. Rename this one's folder.");
    assert!(app.registry().snapshot().skill("MY_SKILL").is_some(), "name matching ignores spelling variants");
}

#[tokio::test]
async fn folders_that_resemble_a_built_in_are_not_used() {
    let nova = Nova::new("", []);
    for id in ["v\u{430}ult", "Vault "] {
        write(&nova, &format!("{id}/SKILL.md"), GOOD.replace("good", id));
    }
    let app = started(&nova).await;
    for id in ["v\u{430}ult", "Vault "] {
        let row = row(&app, id).await;
        assert_eq!(row.state, SkillState::Broken, "{id}");
        assert!(row.reason.as_ref().unwrap().contains("the built-in skill vault"), "{id}: {:?}", row.reason);
    }
    let snapshot = app.registry().snapshot();
    assert_eq!(snapshot.skill("vault").unwrap().source.as_str(), "native");
}

#[tokio::test]
async fn users_configuration_overrides_defaults_and_is_validated() {
    let nova = Nova::new("", []);
    write(&nova, "good/SKILL.md", GOOD);
    write(
        &nova,
        "good/manifest.yaml",
        "config:\n  type: object\n  properties:\n    days: {type: integer}\n    who: {type: string}\n",
    );
    write(&nova, "good/config.yaml", "days: 3\nwho: nobody\n");
    // With `_` for `-` it still belongs to the same skill.
    nova.settings(&json!({"skills": {"good": {"config": {"who": "Jane"}}}}));
    let app = started(&nova).await;
    let config = |app: &App| app.registry().snapshot().skill("good").unwrap().config.clone();
    assert_eq!(*config(&app), json!({"days": 3, "who": "Jane"}));

    nova.settings(&json!({"skills": {"good": {"config": {"days": "soon"}}}}));
    drop(app);
    let app = started(&nova).await;
    let broken = row(&app, "good").await;
    assert_eq!(broken.state, SkillState::Unavailable);
    assert_eq!(
        broken.reason.as_deref(),
        Some("skills.good.config.days: \"soon\" is not of type \"integer\". Correct it in nova.config.json.")
    );
    let status = app.app_status(Nothing {}).await.unwrap();
    assert!(status.config_problem.unwrap().message.contains("skills.good.config.days"));
}

#[tokio::test]
async fn file_that_breaks_keeps_the_last_good_version_of_its_skill() {
    let nova = Nova::new("", []);
    let good = [
        ("good/SKILL.md", GOOD),
        ("good/manifest.yaml", "display_name: Good\n"),
        ("good/config.yaml", "days: 3\n"),
    ];
    for (path, text) in good {
        write(&nova, path, text);
    }
    write(&nova, "other/SKILL.md", GOOD.replace("good", "other"));
    let app = started(&nova).await;
    app.watch();
    for ((path, text), broken, told) in [
        (good[0], "---\nname: [\n---\n", "The front matter of SKILL.md cannot be read"),
        (good[0], "---\nname: good\n---\n", "SKILL.md has no description."),
        (good[1], "loading:\n  mode: sometimes\n", "manifest.yaml, line 2"),
        (good[2], "days: [\n", "config.yaml"),
    ] {
        write(&nova, path, broken);
        let reason = until(&app, |row| row.reason.is_some()).await.reason.unwrap();
        assert!(reason.contains(told) && reason.ends_with("The last good version stays in use."), "{reason}");
        let skill = app.registry().snapshot().skill("good").unwrap().clone();
        assert!(skill.is_available());
        assert_eq!((&*skill.instructions, &*skill.name), ("Text.", "Good"), "{path}");
        assert_eq!(*skill.config, json!({"days": 3}));
        assert_eq!(row(&app, "other").await.reason, None);

        write(&nova, path, text);
        assert_eq!(until(&app, |row| row.reason.is_none()).await.state, SkillState::Available);
    }
}

/// Waits until the row of the skill `good` matches.
async fn until(app: &App, fits: impl Fn(&SkillRow) -> bool) -> SkillRow {
    let mut events = app.events();
    loop {
        let row = row(app, "good").await;
        if fits(&row) {
            return row;
        }
        wait_for(&mut events, |event| matches!(event, Event::RegistryChanged { .. })).await;
    }
}

#[tokio::test]
async fn folder_of_thousands_of_files_and_a_pipe_do_not_block() {
    let nova = Nova::new("", []);
    let skill = write(&nova, "good/SKILL.md", GOOD).parent().unwrap().to_owned();
    for at in 0..2000 {
        write(&nova, &format!("good/assets/{at}.md"), "x");
    }
    let pipe = std::process::Command::new("mkfifo").arg(skill.join("pipe.md")).status().unwrap();
    assert!(pipe.success());
    write(&nova, "piped/notes.txt", "");
    let pipe = nova.config().join("skills/piped/SKILL.md");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let app = started(&nova).await;
    let entry = app.registry().snapshot().skill("good").unwrap().clone();
    let folder = entry.folder.as_ref().unwrap();
    assert!(entry.is_available() && folder.is_incomplete());
    assert!(folder.read("pipe.md").is_err() && folder.read("../../nova.config.json").is_err());
    assert_eq!(row(&app, "piped").await.state, SkillState::Broken);
    assert_eq!(row(&app, "crm").await.state, SkillState::Available);
}

#[tokio::test]
async fn skill_removed_during_use_is_gone_and_the_rest_works() {
    let nova = Nova::new("", []);
    let skill = write(&nova, "good/SKILL.md", GOOD).parent().unwrap().to_owned();
    write(&nova, "good/tools/echo.ts", "name: echo\ndescription: Echoes.\neffect: read\ngives: hello\n");
    write(&nova, "good/references/a.md", "one");
    let app = started(&nova).await;
    let held = app.registry().snapshot().skill("good").unwrap().clone();
    assert_eq!(call(&app, "good.echo").await.value, Some(json!("hello")));
    fs::remove_dir_all(&skill).unwrap();
    let error = held.folder.as_ref().unwrap().read("references/a.md").unwrap_err();
    assert!(error.to_string().starts_with("The skill has no file"), "{error}");
    app.tools_loaded(PATIENCE).await;
    assert!(call(&app, "good.echo").await.error.is_some());
    assert!(!rows(&app).await.iter().any(|row| row.id == "good"));
}

#[cfg(unix)]
#[tokio::test]
async fn folder_that_links_outside_is_reported_and_not_followed() {
    let nova = Nova::new("", []);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("SKILL.md"), GOOD).unwrap();
    write(&nova, "good/SKILL.md", GOOD);
    std::os::unix::fs::symlink(outside.path(), nova.config().join("skills/linked")).unwrap();
    std::os::unix::fs::symlink("good", nova.config().join("skills/alias")).unwrap();
    let app = started(&nova).await;
    let linked = row(&app, "linked").await;
    assert_eq!(linked.state, SkillState::Broken);
    assert!(linked.reason.unwrap().starts_with("It is a link out of the folder of skills"));
    assert_eq!(row(&app, "alias").await.state, SkillState::Available, "a link inside the folder is accepted");
    assert_eq!(row(&app, "good").await.state, SkillState::Available);
}

#[tokio::test]
async fn skill_removed_during_a_chat_does_not_end_it() {
    let answers = [
        model_call("load_skill", json!({"skill": "good"})),
        model_call("good__echo", json!({})),
        text("It says hello."),
        model_call("good__echo", json!({})),
        text("It is gone."),
    ];
    let nova = Nova::new("", answers);
    let skill = write(&nova, "good/SKILL.md", GOOD).parent().unwrap().to_owned();
    write(&nova, "good/tools/echo.ts", "name: echo\ndescription: Echoes.\neffect: read\ngives: hello\n");
    let app = started(&nova).await;
    let approver = || ScriptedApprover::always(Decision::Once);
    let (first, _) = turn(&app, None, "What does it say?", approver()).await;
    assert_eq!(first.end, TurnEnd::Completed { text: "It says hello.".into() });

    fs::remove_dir_all(&skill).unwrap();
    app.tools_loaded(PATIENCE).await;
    let (second, _) = turn(&app, Some(&first.session), "And now?", approver()).await;
    assert_eq!(second.end, TurnEnd::Completed { text: "It is gone.".into() });
    let told = nova.model.last_texts("tool").join("\n");
    assert!(
        told.contains("hello") && told.contains("good"),
        "the model is told that there is no such tool: {told}"
    );
    nova.model.finish();
}

#[test]
fn new_skill_loads_checks_and_runs_at_once() {
    let nova = Nova::new("", []);
    let (code, made) = nova.json(&["skill", "new", "meeting-notes"]);
    assert_eq!((code, &made["ok"]), (0, &json!(true)));
    let folder = nova.config().join("skills/meeting-notes");
    let folder = folder.to_str().unwrap();
    let (code, found) = nova.json(&["skill", "check", folder]);
    assert_eq!((code, &found), (0, &json!([])));
    let (code, said) = nova.json(&[
        "tool",
        "call",
        "meeting-notes.echo",
        "--args",
        r#"{"text": "hello", "times": 2}"#,
        "--approve",
        "all",
    ]);
    assert_eq!((code, &said["value"]), (0, &json!({"text": "hello hello"})));

    fs::write(nova.config().join("skills/meeting-notes/tools/odd.ts"), "export default {\n").unwrap();
    let taken = "records:\n  contact: {folder: Friends, fields: {name: {kind: text}}}\n";
    fs::write(nova.config().join("skills/meeting-notes/manifest.yaml"), taken).unwrap();
    // Also below a folder named after the owner.
    let below = nova.config().join("crm/friends");
    fs::create_dir_all(&below).unwrap();
    fs::write(below.join("SKILL.md"), "---\nname: friends\ndescription: Friends.\n---\n").unwrap();
    fs::write(below.join("manifest.yaml"), taken).unwrap();
    for folder in [folder, below.to_str().unwrap()] {
        let text = String::from_utf8(nova.run(&["skill", "check", folder]).stdout).unwrap();
        let said = "manifest.yaml:1: contact is a record type of the skill crm already.";
        assert!(text.contains(said), "{text}");
    }
    let declared =
        "loading:\n  always: [nothing]\nglance:\n  - {tool: ech, ask: What is new?}\npanel: {kind: list}\n";
    fs::write(nova.config().join("skills/meeting-notes/manifest.yaml"), declared).unwrap();
    let output = nova.run(&["skill", "check", folder]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("error: tools/odd.ts:"), "{text}");
    assert!(text.contains("error: manifest.yaml: loading.always names nothing"), "{text}");
    assert!(text.contains("error: manifest.yaml:3: glance: the skill has no tool `ech`"), "{text}");
    assert!(text.contains("error: manifest.yaml:5: panel: missing field `tool`"), "{text}");
    for odd in ["a--b", "a__b", "a-", "a_"] {
        assert_eq!(nova.run(&["skill", "new", odd]).status.code(), Some(1), "{odd} would be no valid skill");
    }
    let nowhere = nova.run(&["skill", "check", "/nowhere/at/all"]);
    assert_eq!(nowhere.status.code(), Some(1));
}
