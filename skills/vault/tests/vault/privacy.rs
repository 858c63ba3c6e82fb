//! What a remote model never learns: a canary in every private note.

use nova_protocol::ErrorCode;
use nova_skill::{Value, json};
use nova_testkit::{Privacy, SkillInVault};

use crate::vault;

const CANARY: &str = "xyzzy-canary";

const PRIVATE: &str = "
//- Diary/Secret.md
xyzzy-canary in a listed folder
//- Marked.md
---
nova: private
aliases: [xyzzy-canary-alias]
---
xyzzy-canary in a marked note
//- Broken.md
---
nova: private
tags: [
---
xyzzy-canary in a note whose mark cannot be read
//- Diary/Secret.base
# xyzzy-canary
views:
  - type: table
    name: xyzzy-canary
//- Diary/Links.md
#xyzzy-canary-tag [[Open]]
//- All.base
views:
  - type: table
    name: All
    order: [file.name, nova, aliases]
//- Open.md
Open, see [[Secret]] and [[Marked]].
";

fn remote(notes: &str) -> SkillInVault {
    let mut vault = vault(notes);
    vault.privacy = Privacy { remote: true, private: vec!["Diary".into()] };
    vault
}

/// Asserts that call, question and answer do not contain the canary.
#[track_caller]
fn says_private(vault: &SkillInVault, tool: &str, args: Value) {
    let outcome = vault.call(tool, args.clone());
    let asked = format!("{:?}", vault.approver.asked());
    assert!(!format!("{outcome:?} {asked}").contains(CANARY), "{tool} {args}: {outcome:?}");
    assert_eq!(outcome.result.unwrap_err().code, ErrorCode::Private, "{tool} {args}");
    assert!(outcome.changes.is_empty() && outcome.seen.is_empty(), "{tool} {args}");
}

#[test]
fn no_tool_reads_or_changes_a_private_note() {
    for path in
        ["Diary/Secret.md", "diary/secret", "Secret", "Marked", "marked.md", "Broken.md", "[[Marked]]"]
    {
        for (tool, args) in [
            ("read_note", json!({"path": path})),
            ("edit_note", json!({"path": path, "old": "in", "new": "out"})),
            ("append_to_note", json!({"path": path, "text": "x"})),
            ("set_properties", json!({"path": path, "properties": {"nova": null}})),
            ("delete_note", json!({"path": path})),
            ("move_note", json!({"path": path, "to": "Elsewhere.md"})),
            ("links", json!({"path": path})),
        ] {
            says_private(&remote(PRIVATE), tool, args);
        }
    }
}

#[test]
fn nothing_is_created_in_a_private_folder_or_over_a_private_note() {
    for path in ["Diary/New.md", "Diary/Secret.md", "Marked.md", "MARKED.md"] {
        let vault = remote(PRIVATE);
        let before = vault.vault.files();
        let outcome = vault.call("create_note", json!({"path": path, "content": "x"}));
        let told = format!("{outcome:?}");
        assert_eq!(outcome.result.unwrap_err().code, ErrorCode::NoteNotFound, "{path}");
        assert!(!told.contains(CANARY) && !told.to_lowercase().contains("private"), "{path}: {told}");
        assert!(outcome.changes.is_empty() && vault.approver.asked().is_empty(), "{path}");
        assert_eq!(vault.vault.files(), before);
    }
}

#[test]
fn merge_key_keeps_a_note_private() {
    let merged = "//- Merged.md\n---\nbase: &b {nova: private}\n<<: *b\n---\nxyzzy-canary\n";
    let vault = remote(&format!("{PRIVATE}{merged}"));
    says_private(&vault, "read_note", json!({"path": "Merged"}));
    for (tool, args) in [("search", json!({"query": "xyzzy"})), ("query", json!({}))] {
        let value = vault.value(tool, args).to_string();
        assert!(!value.contains("Merged"), "{tool}: {value}");
    }
}

#[test]
fn private_template_is_not_used() {
    for template in ["Diary/Secret.md", "Secret", "Marked", "Broken"] {
        let vault = remote(PRIVATE);
        let before = vault.vault.files();
        says_private(&vault, "create_note", json!({"path": "New", "template": template}));
        assert_eq!(vault.vault.files(), before);
    }
}

#[test]
fn no_list_or_search_names_a_private_note() {
    let vault = remote(PRIVATE);
    for (tool, args) in [
        ("search", json!({"query": "xyzzy"})),
        ("search", json!({"query": "canary xyzzy", "words": true})),
        ("search", json!({"query": ".", "regex": true})),
        ("query", json!({})),
        ("query", json!({"where": ["nova = private"]})),
        ("query", json!({"where": ["aliases exists"], "sort": ["aliases"]})),
        ("query_base", json!({"path": "All.base"})),
        ("links", json!({"path": "Open"})),
        ("tags", json!({})),
    ] {
        let outcome = vault.call(tool, args.clone());
        let value = outcome.result.clone().unwrap().to_string();
        assert!(!format!("{outcome:?}").contains(CANARY), "{tool} {args}: {outcome:?}");
        for hidden in ["Diary/", "Marked.md", "Broken.md"] {
            assert!(!value.contains(hidden), "{tool} {args}: {value}");
        }
    }
    assert_eq!(vault.value("query", json!({}))["total"], 1);
    assert_eq!(vault.value("links", json!({"path": "Open"}))["unresolved"].as_array().unwrap().len(), 2);
    let error = vault.error("read_note", json!({"path": "Opeen xyzzy"}));
    assert!(!error.to_string().contains("canary") && !error.to_string().contains("Diary"), "{error}");
    says_private(&vault, "query_base", json!({"path": "Diary/Secret.base"}));
}

#[test]
fn nothing_moves_into_a_private_folder_or_onto_a_private_note() {
    for to in ["Diary/", "Diary/Open.md", "Marked.md", "MARKED"] {
        let vault = remote(PRIVATE);
        let before = vault.vault.files();
        let outcome = vault.call("move_note", json!({"path": "Open", "to": to}));
        let told = format!("{outcome:?}");
        assert!(!told.contains(CANARY) && !told.to_lowercase().contains("private"), "{to}: {told}");
        assert_eq!(outcome.result.unwrap_err().code, ErrorCode::NoteNotFound, "{to}");
        assert!(outcome.changes.is_empty() && vault.approver.asked().is_empty(), "{to}");
        assert_eq!(vault.vault.files(), before);
    }
}

#[test]
fn links_in_private_notes_are_updated_but_not_named() {
    let vault = remote(PRIVATE);
    let value = vault.value("move_note", json!({"path": "Open", "to": "Public.md"}));
    assert_eq!(value, json!({"path": "Public.md", "from": "Open.md", "rewritten": []}));
    assert_eq!(vault.vault.read("Diary/Links.md"), "#xyzzy-canary-tag [[Public]]\n");
}

#[test]
fn private_daily_notes_and_templates_stay_private() {
    let settings = |daily: &str| format!("{PRIVATE}//- .obsidian/daily-notes.json\n{daily}\n");
    says_private(&remote(&settings(r#"{"folder": "Diary"}"#)), "daily_note", json!({}));
    says_private(&remote(&settings(r#"{"template": "Marked"}"#)), "daily_note", json!({}));
    let there = format!("{PRIVATE}//- 2026-11-21.md\n---\nnova: private\n---\nxyzzy-canary\n");
    says_private(&remote(&there), "daily_note", json!({}));
}

#[test]
fn owner_reads_everything_and_public_notes_stay_readable() {
    assert_eq!(remote(PRIVATE).value("read_note", json!({"path": "Open"}))["path"], "Open.md");
    let mut local = vault(PRIVATE);
    local.privacy = Privacy { remote: false, private: vec!["Diary".into()] };
    for path in ["Secret", "Marked", "Broken"] {
        assert!(local.value("read_note", json!({"path": path}))["text"].as_str().unwrap().contains(CANARY));
    }
}
