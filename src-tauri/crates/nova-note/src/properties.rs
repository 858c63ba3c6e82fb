//! Byte-exact edits of properties: only the edited entry's bytes change, and an edit that cannot be
//! verified is refused.

use std::ops::Range;

use indexmap::IndexMap;

use super::error::EditError;
use super::list;
use super::matter::{self, Entry, Matter, Style, line_end};
use super::split::{self, Front};
use super::value::Value;
use super::write::{self, Place, Quotes, Written};

/// One change to a note's front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PropertyEdit {
    /// Sets the value. Setting the present value changes nothing; a list is edited item by item.
    Set {
        /// The property's name.
        key: String,
        /// The new value.
        value: Value,
    },
    /// Removes the property. A missing property is no error.
    Remove {
        /// The property's name.
        key: String,
    },
    /// Adds the item to the end of a list if it is missing. A single value becomes a list of that value and
    /// the item.
    AddItem {
        /// The property's name.
        key: String,
        /// The item.
        item: Value,
    },
    /// Removes the item from a list.
    RemoveItem {
        /// The property's name.
        key: String,
        /// The item.
        item: Value,
    },
}

impl PropertyEdit {
    /// The property to change.
    pub fn key(&self) -> &str {
        match self {
            PropertyEdit::Set { key, .. }
            | PropertyEdit::Remove { key }
            | PropertyEdit::AddItem { key, .. }
            | PropertyEdit::RemoveItem { key, .. } => key,
        }
    }
}

/// Applies edits in order, and changes nothing else.
///
/// Front matter is added if there is none. After each edit the text is parsed again: unless the properties
/// are the intended ones and every byte outside the edited entry is unchanged, all edits are refused.
pub fn edit_properties(text: &str, edits: &[PropertyEdit]) -> Result<String, EditError> {
    let mut current = text.to_owned();
    for edit in edits {
        if let Some(next) = apply(&current, edit)? {
            current = next;
        }
    }
    Ok(current)
}

/// Composes a new note: front matter from `properties`, in their order, then the body as given.
///
/// Values are plain where they read back unchanged (dates always), links are quoted. Without properties
/// there is no front matter.
pub fn compose(properties: &[(String, Value)], body: &str) -> String {
    let unique: IndexMap<&str, &Value> =
        properties.iter().map(|(key, value)| (key.as_str(), value)).collect();
    if unique.is_empty() {
        return body.to_owned();
    }
    let mut text = "---\n".to_owned();
    for (key, value) in unique {
        text.push_str(&entry_lines(key, &value.normalized(), "", "\n"));
    }
    text.push_str("---\n");
    text.push_str(body);
    text
}

/// `None` if nothing changes.
fn apply(text: &str, edit: &PropertyEdit) -> Result<Option<String>, EditError> {
    let key = edit.key();
    if key.is_empty()
        || key.chars().count() > MAX_KEY_CHARS
        || key.contains(char::is_control)
        || key.trim() != key
    {
        return Err(EditError::BadKey { key: key.chars().take(MAX_KEY_CHARS).collect() });
    }
    let before = Parsed::of(text)?;
    let present = before.matter.as_ref().and_then(|matter| matter.entry(key));
    let as_yaml = present.filter(|_| is_of_lists(edit)).and_then(in_yaml);
    let present = as_yaml.as_ref().or(present);
    let Some(target) = intended(edit, present.map(|entry| &entry.node.value)) else {
        return Ok(None);
    };

    let matter = match &before.matter {
        Some(matter) => matter,
        None => {
            let Some(value) = &target else {
                return Ok(None);
            };
            let eol = split::eol(text);
            let lines = entry_lines(key, value, "", eol);
            let at = before.body_start;
            let next = format!("{}---{eol}{lines}---{eol}{}", &text[..at], &text[at..]);
            return if added_exactly(text, &next, at, key, value) {
                Ok(Some(next))
            } else {
                Err(refused(key))
            };
        }
    };
    let eol = split::eol(text);
    let candidates = match (present, &target) {
        (None, None) => return Ok(None),
        (None, Some(value)) => vec![added(text, matter, key, value, eol)],
        (Some(entry), None) => vec![splice(text, entry.lines(text), "")],
        (Some(entry), Some(value)) => changed(text, entry, value, eol),
    };
    candidates
        .into_iter()
        .find(|candidate| !matter.shares_lines && is_exact(text, matter, candidate, key, target.as_ref()))
        .map(Some)
        .ok_or_else(|| refused(key))
}

/// Whether an edit involves a list in a list; then `[[a, b]]` is read as one, too.
fn is_of_lists(edit: &PropertyEdit) -> bool {
    let is_list = |value: &Value| matches!(value, Value::List(_));
    match edit {
        PropertyEdit::Set { value: Value::List(items), .. } => items.iter().any(is_list),
        PropertyEdit::AddItem { item, .. } | PropertyEdit::RemoveItem { item, .. } => is_list(item),
        PropertyEdit::Set { .. } | PropertyEdit::Remove { .. } => false,
    }
}

