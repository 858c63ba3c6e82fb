use super::windows::{Deviation, Extreme, Mean, windows};
use super::{TRADING_DAYS, known};

/// The simple moving average of the last `n` values.
pub fn sma(values: &[f64], n: usize) -> Vec<f64> {
    windows::<Mean>(values, n)
}

/// The standard deviation of the last `n` values as a whole population, as TA-Lib's STDDEV.
pub fn standard_deviation(values: &[f64], n: usize) -> Vec<f64> {
    windows::<Deviation<false>>(values, n)
}

/// The highest of the last `n` values.
pub fn highest(values: &[f64], n: usize) -> Vec<f64> {
    windows::<Extreme<false>>(values, n)
}

/// The lowest of the last `n` values.
pub fn lowest(values: &[f64], n: usize) -> Vec<f64> {
    windows::<Extreme<true>>(values, n)
}

/// Three columns of Bollinger bands.
#[derive(Debug, Clone, PartialEq)]
pub struct Bollinger {
    pub upper: Vec<f64>,
    /// The simple moving average.
    pub middle: Vec<f64>,
    pub lower: Vec<f64>,
}

/// Bands `deviations` standard deviations above and below the average of the last `n` values.
pub fn bollinger(values: &[f64], n: usize, deviations: f64) -> Bollinger {
    let middle = sma(values, n);
    let width = standard_deviation(values, n);
    let band = |deviations: f64| {
        middle.iter().zip(&width).map(|(middle, width)| known(middle + deviations * width)).collect()
    };
    Bollinger { upper: band(deviations), lower: band(-deviations), middle }
}

/// The change against `n` places earlier, in percent. It reads two values, and ignores holes between them. There is no
/// change from a value that is not above zero.
pub fn change(values: &[f64], n: usize) -> Vec<f64> {
    let mut changes = vec![f64::NAN; values.len()];
    for (change, (now, before)) in changes.iter_mut().skip(n).zip(values.iter().skip(n).zip(values)) {
        if n > 0 && *before > 0.0 {
            *change = known((now / before - 1.0) * 100.0);
        }
    }
    changes
}

/// The annualised volatility of the last `n` daily returns, in percent: the standard deviation of the logarithms of
/// `n` ratios of two values in a row, as a sample, for [`TRADING_DAYS`] a year. A value that is not above zero counts
/// as unknown.
pub fn volatility(values: &[f64], n: usize) -> Vec<f64> {
    let mut returns = vec![f64::NAN; values.len()];
    for (growth, pair) in returns.iter_mut().skip(1).zip(values.windows(2)) {
        if pair[0] > 0.0 && pair[1] > 0.0 {
            *growth = (pair[1] / pair[0]).ln();
        }
    }
    let mut deviations = windows::<Deviation<true>>(&returns, n);
    for deviation in &mut deviations {
        *deviation *= TRADING_DAYS.sqrt() * 100.0;
    }
    deviations
}
