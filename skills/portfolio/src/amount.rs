//! How amounts are written, read and added.

use nova_skill::jiff::civil::Date;
use nova_skill::serde_json::Value;
use nova_skill::{Decimal, GivenDecimal, ToolError, currency_code, json};

use crate::quantity::TooLarge;

/// No money of everyday life, but prices are given in them.
const TRADED: [&str; 3] = ["BTC", "CLF", "CNH"];

/// The code in capital letters, where it is one.
pub(crate) fn currency(text: &str) -> Option<String> {
    let traded = || TRADED.into_iter().find(|code| code.eq_ignore_ascii_case(text.trim()));
    currency_code(text).or_else(traded).map(str::to_owned)
}

/// What to do about a currency that is none.
pub(crate) const CURRENCY_REMEDY: &str = "Write its code of three letters, such as EUR or USD.";

/// Rounded half to even to the cent, with both of its digits.
pub(crate) fn money(amount: Decimal) -> Decimal {
    let mut shown = amount.round_dp(2);
    shown.rescale(2);
    shown
}

/// A price as it was given, with at least two places; one that was computed, with at most six.
pub(crate) fn price(amount: Decimal) -> Decimal {
    let mut shown = amount.round_dp(6).normalize();
    if shown.scale() < 2 {
        shown.rescale(2);
    }
    shown
}

/// `part` of `whole` in per cent, to one place. None of nothing.
pub(crate) fn percent(part: Decimal, whole: Decimal) -> Option<Decimal> {
    let mut percent = part.checked_mul(Decimal::ONE_HUNDRED)?.checked_div(whole)?.round_dp(1);
    percent.rescale(1);
    Some(percent)
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
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    let number = plain.then(|| Decimal::from_str_exact(&text).ok()).flatten();
    match number {
        None => Err(invalid(
            argument,
            &format!(
                "\"{text}\" is no plain decimal; write it as digits with at most one point, such as 1250.50"
            ),
        )),
        Some(number) if number.is_sign_negative() && !number.is_zero() => {
            Err(invalid(argument, &format!("{number} is below zero; write it without a sign")))
        }
        Some(number) => Ok(number),
    }
}

/// `YYYY-MM-DD`
///
/// # Errors
/// With what it must be.
pub(crate) fn date(text: &str, argument: &str) -> Result<Date, ToolError> {
    let text = text.trim();
    let shape = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let date = shape.then(|| text.parse().ok()).flatten();
    date.ok_or_else(|| invalid(argument, &format!("\"{text}\" is not a date YYYY-MM-DD")))
}

/// The day that an optional `as_of` names, else today.
pub(crate) fn day(as_of: Option<&str>, today: Date) -> Result<Date, ToolError> {
    match as_of.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => date(text, "as_of"),
        None => Ok(today),
    }
}

pub(crate) fn invalid(argument: &str, rule: &str) -> ToolError {
    ToolError::InvalidArguments { path: format!("/{argument}"), rule: rule.into(), allowed: Vec::new() }
}

impl From<TooLarge> for ToolError {
    fn from(error: TooLarge) -> Self {
        Self::failed(
            format!("It cannot be computed: {error}."),
            "Look at the quantities and prices in the trades.",
        )
    }
}

/// Amounts by currency, in the order of the codes; currencies are never added up.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ByCurrency(std::collections::BTreeMap<String, Decimal>);

impl ByCurrency {
    pub(crate) fn add(&mut self, currency: &str, amount: Decimal) -> Result<(), TooLarge> {
        let sum = self.0.entry(currency.to_owned()).or_insert(Decimal::new(0, 2));
        *sum = sum.checked_add(amount).ok_or(TooLarge)?;
        Ok(())
    }

    pub(crate) fn get(&self, currency: &str) -> Option<Decimal> {
        self.0.get(currency).copied()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Decimal)> {
        self.0.iter().map(|(currency, amount)| (currency.as_str(), *amount))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// `[{amount, currency}]`
    pub(crate) fn to_json(&self) -> Value {
        self.iter()
            .map(|(currency, amount)| json!({"amount": amount.to_string(), "currency": currency}))
            .collect()
    }
}
