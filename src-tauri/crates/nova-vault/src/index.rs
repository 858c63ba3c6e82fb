//! All notes of the vault, compared with the disk at every question. The memory of what was
//! read only saves reading again what did not change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use jiff::Timestamp;
use unicode_normalization::UnicodeNormalization;

use crate::disk::{Disk, Entry, Stamp};
use crate::error::VaultError;
use crate::note::{ContentHash, Document, FrontMatter, VaultPath};
use crate::vault::{Note, Problem};

/// Texts are remembered up to this many bytes in all; beyond it a note is read when asked for.
const TEXT_BUDGET: usize = 64 * 1024 * 1024;

/// File times are only so fine: what was touched this shortly before it was read may have been
/// touched again without a trace. In nanoseconds.
const RACY: i128 = 2_000_000_000;

#[derive(Debug, Default)]
pub(crate) struct Index {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    notes: HashMap<VaultPath, Seen>,
    text_bytes: usize,
}

/// One note as it was when it was last read.
#[derive(Debug)]
struct Seen {
    stamp: Stamp,
    /// Nanoseconds since 1970.
    read_at: i128,
    head: Arc<Head>,
    note: Option<Note>,
}

/// What is always remembered of a note.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) path: VaultPath,
    /// Without a property where the note cannot be read.
    pub(crate) document: Arc<Document>,
    /// Why the note cannot be read at all, and the remedy.
    unreadable: Option<(String, String)>,
    /// What the bytes were; `None` where the note cannot be read.
    pub(crate) hash: Option<ContentHash>,
}

/// The vault at one moment, notes in order of their paths.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) heads: Vec<Arc<Head>>,
    /// Files that are no notes, in order of their paths.
    pub(crate) files: Vec<VaultPath>,
    pub(crate) folders: usize,
    pub(crate) problems: Vec<Problem>,
}

impl Index {
    /// Compares everything known with the disk and reads what may differ.
    pub(crate) fn listing(&self, disk: &Disk) -> Result<Listing, VaultError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut listing = Listing::default();
        let mut present = HashMap::new();
        disk.walk(|entry| match entry {
            Entry::Folder => listing.folders += 1,
            Entry::Note { path, stamp } => {
                present.insert(path, stamp);
            }
            Entry::File { path } => listing.files.push(path),
            Entry::Unusable { path, reason, remedy } => listing.problems.push(Problem {
                path,
                line: 1,
                problem: format!("{reason}; it is not read"),
                remedy: remedy.to_owned(),
            }),
        })?;
        known.forget(|path| !present.contains_key(path));
        for (path, stamp) in present {
            if !known.is_current(&path, &stamp) {
                known.read(disk, path);
            }
        }
        listing.heads = known.notes.values().map(|n| Arc::clone(&n.head)).collect();
        listing.heads.sort_by(|a, b| a.path.cmp(&b.path));
        listing.files.sort();
        for head in &listing.heads {
            listing.problems.extend(head.problem());
        }
        listing.problems.sort();
        Ok(listing)
    }

    /// The note as the last [`Index::listing`] saw it; `None` when it can no longer be read.
    pub(crate) fn note(&self, disk: &Disk, head: &Head) -> Option<Note> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = known.notes.get(&head.path)
            && let Some(note) = &seen.note
        {
            return Some(note.clone());
        }
        drop(known);
        read_note(disk, &head.path).ok()
    }
}

impl Known {
    fn forget(&mut self, gone: impl Fn(&VaultPath) -> bool) {
        let mut bytes = 0;
        self.notes.retain(|path, seen| {
            let keep = !gone(path);
            if keep {
                bytes += seen.text_bytes();
            }
            keep
        });
        self.text_bytes = bytes;
    }

    fn is_current(&self, path: &VaultPath, stamp: &Stamp) -> bool {
        self.notes
            .get(path)
            .is_some_and(|seen| seen.stamp == *stamp && seen.stamp.touched() + RACY < seen.read_at)
    }

