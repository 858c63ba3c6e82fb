use super::windows::{Deviation, Extreme, Mean, column, windows};
use super::{TRADING_DAYS, known};

/// The simple moving average of the last `n` values.
pub fn sma(values: &[f64], n: usize) -> Vec<f64> {
    column(values, n, |mean: Mean| mean.of(n))
}

/// The population standard deviation of the last `n` values, like TA-Lib's STDDEV.
pub fn standard_deviation(values: &[f64], n: usize) -> Vec<f64> {
    column(values, n, Deviation::of_population)
}

/// The highest of the last `n` values.
pub fn highest(values: &[f64], n: usize) -> Vec<f64> {
    column(values, n, |highest: Extreme<false>| highest.0)
}

/// The lowest of the last `n` values.
pub fn lowest(values: &[f64], n: usize) -> Vec<f64> {
    column(values, n, |lowest: Extreme<true>| lowest.0)
}

/// Three columns of Bollinger bands.
#[derive(Debug, Clone, PartialEq)]
pub struct Bollinger {
    pub upper: Vec<f64>,
    /// The average.
    pub middle: Vec<f64>,
    pub lower: Vec<f64>,
}

/// Bands `deviations` standard deviations above and below the average of the last `n` values.
pub fn bollinger(values: &[f64], n: usize, deviations: f64) -> Bollinger {
    let column = || vec![f64::NAN; values.len()];
    let mut bands = Bollinger { upper: column(), middle: column(), lower: column() };
    windows(values, n, |place, deviation: Deviation| {
        let width = deviations * deviation.of_population();
        bands.upper[place] = known(deviation.mean + width);
        bands.middle[place] = known(deviation.mean);
        bands.lower[place] = known(deviation.mean - width);
    });
    bands
}

/// The change from `n` values earlier, in percent. It reads only these two values, and ignores gaps between
/// them. There is no change from a value that is not above zero.
pub fn change(values: &[f64], n: usize) -> Vec<f64> {
    let mut changes = vec![f64::NAN; values.len()];
    for (change, (now, before)) in changes.iter_mut().skip(n).zip(values.iter().skip(n).zip(values)) {
        if n > 0 && *before > 0.0 {
            *change = known((now / before - 1.0) * 100.0);
        }
    }
    changes
}

/// The annualised volatility of the last `n` daily returns, in percent: the sample standard deviation of the
/// logarithms of `n` ratios of consecutive values, scaled to [`TRADING_DAYS`]. A value that is not above zero
/// counts as unknown.
pub fn volatility(values: &[f64], n: usize) -> Vec<f64> {
    let mut returns = vec![f64::NAN; values.len()];
    for (growth, pair) in returns.iter_mut().skip(1).zip(values.windows(2)) {
        if pair[0] > 0.0 && pair[1] > 0.0 {
            *growth = (pair[1] / pair[0]).ln();
        }
    }
    let year = TRADING_DAYS.sqrt() * 100.0;
    column(&returns, n, |deviation: Deviation| deviation.of_sample() * year)
}
