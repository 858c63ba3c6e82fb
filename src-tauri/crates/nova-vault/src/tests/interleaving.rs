//! A person edits the note at every moment of Nova's write. Whatever the order, no edit of
//! either side is lost: it is in the note, or it is handed back as a conflict and kept.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex};

use super::*;
use crate::By;
use crate::step::Step;

const NOTE: &str = "\
---
type: contact
stage: lead
owner: nobody
---
# Jane

first

second

third
";

/// Where in Nova's write the person acts.
const MOMENTS: [Step; 8] = [
    Step::ReadCurrent,
    Step::Journal,
    Step::CreateTemp,
    Step::SyncTemp,
    Step::Recheck,
    Step::Exchange,
    Step::HashDisplaced,
    Step::SyncFolder,
];

/// What the person does. Each leaves a word in the note that nothing else writes.
#[derive(Debug, Clone, Copy)]
enum Edit {
    /// Another property than Nova's, written in place.
    Property,
    /// A line of the body, by a new file that takes the note's place.
    Body,
    /// The property that Nova changes.
    SameProperty,
    /// Opened at the beginning of the write, saved through that handle at this moment.
    Late,
}

const EDITS: [Edit; 4] = [Edit::Property, Edit::Body, Edit::SameProperty, Edit::Late];

#[derive(Debug, Default)]
struct Person {
    words: Vec<String>,
    /// Saved a text that had Nova's change in it: then it is the person's, too.
    saved_novas: bool,
    opened: Option<(File, String)>,
}

impl Person {
    fn open(&mut self, file: &std::path::Path) {
        let mut handle = OpenOptions::new().read(true).write(true).open(file).unwrap();
        let mut text = String::new();
        handle.read_to_string(&mut text).unwrap();
        self.opened = Some((handle, text));
    }

    fn edit(&mut self, file: &std::path::Path, edit: Edit, n: usize) {
        let word = format!("word{n}x");
        let text = fs::read_to_string(file).unwrap();
        self.saved_novas |= text.contains("- called");
        match edit {
            Edit::Property => fs::write(file, with_line(&text, "owner:", &word)).unwrap(),
            Edit::SameProperty => fs::write(file, with_line(&text, "stage:", &word)).unwrap(),
            Edit::Body => {
                let new = file.with_file_name("editor.swp");
                fs::write(&new, text.replace("second", &format!("second {word}"))).unwrap();
                fs::rename(&new, file).unwrap();
            }
            Edit::Late => {
                let Some((mut handle, text)) = self.opened.take() else {
                    return;
                };
                let text = text.replace("third", &format!("third {word}"));
                handle.set_len(0).unwrap();
                handle.seek(SeekFrom::Start(0)).unwrap();
                handle.write_all(text.as_bytes()).unwrap();
            }
        }
        // A person who changes the same property again takes the earlier word away.
        if matches!(edit, Edit::Property | Edit::SameProperty) {
            self.words.retain(|old| !text.contains(&format!(": {old}\n")) || !is_value(&text, edit, old));
        }
        self.words.push(word);
    }
}

fn is_value(text: &str, edit: Edit, word: &str) -> bool {
    let key = if matches!(edit, Edit::Property) { "owner" } else { "stage" };
    text.contains(&format!("{key}: {word}\n"))
}

fn with_line(text: &str, key: &str, value: &str) -> String {
    text.lines()
        .map(|line| if line.starts_with(key) { format!("{key} {value}\n") } else { format!("{line}\n") })
        .collect()
}

