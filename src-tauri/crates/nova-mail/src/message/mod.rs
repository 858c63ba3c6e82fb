//! A message as values: its headers, its text, its attachments, and what speaks for or against its sender.

mod bytes;
mod envelope;
mod fetched;
mod html;
mod page;
mod parse;
mod preview;
mod text;
mod trust;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mail_parser::{Message as Parsed, MessagePart, MimeHeaders, PartType};

pub use bytes::{is_program, media_type_of};
pub(crate) use envelope::PEOPLE;
pub use envelope::{Envelope, Person};
pub use fetched::FetchedMessage;
pub(crate) use fetched::{Decoder, PartEncoding, RemotePart};
pub use html::Link;
pub use page::{HtmlPage, Picture, PictureError, RemotePicture};
pub use preview::Preview;
pub(crate) use preview::{is_file, is_mixed};
pub use text::visible_line;
pub use trust::{Check, Checked, Finding, SenderCheck};

use text::{Body, first_visible};

/// The most bytes of a message that is read.
pub(crate) const MOST_BYTES: usize = 16 << 20;
/// The most parts that are listed.
const LISTED: usize = 100;
/// How many bytes of headers are scanned for a mailing list.
const HEAD: usize = 256 << 10;
/// How long a name of a part may be, in characters.
const NAME: usize = 120;
/// How many characters of a longer name's end are kept.
const NAME_END: usize = 20;
/// The most characters of a calendar file.
const ENTRY: usize = 64 << 10;
/// How many text parts are joined.
const TEXTS: usize = 20;
/// The most characters of the text.
const TEXT: usize = 30_000;

/// How many forwarded messages are read of a message, and how deep they may be nested.
const FORWARDED: usize = 10;
const DEEP: usize = 3;

/// A parsed message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub envelope: Envelope,
    /// Plain text: without folded quotes, signatures and invisible characters.
    pub text: String,
    /// How many lines of earlier messages were left out of the text.
    pub folded: usize,
    /// Whether the text is cut at its end.
    pub cut: bool,
    /// Links of its HTML, each with its text as it appears in `text`. Plain text has none.
    pub links: Vec<Link>,
    /// How many remote images its HTML has.
    pub remote_images: usize,
    /// All parts other than the text: attachments, calendar entries, forwarded messages.
    pub parts: Vec<Part>,
    /// How many further parts are not listed.
    pub more_parts: usize,
    /// The first of the messages that are among its parts. Nobody checked who sent them.
    pub forwarded: Vec<Message>,
    pub sender: SenderCheck,
    /// What to know before trusting it.
    pub findings: Vec<Finding>,
}

/// A part that is not the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The sender's name for it, made visible and shortened in its middle; never a path. Named by its kind if it has
    /// no name.
    pub name: String,
    /// As the sender claims, `application/pdf`.
    pub media_type: String,
    /// Decoded size in bytes.
    pub size: usize,
    pub kind: PartKind,
    /// The text of a calendar file (iCalendar), cut at its end.
    pub entry: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    Attachment,
    /// An image shown in the text.
    Inline,
    /// A calendar file: an event, an invitation, or an answer to one.
    Calendar,
    /// A message as an attachment.
    Message,
    /// Outlook's container (winmail.dat), which hides its content.
    Tnef,
}

/// Why a message cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    #[error("the message has more than {MOST_BYTES} bytes")]
    TooLarge,
    #[error("the message has more than {} parts", parse::MOST_PARTS)]
    TooManyParts,
    #[error("the message cannot be read")]
    Unreadable,
}

impl Message {
    /// `receiver`: the host names under which the receiving server signs its checks, such as `mail.example.org`; the
    /// checks of all others are ignored.
    ///
    /// # Errors
    /// If it exceeds the limits, or is not a message.
    pub fn read(raw: &[u8], receiver: &[&str]) -> Result<Self, MessageError> {
        parse::check(raw)?;
        // The parser has panicked on malformed messages.
        catch_unwind(AssertUnwindSafe(|| {
            let parsed = parse::message(raw).ok_or(MessageError::Unreadable)?;
            Ok(Self::of(raw, &parsed, receiver, DEEP))
        }))
        .unwrap_or(Err(MessageError::Unreadable))
    }

