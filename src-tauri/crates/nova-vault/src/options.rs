//! What a vault is opened with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::writing::history::Limits;

/// What a vault is opened with. Clock and ids are given, so that nothing here depends on the
/// machine.
pub struct VaultOptions {
    /// The folder with the notes. It may be named through a link.
    pub root: PathBuf,
    /// Where the journal lies: `<data>/history`. Made at the first write, or by
    /// [`Vault::remember_folder`](crate::Vault::remember_folder); readable by the user only.
    pub history: PathBuf,
    /// Folders that may not be the vault nor lie in it: `<config>` and `<data>`. The folder
    /// of the journal is one of them without being named.
    pub forbidden: Vec<PathBuf>,
    /// Folders outside of the vault whose notes belong to it once a symbolic link at its top leads to
    /// one. None of them may hold or lie in the vault, `forbidden` or `program`.
    pub roots: Vec<PathBuf>,
    /// The folder that the program itself lies in.
    pub program: Option<PathBuf>,
    /// Tells the time.
    pub clock: Clock,
    /// Where the user is: what `today` is, and on which day a note was changed.
    pub zone: TimeZone,
    /// Gives ids for change sets, never the same twice.
    pub new_id: NewId,
    /// The system's trash, which takes deleted notes where Obsidian is set to use it: on Linux the
    /// home trash, `$XDG_DATA_HOME/Trash`. Where there is none, as on macOS and Windows, or none on
    /// the vault's file system, they go to the vault's own folder `.trash`.
    pub trash: Option<PathBuf>,
    /// The top folder of the file system that a folder lies on ([`top_folder`](crate::top_folder)),
    /// which may have a trash of its own where the home trash is on another one; `None`: it has not.
    pub top_folder: fn(&Path) -> Option<PathBuf>,
    /// Whether a note whose file has further names (hard links) is written in place, so that all of
    /// them show the new text, and a symbolic link to a note in the vault is read and changed as that
    /// note. Both are refused otherwise.
    pub write_through: bool,
    /// What of the history is kept without being asked.
    pub limits: Limits,
}

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Gives an id that was never given before.
pub type NewId = Arc<dyn Fn() -> String + Send + Sync>;
