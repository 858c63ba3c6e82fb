//! A step fails: either the whole draft is on disk, or nothing of it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::step::Step;

const STEPS: [Step; 15] = [
    Step::ReadCurrent,
    Step::Journal,
    Step::SyncJournal,
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
];

const NOTES: [(&str, &str); 4] = [("a.md", JANE), ("b.md", "b\n"), ("c.md", "c\n"), ("d.md", "d\n")];

fn bed() -> Bed {
    Bed::in_memory(&NOTES)
}

fn tree(bed: &Bed) -> BTreeMap<PathBuf, String> {
    files_below(&bed.root())
        .into_iter()
        .map(|file| {
            let text = fs::read_to_string(&file).unwrap();
            (file, text)
        })
        .collect()
}

/// One of each kind: modified, created in a new folder, deleted, moved and modified.
fn plan(draft: &mut Draft) -> Result<(), VaultError> {
    draft.set_properties(&path("a.md"), &[set("stage", "won")])?;
    draft.create(&path("New/e.md"), "e\n".to_owned())?;
    draft.delete(&path("b.md"))?;
    draft.rename(&path("c.md"), &path("New/c.md"))?;
    draft.replace(&path("New/c.md"), "c", "changed", None)?;
    draft.append(&path("d.md"), "more", None)
}

#[test]
fn all_or_nothing_at_every_step() {
    all_or_nothing(System::All);
}

#[test]
fn all_or_nothing_at_every_step_without_exchange() {
    all_or_nothing(System::NoExchange);
}

#[test]
fn all_or_nothing_at_every_step_without_no_replace_rename() {
    all_or_nothing(System::NoReplacing);
}

fn all_or_nothing(system: System) {
    let reference = bed();
    let before: BTreeMap<_, _> = tree(&reference).into_values().enumerate().collect();
    change(&reference.vault(), plan).unwrap();
    let after: BTreeMap<_, _> = tree(&reference).into_values().enumerate().collect();
    assert_ne!(before, after);

    let (mut reached, mut of_notes) = (0, 0);
    for kind in [io::ErrorKind::StorageFull, io::ErrorKind::Other] {
        for step in STEPS {
            for note in ["a.md", "New/e.md", "b.md", "c.md", "New/c.md", "d.md", "set0"] {
                let bed = bed();
                let failed = Arc::new(AtomicBool::new(false));
                let fail = Arc::clone(&failed);
                let vault = bed.hooked(move |at, what| {
                    if at == step && what == note && !fail.swap(true, Ordering::SeqCst) {
                        return Err(io::Error::from(kind));
                    }
                    Ok(())
                });
                let vault = system.under(vault);
                let result = change(&vault, plan);
                drop(vault);
                let name = format!("{system:?} {kind:?} {step:?} {note}");
                // The next start handles what a failed last check left.
                let vault = bed.vault();
                let now: BTreeMap<_, _> = tree(&bed).into_values().enumerate().collect();
                let wrote = match &result {
                    Ok(_) => true,
                    // All writes succeeded; only the end of the set was not recorded.
                    Err(_) if step == Step::JournalCommit => true,
                    Err(error) => {
                        assert_eq!(error.code().as_str(), "io", "{name}");
                        // An error must not name a note that is hidden from the reader.
                        let (message, named) = (error.message(), error.path());
                        assert_eq!(message.contains(".md"), named.is_some(), "{name}: {message}");
                        assert!(
                            named.is_none_or(|path| message.contains(path.as_str())),
                            "{name}: {message}"
                        );
                        of_notes += usize::from(named.is_some());
                        assert_eq!(
                            error.hint().contains("Free some space"),
                            kind == io::ErrorKind::StorageFull,
                            "{name}: {error}"
                        );
                        false
                    }
                };
                assert_eq!(now, if wrote { after.clone() } else { before.clone() }, "{name}");
                assert_eq!(bed.exists("New"), wrote, "{name}");
                assert_eq!(vault.history().list().unwrap().len(), usize::from(wrote), "{name}");
                reached += usize::from(failed.load(Ordering::SeqCst));
                assert!(wrote || failed.load(Ordering::SeqCst), "{name}: failed without a fault: {result:?}");
            }
        }
    }
    // Every step is reached by at least one note, most by several.
    assert!(reached > 2 * STEPS.len() * 2, "{reached}");
    assert!(0 < of_notes && of_notes < reached, "{of_notes} of {reached}");
}

