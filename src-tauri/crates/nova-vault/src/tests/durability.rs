//! Durability: no note is touched before journal and new text are durable, and nothing is recorded as done
//! before the names in its folder are.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::Scope;
use crate::step::Step;

#[test]
fn fsyncs_journal_and_text_before_rename_and_name_before_done() {
    let large = "word ".repeat(40_000);
    let notes = [("a.md", JANE), ("Work/b.md", "Met [[a]].\n"), ("Work/large.md", &large), ("c.md", "c\n")];
    let edit = |d: &mut Draft| d.set_properties(&path("a.md"), &[set("stage", "won")]);

    check(&notes, "one note", |vault| plan(vault, edit), &["."]);
    check(
        &notes,
        "two notes",
        |vault| plan(vault, |d| edit(d).and_then(|()| d.append(&path("Work/b.md"), "more", None))),
        &[".", "Work"],
    );
    let append = |d: &mut Draft| d.append(&path("Work/large.md"), "more", None);
    check(&notes, "a large note", |vault| plan(vault, append), &["Work"]);
    check(
        &notes,
        "a new note in new folders",
        |vault| plan(vault, |d| d.create(&path("New/Deep/d.md"), "d\n".to_owned())),
        &["New/Deep", "New", "."],
    );
    check(&notes, "a deleted note", |vault| plan(vault, |d| d.delete(&path("c.md"))), &["."]);
    let rename = |d: &mut Draft| d.rename(&path("Work/b.md"), &path("Old/b.md")).map(drop);
    check(&notes, "a moved note", |vault| plan(vault, rename), &["Old", ".", "Work"]);
    check(&notes, "many new notes", |vault| plan(vault, forty), &["Many/0", "Many/1", "Many", "."]);
    check(
        &notes,
        "an undo",
        |vault| {
            let (id, _) = change(vault, edit).unwrap();
            vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
        },
        &["."],
    );
}

fn plan(vault: &Vault, plan: impl FnOnce(&mut Draft) -> Result<(), VaultError>) {
    change(vault, plan).unwrap();
}

fn forty(draft: &mut Draft) -> Result<(), VaultError> {
    let note = |n| crate::NewNote {
        folder: format!("Many/{}", n % 2),
        name: format!("note {n}"),
        text: format!("{n}\n"),
    };
    draft.create_all((0..40).map(note).collect()).map(drop)
}

/// The names in `folders` must be durable when the last note in them is recorded as done.
#[track_caller]
fn check(notes: &[(&str, &str)], name: &str, work: impl FnOnce(&Vault), folders: &[&str]) {
    let bed = Bed::new(notes);
    let (root, history) = (bed.root(), bed.history());
    let seen = Arc::new(Mutex::new(Seen::default()));
    let vault = bed.hooked({
        let (seen, root) = (Arc::clone(&seen), root.clone());
        let folders: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
        move |step, path| {
            let mut seen = seen.lock().unwrap();
            match step {
                Step::Exchange => {
                    seen.exchanges += 1;
                    seen.look_at_journal(&history);
                    seen.look_at_temps(root.join(path).parent().unwrap());
                }
                Step::JournalDone => {
                    seen.not_lasting_at_end =
                        folders.iter().filter(|folder| !synced::lasts(folder)).cloned().collect();
                }
                _ => {}
            }
            Ok(())
        }
    });

    work(&vault);

    let seen = seen.lock().unwrap();
    assert!(seen.exchanges > 0, "{name}");
    assert_eq!(seen.faults, [""; 0], "{name}");
    assert_eq!(seen.not_lasting_at_end, Vec::<PathBuf>::new(), "{name}");
}

#[derive(Default)]
struct Seen {
    exchanges: usize,
    temps: BTreeSet<PathBuf>,
    faults: Vec<String>,
    not_lasting_at_end: Vec<PathBuf>,
}

impl Seen {
    /// Each announcement and each text must be durable in its set's file or in the log.
    fn look_at_journal(&mut self, history: &Path) {
        let log = history.join(".ahead-0");
        let logged = if synced::lasts(&log) { fs::read(&log).unwrap() } else { Vec::new() };
        let is_logged = |bytes: &[u8]| memchr::memmem::find(&logged, bytes).is_some();
        for file in files_below(history) {
            let lasts_itself = synced::lasts(&file) && synced::lasts(history);
            let held = fs::read(&file).unwrap();
            let lasts = lasts_itself
                || match file.extension().and_then(|extension| extension.to_str()) {
                    Some("images") => is_logged(&held),
                    Some("jsonl") => held.split(|b| *b == b'\n').all(|line| {
                        let announces = memchr::memmem::find(line, b"\"line\":\"intent\"").is_some();
                        !announces || is_logged(line)
                    }),
                    _ => true,
                };
            if !lasts {
                self.faults.push(format!("{} at a note's change", file.file_name().unwrap().display()));
            }
        }
    }

    /// The new texts: files of Nova that did not exist at an earlier change.
    fn look_at_temps(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (temp, name) = (entry.path(), entry.file_name());
            let is_temp = name.to_string_lossy().starts_with(".nova-");
            if is_temp && self.temps.insert(temp.clone()) && !synced::lasts(&temp) {
                self.faults.push(format!("{} at its note's change", name.display()));
            }
        }
    }
}
