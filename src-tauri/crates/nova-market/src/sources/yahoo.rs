//! The chart API of Yahoo Finance: `/v8/finance/chart/SYMBOL`, JSON, without a key.
//!
//! The terms allow personal use. The API is made for Yahoo's own pages: it refuses clients that do not look
//! like a browser, and rate-limits with status 429.

use async_trait::async_trait;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan as _};
use nova_figures::{currency_code, rounded_to};
use rust_decimal::Decimal;
use serde_json::Value;
use url::Url;

use crate::get::Answer;
use crate::number::number;
use crate::{
    Bar, Events, Found, History, Intraday, Listing, Quoted, Request, Source, SourceError, Tick, Transport,
};

pub(super) struct Yahoo {
    pub(super) base: Url,
}

/// The user agent of a browser.
const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

#[async_trait]
impl Source for Yahoo {
    fn name(&self) -> &str {
        "Yahoo"
    }

    async fn quote(&self, listing: &Listing, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        let symbol = listing.for_yahoo().map_err(SourceError::Symbol)?;
        self.newest(&symbol, transport).await
    }

    async fn history(
        &self,
        listing: &Listing,
        from: Date,
        to: Date,
        transport: &dyn Transport,
    ) -> Result<History, SourceError> {
        let symbol = listing.for_yahoo().map_err(SourceError::Symbol)?;
        self.days(&symbol, from, to, transport).await
    }

    async fn intraday(&self, listing: &Listing, transport: &dyn Transport) -> Result<Intraday, SourceError> {
        let symbol = listing.for_yahoo().map_err(SourceError::Symbol)?;
        let day = self.minutes(&symbol, "1d", transport).await?;
        // A day that has not opened has no prices: the days before it include the last session.
        if day.ticks.is_empty() { self.minutes(&symbol, "5d", transport).await } else { Ok(day) }
    }

    async fn rate(&self, from: &str, to: &str, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        self.newest(&format!("{from}{to}=X"), transport).await
    }

    async fn rates(
        &self,
        (from, to): (&str, &str),
        first: Date,
        last: Date,
        transport: &dyn Transport,
    ) -> Result<History, SourceError> {
        self.days(&format!("{from}{to}=X"), first, last, transport).await
    }

    async fn search(&self, query: &str, transport: &dyn Transport) -> Result<Vec<Found>, SourceError> {
        let mut url = self
            .base
            .join("/v1/finance/search")
            .map_err(|error| SourceError::Source(format!("has no address: {error}")))?;
        url.query_pairs_mut().append_pair("q", query).append_pair("newsCount", "0");
        let page = Request::new(url).header("User-Agent", BROWSER).send(transport).await?.json()?;
        let text = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let rows = page.get("quotes").and_then(Value::as_array).into_iter().flatten();
        Ok(rows
            .filter_map(|row| {
                Some(Found {
                    symbol: text(row, "symbol")?,
                    name: text(row, "longname").or_else(|| text(row, "shortname"))?,
                    exchange: text(row, "exchDisp"),
                    kind: text(row, "quoteType").map(|kind| kind.to_lowercase()),
                })
            })
            .collect())
    }
}

impl Yahoo {
    async fn days(
        &self,
        symbol: &str,
        from: Date,
        to: Date,
        transport: &dyn Transport,
    ) -> Result<History, SourceError> {
        let second = |day: Date| day.to_zoned(TimeZone::UTC).map_or(0, |begin| begin.timestamp().as_second());
        // The end is exclusive: the start of the next day.
        let (begin, end) = (second(from), second(to.saturating_add(1.day())));
        let query = format!("period1={begin}&period2={end}&interval=1d&events=div%7Csplit");
        self.chart(symbol, &query, transport).await?.history()
    }

    async fn newest(&self, symbol: &str, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        self.chart(symbol, "range=1d&interval=1d", transport).await?.newest()
    }

    async fn minutes(
        &self,
        symbol: &str,
        range: &str,
        transport: &dyn Transport,
    ) -> Result<Intraday, SourceError> {
        let query = format!("range={range}&interval=5m&includePrePost=false");
        self.chart(symbol, &query, transport).await?.intraday()
    }