    fn read(&mut self, disk: &Disk, path: VaultPath) {
        let read_at = nanos_now();
        let old = self.notes.remove(&path);
        self.text_bytes -= old.as_ref().map_or(0, Seen::text_bytes);
        let seen = match disk.read(&path) {
            Ok(found) => {
                let hash = ContentHash::of(found.text.as_bytes());
                let stamp = found.stamp;
                let unchanged =
                    old.and_then(|old| (old.head.hash == Some(hash)).then_some((old.head, old.note)));
                let (head, note) = match unchanged {
                    // Touched without a change: the parsed form still holds.
                    Some((head, Some(mut note))) => {
                        note.modified = timestamp(found.modified);
                        (head, note)
                    }
                    _ => {
                        let note = note(&path, found.text, hash, found.modified);
                        (Arc::new(Head::of(&note)), note)
                    }
                };
                let fits = self.text_bytes + note.text.len() <= TEXT_BUDGET;
                Seen { stamp, read_at, head, note: fits.then_some(note) }
            }
            // Vanished since the walk: not there.
            Err(VaultError::NotFound { .. }) => return,
            Err(error) => Seen {
                stamp: Stamp::unknown(),
                read_at,
                head: Arc::new(Head::unreadable(&path, &error)),
                note: None,
            },
        };
        self.text_bytes += seen.text_bytes();
        self.notes.insert(path, seen);
    }
}

impl Seen {
    fn text_bytes(&self) -> usize {
        self.note.as_ref().map_or(0, |note| note.text.len())
    }
}

impl Head {
    fn of(note: &Note) -> Head {
        Head {
            path: note.path.clone(),
            document: Arc::clone(&note.document),
            unreadable: None,
            hash: Some(note.hash),
        }
    }

    fn unreadable(path: &VaultPath, error: &VaultError) -> Head {
        Head {
            path: path.clone(),
            document: Arc::new(Document::parse("")),
            unreadable: Some((error.message(), error.hint())),
            hash: None,
        }
    }

    pub(crate) fn record_type(&self) -> Option<&str> {
        self.document.record_type()
    }

    /// Line and reason of front matter that cannot be read.
    pub(crate) fn broken(&self) -> Option<(u32, &str)> {
        match self.document.front_matter() {
            FrontMatter::Broken { line, reason } => Some((*line, reason)),
            FrontMatter::Absent | FrontMatter::Present(_) => None,
        }
    }

    /// Whether the note can be read as text.
    pub(crate) fn is_readable(&self) -> bool {
        self.unreadable.is_none()
    }

    fn problem(&self) -> Option<Problem> {
        let (line, problem, remedy) = match (&self.unreadable, self.broken()) {
            (Some((problem, remedy)), _) => (1, problem.clone(), remedy.clone()),
            (None, Some((line, reason))) => (
                line,
                format!("the front matter cannot be read: {reason}"),
                "Correct that line in the note.".to_owned(),
            ),
            (None, None) => return None,
        };
        Some(Problem { path: self.path.as_str().to_owned(), line, problem, remedy })
    }
}

/// Reads one note from the disk.
pub(crate) fn read_note(disk: &Disk, path: &VaultPath) -> Result<Note, VaultError> {
    let found = disk.read(path)?;
    let hash = ContentHash::of(found.text.as_bytes());
    Ok(note(path, found.text, hash, found.modified))
}

fn note(path: &VaultPath, text: String, hash: ContentHash, modified: SystemTime) -> Note {
    Note {
        path: path.clone(),
        document: Arc::new(Document::parse(&text)),
        text: text.into(),
        hash,
        modified: timestamp(modified),
    }
}

fn timestamp(time: SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn nanos_now() -> i128 {
    // Compared with file times only, so it is the system's clock and not the caller's.
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i128)
}

/// A name as it is compared: composed, without case.
pub(crate) fn folded(name: &str) -> String {
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}
