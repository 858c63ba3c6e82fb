use nova_protocol::{ErrorCode, NoteChangeKind};
use nova_skill::{Value, json};

use crate::{LISBON, NOTES, vault};

const LINKED: &str = "//- Trips/Lisbon.md\nThe trip. [[Notes/Old]]\n//- Notes/Old.md\n- [[Lisbon|the trip]] and [[Trips/Lisbon#Log]]\n//- Other.md\nNothing.\n//- Archive/2025.md\n";

#[track_caller]
fn check(to: &str, path: &str) {
    let vault = vault(LINKED);
    let outcome = vault.call("move_note", json!({"path": "Lisbon", "to": to}));
    let value = outcome.result.unwrap();
    assert_eq!((&value["path"], &value["from"]), (&json!(path), &json!(LISBON)), "{to}");
    assert!(!vault.vault.exists(LISBON));
    assert_eq!(vault.vault.read(path), "The trip. [[Notes/Old]]\n");
    assert!(outcome.changes.iter().any(|change| change.kind == NoteChangeKind::Renamed), "{to}");
}

#[test]
fn note_moves_to_a_path_or_into_a_folder() {
    check("Archive/Lisbon 2026.md", "Archive/Lisbon 2026.md");
    check("Archive/Lisbon 2026", "Archive/Lisbon 2026.md");
    check("Archive/", "Archive/Lisbon.md");
    check("Archive", "Archive/Lisbon.md");
    check("New/Deep/", "New/Deep/Lisbon.md");
    check("/", "Lisbon.md");
    check("Lissabon.md", "Lissabon.md");
    check("Lissabon", "Trips/Lissabon.md");
    check("[[Lissabon]]", "Trips/Lissabon.md");
    check("Archive/Q4: what?/Lisbon", "Archive/Q4- what-/Lisbon.md");
}

#[test]
fn folder_without_notes_or_in_another_case_is_a_folder() {
    for (to, there) in [("Someday", "Someday/Lisbon.md"), ("Someday/Later", "Someday/Later/Lisbon.md")] {
        let vault = vault(LINKED);
        std::fs::create_dir_all(vault.vault.root().join("Someday/Later")).unwrap();
        assert_eq!(vault.value("move_note", json!({"path": "Lisbon", "to": to}))["path"], there);
    }
    let error = vault(LINKED).error("move_note", json!({"path": "Lisbon", "to": "archive"}));
    assert_eq!(error.hint, "Write \"Archive/Lisbon.md\".");
}

#[test]
fn name_is_unchanged_by_a_move_into_a_folder() {
    let long = "x".repeat(230);
    for name in ["What now?", "Plan \"B\" [draft]", "Cafe\u{301}", " spaced", long.as_str()] {
        let (from, there) = (format!("Trips/{name}.md"), format!("Archive/{name}.md"));
        for to in ["Archive/", "Archive", there.as_str(), there.trim_end_matches(".md")] {
            let vault = vault(&format!("//- {from}\nText.\n//- Archive/2025.md\n"));
            let value = vault.value("move_note", json!({"path": from, "to": to}));
            assert_eq!((&value["path"], &value["from"]), (&json!(there), &json!(from)), "{to}");
            assert_eq!(vault.vault.read(&there), "Text.\n");
            assert!(!vault.vault.exists(&from));
        }
        // Into its own folder.
        let vault = vault(&format!("//- {from}\nText.\n"));
        let before = vault.vault.files();
        let outcome = vault.call("move_note", json!({"path": from, "to": "Trips/"}));
        assert_eq!(outcome.result.unwrap()["path"], json!(from));
        assert!(outcome.changes.is_empty() && vault.approver.asked().is_empty(), "{name}");
        assert_eq!(vault.vault.files(), before);
    }
}

#[test]
fn links_to_it_follow() {
    let vault = vault(LINKED);
    let value = vault.value("move_note", json!({"path": "Lisbon", "to": "Archive/Porto.md"}));
    assert_eq!(value, json!({"path": "Archive/Porto.md", "from": LISBON, "rewritten": ["Notes/Old.md"]}));
    assert_eq!(vault.vault.read("Notes/Old.md"), "- [[Porto|the trip]] and [[Archive/Porto#Log]]\n");
}

#[test]
fn existing_note_is_not_replaced() {
    for to in ["Other.md", "porto", "Archive/2025"] {
        let vault = vault(&format!("{LINKED}//- Trips/Porto.md\n"));
        let before = vault.vault.files();
        let error = vault.error("move_note", json!({"path": "Lisbon", "to": to}));
        assert_eq!(error.code, ErrorCode::NoteExists, "{to}: {error}");
        assert_eq!(vault.vault.files(), before);
    }
}

#[test]
fn move_to_the_same_place_does_nothing() {
    let vault = vault(LINKED);
    let outcome = vault.call("move_note", json!({"path": "Lisbon", "to": "Trips/"}));
    assert_eq!(outcome.result.unwrap()["path"], LISBON);
    assert!(outcome.changes.is_empty() && vault.approver.asked().is_empty());
}

#[test]
fn hostile_targets_are_refused() {
    for to in [
        "../Lisbon.md",
        "../",
        "/etc/Lisbon.md",
        ".obsidian/",
        ".trash/Lisbon.md",
        "a\u{0}b",
        "C:\\x",
        "x/../../y.md",
        "Trips./Lisbon.md",
        "",
    ] {
        let vault = vault(LINKED);
        let before = vault.vault.files();
        let error = vault.error("move_note", json!({"path": "Lisbon", "to": to}));
        assert_eq!(error.code, ErrorCode::PathRefused, "{to:?}: {error}");
        assert_eq!(vault.vault.files(), before);
    }
}

#[test]
fn note_cannot_become_a_base() {
    let args: Value = json!({"path": "Lisbon", "to": "Trips/Lisbon.base"});
    assert_eq!(vault(NOTES).error("move_note", args).code, ErrorCode::PathRefused);
}
