//! Resolving the note that a text names.

use nova_protocol::ErrorCode;
use nova_skill::json;
use nova_testkit::Privacy;

use crate::{LISBON, NOTES, vault};

#[track_caller]
fn check(said: &str, path: &str) {
    assert_eq!(vault(NOTES).value("read_note", json!({"path": said}))["path"], path, "{said}");
}

#[test]
fn resolves_by_path_or_by_link_name() {
    check("Trips/Lisbon.md", LISBON);
    check("Trips/Lisbon", LISBON);
    check("Lisbon", LISBON);
    check("lisbon.md", LISBON);
    check("TRIPS/lisbon", LISBON);
    check("the offsite", LISBON);
    check(" [[Lisbon]] ", LISBON);
    check("[[Lisbon#Log|the trip]]", LISBON);
    check("![[Lisbon]]", LISBON);
    check("Lisbon#Log", LISBON);
    check("Trips/Lisbon.md#Log", LISBON);
    check("Lisbon|the trip", LISBON);
    check("Work/Plan", "Work/Plan.md");
}

#[test]
fn composed_and_decomposed_letters_are_equal() {
    check("Work/Cafe\u{301}.md", "Work/Café.md");
    check("cafe\u{301}", "Work/Café.md");
}

#[test]
fn ambiguous_name_lists_all_notes_and_chooses_none() {
    for (tool, args) in [
        ("read_note", json!({"path": "Plan"})),
        ("edit_note", json!({"path": "Plan", "old": "plan", "new": "map"})),
        ("append_to_note", json!({"path": "Plan", "text": "More."})),
        ("set_properties", json!({"path": "Plan", "properties": {"a": 1}})),
        ("delete_note", json!({"path": "Plan"})),
        ("move_note", json!({"path": "Plan", "to": "Old/"})),
        ("links", json!({"path": "Plan"})),
    ] {
        let vault = vault(NOTES);
        let error = vault.error(tool, args);
        assert_eq!(
            (error.code, error.message.as_str(), error.hint.as_str()),
            (
                ErrorCode::Ambiguous,
                r#"Several notes match "Plan": Trips/Plan.md, Work/Plan.md."#,
                "Ask which one is meant, then use its full name or path."
            ),
            "{tool}"
        );
        assert_eq!(vault.vault.read("Trips/Plan.md"), "A plan for trips.\n");
        assert_eq!(vault.vault.read("Work/Plan.md"), "A plan for work.\n");
    }
}

#[test]
fn note_at_the_root_wins_over_its_namesakes_in_folders() {
    let vault = vault("//- Plan.md\nroot\n//- Work/Plan.md\nwork\n");
    assert_eq!(vault.value("read_note", json!({"path": "Plan"}))["path"], "Plan.md");
}

#[test]
fn notes_that_differ_in_case_are_distinguished_only_by_path() {
    let vault = vault("//- Note.md\nupper\n//- note.md\nlower\n");
    let text = |path: &str| vault.value("read_note", json!({"path": path}))["text"].clone();
    assert_eq!((text("Note"), text("note.md")), (json!("upper\n"), json!("lower\n")));
    assert_eq!(vault.error("read_note", json!({"path": "NOTE"})).code, ErrorCode::Ambiguous);
}

#[test]
fn name_may_end_in_a_dot() {
    let vault = vault("//- Quillon Inc..md\nLabs.\n");
    assert_eq!(vault.value("read_note", json!({"path": "Quillon Inc."}))["path"], "Quillon Inc..md");
}

