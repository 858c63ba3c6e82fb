use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The kind of change to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChangeKind {
    Created,
    Modified,
    Deleted,
}

/// A file that another program changed concurrently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileConflict {
    pub path: PathBuf,
    /// Nova's planned change.
    pub kind: FileChangeKind,
    pub reason: String,
    /// The planned text; empty for a removal.
    pub mine: String,
    /// The text on disk; empty if there is none.
    pub theirs: String,
    /// The file on disk is not text, or not in an open folder, so there is no version to choose.
    pub unreadable: bool,
}
