//! Where a Markdown link leads: `(here.md "title")`, `(<or here.md>)`, `: or-here.md`.

use std::ops::Range;

use super::Notation;

/// A destination as it stands in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Destination {
    /// Without the angle brackets.
    pub(super) raw: Range<usize>,
    pub(super) notation: Notation,
    /// Behind it, angle brackets included.
    pub(super) end: usize,
}

/// Parentheses in a destination may be nested this deep; CommonMark asks for at least three.
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

/// After the title that begins at `at`: `"…"`, `'…'` or `(…)`.
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

/// The part of a destination that names a file, and what follows its first `#`.
pub(super) fn halves(text: &str, raw: &Range<usize>) -> (Range<usize>, Option<Range<usize>>) {
    match text[raw.clone()].find('#') {
        Some(hash) => (raw.start..raw.start + hash, Some(raw.start + hash + 1..raw.end)),
        None => (raw.clone(), None),
    }
}

/// Whether a destination is an address and not a file: Obsidian takes whatever holds a colon for
/// one, unless it begins with `./` or `../`.
pub(super) fn is_external(raw: &str) -> bool {
    !raw.starts_with("./") && !raw.starts_with("../") && (raw.contains(':') || raw.starts_with("//"))
}

/// A raw destination as it is meant: without backslash escapes and percent-encoding. Escapes that
/// give no UTF-8 stay as they are.
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
