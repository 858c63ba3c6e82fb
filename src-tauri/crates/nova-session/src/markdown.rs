//! Renders Markdown as safe HTML: nothing in it is executed or fetched.
//!
//! The window post-processes the HTML: `code.language-…` is highlighted, `span.math` is typeset,
//! `a[data-note]` opens a note, `a[data-footnote-ref]` scrolls to `div[data-footnote]`, and `a[data-image]`
//! replaces a remote image, which is not loaded.

mod bounds;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::Builder;
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html::push_html};

use self::bounds::Nesting;

/// One top-level block of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub html: String,
}

/// The top-level blocks of a Markdown text, each rendered and sanitised. Text beyond the limits on length and
/// nesting is shown as plain text.
pub fn blocks(markdown: &str) -> Vec<Block> {
    let mut whole = Growing::default();
    whole.push(markdown);
    whole.blocks
}

/// Renders a complete Markdown text as sanitised HTML. `[[links]]` become `<a data-note="target">`.
pub fn html(markdown: &str) -> String {
    blocks(markdown).into_iter().map(|block| block.html).collect()
}

/// The blocks of a growing text. Only changed blocks are sanitised again, which is nearly all of the work.
#[derive(Default)]
pub(crate) struct Growing {
    text: String,
    /// By block, as rendered, before sanitising.
    rendered: Vec<String>,
    blocks: Vec<Block>,
    /// The start of the last plain block, once the text exceeds the formatted part.
    plain: Option<usize>,
}

impl Growing {
    pub(crate) fn push(&mut self, more: &str) {
        self.text.push_str(more);
        let (start, first) = match self.plain {
            Some(start) => {
                self.blocks.pop();
                (start, false)
            }
            None => {
                let formatted = bounds::formatted(&self.text);
                self.format(formatted);
                if formatted == self.text.len() {
                    return;
                }
                (formatted, true)
            }
        };
        self.plain = Some(bounds::add_plain(&self.text, start, first, &mut self.blocks));
    }

    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    fn format(&mut self, bytes: usize) {
        let rendered = unsafe_blocks(self.text.get(..bytes).unwrap_or_default());
        self.blocks.resize(rendered.len(), Block { html: String::new() });
        for (at, (raw, block)) in rendered.iter().zip(&mut self.blocks).enumerate() {
            if self.rendered.get(at) != Some(raw) {
                block.html = SANITISER.clean(raw).to_string();
            }
        }
        self.rendered = rendered;
    }
}

/// Parses the text as a whole, since a block may refer to definitions in another one, and renders it by
/// block. Must be sanitised before it is shown.
fn unsafe_blocks(markdown: &str) -> Vec<String> {
    let mut reader = Reader::default();
    let mut nesting = Nesting::default();
    let mut rendered = Vec::new();
    let mut events = Vec::new();
    let mut begins = None;
    let mut is_padded = false;
    for (event, range) in Parser::new_ext(markdown, options()).into_offset_iter() {
        let source = markdown.get(range.clone()).unwrap_or_default();
        let block = *begins.get_or_insert(source);
        let next = markdown.get(range.end..).and_then(|rest| rest.chars().next());
        if let Some(event) = nesting.bounded(event, source) {
            reader.read(event, next, &mut events);
        }
        is_padded |= events.len() > bounds::most_events(block);
        if is_padded {
            events.clear();
        }
        if nesting.is_top() {
            let mut html = String::new();
            match std::mem::take(&mut is_padded) {
                true => html = bounds::plain(block),
                false => push_html(&mut html, events.drain(..)),
            }
            rendered.push(bounds::with_short_runs(&html));
            begins = None;
        }
    }
    rendered
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_WIKILINKS
        | Options::ENABLE_MATH
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
}

/// Maps Markdown events to those that the window may show.
#[derive(Default)]
struct Reader<'a> {
    /// Footnote numbers by name, in order of first occurrence.
    footnotes: HashMap<CowStr<'a>, usize>,
    /// Open links; for one that is not shown as a link, the address to append to its text.
    links: Vec<Option<CowStr<'a>>>,
    images: Vec<Image<'a>>,
}

/// An image whose description is being read.
struct Image<'a> {
    /// Shown if there is no description.
    address: CowStr<'a>,
    linked: bool,
    has_words: bool,
}

