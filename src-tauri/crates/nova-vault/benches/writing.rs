//! What a lasting edit costs beside the least sequence that makes one last.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use common::{ROUNDS, Table, make_up, measure, median};
use nova_vault::note::{PropertyEdit, Value};
use nova_vault::{Author, ChangeSetKind, Vault, VaultPath};
use rustix::fs::{CWD, RenameFlags, renameat_with};

fn main() -> ExitCode {
    let made = make_up(100);
    let root = made.root();
    let vault = made.open();
    let note = VaultPath::parse(&made.one).unwrap();
    let mut times = (0..).map(|n| format!("stage {n}"));
    let mut stage = || times.next().unwrap();
    let mut round = 0;
    let bare_file = root.join("bare.md");
    fs::write(&bare_file, fs::read(root.join(&made.one)).unwrap()).unwrap();
    let journal = root.parent().unwrap().join("journal");
    fs::create_dir(&journal).unwrap();

    let measured = measure(
        4 * ROUNDS,
        &mut [&mut || edit(&vault, &note, &stage()), &mut || bare(&bare_file), &mut || {
            round += 1;
            journalled(&bare_file, &journal, round);
        }],
    );
    let [nova, bare, journalled] = [0, 1, 2].map(|at| median(&measured[at]));
    let mut table = Table::default();
    table.at_most("one property changed / temporary file, sync and exchange", nova, bare, 1.3);
    println!(
        "{:<64} {:>9.2} ms, {:.2} of it",
        "the same with a journal that is synced file by file",
        journalled.as_secs_f64() * 1e3,
        nova.as_secs_f64() / journalled.as_secs_f64()
    );
    table.end()
}

fn edit(vault: &Vault, note: &VaultPath, stage: &str) {
    let mut draft = vault.draft();
    let edit = PropertyEdit::Set { key: "stage".to_owned(), value: Value::Text(stage.to_owned()) };
    draft.set_properties(note, &[edit]).unwrap();
    let changes = vault.change_set(ChangeSetKind::Form, "bench".to_owned());
    let author = Author { principal: "bench".to_owned(), skill: None, call: None };
    changes.apply(draft, &author).unwrap();
    changes.close().unwrap();
    assert_eq!(vault.read(note).unwrap().document.property("stage").unwrap().display(), stage);
}

/// The least that replaces a file for good.
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

/// The same with a journal as Nova keeps one: the bytes before and after last, and are named in
/// it, before the file is touched. That it is done need not last at once.
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
