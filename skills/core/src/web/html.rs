//! An HTML page as Markdown: its main text, with title, author, date and links.

use dom_query::{Document, NodeRef};
use dom_smoothie::{Config, Readability, TextMode};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use nova_skill::{Value, serde_json};
use url::Url;

use super::date::day;
use super::isolated::Stop;

/// Maximum number of nodes of a page: elements, texts and comments.
const MOST_NODES: usize = 200_000;
/// Maximum nesting depth of elements.
const MOST_DEPTH: usize = 500;
/// The parser receives one tag at a time, with at most this many bytes.
const PIECE: usize = 16 * 1024;
/// Minimum characters of a main text.
const MAIN_TEXT: usize = 200;
/// A box classed as a newsletter is an offer if it has less text than this.
const OFFER: usize = 300;
/// Maximum characters of an author's name.
const NAME: usize = 80;
/// Tags parsed between two depth checks.
const LOOK: usize = 32;

/// The readable part of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Readable {
    pub(super) title: Option<String>,
    pub(super) author: Option<String>,
    /// `YYYY-MM-DD`.
    pub(super) date: Option<String>,
    pub(super) site: Option<String>,
    /// Markdown.
    pub(super) text: String,
    /// A warning about the text, in one sentence.
    pub(super) note: Option<&'static str>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum HtmlError {
    #[error("it has more than {MOST_NODES} elements")]
    TooMany,
    #[error("its elements are nested more than {MOST_DEPTH} deep")]
    TooDeep,
    #[error("it was stopped")]
    Stopped,
}

/// Elements around the main text, or for programs only.
const NO_TEXT: &str = "script, style, noscript, template, svg, iframe, button, dialog, nav, [hidden], \
    [aria-hidden=\"true\"], [style*=\"display:none\"], [style*=\"display: none\"], [role=navigation], [role=dialog], \
    [role=alertdialog]";
const FRAME: &str = "body > header, body > footer, body > aside, [role=banner], [role=contentinfo], \
    [role=complementary]";
/// Elements with the date of a page that the readability library ignores.
const DATES: [(&str, &str); 9] = [
    ("meta[itemprop=datePublished]", "content"),
    ("[itemprop=datePublished]", "datetime"),
    ("meta[name=date]", "content"),
    ("meta[name='dc.date']", "content"),
    ("meta[name='DC.date']", "content"),
    ("meta[name=pubdate]", "content"),
    ("time[pubdate]", "datetime"),
    ("article time[datetime]", "datetime"),
    ("main time[datetime]", "datetime"),
];

pub(super) fn read(html: &str, url: &Url, stop: &Stop) -> Result<Readable, HtmlError> {
    let document = parse(html, stop)?;
    tidy(&document);
    let frames = frames(&document, url);
    let about = About::of(&document);
    let date = DATES.iter().find_map(|(place, attribute)| day(&document.select(place).attr(attribute)?));
    let whole = whole(document.clone(), url);
    let title = document.select("title").first().text().trim().to_owned();
    if stop.is_set() {
        return Err(HtmlError::Stopped);
    }
    let config =
        Config { max_elements_to_parse: MOST_NODES, text_mode: TextMode::Markdown, ..Config::default() };
    let article = Readability::with_document(document, Some(url.as_str()), Some(config))
        .and_then(|mut reader| reader.parse());
    let mut page = Readable { title: Some(title), date: date.or(about.date), ..Readable::default() };
    if let Ok(article) = article {
        page.title = Some(article.title);
        page.author = article.byline;
        page.site = article.site_name;
        let said = article.published_time.or(article.modified_time);
        page.date = said.and_then(|time| day(&time)).or(page.date);
        page.text = article.text_content.to_string();
    }
    page.author = page.author.as_deref().and_then(name).or(about.author);
    for text in [&mut page.title, &mut page.author, &mut page.site] {
        *text = text.take().map(|text| one_line(&text)).filter(|text| !text.is_empty());
    }
    if page.text.len() < MAIN_TEXT && whole.len() > page.text.len() {
        page.text = whole;
    }
    if page.text.trim().is_empty() && !frames.is_empty() {
        page.text = frames;
        page.note = Some("The page only holds other pages in frames; read those.");
    } else if page.text.trim().len() < MAIN_TEXT && html.contains("<script") {
        page.note = Some("The page may show its text by scripts, which are not run.");
    }
    Ok(page)
}

/// Removes elements without content, and sets the address of lazily loaded images.
fn tidy(document: &Document) {
    document.select("img:not([alt]), img[alt='']").remove();
    for image in document.select("img[src^='data:']").nodes() {
        let later = ["data-src", "data-srcset", "srcset"].iter().find_map(|name| image.attr(name));
        match later.as_deref().and_then(|list| list.split([' ', ',']).find(|part| !part.is_empty())) {
            Some(address) => image.set_attr("src", address),
            None => image.remove_from_parent(),
        }
    }
    for offer in document.select("[class*=newsletter]").nodes() {
        // On a page that is a newsletter, its boxes are content.
        if offer.text().len() < OFFER {
            offer.remove_from_parent();
        }
    }
}

/// The metadata of a page for search engines (JSON-LD), whatever its type.
#[derive(Default)]
struct About {
    author: Option<String>,
    date: Option<String>,
}

