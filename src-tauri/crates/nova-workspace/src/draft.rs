//! Planned writes.

use std::io::Read as _;
use std::path::PathBuf;

use crate::change::{FileChangeKind, FileConflict};
use crate::error::{FileError, MAX_ATTACHED_BYTES, MAX_WRITTEN_BYTES};
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
    pub(crate) before: Option<Vec<u8>>,
    /// `None` for a removal.
    pub(crate) after: Option<Vec<u8>>,
    /// The bytes may be of any kind; otherwise they are text.
    pub(crate) attached: bool,
}

impl PlannedFile {
    /// The absolute path.
    pub fn absolute(&self) -> PathBuf {
        self.path.absolute()
    }

    pub fn path(&self) -> &FilePath {
        &self.path
    }

    pub fn before(&self) -> Option<&[u8]> {
        self.before.as_deref()
    }

    pub fn after(&self) -> Option<&[u8]> {
        self.after.as_deref()
    }

    /// Whether the bytes may be of any kind; otherwise they are text.
    pub fn is_attached(&self) -> bool {
        self.attached
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
            return Err(FileError::TooLarge { path: path.to_string(), most: MAX_WRITTEN_BYTES });
        }
        let after = Some(text.into_bytes());
        if let Some(planned) = self.planned_for(path) {
            (planned.after, planned.attached) = (after, false);
            return Ok(planned.before.is_none());
        }
        let before = match path.text() {
            Ok(before) => Some(before.into_bytes()),
            Err(FileError::NotFound { .. }) => None,
            Err(error) => return Err(error),
        };
        let is_new = before.is_none();
        self.planned.push(PlannedFile { path: path.clone(), before, after, attached: false });
        Ok(is_new)
    }

    /// Plans a new file in a folder, which is created if it is missing. Never replaces a file: if the name is
    /// taken, it is numbered (`plan 1.pdf`). Returns the path of the file.
    ///
    /// # Errors
    /// In a read-only or hidden folder, for a name that is none, and for more than [`MAX_ATTACHED_BYTES`].
    pub fn attach(&mut self, folder: &FilePath, name: &str, bytes: Vec<u8>) -> Result<FilePath, FileError> {
        folder.check_access()?;
        let wanted = folder.child(name)?;
        if wanted.below.split('/').any(|part| part.starts_with('.')) {
            return Err(FileError::Hidden { path: wanted.to_string() });
        }
        match folder.folder.dir().symlink_metadata(folder.relative()) {
            Ok(found) if !found.is_dir() => {
                let kind = crate::kind::kind_of(&found).unwrap_or("a file");
                return Err(FileError::Kind { path: folder.to_string(), kind });
            }
            _ => {}
        }
        if bytes.len() as u64 > MAX_ATTACHED_BYTES {
            return Err(FileError::TooLarge { path: wanted.to_string(), most: MAX_ATTACHED_BYTES });
        }
        let (stem, extension) = name.rsplit_once('.').map_or((name, None), |(stem, end)| (stem, Some(end)));
        let mut path = wanted;
        for number in 1u32.. {
            if self.planned_for(&path).is_none() && !path.is_taken()? {
                break;
            }
            path = folder.child(&match extension {
                Some(extension) => format!("{stem} {number}.{extension}"),
                None => format!("{stem} {number}"),
            })?;
        }
        let planned = PlannedFile { path: path.clone(), before: None, after: Some(bytes), attached: true };
        self.planned.push(planned);
        Ok(path)
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
            Some(planned) => into_text(path, planned)?,
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
            return Err(FileError::TooLarge { path: path.to_string(), most: MAX_WRITTEN_BYTES });
        }
        let after = Some(after.into_bytes());
        match self.planned_for(path) {
            Some(planned) => planned.after = after,
            None => {
                let (path, before) = (path.clone(), Some(before.into_bytes()));
                self.planned.push(PlannedFile { path, before, after, attached: false });
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
        let before =
            (!is_missing || !conflict.theirs.is_empty()).then(|| conflict.theirs.clone().into_bytes());
        let after = (conflict.kind != FileChangeKind::Deleted).then(|| conflict.mine.clone().into_bytes());
        self.planned.push(PlannedFile { path: path.clone(), before, after, attached: false });
        Ok(())
    }

    /// Both sides of a file that another program changed; `None` for other errors, and if one side is no
    /// text.
    pub fn conflict(&self, error: &FileError) -> Option<FileConflict> {
        let FileError::Changed { path } = error else { return None };
        let planned = self.planned.iter().find(|planned| planned.path.to_string() == *path)?;
        if planned.attached {
            return None;
        }
        let mine = planned.after.clone().map_or(Ok(String::new()), String::from_utf8).ok()?;
        let theirs = match planned.path.text() {
            Ok(text) => text,
            Err(FileError::NotFound { .. }) => String::new(),
            Err(_) => return None,
        };
        Some(FileConflict {
            path: planned.absolute(),
            kind: planned.kind(),
            reason: error.to_string(),
            mine,
            theirs,
            unreadable: false,
        })
    }
}

impl FilePath {
    fn check_writable(&self) -> Result<(), FileError> {
        self.check_access()?;
        if self.below.is_empty() {
            return Err(FileError::Kind { path: self.to_string(), kind: "a folder" });
        }
        Ok(())
    }

    fn check_access(&self) -> Result<(), FileError> {
        if self.folder.access() == Access::Read {
            return Err(FileError::ReadOnly {
                path: self.to_string(),
                folder: self.folder.name().to_owned(),
            });
        }
        Ok(())
    }

    /// A file of this name directly in the folder.
    fn child(&self, name: &str) -> Result<Self, FileError> {
        let below = if self.below.is_empty() { name.to_owned() } else { format!("{}/{name}", self.below) };
        let child = Self { folder: self.folder.clone(), below };
        if name.is_empty() || name.contains(['/', '\\', '\0']) {
            return Err(FileError::Outside { path: child.to_string() });
        }
        Ok(child)
    }

    /// Whether something has this name, even a link.
    fn is_taken(&self) -> Result<bool, FileError> {
        match self.folder.dir().symlink_metadata(self.relative()) {
            Ok(_) => Ok(true),
            Err(error) => match FileError::of(&self.to_string(), error) {
                FileError::NotFound { .. } => Ok(false),
                error => Err(error),
            },
        }
    }

    /// The complete text, from which the file can be restored byte for byte.
    pub(crate) fn text(&self) -> Result<String, FileError> {
        into_text(self, self.bytes(MAX_WRITTEN_BYTES)?)
    }

    /// All bytes of the file, if there are at most `most`.
    pub(crate) fn bytes(&self, most: u64) -> Result<Vec<u8>, FileError> {
        let mut bytes = Vec::new();
        let read = self.open()?.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|error| FileError::of(&self.to_string(), error))?;
        if bytes.len() as u64 > most {
            return Err(FileError::TooLarge { path: self.to_string(), most });
        }
        Ok(bytes)
    }
}

pub(crate) fn into_text(path: &FilePath, bytes: Vec<u8>) -> Result<String, FileError> {
    String::from_utf8(bytes).map_err(|error| FileError::NotText {
        kind: crate::kind::described(error.as_bytes()),
        path: path.to_string(),
        size: error.as_bytes().len() as u64,
    })
}
