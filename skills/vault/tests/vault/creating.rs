use nova_protocol::ErrorCode;
use nova_skill::{Value, json};

use crate::{LISBON, NOTES, vault};

/// Checks the path and bytes of a created note.
#[track_caller]
fn check(notes: &str, args: Value, path: &str, text: &str) {
    let vault = vault(notes);
    let outcome = vault.call("create_note", args.clone());
    assert_eq!(outcome.result.clone().unwrap(), json!({"path": path}), "{args}");
    assert_eq!(outcome.changes.len(), 1, "{args}");
    assert_eq!(vault.vault.read(path), text, "{args}");
}

#[test]
fn text_is_written_as_given() {
    check("", json!({"path": "Ideas/Boat.md", "content": "# Boat\n"}), "Ideas/Boat.md", "# Boat\n");
    check("", json!({"path": "Ideas/Boat"}), "Ideas/Boat.md", "");
    check("", json!({"path": "a.md", "content": "no line end"}), "a.md", "no line end");
    check("", json!({"path": "[[Boat]]", "content": "\r\nx\r\n"}), "Boat.md", "\r\nx\r\n");
    check("", json!({"path": "v1.2 plan"}), "v1.2 plan.md", "");
    check("", json!({"path": "Boats.base", "content": "views: []\n"}), "Boats.base", "views: []\n");
}

#[test]
fn properties_keep_their_order() {
    let properties = json!({
        "type": "trip", "start": "2026-12-03", "with": "[[Jane Doe]]", "budget": 1200.5, "code": "007",
        "done": false, "tags": ["a", "b c"], "nothing": null,
    });
    check(
        "",
        json!({"path": "Porto", "content": "# Porto\n", "properties": properties}),
        "Porto.md",
        "---\ntype: trip\nstart: 2026-12-03\nwith: \"[[Jane Doe]]\"\nbudget: 1200.5\ncode: \"007\"\n\
         done: false\ntags:\n  - a\n  - b c\n---\n# Porto\n",
    );
}

#[test]
fn properties_are_merged_with_those_in_the_text() {
    check(
        "",
        json!({
            "path": "Porto",
            "content": "---\nstatus: draft # mine\n---\n# Porto\n",
            "properties": {"status": "planned", "start": "2026-12-03"},
        }),
        "Porto.md",
        "---\nstatus: planned # mine\nstart: 2026-12-03\n---\n# Porto\n",
    );
}

