//! Directory listings and globs.

use crate::Stop;
use crate::error::FileError;
use crate::folder::FilePath;
use crate::kind::kind_of;
use crate::walk::PathPattern;

/// A directory entry.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Entry {
    pub name: String,
    pub kind: EntryKind,
    /// In bytes; files only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    Folder,
    File,
    Link,
    Other,
}

/// A directory listing: folders first, each kind sorted by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    pub entries: Vec<Entry>,
    /// Number of entries not shown; a lower bound in very large folders.
    pub more: usize,
}

/// The matching files, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GlobAnswer {
    pub paths: Vec<String>,
    /// The limit was reached.
    pub more: bool,
}

/// Maximum number of entries scanned.
const MOST_ENTRIES: usize = 100_000;

impl FilePath {
    /// Lists the entries of this folder.
    ///
    /// # Errors
    /// When it is not a folder.
    pub fn list(&self, limit: usize, stop: Stop<'_>) -> Result<Listing, FileError> {
        let shown = self.to_string();
        let fault = |error| FileError::of(&shown, error);
        let found = self.folder.dir().metadata(self.relative()).map_err(fault)?;
        if !found.is_dir() {
            return Err(FileError::Kind { path: shown, kind: kind_of(&found).unwrap_or("a file") });
        }
        let mut entries = Vec::new();
        for entry in self.folder.dir().read_dir(self.relative()).map_err(fault)?.take(MOST_ENTRIES) {
            if stop() {
                return Err(FileError::Stopped);
            }
            // Deleted meanwhile.
            let Ok(entry) = entry else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            let kind = match kind {
                kind if kind.is_dir() => EntryKind::Folder,
                kind if kind.is_file() => EntryKind::File,
                kind if kind.is_symlink() => EntryKind::Link,
                _ => EntryKind::Other,
            };
            entries.push((kind, entry.file_name().to_string_lossy().into_owned()));
        }
        entries.sort();
        let more = entries.len().saturating_sub(limit);
        entries.truncate(limit);
        let size = |kind, name: &str| {
            let below = self.relative().join(name);
            let found = self.folder.dir().symlink_metadata(below).ok();
            found.filter(|_| kind == EntryKind::File).map(|found| found.len())
        };
        let entries = entries.into_iter().map(|(kind, name)| Entry { size: size(kind, &name), kind, name });
        Ok(Listing { entries: entries.collect(), more })
    }

    /// Finds files in this folder whose path matches, except ignored and hidden ones.
    ///
    /// # Errors
    /// When the pattern is invalid.
    pub fn glob(&self, pattern: &str, limit: usize, stop: Stop<'_>) -> Result<GlobAnswer, FileError> {
        let pattern = PathPattern::new(pattern)?;
        let mut answer = GlobAnswer::default();
        let mut walk = self.walk();
        // In path order, so that a limited result holds the first paths.
        walk.sort_by_file_name(std::ffi::OsStr::cmp);
        for entry in walk.build() {
            if stop() {
                return Err(FileError::Stopped);
            }
            let Ok(entry) = entry else { continue };
            let Some(met) = self.met(entry.path()) else { continue };
            let below = entry.path().strip_prefix(self.absolute()).unwrap_or(entry.path());
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            if !is_file || !pattern.is_match(below) {
                continue;
            }
            let confirmed = self.folder.dir().symlink_metadata(met.relative());
            if confirmed.is_ok_and(|found| found.is_file()) {
                if answer.paths.len() == limit {
                    answer.more = true;
                    break;
                }
                answer.paths.push(met.to_string());
            }
        }
        Ok(answer)
    }
}
