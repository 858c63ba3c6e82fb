//! Recurrence rules (RFC 5545, 3.3.10) in clock time.

mod days;
mod parse;
mod starts;

use jiff::civil::Weekday;

use crate::ical::Moment;

pub use parse::RuleError;
pub use starts::Starts;

/// One `RRULE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub frequency: Frequency,
    /// At least 1.
    pub interval: i64,
    pub count: Option<u32>,
    /// Inclusive.
    pub until: Option<Moment>,
    pub week_start: Weekday,
    /// Ordinal and weekday, 0 for every one: `2TU` is the second Tuesday, `-1SU` the last Sunday.
    pub by_day: Vec<(i8, Weekday)>,
    pub by_month: Vec<i8>,
    pub by_month_day: Vec<i8>,
    pub by_year_day: Vec<i16>,
    pub by_week: Vec<i8>,
    pub by_hour: Vec<i8>,
    pub by_minute: Vec<i8>,
    pub by_second: Vec<i8>,
    /// BYSETPOS: positions within one period, negative ones counted from its end.
    pub by_place: Vec<i32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Frequency {
    Yearly,
    Monthly,
    Weekly,
    Daily,
    Hourly,
    Minutely,
    Secondly,
}

impl Rule {
    /// A rule with this frequency and no other parts.
    pub fn every(frequency: Frequency) -> Self {
        Self {
            frequency,
            interval: 1,
            count: None,
            until: None,
            week_start: Weekday::Monday,
            by_day: Vec::new(),
            by_month: Vec::new(),
            by_month_day: Vec::new(),
            by_year_day: Vec::new(),
            by_week: Vec::new(),
            by_hour: Vec::new(),
            by_minute: Vec::new(),
            by_second: Vec::new(),
            by_place: Vec::new(),
        }
    }
}
