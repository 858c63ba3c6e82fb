//! Numbers as written, compared exactly at any size.

use std::cmp::Ordering;
use std::fmt;

use rust_decimal::Decimal;

/// Canonical form of a number, in which equal numbers are equal: `0.DIGITS × 10^point`, without leading or
/// trailing zeros; zero has no digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Number {
    negative: bool,
    digits: String,
    point: i64,
}

impl Number {
    /// Parses a number of YAML's core schema: `1.50`, `-3e4`, `010`, `0x1F`, `0o17`. Infinities and
    /// not-a-number are rejected.
    pub(crate) fn parse(text: &str) -> Option<Number> {
        for (prefix, radix) in [("0x", 16), ("0o", 8)] {
            if let Some(digits) = text.strip_prefix(prefix) {
                let plain = digits.bytes().all(|b| b.is_ascii_alphanumeric());
                let number = u128::from_str_radix(digits, radix).ok().filter(|_| plain)?;
                return Some(Number::from_parts(false, &number.to_string(), 0));
            }
        }
        let negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            // `i32` rules out overflow when a length is added.
            Some((mantissa, exponent)) => (mantissa, i64::from(exponent.parse::<i32>().ok()?)),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if (whole.is_empty() && fraction.is_empty()) || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let scale = i64::try_from(fraction.len()).ok()?;
        Some(Number::from_parts(negative, &format!("{whole}{fraction}"), exponent - scale))
    }

    /// `digits × 10^exponent`.
    fn from_parts(negative: bool, digits: &str, exponent: i64) -> Number {
        let significant = digits.trim_start_matches('0');
        let point = exponent.saturating_add(i64::try_from(significant.len()).unwrap_or(i64::MAX));
        let digits = significant.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Number { negative: false, digits, point: 0 };
        }
        Number { negative, digits, point }
    }

    /// The number for exact arithmetic; `None` if 28 digits do not suffice.
    pub(crate) fn decimal(&self) -> Option<Decimal> {
        if self.digits.is_empty() {
            return Some(Decimal::ZERO);
        }
        let exponent = self.point - i64::try_from(self.digits.len()).ok()?;
        let mantissa: i128 = self.digits.parse().ok()?;
        let (mantissa, scale) = match u32::try_from(exponent) {
            Ok(zeros) => (mantissa.checked_mul(10_i128.checked_pow(zeros)?)?, 0),
            Err(_) => (mantissa, u32::try_from(-exponent).ok()?),
        };
        let mantissa = if self.negative { -mantissa } else { mantissa };
        Decimal::try_from_i128_with_scale(mantissa, scale).ok()
    }
}

impl From<Decimal> for Number {
    fn from(decimal: Decimal) -> Number {
        let digits = decimal.mantissa().unsigned_abs().to_string();
        Number::from_parts(decimal.is_sign_negative(), &digits, -i64::from(decimal.scale()))
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Number {
        Number::from_parts(number < 0, &number.unsigned_abs().to_string(), 0)
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        let sign = |n: &Number| match (n.digits.is_empty(), n.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let magnitude = self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits));
        let magnitude = if self.negative { magnitude.reverse() } else { magnitude };
        sign(self).cmp(&sign(other)).then(magnitude)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Number {
    /// Without an exponent, unless that takes many zeros.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MANY: i64 = 40;
        let sign = if self.negative { "-" } else { "" };
        let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
        let digits = &self.digits;
        let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
        match self.point {
            _ if digits.is_empty() => f.write_str("0"),
            point if point <= 0 && point > -MANY => write!(f, "{sign}0.{}{digits}", zeros(-point)),
            point if point >= length && point - length < MANY => {
                write!(f, "{sign}{digits}{}", zeros(point - length))
            }
            point if point > 0 && point < length => {
                let (whole, fraction) = digits.split_at(usize::try_from(point).unwrap_or(0));
                write!(f, "{sign}{whole}.{fraction}")
            }
            point => write!(f, "{sign}0.{digits}e{point}"),
        }
    }
}
