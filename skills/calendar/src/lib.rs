//! The user's events: notes with `type: event`, calendar files of the vault, and calendars at an address.
//!
//! Every calendar becomes one of `nova-dav`, which expands recurrence; this crate maps notes to it and back. It
//! writes notes and, by tools with another effect, events of CalDAV servers; never a calendar file. Everyone whom a
//! server notifies of a change is named in the call. Fetched calendars are stored, and listed without a network.
//!
//! # Invariants
//!
//! - A calendar or an event that cannot be read is reported with its reason and hides no other:
//!   `tests/calendar/listing.rs`.
//! - A failed fetch keeps what was fetched before: `tests/calendar/fetching.rs`.
//! - An event that changed on its server is not overwritten: `tests/calendar/caldav.rs`.
//! - A password goes only to the hosts on the card, whatever a server or a DNS record names:
//!   `tests/calendar/caldav.rs`.
//! - Nobody is notified of a change unless the call names them: `tests/calendar/inviting.rs`.
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
mod instance;
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
