//! Killed while a change set is undone or finished.

use super::*;

#[test]
fn killed_during_an_undo() {
    let _alone = one_at_a_time();
    let reference = linked();
    let before = notes(&reference.root());
    change(&reference.vault(), move_target).unwrap();
    let after = notes(&reference.root());
    let user = Author::new("user");
    for (step, note) in [
        (Step::CreateTemp, "Notes/n40.md"),
        (Step::HashDisplaced, "Notes/n20.md"),
        (Step::Exchange, "Target.md"),
        (Step::JournalCommit, "undo0"),
    ] {
        for way in ["finish the undo", "undo again", "undo the undo"] {
            let name = format!("{step:?} {note}, {way}");
            let bed = linked();
            let (id, _) = change(&bed.vault(), move_target).unwrap();
            assert_eq!(id, "set0");
            kill(start(&bed, step, note, Job::Undo).unwrap());
            let vault = bed.vault();
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            assert_eq!(state(&vault, "undo0"), Some(ChangeSetState::Interrupted), "{name}");
            match way {
                "finish the undo" => {
                    vault.history().finish("undo0", &user).unwrap();
                    assert_eq!(state(&vault, "undo0"), Some(ChangeSetState::Committed), "{name}");
                }
                "undo again" => {
                    vault.history().undo("set0", Scope::All, &user).unwrap();
                }
                _ => {
                    vault.history().undo("undo0", Scope::All, &user).unwrap();
                    assert_eq!(state(&vault, "undo0"), Some(ChangeSetState::Undone), "{name}");
                }
            }
            drop(vault);
            let brought_back = way == "undo the undo";
            assert_eq!(
                notes(&bed.root()),
                if brought_back { after.clone() } else { before.clone() },
                "{name}"
            );
            let expected = if brought_back { ChangeSetState::Committed } else { ChangeSetState::Undone };
            assert_eq!(state(&bed.vault(), "set0"), Some(expected), "{name}");
        }
    }
}

#[test]
fn finished_undo_reverts_the_same_as_an_uninterrupted_one() {
    let _alone = one_at_a_time();
    let user = Author::new("user");
    for finish in [false, true] {
        let bed = linked();
        let before = notes(&bed.root());
        let vault = bed.vault();
        let set = vault.change_set(ChangeSetKind::Turn, "everything".to_owned());
        let apply = |plan: &dyn Fn(&mut Draft) -> Result<(), VaultError>| {
            let mut draft = vault.draft();
            plan(&mut draft).unwrap();
            set.apply(draft, &user).unwrap();
        };
        // A note that exists neither before nor after, and one whose name another note has afterwards.
        apply(&|draft| draft.create(&path("Passing.md"), "for a while\n".to_owned()));
        apply(&move_target);
        apply(&|draft| draft.delete(&path("Passing.md")));
        apply(&|draft| draft.delete(&path("Notes/n07.md")));
        apply(&|draft| draft.rename(&path("Notes/n08.md"), &path("Notes/n07.md")));
        assert_eq!(set.id(), "set0");
        set.close().unwrap();
        drop(vault);
        let undo = if finish {
            kill(start(&bed, Step::Exchange, "Notes/n20.md", Job::Undo).unwrap());
            bed.vault().history().finish("undo0", &user).unwrap();
            "undo0".to_owned()
        } else {
            bed.vault().history().undo("set0", Scope::All, &user).unwrap().change_set
        };
        assert_eq!(notes(&bed.root()), before, "finished: {finish}");
        let vault = bed.vault();
        assert_eq!(state(&vault, "set0"), Some(ChangeSetState::Undone), "finished: {finish}");
        // Undone itself, except for one note, which remains reverted.
        vault.history().undo(&undo, Scope::Note(path("Notes/n09.md")), &user).unwrap();
        assert_eq!(state(&vault, "set0"), Some(ChangeSetState::PartlyUndone), "finished: {finish}");
    }
}

