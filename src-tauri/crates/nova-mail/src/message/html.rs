//! Converts HTML to the text that its reader sees.
//!
//! Tags are processed one by one and no tree is built: each element is visited once, however deep they are nested.

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// Text beyond this is left out.
const MOST: usize = 4 << 20;
/// Open elements that are tracked; deeper ones count as part of these.
const MOST_OPEN: usize = 500;

/// HTML as its reader sees it.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) text: String,
    /// In order, each with its text as it appears in `text`.
    pub(super) links: Vec<Link>,
    /// Images that a mail program would load from the web, including invisible ones.
    pub(super) remote_images: usize,
}

/// A link to the web.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its text, followed by the target's host if the text does not name it.
    pub text: String,
    pub url: String,
}

/// The most links that are listed, and the longest one.
const LINKS: usize = 200;
const URL: usize = 2_000;

/// What a mail program shows of it: without scripts, styles, comments, hidden elements and tracking pixels. Quoted
/// messages are marked with `> `, links are followed by their host.
pub(super) fn read(html: &str) -> Page {
    let (reader, _) =
        tokenize(html.get(..html.floor_char_boundary(MOST)).unwrap_or_default(), Reader::default());
    reader.0.into_inner().page
}

/// Bytes that are read at once.
const CHUNK: usize = 8 << 10;
/// Separators within one tag: a tokenizer compares each attribute with all previous ones.
const SEPARATORS: usize = 10_000;
/// Fewer bytes of `/` in a chunk are image data, of which they are one 64th.
const SLASHES: usize = CHUNK / 48;

/// Passes the tokens of a text to a sink; also returns whether its end was left out because a tag has too many
/// attributes.
pub(super) fn tokenize<S: TokenSink<Handle = ()>>(html: &str, sink: S) -> (S, bool) {
    let tokenizer = Tokenizer::new(Counting { sink, tokens: Cell::new(0) }, TokenizerOpts::default());
    let input = BufferQueue::default();
    let (mut rest, mut separators) = (html, 0);
    while !rest.is_empty() && separators <= SEPARATORS {
        let (chunk, after) = rest.split_at(rest.ceil_char_boundary(CHUNK));
        rest = after;
        let before = tokenizer.sink.tokens.get();
        input.push_back(StrTendril::from(chunk));
        // It pauses only for a script, and no element is treated as one.
        let _ = tokenizer.feed(&input);
        let is_within_tag = tokenizer.sink.tokens.get() == before;
        let spaces = chunk.bytes().filter(u8::is_ascii_whitespace).count();
        let slashes = memchr::memchr_iter(b'/', chunk.as_bytes()).count();
        let here = spaces + if slashes > SLASHES { slashes } else { 0 };
        separators = if is_within_tag { separators + here } else { 0 };
    }
    if rest.is_empty() {
        tokenizer.end();
    }
    (tokenizer.sink.sink, !rest.is_empty())
}

struct Counting<S> {
    sink: S,
    tokens: Cell<usize>,
}

impl<S: TokenSink<Handle = ()>> TokenSink for Counting<S> {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        // A parse error is part of another token.
        if !matches!(token, Token::ParseError(_)) {
            self.tokens.set(self.tokens.get() + 1);
        }
        self.sink.process_token(token, line)
    }
}

#[derive(Default)]
struct Reader(RefCell<Shown>);

#[derive(Default)]
struct Shown {
    page: Page,
    open: Vec<Element>,
    /// A space is due before the next word.
    space: bool,
    /// This many line breaks are due before the next word.
    breaks: usize,
}

struct Element {
    name: String,
    hidden: bool,
    quoted: bool,
    link: Option<OpenLink>,
}

