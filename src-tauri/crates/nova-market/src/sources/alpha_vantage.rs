//! Quotes, key figures and a search by name of alphavantage.co, with a key: US shares, in dollars, last close. A
//! free key allows 25 requests a day; split-adjusted past prices need a paid plan, so none are requested.
//!
//! <https://www.alphavantage.co/documentation>

use async_trait::async_trait;
use jiff::civil::Date;
use nova_figures::{at_least, rounded_to};
use rust_decimal::Decimal;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use crate::get::Answer;
use crate::number::number;
use crate::{
    Figure, Found, KeyFigure, Listing, Overview, Quoted, Request, Source, SourceError, Transport, Unit,
};

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
        let (page, answer) = self.ask("GLOBAL_QUOTE", ("symbol", &symbol), transport).await?;
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

    async fn search(&self, query: &str, transport: &dyn Transport) -> Result<Vec<Found>, SourceError> {
        let (page, _) = self.ask("SYMBOL_SEARCH", ("keywords", query), transport).await?;
        let rows = page.get("bestMatches").and_then(Value::as_array).into_iter().flatten();
        let text = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let found = |row: &Value| {
            Some(Found {
                symbol: marked(&text(row, "1. symbol")?),
                name: text(row, "2. name")?,
                exchange: text(row, "4. region"),
                kind: text(row, "3. type").map(|kind| kind.to_lowercase()),
            })
        };
        Ok(rows.filter_map(found).collect())
    }

    async fn fundamentals(
        &self,
        listing: &Listing,
        transport: &dyn Transport,
    ) -> Result<Overview, SourceError> {
        let (symbol, currency) = listing.in_the_us("alpha_vantage").map_err(SourceError::Symbol)?;
        let (page, answer) = self.ask("OVERVIEW", ("symbol", &symbol), transport).await?;
        let field = |name: &str| page.get(name).and_then(Value::as_str);
        let said = field("Symbol").ok_or_else(|| SourceError::Symbol("has no key figures of it".into()))?;
        if !said.eq_ignore_ascii_case(&symbol) {
            return Err(SourceError::Symbol(format!("answered about {said} instead of {symbol}")));
        }
        if let Some(other) = field("Currency").filter(|code| *code != currency) {
            return Err(SourceError::Symbol(format!(
                "reports it in {other}, and it is quoted in {currency}"
            )));
        }
        let quarter: Option<Date> = field("LatestQuarter").and_then(|day| day.parse().ok());
        let fetched = answer.at.get(..10).and_then(|day| day.parse().ok());
        let figure = |row: &Row| KeyFigure {
            key: row.key,
            name: row.name,
            value: value(field(row.field), row, &currency, if row.is_of_price { fetched } else { quarter }),
        };
        Ok(Overview {
            name: field("Name").unwrap_or(said).to_owned(),
            figures: FIGURES.iter().map(figure).collect(),
            url: answer.url,
            fetched: answer.at,
        })
    }
}

impl AlphaVantage {
    async fn ask(
        &self,
        function: &str,
        (name, of): (&str, &str),
        transport: &dyn Transport,
    ) -> Result<(Value, Answer), SourceError> {
        let mut url = self
            .base
            .join("/query")
            .map_err(|error| SourceError::Source(format!("has no address: {error}")))?;
        url.query_pairs_mut()
            .append_pair("function", function)
            .append_pair(name, of)
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
        Ok((page, answer))
    }
}

/// A key figure, and its field in an overview.
struct Row {
    key: &'static str,
    name: &'static str,
    field: &'static str,
    unit: Unit,
    /// Whether it changes with the price each day.
    is_of_price: bool,
}

const fn row(key: &'static str, name: &'static str, field: &'static str, unit: Unit) -> Row {
    Row { key, name, field, unit, is_of_price: false }
}

const fn of_price(key: &'static str, name: &'static str, field: &'static str, unit: Unit) -> Row {
    Row { key, name, field, unit, is_of_price: true }
}

/// Amounts are in the currency of the overview; an empty code stands for it. Percentages are fractions there.
const FIGURES: [Row; 9] = [
    of_price("market_value", "Market value", "MarketCapitalization", Unit::Currency(String::new())),
    of_price("price_to_earnings", "Price ÷ earnings", "PERatio", Unit::Ratio),
    of_price("price_to_sales", "Price ÷ sales", "PriceToSalesRatioTTM", Unit::Ratio),
    row("earnings_per_share", "Earnings per share, 12 m", "EPS", Unit::Currency(String::new())),
    row("revenue", "Revenue, 12 m", "RevenueTTM", Unit::Currency(String::new())),
    row("operating_margin", "Operating margin", "OperatingMarginTTM", Unit::Percent),
    row("net_margin", "Net margin", "ProfitMargin", Unit::Percent),
    row("dividend", "Dividend, last 12 m", "DividendPerShare", Unit::Currency(String::new())),
    of_price("dividend_yield", "Dividend yield", "DividendYield", Unit::Percent),
];

fn value(said: Option<&str>, row: &Row, currency: &str, date: Option<Date>) -> Result<Figure, String> {
    let value = said.and_then(number).ok_or("Alpha Vantage does not have it")?;
    let date = date.ok_or("Alpha Vantage does not say of which day it is")?;
    let (value, unit) = match row.unit {
        Unit::Percent => {
            let percent = value.checked_mul(Decimal::ONE_HUNDRED).ok_or("the number is too large")?;
            (at_least(rounded_to(percent, 1).normalize(), 1), Unit::Percent)
        }
        Unit::Ratio => (value, Unit::Ratio),
        Unit::Currency(_) => (value, Unit::Currency(currency.to_owned())),
    };
    Ok(Figure { value, unit, how: "Alpha Vantage".into(), date })
}

/// A symbol with the suffix of Yahoo, as [`Listing::parse`] reads it: `TSCO.LON` is `TSCO.L`.
fn marked(symbol: &str) -> String {
    const MARKS: [(&str, &str); 6] =
        [(".LON", ".L"), (".DEX", ".DE"), (".TRT", ".TO"), (".PAR", ".PA"), (".AMS", ".AS"), (".MIL", ".MI")];
    let mark = MARKS.iter().find_map(|(own, mark)| Some((symbol.strip_suffix(own)?, mark)));
    mark.map_or_else(|| symbol.to_owned(), |(symbol, mark)| format!("{symbol}{mark}"))
}
