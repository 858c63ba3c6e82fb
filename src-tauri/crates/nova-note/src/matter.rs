//! Front matter as YAML: the properties and the location of each in the text.
//!
//! serde-saphyr parses (strictly and with a budget) and gives byte offsets; the value of a scalar is read
//! from the source text, because a parsed number has lost its notation.

use std::collections::HashMap;
use std::ops::Range;

use indexmap::IndexMap;
use serde_saphyr::{Location, Spanned};

use super::split::lines_from;
use super::value::{Value, link_inner};

mod placed;
mod raw;

use raw::{Raw, span_of};

/// Readable front matter. All ranges are byte offsets in the note's text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Matter {
    pub(super) range: Range<usize>,
    pub(super) entries: Vec<Entry>,
    /// Entries share a line: the mapping is a flow mapping `{…}`, or lines end in a lone `\r`. Then entries
    /// cannot be edited line by line.
    pub(super) shares_lines: bool,
    by_name: HashMap<String, usize>,
}

/// One `key: value` of the root mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    /// The key as written, quotes included.
    pub(super) key: Range<usize>,
    /// Just after the `:`.
    pub(super) after_colon: usize,
    pub(super) node: Node,
}

/// A value and how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) value: Value,
    /// The value as written, without anchor and tag. Empty if the value is missing.
    pub(super) span: Range<usize>,
    pub(super) style: Style,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Style {
    /// No value is written.
    Missing,
    Plain,
    Quoted,
    /// The span begins at the header (`|-`).
    BlockScalar,
    Alias,
    /// `[[Acme, Inc]]` without quotes; the node is the single item that YAML sees in the outer list.
    UnquotedLink(Box<Node>),
    FlowList(Vec<Node>),
    BlockList(Vec<Item>),
    /// The values, in file order.
    FlowMap(Vec<Node>),
    /// The values, in file order.
    BlockMap(Vec<Node>),
}

/// One `- item` of a block list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) dash: usize,
    pub(super) node: Node,
}

/// Front matter that cannot be read as properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken {
    /// The line in the file, 1-based.
    pub(super) line: u32,
    pub(super) reason: String,
}

impl Matter {
    pub(super) fn entry(&self, name: &str) -> Option<&Entry> {
        self.by_name.get(name).map(|index| &self.entries[*index])
    }

    pub(super) fn values(&self) -> IndexMap<String, Value> {
        self.entries.iter().map(|entry| (entry.name.clone(), entry.node.value.clone())).collect()
    }
}

impl Node {
    /// The node as YAML reads an unquoted link: a list in a list.
    pub(super) fn as_yaml(&self) -> Option<Node> {
        let Style::UnquotedLink(inner) = &self.style else { return None };
        Some(Node {
            value: Value::List(vec![inner.value.clone()]),
            span: self.span.clone(),
            style: Style::FlowList(vec![(**inner).clone()]),
        })
    }
}

impl Entry {
    /// The whole lines of the entry, from its key's line to the line its value ends on.
    pub(super) fn lines(&self, text: &str) -> Range<usize> {
        line_start(text, self.key.start)..line_end(text, self.node.span.end)
    }
}

/// Reads the front matter at `range` of `text`, with the fast reader where possible.
pub(super) fn read(text: &str, range: Range<usize>) -> Result<Matter, Broken> {
    match placed::read(text, range.clone()) {
        Some(matter) => Ok(matter),
        None => parsed(text, range),
    }
}

/// As [`read`], but always with the YAML parser.
pub(super) fn parsed(text: &str, range: Range<usize>) -> Result<Matter, Broken> {
    let source = &text[range.clone()];
    let base = range.start;
    let empty = lines_from(source, 0).all(|line| {
        let line = source[line].trim();
        line.is_empty() || line.starts_with('#')
    });
    if empty {
        return Ok(Matter { range, entries: Vec::new(), shares_lines: false, by_name: HashMap::new() });
    }

    let broken = |at: u64, reason: String| Broken {
        line: u32::try_from(text[..base].matches('\n').count() as u64 + at).unwrap_or(u32::MAX),
        reason,
    };
    let root = raw::parse(source).map_err(|(line, reason)| broken(line, reason))?;
    let Raw::Map(pairs) = root.value else {
        return Err(broken(
            1,
            "this is not a list of `key: value` lines; for a horizontal rule at the top of a note write `***`".to_owned(),
        ));
    };

    let mut reader = Reader { source, base, seen: HashMap::new() };
    let mut entries: Vec<Entry> = Vec::with_capacity(pairs.len());
    let mut by_name = HashMap::with_capacity(pairs.len());
    for (key, value) in pairs {
        let line = key.referenced.line();
        let entry = reader
            .entry(key, value)
            .ok_or_else(|| broken(line, "this property is written in a way Nova cannot place".to_owned()))?;
        if by_name.insert(entry.name.clone(), entries.len()).is_some() {
            return Err(broken(line, format!("the property `{}` occurs twice", entry.name)));
        }
        entries.push(entry);
    }
    let is_flow = span_of(&root.referenced).is_none_or(|span| !span.is_empty());
    let overlap = entries.windows(2).any(|pair| pair[0].lines(text).end > pair[1].lines(text).start);
    Ok(Matter { range, entries, shares_lines: is_flow || overlap, by_name })
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The end of the line that contains `at`, line break included.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

struct Reader<'a> {
    source: &'a str,
    base: usize,
    /// Values by their span, to resolve aliases.
    seen: HashMap<Range<usize>, Value>,
}

