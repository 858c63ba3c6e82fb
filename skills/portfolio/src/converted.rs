//! What is held, added up in one currency.

use std::collections::BTreeMap;

use nova_skill::figures::{TooLarge, money, plus};
use nova_skill::{Decimal, Figure};

use crate::books::Books;
use crate::cash::Cash;
use crate::rates::Rates;
use crate::valuation::Valuation;

/// All that has a value, in one currency: the sum of the rows as they are shown in it.
#[derive(Default)]
pub(crate) struct InOne {
    pub(crate) value: Decimal,
    pub(crate) exact: Decimal,
    /// In the order of the rows; none where a row has no value.
    pub(crate) rows: Vec<Option<Converted>>,
    /// By the currency it is held in.
    parts: BTreeMap<String, Decimal>,
}

#[derive(Clone, Copy)]
pub(crate) struct Converted {
    pub(crate) value: Decimal,
    pub(crate) exact: Decimal,
}

impl Valuation<'_> {
    /// Balances of cash in one currency; none where a rate is missing.
    pub(crate) fn cash_in_one(&self, cash: &Cash, rates: &mut Rates) -> Result<Option<Decimal>, TooLarge> {
        let mut sum = Some(money(Decimal::ZERO, rates.to));
        for (currency, balance) in cash.balances.iter() {
            let converted = rates.money(balance, currency, self.day)?;
            sum = sum.zip(converted).map(|(sum, converted)| plus(sum, converted)).transpose()?;
        }
        Ok(sum)
    }

    /// None where a rate is missing; the rates name it.
    pub(crate) fn in_one(&self, rates: &mut Rates) -> Result<Option<InOne>, TooLarge> {
        let mut one = InOne { value: money(Decimal::ZERO, rates.to), ..InOne::default() };
        for row in &self.rows {
            let currency = row.holding.currency;
            let (Some(value), Some(exact)) = (row.value, row.exact.value) else {
                one.rows.push(None);
                continue;
            };
            let (value, exact) =
                (rates.money(value, currency, self.day)?, rates.exact(exact, currency, self.day)?);
            let converted = value.zip(exact).map(|(value, exact)| Converted { value, exact });
            one.rows.push(converted);
            let Some(Converted { value, exact }) = converted else { continue };
            one.value = plus(one.value, value)?;
            one.exact = one.exact.checked_add(exact).ok_or(TooLarge)?;
            let part = one.parts.entry(currency.to_owned()).or_default();
            *part = plus(*part, value)?;
        }
        Ok(rates.is_complete().then_some(one))
    }

    /// The sum at `at`, with the rates that it was computed with.
    pub(crate) fn converted_figure(&self, at: &str, total: &InOne, rates: &Rates, books: &Books) -> Figure {
        let to = rates.to;
        let priced = self.rows.iter().filter(|row| row.value.is_some());
        let cautions = self.currencies().into_iter().filter_map(|currency| self.caution(currency));
        let cautions: Vec<String> = cautions.chain(rates.caution()).collect();
        let figure = Figure::new(at, format!("Value in {to}"), total.value, to)
            .formula("Σ value × rate")
            .from_sources(priced.flat_map(|row| row.sources(books)))
            .from_sources(rates.sources())
            .caution((!cautions.is_empty()).then(|| cautions.join(", ")));
        total.parts.iter().fold(figure, |figure, (currency, amount)| {
            figure.part(rates.label(currency, self.day), *amount, to)
        })
    }
}
