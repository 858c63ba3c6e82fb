//! Paths that every tool refuses.

use nova_protocol::ErrorCode;
use nova_skill::{Value, json};

use crate::{NOTES, vault};

/// A call of every tool that takes a path, with this path.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read_note", json!({"path": path})),
        ("create_note", json!({"path": path, "content": "x"})),
        ("edit_note", json!({"path": path, "old": "a", "new": "b"})),
        ("append_to_note", json!({"path": path, "text": "x"})),
        ("set_properties", json!({"path": path, "properties": {"a": 1}})),
        ("delete_note", json!({"path": path})),
        ("move_note", json!({"path": path, "to": "x"})),
        ("links", json!({"path": path})),
        ("query_base", json!({"path": path})),
    ]
}

#[track_caller]
fn refused(path: &str, code: ErrorCode) {
    for (tool, args) in calls(path) {
        let vault = vault(NOTES);
        vault.vault.write(".obsidian/app.json", "{}");
        vault.vault.write(".obsidian/hidden.md", "hidden\n");
        std::fs::write(vault.vault.root().join("../outside.md"), "outside\n").unwrap();
        let before = vault.vault.files();
        let error = vault.error(tool, args);
        assert_eq!(error.code, code, "{tool} {path:?}: {error}");
        assert_eq!(vault.vault.files(), before, "{tool} {path:?}");
        assert_eq!(vault.vault.read("../outside.md"), "outside\n");
        assert!(vault.approver.asked().is_empty(), "{tool} {path:?} does not ask");
    }
}

#[test]
fn path_outside_the_vault_is_refused() {
    for path in [
        "../outside",
        "../outside.md",
        "Trips/../../outside.md",
        "/etc/passwd",
        "/outside.md",
        "C:\\outside.md",
        "C:outside.md",
        "\\\\server\\share\\x.md",
        "//server/share/x.md",
        "./Trips/Lisbon.md",
        "Trips//Lisbon.md",
        "Trips/Lisbon.md\u{0}",
        "Tri\u{0}ps/Lisbon.md",
        "a\nb",
        "Trips /Lisbon.md",
        "Trips./Lisbon.md",
        "[[../outside]]",
        "",
        "   ",
        "/",
        "..",
    ] {
        refused(path, ErrorCode::PathRefused);
    }
}

#[test]
fn path_in_a_dot_folder_is_refused() {
    for path in
        [".obsidian/app.json", ".obsidian/hidden.md", ".obsidian/hidden", "Trips/.git/x.md", ".hidden", ".md"]
    {
        refused(path, ErrorCode::PathRefused);
    }
}

#[cfg(unix)]
#[test]
fn path_through_a_link_is_refused() {
    for (tool, args) in calls("Linked/outside.md").into_iter().chain(calls("link.md")) {
        let vault = vault(NOTES);
        let outside = vault.vault.root().join("../elsewhere");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("outside.md"), "aside\n").unwrap();
        std::os::unix::fs::symlink(&outside, vault.vault.root().join("Linked")).unwrap();
        std::os::unix::fs::symlink(outside.join("outside.md"), vault.vault.root().join("link.md")).unwrap();
        assert_eq!(vault.error(tool, args.clone()).code, ErrorCode::PathRefused, "{tool} {args}");
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
        assert_eq!(vault.vault.read("../elsewhere/outside.md"), "aside\n");
    }
}

#[test]
fn file_that_is_no_note_is_not_written() {
    let vault = vault("//- data.csv\na,b\n");
    assert_eq!(
        vault.error("append_to_note", json!({"path": "data.csv", "text": "c"})).code,
        ErrorCode::NoteNotFound
    );
    // A name may contain dots; `.md` is added.
    assert_eq!(vault.value("create_note", json!({"path": "data.csv"})), json!({"path": "data.csv.md"}));
    assert_eq!(vault.vault.read("data.csv"), "a,b\n");
}
