//! The events of a calendar, with recurrence, exceptions and overrides.

mod between;
mod recurring;
mod series;

use jiff::Zoned;
use jiff::civil::Date;

use crate::ical::{Calendar, Component, Moment};
use series::Series;

pub use between::Bounds;

/// A calendar prepared for listing its events.
#[derive(Debug, Default)]
pub struct Agenda {
    calendar: Calendar,
    series: Vec<Series>,
    problems: Vec<Problem>,
}

/// An event that cannot be listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// UID of the event; may be empty.
    pub uid: String,
    pub title: Option<String>,
    /// The reason, phrased as half a sentence.
    pub reason: String,
}

/// One occurrence of an event.
#[derive(Debug, Clone)]
pub struct Instance<'a> {
    pub uid: &'a str,
    /// The `VEVENT` that describes it: an override, or the master of the series.
    pub event: &'a Component,
    pub span: Span,
    /// The original start by the recurrence rule (RECURRENCE-ID); `None` for a single event.
    pub recurrence: Option<Moment>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Span {
    /// All-day; `after` is the first day after the event.
    Days { first: Date, after: Date },
    /// `end` is not before `start`.
    Times { start: Zoned, end: Zoned },
}

/// The events in a time range.
#[derive(Debug)]
pub struct Listing<'a> {
    /// Sorted by start, with all-day events first on each day.
    pub instances: Vec<Instance<'a>>,
    /// UIDs of the events that reached a limit: instances of them may be missing.
    pub cut: Vec<&'a str>,
}

impl Agenda {
    /// Each `VCALENDAR` has its own time zones: a TZID may have another definition in the next one.
    pub fn new(calendar: Calendar) -> Self {
        let (series, problems) = series::read(&calendar);
        Self { calendar, series, problems }
    }

    pub fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    /// Events that cannot be listed, in file order.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}
