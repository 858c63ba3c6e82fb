//! The first pass: HTML with a small set of elements, well nested, bounded in size and depth.
//!
//! A parser that builds a tree takes more than linear time and memory for deep or badly nested elements, so this pass
//! processes tags one by one.

use std::cell::RefCell;
use std::fmt::Write as _;

use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};

use super::picture::Pictures;
use super::{style, web_address};
use crate::message::html::{attribute, is_hidden, is_pixel, is_void, raw_text, tokenize};
use crate::message::text::visible;

/// HTML beyond this is left out.
const MOST: usize = 4 << 20;
/// Text beyond this is left out.
const MOST_TEXT: usize = 1 << 20;
/// Elements beyond this are left out; their text stays.
const MOST_ELEMENTS: usize = 20_000;
/// Open elements; the tags of deeper ones are left out.
const MOST_OPEN: usize = 150;
/// Open elements that a parser reopens in each paragraph.
const MOST_FORMATTING: usize = 20;
/// The longest value of an attribute other than `style`, `src` and `href`.
const VALUE: usize = 200;
/// How much of a link's text is compared with its host.
const LINK_TEXT: usize = 300;

/// Elements that are kept.
pub(super) const ELEMENTS: [&str; 56] = [
    "a",
    "abbr",
    "b",
    "big",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "div",
    "dl",
    "dt",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "wbr",
];

/// Attributes that are kept as they are.
const ATTRIBUTES: [&str; 16] = [
    "align",
    "alt",
    "border",
    "cellpadding",
    "cellspacing",
    "colspan",
    "color",
    "dir",
    "face",
    "height",
    "lang",
    "rowspan",
    "size",
    "start",
    "valign",
    "width",
];

/// The result for all parts of a message.
#[derive(Debug, Default)]
pub(super) struct Reduced {
    pub(super) html: String,
    pub(super) colours: bool,
    pub(super) cut: bool,
    text: usize,
    elements: usize,
}

/// Appends what is kept of one part to `all`.
pub(super) fn reduce(source: &str, pictures: &mut Pictures<'_>, all: &mut Reduced) {
    let end = source.floor_char_boundary(MOST);
    all.cut |= end < source.len();
    let reader = Reader(RefCell::new(Reading { all, pictures, open: Vec::new() }));
    let (reader, cut) = tokenize(&source[..end], reader);
    let mut reading = reader.0.into_inner();
    reading.all.cut |= cut;
    reading.close_to(0);
}

struct Reader<'a, 'b>(RefCell<Reading<'a, 'b>>);

struct Reading<'a, 'b> {
    all: &'a mut Reduced,
    pictures: &'a mut Pictures<'b>,
    open: Vec<Open>,
}

struct Open {
    name: String,
    /// The element written for it.
    written: Option<&'static str>,
    /// Neither it nor its content is visible.
    hidden: bool,
    link: Option<OpenLink>,
}

struct OpenLink {
    host: String,
    /// Its text so far.
    said: String,
    has_picture: bool,
}

