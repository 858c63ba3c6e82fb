//! Each change is reported once, with its author.

use std::fs;

use super::*;
use tokio::sync::broadcast::error::TryRecvError;

use crate::writing::feed::Feed;
use crate::writing::journal::Journal;
use crate::writing::watch::{Options, WatchState, would_be};
use crate::{By, VaultChange, VaultChangeKind};

fn reported(vault: &Vault, receiver: &mut tokio::sync::broadcast::Receiver<VaultChange>) -> Vec<VaultChange> {
    vault.flush_changes();
    std::iter::from_fn(|| receiver.try_recv().ok()).collect()
}

fn by_set(id: &str) -> By {
    By::ChangeSet { change_set: id.to_owned(), principal: "model".to_owned(), skill: Some("crm".to_owned()) }
}

#[test]
fn every_change_has_its_author() {
    let bed = Bed::new(&[("a.md", JANE), ("b.md", "b\n")]);
    let vault = bed.vault();
    let other = bed.vault();
    let mut receiver = vault.changes();
    let check = |changes: Vec<VaultChange>, expected: &[(VaultChangeKind, &str, By, &str)]| {
        let got: Vec<_> =
            changes.iter().map(|c| (c.kind, c.path.as_str(), c.by.clone(), c.summary.join("; "))).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(kind, path, by, summary)| (*kind, *path, by.clone(), (*summary).to_owned()))
            .collect();
        assert_eq!(got, expected);
    };
    let mut all = move || reported(&vault, &mut receiver);
    let vault = bed.vault();

    // By this process, by another process on the same folder, and by an editor.
    let (id, _) = change(&vault, |d| d.set_properties(&path("a.md"), &[set("stage", "won")])).unwrap();
    check(all(), &[(VaultChangeKind::Modified, "a.md", by_set(&id), "stage: lead → won")]);
    let (id, _) = change(&other, |d| d.create(&path("New/c.md"), "c\n".to_owned())).unwrap();
    check(all(), &[(VaultChangeKind::Created, "New/c.md", by_set(&id), "")]);
    bed.put_whole("a.md", JANE);
    check(all(), &[(VaultChangeKind::Modified, "a.md", By::Outside, "stage: won → lead")]);
    // A text that Nova wrote earlier, restored by hand, is an outside change.
    bed.put_whole("a.md", &JANE.replace("stage: lead", "stage: won"));
    check(all(), &[(VaultChangeKind::Modified, "a.md", By::Outside, "stage: lead → won")]);

    let (id, _) = change(&vault, |d| d.rename(&path("b.md"), &path("New/b.md"))).unwrap();
    let changes = all();
    check(changes.clone(), &[(VaultChangeKind::Renamed, "New/b.md", by_set(&id), "")]);
    assert_eq!(changes[0].from, Some(path("b.md")));
    let (id, _) = change(&vault, |d| d.delete(&path("New/b.md"))).unwrap();
    check(all(), &[(VaultChangeKind::Removed, "New/b.md", by_set(&id), "")]);
    fs::remove_file(bed.root().join("New/c.md")).unwrap();
    check(all(), &[(VaultChangeKind::Removed, "New/c.md", By::Outside, "")]);
}

#[test]
fn text_of_a_failed_write_is_the_users_when_it_reappears() {
    for fails_at in [crate::step::Step::Exchange, crate::step::Step::SyncFolder] {
        let bed = Bed::new(&[("a.md", JANE)]);
        let watcher = bed.vault();
        let mut receiver = watcher.changes();
        let vault = bed.hooked(move |step, _| match step == fails_at {
            true => Err(std::io::Error::other("no")),
            false => Ok(()),
        });
        change(&vault, |d| d.set_properties(&path("a.md"), &[set("stage", "won")])).unwrap_err();
        // The watcher may have seen the intermediate states, which are both Nova's.
        let told_of = told_now(&watcher, &mut receiver);
        assert!(told_of.iter().all(|(_, by)| *by == by_set("set0")), "{fails_at:?}: {told_of:?}");

        // The user edits the note, and undoes that in the editor.
        bed.put_whole("a.md", &JANE.replace("fair", "big fair"));
        assert_eq!(told_now(&watcher, &mut receiver), [(path("a.md"), By::Outside)], "{fails_at:?}");
        bed.put_whole("a.md", JANE);
        assert_eq!(told_now(&watcher, &mut receiver), [(path("a.md"), By::Outside)], "{fails_at:?}");
    }
}

