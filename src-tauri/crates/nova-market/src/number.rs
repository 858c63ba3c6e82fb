use rust_decimal::Decimal;

/// Parses a number of an answer: a plain decimal, or one with an exponent.
pub(crate) fn number(text: &str) -> Option<Decimal> {
    let text = text.trim();
    Decimal::from_str_exact(text).ok().or_else(|| Decimal::from_scientific(text).ok())
}
