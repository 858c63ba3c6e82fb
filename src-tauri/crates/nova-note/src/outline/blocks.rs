//! Block structure, as far as it decides where inline text begins and ends: block quotes, lists, code,
//! headings, tables (CommonMark 0.31, §§4–5, and GFM), and Obsidian's multi-line comments and formulas.

use std::ops::Range;

use super::inline::{Inline, scan_paragraph, scan_row};
use super::prose::{Gathered, Prose};
use super::{Heading, Outline};

/// Maximum nesting of containers; deeper ones are text of the innermost.
const MAX_DEPTH: usize = 32;

/// Results of the scan other than the outline.
pub(super) struct Scanned {
    /// The lines of each block of fenced code.
    pub(super) code: Vec<Range<usize>>,
    /// Starts of the lines whose list item begins with `[`.
    pub(super) boxes: Vec<usize>,
}

/// Reads the body that begins at `start`.
pub(super) fn scan(text: &str, start: usize, outline: &mut Outline) -> Scanned {
    scan_with(text, start, Inline::new(text, outline)).scanned
}

/// The prose of the body that begins at `start`, and the lines of fenced code.
pub(super) fn prose(text: &str, start: usize) -> (Vec<Prose>, Vec<Range<usize>>) {
    let mut outline = Outline::default();
    let mut inline = Inline::new(text, &mut outline);
    inline.prose = Some(Gathered::default());
    let blocks = scan_with(text, start, inline);
    (blocks.inline.prose.unwrap_or_default().found, blocks.scanned.code)
}

fn scan_with<'a, 'o>(text: &'a str, start: usize, inline: Inline<'a, 'o>) -> Blocks<'a, 'o> {
    let mut blocks = Blocks {
        text,
        inline,
        containers: Vec::new(),
        leaf: Leaf::None,
        line_end: start,
        unclosed: 0,
        scanned: Scanned { code: Vec::new(), boxes: Vec::new() },
    };
    let mut at = start;
    while at < text.len() {
        at = blocks.line(at);
    }
    blocks.end_leaf();
    blocks
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Quote,
    /// A list item and the indentation of its content, in columns.
    Item(usize),
}

/// The open leaf block.
#[derive(Debug, Clone)]
enum Leaf {
    None,
    Paragraph { text: Range<usize>, last_line: usize },
    Table,
    Fence { mark: u8, length: usize },
}

struct Blocks<'a, 'o> {
    text: &'a str,
    inline: Inline<'a, 'o>,
    containers: Vec<Container>,
    leaf: Leaf,
    /// The end of the current line, line break included.
    line_end: usize,
    /// Bit set of [`SPANS`] known to be unclosed in the rest of the text.
    unclosed: u8,
    scanned: Scanned,
}

/// Constructs that span lines, from a mark at the beginning of a line to the closing mark anywhere.
/// Unclosed, the mark is text.
const SPANS: [(&str, &str); 3] = [("%%", "%%"), ("$$", "$$"), ("<!--", "-->")];

