//! Dates, months and date ranges.

use std::fmt;

use jiff::ToSpan;
use jiff::civil::{Date, date};

/// A month of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    year: i16,
    month: i8,
}

/// A date range, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    pub first: Date,
    pub last: Date,
}

impl Month {
    pub fn of(day: Date) -> Self {
        Self { year: day.year(), month: day.month() }
    }

    /// Parses `YYYY-MM`, or a date in the month.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() == 7 { plain_date(&format!("{text}-01")) } else { plain_date(text) }.map(Self::of)
    }

    pub fn days(self) -> Days {
        let first = date(self.year, self.month, 1);
        Days { first, last: first.last_of_month() }
    }

    /// The name without the year: "October".
    pub fn name(self) -> String {
        self.days().first.strftime("%B").to_string()
    }

    /// "October 2026"
    pub fn in_full(self) -> String {
        self.days().first.strftime("%B %-Y").to_string()
    }

    pub fn year(self) -> i16 {
        self.year
    }

    /// December of the same year.
    pub fn last_of_year(self) -> Self {
        Self { month: 12, ..self }
    }

    /// This many months earlier.
    pub fn back(self, months: i32) -> Self {
        let first = self.days().first;
        Self::of(first.checked_sub(months.months()).unwrap_or(first))
    }
}

impl fmt::Display for Month {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:04}-{:02}", self.year, self.month)
    }
}

impl Days {
    pub fn contain(self, date: Date) -> bool {
        self.first <= date && date <= self.last
    }
}

/// Number of days from one date to the other; negative if `to` is earlier.
pub fn days_between(from: Date, to: Date) -> i64 {
    from.until(to).map_or(0, |span| i64::from(span.get_days()))
}

/// Parses exactly `YYYY-MM-DD`.
pub fn plain_date(text: &str) -> Option<Date> {
    let shape = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    shape.then(|| text.parse().ok()).flatten()
}

/// The quarter that contains a date.
pub fn quarter_of(day: Date) -> Days {
    let first = (day.month() - 1) / 3 * 3 + 1;
    Days { first: date(day.year(), first, 1), last: date(day.year(), first + 2, 1).last_of_month() }
}

/// "12 Nov"
pub fn day_and_month(day: Date) -> String {
    day.strftime("%-d %b").to_string()
}
