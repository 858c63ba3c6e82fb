//! Killed while notes are written.

use std::os::unix::fs::MetadataExt;

use super::*;

#[test]
fn killed_at_every_step_leaves_whole_notes() {
    whole_notes_at_every_step(System::All, 11);
}

#[test]
fn killed_at_every_step_without_no_replace_rename() {
    whole_notes_at_every_step(System::NoReplacing, 13);
}

/// Checks every step under that system; `steps` is the number that must be reached.
fn whole_notes_at_every_step(system: System, steps: usize) {
    let _alone = one_at_a_time();
    let reference = bed();
    let before = notes(&reference.root());
    change(&reference.vault(), plan).unwrap();
    let after = notes(&reference.root());

    let mut reached = Vec::new();
    for step in [
        Step::Journal,
        Step::CreateTemp,
        Step::WriteTemp,
        Step::SyncTemp,
        Step::Recheck,
        Step::Exchange,
        Step::Unname,
        Step::DropName,
        Step::HashDisplaced,
        Step::SyncFolder,
        Step::JournalDone,
        Step::JournalCommit,
        Step::LastLook,
    ] {
        for note in ["a.md", "New/e.md", "b.md", "New/c.md", "d.md", "child"] {
            let bed = bed();
            let name = format!("{system:?} {step:?} {note}");
            let Some(child) = start_under(system, &bed, step, note, Job::Plan) else {
                continue;
            };
            kill(child);
            reached.push(step);

            // Each note is in one of its two states.
            for (file, text) in notes(&bed.root()) {
                if !file.contains(".nova-") {
                    let states = [before.get(&file), after.get(&file), before.get("c.md")];
                    assert!(states.contains(&Some(&text)), "{name}: {file}: {text}");
                }
            }
            let vault = system.under(bed.vault());
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            assert_eq!(vault.problems().unwrap(), [], "{name}");
            let has_both = bed.exists("c.md") && bed.exists("New/c.md");
            assert!(bed.exists("c.md") || bed.exists("New/c.md"), "{name}");
            assert_eq!(has_both, step == Step::Unname, "{name}");

            let sets = vault.history().list().unwrap();
            if step == Step::Journal {
                assert_eq!(sets, [], "{name}");
                assert_eq!(notes(&bed.root()), before, "{name}");
                continue;
            }
            let expected = match step {
                Step::LastLook => ChangeSetState::Committed,
                _ => ChangeSetState::Interrupted,
            };
            assert_eq!(sets.len(), 1, "{name}");
            assert_eq!(sets[0].state, expected, "{name}");
            let user = Author::new("user");
            if expected == ChangeSetState::Interrupted && reached.len() % 2 == 0 {
                vault.history().finish("child", &user).unwrap();
                drop(vault);
                assert_eq!(notes(&bed.root()), after, "{name}: finished");
                has_one_name(&bed);
                let states = bed.vault().history().list().unwrap();
                assert!(states.iter().all(|s| s.state == ChangeSetState::Committed), "{name}");
            } else {
                let outcome = vault.history().undo("child", Scope::All, &user).unwrap();
                assert_eq!(outcome.conflicts, [], "{name}");
                drop(vault);
                assert_eq!(notes(&bed.root()), before, "{name}: undone");
                has_one_name(&bed);
                let states = bed.vault().history().list().unwrap();
                let undone = states.iter().find(|s| s.id == "child").unwrap();
                assert_eq!(undone.state, ChangeSetState::Undone, "{name}");
            }
        }
    }
    reached.dedup();
    assert_eq!(reached.len(), steps, "{system:?}: {reached:?}");
}

/// Every note must be a file of its own: a second hard link would block later writes.
#[track_caller]
fn has_one_name(bed: &Bed) {
    for file in files_below(&bed.root()) {
        assert_eq!(fs::metadata(&file).unwrap().nlink(), 1, "{}", file.display());
    }
}

