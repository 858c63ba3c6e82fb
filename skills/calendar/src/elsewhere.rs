//! Which calls change an event on a CalDAV server: the same tools with another effect, depending on the calendar.

use nova_skill::Value;
use nova_skill::figures::folded;

use crate::sources;
use crate::sources::caldav::{Account, configured};

/// Whether `calendar` names a server's calendar.
pub(crate) fn names_calendar(config: &Value, args: &Value) -> bool {
    args["calendar"].as_str().is_some_and(|said| account_of(config, said).is_some())
}

/// Whether `event` is the id of a server's event, `calendar/uid`. Any other way to name one is answered with the id.
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

/// The hosts that a call may contact; those of all accounts if its calendar is not known yet.
pub(crate) fn hosts(config: &Value, said: &Value) -> Vec<String> {
    match said.as_str().and_then(|said| account_of(config, said)) {
        Some(account) => account.hosts(),
        None => sources::hosts(config),
    }
}

/// Whether the call notifies people, whom it lists under that argument.
pub(crate) fn tells(args: &Value, argument: &str) -> bool {
    args[argument].as_array().is_some_and(|people| !people.is_empty())
}

/// The people that a call notifies, for its question: ` and tell ann@example.org, ben@example.org`.
pub(crate) fn telling(args: &Value, argument: &str, verb: &str) -> String {
    let people: Vec<&str> =
        args[argument].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if people.is_empty() { String::new() } else { format!(" and {verb} {}", people.join(", ")) }
}
