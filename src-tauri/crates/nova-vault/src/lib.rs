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

//! # The states of a write
//!
//! A write replaces the text `B` that was read by the text `O`. The journal names the write before the
//! first byte of the vault changes, and every temporary file carries the number of its record in its name
//! (`.nova-<set>-<record>.<number>.<mark>.tmp`), so that no leftover is ever matched by guess. `U` is a
//! text that another program saved meanwhile.
//!
//! | state | the journal says | on disk | the next process, after a kill |
//! |---|---|---|---|
//! | planned | nothing | note `B` | nothing |
//! | announced | *intent* with `B` and `O`, synced with the temporary file | note `B`, temporary file missing, in part or `O` | removes the file; the set is interrupted: finish or undo |
//! | exchanged | the same | note `O`, file `B` or `U` | `B`: moves the file out of the vault. `U`: merges it into the note as an edit of `B`, else makes it a visible copy beside the note |
//! | amended | *amended*: `U` is taken in, `M` = `O` with `U` is next; *temp*: the next file expects `O` and puts `M` | note `O`, file `U`, next file in part or `M` | as exchanged |
//! | landed | the same | note `M`, files `U` and `O` | moves both out: `M` has `U` |
//! | done | *done* | the same | the same |
//! | quiet | *done* | the file two seconds later, looked at once more | a text that is none of its own is an edit of what it held, as above |
//! | away | *swept* | the file in `<data>/displaced` | looks at it again as long as its change set is kept |
//!
//! A deletion takes the note to its temporary file and puts an edit back under the note's name, where
//! nothing else has it. A creation puts its file where no file is. A move renames, where nothing has the
//! new name, and then replaces. Without exchange the note gets a second name, its temporary one, before
//! `O` is renamed over it: a kill finds the same states, and only a file that another program renames over
//! the note between those two calls is lost. Where files have one name only, Nova holds the replaced
//! file open instead, and what is written into that after a kill is lost, too. `vault status` reports
//! both.
//!
//! What a temporary file may hold is in the journal (`TempTexts`). Everything else in it is somebody's edit.
//! An edit goes back into its note in a change set whose author is *outside*; the folder may have another
//! name by then.

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
    ChangeSetDetail, ChangeSetInfo, ChangeSetOverview, ChangeSetState, History, HistorySize, Limits,
    NoteDetail, NoteOverview, NoteRecord, Scope, UndoOutcome, UnreadableNote,
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
