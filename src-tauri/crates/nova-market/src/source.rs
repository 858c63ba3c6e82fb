use async_trait::async_trait;
use jiff::civil::Date;
use nova_figures::{day_and_month, days_between};
use rust_decimal::Decimal;

use crate::{Found, Listing, SourceError, Transport};

/// How many days old a price may be to be used.
pub const QUOTE_DAYS: i64 = 7;

/// One service that has market data. What it does not have it refuses.
#[async_trait]
pub trait Source: Send + Sync {
    /// "Stooq"
    fn name(&self) -> &str;

    /// The newest price.
    async fn quote(&self, _: &Listing, _: &dyn Transport) -> Result<Quoted, SourceError> {
        Err(SourceError::Symbol("gives no prices".into()))
    }

    /// The days from `from` to `to`, both included.
    async fn history(
        &self,
        _: &Listing,
        _from: Date,
        _to: Date,
        _: &dyn Transport,
    ) -> Result<History, SourceError> {
        Err(SourceError::Symbol("gives no past prices".into()))
    }

    /// How much of the currency `to` one of `from` is.
    async fn rate(&self, _from: &str, _to: &str, _: &dyn Transport) -> Result<Quoted, SourceError> {
        Err(SourceError::Symbol("gives no rates".into()))
    }

    /// The same on the days from `first` to `last`, as closes.
    async fn rates(
        &self,
        (_from, _to): (&str, &str),
        _first: Date,
        _last: Date,
        _: &dyn Transport,
    ) -> Result<History, SourceError> {
        Err(SourceError::Symbol("gives no past rates".into()))
    }

    /// What is listed under a name, or under something like a symbol: the best match first.
    async fn search(&self, _query: &str, _: &dyn Transport) -> Result<Vec<Found>, SourceError> {
        Err(SourceError::Symbol("finds no names".into()))
    }
}

/// The newest price that a source has.
#[derive(Debug, Clone, PartialEq)]
pub struct Quoted {
    pub price: Decimal,
    pub currency: String,
    /// What the source calls it, where it says so.
    pub name: Option<String>,
    pub date: Date,
    /// RFC 3339, where it is said.
    pub at: Option<String>,
    /// The close of the day before.
    pub before: Option<Decimal>,
    /// Where it answered, without a query.
    pub url: String,
    /// When it answered, RFC 3339.
    pub fetched: String,
}

/// Days of trading, oldest first. Prices are those of one share as there are on the day of the answer: a split in
/// between has divided them.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    pub currency: String,
    pub bars: Vec<Bar>,
    /// Splits and dividends of these days, where the source tells of them.
    pub events: Option<Events>,
    /// Where it answered, without a query.
    pub url: String,
    /// When it answered, RFC 3339.
    pub fetched: String,
}

/// One day of trading.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub date: Date,
    pub close: Decimal,
    /// None where the source does not say them.
    pub open: Option<Decimal>,
    pub high: Option<Decimal>,
    pub low: Option<Decimal>,
    /// How many shares changed hands, where it is said.
    pub volume: Option<u64>,
}

/// What happened to a share in some days.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Events {
    /// How many shares there are for each one since that day.
    pub splits: Vec<(Date, Decimal)>,
    /// What was paid for one share as there are on the day of the answer.
    pub dividends: Vec<(Date, Decimal)>,
}

impl Quoted {
    /// The same where it can be true.
    ///
    /// # Errors
    /// When it is not above zero, in another currency than it is kept in, of a day to come, too old, or nowhere near
    /// what was known last.
    pub fn checked(
        self,
        currency: Option<&str>,
        today: Date,
        last: Option<Decimal>,
    ) -> Result<Self, SourceError> {
        let absurd = |what: String| Err(SourceError::Symbol(what));
        if self.price <= Decimal::ZERO {
            return absurd(format!("answered with the price {}, which is not above zero", self.price));
        }
        in_currency(&self.currency, currency)?;
        // Somewhere it is tomorrow already.
        if days_between(today, self.date) > 1 {
            return absurd(format!("answered with a price of {}, which is in the future", self.date));
        }
        if days_between(self.date, today) > QUOTE_DAYS {
            return absurd(format!(
                "has no newer price than that of {} {}",
                day_and_month(self.date),
                self.date.year()
            ));
        }
        if let Some(last) = last.filter(|last| is_far_off(self.price, *last)) {
            return absurd(format!(
                "answered with the price {}, more than 1,000 times off the last one, {last}",
                self.price
            ));
        }
        Ok(self)
    }
}

impl History {
    /// The days from `from` to `to` that can be true.
    ///
    /// # Errors
    /// When there is none, in another currency than it is kept in, or with a close nowhere near the others.
    pub fn checked(mut self, currency: Option<&str>, from: Date, to: Date) -> Result<Self, SourceError> {
        in_currency(&self.currency, currency)?;
        self.bars.retain(|bar| bar.close > Decimal::ZERO && bar.date >= from && bar.date <= to);
        self.bars.sort_by_key(|bar| bar.date);
        // Of two of one day the later one is the newer.
        self.bars.reverse();
        self.bars.dedup_by_key(|bar| bar.date);
        self.bars.reverse();
        for bar in &mut self.bars {
            for price in [&mut bar.open, &mut bar.high, &mut bar.low] {
                *price = price.filter(|price| *price > Decimal::ZERO && !is_far_off(*price, bar.close));
            }
        }
        let mut closes: Vec<Decimal> = self.bars.iter().map(|bar| bar.close).collect();
        closes.sort();
        let Some(usual) = closes.get(closes.len() / 2).copied() else {
            return Err(SourceError::Symbol("has none".into()));
        };
        match self.bars.iter().find(|bar| is_far_off(bar.close, usual)) {
            None => Ok(self),
            Some(bar) => Err(SourceError::Symbol(format!(
                "answered with the close {} of {}, more than 1,000 times off the others",
                bar.close, bar.date
            ))),
        }
    }
}

fn in_currency(said: &str, kept: Option<&str>) -> Result<(), SourceError> {
    match kept.filter(|kept| *kept != said) {
        None => Ok(()),
        Some(kept) => Err(SourceError::Symbol(format!("quotes it in {said}, and it is kept in {kept}"))),
    }
}

/// Whether one of two prices is more than a thousand times the other.
fn is_far_off(price: Decimal, other: Decimal) -> bool {
    let times = |a: Decimal, b: Decimal| a.checked_div(b).is_none_or(|times| times > Decimal::ONE_THOUSAND);
    times(price, other) || times(other, price)
}

/// A number of an answer: a plain decimal or one with an exponent, as programs print them.
pub(crate) fn number(text: &str) -> Option<Decimal> {
    let text = text.trim();
    Decimal::from_str_exact(text).ok().or_else(|| Decimal::from_scientific(text).ok())
}
