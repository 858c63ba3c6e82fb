//! Messages too large to be fetched whole: their structure, headers and texts, and one part at a time.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use async_imap::imap_proto::{BodyStructure, ContentEncoding, MessageSection, SectionPath};
use async_imap::types::Fetch;
use futures::TryStreamExt as _;

use super::{Imap, Stream, in_time};
use crate::message::{Decoder, PartEncoding, RemotePart};
use crate::{FetchedMessage, MailError, MessageError, MessageId};

/// The most parts of such a message.
const PARTS: usize = 300;
/// How many texts are fetched, and how much of each, in bytes.
const TEXTS: usize = 20;
const TEXT: usize = 256 << 10;
/// How much of a message's headers is fetched, and of a part's.
const HEADERS: usize = 256 << 10;
const PART_HEADERS: usize = 16 << 10;
/// How much of a part is fetched at once.
const PIECE: usize = 1 << 20;

/// The structure, reduced to what is used.
enum Node {
    Multipart { subtype: String, parts: Vec<Node> },
    Leaf(Leaf),
}

struct Leaf {
    section: Vec<u32>,
    is_text: bool,
    is_message: bool,
    encoding: PartEncoding,
    octets: u64,
}

impl Leaf {
    /// A forwarded message is read whole if it is short.
    fn has_headers_alone(&self) -> bool {
        self.is_message && self.octets > TEXT as u64
    }
}

impl<S: Stream> Imap<S> {
    /// Fetches a large message of the opened folder.
    pub(super) async fn fetch_large(&mut self, uid: u32) -> Result<FetchedMessage, MailError> {
        let has_structure = |message: &Fetch| message.bodystructure().is_some();
        let structure = self.fetch_one(uid, "(UID BODYSTRUCTURE)", has_structure).await?;
        let root = node(structure.bodystructure().ok_or(MailError::Invalid)?, Vec::new());
        let mut leaves = Vec::new();
        collect(&root, &mut leaves);
        if leaves.len() > PARTS {
            return Err(MessageError::TooManyParts.into());
        }
        let mut items = format!("(UID BODY.PEEK[HEADER]<0.{HEADERS}>");
        let is_single = matches!(root, Node::Leaf(_));
        let mut texts = 0;
        for leaf in &leaves {
            let section = section(&leaf.section);
            if !is_single {
                items.push_str(&format!(" BODY.PEEK[{section}.MIME]<0.{PART_HEADERS}>"));
            }
            if leaf.has_headers_alone() {
                items.push_str(&format!(" BODY.PEEK[{section}.HEADER]<0.{PART_HEADERS}>"));
            } else if (leaf.is_text || leaf.is_message) && texts < TEXTS {
                texts += 1;
                items.push_str(&format!(" BODY.PEEK[{section}]<0.{TEXT}>"));
            }
        }
        items.push(')');
        let fetched = self.fetch_one(uid, &items, |message| message.header().is_some()).await?;
        Ok(Assembled::of(&root, &leaves, &fetched))
    }

    /// The decoded bytes of one part, up to the limit.
    pub(super) async fn fetched_part(
        &mut self,
        id: &MessageId,
        part: &RemotePart,
        most: u64,
    ) -> Result<Vec<u8>, MailError> {
        let too_large = |size: u64| MailError::PartTooLarge { size, most };
        if part.size() > most {
            return Err(too_large(part.size()));
        }
        self.open_of(id).await?;
        let path = SectionPath::Part(part.section.clone(), None);
        let section = section(&part.section);
        let mut decoder = Decoder::new(part.encoding);
        let mut offset = 0;
        loop {
            self.session.get_mut().allow(2 * PIECE as u64);
            let item = format!("(UID BODY.PEEK[{section}]<{offset}.{PIECE}>)");
            let fetched = self.fetch_one(id.uid, &item, |message| message.section(&path).is_some()).await?;
            let piece = fetched.section(&path).unwrap_or_default();
            // Encoded bytes that decode to nothing are bounded, too.
            let decoded = decoder.push(piece) as u64;
            offset += piece.len();
            if decoded > most || offset as u64 > most.saturating_mul(2).saturating_add(PIECE as u64) {
                return Err(too_large(decoded.max(part.size())));
            }
            if piece.len() < PIECE {
                return Ok(decoder.finish());
            }
        }
    }

