//! Three-way merge of two changes to one note.
//!
//! Properties merge by key, lists by item, the body by line. If both sides append lines to the end of a
//! section, all are kept, outside changes first. Lines whose order is ambiguous, and values changed
//! differently on both sides, are a conflict; no side is chosen silently.

use std::ops::Range;

use indexmap::IndexSet;

use super::diff::{shown, summarize, value_change};
use super::document::{Document, FrontMatter};
use super::matter;
use super::properties::{PropertyEdit, edit_properties};
use super::split::{self, Front};
use super::value::Value;

mod lines;
mod lists;

use lines::{Additions, merge_lines};
use lists::merge_lists;

/// Result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// Both changes are in the text.
    Clean {
        /// The merged note.
        text: String,
        /// The changes of `theirs`, readable: `stage: lead → won`.
        outside: Vec<String>,
    },
    /// Both changed the same thing differently.
    Conflict {
        /// The conflicting changes, readable: `stage: lead → won here, lead → lost outside`.
        what: Vec<String>,
    },
}

/// Merges two descendants of `base`: `mine` is what Nova wants to write, `theirs` what is on disk.
pub fn merge(base: &str, mine: &str, theirs: &str) -> Merge {
    if mine == theirs || base == theirs {
        return Merge::Clean { text: mine.to_owned(), outside: Vec::new() };
    }
    if base == mine {
        return Merge::Clean { text: theirs.to_owned(), outside: summarize(base, theirs) };
    }
    let sides = Sides { base: Side::of(base), mine: Side::of(mine), theirs: Side::of(theirs) };
    let mut what = Vec::new();
    let mut outside = Vec::new();
    let head = sides.head(&mut outside, &mut what);
    let body = sides.body(&mut outside, &mut what);
    let (Some(head), Some(body)) = (head, body) else {
        return Merge::Conflict { what };
    };

    // If the merged body would parse as front matter, the note would mean something else.
    let text = format!("{head}{body}");
    if Document::parse(&text).body_start() != head.len() {
        return Merge::Conflict { what: vec!["front matter".to_owned()] };
    }
    Merge::Clean { text, outside }
}

struct Sides<'a> {
    base: Side<'a>,
    mine: Side<'a>,
    theirs: Side<'a>,
}

struct Side<'a> {
    text: &'a str,
    document: Document,
}

impl<'a> Side<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, document: Document::parse(text) }
    }

    fn head(&self) -> &'a str {
        &self.text[..self.document.body_start()]
    }

    fn body(&self) -> &'a str {
        &self.text[self.document.body_start()..]
    }

    fn is_broken(&self) -> bool {
        matches!(self.document.front_matter(), FrontMatter::Broken { .. })
    }

    /// The front matter without its properties: fences, comments, blank lines.
    fn frame(&self) -> String {
        let mut frame = self.head().to_owned();
        if let Front::Closed(range) = split::split(self.text).front
            && let Ok(matter) = matter::read(self.text, range)
            && !matter.shares_lines
        {
            for entry in matter.entries.iter().rev() {
                frame.replace_range(entry.lines(self.text), "");
            }
        }
        frame
    }
}

