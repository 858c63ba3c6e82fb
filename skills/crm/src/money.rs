//! The amounts of deals in answers.

use nova_skill::figures::{Sums, TooLarge, rounded, times};
use nova_skill::{Decimal, Value, json};

/// The value of a deal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Money {
    pub(crate) amount: Decimal,
    /// An ISO 4217 code.
    pub(crate) currency: &'static str,
}

impl Money {
    /// Rounded for display.
    pub(crate) fn rounded(&self) -> Decimal {
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

/// Drops trailing zeros: `100`, `25.10`.
pub(crate) fn tidy(amount: Decimal) -> Decimal {
    let mut amount = amount.normalize();
    if amount.scale() == 1 {
        amount.rescale(2);
    }
    amount
}
