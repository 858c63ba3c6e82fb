//! Converts the arguments of a model or a form to the values of a note.

use nova_skill::figures::{Month, at_least, plain_decimal};
use nova_skill::serde_json::Map;
use nova_skill::{Date, Decimal, GivenDecimal, ToolError, Value};

/// The amount as written, padded to at least two decimal places.
///
/// # Errors
/// `InvalidArguments` if it is not a plain decimal, is negative, or has too many digits for exact arithmetic.
pub(crate) fn amount(argument: &str, given: &GivenDecimal) -> Result<Decimal, ToolError> {
    let text = given.text();
    let error = |rule: String| invalid_argument(argument, rule);
    let amount = plain_decimal(&text)
        .ok_or_else(|| error(format!("\"{text}\" is not a plain decimal such as 1250.50")))?;
    if amount.is_sign_negative() && !amount.is_zero() {
        return Err(error(format!(
            "\"{text}\" is negative; what is spent is an expense, what comes in an income, and what comes back a \
             refund"
        )));
    }
    Ok(written(amount))
}

/// An amount as written to a note: never rounded, with at least two decimal places.
pub(crate) fn written(amount: Decimal) -> Decimal {
    let amount = at_least(amount, 2);
    // Avoids a negative zero.
    if amount.is_zero() { amount.abs() } else { amount }
}

/// Parses `YYYY-MM`; a date stands for its month, `today` or an empty text for the current one.
pub(crate) fn month(argument: &str, text: &str, today: Date) -> Result<Month, ToolError> {
    match text.trim() {
        "" | "today" => Ok(Month::of(today)),
        text => Month::parse(text)
            .ok_or_else(|| invalid_argument(argument, format!("\"{text}\" is not a month YYYY-MM"))),
    }
}

/// A text for a property: trimmed, not empty, one line; `None` if it was not given.
pub(crate) fn line(argument: &str, text: Option<&str>) -> Result<Option<String>, ToolError> {
    let Some(text) = text.map(str::trim) else { return Ok(None) };
    if text.is_empty() {
        return Err(invalid_argument(
            argument,
            "must not be empty; leave it out when it is not known".into(),
        ));
    }
    if text.chars().any(char::is_control) {
        return Err(invalid_argument(argument, "must be one line of text".into()));
    }
    Ok(Some(text.to_owned()))
}

/// Merges the given values with those computed from them, which win; nulls are dropped.
pub(crate) fn with_computed<const N: usize>(
    mut given: Map<String, Value>,
    read: [(&str, Option<String>); N],
) -> Map<String, Value> {
    given.retain(|_, value| !value.is_null());
    for (field, value) in read {
        match value {
            Some(value) => given.insert(field.to_owned(), value.into()),
            None => given.shift_remove(field),
        };
    }
    given
}

/// Requires an argument that the schema requires, for callers that bypass its validation.
pub(crate) fn required<T>(argument: &str, given: Option<T>) -> Result<T, ToolError> {
    given.ok_or_else(|| invalid_argument(argument, "is needed".into()))
}

pub(crate) fn invalid_argument(argument: &str, rule: String) -> ToolError {
    ToolError::InvalidArguments { path: format!("/{argument}"), rule, allowed: Vec::new() }
}
