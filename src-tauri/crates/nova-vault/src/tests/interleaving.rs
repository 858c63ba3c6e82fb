//! A person and a sync client edit the note at every moment of Nova's write. In any order, no edit is lost:
//! it is in the note, or it is returned as a conflict and preserved. Each change is reported with its
//! author.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::sync::{Arc, Mutex};

use super::*;
use crate::step::Step;
use crate::{By, ContentHash, VaultChange};

pub(super) const NOTE: &str = "\
---
type: contact
stage: lead
owner: nobody
source: none
half: none
---
# Jane

first

second

third
";

/// The steps of Nova's write at which others act.
const MOMENTS: [Step; 15] = [
    Step::ReadCurrent,
    Step::Journal,
    Step::SyncJournal,
    Step::Settle,
    Step::CreateTemp,
    Step::WriteTemp,
    Step::SyncTemp,
    Step::Recheck,
    Step::Exchange,
    Step::HashDisplaced,
    Step::SwapBack,
    Step::SyncFolder,
    Step::JournalDone,
    Step::JournalCommit,
    Step::LastLook,
];

/// An edit by a person or a sync client. Each adds a word to the note that nothing else writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    /// Another property than Nova's, in place.
    Property,
    /// A line of the body, by replacing the file.
    Body,
    /// The property that Nova changes.
    SameProperty,
    /// A line at the end, where Nova adds one, too, through an open handle.
    Append,
    /// A property, in place: half of the text now, the rest at the next step.
    Half,
    /// A sync client: a property, by its own temporary file.
    Sync,
    /// Opened before the write, saved through that handle at this step.
    Late,
}

/// `Late` overwrites the others' edits by itself, so it is tested alone.
const TOGETHER: [Edit; 6] =
    [Edit::Property, Edit::Body, Edit::SameProperty, Edit::Append, Edit::Half, Edit::Sync];

/// All writers except Nova.
#[derive(Debug)]
struct Others {
    file: PathBuf,
    words: Vec<String>,
    edits: usize,
    /// They saved a text that contains Nova's change, which is then theirs as well.
    saved_novas: bool,
    /// For [`Edit::Late`].
    opened: (File, String),
    /// For [`Edit::Append`].
    end: File,
    /// The rest of the text for [`Edit::Half`].
    rest: Option<(File, String)>,
}

impl Others {
    fn new(file: PathBuf) -> Others {
        let opened = OpenOptions::new().write(true).open(&file).unwrap();
        let end = OpenOptions::new().append(true).open(&file).unwrap();
        Others {
            opened: (opened, fs::read_to_string(&file).unwrap()),
            file,
            words: Vec::new(),
            edits: 0,
            saved_novas: false,
            end,
            rest: None,
        }
    }

    fn edit(&mut self, edit: Edit) {
        self.edits += 1;
        let word = format!("word{}x", self.edits);
        let file = self.file.clone();
        let text = fs::read_to_string(&file).unwrap();
        self.saved_novas |= text.contains("- called");
        match edit {
            Edit::Property => fs::write(file, self.with_line(&text, "owner", &word)).unwrap(),
            Edit::SameProperty => fs::write(file, self.with_line(&text, "stage", &word)).unwrap(),
            Edit::Body => {
                self.put("editor.swp", &text.replace("second", &format!("second {word}")));
            }
            Edit::Sync => {
                let text = self.with_line(&text, "source", &word);
                self.put(".syncthing.Jane.md.tmp", &text);
            }
            Edit::Append => self.end.write_all(format!("- {word}\n").as_bytes()).unwrap(),
            Edit::Half => {
                let text = self.with_line(&text, "half", &word);
                let (half, rest) = text.split_at(text.len() / 2);
                let mut handle = OpenOptions::new().write(true).truncate(true).open(file).unwrap();
                handle.write_all(half.as_bytes()).unwrap();
                self.rest = Some((handle, rest.to_owned()));
            }
            Edit::Late => {
                let (handle, text) = &mut self.opened;
                let text = text.replace("third", &format!("third {word}"));
                handle.set_len(0).unwrap();
                handle.write_all(text.as_bytes()).unwrap();
            }
        }
        self.words.push(word);
    }

