//! Parses birthdays and contact cadences.

use std::fmt;

use nova_skill::figures::plain_date;
use nova_skill::jiff::civil::Date;
use nova_skill::jiff::{Span, ToSpan as _};

/// A month and day, with the year if known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Birthday {
    year: Option<i16>,
    month: i8,
    day: i8,
}

impl Birthday {
    /// Parses `1990-03-14`, `--03-14` or `03-14`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(date) = plain_date(text) {
            return Some(Self { year: Some(date.year()), month: date.month(), day: date.day() });
        }
        // Parsed in a leap year, so that 29 February is valid.
        let date = plain_date(&format!("2000-{}", text.strip_prefix("--").unwrap_or(text)))?;
        Some(Self { year: None, month: date.month(), day: date.day() })
    }

    /// The next occurrence on or after `from`; 29 February falls on the 28th in common years.
    pub(crate) fn next(self, from: Date) -> Option<Date> {
        [from.year(), from.year().checked_add(1)?]
            .into_iter()
            .filter_map(|year| {
                Date::new(year, self.month, self.day)
                    .or_else(|_| Date::new(year, self.month, self.day - 1))
                    .ok()
            })
            .find(|date| *date >= from)
    }

    /// The age reached on a birthday; `None` if the year is unknown or the age is not positive.
    pub(crate) fn age(self, on: Date) -> Option<i16> {
        on.year().checked_sub(self.year?).filter(|age| *age > 0)
    }
}

/// The interval at which to contact somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cadence {
    number: i32,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

/// The units by their names in the languages of the manifest, with the multiple each stands for.
const UNITS: [(&[&str], i32, Unit); 5] = [
    (
        &["day", "days", "daily", "tag", "tage", "täglich", "jour", "jours", "día", "días", "dag", "dagen"],
        1,
        Unit::Day,
    ),
    (
        &[
            "week",
            "weeks",
            "weekly",
            "woche",
            "wochen",
            "wöchentlich",
            "semaine",
            "semaines",
            "semana",
            "semanas",
            "weken",
        ],
        1,
        Unit::Week,
    ),
    (
        &[
            "month",
            "months",
            "monthly",
            "monat",
            "monate",
            "monatlich",
            "mois",
            "mes",
            "meses",
            "maand",
            "maanden",
        ],
        1,
        Unit::Month,
    ),
    (&["quarter", "quarters", "quarterly", "quartal", "trimestre", "kwartaal"], 3, Unit::Month),
    (
        &[
            "year",
            "years",
            "yearly",
            "annually",
            "jahr",
            "jahre",
            "jährlich",
            "an",
            "ans",
            "année",
            "año",
            "años",
            "jaar",
        ],
        1,
        Unit::Year,
    ),
];

/// Optional words before the number.
const PREFIX_WORDS: [&str; 9] = ["every", "each", "alle", "jede", "jeden", "tous", "toutes", "cada", "elke"];

/// A greater number is taken for a typing error.
const MAX_NUMBER: i32 = 1000;

impl Cadence {
    /// Parses "2 weeks", "every month" or "quarterly".
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.to_lowercase();
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if words.first().is_some_and(|word| PREFIX_WORDS.contains(word)) {
            words.remove(0);
        }
        let (number, word) = match words[..] {
            [word] => (1, word),
            [number, word] => (number.parse().ok().filter(|number| (1..=MAX_NUMBER).contains(number))?, word),
            _ => return None,
        };
        let (_, times, unit) = UNITS.iter().find(|(words, ..)| words.contains(&word))?;
        Some(Self { number: number * times, unit: *unit })
    }

    /// The due date that follows `day`. A day that the target month lacks becomes its last day.
    pub(crate) fn after(self, day: Date) -> Date {
        let span: Span = match self.unit {
            Unit::Day => self.number.days(),
            Unit::Week => self.number.weeks(),
            Unit::Month => self.number.months(),
            Unit::Year => self.number.years(),
        };
        day.saturating_add(span)
    }
}

impl fmt::Display for Cadence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Day => "day",
            Unit::Week => "week",
            Unit::Month => "month",
            Unit::Year => "year",
        };
        match self.number {
            1 => write!(out, "every {unit}"),
            number => write!(out, "every {number} {unit}s"),
        }
    }
}