/// The bytes between a `:` or `-` and the value.
#[derive(Default)]
struct Lead<'a> {
    tag: Option<&'a str>,
    /// Where a block scalar's header (`|`, `>`) begins.
    header: Option<usize>,
}

impl<'a> Reader<'a> {
    fn entry(&mut self, key: Spanned<Raw>, value: Spanned<Raw>) -> Option<Entry> {
        let (name, key) = self.key(&key)?;
        let colon = self.skip_to(key.end, ':')?;
        let node = self.node(value, colon + 1)?;
        Some(Entry {
            name,
            key: self.base + key.start..self.base + key.end,
            after_colon: self.base + colon + 1,
            node: self.rebase(node),
        })
    }

    /// A key is a scalar; unquoted, it is the text as written (`5`, `true`, `null`).
    fn key(&self, key: &Spanned<Raw>) -> Option<(String, Range<usize>)> {
        let span = self.place(&key.referenced)?;
        let written = self.source.get(span.clone())?;
        let name = match &key.value {
            Raw::List(_) | Raw::Map(_) => return None,
            Raw::Text(text) => text.clone(),
            Raw::Null | Raw::Bool(_) | Raw::Number => written.to_owned(),
        };
        Some((name, span))
    }

    /// Offsets are relative to `source` until [`Reader::rebase`].
    fn node(&mut self, raw: Spanned<Raw>, lead_start: usize) -> Option<Node> {
        let span = self.place(&raw.referenced)?;
        let defined = self.place(&raw.defined)?;
        if span != defined && self.source[span.start..].starts_with('*') {
            let value = match self.seen.get(&defined) {
                Some(value) => value.clone(),
                None => typed_scalar(&raw.value, self.source.get(defined)?)?,
            };
            return Some(Node { value, span, style: Style::Alias });
        }

        let node = match raw.value {
            // The parser's span of a flow list includes the opening bracket; that of a block list is empty.
            Raw::List(items) if !span.is_empty() => self.flow_list(items, span.start)?,
            Raw::List(items) => self.block_list(items, lead_start..span.start)?,
            Raw::Map(pairs) => self.map(pairs, span.start)?,
            scalar => self.scalar(&scalar, span, lead_start)?,
        };
        self.seen.insert(defined, node.value.clone());
        Some(node)
    }

    /// A node's byte range, if it is valid in the source.
    fn place(&self, location: &Location) -> Option<Range<usize>> {
        span_of(location).filter(|span| self.source.get(span.clone()).is_some())
    }

    fn scalar(&self, raw: &Raw, span: Range<usize>, lead_start: usize) -> Option<Node> {
        let written = self.source.get(span.clone())?;
        let lead = self.lead(lead_start.min(span.start)..span.start);
        if let Some(header) = lead.header {
            let Raw::Text(text) = raw else { return None };
            let end = self.block_scalar_end(header, span.end);
            return Some(Node {
                value: Value::from_text(text),
                span: header..end,
                style: Style::BlockScalar,
            });
        }
        if written.is_empty() {
            let value = match raw {
                Raw::Text(text) => Value::from_text(text),
                _ => Value::Null,
            };
            // The parser reports a missing value where it noticed it; its place is after the `:`.
            return Some(Node { value, span: lead_start..lead_start, style: Style::Missing });
        }
        let quoted = written.starts_with(['"', '\'']);
        let value = match (raw, lead.tag) {
            (Raw::Text(text), Some(_)) => Value::from_text(text),
            (Raw::Text(text), None) if quoted => Value::from_text(text),
            (Raw::Text(text), None) if written.contains('\n') => Value::from_text(text),
            (raw, Some(_)) => typed_scalar(raw, written)?,
            (_, None) => Value::from_plain(written),
        };
        let style = if quoted { Style::Quoted } else { Style::Plain };
        Some(Node { value, span, style })
    }