#[test]
fn unreported_text_of_nova_is_the_users_when_it_reappears() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let vault = bed.vault();
    // Polls rarely, so that intermediate texts are missed.
    let feed = Feed::start_with(vault.core(), Options::limited(0, std::time::Duration::from_secs(3600)));
    let mut receiver = feed.subscribe();
    let mut reported = || {
        feed.flush();
        std::iter::from_fn(|| receiver.try_recv().ok()).map(|change| change.by).collect::<Vec<_>>()
    };
    let (first, _) = change(&vault, |d| d.set_properties(&path("a.md"), &[set("stage", "won")])).unwrap();
    let of_nova = bed.text("a.md");
    bed.put_whole("a.md", &of_nova.replace("fair", "big fair"));
    assert_eq!(reported(), [By::Outside]);
    bed.put_whole("a.md", &of_nova);
    assert_eq!(reported(), [By::Outside]);

    // A later write by Nova is Nova's.
    let (second, _) = change(&vault, |d| d.append(&path("a.md"), "more", None)).unwrap();
    assert_eq!(reported(), [by_set(&second)]);
    vault.history().undo(&second, crate::Scope::All, &Author::new("model")).unwrap();
    assert!(matches!(&reported()[..], [By::ChangeSet { change_set, .. }] if *change_set != first));
}

#[test]
fn reading_reports_nothing_and_undo_reports_its_own_set() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let vault = bed.vault();
    let (id, _) = change(&vault, |d| d.append(&path("a.md"), "more", None)).unwrap();
    let mut receiver = vault.changes();
    vault.notes().unwrap();
    vault.read(&path("a.md")).unwrap();
    vault.status().unwrap();
    assert_eq!(reported(&vault, &mut receiver), []);

    let outcome = vault.history().undo(&id, crate::Scope::All, &Author::new("user")).unwrap();
    let changes = reported(&vault, &mut receiver);
    assert_eq!(changes.len(), 1);
    assert_eq!(
        serde_json::to_value(&changes[0]).unwrap()["by"],
        serde_json::json!({"change_set": outcome.change_set, "principal": "user", "skill": null})
    );
    bed.put_whole("a.md", "x\n");
    let json = serde_json::to_value(&reported(&vault, &mut receiver)[0]).unwrap();
    assert_eq!(json["by"], "outside");
    assert_eq!(json["kind"], "modified");
}

#[test]
fn authors_are_correct_without_watches() {
    let bed = Bed::new(&[("A/a.md", JANE), ("B/b.md", "b\n"), ("C/c.md", "c\n")]);
    let vault = bed.vault();
    let options = Options::limited(2, std::time::Duration::from_millis(5));
    let feed = Feed::start_with(vault.core(), options);
    let WatchState::Polling { reason } = feed.state() else { panic!("{:?}", feed.state()) };
    assert!(reason.contains("no more watched folders") && reason.contains("fs.inotify.max_user_watches"));

    // Without a flush: polling must find it.
    let mut receiver = feed.subscribe();
    let (id, _) = change(&vault, |d| d.set_properties(&path("A/a.md"), &[set("stage", "won")])).unwrap();
    let reported = receiver.blocking_recv().unwrap();
    assert_eq!((reported.path, reported.by), (path("A/a.md"), by_set(&id)));
    bed.put("D/new.md", "new\n");
    let reported = receiver.blocking_recv().unwrap();
    assert_eq!(
        (reported.kind, reported.path, reported.by),
        (VaultChangeKind::Created, path("D/new.md"), By::Outside)
    );
}

