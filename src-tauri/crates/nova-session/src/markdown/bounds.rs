//! Limits that keep rendering linear in the size of a text.
//!
//! The parser is linear. The sanitiser is not: each tag scans all open elements, and its serialiser
//! (html5ever 0.40) rescans the rest of a text or an attribute at each escaped character.

use pulldown_cmark::{Event, Tag};

use super::{Block, SANITISER, escaped};

/// Maximum nesting of Markdown elements; deeper ones are shown as text.
const MOST_DEEP: usize = 48;
/// Maximum length of a link's address, in bytes; a longer link is shown as text.
const LONGEST_ADDRESS: usize = 4 * 1024;
/// Maximum length of a text run seen by the sanitiser, in bytes.
const LONGEST_RUN: usize = 1024;
/// Maximum formatted part of a text, in bytes.
const FORMATTED: usize = 256 * 1024;
/// The size of a block of plain text, in bytes.
const PLAIN: usize = 16 * 1024;

const REST_IS_PLAIN: &str =
    "<p><em>Only the first 256 KB of this text are formatted. The rest follows as plain text.</em></p>\n";

/// Tracks the nesting of a text's events.
#[derive(Default)]
pub(super) struct Nesting {
    open: usize,
    /// Open elements beyond the limit, which are replaced by their source.
    skipped: usize,
}

impl Nesting {
    /// Returns the event, or the text that replaces an element beyond a limit; `None` within such an element.
    /// `source` is the event's source.
    pub(super) fn bounded<'a>(&mut self, event: Event<'a>, source: &'a str) -> Option<Event<'a>> {
        match &event {
            Event::Start(tag) => {
                if self.skipped > 0 || !self.fits(tag) {
                    self.skipped += 1;
                    return (self.skipped == 1).then(|| Event::Text(source.into()));
                }
                self.open += 1;
            }
            Event::End(_) if self.skipped > 0 => {
                self.skipped -= 1;
                return None;
            }
            Event::End(_) => self.open = self.open.saturating_sub(1),
            _ if self.skipped > 0 => return None,
            _ => {}
        }
        Some(event)
    }

    /// Whether a top-level block ends here.
    pub(super) fn is_top(&self) -> bool {
        self.open + self.skipped == 0
    }

    fn fits(&self, tag: &Tag<'_>) -> bool {
        // A list needs its items, and a table its cells.
        let levels = if matches!(tag, Tag::List(_) | Tag::Table(_)) { 3 } else { 1 };
        let address = match tag {
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => dest_url.len(),
            _ => 0,
        };
        self.open + levels <= MOST_DEEP && address <= LONGEST_ADDRESS
    }
}

/// Maximum number of events for a block of this source. Only a table with padded rows has more.
pub(super) fn most_events(source: &str) -> usize {
    8 * source.len() + 256
}

/// The source as plain text.
pub(super) fn plain(source: &str) -> String {
    format!("<pre><code>{}</code></pre>\n", escaped(source))
}

/// Inserts a comment into each long text, which the sanitiser removes again.
pub(super) fn with_short_runs(html: &str) -> String {
    let mut out = String::with_capacity(html.len() + html.len() / 64);
    let (mut run, mut in_tag) = (0, false);
    for c in html.chars() {
        match c {
            '<' => (run, in_tag) = (0, true),
            '>' => in_tag = false,
            '&' | '\u{80}'..='\u{bf}' if !in_tag && run > LONGEST_RUN => {
                out.push_str("<!---->");
                run = 0;
            }
            _ => {}
        }
        run += c.len_utf8();
        out.push(c);
    }
    out
}

/// The size of the formatted part of a text, in bytes. Stable while a longer text grows.
pub(super) fn formatted(text: &str) -> usize {
    end_of_part(text, 0, FORMATTED)
}

/// Appends the text from `start` on as plain blocks; returns the start of the last of them. `first` is set if
/// there was none before.
pub(super) fn add_plain(text: &str, mut start: usize, first: bool, blocks: &mut Vec<Block>) -> usize {
    if first {
        blocks.push(Block { html: SANITISER.clean(REST_IS_PLAIN).to_string() });
    }
    loop {
        let end = end_of_part(text, start, PLAIN);
        let html = plain(text.get(start..end).unwrap_or_default());
        blocks.push(Block { html: SANITISER.clean(&with_short_runs(&html)).to_string() });
        if end >= text.len() {
            return start;
        }
        start = end;
    }
}

/// The end of a part of at most this many bytes, at a line end if possible.
fn end_of_part(text: &str, start: usize, most: usize) -> usize {
    if text.len() - start <= most {
        return text.len();
    }
    let end = (start..=start + most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(start);
    text.get(start..end).and_then(|part| part.rfind('\n')).map_or(end, |line| start + line + 1)
}

#[cfg(test)]
mod tests;
