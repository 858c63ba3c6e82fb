//! Notes on disk: finding and reading them, byte-exact changes, undo, and change notifications.
//!
//! It never overwrites an edit it has not seen, never writes into the vault before the old bytes are in the
//! journal, follows no link except those to extra roots and, if the user allows it, to notes of the vault,
//! never looks for notes in dot-folders, and knows nothing of turns, tools or models: the author of a
//! change is an opaque string. It reads neither the environment nor the clock and never asks the user: a
//! conflict is an error with both sides.
//!
//! Everything here is synchronous; an async caller uses `spawn_blocking`.
//!
//! ```text
//! Vault ── read, notes, records, find      checks the disk every time
//!   ├── View                               the vault as one reader may see it; query, search, links
//!   ├── Draft                              writes planned against what was read
//!   ├── ChangeSet::apply(draft)            journal, then note by note by exchange
//!   ├── History                            list, show, undo, finish, prune
//!   └── changes                            change notifications with authors
//!
//! vault.rs, view.rs, draft.rs …            the façade
//!   ├── reading                            index, search, query, links, base, tasks
//!   ├── writing                            write, journal, history, watch, feed
//!   ├── task                               one task's line: fields, edits, recurrence
//!   └── disk, obsidian                     folders and files by handle; Obsidian's settings
//! ```
//!
//! *Reading* and *writing* are two folders of one crate, and neither imports the other. [`Vault`] joins
//! them: it owns the index, the watcher and the journal, and `query`, `links` and `history` are methods of
//! `View` and `Vault`, which another crate could not add. As separate crates each would need a trait with a
//! single implementation, and they would still share the folder handle, because reads and writes are
//! confined by the same means.