    /// The response with the items: an update of flags, which has none of them, may come before or after it.
    async fn fetch_one(
        &mut self,
        uid: u32,
        items: &str,
        has_items: impl Fn(&Fetch) -> bool,
    ) -> Result<Fetch, MailError> {
        let session = &mut self.session;
        let fetched: Vec<Fetch> =
            in_time(async { session.uid_fetch(uid.to_string(), items).await?.try_collect().await }).await?;
        let of_message = |message: &Fetch| message.uid == Some(uid);
        if !fetched.iter().any(of_message) {
            return Err(MailError::NoMessage);
        }
        let with_items = fetched.into_iter().find(|message| of_message(message) && has_items(message));
        with_items.ok_or(MailError::Invalid)
    }
}

fn node(structure: &BodyStructure<'_>, section: Vec<u32>) -> Node {
    let (common, other) = match structure {
        BodyStructure::Multipart { common, bodies, .. } => {
            let parts = (1..).zip(bodies).map(|(number, body)| {
                let mut section = section.clone();
                section.push(number);
                node(body, section)
            });
            let is_token = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
            let subtype = common.ty.subtype.chars().filter(is_token).take(40).collect();
            return Node::Multipart { subtype, parts: parts.collect() };
        }
        BodyStructure::Basic { common, other, .. }
        | BodyStructure::Text { common, other, .. }
        | BodyStructure::Message { common, other, .. } => (common, other),
    };
    let is_attached =
        common.disposition.as_ref().is_some_and(|said| said.ty.eq_ignore_ascii_case("attachment"));
    let is_calendar = common.ty.subtype.eq_ignore_ascii_case("calendar");
    Node::Leaf(Leaf {
        // The body of a message without parts is part 1.
        section: if section.is_empty() { vec![1] } else { section },
        is_text: common.ty.ty.eq_ignore_ascii_case("text") && (!is_attached || is_calendar),
        is_message: matches!(structure, BodyStructure::Message { .. }),
        encoding: match &other.transfer_encoding {
            ContentEncoding::Base64 => PartEncoding::Base64,
            ContentEncoding::QuotedPrintable => PartEncoding::QuotedPrintable,
            _ => PartEncoding::None,
        },
        octets: u64::from(other.octets),
    })
}

fn collect<'a>(node: &'a Node, leaves: &mut Vec<&'a Leaf>) {
    match node {
        Node::Multipart { parts, .. } => parts.iter().for_each(|part| collect(part, leaves)),
        Node::Leaf(leaf) => leaves.push(leaf),
    }
}

fn section(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

/// A message rebuilt from the structure of a large one and the bodies that were fetched.
struct Assembled<'a> {
    raw: Vec<u8>,
    parts: Vec<RemotePart>,
    is_cut: bool,
    fetched: &'a Fetch,
    /// Starts each boundary, and occurs nowhere in the fetched bytes.
    boundary: String,
    boundaries: usize,
}

