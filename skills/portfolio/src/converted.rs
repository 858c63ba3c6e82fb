//! Totals of the holdings converted to one currency.

use std::collections::BTreeMap;

use nova_skill::figures::{TooLarge, money, plus};
use nova_skill::{Decimal, Figure};

use crate::books::Books;
use crate::cash::Cash;
use crate::rates::Rates;
use crate::valuation::Valuation;

/// The total value in one currency: the sum of the converted rows after rounding.
#[derive(Default)]
pub(crate) struct ConvertedTotal {
    pub(crate) value: Decimal,
    pub(crate) exact: Decimal,
    /// In the order of the rows; `None` for a row without a value.
    pub(crate) rows: Vec<Option<Converted>>,
    /// By the holdings' own currency.
    parts: BTreeMap<String, Decimal>,
}

#[derive(Clone, Copy)]
pub(crate) struct Converted {
    pub(crate) value: Decimal,
    pub(crate) exact: Decimal,
}

impl Valuation<'_> {
    /// The sum of the cash balances in one currency; `None` if a rate is missing.
    pub(crate) fn converted_cash(&self, cash: &Cash, rates: &mut Rates) -> Result<Option<Decimal>, TooLarge> {
        let mut sum = Some(money(Decimal::ZERO, rates.to));
        for (currency, balance) in cash.balances.iter() {
            let converted = rates.money(balance, currency, self.day)?;
            sum = sum.zip(converted).map(|(sum, converted)| plus(sum, converted)).transpose()?;
        }
        Ok(sum)
    }

    /// `None` if a rate is missing; [`Rates`] records which.
    pub(crate) fn converted_total(&self, rates: &mut Rates) -> Result<Option<ConvertedTotal>, TooLarge> {
        let mut one = ConvertedTotal { value: money(Decimal::ZERO, rates.to), ..ConvertedTotal::default() };
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

    /// The figure of the total at the pointer `at`, with the rates used.
    pub(crate) fn converted_figure(
        &self,
        at: &str,
        total: &ConvertedTotal,
        rates: &Rates,
        books: &Books,
    ) -> Figure {
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
