//! The parts of a body that are words and nothing else: where a link may be put without a harm.

use std::ops::Range;

/// Text without a mark of Markdown or Obsidian that a link could not stand in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prose {
    /// Its bytes. It may reach over several lines of a paragraph.
    pub span: Range<usize>,
    /// Whether it is a cell of a table, where `|` is written `\|`.
    pub in_table: bool,
}

/// Elements of HTML whose content is no text to be linked, or a link already.
const RAW: [&str; 11] =
    ["a", "button", "code", "kbd", "math", "pre", "samp", "script", "style", "svg", "textarea"];

/// Those that reach over blank lines.
const RAW_BLOCKS: [&str; 4] = ["pre", "script", "style", "textarea"];

/// Gathers prose while a body is read, from its beginning to its end.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) found: Vec<Prose>,
    pub(super) in_table: bool,
    /// The end of the element whose content is not gathered.
    raw_end: usize,
}

impl Gathered {
    /// These bytes are text.
    pub(super) fn add(&mut self, span: Range<usize>) {
        let span = span.start.max(self.raw_end)..span.end;
        if span.start < span.end {
            self.found.push(Prose { span, in_table: self.in_table });
        }
    }

    /// From this byte on nothing was text after all: it stands in brackets.
    pub(super) fn cut(&mut self, from: usize) {
        while let Some(last) = self.found.last_mut().filter(|last| last.span.end > from) {
            last.span.end = from;
            if last.span.is_empty() {
                self.found.pop();
            }
        }
    }

    /// A tag of HTML was read; `end` is that of the paragraph.
    pub(super) fn element(&mut self, text: &str, tag: Range<usize>, end: usize) {
        if tag.start < self.raw_end {
            return;
        }
        let name = &text[tag.start + 1..tag.end];
        let (name, behind) =
            name.split_at(name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len()));
        // An address, `<a@example.com>`, has more than a name there.
        if !behind.starts_with([' ', '\t', '\r', '\n', '>']) {
            return;
        }
        let is_one_of = |names: &[&str]| names.iter().any(|raw| raw.eq_ignore_ascii_case(name));
        if !is_one_of(&RAW) || behind.ends_with("/>") {
            return;
        }
        let within = tag.end..if is_one_of(&RAW_BLOCKS) { text.len() } else { end };
        // Without an end it reaches as far as it can.
        self.raw_end = closing_tag(&text[within.clone()], name).map_or(within.end, |at| within.start + at);
    }
}

fn closing_tag(text: &str, name: &str) -> Option<usize> {
    let is_it = |at: &usize| {
        let rest = &text.as_bytes()[at + 2..];
        rest.get(..name.len()).is_some_and(|there| there.eq_ignore_ascii_case(name.as_bytes()))
            && !rest.get(name.len()).is_some_and(u8::is_ascii_alphanumeric)
    };
    text.match_indices("</").map(|(at, _)| at).find(is_it)
}
