use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday};
use nova_figures::days_between;

use crate::QUOTE_DAYS;

/// How current a price is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Age {
    /// Of the same day, or of the last weekday before.
    Fresh,
    /// At least one weekday has passed since.
    Old,
    /// Older than a week.
    VeryOld,
}

impl Age {
    /// The value of `stale` in a row; null if fresh.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Fresh => None,
            Self::Old => Some("old"),
            Self::VeryOld => Some("very_old"),
        }
    }
}

/// Markets are closed at weekends: a Friday's close is fresh until Monday's is available.
pub fn age(date: Date, day: Date) -> Age {
    let days = days_between(date, day);
    if days > QUOTE_DAYS {
        return Age::VeryOld;
    }
    let gone_by = (1..days).filter_map(|after| date.checked_add(after.days()).ok());
    let weekday = |day: Date| !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
    if gone_by.into_iter().any(weekday) { Age::Old } else { Age::Fresh }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(date: &str, day: &str, expected: Age) {
        let parse = |text: &str| text.parse().expect("a date");
        assert_eq!(age(parse(date), parse(day)), expected, "{date} seen on {day}");
    }

    #[test]
    fn price_is_old_after_a_weekday() {
        check("2026-11-20", "2026-11-20", Age::Fresh);
        check("2026-11-19", "2026-11-20", Age::Fresh);
        check("2026-11-18", "2026-11-20", Age::Old);
        // Friday to Sunday, to Monday, to Tuesday.
        check("2026-11-20", "2026-11-22", Age::Fresh);
        check("2026-11-20", "2026-11-23", Age::Fresh);
        check("2026-11-20", "2026-11-24", Age::Old);
        check("2026-11-13", "2026-11-20", Age::Old);
        check("2026-11-12", "2026-11-20", Age::VeryOld);
        // A price with a future date; such a price is never chosen.
        check("2026-11-21", "2026-11-20", Age::Fresh);
    }
}
