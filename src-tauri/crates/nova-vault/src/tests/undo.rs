//! Taking back: all, one note, one call; after other edits; and taking back the taking back.

use std::fs;

use super::*;
use crate::{ChangeSetState, Scope, UndoOutcome};

fn user() -> Author {
    Author::new("user")
}

fn undo(vault: &Vault, id: &str, scope: Scope) -> UndoOutcome {
    vault.history().undo(id, scope, &user()).unwrap()
}

fn state(vault: &Vault, id: &str) -> ChangeSetState {
    let sets = vault.history().list().unwrap();
    sets.iter().find(|set| set.id == id).unwrap().state
}

/// One change set of two calls: Jane is won and gets a log; a deal is created, a note deleted.
fn two_calls(bed: &Bed) -> (Vault, String) {
    let vault = bed.vault();
    let changes = vault.change_set(ChangeSetKind::Turn, "Win Jane".to_owned());
    let mut first = vault.draft();
    first.set_properties(&path("Jane.md"), &[set("stage", "won")]).unwrap();
    first.create(&path("Deals/New/Deal.md"), "deal\n".to_owned()).unwrap();
    changes.apply(first, &model("call_1")).unwrap();
    let mut second = vault.draft();
    second.append(&path("Jane.md"), "- 2026-11-21 called", Some("Log")).unwrap();
    second.delete(&path("old.md")).unwrap();
    changes.apply(second, &model("call_2")).unwrap();
    let id = changes.id().to_owned();
    changes.close().unwrap();
    (vault, id)
}

fn bed() -> Bed {
    Bed::new(&[("Jane.md", JANE), ("old.md", "old\n")])
}

#[test]
fn the_whole_set() {
    let bed = bed();
    let (vault, id) = two_calls(&bed);
    let after = bed.text("Jane.md");

    let outcome = undo(&vault, &id, Scope::All);

    assert_eq!(outcome.undone, [path("Jane.md"), path("Deals/New/Deal.md"), path("old.md")]);
    assert_eq!((outcome.merged, outcome.conflicts), (vec![], vec![]));
    assert_eq!(bed.text("Jane.md"), JANE);
    assert_eq!(bed.text("old.md"), "old\n");
    assert!(!bed.exists("Deals/New/Deal.md"));
    assert_eq!(state(&vault, &id), ChangeSetState::Undone);
    assert_eq!(state(&vault, &outcome.change_set), ChangeSetState::Committed);

    // Again: nothing left to undo.
    let again = undo(&vault, &id, Scope::All);
    assert_eq!(again.undone, []);
    assert_eq!(vault.history().list().unwrap().len(), 2);

    // The undo is a change set like any other.
    let redo = undo(&vault, &outcome.change_set, Scope::All);
    assert_eq!(redo.conflicts, []);
    assert_eq!(bed.text("Jane.md"), after);
    assert_eq!(bed.text("Deals/New/Deal.md"), "deal\n");
    assert!(!bed.exists("old.md"));
    assert_eq!(state(&vault, &id), ChangeSetState::Committed);
    assert_eq!(state(&vault, &outcome.change_set), ChangeSetState::Undone);
    undo(&vault, &id, Scope::All);
    assert_eq!(bed.text("Jane.md"), JANE);
    drop(vault);
    // Folders that were made for the deal are gone with it.
    assert!(!bed.exists("Deals"));
    assert_eq!(bed.leftovers(), Vec::<String>::new());
}

#[test]
fn one_note() {
    let bed = bed();
    let (vault, id) = two_calls(&bed);
    let outcome = undo(&vault, &id, Scope::Note(path("Jane.md")));
    assert_eq!(outcome.undone, [path("Jane.md")]);
    assert_eq!(bed.text("Jane.md"), JANE);
    assert!(bed.exists("Deals/New/Deal.md") && !bed.exists("old.md"));
    assert_eq!(state(&vault, &id), ChangeSetState::PartlyUndone);
    let sets = vault.history().list().unwrap();
    let undone: Vec<_> = sets[1].notes.iter().map(|n| n.undone_at.is_some()).collect();
    assert_eq!(undone, [true, false, true, false]);
    undo(&vault, &id, Scope::All);
    assert_eq!(state(&vault, &id), ChangeSetState::Undone);
}

#[test]
fn one_call_leaves_the_other() {
    let bed = bed();
    let (vault, id) = two_calls(&bed);
    undo(&vault, &id, Scope::Call("call_1".to_owned()));
    let text = bed.text("Jane.md");
    assert!(text.contains("stage: lead") && text.contains("- 2026-11-21 called"), "{text}");
    assert!(!bed.exists("Deals/New/Deal.md") && !bed.exists("old.md"));
    undo(&vault, &id, Scope::Call("call_2".to_owned()));
    assert_eq!(bed.text("Jane.md"), JANE);
    assert_eq!(bed.text("old.md"), "old\n");
    assert_eq!(state(&vault, &id), ChangeSetState::Undone);
}

