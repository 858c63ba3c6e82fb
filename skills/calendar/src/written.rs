//! Times in the arguments of tools, and in notes.

use nova_skill::figures::plain_date;
use nova_skill::jiff::civil::{Date, DateTime, Time};
use nova_skill::jiff::{SignedDuration, ToSpan};
use nova_skill::serde_json::Map;
use nova_skill::{ToolError, Value, json};

use crate::note::clock;
use crate::period::invalid;

/// A given time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    Day(Date),
    At(DateTime),
    /// On a day that is known from elsewhere.
    Clock(Time),
}

impl Given {
    /// `2026-11-24`, `2026-11-24T09:30`, `09:30`.
    ///
    /// # Errors
    /// `InvalidArguments`.
    pub(crate) fn parse(argument: &str, text: &str) -> Result<Self, ToolError> {
        let text = text.trim();
        let read = match text.split_once(['T', ' ']) {
            Some((day, time)) if plain_date(day).is_some() => {
                plain_date(day).zip(clock(time)).map(|(day, time)| Self::At(day.to_datetime(time)))
            }
            _ => plain_date(text).map(Self::Day).or_else(|| clock(text).map(Self::Clock)),
        };
        read.ok_or_else(|| {
            invalid(
                argument,
                &format!(
                    "\"{text}\" is neither a day such as 2026-11-24 nor a time such as 2026-11-24T09:30"
                ),
            )
        })
    }
}

/// The time of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stretch {
    /// Whole days, the last one included.
    Days(Date, Date),
    /// An hour long without an end.
    Times(DateTime, Option<DateTime>),
}

impl Stretch {
    /// # Errors
    /// `InvalidArguments` if the end is before the start, or one of them is a day and the other a time.
    pub(crate) fn of(start: Given, end: Option<Given>) -> Result<Self, ToolError> {
        let backwards = || invalid("/end", "is before the start");
        match (start, end) {
            (Given::Clock(_), _) => Err(invalid("/start", "needs the day, such as 2026-11-24T09:30")),
            (Given::Day(first), None) => Ok(Self::Days(first, first)),
            (Given::Day(first), Some(Given::Day(last))) if last >= first => Ok(Self::Days(first, last)),
            (Given::Day(_), Some(Given::Day(_))) => Err(backwards()),
            (Given::Day(_), Some(_)) => Err(invalid("/end", "must be a day, because the start is one")),
            (Given::At(start), None) => Ok(Self::Times(start, None)),
            (Given::At(start), Some(Given::At(end))) if end >= start => Ok(Self::Times(start, Some(end))),
            (Given::At(_), Some(Given::At(_))) => Err(backwards()),
            // An end before the start is on the next day.
            (Given::At(start), Some(Given::Clock(end))) => {
                let same_day = start.date().to_datetime(end);
                let end = if same_day < start { same_day.saturating_add(1.day()) } else { same_day };
                Ok(Self::Times(start, Some(end)))
            }
            (Given::At(_), Some(Given::Day(_))) => {
                Err(invalid("/end", "must be a time, because the start is one"))
            }
        }
    }

    /// The time of an event after its start, its end or both moved.
    ///
    /// # Errors
    /// As [`Stretch::of`].
    pub(crate) fn moved(
        old_start: DateTime,
        whole_days: bool,
        length: SignedDuration,
        start: Option<Given>,
        end: Option<Given>,
    ) -> Result<Self, ToolError> {
        let at = |day: DateTime, given: Given| match given {
            Given::Clock(time) => Given::At(day.date().to_datetime(time)),
            given => given,
        };
        let start = match start {
            Some(start) => at(old_start, start),
            None if whole_days => Given::Day(old_start.date()),
            None => Given::At(old_start),
        };
        let end = match (end, start) {
            (Some(end), _) => Some(end),
            // The length stays, unless whole days become times or vice versa.
            (None, Given::Day(first)) if whole_days => {
                let days = length.as_hours() / 24 - 1;
                Some(Given::Day(first.saturating_add(days.days())))
            }
            (None, Given::At(start)) if !whole_days => Some(Given::At(start.saturating_add(length))),
            (None, _) => None,
        };
        Self::of(start, end)
    }

    /// The fields of a single event, null for those to remove.
    pub(crate) fn once(self) -> Map<String, Value> {
        let (first, last) = self.days();
        let mut fields = self.times();
        fields.insert("date".into(), json!(first.to_string()));
        fields.insert("endDate".into(), if last == first { Value::Null } else { json!(last.to_string()) });
        fields
    }

    /// The fields of one instance of a recurring event.
    ///
    /// # Errors
    /// `InvalidArguments` if an instance is longer than a day.
    pub(crate) fn recurring(self) -> Result<Map<String, Value>, ToolError> {
        let longer = match self {
            Self::Days(first, last) => last > first,
            Self::Times(start, end) => end.is_some_and(|end| {
                end > start.saturating_add(1.day()) || end.date() > start.date() && end.time() >= start.time()
            }),
        };
        if longer {
            return Err(invalid("/end", "a recurring event lasts at most a day"));
        }
        Ok(self.times())
    }

    pub(crate) fn days(self) -> (Date, Date) {
        match self {
            Self::Days(first, last) => (first, last),
            Self::Times(start, end) => (start.date(), end.unwrap_or(start).date()),
        }
    }

    fn times(self) -> Map<String, Value> {
        let text = |at: DateTime| json!(at.strftime("%H:%M").to_string());
        let (start, end, whole) = match self {
            Self::Days(..) => (Value::Null, Value::Null, json!(true)),
            Self::Times(start, end) => (text(start), end.map_or(Value::Null, text), Value::Null),
        };
        [("startTime", start), ("endTime", end), ("allDay", whole)]
            .map(|(field, value)| (field.to_owned(), value))
            .into_iter()
            .collect()
    }
}

/// A text on one line.
///
/// # Errors
/// `InvalidArguments` if it is empty or has several lines.
pub(crate) fn line(argument: &str, text: &str) -> Result<String, ToolError> {
    let text = text.trim();
    if text.is_empty() || text.contains(char::is_control) {
        return Err(invalid(argument, "must be one line of text"));
    }
    Ok(text.to_owned())
}
