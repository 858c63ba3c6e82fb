use jiff::civil::Date;
use nova_figures::days_between;

/// Number of days without a close after which a share still counts as listed. Exchange holidays are shorter.
pub const LISTED_DAYS: i64 = 10;

/// The daily bars of one share as columns, oldest first: the input of indicators and back-tests.
///
/// Prices are adjusted to the shares of the day of the fetch, as in [`crate::History`]. All columns have
/// equal length; a value that no source reported is NaN. These are the only amounts held as floats:
/// statistics are estimates, and a price that is shown is the decimal of its source.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Daily {
    pub days: Vec<Date>,
    pub open: Vec<f64>,
    pub high: Vec<f64>,
    pub low: Vec<f64>,
    pub close: Vec<f64>,
    pub volume: Vec<f64>,
    /// Date and ratio (new shares per old one).
    pub splits: Vec<(Date, f64)>,
    /// Ex-date and amount per share, oldest first.
    pub dividends: Vec<(Date, f64)>,
}

impl Daily {
    pub fn len(&self) -> usize {
        self.days.len()
    }

    pub fn is_empty(&self) -> bool {
        self.days.is_empty()
    }

    /// The indices of the days before which closes are missing: a gap is longer than any holiday.
    pub fn holes(&self) -> Vec<usize> {
        let gaps = self.days.windows(2).enumerate();
        gaps.filter(|(_, pair)| is_hole(pair[0], pair[1])).map(|(place, _)| place + 1).collect()
    }

    /// Drops the days from an index on.
    pub fn truncate(&mut self, length: usize) {
        self.days.truncate(length);
        for column in [&mut self.open, &mut self.high, &mut self.low, &mut self.close, &mut self.volume] {
            column.truncate(length);
        }
    }

    /// The index of the last day that is not after `day`.
    pub fn place(&self, day: Date) -> Option<usize> {
        self.days.partition_point(|known| *known <= day).checked_sub(1)
    }
}

fn is_hole(day: Date, next: Date) -> bool {
    // Days of the next month and year count too much here, which spares most of the exact differences.
    let rough = |day: Date| (i64::from(day.year()) * 12 + i64::from(day.month())) * 31 + i64::from(day.day());
    rough(next) - rough(day) > LISTED_DAYS && days_between(day, next) > LISTED_DAYS
}
