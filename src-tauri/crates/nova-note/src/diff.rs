//! The difference between two versions of a note, for cards, notices and counts.

use std::collections::HashSet;
use std::ops::Range;

use serde::Serialize;

use super::list;
use super::matter::{self, Entry, Matter};
use super::split::{self, Front, lines_from};
use super::value::Value;

mod hunks;

use hunks::{groups, hunks};

/// The difference between two states of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteDiff {
    /// What happened to the note.
    pub kind: ChangeKind,
    /// Changed properties that are a scalar on one line.
    pub properties: Vec<PropertyChange>,
    /// Every other changed line, with one line of context.
    pub hunks: Vec<Hunk>,
    /// Unchanged lines after the last hunk.
    pub tail_skipped: u32,
    /// `1 property, nothing else in the note`, `new note`, `2 properties and 3 lines`.
    pub summary: String,
}

/// What happened to a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It did not exist before.
    Created,
    /// It existed before and after.
    Modified,
    /// It no longer exists.
    Deleted,
}

/// A changed property that is a scalar on one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PropertyChange {
    /// The property's name.
    pub key: String,
    /// Its line in the new file (in the old one if it was removed), 1-based.
    pub line: u32,
    /// Value before; `None` if the property is new.
    pub before: Option<String>,
    /// Value after; `None` if the property was removed.
    pub after: Option<String>,
}

/// Adjacent changed lines with their context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hunk {
    /// Removed lines come before the added lines that replace them.
    pub lines: Vec<DiffLine>,
    /// Unchanged lines omitted before this hunk.
    pub skipped: u32,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiffLine {
    /// Whether the line is context, added or removed.
    pub kind: LineKind,
    /// Line number in the old file, 1-based.
    pub old: Option<u32>,
    /// Line number in the new file, 1-based.
    pub new: Option<u32>,
    /// The line without its line break, split where words changed; concatenated they are the line.
    pub words: Vec<Word>,
}

/// Whether a line is context, added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// Unchanged.
    Context,
    /// Only in the new version.
    Added,
    /// Only in the old version.
    Removed,
}

/// Part of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Word {
    /// The text.
    pub text: String,
    /// Whether it differs from the line it replaces or is replaced by.
    pub changed: bool,
}

/// Diffs two versions of a note; `None` means the note does not exist.
pub fn diff(before: Option<&str>, after: Option<&str>) -> NoteDiff {
    let (kind, before, after) = match (before, after) {
        (Some(before), Some(after)) => (ChangeKind::Modified, before, after),
        (None, after) => (ChangeKind::Created, "", after.unwrap_or_default()),
        (Some(before), None) => (ChangeKind::Deleted, before, ""),
    };
    let old = Side::of(before);
    let new = Side::of(after);
    let changed_keys = changed_keys(&old, &new);
    let properties = match kind {
        ChangeKind::Modified => one_line_changes(&old, &new, &changed_keys),
        ChangeKind::Created | ChangeKind::Deleted => Vec::new(),
    };

    let mut hidden = (Hidden::default(), Hidden::default());
    for property in &properties {
        hidden.0.entry(&old, &property.key);
        hidden.1.entry(&new, &property.key);
    }
    if !properties.is_empty() && old.matter.is_some() != new.matter.is_some() {
        // Fences added or removed along with the properties are not shown as changes.
        hidden.0.fences(&old);
        hidden.1.fences(&new);
    }
    let old_lines = old.lines(&hidden.0);
    let new_lines = new.lines(&hidden.1);
    let groups = groups(&old_lines, &new_lines);

    let in_property = (old.ranges_of(&changed_keys), new.ranges_of(&changed_keys));
    let lines: usize = groups
        .iter()
        .map(|group| {
            let outside = |lines: &[Line<'_>], ranges: &[Range<usize>]| {
                lines.iter().filter(|line| !holds(ranges, line.start)).count()
            };
            outside(&old_lines[group.old.clone()], &in_property.0)
                .max(outside(&new_lines[group.new.clone()], &in_property.1))
        })
        .sum();
    let summary = match kind {
        ChangeKind::Created => "new note".to_owned(),
        ChangeKind::Deleted => "note deleted".to_owned(),
        ChangeKind::Modified => count(changed_keys.len(), lines, before != after),
    };
    let (hunks, tail_skipped) = hunks(&old_lines, &new_lines, &groups);
    NoteDiff { kind, properties, hunks, tail_skipped, summary }
}

