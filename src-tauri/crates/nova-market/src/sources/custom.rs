//! A user-defined source: a service or a file of the vault with one row per day, as JSON or CSV. Its terms
//! and limits are up to its provider.

use std::collections::BTreeMap;

use async_trait::async_trait;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _};
use nova_figures::currency_code;
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::get::Answer;
use crate::number::number;
use crate::{Bar, History, Listing, Quoted, Request, Source, SourceError, Transport};

/// The location of the rows, and the names of its columns.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Description {
    /// "Bank feed"
    pub name: String,
    /// An https URL, or the path of a file in the vault; `{symbol}`, `{from}` and `{to}` are substituted.
    pub address: String,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// JSON pointer to the rows, such as `/data/prices`; empty for the whole answer.
    #[serde(default)]
    pub rows: String,
    pub date: String,
    pub close: String,
    pub open: Option<String>,
    pub high: Option<String>,
    pub low: Option<String>,
    pub volume: Option<String>,
    /// Currency of all prices; by default that of the listing.
    pub currency: Option<String>,
}

pub(crate) struct Custom {
    pub(crate) description: Description,
    pub(crate) today: Date,
}

/// How many days back to look for the newest price.
const NEWEST_DAYS: i64 = 10;

#[async_trait]
impl Source for Custom {
    fn name(&self) -> &str {
        &self.description.name
    }

    async fn quote(&self, listing: &Listing, transport: &dyn Transport) -> Result<Quoted, SourceError> {
        let from = self.today.saturating_sub(NEWEST_DAYS.days());
        let history = self.history(listing, from, self.today, transport).await?;
        let newest = history.bars.iter().max_by_key(|bar| bar.date);
        let newest = newest.ok_or_else(|| SourceError::Symbol("has no price of it".into()))?;
        let before = history.bars.iter().filter(|bar| bar.date < newest.date).max_by_key(|bar| bar.date);
        Ok(Quoted {
            price: newest.close,
            currency: history.currency,
            name: None,
            date: newest.date,
            at: None,
            before: before.map(|bar| bar.close),
            url: history.url,
            fetched: history.fetched,
        })
    }

    async fn history(
        &self,
        listing: &Listing,
        from: Date,
        to: Date,
        transport: &dyn Transport,
    ) -> Result<History, SourceError> {
        let currency = self.currency(listing)?;
        let answer = self.ask(listing, (from, to), transport).await?;
        let mut bars = Vec::new();
        for row in self.rows(&answer)? {
            bars.extend(self.bar(&row)?.filter(|bar| bar.date >= from && bar.date <= to));
        }
        Ok(History { currency, bars, unknown: Vec::new(), events: None, url: answer.url, fetched: answer.at })
    }
}

/// A row by column name; a null is empty.
type Row = BTreeMap<String, String>;

impl Custom {
    fn currency(&self, listing: &Listing) -> Result<String, SourceError> {
        let said = self.description.currency.as_deref();
        match said {
            Some(said) => currency_code(said)
                .map(str::to_owned)
                .ok_or_else(|| SourceError::Source(format!("has the invalid currency {said}"))),
            None => listing.currency.clone().ok_or_else(|| {
                SourceError::Symbol("does not say its currency: set currency in its description".into())
            }),
        }
    }

    async fn ask(
        &self,
        listing: &Listing,
        (from, to): (Date, Date),
        transport: &dyn Transport,
    ) -> Result<Answer, SourceError> {
        let Description { address, headers, .. } = &self.description;
        let own = listing.own.get(&self.description.name);
        let symbol = own.map_or(listing.symbol.as_str(), String::as_str);
        let is_of_the_web = address.starts_with("https://") || address.starts_with("http://");
        // A symbol must not introduce another path segment or parameter.
        if symbol.chars().all(|letter| letter == '.') {
            return Err(SourceError::Symbol("cannot be asked for it".into()));
        }
        let symbol = match is_of_the_web {
            true => url::form_urlencoded::byte_serialize(symbol.as_bytes()).collect(),
            false => symbol.replace(['/', '\\'], "_"),
        };
        let filled = address
            .replace("{symbol}", &symbol)
            .replace("{from}", &from.to_string())
            .replace("{to}", &to.to_string());
        if !is_of_the_web {
            let file = transport.file(&filled).await?;
            let text = String::from_utf8(file.bytes)
                .map_err(|_| SourceError::Source(format!("is a file that is not text, {filled}")))?;
            return Ok(Answer { text, status: 200, url: filled, at: file.at });
        }
        let url = Url::parse(&filled)
            .map_err(|error| SourceError::Source(format!("has an address that cannot be read: {error}")))?;
        let request =
            headers.iter().fold(Request::new(url), |request, (name, value)| request.header(name, value));
        let answer = request.send(transport).await?;
        match answer.status {
            200 => Ok(answer),
            404 => Err(SourceError::Symbol("does not have it".into())),
            status => Err(SourceError::Source(format!("answered with status {status}"))),
        }
    }

