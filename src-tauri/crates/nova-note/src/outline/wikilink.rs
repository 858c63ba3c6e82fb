//! `[[Target#Subpath|Display]]`, in the body and in properties.

use std::ops::Range;

/// The parts of a wikilink, as byte ranges of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wikilink {
    /// From the first `[` to after the last `]`.
    pub span: Range<usize>,
    /// See [`Link::target`](super::Link::target).
    pub target: Range<usize>,
    /// See [`Link::subpath`](super::Link::subpath).
    pub subpath: Option<Range<usize>>,
    /// See [`Link::display`](super::Link::display).
    pub display: Option<Range<usize>>,
}

/// All wikilinks in `range`, regardless of Markdown context.
pub fn wikilinks(text: &str, range: Range<usize>) -> Vec<Wikilink> {
    let mut found = Vec::new();
    let mut at = range.start;
    while let Some(offset) = text[at..range.end].find("[[") {
        match wikilink_at(text, at + offset, range.end) {
            Ok(link) => {
                at = link.span.end;
                found.push(link);
            }
            Err(next) => at = next,
        }
    }
    found
}

/// The wikilink whose `[[` is at `at`. `Err` is where to continue the search: no wikilink begins before it.
///
/// A link is on one line. Its content may contain a single bracket but no second `[[`: in `[[a [[b]]` the
/// link is `[[b]]`, as in Obsidian.
pub(super) fn wikilink_at(text: &str, at: usize, end: usize) -> Result<Wikilink, usize> {
    let bytes = text.as_bytes();
    let inner = at + 2;
    let mut close = inner;
    loop {
        match bytes.get(close).filter(|_| close < end) {
            None | Some(b'\n') => return Err(close.min(end)),
            Some(b'[') if close + 1 < end && bytes[close + 1] == b'[' => return Err(close),
            Some(b'[') if close == inner => return Err(at + 1),
            Some(b']') if close + 1 < end && bytes[close + 1] == b']' => break,
            Some(_) => close += 1,
        }
    }
    parts(text, at, inner..close).ok_or(close + 2)
}

fn parts(text: &str, at: usize, inner: Range<usize>) -> Option<Wikilink> {
    let content = &text[inner.clone()];
    let (mut name_end, display) = match content.find('|') {
        Some(pipe) => (inner.start + pipe, Some(inner.start + pipe + 1..inner.end)),
        None => (inner.end, None),
    };
    // In a table the pipe is escaped; file names never end in a backslash.
    if display.is_some() && text[inner.start..name_end].ends_with('\\') {
        name_end -= 1;
    }
    let (target_end, subpath) = match text[inner.start..name_end].find('#') {
        Some(hash) => (inner.start + hash, Some(inner.start + hash + 1..name_end)),
        None => (name_end, None),
    };
    let target = trimmed(text, inner.start..target_end);
    let subpath = subpath.map(|range| trimmed(text, range));
    if target.is_empty() && subpath.as_ref().is_none_or(Range::is_empty) {
        return None;
    }
    if is_external(&text[target.clone()]) {
        return None;
    }
    Some(Wikilink {
        span: at..inner.end + 2,
        target,
        subpath,
        display: display.map(|range| trimmed(text, range)),
    })
}

/// Whether a target is a URL: `https://…`, `mailto:…`, `obsidian://…`.
fn is_external(target: &str) -> bool {
    target.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.len() > 1
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
            && (rest.starts_with("//") || scheme.eq_ignore_ascii_case("mailto"))
    })
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}
