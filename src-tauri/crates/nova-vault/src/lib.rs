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
//!
//! vault.rs, view.rs, draft.rs …            the façade
//!   ├── reading                            index, search, query, links, base, tasks
//!   ├── writing                            write, journal, history, watch, feed
//!   ├── task                               one task's line: fields, edits, recurrence
//!   └── disk, obsidian                     folders and files by handle; Obsidian's settings
//! ```
//!
//! *Reading* and *writing* are two folders of one crate, and neither imports the other. Both lie on both
//! sides of [`Vault`]: it holds the index, the watch and the journal, and `query`, `links` and `history`
//! are methods of `View` and `Vault`, which another crate could not add. As crates they would need a trait
//! in place of each, with one implementation, and would share the folder handle in any case, because what
//! confines a read confines a write.

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
//! | quiet | *done* | the file two seconds later, checked once more | a text that is none of its own is an edit of what it held, as above |
//! | away | *swept* | the file in `<data>/displaced` | checks it again as long as its change set is kept |
//!
//! A deletion takes the note to its temporary file and puts an edit back under the note's name, where
//! nothing else has it. Two seconds later the file gets a second name in the trash, is checked once more, and
//! loses the first: after a kill in between it is checked again. Without second names it moves to the trash,
//! and an edit made during the move is lost from the note by a kill just after.
//!
//! A creation puts its file where no file is. A move renames, where nothing has the
//! new name, and then replaces; reverted, the note returns to the folder it came from under that folder's
//! present name, and to its old path where that folder is no longer visible in the vault.
//!
//! Without exchange the note gets a second name, its temporary one, before `O` is renamed over it: a kill finds
//! the same states. A note that another program renames between those two calls has one name more afterwards
//! than expected: `O` is taken away again, and the write is a conflict. A file renamed over the note between
//! them is lost, or keeps only the name that it gets next. Where files have one name only, Nova holds the
//! replaced file open instead, and what is written into that after a kill is lost, too. `vault status` reports
//! both.
//!
//! What a temporary file may hold is in the journal (`TempTexts`). Everything else in it is somebody's edit.
//! An edit goes back into its note in a change set whose author is *outside*; the folder may have another
//! name by then.
//!
//! # Invariants, and the tests that hold them
//!
//! Tests lie in `src/tests` unless a path says otherwise.
//!
//! Writing:
//!
//! - An edit made at any moment of a write is kept or returned as a conflict: `interleaving.rs`. The exception is
//!   a hard-linked note under `write_through`, which is written in place (`write/through.rs`).
//! - A draft is written completely or not at all, with the bytes before in the journal: `faults.rs`, `many.rs`; also
//!   where the file system has no exchange and no rename without replacing.
//! - Journal and new text are durable before a note is touched, and its name before success is reported: `durability.rs`,
//!   which records what every sync covered.
//! - A kill at any step leaves whole notes and nothing behind: the folder `killed`. A power cut that loses the files
//!   of a set leaves it to be finished or undone: `killed/power.rs`.
//! - A note written in place shows the new text under all its names, and is whole again after a kill: `through.rs`.
//! - An outside edit that can neither be merged nor kept, because a disk is full, is held, reported and retried:
//!   `kept.rs`.
//! - Every change can be undone, and edits made since are kept: `undo.rs`.
//! - A deleted note goes to the trash that the user set in Obsidian; where the system's trash cannot take it or is
//!   shared with others, to the vault's own, which is said beforehand: `trash.rs`.
//! - A file of bytes is made whole, never over another one, and its undo removes it only where nobody changed it:
//!   `files.rs`, `killed/files.rs`.
//! - A moved note updates every link to it and changes no other byte; links to other notes still resolve: `moving.rs`,
//!   `random_moves.rs` with a resolver of its own.
//! - Several processes writing one vault lose nothing, and each change is reported with its author: `processes.rs`.
//!
//! Confinement:
//!
//! - Nothing is read or written while the path of the vault names another folder than the opened one: `gone.rs`.
//! - Nothing outside the vault and its extra roots is read or written, also when a folder is swapped for a link:
//!   `confinement.rs`, the folder `roots`.
//! - No link is followed except one at the top of the vault to a folder in `roots` and, under `write_through`, one to
//!   a note of the vault. Only notes and `.base` files are written; other files are only created, with endings that no
//!   program runs, and links in canvases follow a moved note.
//! - A setting of Obsidian leads nowhere out of the vault: `obsidian.rs`.
//! - Hostile front matter takes little memory, wherever it is read: `bombs.rs`.
//!
//! Reading and watching:
//!
//! - A mention becomes a link by brackets and no other change, never in code, a heading or another link: `mentioning.rs`.
//! - An answer is what is on the disk now: `reading.rs`, `revalidating.rs`. A query equals a naive reading of all
//!   notes: `querying.rs`.
//! - An edit of a task changes its line and no other, and completing adds the next one: `task_lines.rs`,
//!   `random_tasks.rs`, and undone in `tasks.rs`.
//! - A recurring task is due next when the plugin Tasks says, by what the plugin's library answers: `recurrence.rs`.
//! - Every problem of a base is reported with its line, and its other views are answered: `broken_bases.rs`.
//! - Every question of a tool goes through a [`View`]; a hidden note appears in no answer.
//! - Every change is reported once, with its author: `feed.rs`.
//! - The history follows a vault that is renamed, not a copy and not a new folder in its place: `renamed_vault.rs`.
//! - What a kill left on a disk that is not mounted at the next start waits for it: `roots/away.rs`.
//!
//! An author is a string; clock and ids are passed in.

