//! Walks a folder like ripgrep: respects ignore files, skips hidden files and links.
//!
//! The walk uses paths, so a link swapped in for a folder can redirect it. Its results must be verified with
//! the handle of the folder before use.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;

use crate::error::FileError;
use crate::folder::FilePath;

impl FilePath {
    /// A walk of this path. It reads nothing outside, neither ignore files of parent folders nor the user's
    /// global one.
    pub(crate) fn walk(&self) -> WalkBuilder {
        let mut walk = WalkBuilder::new(self.absolute());
        walk.parents(false).git_global(false).follow_links(false).same_file_system(false);
        walk
    }

    /// Converts a path from the walk.
    pub(crate) fn met(&self, path: &Path) -> Option<FilePath> {
        let below = path.strip_prefix(self.folder.path()).ok()?.to_str()?;
        Some(FilePath { folder: self.folder.clone(), below: below.replace('\\', "/") })
    }
}

/// A glob for paths in a folder (`src/**/*.rs`); without a slash it matches file names at any depth.
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