#[test]
fn note_killed_with_two_names_keeps_one() {
    let _alone = one_at_a_time();
    let user = Author::new("user");
    for (how, step, note) in [
        ("put in place", Step::Exchange, "New/e.md"),
        ("moved", Step::Unname, "New/c.md"),
        ("moved, and unnamed", Step::DropName, "New/c.md"),
    ] {
        for finish in [true, false] {
            let bed = bed();
            let before = notes(&bed.root());
            kill(start_under(System::NoReplacing, &bed, step, note, Job::Plan).unwrap());
            let name = format!("{how}: {step:?} {note}, finish: {finish}");
            if how == "put in place" {
                // Killed right after the note got its new name, before the old one is removed.
                let folder = bed.root().join("New");
                let temp = bed.leftovers().into_iter().find(|temp| folder.join(temp).exists()).unwrap();
                fs::hard_link(folder.join(temp), bed.root().join(note)).unwrap();
            }
            let vault = System::NoReplacing.under(bed.vault());
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            if step != Step::Unname {
                has_one_name(&bed);
            }
            if finish {
                vault.history().finish("child", &user).unwrap();
                change(&vault, |draft| draft.append(&path(note), "edited", None)).unwrap();
            } else {
                let outcome = vault.history().undo("child", Scope::All, &user).unwrap();
                assert_eq!(outcome.conflicts, [], "{name}");
                change(&vault, |draft| draft.append(&path("c.md"), "edited", None)).unwrap();
            }
            drop(vault);
            has_one_name(&bed);
            if finish {
                assert!(!bed.exists("c.md") && bed.text(note).ends_with("edited\n"), "{name}");
            } else {
                let mut expected = before;
                expected.insert("c.md".to_owned(), "c\nedited\n".to_owned());
                assert_eq!(notes(&bed.root()), expected, "{name}");
            }
        }
    }
}

#[test]
fn single_change_is_whole_when_killed_at_any_step() {
    let _alone = one_at_a_time();
    let reference = bed();
    let before = notes(&reference.root());
    change(&reference.vault(), one).unwrap();
    let after = notes(&reference.root());
    for (step, changed) in [
        (Step::CreateTemp, false),
        (Step::WriteTemp, false),
        (Step::SyncTemp, false),
        (Step::Recheck, false),
        (Step::Exchange, false),
        (Step::HashDisplaced, true),
        (Step::SyncFolder, true),
        (Step::JournalDone, true),
    ] {
        let bed = bed();
        kill(start(&bed, step, "a.md", Job::One).unwrap());
        let vault = bed.vault();
        assert_eq!(bed.leftovers(), Vec::<String>::new(), "{step:?}");
        assert_eq!(notes(&bed.root()), *if changed { &after } else { &before }, "{step:?}");
        assert_eq!(state(&vault, "child"), Some(ChangeSetState::Interrupted), "{step:?}");
        vault.history().finish("child", &Author::new("user")).unwrap();
        drop(vault);
        assert_eq!(notes(&bed.root()), after, "{step:?}: finished");
    }
}

#[test]
fn edit_at_the_moment_of_the_kill_is_kept() {
    let _alone = one_at_a_time();
    for step in [
        Step::HashDisplaced,
        Step::CreateTemp,
        Step::Recheck,
        Step::SyncFolder,
        Step::JournalDone,
        Step::LastLook,
    ] {
        let bed = bed();
        let child = start(&bed, step, "a.md", Job::PlanAndEdit).unwrap();
        kill(child);
        let vault = bed.vault();
        // `CreateTemp` and `Recheck` first occur before the edit.
        let edited = !matches!(step, Step::CreateTemp | Step::Recheck);
        let text = bed.text("a.md");
        assert_eq!(text.contains("Met outside."), edited, "{step:?}\n{text}");
        assert_eq!(bed.leftovers(), Vec::<String>::new(), "{step:?}");
        assert_eq!(vault.problems().unwrap(), [], "{step:?}");
        vault.history().undo("child", Scope::All, &Author::new("user")).unwrap();
        let expected = if edited { JANE.replace("at the fair", "outside") } else { JANE.to_owned() };
        assert_eq!(bed.text("a.md"), expected, "{step:?}");
    }
}

#[test]
fn running_process_is_left_alone() {
    let _alone = one_at_a_time();
    let bed = bed();
    let child = start(&bed, Step::Recheck, "a.md", Job::Plan).unwrap();
    let vault = bed.vault();
    assert_eq!(bed.leftovers().len(), 1);
    let sets = vault.history().list().unwrap();
    assert_eq!(sets[0].state, ChangeSetState::Open);
    let error = vault.history().finish("child", &Author::new("user")).unwrap_err();
    assert_eq!(error.code().as_str(), "unknown_change_set");
    let all = crate::Limits { days: 0, bytes: 0, at_least: 0 };
    assert_eq!(vault.history().prune(all).unwrap(), Vec::<String>::new());
    kill(child);
    let sets = vault.history().list().unwrap();
    assert_eq!(sets[0].state, ChangeSetState::Interrupted);
    // Sets that await a decision are not pruned either.
    assert_eq!(vault.history().prune(all).unwrap(), Vec::<String>::new());
}

