//! Daily notes. Now is Saturday, 21 November 2026, 9:00.

use nova_protocol::ErrorCode;
use nova_skill::{Value, json};
use nova_testkit::FixedClock;

use crate::vault;

const SETTINGS: &str = r#"//- .obsidian/daily-notes.json
{"folder": "Daily", "format": "YYYY/MM/YYYY-MM-DD", "template": "Templates/Day"}
//- .obsidian/templates.json
{"folder": "Templates", "dateFormat": "D.M.YYYY"}
//- Templates/Day.md
---
date: {{date:YYYY-MM-DD}}
---
# {{date:dddd}}, {{title}}

Made {{date}} at {{time}} <% tp.file.title %>
"#;

/// Checks the note of a day, which is created if missing.
#[track_caller]
fn check(notes: &str, args: Value, path: &str, created: bool, text: &str) {
    let vault = vault(notes);
    let outcome = vault.call("daily_note", args);
    let value = outcome.result.unwrap();
    assert_eq!((&value["path"], &value["created"]), (&json!(path), &json!(created)));
    assert_eq!(vault.vault.read(path), text);
    assert_eq!(outcome.changes.len(), usize::from(created));
    assert_eq!(vault.approver.asked().len(), usize::from(created), "a read does not ask");
}

#[test]
fn todays_note_is_created_from_the_template() {
    check(
        SETTINGS,
        json!({}),
        "Daily/2026/11/2026-11-21.md",
        true,
        "---\ndate: 2026-11-21\n---\n# Saturday, 2026-11-21\n\nMade 21.11.2026 at 09:00 <% tp.file.title %>\n",
    );
    check(
        SETTINGS,
        json!({"date": "2025-01-05"}),
        "Daily/2025/01/2025-01-05.md",
        true,
        "---\ndate: 2025-01-05\n---\n# Sunday, 2025-01-05\n\nMade 5.1.2025 at 09:00 <% tp.file.title %>\n",
    );
    check("", json!({}), "2026-11-21.md", true, "");
}

#[test]
fn existing_note_is_read() {
    let there = |path: &str| format!("{SETTINGS}//- {path}\n---\nmood: good\n---\nSlept.\n");
    let text = "---\nmood: good\n---\nSlept.\n";
    let path = "Daily/2026/11/2026-11-21.md";
    check(&there(path), json!({}), path, false, text);
    check(&there(path), json!({"date": "2026-11-21"}), path, false, text);
    // In the folder of an earlier format, or where the user moved it.
    check(&there("Daily/2026-11-21.md"), json!({}), "Daily/2026-11-21.md", false, text);
    check(&there("Daily/Old/2026-11-21.md"), json!({}), "Daily/Old/2026-11-21.md", false, text);

    let value = vault(&there(path)).value("daily_note", json!({}));
    assert_eq!(
        (&value["date"], &value["properties"], &value["text"]),
        (&json!("2026-11-21"), &json!({"mood": "good"}), &json!("Slept.\n"))
    );
}

/// Settings from a case-insensitive system.
#[test]
fn folder_in_another_case_is_the_daily_folder() {
    let set = "//- .obsidian/daily-notes.json\n{\"folder\": \"journal/daily\"}\n";
    let there = |path: &str| format!("{set}//- {path}\nSlept.\n");
    check(&there("Journal/Daily/2026-11-20.md"), json!({}), "Journal/Daily/2026-11-21.md", true, "");
    let path = "Journal/Daily/2026-11-21.md";
    check(&there(path), json!({}), path, false, "Slept.\n");
    let moved = "Journal/Daily/Old/2026-11-21.md";
    check(&there(moved), json!({}), moved, false, "Slept.\n");
}

#[test]
fn note_of_that_name_elsewhere_is_not_the_daily_note() {
    let notes = format!("{SETTINGS}//- Meetings/2026-11-21.md\nBoard.\n");
    let vault = vault(&notes);
    assert_eq!(vault.value("daily_note", json!({}))["path"], "Daily/2026/11/2026-11-21.md");
    assert_eq!(vault.vault.read("Meetings/2026-11-21.md"), "Board.\n");
}

#[test]
fn two_notes_of_a_day_are_listed() {
    let notes = format!("{SETTINGS}//- Daily/A/2026-11-21.md\na\n//- Daily/B/2026-11-21.md\nb\n");
    let error = vault(&notes).error("daily_note", json!({}));
    assert_eq!(error.code, ErrorCode::Ambiguous);
    assert!(error.message.contains("Daily/A/2026-11-21.md, Daily/B/2026-11-21.md"), "{error}");
}

#[test]
fn today_is_in_the_users_time_zone() {
    let late = FixedClock::at("2026-11-20T23:30:00Z").in_zone("Europe/Berlin");
    let notes = nova_testkit::TempVault::from("").with_clock(late);
    let vault = nova_testkit::SkillInVault::new(nova_skill_vault::skill(), notes);
    assert_eq!(vault.value("daily_note", json!({}))["path"], "2026-11-21.md");
}

#[test]
fn template_is_found_by_name_in_any_folder() {
    let notes = "//- .obsidian/daily-notes.json\n{\"template\": \"Day\"}\n//- Forms/Day.md\n# {{title}}\n";
    check(notes, json!({}), "2026-11-21.md", true, "# 2026-11-21\n");
}

#[test]
fn template_is_copied_byte_by_byte() {
    let vault = vault("//- .obsidian/daily-notes.json\n{\"template\": \"T\"}\n");
    vault.vault.write("T.md", "\u{feff}---\r\na: [\r\n---\r\n{{title}}\r\n{{other}}");
    assert_eq!(vault.call("daily_note", json!({})).changes.len(), 1);
    assert_eq!(vault.vault.read("2026-11-21.md"), "\u{feff}---\r\na: [\r\n---\r\n2026-11-21\r\n{{other}}");
}

#[test]
fn invalid_settings_are_reported_and_nothing_is_written() {
    for (settings, code, said) in [
        (
            r#"{"template": "Templates/Gone"}"#,
            ErrorCode::ToolFailed,
            "There is no note \"Templates/Gone.md\"",
        ),
        (r#"{"template": "../Secret"}"#, ErrorCode::ToolFailed, "the template \"../Secret\" of daily notes"),
        (
            r#"{"template": ".obsidian/app.json"}"#,
            ErrorCode::ToolFailed,
            "it is in a folder that starts with a dot",
        ),
        (r#"{"folder": "../.."}"#, ErrorCode::ToolFailed, "it holds `.` or `..`"),
        (
            r#"{"format": "[.obsidian/]YYYY"}"#,
            ErrorCode::ToolFailed,
            "it would be in a folder that starts with a dot",
        ),
    ] {
        let vault = vault(&format!("//- .obsidian/daily-notes.json\n{settings}\n"));
        let error = vault.error("daily_note", json!({}));
        assert_eq!(error.code, code, "{settings}: {error}");
        assert!(
            error.message.starts_with(".obsidian/daily-notes.json: ") && error.message.contains(said),
            "{error}"
        );
        assert_eq!(vault.vault.files(), [".obsidian/daily-notes.json"]);
    }
}

#[test]
fn invalid_day_is_refused() {
    for date in ["2026-02-30", "tomorrow", "", "21.11.2026"] {
        let error = vault("").error("daily_note", json!({"date": date}));
        assert_eq!(error.code, ErrorCode::InvalidArguments, "{date}");
    }
}
