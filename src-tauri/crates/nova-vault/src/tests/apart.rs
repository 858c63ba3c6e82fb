//! The data folder is on another file system than the vault, so displaced files cannot be moved there.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;

use super::*;
use crate::step::{Step, Steps};
use crate::writing::write::SetJournal;

/// Two folders on different file systems; `None` if there is only one file system.
fn two_file_systems() -> Option<[PathBuf; 2]> {
    let folders = [std::env::temp_dir(), PathBuf::from("/dev/shm"), PathBuf::from("/var/tmp")];
    let device = |folder: &PathBuf| fs::metadata(folder).ok().map(|metadata| metadata.dev());
    let first = folders.iter().find(|folder| device(folder).is_some())?;
    let other = folders.iter().find(|folder| device(folder).is_some_and(|d| Some(d) != device(first)))?;
    Some([first.clone(), other.clone()])
}

#[test]
fn late_write_into_a_displaced_file_is_restored() {
    let Some([here, there]) = two_file_systems() else {
        return;
    };
    let bed = Bed::in_folder(&here, &[("a.md", JANE)]);
    let data = tempfile::tempdir_in(there).unwrap();
    let mut options = bed.options();
    options.history = data.path().join("history");
    let vault = Vault::open(options).unwrap();
    // An editor opens the note and keeps it open.
    let mut editor = fs::OpenOptions::new().append(true).open(bed.root().join("a.md")).unwrap();

    let mut draft = vault.draft();
    draft.set_properties(&path("a.md"), &[set("stage", "won")]).unwrap();
    let changes = Arc::new(SetJournal::new("apart".to_owned(), ChangeSetKind::Turn, "a turn".to_owned()));
    let (applied, displaced) = changes.apply(vault.core(), &draft.plan(), &model("call_1"));
    applied.unwrap();
    let look = |displaced: Vec<crate::writing::write::Displaced>| -> Vec<crate::writing::write::Displaced> {
        displaced.into_iter().flat_map(|one| one.last_check(vault.core())).collect()
    };
    assert_eq!(bed.leftovers().len(), 1);
    let displaced = look(displaced);
    // After two quiet seconds it is gone from the vault, but still checked.
    assert_eq!(bed.leftovers(), Vec::<String>::new());
    assert_eq!(displaced.len(), 1);
    let displaced = look(displaced);
    editor.write_all(b"Written late.\n").unwrap();
    let displaced = look(displaced);
    assert_eq!(bed.text("a.md"), format!("{}Written late.\n", JANE.replace("lead", "won")));
    editor.write_all(b"Written later still.\n").unwrap();
    drop(look(displaced));
    assert!(bed.text("a.md").ends_with("Written late.\nWritten later still.\n"), "{}", bed.text("a.md"));
}

#[test]
fn displaced_file_keeps_its_two_seconds_at_exit() {
    let Some([here, there]) = two_file_systems() else {
        return;
    };
    for deleted in [false, true] {
        let app = (".obsidian/app.json", r#"{"trashOption": "none"}"#);
        let bed = Bed::in_folder(&here, &[("a.md", JANE), app]);
        let data = tempfile::tempdir_in(&there).unwrap();
        let mut options = bed.options();
        options.history = data.path().join("history");
        let editor = fs::OpenOptions::new().append(true).open(bed.root().join("a.md")).unwrap();
        let editor = Mutex::new(Some(editor));
        // The user saves while Nova waits to exit.
        let steps = Steps::hooked(move |step, _| {
            if step == Step::Settle
                && let Some(mut editor) = editor.lock().unwrap().take()
            {
                editor.write_all(b"Written late.\n")?;
            }
            Ok(())
        });
        let vault = Vault::open_with(options, steps).unwrap();
        change(&vault, |d| match deleted {
            true => d.delete(&path("a.md")),
            false => d.set_properties(&path("a.md"), &[set("stage", "won")]),
        })
        .unwrap();
        drop(vault);
        let expected = if deleted { JANE.to_owned() } else { JANE.replace("lead", "won") };
        assert_eq!(bed.text("a.md"), format!("{expected}Written late.\n"));
        assert_eq!(bed.leftovers(), Vec::<String>::new());
    }
}

/// Runs `does` each time Nova waits for a file at exit: after the check of the file, but not during waits
/// within a write.
fn while_nova_ends(does: impl FnMut() -> std::io::Result<()> + Send + 'static) -> Steps {
    let state = Mutex::new((Step::Journal, does));
    Steps::hooked(move |step, _| {
        let (last, does) = &mut *state.lock().unwrap();
        match (std::mem::replace(last, step), step) {
            (Step::LastLook, Step::Settle) => does(),
            _ => Ok(()),
        }
    })
}

#[test]
fn displaced_file_edited_at_exit_gets_two_more_seconds() {
    let Some([here, there]) = two_file_systems() else {
        return;
    };
    let bed = Bed::in_folder(&here, &[("a.md", JANE)]);
    let data = tempfile::tempdir_in(&there).unwrap();
    let mut options = bed.options();
    options.history = data.path().join("history");
    let editor = fs::OpenOptions::new().append(true).open(bed.root().join("a.md")).unwrap();
    // The user continues typing: once while the file waits, and once more after that edit was restored.
    let mut words = ["Written late.\n", "Written later still.\n", "And once more.\n"].into_iter();
    let steps = while_nova_ends(move || match words.next() {
        Some(words) => (&editor).write_all(words.as_bytes()),
        None => Ok(()),
    });
    let vault = Vault::open_with(options, steps).unwrap();
    change(&vault, |d| d.set_properties(&path("a.md"), &[set("stage", "won")])).unwrap();
    drop(vault);
    let expected =
        format!("{}Written late.\nWritten later still.\nAnd once more.\n", JANE.replace("lead", "won"));
    assert_eq!(bed.text("a.md"), expected);
    assert_eq!(bed.leftovers(), Vec::<String>::new());
}

#[test]
fn exit_does_not_wait_forever_for_a_continuing_writer() {
    let Some([here, there]) = two_file_systems() else {
        return;
    };
    let bed = Bed::in_folder(&here, &[("a.md", JANE)]);
    let data = tempfile::tempdir_in(&there).unwrap();
    let mut options = bed.options();
    options.history = data.path().join("history");
    let editor = fs::OpenOptions::new().append(true).open(bed.root().join("a.md")).unwrap();
    let waited = Arc::new(AtomicU64::new(0));
    let times = Arc::clone(&waited);
    let steps = while_nova_ends(move || {
        let line = times.fetch_add(1, Ordering::SeqCst);
        writeln!(&editor, "line {line}")
    });
    let vault = Vault::open_with(options, steps).unwrap();
    change(&vault, |d| d.set_properties(&path("a.md"), &[set("stage", "won")])).unwrap();
    drop(vault);
    let waited = waited.load(Ordering::SeqCst);
    assert!((3..100).contains(&waited), "{waited}");
    assert!(bed.text("a.md").contains("line 2\n"), "{}", bed.text("a.md"));
    assert_eq!(bed.leftovers(), Vec::<String>::new());
}
