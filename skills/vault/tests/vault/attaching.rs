//! Attachments, stored where Obsidian would put them.

use nova_protocol::ErrorCode;
use nova_skill::{Value, json};
use nova_testkit::{Privacy, SkillInVault};
use nova_vault::{Author, Scope};

use crate::vault;

const TRIPS: &str = "
//- Trips/Lisbon.md
# Lisbon
//- Plans.md
Plans
";

fn set(notes: &str, app: &str) -> SkillInVault {
    vault(&format!("{notes}\n//- .obsidian/app.json\n{app}\n"))
}

/// Checks the file's path and the link's text for a note, given Obsidian's settings.
#[track_caller]
fn check(app: &str, note: Option<&str>, path: &str, link: &str) {
    let vault = set(TRIPS, app);
    let outcome =
        vault.call("add_attachment", json!({"name": "My plan.csv", "text": "a,b\n1,2\n", "note": note}));
    assert_eq!(outcome.result.clone().unwrap(), json!({"path": path, "link": link}), "{app} {note:?}");
    assert_eq!(vault.vault.read(path), "a,b\n1,2\n");
    let changed: Vec<_> = outcome.changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(changed, [path]);
}

#[test]
fn attachment_goes_where_obsidian_puts_it_for_the_note() {
    let at = |set: &str| format!(r#"{{"attachmentFolderPath": "{set}"}}"#);
    let wiki = "![[My plan.csv]]";
    check("{}", Some("Lisbon"), "My plan.csv", wiki);
    check(&at("/"), Some("Lisbon"), "My plan.csv", wiki);
    check(&at("Files/Data"), Some("Lisbon"), "Files/Data/My plan.csv", wiki);
    check(&at("./"), Some("Lisbon"), "Trips/My plan.csv", wiki);
    check(&at("./files"), Some("[[Lisbon]]"), "Trips/files/My plan.csv", wiki);
    check(&at("./"), Some("Plans"), "My plan.csv", wiki);
    check(&at("./files/"), None, "files/My plan.csv", wiki);
    // An existing folder in another case is used.
    check(&at("trips"), None, "Trips/My plan.csv", wiki);
}

#[test]
fn link_has_the_vaults_link_format() {
    let app = |links: &str| format!(r#"{{"attachmentFolderPath": "./files", {links}}}"#);
    let path = "Trips/files/My plan.csv";
    let relative = r#""newLinkFormat": "relative""#;
    check(&app(relative), Some("Lisbon"), path, "![[files/My plan.csv]]");
    check(&app(r#""newLinkFormat": "absolute""#), Some("Lisbon"), path, "![[Trips/files/My plan.csv]]");
    let markdown = r#""useMarkdownLinks": true"#;
    check(&app(markdown), Some("Lisbon"), path, "![](My%20plan.csv)");
    check(&app(&format!("{markdown}, {relative}")), Some("Lisbon"), path, "![](files/My%20plan.csv)");
    let up = r#"{"attachmentFolderPath": "Files", "newLinkFormat": "relative"}"#;
    check(up, Some("Lisbon"), "Files/My plan.csv", "![[../Files/My plan.csv]]");
}

#[test]
fn link_leads_to_the_new_file_even_if_its_name_is_taken() {
    let app = r#"{"attachmentFolderPath": "./files"}"#;
    let vault = set(&format!("{TRIPS}\n//- Old/plan.csv\nold\n"), app);
    let made = vault.value("add_attachment", json!({"name": "plan.csv", "text": "new", "note": "Lisbon"}));
    assert_eq!(made, json!({"path": "Trips/files/plan.csv", "link": "![[Trips/files/plan.csv]]"}));

    let link = made["link"].as_str().unwrap();
    vault.value("append_to_note", json!({"path": "Lisbon", "text": link}));
    let links = vault.value("links", json!({"path": "Lisbon"}));
    assert_eq!(links["out"][0]["path"], "Trips/files/plan.csv");
    assert_eq!(links["unresolved"], json!([]));
}

#[test]
fn nothing_is_ever_replaced() {
    let vault = vault("//- plan.csv\nold\n//- Plan 1.CSV\nolder\n");
    for (name, path) in [("plan.csv", "plan 2.csv"), ("PLAN.csv", "PLAN 3.csv"), ("plan.tsv", "plan.tsv")] {
        let made = vault.value("add_attachment", json!({"name": name, "text": name}));
        assert_eq!(made["path"], path, "{name}");
        assert_eq!(vault.vault.read(path), name);
    }
    assert_eq!(vault.vault.read("plan.csv"), "old\n");
    assert_eq!(vault.vault.read("Plan 1.CSV"), "older\n");
}

#[test]
fn name_is_made_valid_for_links() {
    for (name, path) in [
        ("What now? #1 [draft].csv", "What now- -1 -draft-.csv"),
        ("Cafe\u{301}.csv", "Café.csv"),
        ("CON.txt", "CON_.txt"),
        (".hidden.json", "hidden.json"),
        ("a\u{0}b.csv\n", "a-b.csv"),
        ("v1.2 data.JSON", "v1.2 data.JSON"),
    ] {
        let vault = vault("");
        assert_eq!(vault.value("add_attachment", json!({"name": name, "text": "x"}))["path"], path);
        assert_eq!(vault.vault.files(), [path]);
    }
}

#[track_caller]
fn refused(vault: &SkillInVault, args: Value, code: ErrorCode, said: &str) {
    let before = vault.vault.files();
    let error = vault.error("add_attachment", args.clone());
    assert_eq!(error.code, code, "{args}: {error}");
    assert!(format!("{} {}", error.message, error.hint).contains(said), "{args}: {error}");
    assert_eq!(vault.vault.files(), before);
    assert!(vault.approver.asked().is_empty(), "{args}");
}

#[test]
fn only_inert_text_formats_other_than_notes_are_accepted() {
    let vault = vault(TRIPS);
    let invalid = ErrorCode::InvalidArguments;
    for name in [
        "run.sh",
        "page.html",
        "map.svg",
        "feed.xml",
        "a.js",
        "plan",
        "picture.png",
        ".csv",
        " .csv",
        "a.csv.exe",
        "canvas.canvas",
    ] {
        refused(&vault, json!({"name": name, "text": "x"}), invalid, "Allowed: csv, tsv, txt, json, ics");
    }
    for name in ["Plan.md", "Plan.MD", "All.base"] {
        refused(&vault, json!({"name": name, "text": "x"}), invalid, "vault.create_note");
    }
    for name in ["Trips/plan.csv", "../plan.csv", ".obsidian/app.json", "a\\b.csv"] {
        refused(&vault, json!({"name": name, "text": "x"}), invalid, "without a folder");
    }
    refused(
        &vault,
        json!({"name": "a.csv", "text": "x", "note": "Nobody"}),
        ErrorCode::NoteNotFound,
        "Nobody",
    );
}

#[test]
fn setting_that_points_outside_the_vault_is_reported() {
    for (folder, problem) in [
        ("../Files", "it holds `.` or `..`"),
        ("./../../Files", "it holds `.` or `..`"),
        (".obsidian", "it starts with a dot"),
        ("./.trash", "it starts with a dot"),
    ] {
        let vault = set(TRIPS, &format!(r#"{{"attachmentFolderPath": "{folder}"}}"#));
        let said = format!(".obsidian/app.json: attachments cannot go to \"{folder}\": {problem}.");
        refused(
            &vault,
            json!({"name": "a.csv", "text": "x", "note": "Lisbon"}),
            ErrorCode::ToolFailed,
            &said,
        );
        assert!(vault.vault.open().problems().unwrap().iter().any(|known| said.contains(&known.problem)));
    }
}

#[test]
fn text_larger_than_a_notes_limit_is_refused() {
    let vault = vault("");
    let text = "x".repeat(16 * 1024 * 1024 + 1);
    let error = vault.error("add_attachment", json!({"name": "a.txt", "text": text}));
    assert_eq!(error.code, ErrorCode::NoteBroken);
    assert!(vault.vault.files().is_empty());
}

#[test]
fn attachment_is_shown_first_and_undone_like_a_note() {
    let vault = set(TRIPS, r#"{"attachmentFolderPath": "Files"}"#);
    let before = vault.vault.files();
    let outcome = vault.call("add_attachment", json!({"name": "route.gpx", "text": "<gpx>\n</gpx>\n"}));
    let asked = vault.approver.asked();
    let diff = &asked[0].diff.as_ref().unwrap()[0];
    assert_eq!(diff.path, "Files/route.gpx");
    assert!(format!("{diff:?}").contains("</gpx>"), "{diff:?}");

    let history = vault.vault.open().history();
    let id = outcome.change_set.unwrap();
    let undone = history.undo(&id, Scope::All, &Author::new("user")).unwrap();
    assert!(undone.conflicts.is_empty());
    assert_eq!(vault.vault.files(), before, "undo removes the created folder");
    // Redo.
    history.undo(&undone.change_set, Scope::All, &Author::new("user")).unwrap();
    assert_eq!(vault.vault.read("Files/route.gpx"), "<gpx>\n</gpx>\n");
}

#[test]
fn undo_preserves_later_edits() {
    let vault = vault("");
    let outcome = vault.call("add_attachment", json!({"name": "a.csv", "text": "a\n"}));
    vault.vault.write("a.csv", "a\nmine\n");
    let history = vault.vault.open().history();
    let undone = history.undo(&outcome.change_set.unwrap(), Scope::All, &Author::new("user")).unwrap();
    assert_eq!(undone.conflicts.len(), 1);
    assert_eq!(vault.vault.read("a.csv"), "a\nmine\n");
}

#[test]
fn remote_model_learns_nothing_about_private_folders() {
    let notes = format!("{TRIPS}\n//- Diary/plan.csv\nsecret\n//- Diary/Day.md\nsecret\n");
    let remote = |private: &str, app: &str| {
        let mut vault = set(&notes, app);
        vault.privacy = Privacy { remote: true, private: vec![private.to_owned()] };
        vault
    };
    // Into a private folder, for a private note, or next to a private file.
    let into = remote("Diary", r#"{"attachmentFolderPath": "Diary"}"#);
    refused(&into, json!({"name": "plan.csv", "text": "x"}), ErrorCode::Private, "");
    refused(&into, json!({"name": "new.csv", "text": "x"}), ErrorCode::Private, "");
    let of = remote("Diary", r#"{"attachmentFolderPath": "./"}"#);
    refused(&of, json!({"name": "new.csv", "text": "x", "note": "Day"}), ErrorCode::Private, "");
    let beside = remote("Diary/plan.csv", r#"{"attachmentFolderPath": "Diary"}"#);
    refused(&beside, json!({"name": "plan.csv", "text": "x"}), ErrorCode::Private, "");
    // The link does not reveal whether a private file of that name exists.
    for name in ["plan.csv", "other.csv"] {
        let vault = remote("Diary", r#"{"attachmentFolderPath": "Files"}"#);
        let made = vault.value("add_attachment", json!({"name": name, "text": "x"}));
        assert_eq!(made["link"], format!("![[Files/{name}]]"));
    }
}
