//! Writing: applying planned changes, undo, and change notifications with authors.
//!
//! No byte of the vault changes before the journal has the bytes it replaces, and no unseen edit is
//! overwritten. Nothing here interprets notes: a plan is two texts, and a change is a path, two hashes and
//! an author.
//!
//! ```text
//! change_set   all writes of one turn, form, command or undo
//!   └── write        each note by exchange; displaced files are checked again (late)
//!         ├── journal      planned writes, made durable first
//!         └── kept         edits that cannot be merged
//! history      past change sets: list, show, undo, finish, discard
//! watch ── feed    changes on disk, and their authors
//! ```

pub(crate) mod change_set;
pub(crate) mod feed;
pub(crate) mod history;
pub(crate) mod journal;
pub(crate) mod kept;
pub(crate) mod unsaved;
pub mod watch;
pub(crate) mod write;
