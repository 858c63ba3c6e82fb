//! Sliding window summaries in constant time per value.

use super::known;

/// An associative summary of values. Values are only added and summaries joined, never subtracted, so that a
/// value that has left the window leaves no rounding error behind.
pub(super) trait Summary: Copy {
    const EMPTY: Self;

    fn with(self, value: f64) -> Self;

    fn joined(self, later: Self) -> Self;
}

/// Calls `each` with every index at which a window of `n` values ends, and its summary.
///
/// The values are divided into blocks of `n`: a window is a suffix of one block and a prefix of the next, and
/// each suffix and prefix is summarised once (van Herk 1992; Gil and Werman 1993).
pub(super) fn windows<S: Summary>(values: &[f64], n: usize, mut each: impl FnMut(usize, S)) {
    if n == 0 || n > values.len() {
        return;
    }
    // Suffix summaries of the previous block.
    let mut ends = vec![S::EMPTY; n];
    for (number, block) in values.chunks(n).enumerate() {
        let mut beginning = S::EMPTY;
        for (place, (value, end)) in block.iter().zip(&ends).enumerate() {
            beginning = beginning.with(*value);
            if number > 0 || place + 1 == n {
                each(number * n + place, end.joined(beginning));
            }
        }
        let mut end = S::EMPTY;
        for (value, after) in block.iter().zip(&mut ends).rev() {
            *after = end;
            end = end.with(*value);
        }
    }
}

/// One result per index; NaN where there is none.
pub(super) fn column<S: Summary>(values: &[f64], n: usize, result: impl Fn(S) -> f64) -> Vec<f64> {
    let mut column = vec![f64::NAN; values.len()];
    windows(values, n, |place, summary| column[place] = known(result(summary)));
    column
}

/// A sum with its rounding error (Knuth's TwoSum).
#[derive(Clone, Copy)]
pub(super) struct Mean {
    sum: f64,
    lost: f64,
}

impl Summary for Mean {
    const EMPTY: Self = Self { sum: 0.0, lost: 0.0 };

    fn with(self, value: f64) -> Self {
        self.joined(Self { sum: value, lost: 0.0 })
    }

    fn joined(self, later: Self) -> Self {
        let sum = self.sum + later.sum;
        let added = sum - self.sum;
        let lost = (self.sum - (sum - added)) + (later.sum - added);
        Self { sum, lost: self.lost + later.lost + lost }
    }
}

impl Mean {
    /// The mean of `n` values, exact if all are equal, so that a constant price is neither above nor below
    /// its average.
    pub(super) fn of(self, n: usize) -> f64 {
        /// Splits a float into halves with exact products (Dekker).
        const HALVES: f64 = 134_217_729.0;
        let count = n as f64;
        let mean = self.sum / count;
        let wide = mean * HALVES;
        let upper = wide - (wide - mean);
        let rest = (self.sum - upper * count) - (mean - upper) * count + self.lost;
        mean + rest / count
    }
}

/// Count, mean, and sum of squared deviations (Chan, Golub and LeVeque 1979).
#[derive(Clone, Copy)]
pub(super) struct Deviation {
    count: f64,
    pub(super) mean: f64,
    squares: f64,
}

impl Summary for Deviation {
    const EMPTY: Self = Self { count: 0.0, mean: 0.0, squares: 0.0 };

    fn with(self, value: f64) -> Self {
        let count = self.count + 1.0;
        // Computed separately, so that the division does not wait for the mean.
        let share = 1.0 / count;
        let distance = value - self.mean;
        let mean = self.mean + distance * share;
        Self { count, mean, squares: self.squares + distance * (value - mean) }
    }

    fn joined(self, later: Self) -> Self {
        let count = self.count + later.count;
        let distance = later.mean - self.mean;
        let share = later.count / count;
        Self {
            count,
            mean: self.mean + distance * share,
            squares: self.squares + later.squares + distance * distance * self.count * share,
        }
    }
}

impl Deviation {
    pub(super) fn of_population(self) -> f64 {
        (self.squares / self.count).sqrt()
    }

    pub(super) fn of_sample(self) -> f64 {
        (self.squares / (self.count - 1.0)).sqrt()
    }
}

/// The maximum, or with `LOW` the minimum.
#[derive(Clone, Copy)]
pub(super) struct Extreme<const LOW: bool>(pub(super) f64);

impl<const LOW: bool> Summary for Extreme<LOW> {
    const EMPTY: Self = Self(if LOW { f64::INFINITY } else { f64::NEG_INFINITY });

    fn with(self, value: f64) -> Self {
        // An infinite value counts as unknown, as elsewhere.
        self.joined(Self(known(value)))
    }

    fn joined(self, later: Self) -> Self {
        let first = if LOW { self.0 < later.0 } else { self.0 > later.0 };
        // Unlike `f64::max`, NaN propagates.
        if first || self.0.is_nan() { self } else { later }
    }
}