/// Readable changes for a notice: `stage: lead → won`, `tags: + vip`, `body`.
///
/// Empty if the texts are equal; values are truncated to 60 characters.
pub fn summarize(before: &str, after: &str) -> Vec<String> {
    if before == after {
        return Vec::new();
    }
    let (old, new) = (Side::of(before), Side::of(after));
    let mut changes: Vec<String> = changed_keys(&old, &new)
        .iter()
        .map(|key| value_change(key, old.value(key), new.value(key)))
        .collect();
    if old.unreadable != new.unreadable {
        changes.push("front matter".to_owned());
    }
    let text = |text: &str| text.replace("\r\n", "\n");
    if text(&before[old.body_start..]) != text(&after[new.body_start..]) {
        changes.push("body".to_owned());
    }
    if changes.is_empty() {
        changes.push("formatting".to_owned());
    }
    changes
}

/// One property's change on one line.
pub(super) fn value_change(key: &str, before: Option<&Value>, after: Option<&Value>) -> String {
    match (before, after) {
        (Some(Value::List(old)), Some(Value::List(new))) => {
            let missing = |from: &[Value], other: &[Value]| -> Vec<String> {
                let other: HashSet<list::Key> = list::keys(other).into_iter().collect();
                let items = from.iter().zip(list::keys(from)).filter(|(_, key)| !other.contains(key));
                items.map(|(item, _)| shown(Some(item))).collect()
            };
            let (added, removed) = (missing(new, old), missing(old, new));
            let mut parts = Vec::new();
            if !added.is_empty() {
                parts.push(format!("+ {}", added.join(", ")));
            }
            if !removed.is_empty() {
                parts.push(format!("− {}", removed.join(", ")));
            }
            if parts.is_empty() {
                parts.push("order".to_owned());
            }
            format!("{key}: {}", parts.join(" "))
        }
        (Some(_), None) => format!("{key}: removed"),
        (None, _) => format!("{key}: {} (new)", shown(after)),
        _ => format!("{key}: {} → {}", shown(before), shown(after)),
    }
}

/// A value on one line, truncated to 60 characters.
pub(super) fn shown(value: Option<&Value>) -> String {
    let text = value.map(Value::display).unwrap_or_default();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return "nothing".to_owned();
    }
    match line.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

const MAX_SHOWN: usize = 60;

/// One version of a note, with its front matter parsed if possible.
struct Side<'a> {
    text: &'a str,
    matter: Option<Matter>,
    /// Front matter that exists but cannot be parsed.
    unreadable: Option<&'a str>,
    body_start: usize,
    line_starts: Vec<usize>,
}

impl<'a> Side<'a> {
    fn of(text: &'a str) -> Self {
        let split = split::split(text);
        let mut side = Self {
            text,
            matter: None,
            unreadable: None,
            body_start: split.body_start,
            line_starts: lines_from(text, 0).map(|line| line.start).collect(),
        };
        match split.front {
            Front::Absent => {}
            Front::Unclosed { .. } => side.unreadable = Some(&text[..split.body_start]),
            Front::Closed(range) => match matter::read(text, range) {
                Ok(matter) => side.matter = Some(matter),
                Err(_) => side.unreadable = Some(&text[..split.body_start]),
            },
        }
        side
    }

    fn entries(&self) -> &[Entry] {
        self.matter.as_ref().map_or(&[], |matter| &matter.entries)
    }

    fn entry(&self, key: &str) -> Option<&Entry> {
        self.matter.as_ref().and_then(|matter| matter.entry(key))
    }

    fn value(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|entry| &entry.node.value)
    }

    /// The lines of these entries, in file order.
    fn ranges_of(&self, keys: &[&str]) -> Vec<Range<usize>> {
        let mut ranges: Vec<_> =
            keys.iter().filter_map(|key| self.entry(key)).map(|entry| entry.lines(self.text)).collect();
        ranges.sort_by_key(|range| range.start);
        ranges
    }

    fn lines(&self, hidden: &Hidden) -> Vec<Line<'a>> {
        lines_from(self.text, 0)
            .zip(1..)
            .filter(|(range, _)| !hidden.starts.contains(&range.start))
            .map(|(range, number)| Line {
                start: range.start,
                number,
                text: self.text[range].trim_end_matches(['\r', '\n']),
            })
            .collect()
    }
}

