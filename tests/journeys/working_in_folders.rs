//! Folders outside of the vault: which ones may be opened, and what the assistant finds in them.

use std::fs;
use std::path::PathBuf;

use async_trait::async_trait;
use nova_app::{Answer, ApprovalRequest, Approver, NoApprover, TurnEnd};
use nova_protocol::{
    AddWorkspace, ChangeSetState, Commands as _, ConflictSide, Decision, ErrorCode, Event, Nothing,
    PurgeSessions, ResolveConflict, SessionRef, WorkspaceAccess,
};
use nova_testkit::{ScriptedApprover, call, calls, decided, text};
use serde_json::json;

use super::nova::{Nova, PEOPLE, turn};

/// A Nova whose user has code and keys.
fn with_code(answers: impl IntoIterator<Item = nova_testkit::Answer>) -> Nova {
    let nova = Nova::new(PEOPLE, answers);
    for (path, text) in [
        ("code/src/main.rs", "fn main() {\n    todo(); // needle\n}\n"),
        ("code/.gitignore", "target\n"),
        (".ssh/id_ed25519", "PRIVATE KEY needle"),
    ] {
        let path = nova.home().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    nova
}

#[test]
fn workspaces_are_added_listed_and_removed_at_the_terminal() {
    let nova = with_code([]);
    let code = nova.home().join("code");
    let path = code.to_str().unwrap();
    let row = |access: &str| json!({"folders": [{"path": path, "shown": "~/code", "name": "code", "access": access, "problem": null}]});
    assert_eq!(nova.json(&["workspace", "list"]), (0, json!({"folders": []})));
    assert_eq!(nova.json(&["workspace", "add", path]), (0, row("read")));
    assert_eq!(nova.json(&["workspace", "add", path, "--write"]), (0, row("write")));
    assert_eq!(nova.read_settings()["workspaces"], json!([{"path": path, "access": "write"}]));
    assert_eq!(nova.json(&["workspace", "remove", path]), (0, json!({"folders": []})));
    let (code, error) = nova.json(&["workspace", "remove", path]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("path_refused")));
}

#[tokio::test]
async fn keys_vault_and_novas_folders_cannot_be_workspaces() {
    let nova = with_code([]);
    let app = nova.start().await;
    std::os::unix::fs::symlink(nova.home().join(".ssh"), nova.home().join("harmless")).unwrap();
    let vault = nova.vault.root();
    let inside = vault.join("CRM");
    let folders =
        ["config", "data", "data/history", ".ssh", "harmless", ""].map(|folder| nova.home().join(folder));
    for folder in folders.iter().chain([&vault, &inside, &vault.parent().unwrap().to_owned()]) {
        let add = AddWorkspace { path: folder.display().to_string(), access: WorkspaceAccess::Read };
        let refused = app.add_workspace(add).await;
        assert_eq!(refused.unwrap_err().code, ErrorCode::PathRefused, "{}", folder.display());
    }
    // A hand-written entry is listed with the reason and not opened.
    let mut settings = nova.read_settings();
    settings["workspaces"] = json!([{"path": nova.home().join(".ssh")}]);
    nova.settings(&settings);
    let app = nova.start().await;
    let listed = app.list_workspaces(Nothing {}).await.unwrap().folders;
    assert!(listed[0].problem.as_ref().unwrap().contains("keys"), "{listed:?}");
}

