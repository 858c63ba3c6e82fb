use std::path::{Path, PathBuf};
use std::sync::Arc;

use nova_app::{Desktop, NoApprover};
use nova_protocol::{Commands as _, ExportSession, ExportedSession};
use nova_testkit::{call, text};
use serde_json::json;

use super::nova::{Nova, PEOPLE, turn};

const KEY: &str = "sk-proj-0123456789abcdefghij";

/// Saves at the given place, and records the proposed name.
struct SavesAt(Option<PathBuf>, std::sync::Mutex<Vec<String>>);

#[async_trait::async_trait]
impl Desktop for SavesAt {
    async fn pick_folder(&self) -> Option<PathBuf> {
        None
    }

    async fn pick_file(&self, name: &str) -> Option<PathBuf> {
        self.1.lock().unwrap().push(name.to_owned());
        self.0.clone()
    }

    fn open_url(&self, url: &str) -> Result<(), String> {
        Err(format!("{url} is not asked for"))
    }

    fn show_file(&self, path: &Path) -> Result<(), String> {
        Err(format!("{} is not asked for", path.display()))
    }
}

fn nova() -> Nova {
    let answers = [
        call("crm__get_contact", json!({"name": "Jane Doe"})),
        text("She is a **lead**."),
        text("She is, I said."),
    ];
    Nova::new(PEOPLE, answers)
}

