//! Closes of a share or of an exchange rate, fetched if possible and cached as a fallback. All skills share the
//! cache, so that a split changes past closes in one place.

use nova_skill::figures::{days_between, percent};
use nova_skill::jiff::tz::TimeZone;
use nova_skill::jiff::{Timestamp, ToSpan as _};
use nova_skill::{Date, Decimal, LogLevel, Source, ToolContext};

use super::{Web, cited};
use crate::kept::{self, Kept, Origin};
use crate::{Bar, Close, Daily, History, Listing, SHARES_DAYS, Sources};

/// The closes of one share, oldest first, in shares of the day of the fetch.
#[derive(Debug, Clone, PartialEq)]
pub struct Closes {
    /// "Yahoo"
    pub source: String,
    pub history: History,
    /// Why they are from the cache: the errors of the sources.
    pub old: Option<String>,
}

/// The closes since a day: fetched, or from the cache if that fails.
///
/// # Errors
/// The reasons of the sources, if the cache has none either.
pub async fn closes(
    listing: &Listing,
    since: Date,
    sources: &Sources,
    ctx: &dyn ToolContext,
) -> Result<Closes, String> {
    match fetched(listing, since, sources, ctx).await {
        Ok(fetched) => {
            let cached = cached(listing, ctx).await.as_deref().and_then(Kept::decode);
            let longest = cached.as_ref().map_or(fetched.since, |cached| cached.since);
            let before = cached.filter(|cached| is_of_the_web(&cached.history.url));
            let mut joined = Ok(fetched.clone().continuing(before));
            // After a split, from another source or from a file, the older days are fetched again: a shorter history
            // must not replace a longer one.
            if joined.as_ref().is_ok_and(|joined| joined.since > longest) {
                joined = self::fetched(listing, longest, sources, ctx).await;
            }
            if let Ok(joined) = joined {
                keep(listing, &joined, ctx).await;
            }
            let Kept { source, history, .. } = fetched;
            Ok(Closes { source, history, old: None })
        }
        Err(reasons) => {
            let before = before(listing, ctx).await;
            let before = before.filter(|before| fits(listing, &before.history.currency));
            let Kept { source, mut history, .. } = before.ok_or_else(|| reasons.clone())?;
            history.bars.retain(|bar| bar.date >= since);
            match history.bars.is_empty() {
                true => Err(reasons),
                false => Ok(Closes { source, history, old: Some(reasons) }),
            }
        }
    }
}

/// The cached days, without fetching; also those of a file in the vault.
pub async fn stored(listing: &Listing, ctx: &dyn ToolContext) -> Option<(Origin, Daily)> {
    cached(listing, ctx).await.as_deref().and_then(kept::daily)
}

/// The days of a share as columns, and their origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Days {
    pub origin: Origin,
    pub daily: Daily,
    /// Why they are from the cache: the errors of the sources.
    pub old: Option<String>,
}

impl Days {
    /// Drops a day that was not over when it was fetched: its close is not final.
    fn over(origin: Origin, mut daily: Daily, old: Option<String>) -> Result<Self, String> {
        if let Some(day) = day_of_fetch(&origin) {
            daily.truncate(daily.days.partition_point(|known| *known < day));
        }
        match daily.is_empty() {
            true => Err("no trading day has ended".into()),
            false => Ok(Self { origin, daily, old }),
        }
    }
}

/// The complete days since a day, as columns. A share that was fetched today (UTC) is not fetched again; for
/// others, only the newer days are.
///
/// # Errors
/// See [`closes`].
pub async fn days(
    listing: &Listing,
    since: Date,
    sources: &Sources,
    ctx: &dyn ToolContext,
) -> Result<Days, String> {
    let today = ctx.clock().now().to_zoned(TimeZone::UTC).date();
    let before = cached(listing, ctx).await;
    let read = |bytes: &[u8]| {
        kept::daily(bytes).filter(|(origin, _)| fits(listing, &origin.currency) && is_of_the_web(&origin.url))
    };
    let known = before.as_deref().and_then(read).filter(|(origin, _)| origin.since <= since);
    let is_of_today = |origin: &Origin| day_of_fetch(origin).is_some_and(|day| day >= today);
    let last = match known {
        Some((origin, daily)) if is_of_today(&origin) => return Days::over(origin, daily, None),
        Some((_, daily)) => daily.days.last().copied(),
        None => None,
    };
    match renewed(listing, since, (last, before.as_deref()), sources, ctx).await {
        Ok(fresh) => {
            keep(listing, &fresh, ctx).await;
            let unreadable = || "the fetched days cannot be cached".to_owned();
            let (origin, daily) = kept::daily(&fresh.encode()).ok_or_else(unreadable)?;
            Days::over(origin, daily, None)
        }
        Err(reasons) => {
            let (origin, daily) = before.as_deref().and_then(read).ok_or_else(|| reasons.clone())?;
            Days::over(origin, daily, Some(reasons))
        }
    }
}

/// In UTC.
fn day_of_fetch(origin: &Origin) -> Option<Date> {
    let fetched = origin.fetched.parse::<Timestamp>().ok()?;
    Some(fetched.to_zoned(TimeZone::UTC).date())
}

