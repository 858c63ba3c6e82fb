use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The folders outside the vault that the assistant may work in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Workspaces {
    pub folders: Vec<WorkspaceView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WorkspaceView {
    pub path: String,
    /// With `~` for the user's home.
    pub shown: String,
    /// The prefix of the assistant's paths: `code` in `code/src/main.rs`.
    pub name: String,
    pub access: WorkspaceAccess,
    /// Why it is not open to the assistant.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceAccess {
    Read,
    Write,
}

/// Adds a folder, or changes its access.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AddWorkspace {
    /// An absolute path.
    pub path: String,
    pub access: WorkspaceAccess,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WorkspaceRef {
    pub path: String,
}