#[test]
fn an_edit_made_since_is_kept() {
    let bed = bed();
    let (vault, id) = two_calls(&bed);
    let edited = bed.text("Jane.md").replace("name: Jane Doe", "name: Jane Roe");
    bed.put("Jane.md", &edited);

    let outcome = undo(&vault, &id, Scope::All);

    assert_eq!(outcome.conflicts, []);
    assert_eq!(outcome.merged.len(), 1);
    assert_eq!(outcome.merged[0].0, path("Jane.md"));
    assert_eq!(bed.text("Jane.md"), JANE.replace("Jane Doe", "Jane Roe"));
}

#[test]
fn an_edit_at_the_same_place_is_a_conflict_and_the_rest_is_undone() {
    let bed = bed();
    let (vault, id) = two_calls(&bed);
    let edited = bed.text("Jane.md").replace("stage: won", "stage: lost");
    bed.put("Jane.md", &edited);
    bed.put("Deals/New/Deal.md", "deal, edited\n");
    bed.put("old.md", "another\n");

    let outcome = undo(&vault, &id, Scope::All);

    let mut conflicts: Vec<_> = outcome.conflicts.iter().map(|c| c.path.as_str()).collect();
    conflicts.sort_unstable();
    assert_eq!(conflicts, ["Deals/New/Deal.md", "Jane.md", "old.md"]);
    assert_eq!(outcome.undone, []);
    assert_eq!(bed.text("Jane.md"), edited);
    assert_eq!(bed.text("Deals/New/Deal.md"), "deal, edited\n");
    assert_eq!(bed.text("old.md"), "another\n");
    assert_eq!(state(&vault, &id), ChangeSetState::Committed);

    bed.put("Deals/New/Deal.md", "deal\n");
    let outcome = undo(&vault, &id, Scope::All);
    assert_eq!(outcome.undone, [path("Deals/New/Deal.md")]);
    assert_eq!(state(&vault, &id), ChangeSetState::PartlyUndone);
}

#[test]
fn what_the_user_took_back_by_hand_counts_as_undone() {
    let bed = bed();
    let (vault, id) = two_calls(&bed);
    bed.put("Jane.md", JANE);
    fs::remove_dir_all(bed.root().join("Deals")).unwrap();
    let outcome = undo(&vault, &id, Scope::All);
    assert_eq!(outcome.conflicts, []);
    assert_eq!(bed.text("Jane.md"), JANE);
    assert_eq!(bed.text("old.md"), "old\n");
    assert_eq!(state(&vault, &id), ChangeSetState::Undone);
}

#[test]
fn an_older_set_under_a_newer_one() {
    let bed = bed();
    let vault = bed.vault();
    let jane = path("Jane.md");
    let (older, _) = change(&vault, |d| d.set_properties(&jane, &[set("stage", "won")])).unwrap();
    let (newer, _) = change(&vault, |d| d.set_properties(&jane, &[set("name", "J")])).unwrap();
    let outcome = undo(&vault, &older, Scope::All);
    assert_eq!(outcome.conflicts, []);
    assert_eq!(bed.text("Jane.md"), JANE.replace("name: Jane Doe", "name: J"));
    undo(&vault, &newer, Scope::All);
    assert_eq!(bed.text("Jane.md"), JANE);

    let error = vault.history().undo("nope", Scope::All, &user()).unwrap_err();
    assert!(matches!(error, VaultError::NoChangeSet { .. }));
}

#[test]
fn the_wire_form() {
    let bed = bed();
    let (vault, id) = two_calls(&bed);
    undo(&vault, &id, Scope::Note(path("old.md")));
    let set = vault.history().list().unwrap().remove(1);
    let json = serde_json::to_value(&set).unwrap();
    assert_eq!(
        json["notes"][0],
        serde_json::json!({"path": "Jane.md", "kind": "modified", "call": "call_1", "undone_at": null, "uncertain": false})
    );
    let undone_at = json["notes"][3]["undone_at"].as_str().unwrap();
    assert!(undone_at.starts_with("2026-11-21T00:00:"), "{undone_at}");
    assert_eq!(json["state"], "partly_undone");
    assert_eq!(json["kind"], "turn");
    assert_eq!(json["author"], serde_json::json!({"principal": "model", "skill": "crm", "call": "call_1"}));
}
