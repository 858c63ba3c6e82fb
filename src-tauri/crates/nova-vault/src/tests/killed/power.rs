//! The journal after a power cut, and damaged journals.

use super::*;

type Lose = fn(&Path);

/// Effects of a power cut on a file that was not synced.
const LOSSES: [(&str, Lose); 4] = [
    ("gone", |file| fs::remove_file(file).unwrap()),
    ("empty", |file| fs::write(file, "").unwrap()),
    ("half", |file| {
        let half = fs::metadata(file).unwrap().len() / 2;
        fs::OpenOptions::new().write(true).open(file).unwrap().set_len(half).unwrap();
    }),
    ("zeros", |file| fs::write(file, vec![0; fs::read(file).unwrap().len()]).unwrap()),
];

#[test]
fn set_can_be_finished_or_undone_after_a_power_cut() {
    let _alone = one_at_a_time();
    let reference = bed();
    let before = notes(&reference.root());
    change(&reference.vault(), one).unwrap();
    let after = notes(&reference.root());
    for (loss, lose) in LOSSES {
        for lost in [&["child.images"][..], &["child.jsonl"], &["child.jsonl", "child.images"]] {
            for finish in [true, false] {
                let name = format!("{lost:?} {loss}, finish: {finish}");
                let bed = bed();
                kill(start(&bed, Step::HashDisplaced, "a.md", Job::One).unwrap());
                lost.iter().for_each(|file| lose(&bed.history().join(file)));
                let vault = bed.vault();
                assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
                assert_eq!(state(&vault, "child"), Some(ChangeSetState::Interrupted), "{name}");
                let user = Author::new("user");
                let expected = if finish {
                    vault.history().finish("child", &user).unwrap();
                    &after
                } else {
                    vault.history().undo("child", Scope::All, &user).unwrap();
                    &before
                };
                drop(vault);
                assert_eq!(notes(&bed.root()), *expected, "{name}");
            }
        }
    }
}

#[test]
fn truncated_or_damaged_log_restores_all_of_a_set_or_nothing() {
    let _alone = one_at_a_time();
    let bed = bed();
    kill(start(&bed, Step::Exchange, "a.md", Job::One).unwrap());
    let padded = fs::read(bed.log()).unwrap();
    let end = padded.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    let whole = padded[..end].to_owned();
    assert!(end < padded.len(), "the file is longer than its content");
    let files = ["child.jsonl", "child.images"].map(|file| bed.history().join(file));
    let mut damaged: Vec<Vec<u8>> = (0..whole.len()).step_by(31).map(|cut| whole[..cut].to_owned()).collect();
    damaged.extend((0..whole.len()).step_by(53).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    }));
    assert!(damaged.len() > 20);
    for bytes in damaged {
        files.iter().for_each(|file| drop(fs::remove_file(file)));
        fs::write(bed.log(), bytes).unwrap();
        assert_eq!(state(&bed.vault(), "child"), None);
        assert_eq!(files.iter().filter(|file| file.exists()).count(), 0);
        assert_eq!(fs::metadata(bed.log()).unwrap().len(), 0, "unreadable entries do not block");
    }
    for log in [whole, padded] {
        files.iter().for_each(|file| drop(fs::remove_file(file)));
        fs::write(bed.log(), log).unwrap();
        assert_eq!(state(&bed.vault(), "child"), Some(ChangeSetState::Interrupted));
    }
}

#[test]
fn log_of_a_running_process_is_not_used_by_others() {
    let _alone = one_at_a_time();
    let bed = bed();
    let child = start(&bed, Step::Exchange, "a.md", Job::One).unwrap();
    let whole = fs::read(bed.log()).unwrap();
    let vault = bed.vault();
    // Another writing process uses another log.
    change(&vault, |draft| draft.append(&path("b.md"), "more", None)).unwrap();
    assert!(fs::metadata(bed.history().join(".ahead-1")).unwrap().len() > 0);
    vault.history().prune(crate::Limits { days: 0, bytes: 0, at_least: 0 }).unwrap();
    assert_eq!(fs::read(bed.log()).unwrap(), whole);
    kill(child);
}

