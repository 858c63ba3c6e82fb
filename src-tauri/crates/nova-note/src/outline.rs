//! What a note's text holds for others to find: links, tags, headings and blocks, each with its
//! place in the text.
//!
//! Markdown by CommonMark's rules where they decide what is a link (code, comments, escapes,
//! containers), and Obsidian's additions to it: `[[wikilinks]]`, `![[embeds]]`, `%%comments%%`,
//! `$math$`, `#tags`, `^block-ids`, links in properties. One pass over the text; nothing is
//! rendered and nothing is copied but what is found. Whatever the text is, the time is in
//! proportion to its length and the depth of nesting is bounded.

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
    /// `[label]: Note.md`, the definition that `[text][label]` refers to.
    Definition,
    /// `[[Note]]` in a property.
    Property,
}

/// A link to a note or another file of the vault. All ranges are byte offsets in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// How it is written.
    pub kind: LinkKind,
    /// All of it, from the first bracket to the last; of a link in a property without its quotes.
    pub span: Range<usize>,
    /// The part that names the file, without subpath. Empty in `[[#Heading]]`.
    pub target_span: Range<usize>,
    /// The name or path as it is meant: without escapes, quotes and percent-encoding. Empty for
    /// the note itself.
    pub target: String,
    /// What follows the first `#`: `Heading`, `Heading#Below it`, `^block-id`.
    pub subpath: Option<String>,
    /// The text shown for it, or the size of an embed: what follows the `|` of a wikilink, what
    /// stands in the brackets of a Markdown link.
    pub display: Option<String>,
    /// The line it begins on, 1-based.
    pub line: u32,
    /// How it is written.
    pub notation: Notation,
}

/// What the target's bytes have to obey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notation {
    /// Verbatim, between `[[` and `]]`.
    Wiki,
    /// A Markdown destination: `[x](here)`.
    Bare,
    /// A Markdown destination: `[x](<here>)`.
    Angle,
    /// Within a YAML scalar.
    Yaml {
        /// The scalar, quotes included; of `key: [[Note]]` both pairs of brackets.
        scalar: Range<usize>,
        /// How the scalar is quoted.
        quotes: YamlQuotes,
    },
}

/// How a YAML scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlQuotes {
    /// Not at all.
    Plain,
    /// `'…'`.
    Single,
    /// `"…"`.
    Double,
    /// A block scalar, whose text is verbatim.
    Block,
}

/// A tag where it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagUse {
    /// Without `#`, as it is spelled: `inbox/to-read`.
    pub tag: String,
    /// With its `#`; of a tag in a property, the whole value.
    pub span: Range<usize>,
    /// 1-based.
    pub line: u32,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text as written, without the `#` before and behind it.
    pub text: String,
    /// Its lines, without the last line break.
    pub span: Range<usize>,
    /// Whether it stands in a list or a quotation, where it begins no section of the note.
    pub is_nested: bool,
    /// 1-based.
    pub line: u32,
}

/// A block that has an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Without `^`.
    pub id: String,
    /// The id with its `^`.
    pub span: Range<usize>,
    /// The line of the id, 1-based.
    pub line: u32,
}

/// What a note's text holds, each kind in the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// Links to files of the vault; addresses of the web are none.
    pub links: Vec<Link>,
    /// Tags in the text and in the properties `tags` and `tag`.
    pub tags: Vec<TagUse>,
    /// Headings.
    pub headings: Vec<Heading>,
    /// Blocks with an id.
    pub blocks: Vec<Block>,
    /// There is more of it than [`MAX_FOUND`].
    pub is_cut: bool,
}

impl Outline {
    /// Gives back the memory that was taken for more to be found.
    pub fn shrink(&mut self) {
        let Outline { links, tags, headings, blocks, is_cut: _ } = self;
        links.shrink_to_fit();
        tags.shrink_to_fit();
        headings.shrink_to_fit();
        blocks.shrink_to_fit();
    }
}

/// So much is told of one note. No person writes a note with more; of a hostile one the rest is
/// passed over.
const MAX_FOUND: usize = 200_000;

/// Reads a note's text. Of front matter that cannot be read nothing is told, its body is.
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

/// The headings from `start` on, which must be the beginning of a line of the body, and the lines
/// of fenced code.
pub(super) fn headings_and_code(text: &str, start: usize) -> (Vec<Heading>, Vec<Range<usize>>) {
    let mut outline = Outline::default();
    let code = blocks::scan(text, start, &mut outline).code;
    (outline.headings, code)
}

/// The text of the body from `start` on that is nothing else, in order, and the lines of fenced code; as above.
pub(super) fn prose_and_code(text: &str, start: usize) -> (Vec<Prose>, Vec<Range<usize>>) {
    let (mut prose, code) = blocks::prose(text, start);
    prose.sort_by_key(|prose| prose.span.start);
    (prose, code)
}

/// Where the lines begin on which a list item begins with `[`, and the lines of fenced code; from `start` on as
/// above.
pub(super) fn boxes_and_code(text: &str, start: usize) -> (Vec<usize>, Vec<Range<usize>>) {
    let scanned = blocks::scan(text, start, &mut Outline::default());
    (scanned.boxes, scanned.code)
}

/// The bytes of front matter that is closed but cannot be read.
pub fn unreadable_matter(text: &str) -> Option<Range<usize>> {
    match split::split(text).front {
        Front::Closed(range) => matter::read(text, range.clone()).is_err().then_some(range),
        Front::Unclosed { .. } => Some(0..split::split(text).body_start),
        Front::Absent => None,
    }
}

impl Outline {
    /// Whether one more may be told.
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

/// Sets line numbers from offsets in rising order.
fn number<'a>(text: &str, places: impl Iterator<Item = (usize, &'a mut u32)>) {
    let (mut line, mut counted) = (1, 0);
    for (at, number) in places {
        line += text.as_bytes()[counted..at].iter().filter(|byte| **byte == b'\n').count();
        counted = at;
        *number = u32::try_from(line).unwrap_or(u32::MAX);
    }
}

/// Whether a name follows Obsidian's rules for tags: letters, digits, `_`, `-`, `/`, signs beyond
/// ASCII, and at least one that is no digit (<https://help.obsidian.md/tags>).
fn is_tag(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(is_tag_char)
        && !name.bytes().all(|b| b.is_ascii_digit() || b == b'/')
}

fn is_tag_char(c: char) -> bool {
    match c {
        '_' | '-' | '/' => true,
        c if c.is_ascii() => c.is_ascii_alphanumeric(),
        // General and supplemental punctuation end a tag, as white space does.
        '\u{2000}'..='\u{206f}' | '\u{2e00}'..='\u{2e7f}' => false,
        c => !c.is_whitespace() && !c.is_control(),
    }
}
