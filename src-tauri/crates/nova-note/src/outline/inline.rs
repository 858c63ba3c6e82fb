//! Inline text: links, tags and block ids outside of code, comments, formulas and HTML tags.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use super::angle::angle_end;
use super::destination::{self, decoded, destination, halves, title_end};
use super::prose::Gathered;
use super::wikilink::wikilink_at;
use super::{Block, Link, LinkKind, Notation, Outline, TagUse, is_tag, is_tag_char};

/// Maximum number of open `[`; beyond it the oldest become text.
const MAX_BRACKETS: usize = 256;

/// Maximum number of runs of backticks and dollars checked per paragraph; the rest is text.
const MAX_MARKS: usize = 50_000;

/// CommonMark's limit for the label of a link reference definition.
const MAX_LABEL_CHARS: usize = 999;

/// Scans inline text and adds what it finds to an outline.
pub(super) struct Inline<'a, 'o> {
    text: &'a str,
    pub(super) outline: &'o mut Outline,
    /// Collects prose if requested.
    pub(super) prose: Option<Gathered>,
}

/// Reads a paragraph: link reference definitions first, then text.
pub(super) fn scan_paragraph(inline: &mut Inline<'_, '_>, range: Range<usize>) {
    let mut at = range.start;
    while let Some(next) = inline.definition(at, range.end) {
        at = next;
    }
    // A paragraph that begins with a tag is an HTML block, in which Markdown is not parsed.
    let begins = inline.text[at..range.end].trim_start();
    let is_html = begins.starts_with('<')
        && begins[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
    if is_html { inline.scan_without_prose(at..range.end) } else { inline.scan(at..range.end) }
}

/// Reads a table row, in which no construct extends across cells, except that a wikilink may contain an
/// unescaped pipe: Obsidian's own views disagree on it.
pub(super) fn scan_row(inline: &mut Inline<'_, '_>, range: Range<usize>) {
    let bytes = inline.text.as_bytes();
    let mut cell = range.start;
    let mut at = range.start;
    if let Some(prose) = &mut inline.prose {
        prose.in_table = true;
    }
    while at < range.end {
        match bytes[at] {
            b'\\' => at += 2,
            b'[' if at + 1 < range.end && bytes[at + 1] == b'[' => {
                at = wikilink_at(inline.text, at, range.end).map_or(at + 2, |link| link.span.end);
            }
            b'|' => {
                inline.scan(cell..at);
                at += 1;
                cell = at;
            }
            _ => at += 1,
        }
    }
    inline.scan(cell..range.end);
    if let Some(prose) = &mut inline.prose {
        prose.in_table = false;
    }
}

/// A `[` that may begin a Markdown link.
struct Bracket {
    at: usize,
    is_image: bool,
    /// Links do not nest: a `[` before a link opens none.
    is_dead: bool,
}

/// Caches of where spans may end, so that no closing mark is searched for twice.
#[derive(Default)]
struct Ends {
    comment_none: bool,
    html_none: bool,
    /// End of each code span by its first backtick; computed on first use.
    code: Option<HashMap<usize, usize>>,
    /// Dollars that may close a formula, in order; computed on first use.
    dollars: Option<VecDeque<usize>>,
}

impl<'a, 'o> Inline<'a, 'o> {
    pub(super) fn new(text: &'a str, outline: &'o mut Outline) -> Inline<'a, 'o> {
        Inline { text, outline, prose: None }
    }

    /// Scans text that is no prose, such as a heading, which links may refer to by its wording.
    pub(super) fn scan_without_prose(&mut self, range: Range<usize>) {
        let from = range.start;
        self.scan(range);
        if let Some(prose) = &mut self.prose {
            prose.cut(from);
        }
    }

    pub(super) fn scan(&mut self, range: Range<usize>) {
        let bytes = self.text.as_bytes();
        let end = range.end;
        let mut ends = Ends::default();
        let mut brackets: VecDeque<Bracket> = VecDeque::new();
        let mut at = range.start;
        let mut plain = at;
        while at < end {
            let begin = at;
            let opened = brackets.back().map(|open| open.at);
            match bytes[at] {
                b'\\' => {
                    at += if bytes[at + 1..end].first().is_some_and(u8::is_ascii_punctuation) { 2 } else { 1 }
                }
                b'`' => at = self.after_code(&range, at, &mut ends),
                b'%' if self.starts(at, end, "%%") => {
                    at = self.behind(at, end, "%%", "%%", &mut ends.comment_none);
                }
                b'<' if self.starts(at, end, "<!--") => {
                    at = self.behind(at, end, "<!--", "-->", &mut ends.html_none);
                }
                b'<' => at = angle_end(&bytes[..end], at).unwrap_or(at + 1),
                b'$' => at = self.after_formula(&range, at, &mut ends),
                b'!' if self.starts(at, end, "![[") => {
                    match self.wikilink(at, at + 1, end, LinkKind::Embed) {
                        Some(next) => at = next,
                        None => at += 1,
                    }
                }
                b'!' if self.starts(at, end, "![") => {
                    push(&mut brackets, Bracket { at, is_image: true, is_dead: false });
                    at += 2;
                }
                b'[' => {
                    let link =
                        self.starts(at, end, "[[").then(|| self.wikilink(at, at, end, LinkKind::Wikilink));
                    if let Some(Some(next)) = link {
                        at = next;
                    } else {
                        push(&mut brackets, Bracket { at, is_image: false, is_dead: false });
                        at += 1;
                    }
                }
                b']' => at = self.closed_bracket(&mut brackets, at, end),
                b'#' => at = self.tag(&range, at),
                b'^' => at = self.block_id(&range, at),
                _ => at += 1,
            }
            let Some(prose) = &mut self.prose else { continue };
            match bytes[begin] {
                b']' => {
                    let Some(opened) = opened else { continue };
                    prose.add(plain..begin);
                    prose.cut(opened);
                    plain = at;
                }
                first if at - begin > 1 => {
                    prose.add(plain..begin);
                    plain = at;
                    if first == b'<' {
                        prose.element(self.text, begin..at, end);
                    }
                }
                _ => {}
            }
        }
        if let Some(prose) = &mut self.prose {
            prose.add(plain..end);
        }
    }

    fn starts(&self, at: usize, end: usize, mark: &str) -> bool {
        self.text.as_bytes()[at..end].starts_with(mark.as_bytes())
    }

    /// The end of the span that `mark` opens; an unclosed mark is text.
    fn behind(&self, at: usize, end: usize, mark: &str, close: &str, none: &mut bool) -> usize {
        let inside = at + mark.len();
        if !*none {
            match self.text[inside..end].find(close) {
                Some(offset) => return inside + offset + close.len(),
                None => *none = true,
            }
        }
        inside
    }

    fn after_code(&self, range: &Range<usize>, at: usize, ends: &mut Ends) -> usize {
        let spans = ends.code.get_or_insert_with(|| code_spans(self.text, range));
        match spans.get(&at) {
            Some(end) => *end,
            None => at + run(self.text.as_bytes(), at, range.end),
        }
    }

    /// The end of `$…$` or `$$…$$`. An opening dollar precedes text; a closing one follows text and
    /// precedes no digit, so that prices are not formulas.
    fn after_formula(&self, range: &Range<usize>, at: usize, ends: &mut Ends) -> usize {
        let bytes = &self.text.as_bytes()[..range.end];
        let width = if bytes.get(at + 1) == Some(&b'$') { 2 } else { 1 };
        if width == 1 && bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace) {
            return at + 1;
        }
        let dollars = ends.dollars.get_or_insert_with(|| dollars(bytes, range.start));
        while dollars.front().is_some_and(|close| *close < at + width) {
            dollars.pop_front();
        }
        if width == 2 {
            let close = self.text[at + 2..range.end].find("$$");
            return close.map_or(range.end.min(at + 2), |offset| at + 2 + offset + 2);
        }
        let close = dollars.front().copied();
        close.map_or(at + 1, |close| close + 1)
    }

    /// Records the wikilink whose brackets are at `at`; returns its end.
    fn wikilink(&mut self, begin: usize, at: usize, end: usize, kind: LinkKind) -> Option<usize> {
        let link = wikilink_at(self.text, at, end).ok()?;
        if !self.outline.has_room() {
            return Some(link.span.end);
        }
        let part = |range: Range<usize>| self.text[range].to_owned();
        self.outline.links.push(Link {
            kind,
            span: begin..link.span.end,
            target: part(link.target.clone()),
            subpath: link.subpath.map(part),
            display: link.display.map(part),
            target_span: link.target,
            line: 0,
            notation: Notation::Wiki,
        });
        Some(link.span.end)
    }

    /// Handles a `]`: the end of a link's text if a destination follows.
    fn closed_bracket(&mut self, brackets: &mut VecDeque<Bracket>, at: usize, end: usize) -> usize {
        let Some(open) = brackets.pop_back() else {
            return at + 1;
        };
        if open.is_dead {
            return at + 1;
        }
        let Some((place, close)) = self.destination_in_parentheses(at + 1, end) else {
            return at + 1;
        };
        let kind = if open.is_image { LinkKind::Image } else { LinkKind::Markdown };
        if !open.is_image {
            brackets
                .iter_mut()
                .filter(|bracket| !bracket.is_image)
                .for_each(|bracket| bracket.is_dead = true);
        }
        while self.outline.tags.last().is_some_and(|tag| tag.span.start > open.at) {
            self.outline.tags.pop();
        }
        let display = open.at + if open.is_image { 2 } else { 1 }..at;
        self.push_markdown(kind, open.at..close, place, Some(display));
        close
    }

    /// The destination `(destination "title")` at `at`, and its end.
    fn destination_in_parentheses(&self, at: usize, end: usize) -> Option<(destination::Destination, usize)> {
        let bytes = &self.text.as_bytes()[..end];
        if bytes.get(at) != Some(&b'(') {
            return None;
        }
        let place = destination(self.text, skip_blank(bytes, at + 1), end)?;
        let mut behind = skip_blank(bytes, place.end);
        if behind > place.end
            && let Some(title) = title_end(self.text, behind, end)
        {
            behind = skip_blank(bytes, title);
        }
        (bytes.get(behind) == Some(&b')')).then_some((place, behind + 1))
    }

    fn push_markdown(
        &mut self,
        kind: LinkKind,
        span: Range<usize>,
        place: destination::Destination,
        display: Option<Range<usize>>,
    ) {
        let raw = &self.text[place.raw.clone()];
        if raw.is_empty() || destination::is_external(raw) || !self.outline.has_room() {
            return;
        }
        let (target, subpath) = halves(self.text, &place.raw);
        self.outline.links.push(Link {
            kind,
            span,
            target: decoded(&self.text[target.clone()]),
            subpath: subpath.map(|range| decoded(&self.text[range])),
            display: display.map(|range| self.text[range].to_owned()),
            target_span: target,
            line: 0,
            notation: place.notation,
        });
    }

    /// Records the definition `[label]: destination "title"` at `at`; returns the start of the next line.
    /// `[^1]: …` is a footnote.
    fn definition(&mut self, at: usize, end: usize) -> Option<usize> {
        let bytes = &self.text.as_bytes()[..end];
        let begin = skip_blank(bytes, at);
        if bytes.get(begin) != Some(&b'[') || bytes.get(begin + 1) == Some(&b'^') {
            return None;
        }
        let mut close = begin + 1;
        loop {
            match bytes.get(close)? {
                b']' => break,
                b'[' => return None,
                b'\\' => close += 2,
                _ => close += 1,
            }
            if close - begin > MAX_LABEL_CHARS * 4 {
                return None;
            }
        }
        if self.text[begin + 1..close].trim().is_empty() || bytes.get(close + 1) != Some(&b':') {
            return None;
        }
        let place = destination(self.text, skip_blank(bytes, close + 2), end)?;
        if place.end == place.raw.start {
            return None;
        }
        let line_end = |from: usize| {
            let rest = &bytes[from..];
            let line = rest.iter().position(|b| *b == b'\n').map_or(rest.len(), |offset| offset + 1);
            rest[..line].trim_ascii().is_empty().then_some(from + line)
        };
        let title = skip_blank(bytes, place.end);
        let behind_title =
            (title > place.end).then(|| title_end(self.text, title, end)).flatten().and_then(line_end);
        let next = behind_title.or_else(|| line_end(place.end))?;
        self.push_markdown(LinkKind::Definition, begin..place.end, place, None);
        Some(next)
    }

    /// Records the tag whose `#` is at `at`. A tag must follow whitespace or opening punctuation.
    fn tag(&mut self, range: &Range<usize>, at: usize) -> usize {
        let before = self.text[range.start..at].chars().next_back();
        let begins = before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '*' | '_' | '~' | '"'));
        let name = &self.text[at + 1..range.end];
        let name = &name[..name.find(|c| !is_tag_char(c)).unwrap_or(name.len())];
        let behind = at + 1 + name.len();
        let tag = name.trim_end_matches('/');
        if begins && is_tag(tag) && self.outline.has_room() {
            self.outline.tags.push(TagUse { tag: tag.to_owned(), span: at..at + 1 + tag.len(), line: 0 });
        }
        behind
    }

    /// Records the id whose `^` is at `at`: after whitespace, and only letters, digits and dashes to the
    /// end of the line.
    fn block_id(&mut self, range: &Range<usize>, at: usize) -> usize {
        let bytes = &self.text.as_bytes()[..range.end];
        let begins = at == range.start || bytes[at - 1].is_ascii_whitespace();
        let length = bytes[at + 1..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
        let behind = at + 1 + length;
        let ends =
            bytes[behind..].iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r')).is_none_or(|b| *b == b'\n');
        if begins && ends && length > 0 && self.outline.has_room() {
            let id = self.text[at + 1..behind].to_owned();
            self.outline.blocks.push(Block { id, span: at..behind, line: 0 });
        }
        behind
    }
}

