//! Constructs in angle brackets that are not text: HTML tags and autolinks.

/// The end of the tag or autolink whose `<` is at `at`, by CommonMark 0.31, §§6.5–6.6. `None` if the `<` is
/// text, as in `a <b, c -> d`.
///
/// All calls together read each byte of a text a constant number of times: a `<` stops the search except
/// within quotes, and of three overlapping searches one is always outside of quotes.
pub(super) fn angle_end(bytes: &[u8], at: usize) -> Option<usize> {
    let inside = at + 1;
    tag_end(bytes, inside).or_else(|| uri_end(bytes, inside)).or_else(|| email_end(bytes, inside))
}

/// `name attribute="value">` or `/name>`.
fn tag_end(bytes: &[u8], at: usize) -> Option<usize> {
    let is_closing = bytes.get(at) == Some(&b'/');
    let name = at + usize::from(is_closing);
    if !bytes.get(name)?.is_ascii_alphabetic() {
        return None;
    }
    let mut here = past(bytes, name, |b| b.is_ascii_alphanumeric() || b == b'-');
    if !is_closing {
        while let Some(end) = attribute_end(bytes, here) {
            here = end;
        }
    }
    here = past(bytes, here, is_blank);
    if !is_closing && bytes.get(here) == Some(&b'/') {
        here += 1;
    }
    (bytes.get(here) == Some(&b'>')).then_some(here + 1)
}

/// The end of ` name`, ` name=value` or ` name="value"`.
fn attribute_end(bytes: &[u8], at: usize) -> Option<usize> {
    let name = past(bytes, at, is_blank);
    let first = *bytes.get(name)?;
    if name == at || !(first.is_ascii_alphabetic() || matches!(first, b'_' | b':')) {
        return None;
    }
    let name_end = past(bytes, name, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'-'));
    let equals = past(bytes, name_end, is_blank);
    if bytes.get(equals) != Some(&b'=') {
        return Some(name_end);
    }
    let value = past(bytes, equals + 1, is_blank);
    match *bytes.get(value)? {
        quote @ (b'"' | b'\'') => {
            let close = past(bytes, value + 1, |b| b != quote);
            bytes.get(close).map(|_| close + 1)
        }
        _ => {
            let is_bare = |b| !is_blank(b) && !matches!(b, b'"' | b'\'' | b'=' | b'<' | b'>' | b'`');
            let end = past(bytes, value, is_bare);
            (end > value).then_some(end)
        }
    }
}

/// `https://example.org/a>`.
fn uri_end(bytes: &[u8], at: usize) -> Option<usize> {
    if !bytes.get(at)?.is_ascii_alphabetic() {
        return None;
    }
    let colon = past(bytes, at, |b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-'));
    if bytes.get(colon) != Some(&b':') || !(2..=32).contains(&(colon - at)) {
        return None;
    }
    let close = past(bytes, colon, |b| b > b' ' && b != 0x7f && !matches!(b, b'<' | b'>'));
    (bytes.get(close) == Some(&b'>')).then_some(close + 1)
}

/// `jane@example.org>`.
fn email_end(bytes: &[u8], at: usize) -> Option<usize> {
    let at_sign = past(bytes, at, |b| b.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&b));
    if at_sign == at || bytes.get(at_sign) != Some(&b'@') {
        return None;
    }
    let close = past(bytes, at_sign + 1, |b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    (close > at_sign + 1 && bytes.get(close) == Some(&b'>')).then_some(close + 1)
}

/// The first position from `at` on whose byte does not satisfy `is_one`.
fn past(bytes: &[u8], at: usize, is_one: impl Fn(u8) -> bool) -> usize {
    at + bytes[at.min(bytes.len())..].iter().take_while(|b| is_one(**b)).count()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}
