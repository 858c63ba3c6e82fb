//! Converts amounts to one currency and records the rates used, with their day and source.

use std::collections::{BTreeMap, BTreeSet};

use nova_market::Age;
use nova_skill::figures::{TooLarge, money};
use nova_skill::{Date, Decimal, Figure, Problem, Source, Value, json};

use crate::pair::pair;
use crate::prices::{Prices, Rate};
use crate::valuation::day_text;

/// The rates to one currency. Records which were used and which are missing.
pub(crate) struct Rates<'a> {
    pub(crate) to: &'static str,
    prices: &'a Prices<'a>,
    today: Date,
    /// By source currency and the requested day.
    used: BTreeMap<(String, Date), Rate<'a>>,
    missing: BTreeSet<(String, Date)>,
}

/// The maximum number of rates listed; more are only counted.
const LISTED: usize = 3;

impl<'a> Rates<'a> {
    pub(crate) fn new(prices: &'a Prices<'a>, to: &'static str, today: Date) -> Self {
        Self { to, prices, today, used: BTreeMap::new(), missing: BTreeSet::new() }
    }

    /// Converts an amount at the rate of a day, unrounded; `None` if the rate is missing.
    pub(crate) fn exact(
        &mut self,
        amount: Decimal,
        currency: &str,
        day: Date,
    ) -> Result<Option<Decimal>, TooLarge> {
        if currency == self.to {
            return Ok(Some(amount));
        }
        let Some(rate) = self.prices.rate(currency, self.to, day) else {
            self.missing.insert((currency.to_owned(), day));
            return Ok(None);
        };
        let converted = amount.checked_mul(rate.rate).ok_or(TooLarge)?;
        self.used.insert((currency.to_owned(), day), rate);
        Ok(Some(converted))
    }

    /// The converted amount, rounded for display.
    pub(crate) fn money(
        &mut self,
        amount: Decimal,
        currency: &str,
        day: Date,
    ) -> Result<Option<Decimal>, TooLarge> {
        Ok(self.exact(amount, currency, day)?.map(|amount| money(amount, self.to)))
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// The `rates` list of an answer, with each rate once.
    pub(crate) fn to_json(&self) -> Vec<Value> {
        let rows = self.distinct().into_iter().map(|(from, day, rate)| {
            json!({
                "from": from,
                "to": self.to,
                "rate": rate.rate.to_string(),
                "at": rate.price.when(),
                "source": rate.price.source_name(),
                "stale": rate.price.age(day).word(),
            })
        });
        rows.collect()
    }

    /// Such as "USD at 0.92, ECB, 20 Nov", with ", old" for a stale rate. `None` if no rate was needed.
    pub(crate) fn detail(&self) -> Option<String> {
        let rates = self.distinct();
        if rates.len() > LISTED {
            let days = || rates.iter().map(|(_, _, rate)| rate.price.date);
            let (first, last) = (days().min()?, days().max()?);
            let of = format!("{} to {}", day_text(first, self.today), day_text(last, self.today));
            return Some(format!("{} rates of {of}", rates.len()));
        }
        let said: Vec<String> = rates.iter().map(|(from, day, rate)| self.words(from, rate, *day)).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// Such as "USD at 0.92, ECB, 20 Nov".
    fn words(&self, from: &str, rate: &Rate, day: Date) -> String {
        let old = if is_old(rate, day) { ", old" } else { "" };
        let (source, of) = (rate.price.source_name(), day_text(rate.price.date, self.today));
        format!("{from} at {}, {source}, {of}{old}", rate.rate)
    }

    /// The label of a part of a total: "USD at 0.92, ECB, 20 Nov", or "Held in EUR".
    pub(crate) fn label(&self, from: &str, day: Date) -> String {
        self.used(from, day).map_or_else(|| format!("Held in {from}"), |rate| self.words(from, rate, day))
    }

    /// Whether the rate used was stale on that day.
    pub(crate) fn is_old(&self, from: &str, day: Date) -> bool {
        self.used(from, day).is_some_and(|rate| is_old(rate, day))
    }

    pub(crate) fn source(&self, from: &str, day: Date) -> Option<Source> {
        self.used(from, day).map(|rate| rate.price.source())
    }

    fn used(&self, from: &str, day: Date) -> Option<&Rate<'a>> {
        self.used.get(&(from.to_owned(), day))
    }

    /// The caution about stale rates in a total.
    pub(crate) fn caution(&self) -> Option<String> {
        let old = self.distinct().iter().filter(|(_, day, rate)| is_old(rate, *day)).count();
        old_rates(old)
    }

    pub(crate) fn sources(&self) -> impl Iterator<Item = Source> {
        self.used.values().map(|rate| rate.price.source())
    }

    /// Adds a line to the figure for each rate.
    pub(crate) fn explain(&self, figure: Figure) -> Figure {
        self.distinct().into_iter().fold(figure, |figure, (from, day, rate)| {
            let (source, of) = (rate.price.source_name(), day_text(rate.price.date, self.today));
            let mut figure = figure.part(format!("{from} in {}, {source}, {of}", self.to), rate.rate, "");
            if let Some(part) = figure.parts.last_mut().filter(|_| is_old(rate, day)) {
                part.caution = Some("an old rate".into());
            }
            figure
        })
    }

    /// A problem for each currency with missing rates.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let mut days: BTreeMap<&str, Vec<Date>> = BTreeMap::new();
        for (from, day) in &self.missing {
            days.entry(from).or_default().push(*day);
        }
        let problem = |(from, days): (&str, Vec<Date>)| {
            let past: Vec<String> =
                days.iter().filter(|day| **day != self.today).map(|day| day_text(*day, self.today)).collect();
            let on = match past.as_slice() {
                [] => String::new(),
                [only] => format!(" on {only}"),
                [first, more @ ..] => format!(" on {first} and {} more days", more.len()),
            };
            let (to, pair) = (self.to, pair(from, self.to));
            let remedy = if past.is_empty() {
                format!("Call portfolio.quote with the symbol {pair}, or add a price note of it.")
            } else {
                format!("Call portfolio.quote with the range \"all\", or add price notes of {pair}.")
            };
            Problem {
                path: String::new(),
                line: 0,
                problem: format!("there is no rate from {from} to {to}{on}, so there is no total in {to}"),
                remedy,
            }
        };
        days.into_iter().map(problem).collect()
    }

    /// The rates used, deduplicated: several days may share one.
    fn distinct(&self) -> Vec<(&str, Date, &Rate<'a>)> {
        let mut seen = BTreeSet::new();
        let used = self.used.iter().map(|((from, day), rate)| (from.as_str(), *day, rate));
        // The last day determines its age.
        let mut rates: Vec<_> =
            used.rev().filter(|(from, _, rate)| seen.insert((*from, rate.price.when()))).collect();
        rates.reverse();
        rates
    }
}

/// The number of stale rates in words, or `None`.
pub(crate) fn old_rates(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("an old rate".into()),
        old => Some(format!("{old} old rates")),
    }
}

fn is_old(rate: &Rate, day: Date) -> bool {
    rate.price.age(day) != Age::Fresh
}
