//! Mentions that become links. `nova-vault` decides what is a mention (`src/tests/mentioning.rs`).

use nova_skill::json;
use nova_testkit::Privacy;

use crate::vault;

const NOTES: &str = "
//- People/Jane Doe.md
---
aliases: [Janey]
---
Runs the [[Lisbon]] trip with Noor Haddad.
//- People/Noor Haddad.md
//- Trips/Lisbon.md
Jane Doe books, noor haddad pays.
Janey again. `Jane Doe`
//- Trips/Porto.md
Nobody.
//- Work/Plan.md
Plan of Jane Doe.
//- Home/Plan.md
//- Work/Log.md
The Plan.
";

#[test]
fn note_folder_or_all_notes_get_their_links_in_one_change() {
    for (path, changed) in [
        (Some("Lisbon"), vec!["Trips/Lisbon.md"]),
        (Some("trips/"), vec!["Trips/Lisbon.md"]),
        (Some("Trips"), vec!["Trips/Lisbon.md"]),
        (Some("Trips/Porto.md"), vec![]),
        (Some(""), vec!["People/Jane Doe.md", "Trips/Lisbon.md", "Work/Plan.md"]),
        (None, vec!["People/Jane Doe.md", "Trips/Lisbon.md", "Work/Plan.md"]),
    ] {
        let vault = vault(NOTES);
        let outcome = vault.call("suggest_links", json!({"path": path}));
        let value = outcome.result.unwrap();
        let paths: Vec<_> = outcome.changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, changed, "{path:?}: {value}");
        assert_eq!(value["notes"], changed.len(), "{path:?}");
        if changed.contains(&"Trips/Lisbon.md") {
            assert_eq!(
                vault.vault.read("Trips/Lisbon.md"),
                "[[Jane Doe]] books, [[Noor Haddad|noor haddad]] pays.\nJaney again. `Jane Doe`\n"
            );
        }
    }
}

#[test]
fn unlisted_links_are_counted_and_ambiguous_names_are_listed() {
    let value = vault(NOTES).value("suggest_links", json!({"limit": 1, "path": "Trips"}));
    assert_eq!(
        value,
        json!({
            "dry_run": false, "summary": "The first 1 link in 1 note; 2 in all", "count": 1, "total": 2, "notes": 1,
            "changed": [{"path": "Trips/Lisbon.md", "line": 1, "words": "Jane Doe", "to": "People/Jane Doe.md"}],
        })
    );
    let value = vault(NOTES).value("suggest_links", json!({"path": "Work/Log.md"}));
    assert_eq!(value["ambiguous"], json!([{"name": "Plan", "notes": ["Home/Plan.md", "Work/Plan.md"]}]));
    assert_eq!((&value["count"], &value["changed"]), (&json!(0), &json!([])));
    let every = vault(NOTES).value("suggest_links", json!({"path": "Lisbon", "every": true}));
    assert_eq!(every["count"], 3);
}

#[test]
fn dry_run_lists_links_with_their_lines_and_writes_nothing() {
    let vault = vault(NOTES);
    let before = vault.vault.files();
    let outcome = vault.call("suggest_links", json!({"dry_run": true, "path": "Lisbon"}));
    assert!(outcome.changes.is_empty() && vault.approver.asked().is_empty());
    assert_eq!(vault.vault.files(), before);
    let text = "[[Jane Doe]] books, [[Noor Haddad|noor haddad]] pays.";
    assert_eq!(outcome.result.unwrap()["changed"][1]["text"], text);
}

#[test]
fn missing_note_or_folder_is_reported() {
    for path in ["Nowhere", "Nowhere/", "../Nowhere"] {
        let error = vault(NOTES).error("suggest_links", json!({"path": path}));
        assert!(error.message.contains("Nowhere"), "{path}: {error:?}");
    }
}

#[test]
fn remote_model_learns_of_no_private_note() {
    let mut vault =
        vault(&format!("{NOTES}//- Diary/Max Moss.md\nJane Doe\n//- Open.md\nMax Moss, Noor Haddad\n"));
    vault.privacy = Privacy { remote: true, private: vec!["Diary".into()] };
    let outcome = vault.call("suggest_links", json!({}));
    let told = format!("{:?} {:?}", outcome.result, vault.approver.asked());
    assert!(!told.contains("Diary") && !told.contains("[[Max"), "{told}");
    assert_eq!(vault.vault.read("Open.md"), "Max Moss, [[People/Noor Haddad|Noor Haddad]]\n");
    assert_eq!(vault.vault.read("Diary/Max Moss.md"), "Jane Doe\n");
    for path in ["Diary", "Diary/", "Diary/Max Moss.md", "Max Moss"] {
        let error = vault.error("suggest_links", json!({"path": path}));
        assert!(!format!("{error:?}").contains("Jane"), "{path}: {error:?}");
    }
}
