//! The body changed as text: exact replacements and appended sections.

use super::document::{Document, FrontMatter};
use super::error::EditError;
use super::folded;
use super::sections::{atx_heading, headings};
use super::split::{self, lines_from};

/// Replaces `old` by `new`, `count` times (once when not given).
///
/// `old` must be found exactly that often. Line ends do not matter for finding it (`\n` matches
/// `\r\n`), and the new text gets the note's own. A replacement that would make readable front
/// matter unreadable is refused.
pub fn replace_exact(text: &str, old: &str, new: &str, count: Option<usize>) -> Result<String, EditError> {
    let old = old.replace("\r\n", "\n");
    if old.is_empty() {
        return Err(EditError::NothingToFind);
    }
    let expected = count.unwrap_or(1);
    let unix = text.replace("\r\n", "\n");
    let places: Vec<usize> = unix.match_indices(&old).map(|(at, _)| at).collect();
    if places.len() != expected || expected == 0 {
        return Err(EditError::Count { found: places.len(), expected });
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

/// Appends text at the end of the note, or at the end of the section under `heading`.
///
/// `heading` is the heading's text (`Log`), or with its level (`## Log`); the first that matches
/// counts, whatever its case and Unicode composition; what looks like one inside code or a comment is none. A missing one is created at the end, as `##` unless the
/// level was given. The note's line ends and the absence of a final one are kept.
pub fn append(text: &str, addition: &str, heading: Option<&str>) -> Result<String, EditError> {
    let eol = split::eol(text);
    let addition = with_eol(addition, eol);
    let Some(heading) = heading.map(str::trim).filter(|heading| !heading.is_empty()) else {
        return Ok(insert_lines(text, text.len(), &addition, eol));
    };
    let wanted = match atx_heading(heading) {
        Some((level, title)) => (Some(level), title.to_owned()),
        None => (None, heading.to_owned()),
    };

    match section(text, &wanted) {
        Some(at) => Ok(insert_lines(text, at, &addition, eol)),
        None => {
            let level = "#".repeat(wanted.0.unwrap_or(2));
            let body_start = Document::parse(text).body_start();
            let body = &text[body_start..];
            let blank = if body.trim().is_empty() || ends_in_blank_line(body) { "" } else { eol };
            let section = format!("{blank}{level} {}{eol}{addition}", wanted.1);
            Ok(insert_lines(text, text.len(), &section, eol))
        }
    }
}

/// Puts whole lines at the start of a line, or behind the last one.
fn insert_lines(text: &str, at: usize, addition: &str, eol: &str) -> String {
    let (before, after) = text.split_at(at);
    let mut out = String::with_capacity(text.len() + addition.len() + 4);
    out.push_str(before);
    let unfinished = !before.is_empty() && before != "\u{feff}" && !before.ends_with('\n');
    if unfinished {
        out.push_str(eol);
    }
    out.push_str(addition);
    let stays_unfinished = unfinished && after.is_empty();
    if !addition.ends_with('\n') && !stays_unfinished {
        out.push_str(eol);
    }
    out.push_str(after);
    out
}

/// Where text appended to the section goes: behind its last line that is not blank.
fn section(text: &str, (level, title): &(Option<usize>, String)) -> Option<usize> {
    let headings = headings(text, Document::parse(text).body_start());
    let wanted = folded(title);
    let own = headings.iter().position(|heading| {
        folded(&heading.title) == wanted && level.is_none_or(|level| level == heading.level)
    })?;
    let (own, behind) = (&headings[own], &headings[own + 1..]);
    let end = behind.iter().find(|next| next.level <= own.level).map_or(text.len(), |next| next.lines.start);
    let last = lines_from(text, own.lines.end)
        .take_while(|line| line.start < end)
        .filter(|line| !text[line.clone()].trim().is_empty())
        .last();
    Some(last.map_or(own.lines.end, |line| line.end))
}

fn ends_in_blank_line(text: &str) -> bool {
    text.replace("\r\n", "\n").ends_with("\n\n")
}

fn with_eol(text: &str, eol: &str) -> String {
    let unix = text.replace("\r\n", "\n");
    if eol == "\n" { unix } else { unix.replace('\n', eol) }
}

/// Offsets in a text from offsets in the same text without the `\r` of its line ends; asked for
/// in rising order.
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