struct OpenLink {
    host: String,
    url: String,
    /// Where its text begins.
    from: usize,
}

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut shown = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => return shown.tag(&tag),
            Token::CharacterTokens(text) => shown.words(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Shown {
    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        match tag.kind {
            TagKind::StartTag => {
                self.start(name, tag);
                raw_text(name)
            }
            TagKind::EndTag => {
                self.end(name);
                TokenSinkResult::Continue
            }
        }
    }

    fn start(&mut self, name: &str, tag: &Tag) {
        self.breaks = self.breaks.max(breaks(name));
        match name {
            "br" => self.breaks += 1,
            "hr" => self.breaks = self.breaks.max(1),
            "td" | "th" => self.space = true,
            "img" => {
                self.page.remote_images += usize::from(attribute(tag, "src").and_then(host).is_some());
                let alt = attribute(tag, "alt").unwrap_or_default();
                if !alt.trim().is_empty() && !is_pixel(tag) && !is_hidden(name, tag) {
                    self.words(&format!("[image: {}]", alt.trim()));
                }
            }
            _ => {}
        }
        if is_void(name) || self.open.len() >= MOST_OPEN {
            return;
        }
        // The head is often left unclosed.
        let ends_head = !matches!(name, "title" | "style" | "script" | "noscript" | "template");
        if ends_head && self.open.last().is_some_and(|last| last.name == "head") {
            self.end("head");
        }
        // Paragraphs, items and cells end where the next one begins.
        if matches!(name, "p" | "li" | "td" | "th" | "tr" | "option")
            && self.open.last().is_some_and(|last| last.name == name)
        {
            self.end(name);
        }
        let above = self.open.last();
        let class = attribute(tag, "class").unwrap_or_default();
        let quoted = above.is_some_and(|above| above.quoted)
            || name == "blockquote"
            || class
                .split_whitespace()
                .any(|class| matches!(class, "gmail_quote" | "moz-cite-prefix" | "yahoo_quoted"));
        let hidden = above.is_some_and(|above| above.hidden) || is_hidden(name, tag);
        if name == "li" && !hidden {
            self.breaks = self.breaks.max(1);
            self.open.push(Element { name: name.into(), hidden, quoted, link: None });
            self.words("- ");
            return;
        }
        let href = attribute(tag, "href").filter(|_| name == "a");
        let link = href.and_then(|url| {
            Some(OpenLink { host: host(url)?, url: url.trim().to_owned(), from: self.page.text.len() })
        });
        self.open.push(Element { name: name.into(), hidden, quoted, link });
    }

    fn end(&mut self, name: &str) {
        self.breaks = self.breaks.max(breaks(name));
        let Some(at) = self.open.iter().rposition(|element| element.name == name) else { return };
        let closed = self.open.drain(at..).next();
        if let Some(Element { hidden: false, link: Some(OpenLink { host, url, from }), .. }) = closed {
            let said = self.page.text.get(from..).unwrap_or_default();
            if said.trim().is_empty() {
                return;
            }
            if !said.contains(&host) {
                self.space = false;
                self.page.text.push_str(&format!(" ({host})"));
            }
            if self.page.links.len() < LINKS && url.len() <= URL {
                let text = self.page.text.get(from..).unwrap_or_default().trim().to_owned();
                self.page.links.push(Link { text, url });
            }
        }
    }

    fn words(&mut self, text: &str) {
        let (hidden, quoted) = self.open.last().map_or((false, false), |last| (last.hidden, last.quoted));
        if hidden || self.page.text.len() > MOST {
            return;
        }
        let begins_with_space = text.starts_with(char::is_whitespace);
        self.space |= begins_with_space;
        for word in text.split_whitespace() {
            let mark = if quoted { "> " } else { "" };
            let shown = &mut self.page.text;
            if self.breaks > 0 || shown.is_empty() {
                if !shown.is_empty() {
                    shown.push_str(&"\n".repeat(self.breaks.min(2)));
                }
                shown.push_str(mark);
            } else if self.space {
                shown.push(' ');
            }
            shown.push_str(word);
            (self.breaks, self.space) = (0, true);
        }
        self.space = text.ends_with(char::is_whitespace) || self.space && text.trim().is_empty();
    }
}

pub(super) fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    tag.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|found| &*found.value)
}

/// Elements whose content is text without tags.
pub(super) fn raw_text(name: &str) -> TokenSinkResult<()> {
    match name {
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        _ => TokenSinkResult::Continue,
    }
}

/// How many line breaks are around an element.
fn breaks(name: &str) -> usize {
    match name {
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "ul" | "ol" | "table" | "pre" => 2,
        "div" | "li" | "tr" | "section" | "article" | "header" | "footer" | "dt" | "dd" | "center"
        | "form" => 1,
        _ => 0,
    }
}

pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "wbr"
    )
}

/// Whether the element is invisible: text for programs, or hidden by its style.
pub(super) fn is_hidden(name: &str, tag: &Tag) -> bool {
    if matches!(
        name,
        "script"
            | "style"
            | "head"
            | "title"
            | "template"
            | "noscript"
            | "svg"
            | "iframe"
            | "object"
            | "textarea"
            | "select"
            | "noembed"
            | "noframes"
            | "math"
    ) || attribute(tag, "hidden").is_some()
    {
        return true;
    }
    let style: String =
        attribute(tag, "style").unwrap_or_default().chars().filter(|c| !c.is_whitespace()).collect();
    let style = style.to_lowercase();
    let mut declared = style.split(';').filter_map(|one| one.split_once(':'));
    let is_zero = |value: &str| {
        let number =
            value.trim_end_matches("!important").trim_end_matches(|c: char| c.is_alphabetic() || c == '%');
        number.parse::<f32>().is_ok_and(|number| number < 0.02)
    };
    declared.any(|(property, value)| match property {
        "display" => value.starts_with("none"),
        "visibility" => value.starts_with("hidden") || value.starts_with("collapse"),
        "mso-hide" => value.starts_with("all"),
        "opacity" => is_zero(value),
        "font-size" => {
            value
                .trim_end_matches("!important")
                .trim_end_matches("px")
                .parse::<f32>()
                .is_ok_and(|size| size <= 1.0)
                || is_zero(value)
        }
        "max-height" | "max-width" => is_zero(value),
        "text-indent" | "left" | "top" | "margin-left" => value.starts_with("-9"),
        "color" => value.starts_with("transparent"),
        _ => false,
    })
}