impl About {
    fn of(document: &Document) -> Self {
        let mut about = Self::default();
        for script in document.select("script[type='application/ld+json']").nodes() {
            if let Ok(said) = serde_json::from_str::<Value>(&script.text()) {
                about.add(&said);
            }
        }
        about
    }

    fn add(&mut self, said: &Value) {
        match said {
            Value::Array(all) => all.iter().for_each(|one| self.add(one)),
            Value::Object(thing) => {
                let date = thing.get("datePublished").and_then(Value::as_str).and_then(day);
                let author = thing.get("author").map(|author| author.get(0).unwrap_or(author));
                let author = author.and_then(|author| author.get("name").unwrap_or(author).as_str());
                self.date = self.date.take().or(date);
                self.author = self.author.take().or_else(|| author.and_then(name));
                if let Some(graph) = thing.get("@graph") {
                    self.add(graph);
                }
            }
            _ => {}
        }
    }
}

/// The name in a byline; `None` if the line contains more than a name.
fn name(line: &str) -> Option<String> {
    let line = one_line(line);
    let name = line.strip_prefix("by ").or(line.strip_prefix("By ")).unwrap_or(&line);
    let is_name = !name.is_empty() && name.chars().count() <= NAME && !name.contains(['»', '|', ':']);
    is_name.then(|| name.to_owned())
}

/// Converts an HTML fragment, such as a feed entry's summary, to Markdown.
pub(super) fn markdown(html: &str, url: &Url, stop: &Stop) -> Result<String, HtmlError> {
    Ok(whole(parse(html, stop)?, url))
}

/// Feeds the parser one tag at a time, so that few nodes are added between two checks of their number:
/// unclosed elements would otherwise multiply within one chunk.
fn parse(html: &str, stop: &Stop) -> Result<Document, HtmlError> {
    // Most bombs are recognised by their tags alone.
    let opened = html.as_bytes().windows(2).filter(|two| two[0] == b'<' && two[1].is_ascii_alphabetic());
    if opened.count() > MOST_NODES {
        return Err(HtmlError::TooMany);
    }
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() },
        ..ParseOpts::default()
    };
    let mut parser = parse_document(Document::default(), options);
    let mut rest = html;
    for piece in 0.. {
        if rest.is_empty() {
            break;
        }
        let most = rest.floor_char_boundary(PIECE.min(rest.len()));
        let end = rest[..most].find('>').map_or(most, |at| at + 1);
        parser.process(StrTendril::from(&rest[..end]));
        rest = &rest[end..];
        let document = &parser.tokenizer.sink.sink;
        document.errors.borrow_mut().clear();
        if document.tree.len() > MOST_NODES {
            return Err(HtmlError::TooMany);
        }
        if piece % LOOK == 0 {
            check_newest(document)?;
        }
        if stop.is_set() {
            return Err(HtmlError::Stopped);
        }
    }
    let document = parser.finish();
    check_depth(&document)?;
    Ok(document)
}

/// The cost of a new element grows with the number of its ancestors: excess depth is detected as it is
/// created.
fn check_newest(document: &Document) -> Result<(), HtmlError> {
    let mut newest = document.root();
    for _ in 0..=MOST_DEPTH {
        match newest.last_child() {
            Some(child) => newest = child,
            None => return Ok(()),
        }
    }
    Err(HtmlError::TooDeep)
}

fn check_depth(document: &Document) -> Result<(), HtmlError> {
    let mut below = vec![(document.root().id, 0)];
    while let Some((id, depth)) = below.pop() {
        if depth > MOST_DEPTH {
            return Err(HtmlError::TooDeep);
        }
        below.extend(document.tree.child_ids_of_it(&id, false).map(|child| (child, depth + 1)));
    }
    Ok(())
}

/// All text of a page without a main text.
fn whole(document: Document, url: &Url) -> String {
    document.select(NO_TEXT).remove();
    document.select(FRAME).remove();
    let base = document.base_uri().and_then(|base| url.join(&base).ok()).unwrap_or_else(|| url.clone());
    for link in document.select("a[href]").nodes() {
        lead_out(link, &base);
    }
    document.body().map(|body| body.md(None).trim().to_owned()).unwrap_or_default()
}

/// Makes a link's address absolute; a link that leads to no page becomes text.
fn lead_out(link: &NodeRef, base: &Url) {
    let address = link.attr("href").and_then(|href| base.join(href.trim()).ok());
    match address.filter(|url| matches!(url.scheme(), "http" | "https" | "mailto")) {
        Some(address) => link.set_attr("href", address.as_str()),
        None => link.remove_attr("href"),
    }
}

/// The frames of a page, as links.
fn frames(document: &Document, url: &Url) -> String {
    let mut list = String::new();
    for frame in document.select("frame[src], iframe[src]").nodes() {
        let address = frame.attr("src").and_then(|src| url.join(src.trim()).ok());
        if let Some(address) = address.filter(|url| matches!(url.scheme(), "http" | "https")) {
            let name = frame.attr("title").or_else(|| frame.attr("name")).unwrap_or_default();
            let name = one_line(&name).replace(['[', ']'], "");
            let name = if name.is_empty() { address.path() } else { &name };
            list.push_str(&format!("- [{name}]({address})\n"));
        }
    }
    list
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
