//! Plain types for changes, their authors and results.

use serde::{Deserialize, Serialize};

use crate::note::VaultPath;

/// The author of a change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Author {
    /// On whose behalf: `user`, `model`, `subagent research`, `mcp_client github`; `outside` for another
    /// program's edit that Nova merged back into a note.
    pub principal: String,
    /// The skill whose tool made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The tool call that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

impl Author {
    /// An author without skill and call.
    pub fn new(principal: impl Into<String>) -> Author {
        Author { principal: principal.into(), skill: None, call: None }
    }
}

/// The origin of a change set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeSetKind {
    /// A turn of a session.
    Turn,
    /// A form sent from the window.
    Form,
    /// A command at the terminal.
    Cli,
    /// A call of an MCP client.
    Mcp,
    /// The undo of another change set.
    Undo,
    /// An import of many records.
    Import,
}

/// How a note changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteChangeKind {
    Created,
    Modified,
    Deleted,
    /// It was moved; its text may have changed as well.
    Renamed,
}

/// A changed note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteChange {
    /// Its present path, or its last one if deleted.
    pub path: VaultPath,
    pub kind: NoteChangeKind,
    /// The previous path, if renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<VaultPath>,
}

/// Outside changes merged into a note while Nova wrote it, readable: `stage: lead → won`.
pub type Merged = (VaultPath, Vec<String>);

/// The result of [`crate::ChangeSet::apply`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// The changed notes; planned writes without effect are left out.
    pub changes: Vec<NoteChange>,
    /// Notes with outside changes since they were read, and what was merged.
    pub merged: Vec<Merged>,
}

/// Two changes to the same place of a note that cannot both stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The note; its target path, if it was to be moved.
    pub path: VaultPath,
    /// Its present path, if it was to be moved.
    pub from: Option<VaultPath>,
    /// The planned change.
    pub kind: NoteChangeKind,
    /// The text to be written; empty for a deletion.
    pub mine: String,
    /// The text on disk; empty if the note is gone.
    pub theirs: String,
    /// What differs: `stage`, `body`, `deleted outside`.
    pub what: Vec<String>,
}
