//! Closes, fetched where they can be and kept for when they cannot.

use nova_market::tools::Web;
use nova_market::{Bar, Close, Events, History, Listing, SHARES_DAYS, Sources};
use nova_skill::figures::{days_between, percent};
use nova_skill::jiff::ToSpan as _;
use nova_skill::{Date, Decimal, LogLevel, Source, ToolContext, Value, WebSource, json, serde_json};
use serde::{Deserialize, Serialize};

/// The closes of one share, oldest first, in shares of the day on which they were fetched.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Closes {
    /// "Yahoo"
    pub(crate) source: String,
    pub(crate) history: History,
    /// Why they are not of now: what the sources said.
    pub(crate) old: Option<String>,
}

/// Those since a day: fetched, else as they were fetched last.
///
/// # Errors
/// With the reasons of the sources, when there are none.
pub(crate) async fn closes(
    listing: &Listing,
    since: Date,
    sources: &Sources,
    ctx: &dyn ToolContext,
) -> Result<Closes, String> {
    let today = ctx.clock().today();
    match sources.history(listing, since, today, &Web(ctx)).await {
        Ok((source, history)) => {
            let closes = Closes { source: source.to_owned(), history, old: None };
            let before = ctx.store().get(&key(listing)).await.ok().flatten().and_then(of_kept);
            let longest = closes.clone().continuing(before);
            // A store that fails is no reason to give none.
            if let Err(error) = ctx.store().set(&key(listing), kept(&longest)).await {
                ctx.log(LogLevel::Warn, &format!("The closes were not kept: {error}"));
            }
            Ok(closes)
        }
        Err(reasons) => {
            let before = ctx.store().get(&key(listing)).await.ok().flatten();
            let mut closes = before.and_then(of_kept).ok_or_else(|| reasons.to_string())?;
            closes.history.bars.retain(|bar| bar.date >= since);
            match closes.history.bars.is_empty() {
                true => Err(reasons.to_string()),
                false => Ok(Closes { old: Some(reasons.to_string()), ..closes }),
            }
        }
    }
}

impl Closes {
    /// With the days of `before` that are older, where both say the same of the first day: no split lies between.
    fn continuing(mut self, before: Option<Self>) -> Self {
        let first = self.history.bars.first().cloned();
        let (Some(first), Some(before)) = (first, before) else { return self };
        let older = before.history.bars.partition_point(|bar| bar.date < first.date);
        let agree = before
            .history
            .bars
            .get(older)
            .is_some_and(|bar| bar.date == first.date && bar.close == first.close);
        if agree && before.history.currency == self.history.currency {
            self.history.bars.splice(0..0, before.history.bars[..older].iter().cloned());
            self.history.events =
                self.history.events.zip(before.history.events).map(|(mut events, before)| {
                    let is_older = |(day, _): &(Date, Decimal)| *day < first.date;
                    events.splits.splice(0..0, before.splits.into_iter().filter(is_older));
                    events.dividends.splice(0..0, before.dividends.into_iter().filter(is_older));
                    events
                });
        }
        self
    }

    pub(crate) fn last(&self) -> Option<&Bar> {
        self.history.bars.last()
    }

    /// Those of the days since `begin`.
    pub(crate) fn since(&self, begin: Date) -> &[Bar] {
        let from = self.history.bars.partition_point(|bar| bar.date < begin);
        &self.history.bars[from..]
    }

    /// By how many percent it rose in the year up to the last close, with one decimal place.
    pub(crate) fn year_change(&self) -> Option<Decimal> {
        let last = self.last()?;
        let begin = last.date.checked_sub(1.year()).ok()?;
        // The close of that day, or the last one before; a share that is younger has none.
        let before = self.history.bars.iter().rev().find(|bar| bar.date <= begin)?;
        percent(last.close.checked_sub(before.close)?, before.close, 1)
    }

    /// The lowest and the highest close of the last year.
    pub(crate) fn year_range(&self) -> Option<(Decimal, Decimal)> {
        let begin = self.last()?.date.checked_sub(1.year()).ok()?;
        let closes = || self.since(begin).iter().map(|bar| bar.close);
        closes().min().zip(closes().max())
    }

    pub(crate) fn close(&self) -> Option<Close> {
        let last = self.last()?;
        let covers = |bar: &Bar| days_between(bar.date, last.date) >= SHARES_DAYS;
        let events = self.history.events.as_ref().filter(|_| self.history.bars.first().is_some_and(covers));
        Some(Close {
            price: last.close,
            currency: self.history.currency.clone(),
            date: last.date,
            splits: events.map(|events| events.splits.clone()),
        })
    }

    pub(crate) fn web_source(&self) -> Source {
        Source::Web(WebSource::new(&self.history.url, &self.history.fetched))
    }
}

/// What stands in the store, short: a day is a list.
#[derive(Serialize, Deserialize)]
struct Kept {
    source: String,
    currency: String,
    url: String,
    fetched: String,
    bars: Vec<(Date, Decimal, Option<u64>)>,
    splits: Option<Vec<(Date, Decimal)>>,
    dividends: Option<Vec<(Date, Decimal)>>,
}

fn kept(closes: &Closes) -> Value {
    let History { currency, bars, events, url, fetched } = closes.history.clone();
    let (splits, dividends) = events.map(|events| (events.splits, events.dividends)).unzip();
    let bars = bars.into_iter().map(|bar| (bar.date, bar.close, bar.volume)).collect();
    let kept = Kept { source: closes.source.clone(), currency, url, fetched, bars, splits, dividends };
    serde_json::to_value(kept).unwrap_or(json!(null))
}

/// None for what another version of Nova kept otherwise.
fn of_kept(value: Value) -> Option<Closes> {
    let Kept { source, currency, url, fetched, bars, splits, dividends } =
        serde_json::from_value(value).ok()?;
    let bars = bars.into_iter().map(|(date, close, volume)| Bar { date, close, volume }).collect();
    let events = splits.zip(dividends).map(|(splits, dividends)| Events { splits, dividends });
    Some(Closes { source, history: History { currency, bars, events, url, fetched }, old: None })
}

/// Any symbol as the letters that a key may have.
fn key(listing: &Listing) -> String {
    let said = format!("{} {}", listing.symbol, listing.exchange.as_deref().unwrap_or_default());
    let letters: String = said.trim().bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("closes-{letters}")
}
