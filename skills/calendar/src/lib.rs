//! The events of the user: notes with `type: event`, calendar files of the vault, and calendars at an address.
//!
//! Every calendar becomes one of `nova-dav`, which expands recurrence; this crate maps notes to it and back.
//! It writes notes and, by tools of another effect, events of CalDAV servers; never a calendar file. Whoever a server tells
//! of a change is named in the call. What was fetched is kept, and listed without a network.
//!
//! # Invariants
//!
//! - A calendar or an event that cannot be read is reported with its reason and hides no other:
//!   `tests/calendar/listing.rs`.
//! - A fetch that fails leaves what was fetched before: `tests/calendar/fetching.rs`.
//! - An event that somebody changed on its server is not overwritten: `tests/calendar/caldav.rs`.
//! - A password goes to the hosts on the card, whatever a server or a record of DNS names: `tests/calendar/caldav.rs`.
//! - Nobody is told of a change whom the call does not name: `tests/calendar/inviting.rs`.
//! - A change edits the properties it names and no other byte of the note: `tests/calendar/changing.rs`.

use std::sync::Arc;

use nova_skill::{RecordRules, Skill, Tool, native};

mod calendars;
mod create_event;
mod delete_event;
mod document_event;
mod elsewhere;
mod find;
mod free_time;
mod get_event;
mod list_events;
mod note;
mod people;
mod period;
mod properties;
mod refresh_calendars;
mod respond;
mod row;
mod saving;
mod series;
mod sources;
mod update_event;
mod written;

/// The skill `calendar`.
pub fn skill() -> Box<dyn Skill> {
    Box::new(Calendar)
}

struct Calendar;

impl Skill for Calendar {
    fn skill_md(&self) -> &str {
        include_str!("../SKILL.md")
    }

    fn manifest(&self) -> &str {
        include_str!("../manifest.yaml")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            native(list_events::ListEvents),
            native(get_event::GetEvent),
            native(create_event::CreateEvent),
            native(update_event::UpdateEvent),
            native(delete_event::DeleteEvent),
            native(respond::Respond),
            native(document_event::DocumentEvent),
            native(free_time::FreeTime),
            native(calendars::Calendars),
            native(refresh_calendars::RefreshCalendars),
        ]
    }

    fn record_rules(&self) -> Option<Arc<dyn RecordRules>> {
        Some(Arc::new(saving::Rules))
    }
}
