use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use nova_dav::ical::Calendar;
use nova_skill::jiff::Timestamp;
use nova_skill::{
    Description, Effect, HttpRequest, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput,
    Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::sources::address::{self, Address, Fetched};
use crate::sources::{caldav, hosts};

pub(crate) struct RefreshCalendars;

/// What a store accepts, with the overhead of JSON.
const MOST_BYTES: usize = 6 << 20;

/// The time limit of one address.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Fetches the calendars that are elsewhere."))]
pub(crate) struct Nothing {}

#[async_trait]
impl NativeTool for RefreshCalendars {
    type Args = Nothing;
    const ID: &'static str = "refresh_calendars";
    const EFFECT: Effect = Effect::External;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["calendar"];

    fn description(&self) -> Description {
        Description::purpose(
            "Fetches the calendars that are elsewhere. What was fetched before stays where that fails.",
        )
        .use_when("a calendar elsewhere was never fetched, or its state is too old for the question")
        .example("Refresh my calendars")
    }

    fn hosts(&self, _: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        let none = hosts(config).is_empty();
        none.then(|| "No calendar has an address. Add one in Settings, Skills, Calendar.".into())
    }

    async fn run(&self, _: Nothing, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let mut rows = Vec::new();
        for calendar in address::configured(ctx.config()) {
            let before = calendar.fetched(ctx.as_ref()).await?;
            let since = before.as_ref().map(|before| before.at.to_string());
            rows.push(match fetch_and_keep(ctx.as_ref(), &calendar, before).await {
                Ok((at, changed)) => {
                    json!({"calendar": calendar.name, "fetched": at.to_string(), "changed": changed})
                }
                Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
                Err(error) => json!({
                    "calendar": calendar.name,
                    "problem": error.to_string(),
                    "remedy": error.hint(),
                    "fetched": since,
                }),
            });
        }
        for account in caldav::configured(ctx.config()) {
            rows.extend(caldav::refresh(ctx.as_ref(), &account).await?);
        }
        Ok(Output::new(json!({ "calendars": rows })).untrusted().into())
    }
}

/// When it was fetched, and whether it changed.
async fn fetch_and_keep(
    ctx: &dyn ToolContext,
    calendar: &Address,
    before: Option<Fetched>,
) -> Result<(Timestamp, bool), ToolError> {
    let (fetched, changed) = fetch(ctx, calendar, before).await?;
    calendar.keep(ctx, &fetched).await?;
    Ok((fetched.at, changed))
}

/// The current state, and whether it changed.
async fn fetch(
    ctx: &dyn ToolContext,
    calendar: &Address,
    before: Option<Fetched>,
) -> Result<(Fetched, bool), ToolError> {
    let mut headers = BTreeMap::from([("accept".to_owned(), "text/calendar".to_owned())]);
    for (header, value) in [
        ("if-none-match", before.as_ref().and_then(|before| before.etag.clone())),
        ("if-modified-since", before.as_ref().and_then(|before| before.modified.clone())),
    ] {
        if let Some(value) = value {
            headers.insert(header.into(), value);
        }
    }
    let request = HttpRequest {
        method: "GET".into(),
        url: calendar.url.clone(),
        headers,
        body: None,
        timeout: Some(PATIENCE),
    };
    // Plain http is only for a server on this machine.
    let response = match calendar.url.scheme() {
        "http" => ctx.http().send_to_configured(request).await?,
        _ => ctx.http().send(request).await?,
    };
    let at = ctx.clock().now();
    let failed = |what: String| {
        ToolError::failed(
            format!("{} {what}.", calendar.name),
            "Check its address in Settings, Skills, Calendar.",
        )
    };
    match (response.status, before) {
        (304, Some(before)) => return Ok((Fetched { at, ..before }, false)),
        (200, _) => {}
        (401 | 403, _) => return Err(failed(format!("refuses access (status {})", response.status))),
        (404 | 410, _) => return Err(failed(format!("was not found there (status {})", response.status))),
        (status, _) => {
            return Err(ToolError::failed(
                format!("The server of {} answers with status {status}.", calendar.name),
                "Try again later.",
            ));
        }
    }
    if response.body.len() > MOST_BYTES {
        return Err(ToolError::failed(
            format!(
                "{} has {} bytes, more than the 6 MiB that are stored.",
                calendar.name,
                response.body.len()
            ),
            "Choose a calendar with fewer events.",
        ));
    }
    Calendar::parse(&response.body).map_err(|error| failed(format!("cannot be read: {error}")))?;
    let header = |name: &str| response.headers.get(name).cloned();
    let (etag, modified) = (header("etag"), header("last-modified"));
    let text = String::from_utf8_lossy(&response.body).into_owned();
    Ok((Fetched { at, etag, modified, text }, true))
}
