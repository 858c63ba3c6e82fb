//! Undo: of a set, one note, one call; after later edits; and redo.

use std::fs;

use super::*;
use crate::step::Step;
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

/// One change set with two calls: Jane is won and gets a log; a deal is created and a note deleted.
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
fn undo_of_a_whole_set() {
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

    // Nothing is left to undo.
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
    // Folders created for the deal are removed.
    assert!(!bed.exists("Deals"));
    assert_eq!(bed.leftovers(), Vec::<String>::new());
}

#[test]
fn undo_of_one_note() {
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
fn undo_of_one_call_leaves_the_other() {
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
fn later_edit_is_kept() {
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
fn edit_at_the_same_place_is_a_conflict_and_the_rest_is_undone() {
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
fn change_reverted_by_hand_counts_as_undone() {
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
fn older_set_is_undone_below_a_newer_one() {
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

const PLAN: &str = "the plan\n";
const DRAFT: &str = "the draft\n";

/// One step of a draft, written in words.
fn step(draft: &mut crate::Draft, words: &str) -> Result<(), VaultError> {
    match words.split(' ').collect::<Vec<_>>()[..] {
        ["move", from, to] => draft.rename(&path(from), &path(to)),
        ["create", at] => draft.create(&path(at), format!("new {at}\n")),
        ["append", at] => draft.append(&path(at), "more", None),
        ["delete", at] => draft.delete(&path(at)),
        _ => unreachable!("{words}"),
    }
}

/// The notes of the vault with their texts.
fn all_notes(bed: &Bed) -> Vec<(String, String)> {
    let mut notes: Vec<_> = files_below(&bed.root())
        .iter()
        .map(|file| file.strip_prefix(bed.root()).unwrap().to_str().unwrap().to_owned())
        .filter(|name| !name.starts_with('.') && !name.contains("/."))
        .map(|name| (name.clone(), bed.text(&name)))
        .collect();
    notes.sort();
    notes
}

/// Steps, and the resulting notes.
type Steps = (&'static [&'static str], &'static [(&'static str, &'static str)]);

/// Steps that assign a name to another note.
const NAMES_USED_AGAIN: [Steps; 9] = [
    (
        &["move Plan.md Old.md", "create Plan.md"],
        &[("Draft.md", DRAFT), ("Old.md", PLAN), ("Plan.md", "new Plan.md\n")],
    ),
    (
        &["move Plan.md Archive/Plan.md", "move Draft.md Plan.md"],
        &[("Archive/Plan.md", PLAN), ("Plan.md", DRAFT)],
    ),
    (&["delete Plan.md", "move Draft.md Plan.md"], &[("Plan.md", DRAFT)]),
    (&["delete Plan.md", "create Plan.md"], &[("Draft.md", DRAFT), ("Plan.md", "new Plan.md\n")]),
    (&["delete Plan.md", "move Draft.md Plan.md", "append Plan.md"], &[("Plan.md", "the draft\nmore\n")]),
    (&["delete Plan.md", "move Draft.md Plan.md", "move Plan.md Z.md"], &[("Z.md", DRAFT)]),
    (&["delete Plan.md", "move Draft.md Plan.md", "delete Plan.md"], &[]),
    (&["delete Plan.md", "create T.md", "delete T.md"], &[("Draft.md", DRAFT)]),
    (
        &["move Plan.md T.md", "move Draft.md Plan.md", "move T.md Draft.md"],
        &[("Draft.md", PLAN), ("Plan.md", DRAFT)],
    ),
];

fn check_names_used_again(in_one_draft: bool) {
    for (steps, expected) in NAMES_USED_AGAIN {
        let bed = Bed::new(&[("Plan.md", PLAN), ("Draft.md", DRAFT)]);
        let before = all_notes(&bed);
        let vault = bed.vault();
        let changes = vault.change_set(ChangeSetKind::Turn, "names".to_owned());
        let mut draft = vault.draft();
        for (n, words) in steps.iter().enumerate() {
            step(&mut draft, words).unwrap();
            if !in_one_draft {
                changes
                    .apply(std::mem::replace(&mut draft, vault.draft()), &model(&format!("call_{n}")))
                    .unwrap();
            }
        }
        changes.apply(draft, &model("call_last")).unwrap();
        let id = changes.id().to_owned();
        changes.close().unwrap();
        let after: Vec<_> =
            expected.iter().map(|(at, text)| ((*at).to_owned(), (*text).to_owned())).collect();
        assert_eq!(all_notes(&bed), after, "{steps:?}");

        let undone = undo(&vault, &id, Scope::All);
        assert_eq!(undone.conflicts, [], "{steps:?}");
        assert_eq!(all_notes(&bed), before, "{steps:?}");
        assert_eq!(state(&vault, &id), ChangeSetState::Undone, "{steps:?}");

        let redone = undo(&vault, &undone.change_set, Scope::All);
        assert_eq!(redone.conflicts, [], "{steps:?}");
        assert_eq!(all_notes(&bed), after, "{steps:?}");
        assert_eq!(state(&vault, &id), ChangeSetState::Committed, "{steps:?}");

        undo(&vault, &id, Scope::All);
        assert_eq!(all_notes(&bed), before, "{steps:?}");
        drop(vault);
        assert_eq!(bed.leftovers(), Vec::<String>::new(), "{steps:?}");
    }
}

#[test]
fn name_taken_by_another_note_in_a_later_call() {
    check_names_used_again(false);
}

#[test]
fn name_taken_by_another_note_in_the_same_draft() {
    check_names_used_again(true);
}

#[test]
fn redo_of_one_note_restores_its_final_state() {
    let bed = Bed::new(&[("Plan.md", PLAN), ("Draft.md", DRAFT)]);
    let vault = bed.vault();
    let changes = vault.change_set(ChangeSetKind::Turn, "names".to_owned());
    for words in ["delete Plan.md", "move Draft.md Plan.md", "delete Plan.md"] {
        let mut draft = vault.draft();
        step(&mut draft, words).unwrap();
        changes.apply(draft, &model("call")).unwrap();
    }
    let id = changes.id().to_owned();
    changes.close().unwrap();
    let outcome = undo(&vault, &id, Scope::All);
    undo(&vault, &outcome.change_set, Scope::Note(path("Draft.md")));
    assert_eq!(all_notes(&bed), [("Plan.md".to_owned(), PLAN.to_owned())]);
    let sets = vault.history().list().unwrap();
    let of_set = sets.iter().find(|set| set.id == id).unwrap();
    let undone: Vec<_> = of_set.notes.iter().map(|note| note.undone_at.is_some()).collect();
    assert_eq!(undone, [true, false, false], "the plan is restored, the draft's changes are redone");
}

#[test]
fn undo_without_recorded_writes_is_read_as_before() {
    let bed = bed();
    let (vault, id) = two_calls(&bed);
    let outcome = undo(&vault, &id, Scope::All);
    let without_writes = || {
        bed.without_log();
        for file in journal_files(&bed).iter().filter(|file| file.extension().unwrap() == "jsonl") {
            let lines = fs::read_to_string(file).unwrap();
            let old = lines.lines().filter(|line| !line.is_empty()).map(|line| {
                let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
                line.as_object_mut().unwrap().remove("by");
                format!("{line}\n")
            });
            fs::write(file, old.collect::<String>()).unwrap();
        }
    };
    drop(vault);
    without_writes();
    let vault = bed.vault();
    assert_eq!(state(&vault, &id), ChangeSetState::Undone);
    undo(&vault, &outcome.change_set, Scope::All);
    drop(vault);
    without_writes();
    let vault = bed.vault();
    assert_eq!(state(&vault, &id), ChangeSetState::Committed);
    assert_eq!(state(&vault, &outcome.change_set), ChangeSetState::Undone);
}

#[test]
fn one_of_two_notes_with_the_same_name_is_undone() {
    let bed = Bed::new(&[("Plan.md", PLAN), ("Draft.md", DRAFT)]);
    let vault = bed.vault();
    let changes = vault.change_set(ChangeSetKind::Turn, "names".to_owned());
    for words in ["move Plan.md Old.md", "move Draft.md Plan.md"] {
        let mut draft = vault.draft();
        step(&mut draft, words).unwrap();
        changes.apply(draft, &model("call")).unwrap();
    }
    let id = changes.id().to_owned();
    changes.close().unwrap();
    // Its old name is taken: both notes stay unchanged.
    let taken = undo(&vault, &id, Scope::Note(path("Old.md")));
    assert_eq!((taken.undone.len(), taken.conflicts.len()), (0, 1));
    assert_eq!(state(&vault, &id), ChangeSetState::Committed);
    // The other note first, then this one.
    let first = undo(&vault, &id, Scope::Note(path("Plan.md")));
    assert_eq!((first.undone, first.conflicts), (vec![path("Plan.md")], vec![]));
    assert_eq!((bed.text("Draft.md").as_str(), bed.text("Old.md").as_str()), (DRAFT, PLAN));
    assert_eq!(state(&vault, &id), ChangeSetState::PartlyUndone);
    undo(&vault, &id, Scope::Note(path("Old.md")));
    assert_eq!((bed.text("Draft.md").as_str(), bed.text("Plan.md").as_str()), (DRAFT, PLAN));
    assert_eq!(state(&vault, &id), ChangeSetState::Undone);
}

#[test]
fn conflict_of_one_note_does_not_affect_another_with_its_name() {
    let bed = Bed::new(&[("Plan.md", PLAN), ("Draft.md", DRAFT)]);
    let vault = bed.vault();
    let changes = vault.change_set(ChangeSetKind::Turn, "names".to_owned());
    for words in ["delete Plan.md", "append Draft.md", "move Draft.md Plan.md"] {
        let mut draft = vault.draft();
        step(&mut draft, words).unwrap();
        changes.apply(draft, &model("call")).unwrap();
    }
    let id = changes.id().to_owned();
    changes.close().unwrap();
    bed.put("Plan.md", "the draft\nless\n");
    let outcome = undo(&vault, &id, Scope::All);
    // The edited draft keeps the name, so the plan cannot have it back: both are reported, none is lost.
    assert_eq!(outcome.undone, []);
    assert_eq!(outcome.conflicts.len(), 2);
    assert_eq!(all_notes(&bed), [("Plan.md".to_owned(), "the draft\nless\n".to_owned())]);
    assert_eq!(state(&vault, &id), ChangeSetState::Committed);
}

#[test]
fn name_taken_during_the_undo_of_a_move_leaves_both_notes_alone() {
    let bed = Bed::new(&[("Plan.md", PLAN)]);
    let (id, _) = change(&bed.vault(), |draft| {
        step(draft, "move Plan.md Old.md")?;
        step(draft, "append Old.md")
    })
    .unwrap();
    let moved = bed.text("Old.md");
    assert_ne!(moved, PLAN);
    // Another program creates a note of that name after the undo has begun.
    let file = bed.root().join("Plan.md");
    let vault = bed.hooked(move |step, _| match step {
        Step::ReadCurrent if !file.exists() => fs::write(&file, "unrelated\n"),
        _ => Ok(()),
    });
    let outcome = undo(&vault, &id, Scope::All);
    let [conflict] = &outcome.conflicts[..] else { panic!("{outcome:?}") };
    assert_eq!(
        (conflict.path.as_str(), &conflict.from),
        ("Old.md", &None),
        "the conflict is about the moved note"
    );
    assert_eq!((conflict.mine.as_str(), conflict.theirs.as_str()), (PLAN, moved.as_str()));
    assert_eq!(conflict.what, ["\"Plan.md\" is taken"]);
    assert_eq!(outcome.undone, []);

    // "Keep Nova's" restores the text at the note's present path.
    let changes = vault.change_set(ChangeSetKind::Form, "a conflict".to_owned());
    changes.keep_mine(conflict, &Author::new("user")).unwrap();
    changes.close().unwrap();
    drop(vault);
    let expected = [("Old.md", PLAN), ("Plan.md", "unrelated\n")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(all_notes(&bed), expected);
}

#[test]
fn folder_created_for_a_moved_note_is_removed_by_undo() {
    let bed = Bed::new(&[("Plan.md", PLAN)]);
    let vault = bed.vault();
    let (id, _) = change(&vault, |draft| step(draft, "move Plan.md New/Deep/Plan.md")).unwrap();
    undo(&vault, &id, Scope::All);
    assert_eq!(bed.text("Plan.md"), PLAN);
    assert!(!bed.exists("New"));
}

#[test]
fn serialised_form() {
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

/// Sixty small sets, one second apart; returns their ids, oldest first.
fn sixty_sets(bed: &Bed) -> Vec<String> {
    let vault = bed.vault();
    (0..60)
        .map(|n| change(&vault, |d| d.append(&path("old.md"), &format!("- {n}"), None)).unwrap().0)
        .collect()
}

fn kept(bed: &Bed) -> Vec<String> {
    let mut ids: Vec<_> = journal_files(bed)
        .iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "jsonl"))
        .map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    ids.sort_by_key(|id| id.trim_start_matches("set").parse::<u64>().unwrap());
    ids
}

fn days_later(bed: &Bed, days: i64) {
    bed.seconds.fetch_add(days * 24 * 3600, std::sync::atomic::Ordering::SeqCst);
}

#[test]
fn sets_older_than_thirty_days_are_pruned_except_the_last_fifty() {
    let _alone = one_at_a_time();
    // When the vault is opened.
    let bed = bed();
    let ids = sixty_sets(&bed);
    days_later(&bed, 29);
    drop(bed.vault());
    assert_eq!(kept(&bed), ids);
    days_later(&bed, 2);
    let vault = bed.vault();
    assert_eq!(kept(&bed), ids[10..]);
    assert_eq!(vault.history().list().unwrap().len(), 50);
    assert_eq!(journal_files(&bed).len(), 100, "the images are removed too");

    // When a set ends: with the new one, there is one above fifty.
    days_later(&bed, 31);
    let (id, _) = change(&vault, |d| d.append(&path("old.md"), "- last", None)).unwrap();
    let mut expected = ids[11..].to_vec();
    expected.push(id);
    assert_eq!(kept(&bed), expected);
    // Not again within the same day, but a day later.
    days_later(&bed, 0);
    change(&vault, |d| d.append(&path("old.md"), "- more", None)).unwrap();
    assert_eq!(kept(&bed).len(), 51);
    days_later(&bed, 1);
    change(&vault, |d| d.append(&path("old.md"), "- more", None)).unwrap();
    assert_eq!(kept(&bed).len(), 50);
}

#[test]
fn size_of_older_changes_is_reported_before_they_are_pruned() {
    let _alone = one_at_a_time();
    let bed = bed();
    let ids = sixty_sets(&bed);
    days_later(&bed, 8);
    let vault = bed.vault();
    let limits = |days| crate::Limits { days, ..crate::Limits::default() };

    let (all, older) = vault.history().sizes(&[limits(14), limits(7)]).unwrap();

    assert_eq!((all.changes, older[0].changes, older[1].changes), (60, 0, 10));
    assert_eq!(kept(&bed), ids, "a query removes nothing");
    assert_eq!(vault.history().prune(limits(7)).unwrap().len(), 10);
    let (left, _) = vault.history().sizes(&[]).unwrap();
    assert_eq!((left.changes, left.bytes), (50, all.bytes - older[1].bytes));
}

#[test]
fn sets_above_the_size_limit_are_pruned_automatically() {
    let _alone = one_at_a_time();
    let bed = bed();
    let ids = sixty_sets(&bed);
    let vault = bed.vault();
    let displaced = crate::writing::write::displaced_bytes(vault.core());
    let newest: u64 = ids[5..].iter().map(|id| vault.core().journal.size(id) + displaced[id]).sum();
    let limits = crate::Limits { bytes: newest, ..crate::Limits::default() };
    // Checked at opening already, but the limit is exceeded.
    vault.prune_changes_beyond(Some(&ids[59]), crate::Limits { bytes: u64::MAX, ..limits });
    assert_eq!(kept(&bed), ids);
    vault.prune_changes_beyond(Some(&ids[59]), limits);
    assert_eq!(kept(&bed), ids[5..]);
    vault.prune_changes_beyond(None, crate::Limits { bytes: 0, ..limits });
    assert_eq!(kept(&bed), ids[10..]);
}

#[test]
fn history_is_readable_by_the_user_only() {
    use std::os::unix::fs::PermissionsExt;

    let bed = bed();
    // Created by hand, with permissions for everyone.
    fs::create_dir_all(bed.history()).unwrap();
    fs::set_permissions(bed.history(), fs::Permissions::from_mode(0o755)).unwrap();
    let (vault, _) = two_calls(&bed);
    let kept = vault.core().conflicts().join("x.md");
    crate::disk::write_private(&kept, b"x").unwrap();

    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&bed.history()), 0o700);
    assert_eq!(mode(kept.parent().unwrap()), 0o700);
    let files = files_below(&bed.history());
    // Those of the next set are created on another thread, at any time.
    let is_spare = |file: &&std::path::PathBuf| file.to_string_lossy().contains("/.spare-0-");
    let others = files.iter().filter(|file| !is_spare(file)).count();
    assert_eq!(others, 6, "lines, images, the log, two locks and the mark: {files:?}");
    for file in files.iter().chain([&kept]) {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
}
