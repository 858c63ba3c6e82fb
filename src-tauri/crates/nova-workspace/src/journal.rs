//! Journal of writes with the previous contents, for undo.
//!
//! Each change set is a folder: `1.json` describes the first write, `1.before` and `1.after` hold the
//! contents. All three are synced before the file is touched; `1.done` is created afterwards. Without it,
//! whether the write happened is unknown, and undo decides by the file's contents.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::change::{FileChangeKind, FileConflict};
use crate::draft::{FileDraft, PlannedFile, into_text};
use crate::error::{FileError, MAX_ATTACHED_BYTES, MAX_WRITTEN_BYTES};
use crate::folder::Folders;
use crate::platform::OLD;
use crate::replace::replace;

/// The journal of all change sets, in one of Nova's own folders.
#[derive(Debug, Clone)]
pub struct FileJournal {
    folder: PathBuf,
}

/// A journaled write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Absolute path of the file.
    pub path: PathBuf,
    pub kind: FileChangeKind,
    /// Id of the call that made it.
    pub call: String,
    /// `model` or `user`.
    pub author: String,
    /// RFC 3339.
    pub at: String,
    /// The bytes may be of any kind; otherwise they are text.
    #[serde(default)]
    pub attached: bool,
    #[serde(skip)]
    pub number: usize,
    /// Nova was killed during the write, so it may not have been made.
    #[serde(skip)]
    pub uncertain: bool,
    /// RFC 3339; `None` unless undone.
    #[serde(skip)]
    pub undone_at: Option<String>,
}

/// The bytes of a file around a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// `None` for a new file.
    pub before: Option<Vec<u8>>,
    /// `None` for a removed one.
    pub after: Option<Vec<u8>>,
}

/// Author, call and time of a write.
#[derive(Debug, Clone)]
pub struct Made {
    pub call: String,
    pub author: String,
    /// RFC 3339.
    pub at: String,
}

/// Result of an undo.
#[derive(Debug, Default)]
pub struct Undone {
    pub paths: Vec<PathBuf>,
    pub conflicts: Vec<FileConflict>,
}

impl FileJournal {
    /// Uses this folder, which is created at the first write.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Applies the planned writes as part of a change set, file by file.
    ///
    /// # Errors
    /// [`FileError::Changed`] for a file that was changed meanwhile; it and the files after it are not
    /// written.
    pub fn apply(&self, draft: &FileDraft, set: &str, made: &Made) -> Result<Vec<FileRecord>, FileError> {
        draft.changes().map(|planned| self.write(planned, set, made)).collect()
    }

    fn write(&self, planned: &PlannedFile, set: &str, made: &Made) -> Result<FileRecord, FileError> {
        let folder = self.folder.join(set);
        let record = FileRecord {
            path: planned.absolute(),
            kind: planned.kind(),
            call: made.call.clone(),
            author: made.author.clone(),
            at: made.at.clone(),
            attached: planned.attached,
            number: 0,
            uncertain: false,
            undone_at: None,
        };
        let announce = || {
            private_folder(&folder)?;
            let number = claim(&folder, &record)?;
            for (what, bytes) in [("before", &planned.before), ("after", &planned.after)] {
                if let Some(bytes) = bytes {
                    put(&folder.join(format!("{number}.{what}")), bytes)?;
                }
            }
            sync(&folder)?;
            Ok(number)
        };
        let fault = |error| FileError::Io { path: folder.display().to_string(), source: error };
        let number = announce().map_err(fault)?;
        if let Err(error) = replace(planned, &temporary(set, number)) {
            if planned.path.bytes(record.most_bytes()).ok() != planned.after {
                // Nothing was written, so there is nothing to undo.
                let _ = fs::remove_file(folder.join(format!("{number}.json")));
            }
            return Err(error);
        }
        put(&folder.join(format!("{number}.done")), b"").map_err(fault)?;
        Ok(FileRecord { number, ..record })
    }

