use std::collections::{BTreeMap, BTreeSet};

use nova_dav::caldav::{Collection, Found, Known, discover, sync};
use nova_skill::{ToolContext, ToolError, Value, json};

use super::Account;
use super::kept::{self, Calendar, Calendars, Event, Events};
use super::signed::Signed;

/// What a store accepts of one calendar, with the overhead of JSON.
const MOST_BYTES: usize = 6 << 20;
/// Calendars of one account.
const MOST_CALENDARS: usize = 100;
/// Characters of a calendar's name.
const NAME: usize = 80;

/// Fetches the changes in the calendars of an account and returns a result for each. A failed fetch keeps what was
/// fetched before.
///
/// # Errors
/// `Cancelled`.
pub(crate) async fn refresh(ctx: &dyn ToolContext, account: &Account) -> Result<Vec<Value>, ToolError> {
    let before = kept::account(ctx, account).await?;
    let calendars = match calendars(ctx, account).await {
        Ok(calendars) => calendars,
        Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
        Err(error) => {
            let names = match &before {
                Some(before) => before.calendars.iter().collect(),
                None => Vec::new(),
            };
            let mut rows = Vec::new();
            for calendar in &names {
                rows.push(failed(ctx, &calendar.name, Some(calendar), &error).await?);
            }
            if rows.is_empty() {
                rows.push(failed(ctx, &account.name, None, &error).await?);
            }
            return Ok(rows);
        }
    };
    for gone in before.iter().flat_map(|before| &before.calendars) {
        if !calendars.calendars.iter().any(|calendar| calendar.url == gone.url) {
            kept::remove_events(ctx, gone).await?;
        }
    }
    kept::keep_account(ctx, account, &calendars).await?;
    let mut rows = Vec::new();
    for calendar in &calendars.calendars {
        rows.push(match fetch(ctx, account, calendar).await {
            Ok((at, changed)) => json!({"calendar": calendar.name, "fetched": at, "changed": changed}),
            Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
            Err(error) => failed(ctx, &calendar.name, Some(calendar), &error).await?,
        });
    }
    Ok(rows)
}

async fn failed(
    ctx: &dyn ToolContext,
    name: &str,
    calendar: Option<&Calendar>,
    error: &ToolError,
) -> Result<Value, ToolError> {
    let since = match calendar {
        Some(calendar) => kept::events(ctx, calendar).await?.map(|events| events.at.to_string()),
        None => None,
    };
    Ok(json!({"calendar": name, "problem": error.to_string(), "remedy": error.hint(), "fetched": since}))
}

/// The current calendars.
async fn calendars(ctx: &dyn ToolContext, account: &Account) -> Result<Calendars, ToolError> {
    let server = Signed::new(ctx, account).await?;
    let found = discover(&server, &account.url).await.map_err(|error| server.told(error))?;
    let calendars = match found {
        Found::Calendar(one) => vec![calendar(account, account.name.clone(), &one)],
        Found::Account(all) => {
            let mut names = BTreeSet::new();
            let all = all.iter().take(MOST_CALENDARS);
            all.map(|one| calendar(account, name_of(account, one, &mut names), one)).collect()
        }
    };
    if calendars.is_empty() {
        return Err(ToolError::failed(
            format!("The server of {} has no calendar with events.", account.name),
            "Check the user in Settings, Skills, Calendar.",
        ));
    }
    Ok(Calendars { calendars })
}

fn calendar(account: &Account, name: String, found: &Collection) -> Calendar {
    Calendar { name, url: found.url.clone(), writable: found.writable, account: account.key() }
}

/// `Account/Calendar`, made unique.
fn name_of(account: &Account, found: &Collection, taken: &mut BTreeSet<String>) -> String {
    let segment = || found.url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let own = found.name.clone().unwrap_or_else(segment);
    let own: String = own.chars().filter(|letter| !letter.is_control()).take(NAME).collect();
    let mut name = format!("{}/{}", account.name, own.trim());
    if !taken.insert(nova_skill::figures::folded(&name)) {
        name = format!("{name} ({})", segment());
        taken.insert(nova_skill::figures::folded(&name));
    }
    name
}

/// When the calendar was fetched, and whether it changed.
async fn fetch(
    ctx: &dyn ToolContext,
    account: &Account,
    calendar: &Calendar,
) -> Result<(String, bool), ToolError> {
    let server = Signed::new(ctx, account).await?;
    let before = kept::events(ctx, calendar).await?;
    let is_first = before.is_none();
    let (token, mut events) = match before {
        Some(before) => (before.token, before.events),
        None => (None, BTreeMap::new()),
    };
    let etags = events.iter().map(|(path, event)| (path.clone(), event.etag.clone())).collect();
    let known = Known { token, etags };
    let changes =
        sync(&server, &calendar.url, &known, MOST_BYTES).await.map_err(|error| server.told(error))?;
    let mut changed = is_first;
    for path in &changes.removed {
        changed |= events.remove(path).is_some();
    }
    for new in changes.changed {
        let differs = events.get(&new.path).is_none_or(|old| old.data != new.data);
        changed |= differs;
        events.insert(new.path, Event { etag: new.etag, data: new.data });
    }
    let bytes: usize = events.values().map(|event| event.data.len()).sum();
    if bytes > MOST_BYTES {
        return Err(ToolError::failed(
            format!("{} has {bytes} bytes, more than the 6 MiB that are stored.", calendar.name),
            "Choose a calendar with fewer events.",
        ));
    }
    let at = ctx.clock().now();
    kept::keep_events(ctx, calendar, &Events { at, token: changes.token, events }).await?;
    Ok((at.to_string(), changed))
}
