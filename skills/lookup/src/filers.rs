//! Which company of the SEC's list a share is of.

use nova_market::Listing;
use nova_market::sources::sec::{Filer, Sec};
use nova_market::tools::Web;
use nova_skill::figures::days_between;
use nova_skill::{Date, LogLevel, ToolContext, ToolError, Value, json, serde_json};
use serde::{Deserialize, Serialize};
use url::Url;

/// The key of the list in the skill's store.
const KEY: &str = "filers";
/// How many days the list is good for.
const DAYS: i64 = 14;

/// The SEC as the settings have it.
///
/// # Errors
/// Without the address that the SEC asks for.
pub(crate) fn sec(ctx: &dyn ToolContext) -> Result<Sec, ToolError> {
    let config = ctx.config();
    let contact = config.get("contact").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if contact.is_empty() {
        return Err(ToolError::failed(
            "The SEC wants an e-mail address of yours with each request, and none is set.",
            "Set Contact in Settings, Skills, Lookup.",
        ));
    }
    let own = config.get("base_urls").and_then(|urls| urls.get("sec")).and_then(Value::as_str);
    let base = |address: &str| {
        Url::parse(own.unwrap_or(address)).map_err(|error| {
            ToolError::failed(format!("The address of the SEC: {error}."), "Change base_urls.sec.")
        })
    };
    let [www, data] = nova_market::sources::sec::HOSTS.map(|host| format!("https://{host}"));
    Ok(Sec { www: base(&www)?, data: base(&data)?, contact: contact.to_owned() })
}

/// The filer of a share: by the number that the user configured, else by its symbol.
///
/// # Errors
/// When it is listed outside of the United States, does not file, or the list cannot be had.
pub(crate) async fn filer(listing: &Listing, sec: &Sec, ctx: &dyn ToolContext) -> Result<Filer, ToolError> {
    let own = listing.own.get("sec").and_then(|own| own.trim_start_matches("CIK").parse().ok());
    if let Some(cik) = own {
        return Ok(Filer { cik, symbol: listing.symbol.clone(), name: listing.symbol.clone() });
    }
    let remedy = format!(
        "Where it does file, set its number (CIK) under skills.lookup.config.symbols.{}.sec.",
        listing.symbol
    );
    if !listing.is_in_the_us() {
        let exchange = listing.exchange.as_deref().unwrap_or("an exchange elsewhere");
        let what = format!(
            "{} is listed at {exchange}, and the SEC lists symbols of the United States.",
            listing.symbol
        );
        return Err(ToolError::failed(what, remedy));
    }
    let filers = filers(sec, ctx).await?;
    // The list writes classes with a hyphen: BRK-B.
    let wanted = listing.symbol.replace('.', "-");
    let found = filers.into_iter().find(|filer| filer.symbol.eq_ignore_ascii_case(&wanted));
    found.ok_or_else(|| {
        ToolError::failed(
            format!("No company with the symbol {} files with the SEC.", listing.symbol),
            remedy,
        )
    })
}

async fn filers(sec: &Sec, ctx: &dyn ToolContext) -> Result<Vec<Filer>, ToolError> {
    let today = ctx.clock().today();
    let kept = ctx.store().get(KEY).await.ok().flatten();
    let kept: Option<Kept> = kept.and_then(|kept| serde_json::from_value(kept).ok());
    let is_fresh = |kept: &Kept| (0..=DAYS).contains(&days_between(kept.day, today));
    match kept {
        Some(kept) if is_fresh(&kept) => Ok(kept.filers()),
        kept => match sec.filers(&Web(ctx)).await {
            Ok(filers) => {
                let rows = filers.iter().map(|filer| (filer.cik, filer.symbol.clone(), filer.name.clone()));
                let kept = Kept { day: today, rows: rows.collect() };
                if let Err(error) = ctx.store().set(KEY, json!(kept)).await {
                    ctx.log(LogLevel::Warn, &format!("The SEC's list was not kept: {error}"));
                }
                Ok(filers)
            }
            // Companies are seldom renumbered.
            Err(error) => kept.map(|kept| kept.filers()).ok_or_else(|| said(&error)),
        },
    }
}

/// What the SEC said, as an error.
pub(crate) fn said(error: &nova_market::SourceError) -> ToolError {
    match error {
        nova_market::SourceError::Stopped => ToolError::Cancelled,
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