    /// The ids of all change sets, newest first.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn sets(&self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut sets: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        sets.sort_by(|one, other| other.cmp(one));
        Ok(sets)
    }

    /// The writes of a change set, in order; empty for an unknown one.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn records(&self, set: &str) -> io::Result<Vec<FileRecord>> {
        let folder = self.folder.join(checked(set)?);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut records = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            let Some(number) = name.to_str().and_then(|name| name.strip_suffix(".json")?.parse().ok()) else {
                continue;
            };
            let text = fs::read(folder.join(&name))?;
            // A truncated record was never carried out.
            let Ok(record) = serde_json::from_slice::<FileRecord>(&text) else { continue };
            let undone = fs::read_to_string(folder.join(format!("{number}.undone"))).ok();
            let uncertain = !folder.join(format!("{number}.done")).exists();
            records.push(FileRecord { number, uncertain, undone_at: undone, ..record });
        }
        records.sort_by_key(|record| record.number);
        Ok(records)
    }

    /// The bytes before and after a write.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn contents(&self, set: &str, record: &FileRecord) -> io::Result<Contents> {
        let folder = self.folder.join(checked(set)?);
        let bytes = |what: &str| match fs::read(folder.join(format!("{}.{what}", record.number))) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        Ok(Contents { before: bytes("before")?, after: bytes("after")? })
    }

    /// Undoes writes of a change set, newest first, as part of the change set `undo`. A file that was changed
    /// since is a conflict and stays as it is.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn undo(
        &self,
        set: &str,
        wanted: impl Fn(&FileRecord) -> bool,
        open: impl Fn(&Path) -> Folders,
        undo: &str,
        made: &Made,
    ) -> io::Result<Undone> {
        let mut undone = Undone::default();
        let records = self.records(set)?;
        for record in records.iter().rev().filter(|record| record.undone_at.is_none() && wanted(record)) {
            let Contents { before, after } = self.contents(set, record)?;
            let conflict = |reason: String, theirs: String| FileConflict {
                path: record.path.clone(),
                kind: match before {
                    Some(_) => FileChangeKind::Modified,
                    None => FileChangeKind::Deleted,
                },
                reason,
                mine: match &before {
                    Some(bytes) if !record.attached => String::from_utf8_lossy(bytes).into_owned(),
                    _ => String::new(),
                },
                theirs,
                // Bytes cannot be chosen in place of a text.
                unreadable: record.attached && before.is_some(),
            };
            let unreadable = |error: FileError| FileConflict {
                unreadable: true,
                ..conflict(error.to_string(), String::new())
            };
            let path = match open(&record.path).find(&record.path.display().to_string()) {
                Ok(path) => path,
                Err(error) => {
                    undone.conflicts.push(unreadable(error));
                    continue;
                }
            };
            let now = match path.bytes(record.most_bytes()) {
                Ok(bytes) => Some(bytes),
                Err(FileError::NotFound { .. }) => None,
                Err(error) => {
                    undone.conflicts.push(unreadable(error));
                    continue;
                }
            };
            let written = match now == after {
                _ if now == before => Ok(()),
                true => {
                    let (before, after) = (now.clone(), before.clone());
                    let planned =
                        PlannedFile { path: path.clone(), before, after, attached: record.attached };
                    self.write(&planned, undo, made).map(drop)
                }
                false => Err(FileError::Changed { path: path.to_string() }),
            };
            match written {
                Ok(()) => {
                    let mark = self.folder.join(set).join(format!("{}.undone", record.number));
                    put(&mark, made.at.as_bytes())?;
                    undone.paths.push(record.path.clone());
                }
                Err(error) => undone.conflicts.push(match into_text(&path, now.unwrap_or_default()) {
                    Ok(theirs) => conflict(error.to_string(), theirs),
                    Err(_) if record.attached => unreadable(error),
                    Err(no_text) => unreadable(no_text),
                }),
            }
        }
        Ok(undone)
    }

    /// Deletes change sets whose first write is older than `before` (RFC 3339, UTC).
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn prune(&self, before: &str) -> io::Result<()> {
        for set in self.sets()? {
            let folder = self.folder.join(&set);
            let first = fs::read(folder.join("1.json")).ok();
            let first = first.and_then(|text| serde_json::from_slice::<FileRecord>(&text).ok());
            if first.is_none_or(|first| first.at.as_str() < before) {
                fs::remove_dir_all(folder)?;
            }
        }
        Ok(())
    }

    /// Removes temporary files of interrupted writes. A file that contains neither of the journaled texts is
    /// an outside edit and stays.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn sweep(&self, open: impl Fn(&Path) -> Folders) -> io::Result<()> {
        for set in self.sets()? {
            if fs::read_dir(self.folder.join(&set))?.flatten().all(|entry| self.is_done(&set, &entry)) {
                continue;
            }
            for record in self.records(&set)?.iter().filter(|record| record.uncertain) {
                let Contents { before, after } = self.contents(&set, record)?;
                for ending in ["", OLD] {
                    let name = format!("{}{ending}", temporary(&set, record.number));
                    let place = record.path.with_file_name(name).display().to_string();
                    let Ok(left) = open(&record.path).find(&place) else { continue };
                    let is_own = left
                        .bytes(record.most_bytes())
                        .is_ok_and(|bytes| [&before, &after].contains(&&Some(bytes)));
                    if is_own {
                        left.folder.dir().remove_file(left.relative())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether this record's write was completed.
    fn is_done(&self, set: &str, entry: &fs::DirEntry) -> bool {
        let name = entry.file_name().to_string_lossy().into_owned();
        let announced = name.strip_suffix(".json");
        announced.is_none_or(|number| self.folder.join(set).join(format!("{number}.done")).exists())
    }
}

impl FileRecord {
    fn most_bytes(&self) -> u64 {
        if self.attached { MAX_ATTACHED_BYTES } else { MAX_WRITTEN_BYTES }
    }
}

/// Name of the temporary file beside the written one.
fn temporary(set: &str, number: usize) -> String {
    format!(".nova-{set}-{number}.tmp")
}

/// Allows letters, digits, hyphens and underscores only, so that an id cannot be a path.
fn checked(set: &str) -> io::Result<&str> {
    let legal =
        !set.is_empty() && set.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if legal {
        Ok(set)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a change set"))
    }
}

/// Allocates the next number, uniquely among concurrent processes.
fn claim(folder: &Path, record: &FileRecord) -> io::Result<usize> {
    let text = serde_json::to_vec(record)?;
    for number in 1.. {
        match put(&folder.join(format!("{number}.json")), &text) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| number),
        }
    }
    Err(io::ErrorKind::StorageFull.into())
}

fn put(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(file)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Syncs a directory, where supported.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { fs::File::open(folder)?.sync_all() } else { Ok(()) }
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