#[test]
fn lagging_receiver_is_notified_and_the_vault_is_correct() {
    let bed = Bed::new(&[("a.md", "a\n")]);
    let vault = bed.vault();
    let mut receiver = vault.changes();
    for n in 0..10_000 {
        fs::write(bed.root().join(format!("{n}.md")), format!("note {n}\n")).unwrap();
    }
    // Nothing has been received so far.
    vault.flush_changes();
    assert!(matches!(receiver.try_recv(), Err(TryRecvError::Lagged(missed)) if missed >= 10_000 - 4096));
    let reported: Vec<_> = std::iter::from_fn(|| receiver.try_recv().ok()).collect();
    assert_eq!(reported.len(), 4096);
    assert!(reported.iter().all(|change| change.by == By::Outside));

    let notes: Vec<_> = vault.notes().unwrap().iter().map(|note| note.path.clone()).collect();
    let mut on_disk: Vec<_> = (0..10_000).map(|n| path(&format!("{n}.md"))).collect();
    on_disk.push(path("a.md"));
    on_disk.sort();
    assert_eq!(notes, on_disk);
    assert_eq!(&*vault.read(&path("9999.md")).unwrap().text, "note 9999\n");
    // Later changes are received again.
    let (id, _) = change(&vault, |d| d.append(&path("a.md"), "more", None)).unwrap();
    let changes = told_now(&vault, &mut receiver);
    assert_eq!(changes, [(path("a.md"), by_set(&id))]);
}

fn told_now(
    vault: &Vault,
    receiver: &mut tokio::sync::broadcast::Receiver<VaultChange>,
) -> Vec<(VaultPath, By)> {
    reported(vault, receiver).into_iter().map(|change| (change.path, change.by)).collect()
}

#[test]
fn conflicted_copy_is_a_problem_and_no_record() {
    let copy = "People/Jane.sync-conflict-20261121-101112-ABCDEFG.md";
    let bed = Bed::new(&[("People/Jane.md", JANE)]);
    let vault = bed.vault();
    let mut receiver = vault.changes();
    bed.put_whole(copy, &JANE.replace("lead", "lost"));

    let json = serde_json::to_value(&reported(&vault, &mut receiver)[0]).unwrap();
    assert_eq!((&json["path"], &json["sync_conflict"]), (&copy.into(), &true.into()));
    bed.put_whole("People/Jane.md", &JANE.replace("lead", "won"));
    let json = serde_json::to_value(&reported(&vault, &mut receiver)[0]).unwrap();
    assert_eq!(json.get("sync_conflict"), None);

    let records: Vec<_> = vault.records(&["contact"]).unwrap().into_iter().map(|note| note.path).collect();
    assert_eq!(records, [path("People/Jane.md")]);
    let problems = vault.problems().unwrap();
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].path.as_str(), problems[0].line), (copy, 1));
    assert!(problems[0].remedy.contains("keep one of the two"), "{:?}", problems[0]);
    let status = vault.status().unwrap();
    assert_eq!((status.notes, status.records["contact"], status.problems), (2, 1, 1));
    // It is readable, for comparison.
    assert!(vault.read(&path(copy)).unwrap().text.contains("stage: lost"));
}