#[tokio::test]
async fn chat_is_exported_as_a_document() {
    let nova = nova();
    let app = nova.start().await;
    let (end, _) = turn(&app, None, &format!("Is Jane: a lead? {KEY}"), NoApprover).await;
    nova.run(&["chat", "-p", "Sure?", "--session", &end.session, "--after", "start"]);

    let printed = nova.run(&["session", "export", &end.session]);
    assert_eq!(printed.status.code(), Some(0), "{printed:?}");
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(printed.starts_with("---\ntitle: \"Is Jane: a lead?"), "{printed}");
    assert!(printed.contains("model: \"test/scripted\"\n"), "{printed}");
    assert!(printed.contains("> Sure?\n\n## Nova\n\nShe is, I said."), "{printed}");
    assert!(!printed.contains("lead**"), "the branch in force only: {printed}");

    let file = nova.home().join("chat.md");
    let to_file = nova.json(&["session", "export", &end.session, "--all", "--out", file.to_str().unwrap()]);
    assert_eq!(to_file, (0, json!({"ok": true, "file": file})));
    let all = std::fs::read_to_string(&file).unwrap();
    assert!(all.contains("- `crm.get_contact` → done\n  - from [[CRM/People/Jane Doe|Jane Doe]]"), "{all}");
    assert!(all.contains("She is a **lead**.") && all.contains("(branch 2 of 2)"), "{all}");
    assert!(!all.contains(KEY) && all.contains("[key left out]"), "{all}");

    // An existing file is not overwritten when a name is reused.
    std::fs::write(&file, "mine").unwrap();
    let again = ["session", "export", &end.session, "--out", file.to_str().unwrap()];
    let (code, told) = nova.json(&again);
    assert_eq!((code, told["ok"].as_bool()), (1, Some(false)));
    assert!(told["error"]["hint"].as_str().unwrap().contains("--force"), "{told}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(nova.run(&[again.as_slice(), &["--force"]].concat()).status.code(), Some(0));
    assert!(std::fs::read_to_string(&file).unwrap().contains("She is, I said."));

    let nowhere = nova.run(&["session", "export", &end.session, "--out", "/nonexistent/chat.md"]);
    assert_eq!(nowhere.status.code(), Some(1));
    nova.model.finish();
}

#[tokio::test]
async fn export_into_the_vault_is_a_change_like_any_other() {
    let nova = nova();
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Is Jane a lead?", NoApprover).await;
    let file = nova.vault.root().join("Chats").join("Jane.md");
    std::fs::create_dir(file.parent().unwrap()).unwrap();

    let export = ["session", "export", &end.session, "--out", file.to_str().unwrap()];
    assert_eq!(nova.run(&export).status.code(), Some(0));
    assert!(nova.vault.read("Chats/Jane.md").contains("She is a **lead**."));
    let (_, changes) = nova.json(&["changes", "list"]);
    assert_eq!(changes[0]["notes"][0]["path"], "Chats/Jane.md");
    assert_eq!(nova.run(&export).status.code(), Some(1), "an existing note is not replaced");
    let from_within = nova
        .command(&["session", "export", &end.session, "--out", "Jane.md"])
        .current_dir(file.parent().unwrap())
        .output()
        .unwrap();
    assert_eq!(from_within.status.code(), Some(1), "from any folder");
    nova.run(&["changes", "undo", changes[0]["id"].as_str().unwrap()]);
    assert!(!nova.vault.exists("Chats/Jane.md"));
}

#[tokio::test]
async fn user_chooses_the_location_in_the_window() {
    let mut nova = nova();
    let file = nova.home().join("saved.md");
    let desktop = Arc::new(SavesAt(Some(file.clone()), std::sync::Mutex::default()));
    nova.desktop = desktop.clone();
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Is Jane: a lead / not?", NoApprover).await;
    let export = ExportSession { session: end.session.clone(), all: None };

    let saved = app.export_session(export.clone()).await.unwrap().saved.unwrap();
    assert!(saved.ends_with("saved.md"), "{saved}");
    assert!(std::fs::read_to_string(&file).unwrap().contains("She is a **lead**."));
    let names = desktop.1.lock().unwrap().clone();
    assert!(names.len() == 1 && names[0].starts_with("Is Jane") && names[0].ends_with(".md"), "{names:?}");
    assert!(!names[0].contains(['/', ':', '?']), "{names:?}");

    nova.desktop = Arc::new(SavesAt(None, std::sync::Mutex::default()));
    let app = nova.start().await;
    assert_eq!(app.export_session(export).await.unwrap(), ExportedSession { saved: None });
}

const DIARY: &str = "
//- Diary/Secret.md
---
nova: private
---
quartz
//- Open.md
An open note.
";

fn is_private(text: &str) -> bool {
    text.split("---").nth(1).is_some_and(|properties| properties.contains("\nnova: private\n"))
}

#[tokio::test]
async fn export_after_private_notes_is_private() {
    let read = |path: &str| call("vault__read_note", json!({ "path": path }));
    let answers = [
        read("Open.md"),
        text("It is open."),
        read("Diary/Secret.md"),
        text("It says quartz."),
        text("Nothing read."),
    ];
    let nova = Nova::new(DIARY, answers);
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Read it", NoApprover).await;
    assert!(!is_private(&app.session_as_markdown(&end.session, false).await.unwrap()));
    turn(&app, Some(&end.session), "And the secret?", NoApprover).await;
    let file = nova.vault.root().join("Chat.md");
    let export = ["session", "export", &end.session, "--out", file.to_str().unwrap()];
    assert_eq!(nova.run(&export).status.code(), Some(0));
    let note = nova.vault.read("Chat.md");
    assert!(is_private(&note) && note.contains("It says quartz."), "{note}");

    // A branch that read nothing private is not private; the whole chat is.
    nova.run(&["chat", "-p", "Hello", "--session", &end.session, "--after", "start"]);
    assert!(!is_private(&app.session_as_markdown(&end.session, false).await.unwrap()));
    assert!(is_private(&app.session_as_markdown(&end.session, true).await.unwrap()));
    nova.model.finish();
}

#[tokio::test]
async fn export_is_private_before_an_answer_too() {
    let answers = [
        call("vault__search", json!({"query": "quartz"})),
        nova_testkit::error(400, json!({"error": {"message": "no"}})),
    ];
    let nova = Nova::new(DIARY, answers);
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Find it", NoApprover).await;
    assert!(is_private(&app.session_as_markdown(&end.session, false).await.unwrap()));
    nova.model.finish();
}