/// One write of Nova (`stage: won` and a log line) with these edits at these moments.
fn check(schedule: &[(Step, Edit)]) {
    let name = format!("{schedule:?}");
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let file = bed.root().join("Jane.md");
    let person = Arc::new(Mutex::new(Person::default()));
    let left = Arc::new(Mutex::new(schedule.to_vec()));
    let vault = {
        let (person, left, file) = (Arc::clone(&person), Arc::clone(&left), file.clone());
        bed.hooked(move |step, _| {
            let mut person = person.lock().unwrap();
            let mut left = left.lock().unwrap();
            // One edit per step: the next one may come when the write is tried again.
            if left.first().is_some_and(|(at, _)| *at == step) {
                let (_, edit) = left.remove(0);
                person.edit(&file, edit, left.len());
            }
            Ok(())
        })
    };
    // A late save goes over what others wrote since: only alone is nothing else at stake.
    person.lock().unwrap().open(&file);

    let result = change(&vault, |d| {
        d.set_properties(&path("Jane.md"), &[set("stage", "won")])?;
        d.append(&path("Jane.md"), "- called", Some("Log"))
    });
    let pending = left.lock().unwrap().len();
    drop(vault);

    let text = bed.text("Jane.md");
    let kept: String = files_below(&bed.dir.path().join("data/conflicts"))
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    for word in &person.lock().unwrap().words {
        assert!(
            text.contains(word.as_str()) || kept.contains(word.as_str()),
            "{name}: {word} is lost\n{result:?}\n{text}"
        );
    }
    let vault = bed.vault();
    match &result {
        Ok((id, _)) => {
            let overtaken = schedule.iter().any(|(_, e)| matches!(e, Edit::SameProperty | Edit::Late));
            assert!(text.contains("stage: won") || overtaken, "{name}\n{text}");
            assert!(text.contains("- called") || overtaken, "{name}\n{text}");
            let note = vault.read(&path("Jane.md")).unwrap();
            if let Some(author) = vault.history().author_of(&note.path, &note.hash) {
                assert!(author.change_set == *id || author.author.principal == "outside");
            } else {
                // Only a person can have written last then.
                assert!(schedule.len() > pending, "{name}: nobody wrote this");
            }
        }
        Err(VaultError::Conflict { .. }) => {
            if !person.lock().unwrap().saved_novas {
                assert!(!text.contains("stage: won"), "{name}\n{text}");
                assert!(!text.contains("- called"), "{name}\n{text}");
            }
            assert!(vault.history().list().unwrap().is_empty(), "{name}");
        }
        Err(other) => panic!("{name}: {other}"),
    }
    assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
}

#[test]
fn one_edit_at_every_moment() {
    for moment in MOMENTS {
        for edit in EDITS {
            check(&[(moment, edit)]);
        }
    }
    check(&[(Step::LastLook, Edit::Late)]);
    check(&[(Step::JournalDone, Edit::Late)]);
}

#[test]
fn several_edits_by_seed() {
    let rounds = std::env::var("NOVA_INTERLEAVINGS").ok().and_then(|n| n.parse().ok()).unwrap_or(100);
    let mut seed: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut next = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    for _ in 0..rounds {
        let edits = 2 + next(3);
        // `Late` goes over the other edits by itself, so it is tried alone above.
        let schedule: Vec<_> =
            (0..edits).map(|_| (MOMENTS[next(MOMENTS.len())], EDITS[next(EDITS.len() - 1)])).collect();
        check(&schedule);
    }
}

#[test]
fn an_edit_between_is_merged_and_named() {
    for moment in [Step::Journal, Step::Recheck, Step::Exchange] {
        let bed = Bed::new(&[("Jane.md", NOTE)]);
        let file = bed.root().join("Jane.md");
        let vault = bed.hooked(move |step, _| {
            let text = fs::read_to_string(&file).unwrap();
            if step == moment && text.contains("nobody") {
                fs::write(&file, text.replace("owner: nobody", "owner: me")).unwrap();
            }
            Ok(())
        });
        let (id, applied) =
            change(&vault, |d| d.set_properties(&path("Jane.md"), &[set("stage", "won")])).unwrap();

        let expected = NOTE.replace("owner: nobody", "owner: me").replace("stage: lead", "stage: won");
        assert_eq!(bed.text("Jane.md"), expected, "{moment:?}");
        assert_eq!(applied.merged, [(path("Jane.md"), vec!["owner: nobody → me".to_owned()])], "{moment:?}");
        // Undo takes back Nova's change and leaves the other.
        let outcome = vault.history().undo(&id, crate::Scope::All, &Author::new("user")).unwrap();
        assert_eq!(outcome.conflicts, [], "{moment:?}");
        assert_eq!(bed.text("Jane.md"), NOTE.replace("owner: nobody", "owner: me"), "{moment:?}");
    }
}

#[test]
fn a_note_deleted_or_moved_away_meanwhile_is_a_conflict() {
    for moment in [Step::ReadCurrent, Step::Journal, Step::Recheck, Step::Exchange] {
        for moved in [false, true] {
            let bed = Bed::new(&[("Jane.md", NOTE)]);
            let root = bed.root();
            let vault = bed.hooked(move |step, _| {
                if step == moment && root.join("Jane.md").exists() {
                    if moved {
                        fs::rename(root.join("Jane.md"), root.join("Else.md")).unwrap();
                    } else {
                        fs::remove_file(root.join("Jane.md")).unwrap();
                    }
                }
                Ok(())
            });
            let error =
                change(&vault, |d| d.set_properties(&path("Jane.md"), &[set("stage", "won")])).unwrap_err();
            assert_eq!(error.code(), "conflict", "{moment:?}: {error}");
            drop(vault);
            assert!(!bed.exists("Jane.md"), "{moment:?}");
            assert_eq!(bed.exists("Else.md"), moved);
            assert_eq!(bed.leftovers(), Vec::<String>::new());
        }
    }
}

