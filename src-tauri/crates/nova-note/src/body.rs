//! Text edits to the body: exact replacement and appending to sections.

use std::ops::Range;

use super::document::{Document, FrontMatter};
use super::error::EditError;
use super::folded;
use super::sections::{Heading, atx_heading, closing_comment, headings};
use super::split::{self, lines_from};

mod blocks;
mod lines;

use blocks::{is_footnote, joins_next, joins_previous};

pub(crate) use lines::without_break;
pub use lines::{line_of, replace_line};

/// Replaces `old` by `new`, `count` times (default: once).
///
/// `old` must occur exactly that often. The search ignores the difference between `\n` and `\r\n`; the new
/// text gets the note's line endings. A replacement that would make readable front matter unreadable is
/// refused.
pub fn replace_exact(text: &str, old: &str, new: &str, count: Option<usize>) -> Result<String, EditError> {
    let old = old.replace("\r\n", "\n");
    if old.is_empty() {
        return Err(EditError::NothingToFind);
    }
    let expected = count.unwrap_or(1);
    let unix = text.replace("\r\n", "\n");
    let places: Vec<usize> = unix.match_indices(&old).map(|(at, _)| at).collect();
    if places.len() != expected || expected == 0 {
        let nearly = if places.is_empty() { near_match(&unix, &old) } else { None };
        return Err(EditError::Count { found: places.len(), expected, nearly });
    }

    let new = with_eol(new, split::eol(text));
    let mut original = Offsets::new(text);
    let mut out = String::with_capacity(text.len() + new.len());
    let mut copied = 0;
    for place in places {
        let start = original.of(place);
        out.push_str(&text[copied..start]);
        out.push_str(&new);
        copied = original.of(place + old.len());
    }
    out.push_str(&text[copied..]);

    let was_readable = !matches!(Document::parse(text).front_matter(), FrontMatter::Broken { .. });
    match Document::parse(&out).front_matter() {
        FrontMatter::Broken { line, reason } if was_readable => {
            Err(EditError::WouldBreak { line: *line, reason: reason.clone() })
        }
        _ => Ok(out),
    }
}

/// The line of the only match that ignores whitespace, case and variants of quotes and dashes.
fn near_match(text: &str, wanted: &str) -> Option<u32> {
    let wanted: String = normalized_chars(wanted).map(|(c, _)| c).collect();
    let wanted = wanted.trim();
    if wanted.is_empty() {
        return None;
    }
    let (mut loose, mut places) = (String::with_capacity(text.len()), Vec::new());
    for (c, at) in normalized_chars(text) {
        places.push((loose.len(), at));
        loose.push(c);
    }
    let mut found = loose.match_indices(wanted);
    let (Some((at, _)), None) = (found.next(), found.next()) else { return None };
    let place = places[places.partition_point(|(offset, _)| *offset < at)].1;
    u32::try_from(text[..place].matches('\n').count() + 1).ok()
}

/// Normalised characters with their byte offsets: a run of whitespace becomes one space, letters lower
/// case, typographic quotes and dashes their ASCII forms.
fn normalized_chars(text: &str) -> impl Iterator<Item = (char, usize)> {
    let mut behind_blank = false;
    text.char_indices().filter_map(move |(at, c)| {
        let is_blank = c.is_whitespace();
        let is_more_of_it = is_blank && behind_blank;
        behind_blank = is_blank;
        let plain = match c {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            '\u{2010}'..='\u{2015}' => '-',
            _ if is_blank => ' ',
            c => c.to_lowercase().next().unwrap_or(c),
        };
        (!is_more_of_it).then_some((plain, at))
    })
}

/// Appends text at the end of the note, or at the end of the section under `heading`.
///
/// `heading` is the heading's text (`Log`), or with its level (`## Log`). The first match is taken; case
/// and Unicode composition are ignored, and so are headings inside code or a comment. A missing heading is
/// created at the end, as `##` unless a level was given. The note's line endings are preserved, and so is a
/// missing final one.
///
/// The addition stays a block of its own: where it would continue the block before it (a paragraph after a
/// table or a quotation), a blank line is inserted. A multi-line comment that ends the note (the settings
/// of a Kanban board, the data of a drawing) stays at the end.
pub fn append(text: &str, addition: &str, heading: Option<&str>) -> Result<String, EditError> {
    let eol = split::eol(text);
    let addition = with_eol(addition, eol);
    let body_start = Document::parse(text).body_start();
    let end = closing_comment(text, body_start).map_or(text.len(), |comment| {
        lines_from(text, body_start)
            .take_while(|line| line.start < comment)
            .filter(|line| !text[line.clone()].trim().is_empty())
            .last()
            .map_or(body_start, |line| line.end)
    });
    let Some(heading) = heading.map(str::trim).filter(|heading| !heading.is_empty()) else {
        return Ok(insert_lines(text, end, &addition, eol));
    };
    let headings = headings(text, body_start);
    let wanted = Wanted::of(heading, &headings);
    let addition = without_heading(&addition, &wanted.title);
    match wanted.section(text, &headings, end) {
        Some(at) => Ok(insert_lines(text, at, addition, eol)),
        None => {
            let level = "#".repeat(wanted.level.unwrap_or(2));
            let before = &text[body_start..end];
            let blank = if before.trim().is_empty() || ends_in_blank_line(before) { "" } else { eol };
            let section = format!("{blank}{level} {}{eol}{addition}", wanted.title);
            Ok(insert_lines(text, end, &section, eol))
        }
    }
}