#[tokio::test]
async fn assistant_finds_and_reads_files_of_an_open_folder() {
    let nova = with_code([
        call("core__ls", json!({})),
        calls([
            ("core__glob", json!({"pattern": "code/**/*.rs"})),
            ("core__grep", json!({"pattern": "needle"})),
            ("core__read", json!({"path": "code/src/main.rs", "offset": 2, "limit": 1})),
            ("core__read", json!({"path": "vault/Ideas.md"})),
        ]),
        text("In line 2."),
    ]);
    let path = nova.home().join("code").display().to_string();
    assert_eq!(nova.run(&["workspace", "add", &path]).status.code(), Some(0));
    let app = nova.start().await;

    let (end, events) = turn(&app, None, "Where is the needle?", NoApprover).await;

    assert_eq!(end.end, TurnEnd::Completed { text: "In line 2.".into() });
    let answers = nova.model.last_texts("tool");
    let [folders, globbed, found, line, note] = answers.as_slice() else { panic!("{answers:?}") };
    assert!(
        folders.contains(r#"{"path":"scratch","access":"write"},{"path":"code","access":"read"}"#),
        "{folders}"
    );
    assert!(globbed.contains(r#"["code/src/main.rs"]"#), "{globbed}");
    assert!(found.contains(r#""path":"code/src/main.rs","line":2"#) && !found.contains("PRIVATE"), "{found}");
    assert!(line.contains(r"     2\t    todo(); // needle\n"), "{line}");
    assert!(note.contains("Ask [[Jane Doe]].") && note.contains(r#""hash":"#), "{note}");
    let partial =
        events.iter().any(|event| matches!(event, Event::ToolCallProgress { partial: Some(_), .. }));
    assert!(partial, "no partial result while searching");
    nova.model.finish();
}

#[test]
fn keys_are_inaccessible_by_any_path() {
    let nova = with_code([]);
    let key = nova.home().join(".ssh/id_ed25519").display().to_string();
    let climbing = nova.home().join("code/../.ssh/id_ed25519").display().to_string();
    std::os::unix::fs::symlink(nova.home().join(".ssh"), nova.home().join("code/keys")).unwrap();
    let code = nova.home().join("code").display().to_string();
    assert_eq!(nova.run(&["workspace", "add", &code]).status.code(), Some(0));
    for path in [&key, &climbing, "code/../.ssh/id_ed25519", "code/keys/id_ed25519", "scratch/../../nova.db"]
    {
        let args = json!({"path": path}).to_string();
        let (code, answer) = nova.json(&["tool", "call", "core.read", "--args", &args]);
        assert_eq!((code, &answer["error"]["code"]), (1, &json!("path_refused")), "{path}: {answer}");
    }
}

#[tokio::test]
async fn scratch_folder_belongs_to_its_chat_and_is_deleted_with_it() {
    let nova = with_code([
        call("core__ls", json!({"path": "scratch"})),
        text("Empty."),
        call("core__read", json!({"path": "scratch/kept.txt"})),
        text("Read."),
        call("core__read", json!({"path": "scratch/kept.txt"})),
        text("Nothing."),
    ]);
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "What is there?", NoApprover).await;
    let scratch = nova.data().join("scratch").join(&end.session);
    fs::write(scratch.join("kept.txt"), "kept").unwrap();

    turn(&app, Some(&end.session), "And now?", NoApprover).await;
    assert!(nova.model.last_texts("tool").last().unwrap().contains("kept"));
    turn(&app, None, "In another chat?", NoApprover).await;
    assert!(nova.model.last_texts("tool").last().unwrap().contains("was not found"));

    app.delete_session(SessionRef { session: end.session.clone() }).await.unwrap();
    assert!(scratch.exists(), "a deleted chat can be restored");
    app.purge_sessions(PurgeSessions { session: Some(end.session.clone()) }).await.unwrap();
    assert!(!scratch.exists());
    nova.model.finish();
}

#[tokio::test]
async fn files_and_notes_of_a_turn_are_one_change_set_and_undone_together() {
    let nova = with_code([
        calls([
            ("core__edit", json!({"path": "code/src/main.rs", "old": "todo();", "new": "done();"})),
            ("core__write", json!({"path": "scratch/report.csv", "content": "a;b\n"})),
            ("core__edit", json!({"path": "vault/Ideas.md", "old": "Ask", "new": "Call"})),
        ]),
        text("Done."),
    ]);
    let main = nova.home().join("code/src/main.rs");
    let (before, note) = (fs::read_to_string(&main).unwrap(), nova.vault.read("Ideas.md"));
    let code = nova.home().join("code").display().to_string();
    assert_eq!(nova.run(&["workspace", "add", "--write", &code]).status.code(), Some(0));
    let app = nova.start().await;

    let (end, events) = turn(&app, None, "Finish it", ScriptedApprover::always(Decision::Once)).await;

    let questions: Vec<&str> = events.iter().filter_map(question).collect();
    assert_eq!(questions, ["Change 1 file?", "Create 1 file?", "Change 1 note?"]);
    let report = nova.data().join("scratch").join(&end.session).join("report.csv");
    assert!(fs::read_to_string(&main).unwrap().contains("done();") && report.exists());
    let sets = app.change_sets(Some(&end.session), None, None).await.unwrap();
    let [set] = sets.as_slice() else { panic!("{sets:?}") };
    let mut paths: Vec<&str> = set.notes.iter().map(|note| note.path.as_str()).collect();
    paths.sort_unstable();
    let mut expected = vec!["Ideas.md".to_owned(), real(&main), real(&report)];
    expected.sort();
    assert_eq!(paths, expected);

    let undone = app.undo(&set.id, None, None).await.unwrap();
    assert_eq!((undone.undone.len(), undone.conflicts.len()), (3, 0), "{undone:?}");
    assert_eq!((fs::read_to_string(&main).unwrap(), nova.vault.read("Ideas.md")), (before, note));
    assert!(!report.exists());
    let again = app.change_set(&set.id).await.unwrap();
    assert_eq!(again.state, ChangeSetState::Undone);
    nova.model.finish();
}

#[tokio::test]
async fn later_edit_is_a_conflict_and_is_preserved() {
    let nova = with_code([
        call("core__edit", json!({"path": "code/src/main.rs", "old": "todo();", "new": "done();"})),
        text("Done."),
    ]);
    let main = nova.home().join("code/src/main.rs");
    let code = nova.home().join("code").display().to_string();
    assert_eq!(nova.run(&["workspace", "add", "--write", &code]).status.code(), Some(0));
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Finish it", ScriptedApprover::always(Decision::Once)).await;
    let set = app.change_sets(Some(&end.session), None, None).await.unwrap().remove(0);
    fs::write(&main, "mine").unwrap();

    let undone = app.undo(&set.id, None, None).await.unwrap();

    assert_eq!((undone.undone.len(), undone.conflicts.len()), (0, 1));
    assert_eq!(
        (undone.conflicts[0].theirs.as_str(), fs::read_to_string(&main).unwrap()),
        ("mine", "mine".into())
    );
    // The previous version can be chosen, as for a note.
    let keep = ResolveConflict {
        session: None,
        change_set: Some(set.id.clone()),
        note: real(&main),
        keep: ConflictSide::Mine,
    };
    app.resolve_conflict(keep).await.unwrap();
    assert!(fs::read_to_string(&main).unwrap().contains("todo();"));
    fs::write(&main, "mine").unwrap();
    // After the folder was closed, nothing is written, not even by undo.
    assert_eq!(nova.run(&["workspace", "remove", &code]).status.code(), Some(0));
    let undone = nova.start().await.undo(&set.id, None, None).await.unwrap();
    let left = &undone.conflicts[0];
    assert!(left.unreadable && left.what[0].contains("not in a folder that tools may use"), "{undone:?}");
}

#[tokio::test]
async fn linked_folder_asks_each_time_and_the_scratch_folder_once() {
    let write = |path: &str| ("core__write", json!({"path": path, "content": path}));
    let nova = with_code([
        calls([write("scratch/a"), write("scratch/b"), write("code/a"), write("code/b")]),
        text("Done."),
    ]);
    let code = nova.home().join("code").display().to_string();
    assert_eq!(nova.run(&["workspace", "add", "--write", &code]).status.code(), Some(0));
    let app = nova.start().await;
    let (_, events) = turn(&app, None, "Write", ScriptedApprover::always(Decision::Session)).await;
    assert_eq!(events.iter().filter_map(question).count(), 3);
    assert!(nova.home().join("code/b").exists());
}

/// Saves a file, then approves Nova's planned change to it.
struct SavesFirst(PathBuf);

#[async_trait]
impl Approver for SavesFirst {
    async fn ask(&self, _: &ApprovalRequest) -> Answer {
        fs::write(&self.0, "fn main() { mine(); }\n").unwrap();
        decided(Decision::Once)
    }
}

#[tokio::test]
async fn file_saved_while_the_card_waits_is_shown_with_both_sides() {
    let edit = json!({"path": "code/src/main.rs", "old": "todo();", "new": "done();"});
    let nova = with_code([call("core__edit", edit), text("It was changed.")]);
    let main = nova.home().join("code/src/main.rs");
    let code = nova.home().join("code").display().to_string();
    assert_eq!(nova.run(&["workspace", "add", "--write", &code]).status.code(), Some(0));
    let app = nova.start().await;

    let (end, events) = turn(&app, None, "Finish it", SavesFirst(main.clone())).await;

    let found = events.into_iter().find_map(|event| match event {
        Event::ConflictFound { note, mine, theirs, .. } => Some((note, mine, theirs)),
        _ => None,
    });
    let (file, mine, theirs) = found.unwrap();
    assert_eq!(file, real(&main));
    assert!(mine.contains("done(); // needle"), "{mine}");
    assert_eq!(
        (theirs.as_str(), fs::read_to_string(&main).unwrap()),
        ("fn main() { mine(); }\n", theirs.clone())
    );

    // Saved again, the card asks again with the current sides.
    fs::write(&main, "fn main() {}\n").unwrap();
    let keep = ResolveConflict {
        session: Some(end.session.clone()),
        change_set: None,
        note: file,
        keep: ConflictSide::Mine,
    };
    let again = app.resolve_conflict(keep.clone()).await.unwrap();
    assert_eq!((again.change_set, again.conflict.unwrap().theirs.as_str()), (None, "fn main() {}\n"));
    let resolved = app.resolve_conflict(keep.clone()).await.unwrap();
    assert_eq!(fs::read_to_string(&main).unwrap(), mine);
    assert_eq!(app.resolve_conflict(keep).await.unwrap_err().code, ErrorCode::BadRequest);
    app.undo(&resolved.change_set.unwrap(), None, None).await.unwrap();
    assert_eq!(fs::read_to_string(&main).unwrap(), "fn main() {}\n");
    nova.model.finish();
}

fn question(event: &Event) -> Option<&str> {
    match event {
        Event::ApprovalRequested { question, .. } => Some(question),
        _ => None,
    }
}

/// The canonical path.
fn real(path: &std::path::Path) -> String {
    let folder = path.parent().unwrap().canonicalize().unwrap();
    folder.join(path.file_name().unwrap()).display().to_string()
}

#[tokio::test]
async fn odd_files_are_bounded_and_reported_and_the_turn_continues() {
    let read = |name: &str| ("core__read", json!({"path": format!("code/{name}")}));
    let nova = with_code([
        calls([
            read("a.bin"),
            ("core__read", json!({"path": "code/huge.log", "offset": 2500, "limit": 2})),
            read("pipe"),
            read("broken.txt"),
            read("src"),
            ("core__glob", json!({"pattern": "code/many/*"})),
            ("core__grep", json!({"pattern": "needle", "path": "code"})),
            ("core__edit", json!({"path": "code/twice.txt", "old": "x", "new": "y"})),
        ]),
        text("Done."),
    ]);
    let code = nova.home().join("code");
    fs::write(code.join("a.bin"), [0, 1, 2, 3]).unwrap();
    let lines: String = (1..=3000).map(|number| format!("line {number}\n")).collect();
    fs::write(code.join("huge.log"), lines).unwrap();
    fs::File::options().write(true).open(code.join("huge.log")).unwrap().set_len(5 << 30).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(code.join("pipe")).status().unwrap().success());
    fs::write(code.join("broken.txt"), b"na\xc3\xafve caf\xff\n").unwrap();
    fs::write(code.join("twice.txt"), "x x\n").unwrap();
    fs::create_dir(code.join("many")).unwrap();
    for number in 0..2500 {
        fs::write(code.join("many").join(format!("{number:04}.txt")), "").unwrap();
    }
    let app = nova.start().await;
    let path = code.display().to_string();
    app.add_workspace(AddWorkspace { path, access: WorkspaceAccess::Write }).await.unwrap();
    let (end, events) = turn(&app, None, "Look", NoApprover).await;
    assert!(matches!(end.end, TurnEnd::Completed { .. }), "{:?}", end.end);
    let output = |wanted: &str| {
        let call = events.iter().find_map(|event| match event {
            Event::ToolCallStarted { call, args, .. } if args.to_string().contains(wanted) => Some(call),
            _ => None,
        });
        let output = events.iter().find_map(|event| match event {
            Event::ToolCallCompleted { call: ended, output, .. } if Some(ended) == call => {
                Some(output.clone())
            }
            _ => None,
        });
        output.unwrap_or_else(|| panic!("{wanted} did not end"))
    };
    let message = |wanted: &str| output(wanted)["message"].as_str().unwrap_or_default().to_owned();
    assert!(message("a.bin").contains("a binary file of 4 bytes"), "{}", output("a.bin"));
    assert!(output("huge.log")["text"].as_str().unwrap().contains("line 2500"), "{}", message("huge.log"));
    assert_eq!(output("huge.log")["size"], json!(5_u64 << 30));
    assert!(message("pipe").contains("is a pipe"), "{}", output("pipe"));
    assert_eq!(output("broken.txt")["broken_characters"], json!(1));
    assert!(message("code/src").contains("folder"), "{}", output("code/src"));
    let found = output("code/many/*");
    assert!(found["more"] == json!(true) && found["paths"].as_array().unwrap().len() <= 1000, "{found}");
    assert_eq!(output("needle")["hits"][0]["path"], json!("code/src/main.rs"));
    assert!(message("twice.txt").contains("found 2 times"), "{}", output("twice.txt"));
    assert_eq!(fs::read_to_string(code.join("twice.txt")).unwrap(), "x x\n");
}
