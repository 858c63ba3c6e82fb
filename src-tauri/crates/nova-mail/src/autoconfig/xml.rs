use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// The most bytes of a file. The largest in Thunderbird's database has 10 KB.
const BYTES: usize = 256 << 10;
const DEPTH: usize = 16;
const ELEMENTS: usize = 4_000;

/// Why a file is not an Autoconfig file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    #[error("it has {0} bytes, and at most {BYTES} are read")]
    TooLarge(usize),
    #[error("it is not UTF-8")]
    Encoding,
    #[error("it is a web page, not a configuration")]
    WebPage,
    #[error("it has a document type, which is not allowed")]
    DocumentType,
    #[error("it has more than {ELEMENTS} elements, or {DEPTH} inside each other")]
    TooMany,
    #[error("it uses an undefined entity")]
    Entity,
    #[error("it is not XML, or is truncated")]
    Malformed,
    #[error("it is not a configuration of mail servers")]
    Unexpected,
}

#[derive(Debug)]
pub(super) struct Element {
    name: String,
    /// The attribute `type`.
    pub(super) kind: Option<String>,
    /// All text directly in it.
    pub(super) text: String,
    children: Vec<Element>,
}

impl Element {
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }
}

/// Parses a file into its root element, `clientConfig`.
///
/// # Errors
/// If it is anything else, or exceeds a limit.
pub(super) fn parse(bytes: &[u8]) -> Result<Element, XmlError> {
    if bytes.len() > BYTES {
        return Err(XmlError::TooLarge(bytes.len()));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| XmlError::Encoding)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if is_page(text) {
        return Err(XmlError::WebPage);
    }
    let root = element_of(text)?;
    if root.name == "clientConfig" { Ok(root) } else { Err(XmlError::Unexpected) }
}

fn element_of(text: &str) -> Result<Element, XmlError> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut elements = 0_usize;
    loop {
        let done = match reader.read_event().map_err(|_| XmlError::Malformed)? {
            Event::Start(start) => {
                open.push(begun(&start)?);
                elements += 1;
                None
            }
            Event::Empty(start) => {
                elements += 1;
                closed(&mut open, begun(&start)?)
            }
            Event::End(_) => open.pop().and_then(|done| closed(&mut open, done)),
            Event::Text(text) => {
                push(&mut open, &text.xml10_content());
                None
            }
            Event::CData(text) => {
                push(&mut open, &text.xml10_content());
                None
            }
            Event::GeneralRef(name) => {
                let letter = name.resolve_char_ref().map_err(|_| XmlError::Malformed)?;
                let letter = letter.or_else(|| entity(&name)).ok_or(XmlError::Entity)?;
                push(&mut open, letter.encode_utf8(&mut [0; 4]));
                None
            }
            Event::DocType(_) => return Err(XmlError::DocumentType),
            Event::Eof => return Err(XmlError::Malformed),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => None,
        };
        if elements > ELEMENTS || open.len() > DEPTH {
            return Err(XmlError::TooMany);
        }
        // Anything after the root element is ignored.
        if let Some(root) = done {
            return Ok(root);
        }
    }
}

fn push(open: &mut [Element], text: &str) {
    if let Some(inner) = open.last_mut() {
        inner.text.push_str(text);
    }
}

/// The root element once it is complete.
fn closed(open: &mut [Element], done: Element) -> Option<Element> {
    let Some(outer) = open.last_mut() else { return Some(done) };
    outer.children.push(done);
    None
}

fn begun(start: &BytesStart) -> Result<Element, XmlError> {
    let mut kind = None;
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(|_| XmlError::Malformed)?;
        if attribute.key.as_ref() == "type" {
            kind = Some(attribute.value.to_string());
        }
    }
    let name = start.local_name().as_ref().to_owned();
    Ok(Element { name, kind, text: String::new(), children: Vec::new() })
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
