//! The euro's reference rates of the European Central Bank, without a key: about thirty currencies, once a working
//! day at about 16:00 in Frankfurt. Free to use with the source named; for information, not for trading.
//!
//! <https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/html/index.en.html>

use std::collections::HashMap;

use async_trait::async_trait;
use jiff::civil::Date;
use nova_figures::rounded_to;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use rust_decimal::Decimal;
use tokio::sync::OnceCell;
use url::Url;

use crate::get::Answer;
use crate::source::number;
use crate::{Quoted, Request, Source, SourceError, Transport};

pub(super) struct Ecb {
    base: Url,
    /// One page has the rates of all currencies.
    page: OnceCell<Day>,
}

/// The places of a rate that is computed from two.
const PLACES: u32 = 10;
/// More elements than the page of one day has by far.
const ELEMENTS: usize = 1_000;

struct Day {
    date: Date,
    /// How much of a currency one euro is.
    per_euro: HashMap<String, Decimal>,
    answer: Answer,
}

impl Ecb {
    pub(super) fn new(base: Url) -> Self {
        Self { base, page: OnceCell::new() }
    }

    async fn fetch(&self, transport: &dyn Transport) -> Result<Day, SourceError> {
        let url = self
            .base
            .join("/stats/eurofxref/eurofxref-daily.xml")
            .map_err(|error| SourceError::Source(format!("has no address: {error}")))?;
        let answer = Request::new(url).send(transport).await?;
        if answer.status != 200 {
            return Err(SourceError::Source(format!("has no rates (status {})", answer.status)));
        }
        let (date, per_euro) = rates(&answer.text)?;
        Ok(Day { date, per_euro, answer })
    }
}

#[async_trait]
impl Source for Ecb {
    fn name(&self) -> &str {
        "ECB"
    }

    async fn rate(&self, from: &str, to: &str, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        let day = self.page.get_or_try_init(|| self.fetch(transport)).await?;
        let of = |currency: &str| match currency {
            "EUR" => Ok(Decimal::ONE),
            currency => day
                .per_euro
                .get(currency)
                .copied()
                .ok_or_else(|| SourceError::Symbol(format!("has no rate of {currency}"))),
        };
        let (from, to_euro) = (of(from)?, of(to)?);
        let price = to_euro
            .checked_div(from)
            .ok_or_else(|| SourceError::Source("answered with a rate of zero".into()))?;
        Ok(Quoted {
            price: rounded_to(price, PLACES).normalize(),
            currency: to.to_owned(),
            name: None,
            date: day.date,
            at: None,
            before: None,
            url: day.answer.url.clone(),
            fetched: day.answer.at.clone(),
        })
    }
}

/// The rates of the page's only day: `<Cube time="2026-11-20"><Cube currency="USD" rate="1.0812"/>…`.
fn rates(page: &str) -> Result<(Date, HashMap<String, Decimal>), SourceError> {
    let unreadable = || SourceError::Source("answered with something else than its rates".into());
    let mut reader = Reader::from_str(page);
    let (mut date, mut rates) = (None, HashMap::new());
    for _ in 0..ELEMENTS {
        match reader.read_event().map_err(|_| unreadable())? {
            Event::Start(element) | Event::Empty(element) => {
                if let Some(time) = attribute(&element, "time") {
                    date = time.parse::<Date>().ok();
                }
                let rate = attribute(&element, "rate").and_then(|rate| number(&rate));
                if let (Some(currency), Some(rate)) = (attribute(&element, "currency"), rate)
                    && rate > Decimal::ZERO
                {
                    rates.insert(currency, rate);
                }
            }
            Event::Eof => {
                return match date {
                    Some(date) if !rates.is_empty() => Ok((date, rates)),
                    _ => Err(unreadable()),
                };
            }
            _ => {}
        }
    }
    Err(unreadable())
}

fn attribute(element: &BytesStart, name: &str) -> Option<String> {
    Some(element.try_get_attribute(name).ok()??.value.into_owned())
}
