//! The input of the parser, and the decoding of its parts.
//!
//! The parser does not see transfer encodings: it would decode a message in base64 and parse it, with uncounted
//! levels of nesting, and destructors recurse into each. Parts are decoded here instead, once they are known not to
//! be messages.

use std::borrow::Cow;

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{HeaderName, Message, MessageParser, MessagePart, MimeHeaders};

use super::{MOST_BYTES, MessageError};

/// How many parts may declare a type, and so how deep messages may be nested.
pub(super) const MOST_PARTS: usize = 500;
/// How many delimiters of parts there may be.
const MOST_DELIMITERS: usize = 200_000;

/// # Errors
/// If it exceeds the limits.
pub(super) fn check(raw: &[u8]) -> Result<(), MessageError> {
    if raw.len() > MOST_BYTES {
        return Err(MessageError::TooLarge);
    }
    // The parser skips spaces within a name.
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
        // Parsed as another kind of header, it is no encoding to the parser.
        .header_content_type(HeaderName::ContentTransferEncoding)
        .default_header_ignore()
}

pub(super) fn message(raw: &[u8]) -> Option<Message<'_>> {
    parser().parse(raw)
}

pub(super) fn headers(raw: &[u8]) -> Option<Message<'_>> {
    parser().parse_headers(raw)
}

/// A part as it is in the message.
pub(super) fn body<'a>(raw: &'a [u8], part: &MessagePart<'_>) -> &'a [u8] {
    raw.get(part.offset_body as usize..part.offset_end as usize).unwrap_or_default()
}

/// The decoded bytes of a part that is neither a message nor multipart.
pub(super) fn decoded<'a>(raw: &'a [u8], part: &MessagePart<'_>) -> Cow<'a, [u8]> {
    let body = body(raw, part);
    let encoding = part.headers.iter().find(|header| header.name == HeaderName::ContentTransferEncoding);
    let encoding = encoding.and_then(|header| header.value.as_content_type()).map(|kind| kind.ctype());
    let decoded = match encoding {
        Some(name) if name.eq_ignore_ascii_case("base64") => base64_decode(body),
        Some(name) if name.eq_ignore_ascii_case("quoted-printable") => quoted_printable_decode(body),
        _ => None,
    };
    // Undecodable bytes are shown as they are.
    decoded.map_or(Cow::Borrowed(body), Cow::Owned)
}

pub(super) fn quoted_printable(bytes: &[u8]) -> Option<Vec<u8>> {
    quoted_printable_decode(bytes)
}

/// The decoded bytes as text, by its charset.
pub(super) fn text(raw: &[u8], part: &MessagePart<'_>) -> String {
    let bytes = decoded(raw, part);
    let charset = part.content_type().and_then(|kind| kind.attribute("charset"));
    match charset.and_then(|name| charset_decoder(name.as_bytes())) {
        Some(decode) => decode(&bytes),
        None => String::from_utf8_lossy(&bytes).into_owned(),
    }
}
