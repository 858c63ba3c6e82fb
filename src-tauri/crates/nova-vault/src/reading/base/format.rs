//! Formats dates by a Moment.js pattern: `YYYY-MM-DD`, `D MMM YYYY [at] HH:mm`.

use jiff::civil::DateTime;

/// Supported tokens, longest first, with their strftime equivalents.
const TOKENS: [(&str, &str); 21] = [
    ("YYYY", "%Y"),
    ("MMMM", "%B"),
    ("dddd", "%A"),
    ("MMM", "%b"),
    ("ddd", "%a"),
    ("SSS", "%3f"),
    ("YY", "%y"),
    ("MM", "%m"),
    ("DD", "%d"),
    ("HH", "%H"),
    ("hh", "%I"),
    ("mm", "%M"),
    ("ss", "%S"),
    ("M", "%-m"),
    ("D", "%-d"),
    ("H", "%-H"),
    ("h", "%-I"),
    ("m", "%-M"),
    ("s", "%-S"),
    ("A", "%p"),
    ("a", "%P"),
];

/// `Err` names an unsupported token.
pub(super) fn format(at: DateTime, pattern: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        if let Some((literal, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            out += literal;
            rest = after;
            continue;
        }
        if !first.is_ascii_alphabetic() {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        // A run of one letter, optionally followed by `o` (`Do`), is one token.
        let run = rest.len() - rest.trim_start_matches(first).len();
        let length = if rest[run..].starts_with('o') { run + 1 } else { run };
        let (token, after) = rest.split_at(length);
        match TOKENS.iter().find(|(known, _)| *known == token) {
            Some((_, directive)) => out += &at.strftime(directive).to_string(),
            None => return Err(format!("format() does not know `{token}`")),
        }
        rest = after;
    }
    Ok(out)
}
