//! Values of the expression language.

use std::cmp::Ordering;

use indexmap::IndexMap;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::duration::Duration;
use crate::note::{Value, VaultPath, folded};
use crate::reading::query::{Moment, Number, Scalar, link_name};

/// A value of the expression language. As in Obsidian, a property whose text is a date is a date.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Val {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    Date(Day),
    Duration(Duration),
    List(Vec<Val>),
    Object(IndexMap<String, Val>),
    /// The content of `[[…]]`.
    Link(String),
    File(VaultPath),
    /// Without `#`; equal to a text with or without it.
    Tag(String),
}

/// A date, with or without a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Day {
    pub(super) at: DateTime,
    pub(super) has_time: bool,
}

impl Val {
    pub(super) fn of(value: &Value, zone: &TimeZone) -> Val {
        match value {
            Value::Null => Val::Null,
            Value::Bool(value) => Val::Bool(*value),
            Value::Number(text) => Number::parse(text).map_or_else(|| Val::Text(text.clone()), Val::Number),
            Value::Text(text) => Day::parse(text, zone).map_or_else(|| Val::Text(text.clone()), Val::Date),
            Value::Link(inner) => Val::Link(inner.clone()),
            Value::List(items) => Val::List(items.iter().map(|item| Val::of(item, zone)).collect()),
            Value::Map(entries) => {
                Val::Object(entries.iter().map(|(key, value)| (key.clone(), Val::of(value, zone))).collect())
            }
        }
    }

    /// The value to show in a cell.
    pub(super) fn to_value(&self) -> Value {
        match self {
            Val::Null => Value::Null,
            Val::Bool(value) => Value::Bool(*value),
            Val::Number(number) => Value::Number(number.to_string()),
            Val::Text(text) => Value::Text(text.clone()),
            Val::Date(_) | Val::Duration(_) | Val::Tag(_) => Value::Text(self.text()),
            Val::List(items) => Value::List(items.iter().map(Val::to_value).collect()),
            Val::Object(entries) => {
                Value::map(entries.iter().map(|(key, value)| (key.clone(), value.to_value())))
            }
            Val::Link(inner) => Value::Link(inner.clone()),
            Val::File(path) => Value::Link(without_md(path.as_str()).to_owned()),
        }
    }

    /// `toString()`, also used for concatenation.
    pub(super) fn text(&self) -> String {
        match self {
            Val::Null => String::new(),
            Val::Bool(value) => value.to_string(),
            Val::Number(number) => number.to_string(),
            Val::Text(text) => text.clone(),
            Val::Date(day) if day.has_time => day.at.to_string(),
            Val::Date(day) => day.at.date().to_string(),
            Val::Duration(duration) => duration.to_string(),
            Val::List(items) => items.iter().map(Val::text).collect::<Vec<_>>().join(", "),
            Val::Object(_) => self.to_value().display(),
            Val::Link(inner) => format!("[[{inner}]]"),
            Val::File(path) => path.as_str().to_owned(),
            Val::Tag(tag) => format!("#{tag}"),
        }
    }

    pub(super) fn is_truthy(&self) -> bool {
        match self {
            Val::Null => false,
            Val::Bool(value) => *value,
            Val::Number(number) => *number != Number::from(0),
            Val::Text(text) => !text.is_empty(),
            Val::List(items) => !items.is_empty(),
            Val::Object(entries) => !entries.is_empty(),
            Val::Date(_) | Val::Duration(_) | Val::Link(_) | Val::File(_) | Val::Tag(_) => true,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Val::Null => true,
            Val::Text(text) => text.is_empty(),
            Val::List(items) => items.is_empty(),
            Val::Object(entries) => entries.is_empty(),
            _ => false,
        }
    }