#[test]
fn missing_name_is_answered_with_the_nearest() {
    let said = |name: &str| {
        let error = vault(NOTES).error("read_note", json!({"path": name}));
        assert_eq!(error.code, ErrorCode::NoteNotFound);
        (error.message, error.hint)
    };
    assert_eq!(
        said("Lisbonne"),
        (r#"There is no note "Lisbonne"."#.to_owned(), "Nearest: Trips/Lisbon.md.".to_owned())
    );
    assert!(said("trips/plans").1.starts_with("Nearest: Trips/Plan.md, "), "best match first");
    assert_eq!(said("Xyzzy").1, "Check the list, or create it.");
}

#[test]
fn name_with_a_hash_is_first_tried_as_a_name() {
    let notes = "//- C# notes.md\nSharp.\n//- C.md\nSea.\n";
    for (said, path) in [("C# notes", "C# notes.md"), ("[[C# notes]]", "C# notes.md"), ("C#Coast", "C.md")] {
        assert_eq!(vault(notes).value("read_note", json!({"path": said}))["path"], path, "{said}");
    }
}

#[test]
fn misspelled_path_is_answered_with_the_intended_one() {
    let vault = vault(NOTES);
    let on_disk = vault.vault.root().join(LISBON).display().to_string();
    let without_ending = on_disk.trim_end_matches(".md").to_owned();
    for said in [
        "Trips\\Lisbon.md",
        "./Trips/Lisbon",
        "/Trips/Lisbon.md",
        "Trips / Lisbon ",
        &on_disk,
        &without_ending,
    ] {
        let error = vault.error("read_note", json!({"path": said}));
        assert_eq!(
            (error.code, error.hint.as_str()),
            (ErrorCode::PathRefused, "Write \"Trips/Lisbon.md\"."),
            "{said}"
        );
    }
    for said in ["/etc/passwd", "Trips\\Nowhere", "../outside"] {
        let error = vault.error("read_note", json!({"path": said}));
        assert_eq!(error.code, ErrorCode::PathRefused, "{said}");
        assert!(!error.hint.starts_with("Write"), "{said}: {error}");
    }
    let new = vault.vault.root().join("Ideas/Boat").display().to_string();
    for (said, hint) in [("Ideas\\Boat", true), (&new, true), ("/etc/Boat", false), ("../Ideas/Boat", false)]
    {
        let error = vault.error("create_note", json!({"path": said}));
        assert_eq!(error.code, ErrorCode::PathRefused, "{said}");
        assert_eq!(error.hint == "Write \"Ideas/Boat.md\".", hint, "{said}: {error}");
    }
}

#[test]
fn file_that_is_no_note_is_reported_as_one() {
    let vault = vault("//- Plan.md\n![[map.png]]\n");
    vault.vault.write("Pictures/map.png", "png");
    vault.vault.write("Board.canvas", "{}");
    for (said, path) in [("map.png", "Pictures/map.png"), ("[[Board.canvas]]", "Board.canvas")] {
        let error = vault.error("read_note", json!({"path": said}));
        assert_eq!(error.message, format!("\"{path}\" is a file, not a note."));
    }
    vault.vault.write("Reading.base", "views: []\n");
    for (said, what) in [
        ("Pictures", "\"Pictures\" is a folder, not a note."),
        ("pictures/", "\"pictures\" is a folder, not a note."),
        ("Reading", "\"Reading.base\" is a base, not a note."),
    ] {
        let error = vault.error("read_note", json!({"path": said}));
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::NoteNotFound, what));
    }
    let links = vault.value("links", json!({"path": "map.png"}));
    assert_eq!((&links["path"], &links["back"][0]["path"]), (&json!("Pictures/map.png"), &json!("Plan.md")));
    assert_eq!(vault.error("read_note", json!({"path": "nowhere.png"})).code, ErrorCode::NoteNotFound);
}

#[test]
fn remote_model_learns_of_no_private_folder_or_file() {
    let mut vault = vault("//- Diary/Day.md\nsecret\n//- Diary/map.png\n");
    vault.privacy = Privacy { remote: true, private: vec!["Diary".to_owned()] };
    for said in ["Diary", "diary/", "map.png"] {
        let error = vault.error("read_note", json!({"path": said}));
        let told = format!("{} {}", error.message, error.hint);
        assert!(!told.contains("folder") && !told.contains("is a file"), "{said}: {told}");
    }
}
