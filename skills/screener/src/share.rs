//! One share with its days and its company's reports.

use nova_market::sources::sec::{Filer, Reported, Sec};
use nova_market::tools::closes::{Days, days};
use nova_market::tools::filers::{among, filers, reports, sec};
use nova_market::tools::{cited, sources};
use nova_market::{Close, KeyFigure, SHARES_TAG, ShareColumns, Sources, key_figures};
use nova_skill::{Date, Decimal, Source, ToolContext, ToolError};

use crate::SOURCES;
use crate::universe::Member;

/// Maximum age of stored reports, in days.
const REPORT_DAYS: i64 = 7;

/// Fetches the shares of one call.
pub(crate) struct Market {
    sources: Sources,
    since: Date,
    /// None if no condition uses reports.
    reports: Option<(Sec, Vec<Filer>)>,
}

/// A listed share, as far as known.
pub(crate) struct Share {
    pub(crate) member: Member,
    pub(crate) days: Days,
    /// The reports, or why they are unknown.
    pub(crate) reported: Result<Option<Reported>, String>,
}

impl Market {
    /// # Errors
    /// If reports are needed and the SEC is unavailable.
    pub(crate) async fn open(
        since: Date,
        needs_reports: bool,
        ctx: &dyn ToolContext,
    ) -> Result<Self, ToolError> {
        let sources = sources(ctx, "sources", &SOURCES).await;
        if sources.is_empty() {
            return Err(ToolError::failed(
                "No source of closes is set.",
                "Name one in Settings, Skills, Screener.",
            ));
        }
        let reports = if needs_reports {
            let sec = sec("Screener", ctx)?;
            let filers = filers(&sec, ctx).await?;
            Some((sec, filers))
        } else {
            None
        };
        Ok(Self { sources, since, reports })
    }

    /// # Errors
    /// With the reasons of the sources, if no day is known.
    pub(crate) async fn share(&self, member: Member, ctx: &dyn ToolContext) -> Result<Share, String> {
        let days = days(&member.listing, self.since, &self.sources, ctx).await?;
        let reported = match &self.reports {
            None => Ok(None),
            Some((sec, list)) => match among(list, &member.listing) {
                Err(error) => Err(error.to_string().trim_end_matches('.').to_owned()),
                Ok(filer) => match reports(&filer, REPORT_DAYS, sec, ctx).await {
                    Ok(mut reported) => {
                        // A company's share count is that of its first symbol, the common stock.
                        let first = list.iter().find(|other| other.cik == filer.cik);
                        if first.is_some_and(|first| first.symbol != filer.symbol) {
                            reported.retain(|tag| tag != SHARES_TAG);
                        }
                        Ok(Some(reported))
                    }
                    Err(error) => Err(format!("the SEC {error}")),
                },
            },
        };
        Ok(Share { member, days, reported })
    }
}

impl Share {
    pub(crate) fn columns(&self) -> ShareColumns<'_> {
        ShareColumns::new(&self.days.daily, &self.days.origin, self.reports())
    }

    pub(crate) fn reports(&self) -> Option<&Reported> {
        self.reported.as_ref().ok().and_then(Option::as_ref)
    }

    pub(crate) fn name(&self) -> Option<&str> {
        let reported = self.reports().map(|reported| reported.name.as_str()).filter(|name| !name.is_empty());
        self.member.name.as_deref().or(reported)
    }

    pub(crate) fn symbol(&self) -> &str {
        &self.member.listing.symbol
    }

    /// The last known close and its day.
    pub(crate) fn last(&self) -> Option<(Date, Decimal)> {
        let daily = &self.days.daily;
        let place = daily.close.iter().rposition(|close| close.is_finite())?;
        Some((daily.days[place], Decimal::try_from(daily.close[place]).ok()?))
    }

    /// Why the last day, or a window that ends on it, may have no value.
    pub(crate) fn lack(&self) -> String {
        let daily = &self.days.daily;
        match (daily.days.last(), daily.close.last(), daily.holes().last()) {
            (Some(day), Some(close), _) if !close.is_finite() => {
                format!("its close of {day} is unknown or not above zero")
            }
            (_, _, Some(place)) => {
                let (from, to) = (daily.days[place - 1], daily.days[*place]);
                format!("its closes have a gap from {from} to {to}")
            }
            _ => format!("{} days are too few, or lack it", daily.len()),
        }
    }

    /// The key figures of the last day, each with its day or the reason why it is missing.
    pub(crate) fn key_figures(&self) -> Vec<KeyFigure> {
        let Some(reported) = self.reports() else { return Vec::new() };
        let splits = self.days.daily.splits.iter();
        let splits = splits.filter_map(|(day, times)| Some((*day, Decimal::try_from(*times).ok()?)));
        let close = self.last().map(|(date, price)| Close {
            price,
            currency: self.days.origin.currency.clone(),
            date,
            splits: self.days.origin.has_events.then(|| splits.collect()),
        });
        key_figures(reported, close.as_ref())
    }

    pub(crate) fn cited(&self) -> Vec<Source> {
        let origin = &self.days.origin;
        let reports = self.reports().map(|reported| cited(&reported.url, &reported.fetched));
        [Some(cited(&origin.url, &origin.fetched)), reports].into_iter().flatten().collect()
    }
}
