//! One row of a file as a trade, with the currency exchange that paid for it.

use nova_skill::figures::money;
use nova_skill::{Date, Decimal};
use nova_statement::RowIds;

use crate::trade_rules::{Kind, Numbers};

/// A row as a trade, or as a movement of cash.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) line: u64,
    pub(super) date: Date,
    pub(super) kind: Kind,
    /// `None` for a movement of cash.
    pub(super) symbol: Option<String>,
    /// The security's name in the file.
    pub(super) name: Option<String>,
    pub(super) currency: &'static str,
    pub(super) numbers: Numbers,
    /// The currency of the money that moved, if it differs.
    pub(super) paid_in: Option<&'static str>,
    /// The money that moved in that currency, if known.
    pub(super) paid: Option<Decimal>,
    /// The symbol of the trade that a withdrawal or a deposit was exchanged for.
    pub(super) exchanged_for: Option<String>,
    /// The ISIN behind the symbol, for which the user may choose another symbol.
    pub(super) isin: Option<String>,
    pub(super) own_id: Option<String>,
    pub(super) row_id: String,
}

impl Draft {
    /// Identical for the same row in any file.
    pub(super) fn import_id(&self) -> &str {
        self.own_id.as_deref().unwrap_or(&self.row_id)
    }

    /// The currency exchange of a trade that was paid in another currency: a withdrawal and a deposit.
    pub(super) fn exchange(&self, ids: &RowIds) -> Vec<Self> {
        let (Some(paid), Some(paid_in)) = (self.paid, self.paid_in) else { return Vec::new() };
        let Numbers { quantity: Some(quantity), price: Some(price), fee, .. } = self.numbers else {
            return Vec::new();
        };
        let fee = fee.unwrap_or_default();
        let worth = quantity.checked_mul(price);
        let (worth, comes_in) = match self.kind.comes_in() {
            true => (worth.and_then(|worth| worth.checked_sub(fee)), true),
            false => (worth.and_then(|worth| worth.checked_add(fee)), false),
        };
        // Nothing was exchanged if costs exceed the amount, or if it is below the smallest coin.
        let is_amount = |amount: Decimal, code: &str| money(amount, code) > Decimal::ZERO;
        let Some(worth) = worth.filter(|worth| is_amount(*worth, self.currency) && is_amount(paid, paid_in))
        else {
            return Vec::new();
        };
        let own = (worth, self.currency);
        let (out, into) = if comes_in { (own, (paid, paid_in)) } else { ((paid, paid_in), own) };
        let part = |kind: Kind, (amount, currency): (Decimal, &'static str)| Self {
            line: self.line,
            date: self.date,
            kind,
            symbol: None,
            name: None,
            currency,
            numbers: Numbers { price: Some(money(amount, currency)), ..Numbers::default() },
            paid_in: None,
            paid: None,
            exchanged_for: self.symbol.clone(),
            isin: None,
            own_id: None,
            row_id: ids.part(self.import_id(), kind.word()),
        };
        vec![part(Kind::Withdrawal, out), part(Kind::Deposit, into)]
    }
}