/// Drops a first line that repeats the target heading.
fn without_heading<'a>(addition: &'a str, title: &str) -> &'a str {
    let Some((first, rest)) = addition.split_once('\n') else { return addition };
    let is_again = atx_heading(first).is_some_and(|(_, again)| folded(again) == folded(title));
    if is_again && !rest.trim().is_empty() { rest.trim_start_matches(['\r', '\n']) } else { addition }
}

/// Whether the note has the heading that [`append`] would append to.
pub fn has_heading(text: &str, heading: &str) -> bool {
    let headings = headings(text, Document::parse(text).body_start());
    Wanted::of(heading.trim(), &headings).position(&headings).is_some()
}

/// Inserts whole lines at the start of a line or after the last one.
fn insert_lines(text: &str, at: usize, addition: &str, eol: &str) -> String {
    let (before, after) = text.split_at(at);
    let mut out = String::with_capacity(text.len() + addition.len() + 4);
    out.push_str(before);
    let unfinished = !before.is_empty() && before != "\u{feff}" && !before.ends_with('\n');
    if unfinished {
        out.push_str(eol);
    }
    if joins_previous(before, addition) {
        out.push_str(eol);
    }
    out.push_str(addition);
    let stays_unfinished = unfinished && after.is_empty();
    if !addition.ends_with('\n') && !stays_unfinished {
        out.push_str(eol);
    }
    if joins_next(addition, after) {
        out.push_str(eol);
    }
    out.push_str(after);
    out
}

/// A heading as the caller named it.
struct Wanted {
    level: Option<usize>,
    title: String,
}

impl Wanted {
    fn of(heading: &str, headings: &[Heading]) -> Wanted {
        let exactly = match atx_heading(heading) {
            Some((level, title)) => Wanted { level: Some(level), title: title.to_owned() },
            None => Wanted { level: None, title: heading.to_owned() },
        };
        // `#Log` is a tag in Markdown, but a caller who passes it means the heading; a title may still
        // begin with a tag.
        let marks = heading.len() - heading.trim_start_matches('#').len();
        let bare = heading[marks..].trim();
        if exactly.level.is_none()
            && (1..=6).contains(&marks)
            && !bare.is_empty()
            && exactly.position(headings).is_none()
        {
            let loosely = Wanted { level: Some(marks), title: bare.to_owned() };
            let of_any_level = Wanted { level: None, title: bare.to_owned() };
            return if loosely.position(headings).is_none() && of_any_level.position(headings).is_some() {
                of_any_level
            } else {
                loosely
            };
        }
        exactly
    }

    /// Index of the first matching heading.
    fn position(&self, headings: &[Heading]) -> Option<usize> {
        let wanted = folded(&self.title);
        headings.iter().position(|heading| {
            folded(&heading.title) == wanted && self.level.is_none_or(|level| level == heading.level)
        })
    }

    /// Where text appended to the section goes: after its last non-blank line. `end` is the end of the
    /// note.
    fn section(&self, text: &str, headings: &[Heading], end: usize) -> Option<usize> {
        let own = self.position(headings)?;
        let (own, behind) = (&headings[own], &headings[own + 1..]);
        let next = behind.iter().find(|next| next.level <= own.level);
        let end = next.map_or(end, |next| next.lines.start);
        let lines = lines_from(text, own.lines.end).take_while(|line| line.start < end);
        let mut lines: Vec<_> = lines.filter(|line| !text[line.clone()].trim().is_empty()).collect();
        // Footnotes at the end of the note do not belong to the last section.
        if next.is_none() {
            let is_note = |line: &Range<usize>| is_footnote(&text[line.clone()]);
            let goes_on = |line: &Range<usize>| is_note(line) || text[line.clone()].starts_with([' ', '\t']);
            let notes = lines.iter().rev().take_while(|line| goes_on(line)).collect::<Vec<_>>();
            let first = notes.iter().rposition(|line| is_note(line));
            lines.truncate(lines.len() - first.map_or(0, |first| first + 1));
        }
        Some(lines.last().map_or(own.lines.end, |line| line.end))
    }
}

fn ends_in_blank_line(text: &str) -> bool {
    text.replace("\r\n", "\n").ends_with("\n\n")
}

fn with_eol(text: &str, eol: &str) -> String {
    let unix = text.replace("\r\n", "\n");
    if eol == "\n" { unix } else { unix.replace('\n', eol) }
}

/// Maps offsets in a text without `\r` to offsets in the original. Must be queried in ascending order.
struct Offsets<'a> {
    bytes: &'a [u8],
    unix: usize,
    original: usize,
}

impl<'a> Offsets<'a> {
    fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), unix: 0, original: 0 }
    }

    fn of(&mut self, unix: usize) -> usize {
        while self.unix < unix {
            let is_pair = self.bytes[self.original..].starts_with(b"\r\n");
            self.original += if is_pair { 2 } else { 1 };
            self.unix += 1;
        }
        self.original
    }
}
