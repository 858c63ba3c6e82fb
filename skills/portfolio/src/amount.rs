//! How amounts are written and read.

use nova_skill::figures::{at_least, currency_code, plain_decimal, rounded_to};
use nova_skill::jiff::civil::Date;
use nova_skill::serde_json::Value;
use nova_skill::{Decimal, GivenDecimal, ToolError, date_argument, json};

/// What to do about a currency that is none.
pub(crate) const CURRENCY_REMEDY: &str = "Write its code of three letters, such as EUR or USD.";

/// A price as it was given, with at least two places; one that was computed, with at most six.
pub(crate) fn price(amount: Decimal) -> Decimal {
    at_least(rounded_to(amount, 6).normalize(), 2)
}

/// As amounts leave: text, or null.
pub(crate) fn shown(amount: Option<Decimal>) -> Value {
    amount.map_or(Value::Null, |amount| json!(amount.to_string()))
}

/// A number that was given, above zero.
///
/// # Errors
/// With what it must be.
pub(crate) fn above_zero(given: &GivenDecimal, argument: &str) -> Result<Decimal, ToolError> {
    let number = not_below_zero(given, argument)?;
    if number.is_zero() {
        return Err(invalid(argument, "must be above zero"));
    }
    Ok(number)
}

/// # Errors
/// With what it must be.
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

/// The day that an optional `as_of` names, else today.
pub(crate) fn day(as_of: Option<&str>, today: Date) -> Result<Date, ToolError> {
    match as_of.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => date_argument("as_of", text),
        None => Ok(today),
    }
}

/// The currency that an optional `currency` names.
///
/// # Errors
/// When it is none.
pub(crate) fn currency(given: Option<&str>) -> Result<Option<&'static str>, ToolError> {
    let Some(text) = given.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let rule = format!("\"{text}\" is not a currency. {}", CURRENCY_REMEDY.trim_end_matches('.'));
    currency_code(text).map(Some).ok_or_else(|| invalid("currency", &rule))
}

pub(crate) fn invalid(argument: &str, rule: &str) -> ToolError {
    ToolError::InvalidArguments { path: format!("/{argument}"), rule: rule.into(), allowed: Vec::new() }
}
