//! Computes the days of a recurring entry.

use nova_skill::Date;
use nova_skill::figures::Days;
use nova_skill::jiff::ToSpan;

/// The interval of a recurring entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Every {
    Week,
    Month,
    Year,
}

impl Every {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Week => "weekly",
            Self::Month => "monthly",
            Self::Year => "yearly",
        }
    }

    /// Parses the property's value; `None` for `none`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "weekly" => Some(Self::Week),
            "monthly" => Some(Self::Month),
            "yearly" => Some(Self::Year),
            _ => None,
        }
    }
}

/// The days in `days` on which an entry starting on `first` falls, in order; `until` is its last possible
/// day. Without `every`, the only day is `first`.
///
/// Each day is computed from `first`, not from its predecessor: the 31st becomes the last day of a shorter
/// month and is the 31st again afterwards; 29 February becomes the 28th in common years.
pub(crate) fn occurrences(first: Date, every: Option<Every>, until: Option<Date>, days: Days) -> Vec<Date> {
    let last = until.map_or(days.last, |until| until.min(days.last));
    let Some(every) = every else {
        // A single entry has no end, so `until` is ignored.
        return if days.contain(first) { vec![first] } else { Vec::new() };
    };
    // Skips to the first occurrence that can be in the span: old entries cost no more than new ones.
    let skipped = match every {
        Every::Week => first.until(days.first).map_or(0, |span| span.get_days().max(0)) / 7,
        Every::Month => {
            let years = i32::from(days.first.year()) - i32::from(first.year());
            (years * 12 + i32::from(days.first.month()) - i32::from(first.month())).max(0)
        }
        Every::Year => (i32::from(days.first.year()) - i32::from(first.year())).max(0),
    };
    (skipped..)
        .map_while(|n| {
            let span = match every {
                Every::Week => n.checked_mul(7)?.days(),
                Every::Month => n.months(),
                Every::Year => n.years(),
            };
            first.checked_add(span).ok().filter(|date| *date <= last)
        })
        .filter(|date| *date >= days.first)
        .collect()
}

#[cfg(test)]
mod tests {
    use nova_skill::jiff::civil::date;

    use super::*;

    /// `first` and `until` are dates, the span its first and last day.
    #[track_caller]
    fn check(first: &str, every: &str, until: &str, span: [&str; 2], days: &[&str]) {
        let parse = |text: &str| text.parse::<Date>().expect("a date");
        let until = (!until.is_empty()).then(|| parse(until));
        let span = Days { first: parse(span[0]), last: parse(span[1]) };
        let found: Vec<String> = occurrences(parse(first), Every::parse(every), until, span)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found, days, "{first} {every} until {until:?}");
    }

    const FEBRUARY: [&str; 2] = ["2026-02-01", "2026-02-28"];
    const MARCH: [&str; 2] = ["2026-03-01", "2026-03-31"];

    #[test]
    fn month_end_is_preserved() {
        check("2026-01-31", "monthly", "", FEBRUARY, &["2026-02-28"]);
        check("2026-01-31", "monthly", "", MARCH, &["2026-03-31"]);
        check("2024-01-31", "monthly", "", ["2024-02-01", "2024-02-29"], &["2024-02-29"]);
        check("2026-01-31", "monthly", "", ["2026-04-01", "2026-04-30"], &["2026-04-30"]);
        check("2024-02-29", "yearly", "", FEBRUARY, &["2026-02-28"]);
        check("2024-02-29", "yearly", "", ["2028-02-01", "2028-02-29"], &["2028-02-29"]);
    }

    #[test]
    fn weekly_entry_ignores_month_boundaries() {
        check(
            "2026-02-05",
            "weekly",
            "",
            FEBRUARY,
            &["2026-02-05", "2026-02-12", "2026-02-19", "2026-02-26"],
        );
        check("2026-02-05", "weekly", "", MARCH, &["2026-03-05", "2026-03-12", "2026-03-19", "2026-03-26"]);
        check("1999-12-31", "weekly", "", ["2026-11-20", "2026-11-21"], &["2026-11-20"]);
    }

    #[test]
    fn occurrences_are_within_first_and_until() {
        check("2026-02-10", "monthly", "", ["2026-01-01", "2026-01-31"], &[]);
        check("2026-02-10", "monthly", "2026-03-09", MARCH, &[]);
        check("2026-02-10", "monthly", "2026-03-10", MARCH, &["2026-03-10"]);
        check("2026-02-10", "none", "", FEBRUARY, &["2026-02-10"]);
        check("2026-02-10", "none", "2026-01-01", FEBRUARY, &["2026-02-10"]);
        check("2026-02-10", "none", "", MARCH, &[]);
        check("2026-03-10", "yearly", "", MARCH, &["2026-03-10"]);
    }

    #[test]
    fn long_span_has_every_occurrence() {
        let span = Days { first: date(2026, 1, 1), last: date(2026, 12, 31) };
        assert_eq!(occurrences(date(2025, 6, 30), Some(Every::Month), None, span).len(), 12);
    }
}
