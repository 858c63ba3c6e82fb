//! The events of a calendar, with recurrence, exceptions and overrides.

mod between;
mod recurring;
mod series;

use jiff::Zoned;
use jiff::civil::Date;

use crate::ical::{Calendar, Component, Moment};
use series::Series;

pub use between::Bounds;

/// A calendar whose events are ready to be listed.
#[derive(Debug, Default)]
pub struct Agenda {
    calendar: Calendar,
    series: Vec<Series>,
    problems: Vec<Problem>,
}

/// An event that cannot be listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Of the event; empty where it has none.
    pub uid: String,
    pub title: Option<String>,
    /// What is wrong with it: half a sentence.
    pub reason: String,
}

/// One event at one time.
#[derive(Debug, Clone)]
pub struct Instance<'a> {
    pub uid: &'a str,
    /// The `VEVENT` that describes it: an override, or that of the whole series.
    pub event: &'a Component,
    pub span: Span,
    /// When it starts by the rule of its series; `None` for an event that does not recur.
    pub recurrence: Option<Moment>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Span {
    /// Whole days without a zone; `after` is the first day that is no longer part of it.
    Days { first: Date, after: Date },
    /// `end` is not before `start`.
    Times { start: Zoned, end: Zoned },
}

/// The events between two instants.
#[derive(Debug)]
pub struct Listing<'a> {
    /// By their start; on one day, those of the whole day come first.
    pub instances: Vec<Instance<'a>>,
    /// Bounds were reached: there may be more.
    pub cut: bool,
}

impl Agenda {
    pub fn new(calendar: Calendar) -> Self {
        let (series, problems) = series::read(&calendar);
        Self { calendar, series, problems }
    }

    pub fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    /// Events that are in no listing, by their place in the file.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}
