//! Converts a tool's arguments to the values of a note's properties.

use nova_skill::figures::{currency_code, folded, near_currency_codes};
use nova_skill::serde_json::Map;
use nova_skill::{Field, FieldKind, ItemKind, RecordType, ToolError, ToolFields, Value};

use crate::dates::{Birthday, Cadence};

pub(crate) const BIRTHDAY_REMEDY: &str = "Write it as 1990-03-14, or as --03-14 without the year.";
pub(crate) const EVERY_REMEDY: &str = "Write it as 2 weeks, month or 3 months.";

/// Checked values by field name; null removes the field.
pub(crate) struct Details(pub(crate) Map<String, Value>);

impl Details {
    /// Checks and normalises the given fields of a record. Decimals and the user's own fields are checked
    /// where they are written.
    ///
    /// # Errors
    /// `InvalidArguments` if a value does not fit its field.
    pub(crate) fn of(declared: &RecordType, given: &Map<String, Value>) -> Result<Self, ToolError> {
        let fit = |(key, value): (&String, &Value)| {
            let fitting = match (declared.fields.get(key), value) {
                (Some(field), Value::String(text)) if !field.is_own() => {
                    text_for(key, field.kind, text)?.into()
                }
                (Some(field), Value::Array(items)) if !field.is_own() => list(key, field, items)?,
                _ => value.clone(),
            };
            Ok::<_, ToolError>((key.clone(), fitting))
        };
        given.iter().map(fit).collect::<Result<_, _>>().map(Self)
    }

    /// # Errors
    /// `InvalidArguments`, listing the possible fields, if none is given.
    pub(crate) fn require_changes(
        self,
        declared: &RecordType,
        fields: ToolFields<'_>,
    ) -> Result<Self, ToolError> {
        if !self.0.is_empty() {
            return Ok(self);
        }
        let is_title = |key: &str| declared.title.as_deref() == Some(key);
        let known = declared.fields.keys().filter(|key| fields.have(key) && !is_title(key));
        Err(ToolError::InvalidArguments {
            path: String::new(),
            rule: "there is nothing to change".into(),
            allowed: known.cloned().collect(),
        })
    }
}

/// The text as a property value: trimmed, not empty, one line, valid for its kind of field.
fn text_for(key: &str, kind: FieldKind, text: &str) -> Result<String, ToolError> {
    if kind == FieldKind::Decimal {
        return Ok(text.to_owned());
    }
    if kind == FieldKind::Currency {
        return currency(key, text);
    }
    let text = one_line(key, text)?;
    match key {
        "email" if !is_email(text) => Err(invalid_argument(
            key,
            format!("\"{text}\" is not an e-mail address such as jane@example.com"),
        )),
        "birthday" if Birthday::parse(text).is_none() => {
            let rule = format!("\"{text}\" is not a birthday; write 1990-03-14, or --03-14 without the year");
            Err(invalid_argument(key, rule))
        }
        "every" if Cadence::parse(text).is_none() => Err(invalid_argument(
            key,
            format!("\"{text}\" is not a cadence; write 2 weeks, month or 3 months"),
        )),
        _ => Ok(text.to_owned()),
    }
}

/// An ISO 4217 code, in capitals.
fn currency(key: &str, text: &str) -> Result<String, ToolError> {
    currency_code(text).map(str::to_owned).ok_or_else(|| ToolError::InvalidArguments {
        path: format!("/{key}"),
        rule: format!("\"{}\" is not an ISO 4217 currency such as EUR", text.trim()),
        allowed: near_currency_codes(text).into_iter().map(str::to_owned).collect(),
    })
}

/// The list without duplicates; an empty item is an error. The leading `#` of Obsidian is no part of a tag.
fn list(key: &str, field: &Field, items: &[Value]) -> Result<Value, ToolError> {
    if field.items == Some(ItemKind::Link) {
        return Ok(items.into());
    }
    let mut kept: Vec<&str> = Vec::new();
    for item in items.iter().filter_map(Value::as_str) {
        let item = one_line(key, item.trim().trim_start_matches('#'))?;
        if !kept.iter().any(|other| folded(other) == folded(item)) {
            kept.push(item);
        }
    }
    Ok(kept.into())
}

fn one_line<'a>(field: &str, text: &'a str) -> Result<&'a str, ToolError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(invalid_argument(field, "must not be empty; leave it out when it is not known".into()));
    }
    if text.chars().any(char::is_control) {
        return Err(invalid_argument(field, "must be one line of text".into()));
    }
    Ok(text)
}

/// Whether it has one `@`, a non-empty local part, a domain with a dot and no white space.
fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.split_once('@') else { return false };
    let labels = || domain.split('.');
    !name.is_empty()
        && !text.chars().any(char::is_whitespace)
        && !domain.contains('@')
        && labels().count() > 1
        && labels().all(|label| !label.is_empty())
}

fn invalid_argument(field: &str, rule: String) -> ToolError {
    ToolError::InvalidArguments { path: format!("/{field}"), rule, allowed: Vec::new() }
}
