//! Reads and changes the properties of an event.

use nova_dav::ical::{Calendar, Component, Length, Moment, Property};
use nova_dav::zone::{Zone, Zones};
use nova_skill::jiff::civil::DateTime;
use nova_skill::jiff::tz::TimeZone;
use nova_skill::jiff::{SignedDuration, Timestamp, ToSpan};
use nova_skill::{ToolError, Value, json};

use crate::period::invalid;
use crate::written::{Given, Stretch};

/// When an event is.
pub(crate) struct Times {
    /// On the clock of the user.
    pub(crate) start: DateTime,
    pub(crate) whole_days: bool,
    begin: Timestamp,
    /// Between the two instants; a whole day has 24 hours.
    pub(crate) length: SignedDuration,
}

pub(crate) fn recurs(calendar: &Calendar) -> bool {
    let is_part = |name: &&str| calendar.components("VEVENT").any(|event| event.property(name).is_some());
    ["RRULE", "RDATE", "RECURRENCE-ID"].iter().any(is_part)
}

/// # Errors
/// If the event has no valid times.
pub(crate) fn times(event: &Component, zones: &mut Zones, home: &TimeZone) -> Result<Times, ToolError> {
    let start = start(event)?;
    let begin = instant(&start, zones, home)?;
    let length = event.property("DURATION").map(|length| Length::parse(length.value())).transpose();
    let length = length.map_err(|error| unreadable(&error.to_string()))?;
    if start.is_date() {
        let day = start.clock();
        let after = match (moment(event, "DTEND")?, length) {
            (Some(end), _) => end.clock(),
            (None, Some(length)) => day.saturating_add(length.days.days()),
            (None, None) => day,
        };
        let length = after.duration_since(day).max(SignedDuration::from_hours(24));
        return Ok(Times { start: day, whole_days: true, begin, length });
    }
    let end = match (moment(event, "DTEND")?, length) {
        (Some(end), _) => instant(&end, zones, home)?,
        (None, Some(length)) => {
            let clock = start.clock().saturating_add(length.days.days());
            let day = instant(&start.at(clock), zones, home)?;
            day.saturating_add(SignedDuration::from_secs(length.seconds)).unwrap_or(day)
        }
        (None, None) => begin,
    };
    let length = end.duration_since(begin).max(SignedDuration::ZERO);
    Ok(Times { start: home.to_datetime(begin), whole_days: false, begin, length })
}

/// Moves its start, its end or both. A start that is not given stays, and so does the length without an end.
///
/// # Errors
/// As [`Stretch::moved`], and for an event whose times cannot be read.
pub(crate) fn move_to(
    event: &mut Component,
    zones: &mut Zones,
    home: &TimeZone,
    start: Option<Given>,
    end: Option<Given>,
) -> Result<(), ToolError> {
    let before = times(event, zones, home)?;
    let stretch = Stretch::moved(before.start, before.whole_days, before.length, start, end)?;
    let otherwise = Moment::Utc(before.start);
    let Stretch::Times(from, to) = stretch else {
        return set_times(event, stretch, zones, home, &otherwise);
    };
    let is_timed = !before.whole_days;
    let begin = if is_timed && start.is_none() { before.begin } else { at_home(from, home) };
    let end = match to {
        // Its DURATION stays, too.
        _ if is_timed && end.is_none() && event.property("DURATION").is_some() => None,
        _ if is_timed && end.is_none() => Some(begin.saturating_add(before.length).unwrap_or(begin)),
        to => Some(end_after(begin, to, home)?),
    };
    set_span(event, begin, end, zones, home, &otherwise)
}

/// Sets new times in the event's zone, or in this one if it has none yet.
///
/// # Errors
/// For an unknown time zone, and for an end before the start.
pub(crate) fn set_times(
    event: &mut Component,
    stretch: Stretch,
    zones: &mut Zones,
    home: &TimeZone,
    otherwise: &Moment,
) -> Result<(), ToolError> {
    match stretch {
        Stretch::Days(first, last) => {
            event.remove("DURATION");
            event.set(Moment::Date(first).property("DTSTART"));
            event.set(Moment::Date(last.saturating_add(1.day())).property("DTEND"));
            Ok(())
        }
        Stretch::Times(start, end) => {
            let begin = at_home(start, home);
            let end = end_after(begin, end, home)?;
            set_span(event, begin, Some(end), zones, home, otherwise)
        }
    }
}

/// `end`: `None` if the event keeps its DURATION.
fn set_span(
    event: &mut Component,
    begin: Timestamp,
    end: Option<Timestamp>,
    zones: &mut Zones,
    home: &TimeZone,
    otherwise: &Moment,
) -> Result<(), ToolError> {
    let own = moment(event, "DTSTART")?.filter(|start| !start.is_date());
    let form = own.as_ref().unwrap_or(otherwise);
    if own.is_none() || instant(form, zones, home)? != begin {
        event.set(placed_at(form, begin, zones, home)?.property("DTSTART"));
    }
    if let Some(end) = end {
        event.remove("DURATION");
        event.set(placed_at(form, end, zones, home)?.property("DTEND"));
    }
    Ok(())
}

fn at_home(clock: DateTime, home: &TimeZone) -> Timestamp {
    Zone::Known(home.clone()).instant(clock)
}

