//! The HTML of a message as a page that a window can draw.
//!
//! Two passes, each of which would do alone: [`reduce`] keeps a small set of elements, attributes and styles and
//! bounds their number and depth, and `ammonia` parses the rest as a browser does and sanitises it.

mod picture;
mod reduce;
mod style;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use mail_parser::{Message as Parsed, MimeHeaders as _, PartType};
use url::Url;

pub use picture::{Picture, PictureError};

use self::picture::Pictures;
use self::reduce::{ELEMENTS, Reduced, escaped, reduce};
use super::{TEXTS, parse, text};

/// The HTML of a message, sanitised: it has no script, form, frame, style sheet or address to load from. Its pictures
/// are `data:` URIs, and its links lead to the web alone, each followed by its host in `<span class="host">`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HtmlPage {
    /// The content of a body.
    pub html: String,
    /// Whether it sets colours, which assume a white background.
    pub colours: bool,
    /// Whether its end was cut, or its structure simplified, to stay within the limits.
    pub cut: bool,
    /// Remote pictures that are not in it, without tracking pixels.
    pub remote: Vec<RemotePicture>,
}

/// A remote picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemotePicture {
    pub url: String,
    /// `name`, or `name:port` if the port is not the default.
    pub host: String,
}

/// `None` for a message without HTML. `loaded`: remote pictures, by their URL as in `remote`.
pub(super) fn page(raw: &[u8], parsed: &Parsed<'_>, loaded: &HashMap<String, Picture>) -> Option<HtmlPage> {
    let bodies: Vec<_> = parsed
        .html_bodies()
        .filter(|part| match &part.body {
            PartType::Html(_) => true,
            PartType::Text(_) => !part.is_content_type("text", "calendar"),
            _ => false,
        })
        .take(TEXTS)
        .collect();
    if !bodies.iter().any(|part| matches!(part.body, PartType::Html(_))) {
        return None;
    }
    let mut pictures = Pictures::new(raw, parsed, loaded);
    let mut all = Reduced::default();
    for part in bodies {
        let source = parse::text(raw, part);
        match &part.body {
            PartType::Html(_) => reduce(&source, &mut pictures, &mut all),
            _ => all.plain(&text::first_visible(&source, super::TEXT)),
        }
    }
    Some(HtmlPage {
        html: SANITISER.clean(&all.html).to_string(),
        colours: all.colours,
        cut: all.cut,
        remote: pictures.remote,
    })
}

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(ELEMENTS.iter().copied().collect())
        .clean_content_tags(HashSet::from(["script", "style", "title", "svg", "math", "template", "iframe"]))
        .generic_attributes(HashSet::from(["style", "align", "valign", "dir", "lang"]))
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href"])),
            ("img", HashSet::from(["src", "alt", "width", "height"])),
            ("table", HashSet::from(["width", "border", "cellpadding", "cellspacing"])),
            ("td", HashSet::from(["width", "height", "colspan", "rowspan"])),
            ("th", HashSet::from(["width", "height", "colspan", "rowspan"])),
            ("col", HashSet::from(["width", "span"])),
            ("font", HashSet::from(["color", "face", "size"])),
            ("ol", HashSet::from(["start", "type"])),
            ("hr", HashSet::from(["width"])),
        ]))
        .allowed_classes(HashMap::from([("span", HashSet::from(["host"]))]))
        .filter_style_properties(style::PROPERTIES.iter().copied().collect())
        .url_schemes(HashSet::from(["https", "http", "data"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer"))
        .attribute_filter(|element, attribute, value| {
            let is_kept = match (element, attribute) {
                ("a", "href") => web_address(value).is_some(),
                ("img", "src") => picture::is_data_uri(value),
                _ => true,
            };
            is_kept.then_some(Cow::Borrowed(value))
        });
    builder
});

/// A URL that a browser may open or an image may have.
fn web_address(address: &str) -> Option<Url> {
    let url = Url::parse(address.trim()).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.host_str().is_some_and(|host| !host.is_empty()))
        .then_some(url)
}

impl Reduced {
    /// Adds plain text, keeping its lines.
    fn plain(&mut self, text: &str) {
        self.html.push_str("<div>");
        self.html.push_str(&escaped(text.trim_end()).replace('\n', "<br>"));
        self.html.push_str("</div>");
    }
}