    fn finish_half(&mut self) {
        if let Some((mut handle, rest)) = self.rest.take() {
            handle.write_all(rest.as_bytes()).unwrap();
        }
    }

    fn put(&mut self, temp: &str, text: &str) {
        let new = self.file.with_file_name(temp);
        fs::write(&new, text).unwrap();
        fs::rename(&new, &self.file).unwrap();
        // The old file is unlinked: continuing writers open the new one.
        self.end = OpenOptions::new().append(true).open(&self.file).unwrap();
    }

    /// The text with another value, which removes the word there.
    fn with_line(&mut self, text: &str, key: &str, value: &str) -> String {
        text.lines()
            .map(|line| match line.strip_prefix(&format!("{key}: ")) {
                Some(old) => {
                    self.words.retain(|word| word != old);
                    format!("{key}: {value}\n")
                }
                None => format!("{line}\n"),
            })
            .collect()
    }
}

/// Runs one write of Nova (`stage: won` and a log line) with these edits at these steps. Returns how many
/// edits were made, and whether the write succeeded.
fn check(schedule: &[(Step, Edit)]) -> (usize, bool) {
    check_on(System::All, schedule)
}

fn check_on(system: System, schedule: &[(Step, Edit)]) -> (usize, bool) {
    let name = format!("{system:?} {schedule:?}");
    let bed = Bed::in_memory(&[("Jane.md", NOTE)]);
    let file = bed.root().join("Jane.md");
    let others = Arc::new(Mutex::new(Others::new(file.clone())));
    let watcher = bed.vault();
    let mut changes = watcher.changes();
    // Every text that was in the note, by hash.
    let stood = Arc::new(Mutex::new(HashMap::new()));
    let vault = {
        let (others, stood, watcher, file) =
            (Arc::clone(&others), Arc::clone(&stood), watcher.clone(), file.clone());
        let left = Mutex::new(VecDeque::from(schedule.to_vec()));
        let see = move || {
            if let Ok(text) = fs::read_to_string(&file) {
                stood.lock().unwrap().insert(ContentHash::of(text.as_bytes()), text);
            }
        };
        bed.hooked(move |step, _| {
            let mut others = others.lock().unwrap();
            let mut left = left.lock().unwrap();
            see();
            if others.rest.is_some() {
                others.finish_half();
                see();
                watcher.flush_changes();
            }
            // One edit per step: the next one may come when the write is retried.
            if let Some((_, edit)) = left.pop_front_if(|(at, _)| *at == step) {
                watcher.flush_changes();
                others.edit(edit);
                if step == Step::LastLook {
                    others.finish_half();
                }
                if others.rest.is_none() {
                    see();
                    watcher.flush_changes();
                }
            }
            Ok(())
        })
    };
    let vault = system.under(vault);

    let result = change(&vault, |d| {
        d.set_properties(&path("Jane.md"), &[set("stage", "won")])?;
        d.append(&path("Jane.md"), "- called", Some("Log"))
    });
    drop(vault);
    let mut others = others.lock().unwrap();
    others.finish_half();
    // The next start finds edits made after the last check of a displaced file.
    drop(bed.vault());

    let text = bed.text("Jane.md");
    let kept: String = bed.copies().iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    for word in &others.words {
        assert!(
            text.contains(word.as_str()) || kept.contains(word.as_str()),
            "{name}: lost {word}\n{result:?}\n{text}"
        );
    }
    match &result {
        Ok(_) => {
            let overtaken = schedule.iter().any(|(_, e)| matches!(e, Edit::SameProperty | Edit::Late));
            assert!(text.contains("stage: won\n") || overtaken, "{name}\n{text}");
            assert!(text.contains("- called\n") || overtaken, "{name}\n{text}");
        }
        Err(VaultError::Conflict { .. }) => {
            if !others.saved_novas {
                assert!(!text.contains("stage: won"), "{name}\n{text}");
                assert!(!text.contains("- called"), "{name}\n{text}");
            }
            assert!(bed.vault().history().list().unwrap().is_empty(), "{name}");
        }
        Err(other) => panic!("{name}: {other}"),
    }
    assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");

    stood.lock().unwrap().insert(ContentHash::of(text.as_bytes()), text.clone());
    watcher.flush_changes();
    let reported: Vec<_> = std::iter::from_fn(|| changes.try_recv().ok()).collect();
    check_authors(&name, &reported, &stood.lock().unwrap(), &result);
    (others.edits, result.is_ok())
}

