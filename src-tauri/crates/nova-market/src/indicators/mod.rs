//! Technical indicators over columns of daily values, as defined by the library TA-Lib.
//!
//! Each takes columns of equal length, oldest first, and returns a column of that length, with NaN where
//! there is no value. A value depends on the same and earlier indices only, and takes constant time.
//!
//! Missing data: a value that is NaN or infinite is unknown. A window that contains an unknown value has no
//! value; a recursive average ([`ema`], [`rsi`], [`atr`], [`macd`]) restarts after it, with the same warm-up
//! as on the first day. A window of zero days, or longer than the column, has no values.
//!
//! One difference from TA-Lib: it rounds a variance or a change below 1e-14 to zero, so that prices around
//! 1e-9 have no deviation there.

mod averages;
mod ranges;
#[cfg(test)]
mod tests;
mod windows;

pub use averages::{Macd, atr, ema, macd, rsi};
pub use ranges::{Bollinger, bollinger, change, highest, lowest, sma, standard_deviation, volatility};

/// The number of trading days in a year.
pub const TRADING_DAYS: f64 = 252.0;

/// The value if it is finite, otherwise NaN.
pub(crate) fn known(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::NAN }
}
