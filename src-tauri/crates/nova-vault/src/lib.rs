//! Notes on disk: finding and reading them, changing them without harming a byte that was not
//! meant, undoing that, and saying what changes.
//!
//! It never overwrites an edit it has not seen, never writes into the vault without having the
//! bytes before in the journal, follows no link but those to extra roots and, where the user allows
//! it, to notes of the vault, never looks into dot-folders for notes, and knows nothing of turns,
//! tools or models: who changes a note is a string it keeps. It neither reads the environment nor
//! the clock, and asks nobody anything: a conflict is an error with both sides in it.
//!
//! Everything here is synchronous; an async caller uses `spawn_blocking`.
//!
//! ```text
//! Vault ── read, notes, records, find      asks the disk every time
//!   ├── View                               the same as one reader may see it; query, search, links
//!   ├── Draft                              writes planned against what was read
//!   ├── ChangeSet::apply(draft)            journal, then note by note by exchange
//!   ├── History                            list, show, undo, finish, prune
//!   └── changes                            what changed, and by whom
//! ```

pub mod note;
pub mod watch;

mod base;
mod change;
mod change_set;
mod core;
mod disk;
mod draft;
mod error;
mod feed;
mod held;
mod history;
mod index;
mod journal;
mod kept;
mod links;
mod obsidian;
mod presence;
mod privacy;
mod query;
mod search;
mod shared_texts;
mod status;
mod step;
#[cfg(test)]
mod tests;
mod vault;
mod view;
mod write;

pub use base::{BaseAnswer, BaseColumn, BaseError, BaseGroup, BaseRow};
pub use change::{Applied, Author, ChangeSetKind, Conflict, Merged, NoteChange, NoteChangeKind};
pub use change_set::ChangeSet;
pub use core::{Clock, NewId};
pub use disk::top_folder;
pub use disk::{GoneRoot, MAX_NOTE_BYTES};
pub use draft::{ATTACHMENTS, Attached, Draft, NewNote, PlannedDiff};
pub use error::VaultError;
pub use feed::{By, VaultChange, VaultChangeKind};
pub use held::Held;
pub use history::{
    ChangeSetDetail, ChangeSetInfo, ChangeSetOverview, ChangeSetState, History, Limits, NoteDetail,
    NoteOverview, NoteRecord, Scope, UndoOutcome, UnreadableNote,
};
pub use links::{LeftLink, LinkBack, LinkOut, Links, Moved, TagCount, Unresolved};
pub use note::{ContentHash, VaultPath};
pub use obsidian::{
    DailyNotes, LinkFormat, MomentFormat, NewNotes, ObsidianSettings, SettingError, TEMPLATE_FOLDER,
    TemplateFolder, TemplateValues, Templates, Trash, fill_template,
};
pub use privacy::Privacy;
pub use query::{Condition, Query, QueryAnswer, QueryError, QueryRow, SortKey};
pub use search::{Search, SearchAnswer, SearchHit, SearchMode};
pub use status::{VaultStatus, Watching};
pub use vault::{Note, NoteEntry, Notes, Problem, Vault, VaultOptions};
pub use view::{RecordsRead, TagsRead, View};
