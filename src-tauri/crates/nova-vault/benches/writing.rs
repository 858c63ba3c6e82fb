//! The cost of a durable edit compared with the minimal sequence that makes one durable, and of many new
//! notes compared with creating as many bare files.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use common::{ROUNDS, Table, make_up, measure, median};
use nova_vault::note::{PropertyEdit, Value};
use nova_vault::{Author, ChangeSetKind, Draft, NewNote, Vault, VaultPath};
use rustix::fs::{CWD, RenameFlags, renameat_with};

fn main() -> ExitCode {
    let made = make_up(100);
    let root = made.root();
    let vault = made.open();
    let note = VaultPath::parse(&made.one).unwrap();
    let mut times = (0..).map(|n| format!("stage {n}"));
    let mut stage = || times.next().unwrap();
    let mut round = 0;
    // In the note's folder: the cost of creating a file differs between folders.
    let bare_file = root.join(&made.one).with_file_name("bare.md");
    fs::write(&bare_file, fs::read(root.join(&made.one)).unwrap()).unwrap();
    let journal = root.parent().unwrap().join("journal");
    fs::create_dir(&journal).unwrap();

    // Rests between edits, as with a person: when creating a file, a file system may skip over every
    // recently deleted one (ext4 without a journal does), and a tight loop would measure that.
    let (planned, expected) = (Cell::new(None), RefCell::new(String::new()));
    let measured = measure(
        2 * ROUNDS,
        &mut [
            &mut || {
                expected.replace(stage());
                planned.set(Some(planned_edit(&vault, &note, &expected.borrow())));
            },
            &mut || write(&vault, planned.take().unwrap()),
            &mut || {
                let read = vault.read(&note).unwrap();
                assert_eq!(read.document.property("stage").unwrap().display(), *expected.borrow());
            },
            &mut rest,
            &mut || bare(&bare_file),
            &mut rest,
            &mut || {
                round += 1;
                journalled(&bare_file, &journal, round);
            },
            &mut rest,
        ],
    );
    let [plan, nova, bare, journalled] = [0, 1, 4, 6].map(|at| median(&measured[at]));
    let mut table = Table::default();
    table.at_most("a changed note written / temporary file, exchange, both synced", nova, bare, 1.3);
    println!(
        "{:<64} {:>9.2} ms",
        "the note read, one property of it changed and that checked",
        plan.as_secs_f64() * 1e3
    );
    println!(
        "{:<64} {:>9.2} ms, {:.2} of it",
        "the same with a journal that is synced file by file",
        journalled.as_secs_f64() * 1e3,
        nova.as_secs_f64() / journalled.as_secs_f64()
    );
    many(&mut table);
    table.end()
}

fn rest() {
    std::thread::sleep(Duration::from_millis(200));
}

/// Ten thousand new notes in five new folders.
fn many(table: &mut Table) {
    let made = make_up(100);
    let (root, vault) = (made.root(), made.open());
    let [plain, whole] = ["plain", "whole"].map(|name| root.parent().unwrap().join(name));
    let [mut rounds, mut plain_rounds, mut whole_rounds] = [(); 3].map(|()| 0..);
    let measured = measure(
        5,
        &mut [
            &mut || create_many(&vault, rounds.next().unwrap()),
            &mut || plain_many(&plain, plain_rounds.next().unwrap()),
            &mut || whole_many(&whole, whole_rounds.next().unwrap()),
        ],
    );
    let [nova, plain, whole] = [0, 1, 2].map(|at| median(&measured[at]));
    table.at_most("10000 new notes / each file under another name, synced, renamed", nova, whole, 2.0);
    println!(
        "{:<64} {:>9.2} ms, {:.2} of it",
        "the same files created, not whole at every moment",
        plain.as_secs_f64() * 1e3,
        nova.as_secs_f64() / plain.as_secs_f64()
    );
}

/// The folder, name and text of each.
fn new_notes(round: i32) -> impl Iterator<Item = (String, String, String)> {
    (0..10_000).map(move |n| {
        let text = format!(
            "---\ntype: expense\ndate: 2026-11-20\namount: {n}.50\ncurrency: EUR\npayee: Shop {n}\n\
             import_id: 0123456789abcdef\n---\n"
        );
        (format!("Import {round}/{}", 2022 + n % 5), format!("2026-11-20 Shop {n}"), text)
    })
}

