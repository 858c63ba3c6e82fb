//! One note as text: parsing it, and byte-exact edits to it.
//!
//! Front matter, properties, outline, links, tags, checkboxes, diff, merge, and the paths and hashes that
//! identify a text. Pure functions over strings: nothing here touches the disk, keeps state, knows the date
//! or sees a second note; the only clock is the deadline for diffs of two long texts. No text passes
//! through a YAML or Markdown serialiser: an edit is a splice of bytes that is verified afterwards, or
//! refused.
//!
//! ```text
//! Document ── split, simple, matter      front matter by byte offsets; YAML where it is not simple
//! edit_properties, append, replace_exact the text with one edit applied
//! outline                                links, tags, headings, blocks, each with its span
//! prose                                  text in which a link may be inserted
//! checkbox_lines, replace_line           list items with a checkbox; replacing one line
//! diff, summarize, merge                 comparing and merging versions of a note
//! VaultPath, ContentHash                 identify a note and a version of it
//! ```
//!
//! # Invariants
//!
//! - A property edit changes the bytes of that property and no other: `edits.rs` by example, `random_edits.rs`
//!   with an oracle independent of the editing code.
//! - A merge loses no change and resolves no conflict silently: `merge.rs`, `random_merges.rs`.
//! - The fast reader of front matter agrees with the YAML parser on every input it accepts: `simple.rs`.
//! - No path leads out of the vault: `paths.rs`.
//!
//! All tests are in `src/tests`.

mod body;
mod checkbox;
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
mod value;
mod write;
mod yaml;

use unicode_normalization::UnicodeNormalization as _;

pub use body::{append, has_heading, line_of, replace_exact, replace_line};
pub use checkbox::checkbox_lines;
pub use diff::{ChangeKind, DiffLine, Hunk, LineKind, NoteDiff, PropertyChange, Word, diff, summarize};
pub use document::{Document, FrontMatter, may_have_aliases, quick_record_type};
pub use error::EditError;
pub use hash::ContentHash;
pub use merge::{Merge, merge};
pub use outline::{
    Block, Heading, Link, LinkKind, Notation, Outline, Prose, TagUse, Wikilink, YamlQuotes, outline,
    unreadable_matter, wikilinks,
};
pub use path::{PathError, VaultPath, file_name, file_name_about, unmerged_name};
pub use properties::{PropertyEdit, compose, edit_properties};
pub use property::{Properties, Property};
pub use sections::prose;
pub use value::Value;
pub use yaml::{Part, Yaml, read_yaml};

#[cfg(test)]
mod tests;

/// Normalises a name for comparison: composed (NFC), lower case.
pub fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}
