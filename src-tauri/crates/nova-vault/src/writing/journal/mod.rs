//! The journal of change sets: what is about to be written, by whom, with the bytes before
//! and after, made to last before the first byte of the vault changes.
//!
//! One change set is two files that only one process appends to, `<id>.jsonl` (lines) and
//! `<id>.images` (note texts, one after the other). While its process lives it holds a lock
//! on the first; any other process may read both at any time. That what is small lasts is up to a
//! log beside them ([`ahead`]); the files of the next set are made when one is complete ([`spare`]).

mod ahead;
mod beside;
mod folder;
mod log;
mod mark;
mod spare;
mod temp_name;
mod undone;
mod writer;

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::change::{Author, ChangeSetKind, NoteChangeKind};
use crate::disk::{Attributes, FolderId, Open, make_private_folder, open_private};
use crate::note::{ContentHash, VaultPath};

pub(crate) use log::{Journal, Record, RecordState, Reverting, SetLog};
pub(crate) use temp_name::{TempName, temp_prefix};
pub(crate) use undone::undone;
pub(crate) use writer::Writer;

/// Bytes in the images file of a change set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Image {
    pub(crate) hash: ContentHash,
    at: u64,
    len: u64,
}

impl Image {
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// One line of a journal file. Readers pass over lines they do not know.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub(crate) enum Line {
    Opened {
        v: u32,
        id: String,
        kind: ChangeSetKind,
        label: String,
        at: Timestamp,
        vault: String,
        /// Where the file system says it. Lines that do not say so may be of an earlier Nova.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<FolderId>,
    },
    /// The set is of this vault: its folder was renamed or moved since, or was not written down.
    Vault {
        vault: String,
        folder: FolderId,
    },
    /// These notes are about to be written.
    Intent {
        at: Timestamp,
        author: Author,
        notes: Vec<IntentNote>,
    },
    /// The write of a note continues with other texts, because an edit came in between.
    Amended {
        n: u64,
        before: Option<Image>,
        after: Option<Image>,
        /// The edit, as a whole text: it is in `after`. Lines that do not name it are of an earlier Nova.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        took: Option<ContentHash>,
    },
    /// What a temporary file of record `n` is used for from here on. A file without such a line is used
    /// for what the record announced: it expects `before` and puts `after` in place.
    Temp {
        n: u64,
        temp: u64,
        #[serde(flatten)]
        texts: TempTexts,
    },
    Done {
        n: u64,
    },
    /// Nothing of that note was written.
    Failed {
        n: u64,
        reason: String,
    },
    /// That note was written and reverted.
    Reverted {
        n: u64,
    },
    /// An outside version that could be merged with nothing; also lies in the file named.
    Kept {
        n: u64,
        file: String,
        text: Image,
        /// It is of a write in place that was cut short.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cut: bool,
    },
    /// An outside edit in the file that write `n` displaced is safe; the file stays a while,
    /// should its writer continue.
    BroughtBack {
        n: u64,
        text: ContentHash,
    },
    /// The bytes of a note are about to be written over, `from` by `to`. Until the line `Whole` it
    /// may hold parts of both.
    InPlace(Overwrite),
    /// The note that record `n` wrote in place holds one whole text again.
    Whole {
        n: u64,
    },
    /// Records of another set that this set took back.
    Undid {
        set: String,
        records: Vec<(u64, VaultPath)>,
        /// For each of the records the numbers of this set's writes that did it. Lines that do not
        /// say so are of an earlier Nova.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Vec<(u64, Vec<u64>)>>,
    },
    /// The writes that follow take these records of another set back; `Undid` says that they
    /// did.
    Undoing {
        set: String,
        records: Vec<(u64, VaultPath)>,
    },
    Committed {
        at: Timestamp,
    },
    /// No temporary file of this set is left in the vault.
    Swept,
}

/// What a temporary file may hold that is safe elsewhere. Any other text in it is an edit of `expected`
/// that somebody made outside and that is nowhere else.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct TempTexts {
    /// What the note held when it was last compared: what the file holds after the exchange.
    pub(crate) expected: Option<Image>,
    /// What is to be put in the note's place: what the file holds before.
    pub(crate) ours: Option<Image>,
}

/// One write in place.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Overwrite {
    pub(crate) n: u64,
    /// Where the note lies.
    pub(crate) path: VaultPath,
    pub(crate) from: Image,
    pub(crate) to: Image,
}

/// One note of an intent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct IntentNote {
    pub(crate) n: u64,
    pub(crate) path: VaultPath,
    pub(crate) kind: NoteChangeKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<VaultPath>,
    pub(crate) before: Option<Image>,
    pub(crate) after: Option<Image>,
    /// Of a note that is deleted, what its file has; of one that is restored, what it is to have.
    /// Lines that do not say so are of an earlier Nova.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<Attributes>,
    /// Folders that were missing and are made for it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) folders: Vec<String>,
}

/// Keeps other Novas from writing until it is dropped. Between writing a note and finding that
/// an edit came in between, a text is there that may be reverted; another process must not build
/// on it. Without the lock, because the file system knows none or a Nova hangs that holds it,
/// writing continues after a while: an edit of a program that knows nothing of locks is no
/// different.
pub(crate) fn lock_writing(folder: &Path) -> io::Result<Option<File>> {
    lock_file(folder, ".lock")
}

/// Waits for a lock on a file of this name. `None` where there are no locks, or after ten seconds.
fn lock_file(folder: &Path, name: &str) -> io::Result<Option<File>> {
    make_private_folder(folder)?;
    let file = open_private(&folder.join(name), Open::Any)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name} is not a regular file")));
    }
    for _ in 0..1000 {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
            Err(TryLockError::Error(error)) => {
                tracing::debug!("no lock in {}: {error}", folder.display());
                return Ok(None);
            }
        }
    }
    tracing::warn!("another Nova has held {name} in {} for ten seconds", folder.display());
    Ok(None)
}

/// Takes a lock that nobody keeps. Who has it for a moment is waited for: a process that the one which had it
/// is just starting has all of its files until then, and another process may be asking whether somebody
/// has it.
fn lock_soon(file: &File) -> Result<(), TryLockError> {
    for _ in 0..10 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(3)),
            other => return other,
        }
    }
    file.try_lock()
}

pub(crate) fn lines_path(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.jsonl"))
}

pub(crate) fn images_path(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.images"))
}
