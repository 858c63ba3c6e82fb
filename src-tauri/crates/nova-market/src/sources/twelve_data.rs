//! Quotes, past prices and exchange rates of twelvedata.com, with a key. A free key allows 8 requests a
//! minute and 800 a day, for personal use, for the United States only.
//!
//! <https://twelvedata.com/docs>

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::Date;
use nova_figures::currency_code;
use rust_decimal::Decimal;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use crate::get::Answer;
use crate::number::number;
use crate::{Bar, Found, History, Listing, Quoted, Request, Source, SourceError, Transport};

pub(super) struct TwelveData {
    pub(super) base: Url,
    pub(super) key: SecretString,
}

#[async_trait]
impl Source for TwelveData {
    fn name(&self) -> &str {
        "Twelve Data"
    }

    async fn quote(&self, listing: &Listing, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        let (page, answer) = self.ask("/quote", &named(listing)?, transport).await?;
        let said = page.get("currency").and_then(Value::as_str);
        quoted(&page, &currency(said)?, "close", &answer)
    }

    async fn history(
        &self,
        listing: &Listing,
        from: Date,
        to: Date,
        transport: &dyn Transport,
    ) -> Result<History, SourceError> {
        let mut query = named(listing)?;
        query.extend([
            ("interval", "1day".to_owned()),
            ("start_date", from.to_string()),
            // One day later, because an end date without a time is exclusive.
            ("end_date", to.tomorrow().unwrap_or(to).to_string()),
            ("outputsize", "5000".to_owned()),
        ]);
        let (page, answer) = self.ask("/time_series", &query, transport).await?;
        let currency = currency(page.pointer("/meta/currency").and_then(Value::as_str))?;
        let mut bars = Vec::new();
        for row in page.get("values").and_then(Value::as_array).into_iter().flatten() {
            let date = text(row, "datetime").and_then(|day| day.get(..10)).and_then(|day| day.parse().ok());
            let (Some(date), Some(close)) = (date, decimal(row, "close")) else {
                return Err(SourceError::Symbol("answered with a day without a date or a close".into()));
            };
            let volume = text(row, "volume").and_then(|volume| volume.parse().ok());
            let of = |name: &str| decimal(row, name);
            bars.push(Bar { date, close, open: of("open"), high: of("high"), low: of("low"), volume });
        }
        Ok(History { currency, bars, unknown: Vec::new(), events: None, url: answer.url, fetched: answer.at })
    }

    async fn rate(&self, from: &str, to: &str, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        let pair = format!("{from}/{to}");
        let (page, answer) = self.ask("/exchange_rate", &[("symbol", pair)], transport).await?;
        quoted(&page, to, "rate", &answer)
    }

    async fn search(&self, query: &str, transport: &dyn Transport) -> Result<Vec<Found>, SourceError> {
        let (page, _) = self.ask("/symbol_search", &[("symbol", query.to_owned())], transport).await?;
        let rows = page.get("data").and_then(Value::as_array).into_iter().flatten();
        Ok(rows
            .filter_map(|row| {
                Some(Found {
                    symbol: text(row, "symbol")?.to_owned(),
                    name: text(row, "instrument_name")?.to_owned(),
                    exchange: text(row, "exchange").map(str::to_owned),
                    kind: text(row, "instrument_type").map(str::to_lowercase),
                })
            })
            .collect())
    }
}

impl TwelveData {
    async fn ask(
        &self,
        path: &str,
        query: &[(&str, String)],
        transport: &dyn Transport,
    ) -> Result<(Value, Answer), SourceError> {
        let mut url =
            self.base.join(path).map_err(|error| SourceError::Source(format!("has no address: {error}")))?;
        url.query_pairs_mut().extend_pairs(query);
        let key = format!("apikey {}", self.key.expose_secret());
        let answer = Request::new(url).header("Authorization", &key).send(transport).await?;
        let page = answer.json()?;
        if text(&page, "status") != Some("error") {
            return Ok((page, answer));
        }
        let said = text(&page, "message").unwrap_or("it failed").trim_end_matches('.').to_owned();
        match page.get("code").and_then(Value::as_i64) {
            Some(401 | 403) => Err(SourceError::Source("does not accept the key".into())),
            Some(429) => Err(SourceError::Source("receives too many requests".into())),
            Some(500..) => Err(SourceError::Source(format!("says: {said}"))),
            _ => Err(SourceError::Symbol(format!("says: {said}"))),
        }
    }
}

fn named(listing: &Listing) -> Result<Vec<(&'static str, String)>, SourceError> {
    let (symbol, market) = listing.for_twelve_data().map_err(SourceError::Symbol)?;
    let mut query = vec![("symbol", symbol)];
    query.extend(market.map(|market| ("mic_code", market.to_owned())));
    Ok(query)
}

fn quoted(page: &Value, currency: &str, price: &str, answer: &Answer) -> Result<Quoted, SourceError> {
    let price = decimal(page, price).ok_or_else(|| SourceError::Symbol("answered without a price".into()))?;
    let second = page.get("timestamp").and_then(Value::as_i64);
    let time = second.and_then(|second| Timestamp::from_second(second).ok());
    let time = time.ok_or_else(|| SourceError::Symbol("does not say when its price is from".into()))?;
    // A quote has the date at the exchange, a rate does not.
    let day = text(page, "datetime").and_then(|day| day.get(..10)).and_then(|day| day.parse().ok());
    Ok(Quoted {
        price,
        currency: currency.to_owned(),
        name: text(page, "name").map(str::to_owned),
        date: day.unwrap_or_else(|| time.to_zoned(jiff::tz::TimeZone::UTC).date()),
        at: Some(time.to_string()),
        before: decimal(page, "previous_close").filter(|before| !before.is_zero()),
        url: answer.url.clone(),
        fetched: answer.at.clone(),
    })
}

/// The currency; a price in pence is refused, as it has no code.
fn currency(said: Option<&str>) -> Result<String, SourceError> {
    let said = said.ok_or_else(|| SourceError::Symbol("does not say its currency".into()))?;
    let code = currency_code(said).filter(|code| *code == said);
    code.map(str::to_owned)
        .ok_or_else(|| SourceError::Symbol(format!("quotes it in {said}, which is not a currency")))
}

fn text<'a>(page: &'a Value, name: &str) -> Option<&'a str> {
    page.get(name).and_then(Value::as_str)
}

/// A number, possibly written as a string.
fn decimal(page: &Value, name: &str) -> Option<Decimal> {
    match page.get(name)? {
        Value::String(text) => number(text),
        Value::Number(value) => number(&value.to_string()),
        _ => None,
    }
}
