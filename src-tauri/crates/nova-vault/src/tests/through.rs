//! With `write_through`, notes whose files have hard links are written in place.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::step::{Step, Steps};
use crate::{ChangeSetState, Scope};

impl Bed {
    /// A bed in which `<bed>/other.md` is a hard link to `a.md`.
    pub(super) fn linked(text: &str) -> Bed {
        let bed = Bed::new(&[("a.md", text), ("b.md", "b\n")]);
        fs::hard_link(bed.root().join("a.md"), bed.other()).unwrap();
        bed
    }

    pub(super) fn other(&self) -> PathBuf {
        self.dir.path().join("other.md")
    }

    fn other_text(&self) -> String {
        fs::read_to_string(self.other()).unwrap()
    }

    fn through(&self) -> Vault {
        self.through_with(Steps::default())
    }

    fn through_with(&self, steps: Steps) -> Vault {
        let mut options = self.options();
        options.write_through = true;
        Vault::open_with(options, steps).unwrap()
    }

    /// File id and link count of a note.
    fn identity(&self, note: &str) -> (u64, u64) {
        let metadata = fs::metadata(self.root().join(note)).unwrap();
        (metadata.ino(), metadata.nlink())
    }
}

/// Same length, longer, and shorter.
const EDITS: [(&str, &str); 3] = [("fair", "fete"), ("fair", "fair in May"), ("the fair", "it")];

fn replace(draft: &mut Draft, (old, new): (&str, &str)) -> Result<(), VaultError> {
    draft.replace(&path("a.md"), old, new, None)
}

#[test]
fn hard_linked_note_is_refused_unless_configured() {
    let bed = Bed::linked(JANE);
    let vault = bed.vault();
    for error in [
        change(&vault, |d| d.append(&path("a.md"), "more", None)).unwrap_err(),
        change(&vault, |d| d.delete(&path("a.md"))).unwrap_err(),
        change(&vault, |d| d.rename(&path("a.md"), &path("c.md"))).unwrap_err(),
    ] {
        assert!(matches!(error, VaultError::HardLink { links: 2, .. }), "{error}");
        assert!(error.hint().contains("\"write_through\": true in nova.config.json"), "{error}");
    }
    assert_eq!((bed.text("a.md").as_str(), bed.other_text().as_str()), (JANE, JANE));
}

#[test]
fn all_names_show_the_new_text_and_stay_one_file() {
    for edit in EDITS {
        let bed = Bed::linked(JANE);
        let identity = bed.identity("a.md");
        let vault = bed.through();
        let (id, applied) = change(&vault, |d| replace(d, edit)).unwrap();

        let after = JANE.replace(edit.0, edit.1);
        assert_eq!((bed.text("a.md"), bed.other_text()), (after.clone(), after), "{edit:?}");
        assert_eq!(bed.identity("a.md"), identity, "{edit:?}");
        assert_eq!(applied.changes.len(), 1);
        assert_eq!(vault.history().list().unwrap()[0].state, ChangeSetState::Committed);

        vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
        assert_eq!((bed.text("a.md").as_str(), bed.other_text().as_str()), (JANE, JANE), "{edit:?}");
        assert_eq!(bed.identity("a.md"), identity, "{edit:?}");
        drop(vault);
        assert_eq!((bed.leftovers(), bed.through().problems().unwrap()), (Vec::new(), Vec::new()));
    }
}

#[test]
fn note_with_one_name_is_exchanged_as_usual() {
    let bed = Bed::linked(JANE);
    let (file, _) = bed.identity("b.md");
    change(&bed.through(), |d| d.append(&path("b.md"), "more", None)).unwrap();
    assert_ne!(bed.identity("b.md").0, file);
}

#[test]
fn moving_moves_the_file_and_deleting_removes_one_name() {
    let bed = Bed::linked(JANE);
    let identity = bed.identity("a.md");
    let vault = bed.through();
    change(&vault, |d| {
        d.rename(&path("a.md"), &path("Done/c.md"))?;
        d.replace(&path("Done/c.md"), "fair", "fete", None)
    })
    .unwrap();
    assert_eq!(bed.identity("Done/c.md"), identity);
    assert_eq!(bed.other_text(), JANE.replace("fair", "fete"));

    let (id, _) = change(&vault, |d| d.delete(&path("Done/c.md"))).unwrap();
    drop(vault);
    assert_eq!((bed.exists("Done/c.md"), bed.other_text()), (false, JANE.replace("fair", "fete")));
    // The restored note is a file of its own.
    bed.through().history().undo(&id, Scope::All, &Author::new("user")).unwrap();
    assert_eq!(bed.text("Done/c.md"), JANE.replace("fair", "fete"));
}

