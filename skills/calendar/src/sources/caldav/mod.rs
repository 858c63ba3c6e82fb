//! Calendars of a CalDAV server, as last fetched.

mod account;
mod conflict;
mod kept;
mod opened;
mod refresh;
mod signed;

use nova_dav::events::Agenda;
use nova_dav::ical::Calendar;
use nova_skill::jiff::Timestamp;
use nova_skill::{ToolContext, ToolError, async_trait, json};

use super::{Loaded, Source};

pub(crate) use account::{Account, configured};
pub(crate) use conflict::Conflict;
pub(crate) use opened::{Held, Opened};
pub(crate) use refresh::refresh;

/// The fetched calendars of an account, or the account itself if none was fetched.
///
/// # Errors
/// If the store cannot be read.
pub(super) async fn sources(
    ctx: &dyn ToolContext,
    account: Account,
) -> Result<Vec<Box<dyn Source>>, ToolError> {
    let Some(kept) = kept::account(ctx, &account).await? else {
        return Ok(vec![Box::new(NotFetched { name: account.name })]);
    };
    let calendars = kept.calendars.into_iter().map(|calendar| {
        let read_only = account.read_only || !calendar.writable;
        Box::new(Fetched { calendar, read_only, email: account.email.clone() }) as Box<dyn Source>
    });
    Ok(calendars.collect())
}

struct Fetched {
    calendar: kept::Calendar,
    read_only: bool,
    email: Option<String>,
}

#[async_trait]
impl Source for Fetched {
    fn name(&self) -> &str {
        &self.calendar.name
    }

    fn kind(&self) -> &'static str {
        "caldav"
    }

    fn read_only(&self) -> bool {
        self.read_only
    }

    fn email(&self) -> Option<&str> {
        self.email.as_deref()
    }

    async fn load(&self, ctx: &dyn ToolContext) -> Result<Loaded, ToolError> {
        let Some(events) = kept::events(ctx, &self.calendar).await? else {
            return Err(not_fetched(&self.calendar.name));
        };
        let mut whole = Calendar::default();
        let mut problems = Vec::new();
        for (path, event) in &events.events {
            match Calendar::parse(event.data.as_bytes()) {
                Ok(calendar) => whole.append(calendar),
                Err(error) => problems.push(json!({
                    "calendar": self.calendar.name,
                    "event": path.rsplit('/').next(),
                    "problem": error.to_string(),
                })),
            }
        }
        let fetched: Timestamp = events.at;
        Ok(Loaded { agenda: Agenda::new(whole), problems, fetched: Some(fetched) })
    }
}

struct NotFetched {
    name: String,
}

#[async_trait]
impl Source for NotFetched {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "caldav"
    }

    fn read_only(&self) -> bool {
        true
    }

    async fn load(&self, _: &dyn ToolContext) -> Result<Loaded, ToolError> {
        Err(not_fetched(&self.name))
    }
}

fn not_fetched(name: &str) -> ToolError {
    ToolError::failed(format!("{name} has not been fetched yet."), "Call calendar.refresh_calendars.")
}