#[test]
fn set_continues_after_a_failed_call() {
    let bed = bed();
    let full = Arc::new(AtomicBool::new(true));
    let is_full = Arc::clone(&full);
    let vault = bed.hooked(move |at, _| {
        if at == Step::WriteTemp && is_full.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    });
    let changes = vault.change_set(ChangeSetKind::Turn, "turn".to_owned());
    let mut draft = vault.draft();
    plan(&mut draft).unwrap();
    changes.apply(draft, &model("call_1")).unwrap_err();
    full.store(false, Ordering::SeqCst);
    let mut draft = vault.draft();
    plan(&mut draft).unwrap();
    changes.apply(draft, &model("call_2")).unwrap();
    changes.close().unwrap();

    let sets = vault.history().list().unwrap();
    assert_eq!(sets.len(), 1);
    assert!(sets[0].notes.iter().all(|n| n.call.as_deref() == Some("call_2")));
    assert_eq!(sets[0].notes.len(), 5);
}

#[test]
fn unchecked_displaced_note_is_left_to_the_next_start() {
    // Two failures at once: the next start handles the remaining file.
    let bed = bed();
    let vault = bed.hooked(|at, _| match at {
        Step::HashDisplaced | Step::SwapBack => Err(io::Error::other("broken disk")),
        _ => Ok(()),
    });
    change(&vault, |d| d.set_properties(&path("a.md"), &[set("stage", "won")])).unwrap_err();
    drop(vault);
    assert_eq!(bed.leftovers().len(), 1);
    let vault = bed.vault();
    assert_eq!(bed.leftovers(), Vec::<String>::new());
    assert_eq!(bed.text("a.md"), JANE.replace("stage: lead", "stage: won"));
    assert_eq!(vault.problems().unwrap(), []);
    // Reported as failed but written: the history lists it, and it can be undone.
    let sets = vault.history().list().unwrap();
    assert!(sets.len() == 1 && sets[0].notes[0].uncertain, "{sets:?}");
    vault.history().undo(&sets[0].id, crate::Scope::All, &Author::new("user")).unwrap();
    assert_eq!(bed.text("a.md"), JANE);
}

#[test]
fn failed_write_that_cannot_be_reverted_is_in_the_history() {
    // Two steps fail, for any first step: the note is unchanged, or the history lists its change.
    for system in System::EACH {
        for first in STEPS {
            for second in [Step::SwapBack, Step::CreateTemp, Step::Unname, Step::DropName, Step::SyncFolder] {
                let bed = bed();
                let broken = AtomicBool::new(false);
                let vault = system.under(bed.hooked(move |step, _| {
                    if !broken.load(Ordering::SeqCst) && step == first {
                        broken.store(true, Ordering::SeqCst);
                        return Err(io::Error::other("broken disk"));
                    }
                    match broken.load(Ordering::SeqCst) && step == second {
                        true => Err(io::Error::other("broken disk")),
                        false => Ok(()),
                    }
                }));
                let before = tree(&bed);
                let result = change(&vault, plan);
                drop(vault);
                let vault = bed.vault();
                let now = tree(&bed);
                let listed = !vault.history().list().unwrap().is_empty();
                let name = format!("{system:?} {first:?} {second:?}: {result:?}");
                assert!(listed || now == before, "{name}: {now:?}");
                if listed {
                    let id = vault.history().list().unwrap()[0].id.clone();
                    let undone = vault.history().undo(&id, crate::Scope::All, &Author::new("user")).unwrap();
                    assert_eq!(undone.conflicts, [], "{name}");
                    let now: Vec<_> = NOTES.iter().map(|(note, _)| bed.text(note)).collect();
                    assert_eq!(now, NOTES.map(|(_, text)| text), "{name}");
                }
            }
        }
    }
}

#[test]
fn set_without_space_for_its_journal_begins_once_there_is_space() {
    let Some(disk) = Mounted::new("256k") else { return };
    let bed = Bed::in_memory(&NOTES);
    let mut options = bed.options();
    options.history = disk.0.path().join("history");
    let vault = Vault::open(options).unwrap();
    // Creates the files shared by all journals.
    change(&vault, |d| d.append(&path("b.md"), "first", None)).unwrap();
    let apply = |changes: &crate::ChangeSet| {
        let mut draft = vault.draft();
        draft.append(&path("c.md"), "more", None).unwrap();
        changes.apply(draft, &model("call_1"))
    };
    let turn = vault.change_set(ChangeSetKind::Turn, "a turn".to_owned());
    fill(disk.0.path(), 0);
    let error = apply(&turn).unwrap_err();
    assert!(error.hint().contains("Free some space"), "{error}");
    fs::remove_file(disk.0.path().join("filler")).unwrap();

    apply(&turn).unwrap();
    turn.close().unwrap();
    assert_eq!((bed.text("c.md"), vault.history().list().unwrap().len()), ("c\nmore\n".to_owned(), 2));
}

