//! Fast reader for simple front matter. Most notes have no other kind, and skipping the YAML parser makes
//! scanning a vault several times faster. Anything ambiguous is left to the parser.

use std::ops::Range;

use memchr::{memchr, memchr2};

use super::property::{Properties, Property};
use super::split::lines_from;
use super::value::{Value, link_inner};

/// Maximum number of lines; above it the parser decides, which has a budget. These limits must be far below
/// that budget: otherwise a note could be read here but not edited.
const MAX_LINES: usize = 200;

/// Maximum length of a line, in bytes.
const MAX_LINE: usize = 4096;

/// Maximum number of items in a flow list.
const MAX_ITEMS: usize = 200;

/// A property as written; values are copied only on demand.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) key: &'a str,
    /// The line of the key in the file, 1-based.
    line: u32,
    pub(super) value: Written<'a>,
}

/// A value as written; each part is a slice of the note's text.
#[derive(Debug)]
pub(super) enum Written<'a> {
    Nothing,
    Plain(&'a str),
    /// Without its quotes.
    Quoted(&'a str),
    List(Vec<Written<'a>>),
}

/// The properties, if every line is `key: value` or an item of a list of scalars and YAML can read it in
/// one way only. `None` means undecided.
pub(super) fn entries(text: &str, range: Range<usize>) -> Option<Vec<Entry<'_>>> {
    let mut entries: Vec<Entry<'_>> = Vec::with_capacity(8);
    let mut lines = lines_from(&text[range.clone()], 0).map(|line| {
        let line = &text[range.start + line.start..range.start + line.end];
        line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n'))
    });
    let mut number = 1;
    // Indentation of the list items, while the last entry may have more of them.
    let mut list: Option<Option<&str>> = None;
    loop {
        number += 1;
        let line = match lines.next() {
            Some(line) => line?,
            None => break,
        };
        if number as usize > MAX_LINES || line.len() > MAX_LINE {
            return None;
        }
        if let Some(indent) = &mut list
            && let Some((indented, item)) = item(line)
        {
            if *indent.get_or_insert(indented) != indented {
                return None;
            }
            entries.last_mut()?.value.push(scalar(item)?);
            continue;
        }
        let (key, value) = line.split_at(memchr(b':', line.as_bytes())?);
        let value = &value[1..];
        // Duplicate keys are left to the parser, which words the error.
        if !is_simple_key(key) || entries.iter().any(|entry| entry.key == key) {
            return None;
        }
        list = value.is_empty().then_some(None);
        let value = if value.is_empty() { Written::Nothing } else { value_of(value.strip_prefix(' ')?)? };
        entries.push(Entry { key, line: number, value });
    }
    (!entries.is_empty()).then_some(entries)
}

/// The result of [`entries`] as properties.
pub(super) fn properties(text: &str, range: Range<usize>) -> Option<Properties> {
    let entries = entries(text, range)?;
    let property =
        |entry: Entry<'_>| (entry.key.to_owned(), Property { value: entry.value(), line: entry.line });
    Some(entries.into_iter().map(property).collect())
}

impl<'a> Entry<'a> {
    pub(super) fn value(&self) -> Value {
        self.value.value()
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.value, Written::List(_))
    }

    /// The content of a value that is text, a number or a link.
    pub(super) fn text(&self) -> Option<&'a str> {
        match self.value {
            Written::Nothing | Written::List(_) => None,
            Written::Quoted(text) => Some(link_inner(text).unwrap_or(text)),
            Written::Plain(
                "null" | "Null" | "NULL" | "true" | "True" | "TRUE" | "false" | "False" | "FALSE",
            ) => None,
            // Plain scalars are non-empty and begin with a letter or a digit.
            Written::Plain(text) => Some(text),
        }
    }
}

impl<'a> Written<'a> {
    fn push(&mut self, item: Written<'a>) {
        match self {
            Written::List(items) => items.push(item),
            _ => *self = Written::List(vec![item]),
        }
    }

    pub(super) fn value(&self) -> Value {
        match self {
            Written::Nothing => Value::Null,
            Written::Plain(text) => Value::from_plain(text),
            Written::Quoted(text) => Value::from_text(text),
            Written::List(items) => Value::List(items.iter().map(Written::value).collect()),
        }
    }
}

fn item(line: &str) -> Option<(&str, &str)> {
    let item = line.trim_start_matches(' ');
    Some((&line[..line.len() - item.len()], item.strip_prefix("- ")?))
}

/// Letters, digits, `_` and `-`, and no YAML keyword.
fn is_simple_key(key: &str) -> bool {
    key.len() <= 64
        && key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        && !(matches!(key.len(), 4 | 5)
            && ["null", "true", "false"].iter().any(|word| key.eq_ignore_ascii_case(word)))
}

fn value_of(written: &str) -> Option<Written<'_>> {
    let Some(inside) = written.strip_prefix('[') else {
        return scalar(written);
    };
    let inside = inside.strip_suffix(']')?;
    if inside.is_empty() {
        return Some(Written::List(Vec::new()));
    }
    let is_word = |item: &&str| {
        item.starts_with(is_letter)
            && item.chars().all(|c| is_letter(c) || c.is_ascii_digit() || matches!(c, '_' | '-' | '/' | ' '))
            && !item.ends_with(' ')
    };
    let items = inside.split(", ").map(|item| is_word(&item).then_some(Written::Plain(item)));
    let items: Vec<_> = items.take(MAX_ITEMS + 1).collect::<Option<_>>()?;
    (items.len() <= MAX_ITEMS).then_some(Written::List(items))
}

/// A scalar on one line, without a comment.
fn scalar(written: &str) -> Option<Written<'_>> {
    match written.as_bytes().first()? {
        quote @ (b'"' | b'\'') => {
            let quote = char::from(*quote);
            let inside = written[1..].strip_suffix(quote)?;
            let simple = is_plain(inside) && !inside.contains([quote, '\\']);
            simple.then_some(Written::Quoted(inside))
        }
        b'0'..=b'9' => {
            let simple =
                written.len() <= 15 && written.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-'));
            simple.then_some(Written::Plain(written))
        }
        // A phone number; the space rules out any other number.
        b'+' => {
            let digits = written.bytes().skip(1).all(|b| b.is_ascii_digit() || b == b' ');
            let simple = digits && written.contains(' ') && !written.ends_with(' ');
            simple.then_some(Written::Plain(written))
        }
        _ => {
            let bytes = written.as_bytes();
            let is_more = || bytes.windows(2).any(|pair| matches!(pair, b": " | b" #"));
            let simple = written.starts_with(is_letter)
                && is_plain(written)
                && !(memchr2(b':', b'#', bytes).is_some() && is_more())
                && !written.ends_with([':', ' ']);
            simple.then_some(Written::Plain(written))
        }
    }
}

fn is_plain(text: &str) -> bool {
    // No early exit, so that the loop is vectorised.
    let plain = text.bytes().fold(true, |plain, b| plain & matches!(b, b' '..=b'~'));
    plain || text.chars().all(|c| matches!(c, ' '..='~') || is_letter(c))
}

/// A letter of any script; no combining mark and no line break or blank beyond ASCII.
fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}