/// Whether the image is a tracking pixel.
pub(super) fn is_pixel(tag: &Tag) -> bool {
    ["width", "height"].iter().any(|side| {
        attribute(tag, side).is_some_and(|size| matches!(size.trim().trim_end_matches("px"), "0" | "1"))
    })
}

/// The host of a URL in its ASCII form, which shows look-alike letters.
pub(super) fn host(address: &str) -> Option<String> {
    let address = address.trim();
    let rest = address.get(..8).filter(|start| start.eq_ignore_ascii_case("https://")).map(|_| &address[8..]);
    let rest = rest.or_else(|| {
        address.get(..7).filter(|start| start.eq_ignore_ascii_case("http://")).map(|_| &address[7..])
    })?;
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = host.split(':').next()?;
    let ascii = idna::domain_to_ascii(host).ok()?;
    (!ascii.is_empty() && ascii.len() <= 253).then_some(ascii)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(read(html).text, expected, "{html}");
    }

    #[test]
    fn links_are_listed_as_they_appear_in_the_text() {
        let page = read(
            "<a href=' https://a.example/x?y=1 '>the\n folder</a>, <a href='https://b.example/'>b.example</a>, \
             <a href='javascript:x'>no</a> <a href='mailto:a@b.example'>no</a> <a href='https://c.example/'> </a>\
             <p hidden><a href='https://d.example/'>no</a></p>",
        );
        let links: Vec<_> = page.links.iter().map(|link| (link.text.as_str(), link.url.as_str())).collect();
        assert_eq!(
            links,
            [("the folder (a.example)", "https://a.example/x?y=1"), ("b.example", "https://b.example/")]
        );
        assert!(links.iter().all(|(text, _)| page.text.contains(text)), "{}", page.text);
    }

    #[test]
    fn remote_images_are_counted() {
        let page =
            read("<img src='https://a.example/1'><img src='cid:2'><img src='http://b.example/p' width=1>");
        assert_eq!(page.remote_images, 2);
    }

    #[test]
    fn elements_become_lines() {
        check(
            "<h1>Offer</h1><p>One\n two<br>three</p><ul><li>a<li>b</ul>",
            "Offer\n\nOne two\nthree\n\n- a\n- b",
        );
        check("<table><tr><td>Total</td><td>12 €</td></tr></table>", "Total 12 €");
        check("a<b>b</b>c &amp; d", "abc & d");
    }

    #[test]
    fn link_is_followed_by_its_host() {
        check("<a href='https://evil.example/x'>www.bank.example</a>", "www.bank.example (evil.example)");
        check("<a href='https://bank.example@evil.example/'>Pay</a>", "Pay (evil.example)");
        check("<a href='https://bаnk.example/'>bank.example</a>", "bank.example (xn--bnk-6cd.example)");
        check("<a href='https://bank.example/'>bank.example</a>", "bank.example");
    }

    #[test]
    fn invisible_content_is_left_out() {
        for html in [
            "<!-- ignore all -->Hi",
            "<script>ignore</script>Hi",
            "<style>p { content: 'ignore' }</style>Hi",
            "<div style='display: none'>ignore</div>Hi",
            "<span style='FONT-SIZE:0px'>ignore</span>Hi",
            "<p style='opacity:0.0'>ignore</p>Hi",
            "<p hidden>ignore</p>Hi",
            "<div style='max-height:0;overflow:hidden'><b>ignore</b></div>Hi",
            "<img src='https://t.example/p' width=1 height=1 alt='ignore'>Hi",
            "<title>ignore</title>Hi",
            "<noscript>ignore</noscript>Hi",
        ] {
            check(html, "Hi");
        }
    }

    #[test]
    fn unclosed_head_hides_nothing() {
        check("<html><head><style>x</style><body><p>Hello", "Hello");
    }

    #[test]
    fn blockquote_is_marked_as_a_quote() {
        check("<p>Yes</p><blockquote><p>Shall we?</p></blockquote>", "Yes\n\n> Shall we?");
    }
}
