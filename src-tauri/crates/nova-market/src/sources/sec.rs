//! Company reports filed with the SEC: the list of filers, their filings, and the figures of their reports.
//! Needs no key, but a contact address of the user; more than ten requests a second are blocked for some
//! minutes. Public data of the United States.
//!
//! <https://www.sec.gov/search-filings/edgar-application-programming-interfaces>

use std::collections::HashMap;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::get::Answer;
use crate::{Request, SourceError, Transport};

/// The hosts of the API.
pub const HOSTS: [&str; 2] = ["www.sec.gov", "data.sec.gov"];

pub struct Sec {
    /// Base URL of the list of filers.
    pub www: Url,
    /// Base URL of everything else.
    pub data: Url,
    /// The user's e-mail address.
    pub contact: String,
}

/// A company that files reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filer {
    /// Central Index Key.
    pub cik: u64,
    pub symbol: String,
    pub name: String,
}

/// One filing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filing {
    /// "10-K"
    pub form: String,
    /// The filer's description beyond the form; may be empty.
    pub title: String,
    pub filed: Date,
    /// The last day of the reported period.
    pub period: Option<Date>,
    pub url: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filings {
    /// The company's name.
    pub name: String,
    pub filings: Vec<Filing>,
    pub url: String,
    /// Time of the answer, RFC 3339.
    pub fetched: String,
}

/// Reported figures by taxonomy ("us-gaap"), tag ("NetIncomeLoss") and unit ("USD").
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Reported {
    #[serde(rename = "entityName", default)]
    pub name: String,
    #[serde(default)]
    pub facts: HashMap<String, HashMap<String, Tag>>,
    /// URL of the answer.
    #[serde(skip)]
    pub url: String,
    /// Time of the answer, RFC 3339.
    #[serde(skip)]
    pub fetched: String,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Tag {
    #[serde(default)]
    pub units: HashMap<String, Vec<Fact>>,
}

/// One figure in one report.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fact {
    /// `None` for an instant, such as a number of shares.
    pub start: Option<Date>,
    pub end: Date,
    pub val: serde_json::Number,
    pub form: String,
    pub filed: Date,
}

impl Reported {
    /// Removes other tags.
    pub fn retain(&mut self, is_wanted: impl Fn(&str) -> bool) {
        for taxonomy in self.facts.values_mut() {
            taxonomy.retain(|tag, _| is_wanted(tag));
        }
    }

    /// The figures that were filed before a day.
    pub fn before(&self, day: Date) -> Self {
        let mut known = self.clone();
        for facts in
            known.facts.values_mut().flat_map(HashMap::values_mut).flat_map(|tag| tag.units.values_mut())
        {
            facts.retain(|fact| fact.filed < day);
        }
        known
    }
}

impl Sec {
    /// All companies with a symbol, some ten thousand.
    ///
    /// # Errors
    /// When there is no answer, or it is not the list.
    pub async fn filers(&self, transport: &dyn Transport) -> Result<Vec<Filer>, SourceError> {
        let page = self.ask(&self.www, "/files/company_tickers.json", transport).await?.json()?;
        let rows = page.as_object().ok_or_else(unreadable)?;
        let filers: Vec<Filer> = rows
            .values()
            .filter_map(|row| {
                Some(Filer {
                    cik: row.get("cik_str")?.as_u64()?,
                    symbol: row.get("ticker")?.as_str()?.to_owned(),
                    name: row.get("title")?.as_str()?.to_owned(),
                })
            })
            .collect();
        if filers.is_empty() { Err(unreadable()) } else { Ok(filers) }
    }

    /// All companies with a symbol, and the exchange of each if known, such as "Nasdaq" or "NYSE".
    ///
    /// # Errors
    /// See [`Sec::filers`].
    pub async fn listed(
        &self,
        transport: &dyn Transport,
    ) -> Result<Vec<(Filer, Option<String>)>, SourceError> {
        let page = self.ask(&self.www, "/files/company_tickers_exchange.json", transport).await?.json()?;
        let names: Vec<&str> = page
            .get("fields")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let place = |name: &str| names.iter().position(|other| *other == name).ok_or_else(unreadable);
        let (cik, name, symbol, exchange) =
            (place("cik")?, place("name")?, place("ticker")?, place("exchange")?);
        let rows = page.get("data").and_then(Value::as_array).ok_or_else(unreadable)?;
        let listed: Vec<(Filer, Option<String>)> = rows
            .iter()
            .filter_map(|row| {
                let text = |at: usize| row.get(at).and_then(Value::as_str).map(str::to_owned);
                let filer = Filer { cik: row.get(cik)?.as_u64()?, symbol: text(symbol)?, name: text(name)? };
                Some((filer, text(exchange)))
            })
            .collect();
        if listed.is_empty() { Err(unreadable()) } else { Ok(listed) }
    }

    /// The newest filings of a company, about a thousand, newest first.
    ///
    /// # Errors
    /// See [`Sec::filers`].
    pub async fn filings(&self, cik: u64, transport: &dyn Transport) -> Result<Filings, SourceError> {
        let answer = self.ask(&self.data, &format!("/submissions/CIK{cik:010}.json"), transport).await?;
        let page = answer.json()?;
        let name = page.get("name").and_then(Value::as_str).ok_or_else(unreadable)?.to_owned();
        let recent = page.pointer("/filings/recent").ok_or_else(unreadable)?;
        // The data is stored by column.
        let column =
            |name: &str| recent.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let text = |name: &str, row: usize| column(name).get(row).and_then(Value::as_str).unwrap_or_default();
        let filings = (0..column("accessionNumber").len()).filter_map(|row| {
            let number = text("accessionNumber", row).replace('-', "");
            let document = text("primaryDocument", row);
            let form = text("form", row);
            let described = text("primaryDocDescription", row);
            Some(Filing {
                form: form.to_owned(),
                title: if described.eq_ignore_ascii_case(form) {
                    String::new()
                } else {
                    described.to_owned()
                },
                filed: text("filingDate", row).parse().ok()?,
                period: text("reportDate", row).parse().ok(),
                url: format!("https://www.sec.gov/Archives/edgar/data/{cik}/{number}/{document}"),
            })
        });
        Ok(Filings { name, filings: filings.collect(), url: answer.url, fetched: answer.at })
    }

    /// All figures that a company has reported.
    ///
    /// # Errors
    /// See [`Sec::filers`].
    pub async fn reported(&self, cik: u64, transport: &dyn Transport) -> Result<Reported, SourceError> {
        let path = format!("/api/xbrl/companyfacts/CIK{cik:010}.json");
        let answer = self.ask(&self.data, &path, transport).await?;
        let reported: Reported = serde_json::from_str(&answer.text).map_err(|_| unreadable())?;
        Ok(Reported { url: answer.url, fetched: answer.at, ..reported })
    }

    async fn ask(&self, base: &Url, path: &str, transport: &dyn Transport) -> Result<Answer, SourceError> {
        let url = base.join(path).map_err(|error| SourceError::Source(format!("has no address: {error}")))?;
        let agent = format!("Nova {}", self.contact);
        let answer = Request::new(url).header("User-Agent", &agent).send(transport).await?;
        match answer.status {
            200 => Ok(answer),
            404 => Err(SourceError::Symbol("has no reports of it".into())),
            status => Err(SourceError::Source(format!("answered with status {status}"))),
        }
    }
}

fn unreadable() -> SourceError {
    SourceError::Source("did not answer with data".into())
}
