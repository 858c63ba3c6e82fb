use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use nova_figures::{day_and_month, days_between};
use rust_decimal::Decimal;

use crate::{Found, KeyFigure, Listing, SourceError, Transport};

/// Maximum age of a price, in days.
pub const QUOTE_DAYS: i64 = 7;

/// A service for market data. Unsupported requests return an error.
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

    /// The prices within the last trading day, which may not be over.
    async fn intraday(&self, _: &Listing, _: &dyn Transport) -> Result<Intraday, SourceError> {
        Err(SourceError::Symbol("gives no prices within a day".into()))
    }

    /// The exchange rate: units of `to` per unit of `from`.
    async fn rate(&self, _from: &str, _to: &str, _: &dyn Transport) -> Result<Quoted, SourceError> {
        Err(SourceError::Symbol("gives no rates".into()))
    }

    /// Exchange rates from `first` to `last`, as closes.
    async fn rates(
        &self,
        (_from, _to): (&str, &str),
        _first: Date,
        _last: Date,
        _: &dyn Transport,
    ) -> Result<History, SourceError> {
        Err(SourceError::Symbol("gives no past rates".into()))
    }

    /// Searches by name or symbol, best match first.
    async fn search(&self, _query: &str, _: &dyn Transport) -> Result<Vec<Found>, SourceError> {
        Err(SourceError::Symbol("finds no names".into()))
    }

    /// The key figures of a company as the source computes them.
    async fn fundamentals(&self, _: &Listing, _: &dyn Transport) -> Result<Overview, SourceError> {
        Err(SourceError::Symbol("gives no key figures".into()))
    }
}

/// A company's key figures from one source.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    pub name: String,
    pub figures: Vec<KeyFigure>,
    /// URL of the answer, without the query.
    pub url: String,
    /// Time of the answer, RFC 3339.
    pub fetched: String,
}

/// The newest price of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Quoted {
    pub price: Decimal,
    pub currency: String,
    /// The source's name for the listing, if it reports one.
    pub name: Option<String>,
    pub date: Date,
    /// RFC 3339, if reported.
    pub at: Option<String>,
    /// The previous close.
    pub before: Option<Decimal>,
    /// URL of the answer, without the query.
    pub url: String,
    /// Time of the answer, RFC 3339.
    pub fetched: String,
}

/// Trading days, oldest first. Prices are split-adjusted to the shares of the day of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    pub currency: String,
    pub bars: Vec<Bar>,
    /// Days whose close is not above zero, oldest first. They have no bar.
    pub unknown: Vec<Date>,
    /// Splits and dividends of these days, if the source reports them.
    pub events: Option<Events>,
    /// URL of the answer, without the query.
    pub url: String,
    /// Time of the answer, RFC 3339.
    pub fetched: String,
}

/// Prices within one trading day, oldest first. They are not closes.
#[derive(Debug, Clone, PartialEq)]
pub struct Intraday {
    pub currency: String,
    /// The zone of the exchange.
    pub zone: TimeZone,
    pub ticks: Vec<Tick>,
    /// URL of the answer, without the query.
    pub url: String,
    /// Time of the answer, RFC 3339.
    pub fetched: String,
}

/// The last price of some minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// The beginning of those minutes, or the time of the newest price.
    pub time: Timestamp,
    pub price: Decimal,
    /// The trading volume in shares, if reported.
    pub volume: Option<u64>,
}

/// One trading day.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub date: Date,
    pub close: Decimal,
    /// `None` if the source does not report it.
    pub open: Option<Decimal>,
    pub high: Option<Decimal>,
    pub low: Option<Decimal>,
    /// The trading volume in shares, if reported.
    pub volume: Option<u64>,
}

/// Corporate actions within some days.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Events {
    /// Date and ratio (new shares per old one).
    pub splits: Vec<(Date, Decimal)>,
    /// Ex-date and amount per share as of the day of the answer.
    pub dividends: Vec<(Date, Decimal)>,
}

