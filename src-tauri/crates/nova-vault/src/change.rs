//! The plain types of what was changed, by whom, and the result.

use serde::{Deserialize, Serialize};

use crate::note::VaultPath;

/// Who makes a change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Author {
    /// On whose behalf: `user`, `model`, `subagent research`, `mcp_client github`; `outside`
    /// for an edit of another program that Nova put back into a note.
    pub principal: String,
    /// The skill whose tool made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The call it was made in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

impl Author {
    /// An author without skill and call.
    pub fn new(principal: impl Into<String>) -> Author {
        Author { principal: principal.into(), skill: None, call: None }
    }
}

/// What a change set was opened for.
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
    /// The undoing of another change set.
    Undo,
    /// An import of many records.
    Import,
}

/// What became of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteChangeKind {
    /// It is new.
    Created,
    /// Its text differs.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path; its text may differ too.
    Renamed,
}

/// One note that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteChange {
    /// Where it is now, or was when it was deleted.
    pub path: VaultPath,
    /// What became of it.
    pub kind: NoteChangeKind,
    /// Where it was, when it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<VaultPath>,
}

/// What came from outside while Nova changed a note, in readable form: `stage: lead → won`.
pub type Merged = (VaultPath, Vec<String>);

/// What [`crate::ChangeSet::apply`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// The notes that were changed; a planned write that changes nothing is not among them.
    pub changes: Vec<NoteChange>,
    /// Notes that had been changed outside since they were read, and what was taken over.
    pub merged: Vec<Merged>,
}

/// Two changes to the same place of one note, of which only one can stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The note; where it was to be, when it was to be moved.
    pub path: VaultPath,
    /// Where it is, when it was to be moved.
    pub from: Option<VaultPath>,
    /// What was to become of it.
    pub kind: NoteChangeKind,
    /// The text that was to be written; empty for a deletion.
    pub mine: String,
    /// The text that is there; empty when the note is gone.
    pub theirs: String,
    /// What differs: `stage`, `body`, `deleted outside`.
    pub what: Vec<String>,
}
