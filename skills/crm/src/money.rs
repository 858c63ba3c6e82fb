//! Amounts that are added, and only to amounts of their own currency.

use std::collections::BTreeMap;

use nova_skill::{Decimal, RoundingStrategy, Value, json};

/// What a deal is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Money {
    pub(crate) amount: Decimal,
    /// A code of ISO 4217.
    pub(crate) currency: &'static str,
}

/// It has more digits than can be computed with exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// A sum for each currency.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Sums(BTreeMap<&'static str, Decimal>);

impl Sums {
    pub(crate) fn add(&mut self, money: &Money) -> Result<(), TooLong> {
        match self.0.get_mut(money.currency) {
            Some(sum) => *sum = plus(*sum, money.amount)?,
            None => {
                self.0.insert(money.currency, money.amount);
            }
        }
        Ok(())
    }

    /// By currency.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, Decimal)> {
        self.0.iter().map(|(currency, amount)| (*currency, *amount))
    }

    pub(crate) fn get(&self, currency: &str) -> Option<Decimal> {
        self.0.get(currency).copied()
    }

    /// `[{amount, currency}]`
    pub(crate) fn to_json(&self) -> Value {
        self.iter()
            .map(|(currency, amount)| json!({"amount": amount.to_string(), "currency": currency}))
            .collect()
    }

    /// Each sum with two decimals at most, rounded half away from zero, and no zeros that say nothing.
    pub(crate) fn rounded(&self) -> Self {
        let tidy = |amount: &Decimal| {
            let mut amount =
                amount.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero).normalize();
            if amount.scale() == 1 {
                amount.rescale(2);
            }
            amount
        };
        Self(self.0.iter().map(|(currency, amount)| (*currency, tidy(amount))).collect())
    }
}

/// `amount` × `percent` / 100, exactly.
pub(crate) fn share(amount: Decimal, percent: Decimal) -> Result<Decimal, TooLong> {
    times(times(amount, percent.normalize())?, Decimal::new(1, 2))
}

fn times(a: Decimal, b: Decimal) -> Result<Decimal, TooLong> {
    if a.is_zero() || b.is_zero() {
        return Ok(Decimal::ZERO);
    }
    a.checked_mul(b).filter(|product| product.scale() == a.scale() + b.scale()).ok_or(TooLong)
}

fn plus(a: Decimal, b: Decimal) -> Result<Decimal, TooLong> {
    a.checked_add(b).filter(|sum| sum.scale() == a.scale().max(b.scale())).ok_or(TooLong)
}
