//! Daily bars and a search by name of api.tiingo.com, with a key: US shares and funds, in dollars. A free key allows 50 requests
//! an hour and 1,000 a day, for personal use.
//!
//! Its closes are unadjusted, with the splits beside them; this module adjusts them to today's shares.
//!
//! <https://www.tiingo.com/documentation/end-of-day>

use async_trait::async_trait;
use jiff::civil::Date;
use nova_figures::rounded_to;
use rust_decimal::Decimal;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use crate::get::Answer;
use crate::number::number;
use crate::{Bar, Events, Found, History, Listing, Quoted, Request, Source, SourceError, Transport};

pub(super) struct Tiingo {
    pub(super) base: Url,
    pub(super) key: SecretString,
}

#[async_trait]
impl Source for Tiingo {
    fn name(&self) -> &str {
        "Tiingo"
    }

    async fn quote(&self, listing: &Listing, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        let (currency, (bars, _), answer) = self.days(listing, None, transport).await?;
        let bar = bars.last().ok_or_else(|| SourceError::Symbol("has no price of it".into()))?;
        Ok(Quoted {
            price: bar.close,
            currency,
            name: None,
            date: bar.date,
            at: None,
            before: None,
            url: answer.url,
            fetched: answer.at,
        })
    }

    async fn history(
        &self,
        listing: &Listing,
        from: Date,
        to: Date,
        transport: &dyn Transport,
    ) -> Result<History, SourceError> {
        let (currency, (bars, events), answer) = self.days(listing, Some((from, to)), transport).await?;
        Ok(History {
            currency,
            bars,
            unknown: Vec::new(),
            events: Some(events),
            url: answer.url,
            fetched: answer.at,
        })
    }

    /// Of the United States alone: its prices of other shares are not requested.
    async fn search(&self, query: &str, transport: &dyn Transport) -> Result<Vec<Found>, SourceError> {
        let mut url = self
            .base
            .join("/tiingo/utilities/search")
            .map_err(|error| SourceError::Source(format!("has no address: {error}")))?;
        url.query_pairs_mut().append_pair("query", query);
        let key = format!("Token {}", self.key.expose_secret());
        let page = Request::new(url).header("Authorization", &key).send(transport).await?.json()?;
        let text = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let is_traded = |row: &&Value| {
            row.get("isActive").and_then(Value::as_bool) != Some(false)
                && text(row, "countryCode").is_none_or(|country| country == "US")
        };
        let rows = page.as_array().into_iter().flatten().filter(is_traded);
        Ok(rows
            .filter_map(|row| {
                Some(Found {
                    symbol: text(row, "ticker")?.to_uppercase(),
                    name: text(row, "name")?,
                    exchange: Some("US".into()),
                    kind: text(row, "assetType").map(|kind| kind.to_lowercase()),
                })
            })
            .collect())
    }
}

impl Tiingo {
    async fn days(
        &self,
        listing: &Listing,
        days: Option<(Date, Date)>,
        transport: &dyn Transport,
    ) -> Result<(String, (Vec<Bar>, Events), Answer), SourceError> {
        let (symbol, currency) = listing.in_the_us("tiingo").map_err(SourceError::Symbol)?;
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["tiingo", "daily", &symbol, "prices"]);
        }
        if let Some((from, to)) = days {
            url.query_pairs_mut()
                .append_pair("startDate", &from.to_string())
                .append_pair("endDate", &to.to_string());
        }
        let key = format!("Token {}", self.key.expose_secret());
        let answer = Request::new(url).header("Authorization", &key).send(transport).await?;
        let page = answer.json()?;
        let Some(rows) = page.as_array() else {
            let said = page.get("detail").and_then(Value::as_str).unwrap_or("nothing about it");
            return Err(SourceError::Symbol(format!("says: {}", said.trim_end_matches('.'))));
        };
        let (mut bars, mut events) = (Vec::new(), Events::default());
        // Newest first: later splits divide earlier closes.
        let mut divided = Decimal::ONE;
        for row in rows.iter().rev() {
            let day = row.get("date").and_then(Value::as_str).and_then(|day| day.get(..10));
            let (Some(date), Some(close)) = (day.and_then(|day| day.parse().ok()), decimal(row, "close"))
            else {
                return Err(SourceError::Symbol("answered with a day without a date or a close".into()));
            };
            let price =
                |price: Decimal| rounded_to(price.checked_div(divided).unwrap_or_default(), 6).normalize();
            let of = |name: &str| decimal(row, name).map(price);
            bars.push(Bar {
                date,
                close: price(close),
                open: of("open"),
                high: of("high"),
                low: of("low"),
                volume: row.get("adjVolume").or_else(|| row.get("volume")).and_then(Value::as_u64),
            });
            if let Some(paid) = decimal(row, "divCash").filter(|paid| *paid > Decimal::ZERO) {
                events.dividends.push((date, paid.checked_div(divided).unwrap_or_default()));
            }
            let split = decimal(row, "splitFactor").filter(|split| *split > Decimal::ZERO);
            if let Some(split) = split.filter(|split| *split != Decimal::ONE) {
                events.splits.push((date, split));
                divided = divided.checked_mul(split).unwrap_or(divided);
            }
        }
        bars.reverse();
        Ok((currency, (bars, events), answer))
    }
}

fn decimal(row: &Value, name: &str) -> Option<Decimal> {
    row.get(name).and_then(Value::as_number).and_then(|value| number(&value.to_string()))
}
