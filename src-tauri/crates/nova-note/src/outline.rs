//! The outline of a note: links, tags, headings and blocks, each with its span.
//!
//! CommonMark decides what can be a link (code, comments, escapes, containers), plus Obsidian's extensions:
//! `[[wikilinks]]`, `![[embeds]]`, `%%comments%%`, `$math$`, `#tags`, `^block-ids`, links in properties.
//! One pass over the text; nothing is rendered, and only results are copied. Time is linear in the length
//! of any text, and nesting depth is bounded.

use std::ops::Range;

use serde::Serialize;

use super::matter;
use super::split::{self, Front};

mod angle;
mod blocks;
mod destination;
mod inline;
mod properties;
mod prose;
mod wikilink;

pub(super) use blocks::is_delimiter_row;
pub use prose::Prose;
pub use wikilink::{Wikilink, wikilinks};

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// `[[Note]]`.
    Wikilink,
    /// `![[Note]]`.
    Embed,
    /// `[text](Note.md)`.
    Markdown,
    /// `![text](picture.png)`.
    Image,
    /// `[label]: Note.md`, the definition to which `[text][label]` refers.
    Definition,
    /// `[[Note]]` in a property.
    Property,
}

/// A link to a note or another file of the vault. All ranges are byte offsets in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// How it is written.
    pub kind: LinkKind,
    /// The whole link, from the first bracket to the last; in a property without its quotes.
    pub span: Range<usize>,
    /// The part that names the file, without subpath. Empty in `[[#Heading]]`.
    pub target_span: Range<usize>,
    /// The decoded name or path: without escapes, quotes and percent-encoding. Empty for the note itself.
    pub target: String,
    /// What follows the first `#`: `Heading`, `Heading#Below it`, `^block-id`.
    pub subpath: Option<String>,
    /// The display text, or the size of an embed: the part after the `|` of a wikilink, the text in the
    /// brackets of a Markdown link.
    pub display: Option<String>,
    /// The line on which it begins, 1-based.
    pub line: u32,
    /// Syntax to preserve when the target is rewritten.
    pub notation: Notation,
}

/// The syntax that a rewritten target must obey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notation {
    /// Verbatim, between `[[` and `]]`.
    Wiki,
    /// A Markdown destination: `[x](here)`.
    Bare,
    /// A Markdown destination: `[x](<here>)`.
    Angle,
    /// Inside a YAML scalar.
    Yaml {
        /// The scalar, quotes included; for `key: [[Note]]`, including both pairs of brackets.
        scalar: Range<usize>,
        /// How the scalar is quoted.
        quotes: YamlQuotes,
    },
}

/// Quoting style of a YAML scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlQuotes {
    /// Unquoted.
    Plain,
    /// `'…'`.
    Single,
    /// `"…"`.
    Double,
    /// A block scalar, whose text is verbatim.
    Block,
}

/// One use of a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagUse {
    /// Without `#`, as spelled: `inbox/to-read`.
    pub tag: String,
    /// Including the `#`; for a tag in a property, the whole value.
    pub span: Range<usize>,
    /// 1-based.
    pub line: u32,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text as written, without the leading and trailing `#`.
    pub text: String,
    /// Its lines, without the final line break.
    pub span: Range<usize>,
    /// Whether it is inside a list or a quotation, where it begins no section.
    pub is_nested: bool,
    /// 1-based.
    pub line: u32,
}

/// A block with an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Without `^`.
    pub id: String,
    /// The id, including its `^`.
    pub span: Range<usize>,
    /// The line of the id, 1-based.
    pub line: u32,
}

/// The elements of a note, each kind in text order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// Links to files of the vault; web addresses are excluded.
    pub links: Vec<Link>,
    /// Tags in the body and in the properties `tags` and `tag`.
    pub tags: Vec<TagUse>,
    /// Headings.
    pub headings: Vec<Heading>,
    /// Blocks with an id.
    pub blocks: Vec<Block>,
    /// Whether elements beyond [`MAX_FOUND`] were dropped.
    pub is_cut: bool,
}

impl Outline {
    /// Releases spare capacity.
    pub fn shrink(&mut self) {
        let Outline { links, tags, headings, blocks, is_cut: _ } = self;
        links.shrink_to_fit();
        tags.shrink_to_fit();
        headings.shrink_to_fit();
        blocks.shrink_to_fit();
    }
}

