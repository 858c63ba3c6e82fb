//! Where the headings of a text stand, by CommonMark's rules and Obsidian's comments.

use std::ops::Range;

use super::split::lines_from;

/// One heading. A `#` line inside code or a comment is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading {
    /// 1 to 6.
    pub(super) level: usize,
    /// Its text, without marks around it.
    pub(super) title: String,
    /// Its lines as byte offsets, the last line break included: several for a title that is
    /// underlined.
    pub(super) lines: Range<usize>,
}

/// The headings from `start` on, which must be the beginning of a line of the body.
pub(super) fn headings(text: &str, start: usize) -> Vec<Heading> {
    let mut scan = Scan::default();
    let mut found = Vec::new();
    for range in lines_from(text, start) {
        let line = text[range.clone()].trim_end_matches(['\r', '\n']);
        found.extend(scan.heading(text, line, range));
    }
    found
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

/// What the lines so far leave open.
#[derive(Default)]
struct Scan {
    fence: Option<(u8, usize)>,
    comment: Option<Comment>,
    paragraph: Paragraph,
    in_list: bool,
}

#[derive(Clone, Copy)]
enum Comment {
    /// `%% … %%`, Obsidian's own.
    Percent,
    /// `<!-- … -->`
    Html,
}

impl Comment {
    fn end(self) -> &'static str {
        match self {
            Comment::Percent => "%%",
            Comment::Html => "-->",
        }
    }
}

/// The text that an underline would make a heading.
#[derive(Default, Clone, Copy)]
enum Paragraph {
    #[default]
    None,
    /// Begins at this byte.
    Plain(usize),
    /// Of a list or a quotation: a line below it underlines nothing.
    Nested,
}

impl Scan {
    fn heading(&mut self, text: &str, line: &str, range: Range<usize>) -> Option<Heading> {
        if self.comment.is_some() {
            self.comments(line);
            self.paragraph = Paragraph::None;
            return None;
        }
        if in_code(line, &mut self.fence) {
            self.paragraph = Paragraph::None;
            return None;
        }
        if let Some((level, title)) = atx_heading(line) {
            self.comments(line);
            self.paragraph = Paragraph::None;
            self.in_list = false;
            return Some(Heading { level, title: title.to_owned(), lines: range });
        }
        if let (Some(level), Paragraph::Plain(begin)) = (underline(line), self.paragraph) {
            self.paragraph = Paragraph::None;
            let title: Vec<&str> = text[begin..range.start].lines().map(str::trim).collect();
            return Some(Heading { level, title: title.join(" "), lines: begin..range.end });
        }
        self.comments(line);
        self.paragraph = self.paragraph_after(line, range.start);
        None
    }

    fn paragraph_after(&mut self, line: &str, at: usize) -> Paragraph {
        let rest = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - rest.len();
        let is_item = is_list_item(rest);
        if rest.is_empty() || rest.starts_with("<!--") || rest.starts_with("%%") {
            return Paragraph::None;
        }
        if is_item || rest.starts_with('>') {
            self.in_list |= is_item;
            return Paragraph::Nested;
        }
        match self.paragraph {
            Paragraph::None if self.in_list && indent > 1 => Paragraph::Nested,
            Paragraph::None => {
                self.in_list = false;
                // Further in it is code.
                if indent < 4 && underline(line).is_none() { Paragraph::Plain(at) } else { Paragraph::None }
            }
            goes_on => goes_on,
        }
    }

    /// Which comment is open behind the line. What stands in backticks opens none.
    fn comments(&mut self, line: &str) {
        let mut rest = line;
        loop {
            if let Some(open) = self.comment {
                let Some(end) = rest.find(open.end()) else { return };
                rest = &rest[end + open.end().len()..];
                self.comment = None;
            }
            let Some(at) = ["%%", "<!--", "`"].iter().filter_map(|mark| rest.find(mark)).min() else {
                return;
            };
            rest = &rest[at..];
            if let Some(behind) = rest.strip_prefix("%%") {
                (self.comment, rest) = (Some(Comment::Percent), behind);
            } else if let Some(behind) = rest.strip_prefix("<!--") {
                (self.comment, rest) = (Some(Comment::Html), behind);
            } else {
                let ticks = rest.len() - rest.trim_start_matches('`').len();
                let (mark, behind) = rest.split_at(ticks);
                rest = behind.find(mark).map_or(behind, |end| behind[end..].trim_start_matches('`'));
            }
        }
    }
}

/// The level that a line gives to the paragraph above it.
fn underline(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches(' ');
    let mark = rest.trim_end_matches([' ', '\t']);
    if line.len() - rest.len() > 3 || mark.is_empty() {
        return None;
    }
    match mark.as_bytes()[0] {
        b'=' if mark.bytes().all(|b| b == b'=') => Some(1),
        b'-' if mark.bytes().all(|b| b == b'-') => Some(2),
        _ => None,
    }
}

fn is_list_item(rest: &str) -> bool {
    let marker = match rest.trim_start_matches(|c: char| c.is_ascii_digit()) {
        behind if behind.len() == rest.len() => rest.strip_prefix(['-', '*', '+']),
        behind => behind.strip_prefix(['.', ')']),
    };
    marker.is_some_and(|behind| behind.is_empty() || behind.starts_with([' ', '\t'])) && rest != "-"
}

/// Whether a line belongs to a fenced code block, fences included.
fn in_code(line: &str, fence: &mut Option<(u8, usize)>) -> bool {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[indent..];
    let mark = rest.bytes().next().filter(|b| indent < 4 && matches!(b, b'`' | b'~'));
    let length = mark.map_or(0, |mark| rest.bytes().take_while(|b| *b == mark).count());
    match (*fence, mark) {
        (Some((open, open_length)), mark) => {
            let closes = mark == Some(open) && length >= open_length && rest[length..].trim().is_empty();
            if closes {
                *fence = None;
            }
            true
        }
        (None, Some(mark)) if length >= 3 && !(mark == b'`' && rest[length..].contains('`')) => {
            *fence = Some((mark, length));
            true
        }
        _ => false,
    }
}
