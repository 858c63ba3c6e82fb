//! Amounts that are added, and only to amounts of their own currency.

use std::collections::BTreeMap;

use nova_skill::{Decimal, ToolError, currency_code, near_currency_codes};

/// The currency that a text names: three letters of ISO 4217, whatever their case.
pub(crate) fn currency(text: &str) -> Option<String> {
    currency_code(text).map(str::to_owned)
}

/// The codes that differ from a text in one letter, for an error.
pub(crate) fn near_currencies(text: &str) -> Vec<String> {
    near_currency_codes(text).into_iter().map(str::to_owned).collect()
}

/// A sum for each currency.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Sums(BTreeMap<String, Decimal>);

impl Sums {
    /// # Errors
    /// When the sum has more digits than can be computed with exactly.
    pub(crate) fn add(&mut self, currency: &str, amount: Decimal) -> Result<(), ToolError> {
        match self.0.get_mut(currency) {
            Some(sum) => *sum = plus(*sum, amount)?,
            None => {
                self.0.insert(currency.to_owned(), amount);
            }
        }
        Ok(())
    }

    pub(crate) fn get(&self, currency: &str) -> Decimal {
        self.0.get(currency).copied().unwrap_or_default()
    }

    pub(crate) fn currencies(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// # Errors
/// When the sum has more digits than can be computed with exactly.
pub(crate) fn plus(a: Decimal, b: Decimal) -> Result<Decimal, ToolError> {
    let sum = a.checked_add(b).filter(|sum| sum.scale() == a.scale().max(b.scale()));
    sum.ok_or_else(|| {
        ToolError::failed(
            format!("{a} and {b} cannot be added exactly: together they have more than 28 digits."),
            "Look for an amount with too many digits, and correct its note.",
        )
    })
}

/// As [`plus`].
pub(crate) fn minus(a: Decimal, b: Decimal) -> Result<Decimal, ToolError> {
    plus(a, -b)
}

/// An amount with at least the two digits that money is written with.
pub(crate) fn money(amount: Decimal) -> Decimal {
    let mut amount = amount;
    if amount.scale() < 2 {
        amount.rescale(2);
    }
    // There is no debt of nothing.
    if amount.is_zero() { amount.abs() } else { amount }
}

/// `part` in percent of `whole`, rounded half up to one digit; none of nothing.
pub(crate) fn percent(part: Decimal, whole: Decimal) -> Option<Decimal> {
    let share = part.checked_mul(Decimal::ONE_HUNDRED)?.checked_div(whole)?;
    Some(share.round_dp_with_strategy(1, nova_skill::RoundingStrategy::MidpointAwayFromZero))
}