/// Extends the cached days if possible, otherwise fetches all.
async fn renewed(
    listing: &Listing,
    since: Date,
    (last, before): (Option<Date>, Option<&[u8]>),
    sources: &Sources,
    ctx: &dyn ToolContext,
) -> Result<Kept, String> {
    if let Some(last) = last {
        // Overlaps by some days: the last day may have been incomplete, and a split changes them all.
        let fresh = fetched(listing, last.saturating_sub(10.days()), sources, ctx).await?;
        let joined = fresh.continuing(before.and_then(Kept::decode));
        if joined.since <= since {
            return Ok(joined);
        }
    }
    fetched(listing, since, sources, ctx).await
}

async fn fetched(
    listing: &Listing,
    since: Date,
    sources: &Sources,
    ctx: &dyn ToolContext,
) -> Result<Kept, String> {
    let (today, web) = (ctx.clock().today(), Web(ctx));
    let found = match listing.pair() {
        Some(pair) => sources.rates(pair, since, today, &web).await,
        None => sources.history(listing, since, today, &web).await,
    };
    let (source, history) = found.map_err(|reasons| reasons.to_string())?;
    Ok(Kept { source, since, history })
}

/// The cached days that were fetched from the web. A file of the vault is read again each time instead.
async fn before(listing: &Listing, ctx: &dyn ToolContext) -> Option<Kept> {
    let kept = cached(listing, ctx).await.as_deref().and_then(Kept::decode);
    kept.filter(|kept| is_of_the_web(&kept.history.url))
}

async fn cached(listing: &Listing, ctx: &dyn ToolContext) -> Option<Vec<u8>> {
    ctx.cache().get(&key("closes", listing)).await.ok().flatten()
}

fn is_of_the_web(url: &str) -> bool {
    url.contains("://")
}

/// Whether the currency is the expected one.
fn fits(listing: &Listing, currency: &str) -> bool {
    listing.currency.as_deref().is_none_or(|kept| kept == currency)
}

/// A cache error does not fail the call.
async fn keep(listing: &Listing, kept: &Kept, ctx: &dyn ToolContext) {
    if let Err(error) = ctx.cache().set(&key("closes", listing), kept.encode()).await {
        ctx.log(LogLevel::Warn, &format!("The closes were not cached: {error}"));
    }
}

impl Closes {
    pub fn last(&self) -> Option<&Bar> {
        self.history.bars.last()
    }

    /// The closes since `begin`.
    pub fn since(&self, begin: Date) -> &[Bar] {
        let from = self.history.bars.partition_point(|bar| bar.date < begin);
        &self.history.bars[from..]
    }

    /// The change over the year up to the last close, in percent with one decimal place.
    pub fn year_change(&self) -> Option<Decimal> {
        let last = self.last()?;
        let begin = last.date.checked_sub(1.year()).ok()?;
        // The last close up to that day; a younger share has none.
        let before = self.history.bars.iter().rev().find(|bar| bar.date <= begin)?;
        percent(last.close.checked_sub(before.close)?, before.close, 1)
    }

    /// The lowest and the highest close of the last year.
    pub fn year_range(&self) -> Option<(Decimal, Decimal)> {
        let begin = self.last()?.date.checked_sub(1.year()).ok()?;
        let closes = || self.since(begin).iter().map(|bar| bar.close);
        closes().min().zip(closes().max())
    }

    pub fn close(&self) -> Option<Close> {
        let last = self.last()?;
        let covers = |bar: &Bar| days_between(bar.date, last.date) >= SHARES_DAYS;
        let events = self.history.events.as_ref().filter(|_| self.history.bars.first().is_some_and(covers));
        Some(Close {
            price: last.close,
            currency: self.history.currency.clone(),
            date: last.date,
            splits: events.map(|events| events.splits.clone()),
        })
    }

    pub fn cited(&self) -> Source {
        cited(&self.history.url, &self.history.fetched)
    }
}

/// A cache key from the symbol, its exchange by whichever name, and its names at the sources, restricted to the
/// characters of a key.
pub(super) fn key(kind: &str, listing: &Listing) -> String {
    let own: String = listing.own.iter().map(|(source, name)| format!(" {source}={name}")).collect();
    // The United States are the default, and have no name of their own.
    let place = listing.place().filter(|_| !listing.is_in_the_us());
    let said = format!("{} {}{own}", listing.symbol, place.unwrap_or_default());
    let letters: String = said
        .trim()
        .bytes()
        .map(|byte| match byte.to_ascii_lowercase() {
            letter if letter.is_ascii_alphanumeric() => char::from(letter).to_string(),
            other => format!("-{other:02x}"),
        })
        .collect();
    format!("{kind}-{letters}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_exchange_has_one_key() {
        let at = |exchange: Option<&str>| {
            let exchange = exchange.map(str::to_owned);
            key("closes", &Listing { exchange, ..Listing::parse("NGTL") })
        };

        for name in ["Xetra", "xetra", "FRANKFURT", " XETR "] {
            assert_eq!(at(Some(name)), at(Some("XETRA")), "{name}");
        }
        assert_eq!(key("closes", &Listing::parse("NGTL.DE")), at(Some("XETRA")));
        assert_eq!(at(Some("Nasdaq")), at(None));
        let different = [at(None), at(Some("XETRA")), at(Some("LSE")), at(Some("Bolsa")), at(Some("Borsa"))];
        for (place, key) in different.iter().enumerate() {
            assert!(!different[..place].contains(key), "{key}");
        }
        assert_ne!(key("quotes", &Listing::parse("NGTL")), at(None));
    }
}