/// A small file system of its own; `None`, with a message, if this user may not mount.
struct Mounted(tempfile::TempDir, #[expect(dead_code, reason = "held")] MutexGuard<'static, ()>);

impl Mounted {
    fn new(size: &str) -> Option<Mounted> {
        let mounted = Mounted(tempfile::tempdir().unwrap(), one_at_a_time());
        if mounted.mount(&["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]) {
            return Some(mounted);
        }
        eprintln!("not tested: mounting a file system is refused here");
        None
    }

    fn mount(&self, options: &[&str]) -> bool {
        let mut mount = std::process::Command::new("mount");
        let done = mount.args(options).arg(self.0.path()).stderr(std::process::Stdio::null()).status();
        done.is_ok_and(|status| status.success())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        std::process::Command::new("umount").arg(self.0.path()).status().ok();
    }
}

/// Fills the disk, except for this many bytes.
fn fill(folder: &std::path::Path, but: u64) {
    use std::io::Write;
    let mut file = fs::File::create(folder.join("filler")).unwrap();
    while file.write_all(&[0; 1024]).is_ok() {}
    let full = file.metadata().unwrap().len();
    file.set_len(full.saturating_sub(but)).unwrap();
}

#[test]
fn full_disk_harms_nothing() {
    let reference = bed();
    let before: Vec<_> = tree(&reference).into_values().collect();
    change(&reference.vault(), plan).unwrap();
    let after: Vec<_> = tree(&reference).into_values().collect();
    let (mut refused, mut wrote) = (0, 0);
    for journal_too in [true, false] {
        for but in (0..=14).map(|pages| pages * 4096) {
            let Some(disk) = Mounted::new("256k") else { return };
            let bed = Bed::in_folder(disk.0.path(), &NOTES);
            let elsewhere = tempfile::tempdir().unwrap();
            let options = || {
                let mut options = bed.options();
                if !journal_too {
                    options.history = elsewhere.path().join("history");
                }
                options
            };
            let vault = Vault::open(options()).unwrap();
            fill(disk.0.path(), but);
            let result = change(&vault, plan);
            drop(vault);
            fs::remove_file(disk.0.path().join("filler")).unwrap();
            let name = format!("{but} bytes left, journal there: {journal_too}: {result:?}");

            let vault = Vault::open(options()).unwrap();
            let now: Vec<_> = tree(&bed).into_values().collect();
            let sets = vault.history().list().unwrap();
            match &result {
                Ok(_) => {
                    assert_eq!(now, after, "{name}");
                    wrote += 1;
                }
                // All is written; only the end of the set was not recorded.
                Err(_) if now == after => assert_eq!(sets.len(), 1, "{name}"),
                Err(error) => {
                    assert_eq!(now, before, "{name}");
                    assert!(error.hint().contains("Free some space"), "{name}");
                    assert_eq!(sets, [], "{name}");
                    refused += 1;
                    change(&vault, plan).unwrap();
                    drop(vault);
                    assert_eq!(
                        tree(&bed).into_values().collect::<Vec<_>>(),
                        after,
                        "{name}: with space again"
                    );
                }
            }
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
        }
    }
    assert!(refused > 4 && wrote > 4, "{refused} refused, {wrote} written");
}

#[test]
fn disk_that_became_read_only_harms_nothing() {
    let Some(disk) = Mounted::new("1m") else { return };
    let bed = Bed::in_folder(disk.0.path(), &[("a.md", JANE)]);
    let elsewhere = tempfile::tempdir().unwrap();
    let mut options = bed.options();
    options.history = elsewhere.path().join("history");
    let vault = Vault::open(options).unwrap();
    assert!(disk.mount(&["-o", "remount,ro"]));

    let win = |draft: &mut Draft| draft.set_properties(&path("a.md"), &[set("stage", "won")]);
    let error = change(&vault, win).unwrap_err();
    assert_eq!(error.code().as_str(), "io");
    assert!(error.hint().contains("the right to write"), "{error}");
    assert_eq!(&*vault.read(&path("a.md")).unwrap().text, JANE);
    assert_eq!(vault.history().list().unwrap(), []);

    assert!(disk.mount(&["-o", "remount,rw"]));
    change(&vault, win).unwrap();
    assert_eq!(bed.text("a.md"), JANE.replace("stage: lead", "stage: won"));
}

#[test]
fn disk_that_fills_up_midway_leaves_nothing_half_done() {
    let Some(disk) = Mounted::new("4m") else { return };
    let bed = Bed::in_folder(disk.0.path(), &[]);
    let note = |n: usize| format!("n{n:03}.md");
    (0..200).for_each(|n| bed.put(&note(n), &format!("note {n}\n")));
    let before = tree(&bed);
    let folder = disk.0.path().to_owned();
    let vault = bed.hooked(move |step, what| {
        if step == Step::CreateTemp && what == "n100.md" {
            fill(&folder, 0);
        }
        Ok(())
    });
    let error = change(&vault, |draft| {
        (0..200).try_for_each(|n| draft.replace(&path(&note(n)), "note", "another", None))
    })
    .unwrap_err();
    assert!(error.hint().contains("Free some space"), "{error}");
    drop(vault);
    fs::remove_file(disk.0.path().join("filler")).unwrap();

    let vault = bed.vault();
    assert_eq!(tree(&bed), before);
    assert_eq!(bed.leftovers(), Vec::<String>::new());
    // The journal has reserved space to record this for each note, even on a full disk.
    assert_eq!(vault.history().list().unwrap(), []);
}

#[test]
fn set_interrupted_by_a_panic_is_listed_as_interrupted() {
    let bed = Bed::new(&[("a.md", JANE), ("b.md", "b\n")]);
    let vault = bed.hooked(|step, note| match (step, note) {
        (Step::Exchange, "b.md") => panic!("a panic in Nova"),
        _ => Ok(()),
    });
    let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        change(&vault, |d| {
            d.set_properties(&path("a.md"), &[set("stage", "won")])?;
            d.append(&path("b.md"), "more", None)
        })
    }));
    assert!(broken.is_err());
    drop(vault);
    let vault = bed.vault();
    let [interrupted] = &vault.history().list().unwrap()[..] else { panic!() };
    assert_eq!(interrupted.state, crate::ChangeSetState::Interrupted);
    vault.history().undo(&interrupted.id, crate::Scope::All, &Author::new("user")).unwrap();
    assert_eq!((bed.text("a.md").as_str(), bed.text("b.md").as_str()), (JANE, "b\n"));
}

