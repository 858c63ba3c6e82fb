//! Splits a text into front matter and body, by byte offsets.
//!
//! Nothing is parsed and nothing is copied.

use std::ops::Range;

use memchr::memchr_iter;

/// The parts of a note's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) front: Front,
    /// Start of the body: after the closing line, or after a BOM if there is no front matter.
    pub(super) body_start: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Front {
    Absent,
    /// The bytes between the opening and the closing line; empty or ending in a line break.
    Closed(Range<usize>),
    /// Meant as front matter, but not terminated as Obsidian requires. `line` is 1-based.
    Unclosed {
        line: u32,
        reason: &'static str,
    },
}

/// Splits a text the way Obsidian does: an optional BOM, a first line `---`, lines, a line `---`.
pub(super) fn split(text: &str) -> Split {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let absent = Split { front: Front::Absent, body_start: start };

    let mut lines = lines_from(text, start);
    let Some(opening) = lines.next().filter(|line| is_rule(&text[line.clone()])) else {
        return absent;
    };
    if !text[opening.clone()].ends_with('\n') {
        return absent;
    }
    let matter_start = opening.end;
    let intended = || {
        lines_from(text, matter_start)
            .map(|line| &text[line])
            .find(|line| !line.trim().is_empty())
            .is_some_and(looks_like_property)
    };

    for (index, line) in lines.enumerate() {
        let content = &text[line.clone()];
        if is_rule(content) {
            return Split { front: Front::Closed(matter_start..line.start), body_start: line.end };
        }
        if content.starts_with("...") && content.trim_end() == "..." && intended() {
            return Split {
                front: Front::Unclosed {
                    line: u32::try_from(index + 2).unwrap_or(u32::MAX),
                    reason: "the front matter ends with `...`, which Obsidian does not read; end it with `---`",
                },
                body_start: line.end,
            };
        }
    }
    if intended() {
        return Split {
            front: Front::Unclosed {
                line: 1,
                reason: "the front matter is never closed; add a line `---` after the last property",
            },
            body_start: start,
        };
    }
    absent
}

/// The line break of a text, taken from its first line; `\n` if it has none.
pub(super) fn eol(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Byte ranges of the lines from `start` on, line breaks included.
pub(super) fn lines_from(text: &str, start: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut begin = start;
    let ends = memchr_iter(b'\n', &text.as_bytes()[start..]).map(move |at| start + at + 1);
    let last = (!text.ends_with('\n')).then_some(text.len());
    ends.chain(last).filter(move |end| *end > start).map(move |end| std::mem::replace(&mut begin, end)..end)
}

/// `---` followed by nothing but blanks.
fn is_rule(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.trim_end_matches([' ', '\t', '\r', '\n']).is_empty())
}

/// Distinguishes unclosed front matter from a body that begins with a horizontal rule.
fn looks_like_property(line: &str) -> bool {
    let Some((key, rest)) = line.split_once(':') else {
        return false;
    };
    let key = key.trim_matches(['"', '\'']);
    let plain = !key.is_empty()
        && !key.starts_with(char::is_whitespace)
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '));
    plain && (rest.is_empty() || rest.starts_with(char::is_whitespace))
}
