//! Options for opening a vault.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::writing::history::Limits;

/// Options for opening a vault. Clock and id source are passed in, so that nothing depends on the machine.
pub struct VaultOptions {
    /// The folder with the notes. Its path may contain links.
    pub root: PathBuf,
    /// The journal's folder: `<data>/history`. Created at the first write, or by
    /// [`Vault::remember_folder`](crate::Vault::remember_folder); readable by the user only.
    pub history: PathBuf,
    /// Folders that must not equal, contain or lie in the vault: `<config>` and `<data>`. The journal's
    /// folder is always included.
    pub forbidden: Vec<PathBuf>,
    /// Folders outside of the vault whose notes belong to it when a symbolic link at its top leads to them.
    /// None may overlap with the vault, `forbidden` or `program`.
    pub roots: Vec<PathBuf>,
    /// The program's installation folder.
    pub program: Option<PathBuf>,
    /// The current time.
    pub clock: Clock,
    /// The user's time zone, for `today` and the days of changes.
    pub zone: TimeZone,
    /// Generates unique ids for change sets.
    pub new_id: NewId,
    /// The system's trash, used if Obsidian is set to it: on Linux the home trash, `$XDG_DATA_HOME/Trash`.
    /// Without one, as on macOS and Windows, or if it is on another file system, deleted notes go to the
    /// vault's folder `.trash`.
    pub trash: Option<PathBuf>,
    /// Finds the top folder of a folder's file system ([`top_folder`](crate::top_folder)), whose trash is
    /// used if the home trash is on another file system; `None` if it has none.
    pub top_folder: fn(&Path) -> Option<PathBuf>,
    /// Whether a note with hard links is written in place, so that all its names show the new text, and a
    /// symbolic link to a note in the vault is read and written as that note. Otherwise both are refused.
    pub write_through: bool,
    /// Retention limits of the history.
    pub limits: Limits,
}

/// Returns the current time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Returns a new unique id.
pub type NewId = Arc<dyn Fn() -> String + Send + Sync>;
