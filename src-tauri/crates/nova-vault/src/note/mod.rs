//! A note as text: what it says, and how its bytes change when one thing in it changes.
//!
//! Pure functions over strings. Nothing here touches the disk, keeps state or knows the time, and
//! no text is ever passed through a YAML or Markdown writer: an edit is a splice of bytes that is
//! checked afterwards or refused.
//!
//! # Invariants
//!
//! - A property edit changes the bytes of that property and no other: `edits.rs` by example, `random_edits.rs`
//!   with an oracle independent of the editing code.
//! - A merge loses nothing and chooses nothing silently: `merge.rs`, `random_merges.rs`.
//! - The fast reader of front matter agrees with the YAML parser on every input it accepts: `simple.rs`.
//! - No path leads out of the vault: `paths.rs`.
//!
//! All of these lie in the folder `tests` of this module.

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
mod sections;
mod simple;
mod split;
mod value;
mod write;
mod yaml;

use unicode_normalization::UnicodeNormalization as _;

pub use body::{append, has_heading, replace_exact};
pub use diff::{ChangeKind, DiffLine, Hunk, LineKind, NoteDiff, PropertyChange, Word, diff, summarize};
pub use document::{Document, FrontMatter, Properties, Property};
pub(crate) use document::{glance, may_have_aliases};
pub use error::EditError;
pub use hash::ContentHash;
pub use merge::{Merge, merge};
pub use outline::{Block, Heading, Link, LinkKind, Outline, TagUse, outline};
pub(crate) use outline::{Notation, YamlQuotes, unreadable_matter, wikilinks};
pub use path::{PathError, VaultPath, file_name, file_name_about, unmerged_name};
pub use properties::{PropertyEdit, compose, edit_properties};
pub use value::Value;
pub(crate) use yaml::{Part, read_yaml};

#[cfg(test)]
mod tests;

/// A name as it is compared: composed, without case.
pub(crate) fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}
