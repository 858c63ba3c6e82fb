/// The deepest nesting of lists. The structure of a message needs two lists for each level of parts.
const DEEPEST: u32 = 60;

/// A response nests lists deeper than is parsed.
#[derive(Debug, thiserror::Error)]
#[error("the server sent lists in lists")]
pub(crate) struct TooDeep;

/// Counts the open lists of IMAP responses (RFC 3501, 9), chunk by chunk. Strings and the texts of status responses
/// contain no lists.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    place: Place,
    open: u32,
    /// The start of the line, up to what identifies its kind.
    start: Vec<u8>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    /// In the part that identifies the line's kind.
    #[default]
    Start,
    /// In a line that may contain lists.
    Data,
    /// In a line without lists, until its end.
    Text,
    Quoted,
    Escaped,
    /// In the length of a literal.
    Length(u64),
    /// Between the length and the line break.
    Announced(u64),
    /// In a literal with this many bytes left.
    Literal(u64),
}

impl Nesting {
    pub(crate) fn read(&mut self, mut bytes: &[u8]) -> Result<(), TooDeep> {
        while let Some((&byte, rest)) = bytes.split_first() {
            if let Place::Literal(left) = self.place {
                let skipped = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                bytes = &bytes[skipped..];
                self.place = match left - skipped as u64 {
                    0 => Place::Data,
                    left => Place::Literal(left),
                };
                continue;
            }
            bytes = rest;
            self.byte(byte)?;
        }
        Ok(())
    }

    fn byte(&mut self, byte: u8) -> Result<(), TooDeep> {
        self.place = match (self.place, byte) {
            (Place::Announced(0), b'\n') => Place::Data,
            (Place::Announced(length), b'\n') => Place::Literal(length),
            (_, b'\n') => {
                self.open = 0;
                self.start.clear();
                Place::Start
            }
            (Place::Start, _) => self.begin(byte),
            (Place::Data, b'"') => Place::Quoted,
            (Place::Data, b'{') => Place::Length(0),
            (Place::Data, b'(') => {
                self.open += 1;
                if self.open > DEEPEST {
                    return Err(TooDeep);
                }
                Place::Data
            }
            (Place::Data, b')') => {
                self.open = self.open.saturating_sub(1);
                Place::Data
            }
            (Place::Quoted, b'\\') => Place::Escaped,
            (Place::Quoted, b'"') => Place::Data,
            (Place::Escaped, _) => Place::Quoted,
            (Place::Length(length), b'0'..=b'9') => {
                Place::Length(length.saturating_mul(10).saturating_add(u64::from(byte - b'0')))
            }
            (Place::Length(length), b'}') => Place::Announced(length),
            (Place::Announced(length), b'\r') => Place::Announced(length),
            (Place::Length(_) | Place::Announced(_), _) => Place::Data,
            (place, _) => place,
        };
        Ok(())
    }

    /// Untagged responses other than those of status have lists; the rest is human-readable text.
    fn begin(&mut self, byte: u8) -> Place {
        if byte != b' ' || self.start == b"*" {
            if self.start.len() < 12 {
                self.start.push(byte);
                return Place::Start;
            }
            return if self.start.starts_with(b"* ") { Place::Data } else { Place::Text };
        }
        let Some(word) = self.start.strip_prefix(b"* ") else { return Place::Text };
        let of_status: [&[u8]; 5] = [b"OK", b"NO", b"BAD", b"BYE", b"PREAUTH"];
        if of_status.iter().any(|status| word.eq_ignore_ascii_case(status)) {
            Place::Text
        } else {
            Place::Data
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, Nesting};

    #[track_caller]
    fn check(text: &str, is_read: bool) {
        for piece in [1, 3, text.len().max(1)] {
            let mut nesting = Nesting::default();
            let read = text.as_bytes().chunks(piece).all(|piece| nesting.read(piece).is_ok());
            assert_eq!(read, is_read, "{text:.60} by {piece}");
        }
    }

    #[test]
    fn rejects_deep_nesting() {
        let open = "(".repeat(DEEPEST as usize + 1);
        let allowed = &open[1..];
        check(&format!("* 1 FETCH {allowed}\r\n* 2 FETCH {allowed}\r\n"), true);
        check(&format!("* 1 FETCH {allowed})(\r\n"), true);
        for start in [
            "* 1 FETCH ",
            "* 123456789 FETCH (BODYSTRUCTURE ",
            "* LIST ",
            "* 1 FETCH (A {2}\r\nab ",
            "* x\r\n* X ",
        ] {
            check(&format!("{start}{open}"), false);
        }
        // None of this may pass as the text of a status response.
        check(&format!("* OK {{99}}\r\n* 1 FETCH {open}"), false);
        check(&format!("* OK a \"quote\r\n* 1 FETCH {open}"), false);
        check(&format!("A1 OK {{99}}\r\n* 1 FETCH {open}"), false);
    }

    #[test]
    fn text_is_not_counted_as_lists() {
        let open = "(".repeat(1_000);
        for text in [
            format!("* OK {open}\r\n"),
            format!("* PREAUTH {open}\r\n"),
            format!("A0001 NO {open}\r\n"),
            format!("+ {open}\r\n"),
            format!("* 1 FETCH (X \"{open}\\\"{open}\")\r\n"),
            format!("* 1 FETCH (BODY[] {{1000}}\r\n{open} UID 5)\r\n"),
        ] {
            check(&text, true);
        }
    }
}
