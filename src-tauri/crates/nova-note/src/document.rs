//! A parsed note: its front matter and where its body begins.

use std::ops::Range;
use std::sync::LazyLock;

use super::matter::{self, Matter};
use super::property::{Properties, Property};
use super::simple;
use super::split::{self, Front};
use super::value::Value;
use crate::folded;

/// State of a note's front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontMatter {
    /// The note has none.
    Absent,
    /// Readable, though possibly empty.
    Present(Properties),
    /// Present, but not readable as properties. The note stays readable as text.
    Broken {
        /// The line in the file, 1-based.
        line: u32,
        /// What is wrong, in words for the user.
        reason: String,
    },
}

/// The parsed view of a note's text. Parsing never fails: errors are reported by
/// [`Document::front_matter`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    front_matter: FrontMatter,
    body_start: usize,
    eol: &'static str,
}

impl Document {
    /// Reads a note's text.
    pub fn parse(text: &str) -> Document {
        let split = split::split(text);
        let front_matter = match split.front {
            Front::Absent => FrontMatter::Absent,
            Front::Unclosed { line, reason } => FrontMatter::Broken { line, reason: reason.to_owned() },
            Front::Closed(range) => match simple::properties(text, range.clone()) {
                Some(properties) => FrontMatter::Present(properties),
                None => parsed(text, range),
            },
        };
        Document { front_matter, body_start: split.body_start, eol: split::eol(text) }
    }

    pub fn front_matter(&self) -> &FrontMatter {
        &self.front_matter
    }

    /// The properties; empty if there are none or they cannot be read.
    pub fn properties(&self) -> &Properties {
        match &self.front_matter {
            FrontMatter::Present(properties) => properties,
            FrontMatter::Absent | FrontMatter::Broken { .. } => &NONE,
        }
    }

    /// The note's own spelling of a property: Obsidian ignores case in property names. If the note has
    /// several spellings, an exact match wins.
    pub fn spelled(&self, key: &str) -> Option<&str> {
        self.entry(key).map(|(spelled, _)| spelled)
    }

    /// A property under the note's spelling (see [`Document::spelled`]), with its line.
    pub fn entry(&self, key: &str) -> Option<(&str, &Property)> {
        let properties = self.properties();
        let same = |other: &str| match key.is_ascii() && other.is_ascii() {
            true => key.eq_ignore_ascii_case(other),
            false => folded(key) == folded(other),
        };
        // A note has a handful of properties: a linear scan is faster than hashing.
        let exact = properties.iter().find(|(other, _)| *other == key);
        let found = exact.or_else(|| properties.iter().find(|(other, _)| same(other)));
        found.map(|(spelled, property)| (spelled.as_str(), property))
    }

    /// A property's value, ignoring case as [`Document::spelled`] does.
    pub fn property(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|(_, property)| &property.value)
    }

    /// The `type:` of a record; the first of several.
    pub fn record_type(&self) -> Option<&str> {
        self.record_types().next()
    }

    /// What `type:` says: one type, or each of a list.
    pub fn record_types(&self) -> impl Iterator<Item = &str> {
        let said = match self.property(TYPE) {
            Some(Value::List(items)) => items.as_slice(),
            Some(single) => std::slice::from_ref(single),
            None => &[],
        };
        said.iter().filter_map(record_type)
    }

    /// The note's aliases: `aliases:` and `alias:`.
    pub fn aliases(&self) -> Vec<String> {
        let listed = |value: &Value| match value {
            Value::List(items) => items.clone(),
            single => vec![single.clone()],
        };
        ALIASES
            .into_iter()
            .filter_map(|key| self.property(key))
            .flat_map(listed)
            .filter_map(|value| Some(value.as_text()?.into_owned()))
            .collect()
    }

    /// The byte offset at which the body begins, after the front matter's closing line.
    pub fn body_start(&self) -> usize {
        self.body_start
    }

    /// The note's line break, `"\n"` or `"\r\n"`, taken from its first line.
    pub fn eol(&self) -> &'static str {
        self.eol
    }
}

/// The [`Document::record_type`] of a note with simple front matter, without a full parse. `None` if only
/// [`Document::parse`] can decide.
pub fn quick_record_type(text: &str) -> Option<Option<&str>> {
    match split::split(text).front {
        Front::Absent => Some(None),
        Front::Unclosed { .. } => None,
        Front::Closed(range) => {
            let entries = simple::entries(text, range)?;
            let exact = entries.iter().find(|entry| entry.key == TYPE);
            // The fast reader accepts ASCII keys only.
            let same = |entry: &&simple::Entry<'_>| entry.key.eq_ignore_ascii_case(TYPE);
            let typed = exact.or_else(|| entries.iter().find(same));
            match typed {
                Some(several) if several.is_list() => None,
                typed => Some(typed.and_then(simple::Entry::text)),
            }
        }
    }
}

/// Whether [`Document::aliases`] may be non-empty; if not, the note need not be parsed.
pub fn may_have_aliases(text: &str) -> bool {
    match split::split(text).front {
        Front::Absent => false,
        Front::Unclosed { .. } => true,
        Front::Closed(range) => simple::entries(text, range).is_none_or(|entries| {
            entries.iter().any(|entry| ALIASES.iter().any(|key| entry.key.eq_ignore_ascii_case(key)))
        }),
    }
}

/// Property names that hold aliases.
const ALIASES: [&str; 2] = ["aliases", "alias"];

/// The property that holds a record's type.
const TYPE: &str = "type";

fn record_type(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) | Value::Number(text) | Value::Link(text) => Some(text),
        _ => None,
    }
}

static NONE: LazyLock<Properties> = LazyLock::new(Properties::new);

/// Front matter as read by the YAML parser.
pub(super) fn parsed(text: &str, range: Range<usize>) -> FrontMatter {
    match matter::parsed(text, range) {
        Ok(matter) => FrontMatter::Present(properties(text, &matter)),
        Err(broken) => FrontMatter::Broken { line: broken.line, reason: broken.reason },
    }
}

fn properties(text: &str, matter: &Matter) -> Properties {
    let mut line = 1;
    let mut counted = 0;
    matter
        .entries
        .iter()
        .map(|entry| {
            line += text[counted..entry.key.start].matches('\n').count();
            counted = entry.key.start;
            let property =
                Property { value: entry.node.value.clone(), line: u32::try_from(line).unwrap_or(u32::MAX) };
            (entry.name.clone(), property)
        })
        .collect()
}
