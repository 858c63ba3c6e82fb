//! Parses and formats amounts.

use nova_skill::figures::{at_least, currency_code, plain_decimal, rounded_to};
use nova_skill::jiff::civil::Date;
use nova_skill::serde_json::Value;
use nova_skill::{Decimal, GivenDecimal, ToolError, date_argument, json};

/// The remedy for an invalid currency.
pub(crate) const CURRENCY_REMEDY: &str = "Write its code of three letters, such as EUR or USD.";

/// A price as given, with at least two decimal places; computed ones have at most six.
pub(crate) fn price(amount: Decimal) -> Decimal {
    at_least(rounded_to(amount, 6).normalize(), 2)
}

/// The amount as text for an answer, or null.
pub(crate) fn shown(amount: Option<Decimal>) -> Value {
    amount.map_or(Value::Null, |amount| json!(amount.to_string()))
}

/// Parses a number greater than zero.
///
/// # Errors
/// `InvalidArguments` with the rule.
pub(crate) fn above_zero(given: &GivenDecimal, argument: &str) -> Result<Decimal, ToolError> {
    let number = not_below_zero(given, argument)?;
    if number.is_zero() {
        return Err(invalid(argument, "must be above zero"));
    }
    Ok(number)
}

/// # Errors
/// `InvalidArguments` with the rule.
pub(crate) fn not_below_zero(given: &GivenDecimal, argument: &str) -> Result<Decimal, ToolError> {
    let text = given.text();
    match plain_decimal(&text) {
        None => Err(invalid(
            argument,
            &format!(
                "\"{text}\" is not a plain decimal; write it as digits with at most one point, such as 1250.50"
            ),
        )),
        Some(number) if number.is_sign_negative() && !number.is_zero() => {
            Err(invalid(argument, &format!("{number} is below zero; write it without a sign")))
        }
        Some(number) => Ok(number),
    }
}

/// The date in `as_of`, or else today.
pub(crate) fn day(as_of: Option<&str>, today: Date) -> Result<Date, ToolError> {
    match as_of.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => date_argument("as_of", text),
        None => Ok(today),
    }
}

/// Parses the optional argument `currency`.
///
/// # Errors
/// `InvalidArguments` if it is not a currency.
pub(crate) fn currency(given: Option<&str>) -> Result<Option<&'static str>, ToolError> {
    let Some(text) = given.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let rule = format!("\"{text}\" is not a currency. {}", CURRENCY_REMEDY.trim_end_matches('.'));
    currency_code(text).map(Some).ok_or_else(|| invalid("currency", &rule))
}

pub(crate) fn invalid(argument: &str, rule: &str) -> ToolError {
    ToolError::InvalidArguments { path: format!("/{argument}"), rule: rule.into(), allowed: Vec::new() }
}
