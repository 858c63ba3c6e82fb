//! Writing: how a planned change reaches the disk, how it is undone, and who changed what.
//!
//! No byte of the vault changes before the journal has the bytes that it replaces, and no edit is
//! overwritten that was not seen. Nothing here asks what a note means: a plan is two texts, and a
//! change is a path, two hashes and an author.
//!
//! ```text
//! change_set   all writes of one turn, form, command or undo
//!   └── write        each note by exchange; displaced files are checked again (late)
//!         ├── journal      what is about to be written, made to last first
//!         └── kept         edits that merge with nothing
//! history      the sets that were written: list, show, undo, finish, discard
//! watch ── feed    what changes on the disk, and by whom
//! ```

pub(crate) mod change_set;
pub(crate) mod feed;
pub(crate) mod history;
pub(crate) mod journal;
pub(crate) mod kept;
pub(crate) mod unsaved;
pub mod watch;
pub(crate) mod write;