impl Quoted {
    /// Validates the price.
    ///
    /// # Errors
    /// When it is not above zero, in another currency than expected, in the future, too old, or implausibly
    /// far from the last known price.
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
        in_the_last_days(self.date, today)?;
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
    /// The valid days from `from` to `to`.
    ///
    /// # Errors
    /// When there are none, the currency is not the expected one, or a close is implausibly far from the
    /// others.
    pub fn checked(mut self, currency: Option<&str>, from: Date, to: Date) -> Result<Self, SourceError> {
        in_currency(&self.currency, currency)?;
        self.bars.retain(|bar| bar.date >= from && bar.date <= to);
        self.bars.sort_by_key(|bar| bar.date);
        // Of two bars of the same day, the later one is newer.
        self.bars.reverse();
        self.bars.dedup_by_key(|bar| bar.date);
        self.bars.reverse();
        let is_unknown = |bar: &Bar| bar.close <= Decimal::ZERO;
        self.unknown = self.bars.iter().filter(|bar| is_unknown(bar)).map(|bar| bar.date).collect();
        self.bars.retain(|bar| !is_unknown(bar));
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

impl Intraday {
    /// The day of its last price, at the exchange.
    pub fn day(&self) -> Option<Date> {
        self.ticks.last().map(|tick| self.day_of(tick))
    }

    /// The prices of the last day.
    ///
    /// # Errors
    /// When there are none, or the day, the currency or a price is implausible: see [`Quoted::checked`].
    pub fn checked(mut self, currency: Option<&str>, today: Date) -> Result<Self, SourceError> {
        in_currency(&self.currency, currency)?;
        self.ticks.retain(|tick| tick.price > Decimal::ZERO);
        // Stable: of two prices of the same time, the later one is newer.
        self.ticks.sort_by_key(|tick| tick.time);
        self.ticks.reverse();
        self.ticks.dedup_by_key(|tick| tick.time);
        self.ticks.reverse();
        let Some(day) = self.day() else {
            return Err(SourceError::Symbol("has no prices within a day".into()));
        };
        in_the_last_days(day, today)?;
        let before = self.ticks.partition_point(|tick| self.day_of(tick) < day);
        self.ticks.drain(..before);
        let mut prices: Vec<Decimal> = self.ticks.iter().map(|tick| tick.price).collect();
        prices.sort();
        let usual = prices.get(prices.len() / 2).copied().unwrap_or_default();
        match self.ticks.iter().find(|tick| is_far_off(tick.price, usual)) {
            None => Ok(self),
            Some(tick) => Err(SourceError::Symbol(format!(
                "answered with the price {} of {}, more than 1,000 times off the others",
                tick.price, tick.time
            ))),
        }
    }

    fn day_of(&self, tick: &Tick) -> Date {
        tick.time.to_zoned(self.zone.clone()).date()
    }
}

fn in_currency(said: &str, kept: Option<&str>) -> Result<(), SourceError> {
    match kept.filter(|kept| *kept != said) {
        None => Ok(()),
        Some(kept) => Err(SourceError::Symbol(format!("quotes it in {said}, but it is recorded in {kept}"))),
    }
}

fn in_the_last_days(day: Date, today: Date) -> Result<(), SourceError> {
    // It may already be tomorrow in another time zone.
    if days_between(today, day) > 1 {
        return Err(SourceError::Symbol(format!("answered with a price of {day}, which is in the future")));
    }
    if days_between(day, today) > QUOTE_DAYS {
        let (day, year) = (day_and_month(day), day.year());
        return Err(SourceError::Symbol(format!("has no newer price than that of {day} {year}")));
    }
    Ok(())
}

/// Whether two prices differ by a factor of more than a thousand.
fn is_far_off(price: Decimal, other: Decimal) -> bool {
    let times = |a: Decimal, b: Decimal| a.checked_div(b).is_none_or(|times| times > Decimal::ONE_THOUSAND);
    times(price, other) || times(other, price)
}
