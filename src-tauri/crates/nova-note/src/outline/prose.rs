//! Prose: the parts of a body in which a link may be inserted.

use std::ops::Range;

/// Text without any Markdown or Obsidian markup that forbids a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prose {
    /// Its bytes; may span several lines of a paragraph.
    pub span: Range<usize>,
    /// Whether it is in a table cell, where `|` is written `\|`.
    pub in_table: bool,
}

/// HTML elements whose content is raw text or already a link.
const RAW: [&str; 11] =
    ["a", "button", "code", "kbd", "math", "pre", "samp", "script", "style", "svg", "textarea"];

/// Elements that extend over blank lines.
const RAW_BLOCKS: [&str; 4] = ["pre", "script", "style", "textarea"];

/// Collects prose while a body is scanned in order.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) found: Vec<Prose>,
    pub(super) in_table: bool,
    /// The end of the raw element being skipped.
    raw_end: usize,
}

impl Gathered {
    /// Adds a range of text.
    pub(super) fn add(&mut self, span: Range<usize>) {
        let span = span.start.max(self.raw_end)..span.end;
        if span.start < span.end {
            self.found.push(Prose { span, in_table: self.in_table });
        }
    }

    /// Discards prose from this byte on: it turned out to be in brackets.
    pub(super) fn cut(&mut self, from: usize) {
        while let Some(last) = self.found.last_mut().filter(|last| last.span.end > from) {
            last.span.end = from;
            if last.span.is_empty() {
                self.found.pop();
            }
        }
    }

    /// Handles an HTML tag; `end` is the end of the paragraph.
    pub(super) fn element(&mut self, text: &str, tag: Range<usize>, end: usize) {
        if tag.start < self.raw_end {
            return;
        }
        let name = &text[tag.start + 1..tag.end];
        let (name, behind) =
            name.split_at(name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len()));
        // An autolink such as `<a@example.com>` continues after the name.
        if !behind.starts_with([' ', '\t', '\r', '\n', '>']) {
            return;
        }
        let is_one_of = |names: &[&str]| names.iter().any(|raw| raw.eq_ignore_ascii_case(name));
        if !is_one_of(&RAW) || behind.ends_with("/>") {
            return;
        }
        let within = tag.end..if is_one_of(&RAW_BLOCKS) { text.len() } else { end };
        // An unclosed element extends as far as possible.
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
