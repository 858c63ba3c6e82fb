//! Formats figures for display.

use nova_market::expression::{Expression, Kind};
use nova_skill::Decimal;
use nova_skill::figures::{at_least, rounded_to};

/// Rounded for reading: two decimals for money below a million, one for ratios and percentages.
pub(crate) fn figure(value: f64, kind: Kind) -> Option<String> {
    let places = match kind {
        Kind::Money if value.abs() >= 1e6 => 0,
        Kind::Money => 2,
        Kind::Percent | Kind::Ratio => 1,
        Kind::Number if value.abs() >= 1000.0 => 0,
        Kind::Number => 2,
    };
    let value = Decimal::try_from(value).ok()?;
    let rounded = rounded_to(value, places);
    Some(if kind == Kind::Number { rounded.normalize() } else { at_least(rounded, places) }.to_string())
}

pub(crate) fn unit(kind: Kind) -> &'static str {
    match kind {
        Kind::Money => "currency",
        Kind::Percent => "percent",
        Kind::Ratio => "ratio",
        Kind::Number => "number",
    }
}

/// Name and unit of the figure that a condition compares.
pub(crate) fn named(condition: &Expression) -> (String, Kind) {
    let figure = condition.limited().map(|(figure, _)| figure);
    match figure.as_ref().and_then(Expression::field) {
        Some(field) => (field.name().to_owned(), field.kind()),
        None => {
            let kind = figure.and_then(|figure| figure.kind()).unwrap_or(Kind::Number);
            (condition.text().to_owned(), kind)
        }
    }
}

/// A fraction as a percentage with one decimal: 0.0984 is "9.8".
pub(crate) fn percent(part: f64) -> Option<String> {
    figure(part * 100.0, Kind::Percent)
}

/// An amount of money with two decimals.
pub(crate) fn cents(value: f64) -> String {
    Decimal::try_from(value)
        .map_or_else(|_| value.to_string(), |value| at_least(rounded_to(value, 2), 2).to_string())
}

/// A cost in a strategy's notation: 0.0015 is "0.15 %".
pub(crate) fn share(of: f64) -> String {
    format!("{} %", (of * 1e6).round() / 1e4)
}
