//! What the parser is given, and how its parts are decoded.
//!
//! The parser is not told of transfer encodings: it would decode a message in base64 and read it as a message, with
//! levels that nobody has counted, and destructors need a frame of the stack for each. Parts are decoded here instead,
//! once it is known that they are no messages.

use std::borrow::Cow;

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{HeaderName, Message, MessageParser, MessagePart, MimeHeaders};

use super::{MOST_BYTES, MessageError};

/// How many parts may say what they are, and so how deep messages in messages may go.
pub(super) const MOST_PARTS: usize = 500;
/// How often a delimiter of parts may begin.
const MOST_DELIMITERS: usize = 200_000;

/// # Errors
/// When it is beyond the limits.
pub(super) fn check(raw: &[u8]) -> Result<(), MessageError> {
    if raw.len() > MOST_BYTES {
        return Err(MessageError::TooLarge);
    }
    // The parser skips space within a name.
    let condensed: Vec<u8> =
        raw.iter().filter(|byte| !byte.is_ascii_whitespace()).map(u8::to_ascii_lowercase).collect();
    let times = |word: &[u8], text: &[u8]| memchr::memmem::find_iter(text, word).count();
    if times(b"content-type", &condensed) > MOST_PARTS || times(b"--", raw) > MOST_DELIMITERS {
        return Err(MessageError::TooManyParts);
    }
    Ok(())
}

fn parser() -> MessageParser {
    MessageParser::new()
        .with_mime_headers()
        .with_date_headers()
        .with_address_headers()
        .with_message_ids()
        .header_text(HeaderName::Subject)
        // As anything but text, it is no encoding to the parser.
        .header_content_type(HeaderName::ContentTransferEncoding)
        .default_header_ignore()
}

pub(super) fn message(raw: &[u8]) -> Option<Message<'_>> {
    parser().parse(raw)
}

pub(super) fn headers(raw: &[u8]) -> Option<Message<'_>> {
    parser().parse_headers(raw)
}

/// A part as it stands in the message.
pub(super) fn body<'a>(raw: &'a [u8], part: &MessagePart<'_>) -> &'a [u8] {
    raw.get(part.offset_body as usize..part.offset_end as usize).unwrap_or_default()
}

/// The bytes of a part that is no message and has no parts.
pub(super) fn decoded<'a>(raw: &'a [u8], part: &MessagePart<'_>) -> Cow<'a, [u8]> {
    let body = body(raw, part);
    let encoding = part.headers.iter().find(|header| header.name == HeaderName::ContentTransferEncoding);
    let encoding = encoding.and_then(|header| header.value.as_content_type()).map(|kind| kind.ctype());
    let decoded = match encoding {
        Some(name) if name.eq_ignore_ascii_case("base64") => base64_decode(body),
        Some(name) if name.eq_ignore_ascii_case("quoted-printable") => quoted_printable_decode(body),
        _ => None,
    };
    // What cannot be decoded is shown as it is.
    decoded.map_or(Cow::Borrowed(body), Cow::Owned)
}

pub(super) fn quoted_printable(bytes: &[u8]) -> Option<Vec<u8>> {
    quoted_printable_decode(bytes)
}

/// The same as text, by its charset.
pub(super) fn text(raw: &[u8], part: &MessagePart<'_>) -> String {
    let bytes = decoded(raw, part);
    let charset = part.content_type().and_then(|kind| kind.attribute("charset"));
    match charset.and_then(|name| charset_decoder(name.as_bytes())) {
        Some(decode) => decode(&bytes),
        None => String::from_utf8_lossy(&bytes).into_owned(),
    }
}