/// The entry as YAML reads it, if Nova reads it as an unquoted link.
fn in_yaml(entry: &Entry) -> Option<Entry> {
    Some(Entry { node: entry.node.as_yaml()?, ..entry.clone() })
}

/// The intended value of the property (inner `None`: removed). `None` if nothing changes.
fn intended(edit: &PropertyEdit, present: Option<&Value>) -> Option<Option<Value>> {
    let target = match edit {
        PropertyEdit::Set { value, .. } => Some(value.normalized()),
        PropertyEdit::Remove { .. } => None,
        PropertyEdit::AddItem { item, .. } => {
            let item = item.normalized();
            let mut items = match present {
                None | Some(Value::Null) => Vec::new(),
                Some(Value::List(items)) => items.clone(),
                Some(single) => vec![single.clone()],
            };
            if items.contains(&item) {
                return None;
            }
            items.push(item);
            Some(Value::List(items))
        }
        PropertyEdit::RemoveItem { item, .. } => {
            let item = item.normalized();
            match present {
                Some(Value::List(items)) => {
                    Some(Value::List(items.iter().filter(|other| **other != item).cloned().collect()))
                }
                Some(single) if *single == item => Some(Value::Null),
                _ => return None,
            }
        }
    };
    (target.as_ref() != present).then_some(target)
}

/// A text with its front matter read.
struct Parsed {
    matter: Option<Matter>,
    body_start: usize,
}

impl Parsed {
    fn of(text: &str) -> Result<Self, EditError> {
        let split = split::split(text);
        let matter = match split.front {
            Front::Absent => None,
            Front::Unclosed { line, reason } => {
                return Err(EditError::Broken { line, reason: reason.to_owned() });
            }
            Front::Closed(range) => Some(
                matter::read(text, range)
                    .map_err(|broken| EditError::Broken { line: broken.line, reason: broken.reason })?,
            ),
        };
        Ok(Self { matter, body_start: split.body_start })
    }
}

fn refused(key: &str) -> EditError {
    EditError::Refused { key: key.to_owned() }
}

fn splice(text: &str, range: Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}

/// The lines of a new entry.
fn entry_lines(key: &str, value: &Value, indent: &str, eol: &str) -> String {
    let written = write::property(value, indent);
    let mut lines = format!("{indent}{}:", write::key(key));
    if !written.inline.is_empty() {
        lines.push(' ');
        lines.push_str(&written.inline);
    }
    lines.push_str(eol);
    for line in &written.below {
        lines.push_str(line);
        lines.push_str(eol);
    }
    lines
}

/// Adds the entry as the last lines of the front matter.
fn added(text: &str, matter: &Matter, key: &str, value: &Value, eol: &str) -> String {
    let indent = matter.entries.first().map_or("", |entry| {
        let start = matter::line_start(text, entry.key.start);
        let indent = &text[start..entry.key.start];
        if indent.bytes().all(|b| b == b' ') { indent } else { "" }
    });
    let end = matter.range.end;
    splice(text, end..end, &entry_lines(key, value, indent, eol))
}

/// Candidate texts with the new value, best first; the first that is verified is used.
fn changed(text: &str, entry: &Entry, value: &Value, eol: &str) -> Vec<String> {
    let node = &entry.node;
    let mut candidates = Vec::new();

    if let Value::List(items) = value {
        match &node.style {
            Style::BlockList(old) if !items.is_empty() => {
                if let (Some(first), Some(lines)) = (old.first(), list::block(text, old, items, eol)) {
                    let from = matter::line_start(text, first.dash);
                    candidates.push(splice(text, from..line_end(text, node.span.end), &lines));
                }
            }
            Style::FlowList(old) => {
                let list = list::flow(text, node, old, items);
                candidates.push(splice(text, node.span.clone(), &list));
                if let Some(apart) = write::not_a_link(&list) {
                    candidates.push(splice(text, node.span.clone(), &apart));
                }
            }
            _ => {}
        }
    }

    let on_key_line = !text[entry.after_colon..node.span.start].contains('\n');
    let one_line = !text[node.span.clone()].contains('\n');
    let kept_quotes = match (&node.style, text[node.span.clone()].chars().next()) {
        // Obsidian writes dates without quotes.
        _ if matches!(value, Value::Text(text) if write::is_date(text)) => Quotes::AsNeeded,
        (Style::Quoted, Some('\'')) => Quotes::Single,
        (Style::Quoted, Some('"')) => Quotes::Double,
        _ => Quotes::AsNeeded,
    };
    let simple = match value {
        Value::Text(text) => write::scalar(text, Place::Block, kept_quotes),
        Value::Link(inner) => write::scalar(&format!("[[{inner}]]"), Place::Block, kept_quotes),
        value => write::inline(value, Place::Block),
    };
    let written = match (&node.style, value) {
        (Style::FlowMap(_) | Style::FlowList(_), Value::Map(_) | Value::List(_)) => write::on_line(value),
        _ => write::property(value, ""),
    };
    let in_place = matches!(
        node.style,
        Style::Plain
            | Style::Quoted
            | Style::Alias
            | Style::UnquotedLink(_)
            | Style::FlowList(_)
            | Style::FlowMap(_)
    );

    if written.below.is_empty() {
        if in_place && (on_key_line || one_line) && !simple.is_empty() {
            candidates.push(splice(text, node.span.clone(), &simple));
        }
        let space = if simple.is_empty() { "" } else { " " };
        match &node.style {
            Style::Missing => {
                let at = entry.after_colon;
                candidates.push(splice(text, at..at, &format!("{space}{simple}")));
            }
            Style::BlockScalar | Style::BlockList(_) | Style::BlockMap(_) => {
                let comment = comment_on_line(text, entry.after_colon);
                let range = entry.after_colon..node_line_end(text, node.span.end);
                candidates.push(splice(text, range, &format!("{space}{simple}{comment}")));
            }
            _ => {}
        }
        candidates.push(splice(text, entry.after_colon..node.span.end, &format!("{space}{simple}")));
    }
    candidates.push(rewritten(text, entry, &written, eol));
    if !written.below.is_empty() {
        candidates.push(rewritten(text, entry, &write::on_line(value), eol));
    }
    candidates
}

