//! Sections of a text, delimited by the headings of the [outline](super::outline).

use std::ops::Range;

use super::outline::{self, Prose};
use super::split::{lines_from, split};

/// A heading that begins a section: none inside code, a comment, a list or a quotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading {
    /// 1 to 6.
    pub(super) level: usize,
    /// Its text, without marks around it.
    pub(super) title: String,
    /// Its lines as byte offsets, the final line break included; several lines for a setext heading.
    pub(super) lines: Range<usize>,
}

/// The headings from `start` on, which must be the beginning of a line of the body.
pub(super) fn headings(text: &str, start: usize) -> Vec<Heading> {
    let (mut headings, code) = outline::headings_and_code(text, start);
    headings.retain(|heading| !heading.is_nested);
    if !headings.is_empty() {
        let comments = comments(text, start, &code);
        headings.retain(|heading| !contains(&comments, heading.span.start));
    }
    let own = headings.into_iter().map(|heading| {
        let begin = text[..heading.span.start].rfind('\n').map_or(0, |at| at + 1).max(start);
        let end = text[heading.span.end..].find('\n').map_or(text.len(), |at| heading.span.end + at + 1);
        let title: Vec<&str> = heading.text.lines().map(str::trim).collect();
        Heading { level: heading.level.into(), title: title.join(" "), lines: begin..end }
    });
    own.collect()
}

/// Level and title of an ATX heading (`## Log`, `## Log ##`).
pub(super) fn atx_heading(line: &str) -> Option<(usize, &str)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[indent..];
    let level = rest.bytes().take_while(|b| *b == b'#').count();
    if indent > 3 || !(1..=6).contains(&level) {
        return None;
    }
    let title = &rest[level..];
    if !title.is_empty() && !title.starts_with([' ', '\t']) {
        return None;
    }
    let title = title.trim();
    let closed = title.trim_end_matches('#');
    let closing = closed.is_empty() || closed.ends_with([' ', '\t']);
    Some((level, if closing { closed.trim_end() } else { title }))
}

/// Comments of Obsidian and HTML.
const COMMENTS: [(&str, &str); 2] = [("%%", "%%"), ("<!--", "-->")];

/// All comments, wherever in a line they begin. Unlike in the outline, a heading inside a comment does not
/// count: text added below it would be invisible. Backticks and the ranges in `code` hide a comment's
/// opening, and an unclosed mark opens none.
fn comments(text: &str, start: usize, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let last_end = COMMENTS.map(|(_, end)| text.rfind(end).unwrap_or(0));
    let mut behind = start;
    for line in lines_from(text, start) {
        let mut at = line.start.max(behind);
        while at < line.end && !contains(code, line.start) {
            let Some(mark) = text[at..line.end].find(['%', '<', '`']) else { break };
            at += mark;
            let opened = COMMENTS.iter().zip(last_end).find(|((open, _), _)| text[at..].starts_with(open));
            at = match opened {
                Some(((open, end), last)) if at + open.len() <= last => {
                    let inside = at + open.len();
                    let close =
                        text[inside..].find(end).map_or(text.len(), |close| inside + close + end.len());
                    found.push(at..close);
                    close
                }
                Some(((open, _), _)) => at + open.len(),
                None if !text[at..].starts_with('`') => at + 1,
                None => {
                    let rest = &text[at..line.end];
                    let ticks = rest.len() - rest.trim_start_matches('`').len();
                    let inside = at + ticks;
                    let close = text[inside..line.end].find(&rest[..ticks]);
                    close.map_or(inside, |close| {
                        let close = inside + close;
                        line.end - text[close..line.end].trim_start_matches('`').len()
                    })
                }
            };
        }
        behind = behind.max(at);
    }
    found
}

/// Start of a multi-line comment that ends the text, such as the settings of a Kanban board or the data of
/// a drawing.
pub(super) fn closing_comment(text: &str, start: usize) -> Option<usize> {
    if !COMMENTS.iter().any(|(_, end)| text.trim_end().ends_with(end)) {
        return None;
    }
    let (_, code) = outline::headings_and_code(text, start);
    let last = comments(text, start, &code).pop()?;
    let begins_line = last.start == start || text[..last.start].ends_with('\n');
    let is_last = text[last.end..].trim().is_empty();
    (begins_line && is_last && text[last.clone()].contains('\n')).then_some(last.start)
}

/// The text of the body in which a link may be inserted, in order: excludes headings, code, formulas,
/// comments, links, tags, block ids, bracketed text, HTML and the front matter.
pub fn prose(text: &str) -> Vec<Prose> {
    let start = split(text).body_start;
    let (prose, code) = outline::prose_and_code(text, start);
    let comments = comments(text, start, &code);
    if comments.is_empty() {
        return prose;
    }
    let mut left = Vec::with_capacity(prose.len());
    for Prose { span, in_table } in prose {
        let first = comments.partition_point(|comment| comment.end <= span.start);
        let mut from = span.start;
        for comment in comments[first..].iter().take_while(|comment| comment.start < span.end) {
            left.push(Prose { span: from..comment.start.max(from), in_table });
            from = comment.end;
        }
        left.push(Prose { span: from.min(span.end)..span.end, in_table });
    }
    left.retain(|prose| !prose.span.is_empty());
    left
}

/// Starts of the lines whose list item begins with `[`, outside of comments. `start` as for [`headings`].
pub(super) fn boxes(text: &str, start: usize) -> Vec<usize> {
    let (mut boxes, code) = outline::boxes_and_code(text, start);
    if !boxes.is_empty() && COMMENTS.iter().any(|(open, _)| text[start..].contains(open)) {
        let comments = comments(text, start, &code);
        boxes.retain(|at| !contains(&comments, *at));
    }
    boxes
}

/// Whether one of the sorted ranges contains the byte.
fn contains(ranges: &[Range<usize>], at: usize) -> bool {
    let before = ranges.partition_point(|range| range.start <= at);
    ranges[..before].last().is_some_and(|range| at < range.end)
}
