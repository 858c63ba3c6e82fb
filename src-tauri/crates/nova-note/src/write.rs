//! Writes values as YAML: plain where they read back unchanged, quoted otherwise.

use indexmap::IndexMap;

use super::matter::can_be_a_name;
use super::value::Value;

/// Context of a scalar; in a flow collection (`[…]`, `{…}`) commas and brackets end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Block,
    Flow,
}

/// The quoting of the old scalar, which the new one keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    /// Quotes only if needed.
    AsNeeded,
    Single,
    Double,
}

/// A value after its `key:`: the rest of the key's line, and the lines below it (without line breaks).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) inline: String,
    pub(super) below: Vec<String>,
}

/// A value as in a new note: lists and mappings with one item per line, long texts as block scalars.
/// `indent` is that of the key.
pub(super) fn property(value: &Value, indent: &str) -> Written {
    let below = |below: Vec<String>| Written { inline: String::new(), below };
    match value {
        Value::List(items) if !items.is_empty() => below(
            items
                .iter()
                .map(|item| format!("{indent}  - {}", inline(item, Place::Block)).trim_end().to_owned())
                .collect(),
        ),
        Value::Map(entries) if !entries.is_empty() => below(
            entries
                .iter()
                .map(|(name, value)| {
                    format!("{indent}  {}: {}", key(name), inline(value, Place::Block)).trim_end().to_owned()
                })
                .collect(),
        ),
        Value::Text(text) if text.contains('\n') => {
            block_scalar(text, indent).unwrap_or_else(|| on_line(value))
        }
        value => on_line(value),
    }
}

/// A value on the line of its key.
pub(super) fn on_line(value: &Value) -> Written {
    Written { inline: inline(value, Place::Block), below: Vec::new() }
}

/// A value on one line. Null is empty in a block, `null` in a flow collection.
pub(super) fn inline(value: &Value, place: Place) -> String {
    match value {
        Value::Null if place == Place::Flow => "null".to_owned(),
        Value::Null => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Number(text) => text.clone(),
        Value::Text(text) => scalar(text, place, Quotes::AsNeeded),
        Value::Link(inner) => scalar(&format!("[[{inner}]]"), place, Quotes::AsNeeded),
        Value::List(items) => {
            let written: Vec<_> = items.iter().map(|item| inline(item, Place::Flow)).collect();
            let list = format!("[{}]", written.join(", "));
            let reads_as_link = match items.as_slice() {
                [Value::List(parts)] => can_be_a_name(&parts.iter().collect::<Vec<_>>()),
                _ => false,
            };
            if reads_as_link { not_a_link(&list).unwrap_or(list) } else { list }
        }
        Value::Map(entries) => flow_map(entries),
    }
}

/// A nested list with a blank after its first bracket, which keeps it from being read as a link.
pub(super) fn not_a_link(list: &str) -> Option<String> {
    let inner = list.strip_prefix('[')?.strip_suffix(']')?;
    (inner.starts_with('[') && inner.ends_with(']')).then(|| format!("[ {inner} ]"))
}

/// A text as a scalar.
pub(super) fn scalar(text: &str, place: Place, quotes: Quotes) -> String {
    let single = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let printable = !text.chars().any(needs_escape);
    match quotes {
        Quotes::AsNeeded if is_plain(text, place) => text.to_owned(),
        Quotes::Single if printable => single(text),
        Quotes::AsNeeded if printable && text.contains(['"', '\\']) => single(text),
        _ => double_quoted(text),
    }
}

/// Whether a text is a date, or a date and a time: `2026-11-21`, `2026-11-21T10:00:00`.
pub(super) fn is_date(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let Some(rest) = shape.strip_prefix("0000-00-00") else { return false };
    let time = rest.strip_prefix(['T', ' ']);
    rest.is_empty() || time.is_some_and(|time| time == "00:00" || time.starts_with("00:00:00"))
}

/// A property's name as YAML.
pub(super) fn key(name: &str) -> String {
    if name.contains(':') && is_date(name) {
        return double_quoted(name);
    }
    scalar(name, Place::Flow, Quotes::AsNeeded)
}

/// `|` with the text's lines below it; `None` if a block scalar cannot represent the text.
fn block_scalar(text: &str, indent: &str) -> Option<Written> {
    let content = text.trim_end_matches('\n');
    let holds = !content.is_empty()
        && !content.starts_with([' ', '\t', '\n'])
        && !content.chars().any(|c| c != '\n' && needs_escape(c))
        && content.split('\n').all(|line| !line.ends_with([' ', '\t']));
    if !holds {
        return None;
    }
    let breaks = text.len() - content.len();
    let header = match breaks {
        0 => "|-",
        1 => "|",
        _ => "|+",
    };
    let mut below: Vec<String> = content
        .split('\n')
        .map(|line| if line.is_empty() { String::new() } else { format!("{indent}  {line}") })
        .collect();
    below.extend((1..breaks).map(|_| String::new()));
    Some(Written { inline: header.to_owned(), below })
}

fn flow_map(entries: &IndexMap<String, Value>) -> String {
    let entries: Vec<_> = entries
        .iter()
        .map(|(name, value)| format!("{}: {}", key(name), inline(value, Place::Flow)))
        .collect();
    format!("{{{}}}", entries.join(", "))
}

/// Whether a plain scalar reads back as this text, in Nova and in other YAML readers.
fn is_plain(text: &str, place: Place) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    if text.trim() != text || text.chars().any(needs_escape) {
        return false;
    }
    if Value::from_plain(text) != Value::Text(text.to_owned()) || looks_numeric_elsewhere(text) {
        return false;
    }
    if matches!(
        first,
        ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' | '='
    ) {
        return false;
    }
    if matches!(first, '-' | '?' | ':') {
        let second = text.chars().nth(1);
        if second.is_none_or(|c| c.is_whitespace() || ",[]{}".contains(c)) {
            return false;
        }
    }
    if text.starts_with("---") || text.starts_with("...") || text == "<<" {
        return false;
    }
    if text.ends_with(':') || text.contains(": ") || text.contains(":\t") {
        return false;
    }
    if text.contains(" #") || text.contains("\t#") {
        return false;
    }
    if place == Place::Block {
        return true;
    }
    // YAML readers disagree on other colons; a date is never quoted.
    !text.contains([',', '[', ']', '{', '}']) && (!text.contains(':') || is_date(text))
}

/// `1_000` is text in Nova and in Obsidian, but a number in YAML 1.1.
fn looks_numeric_elsewhere(text: &str) -> bool {
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(&digits);
    let based = ["0b", "0o", "0x", "0B", "0O", "0X"].iter().any(|prefix| unsigned.starts_with(prefix));
    based
        || matches!(Value::from_plain(&digits), Value::Number(_))
        || matches!(unsigned.to_ascii_lowercase().as_str(), ".inf" | ".nan" | "inf" | "nan" | "infinity")
}

/// Characters that YAML forbids or folds, or that are invisible.
fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if needs_escape(c) => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