fn push(brackets: &mut VecDeque<Bracket>, bracket: Bracket) {
    if brackets.len() == MAX_BRACKETS {
        brackets.pop_front();
    }
    brackets.push_back(bracket);
}

/// Skips blanks with at most one line break among them.
fn skip_blank(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    let mut line_breaks = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' if line_breaks == 1 => break,
            b'\n' => line_breaks += 1,
            b' ' | b'\t' | b'\r' => {}
            _ => break,
        }
        at += 1;
    }
    at
}

fn run(bytes: &[u8], at: usize, end: usize) -> usize {
    bytes[at..end].iter().take_while(|b| **b == bytes[at]).count()
}

/// Maps each run of backticks that opens a code span to the span's end: after the next run of equal length.
/// A run whose first backtick is escaped is included.
fn code_spans(text: &str, range: &Range<usize>) -> HashMap<usize, usize> {
    let bytes = text.as_bytes();
    let mut runs = Vec::new();
    let mut at = range.start;
    while at < range.end && runs.len() < MAX_MARKS {
        if bytes[at] == b'`' {
            let length = run(bytes, at, range.end);
            runs.push((at, length));
            at += length;
        } else {
            at += 1;
        }
    }
    let mut next: HashMap<usize, usize> = HashMap::new();
    let mut spans = HashMap::new();
    for (at, length) in runs.into_iter().rev() {
        for (begin, length) in [(at, length), (at + 1, length - 1)] {
            if let Some(close) = next.get(&length) {
                spans.insert(begin, close + length);
            }
        }
        next.insert(length, at);
    }
    spans
}

/// Dollars that follow text, precede no digit and are not escaped.
fn dollars(bytes: &[u8], start: usize) -> VecDeque<usize> {
    let mut found = VecDeque::new();
    let mut at = start;
    while at < bytes.len() && found.len() < MAX_MARKS {
        match bytes[at] {
            b'\\' => at += 1,
            b'$' => {
                let behind_text = at > start && !bytes[at - 1].is_ascii_whitespace();
                if behind_text && !bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
                    found.push_back(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}
