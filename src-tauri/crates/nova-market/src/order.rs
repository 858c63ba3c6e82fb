use std::collections::HashMap;
use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::{Found, History, Intraday, Listing, Overview, Quoted, Source, SourceError, Transport};

/// Consecutive failures after which a source is no longer asked for the same kind of data.
const FAILURES: u32 = 3;

/// Sources in order of preference. A source that keeps failing is skipped for the lifetime of this value,
/// which is one tool call.
pub struct Sources {
    list: Vec<Box<dyn Source>>,
    failures: Mutex<Failures>,
}

/// Number of consecutive failures, and the last reason.
type Failures = HashMap<(String, What), (u32, String)>;

/// The kind of a request: a source without closes may still have quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    Quote,
    History,
    Intraday,
    Rate,
    Rates,
    Search,
    Fundamentals,
}

/// Why no source has it, one clause each: "Stooq answered with nothing; Yahoo receives too many requests".
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[error("{}", .clauses.join("; "))]
pub struct Reasons {
    clauses: Vec<String>,
    /// At least one source answered that it does not have it.
    pub answered: bool,
}

impl Sources {
    pub fn new(list: Vec<Box<dyn Source>>) -> Self {
        Self { list, failures: Mutex::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The newest plausible price and its source. `last` is the price known before.
    ///
    /// # Errors
    /// When no source has one.
    pub async fn quote(
        &self,
        listing: &Listing,
        today: Date,
        last: Option<Decimal>,
        transport: &dyn Transport,
    ) -> Result<(String, Quoted), Reasons> {
        self.first(What::Quote, |source| async move {
            source.quote(listing, transport).await?.checked(listing.currency.as_deref(), today, last)
        })
        .await
    }

    /// The days from `from` to `to` of the first source that has any, and its name.
    ///
    /// # Errors
    /// See [`Sources::quote`].
    pub async fn history(
        &self,
        listing: &Listing,
        from: Date,
        to: Date,
        transport: &dyn Transport,
    ) -> Result<(String, History), Reasons> {
        self.first(What::History, |source| async move {
            let found = source.history(listing, from, to, transport).await?;
            found.checked(listing.currency.as_deref(), from, to)
        })
        .await
    }

    /// The prices within the last trading day, and their source.
    ///
    /// # Errors
    /// See [`Sources::quote`].
    pub async fn intraday(
        &self,
        listing: &Listing,
        today: Date,
        transport: &dyn Transport,
    ) -> Result<(String, Intraday), Reasons> {
        self.first(What::Intraday, |source| async move {
            source.intraday(listing, transport).await?.checked(listing.currency.as_deref(), today)
        })
        .await
    }

    /// The exchange rate (units of `to` per unit of `from`), and its source.
    ///
    /// # Errors
    /// See [`Sources::quote`].
    pub async fn rate(
        &self,
        (from, to): (&str, &str),
        today: Date,
        last: Option<Decimal>,
        transport: &dyn Transport,
    ) -> Result<(String, Quoted), Reasons> {
        self.first(What::Rate, |source| async move {
            source.rate(from, to, transport).await?.checked(Some(to), today, last)
        })
        .await
    }

    /// Exchange rates from `first` to `last`, as closes.
    ///
    /// # Errors
    /// See [`Sources::quote`].
    pub async fn rates(
        &self,
        (from, to): (&str, &str),
        first: Date,
        last: Date,
        transport: &dyn Transport,
    ) -> Result<(String, History), Reasons> {
        self.first(What::Rates, |source| async move {
            source.rates((from, to), first, last, transport).await?.checked(Some(to), first, last)
        })
        .await
    }

    /// Searches listings by name; returns the results of the first source that has any, and its name.
    ///
    /// # Errors
    /// See [`Sources::quote`].
    pub async fn search(
        &self,
        query: &str,
        transport: &dyn Transport,
    ) -> Result<(String, Vec<Found>), Reasons> {
        self.first(What::Search, |source| async move {
            let found = source.search(query, transport).await?;
            if found.is_empty() { Err(SourceError::Symbol("knows none".into())) } else { Ok(found) }
        })
        .await
    }

    /// The key figures of the first source that has any, and its name.
    ///
    /// # Errors
    /// See [`Sources::quote`].
    pub async fn fundamentals(
        &self,
        listing: &Listing,
        transport: &dyn Transport,
    ) -> Result<(String, Overview), Reasons> {
        self.first(What::Fundamentals, |source| async move { source.fundamentals(listing, transport).await })
            .await
    }

    async fn first<'a, T, Asked>(
        &'a self,
        what: What,
        ask: impl Fn(&'a dyn Source) -> Asked,
    ) -> Result<(String, T), Reasons>
    where
        Asked: Future<Output = Result<T, SourceError>>,
    {
        let mut reasons = Reasons::default();
        for source in &self.list {
            let name = source.name();
            if let Some(why) = self.is_off(name, what) {
                reasons.clauses.push(format!("{name} {why}"));
                continue;
            }
            match ask(source.as_ref()).await {
                Ok(answer) => {
                    let name = name.to_owned();
                    self.failures().remove(&(name.clone(), what));
                    return Ok((name, answer));
                }
                Err(error) => {
                    reasons.clauses.push(format!("{name} {error}"));
                    reasons.answered |= matches!(error, SourceError::Symbol(_));
                    self.failed(name, what, &error);
                }
            }
        }
        Err(reasons)
    }

    fn is_off(&self, source: &str, what: What) -> Option<String> {
        self.failures()
            .get(&(source.to_owned(), what))
            .filter(|(times, _)| *times >= FAILURES)
            .map(|(_, why)| why.clone())
    }

    fn failed(&self, source: &str, what: What, error: &SourceError) {
        let mut failures = self.failures();
        let (times, why) = failures.entry((source.to_owned(), what)).or_default();
        match error {
            SourceError::Symbol(_) | SourceError::Stopped => *times = 0,
            SourceError::Source(_) => *times += 1,
            SourceError::Refused(_) => *times = FAILURES,
        }
        *why = error.to_string();
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
