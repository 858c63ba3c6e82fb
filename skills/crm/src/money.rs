//! Amounts of deals, as answers have them.

use nova_skill::figures::{Sums, TooLarge, rounded, times};
use nova_skill::{Decimal, Value, json};

/// What a deal is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Money {
    pub(crate) amount: Decimal,
    /// A code of ISO 4217.
    pub(crate) currency: &'static str,
}

impl Money {
    /// As a row shows it.
    pub(crate) fn shown(&self) -> Decimal {
        rounded(self.amount, self.currency)
    }
}

/// `amount` × `percent` / 100, exactly.
pub(crate) fn share(amount: Decimal, percent: Decimal) -> Result<Decimal, TooLarge> {
    times(times(amount, percent.normalize())?, Decimal::new(1, 2))
}

/// Computed totals as `[{amount, currency}]`.
pub(crate) fn tidy_json(sums: &Sums) -> Value {
    let row = |(currency, amount): (&str, Decimal)| json!({"amount": tidy(amount).to_string(), "currency": currency});
    sums.iter().map(row).collect()
}

/// A computed total without zeros that say nothing: `100`, `25.10`.
pub(crate) fn tidy(amount: Decimal) -> Decimal {
    let mut amount = amount.normalize();
    if amount.scale() == 1 {
        amount.rescale(2);
    }
    amount
}
