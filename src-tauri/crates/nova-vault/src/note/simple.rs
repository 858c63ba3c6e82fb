//! Front matter of the simplest kind, read without a YAML parser: most notes have no other, and
//! a vault is read in a fraction of the time. Whatever is not certain is left to the parser.

use std::ops::Range;

use super::document::{Properties, Property};
use super::split::lines_from;
use super::value::Value;

/// So many lines at most; more are for the parser, which has a budget. What is read here has to be
/// far below it: what the parser refuses would be read, but could not be edited.
const MAX_LINES: usize = 200;

/// The longest line, in bytes.
const MAX_LINE: usize = 4096;

/// The most items of a list in brackets.
const MAX_ITEMS: usize = 200;

/// The properties, if every line is `key: value` or an item of a list of scalars and YAML has
/// only one reading of it. `None` says nothing about the front matter.
pub(super) fn properties(text: &str, range: Range<usize>) -> Option<Properties> {
    let mut properties = Properties::with_capacity(8);
    let mut lines = lines_from(&text[range.clone()], 0).map(|line| {
        let line = &text[range.start + line.start..range.start + line.end];
        line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n'))
    });
    let mut number = 1;
    let mut list: Option<(String, u32, Items<'_>)> = None;
    loop {
        number += 1;
        let line = match lines.next() {
            Some(line) => line?,
            None => break,
        };
        if number as usize > MAX_LINES || line.len() > MAX_LINE {
            return None;
        }
        if let Some((_, _, items)) = &mut list
            && let Some((indent, item)) = item(line)
        {
            items.add(indent, scalar(item)?)?;
            continue;
        }
        finish(&mut properties, list.take())?;
        let (key, value) = line.split_once(':')?;
        if !is_simple_key(key) {
            return None;
        }
        if value.is_empty() {
            list = Some((key.to_owned(), number, Items::default()));
        } else {
            let value = value_of(value.strip_prefix(' ')?)?;
            put(&mut properties, key.to_owned(), Property { value, line: number })?;
        }
    }
    finish(&mut properties, list)?;
    (!properties.is_empty()).then_some(properties)
}

/// The items of a block list, which all have the indentation of the first.
#[derive(Default)]
struct Items<'a> {
    indent: Option<&'a str>,
    values: Vec<Value>,
}

impl<'a> Items<'a> {
    fn add(&mut self, indent: &'a str, value: Value) -> Option<()> {
        if *self.indent.get_or_insert(indent) != indent {
            return None;
        }
        self.values.push(value);
        Some(())
    }
}

/// A key with nothing behind it and the items below, if any.
fn finish(properties: &mut Properties, list: Option<(String, u32, Items<'_>)>) -> Option<()> {
    let Some((key, line, items)) = list else { return Some(()) };
    let value = if items.values.is_empty() { Value::Null } else { Value::List(items.values) };
    put(properties, key, Property { value, line })
}

/// `None` where the key is there already, which is an error that the parser words.
fn put(properties: &mut Properties, key: String, property: Property) -> Option<()> {
    properties.insert(key, property).is_none().then_some(())
}

fn item(line: &str) -> Option<(&str, &str)> {
    let item = line.trim_start_matches(' ');
    Some((&line[..line.len() - item.len()], item.strip_prefix("- ")?))
}

/// Letters, digits, `_` and `-`, not one of YAML's words.
fn is_simple_key(key: &str) -> bool {
    key.len() <= 64
        && key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        && !["null", "true", "false"].iter().any(|word| key.eq_ignore_ascii_case(word))
}

fn value_of(written: &str) -> Option<Value> {
    let Some(inside) = written.strip_prefix('[') else {
        return scalar(written);
    };
    let inside = inside.strip_suffix(']')?;
    if inside.is_empty() {
        return Some(Value::List(Vec::new()));
    }
    let is_word = |item: &&str| {
        item.starts_with(is_letter)
            && item.chars().all(|c| is_letter(c) || c.is_ascii_digit() || matches!(c, '_' | '-' | '/' | ' '))
            && !item.ends_with(' ')
    };
    let items = inside.split(", ").map(|item| is_word(&item).then(|| Value::from_plain(item)));
    let items: Vec<_> = items.take(MAX_ITEMS + 1).collect::<Option<_>>()?;
    (items.len() <= MAX_ITEMS).then_some(Value::List(items))
}

/// A scalar on one line, without a comment.
fn scalar(written: &str) -> Option<Value> {
    let is_plain = |text: &str| text.chars().all(|c| matches!(c, ' '..='~') || is_letter(c));
    match written.as_bytes().first()? {
        quote @ (b'"' | b'\'') => {
            let quote = char::from(*quote);
            let inside = written[1..].strip_suffix(quote)?;
            let simple = is_plain(inside) && !inside.contains([quote, '\\']);
            simple.then(|| Value::from_text(inside))
        }
        b'0'..=b'9' => {
            let simple =
                written.len() <= 15 && written.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-'));
            simple.then(|| Value::from_plain(written))
        }
        // A telephone number; the space says that it is no other number.
        b'+' => {
            let digits = written.bytes().skip(1).all(|b| b.is_ascii_digit() || b == b' ');
            let simple = digits && written.contains(' ') && !written.ends_with(' ');
            simple.then(|| Value::from_plain(written))
        }
        _ => {
            let simple = written.starts_with(is_letter)
                && is_plain(written)
                && !written.contains(": ")
                && !written.contains(" #")
                && !written.ends_with([':', ' ']);
            simple.then(|| Value::from_plain(written))
        }
    }
}

/// A letter of any script. No mark, and none of the line breaks and blanks beyond ASCII.
fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}