    /// The decoded bytes of the part at this index of [`Message::parts`]; for an attached message, that message.
    ///
    /// # Errors
    /// As [`Message::read`], and if there is no such part.
    pub fn part(raw: &[u8], at: usize) -> Result<Vec<u8>, MessageError> {
        parse::check(raw)?;
        catch_unwind(AssertUnwindSafe(|| {
            let parsed = parse::message(raw).ok_or(MessageError::Unreadable)?;
            let part = listed(&parsed).take(LISTED).nth(at).ok_or(MessageError::Unreadable)?;
            Ok(match part.message() {
                Some(_) => parse::body(raw, part).to_vec(),
                None => parse::decoded(raw, part).into_owned(),
            })
        }))
        .unwrap_or(Err(MessageError::Unreadable))
    }

    /// The sanitised HTML of the message; `None` if it has none. `loaded`: remote pictures to draw in it, by their
    /// URL as in [`HtmlPage::remote`].
    ///
    /// # Errors
    /// As [`Message::read`].
    pub fn page(raw: &[u8], loaded: &HashMap<String, Picture>) -> Result<Option<HtmlPage>, MessageError> {
        parse::check(raw)?;
        catch_unwind(AssertUnwindSafe(|| {
            let parsed = parse::message(raw).ok_or(MessageError::Unreadable)?;
            Ok(page::page(raw, &parsed, loaded))
        }))
        .unwrap_or(Err(MessageError::Unreadable))
    }

    /// Where the headers of each of [`Message::parts`] begin.
    pub(crate) fn places(raw: &[u8]) -> Result<Vec<usize>, MessageError> {
        parse::check(raw)?;
        catch_unwind(AssertUnwindSafe(|| {
            let parsed = parse::message(raw).ok_or(MessageError::Unreadable)?;
            Ok(listed(&parsed).take(LISTED).map(|part| part.offset_header as usize).collect())
        }))
        .unwrap_or(Err(MessageError::Unreadable))
    }

    /// `deep`: how many messages in messages are read.
    fn of(raw: &[u8], parsed: &Parsed<'_>, receiver: &[&str], deep: usize) -> Self {
        let envelope = Envelope::of(parsed);
        let (Body { text, folded, cut }, links, remote_images) = body(raw, parsed);
        let parts: Vec<Part> = listed(parsed).take(LISTED).map(|part| Part::of(raw, part)).collect();
        let more_parts = listed(parsed).count().saturating_sub(LISTED);
        let sender = SenderCheck::of(parsed, &envelope, receiver);
        let findings = Finding::all(&envelope, &sender, &parts);
        let nested = listed(parsed).filter(|part| deep > 0 && part.message().is_some()).take(FORWARDED);
        let nested = nested.filter_map(|part| {
            let raw = parse::body(raw, part);
            Some(Self::of(raw, &parse::message(raw)?, &[], deep - 1))
        });
        let forwarded = nested.collect();
        Self {
            envelope,
            text,
            folded,
            cut,
            links,
            remote_images,
            parts,
            more_parts,
            forwarded,
            sender,
            findings,
        }
    }
}

/// As [`FetchedMessage::list_address`].
fn list_address(raw: &[u8]) -> Option<String> {
    let end = memchr::memmem::find(raw, b"\r\n\r\n").or_else(|| memchr::memmem::find(raw, b"\n\n"));
    let head = String::from_utf8_lossy(&raw[..end.unwrap_or(raw.len()).min(HEAD)]);
    let mut lines = head
        .lines()
        .skip_while(|line| !line.get(..10).is_some_and(|name| name.eq_ignore_ascii_case("list-post:")));
    let mut value = lines.next()?[10..].to_owned();
    lines.take_while(|line| line.starts_with([' ', '\t'])).for_each(|line| value.push_str(line));
    let (_, address) = value.split_once("mailto:")?;
    let address = address.split(['>', '?']).next()?.trim();
    (!address.is_empty()).then(|| visible_line(address, NAME))
}