impl<'a> Reader<'a> {
    /// `next` is the character that follows the event in the text.
    fn read(&mut self, event: Event<'a>, next: Option<char>, out: &mut Vec<Event<'a>>) {
        if matches!(event, Event::Text(_) | Event::Code(_) | Event::InlineMath(_))
            && let Some(image) = self.images.last_mut()
        {
            image.has_words = true;
        }
        let shown = match event {
            Event::Start(Tag::Image { link_type, dest_url, .. }) => {
                let tag = if !self.links.is_empty() { None } else { image_link(link_type, &dest_url) };
                self.images.push(Image { address: dest_url, linked: tag.is_some(), has_words: false });
                let Some(tag) = tag else { return };
                tag
            }
            Event::End(TagEnd::Image) => {
                let Some(image) = self.images.pop() else { return };
                if !image.has_words {
                    out.push(Event::Text(image.address));
                }
                if !image.linked {
                    return;
                }
                Event::InlineHtml("</a>".into())
            }
            Event::Start(Tag::Link { link_type: LinkType::WikiLink { .. }, dest_url, .. }) => {
                self.links.push(None);
                Event::InlineHtml(format!("<a data-note=\"{}\">", escaped(&dest_url)).into())
            }
            // Only web addresses can be opened, and anything that looks like a link must be one.
            Event::Start(Tag::Link { link_type, dest_url, .. }) if is_mail(link_type, &dest_url) => {
                let shown = matches!(link_type, LinkType::Email | LinkType::Autolink);
                self.links.push(Some(if shown { CowStr::Borrowed("") } else { dest_url }));
                return;
            }
            Event::Start(Tag::Link { .. }) => {
                self.links.push(None);
                event
            }
            Event::End(TagEnd::Link) => match self.links.pop().flatten() {
                None => event,
                Some(address) if address.is_empty() => return,
                Some(address) => Event::Text(format!(" ({address})").into()),
            },
            Event::FootnoteReference(name) => {
                let number = self.footnote(name);
                Event::InlineHtml(format!("<sup><a data-footnote-ref=\"{number}\">{number}</a></sup>").into())
            }
            Event::Start(Tag::FootnoteDefinition(name)) => {
                let number = self.footnote(name);
                Event::Html(format!("<div data-footnote=\"{number}\"><sup>{number}</sup>").into())
            }
            Event::End(TagEnd::FootnoteDefinition) => Event::Html("</div>\n".into()),
            Event::InlineMath(formula) if is_money(&formula, next) => {
                Event::Text(format!("${formula}$").into())
            }
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
            event => event,
        };
        out.push(shown);
    }

    fn footnote(&mut self, name: CowStr<'a>) -> usize {
        let next = self.footnotes.len() + 1;
        *self.footnotes.entry(name).or_insert(next)
    }
}

fn is_mail(link_type: LinkType, address: &str) -> bool {
    let scheme = address.split_once(':').map_or("", |(scheme, _)| scheme);
    link_type == LinkType::Email || scheme.eq_ignore_ascii_case("mailto")
}

/// A remote image would cause a request from the window, so it becomes a link; an image in the vault is
/// reduced to its description. An embedded note becomes a link.
fn image_link(link_type: LinkType, address: &str) -> Option<Event<'static>> {
    let note = matches!(link_type, LinkType::WikiLink { .. });
    if note && !PICTURES.iter().any(|end| address.to_ascii_lowercase().ends_with(end)) {
        return Some(Event::InlineHtml(format!("<a data-note=\"{}\">", escaped(address)).into()));
    }
    let elsewhere = address.starts_with("https://") || address.starts_with("http://");
    (elsewhere && !note)
        .then(|| Event::InlineHtml(format!("<a href=\"{}\" data-image=\"\">", escaped(address)).into()))
}

const PICTURES: [&str; 8] = [".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".bmp"];

/// "$1,200 to ~$1,500" is not a formula: as in pandoc, a formula is not followed by a digit; nor does it
/// start with an amount and continue with words.
fn is_money(formula: &str, next: Option<char>) -> bool {
    let prose = formula.starts_with(|c: char| c.is_ascii_digit())
        && formula.contains(char::is_whitespace)
        && !formula.contains(['\\', '^', '_', '=', '+', '*', '<', '>', '{']);
    prose || next.is_some_and(|c| c.is_ascii_digit())
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
    out
}

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from([
            "p",
            "br",
            "hr",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "em",
            "strong",
            "del",
            "code",
            "pre",
            "blockquote",
            "ul",
            "ol",
            "li",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "a",
            "sup",
            "div",
            "span",
            "input",
        ]))
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href", "data-note", "data-image", "data-footnote-ref"])),
            ("code", HashSet::from(["class"])),
            ("div", HashSet::from(["data-footnote"])),
            ("span", HashSet::from(["class"])),
            ("th", HashSet::from(["style"])),
            ("td", HashSet::from(["style"])),
            ("ol", HashSet::from(["start"])),
            ("input", HashSet::from(["type", "checked", "disabled"])),
        ]))
        .url_schemes(HashSet::from(["https", "http"]))
        .url_relative(ammonia::UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer"))
        .attribute_filter(|element, attribute, value| match (element, attribute) {
            ("code", "class") => {
                let language = value.strip_prefix("language-")?;
                let plain = language.chars().all(|c| c.is_ascii_alphanumeric() || "+-_#.".contains(c));
                plain.then(|| value.into())
            }
            ("span", "class") => {
                ["math math-inline", "math math-display"].contains(&value).then(|| value.into())
            }
            // Column alignment, only in the renderer's own spelling.
            ("th" | "td", "style") => ALIGNED.contains(&value).then(|| value.into()),
            ("input", "type") => (value == "checkbox").then(|| value.into()),
            _ => Some(value.into()),
        });
    builder
});

const ALIGNED: [&str; 3] = ["text-align: left", "text-align: center", "text-align: right"];

#[cfg(test)]
mod tests;
