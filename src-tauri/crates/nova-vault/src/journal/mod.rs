//! The journal of change sets: what is about to be written, by whom, with the bytes before
//! and after, made to last before the first byte of the vault changes.
//!
//! One change set is two files that only one process appends to, `<id>.jsonl` (lines) and
//! `<id>.images` (note texts, one after the other). While its process lives it holds a lock
//! on the first; any other process may read both at any time.

mod beside;
mod log;
mod mark;

use std::collections::HashMap;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::change::{Author, ChangeSetKind, NoteChangeKind};
use crate::note::{ContentHash, VaultPath};

use beside::Beside;
pub(crate) use log::{Journal, Record, RecordState, SetLog, TakenBack, undone};

/// Bytes in the images file of a change set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Image {
    pub(crate) hash: ContentHash,
    at: u64,
    len: u64,
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
    },
    /// These notes are about to be written.
    Intent {
        at: Timestamp,
        author: Author,
        notes: Vec<IntentNote>,
    },
    /// The write of a note goes on with other texts, because an edit came in between.
    Amended {
        n: u64,
        before: Option<Image>,
        after: Option<Image>,
    },
    Done {
        n: u64,
    },
    /// Nothing of that note was written.
    Failed {
        n: u64,
        reason: String,
    },
    /// That note was written and taken back.
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
    /// should its writer go on.
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
    /// Folders that were missing and are made for it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) folders: Vec<String>,
}

/// More than a line takes that says how a write ended.
const LINE_BYTES: u64 = 512;

/// So many bytes of images wait at most before they are handed to the system.
const MOST_PENDING: usize = 256 * 1024;

/// The writing end of one change set. Holds the lock until it is dropped.
#[derive(Debug)]
pub(crate) struct Writer {
    id: String,
    lines: Arc<File>,
    images: Arc<File>,
    images_len: u64,
    /// The last of the images, not handed to the system yet: many are small.
    pending: Vec<u8>,
    known: HashMap<ContentHash, Image>,
    next: u64,
    temps: u64,
    /// Of the data folder.
    mark: Option<String>,
    /// The folder, until it lasts that the files are in it.
    created_in: Option<PathBuf>,
    /// Images were added that may not last yet.
    unsynced_images: bool,
    /// Lines likewise.
    unsynced_lines: bool,
    /// A line may have been written in part: the next one starts on a line of its own.
    torn: bool,
}

impl Writer {
    /// Creates the files of a new set; `AlreadyExists` when the id is taken.
    pub(crate) fn create(
        journal: &Journal,
        id: &str,
        kind: ChangeSetKind,
        label: &str,
        at: Timestamp,
    ) -> io::Result<Writer> {
        let folder = journal.folder();
        make_private_folder(folder)?;
        let lines = open_private(&lines_path(folder, id), Open::New)?;
        lines.lock()?;
        let images = open_private(&images_path(folder, id), Open::New)?;
        let mut writer = Writer {
            id: id.to_owned(),
            lines: Arc::new(lines),
            images: Arc::new(images),
            images_len: 0,
            pending: Vec::new(),
            known: HashMap::new(),
            next: 0,
            temps: 0,
            mark: journal.mark().map(str::to_owned),
            created_in: Some(folder.to_owned()),
            unsynced_images: false,
            unsynced_lines: false,
            torn: false,
        };
        writer.append(&Line::Opened {
            v: 1,
            id: id.to_owned(),
            kind,
            label: label.to_owned(),
            at,
            vault: journal.vault().to_owned(),
        })?;
        Ok(writer)
    }

