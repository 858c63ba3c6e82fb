//! List items with a checkbox.

use memchr::memchr_iter;

use super::body::without_break;
use super::sections::boxes;
use super::split;

/// Lines whose list item begins with `[`: the line number, 1-based, and the text without its line break.
/// Code, comments and front matter are excluded.
pub fn checkbox_lines(text: &str) -> Vec<(u32, &str)> {
    let start = split::split(text).body_start;
    if !may_have_box(&text.as_bytes()[start..]) {
        return Vec::new();
    }
    let (mut line, mut counted) = (1, 0);
    let line_at = |at: usize| {
        line += memchr_iter(b'\n', &text.as_bytes()[counted..at]).count();
        counted = at;
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        (u32::try_from(line).unwrap_or(u32::MAX), without_break(&text[at..end]))
    };
    boxes(text, start).into_iter().map(line_at).collect()
}

/// Whether any list marker is followed by `[`; most notes have none and need no block parsing.
fn may_have_box(body: &[u8]) -> bool {
    memchr_iter(b'[', body).any(|at| {
        at >= 2
            && matches!(body[at - 1], b' ' | b'\t')
            && matches!(body[..at].trim_ascii_end().last(), Some(b'-' | b'*' | b'+' | b'.' | b')'))
    })
}
