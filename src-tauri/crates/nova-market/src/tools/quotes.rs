//! Quotes by day, in the cache beside the closes. A day that was quoted while it was traded has a price before
//! its close is known.

use std::collections::BTreeMap;

use nova_skill::jiff::Timestamp;
use nova_skill::jiff::tz::TimeZone;
use nova_skill::{Date, Decimal, ToolContext, ToolError};
use serde::{Deserialize, Serialize};

use super::closes::key;
use crate::{Listing, Quoted};

/// Maximum number of days of one listing; the oldest are dropped.
const DAYS: usize = 800;

/// Held while an entry is read and written, so that concurrent calls keep each other's quotes.
static ADDING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// A quote of one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredQuote {
    pub price: Decimal,
    pub currency: String,
    /// "Stooq"
    pub source: String,
    /// URL of the answer, without the query, or a file of the vault.
    pub url: String,
    /// Time of the price, RFC 3339, if reported. Without it, the price is split-adjusted to the shares of the
    /// day of the answer.
    pub at: Option<String>,
    /// Time of the answer, RFC 3339.
    pub fetched: String,
    /// The previous close.
    #[serde(default)]
    pub before: Option<Decimal>,
}

impl StoredQuote {
    pub fn new(source: &str, quoted: Quoted) -> Self {
        let Quoted { price, currency, at, before, url, fetched, .. } = quoted;
        Self { price, currency, source: source.into(), url, at, fetched, before }
    }

    /// Whether a close of the same day, fetched at a time, replaces it: it was fetched after the day. A close
    /// of an unfinished day can be older than a quote that has its time.
    pub fn gives_way(&self, day: Date, fetched: &str) -> bool {
        let time = |text: &str| text.parse::<Timestamp>().ok();
        let is_over = time(fetched).is_some_and(|time| time.to_zoned(TimeZone::UTC).date() > day);
        is_over || (self.at.is_none() && time(fetched) >= time(&self.fetched))
    }
}

/// The cached quotes by day. Unreadable bytes count as a cache miss.
pub async fn quotes(listing: &Listing, ctx: &dyn ToolContext) -> BTreeMap<Date, StoredQuote> {
    let bytes = ctx.cache().get(&key("quotes", listing)).await.ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Adds quotes to the cached ones; of the same day, the last counts.
///
/// # Errors
/// When the cache cannot be written.
pub async fn add(
    listing: &Listing,
    new: impl IntoIterator<Item = (Date, StoredQuote)>,
    ctx: &dyn ToolContext,
) -> Result<(), ToolError> {
    let _turn = ADDING.lock().await;
    let mut days = quotes(listing, ctx).await;
    days.extend(new);
    while days.len() > DAYS {
        days.pop_first();
    }
    let bytes = serde_json::to_vec(&days)
        .map_err(|error| ToolError::failed(format!("The quotes cannot be encoded: {error}."), ""))?;
    ctx.cache().set(&key("quotes", listing), bytes).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quote(at: Option<&str>, fetched: &str) -> StoredQuote {
        StoredQuote {
            price: Decimal::ONE,
            currency: "EUR".into(),
            source: "Stooq".into(),
            url: String::new(),
            at: at.map(str::to_owned),
            fetched: fetched.into(),
            before: None,
        }
    }

    #[test]
    fn close_fetched_after_the_day_replaces_a_quote() {
        let day = "2026-11-20".parse().expect("a date");
        let timed = quote(Some("2026-11-20T10:00:00Z"), "2026-11-20T10:00:05Z");
        assert!(!timed.gives_way(day, "2026-11-20T10:01:00Z"), "the day is not over");
        assert!(timed.gives_way(day, "2026-11-21T08:00:00Z"));
        let untimed = quote(None, "2026-11-20T10:00:05Z");
        assert!(untimed.gives_way(day, "2026-11-20T10:01:00Z"));
        assert!(!untimed.gives_way(day, "2026-11-20T09:00:00Z"));
        assert!(!timed.gives_way(day, "no time"));
    }
}