impl Blocks<'_, '_> {
    /// Reads the line at `start`, or the rest of one. Returns where to continue.
    fn line(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        // The rest of a line is not measured again: that would be quadratic for a long line.
        if start >= self.line_end {
            let length = bytes[start..].iter().position(|b| *b == b'\n');
            self.line_end = length.map_or(bytes.len(), |at| start + at + 1);
        }
        let end = self.line_end;
        let content_end = start + self.text[start..end].trim_end_matches(['\n', '\r']).len();
        let mut cursor = Cursor::new(&bytes[..content_end], start);

        let mut matched = 0;
        for container in &self.containers {
            let fits = match container {
                Container::Quote => cursor.eat_quote(),
                Container::Item(indent) => cursor.is_blank() || cursor.eat_indent(*indent),
            };
            if !fits {
                break;
            }
            matched += 1;
        }
        let all_matched = matched == self.containers.len();

        if let Leaf::Fence { mark, length } = self.leaf {
            if all_matched {
                if let Some(code) = self.scanned.code.last_mut() {
                    code.end = end;
                }
                if cursor.closes_fence(mark, length) {
                    self.leaf = Leaf::None;
                }
                return end;
            }
            self.leaf = Leaf::None;
        }
        if cursor.is_blank() {
            self.end_leaf();
            self.containers.truncate(matched);
            return end;
        }

        let mut in_paragraph = matches!(self.leaf, Leaf::Paragraph { .. });
        let mut opened = false;
        while self.containers.len() < MAX_DEPTH || !opened {
            if cursor.indent() >= 4 {
                break;
            }
            let container = if cursor.eat_quote() {
                Container::Quote
            } else if !cursor.is_thematic_break()
                && let Some(indent) = cursor.eat_item(in_paragraph && all_matched)
            {
                Container::Item(indent)
            } else {
                break;
            };
            if !opened {
                self.end_leaf();
                self.containers.truncate(matched);
            }
            opened = true;
            in_paragraph = false;
            if self.containers.len() < MAX_DEPTH {
                self.containers.push(container);
            }
        }
        let lazy = in_paragraph && !all_matched;
        let begins_line = start == 0 || bytes[start - 1] == b'\n';
        let is_item = opened && matches!(self.containers.last(), Some(Container::Item(_)));
        if is_item && begins_line && cursor.indent() < 4 && cursor.rest().first() == Some(&b'[') {
            self.scanned.boxes.push(start);
        }
        if cursor.is_blank() {
            return end;
        }
        if cursor.indent() >= 4 && !in_paragraph {
            // Indented code.
            self.end_leaf();
            if !opened {
                self.containers.truncate(matched);
            }
            return end;
        }
        self.leaf_line(&cursor, content_end, end, Place { in_paragraph, lazy, opened, matched })
    }

    fn leaf_line(&mut self, cursor: &Cursor<'_>, content_end: usize, end: usize, place: Place) -> usize {
        let first = cursor.first;
        let starts_block = cursor.indent() < 4;
        if starts_block {
            if place.in_paragraph
                && !place.lazy
                && let Some(level) = cursor.setext_underline()
                && let Leaf::Paragraph { text, .. } = std::mem::replace(&mut self.leaf, Leaf::None)
            {
                self.heading(level, &text, text.start..content_end);
                return end;
            }
            if let Some((mark, length)) = cursor.opens_fence() {
                self.begin(place);
                self.leaf = Leaf::Fence { mark, length };
                self.scanned.code.push(first..end);
                return end;
            }
            if let Some((level, title)) = cursor.atx_heading() {
                self.begin(place);
                self.heading(level, &title, first..content_end);
                return end;
            }
            if cursor.is_thematic_break() {
                self.begin(place);
                return end;
            }
            if let Some(behind) = self.span_end(first) {
                self.begin(place);
                return behind;
            }
        }
        self.text_line(cursor, content_end, place);
        end
    }

    fn text_line(&mut self, cursor: &Cursor<'_>, content_end: usize, place: Place) {
        let line = cursor.first..content_end;
        if !place.in_paragraph {
            if matches!(self.leaf, Leaf::Table) && !place.opened && place.matched == self.containers.len() {
                scan_row(&mut self.inline, line);
                return;
            }
            self.begin(place);
            self.leaf = Leaf::Paragraph { text: line.clone(), last_line: line.start };
            return;
        }
        let Leaf::Paragraph { text, last_line } = &mut self.leaf else { return };
        let is_delimiter = !place.lazy
            && is_delimiter_row(&self.text[line.clone()])
            && self.text[*last_line..text.end].contains('|');
        if is_delimiter {
            let (before, header) = (text.start..*last_line, *last_line..text.end);
            self.leaf = Leaf::Table;
            scan_paragraph(&mut self.inline, before);
            scan_row(&mut self.inline, header);
            return;
        }
        text.end = line.end;
        *last_line = line.start;
    }

