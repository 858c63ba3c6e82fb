//! Comparable values: numbers by value, dates by the calendar, everything else as text without case.

use std::cmp::Ordering;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};

use super::number::Number;
use crate::note::{Value, folded};

/// A single value prepared for comparison. Different kinds are never equal; for sorting, kinds are ordered
/// as declared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scalar {
    Number(Number),
    Moment(DateTime),
    Bool(bool),
    /// Folded.
    Text(String),
}

impl Scalar {
    /// `None` for null, lists and mappings.
    pub(crate) fn of(value: &Value, zone: &TimeZone) -> Option<Scalar> {
        Some(match value {
            Value::Null | Value::List(_) | Value::Map(_) => return None,
            Value::Bool(value) => Scalar::Bool(*value),
            Value::Number(text) => match Number::parse(text) {
                Some(number) => Scalar::Number(number),
                None => Scalar::Text(folded(text)),
            },
            Value::Text(text) => match Moment::parse(text) {
                Some(moment) => Scalar::Moment(moment.civil(zone)),
                None => Scalar::Text(folded(text)),
            },
            Value::Link(inner) => Scalar::Text(folded(link_name(inner))),
        })
    }

    /// Sort key of rows; a list is compared item by item. Empty for a missing value.
    pub(crate) fn sort_key(value: &Value, zone: &TimeZone) -> Vec<Scalar> {
        match value {
            Value::List(items) => items.iter().filter_map(|item| Scalar::of(item, zone)).collect(),
            single => Scalar::of(single, zone).into_iter().collect(),
        }
    }
}

/// A date, or a date and time, as in a property: `2026-11-24`, `2026-11-24T10:30`, `2026-11-24 10:30:05`,
/// `2026-11-24T10:30:00+02:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A date only, in the reader's zone.
    Date(Date),
    /// Local time in the reader's zone.
    Civil(DateTime),
    /// An instant, independent of the zone.
    Instant(Timestamp),
}

impl Moment {
    /// Strict about the format, so that no other text is taken for a date.
    pub(crate) fn parse(text: &str) -> Option<Moment> {
        if !text.is_ascii() || !has_shape(text.get(..10)?, "0000-00-00") {
            return None;
        }
        let date: Date = text[..10].parse().ok()?;
        let Some(rest) = text[10..].strip_prefix(['T', 't', ' ']) else {
            return text[10..].is_empty().then_some(Moment::Date(date));
        };
        let end = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
        let civil = date.to_datetime(time(&rest[..end])?);
        match &rest[end..] {
            "" => Some(Moment::Civil(civil)),
            offset => {
                let zone = TimeZone::fixed(self::offset(offset)?);
                Some(Moment::Instant(zone.to_timestamp(civil).ok()?))
            }
        }
    }

    /// A date counts as its midnight.
    pub(crate) fn civil(self, zone: &TimeZone) -> DateTime {
        match self {
            Moment::Date(date) => date.to_datetime(Time::midnight()),
            Moment::Civil(civil) => civil,
            Moment::Instant(instant) => zone.to_datetime(instant),
        }
    }
}

/// A month, `2026-11`, or a year, `2026`, with all its days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Period {
    first: Date,
    last: Date,
}

impl Period {
    pub(crate) fn parse(text: &str) -> Option<Period> {
        let first = |text: String| text.parse::<Date>().ok();
        if has_shape(text, "0000") {
            let first = first(format!("{text}-01-01"))?;
            return Some(Period { first, last: first.last_of_year() });
        }
        if has_shape(text, "0000-00") {
            let first = first(format!("{text}-01"))?;
            return Some(Period { first, last: first.last_of_month() });
        }
        None
    }

    /// Whether the date is before, in or after it.
    pub(crate) fn place_of(self, date: Date) -> Ordering {
        if date < self.first {
            Ordering::Less
        } else if date > self.last {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }
}

fn time(text: &str) -> Option<Time> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let with_seconds = has_shape(clock, "00:00:00");
    let whole = with_seconds || (has_shape(clock, "00:00") && !text.contains('.'));
    let fine = (1..=9).contains(&fraction.len()) && fraction.bytes().all(|b| b.is_ascii_digit());
    if !whole || !fine {
        return None;
    }
    let part = |at: usize| clock.get(at..at + 2).and_then(|part| part.parse::<i8>().ok());
    let seconds = if with_seconds { part(6)? } else { 0 };
    let nanoseconds = format!("{fraction:0<9}").parse().ok()?;
    Time::new(part(0)?, part(3)?, seconds, nanoseconds).ok()
}

fn offset(text: &str) -> Option<Offset> {
    if matches!(text, "Z" | "z") {
        return Some(Offset::UTC);
    }
    let digits = text.get(1..)?.replacen(':', "", 1);
    if !(has_shape(&digits, "0000") || has_shape(&digits, "00")) {
        return None;
    }
    let part = |at: usize| digits.get(at..at + 2).map_or(Some(0), |part| part.parse::<i32>().ok());
    let (hours, minutes) = (part(0)?, part(2)?);
    let seconds = (hours * 60 + minutes) * 60;
    let valid = hours < 24 && minutes < 60;
    Offset::from_seconds(if text.starts_with('-') { -seconds } else { seconds }).ok().filter(|_| valid)
}

/// Whether `text` has digits where the shape has zeros, and is otherwise equal to it.
fn has_shape(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, expected)| match expected {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        })
}

/// The note's name in the content of a link: `CRM/Companies/Quillon Labs#Log|Quillon` names `Quillon Labs`.
pub(crate) fn link_name(inner: &str) -> &str {
    let target = inner.split(['|', '#']).next().unwrap_or(inner).trim();
    // `[[#Heading]]` points into its own note, so only the heading can name it.
    let target = if target.is_empty() { inner } else { target };
    let name = target.rsplit_once('/').map_or(target, |(_, name)| name);
    name.strip_suffix(".md").unwrap_or(name)
}