    /// Takes over the files of a set whose process is gone; `WouldBlock` when it is not.
    pub(crate) fn take_over(journal: &Journal, log: &SetLog) -> io::Result<Writer> {
        let folder = journal.folder();
        let lines = open_private(&lines_path(folder, &log.id), Open::Existing)?;
        match lines.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let images = open_private(&images_path(folder, &log.id), Open::Existing)?;
        let images_len = images.metadata()?.len();
        Ok(Writer {
            id: log.id.clone(),
            lines: Arc::new(lines),
            images: Arc::new(images),
            images_len,
            pending: Vec::new(),
            known: HashMap::new(),
            next: log.records.iter().map(|r| r.n + 1).max().unwrap_or(0),
            // Past any name the gone process may have used.
            temps: u64::from(std::process::id()) << 16,
            mark: journal.mark().map(str::to_owned),
            created_in: Some(folder.to_owned()),
            unsynced_images: true,
            unsynced_lines: true,
            torn: true,
        })
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The number of the next record.
    pub(crate) fn next_record(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// A name for a temporary file that no other write uses.
    pub(crate) fn next_temp(&mut self) -> String {
        self.temps += 1;
        format!("{}{}{}", temp_prefix(&self.id), self.temps, temp_suffix(self.mark.as_deref()))
    }

    /// Stores bytes, once. They are in the file before a line is that names them.
    pub(crate) fn image(&mut self, bytes: &[u8]) -> io::Result<Image> {
        let hash = ContentHash::of(bytes);
        if let Some(image) = self.known.get(&hash) {
            return Ok(image.clone());
        }
        let image = Image { hash, at: self.images_len, len: bytes.len() as u64 };
        self.unsynced_images = true;
        self.pending.extend_from_slice(bytes);
        self.images_len += image.len;
        self.known.insert(hash, image.clone());
        if self.pending.len() >= MOST_PENDING {
            self.write_pending()?;
        }
        Ok(image)
    }

    fn write_pending(&mut self) -> io::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        if let Err(error) = (&*self.images).write_all(&pending) {
            // Appending: whatever part was written is passed over.
            let begin = self.images_len - pending.len() as u64;
            self.known.retain(|_, image| image.at < begin);
            self.images_len = self.images.metadata()?.len();
            return Err(error);
        }
        Ok(())
    }

    /// Adds a line; whether it lasts is up to [`Writer::sync`].
    pub(crate) fn append(&mut self, line: &Line) -> io::Result<()> {
        self.append_all(std::slice::from_ref(line))
    }

    /// As [`Writer::append`], for many lines at one go.
    pub(crate) fn append_all(&mut self, lines: &[Line]) -> io::Result<()> {
        self.write_pending()?;
        let mut text = Vec::new();
        if self.torn {
            text.push(b'\n');
        }
        for line in lines {
            serde_json::to_writer(&mut text, line).map_err(io::Error::other)?;
            text.push(b'\n');
        }
        self.torn = true;
        self.unsynced_lines = true;
        (&*self.lines).write_all(&text)?;
        self.torn = false;
        Ok(())
    }

    /// Makes sure that so many lines of the usual length find space, before a byte of the vault
    /// changes: on a disk that fills up meanwhile it can still be said how it ended.
    pub(crate) fn reserve(&self, lines: usize) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{FallocateFlags, fallocate};
            use rustix::io::Errno;
            let end = self.lines.metadata()?.len();
            let bytes = lines as u64 * LINE_BYTES;
            if let Err(full @ (Errno::NOSPC | Errno::DQUOT)) =
                fallocate(&*self.lines, FallocateFlags::KEEP_SIZE, end, bytes)
            {
                return Err(full.into());
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = lines;
        Ok(())
    }

    /// Makes everything written here last through a power cut.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.sync_with(|| Ok(()))
    }

    /// As [`Writer::sync`], while `beside` makes something else last: all of it waits for the disk
    /// side by side. A power cut meanwhile may leave lines that name images which are not whole;
    /// nothing that these lines announce has happened then.
    pub(crate) fn sync_with(&mut self, beside: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        self.write_pending()?;
        let names = self.created_in.clone();
        let images = self.unsynced_images.then(|| Arc::clone(&self.images));
        let lines = self.unsynced_lines.then(|| Arc::clone(&self.lines));
        let waiting = [
            names.map(|folder| Beside::begin(move || sync_path(&folder))),
            images.map(|file| Beside::begin(move || file.sync_data())),
            lines.map(|file| Beside::begin(move || file.sync_data())),
        ];
        let mut result = beside();
        for synced in waiting.into_iter().flatten() {
            result = result.and(synced.end());
        }
        result?;
        self.created_in = None;
        self.unsynced_images = false;
        self.unsynced_lines = false;
        Ok(())
    }
}

/// Keeps other Novas from writing until it is dropped. Between writing a note and finding that
/// an edit came in between, a text is there that may be taken back; another Nova must not build
/// on it. Without the lock, because the file system knows none or a Nova hangs that holds it,
/// writing goes on after a while: an edit of a program that knows nothing of locks is no
/// different.
pub(crate) fn lock_writing(folder: &Path) -> io::Result<Option<File>> {
    make_private_folder(folder)?;
    let file = open_private(&folder.join(".lock"), Open::Any)?;
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
    tracing::warn!("another Nova has been writing for ten seconds");
    Ok(None)
}

/// What the names of a set's temporary files in the vault start with.
pub(crate) fn temp_prefix(id: &str) -> String {
    format!(".nova-{id}-")
}

/// What the names of temporary files in the vault end with.
pub(crate) fn temp_suffix(mark: Option<&str>) -> String {
    mark.map_or_else(|| ".tmp".to_owned(), |mark| format!(".{mark}.tmp"))
}

pub(crate) fn lines_path(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.jsonl"))
}

pub(crate) fn images_path(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.images"))
}

/// Writes a file that only the user reads, in a folder that only the user opens.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        make_private_folder(folder)?;
    }
    let mut file = open_private(path, Open::New)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes a folder that only the user opens, with those above it.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
        builder.mode(0o700);
        builder.create(folder)?;
        let metadata = folder.metadata()?;
        if metadata.permissions().mode() & 0o077 != 0 {
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
        }
    }
    #[cfg(not(unix))]
    builder.create(folder)?;
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    New,
    Existing,
    Any,
}

fn open_private(path: &Path, open: Open) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(open == Open::Any).create_new(open == Open::New);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

fn sync_path(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
