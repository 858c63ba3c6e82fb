//! Technical indicators over a column of days, with the definitions of the library TA-Lib.
//!
//! Each takes columns of equal length, oldest first, and returns a column of that length; a place without a value is
//! NaN. The value of a place depends on that place and earlier ones only, and takes constant time.
//!
//! One rule for holes: a value that is NaN or infinite is unknown. A window that contains an unknown value has no
//! value; a recursive average ([`ema`], [`rsi`], [`atr`], [`macd`]) restarts after it, with the same warm-up as on
//! the first day. A window of no days, or of more than the column has, has no value anywhere.
//!
//! One difference from TA-Lib: it rounds a variance or a movement below 1e-14 to zero, so that prices of a billionth
//! have no deviation there.

mod averages;
mod ranges;
#[cfg(test)]
mod tests;
mod windows;

pub use averages::{Macd, atr, ema, macd, rsi};
pub use ranges::{Bollinger, bollinger, change, highest, lowest, sma, standard_deviation, volatility};

/// The number of trading days in a year.
pub const TRADING_DAYS: f64 = 252.0;

/// The value where it is known, else NaN.
pub(crate) fn known(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::NAN }
}
