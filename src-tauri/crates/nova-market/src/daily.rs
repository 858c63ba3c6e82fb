use jiff::civil::Date;

/// The days of one share as columns, oldest first: what indicators and back-tests are computed over.
///
/// Prices are those of one share as there are on the day of the fetch, as in [`crate::History`]. All columns are of
/// equal length; a figure that no source gave is NaN. These are the only floats among the amounts: statistics are
/// estimates, and what is shown of a price is the decimal of its source.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Daily {
    pub days: Vec<Date>,
    pub open: Vec<f64>,
    pub high: Vec<f64>,
    pub low: Vec<f64>,
    pub close: Vec<f64>,
    pub volume: Vec<f64>,
    /// How many shares there are for each one since that day.
    pub splits: Vec<(Date, f64)>,
    /// What was paid for one share, by its ex-day, oldest first.
    pub dividends: Vec<(Date, f64)>,
}

impl Daily {
    pub fn len(&self) -> usize {
        self.days.len()
    }

    pub fn is_empty(&self) -> bool {
        self.days.is_empty()
    }

    /// Leaves out the days from a place on.
    pub fn truncate(&mut self, length: usize) {
        self.days.truncate(length);
        for column in [&mut self.open, &mut self.high, &mut self.low, &mut self.close, &mut self.volume] {
            column.truncate(length);
        }
    }

    /// The place of the last day that is not after `day`.
    pub fn place(&self, day: Date) -> Option<usize> {
        self.days.partition_point(|known| *known <= day).checked_sub(1)
    }
}
