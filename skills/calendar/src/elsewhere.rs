//! Which calls change an event on a CalDAV server: the same tools with another effect, by the calendar that they name.

use nova_skill::figures::folded;
use nova_skill::{ToolError, Value};

use crate::sources;
use crate::sources::caldav::{Account, configured};

/// Whether `calendar` names one of a server.
pub(crate) fn names_calendar(config: &Value, args: &Value) -> bool {
    args["calendar"].as_str().is_some_and(|said| account_of(config, said).is_some())
}

/// Whether `event` is the id of one of a server, `calendar/uid`. Any other name of it is answered with the id.
pub(crate) fn names_event(config: &Value, args: &Value) -> bool {
    args["event"]
        .as_str()
        .is_some_and(|said| !said.trim().ends_with(".md") && account_of(config, said).is_some())
}

/// The account with a calendar of that name, or with an event of that id.
pub(crate) fn account_of(config: &Value, said: &str) -> Option<Account> {
    let said = folded(said.trim());
    let is_meant = |account: &Account| {
        said.strip_prefix(&folded(&account.name)).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    configured(config).filter(is_meant).max_by_key(|account| account.name.len())
}

/// The host that a call contacts; those of all accounts where it is not known yet.
pub(crate) fn hosts(config: &Value, said: &Value) -> Vec<String> {
    match said.as_str().and_then(|said| account_of(config, said)) {
        Some(account) => sources::host(&account.url).into_iter().collect(),
        None => sources::hosts(config),
    }
}

/// Whoever takes part would be told by the server.
pub(crate) fn invites_nobody(has_attendees: bool) -> Result<(), ToolError> {
    if !has_attendees {
        return Ok(());
    }
    Err(ToolError::failed(
        "Nothing was changed: the event has attendees, whom its server would notify.",
        "Change it in the calendar program it came from.",
    ))
}