#[test]
fn journal_read_incrementally_equals_one_read_at_once() {
    let bed = Bed::new(&[("a.md", JANE), ("b.md", "b\n")]);
    let vault = bed.vault();
    let (id, _) = change(&vault, |d| {
        d.set_properties(&path("a.md"), &[set("stage", "won")])?;
        d.create(&path("c.md"), "c\n".to_owned())?;
        d.rename(&path("b.md"), &path("New/b.md"))
    })
    .unwrap();
    vault.history().undo(&id, crate::writing::history::Scope::All, &model("undo")).unwrap();

    let reported = |journal: &Journal| -> Vec<String> {
        let sets = journal.sets().unwrap();
        sets.iter()
            .map(|set| {
                format!("{} {:?} {:?} {:?} {}", set.id, set.records, set.undoing, set.undid, set.committed)
            })
            .collect()
    };
    let elsewhere = tempfile::tempdir().unwrap();
    let at_once = reported(&Journal::new(bed.history(), &bed.root()));
    assert_eq!(at_once.len(), 2);
    for lines in journal_files(&bed).iter().filter(|file| file.extension().is_some_and(|e| e == "jsonl")) {
        let bytes = fs::read(lines).unwrap();
        let copy = elsewhere.path().join(lines.file_name().unwrap());
        for cut in 0..bytes.len() {
            let journal = Journal::new(elsewhere.path().to_owned(), &bed.root());
            fs::write(&copy, &bytes[..cut]).unwrap();
            journal.sets().unwrap();
            fs::write(&copy, &bytes).unwrap();
            assert_eq!(
                reported(&journal),
                reported(&Journal::new(elsewhere.path().to_owned(), &bed.root())),
                "{cut}"
            );
        }
    }
    assert_eq!(reported(&Journal::new(elsewhere.path().to_owned(), &bed.root())), at_once);
}

#[test]
fn change_is_attributed_without_reading_complete_sets() {
    let bed = Bed::new(&[("a.md", "a\n")]);
    let vault = bed.vault();
    for n in 0..20 {
        change(&vault, |d| d.append(&path("a.md"), &format!("{n}"), None)).unwrap();
    }
    drop(vault);
    // The next start sweeps them.
    drop(bed.vault());
    let journal = Journal::new(bed.history(), &bed.root());
    let (sets, looks) = work::of(|| journal.sets_with_new_records().unwrap().len());
    assert_eq!((sets, looks), (20, 20), "each is read once");
    assert_eq!(work::of(|| journal.sets_with_new_records().unwrap().len()), (20, 0));

    let vault = bed.vault();
    let (id, _) = change(&vault, |d| d.append(&path("a.md"), "new", None)).unwrap();
    let (sets, looks) = work::of(|| journal.sets_with_new_records().unwrap());
    assert_eq!((sets.len(), sets[20].id.as_str(), looks), (21, id.as_str(), 1));
    assert_eq!(work::of(|| journal.sets().unwrap().len()), (21, 21));
}

#[test]
fn status_reports_how_edits_are_detected_and_why_not_at_once() {
    let bed = Bed::new(&[("A/a.md", JANE), ("B/b.md", "b\n")]);
    let poll = std::time::Duration::from_secs(2);
    let noticed = |vault: &Vault| {
        let status = serde_json::to_value(vault.status().unwrap()).unwrap();
        (status["watching"].clone(), status["watching_reason"].as_str().unwrap_or_default().to_owned())
    };

    // Without a watcher the expected state is reported, and no watches remain.
    let vault = bed.vault();
    assert_eq!(noticed(&vault), ("notified".into(), String::new()));
    assert_eq!(vault.watching(), None);
    let WatchState::Polling { reason } = would_be(&vault.core().disk, &Options::limited(2, poll)) else {
        panic!("two folders of three may be watched");
    };
    assert!(reason.contains("fs.inotify.max_user_watches"), "{reason}");

    let network = Options::on_network(poll);
    let WatchState::Both { folders: 3, reason: elsewhere } = would_be(&vault.core().disk, &network) else {
        panic!("{:?}", would_be(&vault.core().disk, &network));
    };
    assert_eq!(elsewhere, "the vault is on NFS, where the system reports only edits made on this machine");
    vault.watch_with(network);
    assert_eq!(noticed(&vault), ("both".into(), elsewhere));

    vault.watch_with(Options::limited(3, poll));
    assert_eq!(noticed(&vault), ("notified".into(), String::new()));
    // One folder above the limit, while watching.
    bed.put("C/c.md", "c\n");
    vault.flush_changes();
    assert_eq!(noticed(&vault), ("polling".into(), reason));
    fs::remove_dir_all(bed.root()).unwrap();
    vault.flush_changes();
    let Some(WatchState::Failed { .. }) = vault.watching() else { panic!("{:?}", vault.watching()) };
}