impl<'a> Assembled<'a> {
    fn of(root: &Node, leaves: &[&Leaf], fetched: &'a Fetch) -> FetchedMessage {
        let header = fetched.header().unwrap_or_default();
        let bodies: Vec<&[u8]> =
            leaves.iter().flat_map(|leaf| [mime(fetched, leaf), body(fetched, leaf)]).collect();
        let is_free = |boundary: &String| {
            bodies.iter().all(|bytes| memchr::memmem::find(bytes, boundary.as_bytes()).is_none())
        };
        // Random, as a sender could use up all predictable names.
        let random = || RandomState::new().build_hasher().finish();
        let mut names = std::iter::repeat_with(|| format!("nova-part-{:016x}-", random()));
        let boundary = names.find(is_free).unwrap_or_default();
        let mut all =
            Self { raw: Vec::new(), parts: Vec::new(), is_cut: false, fetched, boundary, boundaries: 0 };
        match root {
            Node::Leaf(leaf) => {
                all.raw.extend(first_block(header));
                all.leaf_body(leaf, 0);
            }
            multipart => {
                all.raw.extend(without_mime(header));
                all.raw.extend(b"MIME-Version: 1.0\r\n");
                all.node(multipart);
            }
        }
        FetchedMessage::large(all.raw, all.parts, all.is_cut)
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Multipart { subtype, parts } => {
                self.boundaries += 1;
                let boundary = format!("{}{}", self.boundary, self.boundaries);
                let head = format!("Content-Type: multipart/{subtype}; boundary=\"{boundary}\"\r\n\r\n");
                self.raw.extend(head.bytes());
                for part in parts {
                    self.raw.extend(format!("\r\n--{boundary}\r\n").bytes());
                    self.node(part);
                }
                self.raw.extend(format!("\r\n--{boundary}--\r\n").bytes());
            }
            Node::Leaf(leaf) => {
                let begin = self.raw.len();
                self.raw.extend(first_block(mime(self.fetched, leaf)));
                self.leaf_body(leaf, begin);
            }
        }
    }

    fn leaf_body(&mut self, leaf: &Leaf, begin: usize) {
        let mut body = body(self.fetched, leaf);
        self.is_cut |= leaf.has_headers_alone();
        if leaf.is_text && !body.is_empty() && leaf.octets > body.len() as u64 {
            self.is_cut = true;
            // A partial line may not decode.
            body = body.iter().rposition(|byte| *byte == b'\n').map_or(body, |end| &body[..=end]);
        }
        self.raw.extend(body);
        self.parts.push(RemotePart {
            section: leaf.section.clone(),
            encoding: leaf.encoding,
            octets: leaf.octets,
            begin,
            end: self.raw.len() + 1,
        });
    }
}

fn mime<'a>(fetched: &'a Fetch, leaf: &Leaf) -> &'a [u8] {
    let path = SectionPath::Part(leaf.section.clone(), Some(MessageSection::Mime));
    fetched.section(&path).unwrap_or_default()
}

/// The fetched bytes of the body; for a long message, its headers.
fn body<'a>(fetched: &'a Fetch, leaf: &Leaf) -> &'a [u8] {
    let inner = leaf.has_headers_alone().then_some(MessageSection::Header);
    fetched.section(&SectionPath::Part(leaf.section.clone(), inner)).unwrap_or_default()
}

/// Headers up to the empty line that ends them, which is added if it is missing.
fn first_block(headers: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    for line in headers.split_inclusive(|byte| *byte == b'\n') {
        if line.trim_ascii().is_empty() {
            break;
        }
        block.extend(line);
    }
    if !block.is_empty() && !block.ends_with(b"\n") {
        block.extend(b"\r\n");
    }
    block.extend(b"\r\n");
    block
}

/// The headers other than those that describe the body, without the empty line.
fn without_mime(headers: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut keeps = true;
    for line in first_block(headers).split_inclusive(|byte| *byte == b'\n') {
        if !line.starts_with(b" ") && !line.starts_with(b"\t") {
            let name = line.split(|byte| *byte == b':').next().unwrap_or_default().trim_ascii();
            let is_mime = name.len() >= 8 && name[..8].eq_ignore_ascii_case(b"content-");
            keeps = !is_mime && !name.eq_ignore_ascii_case(b"mime-version") && !name.is_empty();
        }
        if keeps {
            kept.extend(line);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mime_headers_are_removed() {
        let headers =
            b"From: a@b.example\r\nContent-Type: multipart/mixed;\r\n\tboundary=x\r\nSubject: x\r\n y\r\n\
            MIME-Version: 1.0\r\n\r\nbody";
        assert_eq!(without_mime(headers), b"From: a@b.example\r\nSubject: x\r\n y\r\n");
        assert_eq!(first_block(b"A: b"), b"A: b\r\n\r\n");
        assert_eq!(first_block(b""), b"\r\n");
    }
}
