//! Edits through a handle that was opened before Nova replaced the note: they reach the displaced file, and
//! are restored from there.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::Mutex;

use super::interleaving::NOTE;
use super::*;
use crate::By;
use crate::step::Step;

#[test]
fn writes_after_the_last_check_are_found_at_the_next_start() {
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let mut editor = OpenOptions::new().append(true).open(bed.root().join("Jane.md")).unwrap();
    change(&bed.vault(), |d| d.set_properties(&path("Jane.md"), &[set("stage", "won")])).unwrap();
    let written = NOTE.replace("stage: lead", "stage: won");
    assert_eq!((bed.text("Jane.md"), bed.leftovers()), (written.clone(), Vec::new()));

    editor.write_all(b"- an hour later\n").unwrap();
    drop(bed.vault());
    assert_eq!(bed.text("Jane.md"), format!("{written}- an hour later\n"));

    // Its base is in no image of the set, so it becomes a copy.
    editor.write_all(b"- a day later\n").unwrap();
    drop(bed.vault());
    assert_eq!(bed.text("Jane.md"), format!("{written}- an hour later\n"));
    let kept: Vec<_> = bed.copies().iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    assert_eq!(kept, [format!("{NOTE}- an hour later\n- a day later\n")]);
    assert_eq!(bed.vault().problems().unwrap().len(), 1);
}

#[test]
fn late_edit_is_reported_as_the_users_own() {
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let handle = OpenOptions::new().write(true).open(bed.root().join("Jane.md")).unwrap();
    let handle = Mutex::new(Some(handle));
    let vault = bed.hooked(move |step, _| {
        if step == Step::LastLook
            && let Some(mut handle) = handle.lock().unwrap().take()
        {
            let text = NOTE.replace("owner: nobody", "owner: myself");
            handle.write_all(text.as_bytes()).unwrap();
        }
        Ok(())
    });
    let watcher = bed.vault();
    let mut changes = watcher.changes();
    change(&vault, |d| d.set_properties(&path("Jane.md"), &[set("stage", "won")])).unwrap();
    watcher.flush_changes();
    drop(vault);
    watcher.flush_changes();
    let by: Vec<_> = std::iter::from_fn(|| changes.try_recv().ok())
        .map(|change| (change.summary.join("; "), change.by == By::Outside))
        .collect();
    assert_eq!(by, [("stage: lead → won".to_owned(), false), ("owner: nobody → myself".to_owned(), true)]);
}

#[test]
fn restored_edit_is_not_restored_again_after_a_kill() {
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let editor = Mutex::new(OpenOptions::new().append(true).open(bed.root().join("Jane.md")).unwrap());
    let looks = Mutex::new(0);
    let vault = bed.hooked(move |step, _| {
        if step == Step::LastLook {
            let mut looks = looks.lock().unwrap();
            *looks += 1;
            if *looks > 1 {
                return Err(std::io::Error::other("killed"));
            }
            editor.lock().unwrap().write_all(b"- late\n").unwrap();
        }
        Ok(())
    });
    change(&vault, |d| d.append(&path("Jane.md"), "- called", Some("Log"))).unwrap();
    drop(vault);
    let text = bed.text("Jane.md");
    assert_eq!((text.matches("- late").count(), text.matches("- called").count()), (1, 1), "{text}");
    assert!(!bed.leftovers().is_empty(), "no second check ran");
    drop(bed.vault());
    assert_eq!(bed.leftovers(), Vec::<String>::new());
    assert_eq!(bed.text("Jane.md"), text);
}

#[test]
fn pruning_restores_late_edits_first() {
    let bed = Bed::new(&[("Jane.md", NOTE), ("Joe.md", NOTE)]);
    let mut editor = OpenOptions::new().append(true).open(bed.root().join("Joe.md")).unwrap();
    let displaced = || files_below(&bed.dir.path().join("data/displaced")).len();
    for name in ["Jane.md", "Joe.md"] {
        change(&bed.vault(), |d| d.set_properties(&path(name), &[set("stage", "won")])).unwrap();
    }
    assert_eq!(displaced(), 2);

    let vault = bed.vault();
    editor.write_all(b"- late\n").unwrap();
    // Nothing was checked between opening the vault and pruning.
    fs::write(bed.root().join("Joe.md"), "---\nstage: [\n---\n").unwrap();
    let removed = vault.history().prune(crate::Limits { days: 0, bytes: 0, at_least: 0 }).unwrap();
    assert_eq!(removed, ["set1", "set0"]);
    assert_eq!(fs::read_to_string(&bed.copies()[0]).unwrap(), format!("{NOTE}- late\n"));
    assert_eq!(displaced(), 0);
}

#[test]
fn program_that_never_stops_writing_does_not_block_exit() {
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let editor = Mutex::new(OpenOptions::new().append(true).open(bed.root().join("Jane.md")).unwrap());
    let vault = bed.hooked(move |step, _| {
        if step == Step::LastLook {
            editor.lock().unwrap().write_all(b"- more\n").unwrap();
        }
        Ok(())
    });
    change(&vault, |d| d.set_properties(&path("Jane.md"), &[set("stage", "won")])).unwrap();
    drop(vault);
    assert!(bed.text("Jane.md").contains("- more\n- more\n"));
    assert_eq!(bed.leftovers(), Vec::<String>::new());
}