/// The end on the clock of the user, an hour after the start where none is given. Of an hour that occurs twice it is the
/// first one after the start.
fn end_after(begin: Timestamp, end: Option<DateTime>, home: &TimeZone) -> Result<Timestamp, ToolError> {
    let Some(clock) = end else {
        return Ok(begin.saturating_add(SignedDuration::from_hours(1)).unwrap_or(begin));
    };
    let later = || home.to_ambiguous_timestamp(clock).later().ok();
    [Some(at_home(clock, home)), later()]
        .into_iter()
        .flatten()
        .find(|end| *end >= begin)
        .ok_or_else(|| invalid("/end", "is before the start"))
}

/// An instant as a moment of that form; in UTC where the clock of its zone shows another instant by it, in an hour that
/// occurs twice.
///
/// # Errors
/// For an unknown zone.
pub(crate) fn placed_at(
    form: &Moment,
    at: Timestamp,
    zones: &mut Zones,
    home: &TimeZone,
) -> Result<Moment, ToolError> {
    let placed = match form {
        Moment::Utc(_) | Moment::Date(_) => return Ok(Moment::from_instant(at)),
        form => form.at(clock_of(form, at, zones, home)?),
    };
    let is_exact = matches!(form, Moment::Floating(_)) || instant(&placed, zones, home)? == at;
    Ok(if is_exact { placed } else { Moment::from_instant(at) })
}

/// The clock of a moment's zone at an instant.
///
/// # Errors
/// For an unknown time zone.
pub(crate) fn clock_of(
    moment: &Moment,
    at: Timestamp,
    zones: &mut Zones,
    home: &TimeZone,
) -> Result<DateTime, ToolError> {
    Ok(zone_of(moment, zones, home)?.clock(at))
}

fn zone_of(moment: &Moment, zones: &mut Zones, home: &TimeZone) -> Result<Zone, ToolError> {
    Ok(match moment {
        Moment::Utc(_) => Zone::Known(TimeZone::UTC),
        Moment::Zoned(_, name) => zones.get(name).map_err(|error| unreadable(&error.to_string()))?,
        Moment::Date(_) | Moment::Floating(_) => Zone::Known(home.clone()),
    })
}

pub(crate) fn instant(moment: &Moment, zones: &mut Zones, home: &TimeZone) -> Result<Timestamp, ToolError> {
    Ok(zone_of(moment, zones, home)?.instant(moment.clock()))
}

/// # Errors
/// If it is missing or unreadable.
pub(crate) fn start(event: &Component) -> Result<Moment, ToolError> {
    moment(event, "DTSTART")?.ok_or_else(|| unreadable("it has no start"))
}

pub(crate) fn moment(event: &Component, name: &str) -> Result<Option<Moment>, ToolError> {
    let moment = event.property(name).map(Moment::of).transpose();
    moment.map_err(|error| unreadable(&format!("{name}: {error}")))
}

pub(crate) fn unreadable(why: &str) -> ToolError {
    ToolError::failed(
        format!("The event cannot be changed: {why}."),
        "Change it in the calendar program it came from.",
    )
}

/// Marks the event as changed now (RFC 5545, 3.8.7).
pub(crate) fn stamp(event: &mut Component, now: Timestamp) {
    let now = Moment::from_instant(now);
    let sequence: i64 = event
        .property("SEQUENCE")
        .and_then(|sequence| sequence.value().trim().parse().ok())
        .unwrap_or_default();
    event.set(Property::new("SEQUENCE", sequence.saturating_add(1).to_string()));
    event.set(now.property("DTSTAMP"));
    event.set(now.property("LAST-MODIFIED"));
}

/// An event in one line, for a conflict: `Retro (2026-11-24 16:00, Room 1)`.
pub(crate) fn summary(calendar: &Calendar, home: &TimeZone) -> String {
    let Some(event) = calendar.components("VEVENT").next() else { return "no event".into() };
    summary_of(event, &mut Zones::of(calendar), home)
}

pub(crate) fn summary_of(event: &Component, zones: &mut Zones, home: &TimeZone) -> String {
    let when = times(event, zones, home).map_or_else(
        |_| "at an unknown time".to_owned(),
        |times| times.start.strftime(if times.whole_days { "%F" } else { "%F %H:%M" }).to_string(),
    );
    let place = event.text("LOCATION").map(|place| format!(", {place}")).unwrap_or_default();
    let text = format!("{} ({when}{place})", event.text("SUMMARY").unwrap_or_else(|| "(no title)".into()));
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(200).collect()
}

/// Start and end as an answer shows them.
pub(crate) fn shown(stretch: Stretch) -> Value {
    let text = |at: DateTime| at.strftime("%FT%H:%M").to_string();
    match stretch {
        Stretch::Days(first, last) => json!({"start": first.to_string(), "end": last.to_string()}),
        Stretch::Times(start, end) => json!({"start": text(start), "end": end.map(text)}),
    }
}

/// Parses a given time.
///
/// # Errors
/// `InvalidArguments`.
pub(crate) fn given(argument: &str, text: Option<&str>) -> Result<Option<Given>, ToolError> {
    text.map(|text| Given::parse(argument, text)).transpose()
}