    fn flow_list(&mut self, items: Vec<Spanned<Raw>>, start: usize) -> Option<Node> {
        let mut nodes = Vec::with_capacity(items.len());
        let mut at = start + 1;
        for item in items {
            let node = self.node(item, at)?;
            at = node.span.end.max(at);
            nodes.push(node);
        }
        let span = start..self.flow_end(at, ']')?;
        // A link is one value in any notation: it is replaced as a whole, never item by item.
        if let Some(link) = self.unquoted_link(&span, &nodes)
            && let Some(inner) = nodes.pop()
        {
            return Some(Node { value: link, span, style: Style::UnquotedLink(Box::new(inner)) });
        }
        let value = Value::List(nodes.iter().map(|node| node.value.clone()).collect());
        Some(Node { value, span, style: Style::FlowList(nodes) })
    }

    /// Unquoted `[[Jane Doe]]` is a list in a list for YAML, but a link for its author; so is
    /// `[[Acme, Inc]]`, which YAML reads as two items, and `[[Acme|A: b]]`, which it reads as a mapping.
    /// Between the brackets only plain scalars and commas on one line are accepted, and a colon only in the
    /// display text.
    fn unquoted_link(&self, span: &Range<usize>, nodes: &[Node]) -> Option<Value> {
        let [Node { style: Style::FlowList(parts), .. }] = nodes else {
            return None;
        };
        let link = link_inner(&self.source[span.clone()])?;
        let mut at = span.start + "[[".len();
        let mut shows_colon = false;
        for part in parts {
            let is_plain = part.style == Style::Plain && self.is_between_items(at..part.span.start);
            if !is_plain {
                self.colon_of_pair(at, part).filter(|colon| self.has_named(span.start..*colon))?;
                shows_colon = true;
            }
            at = part.span.end;
        }
        let is_whole = self.is_between_items(at..span.end - "]]".len());
        let values: Vec<&Value> = parts.iter().map(|part| &part.value).collect();
        (is_whole && (shows_colon || can_be_a_name(&values))).then(|| Value::Link(link.to_owned()))
    }

    /// The colon of a part such as `Acme|A: b`, if that is a pair of plain scalars without braces.
    fn colon_of_pair(&self, from: usize, part: &Node) -> Option<usize> {
        let (Style::BlockMap(values), Value::Map(entries)) = (&part.style, &part.value) else { return None };
        let ([value], Some((key, _))) = (values.as_slice(), entries.first()) else { return None };
        let before = self.source.get(from..value.span.start)?.trim_end_matches([' ', '\t']);
        let written = before.strip_suffix(':')?.trim_start_matches([',', ' ', '\t']).trim_end();
        let is_plain = written == key && matches!(value.style, Style::Plain | Style::Missing);
        is_plain.then_some(from + before.len() - ":".len())
    }

    /// Whether the link's target has ended, so that a heading or display text follows: a colon cannot be
    /// part of a note's name.
    fn has_named(&self, link: Range<usize>) -> bool {
        self.source[link].contains(['|', '#'])
    }

    /// Whether the range has only commas and blanks, hence no anchor and no tag.
    fn is_between_items(&self, range: Range<usize>) -> bool {
        self.source
            .get(range)
            .is_some_and(|between| between.bytes().all(|b| matches!(b, b',' | b' ' | b'\t')))
    }

    fn block_list(&mut self, raw_items: Vec<Spanned<Raw>>, lead: Range<usize>) -> Option<Node> {
        let start = self.first_dash(lead);
        let mut items = Vec::with_capacity(raw_items.len());
        let mut at = start;
        for item in raw_items {
            let dash = self.skip_to(at, '-')?;
            let node = self.node(item, dash + 1)?;
            at = node.span.end;
            items.push(Item { dash, node });
        }
        let value = Value::List(items.iter().map(|item| item.node.value.clone()).collect());
        Some(Node { value, span: start..at, style: Style::BlockList(items) })
    }

    /// Start of a block list. For a list that is not indented the parser reports the position after the
    /// first dash, where another dash may follow.
    fn first_dash(&self, lead: Range<usize>) -> usize {
        let mut at = lead.start;
        loop {
            at = self.skip_blank(at);
            if at >= lead.end {
                return lead.end;
            }
            let rest = &self.source[at..];
            let token = first_token(rest);
            if token == "-" {
                return at;
            }
            at += token.len();
        }
    }