    /// The type's name in `isType()` and in messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Val::Null => "null",
            Val::Bool(_) => "boolean",
            Val::Number(_) => "number",
            Val::Text(_) | Val::Tag(_) => "string",
            Val::Date(_) => "date",
            Val::Duration(_) => "duration",
            Val::List(_) => "list",
            Val::Object(_) => "object",
            Val::Link(_) => "link",
            Val::File(_) => "file",
        }
    }

    /// `==`; `resolve` maps a link to its file, and instants are compared in the zone. Values of different
    /// kinds are equal if one is the text of the other.
    pub(super) fn equals(
        &self,
        other: &Val,
        zone: &TimeZone,
        resolve: &dyn Fn(&str) -> Option<VaultPath>,
    ) -> bool {
        match (self, other) {
            (Val::List(a), Val::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b, zone, resolve))
            }
            (Val::Link(a), Val::Link(b)) => match (resolve(a), resolve(b)) {
                (None, None) => same_link(a, b),
                (a, b) => a == b,
            },
            (Val::Link(link), Val::File(path)) | (Val::File(path), Val::Link(link)) => resolve(link)
                .map_or_else(|| same_link(link, without_md(path.as_str())), |found| found == *path),
            (Val::Link(link), Val::Text(text)) | (Val::Text(text), Val::Link(link)) => {
                match Value::from_text(text) {
                    Value::Link(inner) => same_link(link, &inner),
                    _ => target(link) == text,
                }
            }
            (Val::Tag(tag), Val::Text(other) | Val::Tag(other)) | (Val::Text(other), Val::Tag(tag)) => {
                folded(tag) == folded(other.trim_start_matches('#'))
            }
            (Val::Date(day), Val::Text(text)) | (Val::Text(text), Val::Date(day)) => {
                Day::parse(text, zone).is_some_and(|other| other.at == day.at)
            }
            (Val::Date(a), Val::Date(b)) => a.at == b.at,
            (Val::Number(number), Val::Text(text)) | (Val::Text(text), Val::Number(number)) => {
                Number::parse(text.trim()).is_some_and(|other| other == *number)
            }
            (Val::Bool(value), Val::Text(text)) | (Val::Text(text), Val::Bool(value)) => {
                *text == value.to_string()
            }
            (Val::Duration(duration), Val::Number(number))
            | (Val::Number(number), Val::Duration(duration)) => {
                duration.milliseconds().is_some_and(|milliseconds| Number::from(milliseconds) == *number)
            }
            (a, b) => a == b,
        }
    }

    /// The order for `<` and the like; `None` if there is none, which makes all comparisons false.
    pub(super) fn order(&self, other: &Val, zone: &TimeZone) -> Option<Ordering> {
        match (self, other) {
            (Val::Number(a), Val::Number(b)) => Some(a.cmp(b)),
            (Val::Date(a), Val::Date(b)) => Some(a.at.cmp(&b.at)),
            (Val::Text(a), Val::Text(b)) => Some(a.cmp(b)),
            (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(b)),
            (Val::Date(day), Val::Text(text)) => Some(day.at.cmp(&Day::parse(text, zone)?.at)),
            (Val::Number(number), Val::Text(text)) => Some(number.cmp(&Number::parse(text.trim())?)),
            (Val::Duration(a), Val::Duration(b)) => Some(a.milliseconds()?.cmp(&b.milliseconds()?)),
            (Val::Number(number), Val::Duration(duration)) => {
                Some(number.cmp(&Number::from(duration.milliseconds()?)))
            }
            (Val::Text(_), Val::Date(_) | Val::Number(_)) | (Val::Duration(_), Val::Number(_)) => {
                other.order(self, zone).map(Ordering::reverse)
            }
            _ => None,
        }
    }

    /// Sort key for rows; empty for a missing value.
    pub(super) fn sort_key(&self) -> Vec<Scalar> {
        let scalar = |val: &Val| {
            Some(match val {
                Val::Null | Val::List(_) | Val::Object(_) => return None,
                Val::Bool(value) => Scalar::Bool(*value),
                Val::Number(number) => Scalar::Number(number.clone()),
                Val::Date(day) => Scalar::Moment(day.at),
                Val::Duration(duration) => Scalar::Number(Number::from(duration.milliseconds()?)),
                Val::Text(text) | Val::Tag(text) => Scalar::Text(folded(text)),
                Val::Link(inner) => Scalar::Text(folded(link_name(inner))),
                Val::File(path) => Scalar::Text(folded(path.name())),
            })
        };
        match self {
            Val::List(items) => items.iter().filter_map(scalar).collect(),
            single => scalar(single).into_iter().collect(),
        }
    }

    /// Approximate size in bytes; stops counting at `limit`.
    pub(super) fn weight(&self, limit: usize) -> usize {
        let mut total: usize = 16;
        let mut add = |val: &Val, name: usize| {
            if total < limit {
                total = total.saturating_add(name).saturating_add(val.weight(limit - total));
            }
        };
        match self {
            Val::Text(text) | Val::Link(text) | Val::Tag(text) => total += text.len(),
            Val::List(items) => items.iter().for_each(|item| add(item, 0)),
            Val::Object(entries) => entries.iter().for_each(|(key, value)| add(value, key.len())),
            _ => {}
        }
        total
    }
}

impl Day {
    pub(super) fn parse(text: &str, zone: &TimeZone) -> Option<Day> {
        let moment = Moment::parse(text)?;
        Some(Day { at: moment.civil(zone), has_time: !matches!(moment, Moment::Date(_)) })
    }
}

/// A link's target, without its display text.
pub(super) fn target(inner: &str) -> &str {
    inner.split('|').next().unwrap_or(inner).trim()
}

fn same_link(a: &str, b: &str) -> bool {
    folded(without_md(target(a))) == folded(without_md(target(b)))
}

fn without_md(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}