#[test]
fn killed_during_a_move_with_forty_links() {
    let _alone = one_at_a_time();
    let before = notes(&linked().root());
    let reference = linked();
    change(&reference.vault(), move_target).unwrap();
    let after = notes(&reference.root());
    let user = Author::new("user");
    for (step, note) in [
        (Step::Exchange, "Done/Goal.md"),
        (Step::SyncFolder, "Done/Goal.md"),
        (Step::HashDisplaced, "Notes/n01.md"),
        (Step::CreateTemp, "Notes/n20.md"),
        (Step::JournalDone, "Notes/n40.md"),
        (Step::JournalCommit, "child"),
    ] {
        for finish in [true, false] {
            let name = format!("{step:?} {note}, finish: {finish}");
            let bed = linked();
            kill(start(&bed, step, note, Job::Move).unwrap());
            let vault = bed.vault();
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            let sets = vault.history().list().unwrap();
            assert_eq!((sets.len(), sets[0].notes.len()), (1, 41), "{name}");
            let json = serde_json::to_value(&sets[0]).unwrap();
            assert_eq!(json["state"], "interrupted", "{name}");
            if finish {
                vault.history().finish("child", &user).unwrap();
                drop(vault);
                assert_eq!(notes(&bed.root()), after, "{name}");
                let vault = bed.vault();
                assert_eq!(state(&vault, "child"), Some(ChangeSetState::Committed), "{name}");
                // Once finished, it can be undone like any other.
                vault.history().undo("child", Scope::All, &user).unwrap();
                drop(vault);
                assert_eq!(notes(&bed.root()), before, "{name}: finished and undone");
            } else {
                let outcome = vault.history().undo("child", Scope::All, &user).unwrap();
                assert_eq!(outcome.conflicts, [], "{name}");
                drop(vault);
                assert_eq!(notes(&bed.root()), before, "{name}: undone");
                assert_eq!(state(&bed.vault(), "child"), Some(ChangeSetState::Undone), "{name}");
            }
        }
    }
}

#[test]
fn killed_while_creating_many() {
    let _alone = one_at_a_time();
    let reference = many::bed();
    let before = notes(&reference.root());
    change(&reference.vault(), many::hundred).unwrap();
    let after = notes(&reference.root());
    assert_eq!(after.len(), before.len() + 100);
    let user = Author::new("user");
    for (step, note, are_there) in [
        (Step::CreateTemp, "New/B/Note 20.md", 0),
        (Step::WriteTemp, "New/B/Note 20.md", 0),
        (Step::SyncTemp, "Old/Note 0.md", 0),
        // The twenty-first note.
        (Step::Exchange, "New/B/Note 20.md", 20),
        (Step::SyncFolder, "Old/Note 0.md", 100),
        (Step::JournalDone, "New/B/Note 20.md", 100),
        (Step::JournalCommit, "child", 100),
    ] {
        for finish in [true, false] {
            let name = format!("{step:?} {note}, finish: {finish}");
            let bed = many::bed();
            kill(start(&bed, step, note, Job::Many).unwrap());
            let mut there = notes(&bed.root());
            there.retain(|file, _| !file.contains(".nova-"));
            assert_eq!(there.len(), before.len() + are_there, "{name}");
            for (file, text) in there {
                assert_eq!(after.get(&file), Some(&text), "{name}: {file}");
            }

            let vault = bed.vault();
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            assert_eq!(state(&vault, "child"), Some(ChangeSetState::Interrupted), "{name}");
            if finish {
                vault.history().finish("child", &user).unwrap();
            } else {
                let outcome = vault.history().undo("child", Scope::All, &user).unwrap();
                assert_eq!(outcome.conflicts, [], "{name}");
            }
            drop(vault);
            assert_eq!(notes(&bed.root()), if finish { after.clone() } else { before.clone() }, "{name}");
        }
    }
}

