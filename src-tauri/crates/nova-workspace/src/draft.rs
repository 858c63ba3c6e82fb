//! Writes planned, not yet made.

use std::io::Read as _;
use std::path::PathBuf;

use crate::change::{FileChangeKind, FileConflict};
use crate::error::{FileError, MAX_WRITTEN_BYTES};
use crate::folder::{Access, FilePath};

/// Files as they are to become. Nothing reaches the disk before [`crate::Kept::apply`]; each file remembers the
/// bytes it was read with, which is what `apply` compares with the disk.
#[derive(Debug, Clone, Default)]
pub struct FileDraft {
    pub(crate) planned: Vec<PlannedFile>,
}

/// One file.
#[derive(Debug, Clone)]
pub struct PlannedFile {
    pub(crate) path: FilePath,
    /// `None` for a new file.
    pub(crate) before: Option<String>,
    /// `None` for a file that is to go.
    pub(crate) after: Option<String>,
}

impl PlannedFile {
    /// Where it is on the disk.
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
    /// The files that would change.
    pub fn changes(&self) -> impl Iterator<Item = &PlannedFile> {
        self.planned.iter().filter(|planned| planned.before != planned.after)
    }

    /// Whether applying it would change nothing.
    pub fn is_empty(&self) -> bool {
        self.changes().next().is_none()
    }

    /// Plans the whole text of a file, there or not. Whether it is new.
    ///
    /// # Errors
    /// In a folder that is only read, and where what is there is no text.
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

    /// Plans the replacement of a text that is in the file exactly `count` times (else once). Line ends do not
    /// matter for finding it, and the new text gets the file's own.
    ///
    /// # Errors
    /// As [`FileDraft::write`], and [`FileError::Count`].
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

    /// What is planned for the file so far.
    fn planned_for(&mut self, path: &FilePath) -> Option<&mut PlannedFile> {
        self.planned.iter_mut().find(|planned| planned.path.absolute() == path.absolute())
    }
}

impl FileDraft {
    /// Plans one side of a conflict in the place of the other. If the other is no longer what is there,
    /// [`crate::Kept::apply`] answers with [`FileError::Changed`].
    ///
    /// # Errors
    /// In a folder that is only read.
    pub fn keep_mine(&mut self, path: &FilePath, conflict: &FileConflict) -> Result<(), FileError> {
        path.check_writable()?;
        let is_missing = matches!(path.text(), Err(FileError::NotFound { .. }));
        let before = (!is_missing || !conflict.theirs.is_empty()).then(|| conflict.theirs.clone());
        let after = (conflict.kind != FileChangeKind::Deleted).then(|| conflict.mine.clone());
        self.planned.push(PlannedFile { path: path.clone(), before, after });
        Ok(())
    }

    /// Both sides of the file that another program changed meanwhile; `None` for another error, and where the file
    /// is no longer a text.
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

    /// The whole file, as it can be written again byte for byte.
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
