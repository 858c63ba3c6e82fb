//! Finds the SEC filer of a share.

use nova_skill::figures::days_between;
use nova_skill::{Date, LogLevel, ToolContext, ToolError, Value};
use serde::{Deserialize, Serialize};
use url::Url;

use super::Web;
use crate::key_figures::is_read;
use crate::sources::sec::{Filer, HOSTS, Reported, Sec};
use crate::{Listing, SourceError};

/// The cache key of the list.
const KEY: &str = "sec-filers";
/// Maximum age of the list, in days.
const DAYS: i64 = 14;

/// The SEC client as configured for a skill, given by its display name.
///
/// # Errors
/// Without the contact address that the SEC requires.
pub fn sec(skill: &str, ctx: &dyn ToolContext) -> Result<Sec, ToolError> {
    let config = ctx.config();
    let contact = config.get("contact").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if contact.is_empty() {
        return Err(ToolError::failed(
            "The SEC requires an e-mail address with each request, and none is set.",
            format!("Set Contact in Settings, Skills, {skill}."),
        ));
    }
    let own = config.get("base_urls").and_then(|urls| urls.get("sec")).and_then(Value::as_str);
    let base = |address: &str| {
        Url::parse(own.unwrap_or(address)).map_err(|error| {
            ToolError::failed(format!("The address of the SEC: {error}."), "Change base_urls.sec.")
        })
    };
    let [www, data] = HOSTS.map(|host| format!("https://{host}"));
    Ok(Sec { www: base(&www)?, data: base(&data)?, contact: contact.to_owned() })
}

/// The filer of a share: by the configured number, otherwise by its symbol.
///
/// # Errors
/// When it is listed outside of the United States, does not file, or the list is not available.
pub async fn filer(listing: &Listing, sec: &Sec, ctx: &dyn ToolContext) -> Result<Filer, ToolError> {
    let is_listed = own_number(listing).is_none() && listing.is_in_the_us();
    let filers = if is_listed { filers(sec, ctx).await? } else { Vec::new() };
    among(&filers, listing)
}

/// Finds the filer of a share in the list of [`filers`].
///
/// # Errors
/// See [`filer`].
pub fn among(filers: &[Filer], listing: &Listing) -> Result<Filer, ToolError> {
    if let Some(cik) = own_number(listing) {
        return Ok(Filer { cik, symbol: listing.symbol.clone(), name: listing.symbol.clone() });
    }
    let remedy =
        format!("Where it does file, set its number (CIK) in the setting symbols.{}.sec.", listing.symbol);
    if !listing.is_in_the_us() {
        let exchange = listing.exchange.as_deref().unwrap_or("an exchange elsewhere");
        let what = format!(
            "{} is listed at {exchange}, and the SEC lists symbols of the United States.",
            listing.symbol
        );
        return Err(ToolError::failed(what, remedy));
    }
    // The list writes share classes with a hyphen: BRK-B.
    let wanted = listing.symbol.replace('.', "-");
    let found = filers.iter().find(|filer| filer.symbol.eq_ignore_ascii_case(&wanted));
    found.cloned().ok_or_else(|| {
        ToolError::failed(
            format!("No company with the symbol {} files with the SEC.", listing.symbol),
            remedy,
        )
    })
}

fn own_number(listing: &Listing) -> Option<u64> {
    listing.own.get("sec")?.trim_start_matches("CIK").parse().ok()
}

/// The reported figures needed for key figures, from the cache if they are at most this many days old,
/// otherwise fetched.
///
/// # Errors
/// The SEC's error, if nothing is cached either.
pub async fn reports(
    filer: &Filer,
    days: i64,
    sec: &Sec,
    ctx: &dyn ToolContext,
) -> Result<Reported, SourceError> {
    let key = format!("sec-reports-{}", filer.cik);
    let kept = ctx.cache().get(&key).await.ok().flatten();
    let kept: Option<KeptReports> = kept.and_then(|kept| serde_json::from_slice(&kept).ok());
    let today = ctx.clock().today();
    match kept {
        Some(kept) if (0..=days).contains(&days_between(kept.day, today)) => Ok(kept.reported()),
        kept => match sec.reported(filer.cik, &Web(ctx)).await {
            Ok(mut reported) => {
                reported.retain(is_read);
                let kept = KeptReports {
                    day: today,
                    url: reported.url.clone(),
                    fetched: reported.fetched.clone(),
                    reported: reported.clone(),
                };
                keep(&key, &kept, ctx).await;
                Ok(reported)
            }
            Err(error) => kept.map(KeptReports::reported).ok_or(error),
        },
    }
}

async fn keep(key: &str, value: &impl Serialize, ctx: &dyn ToolContext) {
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    if let Err(error) = ctx.cache().set(key, bytes).await {
        ctx.log(LogLevel::Warn, &format!("The SEC's answer was not cached: {error}"));
    }
}

#[derive(Serialize, Deserialize)]
struct KeptReports {
    day: Date,
    url: String,
    fetched: String,
    reported: Reported,
}

impl KeptReports {
    fn reported(self) -> Reported {
        Reported { url: self.url, fetched: self.fetched, ..self.reported }
    }
}

/// All companies with a symbol.
///
/// # Errors
/// The SEC's error, if no list is cached either.
pub async fn filers(sec: &Sec, ctx: &dyn ToolContext) -> Result<Vec<Filer>, ToolError> {
    let today = ctx.clock().today();
    let kept = ctx.cache().get(KEY).await.ok().flatten();
    let kept: Option<Kept> = kept.and_then(|kept| serde_json::from_slice(&kept).ok());
    let is_fresh = |kept: &Kept| (0..=DAYS).contains(&days_between(kept.day, today));
    match kept {
        Some(kept) if is_fresh(&kept) => Ok(kept.filers()),
        kept => match sec.filers(&Web(ctx)).await {
            Ok(filers) => {
                let rows = filers.iter().map(|filer| (filer.cik, filer.symbol.clone(), filer.name.clone()));
                let kept = Kept { day: today, rows: rows.collect() };
                keep(KEY, &kept, ctx).await;
                Ok(filers)
            }
            // An old list is better than none: numbers rarely change.
            Err(error) => kept.map(|kept| kept.filers()).ok_or_else(|| said(&error)),
        },
    }
}

/// Converts an error of the SEC.
pub fn said(error: &SourceError) -> ToolError {
    match error {
        SourceError::Stopped => ToolError::Cancelled,
        error => ToolError::failed(format!("The SEC {error}."), "Try again later."),
    }
}

#[derive(Serialize, Deserialize)]
struct Kept {
    day: Date,
    rows: Vec<(u64, String, String)>,
}

impl Kept {
    fn filers(self) -> Vec<Filer> {
        let filer = |(cik, symbol, name)| Filer { cik, symbol, name };
        self.rows.into_iter().map(filer).collect()
    }
}
