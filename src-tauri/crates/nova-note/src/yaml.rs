//! A whole text as YAML, such as a `.base` file, with line numbers.

use indexmap::IndexMap;
use memchr::memchr_iter;

use super::matter::{self, Node, Style};
use super::value::Value;

/// A mapping with the line of each value.
#[derive(Debug)]
pub struct Yaml {
    value: Value,
    place: Place,
}

/// The line of a value, 1-based, and the places of its children, in order.
#[derive(Debug, Default)]
struct Place {
    line: u32,
    /// The value is a bare tag: `!done`.
    is_tag: bool,
    inner: Vec<Place>,
}

/// A value and its place in the text.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// The parsed value.
    pub value: &'a Value,
    place: &'a Place,
}

/// Parses a text that is a YAML mapping, under the limits for front matter. `Err` is the line, 1-based, and
/// the reason.
pub fn read_yaml(text: &str) -> Result<Yaml, (u32, String)> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let matter = matter::parsed(text, start..text.len()).map_err(|broken| {
        // The parser's advice is about notes.
        let reason = broken.reason.split("; for a horizontal rule").next().unwrap_or_default();
        (broken.line, reason.replace("the front matter", "it").replace("property", "key"))
    })?;
    let breaks: Vec<usize> = memchr_iter(b'\n', text.as_bytes()).collect();
    let inner = matter.entries.iter().map(|entry| place(text, &entry.node, &breaks)).collect();
    Ok(Yaml { value: Value::Map(Box::new(matter.values())), place: Place { line: 1, is_tag: false, inner } })
}

impl Yaml {
    /// The root mapping.
    pub fn root(&self) -> Part<'_> {
        Part { value: &self.value, place: &self.place }
    }
}

impl<'a> Part<'a> {
    /// The line on which it begins, 1-based.
    pub fn line(self) -> u32 {
        self.place.line
    }

    /// Whether it is a bare tag: YAML reads an unquoted `!done` as a tag without a value.
    pub fn is_tag(self) -> bool {
        self.place.is_tag
    }

    /// The items of a list.
    pub fn items(self) -> Option<impl Iterator<Item = Part<'a>>> {
        let Value::List(items) = self.value else { return None };
        Some(items.iter().enumerate().map(move |(at, value)| self.inner(at, value)))
    }

    /// The entries of a mapping.
    pub fn entries(self) -> Option<impl ExactSizeIterator<Item = (&'a str, Part<'a>)>> {
        let entries: &'a IndexMap<String, Value> = match self.value {
            Value::Map(entries) => entries,
            _ => return None,
        };
        let entries = entries.iter().enumerate();
        Some(entries.map(move |(at, (key, value))| (key.as_str(), self.inner(at, value))))
    }

    /// The value of a key, unless it is empty.
    pub fn get(self, key: &str) -> Option<Part<'a>> {
        let (_, part) = self.entries()?.find(|(other, _)| *other == key)?;
        Some(part).filter(|part| *part.value != Value::Null || part.is_tag())
    }

    /// Children of an alias have no place of their own and get that of the alias.
    fn inner(self, at: usize, value: &'a Value) -> Part<'a> {
        Part { value, place: self.place.inner.get(at).unwrap_or(self.place) }
    }
}

/// Recursive; the parser bounds the depth.
fn place(text: &str, node: &Node, breaks: &[usize]) -> Place {
    let line = breaks.partition_point(|at| *at < node.span.start) + 1;
    let nodes: Vec<&Node> = match &node.style {
        Style::FlowList(nodes) | Style::FlowMap(nodes) | Style::BlockMap(nodes) => nodes.iter().collect(),
        Style::BlockList(items) => items.iter().map(|item| &item.node).collect(),
        _ => Vec::new(),
    };
    // The text of a block scalar begins below its header.
    let line = if node.style == Style::BlockScalar { line + 1 } else { line };
    // A missing value is placed where it would begin.
    let is_tag =
        node.style == Style::Missing && text[node.span.end..].trim_start_matches(' ').starts_with('!');
    Place {
        line: u32::try_from(line).unwrap_or(u32::MAX),
        is_tag,
        inner: nodes.into_iter().map(|node| place(text, node, breaks)).collect(),
    }
}
