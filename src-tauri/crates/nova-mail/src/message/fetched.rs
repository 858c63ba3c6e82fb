use std::collections::HashMap;

use super::{HtmlPage, Message, MessageError, Picture, list_address, parse};

/// A fetched message: all of its bytes or, if there are too many, its headers and texts, with the headers of every
/// other part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedMessage {
    raw: Vec<u8>,
    /// The parts of a large message, in order; empty if `raw` is the message.
    parts: Vec<RemotePart>,
    /// Whether the end of a text was not fetched.
    is_cut: bool,
}

/// A part of a large message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RemotePart {
    /// As IMAP numbers it (RFC 3501, 6.4.5): `2`, `1.3`.
    pub(crate) section: Vec<u32>,
    pub(crate) encoding: PartEncoding,
    /// Encoded size in bytes.
    pub(crate) octets: u64,
    /// Where its headers begin and its body ends in the rebuilt message.
    pub(crate) begin: usize,
    pub(crate) end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartEncoding {
    Base64,
    QuotedPrintable,
    None,
}

impl FetchedMessage {
    pub(crate) fn whole(raw: Vec<u8>) -> Self {
        Self { raw, parts: Vec::new(), is_cut: false }
    }

    pub(crate) fn large(raw: Vec<u8>, parts: Vec<RemotePart>, is_cut: bool) -> Self {
        Self { raw, parts, is_cut }
    }

    /// As [`Message::read`]. Sizes of a large message's parts are estimated from their encoded ones.
    ///
    /// # Errors
    /// As for [`Message::read`].
    pub fn read(&self, receiver: &[&str]) -> Result<Message, MessageError> {
        let mut message = Message::read(&self.raw, receiver)?;
        message.cut |= self.is_cut;
        if !self.parts.is_empty() {
            let places = Message::places(&self.raw)?;
            for (part, place) in message.parts.iter_mut().zip(places) {
                if let Some(remote) = self.at(place) {
                    part.size = usize::try_from(remote.size()).unwrap_or(usize::MAX);
                }
            }
        }
        Ok(message)
    }

    /// As [`Message::page`]. Pictures attached to a large message are left out.
    ///
    /// # Errors
    /// As for [`Message::page`].
    pub fn page(&self, loaded: &HashMap<String, Picture>) -> Result<Option<HtmlPage>, MessageError> {
        Message::page(&self.raw, loaded)
    }

    /// How many bytes were fetched.
    pub fn size(&self) -> usize {
        self.raw.len()
    }

    /// The address of the mailing list that distributed the message (RFC 2369).
    pub fn list_address(&self) -> Option<String> {
        list_address(&self.raw)
    }

    /// The part at this index of [`Message::parts`]; `None` if it was fetched with the message.
    pub(crate) fn remote(&self, at: usize) -> Result<Option<&RemotePart>, MessageError> {
        if self.parts.is_empty() {
            return Ok(None);
        }
        let place = *Message::places(&self.raw)?.get(at).ok_or(MessageError::Unreadable)?;
        self.at(place).map(Some).ok_or(MessageError::Unreadable)
    }

    fn at(&self, place: usize) -> Option<&RemotePart> {
        self.parts.iter().find(|part| (part.begin..part.end).contains(&place))
    }

    /// The decoded bytes of a part that was fetched with the message.
    pub(crate) fn part(&self, at: usize) -> Result<Vec<u8>, MessageError> {
        Message::part(&self.raw, at)
    }
}

impl RemotePart {
    /// Decoded size in bytes, assuming lines of the usual length.
    pub(crate) fn size(&self) -> u64 {
        match self.encoding {
            // 76 characters and a line break hold 57 bytes; the last line has no break.
            PartEncoding::Base64 => (self.octets + 2) * 57 / 78,
            PartEncoding::QuotedPrintable | PartEncoding::None => self.octets,
        }
    }
}

/// Decodes a part that arrives in pieces.
#[derive(Debug)]
pub(crate) struct Decoder {
    encoding: PartEncoding,
    /// Not decoded yet.
    rest: Vec<u8>,
    decoded: Vec<u8>,
}

impl Decoder {
    pub(crate) fn new(encoding: PartEncoding) -> Self {
        Self { encoding, rest: Vec::new(), decoded: Vec::new() }
    }

    /// Returns how many bytes are decoded so far.
    pub(crate) fn push(&mut self, piece: &[u8]) -> usize {
        if self.encoding == PartEncoding::Base64 {
            // Padding ends a run; concatenated runs have it in the middle.
            for run in piece.split_inclusive(|byte| *byte == b'=') {
                let is_code = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
                self.rest.extend(run.iter().filter(is_code));
                let whole = if run.ends_with(b"=") { self.rest.len() } else { self.rest.len() / 4 * 4 };
                self.decode(whole);
            }
        } else {
            self.rest.extend_from_slice(piece);
        }
        self.rest.len() + self.decoded.len()
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        match self.encoding {
            PartEncoding::Base64 => {
                self.decode(self.rest.len());
                self.decoded
            }
            PartEncoding::QuotedPrintable => parse::quoted_printable(&self.rest).unwrap_or(self.rest),
            PartEncoding::None => self.rest,
        }
    }

    fn decode(&mut self, count: usize) {
        use base64::Engine as _;
        use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

        const LENIENT: GeneralPurpose = GeneralPurpose::new(
            &base64::alphabet::STANDARD,
            GeneralPurposeConfig::new()
                .with_decode_padding_mode(DecodePaddingMode::Indifferent)
                .with_decode_allow_trailing_bits(true),
        );
        // A single letter is less than a byte.
        let run: Vec<u8> = self.rest.drain(..count).collect();
        let run = if run.len() % 4 == 1 { &run[..run.len() - 1] } else { &run };
        // Every letter is in the alphabet and the length is valid.
        let _ = LENIENT.decode_vec(run, &mut self.decoded);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(encoding: PartEncoding, text: &[u8], piece: usize) -> Vec<u8> {
        let mut decoder = Decoder::new(encoding);
        for piece in text.chunks(piece) {
            decoder.push(piece);
        }
        decoder.finish()
    }

    #[test]
    fn pieces_of_any_length_decode_to_the_same_bytes() {
        for (encoding, text, expected) in [
            (PartEncoding::Base64, "SGVs\r\nbG8s\r\n IHdv\r\ncmxk\r\n", "Hello, world"),
            (PartEncoding::Base64, "SGVsbG8=\r\nLCB3b3JsZA==\r\n", "Hello, world"),
            (PartEncoding::Base64, "SGVsbG8", "Hello"),
            (PartEncoding::Base64, "!SGVsbG8sIHdvcmxk-A", "Hello, world"),
            (PartEncoding::QuotedPrintable, "Gr=C3=BC=C3=9Fe =\r\naus", "Grüße aus"),
            (PartEncoding::None, "as it is =3D", "as it is =3D"),
        ] {
            for piece in 1..12 {
                let bytes = decoded(encoding, text.as_bytes(), piece);
                assert_eq!(String::from_utf8_lossy(&bytes), expected, "{text:?} by {piece}");
            }
        }
    }
}
