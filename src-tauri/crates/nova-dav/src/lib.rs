//! Calendars as other programs exchange them: iCalendar (RFC 5545) as text, recurrence, time zones, CalDAV.
//!
//! [`ical`] parses and prints a calendar; a line that nobody changed is printed with the bytes it was read with.
//! [`rule`] generates the starts of a recurrence rule on a clock without a zone, [`zone`] maps them to instants, and
//! [`events`] combines both with exceptions and overrides: which events there are between two instants.
//! [`caldav`] says what to ask a calendar server and reads its answers; whoever uses it sends them.
//!
//! Pure functions over text and time: nothing here reads a file, a clock, a setting or a network, and nothing knows of
//! a model or of the vault.
//! Time zones come from the zone database, never from an offset, unless a calendar defines a zone of its own.
//!
//! # Invariants
//!
//! - Parsing and printing returns the same bytes; an edit changes the lines of the edited property alone:
//!   `tests/ical.rs`.
//! - Instances equal those of an independent library on 2,000 generated events, to the second:
//!   `tests/oracle.rs`, whose expected values `.ci/oracles/recurrence.py` wrote. That names, with its section, each
//!   case in which the library decides otherwise than RFC 5545.
//! - Parsing and expansion are bounded in bytes, depth, components, steps and instances: `tests/ical.rs`,
//!   `tests/events.rs`.
//! - An event that cannot be read is reported with its reason and hides no other: `tests/events.rs`.
//! - An answer of a calendar server is bounded in bytes, depth and elements, and never makes a request leave the host
//!   that was named: `tests/caldav.rs`.
//! - No crate of Nova and nothing that reaches a disk or a network is below: `.ci/layers`.

pub mod caldav;
pub mod events;
pub mod ical;
pub mod rule;
pub mod zone;