/// Each word is first reported in a change by its author, and the last reported change is the final text.
fn check_authors(
    name: &str,
    reported: &[VaultChange],
    stood: &HashMap<ContentHash, String>,
    result: &Result<(String, Applied), VaultError>,
) {
    let mut known = Vec::new();
    for change in reported.iter().filter(|change| !change.path.is_sync_conflict()) {
        assert_eq!(change.path, path("Jane.md"), "{name}");
        let Some(text) = change.hash.as_ref().and_then(|hash| stood.get(hash)) else {
            // Detected between truncating and writing the file.
            assert_eq!(change.by, By::Outside, "{name}");
            continue;
        };
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| {
            matches!(*word, "won" | "called") || (word.starts_with("word") && word.ends_with('x'))
        });
        for word in words {
            if known.contains(&word) {
                continue;
            }
            known.push(word);
            if matches!(word, "won" | "called") {
                assert!(matches!(change.by, By::ChangeSet { .. }), "{name}: {word}: {reported:?}");
            } else if change.by != By::Outside {
                // One change with two authors: the edit was merged into Nova's write, which reports it.
                let merged = result.as_ref().is_ok_and(|(_, applied)| !applied.merged.is_empty());
                assert!(merged, "{name}: {word}: {reported:?}\n{result:?}");
            }
        }
    }
}

#[test]
fn one_edit_at_every_moment() {
    for moment in MOMENTS {
        for edit in TOGETHER.into_iter().chain([Edit::Late]) {
            check(&[(moment, edit)]);
        }
    }
}

/// Without exchange, a file that replaces the note after the last comparison is overwritten undetected, as
/// `vault status` reports. Edits of the file itself are detected.
#[test]
fn without_exchange_one_edit_at_every_moment() {
    let mut written = 0;
    for moment in MOMENTS {
        for edit in TOGETHER.into_iter().chain([Edit::Late]) {
            if moment == Step::Exchange && matches!(edit, Edit::Body | Edit::Sync) {
                continue;
            }
            let (edits, was_written) = check_on(System::NoExchange, &[(moment, edit)]);
            written += edits * usize::from(was_written);
        }
    }
    assert!(written > MOMENTS.len() * 3, "{written}");
}