//! # The states of a write
//!
//! A write replaces the text `B` that was read by the text `O`. The journal records the write before the
//! first byte of the vault changes, and the name of every temporary file contains its record's number
//! (`.nova-<set>-<record>.<number>.<mark>.tmp`), so that leftovers are matched exactly. `U` is a text that
//! another program saved concurrently.
//!
//! | state | journal | on disk | recovery by the next process after a kill |
//! |---|---|---|---|
//! | planned | nothing | note `B` | nothing |
//! | announced | *intent* with `B` and `O`, synced with the temporary file | note `B`, temporary file missing, partial or `O` | removes the file; the set is interrupted: finish or undo |
//! | exchanged | the same | note `O`, file `B` or `U` | `B`: moves the file out of the vault. `U`: merges it into the note as an edit of `B`, or else keeps it as a visible copy beside the note |
//! | amended | *amended*: `U` is merged, `M` = `O` with `U` is next; *temp*: the next file expects `O` and puts `M` | note `O`, file `U`, next file partial or `M` | as exchanged |
//! | landed | the same | note `M`, files `U` and `O` | moves both out: `M` contains `U` |
//! | done | *done* | the same | the same |
//! | quiet | *done* | the file two seconds later, checked once more | a text that Nova did not write is an edit of the file's content, as above |
//! | away | *swept* | the file in `<data>/displaced` | checks it again while its change set is retained |
//!
//! A deletion renames the note to its temporary file; a concurrent edit is put back under the note's name
//! unless that is taken. Two seconds later the file is hard-linked into the trash, checked once more, and
//! its temporary name removed: after a kill in between it is checked again. Without hard links it is moved
//! to the trash, and an edit made during the move is lost from the note if a kill follows immediately.
//!
//! A creation never replaces a file. A move renames without replacing and then writes the new text; when
//! reverted, the note returns to its old folder under that folder's present name, or to its old path if
//! that folder is no longer visible in the vault.
//!
//! Without exchange, the note is hard-linked under its temporary name before `O` is renamed over it: a kill
//! leaves the same states. If another program renames the note between those two calls, its link count is
//! one higher than expected: `O` is removed again, and the write is a conflict. A file renamed over the
//! note between them is lost, or keeps only the name that it gets next. Without hard links, Nova holds the
//! replaced file open instead, and text written to it after a kill is lost, too. `vault status` reports
//! both limitations.
//!
//! The journal lists the texts that a temporary file may contain (`TempTexts`); any other content is a
//! user's edit. It is merged into its note in a change set whose author is *outside*, even if the folder
//! has been renamed.
//!
//! # Invariants, and the tests that hold them
//!
//! Tests are in `src/tests` unless a path is given.
//!
//! Writing:
//!
//! - An edit made at any moment of a write is preserved or returned as a conflict: `interleaving.rs`,
//!   `late_edits.rs`. The exception is a hard-linked note under `write_through`, which is written in place
//!   (`write/through.rs`).
//! - A draft is written completely or not at all, with the bytes before in the journal: `faults.rs`,
//!   `many.rs`; also on file systems that can neither exchange files nor rename without replacing.
//! - Journal and new text are durable before a note is touched, and the note's name before success is
//!   reported: `durability.rs`, which records what each sync covered.
//! - A kill at any step leaves whole notes and no leftovers: the folder `killed`. After a power cut that
//!   loses files of a set, the set can be finished or undone: `killed/power.rs`.
//! - A note written in place shows the new text under all its names, and is whole after a kill:
//!   `through.rs`.
//! - An outside edit that can be neither merged nor stored, because a disk is full, is retained, reported
//!   and retried: `kept.rs`.
//! - Every change can be undone, and later edits are preserved: `undo.rs`.
//! - A deleted note goes to the trash set in Obsidian; if the system's trash cannot take it or is shared
//!   with others, to the vault's own, which is announced beforehand: `trash.rs`.
//! - A binary file is created whole and never over another one; its undo removes it only if it is
//!   unchanged: `files.rs`, `killed/files.rs`.
//! - A moved note updates every link to it and changes no other byte; links to other notes still resolve:
//!   `moving.rs`, and `random_moves.rs` with a resolver of its own.
//! - Several processes writing one vault lose nothing, and each change is reported with its author:
//!   `processes.rs`.
//!
//! Confinement:
//!
//! - Nothing is read or written while the vault's path names another folder than the opened one: `gone.rs`.
//! - Nothing outside the vault and its extra roots is read or written, even if a folder is swapped for a
//!   link: `confinement.rs`, the folder `roots`.
//! - No link is followed except one at the top of the vault to a folder in `roots` and, under
//!   `write_through`, one to a note of the vault. Only notes and `.base` files are written; other files are
//!   only created, with extensions that no program executes, and links in canvases follow a moved note.
//! - No path in Obsidian's settings leads out of the vault: `obsidian.rs`.
//! - Hostile front matter takes little memory, wherever it is parsed: `bombs.rs`.
//!
//! Reading and watching:
//!
//! - A mention becomes a link by adding brackets only, never in code, a heading or another link:
//!   `mentioning.rs`.
//! - Answers reflect the disk at the time of the query: `reading.rs`, `revalidating.rs`. A query equals a
//!   naive scan of all notes: `querying.rs`.
//! - Editing a task changes its line and no other, and completing a recurring one adds the next:
//!   `task_lines.rs`, `random_tasks.rs`; undo in `tasks.rs`.
//! - A recurring task's next date equals that of the plugin Tasks, by results of the plugin's own library:
//!   `recurrence.rs`.
//! - Every problem of a base is reported with its line, and views without problems still have results:
//!   `broken_bases.rs`.
//! - Every query of a tool goes through a [`View`]; a hidden note appears in no answer.
//! - Every change is reported once, with its author: `feed.rs`.
//! - The history follows a renamed vault, but no copy and no new folder in its place: `renamed_vault.rs`.
//! - Leftovers of a kill on a disk that is not mounted at the next start are handled once it is:
//!   `roots/away.rs`.
//!
//! Clock and ids are passed in.

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

/// The crate `nova-note`: one note as text.
pub use nova_note as note;
pub use nova_note::{ContentHash, VaultPath};

pub use change::{Applied, Author, ChangeSetKind, Conflict, Merged, NoteChange, NoteChangeKind};
pub use content::{MAX_FILE_BYTES, file_diff};
pub use disk::{GoneRoot, MAX_NOTE_BYTES, top_folder};
pub use draft::{ATTACHMENTS, Attached, BINARY_ATTACHMENTS, Draft, NewNote, PlannedDiff, attachment_name};
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
