//! Planned writes.

use std::io::Read as _;
use std::path::PathBuf;

use crate::change::{FileChangeKind, FileConflict};
use crate::error::{FileError, MAX_WRITTEN_BYTES};
use crate::folder::{Access, FilePath};

/// The planned contents of files. Nothing is written before [`crate::FileJournal::apply`]; each file retains
/// the text it was read with, which `apply` compares with the disk.
#[derive(Debug, Clone, Default)]
pub struct FileDraft {
    pub(crate) planned: Vec<PlannedFile>,
}

/// The plan for one file.
#[derive(Debug, Clone)]
pub struct PlannedFile {
    pub(crate) path: FilePath,
    /// `None` for a new file.
    pub(crate) before: Option<String>,
    /// `None` for a removal.
    pub(crate) after: Option<String>,
}

impl PlannedFile {
    /// The absolute path.
    pub fn absolute(&self) -> PathBuf {
        self.path.absolute()
    }

    pub fn path(&self) -> &FilePath {
        &self.path
    }

    pub fn before(&self) -> Option<&str> {
        self.before.as_deref()
    }

    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    pub(crate) fn kind(&self) -> FileChangeKind {
        match (&self.before, &self.after) {
            (None, _) => FileChangeKind::Created,
            (_, Some(_)) => FileChangeKind::Modified,
            (_, None) => FileChangeKind::Deleted,
        }
    }
}

impl FileDraft {
    /// The files whose text would change.
    pub fn changes(&self) -> impl Iterator<Item = &PlannedFile> {
        self.planned.iter().filter(|planned| planned.before != planned.after)
    }

    /// Whether applying it would change nothing.
    pub fn is_empty(&self) -> bool {
        self.changes().next().is_none()
    }

    /// Plans the complete text of a new or existing file. Returns whether it is new.
    ///
    /// # Errors
    /// In a read-only folder, and if the existing file is not text.
    pub fn write(&mut self, path: &FilePath, text: String) -> Result<bool, FileError> {
        path.check_writable()?;
        if text.len() as u64 > MAX_WRITTEN_BYTES {
            return Err(FileError::TooLarge { path: path.to_string() });
        }
        if let Some(planned) = self.planned_for(path) {
            planned.after = Some(text);
            return Ok(planned.before.is_none());
        }
        let before = match path.text() {
            Ok(before) => Some(before),
            Err(FileError::NotFound { .. }) => None,
            Err(error) => return Err(error),
        };
        let is_new = before.is_none();
        self.planned.push(PlannedFile { path: path.clone(), before, after: Some(text) });
        Ok(is_new)
    }

    /// Plans to replace a text that occurs exactly `count` times (default 1). Line endings are ignored when
    /// matching, and the new text gets those of the file.
    ///
    /// # Errors
    /// As for [`FileDraft::write`], and [`FileError::Count`].
    pub fn edit(
        &mut self,
        path: &FilePath,
        old: &str,
        new: &str,
        count: Option<usize>,
    ) -> Result<(), FileError> {
        path.check_writable()?;
        let planned = self.planned_for(path).and_then(|planned| planned.after.clone());
        let before = match planned {
            Some(planned) => planned,
            None => path.text()?,
        };
        let ends_with_return = before.contains("\r\n");
        let own = |text: &str| match ends_with_return {
            true => text.replace("\r\n", "\n").replace('\n', "\r\n"),
            false => text.to_owned(),
        };
        let (old, new) = (own(old), own(new));
        let expected = count.unwrap_or(1);
        let found = if old.is_empty() { 0 } else { before.matches(&old).count() };
        if found != expected || expected == 0 {
            return Err(FileError::Count { path: path.to_string(), found, expected });
        }
        let after = before.replace(&old, &new);
        if after.len() as u64 > MAX_WRITTEN_BYTES {
            return Err(FileError::TooLarge { path: path.to_string() });
        }
        match self.planned_for(path) {
            Some(planned) => planned.after = Some(after),
            None => {
                let path = path.clone();
                self.planned.push(PlannedFile { path, before: Some(before), after: Some(after) });
            }
        }
        Ok(())
    }

    /// The plan for this file so far.
    fn planned_for(&mut self, path: &FilePath) -> Option<&mut PlannedFile> {
        self.planned.iter_mut().find(|planned| planned.path.absolute() == path.absolute())
    }
}

impl FileDraft {
    /// Plans to overwrite the other side of a conflict with Nova's. If the file has changed again by then,
    /// [`crate::FileJournal::apply`] returns [`FileError::Changed`].
    ///
    /// # Errors
    /// In a read-only folder.
    pub fn keep_mine(&mut self, path: &FilePath, conflict: &FileConflict) -> Result<(), FileError> {
        path.check_writable()?;
        let is_missing = matches!(path.text(), Err(FileError::NotFound { .. }));
        let before = (!is_missing || !conflict.theirs.is_empty()).then(|| conflict.theirs.clone());
        let after = (conflict.kind != FileChangeKind::Deleted).then(|| conflict.mine.clone());
        self.planned.push(PlannedFile { path: path.clone(), before, after });
        Ok(())
    }

    /// Both sides of a file that another program changed; `None` for other errors, and if the file is no
    /// longer text.
    pub fn conflict(&self, error: &FileError) -> Option<FileConflict> {
        let FileError::Changed { path } = error else { return None };
        let planned = self.planned.iter().find(|planned| planned.path.to_string() == *path)?;
        let theirs = match planned.path.text() {
            Ok(text) => text,
            Err(FileError::NotFound { .. }) => String::new(),
            Err(_) => return None,
        };
        Some(FileConflict {
            path: planned.absolute(),
            kind: planned.kind(),
            reason: error.to_string(),
            mine: planned.after.clone().unwrap_or_default(),
            theirs,
            unreadable: false,
        })
    }
}

impl FilePath {
    fn check_writable(&self) -> Result<(), FileError> {
        if self.folder.access() == Access::Read {
            return Err(FileError::ReadOnly {
                path: self.to_string(),
                folder: self.folder.name().to_owned(),
            });
        }
        if self.below.is_empty() {
            return Err(FileError::Kind { path: self.to_string(), kind: "a folder" });
        }
        Ok(())
    }

    /// The complete text, from which the file can be restored byte for byte.
    pub(crate) fn text(&self) -> Result<String, FileError> {
        let shown = self.to_string();
        let fault = |error| FileError::of(&shown, error);
        let file = self.open()?;
        let size = file.metadata().map_err(fault)?.len();
        let mut bytes = Vec::new();
        file.take(MAX_WRITTEN_BYTES + 1).read_to_end(&mut bytes).map_err(fault)?;
        if bytes.len() as u64 > MAX_WRITTEN_BYTES {
            return Err(FileError::TooLarge { path: shown });
        }
        String::from_utf8(bytes).map_err(|error| FileError::NotText {
            kind: crate::kind::described(error.as_bytes()),
            path: shown,
            size,
        })
    }
}