mod reading;
mod writing;

mod change;
mod content;
mod core;
mod disk;
mod draft;
mod error;
mod obsidian;
mod opening;
mod options;
mod presence;
mod privacy;
mod private_list;
mod problem;
mod problems;
mod shared_texts;
mod status;
mod step;
mod task;
#[cfg(test)]
mod tests;
mod vault;
mod view;

/// One note as text: the crate `nova-note`.
pub use nova_note as note;
pub use nova_note::{ContentHash, VaultPath};

pub use change::{Applied, Author, ChangeSetKind, Conflict, Merged, NoteChange, NoteChangeKind};
pub use content::MAX_FILE_BYTES;
pub use disk::{GoneRoot, MAX_NOTE_BYTES, top_folder};
pub use draft::{ATTACHMENTS, Attached, BINARY_ATTACHMENTS, Draft, NewNote, PlannedDiff};
pub use error::{BaseError, QueryError, VaultError};
pub use obsidian::{
    DailyNotes, LinkFormat, MomentFormat, NewNotes, ObsidianSettings, SettingError, TEMPLATE_FOLDER,
    TaskSettings, TemplateFolder, TemplateValues, Templates, Trash, fill_template,
};
pub use options::{Clock, NewId, VaultOptions};
pub use privacy::Privacy;
pub use problem::Problem;
pub use reading::base::{BaseAnswer, BaseColumn, BaseGroup, BaseRow};
pub use reading::held::Held;
pub use reading::index::Note;
pub use reading::links::{
    AmbiguousName, LeftLink, LinkBack, LinkOut, Links, MentionAnswer, MentionLine, MentionLink, MentionQuery,
    Moved, TagCount, TagsRead, Unresolved,
};
pub use reading::query::{Condition, Fits, Query, QueryAnswer, QueryRow, Recogniser, Rule, SortKey};
pub use reading::search::{Search, SearchAnswer, SearchHit, SearchMode};
pub use reading::tasks::{TaskAnswer, TaskDue, TaskQuery, TaskRow, TaskSort};
pub use status::{VaultStatus, Watching};
pub use task::{
    Changed, Priority, RecurrenceRule, Task, TaskEditError, TaskField, TaskForm, TaskKind, TaskRules,
    TaskStatus, complete_task, new_task, set_task_field, set_task_status, set_task_text, task_of, tasks,
};
pub use vault::{NoteEntry, Notes, Vault};
pub use view::{RecordsRead, View};
pub use writing::change_set::ChangeSet;
pub use writing::feed::{By, VaultChange, VaultChangeKind};
pub use writing::history::{
    ChangeSetDetail, ChangeSetInfo, ChangeSetOverview, ChangeSetState, History, HistorySize, Limits,
    NoteDetail, NoteOverview, NoteRecord, Scope, UndoOutcome, UnreadableNote,
};
pub use writing::watch;