#[test]
fn an_edit_at_the_moment_of_deletion_wins() {
    for moment in [Step::ReadCurrent, Step::Journal, Step::Recheck, Step::Exchange, Step::LastLook] {
        let bed = Bed::new(&[("Jane.md", NOTE)]);
        let file = bed.root().join("Jane.md");
        let handle = Mutex::new(OpenOptions::new().append(true).open(&file).unwrap());
        let once = Mutex::new(false);
        let vault = bed.hooked(move |step, _| {
            if step == moment && !std::mem::replace(&mut *once.lock().unwrap(), true) {
                handle.lock().unwrap().write_all(b"edited\n").unwrap();
            }
            Ok(())
        });
        let result = change(&vault, |d| d.delete(&path("Jane.md")));
        drop(vault);
        assert_eq!(bed.text("Jane.md"), format!("{NOTE}edited\n"), "{moment:?}");
        if moment != Step::LastLook {
            assert_eq!(result.unwrap_err().code(), "conflict", "{moment:?}");
        }
        assert_eq!(bed.leftovers(), Vec::<String>::new(), "{moment:?}");
    }
}

#[test]
fn many_novas_write_one_note_and_nothing_is_lost() {
    const WRITERS: usize = 4;
    const WRITES: usize = 8;
    let bed = Bed::new(&[("Log.md", "---\ntype: log\n---\n# Log\n")]);
    let vaults: Vec<_> = (0..WRITERS).map(|_| bed.vault()).collect();
    std::thread::scope(|scope| {
        for (writer, vault) in vaults.iter().enumerate() {
            scope.spawn(move || {
                for write in 0..WRITES {
                    // A conflict (two properties added at one place) is read again and retried,
                    // as a caller would.
                    loop {
                        let result = change(vault, |d| {
                            d.set_properties(
                                &path("Log.md"),
                                &[set(&format!("w{writer}"), &format!("v{write}"))],
                            )?;
                            d.append(&path("Log.md"), &format!("- w{writer} line{write}"), None)
                        });
                        match result {
                            Ok(_) => break,
                            Err(VaultError::Conflict { .. }) => {}
                            Err(other) => panic!("{other}"),
                        }
                    }
                }
            });
        }
    });
    drop(vaults);
    let text = bed.text("Log.md");
    for writer in 0..WRITERS {
        let last = WRITES - 1;
        assert!(text.contains(&format!("w{writer}: v{last}\n")), "{text}");
        for write in 0..WRITES {
            let line = format!("- w{writer} line{write}\n");
            assert_eq!(text.matches(&line).count(), 1, "{line}{text}");
        }
    }
    assert_eq!(bed.leftovers(), Vec::<String>::new());
    assert_eq!(bed.vault().problems().unwrap(), []);
}

#[test]
fn without_exchange_an_edit_after_the_last_look_is_still_seen() {
    for (moment, late) in [(Step::Journal, false), (Step::Recheck, false), (Step::LastLook, true)] {
        let bed = Bed::new(&[("Jane.md", NOTE)]);
        let file = bed.root().join("Jane.md");
        let handle = Mutex::new(OpenOptions::new().write(true).open(&file).unwrap());
        let once = Mutex::new(false);
        let vault = bed.hooked(move |step, _| {
            if step == moment && !std::mem::replace(&mut *once.lock().unwrap(), true) {
                let text = NOTE.replace("owner: nobody", "owner: myself");
                let mut handle = handle.lock().unwrap();
                handle.set_len(0).unwrap();
                handle.write_all(text.as_bytes()).unwrap();
            }
            Ok(())
        });
        vault.core().refuse_exchange(&std::io::ErrorKind::Unsupported.into());
        let status = vault.status().unwrap();
        assert!(!status.atomic_exchange && status.atomic_exchange_reason.is_some());

        let (_, applied) =
            change(&vault, |d| d.set_properties(&path("Jane.md"), &[set("stage", "won")])).unwrap();

        assert_eq!(applied.merged.is_empty(), late, "{moment:?}");
        drop(vault);
        let expected = NOTE.replace("owner: nobody", "owner: myself").replace("stage: lead", "stage: won");
        assert_eq!(bed.text("Jane.md"), expected, "{moment:?}");
        assert_eq!(bed.leftovers(), Vec::<String>::new());
    }
}

#[test]
fn a_late_edit_is_reported_as_the_persons_own() {
    let bed = Bed::new(&[("Jane.md", NOTE)]);
    let handle = Mutex::new(OpenOptions::new().write(true).open(bed.root().join("Jane.md")).unwrap());
    let vault = bed.hooked(move |step, _| {
        if step == Step::LastLook {
            let text = NOTE.replace("owner: nobody", "owner: myself");
            handle.lock().unwrap().write_all(text.as_bytes()).unwrap();
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