/// Rewrites everything after the `:`; a comment on the key's line stays there.
fn rewritten(text: &str, entry: &Entry, written: &Written, eol: &str) -> String {
    let end = node_line_end(text, entry.node.span.end);
    let comment = if matches!(entry.node.style, Style::BlockScalar | Style::BlockList(_) | Style::BlockMap(_))
    {
        comment_on_line(text, entry.after_colon)
    } else {
        let rest = &text[entry.node.span.end..end];
        if rest.trim_start().starts_with('#') { rest } else { "" }
    };
    let mut with = String::new();
    if !written.inline.is_empty() {
        with.push(' ');
        with.push_str(&written.inline);
    }
    with.push_str(comment);
    for line in &written.below {
        with.push_str(eol);
        with.push_str(line);
    }
    splice(text, entry.after_colon..end, &with)
}

/// The comment (with its leading blanks) at the end of the line of `from`, if no value precedes it: after
/// `key:` of a block list, or after a block scalar's header.
fn comment_on_line(text: &str, from: usize) -> &str {
    let line = &text[from..node_line_end(text, from)];
    match line.find(" #").or_else(|| line.find("\t#")) {
        Some(at) => {
            let blanks = line[..at].trim_end_matches([' ', '\t']).len();
            &line[blanks..]
        }
        None => "",
    }
}

/// The end of a line, excluding its line break.
fn node_line_end(text: &str, at: usize) -> usize {
    let line = &text[at..line_end(text, at)];
    at + line.trim_end_matches(['\r', '\n']).len()
}

/// Verifies that only this entry changed.
fn is_exact(before: &str, matter: &Matter, after: &str, key: &str, target: Option<&Value>) -> bool {
    let Front::Closed(range) = split::split(after).front else {
        return false;
    };
    let Ok(read) = matter::read(after, range) else {
        return false;
    };
    // The expected properties, in file order.
    let mut expected = matter.values();
    match target {
        Some(value) => {
            expected.insert(key.to_owned(), value.clone());
        }
        None => {
            expected.shift_remove(key);
        }
    }
    if !read.values().into_iter().eq(expected) {
        return false;
    }
    // Every byte outside the entry's lines is unchanged.
    let touched = matter.entry(key).map_or(matter.range.end..matter.range.end, |entry| entry.lines(before));
    let (head, tail) = (&before[..touched.start], &before[touched.end..]);
    let outside = head.len() + tail.len();
    let same_outside = after.len() >= outside && after.starts_with(head) && after.ends_with(tail);
    if !same_outside || (target.is_none() && after.len() != outside) {
        return false;
    }
    has_bare_line_feed(before) || !before.contains('\r') || !has_bare_line_feed(after)
}

/// Verifies front matter that was added to a text without any.
fn added_exactly(before: &str, after: &str, at: usize, key: &str, value: &Value) -> bool {
    let Ok(Parsed { matter: Some(matter), body_start }) = Parsed::of(after) else {
        return false;
    };
    let values = matter.values();
    values.len() == 1
        && values.get(key) == Some(value)
        && after[body_start..] == before[at..]
        && after[..at] == before[..at]
}

fn has_bare_line_feed(text: &str) -> bool {
    text.match_indices('\n').any(|(at, _)| !text[..at].ends_with('\r'))
}

const MAX_KEY_CHARS: usize = 200;