impl Sides<'_> {
    /// The merged text before the body; `None`, with a reason in `what`, on a conflict.
    fn head(&self, outside: &mut Vec<String>, what: &mut Vec<String>) -> Option<String> {
        let (base, mine, theirs) = (self.base.head(), self.mine.head(), self.theirs.head());
        if mine == theirs || base == theirs {
            return Some(mine.to_owned());
        }
        if self.base.is_broken() || self.mine.is_broken() || self.theirs.is_broken() {
            if base == mine {
                outside.push("front matter".to_owned());
                return Some(theirs.to_owned());
            }
            what.push("front matter".to_owned());
            return None;
        }

        let edits = self.edits(outside, what)?;
        let Ok(edited) = edit_properties(self.theirs.text, &edits) else {
            what.push("front matter".to_owned());
            return None;
        };
        let edited = Side::of(&edited);
        // A textual merge keeps both sides' comments and notation; it is used if its properties are the
        // merged ones.
        if let Ok(lines) = merge_lines(base, mine, theirs, Additions::Collide) {
            let merged = Document::parse(&lines);
            let whole = merged.body_start() == lines.len();
            if whole && !is_broken(&merged) && same_values(&merged, &edited.document) {
                return Some(lines);
            }
        }
        let frame = self.mine.frame();
        let mine_left_it = frame == self.base.frame() || frame == self.theirs.frame();
        if !mine_left_it && self.base.document.front_matter() != &FrontMatter::Absent {
            what.push("front matter: comments or layout".to_owned());
            return None;
        }
        Some(edited.head().to_owned())
    }

    /// The changes of `mine` to the properties, as edits of `theirs`.
    fn edits(&self, outside: &mut Vec<String>, what: &mut Vec<String>) -> Option<Vec<PropertyEdit>> {
        let conflicts = what.len();
        let sides = [&self.base, &self.theirs, &self.mine];
        let keys: IndexSet<&String> =
            sides.iter().flat_map(|side| side.document.properties().keys()).collect();

        let mut edits = Vec::new();
        for key in keys {
            let [base, theirs, mine] = sides.map(|side| side.document.property(key));
            if mine == theirs {
                continue;
            }
            if mine == base {
                outside.push(value_change(key, base, theirs));
                continue;
            }
            if theirs == base {
                edits.push(match mine {
                    Some(value) => PropertyEdit::Set { key: key.clone(), value: value.clone() },
                    None => PropertyEdit::Remove { key: key.clone() },
                });
                continue;
            }
            match merge_lists(base, mine, theirs) {
                Some(items) => {
                    let merged = Value::List(items);
                    // Compared with `mine`: an item that both sides added is no outside change.
                    if mine != Some(&merged) {
                        outside.push(value_change(key, mine, Some(&merged)));
                    }
                    edits.push(PropertyEdit::Set { key: key.clone(), value: merged });
                }
                None => what.push(both(key, base, mine, theirs)),
            }
        }
        (what.len() == conflicts).then_some(edits)
    }

    fn body(&self, outside: &mut Vec<String>, what: &mut Vec<String>) -> Option<String> {
        let (base, mine, theirs) = (self.base.body(), self.mine.body(), self.theirs.body());
        match merge_lines(base, mine, theirs, Additions::Both) {
            Ok(body) => {
                if theirs != base && theirs != mine {
                    outside.push("body".to_owned());
                }
                Some(body)
            }
            Err(places) => {
                let before = self.theirs.head().matches('\n').count();
                what.extend(places.into_iter().map(|place| body_lines(&place, before)));
                None
            }
        }
    }
}

fn both(key: &str, base: Option<&Value>, mine: Option<&Value>, theirs: Option<&Value>) -> String {
    let side = |value: Option<&Value>| match value {
        Some(_) => format!("{} → {}", shown(base), shown(value)),
        None => "removed".to_owned(),
    };
    format!("{key}: {} here, {} outside", side(mine), side(theirs))
}

/// Line numbers in the file, which has `before` lines above the body.
fn body_lines(place: &Range<usize>, before: usize) -> String {
    let (first, last) = (before + place.start + 1, before + place.end.max(place.start + 1));
    if first == last { format!("body, line {first}") } else { format!("body, lines {first}–{last}") }
}

fn is_broken(document: &Document) -> bool {
    matches!(document.front_matter(), FrontMatter::Broken { .. })
}

fn same_values(one: &Document, other: &Document) -> bool {
    let (one, other) = (one.properties(), other.properties());
    one.len() == other.len()
        && one.iter().all(|(key, property)| other.get(key).is_some_and(|other| other.value == property.value))
}
