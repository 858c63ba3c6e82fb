//! Reads and changes the properties of an event.

use nova_dav::ical::{Calendar, Component, Length, Moment, Property};
use nova_dav::zone::{Zone, Zones};
use nova_skill::jiff::civil::DateTime;
use nova_skill::jiff::tz::TimeZone;
use nova_skill::jiff::{SignedDuration, Timestamp, ToSpan};
use nova_skill::{ToolError, Value, json};

use crate::written::{Given, Stretch};

/// The times of an event, on the user's clock.
pub(crate) struct Times {
    pub(crate) start: DateTime,
    pub(crate) whole_days: bool,
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
        return Ok(Times { start: day, whole_days: true, length });
    }
    let begin = instant(&start, zones, home)?;
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
    Ok(Times { start: home.to_datetime(begin), whole_days: false, length })
}

/// Moves its start, its end or both.
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
    let times = times(event, zones, home)?;
    let stretch = Stretch::moved(times.start, times.whole_days, times.length, start, end)?;
    set_times(event, stretch, zones, home, &Moment::Utc(times.start))
}

/// Sets new times in the event's zone, or in this one if it has none yet.
///
/// # Errors
/// For an unknown zone.
pub(crate) fn set_times(
    event: &mut Component,
    stretch: Stretch,
    zones: &mut Zones,
    home: &TimeZone,
    otherwise: &Moment,
) -> Result<(), ToolError> {
    let (start, end) = match stretch {
        Stretch::Days(first, last) => (Moment::Date(first), Moment::Date(last.saturating_add(1.day()))),
        Stretch::Times(start, end) => {
            let end = end.unwrap_or_else(|| start.saturating_add(SignedDuration::from_hours(1)));
            let form = moment(event, "DTSTART")?.filter(|start| !start.is_date());
            let form = form.as_ref().unwrap_or(otherwise);
            (placed(form, start, zones, home)?, placed(form, end, zones, home)?)
        }
    };
    event.remove("DURATION");
    event.set(start.property("DTSTART"));
    event.set(end.property("DTEND"));
    Ok(())
}

/// A clock time of the user as a moment of that form.
fn placed(form: &Moment, clock: DateTime, zones: &mut Zones, home: &TimeZone) -> Result<Moment, ToolError> {
    match form {
        Moment::Floating(_) => Ok(Moment::Floating(clock)),
        _ => placed_at(form, Zone::Known(home.clone()).instant(clock), zones, home),
    }
}

/// An instant as a moment of that form.
///
/// # Errors
/// For an unknown zone.
pub(crate) fn placed_at(
    form: &Moment,
    instant: Timestamp,
    zones: &mut Zones,
    home: &TimeZone,
) -> Result<Moment, ToolError> {
    Ok(match form {
        Moment::Floating(_) => Moment::Floating(home.to_datetime(instant)),
        Moment::Zoned(_, name) => {
            let zone = zones.get(name).map_err(|error| unreadable(&error.to_string()))?;
            Moment::Zoned(zone.clock(instant), name.clone())
        }
        Moment::Utc(_) | Moment::Date(_) => Moment::from_instant(instant),
    })
}

pub(crate) fn instant(moment: &Moment, zones: &mut Zones, home: &TimeZone) -> Result<Timestamp, ToolError> {
    let zone = match moment {
        Moment::Utc(_) => Zone::Known(TimeZone::UTC),
        Moment::Zoned(_, name) => zones.get(name).map_err(|error| unreadable(&error.to_string()))?,
        Moment::Date(_) | Moment::Floating(_) => Zone::Known(home.clone()),
    };
    Ok(zone.instant(moment.clock()))
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
