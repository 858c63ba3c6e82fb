//! Durations added to dates: `"1M"`, `"2 weeks"`, `"1d 4h"`.

use std::fmt;

use jiff::Span;
use jiff::civil::DateTime;

/// Months, days and milliseconds, which are not convertible into one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Duration {
    months: i64,
    days: i64,
    milliseconds: i64,
}

impl Duration {
    /// Parses one or more counts with units, by the table in Obsidian's "Date arithmetic".
    pub(super) fn parse(text: &str) -> Option<Duration> {
        let mut rest = text.trim();
        let mut sum = Duration::default();
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let unsigned = rest.strip_prefix(['-', '+']).unwrap_or(rest);
            let negative = rest.starts_with('-');
            let (count, after) = unsigned.split_at(unsigned.find(|c: char| !c.is_ascii_digit())?);
            let after = after.trim_start();
            let (unit, after) =
                after.split_at(after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len()));
            let count: i64 = count.parse().ok()?;
            let one = Duration::unit(unit)?;
            sum = sum.plus(one.times(if negative { -count } else { count })?)?;
            rest = after.trim_start();
        }
        Some(sum)
    }

    fn unit(unit: &str) -> Option<Duration> {
        let none = Duration::default();
        Some(match unit {
            "y" | "year" | "years" => Duration { months: 12, ..none },
            "M" | "month" | "months" => Duration { months: 1, ..none },
            "w" | "week" | "weeks" => Duration { days: 7, ..none },
            "d" | "day" | "days" => Duration { days: 1, ..none },
            "h" | "hour" | "hours" => Duration { milliseconds: 3_600_000, ..none },
            "m" | "minute" | "minutes" => Duration { milliseconds: 60_000, ..none },
            "s" | "second" | "seconds" => Duration { milliseconds: 1_000, ..none },
            _ => return None,
        })
    }

    pub(super) fn plus(self, other: Duration) -> Option<Duration> {
        Some(Duration {
            months: self.months.checked_add(other.months)?,
            days: self.days.checked_add(other.days)?,
            milliseconds: self.milliseconds.checked_add(other.milliseconds)?,
        })
    }

    pub(super) fn times(self, factor: i64) -> Option<Duration> {
        Some(Duration {
            months: self.months.checked_mul(factor)?,
            days: self.days.checked_mul(factor)?,
            milliseconds: self.milliseconds.checked_mul(factor)?,
        })
    }

    /// Its length, unless it has months, whose length varies.
    pub(super) fn milliseconds(self) -> Option<i64> {
        if self.months != 0 {
            return None;
        }
        self.days.checked_mul(86_400_000)?.checked_add(self.milliseconds)
    }

    pub(super) fn has_time(self) -> bool {
        self.milliseconds != 0
    }

    /// The date after this duration; `None` beyond the years -9999 to 9999.
    pub(super) fn after(self, at: DateTime) -> Option<DateTime> {
        let span = Span::new()
            .try_months(self.months)
            .and_then(|span| span.try_days(self.days))
            .and_then(|span| span.try_milliseconds(self.milliseconds))
            .ok()?;
        at.checked_add(span).ok()
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [(self.months, "M"), (self.days, "d")]
            .into_iter()
            .filter(|(count, _)| *count != 0)
            .map(|(count, unit)| format!("{count}{unit}"))
            .chain((self.milliseconds != 0).then(|| format!("{}s", self.milliseconds / 1000)));
        f.write_str(&parts.collect::<Vec<_>>().join(" "))
    }
}
