//! Quotes of alphavantage.co, with a key: US shares, in dollars, last close. A free key allows 25 requests a
//! day; split-adjusted past prices need a paid plan, so none are requested.
//!
//! <https://www.alphavantage.co/documentation>

use async_trait::async_trait;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use crate::source::number;
use crate::{Listing, Quoted, Request, Source, SourceError, Transport};

pub(super) struct AlphaVantage {
    pub(super) base: Url,
    pub(super) key: SecretString,
}

#[async_trait]
impl Source for AlphaVantage {
    fn name(&self) -> &str {
        "Alpha Vantage"
    }

    async fn quote(&self, listing: &Listing, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        let (symbol, currency) = listing.in_the_us("alpha_vantage").map_err(SourceError::Symbol)?;
        let mut url = self
            .base
            .join("/query")
            .map_err(|error| SourceError::Source(format!("has no address: {error}")))?;
        url.query_pairs_mut()
            .append_pair("function", "GLOBAL_QUOTE")
            .append_pair("symbol", &symbol)
            .append_pair("apikey", self.key.expose_secret());
        let answer = Request::new(url).send(transport).await?;
        let page = answer.json()?;
        // Limits and errors have status 200; the message about a limit can contain the key.
        if page.get("Note").or_else(|| page.get("Information")).is_some() {
            return Err(SourceError::Source("receives too many requests, or does not accept the key".into()));
        }
        if page.get("Error Message").is_some() {
            return Err(SourceError::Symbol("does not know it".into()));
        }
        let field = |name: &str| page.pointer(&format!("/Global Quote/{name}")).and_then(Value::as_str);
        let price = field("05. price").and_then(number);
        let date = field("07. latest trading day").and_then(|day| day.parse().ok());
        let (Some(price), Some(date)) = (price, date) else {
            return Err(SourceError::Symbol("has no price of it".into()));
        };
        let said = field("01. symbol").unwrap_or_default();
        if !said.eq_ignore_ascii_case(&symbol) {
            return Err(SourceError::Symbol(format!("answered about {said} instead of {symbol}")));
        }
        Ok(Quoted {
            price,
            currency,
            name: None,
            date,
            at: None,
            before: field("08. previous close").and_then(number).filter(|before| !before.is_zero()),
            url: answer.url,
            fetched: answer.at,
        })
    }
}