#[test]
fn several_edits_by_seed() {
    let rounds = std::env::var("NOVA_INTERLEAVINGS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000);
    let seed = std::env::var("NOVA_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut seed: u64 = seed.filter(|seed| *seed > 0).unwrap_or(0x9E37_79B9_7F4A_7C15);
    let mut next = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    let (mut made, mut written) = (0, 0);
    for _ in 0..rounds {
        let edits = 1 + next(4);
        // Mostly in the order of a write; out of order, later ones only happen when the write is retried.
        let mut schedule: Vec<_> =
            (0..edits).map(|_| (MOMENTS[next(MOMENTS.len())], TOGETHER[next(TOGETHER.len())])).collect();
        if next(4) > 0 {
            schedule.sort_by_key(|(moment, _)| MOMENTS.iter().position(|m| m == moment));
        }
        let (edits, was_written) = check(&schedule);
        made += edits;
        written += usize::from(was_written);
    }
    // Most edits happen, and both outcomes are frequent.
    assert!(made > rounds, "{made} edits in {rounds} schedules");
    assert!(written > rounds / 3 && rounds - written > rounds / 20, "{written} of {rounds} written");
}

#[test]
fn repeated_writes_into_a_displaced_file_are_not_lost() {
    for times in 1..5 {
        let (edits, written) = check(&vec![(Step::LastLook, Edit::Append); times]);
        assert!(edits == times && written, "{times}");
    }
}

#[test]
fn half_a_text_is_never_taken_for_a_whole_one() {
    // The rest arrives while Nova waits for it.
    for moment in [Step::ReadCurrent, Step::Recheck, Step::Exchange] {
        let (edits, written) = check(&[(moment, Edit::Half)]);
        assert!(edits == 1 && written, "{moment:?}");
    }
}

#[test]
fn concurrent_edit_is_merged_and_reported() {
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
        // Undo reverts Nova's change and preserves the other.
        let outcome = vault.history().undo(&id, crate::Scope::All, &Author::new("user")).unwrap();
        assert_eq!(outcome.conflicts, [], "{moment:?}");
        assert_eq!(bed.text("Jane.md"), NOTE.replace("owner: nobody", "owner: me"), "{moment:?}");
    }
}

#[test]
fn note_deleted_or_moved_concurrently_is_a_conflict() {
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
            assert_eq!(error.code().as_str(), "conflict", "{moment:?}: {error}");
            drop(vault);
            assert!(!bed.exists("Jane.md"), "{moment:?}");
            assert_eq!(bed.exists("Else.md"), moved);
            assert_eq!(bed.leftovers(), Vec::<String>::new());
        }
    }
}

#[test]
fn edit_concurrent_with_a_deletion_wins() {
    let moments = [Step::ReadCurrent, Step::Journal, Step::Recheck, Step::Exchange, Step::LastLook];
    for (system, moment) in System::EACH.into_iter().flat_map(|system| moments.map(|at| (system, at))) {
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
        let vault = system.under(vault);
        let result = change(&vault, |d| d.delete(&path("Jane.md")));
        drop(vault);
        assert_eq!(bed.text("Jane.md"), format!("{NOTE}edited\n"), "{system:?} {moment:?}");
        if moment != Step::LastLook {
            assert_eq!(result.unwrap_err().code().as_str(), "conflict", "{system:?} {moment:?}");
        }
        assert_eq!(bed.leftovers(), Vec::<String>::new(), "{system:?} {moment:?}");
    }
}

#[test]
fn many_processes_write_one_note_without_loss() {
    const WRITERS: usize = 4;
    const WRITES: usize = 8;
    let bed = Bed::new(&[("Log.md", "---\ntype: log\n---\n# Log\n")]);
    let vaults: Vec<_> = (0..WRITERS).map(|_| bed.vault()).collect();
    std::thread::scope(|scope| {
        for (writer, vault) in vaults.iter().enumerate() {
            scope.spawn(move || {
                for write in 0..WRITES {
                    // After a conflict (two properties added at one place), read again and retry, as a
                    // caller would.
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
fn edit_after_the_last_comparison_is_detected_without_exchange() {
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
        vault.core().disk.refuse_exchange();
        let status = vault.status().unwrap();
        assert_eq!(status.atomic_exchange, Some(false));
        assert!(status.atomic_exchange_reason.is_some());

        let (_, applied) =
            change(&vault, |d| d.set_properties(&path("Jane.md"), &[set("stage", "won")])).unwrap();

        assert_eq!(applied.merged.is_empty(), late, "{moment:?}");
        drop(vault);
        let expected = NOTE.replace("owner: nobody", "owner: myself").replace("stage: lead", "stage: won");
        assert_eq!(bed.text("Jane.md"), expected, "{moment:?}");
        assert_eq!(bed.leftovers(), Vec::<String>::new());
    }
}