struct Line<'a> {
    /// Byte offset in the file.
    start: usize,
    /// Line number in the file.
    number: u32,
    text: &'a str,
}

/// Lines shown as property changes, and therefore in no hunk, by byte offset.
#[derive(Default)]
struct Hidden {
    starts: HashSet<usize>,
}

impl Hidden {
    fn entry(&mut self, side: &Side<'_>, key: &str) {
        if let Some(entry) = side.entry(key) {
            self.starts.insert(entry.lines(side.text).start);
        }
    }

    fn fences(&mut self, side: &Side<'_>) {
        if let Some(matter) = &side.matter {
            self.starts.insert(0);
            self.starts.insert(matter.range.end);
        }
    }
}

/// Keys whose values differ, in the order of the new file, followed by removed keys.
fn changed_keys<'a>(old: &'a Side<'_>, new: &'a Side<'_>) -> Vec<&'a str> {
    let changed = new.entries().iter().filter(|entry| old.value(&entry.name) != Some(&entry.node.value));
    let removed = old.entries().iter().filter(|entry| new.entry(&entry.name).is_none());
    changed.chain(removed).map(|entry| entry.name.as_str()).collect()
}

fn one_line_changes(old: &Side<'_>, new: &Side<'_>, keys: &[&str]) -> Vec<PropertyChange> {
    keys.iter()
        .filter_map(|key| {
            let (before, after) = (old.entry(key), new.entry(key));
            let is_simple = match (before, after) {
                (Some(before), Some(after)) => {
                    let (before, after) = (around(old, before)?, around(new, after)?);
                    before == after
                }
                (Some(entry), None) => around(old, entry)?.1.trim().is_empty(),
                (None, Some(entry)) => around(new, entry)?.1.trim().is_empty(),
                (None, None) => false,
            };
            let (side, entry) = after.map(|entry| (new, entry)).or(before.map(|entry| (old, entry)))?;
            let line = side.line_starts.partition_point(|start| *start <= entry.key.start);
            is_simple.then(|| PropertyChange {
                key: (*key).to_owned(),
                line: u32::try_from(line).unwrap_or(u32::MAX),
                before: before.map(|entry| entry.node.value.display()),
                after: after.map(|entry| entry.node.value.display()),
            })
        })
        .collect()
}

/// The text before and after a scalar on its line; `None` if the value is no one-line scalar. A change in
/// that text (in a comment, say) would not show if only the value were displayed.
fn around<'a>(side: &Side<'a>, entry: &Entry) -> Option<(&'a str, &'a str)> {
    let line = entry.lines(side.text);
    let span = &entry.node.span;
    let text = &side.text[line.clone()];
    let one_line = text.trim_end_matches(['\r', '\n']).lines().count() == 1;
    let is_scalar = !matches!(entry.node.value, Value::List(_) | Value::Map(_));
    (one_line && is_scalar).then(|| {
        let before = side.text[line.start..span.start].trim_end();
        let after = side.text[span.end..line.end].trim_end();
        (before, after)
    })
}

/// Whether one of the sorted ranges contains the offset.
fn holds(ranges: &[Range<usize>], at: usize) -> bool {
    let behind = ranges.partition_point(|range| range.start <= at);
    behind > 0 && ranges[behind - 1].contains(&at)
}

fn count(properties: usize, lines: usize, differs: bool) -> String {
    let some = |count: usize, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    let properties_text = some(properties, "property", "properties");
    let lines_text = some(lines, "line", "lines");
    match (properties, lines) {
        (0, 0) if differs => "line ends only, no text".to_owned(),
        (0, 0) => "no change".to_owned(),
        (_, 0) => format!("{properties_text}, nothing else in the note"),
        (0, _) => format!("{lines_text}, no property"),
        _ => format!("{properties_text} and {lines_text}"),
    }
}