    async fn chart(
        &self,
        symbol: &str,
        query: &str,
        transport: &dyn Transport,
    ) -> Result<Chart, SourceError> {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["v8", "finance", "chart", symbol]);
        }
        url.set_query(Some(query));
        let answer = Request::new(url).header("User-Agent", BROWSER).send(transport).await?;
        let page = answer.json()?;
        let said = page.pointer("/chart/error/description").and_then(Value::as_str);
        if let Some(said) = said {
            return Err(SourceError::Symbol(format!("says: {}", said.trim_end_matches('.'))));
        }
        let result = page.pointer("/chart/result/0").cloned();
        let result = result.ok_or_else(|| SourceError::Symbol("has no price of it".into()))?;
        let said = result.pointer("/meta/symbol").and_then(Value::as_str).unwrap_or_default();
        if !said.eq_ignore_ascii_case(symbol) {
            return Err(SourceError::Symbol(format!("answered about {said} instead of {symbol}")));
        }
        Ok(Chart { result, answer })
    }
}

struct Chart {
    result: Value,
    answer: Answer,
}

impl Chart {
    fn meta(&self, name: &str) -> Option<&Value> {
        self.result.pointer(&format!("/meta/{name}")).filter(|value| !value.is_null())
    }

    fn newest(&self) -> Result<Quoted, SourceError> {
        let price = self.meta("regularMarketPrice").and_then(decimal);
        let price = price.ok_or_else(|| SourceError::Symbol("has no price of it".into()))?;
        let second = self.meta("regularMarketTime").and_then(Value::as_i64);
        let time = second.and_then(|second| Timestamp::from_second(second).ok());
        let time = time.ok_or_else(|| SourceError::Symbol("does not say when its price is from".into()))?;
        let before = self.meta("chartPreviousClose").or_else(|| self.meta("previousClose")).and_then(decimal);
        let mut quoted = self.quoted(price, time)?;
        quoted.at = Some(time.to_string());
        let parts = self.currency().map_or(Decimal::ONE, |(_, parts)| parts);
        quoted.before = before
            .and_then(|before| before.checked_div(parts))
            .map(|before| rounded_to(before, 6).normalize());
        Ok(quoted)
    }

    fn history(&self) -> Result<History, SourceError> {
        let (currency, parts) = self.known_currency()?;
        let (opens, highs, lows) = (self.column("open"), self.column("high"), self.column("low"));
        let bars = self.closes(parts).into_iter().map(|(place, Tick { time, price, volume })| {
            let of =
                |column: &[Value]| column.get(place).and_then(decimal).map(|price| in_whole(price, parts));
            Bar {
                date: self.day_of(time),
                close: price,
                open: of(&opens),
                high: of(&highs),
                low: of(&lows),
                volume,
            }
        });
        let (bars, url, fetched) = (bars.collect(), self.answer.url.clone(), self.answer.at.clone());
        Ok(History { currency, bars, unknown: Vec::new(), events: Some(self.events(parts)), url, fetched })
    }

    fn intraday(&self) -> Result<Intraday, SourceError> {
        let (currency, parts) = self.known_currency()?;
        let ticks = self.closes(parts).into_iter().map(|(_, tick)| tick).collect();
        let (url, fetched) = (self.answer.url.clone(), self.answer.at.clone());
        Ok(Intraday { currency, zone: self.zone(), ticks, url, fetched })
    }

    /// The intervals with trades, each with its index.
    fn closes(&self, parts: Decimal) -> Vec<(usize, Tick)> {
        let (times, closes, volumes) = (self.list("/timestamp"), self.column("close"), self.column("volume"));
        let rows = times.iter().zip(&closes).enumerate();
        rows.filter_map(|(place, (time, close))| {
            let time = time.as_i64().and_then(|second| Timestamp::from_second(second).ok())?;
            // Null without trades.
            let price = in_whole(decimal(close)?, parts);
            Some((place, Tick { time, price, volume: volumes.get(place).and_then(Value::as_u64) }))
        })
        .collect()
    }

    fn list(&self, at: &str) -> Vec<Value> {
        self.result.pointer(at).and_then(Value::as_array).cloned().unwrap_or_default()
    }