#[test]
fn two_names_in_the_vault_are_changed_together_or_not_at_all() {
    let bed = Bed::new(&[("a.md", "one\n\ntwo\n\nthree\n")]);
    fs::hard_link(bed.root().join("a.md"), bed.root().join("c.md")).unwrap();
    let vault = bed.through();
    change(&vault, |d| {
        d.replace(&path("a.md"), "one", "1", None)?;
        d.replace(&path("c.md"), "three", "3", None)
    })
    .unwrap();
    assert_eq!((bed.text("a.md"), bed.text("c.md")), ("1\n\ntwo\n\n3\n".into(), "1\n\ntwo\n\n3\n".into()));

    let error = change(&vault, |d| {
        d.replace(&path("a.md"), "two", "2", None)?;
        d.replace(&path("c.md"), "two", "zwei", None)
    })
    .unwrap_err();
    assert_eq!(error.code().as_str(), "conflict", "{error}");
    assert_eq!(bed.text("a.md"), "1\n\ntwo\n\n3\n");
    assert_eq!(bed.identity("a.md"), bed.identity("c.md"));
}

/// Another program's action on `a.md` during the write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outside {
    /// Edits it in place.
    Edit,
    /// Replaces it by a new file, as most editors do. The other name keeps the old file.
    Replace,
    /// Changes the same place as Nova, in place.
    Conflict,
    Delete,
    /// Adds a hard link to a note with one name.
    Link,
}

#[test]
fn concurrent_actions_of_others_are_kept() {
    use Outside::{Conflict, Delete, Edit, Link, Replace};
    let edited = JANE.replace("lead", "won");
    for (at, outside) in [
        (Step::ReadCurrent, Edit),
        (Step::Journal, Edit),
        (Step::Recheck, Edit),
        (Step::ReadCurrent, Replace),
        (Step::Recheck, Replace),
        (Step::Overwrite, Replace),
        (Step::SyncNote, Replace),
        (Step::Recheck, Conflict),
        (Step::Recheck, Delete),
        (Step::SyncNote, Delete),
        (Step::Recheck, Link),
    ] {
        let name = format!("{at:?} {outside:?}");
        let bed = Bed::linked(JANE);
        if outside == Link {
            fs::remove_file(bed.other()).unwrap();
        }
        let (note, other) = (bed.root().join("a.md"), bed.other());
        let (once, edited_text) = (AtomicBool::new(true), edited.clone());
        let vault = bed.through_with(Steps::hooked(move |step, what| {
            if step == at && (what == "a.md" || at == Step::Journal) && once.swap(false, Ordering::SeqCst) {
                match outside {
                    Edit => fs::write(&note, &edited_text)?,
                    Replace => {
                        fs::write(note.with_extension("new"), &edited_text)?;
                        fs::rename(note.with_extension("new"), &note)?;
                    }
                    Conflict => fs::write(&note, JANE.replace("fair", "market"))?,
                    Delete => fs::remove_file(&note)?,
                    Link => fs::hard_link(&note, &other)?,
                }
            }
            Ok(())
        }));
        let result = change(&vault, |d| replace(d, ("fair", "fair in May")));
        drop(vault);

        let merged = edited.replace("fair", "fair in May");
        let (expected, expected_other) = match outside {
            Edit => (Ok(merged.clone()), merged),
            Replace => (Ok(merged), JANE.to_owned()),
            Conflict => (Err("conflict"), JANE.replace("fair", "market")),
            Delete => (Err("conflict"), JANE.to_owned()),
            Link => (Ok(JANE.replace("fair", "fair in May")), JANE.replace("fair", "fair in May")),
        };
        assert_eq!(
            result.map(|_| bed.text("a.md")).map_err(|error| error.code().as_str()),
            expected,
            "{name}"
        );
        assert_eq!(bed.other_text(), expected_other, "{name}");
        let vault = bed.through();
        assert_eq!((bed.leftovers(), vault.problems().unwrap()), (Vec::new(), Vec::new()), "{name}");
    }
}

#[test]
fn failed_step_leaves_the_note_unchanged() {
    for step in [Step::Recheck, Step::Overwrite, Step::Truncate, Step::SyncNote, Step::JournalDone] {
        for edit in EDITS {
            let bed = Bed::linked(JANE);
            let identity = bed.identity("a.md");
            let failed = Arc::new(AtomicBool::new(false));
            let fail = Arc::clone(&failed);
            let vault = bed.through_with(Steps::hooked(move |at, what| {
                let is_meant = at == step && what == "a.md";
                match is_meant && !fail.swap(true, Ordering::SeqCst) {
                    true => Err(io::ErrorKind::StorageFull.into()),
                    false => Ok(()),
                }
            }));
            let error = change(&vault, |d| {
                d.append(&path("b.md"), "more", None)?;
                replace(d, edit)
            })
            .unwrap_err();
            drop(vault);

            assert!(failed.load(Ordering::SeqCst), "{step:?}");
            assert!(error.hint().contains("Free some space"), "{step:?}: {error}");
            assert_eq!((bed.text("a.md").as_str(), bed.other_text().as_str()), (JANE, JANE), "{step:?}");
            assert_eq!((bed.text("b.md").as_str(), bed.identity("a.md")), ("b\n", identity), "{step:?}");
            let vault = bed.through();
            assert_eq!((bed.leftovers(), vault.problems().unwrap()), (Vec::new(), Vec::new()), "{step:?}");
            assert_eq!(vault.history().list().unwrap(), [], "{step:?}");
        }
    }
}

