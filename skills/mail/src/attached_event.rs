use nova_dav::events::{Agenda, Bounds, Instance, Span};
use nova_dav::ical::{Calendar, Component, Moment};
use nova_mail::visible_line;
use nova_skill::jiff::civil::DateTime;
use nova_skill::jiff::tz::TimeZone;
use nova_skill::jiff::{SignedDuration, Timestamp, Zoned};
use nova_skill::serde_json::Map;
use nova_skill::{ToolContext, Value};

/// The longest text of a field, in characters.
const LINE: usize = 300;
/// The most characters of the description.
const DESCRIPTION: usize = 1_000;

/// The first event of a calendar file, in the terms of `calendar.create_event`, and how many more there are; `None`
/// for a file without one, or whose first is not valid.
///
/// `start` and `end` are in the user's zone, except for a recurring event of another zone: its rule holds there, and
/// `timezone` names it.
pub(crate) fn attached_event(ctx: &dyn ToolContext, file: &str) -> Option<Value> {
    let mut calendar = Calendar::parse(file.as_bytes()).ok()?;
    let method = calendar.calendars().find_map(|calendar| calendar.text("METHOD"));
    let is_whole = |event: &Component| event.property("RECURRENCE-ID").is_none();
    let all = || calendar.components("VEVENT");
    let uid = all().find(|event| is_whole(event)).or(all().next())?.text("UID");
    let is_other = |event: &Component| event.text("UID") != uid;
    let others = all().filter(|event| is_whole(event) && is_other(event)).count();
    for object in calendar.calendars_mut() {
        object.remove_components(|part| part.is("VEVENT") && is_other(part));
    }
    let agenda = Agenda::new(calendar);
    let events: Vec<&Component> = agenda.calendar().components("VEVENT").collect();
    let event = *events.iter().find(|event| is_whole(event)).or(events.first())?;
    let home = ctx.clock().zone();
    let first = first_instance(&agenda, event, &home)?;

    let mut fields = Map::new();
    let mut insert = |key: &str, text: Option<String>| {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            fields.insert(key.into(), text.into());
        }
    };
    let line = |name: &str| event.text(name).map(|text| visible_line(&text, LINE));
    insert("title", line("SUMMARY"));
    let rule = event.property("RRULE").map(|rule| visible_line(rule.value(), LINE));
    let (start, end, zone) = times(&first.span, &home, rule.is_some());
    insert("start", Some(start));
    insert("end", Some(end));
    insert("timezone", zone);
    insert("location", line("LOCATION"));
    insert("rrule", rule);
    insert("description", event.text("DESCRIPTION").map(|text| visible_line(&text, DESCRIPTION)));
    let organizer = event.property("ORGANIZER").map(|person| visible_line(person.value(), LINE));
    insert("organizer", organizer.map(|address| without_scheme(&address).to_owned()));
    insert("uid", line("UID"));
    // RFC 5546: REQUEST is an invitation, CANCEL withdraws it, REPLY answers one.
    insert("method", method.map(|method| visible_line(&method, LINE).to_lowercase()));
    let is_cancelled = event.text("STATUS").is_some_and(|status| status.eq_ignore_ascii_case("CANCELLED"));
    for (key, holds) in [("cancelled", is_cancelled), ("exceptions", has_exceptions(event, &events))] {
        if holds {
            fields.insert(key.into(), true.into());
        }
    }
    if others > 0 {
        fields.insert("more_events".into(), others.into());
    }
    Some(fields.into())
}

/// The first instance that the event itself describes.
fn first_instance<'a>(agenda: &'a Agenda, event: &'a Component, home: &TimeZone) -> Option<Instance<'a>> {
    // No zone differs from UTC by more than a day.
    let margin = SignedDuration::from_hours(48);
    let start = Moment::of(event.property("DTSTART")?).ok()?.clock();
    let at = |clock: DateTime| TimeZone::UTC.to_timestamp(clock).ok();
    let (from, to): (Timestamp, Timestamp) =
        (at(start.saturating_sub(margin))?, at(start.saturating_add(margin))?);
    let listing = agenda.between(from, to, home, Bounds::default());
    listing.instances.into_iter().find(|instance| std::ptr::eq(instance.event, event))
}

/// Start, end and zone.
fn times(span: &Span, home: &TimeZone, recurs: bool) -> (String, String, Option<String>) {
    let (start, end) = match span {
        Span::Days { first, after } => {
            let last = after.yesterday().unwrap_or(*first);
            return (first.to_string(), last.to_string(), None);
        }
        Span::Times { start, end } => (start, end),
    };
    let own = start.time_zone();
    let named = own.iana_name().filter(|name| recurs && *name != "UTC" && home.iana_name() != Some(name));
    let zone = if named.is_some() { own } else { home };
    let minute = |at: &Zoned| at.with_time_zone(zone.clone()).strftime("%Y-%m-%dT%H:%M").to_string();
    (minute(start), minute(end), named.map(str::to_owned))
}

/// Whether single instances differ from the rule, or there are more of them.
fn has_exceptions(event: &Component, all: &[&Component]) -> bool {
    let is_instance = |event: &Component| event.property("RECURRENCE-ID").is_some();
    ["EXDATE", "RDATE"].into_iter().any(|name| event.property(name).is_some())
        || !is_instance(event) && all.iter().any(|other| is_instance(other))
}

fn without_scheme(address: &str) -> &str {
    let scheme = address.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("mailto:"));
    scheme.map_or(address, |scheme| address[scheme.len()..].trim())
}
