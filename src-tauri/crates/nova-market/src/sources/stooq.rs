//! CSV of stooq.com, without a key, for personal use. It has neither currency nor time zone; times are
//! Warsaw's.
//!
//! Programs sometimes get a web page, and after some hundred requests a day a line of text with status 200.

use std::collections::HashMap;

use async_trait::async_trait;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use url::Url;

use crate::get::Answer;
use crate::number::number;
use crate::{Bar, History, Listing, Quoted, Request, Source, SourceError, Transport};

pub(super) struct Stooq {
    pub(super) base: Url,
}

#[async_trait]
impl Source for Stooq {
    fn name(&self) -> &str {
        "Stooq"
    }

    async fn quote(&self, listing: &Listing, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        let (symbol, currency) = listing.for_stooq().map_err(SourceError::Symbol)?;
        self.newest(&symbol, &currency, transport).await
    }

    async fn history(
        &self,
        listing: &Listing,
        from: Date,
        to: Date,
        transport: &dyn Transport,
    ) -> Result<History, SourceError> {
        let (symbol, currency) = listing.for_stooq().map_err(SourceError::Symbol)?;
        let mut url = self.page("/q/d/l/")?;
        let compact = |day: Date| day.to_string().replace('-', "");
        url.query_pairs_mut()
            .append_pair("s", &symbol)
            .append_pair("d1", &compact(from))
            .append_pair("d2", &compact(to))
            .append_pair("i", "d");
        let answer = Request::new(url).send(transport).await?;
        let mut bars = Vec::new();
        for row in rows(&answer)? {
            let Quoted { date, price: close, .. } = quoted(&row, &currency, &answer)?;
            let of = |name: &str| row.get(name).and_then(|price| number(price));
            let volume = row.get("volume").and_then(|volume| volume.parse().ok());
            bars.push(Bar { date, close, open: of("open"), high: of("high"), low: of("low"), volume });
        }
        Ok(History { currency, bars, unknown: Vec::new(), events: None, url: answer.url, fetched: answer.at })
    }

    async fn rate(&self, from: &str, to: &str, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        self.newest(&format!("{from}{to}").to_lowercase(), to, transport).await
    }
}

impl Stooq {
    fn page(&self, path: &str) -> Result<Url, SourceError> {
        self.base.join(path).map_err(|error| SourceError::Source(format!("has no address: {error}")))
    }

    async fn newest(
        &self,
        symbol: &str,
        currency: &str,
        transport: &dyn Transport,
    ) -> Result<Quoted, SourceError> {
        let mut url = self.page("/q/l/")?;
        // `h` must have no value, otherwise the header line is missing.
        url.set_query(Some(&format!(
            "s={}&f=sd2t2ohlcv&h&e=csv",
            url::form_urlencoded::byte_serialize(symbol.as_bytes()).collect::<String>()
        )));
        let answer = Request::new(url).send(transport).await?;
        let rows = rows(&answer)?;
        let [row] = rows.as_slice() else {
            return Err(SourceError::Symbol(format!("answered with {} lines instead of one", rows.len())));
        };
        let said = row.get("symbol").map(|said| said.to_lowercase()).unwrap_or_default();
        if said != symbol {
            return Err(SourceError::Symbol(format!("answered about {said} instead of {symbol}")));
        }
        quoted(row, currency, &answer)
    }
}

type Row = HashMap<String, String>;

/// The lines of a CSV by column name. Its values never contain a comma.
fn rows(answer: &Answer) -> Result<Vec<Row>, SourceError> {
    let mut lines = answer.text.lines().map(str::trim).filter(|line| !line.is_empty());
    let head: Vec<String> = lines
        .next()
        .unwrap_or_default()
        .trim_start_matches('\u{feff}')
        .split(',')
        .map(|name| name.trim().to_lowercase())
        .collect();
    if answer.status != 200 || !head.iter().any(|name| name == "close") {
        let begins: String = answer.text.trim().chars().take(60).collect();
        return Err(SourceError::Source(format!("answered with \"{begins}\" instead of a quote")));
    }
    let mut rows = Vec::new();
    for line in lines {
        let values: Vec<&str> = line.split(',').map(str::trim).collect();
        // A decimal comma, for example, would shift the columns.
        if values.len() != head.len() {
            let what = format!("answered with {} values for {} columns", values.len(), head.len());
            return Err(SourceError::Symbol(what));
        }
        rows.push(head.iter().cloned().zip(values.into_iter().map(str::to_owned)).collect());
    }
    Ok(rows)
}

fn quoted(row: &Row, currency: &str, answer: &Answer) -> Result<Quoted, SourceError> {
    let field = |name: &str| row.get(name).map(String::as_str).unwrap_or_default();
    let (close, date) = (field("close"), field("date"));
    if close == "N/D" || date == "N/D" {
        return Err(SourceError::Symbol("has no price of it (N/D)".into()));
    }
    let price = number(close)
        .ok_or_else(|| SourceError::Symbol(format!("answered with \"{close}\" as the price")))?;
    let date: Date =
        date.parse().map_err(|_| SourceError::Symbol(format!("answered with \"{date}\" as the date")))?;
    let time: Option<Time> = field("time").parse().ok();
    let warsaw = TimeZone::get("Europe/Warsaw").ok();
    let at = time.zip(warsaw).and_then(|(time, zone)| date.to_datetime(time).to_zoned(zone).ok());
    Ok(Quoted {
        price,
        currency: currency.to_owned(),
        name: None,
        date,
        at: at.map(|at| at.timestamp().to_string()),
        before: None,
        url: answer.url.clone(),
        fetched: answer.at.clone(),
    })
}