/// The journal of a process killed when it began to overwrite `before` by `after`, in a bed whose note
/// contains `before`.
fn killed(before: &str, after: &str) -> Bed {
    let bed = Bed::linked(before);
    let history = bed.history();
    let kept = bed.dir.path().join("kept");
    let copy = kept.clone();
    let vault = bed.through_with(Steps::hooked(move |step, _| {
        if step == Step::Overwrite {
            // A killed process leaves the journal as it is at this moment.
            fs::create_dir_all(&copy)?;
            for file in files_below(&history) {
                fs::copy(&file, copy.join(file.file_name().unwrap()))?;
            }
        }
        Ok(())
    }));
    change(&vault, |d| d.replace(&path("a.md"), before, after, None)).unwrap();
    drop(vault);
    for file in files_below(&kept) {
        fs::copy(&file, bed.history().join(file.file_name().unwrap())).unwrap();
    }
    bed
}

/// Writes in place, so that the other name shows it as well.
fn tear(bed: &Bed, bytes: &[u8]) {
    let file = File::options().write(true).truncate(true).open(bed.root().join("a.md")).unwrap();
    io::Write::write_all(&mut &file, bytes).unwrap();
}

#[test]
fn note_torn_anywhere_is_made_whole() {
    for (before, after) in [
        ("lead and more\n", "lead and more\nappended\n"),
        ("a longer text\n", "short\n"),
        ("same length\n", "SAME LENGTH\n"),
        ("für\n", "über\n"),
    ] {
        for cut in 0..=after.len() {
            let mut torn = after.as_bytes()[..cut].to_vec();
            torn.extend(before.as_bytes().get(cut..).unwrap_or_default());
            let name = format!("{before:?} {after:?} {cut}");
            let bed = killed(before, after);
            let identity = bed.identity("a.md");
            tear(&bed, &torn);
            let vault = bed.through();

            let is_whole = torn == before.as_bytes() || torn == after.as_bytes();
            let expected = if torn == before.as_bytes() { before } else { after };
            assert_eq!(
                (bed.text("a.md").as_str(), bed.other_text().as_str()),
                (expected, expected),
                "{name}"
            );
            assert_eq!(bed.identity("a.md"), identity, "{name}");
            // The mixture is kept, in case it was an edit.
            let problems = vault.problems().unwrap();
            assert_eq!(problems.len(), usize::from(!is_whole), "{name}");
            let kept = files_below(&bed.history().with_file_name("conflicts"));
            assert_eq!(kept.len(), problems.len(), "{name}");
            for file in kept {
                assert_eq!(fs::read(&file).unwrap(), torn, "{name}");
                assert!(problems[0].remedy.contains(file.to_str().unwrap()), "{name}");
                assert_eq!(problems[0].problem, "Nova was terminated while writing the note in place");
            }

            // Interrupted: can be finished or undone.
            let sets = vault.history().list().unwrap();
            assert_eq!((sets.len(), sets[0].state), (1, ChangeSetState::Interrupted), "{name}");
            let user = Author::new("user");
            if cut % 2 == 0 {
                vault.history().finish("set0", &user).unwrap();
                assert_eq!(bed.other_text(), after, "{name}");
            } else {
                vault.history().undo("set0", Scope::All, &user).unwrap();
                assert_eq!(bed.other_text(), before, "{name}");
            }
        }
    }
}

#[test]
fn edit_made_after_the_kill_stays_and_is_a_problem() {
    let (before, after) = ("one\n\ntwo\n", "one\n\ntwo\n\nthree\n");
    for edited in ["one\n\nTWO\n", "one\n\ntwo\n\nthree\nfour\n", "", "zero\none\n\ntwo\n"] {
        let bed = killed(before, after);
        tear(&bed, edited.as_bytes());
        let vault = bed.through();
        assert_eq!(bed.text("a.md"), edited);
        let problems: Vec<_> = vault.problems().unwrap().into_iter().map(|problem| problem.path).collect();
        assert_eq!(problems, ["a.md"], "{edited:?}");
        let kept = files_below(&bed.history().with_file_name("conflicts"));
        assert_eq!(kept.len(), 1);
        assert_eq!(fs::read_to_string(&kept[0]).unwrap(), after);
        // Reported once, and no longer once the file is gone.
        fs::remove_file(&kept[0]).unwrap();
        drop(vault);
        assert_eq!(bed.through().problems().unwrap(), []);
    }
}

#[test]
fn torn_note_that_is_gone_or_now_a_link_is_left_alone() {
    let bed = killed("before\n", "after!\n");
    fs::remove_file(bed.root().join("a.md")).unwrap();
    assert_eq!(bed.through().problems().unwrap(), []);

    let bed = killed("before\n", "after!\n");
    tear(&bed, b"after\n\n");
    fs::remove_file(bed.root().join("a.md")).unwrap();
    std::os::unix::fs::symlink(bed.other(), bed.root().join("a.md")).unwrap();
    drop(bed.through());
    assert_eq!(bed.other_text(), "after\n\n");
}