    /// Begins a new block and closes those that do not contain it.
    fn begin(&mut self, place: Place) {
        self.end_leaf();
        if !place.opened {
            self.containers.truncate(place.matched);
        }
    }

    fn end_leaf(&mut self) {
        if let Leaf::Paragraph { text, .. } = std::mem::replace(&mut self.leaf, Leaf::None) {
            scan_paragraph(&mut self.inline, text);
        }
    }

    fn heading(&mut self, level: u8, title: &Range<usize>, span: Range<usize>) {
        let text = self.text[title.clone()].trim().to_owned();
        if self.inline.outline.has_room() {
            let is_nested = !self.containers.is_empty();
            self.inline.outline.headings.push(Heading { level, text, span, is_nested, line: 0 });
        }
        self.inline.scan_without_prose(title.clone());
    }

    /// The end of the comment or formula that begins at `at`.
    fn span_end(&mut self, at: usize) -> Option<usize> {
        for (bit, (open, close)) in SPANS.iter().enumerate() {
            if !self.text[at..].starts_with(open) {
                continue;
            }
            let inside = at + open.len();
            if self.unclosed & (1 << bit) == 0 {
                match self.text[inside..].find(close) {
                    Some(offset) => return Some(inside + offset + close.len()),
                    None => self.unclosed |= 1 << bit,
                }
            }
        }
        None
    }
}

/// How a line relates to the open blocks.
#[derive(Debug, Clone, Copy)]
struct Place {
    in_paragraph: bool,
    /// A lazy continuation line: continues a paragraph without the markers of its containers.
    lazy: bool,
    /// The line opened containers.
    opened: bool,
    /// Number of open containers that the line continues.
    matched: usize,
}

/// A position in a line with its column; tab stops are multiples of four.
struct Cursor<'a> {
    /// Up to the end of the line, without its line break.
    bytes: &'a [u8],
    at: usize,
    column: usize,
    /// Remaining columns of a partially consumed tab.
    spare: usize,
    /// The first non-blank byte from `at` on.
    first: usize,
}

impl<'a> Cursor<'a> {
    fn new(bytes: &'a [u8], at: usize) -> Cursor<'a> {
        let mut cursor = Cursor { bytes, at, column: 0, spare: 0, first: at };
        cursor.look();
        cursor
    }

    fn look(&mut self) {
        self.first = self.first.max(self.at);
        while matches!(self.bytes.get(self.first), Some(b' ' | b'\t')) {
            self.first += 1;
        }
    }

    fn is_blank(&self) -> bool {
        self.first >= self.bytes.len()
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.first.min(self.bytes.len())..]
    }

    /// Columns of indentation before the text, capped at a few hundred.
    fn indent(&self) -> usize {
        let mut columns = self.spare;
        for byte in self.bytes[self.at..self.first].iter().take(256) {
            columns += if *byte == b'\t' { 4 - (self.column + columns - self.spare) % 4 } else { 1 };
        }
        columns
    }

    fn eat_indent(&mut self, columns: usize) -> bool {
        if self.indent() < columns {
            return false;
        }
        let mut left = columns;
        while left > 0 {
            if self.spare == 0 {
                self.spare = if self.bytes[self.at] == b'\t' { 4 - self.column % 4 } else { 1 };
                self.column += self.spare;
                self.at += 1;
            }
            let eaten = left.min(self.spare);
            self.spare -= eaten;
            left -= eaten;
        }
        self.look();
        true
    }

    /// Skips blanks and a marker of `width` bytes.
    fn eat_mark(&mut self, width: usize) {
        self.column += self.indent() - self.spare + width;
        self.spare = 0;
        self.at = self.first + width;
        self.look();
    }

