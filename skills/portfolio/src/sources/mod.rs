//! Where prices come from. Whatever a source answers is checked; what is not a price is an error with
//! its reason and never a number.

mod asked;
mod finnhub;
mod get;
mod stooq;
mod yahoo;

use nova_skill::figures::day_and_month;
use nova_skill::{Date, Decimal, ToolContext, Value, async_trait};
use url::Url;

pub(crate) use asked::Asked;
pub(crate) use finnhub::CREDENTIAL;
use get::Get;

use crate::prices::{QUOTE_DAYS, days_between};

/// One service that knows prices.
#[async_trait]
pub(crate) trait QuoteSource: Send + Sync {
    /// "Stooq"
    fn name(&self) -> &'static str;
    /// The newest price.
    async fn quote(&self, asked: &Asked, ctx: &dyn ToolContext) -> Result<Quoted, SourceError>;
    /// The closes of the days since then, from the oldest.
    async fn history(
        &self,
        asked: &Asked,
        since: Date,
        ctx: &dyn ToolContext,
    ) -> Result<Vec<Quoted>, SourceError>;
    /// How much of `to` one of `from` is.
    async fn rate(&self, from: &str, to: &str, ctx: &dyn ToolContext) -> Result<Quoted, SourceError>;
}

/// What a source says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Quoted {
    pub(crate) price: Decimal,
    pub(crate) currency: String,
    pub(crate) date: Date,
    /// RFC 3339, where it is said.
    pub(crate) at: Option<String>,
    /// The close of the day before.
    pub(crate) before: Option<Decimal>,
    /// Where it answered, without a query.
    pub(crate) url: String,
    /// When it answered, RFC 3339.
    pub(crate) fetched: String,
}

/// Why there is no price: what follows the source's name, without a full stop, such as "answered with
/// a web page instead of a quote".
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum SourceError {
    /// About this symbol.
    #[error("{0}")]
    Symbol(String),
    /// About the source: the next symbol will hardly fare better.
    #[error("{0}")]
    Source(String),
    /// The user, or a rule, does not let it be asked.
    #[error("{0}")]
    Refused(String),
    /// The call was stopped.
    #[error("was stopped")]
    Stopped,
}

/// The sources in the order in which they are asked.
pub(crate) async fn in_order(ctx: &dyn ToolContext) -> Vec<Box<dyn QuoteSource>> {
    let config = ctx.config();
    let chosen = config.get("sources").and_then(Value::as_array);
    let names: Vec<&str> = match chosen {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => vec!["stooq", "yahoo", "finnhub"],
    };
    let base = |name: &str, default: &str| {
        let configured = config.get("base_urls").and_then(|urls| urls.get(name)).and_then(Value::as_str);
        Url::parse(configured.unwrap_or(default)).ok()
    };
    let mut sources: Vec<Box<dyn QuoteSource>> = Vec::new();
    for name in names {
        match name {
            "stooq" => sources
                .extend(base(name, "https://stooq.com").map(|base| Box::new(stooq::Stooq { base }) as _)),
            "yahoo" => sources.extend(
                base(name, "https://query1.finance.yahoo.com")
                    .map(|base| Box::new(yahoo::Yahoo { base }) as _),
            ),
            "finnhub" => {
                let key = finnhub::key(ctx).await;
                let base = base(name, "https://finnhub.io");
                sources
                    .extend(base.zip(key).map(|(base, key)| Box::new(finnhub::Finnhub { base, key }) as _));
            }
            _ => {}
        }
    }
    sources
}

impl Quoted {
    /// The same where it can be true.
    ///
    /// # Errors
    /// When it is not above zero, of a day to come, too old, or nowhere near what was known last.
    pub(crate) fn checked(
        self,
        asked: &Asked,
        today: Date,
        last: Option<Decimal>,
    ) -> Result<Self, SourceError> {
        let absurd = |what: String| Err(SourceError::Symbol(what));
        if self.price <= Decimal::ZERO {
            return absurd(format!("answered with the price {}, which is not above zero", self.price));
        }
        if let Some(expected) = asked.currency.as_ref().filter(|expected| **expected != self.currency) {
            return absurd(format!("quotes it in {}, and it is kept in {expected}", self.currency));
        }
        // Somewhere it is tomorrow already.
        if days_between(today, self.date) > 1 {
            return absurd(format!("answered with a price of {}, which is in the future", self.date));
        }
        if days_between(self.date, today) > QUOTE_DAYS {
            return absurd(format!(
                "has no newer price than that of {} {}",
                day_and_month(self.date),
                self.date.year()
            ));
        }
        if let Some(last) = last.filter(|last| is_far_off(self.price, *last)) {
            return absurd(format!(
                "answered with the price {}, more than 1,000 times off the last one, {last}",
                self.price
            ));
        }
        Ok(self)
    }
}

/// Whether one of two prices is more than a thousand times the other.
pub(crate) fn is_far_off(price: Decimal, other: Decimal) -> bool {
    let times = |a: Decimal, b: Decimal| a.checked_div(b).is_none_or(|times| times > Decimal::ONE_THOUSAND);
    times(price, other) || times(other, price)
}

/// A number of an answer: a plain decimal or one with an exponent, as programs print them.
fn number(text: &str) -> Option<Decimal> {
    let text = text.trim();
    Decimal::from_str_exact(text).ok().or_else(|| Decimal::from_scientific(text).ok())
}
