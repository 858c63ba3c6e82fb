//! Links and tags in front matter.

use std::borrow::Cow;
use std::ops::Range;

use super::super::matter::{Matter, Node, Style};
use super::super::value::Value;
use super::{Link, LinkKind, Notation, Outline, TagUse, YamlQuotes, is_tag, wikilink::wikilinks};

pub(super) fn scan(text: &str, matter: &Matter, outline: &mut Outline) {
    for entry in &matter.entries {
        links(text, &entry.node, outline);
        if matches!(entry.name.to_lowercase().as_str(), "tags" | "tag") {
            tags(&entry.node, outline);
        }
    }
}

/// The links in a value at any depth, which the parser bounds.
fn links(text: &str, node: &Node, outline: &mut Outline) {
    match &node.style {
        // An alias' links are recorded at its anchor.
        Style::Missing | Style::Alias => {}
        Style::Plain | Style::UnquotedLink(_) => {
            scalar(text, node, node.span.clone(), YamlQuotes::Plain, outline);
        }
        Style::Quoted => {
            let inner = node.span.start + 1..node.span.end.saturating_sub(1).max(node.span.start + 1);
            let quotes = if text[node.span.clone()].starts_with('"') {
                YamlQuotes::Double
            } else {
                YamlQuotes::Single
            };
            scalar(text, node, inner, quotes, outline);
        }
        Style::BlockScalar => {
            let body = text[node.span.clone()].find('\n').map_or(node.span.end, |at| node.span.start + at);
            scalar(text, node, body..node.span.end, YamlQuotes::Block, outline);
        }
        Style::FlowList(nodes) | Style::FlowMap(nodes) | Style::BlockMap(nodes) => {
            nodes.iter().for_each(|node| links(text, node, outline));
        }
        Style::BlockList(items) => items.iter().for_each(|item| links(text, &item.node, outline)),
    }
}

fn scalar(text: &str, node: &Node, inner: Range<usize>, quotes: YamlQuotes, outline: &mut Outline) {
    let decode = |range: &Range<usize>| unescaped(&text[range.clone()], quotes).into_owned();
    outline.links.extend(wikilinks(text, inner).into_iter().map(|link| Link {
        kind: LinkKind::Property,
        target: decode(&link.target),
        subpath: link.subpath.as_ref().map(decode),
        display: link.display.as_ref().map(decode),
        span: link.span,
        target_span: link.target,
        line: 0,
        notation: Notation::Yaml { scalar: node.span.clone(), quotes },
    }));
}

/// A list of tags, or tags in one text, separated by commas or blanks.
fn tags(node: &Node, outline: &mut Outline) {
    match &node.style {
        Style::FlowList(nodes) => nodes.iter().for_each(|node| tags(node, outline)),
        Style::BlockList(items) => items.iter().for_each(|item| tags(&item.node, outline)),
        // In `tags: [[a, b]]` the brackets are a nested list: a tag is never a link.
        Style::UnquotedLink(inner) => tags(inner, outline),
        _ => {
            let Value::Text(value) = &node.value else { return };
            outline.tags.extend(
                value
                    .split(|c: char| c == ',' || c.is_whitespace())
                    .map(|name| name.strip_prefix('#').unwrap_or(name).trim_matches('/'))
                    .filter(|name| is_tag(name))
                    .map(|name| TagUse { tag: name.to_owned(), span: node.span.clone(), line: 0 }),
            );
        }
    }
}

/// Decodes part of a scalar.
fn unescaped(raw: &str, quotes: YamlQuotes) -> Cow<'_, str> {
    match quotes {
        YamlQuotes::Plain | YamlQuotes::Block => Cow::Borrowed(raw),
        YamlQuotes::Single => Cow::Owned(raw.replace("''", "'")),
        YamlQuotes::Double if !raw.contains('\\') => Cow::Borrowed(raw),
        YamlQuotes::Double => Cow::Owned(unescaped_double(raw)),
    }
}

/// The escapes of YAML 1.2, §5.7, that can occur in a name.
fn unescaped_double(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let mut after = rest[at + 1..].chars();
        let digits = match after.next() {
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            Some(c) => {
                out.push(match c {
                    't' => '\t',
                    'n' => '\n',
                    'r' => '\r',
                    '_' => '\u{a0}',
                    'N' => '\u{85}',
                    'L' => '\u{2028}',
                    'P' => '\u{2029}',
                    '0' => '\0',
                    c => c,
                });
                rest = after.as_str();
                continue;
            }
            None => {
                rest = "";
                break;
            }
        };
        let hex = after.as_str().get(..digits);
        match hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32) {
            Some(c) => {
                out.push(c);
                rest = &after.as_str()[digits..];
            }
            None => rest = after.as_str(),
        }
    }
    out.push_str(rest);
    out
}