#[test]
fn pruned_set_does_not_come_back() {
    let _alone = one_at_a_time();
    let bed = bed();
    change(&bed.vault(), |draft| draft.append(&path("b.md"), "a secret", None)).unwrap();
    let vault = bed.vault();
    change(&vault, |draft| draft.replace(&path("b.md"), "a secret", "nothing", None)).unwrap();
    drop(vault);
    let vault = bed.vault();
    let is_kept = || {
        let mut files = files_below(bed.history().parent().unwrap()).into_iter();
        files.any(|file| String::from_utf8_lossy(&fs::read(file).unwrap()).contains("a secret"))
    };
    assert!(is_kept());
    let forgotten = vault.history().prune(crate::Limits { days: 0, bytes: 0, at_least: 0 }).unwrap();
    assert_eq!(forgotten.len(), 2);
    assert!(!is_kept());
    drop(vault);
    assert_eq!(bed.vault().history().list().unwrap(), []);
}

#[test]
fn many_small_edits_leave_a_short_log_and_whole_sets() {
    let bed = bed();
    let vault = bed.vault();
    let long = "x".repeat(60_000);
    for n in 0..12 {
        change(&vault, |draft| draft.set_text(&path("b.md"), format!("{n}{long}\n"))).unwrap();
        let long = fs::metadata(bed.log()).unwrap().len();
        assert!(0 < long && long <= 512 * 1024, "{n}: {long}");
    }
    drop(vault);
    bed.without_log();
    let vault = bed.vault();
    for set in vault.history().list().unwrap() {
        vault.history().undo(&set.id, Scope::All, &Author::new("user")).unwrap();
    }
    assert_eq!(bed.text("b.md"), "b\n");
}

#[test]
fn intent_lost_in_a_power_cut_was_never_begun() {
    let _alone = one_at_a_time();
    for lost in [0, 10] {
        let bed = bed();
        let before = notes(&bed.root());
        kill(start(&bed, Step::SyncTemp, "a.md", Job::One).unwrap());
        // The lines reached the disk, but the texts they refer to only in part.
        let images = fs::OpenOptions::new().write(true).open(bed.history().join("child.images")).unwrap();
        images.set_len(lost).unwrap();
        let vault = bed.vault();
        assert_eq!(bed.leftovers(), Vec::<String>::new());
        assert_eq!(notes(&bed.root()), before);
        assert_eq!(state(&vault, "child"), None);
    }
}

#[test]
fn temporary_file_that_outlived_its_journal_is_swept() {
    let _alone = one_at_a_time();
    for (step, lines_left) in [
        (Step::WriteTemp, None),
        (Step::SyncTemp, None),
        (Step::SyncTemp, Some(0)),
        (Step::SyncTemp, Some(1)),
    ] {
        let bed = bed();
        let before = notes(&bed.root());
        kill(start(&bed, step, "a.md", Job::One).unwrap());
        assert_eq!(bed.leftovers().len(), 1, "{step:?}");
        let lines = bed.history().join("child.jsonl");
        let text = fs::read_to_string(&lines).unwrap();
        match lines_left {
            None => fs::remove_file(&lines).unwrap(),
            Some(left) => {
                let left: String = text.split_inclusive('\n').take(left).collect();
                fs::write(&lines, left).unwrap();
            }
        }
        fs::remove_file(bed.history().join("child.images")).unwrap();
        drop(bed.vault());
        assert_eq!(notes(&bed.root()), before, "{step:?} {lines_left:?}");
    }
}

