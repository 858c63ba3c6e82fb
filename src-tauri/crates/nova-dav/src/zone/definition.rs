use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::{Offset, TimeZone};

use crate::ical::{Component, Moment, Property};

/// Offset changes per definition, about fifteen years' worth. Programs that know the TZID ignore the
/// definition.
const CHANGES: usize = 30;

/// The `VTIMEZONE` of a zone, starting one year before that day; `None` for a zone without a name.
pub fn definition(zone: &TimeZone, day: Date) -> Option<Component> {
    let name = zone.iana_name()?;
    let begin = Date::new(day.year() - 1, 1, 1).ok()?.to_datetime(jiff::civil::Time::midnight());
    let begin = TimeZone::UTC.to_timestamp(begin).ok()?;
    let mut defined = Component::new("VTIMEZONE");
    defined.add(Property::text("TZID", name));
    let mut before = zone.to_offset(begin);
    defined.push(observance(zone, begin, before)?);
    for change in zone.following(begin).take(CHANGES) {
        defined.push(observance(zone, change.timestamp(), before)?);
        before = change.offset();
    }
    Some(defined)
}

/// The observance from that instant until the next change.
fn observance(zone: &TimeZone, from: Timestamp, before: Offset) -> Option<Component> {
    let info = zone.to_offset_info(from);
    let mut part = Component::new(if info.dst().is_dst() { "DAYLIGHT" } else { "STANDARD" });
    let clock: DateTime = before.to_datetime(from);
    part.add(Moment::Floating(clock).property("DTSTART"));
    part.add(Property::new("TZOFFSETFROM", written(before)));
    part.add(Property::new("TZOFFSETTO", written(info.offset())));
    part.add(Property::text("TZNAME", info.abbreviation()));
    Some(part)
}

/// `+0100`
fn written(offset: Offset) -> String {
    let seconds = offset.seconds();
    let (sign, seconds) = if seconds < 0 { ('-', -seconds) } else { ('+', seconds) };
    format!("{sign}{:02}{:02}", seconds / 3600, seconds % 3600 / 60)
}
