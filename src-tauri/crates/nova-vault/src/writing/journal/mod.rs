//! The journal of change sets: planned writes with their authors and the bytes before and after, durable
//! before the first byte of the vault changes.
//!
//! A change set consists of two append-only files with a single writer, `<id>.jsonl` (lines) and
//! `<id>.images` (concatenated note texts). A live process holds a lock on the first; other processes may
//! read both at any time. Small additions are made durable by a write-ahead log ([`ahead`]); the files of
//! the next set are prepared when one is complete ([`spare`]).

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

/// A range of bytes in the images file of a change set.
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

/// One line of a journal file. Readers skip unknown lines.
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
        /// Missing if the file system does not report it, or in lines of older versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<FolderId>,
    },
    /// The set belongs to this vault: its folder was renamed or moved, or not recorded.
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
    /// The write of a note continues with other texts because of a concurrent edit.
    Amended {
        n: u64,
        before: Option<Image>,
        after: Option<Image>,
        /// The whole text of the edit, which is merged into `after`. Missing in lines of older versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        took: Option<ContentHash>,
    },
    /// The new texts of a temporary file of record `n`. A file without such a line has those announced by
    /// the record: it expects `before` and puts `after` in place.
    Temp {
        n: u64,
        temp: u64,
        #[serde(flatten)]
        texts: TempTexts,
    },
    Done {
        n: u64,
    },
    /// Nothing was written to that note.
    Failed {
        n: u64,
        reason: String,
    },
    /// That note was written and reverted.
    Reverted {
        n: u64,
    },
    /// An outside version that could not be merged; also stored in the named file.
    #[serde(rename = "kept")]
    SavedText {
        n: u64,
        file: String,
        text: Image,
        /// It comes from an interrupted write in place.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cut: bool,
    },
    /// An outside edit in the file displaced by write `n` is safe; the file is retained for a while in case
    /// its writer continues.
    BroughtBack {
        n: u64,
        text: ContentHash,
    },
    /// A note's bytes are about to be overwritten, `from` by `to`. Until the line `Whole` it may be a
    /// mixture of both.
    InPlace(Overwrite),
    /// The note written in place by record `n` is whole again.
    Whole {
        n: u64,
    },
    /// Records of another set that this set reverted.
    #[serde(rename = "undid")]
    Undo {
        set: String,
        records: Vec<(u64, VaultPath)>,
        /// For each record the numbers of this set's writes that reverted it. Missing in lines of older
        /// versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Vec<(u64, Vec<u64>)>>,
    },
    /// The following writes revert these records of another set; `Undo` records that they did.
    Undoing {
        set: String,
        records: Vec<(u64, VaultPath)>,
    },
    Committed {
        at: Timestamp,
    },
    /// No temporary file of this set remains in the vault.
    Swept,
}

/// The texts of a temporary file that are safe elsewhere. Any other text in it is an outside edit of
/// `expected` with no other copy.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct TempTexts {
    /// The note's text when last compared: the file's content after the exchange.
    pub(crate) expected: Option<Image>,
    /// The text to put in place: the file's content before the exchange.
    pub(crate) ours: Option<Image>,
}

/// A write in place.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Overwrite {
    pub(crate) n: u64,
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
    /// Attributes of the file: the present ones for a deletion, the ones to apply for a restored note.
    /// Missing in lines of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<Attributes>,
    /// Missing folders to be created for it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) folders: Vec<String>,
}

/// Keeps other processes from writing until it is dropped. Between writing a note and detecting a
/// concurrent edit, the note has a text that may be reverted, on which other processes must not build.
/// Without the lock, because the file system has none or a process hangs while holding it, writing
/// continues after a timeout: a concurrent Nova is then like any other program that ignores the lock.
pub(crate) fn lock_writing(folder: &Path) -> io::Result<Option<File>> {
    lock_file(folder, ".lock")
}

/// Waits for a lock on the file with this name. `None` without lock support, or after ten seconds.
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
                tracing::debug!(path = %folder.display(), %error, "cannot lock the journal");
                return Ok(None);
            }
        }
    }
    tracing::warn!(name, path = %folder.display(), "another process held a journal lock for ten seconds");
    Ok(None)
}

/// Takes a lock that is held briefly at most: by a child process, which inherits all files of its parent
/// until exec, or by a process that queries the lock.
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