#[test]
fn without_a_folder_it_goes_where_new_notes_go() {
    let set = |settings: &str| format!("//- .obsidian/app.json\n{settings}\n");
    let inbox = set(r#"{"newFileLocation": "folder", "newFileFolderPath": "Inbox/New"}"#);
    check(&inbox, json!({"path": "Boat"}), "Inbox/New/Boat.md", "");
    check(&inbox, json!({"path": "Ideas/Boat"}), "Ideas/Boat.md", "");
    check(&set(r#"{"newFileLocation": "current"}"#), json!({"path": "Boat"}), "Boat.md", "");
    check(&set("{"), json!({"path": "Boat"}), "Boat.md", "");
}

#[test]
fn setting_that_points_outside_the_vault_is_reported() {
    let vault = vault(
        "//- .obsidian/app.json\n{\"newFileLocation\": \"folder\", \"newFileFolderPath\": \"../Inbox\"}\n",
    );
    let error = vault.error("create_note", json!({"path": "Boat"}));
    assert_eq!(
        (error.code, error.message.as_str()),
        (
            ErrorCode::ToolFailed,
            ".obsidian/app.json: new notes cannot go to \"../Inbox\": it holds `.` or `..`."
        )
    );
    assert_eq!(vault.vault.files(), [".obsidian/app.json"]);
}

#[test]
fn name_is_made_valid_for_links() {
    check("", json!({"path": "Ideas/What now? #1 [draft].md"}), "Ideas/What now- -1 -draft-.md", "");
    check("", json!({"path": "Cafe\u{301}"}), "Café.md", "");
    check("", json!({"path": "CON.md"}), "CON_.md", "");
}

#[test]
fn existing_note_is_not_overwritten() {
    for said in ["Trips/Lisbon.md", "Trips/Lisbon", "Work/Cafe\u{301}"] {
        let vault = vault(NOTES);
        let before = vault.vault.files();
        let error = vault.error("create_note", json!({"path": said, "content": "new"}));
        assert_eq!(
            (error.code, error.hint.as_str()),
            (ErrorCode::NoteExists, "Edit that note, or choose another name.")
        );
        assert!(error.message.contains(".md\""), "{error}");
        assert_eq!(vault.vault.files(), before);
        assert!(vault.approver.asked().is_empty());
    }
}

#[test]
fn text_with_unreadable_properties_is_refused() {
    let vault = vault("");
    let error = vault.error("create_note", json!({"path": "a", "content": "---\nb: [\n---\n"}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert!(
        error.message.starts_with("/content: begins with properties that cannot be read (line "),
        "{error}"
    );
    assert!(vault.vault.files().is_empty());
}

#[test]
fn existing_folder_in_another_case_is_used() {
    for (path, code, said) in [
        ("trips/lisbon", ErrorCode::NoteExists, "Trips/Lisbon.md"),
        ("trips/Porto", ErrorCode::PathRefused, "Write \"Trips/Porto.md\"."),
    ] {
        let vault = vault(NOTES);
        let before = vault.vault.files();
        let error = vault.error("create_note", json!({"path": path}));
        assert_eq!(error.code, code, "{path}: {error}");
        assert!(error.to_string().contains(said), "{path}: {error}");
        assert_eq!(vault.vault.files(), before);
    }
}

const MEETINGS: &str = r#"//- .obsidian/templates.json
{"folder": "Forms", "dateFormat": "D.M.YYYY"}
//- Forms/Meeting.md
---
type: meeting
date: {{date:YYYY-MM-DD}}
with:
---
# {{title}}

Noted {{date}}.
//- Meeting.md
Not a form.
"#;

/// Today is 21 November 2026.
#[test]
fn note_is_created_from_a_template() {
    let filled = |with: &str, below: &str| {
        format!(
            "---\ntype: meeting\ndate: 2026-11-21\nwith:{with}\n---\n# Board\n\nNoted 21.11.2026.\n{below}"
        )
    };
    let args = |more: Value| {
        let mut args = json!({"path": "Work/Board", "template": "Meeting"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    check(MEETINGS, args(json!({})), "Work/Board.md", &filled("", ""));
    let more = json!({"properties": {"with": "[[Jane Doe]]"}, "content": "- Budget"});
    check(MEETINGS, args(more), "Work/Board.md", &filled(" \"[[Jane Doe]]\"", "- Budget\n"));
    // By its path, and one outside of the template folder.
    check(MEETINGS, args(json!({"template": "Forms/Meeting.md"})), "Work/Board.md", &filled("", ""));
    check(MEETINGS, args(json!({"template": "Meeting.md"})), "Work/Board.md", &filled("", ""));
    let set_otherwise = "//- Templates/Day.md\n# {{title}} {{date}}\n//- Plan.md\nPlan of {{title}}\n";
    check(set_otherwise, json!({"path": "a", "template": "Day"}), "a.md", "# a 2026-11-21\n");
    check(set_otherwise, json!({"path": "a", "template": "Plan"}), "a.md", "Plan of a\n");
}

#[test]
fn missing_or_invalid_template_is_reported() {
    let notes = format!("{MEETINGS}//- Forms/Old/Meeting.md\nold\n//- Forms/Broken.md\n---\na: [\n---\n");
    let vault = vault(&notes);
    let before = vault.vault.files();
    for (template, code, said) in [
        ("Meetin", ErrorCode::NoteNotFound, "Forms/Meeting.md"),
        ("Meeting", ErrorCode::Ambiguous, "Forms/Old/Meeting.md"),
        ("Broken", ErrorCode::InvalidArguments, "/template: begins with properties that cannot be read"),
    ] {
        let error = vault.error("create_note", json!({"path": "Board", "template": template}));
        assert_eq!(error.code, code, "{template}: {error}");
        assert!(error.to_string().contains(said), "{template}: {error}");
        assert_eq!(vault.vault.files(), before);
    }
}

#[test]
fn existing_folder_for_new_notes_in_another_case_is_used() {
    let inbox = "//- .obsidian/app.json\n{\"newFileLocation\": \"folder\", \"newFileFolderPath\": \"inbox\"}\n\
                 //- Inbox/Old.md\nold\n";
    check(inbox, json!({"path": "Boat"}), "Inbox/Boat.md", "");
    let error = vault(inbox).error("create_note", json!({"path": "old"}));
    assert_eq!(error.code, ErrorCode::NoteExists, "{error}");
}

#[test]
fn new_folder_gets_a_portable_name() {
    check("", json!({"path": "Meeting: Q3/Q4?"}), "Meeting- Q3/Q4-.md", "");
    // An existing one keeps its name.
    check("//- Q3: plans/Old.md\n", json!({"path": "Q3: plans/New"}), "Q3: plans/New.md", "");
}

#[test]
fn notes_of_the_same_name_are_reported() {
    let vault = vault(NOTES);
    let value = vault.value("create_note", json!({"path": "Ideas/lisbon"}));
    assert_eq!(value, json!({"path": "Ideas/lisbon.md", "same_name": [LISBON]}));
    // Known by that name only through an alias.
    let value = vault.value("create_note", json!({"path": "Ideas/The offsite"}));
    assert_eq!(value, json!({"path": "Ideas/The offsite.md"}));
}

#[test]
fn folder_is_not_a_valid_note_name() {
    let vault = vault(NOTES);
    let error = vault.error("create_note", json!({"path": "Trips/"}));
    assert_eq!(error.code, ErrorCode::PathRefused);
    assert!(error.message.contains("it names a folder"), "{error}");
    assert!(!error.hint.starts_with("Write"), "{error}");
}

#[test]
fn existing_templates_are_listed_in_the_error() {
    let error = vault(MEETINGS).error("create_note", json!({"path": "Board", "template": "Xyz"}));
    assert_eq!(
        (error.message.as_str(), error.hint.as_str()),
        ("There is no template \"Xyz\".", "Nearest: Forms/Meeting.md.")
    );
}

#[test]
fn base_gets_no_front_matter_and_stays_readable() {
    let base = "views:\n  - type: table\n    name: All\n";
    for (tool, args) in [
        ("set_properties", json!({"path": "Boats.base", "properties": {"a": 1}})),
        ("append_to_note", json!({"path": "Boats.base", "text": "x"})),
        ("edit_note", json!({"path": "Boats.base", "old": "name: All", "new": "name: [All"})),
    ] {
        let vault = vault(&format!("//- Boats.base\n{base}"));
        assert_eq!(vault.error(tool, args).code, ErrorCode::EditRefused, "{tool}");
        assert_eq!(vault.vault.read("Boats.base"), base);
        vault.value("edit_note", json!({"path": "Boats.base", "old": "name: All", "new": "name: Mine"}));
        assert_eq!(vault.vault.read("Boats.base"), base.replace("All", "Mine"));
    }
}