    fn eat_quote(&mut self) -> bool {
        if self.rest().first() != Some(&b'>') || self.indent() >= 4 {
            return false;
        }
        self.eat_mark(1);
        if self.at < self.first {
            self.eat_indent(1);
        }
        true
    }

    /// Skips a list marker; returns the indentation of its content, in columns. A marker interrupts a
    /// paragraph only if text follows it and, in an ordered list, if its number is 1.
    fn eat_item(&mut self, in_paragraph: bool) -> Option<usize> {
        let rest = self.rest();
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let width = match (digits, rest.get(digits)?) {
            (0, b'-' | b'*' | b'+') => 1,
            (1..=9, b'.' | b')') => digits + 1,
            _ => return None,
        };
        let behind = &rest[width..];
        let is_empty = behind.iter().all(|b| matches!(b, b' ' | b'\t'));
        if !behind.is_empty() && !matches!(behind[0], b' ' | b'\t') {
            return None;
        }
        if in_paragraph && (is_empty || (digits > 0 && &rest[..digits] != b"1")) {
            return None;
        }
        let before = self.indent();
        self.eat_mark(width);
        let blanks = self.indent();
        let padding = if is_empty || blanks >= 5 { 1 } else { blanks };
        if !is_empty {
            self.eat_indent(padding);
        }
        Some(before + width + padding)
    }

    fn is_thematic_break(&self) -> bool {
        let Some(mark) = self.rest().first().filter(|b| matches!(b, b'-' | b'*' | b'_')) else {
            return false;
        };
        let mut marks = 0;
        for byte in self.rest() {
            match byte {
                byte if byte == mark => marks += 1,
                b' ' | b'\t' => {}
                _ => return false,
            }
        }
        marks >= 3
    }

    fn setext_underline(&self) -> Option<u8> {
        let rest = self.rest().trim_ascii_end();
        let mark = rest.first()?;
        let level = match mark {
            b'=' => 1,
            b'-' => 2,
            _ => return None,
        };
        rest.iter().all(|b| b == mark).then_some(level)
    }

    fn opens_fence(&self) -> Option<(u8, usize)> {
        let rest = self.rest();
        let mark = *rest.first().filter(|b| matches!(b, b'`' | b'~'))?;
        let length = rest.iter().take_while(|b| **b == mark).count();
        let is_inline = mark == b'`' && rest[length..].contains(&b'`');
        (length >= 3 && !is_inline).then_some((mark, length))
    }

    fn closes_fence(&self, mark: u8, length: usize) -> bool {
        let rest = self.rest().trim_ascii_end();
        self.indent() < 4 && rest.len() >= length && rest.iter().all(|b| *b == mark)
    }

    /// Level and title.
    fn atx_heading(&self) -> Option<(u8, Range<usize>)> {
        let rest = self.rest();
        let level = rest.iter().take_while(|b| **b == b'#').count();
        if !(1..=6).contains(&level) || !matches!(rest.get(level), None | Some(b' ' | b'\t')) {
            return None;
        }
        let start = self.first + level;
        let title = self.bytes[start..].trim_ascii_end();
        let without = title.len() - title.iter().rev().take_while(|b| **b == b'#').count();
        let is_closed = without == 0 || matches!(title[without - 1], b' ' | b'\t');
        let length = if is_closed { without } else { title.len() };
        Some((u8::try_from(level).unwrap_or(6), start..start + length))
    }
}

/// The delimiter row below a table's header: `|---|:-:|`.
pub(crate) fn is_delimiter_row(line: &str) -> bool {
    let line = line.trim();
    let cells = line.strip_prefix('|').unwrap_or(line);
    let cells = cells.strip_suffix('|').unwrap_or(cells);
    line.contains('|')
        && cells.split('|').all(|cell| {
            let cell = cell.trim();
            let dashes = cell.strip_prefix(':').unwrap_or(cell);
            let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
            !dashes.is_empty() && dashes.bytes().all(|b| b == b'-')
        })
}
