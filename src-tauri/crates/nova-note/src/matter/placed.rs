//! Simple front matter with spans, as the YAML parser would report them.

use std::collections::HashMap;
use std::ops::Range;

use super::super::simple::{self, Written};
use super::{Entry, Item, Matter, Node, Style};

/// `None` if the fast reader declines (see [`simple`]).
pub(super) fn read(text: &str, range: Range<usize>) -> Option<Matter> {
    let simple = simple::entries(text, range.clone())?;
    let entries: Vec<Entry> = simple.iter().map(|entry| placed(text, entry)).collect();
    let by_name: HashMap<String, usize> =
        entries.iter().enumerate().map(|(at, entry)| (entry.name.clone(), at)).collect();
    Some(Matter { range, entries, shares_lines: false, by_name })
}

fn placed(text: &str, entry: &simple::Entry<'_>) -> Entry {
    let key = place(text, entry.key);
    let after_colon = key.end + ":".len();
    Entry { name: entry.key.to_owned(), node: node(text, &entry.value, after_colon), key, after_colon }
}

/// What follows a `:`.
fn node(text: &str, written: &Written<'_>, after_colon: usize) -> Node {
    let value = written.value();
    match written {
        Written::Nothing => Node { value, span: after_colon..after_colon, style: Style::Missing },
        Written::Plain(_) | Written::Quoted(_) => scalar(text, written),
        Written::List(items) if text[after_colon..].starts_with(" [") => {
            let start = after_colon + " ".len();
            let nodes: Vec<Node> = items.iter().map(|item| scalar(text, item)).collect();
            let end = nodes.last().map_or(start + "[".len(), |last| last.span.end) + "]".len();
            Node { value, span: start..end, style: Style::FlowList(nodes) }
        }
        Written::List(items) => {
            let items: Vec<Item> = items
                .iter()
                .map(|item| scalar(text, item))
                .map(|node| Item { dash: node.span.start - "- ".len(), node })
                .collect();
            let start = items.first().map_or(after_colon, |first| first.dash);
            let end = items.last().map_or(after_colon, |last| last.node.span.end);
            Node { value, span: start..end, style: Style::BlockList(items) }
        }
    }
}

fn scalar(text: &str, written: &Written<'_>) -> Node {
    let (span, style) = match written {
        Written::Plain(plain) => (place(text, plain), Style::Plain),
        Written::Quoted(inside) => {
            let inside = place(text, inside);
            (inside.start - 1..inside.end + 1, Style::Quoted)
        }
        // A simple list has no empty and no nested items.
        Written::Nothing | Written::List(_) => (0..0, Style::Missing),
    };
    Node { value: written.value(), span, style }
}

/// The byte range of `part`, a subslice of `text`.
fn place(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}
