//! Tests on disk: a vault in a temporary folder, edited from outside with `std::fs` as any program would,
//! and from inside through the public API.
#![allow(clippy::unwrap_used)]

mod apart;
mod attributes;
mod bases;
#[cfg(target_os = "linux")]
mod bombs;
mod broken_bases;
mod comparing;
mod confinement;
#[cfg(target_os = "linux")]
mod durability;
mod expressions;
mod faults;
mod feed;
mod files;
mod forking;
#[cfg(unix)]
mod gone;
mod interleaving;
mod interleaving_moves;
mod kept;
mod killed;
mod late_edits;
mod leftovers;
mod linking;
mod many;
mod mentioning;
mod moving;
mod moving_elsewhere;
mod obsidian;
#[cfg(unix)]
mod odd_files;
mod processes;
mod querying;
mod random_moves;
mod random_tasks;
mod reading;
mod recognising;
mod recurrence;
mod renamed_vault;
mod revalidating;
mod roots;
mod searching;
mod symlinks;
pub(crate) mod synced;
mod task_lines;
mod tasks;
mod through;
mod trash;
mod undo;
#[cfg(target_os = "linux")]
mod windows;
mod writing;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::note::{PropertyEdit, Value};
use crate::step::Steps;
use crate::{Applied, Author, ChangeSetKind, Draft, Vault, VaultError, VaultOptions, VaultPath};

/// A vault folder and a data folder next to it, both deleted after the test.
struct Bed {
    dir: tempfile::TempDir,
    seconds: Arc<AtomicI64>,
    ids: Arc<AtomicU64>,
}

impl Bed {
    fn new(notes: &[(&str, &str)]) -> Bed {
        Bed::in_folder(&std::env::temp_dir(), notes)
    }

    /// In memory if the system has a folder for that, so that a thousand beds do not wait for a disk.
    fn in_memory(notes: &[(&str, &str)]) -> Bed {
        let memory = std::path::Path::new("/dev/shm");
        if memory.is_dir() { Bed::in_folder(memory, notes) } else { Bed::new(notes) }
    }

    fn in_folder(folder: &std::path::Path, notes: &[(&str, &str)]) -> Bed {
        let bed = Bed {
            dir: tempfile::tempdir_in(folder).unwrap(),
            // 2026-11-21T00:00:00Z, advancing by one second per call.
            seconds: Arc::new(AtomicI64::new(1_795_219_200)),
            ids: Arc::new(AtomicU64::new(0)),
        };
        fs::create_dir(bed.root()).unwrap();
        for (path, text) in notes {
            bed.put(path, text);
        }
        bed
    }

    fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("vault")
    }

    fn history(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("data").join("history")
    }

    /// The write-ahead log of the first process.
    fn log(&self) -> PathBuf {
        self.history().join(".ahead-0")
    }

    /// Removes the log before the journal is edited by hand (an older version's, or damage older than the
    /// log), because the log would restore it.
    fn without_log(&self) {
        fs::remove_file(self.log()).unwrap();
    }

    /// The mark in the names of this data folder's temporary files.
    fn mark(&self) -> String {
        let marks = self.history_files(".mark");
        assert_eq!(marks.len(), 1, "{marks:?}");
        fs::read_to_string(&marks[0]).unwrap()
    }

    /// Simulates a reboot: everything is scanned again.
    fn restart(&self) {
        self.history_files(".swept-").into_iter().for_each(|file| fs::remove_file(file).unwrap());
    }

    /// The journal's files whose names begin with this.
    fn history_files(&self, beginning: &str) -> Vec<PathBuf> {
        let mut files = files_below(&self.history());
        files.retain(|file| file.file_name().unwrap().to_str().unwrap().starts_with(beginning));
        files
    }

    fn options(&self) -> VaultOptions {
        let seconds = Arc::clone(&self.seconds);
        let ids = Arc::clone(&self.ids);
        VaultOptions {
            root: self.root(),
            history: self.history(),
            forbidden: vec![self.dir.path().join("config"), self.dir.path().join("data")],
            roots: Vec::new(),
            program: None,
            clock: Arc::new(move || Timestamp::from_second(seconds.fetch_add(1, Ordering::SeqCst)).unwrap()),
            zone: TimeZone::UTC,
            new_id: Arc::new(move || format!("set{}", ids.fetch_add(1, Ordering::SeqCst))),
            trash: None,
            top_folder: |_| None,
            write_through: false,
            limits: crate::Limits::default(),
        }
    }

    fn vault(&self) -> Vault {
        Vault::open(self.options()).unwrap()
    }

    fn hooked(
        &self,
        hook: impl Fn(crate::step::Step, &str) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Vault {
        Vault::open_with(self.options(), Steps::hooked(hook)).unwrap()
    }

    /// Writes a file as another program does, creating its folders.
    fn put(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// As [`Bed::put`], by a new file, so that the note is never half written.
    fn put_whole(&self, path: &str, text: &str) {
        let new = self.root().join(".whole.tmp");
        fs::write(&new, text).unwrap();
        fs::rename(new, self.root().join(path)).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    fn exists(&self, path: &str) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }

    /// The visible copies, anywhere in the vault, of edits that could not be merged.
    fn copies(&self) -> Vec<PathBuf> {
        copies_below(&self.root())
    }

    /// Files anywhere in the vault whose name starts with `.nova-`.
    fn leftovers(&self) -> Vec<String> {
        files_below(&self.root())
            .into_iter()
            .filter_map(|path| path.file_name()?.to_str().map(str::to_owned))
            .filter(|name| name.starts_with(".nova-"))
            .collect()
    }
}

/// Abilities of the vault's file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    All,
    NoExchange,
    /// No exchange and no hard links, as on a memory card.
    OneName,
    /// No rename without replacing.
    NoReplacing,
}

