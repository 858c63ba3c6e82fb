use quick_xml::NsReader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;

/// Maximum size of a response, in bytes.
const BYTES: usize = 32 << 20;
const DEPTH: usize = 32;
const ELEMENTS: usize = 400_000;

/// Why a response is not a valid WebDAV document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    #[error("it has {0} bytes, and at most {BYTES} are read")]
    TooLarge(usize),
    #[error("it is not UTF-8")]
    Encoding,
    #[error("it is a web page, not an answer of a calendar server")]
    WebPage,
    #[error("it is empty")]
    Empty,
    #[error("it has a document type, which no calendar server sends")]
    DocumentType,
    #[error("its elements are nested more than {DEPTH} deep")]
    TooDeep,
    #[error("it has more than {ELEMENTS} elements")]
    TooMany,
    #[error("it uses the undefined entity {0}")]
    Entity(String),
    #[error("it is cut off")]
    CutOff,
    #[error("it is not XML: {0}")]
    Malformed(String),
    #[error("it is \"{0}\" and not \"multistatus\"")]
    Unexpected(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    /// `DAV:`
    Dav,
    /// `urn:ietf:params:xml:ns:caldav`
    Cal,
    /// `http://calendarserver.org/ns/`
    Server,
    /// `http://apple.com/ns/ical/`
    Apple,
    Other,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) space: Space,
    pub(super) name: String,
    /// The value of the attribute `name`.
    pub(super) named: Option<String>,
    /// Concatenated direct text children.
    pub(super) text: String,
    pub(super) children: Vec<Element>,
}

impl Element {
    pub(super) fn is(&self, space: Space, name: &str) -> bool {
        self.space == space && self.name == name
    }

    pub(super) fn all<'a>(&'a self, space: Space, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.is(space, name))
    }

    pub(super) fn child(&self, space: Space, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.is(space, name))
    }

    /// The trimmed text; `None` if it is empty.
    pub(super) fn said(&self) -> Option<&str> {
        Some(self.text.trim()).filter(|text| !text.is_empty())
    }

    /// The text of the first `href` child.
    pub(super) fn href(&self) -> Option<&str> {
        self.child(Space::Dav, "href")?.said()
    }
}

/// Parses a document into a tree.
///
/// # Errors
/// When it is not well-formed, or exceeds the limits.
pub(super) fn parse(bytes: &[u8]) -> Result<Element, XmlError> {
    if bytes.len() > BYTES {
        return Err(XmlError::TooLarge(bytes.len()));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| XmlError::Encoding)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(XmlError::Empty);
    }
    let mut reader = NsReader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut elements = 0_usize;
    loop {
        let (space, event) = match reader.read_resolved_event() {
            Ok((space, event)) => (known(&space), event),
            Err(_) if is_page(text) => return Err(XmlError::WebPage),
            Err(quick_xml::Error::Syntax(_)) => return Err(XmlError::CutOff),
            Err(error) => return Err(XmlError::Malformed(error.to_string())),
        };
        let done = match event {
            Event::Start(start) => {
                if open.len() >= DEPTH {
                    return Err(XmlError::TooDeep);
                }
                elements += 1;
                open.push(element(space, &start)?);
                None
            }
            Event::Empty(start) => {
                elements += 1;
                closed(&mut open, element(space, &start)?)
            }
            Event::End(_) => open.pop().and_then(|done| closed(&mut open, done)),
            Event::Text(text) => {
                if let Some(inner) = open.last_mut() {
                    inner.text.push_str(&text.xml10_content());
                }
                None
            }
            Event::CData(text) => {
                if let Some(inner) = open.last_mut() {
                    inner.text.push_str(&text.xml10_content());
                }
                None
            }
            Event::GeneralRef(name) => {
                let letter =
                    name.resolve_char_ref().map_err(|error| XmlError::Malformed(error.to_string()))?;
                let letter = letter.or_else(|| entity(&name));
                let letter = letter.ok_or_else(|| XmlError::Entity(name.to_string()))?;
                if let Some(inner) = open.last_mut() {
                    inner.text.push(letter);
                }
                None
            }
            // HTML begins with a DOCTYPE, and entities are declared in one.
            Event::DocType(_) if is_page(text) => return Err(XmlError::WebPage),
            Event::DocType(_) => return Err(XmlError::DocumentType),
            Event::Eof if is_page(text) => return Err(XmlError::WebPage),
            Event::Eof => return Err(XmlError::CutOff),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => None,
        };
        if elements > ELEMENTS {
            return Err(XmlError::TooMany);
        }
        // Content after the root element is ignored.
        if let Some(root) = done {
            return Ok(root);
        }
    }
}

/// The root once it is complete.
fn closed(open: &mut [Element], done: Element) -> Option<Element> {
    match open.last_mut() {
        Some(outer) => {
            outer.children.push(done);
            None
        }
        None => Some(done),
    }
}

fn element(space: Space, start: &BytesStart) -> Result<Element, XmlError> {
    let mut named = None;
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| XmlError::Malformed(error.to_string()))?;
        if attribute.key.as_ref() == "name" {
            named = Some(attribute.value.to_string());
        }
    }
    let name = start.local_name().as_ref().to_owned();
    Ok(Element { space, name, named, text: String::new(), children: Vec::new() })
}

fn known(space: &ResolveResult) -> Space {
    let ResolveResult::Bound(space) = space else { return Space::Other };
    match space.into_inner() {
        "DAV:" => Space::Dav,
        "urn:ietf:params:xml:ns:caldav" => Space::Cal,
        "http://calendarserver.org/ns/" => Space::Server,
        "http://apple.com/ns/ical/" => Space::Apple,
        _ => Space::Other,
    }
}

fn entity(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "apos" => '\'',
        "quot" => '"',
        _ => return None,
    })
}

fn is_page(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(15).collect::<String>().to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

/// Escapes text for XML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
