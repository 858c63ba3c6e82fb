//! Checks the amount of a row against its quantity, price and fees, and converts fees to the currency of the price.

use nova_skill::Decimal;
use nova_skill::figures::rounded_to;

use super::currency::Unit;
use crate::amount::price as price_shown;
use crate::trade_rules::Kind;

/// The currencies of a row.
pub(super) struct Money {
    /// Of the price.
    pub(super) unit: Unit,
    /// Of amount and fees, if it differs.
    pub(super) paid: Option<Unit>,
    pub(super) rate: Option<Decimal>,
}

/// The result of checking the amount of a row.
pub(super) struct Checked {
    /// In the currency of the price, with the tax.
    pub(super) fee: Decimal,
    /// The money that moved, if it was in another currency.
    pub(super) paid: Option<Decimal>,
}

impl Money {
    pub(super) fn is_changed(&self) -> bool {
        self.paid.is_some_and(|paid| paid.code != self.unit.code)
    }

    /// Converts an amount in pence to pounds.
    pub(super) fn whole_amount(&self, amount: Decimal) -> Result<Decimal, String> {
        let of_one = self.paid.unwrap_or(self.unit).of_one;
        amount.checked_div(of_one).ok_or_else(|| TOO_LARGE.to_owned())
    }

    pub(super) fn in_price_currency(&self, amount: Decimal) -> Result<Decimal, String> {
        match (self.is_changed(), amount.is_zero()) {
            (true, false) => Err(format!(
                "its amount is in {} and its currency is {}, and no price says which is which",
                self.paid.map_or("", |paid| paid.code),
                self.unit.code
            )),
            _ => self.whole_amount(amount),
        }
    }

    /// Checks the amount of the row against quantity, price and fees. The amount may be with or without the fees.
    ///
    /// # Errors
    /// When they disagree.
    pub(super) fn checked(
        &self,
        kind: Kind,
        quantity: Decimal,
        price: Decimal,
        (fees, tax): (Decimal, Decimal),
        total: Option<Decimal>,
    ) -> Result<Checked, String> {
        let with_tax = |fee: Decimal, paid: Option<Decimal>| {
            let fee = fee.checked_add(tax).ok_or(TOO_LARGE)?.normalize();
            Ok::<Checked, String>(Checked { fee, paid })
        };
        let worth = quantity.checked_mul(price).and_then(|worth| worth.checked_div(self.unit.of_one));
        let worth = worth.ok_or(TOO_LARGE)?;
        // Tolerance for rounded prices, quantities and totals.
        let half = |scale: u32| Decimal::new(5, scale.min(27) + 1);
        let of_price = quantity.saturating_mul(half(price.scale().max(2))) / self.unit.of_one;
        let of_quantity = match quantity.scale() {
            0..=2 => Decimal::ZERO,
            scale => price.saturating_mul(half(scale)) / self.unit.of_one,
        };
        let slack = of_price.saturating_add(of_quantity).saturating_add(CENTS);
        // The amount is with fees and tax, without the tax, or without both.
        let less = |worth: Decimal, cost: Decimal| match kind.comes_in() {
            true => worth.saturating_sub(cost),
            false => worth.saturating_add(cost),
        };
        let sums = |worth: Decimal, factor: Decimal, fees: Decimal| {
            let taxed = less(worth, tax).saturating_mul(factor);
            let changed = worth.saturating_mul(factor);
            [less(taxed, fees), less(changed, fees), changed]
        };
        let off = |sum: Decimal, total: Decimal| sum.saturating_sub(total).abs();
        if !self.is_changed() {
            let Some(total) = total else { return with_tax(self.fee_in_main_unit(fees)?, None) };
            // A total beside a price in pence is in pence or in pounds.
            for of_one in [self.paid.map_or(Decimal::ONE, |paid| paid.of_one), self.unit.of_one] {
                let (total, fees) = (total / of_one, fees / of_one);
                if sums(worth, Decimal::ONE, fees).iter().any(|sum| off(*sum, total) <= slack) {
                    return with_tax(fees, None);
                }
            }
            return Err(contradiction(kind, quantity, price, fees.saturating_add(tax), total, None));
        }
        let Some(paid) = self.paid else { return with_tax(self.fee_in_main_unit(fees)?, None) };
        let (fees, total) = (fees / paid.of_one, total.map(|total| total / paid.of_one));
        let Some(rate) = self.rate.filter(|rate| !rate.is_zero()) else {
            return match fees.is_zero() {
                true => with_tax(fees, total),
                false => Err(format!(
                    "its fee is in {} and its price in {}, and it has no exchange rate",
                    paid.code, self.unit.code
                )),
            };
        };
        let Some(total) = total else {
            return match fees.is_zero() {
                true => with_tax(fees, None),
                false => {
                    Err(format!("it has no amount in {} that says which way the exchange rate is", paid.code))
                }
            };
        };
        // The rate can be in either direction.
        let of_rate = half(rate.scale().max(2)).checked_div(rate).unwrap_or(Decimal::MAX);
        let mut best: Option<(Decimal, Decimal, usize)> = None;
        // Beside a price in pence, the rate can be that of a penny.
        let of_one = self.unit.of_one;
        let factors =
            [Some(rate), Decimal::ONE.checked_div(rate), rate.checked_mul(of_one), of_one.checked_div(rate)];
        for factor in factors.into_iter().flatten() {
            let Some(changed) = worth.checked_mul(factor) else { continue };
            let slack = slack.saturating_mul(factor).saturating_add(changed.saturating_mul(of_rate));
            let slack = slack.saturating_add(CENTS);
            for (place, sum) in sums(worth, factor, fees).into_iter().enumerate() {
                let off = off(sum, total);
                if off <= slack && best.is_none_or(|(before, ..)| off < before) {
                    best = Some((off, factor, place));
                }
            }
        }
        let Some((_, factor, place)) = best else {
            return Err(contradiction(kind, quantity, price, fees, total, Some((paid.code, rate))));
        };
        let fee = fees.checked_div(factor).ok_or(TOO_LARGE)?;
        // Adds what the amount excludes.
        let tax_paid = tax.checked_mul(factor).ok_or(TOO_LARGE)?;
        let moved = match place {
            0 => total,
            1 => less(total, tax_paid),
            _ => less(less(total, tax_paid), fees),
        };
        with_tax(rounded_to(fee, FEE_PLACES), Some(moved))
    }

    /// Fees of shares quoted in pence are in pounds.
    fn fee_in_main_unit(&self, fees: Decimal) -> Result<Decimal, String> {
        fees.checked_div(self.paid.map_or(Decimal::ONE, |paid| paid.of_one))
            .ok_or_else(|| TOO_LARGE.to_owned())
    }
}

fn contradiction(
    kind: Kind,
    quantity: Decimal,
    price: Decimal,
    fees: Decimal,
    total: Decimal,
    changed: Option<(&str, Decimal)>,
) -> String {
    let sign = if kind.comes_in() { '−' } else { '+' };
    let fees = if fees.is_zero() { String::new() } else { format!(" {sign} {fees}") };
    let changed = changed.map(|(code, rate)| format!(" at the rate {rate} to {code}")).unwrap_or_default();
    let price = price_shown(price);
    format!("{quantity} × {price}{fees}{changed} is not its amount of {total}")
}

pub(super) const TOO_LARGE: &str = "its numbers have too many digits";
/// Tolerance for the difference of two amounts rounded to cents.
const CENTS: Decimal = Decimal::from_parts(15, 0, 0, false, 3);
/// Decimal places of a converted fee.
const FEE_PLACES: u32 = 6;