#[test]
fn acknowledged_writes_survive_a_kill_at_any_moment() {
    let _alone = one_at_a_time();
    let text = |note: u64, last: u64| -> String {
        let ns = || (1..=last).filter(|n| n % 3 == note);
        let count = ns().next_back().map_or("none".to_owned(), |n| format!("n{n}"));
        let lines: String = ns().map(|n| format!("- line {n}\n")).collect();
        format!("---\ncount: {count}\n---\n{lines}")
    };
    for acknowledged in 1..=12 {
        let bed = Bed::new(&[]);
        (0..3).for_each(|note| bed.put(&format!("count{note}.md"), &text(note, 0)));
        let mut child = spawn(&bed, "nowhere\nnothing", Job::Endless);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let wanted = format!("wrote {acknowledged}");
        assert!(lines.any(|line| line.unwrap().ends_with(&wanted)), "{wanted}");
        kill(child);
        // It may have continued between the report and the kill.
        let said = lines.map_while(Result::ok).filter_map(|line| line.rsplit_once("wrote ")?.1.parse().ok());
        let said = said.last().unwrap_or(acknowledged);

        let vault = bed.vault();
        assert_eq!(bed.leftovers(), Vec::<String>::new());
        assert_eq!(vault.problems().unwrap(), []);
        let now: Vec<_> = (0..3).map(|note| bed.text(&format!("count{note}.md"))).collect();
        let state = |last: u64| (0..3).map(|note| text(note, last)).collect::<Vec<_>>();
        assert!(now == state(said) || now == state(said + 1), "after {said}: {now:#?}");
        // Everything can still be undone.
        for set in vault.history().list().unwrap() {
            vault.history().undo(&set.id, Scope::All, &Author::new("user")).unwrap();
        }
        let now: Vec<_> = (0..3).map(|note| bed.text(&format!("count{note}.md"))).collect();
        assert_eq!(now, state(0), "after {said}");
    }
}

#[test]
fn killed_while_writing_in_place() {
    let _alone = one_at_a_time();
    let reference = Bed::linked(JANE);
    let before = notes(&reference.root());
    let mut options = reference.options();
    options.write_through = true;
    change(&Vault::open(options).unwrap(), write_through).unwrap();
    let after = notes(&reference.root());
    assert!(after["a.md"].len() < before["a.md"].len());
    let user = Author::new("user");
    for (step, note) in [
        (Step::Journal, "child"),
        (Step::SyncJournal, "child"),
        (Step::Recheck, "a.md"),
        (Step::Overwrite, "a.md"),
        (Step::Truncate, "a.md"),
        (Step::SyncNote, "a.md"),
        (Step::JournalDone, "a.md"),
        (Step::CreateTemp, "b.md"),
        (Step::JournalCommit, "child"),
    ] {
        for finish in [true, false] {
            let name = format!("{step:?} {note}, finish: {finish}");
            let bed = Bed::linked(JANE);
            kill(start(&bed, step, note, Job::Through).unwrap());
            let torn = bed.text("a.md");
            let is_torn = step == Step::Truncate;
            assert_eq!(torn != before["a.md"] && torn != after["a.md"], is_torn, "{name}");

            let mut options = bed.options();
            options.write_through = true;
            let vault = Vault::open(options).unwrap();
            let text = bed.text("a.md");
            assert!(text == before["a.md"] || text == after["a.md"], "{name}: {text}");
            assert_eq!(fs::read_to_string(bed.other()).unwrap(), text, "{name}");
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            let kept = files_below(&bed.history().with_file_name("conflicts"));
            let kept: Vec<_> = kept.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
            assert_eq!(kept, if is_torn { vec![torn] } else { vec![] }, "{name}");
            assert_eq!(vault.problems().unwrap().len(), kept.len(), "{name}");
            if step == Step::Journal {
                assert_eq!(state(&vault, "child"), None);
                continue;
            }
            assert_eq!(state(&vault, "child"), Some(ChangeSetState::Interrupted), "{name}");
            let expected = if finish {
                vault.history().finish("child", &user).unwrap();
                &after
            } else {
                let outcome = vault.history().undo("child", Scope::All, &user).unwrap();
                assert_eq!(outcome.conflicts, [], "{name}");
                &before
            };
            drop(vault);
            assert_eq!(notes(&bed.root()), *expected, "{name}");
            assert_eq!(fs::read_to_string(bed.other()).unwrap(), expected["a.md"], "{name}");
        }
    }
}

#[test]
fn killed_while_moving_to_the_systems_trash() {
    let _alone = one_at_a_time();
    for step in [Step::LastLook, Step::Trash] {
        let bed = bed();
        let trash = bed.dir.path().canonicalize().unwrap().join("Trash");
        kill(start(&bed, step, "b.md", Job::Plan).unwrap());
        assert!(!trash.join("files/b.md").exists(), "{step:?}");

        let mut options = bed.options();
        options.trash = Some(trash.clone());
        let vault = Vault::open(options).unwrap();
        assert_eq!(bed.leftovers(), Vec::<String>::new(), "{step:?}");
        let mut files = files_below(&trash);
        files.sort();
        assert_eq!(files, [trash.join("files/b.md"), trash.join("info/b.md.trashinfo")], "{step:?}");
        assert_eq!(fs::read_to_string(&files[0]).unwrap(), "b\n", "{step:?}");
        vault.history().undo("child", Scope::All, &Author::new("user")).unwrap();
        assert_eq!(bed.text("b.md"), "b\n", "{step:?}");
    }
}
