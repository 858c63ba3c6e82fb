//! The settings page of the vault.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What the page about the vault shows. Reading it writes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VaultPage {
    /// The open vault; null if none is open.
    pub open: Option<OpenedVault>,
    /// Other vaults that were open, newest first, at most eight.
    pub recent: Vec<RecentVault>,
    /// The entries of the user's list of private notes and folders, in its order.
    pub private: Vec<PrivateEntry>,
    /// The notes that no entry covers and that hide themselves, at most fifty.
    pub own_private: Vec<OwnPrivate>,
    /// All private notes of the open vault, by an entry or by themselves.
    pub private_notes: u32,
    /// Folders outside the vault that a link at its top may lead to.
    pub roots: Vec<ExtraRoot>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OpenedVault {
    pub path: String,
    /// The path for display: with `~` for the user's home.
    pub shown: String,
    /// Number of notes of each `type:`, most first.
    pub records: Vec<TypeCount>,
    /// Whether a note is replaced in one step; null before the first write tells.
    pub one_step: Option<bool>,
    pub history: HistoryUse,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TypeCount {
    pub record_type: String,
    pub notes: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RecentVault {
    pub path: String,
    /// With `~` for the user's home.
    pub shown: String,
    pub name: String,
    /// Null if the folder does not exist.
    pub notes: Option<u32>,
    /// When it was last opened, if known.
    pub opened: Option<String>,
    /// When the page first found the folder missing; null if it exists.
    pub missing_since: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PrivateEntry {
    /// As in the settings.
    pub entry: String,
    /// It names one note and no folder.
    pub is_note: bool,
    /// Notes of the open vault that it covers.
    pub notes: u32,
}

/// A note that hides itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OwnPrivate {
    pub path: String,
    /// Its properties cannot be read, so it counts as private.
    pub unreadable: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ExtraRoot {
    pub path: String,
    /// With `~` for the user's home.
    pub shown: String,
    /// The links at the vault's top that lead to it.
    pub links: Vec<String>,
    /// The folder exists.
    pub found: bool,
}

/// The size of the open vault's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HistoryUse {
    pub changes: u32,
    #[ts(type = "number")]
    pub bytes: u64,
    pub oldest: Option<String>,
    /// Older changes are deleted automatically.
    pub days: u32,
    /// The oldest changes are deleted if the history is larger.
    #[ts(type = "number")]
    pub most_bytes: u64,
    /// Number of the newest changes that are always kept.
    pub at_least: u32,
    /// What pruning to fewer days would delete.
    pub older: Vec<OlderChanges>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OlderChanges {
    pub days: u32,
    pub changes: u32,
    #[ts(type = "number")]
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SetPrivate {
    /// A note or folder of the vault, or by its path on the disk.
    pub entry: String,
    pub private: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SetRoot {
    /// An absolute path.
    pub path: String,
    pub listed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VaultRef {
    pub path: String,
}

/// Whether a note is private, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NotePrivacy {
    pub path: String,
    pub private: bool,
    /// The first entry of the list that covers it.
    pub entry: Option<String>,
    /// Its properties cannot be read, so it counts as private.
    pub unreadable: bool,
    /// The line of its properties that says so, if any.
    pub line: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct KeepHistory {
    /// Older changes are deleted, 1 to 3650.
    pub days: u32,
    /// The oldest changes are deleted if the history is larger.
    #[ts(type = "number")]
    pub bytes: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PruneChanges {
    /// Deletes what is older than this many days; default: the usual limits.
    #[serde(default)]
    #[ts(optional)]
    pub days: Option<u32>,
}