    fn map(&mut self, pairs: Vec<(Spanned<Raw>, Spanned<Raw>)>, start: usize) -> Option<Node> {
        let is_flow = self.source[start..].starts_with('{');
        let mut entries = IndexMap::with_capacity(pairs.len());
        let mut nodes = Vec::with_capacity(pairs.len());
        let mut at = if is_flow { start + 1 } else { start };
        for (key, value) in pairs {
            let (name, key) = self.key(&key)?;
            at = at.max(key.end);
            // `{a, b}` has keys without a colon.
            let lead = self.skip_to(key.end, ':').map_or(key.end, |colon| colon + 1);
            let node = self.node(value, lead)?;
            at = at.max(node.span.end);
            entries.insert(name, node.value.clone());
            nodes.push(node);
        }
        let (end, style) = if is_flow {
            (self.flow_end(at, '}')?, Style::FlowMap(nodes))
        } else {
            (at, Style::BlockMap(nodes))
        };
        Some(Node { value: Value::Map(Box::new(entries)), span: start..end, style })
    }

    /// The end of a flow collection, closing bracket included.
    fn flow_end(&self, from: usize, closer: char) -> Option<usize> {
        let mut at = from;
        loop {
            at = self.skip_blank(at);
            let next = self.source[at..].chars().next()?;
            at += next.len_utf8();
            if next == closer {
                return Some(at);
            }
            if next != ',' && next != ':' {
                return None;
            }
        }
    }

    /// The position of `mark`, if only blanks and comments precede it.
    fn skip_to(&self, from: usize, mark: char) -> Option<usize> {
        let at = self.skip_blank(from);
        self.source[at..].starts_with(mark).then_some(at)
    }

    fn skip_blank(&self, from: usize) -> usize {
        let bytes = self.source.as_bytes();
        let mut at = from;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => at += 1,
                b'#' if at == 0 || bytes[at - 1].is_ascii_whitespace() => {
                    at = line_end(self.source, at);
                }
                _ => break,
            }
        }
        at
    }

    fn lead(&self, range: Range<usize>) -> Lead<'a> {
        let mut lead = Lead::default();
        let mut at = range.start;
        loop {
            at = self.skip_blank(at);
            if at >= range.end {
                return lead;
            }
            let rest = &self.source[at..range.end];
            let token = first_token(rest);
            if token.starts_with(['|', '>']) {
                lead.header = Some(at);
                return lead;
            }
            if token.starts_with('!') {
                lead.tag = Some(token);
            }
            at += token.len();
        }
    }

    /// The end of the last line of a block scalar's text, before its line break. With `+`, trailing blank
    /// lines are part of the text.
    fn block_scalar_end(&self, header: usize, span_end: usize) -> usize {
        let header_line = &self.source[header..line_end(self.source, header)];
        let keep = header_line.split_whitespace().next().is_some_and(|indicator| indicator.contains('+'));
        let body = &self.source[header..span_end.max(header + header_line.len())];
        let trimmed = if keep {
            let body = body.strip_suffix('\n').unwrap_or(body);
            body.strip_suffix('\r').unwrap_or(body)
        } else {
            body.trim_end()
        };
        header + trimmed.len().max(1)
    }

    fn rebase(&self, mut node: Node) -> Node {
        shift(&mut node, self.base);
        node
    }
}

/// Up to the blanks that [`Reader::skip_blank`] skips. Other whitespace (U+0085, a no-break space) is part
/// of a token in YAML, so the token after skipped blanks is never empty.
fn first_token(text: &str) -> &str {
    let end = text.find([' ', '\t', '\r', '\n']).unwrap_or(text.len());
    &text[..end]
}

fn shift(node: &mut Node, by: usize) {
    node.span = node.span.start + by..node.span.end + by;
    match &mut node.style {
        Style::FlowList(nodes) | Style::FlowMap(nodes) | Style::BlockMap(nodes) => {
            nodes.iter_mut().for_each(|node| shift(node, by));
        }
        Style::UnquotedLink(inner) => shift(inner, by),
        Style::BlockList(items) => items.iter_mut().for_each(|item| {
            item.dash += by;
            shift(&mut item.node, by);
        }),
        _ => {}
    }
}

/// Whether the comma-separated parts between `[[` and `]]` can be a note's name. Several numbers or dates
/// (`[[52.5, 13.4]]`) are a table row or an interval; a single one is the name of a yearly or daily note.
pub(super) fn can_be_a_name(parts: &[&Value]) -> bool {
    let is_word =
        |part: &&Value| matches!(part, Value::Text(text) if text.contains(|c: char| c.is_alphabetic()));
    parts.len() == 1 || parts.iter().any(is_word)
}

/// The value of a scalar that is tagged or referenced by an alias.
fn typed_scalar(raw: &Raw, written: &str) -> Option<Value> {
    match raw {
        Raw::Null => Some(Value::Null),
        Raw::Bool(value) => Some(Value::Bool(*value)),
        Raw::Number => Some(Value::Number(written.to_owned()).normalized()),
        Raw::Text(text) => Some(Value::from_text(text)),
        Raw::List(_) | Raw::Map(_) => None,
    }
}
