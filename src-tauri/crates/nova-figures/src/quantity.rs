use rust_decimal::Decimal;

use crate::TooLarge;

/// An exact number of shares. A fraction, so that a one-for-three reverse split is lossless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    /// In lowest terms.
    numerator: i128,
    /// Positive.
    denominator: i128,
}

/// Decimal places of computed amounts, rounded half away from zero.
pub const PLACES: u32 = 8;

impl Quantity {
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// # Errors
    /// With more than 28 places.
    pub fn of(number: Decimal) -> Result<Self, TooLarge> {
        Self::fraction(number.mantissa(), power_of_ten(number.scale())?)
    }

    /// The ratio of a split: `new` shares for `old` ones.
    ///
    /// # Errors
    /// With too many digits, or if `old` is zero.
    pub fn ratio(new: Decimal, old: Decimal) -> Result<Self, TooLarge> {
        let (new, old) = (Self::of(new)?, Self::of(old)?);
        new.times(Self::fraction(old.denominator, old.numerator)?)
    }

    fn fraction(numerator: i128, denominator: i128) -> Result<Self, TooLarge> {
        if denominator == 0 {
            return Err(TooLarge);
        }
        let common = gcd(numerator, denominator) * denominator.signum();
        Ok(Self { numerator: numerator / common, denominator: denominator / common })
    }

    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// # Errors
    /// With too many digits.
    pub fn plus(self, other: Self) -> Result<Self, TooLarge> {
        let common = gcd(self.denominator, other.denominator);
        let left = self.numerator.checked_mul(other.denominator / common).ok_or(TooLarge)?;
        let right = other.numerator.checked_mul(self.denominator / common).ok_or(TooLarge)?;
        let denominator = (self.denominator / common).checked_mul(other.denominator).ok_or(TooLarge)?;
        Self::fraction(left.checked_add(right).ok_or(TooLarge)?, denominator)
    }

    /// # Errors
    /// With too many digits.
    pub fn minus(self, other: Self) -> Result<Self, TooLarge> {
        self.plus(Self { numerator: -other.numerator, denominator: other.denominator })
    }

    /// # Errors
    /// With too many digits.
    pub fn times(self, ratio: Self) -> Result<Self, TooLarge> {
        let (across, down) = (gcd(self.numerator, ratio.denominator), gcd(ratio.numerator, self.denominator));
        let numerator = (self.numerator / across).checked_mul(ratio.numerator / down).ok_or(TooLarge)?;
        let denominator =
            (self.denominator / down).checked_mul(ratio.denominator / across).ok_or(TooLarge)?;
        Self::fraction(numerator, denominator)
    }

    /// # Errors
    /// With too many digits.
    pub fn is_more_than(self, other: Self) -> Result<bool, TooLarge> {
        Ok(self.minus(other)?.numerator > 0)
    }

    /// The value at a price per share, rounded to [`PLACES`].
    ///
    /// # Errors
    /// With too many digits.
    pub fn at(self, price: Decimal) -> Result<Decimal, TooLarge> {
        let price = Self::of(price)?;
        self.times(price)?.rounded(PLACES)
    }

    /// The proportional part of `amount` for this quantity out of `whole`, rounded to [`PLACES`].
    ///
    /// # Errors
    /// With too many digits.
    pub fn share_of(self, amount: Decimal, whole: Self) -> Result<Decimal, TooLarge> {
        self.times(Self::fraction(whole.denominator, whole.numerator)?)?.at(amount)
    }

    /// As a decimal: exact with at most ten places, otherwise rounded half away from zero to ten.
    ///
    /// # Errors
    /// With too many digits.
    pub fn to_decimal(self) -> Result<Decimal, TooLarge> {
        self.rounded(10)
    }

    fn rounded(self, places: u32) -> Result<Decimal, TooLarge> {
        let tens = power_of_ten(places)?;
        let common = gcd(tens, self.denominator);
        let numerator = self.numerator.checked_mul(tens / common).ok_or(TooLarge)?;
        let denominator = self.denominator / common;
        let (whole, rest) = (numerator / denominator, numerator % denominator);
        let is_half = rest.checked_mul(2).ok_or(TooLarge)?.abs() >= denominator;
        let mantissa = if is_half { whole + rest.signum() } else { whole };
        Ok(Decimal::try_from_i128_with_scale(mantissa, places).map_err(|_| TooLarge)?.normalize())
    }
}

impl Default for Quantity {
    fn default() -> Self {
        Self::ZERO
    }
}

fn power_of_ten(places: u32) -> Result<i128, TooLarge> {
    10_i128.checked_pow(places).ok_or(TooLarge)
}

/// Greatest common divisor, positive.
fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(text: &str) -> Decimal {
        text.parse().expect("a decimal")
    }

    fn quantity(text: &str) -> Quantity {
        Quantity::of(dec(text)).expect("a quantity")
    }

    #[test]
    fn split_and_reverse_split_cancel_out() {
        let third = Quantity::ratio(dec("1"), dec("3")).expect("a ratio");
        let thrice = Quantity::ratio(dec("3"), dec("1")).expect("a ratio");
        let shrunk = quantity("100").times(third).expect("small");
        assert_eq!(shrunk.to_decimal(), Ok(dec("33.3333333333")));
        assert_eq!(shrunk.times(thrice), Ok(quantity("100")));
    }

    #[test]
    fn rounds_parts_half_away_from_zero_at_eight_places() {
        let part = |of: &str, whole: &str, amount: &str| {
            quantity(of).share_of(dec(amount), quantity(whole)).map(|part| part.to_string())
        };
        assert_eq!(part("1", "3", "100"), Ok("33.33333333".into()));
        assert_eq!(part("2", "3", "100"), Ok("66.66666667".into()));
        assert_eq!(part("1", "2", "0.00000001"), Ok("0.00000001".into()));
        assert_eq!(part("1", "2", "0.00000003"), Ok("0.00000002".into()));
        assert_eq!(part("1", "2", "-0.00000001"), Ok("-0.00000001".into()));
        assert_eq!(part("1", "3", "-0.00000001"), Ok("0".into()));
        assert_eq!(part("2", "3", "-100"), Ok("-66.66666667".into()));
        assert_eq!(part("1", "4", "10.10"), Ok("2.525".into()));
    }

    #[test]
    fn inexact_results_are_errors() {
        let huge = Decimal::MAX;
        assert_eq!(Quantity::of(huge).and_then(|quantity| quantity.times(quantity)), Err(TooLarge));
        assert_eq!(Quantity::ratio(dec("1"), dec("0")), Err(TooLarge));
    }
}
