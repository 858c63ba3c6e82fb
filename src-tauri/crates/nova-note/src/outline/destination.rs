//! Destinations of Markdown links: `(here.md "title")`, `(<or here.md>)`, `: or-here.md`.

use std::ops::Range;

use super::Notation;

/// A destination as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Destination {
    /// Without the angle brackets.
    pub(super) raw: Range<usize>,
    pub(super) notation: Notation,
    /// The end, angle brackets included.
    pub(super) end: usize,
}

/// Maximum nesting of parentheses in a destination; CommonMark requires at least three.
const MAX_PARENTHESES: usize = 32;

/// The destination at `at`, by CommonMark 0.31, §6.3.
pub(super) fn destination(text: &str, at: usize, end: usize) -> Option<Destination> {
    let bytes = &text.as_bytes()[..end];
    if bytes.get(at) == Some(&b'<') {
        let mut close = at + 1;
        loop {
            match bytes.get(close)? {
                b'>' => break,
                b'<' | b'\n' => return None,
                b'\\' => close += 2,
                _ => close += 1,
            }
        }
        return Some(Destination { raw: at + 1..close, notation: Notation::Angle, end: close + 1 });
    }
    let mut depth = 0;
    let mut close = at;
    while let Some(byte) = bytes.get(close) {
        match byte {
            b'(' if depth == MAX_PARENTHESES => return None,
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            b'\\' if bytes.get(close + 1).is_some_and(u8::is_ascii_punctuation) => close += 1,
            byte if byte.is_ascii_whitespace() || byte.is_ascii_control() => break,
            _ => {}
        }
        close += 1;
    }
    (depth == 0).then_some(Destination { raw: at..close, notation: Notation::Bare, end: close })
}

/// The end of the title that begins at `at`: `"…"`, `'…'` or `(…)`.
pub(super) fn title_end(text: &str, at: usize, end: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[..end];
    let closer = match bytes.get(at)? {
        b'"' => b'"',
        b'\'' => b'\'',
        b'(' => b')',
        _ => return None,
    };
    let mut here = at + 1;
    loop {
        match bytes.get(here)? {
            b'\\' => here += 2,
            byte if *byte == closer => return Some(here + 1),
            b'(' if closer == b')' => return None,
            _ => here += 1,
        }
    }
}

/// The file part of a destination, and the part after its first `#`.
pub(super) fn halves(text: &str, raw: &Range<usize>) -> (Range<usize>, Option<Range<usize>>) {
    match text[raw.clone()].find('#') {
        Some(hash) => (raw.start..raw.start + hash, Some(raw.start + hash + 1..raw.end)),
        None => (raw.clone(), None),
    }
}

/// Whether a destination is a URL rather than a file. Like Obsidian, treats any destination with a colon as
/// a URL unless it begins with `./` or `../`.
pub(super) fn is_external(raw: &str) -> bool {
    !raw.starts_with("./") && !raw.starts_with("../") && (raw.contains(':') || raw.starts_with("//"))
}

/// Decodes a raw destination: backslash escapes and percent-encoding. Escapes that are not valid UTF-8 stay
/// as they are.
pub(super) fn decoded(raw: &str) -> String {
    let bytes = raw.as_bytes();
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = |offset: usize| bytes.get(at + offset).and_then(|b| char::from(*b).to_digit(16));
        match (bytes[at], hex(1), hex(2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'%'));
                at += 3;
            }
            (b'\\', ..) if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => {
                out.push(bytes[at + 1]);
                at += 2;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| raw.to_owned())
}
