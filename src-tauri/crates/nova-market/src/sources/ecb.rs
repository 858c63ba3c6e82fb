//! The euro reference rates of the European Central Bank, without a key: about thirty currencies, once a
//! working day at about 16:00 in Frankfurt, back to 1999. Free to use with attribution; for information, not
//! for trading.
//!
//! <https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/html/index.en.html>

use std::collections::HashMap;

use async_trait::async_trait;
use jiff::civil::Date;
use nova_figures::{days_between, rounded_to};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use rust_decimal::Decimal;
use tokio::sync::OnceCell;
use url::Url;

use crate::get::Answer;
use crate::number::number;
use crate::{Bar, History, Quoted, Request, Source, SourceError, Transport};

pub(super) struct Ecb {
    base: Url,
    /// One response has the rates of all currencies.
    page: OnceCell<Newest>,
}

/// Decimal places of a cross rate.
const PLACES: u32 = 10;
/// Element limit, far above the file of all days since 1999.
const ELEMENTS: usize = 2_000_000;
/// Number of days in the shorter file of past rates.
const RECENT_DAYS: i64 = 85;

/// The newest day, and its origin.
struct Newest {
    day: Day,
    answer: Answer,
}

/// Units of each currency per euro on a day.
struct Day {
    date: Date,
    per_euro: HashMap<String, Decimal>,
}

impl Ecb {
    pub(super) fn new(base: Url) -> Self {
        Self { base, page: OnceCell::new() }
    }

    async fn fetch(&self, page: &str, transport: &dyn Transport) -> Result<(Vec<Day>, Answer), SourceError> {
        let url = self
            .base
            .join(&format!("/stats/eurofxref/{page}"))
            .map_err(|error| SourceError::Source(format!("has no address: {error}")))?;
        let answer = Request::new(url).send(transport).await?;
        if answer.status != 200 {
            return Err(SourceError::Source(format!("has no rates (status {})", answer.status)));
        }
        Ok((days(&answer.text)?, answer))
    }

    async fn newest(&self, transport: &dyn Transport) -> Result<Newest, SourceError> {
        let (days, answer) = self.fetch("eurofxref-daily.xml", transport).await?;
        let day = days.into_iter().max_by_key(|day| day.date);
        day.map(|day| Newest { day, answer }).ok_or_else(unreadable)
    }
}

impl Day {
    /// The exchange rate: units of `to` per unit of `from`.
    fn rate(&self, from: &str, to: &str) -> Result<Decimal, SourceError> {
        let of = |currency: &str| match currency {
            "EUR" => Ok(Decimal::ONE),
            currency => self
                .per_euro
                .get(currency)
                .copied()
                .ok_or_else(|| SourceError::Symbol(format!("has no rate of {currency}"))),
        };
        let rate = of(to)?.checked_div(of(from)?);
        let rate = rate.ok_or_else(|| SourceError::Source("answered with a rate of zero".into()))?;
        Ok(rounded_to(rate, PLACES).normalize())
    }
}

#[async_trait]
impl Source for Ecb {
    fn name(&self) -> &str {
        "ECB"
    }

    async fn rate(&self, from: &str, to: &str, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        let Newest { day, answer } = self.page.get_or_try_init(|| self.newest(transport)).await?;
        Ok(Quoted {
            price: day.rate(from, to)?,
            currency: to.to_owned(),
            name: None,
            date: day.date,
            at: None,
            before: None,
            url: answer.url.clone(),
            fetched: answer.at.clone(),
        })
    }

    async fn rates(
        &self,
        (from, to): (&str, &str),
        first: Date,
        last: Date,
        transport: &dyn Transport,
    ) -> Result<History, SourceError> {
        let page = match days_between(first, last) <= RECENT_DAYS {
            true => "eurofxref-hist-90d.xml",
            false => "eurofxref-hist.xml",
        };
        let (days, answer) = self.fetch(page, transport).await?;
        let days = days.iter().filter(|day| first <= day.date && day.date <= last);
        // A currency that was introduced later or discontinued has no rate on some days.
        let bars = days.filter_map(|day| {
            let close = day.rate(from, to).ok()?;
            Some(Bar { date: day.date, close, open: None, high: None, low: None, volume: None })
        });
        let bars: Vec<Bar> = bars.collect();
        if bars.is_empty() {
            return Err(SourceError::Symbol(format!("has no rate from {from} to {to} in these days")));
        }
        Ok(History {
            currency: to.to_owned(),
            bars,
            unknown: Vec::new(),
            events: None,
            url: answer.url,
            fetched: answer.at,
        })
    }
}

/// Parses `<Cube time="2026-11-20"><Cube currency="USD" rate="1.0812"/>…` for each day.
fn days(page: &str) -> Result<Vec<Day>, SourceError> {
    let mut reader = Reader::from_str(page);
    let mut days: Vec<Day> = Vec::new();
    for _ in 0..ELEMENTS {
        match reader.read_event().map_err(|_| unreadable())? {
            Event::Start(element) | Event::Empty(element) => {
                if let Some(date) = attribute(&element, "time").and_then(|time| time.parse().ok()) {
                    days.push(Day { date, per_euro: HashMap::new() });
                }
                let rate = attribute(&element, "rate").and_then(|rate| number(&rate));
                if let (Some(currency), Some(rate)) = (attribute(&element, "currency"), rate)
                    && rate > Decimal::ZERO
                    && let Some(day) = days.last_mut()
                {
                    day.per_euro.insert(currency, rate);
                }
            }
            Event::Eof => {
                days.retain(|day| !day.per_euro.is_empty());
                return if days.is_empty() { Err(unreadable()) } else { Ok(days) };
            }
            _ => {}
        }
    }
    Err(unreadable())
}

fn unreadable() -> SourceError {
    SourceError::Source("did not answer with rates".into())
}

fn attribute(element: &BytesStart, name: &str) -> Option<String> {
    Some(element.try_get_attribute(name).ok()??.value.into_owned())
}