/// Moves a note out of `Home`; at `step` of the note `at` the user renames that folder, and the step fails.
/// Returns the visible notes after that.
fn notes_after_failed_move(at: (Step, &'static str), home: &'static str) -> Vec<String> {
    let bed = Bed::in_memory(&[("Home/n.md", "n\n"), ("Home/o.md", "o\n"), ("d.md", "d\n")]);
    let root = bed.root();
    let vault = bed.hooked(move |step, note| {
        if (step, note) != at || !root.join("Home").exists() {
            return Ok(());
        }
        let renamed = root.join(home);
        fs::create_dir_all(renamed.parent().unwrap()).unwrap();
        fs::rename(root.join("Home"), renamed).unwrap();
        Err(io::Error::other("broken disk"))
    });
    let moved = change(&vault, |draft| {
        draft.rename(&path("Home/n.md"), &path("Done/n.md"))?;
        draft.append(&path("d.md"), "more", None)
    });
    moved.unwrap_err();
    drop(vault);
    bed.vault().notes().unwrap().iter().map(|note| note.path.to_string()).collect()
}

#[test]
fn failed_set_returns_moved_note_to_its_renamed_folder() {
    let notes = notes_after_failed_move((Step::WriteTemp, "d.md"), "Archive/Home");
    assert_eq!(notes, ["Archive/Home/n.md", "Archive/Home/o.md", "d.md"]);
}

#[test]
fn failed_move_returns_note_to_its_renamed_folder() {
    let notes = notes_after_failed_move((Step::SyncFolder, "Done/n.md"), "Archive/Home");
    assert_eq!(notes, ["Archive/Home/n.md", "Archive/Home/o.md", "d.md"]);
}

#[test]
fn failed_move_does_not_follow_its_folder_to_the_trash() {
    for failing in [(Step::SyncFolder, "Done/n.md"), (Step::WriteTemp, "d.md")] {
        assert_eq!(notes_after_failed_move(failing, ".trash/Home"), ["Home/n.md", "d.md"], "{failing:?}");
    }
}
