use nova_skill::jiff::{Span, ToSpan as _};
use nova_skill::{Date, JsonSchema, schemars};
use serde::Deserialize;

/// What a chart of one share shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) enum ChartRange {
    #[serde(rename = "1d")]
    Day,
    #[serde(rename = "1m")]
    Month,
    #[serde(rename = "6m")]
    HalfYear,
    #[serde(rename = "1y")]
    Year,
    #[serde(rename = "5y")]
    FiveYears,
    #[serde(rename = "all")]
    All,
}

impl ChartRange {
    /// The range of its closes; `None` for prices within a day.
    pub(crate) fn closes(self) -> Option<Range> {
        match self {
            Self::Day => None,
            Self::Month => Some(Range::Month),
            Self::HalfYear => Some(Range::HalfYear),
            Self::Year => Some(Range::Year),
            Self::FiveYears => Some(Range::FiveYears),
            Self::All => Some(Range::All),
        }
    }
}

/// How far back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
pub(crate) enum Range {
    #[serde(rename = "1m")]
    Month,
    #[serde(rename = "6m")]
    HalfYear,
    #[default]
    #[serde(rename = "1y")]
    Year,
    #[serde(rename = "5y")]
    FiveYears,
    #[serde(rename = "all")]
    All,
}

impl Range {
    /// Its first day.
    pub(crate) fn begins(self, day: Date) -> Date {
        let back: Span = match self {
            Self::Month => 1.month(),
            Self::HalfYear => 6.months(),
            Self::Year => 1.year(),
            Self::FiveYears => 5.years(),
            // Older than any source's data.
            Self::All => 60.years(),
        };
        day.saturating_sub(back)
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Month => "1m",
            Self::HalfYear => "6m",
            Self::Year => "1y",
            Self::FiveYears => "5y",
            Self::All => "all",
        }
    }
}

/// Thins a series to at most `most` points, keeping the last of each group.
pub(crate) fn thinned<T>(points: Vec<T>, most: usize) -> Vec<T> {
    let group = points.len().div_ceil(most).max(1);
    let last = points.len().saturating_sub(1);
    let kept = |place: usize| (last - place).is_multiple_of(group);
    points.into_iter().enumerate().filter(|(place, _)| kept(*place)).map(|(_, point)| point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_of_decades_is_thinned_and_ends_today() {
        let points = thinned((0..10_000).collect(), 300);
        assert!((150..=300).contains(&points.len()), "{}", points.len());
        assert_eq!(points.last(), Some(&9_999));
        assert_eq!(thinned((0..300).collect::<Vec<_>>(), 300).len(), 300);
        assert!(thinned(Vec::<i32>::new(), 300).is_empty());
    }
}
