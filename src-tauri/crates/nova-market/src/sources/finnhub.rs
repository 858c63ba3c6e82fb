//! Quotes and a search by name of finnhub.io, with a key. Past prices and exchange rates need a paid plan; 60 requests a minute,
//! for personal use.

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use crate::number::number;
use crate::{Found, Listing, Quoted, Request, Source, SourceError, Transport};

pub(super) struct Finnhub {
    pub(super) base: Url,
    pub(super) key: SecretString,
}

#[async_trait]
impl Source for Finnhub {
    fn name(&self) -> &str {
        "Finnhub"
    }

    async fn quote(&self, listing: &Listing, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        let (symbol, currency) = listing.for_finnhub().map_err(SourceError::Symbol)?;
        let mut url = self
            .base
            .join("/api/v1/quote")
            .map_err(|error| SourceError::Source(format!("has no address: {error}")))?;
        url.query_pairs_mut().append_pair("symbol", &symbol);
        let request = Request::new(url).header("X-Finnhub-Token", self.key.expose_secret());
        let answer = request.send(transport).await?;
        let page = answer.json()?;
        if let Some(said) = page.get("error").and_then(Value::as_str) {
            return Err(SourceError::Symbol(format!("says: {}", said.trim_end_matches('.'))));
        }
        let decimal = |name: &str| {
            page.get(name).and_then(Value::as_number).and_then(|value| number(&value.to_string()))
        };
        let second = page.get("t").and_then(Value::as_i64).unwrap_or_default();
        let (Some(price), Ok(time)) = (decimal("c"), Timestamp::from_second(second)) else {
            return Err(SourceError::Symbol("has no price of it".into()));
        };
        // Unknown symbols are answered with zeros.
        if second == 0 && price.is_zero() {
            return Err(SourceError::Symbol("has no price of it".into()));
        }
        Ok(Quoted {
            price,
            currency,
            name: None,
            date: time.to_zoned(TimeZone::UTC).date(),
            at: Some(time.to_string()),
            before: decimal("pc").filter(|before| !before.is_zero()),
            url: answer.url,
            fetched: answer.at,
        })
    }

    async fn search(&self, query: &str, transport: &dyn Transport) -> Result<Vec<Found>, SourceError> {
        let mut url = self
            .base
            .join("/api/v1/search")
            .map_err(|error| SourceError::Source(format!("has no address: {error}")))?;
        url.query_pairs_mut().append_pair("q", query);
        let request = Request::new(url).header("X-Finnhub-Token", self.key.expose_secret());
        let page = request.send(transport).await?.json()?;
        let text = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let rows = page.get("result").and_then(Value::as_array).into_iter().flatten();
        Ok(rows
            .filter_map(|row| {
                Some(Found {
                    symbol: text(row, "displaySymbol")?,
                    name: text(row, "description")?,
                    exchange: None,
                    kind: text(row, "type").map(|kind| kind.to_lowercase()),
                })
            })
            .collect())
    }
}