    fn column(&self, name: &str) -> Vec<Value> {
        self.list(&format!("/indicators/quote/0/{name}"))
    }

    /// `events.dividends` and `events.splits`, keyed by timestamp.
    fn events(&self, parts: Decimal) -> Events {
        let of = |kind: &str| {
            let rows = self.result.pointer(&format!("/events/{kind}")).and_then(Value::as_object);
            rows.into_iter().flatten().filter_map(|(_, row)| {
                let time = row.get("date").and_then(Value::as_i64)?;
                Some((self.day_of(Timestamp::from_second(time).ok()?), row.clone()))
            })
        };
        let number = |row: &Value, name: &str| row.get(name).and_then(decimal);
        let mut dividends: Vec<(Date, Decimal)> = of("dividends")
            .filter_map(|(day, row)| Some((day, number(&row, "amount")?.checked_div(parts)?.normalize())))
            .collect();
        let mut splits: Vec<(Date, Decimal)> = of("splits")
            .filter_map(|(day, row)| {
                Some((day, number(&row, "numerator")?.checked_div(number(&row, "denominator")?)?))
            })
            .collect();
        dividends.sort();
        splits.sort();
        Events { splits, dividends }
    }

    fn quoted(&self, price: Decimal, time: Timestamp) -> Result<Quoted, SourceError> {
        let (currency, parts) = self.known_currency()?;
        Ok(Quoted {
            price: price.checked_div(parts).unwrap_or_default().normalize(),
            currency,
            name: ["longName", "shortName"]
                .iter()
                .find_map(|name| Some(self.meta(name)?.as_str()?.to_owned())),
            date: self.day_of(time),
            at: None,
            before: None,
            url: self.answer.url.clone(),
            fetched: self.answer.at.clone(),
        })
    }

    /// The date at the exchange.
    fn day_of(&self, time: Timestamp) -> Date {
        self.offset().to_datetime(time).date()
    }

    /// The zone of the exchange. Its name, because the offset is that of the answer, which a change of the clocks
    /// can separate from the last session.
    fn zone(&self) -> TimeZone {
        let name = self.meta("exchangeTimezoneName").and_then(Value::as_str);
        name.and_then(|name| TimeZone::get(name).ok()).unwrap_or_else(|| self.offset().to_time_zone())
    }

    fn offset(&self) -> Offset {
        let seconds = self.meta("gmtoffset").and_then(Value::as_i64);
        let seconds = seconds.and_then(|seconds| i32::try_from(seconds).ok());
        seconds.and_then(|seconds| Offset::from_seconds(seconds).ok()).unwrap_or(Offset::UTC)
    }

    fn known_currency(&self) -> Result<(String, Decimal), SourceError> {
        self.currency().ok_or_else(|| SourceError::Symbol("does not say its currency".into()))
    }

    /// The currency, and the number of quoted units in it: London quotes in pence, Kuwait in fils.
    fn currency(&self) -> Option<(String, Decimal)> {
        let said = self.meta("currency").and_then(Value::as_str)?;
        Some(match said {
            "GBp" | "GBX" => ("GBP".into(), Decimal::ONE_HUNDRED),
            "ILA" => ("ILS".into(), Decimal::ONE_HUNDRED),
            "ZAc" => ("ZAR".into(), Decimal::ONE_HUNDRED),
            "KWF" => ("KWD".into(), Decimal::ONE_THOUSAND),
            said => (currency_code(said)?.to_owned(), Decimal::ONE),
        })
    }
}

fn decimal(value: &Value) -> Option<Decimal> {
    value.as_number().and_then(|value| number(&value.to_string()))
}

/// A price in units of the currency. Prices are printed from 32-bit floats: 227.52000427246094.
fn in_whole(price: Decimal, parts: Decimal) -> Decimal {
    of_32_bits(price).checked_div(parts).unwrap_or_default().normalize()
}

/// Drops the digits beyond the precision of a 32-bit float.
fn of_32_bits(price: Decimal) -> Decimal {
    match price < Decimal::ONE {
        true => price.round_sf(7).unwrap_or(price),
        false => rounded_to(price, 4),
    }
}