#[test]
fn killed_while_finishing() {
    let _alone = one_at_a_time();
    let reference = linked();
    let before = notes(&reference.root());
    change(&reference.vault(), move_target).unwrap();
    let after = notes(&reference.root());
    let user = Author::new("user");
    for (step, note) in [
        (Step::SyncJournal, "finish0"),
        (Step::HashDisplaced, "Notes/n30.md"),
        (Step::JournalDone, "Notes/n40.md"),
        (Step::JournalCommit, "child"),
        (Step::JournalCommit, "finish0"),
    ] {
        for finish in [true, false] {
            let name = format!("{step:?} {note}, finish: {finish}");
            let bed = linked();
            kill(start(&bed, Step::Exchange, "Notes/n20.md", Job::Move).unwrap());
            kill(start(&bed, step, note, Job::Finish).unwrap());
            let vault = bed.vault();
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            let history = vault.history();
            let is_open = |id: &str| state(&vault, id) == Some(ChangeSetState::Interrupted);
            if finish {
                for id in ["child", "finish0"] {
                    if is_open(id) {
                        history.finish(id, &user).unwrap();
                    }
                }
            } else {
                for id in ["child", "finish0"] {
                    assert_eq!(
                        history
                            .undo(id, Scope::All, &user)
                            .unwrap_or_else(|e| panic!("{name}: {e}"))
                            .conflicts,
                        [],
                        "{name}"
                    );
                }
            }
            assert!(!is_open("child") && !is_open("finish0"), "{name}");
            drop(history);
            drop(vault);
            assert_eq!(notes(&bed.root()), if finish { after.clone() } else { before.clone() }, "{name}");
        }
    }
}

/// This many notes, created in one change set whose undo was killed midway.
fn half_undone(notes: usize) -> Bed {
    let bed = Bed::in_memory(&[]);
    change(&bed.vault(), |draft| {
        let name = |n| format!("n{n}");
        let new = |n| crate::NewNote { folder: "Import".to_owned(), name: name(n), text: name(n) };
        draft.create_all((0..notes).map(new).collect()).map(drop)
    })
    .unwrap();
    kill(start(&bed, Step::Exchange, &format!("Import/n{}.md", notes / 2), Job::Undo).unwrap());
    assert!(bed.leftovers().len() >= notes / 2 - 1);
    bed
}

#[test]
fn listing_and_finishing_are_linear_in_the_number_of_notes() {
    let _alone = one_at_a_time();
    let [(list, finish), (list_twice, finish_twice)] = [200, 400].map(|notes| {
        let bed = half_undone(notes);
        let (vault, list) = work::of(|| {
            let vault = bed.vault();
            assert_eq!(state(&vault, "undo0"), Some(ChangeSetState::Interrupted));
            vault
        });
        assert_eq!(bed.leftovers(), Vec::<String>::new());
        let (_, finish) = work::of(|| vault.history().finish("undo0", &Author::new("user")).unwrap());
        assert_eq!(state(&vault, "set0"), Some(ChangeSetState::Undone));
        drop(vault);
        assert_eq!(files_below(&bed.root()), Vec::<PathBuf>::new());
        (list, finish)
    });
    assert!(list > 200 && list_twice < 5 * list / 2, "{list} and {list_twice}");
    assert!(finish > 200 && finish_twice < 5 * finish / 2, "{finish} and {finish_twice}");
}

#[test]
fn restored_note_keeps_its_permissions_if_the_undo_is_finished() {
    use std::os::unix::fs::PermissionsExt;

    let _alone = one_at_a_time();
    for step in [Step::CreateTemp, Step::SyncTemp, Step::Exchange] {
        let bed = linked();
        let note = bed.root().join("Notes/n20.md");
        fs::set_permissions(&note, fs::Permissions::from_mode(0o600)).unwrap();
        change(&bed.vault(), |draft| draft.delete(&path("Notes/n20.md"))).unwrap();
        kill(start(&bed, step, "Notes/n20.md", Job::Undo).unwrap());
        assert!(!note.exists(), "{step:?}");
        bed.vault().history().finish("undo0", &Author::new("user")).unwrap();
        assert_eq!(fs::metadata(&note).unwrap().permissions().mode() & 0o777, 0o600, "{step:?}");
    }
}