impl TokenSink for Reader<'_, '_> {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut reading = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                reading.start(&tag);
                return raw_text(&tag.name);
            }
            Token::TagToken(tag) => reading.end(&tag.name),
            Token::CharacterTokens(text) => reading.text(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Reading<'_, '_> {
    fn start(&mut self, tag: &Tag) {
        let name: &str = &tag.name;
        if name != "head" && self.open.last().is_some_and(|last| last.name == "head") && !is_of_head(name) {
            // The head is often left unclosed.
            self.end("head");
        }
        self.close_implied(name);
        let hides = !self.is_hidden() && is_hidden(name, tag);
        let hidden = hides || self.is_hidden();
        let written = if hidden { None } else { self.written(name, tag) };
        if is_void(name) || self.open.len() >= MOST_OPEN && !hides {
            return;
        }
        let address = attribute(tag, "href").filter(|_| written == Some("a")).and_then(web_address);
        let link = address.and_then(|url| {
            let host = url.host_str()?.to_owned();
            Some(OpenLink { host, said: String::new(), has_picture: false })
        });
        self.open.push(Open { name: name.to_owned(), written, hidden, link });
    }

    /// Writes the start tag, if the element is allowed.
    fn written(&mut self, name: &str, tag: &Tag) -> Option<&'static str> {
        let kept = match name {
            // The style of a body applies to the page.
            "body" => "div",
            _ => ELEMENTS.iter().copied().find(|element| *element == name)?,
        };
        let formatting = self.open.iter().filter(|open| is_formatting(&open.name)).count();
        let is_beyond = self.all.elements >= MOST_ELEMENTS
            || !is_void(name) && self.open.len() >= MOST_OPEN
            || is_formatting(name) && formatting >= MOST_FORMATTING;
        if is_beyond {
            self.all.cut = true;
            return None;
        }
        self.all.elements += 1;
        self.all.html.push('<');
        self.all.html.push_str(kept);
        self.styles(tag);
        for attribute in &tag.attrs {
            let (name, value): (&str, &str) = (&attribute.name.local, &attribute.value);
            if ATTRIBUTES.contains(&name) && is_plain(name, value) {
                self.all.colours |= name == "color";
                self.attribute(name, value);
            }
        }
        match name {
            "img" => self.picture(tag),
            "a" => {
                if let Some(url) = attribute(tag, "href").and_then(web_address) {
                    self.attribute("href", url.as_str());
                }
            }
            _ => {}
        }
        self.all.html.push('>');
        Some(kept)
    }

    fn styles(&mut self, tag: &Tag) {
        let mut styles =
            attribute(tag, "bgcolor").map(|colour| style::kept(&format!("background-color:{colour}")));
        if let Some(own) = attribute(tag, "style") {
            styles.get_or_insert_default().push_str(&style::kept(own));
        }
        if let Some(styles) = styles.filter(|styles| !styles.is_empty()) {
            self.all.colours |= style::sets_colours(&styles);
            self.attribute("style", &styles);
        }
    }

    fn picture(&mut self, tag: &Tag) {
        if let Some(link) = self.open.iter_mut().rev().find_map(|open| open.link.as_mut()) {
            link.has_picture = true;
        }
        let source = attribute(tag, "src").unwrap_or_default();
        if let Some(data) = self.pictures.drawn(source, is_pixel(tag)) {
            self.attribute("src", &data);
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        // Writing to a string does not fail.
        let _ = write!(self.all.html, " {name}=\"{}\"", escaped(value));
    }

    fn end(&mut self, name: &str) {
        // As in a browser, a tag in a cell ends nothing outside its table.
        let is_of_table = is_of_table(name);
        let within = self
            .open
            .iter()
            .rposition(|open| !is_of_table && matches!(open.name.as_str(), "td" | "th" | "table"))
            .map_or(0, |at| at + 1);
        if let Some(at) = self.open[within..].iter().rposition(|open| open.name == name) {
            self.close_to(within + at);
        }
    }

    /// Paragraphs, items, cells and links end where the next one begins.
    fn close_implied(&mut self, name: &str) {
        let until: &[&str] = match name {
            "a" | "p" => &["td", "th", "table", "div", "li", "blockquote"],
            "li" => &["ul", "ol", "td", "th", "table"],
            "dd" | "dt" => &["dl", "td", "th", "table"],
            "td" | "th" | "tr" | "tbody" | "thead" | "tfoot" => &["table"],
            _ => return,
        };
        let ends = |open: &Open| match name {
            "td" | "th" => matches!(open.name.as_str(), "td" | "th"),
            "dd" | "dt" => matches!(open.name.as_str(), "dd" | "dt"),
            "tbody" | "thead" | "tfoot" => matches!(open.name.as_str(), "tbody" | "thead" | "tfoot"),
            _ => open.name == name,
        };
        let from =
            self.open.iter().rposition(|open| until.contains(&open.name.as_str())).map_or(0, |at| at + 1);
        if let Some(at) = self.open[from..].iter().position(ends) {
            self.close_to(from + at);
        }
    }

    fn close_to(&mut self, at: usize) {
        while self.open.len() > at {
            let Some(Open { written, link, .. }) = self.open.pop() else { return };
            let Some(element) = written else { continue };
            let _ = write!(self.all.html, "</{element}>");
            if let Some(OpenLink { host, said, has_picture }) = link
                && (has_picture || said.trim() != host)
            {
                let _ = write!(self.all.html, "<span class=\"host\"> {}</span>", escaped(&host));
            }
        }
    }

    fn text(&mut self, text: &str) {
        if self.is_hidden() {
            return;
        }
        let room = MOST_TEXT.saturating_sub(self.all.text);
        let end = text.floor_char_boundary(room);
        self.all.cut |= end < text.len();
        let text = &text[..end];
        self.all.text += text.len();
        if let Some(link) = self.open.iter_mut().rev().find_map(|open| open.link.as_mut())
            && link.said.len() < LINK_TEXT
        {
            link.said.push_str(text);
        }
        self.all.html.push_str(&escaped(&visible(text)));
    }

    fn is_hidden(&self) -> bool {
        self.open.last().is_some_and(|last| last.hidden)
    }
}

/// Words and numbers; `alt` texts may contain more.
fn is_plain(attribute: &str, value: &str) -> bool {
    let is_kept = |c: char| match attribute {
        "alt" => !matches!(c, '<' | '>'),
        _ => c.is_alphanumeric() || matches!(c, ' ' | '#' | '%' | '.' | ',' | '-' | '+' | '\''),
    };
    value.len() <= VALUE && value.chars().all(is_kept)
}

/// Escapes a text, or the value of an attribute in double quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Elements that a parser reopens after the end of the block in which they began.
fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b" | "big" | "code" | "em" | "font" | "i" | "s" | "small" | "strike" | "strong" | "tt" | "u"
    )
}

fn is_of_head(name: &str) -> bool {
    matches!(name, "title" | "style" | "script" | "noscript" | "template" | "meta" | "link" | "base")
}

fn is_of_table(name: &str) -> bool {
    matches!(name, "table" | "tbody" | "thead" | "tfoot" | "tr" | "td" | "th" | "caption" | "colgroup")
}