/// The text that its sender wrote: the plain part, else the HTML, with its links and the number of its remote images.
fn body(raw: &[u8], parsed: &Parsed<'_>) -> (Body, Vec<Link>, usize) {
    let plain = parsed.text_bodies().filter_map(|part| match &part.body {
        PartType::Text(_) if !part.is_content_type("text", "calendar") => Some(parse::text(raw, part)),
        _ => None,
    });
    let plain = plain.take(TEXTS).collect::<Vec<_>>().join("\n");
    if !plain.trim().is_empty() {
        return (Body::of(&plain, TEXT), Vec::new(), 0);
    }
    let html = parsed.html_bodies().filter_map(|part| match &part.body {
        PartType::Html(_) => Some(html::read(&parse::text(raw, part))),
        _ => None,
    });
    let pages: Vec<_> = html.take(TEXTS).collect();
    let text = pages.iter().map(|page| page.text.as_str()).collect::<Vec<_>>().join("\n");
    let remote_images = pages.iter().map(|page| page.remote_images).sum();
    (Body::of(&text, TEXT), pages.into_iter().flat_map(|page| page.links).collect(), remote_images)
}

/// The parts other than the text, in order.
fn listed<'a, 'b>(parsed: &'a Parsed<'b>) -> impl Iterator<Item = &'a MessagePart<'b>> {
    parsed.parts.iter().enumerate().filter_map(|(at, part)| {
        let is_attached = u32::try_from(at).is_ok_and(|at| parsed.attachments.contains(&at))
            && !matches!(part.body, PartType::Multipart(_));
        // Mail programs do not show a calendar entry beside the text as an attachment.
        (is_attached || part.is_content_type("text", "calendar")).then_some(part)
    })
}

impl Part {
    fn of(raw: &[u8], part: &MessagePart<'_>) -> Self {
        let media_type = match part.content_type() {
            Some(kind) => format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or("octet-stream")),
            None => "text/plain".into(),
        };
        let media_type = visible_line(&media_type.to_lowercase(), NAME);
        let nested = part.message();
        let named = part.attachment_name().or_else(|| nested.and_then(|message| message.subject()));
        let name = named.map(shown_name).unwrap_or_default();
        let kind = if nested.is_some() {
            PartKind::Message
        } else if name.eq_ignore_ascii_case("winmail.dat") || media_type.ends_with("ms-tnef") {
            PartKind::Tnef
        } else if media_type == "text/calendar" || name.to_lowercase().ends_with(".ics") {
            PartKind::Calendar
        } else if matches!(part.body, PartType::InlineBinary(_)) && part.content_id().is_some() {
            PartKind::Inline
        } else {
            PartKind::Attachment
        };
        let name = if name.is_empty() { name_for(&media_type, kind) } else { name };
        let size = match nested {
            Some(_) => part.offset_end.saturating_sub(part.offset_body) as usize,
            None => parse::decoded(raw, part).len(),
        };
        let entry = (kind == PartKind::Calendar).then(|| first_visible(&parse::text(raw, part), ENTRY));
        Self { name, media_type, size, kind, entry }
    }
}

/// A name of at most `NAME` characters that keeps its extension.
fn shown_name(said: &str) -> String {
    let name = visible_line(&said.replace(['/', '\\'], "_"), usize::MAX);
    let count = name.chars().count();
    if count <= NAME {
        return name;
    }
    let start: String = name.chars().take(NAME - NAME_END - 1).collect();
    let end: String = name.chars().skip(count - NAME_END).collect();
    format!("{start}…{end}")
}

fn name_for(media_type: &str, kind: PartKind) -> String {
    let ending = match (kind, media_type.split_once('/')) {
        (PartKind::Calendar, _) => return "invitation.ics".into(),
        (PartKind::Message, _) => return "message.eml".into(),
        (_, Some(("text", "plain"))) => "txt",
        (_, Some(("image" | "audio" | "video" | "text" | "application", subtype)))
            if subtype.len() <= 4 && subtype.bytes().all(|byte| byte.is_ascii_alphanumeric()) =>
        {
            subtype
        }
        _ => return "attachment".into(),
    };
    format!("attachment.{ending}")
}
