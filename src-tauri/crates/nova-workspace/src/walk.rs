//! Walking a folder as ripgrep does: ignore files count, hidden files and links are left out.
//!
//! The walk itself goes by paths, so a link that is swapped in for a folder could lead it astray. Nothing that it
//! meets is used before the handle of the folder has confirmed it.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;

use crate::error::FileError;
use crate::folder::FilePath;

impl FilePath {
    /// A walk below this path. Nothing outside of it is read, neither the ignore files of folders above nor the
    /// user's own.
    pub(crate) fn walk(&self) -> WalkBuilder {
        let mut walk = WalkBuilder::new(self.absolute());
        walk.parents(false).git_global(false).follow_links(false).same_file_system(false);
        walk
    }

    /// What the walk met, as a path below the same folder.
    pub(crate) fn met(&self, path: &Path) -> Option<FilePath> {
        let below = path.strip_prefix(self.folder.path()).ok()?.to_str()?;
        Some(FilePath { folder: self.folder.clone(), below: below.replace('\\', "/") })
    }
}

/// A pattern over paths below a folder (`src/**/*.rs`); one without a slash is for names, wherever they lie.
#[derive(Debug, Clone)]
pub struct PathPattern(GlobMatcher);

impl PathPattern {
    /// # Errors
    /// [`FileError::Pattern`].
    pub fn new(pattern: &str) -> Result<Self, FileError> {
        let pattern = pattern.trim_start_matches('/');
        let anywhere = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
        let glob = GlobBuilder::new(&anywhere).literal_separator(true).build();
        let glob = glob.map_err(|error| FileError::Pattern { reason: error.to_string() })?;
        Ok(Self(glob.compile_matcher()))
    }

    pub fn is_match(&self, below: impl AsRef<Path>) -> bool {
        self.0.is_match(below)
    }
}