fn create_many(vault: &Vault, round: i32) {
    let notes = new_notes(round).map(|(folder, name, text)| NewNote { folder, name, text });
    let mut draft = vault.draft();
    draft.create_all(notes.collect()).unwrap();
    let changes = vault.change_set(ChangeSetKind::Form, "bench".to_owned());
    let author = Author { principal: "bench".to_owned(), skill: None, call: None };
    assert_eq!(changes.apply(draft, &author).unwrap().changes.len(), 10_000);
    changes.close().unwrap();
}

fn plain_many(root: &Path, round: i32) {
    let mut folders = BTreeSet::new();
    for (folder, name, text) in new_notes(round) {
        let folder = root.join(folder);
        if folders.insert(folder.clone()) {
            fs::create_dir_all(&folder).unwrap();
        }
        File::create_new(folder.join(name + ".md")).unwrap().write_all(text.as_bytes()).unwrap();
    }
    for folder in folders {
        File::open(folder).unwrap().sync_all().unwrap();
    }
}

/// As above, but no file is ever half written under its name, even after a power cut.
fn whole_many(root: &Path, round: i32) {
    let mut folders = BTreeSet::new();
    let mut renames = Vec::new();
    for (n, (folder, name, text)) in new_notes(round).enumerate() {
        let folder = root.join(folder);
        if folders.insert(folder.clone()) {
            fs::create_dir_all(&folder).unwrap();
        }
        let temp = folder.join(format!(".{n}.tmp"));
        File::create_new(&temp).unwrap().write_all(text.as_bytes()).unwrap();
        renames.push((temp, folder.join(name + ".md")));
    }
    rustix::fs::syncfs(File::open(root).unwrap()).unwrap();
    for (temp, file) in renames {
        renameat_with(CWD, &temp, CWD, &file, RenameFlags::NOREPLACE).unwrap();
    }
    for folder in folders {
        File::open(folder).unwrap().sync_all().unwrap();
    }
}

fn planned_edit(vault: &Vault, note: &VaultPath, stage: &str) -> Draft {
    let mut draft = vault.draft();
    let edit = PropertyEdit::Set { key: "stage".to_owned(), value: Value::Text(stage.to_owned()) };
    draft.set_properties(note, &[edit]).unwrap();
    draft
}

fn write(vault: &Vault, draft: Draft) {
    let changes = vault.change_set(ChangeSetKind::Form, "bench".to_owned());
    let author = Author { principal: "bench".to_owned(), skill: None, call: None };
    changes.apply(draft, &author).unwrap();
    changes.close().unwrap();
}

/// The minimal sequence for a durable replacement.
fn bare(file: &Path) {
    let folder = file.parent().unwrap();
    let text = fs::read(file).unwrap();
    let temp = folder.join(".bare.tmp");
    let mut written = File::create(&temp).unwrap();
    written.write_all(&text).unwrap();
    written.sync_all().unwrap();
    renameat_with(CWD, &temp, CWD, file, RenameFlags::EXCHANGE).unwrap();
    File::open(folder).unwrap().sync_all().unwrap();
    fs::remove_file(temp).unwrap();
}

/// The same with a journal like Nova's: the bytes before and after are durable, and recorded in the
/// journal, before the file is touched. Its *done* record need not be durable at once.
fn journalled(file: &Path, journal: &Path, round: usize) {
    let text = fs::read(file).unwrap();
    let mut images = File::create(journal.join(format!("{round}.images"))).unwrap();
    let mut lines = File::create(journal.join(format!("{round}.lines"))).unwrap();
    images.write_all(&text).unwrap();
    images.write_all(&text).unwrap();
    lines.write_all(b"intent\n").unwrap();
    File::open(journal).unwrap().sync_all().unwrap();
    images.sync_data().unwrap();
    lines.sync_data().unwrap();
    bare(file);
    lines.write_all(b"written\ncommitted\n").unwrap();
}
