//! HTML as the text that its reader sees.
//!
//! Tags are read one by one and no tree is built: however deep elements are nested, it takes one look at each.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// Text beyond this is left out.
const MOST: usize = 4 << 20;
/// Open elements that are remembered; deeper ones count as part of these.
const MOST_OPEN: usize = 500;

/// What a mail program shows of it: without scripts, styles, comments, hidden elements and images that only report
/// that the message was opened. Earlier messages are marked with `> `, links are followed by their host.
pub(super) fn text(html: &str) -> String {
    let tokenizer = Tokenizer::new(Page::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html.get(..html.floor_char_boundary(MOST)).unwrap_or_default()));
    // It pauses for a script alone, and no element is taken for one.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner().text
}

#[derive(Default)]
struct Page(RefCell<Shown>);

#[derive(Default)]
struct Shown {
    text: String,
    open: Vec<Element>,
    /// Space is due before the next word.
    space: bool,
    /// So many line breaks are due before the next word.
    breaks: usize,
}

struct Element {
    name: String,
    hidden: bool,
    quoted: bool,
    /// Of a link: its host, and where its text begins.
    link: Option<(String, usize)>,
}

impl TokenSink for Page {
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
        // Often nobody closes it.
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
        let link = (name == "a").then(|| attribute(tag, "href").and_then(host)).flatten();
        let link = link.map(|host| (host, self.text.len()));
        self.open.push(Element { name: name.into(), hidden, quoted, link });
    }

    fn end(&mut self, name: &str) {
        self.breaks = self.breaks.max(breaks(name));
        let Some(at) = self.open.iter().rposition(|element| element.name == name) else { return };
        let closed = self.open.drain(at..).next();
        if let Some(Element { hidden: false, link: Some((host, from)), .. }) = closed {
            let said = self.text.get(from..).unwrap_or_default();
            if !said.trim().is_empty() && !said.contains(&host) {
                self.space = false;
                self.text.push_str(&format!(" ({host})"));
            }
        }
    }

    fn words(&mut self, text: &str) {
        let (hidden, quoted) = self.open.last().map_or((false, false), |last| (last.hidden, last.quoted));
        if hidden || self.text.len() > MOST {
            return;
        }
        let begins_with_space = text.starts_with(char::is_whitespace);
        self.space |= begins_with_space;
        for word in text.split_whitespace() {
            let mark = if quoted { "> " } else { "" };
            if self.breaks > 0 || self.text.is_empty() {
                if !self.text.is_empty() {
                    self.text.push_str(&"\n".repeat(self.breaks.min(2)));
                }
                self.text.push_str(mark);
            } else if self.space {
                self.text.push(' ');
            }
            self.text.push_str(word);
            (self.breaks, self.space) = (0, true);
        }
        self.space = text.ends_with(char::is_whitespace) || self.space && text.trim().is_empty();
    }
}

fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    tag.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|found| &*found.value)
}

/// How the text of some elements is read: as no tags.
fn raw_text(name: &str) -> TokenSinkResult<()> {
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

fn is_void(name: &str) -> bool {
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

/// Whether nobody sees the element: text for programs, or one that its style hides.
fn is_hidden(name: &str, tag: &Tag) -> bool {
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

/// Whether the image only reports that the message was opened.
fn is_pixel(tag: &Tag) -> bool {
    ["width", "height"].iter().any(|side| {
        attribute(tag, side).is_some_and(|size| matches!(size.trim().trim_end_matches("px"), "0" | "1"))
    })
}

/// The host of an address, as it is asked for: letters that look like others in their ASCII form.
fn host(address: &str) -> Option<String> {
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
    use super::text;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(text(html), expected, "{html}");
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
    fn a_link_says_its_host() {
        check("<a href='https://evil.example/x'>www.bank.example</a>", "www.bank.example (evil.example)");
        check("<a href='https://bank.example@evil.example/'>Pay</a>", "Pay (evil.example)");
        check("<a href='https://bаnk.example/'>bank.example</a>", "bank.example (xn--bnk-6cd.example)");
        check("<a href='https://bank.example/'>bank.example</a>", "bank.example");
    }

    #[test]
    fn what_nobody_sees_is_left_out() {
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
    fn a_head_that_is_not_closed_hides_nothing() {
        check("<html><head><style>x</style><body><p>Hello", "Hello");
    }

    #[test]
    fn an_earlier_message_is_a_quote() {
        check("<p>Yes</p><blockquote><p>Shall we?</p></blockquote>", "Yes\n\n> Shall we?");
    }
}
