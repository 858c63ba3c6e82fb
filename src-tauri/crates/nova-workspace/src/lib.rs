//! Folders outside of the vault that tools may access: the user's *workspaces* and the scratch folder of a
//! chat.
//!
//! It reads, lists, searches and changes files within limits, journals the previous contents, and never opens
//! anything outside of these folders: a path is resolved relative to the handle of its folder, so that no
//! link and no `..` escapes, even if one is swapped in concurrently. It knows nothing of notes, tools or
//! models, and reads neither the environment nor the clock.
//!
//! Everything here is blocking and may take long; it stops early when `stop` returns true.
//!
//! ```text
//! Folders          the folders of one chat, by name
//!   └── FilePath   a file below one of them
//!        ├── read, page     text by lines, documents as text, images, everything else by kind and size
//!        ├── list, glob     names
//!        └── grep           lines, on ripgrep's libraries
//! FileDraft        writes planned against what was read
//! FileJournal      writes them, with the bytes before; undo
//! refuse           which folders may be workspaces
//! ```
//!
//! # Invariants, and the tests that hold them
//!
//! - No link escapes from a folder, even if it is swapped in during a search: `tests/workspace/confined.rs`.
//! - Pipes, binary files, files of any size, broken encodings and folders that change during a search are
//!   handled within limits: `tests/workspace/odd.rs`.
//! - A write replaces exactly the text that it was planned against, never follows a link, and can be undone;
//!   a concurrent edit is kept: `tests/workspace/writing.rs`.
//! - A new file of any kind replaces nothing, and undo removes it only if its bytes are unchanged:
//!   `tests/workspace/attaching.rs`.
//! - A concurrent edit is also detected on file systems without atomic exchange or hard links:
//!   `src/replace.rs`, `src/platform.rs`.
//! - A folder that is, contains or is in one of Nova's own folders, the vault, a folder of keys or a system
//!   folder is refused as a workspace: `tests/workspace/refused.rs`.

mod change;
mod document;
mod draft;
mod error;
mod folder;
mod grep;
mod journal;
mod kind;
mod list;
mod page;
mod platform;
mod read;
mod refused;
mod replace;
mod walk;

pub use change::{FileChangeKind, FileConflict};
pub use document::{DAMAGED, Documents, Format, InProcess, MAX_DOCUMENT_BYTES, read_document};
pub use draft::{FileDraft, PlannedFile};
pub use error::{FileError, MAX_ATTACHED_BYTES, MAX_WRITTEN_BYTES};
pub use folder::{Access, FilePath, Folder, Folders};
pub use grep::{Grep, GrepAnswer, GrepHit};
pub use journal::{Contents, FileJournal, FileRecord, Made, Undone};
pub use list::{Entry, EntryKind, GlobAnswer, Listing};
pub use page::{Page, Range};
pub use read::{FileImage, FileRead, read_bytes};
pub use refused::{Refused, refuse};
pub use walk::PathPattern;

/// Whether to abort.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);
