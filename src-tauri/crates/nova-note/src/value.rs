//! The value of a property.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

/// A property's value, by the core schema of YAML 1.2, as in Obsidian: `yes`, `NO`, `1_000` and
/// `2026-01-02` are text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Empty: `key:`, `~`, `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number's source text, exactly as the user wrote it (`010`, `1.50`, `12345678901234567890`).
    Number(String),
    /// Any other scalar, unquoted and unfolded.
    Text(String),
    /// The content of `[[…]]`: `Jane Doe`, `Jane Doe|Jane`, `Jane Doe#Log`.
    Link(String),
    /// A list, possibly of mixed types.
    List(Vec<Value>),
    /// A nested mapping, in file order. Boxed because it is rare and would double the size of every value.
    Map(Box<IndexMap<String, Value>>),
}

impl Value {
    /// One line for display: `lead`, `[[Acme]]`, `a, b`; null is the empty string.
    pub fn display(&self) -> String {
        match self {
            Value::Null => String::new(),
            Value::Bool(value) => value.to_string(),
            Value::Number(text) | Value::Text(text) => text.clone(),
            Value::Link(inner) => format!("[[{inner}]]"),
            Value::List(items) => join(items.iter().map(Value::display)),
            Value::Map(entries) => {
                join(entries.iter().map(|(key, value)| format!("{key}: {}", value.display())))
            }
        }
    }

    /// A scalar as text; a link gives the name of its note, without display text and heading. `None` for
    /// null, lists and mappings.
    pub fn as_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Value::Bool(true) => Some(Cow::Borrowed("true")),
            Value::Bool(false) => Some(Cow::Borrowed("false")),
            Value::Number(text) | Value::Text(text) => Some(Cow::Borrowed(text)),
            Value::Link(inner) => Some(Cow::Borrowed(link_target(inner))),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Converts to JSON. A number that JSON would change (`010`, `0x1F`, `1180.00`, more than 15 digits)
    /// becomes a string of its source text; a link becomes `"[[…]]"`.
    pub fn to_json(&self) -> Json {
        match self {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(text) => json_number(text).map_or_else(|| Json::String(text.clone()), Json::Number),
            Value::Text(text) => Json::String(text.clone()),
            Value::Link(inner) => Json::String(format!("[[{inner}]]")),
            Value::List(items) => Json::Array(items.iter().map(Value::to_json).collect()),
            Value::Map(entries) => {
                Json::Object(entries.iter().map(|(key, value)| (key.clone(), value.to_json())).collect())
            }
        }
    }

    /// A nested mapping.
    pub fn map(entries: impl IntoIterator<Item = (String, Value)>) -> Value {
        Value::Map(Box::new(entries.into_iter().collect()))
    }

    /// Converts from JSON. A string that is exactly one `[[link]]` becomes a link.
    pub fn from_json(json: &Json) -> Value {
        match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => Value::Number(number.to_string()),
            Json::String(text) => Value::from_text(text),
            Json::Array(items) => Value::List(items.iter().map(Value::from_json).collect()),
            Json::Object(entries) => {
                Value::map(entries.iter().map(|(key, value)| (key.clone(), Value::from_json(value))))
            }
        }
    }

    /// Text, or a link if the text is exactly one `[[link]]`.
    pub fn from_text(text: &str) -> Value {
        match link_inner(text) {
            Some(inner) => Value::Link(inner.to_owned()),
            None => Value::Text(text.to_owned()),
        }
    }

    /// Canonical form, in which equal meanings compare equal: a text `[[X]]` becomes a link, a `Number`
    /// that YAML does not read as one becomes text.
    pub(super) fn normalized(&self) -> Value {
        match self {
            Value::Text(text) => Value::from_text(text),
            Value::Link(inner) if link_inner(&format!("[[{inner}]]")).is_none() => {
                Value::Text(format!("[[{inner}]]"))
            }
            Value::Number(text) if !is_number(text) => Value::Text(text.clone()),
            Value::List(items) => Value::List(items.iter().map(Value::normalized).collect()),
            Value::Map(entries) => {
                Value::map(entries.iter().map(|(key, value)| (key.clone(), value.normalized())))
            }
            other => other.clone(),
        }
    }

    /// Interprets an unquoted scalar by YAML 1.2's core schema.
    pub(super) fn from_plain(text: &str) -> Value {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Value::Null,
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            text if is_number(text) => Value::Number(text.to_owned()),
            text => Value::from_text(text),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer).map(|json| Value::from_json(&json))
    }
}

/// YAML 1.2 core schema, §10.3.2: integers, octal, hexadecimal, floats, infinity, not-a-number.
fn is_number(text: &str) -> bool {
    if let Some(digits) = text.strip_prefix("0x") {
        return !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return !digits.is_empty() && digits.bytes().all(|b| (b'0'..=b'7').contains(&b));
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if digits.is_empty() || !all_digits(digits) {
            return false;
        }
    }
    match mantissa.split_once('.') {
        Some((whole, fraction)) => {
            all_digits(whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty())
        }
        None => !mantissa.is_empty() && all_digits(mantissa),
    }
}

/// The number as JSON, if a double preserves every digit: at most 15 of them, without trailing zeros as in
/// prices.
fn json_number(text: &str) -> Option<serde_json::Number> {
    if text.bytes().filter(u8::is_ascii_digit).count() > 15 {
        return None;
    }
    // `from_str` refuses invalid JSON: 010, +5, .5, 5., 0x1F, .inf.
    let number: serde_json::Number = serde_json::from_str(text).ok()?;
    (number.to_string() == text).then_some(number)
}

/// The content of a text that is exactly one wikilink.
pub(super) fn link_inner(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("[[")?.strip_suffix("]]")?;
    let clean = !inner.trim().is_empty() && !inner.contains(['[', ']', '\n', '\r']);
    clean.then_some(inner)
}

fn link_target(inner: &str) -> &str {
    let target = inner.split(['|', '#']).next().unwrap_or(inner).trim();
    // `[[#Heading]]` points into its own note, so only the heading can name it.
    if target.is_empty() { inner } else { target }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
