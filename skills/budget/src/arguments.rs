//! What a model or a form gives a tool, made fit for a note.

use nova_skill::{Date, Decimal, GivenDecimal, ToolError};

use crate::period::plain_date;

/// An amount as it was written, with at least two digits behind its point.
///
/// # Errors
/// `InvalidArguments` for what is no plain decimal, is less than nothing, or has more digits than
/// can be computed with.
pub(crate) fn amount(argument: &str, given: &GivenDecimal) -> Result<Decimal, ToolError> {
    let said = given.text();
    let wrong = |rule: String| wrong(argument, rule);
    let plain = said.strip_prefix('-').unwrap_or(&said);
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, "0"));
    if !digits(whole) || !digits(fraction) {
        return Err(wrong(format!("\"{said}\" is not a plain decimal such as 1250.50")));
    }
    let amount =
        Decimal::from_str_exact(&said).map_err(|_| wrong(format!("\"{said}\" has too many digits")))?;
    if amount.is_sign_negative() && !amount.is_zero() {
        return Err(wrong(format!(
            "\"{said}\" is negative; what is spent is an expense, what comes in an income, and what comes back a \
             refund"
        )));
    }
    Ok(crate::money::money(amount))
}

/// # Errors
/// `InvalidArguments` for what is not a day as `YYYY-MM-DD`.
pub(crate) fn date(argument: &str, said: &str) -> Result<Date, ToolError> {
    plain_date(said.trim()).ok_or_else(|| wrong(argument, format!("\"{said}\" is not a date YYYY-MM-DD")))
}

/// A text for a property: trimmed, on one line, not empty; none where nothing was given.
pub(crate) fn line(argument: &str, said: Option<&str>) -> Result<Option<String>, ToolError> {
    let Some(said) = said.map(str::trim) else { return Ok(None) };
    if said.is_empty() {
        return Err(wrong(argument, "must not be empty; leave it out when it is not known".into()));
    }
    if said.chars().any(char::is_control) {
        return Err(wrong(argument, "must be one line of text".into()));
    }
    Ok(Some(said.to_owned()))
}

pub(crate) fn wrong(argument: &str, rule: String) -> ToolError {
    ToolError::InvalidArguments { path: format!("/{argument}"), rule, allowed: Vec::new() }
}
