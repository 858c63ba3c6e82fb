//! One note as text: what it says, and how its bytes change when one thing in it changes.
//!
//! Front matter, properties, outline, links, tags, tasks, difference, merge, and the paths and hashes that
//! name a text. Pure functions over strings: nothing here touches the disk, keeps state, knows today's date or
//! hears of a second note; the one clock is the stop-watch that bounds the comparison of two long texts.
//! No text passes through a YAML or Markdown writer: an edit is a splice of bytes that is checked
//! afterwards or refused.
//!
//! ```text
//! Document ── split, simple, matter      front matter by byte offsets; YAML where it is not simple
//! edit_properties, append, replace_exact the text with one thing changed
//! outline                                links, tags, headings, blocks, each with its span
//! tasks, complete_task, …                list items with a checkbox; one line changed, the next of a recurring one
//! diff, summarize, merge                 two or three versions of a note
//! VaultPath, ContentHash                 what names a note and a version of it
//! ```
//!
//! # Invariants
//!
//! - A property edit changes the bytes of that property and no other: `edits.rs` by example, `random_edits.rs`
//!   with an oracle independent of the editing code.
//! - An edit of a task changes its line and no other, and completing adds the next one: `tasks.rs`, `random_tasks.rs`.
//! - A recurring task is due next when the plugin Tasks says: `recurrence.rs`, by what the plugin's library answers.
//! - A merge loses nothing and chooses nothing silently: `merge.rs`, `random_merges.rs`.
//! - The fast reader of front matter agrees with the YAML parser on every input it accepts: `simple.rs`.
//! - No path leads out of the vault: `paths.rs`.
//!
//! All of these lie in `src/tests`.

mod body;
mod diff;
mod document;
mod error;
mod hash;
mod list;
mod matter;
mod merge;
mod outline;
mod path;
mod properties;
mod property;
mod sections;
mod simple;
mod split;
mod task;
mod value;
mod write;
mod yaml;

use unicode_normalization::UnicodeNormalization as _;

pub use body::{append, has_heading, replace_exact, replace_line};
pub use diff::{ChangeKind, DiffLine, Hunk, LineKind, NoteDiff, PropertyChange, Word, diff, summarize};
pub use document::{Document, FrontMatter, may_have_aliases, quick_record_type};
pub use error::EditError;
pub use hash::ContentHash;
pub use merge::{Merge, merge};
pub use outline::{
    Block, Heading, Link, LinkKind, Notation, Outline, TagUse, Wikilink, YamlQuotes, outline,
    unreadable_matter, wikilinks,
};
pub use path::{PathError, VaultPath, file_name, file_name_about, unmerged_name};
pub use properties::{PropertyEdit, compose, edit_properties};
pub use property::{Properties, Property};
pub use task::{
    Changed, Priority, RecurrenceRule, Task, TaskEditError, TaskField, TaskForm, TaskKind, TaskRules,
    TaskStatus, complete_task, line_of, new_task, set_task_field, set_task_status, set_task_text, task_of,
    tasks,
};
pub use value::Value;
pub use yaml::{Part, Yaml, read_yaml};

#[cfg(test)]
mod tests;

/// A name as names are compared: composed (NFC), lower case.
pub fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}