    fn rows(&self, answer: &Answer) -> Result<Vec<Row>, SourceError> {
        let text = answer.text.trim_start_matches('\u{feff}').trim();
        if text.starts_with(['{', '[']) { self.rows_of_json(&answer.json()?) } else { rows_of_csv(text) }
    }

    /// A list of objects, or an object with one list per column.
    fn rows_of_json(&self, page: &Value) -> Result<Vec<Row>, SourceError> {
        let at = &self.description.rows;
        let found = page
            .pointer(at)
            .ok_or_else(|| SourceError::Source(format!("has no rows at {at} in its answer")))?;
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null => Some(String::new()),
            _ => None,
        };
        match found {
            Value::Array(rows) => Ok(rows
                .iter()
                .filter_map(Value::as_object)
                .map(|row| row.iter().filter_map(|(key, value)| Some((key.clone(), text(value)?))).collect())
                .collect()),
            Value::Object(columns) => {
                let length =
                    columns.values().filter_map(Value::as_array).map(Vec::len).max().unwrap_or_default();
                let cell = |place: usize| {
                    let cells = columns
                        .iter()
                        .filter_map(move |(key, column)| Some((key.clone(), column.get(place)?)));
                    cells.filter_map(|(key, value)| Some((key, text(value)?))).collect()
                };
                Ok((0..length).map(cell).collect())
            }
            _ => Err(SourceError::Source(format!("has no list at {at} in its answer"))),
        }
    }

    /// `None` for a day without trading, which has an empty close.
    fn bar(&self, row: &Row) -> Result<Option<Bar>, SourceError> {
        let Description { date, close, open, high, low, volume, .. } = &self.description;
        let said = |name: &str| {
            row.get(name).map(|cell| cell.trim()).ok_or_else(|| {
                let names = row.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                SourceError::Source(format!("has no column {name}; there are {names}"))
            })
        };
        let (day_said, close_said) = (said(date)?, said(close)?);
        let wrong =
            |what: &str, said: &str| SourceError::Source(format!("answered with \"{said}\" as the {what}"));
        if close_said.is_empty() {
            return Ok(None);
        }
        let price = |name: &Option<String>| row.get(name.as_deref()?).and_then(|cell| decimal(cell));
        Ok(Some(Bar {
            date: day(day_said).ok_or_else(|| wrong("date", day_said))?,
            close: decimal(close_said).ok_or_else(|| wrong("close", close_said))?,
            open: price(open),
            high: price(high),
            low: price(low),
            volume: price(volume).and_then(|volume| volume.trunc().to_string().parse().ok()),
        }))
    }
}

/// Lines with a header; the separator is a semicolon if the header has one, otherwise a comma.
fn rows_of_csv(text: &str) -> Result<Vec<Row>, SourceError> {
    let head = text.lines().next().unwrap_or_default();
    let separator = if head.contains(';') { b';' } else { b',' };
    let mut reader =
        csv::ReaderBuilder::new().delimiter(separator).trim(csv::Trim::All).from_reader(text.as_bytes());
    let unreadable =
        |error: csv::Error| SourceError::Source(format!("answered with lines that cannot be read: {error}"));
    let names: Vec<String> = reader.headers().map_err(unreadable)?.iter().map(str::to_owned).collect();
    let rows = reader.records().map(|row| {
        let row = row.map_err(unreadable)?;
        Ok(names.iter().cloned().zip(row.iter().map(str::to_owned)).collect())
    });
    rows.collect()
}

/// Parses `2026-11-20`, with or without a time, `20261120`, or seconds or milliseconds since 1970 in UTC.
fn day(said: &str) -> Option<Date> {
    if let Some(date) = said.get(..10).and_then(|date| date.parse().ok()) {
        return Some(date);
    }
    if said.len() == 8 {
        return Date::strptime("%Y%m%d", said).ok();
    }
    let time: i64 = said.parse().ok()?;
    // Distinguishes milliseconds from seconds by magnitude.
    let time = if time.abs() >= 100_000_000_000 {
        Timestamp::from_millisecond(time)
    } else {
        Timestamp::from_second(time)
    };
    Some(time.ok()?.to_zoned(jiff::tz::TimeZone::UTC).date())
}

/// Parses `1234.50` or, with a comma and no point, `1234,50`. A comma before three digits is ambiguous.
fn decimal(said: &str) -> Option<Decimal> {
    let said = said.trim();
    match said.split_once(',') {
        None => number(said),
        Some((_, behind)) if behind.len() == 3 || behind.contains([',', '.']) => None,
        Some((before, behind)) => number(&format!("{before}.{behind}")),
    }
}
