//! Time zones of a calendar: from the time zone database, or as defined by the calendar.

mod definition;
mod observed;
mod windows;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use crate::ical::{Calendar, Component};
pub use definition::definition;
use observed::Observed;

/// A zone, which maps clock times to instants.
#[derive(Debug, Clone)]
pub enum Zone {
    /// From the time zone database.
    Known(TimeZone),
    /// Defined by a `VTIMEZONE` with an unknown name.
    Own(std::sync::Arc<Observed>),
}

/// The name is not in the time zone database, and the calendar does not define it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown time zone \"{0}\"")]
pub struct UnknownZone(pub String);

/// Step budget for all definitions of a file, enough for some sixty zones that begin in 1601.
const STEPS: u64 = 2_000_000;

/// The zones of a calendar by TZID.
#[derive(Debug, Default)]
pub struct Zones {
    found: HashMap<String, Option<Zone>>,
}

impl Zones {
    /// Reads all `VTIMEZONE`s of a file.
    pub fn of(calendar: &Calendar) -> Self {
        Definitions::default().zones(calendar.components("VTIMEZONE"))
    }

    pub fn get(&mut self, name: &str) -> Result<Zone, UnknownZone> {
        if let Some(zone) = self.found.get(name) {
            return zone.clone().ok_or_else(|| UnknownZone(name.to_owned()));
        }
        let zone = zone_of(name, None);
        self.found.insert(name.to_owned(), zone.clone());
        zone.ok_or_else(|| UnknownZone(name.to_owned()))
    }
}

/// The definitions of several calendars, each expanded once: each event of a server includes that of its zone.
#[derive(Debug)]
pub(crate) struct Definitions<'a> {
    expanded: HashMap<&'a Component, Option<Zone>>,
    steps: u64,
}

impl Default for Definitions<'_> {
    fn default() -> Self {
        Self { expanded: HashMap::new(), steps: STEPS }
    }
}

impl<'a> Definitions<'a> {
    /// The zones that these `VTIMEZONE`s define; of two with the same TZID the first.
    pub(crate) fn zones(&mut self, definitions: impl Iterator<Item = &'a Component>) -> Zones {
        let mut found = HashMap::new();
        for definition in definitions {
            let Some(name) = definition.text("TZID") else { continue };
            if let Entry::Vacant(vacant) = found.entry(name) {
                let steps = &mut self.steps;
                let expanded = self.expanded.entry(definition);
                let zone =
                    expanded.or_insert_with(|| zone_of(vacant.key(), Some((definition, steps)))).clone();
                vacant.insert(zone);
            }
        }
        Zones { found }
    }
}

impl Zone {
    /// A time in a DST gap uses the offset before the gap, and an ambiguous one is the first (RFC 5545,
    /// 3.3.5).
    pub fn instant(&self, clock: DateTime) -> Timestamp {
        match self {
            Self::Known(zone) => {
                zone.to_ambiguous_timestamp(clock).compatible().unwrap_or(end_of_time(clock))
            }
            Self::Own(observed) => {
                observed.offset_of_clock(clock).to_timestamp(clock).unwrap_or(end_of_time(clock))
            }
        }
    }

    pub fn clock(&self, instant: Timestamp) -> DateTime {
        self.zone_at(instant).to_datetime(instant)
    }

    /// The zone to display that instant with.
    pub fn zone_at(&self, instant: Timestamp) -> TimeZone {
        match self {
            Self::Known(zone) => zone.clone(),
            Self::Own(observed) => TimeZone::fixed(observed.offset_at(instant)),
        }
    }
}

/// Saturates: instants have a smaller range than clock times.
fn end_of_time(clock: DateTime) -> Timestamp {
    if clock.year() > 0 { Timestamp::MAX } else { Timestamp::MIN }
}

/// Resolves by name, by the alternative name in the definition, or by its rules.
fn zone_of(name: &str, definition: Option<(&Component, &mut u64)>) -> Option<Zone> {
    let location = definition.as_ref().and_then(|(definition, _)| {
        definition.text("X-LIC-LOCATION").or_else(|| definition.text("TZID-ALIAS-OF"))
    });
    known(name).or_else(|| location.and_then(|location| known(&location))).map(Zone::Known).or_else(|| {
        let (definition, steps) = definition?;
        Observed::of(definition, steps).map(|observed| Zone::Own(observed.into()))
    })
}

/// Matches a name of the time zone database, a Windows name, or a name that ends in one of the database, such
/// as `/freeassociation.sourceforge.net/Europe/Berlin`.
fn known(name: &str) -> Option<TimeZone> {
    let name = name.trim();
    if let Some(offset) = fixed(name) {
        return Some(TimeZone::fixed(offset));
    }
    if let Ok(zone) = TimeZone::get(name) {
        return Some(zone);
    }
    if let Ok(at) = windows::WINDOWS
        .binary_search_by(|(windows, _)| windows.to_lowercase().as_str().cmp(name.to_lowercase().as_str()))
    {
        return TimeZone::get(windows::WINDOWS[at].1).ok();
    }
    let mut rest = name;
    while let Some((_, behind)) = rest.split_once('/') {
        if behind.contains('/')
            && let Ok(zone) = TimeZone::get(behind)
        {
            return Some(zone);
        }
        rest = behind;
    }
    None
}

/// `UTC+2`, `GMT+0200`, `UTC-05:30`.
fn fixed(name: &str) -> Option<Offset> {
    let upper = name.to_ascii_uppercase();
    let rest = upper.strip_prefix("UTC").or_else(|| upper.strip_prefix("GMT"))?;
    let (sign, digits) = match rest.split_at_checked(1)? {
        ("+", digits) => (1, digits.replace(':', "")),
        ("-", digits) => (-1, digits.replace(':', "")),
        _ => return None,
    };
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes): (i32, i32) = match digits.len() {
        1 | 2 => (digits.parse().ok()?, 0),
        4 => (digits[..2].parse().ok()?, digits[2..].parse().ok()?),
        _ => return None,
    };
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}
