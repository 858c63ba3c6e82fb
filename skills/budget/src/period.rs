//! Months and spans of days.

use std::fmt;

use nova_skill::{Date, ToolError, jiff::ToSpan};

/// A month of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Month {
    year: i16,
    month: i8,
}

/// From the first to the last day, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Days {
    pub(crate) first: Date,
    pub(crate) last: Date,
}

impl Month {
    pub(crate) fn of(date: Date) -> Self {
        Self { year: date.year(), month: date.month() }
    }

    /// `YYYY-MM`; a date counts for its month, `today` and nothing for this month.
    pub(crate) fn parse(argument: &str, text: &str, today: Date) -> Result<Self, ToolError> {
        let text = text.trim();
        if text.is_empty() || text == "today" {
            return Ok(Self::of(today));
        }
        let day = if text.len() == 7 { format!("{text}-01") } else { text.to_owned() };
        plain_date(&day).map(Self::of).ok_or_else(|| ToolError::InvalidArguments {
            path: format!("/{argument}"),
            rule: format!("\"{text}\" is not a month YYYY-MM"),
            allowed: Vec::new(),
        })
    }

    pub(crate) fn days(self) -> Days {
        let first = nova_skill::jiff::civil::date(self.year, self.month, 1);
        Days { first, last: first.last_of_month() }
    }

    /// "October"; for who knows the year.
    pub(crate) fn name(self) -> &'static str {
        const NAMES: [&str; 12] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        usize::try_from(self.month - 1).ok().and_then(|at| NAMES.get(at)).copied().unwrap_or_default()
    }

    /// "October 2026"
    pub(crate) fn in_full(self) -> String {
        format!("{} {}", self.name(), self.year)
    }

    pub(crate) fn year(self) -> i16 {
        self.year
    }

    /// December of its year.
    pub(crate) fn last_of_year(self) -> Self {
        Self { month: 12, ..self }
    }

    /// So many months earlier.
    pub(crate) fn back(self, months: i32) -> Self {
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
    pub(crate) fn contain(self, date: Date) -> bool {
        self.first <= date && date <= self.last
    }
}

/// `YYYY-MM-DD` and nothing else.
pub(crate) fn plain_date(text: &str) -> Option<Date> {
    let shape = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    shape.then(|| text.parse().ok()).flatten()
}
