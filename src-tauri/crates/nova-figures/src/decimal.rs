//! Exact decimal arithmetic: a result that cannot be represented exactly is an error.

use rust_decimal::{Decimal, RoundingStrategy};

/// A result has more digits than can be represented exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the numbers have more digits than can be computed with exactly")]
pub struct TooLarge;

/// # Errors
/// When the sum has more digits than can be represented exactly.
pub fn plus(a: Decimal, b: Decimal) -> Result<Decimal, TooLarge> {
    // `Decimal` drops places silently on overflow; adding zero yields the scale of the other number.
    let is_exact = |sum: &Decimal| a.is_zero() || b.is_zero() || sum.scale() == a.scale().max(b.scale());
    a.checked_add(b).filter(is_exact).ok_or(TooLarge)
}

/// Like [`plus`].
pub fn minus(a: Decimal, b: Decimal) -> Result<Decimal, TooLarge> {
    plus(a, -b)
}

/// # Errors
/// When the product has more digits than can be represented exactly.
pub fn times(a: Decimal, b: Decimal) -> Result<Decimal, TooLarge> {
    if a.is_zero() || b.is_zero() {
        return Ok(Decimal::ZERO);
    }
    a.checked_mul(b).filter(|product| product.scale() == a.scale() + b.scale()).ok_or(TooLarge)
}

/// Rounds half away from zero, to at most this many places.
pub fn rounded_to(number: Decimal, places: u32) -> Decimal {
    let rounded = number.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero);
    // Avoids -0.
    if rounded.is_zero() { rounded.abs() } else { rounded }
}

/// Pads the number with zeros to at least this many places.
pub fn at_least(mut number: Decimal, places: u32) -> Decimal {
    if number.scale() < places {
        number.rescale(places);
    }
    number
}

/// `part` of `whole` in percent, with exactly this many places; `None` if `whole` is zero.
pub fn percent(part: Decimal, whole: Decimal, places: u32) -> Option<Decimal> {
    let percent = part.checked_mul(Decimal::ONE_HUNDRED)?.checked_div(whole)?;
    Some(at_least(rounded_to(percent, places), places))
}

/// Parses digits with at most one decimal point and an optional leading minus.
///
/// ```
/// use nova_figures::plain_decimal;
/// assert_eq!(plain_decimal("-1250.50").unwrap().to_string(), "-1250.50");
/// assert_eq!(plain_decimal("1_000"), None);
/// assert_eq!(plain_decimal(".5"), None);
/// ```
pub fn plain_decimal(text: &str) -> Option<Decimal> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    (digits(whole) && digits(fraction)).then(|| Decimal::from_str_exact(text).ok()).flatten()
}