/// Limit on elements per note, to bound the memory that a hostile one can take.
const MAX_FOUND: usize = 200_000;

/// Parses a note's text. If the front matter is unreadable, only the body is parsed.
pub fn outline(text: &str) -> Outline {
    let split = split::split(text);
    let mut outline = Outline::default();
    if let Front::Closed(range) = split.front
        && let Ok(matter) = matter::read(text, range)
    {
        properties::scan(text, &matter, &mut outline);
    }
    blocks::scan(text, split.body_start, &mut outline);
    outline.in_order(text);
    outline
}

/// The headings from `start` on, and the lines of fenced code. `start` must be the beginning of a line of
/// the body.
pub(super) fn headings_and_code(text: &str, start: usize) -> (Vec<Heading>, Vec<Range<usize>>) {
    let mut outline = Outline::default();
    let code = blocks::scan(text, start, &mut outline).code;
    (outline.headings, code)
}

/// The prose of the body from `start` on, in order, and the lines of fenced code; `start` as for
/// [`headings_and_code`].
pub(super) fn prose_and_code(text: &str, start: usize) -> (Vec<Prose>, Vec<Range<usize>>) {
    let (mut prose, code) = blocks::prose(text, start);
    prose.sort_by_key(|prose| prose.span.start);
    (prose, code)
}

/// The starts of lines whose list item begins with `[`, and the lines of fenced code; `start` as for
/// [`headings_and_code`].
pub(super) fn boxes_and_code(text: &str, start: usize) -> (Vec<usize>, Vec<Range<usize>>) {
    let scanned = blocks::scan(text, start, &mut Outline::default());
    (scanned.boxes, scanned.code)
}

/// The range of front matter that is unreadable or unclosed.
pub fn unreadable_matter(text: &str) -> Option<Range<usize>> {
    match split::split(text).front {
        Front::Closed(range) => matter::read(text, range.clone()).is_err().then_some(range),
        Front::Unclosed { .. } => Some(0..split::split(text).body_start),
        Front::Absent => None,
    }
}

impl Outline {
    /// Whether another element fits.
    fn has_room(&mut self) -> bool {
        let found = self.links.len() + self.tags.len() + self.headings.len() + self.blocks.len();
        self.is_cut |= found >= MAX_FOUND;
        !self.is_cut
    }

    fn in_order(&mut self, text: &str) {
        self.links.sort_by_key(|link| link.span.start);
        self.tags.sort_by_key(|tag| tag.span.start);
        self.headings.sort_by_key(|heading| heading.span.start);
        self.blocks.sort_by_key(|block| block.span.start);
        number(text, self.links.iter_mut().map(|link| (link.span.start, &mut link.line)));
        number(text, self.tags.iter_mut().map(|tag| (tag.span.start, &mut tag.line)));
        number(text, self.headings.iter_mut().map(|heading| (heading.span.start, &mut heading.line)));
        number(text, self.blocks.iter_mut().map(|block| (block.span.start, &mut block.line)));
    }
}

/// Sets line numbers from offsets in ascending order.
fn number<'a>(text: &str, places: impl Iterator<Item = (usize, &'a mut u32)>) {
    let (mut line, mut counted) = (1, 0);
    for (at, number) in places {
        line += text.as_bytes()[counted..at].iter().filter(|byte| **byte == b'\n').count();
        counted = at;
        *number = u32::try_from(line).unwrap_or(u32::MAX);
    }
}

/// Whether a name follows Obsidian's rules for tags: letters, digits, `_`, `-`, `/`, non-ASCII symbols, and
/// at least one non-digit (<https://help.obsidian.md/tags>).
fn is_tag(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(is_tag_char)
        && !name.bytes().all(|b| b.is_ascii_digit() || b == b'/')
}

fn is_tag_char(c: char) -> bool {
    match c {
        '_' | '-' | '/' => true,
        c if c.is_ascii() => c.is_ascii_alphanumeric(),
        // General and supplemental punctuation end a tag, as whitespace does.
        '\u{2000}'..='\u{206f}' | '\u{2e00}'..='\u{2e7f}' => false,
        c => !c.is_whitespace() && !c.is_control(),
    }
}