impl System {
    const EACH: [System; 4] = [System::All, System::NoExchange, System::OneName, System::NoReplacing];

    fn under(self, vault: Vault) -> Vault {
        match self {
            System::All => {}
            System::NoExchange => vault.core().disk.refuse_exchange(),
            System::OneName => {
                vault.core().disk.refuse_exchange();
                vault.core().disk.refuse_links();
            }
            System::NoReplacing => vault.core().disk.refuse_no_replace(),
        }
        vault
    }
}

/// Held by tests that spawn processes, and by those that query which sets are live: a process that is being
/// spawned holds all locks of its parent for a moment.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The files of change sets, without the writers' lock and other files.
fn journal_files(bed: &Bed) -> Vec<PathBuf> {
    let mut files = files_below(&bed.history());
    files.retain(|file| !file.file_name().unwrap().to_str().unwrap().starts_with('.'));
    files
}

/// Counts work that must not be quadratic in ten thousand notes: opening the folder of a record, listing
/// the top of the vault, mapping a write to its notes.
pub(crate) mod work {
    use std::cell::Cell;

    thread_local! {
        static DONE: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn done() {
        DONE.with(|done| done.set(done.get() + 1));
    }

    /// The result, and the work done by this thread.
    pub(crate) fn of<T>(work: impl FnOnce() -> T) -> (T, usize) {
        let before = DONE.with(Cell::get);
        let result = work();
        (result, DONE.with(Cell::get) - before)
    }
}

fn copies_below(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut files = files_below(folder);
    files.retain(|file| file.file_name().unwrap().to_str().unwrap().contains("(Nova's conflicted copy "));
    files.sort();
    files
}

fn files_below(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().unwrap().is_dir() {
            files.extend(files_below(&entry.path()));
        } else {
            files.push(entry.path());
        }
    }
    files
}

fn path(path: &str) -> VaultPath {
    VaultPath::parse(path).unwrap()
}

fn model(call: &str) -> Author {
    Author { principal: "model".to_owned(), skill: Some("crm".to_owned()), call: Some(call.to_owned()) }
}

fn set(key: &str, value: &str) -> PropertyEdit {
    PropertyEdit::Set { key: key.to_owned(), value: Value::Text(value.to_owned()) }
}

/// Plans and applies in a change set of its own; also returns its id.
fn change(
    vault: &Vault,
    plan: impl FnOnce(&mut Draft) -> Result<(), VaultError>,
) -> Result<(String, Applied), VaultError> {
    let mut draft = vault.draft();
    plan(&mut draft)?;
    let changes = vault.change_set(ChangeSetKind::Turn, "a turn".to_owned());
    let id = changes.id().to_owned();
    let applied = changes.apply(draft, &model("call_1"))?;
    changes.close()?;
    Ok((id, applied))
}

const JANE: &str = "\
---
type: contact
name: Jane Doe
stage: lead
tags: [friend]
---
# Jane

Met at the fair.
";