#[test]
fn temporary_file_torn_by_a_power_cut_is_no_edit() {
    let _alone = one_at_a_time();
    let after = JANE.replace("lead", "won");
    let whole_journal = JANE.len() + after.len();
    for (tear, torn) in [
        ("empty", String::new()),
        ("half", after[..40].to_owned()),
        ("zeros", "\0".repeat(after.len())),
        ("a block of zeros", after.replace("Jane", "\0\0\0\0")),
        ("zeros at the end", after[..40].to_owned() + &"\0".repeat(after.len() - 40)),
    ] {
        // All texts of the journal, all but a part of the new one, only the old one, none.
        for left in [whole_journal, whole_journal - 10, JANE.len(), 0] {
            let name = format!("{tear}, {left} bytes of the texts");
            let bed = bed();
            let before = notes(&bed.root());
            kill(start(&bed, Step::SyncTemp, "a.md", Job::One).unwrap());
            let images = fs::OpenOptions::new().write(true).open(bed.history().join("child.images")).unwrap();
            assert_eq!(images.metadata().unwrap().len(), whole_journal as u64);
            images.set_len(left as u64).unwrap();
            bed.put(&bed.leftovers()[0], &torn);

            let vault = bed.vault();
            assert_eq!(notes(&bed.root()), before, "{name}");
            assert_eq!(vault.problems().unwrap(), [], "{name}");
            let is_begun = left == whole_journal;
            let expected = is_begun.then_some(ChangeSetState::Interrupted);
            assert_eq!(state(&vault, "child"), expected, "{name}");
            // A set that was never begun is pruned like any other.
            let forgotten = vault.history().prune(crate::Limits { days: 0, bytes: 0, at_least: 0 }).unwrap();
            assert_eq!(forgotten.len(), usize::from(!is_begun), "{name}");
        }
    }
}

#[cfg(unix)]
#[test]
fn folders_created_by_the_first_write_are_durable() {
    let bed = bed();
    let data = bed.history().parent().unwrap().to_owned();
    assert!(!data.exists());
    let write = || drop(change(&bed.vault(), one).unwrap());
    let synced = synced::by(write);
    for parent in [data.parent().unwrap(), &data] {
        assert!(synced.iter().any(|folder| folder == parent), "{}: {synced:?}", parent.display());
    }
    // Only once.
    assert!(!synced::by(|| drop(change(&bed.vault(), plan).unwrap())).contains(&data));
}

#[test]
fn texts_damaged_later_do_not_revert_completed_writes() {
    let _alone = one_at_a_time();
    let bed = bed();
    kill(start(&bed, Step::SyncFolder, "a.md", Job::One).unwrap());
    fs::write(bed.history().join("child.images"), "").unwrap();
    bed.without_log();
    let vault = bed.vault();
    assert_eq!(state(&vault, "child"), Some(ChangeSetState::Interrupted));
    assert_eq!(vault.history().list().unwrap()[0].notes.len(), 1);
    // Undoing needs the damaged text; that the write is done shows without it.
    let user = Author::new("user");
    assert!(vault.history().undo("child", Scope::All, &user).unwrap_err().to_string().contains("damaged"));
    vault.history().finish("child", &user).unwrap();
    assert_eq!(state(&vault, "child"), Some(ChangeSetState::Committed));
    assert_eq!(bed.text("a.md"), JANE.replace("lead", "won"));
}

#[test]
fn journal_truncated_anywhere_is_still_readable() {
    let bed = bed();
    change(&bed.vault(), plan).unwrap();
    bed.without_log();
    let lines = bed.history().join("set0.jsonl");
    let whole = fs::read(&lines).unwrap();
    let mut notes = 0;
    for cut in 0..whole.len() {
        fs::write(&lines, &whole[..cut]).unwrap();
        let sets = bed.vault().history().list().unwrap();
        let now = sets.first().map_or(0, |set| set.notes.len());
        assert!(now >= notes, "{cut}");
        notes = now;
    }
    assert_eq!(notes, 5);
}

#[test]
fn damaged_image_is_reported_and_harms_nothing() {
    let bed = bed();
    let (id, _) = change(&bed.vault(), plan).unwrap();
    bed.without_log();
    let images = bed.history().join(format!("{id}.images"));
    let mut bytes = fs::read(&images).unwrap();
    bytes[10] ^= 1;
    fs::write(&images, bytes).unwrap();
    let before = notes(&bed.root());
    let error = bed.vault().history().undo(&id, Scope::All, &Author::new("user")).unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
    assert_eq!(notes(&bed.root()), before);
}
