//! Many new notes at once, each as safe as a single one.

use std::fs;
use std::io;

use super::*;
use crate::step::Step;
use crate::{NewNote, Scope};

/// A hundred notes in three folders, two of them new.
pub(super) fn hundred(draft: &mut Draft) -> Result<(), VaultError> {
    let note = |n: usize| NewNote {
        folder: ["Old", "New/A", "New/B"][n % 3].to_owned(),
        name: format!("Note {}", n % 50),
        text: format!("{n}\n"),
    };
    draft.create_all((0..100).map(note).collect())?;
    Ok(())
}

pub(super) fn bed() -> Bed {
    Bed::new(&[("Old/note 3.md", "old\n"), ("a.md", "a\n")])
}

fn files(bed: &Bed) -> Vec<PathBuf> {
    files_below(&bed.root())
}

#[test]
fn each_note_is_created_under_a_free_name() {
    let bed = bed();
    let vault = bed.vault();
    let mut draft = vault.draft();
    let notes = ["Note 3", "Note 3", "A/B", "note 3"].map(|name| NewNote {
        folder: "Old".into(),
        name: name.into(),
        text: "x\n".into(),
    });
    let paths = draft.create_all(notes.into()).unwrap();
    let paths: Vec<&str> = paths.iter().map(VaultPath::as_str).collect();
    assert_eq!(paths, ["Old/Note 3 2.md", "Old/Note 3 3.md", "Old/A-B.md", "Old/note 3 4.md"]);
}

#[test]
fn all_notes_are_created_and_undone_together() {
    let bed = bed();
    let before = files(&bed);
    let vault = bed.vault();
    let (set, applied) = change(&vault, hundred).unwrap();
    assert_eq!(applied.changes.len(), 100);
    assert_eq!(files(&bed).len(), before.len() + 100);
    assert_eq!(fs::read_to_string(bed.root().join("New/A/Note 1.md")).unwrap(), "1\n");
    assert_eq!(fs::read_to_string(bed.root().join("Old/Note 3 2.md")).unwrap(), "3\n");

    let author = Author { principal: "user".into(), skill: None, call: None };
    vault.history().undo(&set, Scope::All, &author).unwrap();
    let left: Vec<_> =
        files(&bed).into_iter().filter(|file| !file.to_string_lossy().contains(".nova-")).collect();
    assert_eq!(left, before);
}

#[test]
fn one_failure_leaves_none() {
    for (step, note) in [
        (Step::CreateTemp, "New/B/Note 20.md"),
        (Step::WriteTemp, "New/B/Note 20.md"),
        (Step::SyncTemp, "Old/Note 0.md"),
        (Step::Exchange, "New/B/Note 20.md"),
        (Step::JournalDone, "New/B/Note 20.md"),
        (Step::SyncFolder, "Old/Note 0.md"),
    ] {
        let bed = bed();
        let before = files(&bed);
        let failed = std::sync::atomic::AtomicBool::new(false);
        let vault = bed.hooked(move |at, what| {
            if at == step && what == note && !failed.swap(true, Ordering::SeqCst) {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            Ok(())
        });
        change(&vault, hundred).expect_err(&format!("{step:?} fails"));
        drop(vault);
        let left: Vec<_> =
            files(&bed).into_iter().filter(|file| !file.to_string_lossy().contains(".nova-")).collect();
        assert_eq!(left, before, "{step:?}");
    }
}

#[test]
fn note_created_concurrently_stays_and_fails_all() {
    let bed = bed();
    let root = bed.root();
    let vault = bed.hooked(move |at, what| {
        if at == Step::SyncTemp && what == "Old/Note 0.md" {
            fs::write(root.join("New/A/Note 40.md"), "theirs\n")?;
        }
        Ok(())
    });
    let error = change(&vault, hundred).expect_err("a conflict");
    assert!(matches!(error, VaultError::Conflict { .. }), "{error}");
    assert_eq!(fs::read_to_string(bed.root().join("New/A/Note 40.md")).unwrap(), "theirs\n");
    let made = files(&bed).into_iter().filter(|file| !file.to_string_lossy().contains(".nova-"));
    assert_eq!(made.count(), 3, "the two of the bed, and theirs");
}
