use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The result for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChangeKind {
    Created,
    Modified,
    Deleted,
}

/// A file that another program changed, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileConflict {
    pub path: PathBuf,
    /// The change that Nova planned.
    pub kind: FileChangeKind,
    pub reason: String,
    /// The text that Nova planned; empty for a removal.
    pub mine: String,
    /// What is there; empty where nothing is.
    pub theirs: String,
    /// What is there is no text, or in no open folder: there is nothing to choose.
    pub unreadable: bool,
}
