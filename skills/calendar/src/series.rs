//! A recurring event of a server: all of its instances, or one of them.

use std::str::FromStr;

use nova_dav::events::{Agenda, Bounds};
use nova_dav::ical::{Calendar, Component, Moment, Property};
use nova_dav::rule::{Frequency, Rule};
use nova_dav::zone::Zones;
use nova_skill::jiff::civil::Date;
use nova_skill::jiff::tz::TimeZone;
use nova_skill::jiff::{SignedDuration, Timestamp};
use nova_skill::{ToolContext, ToolError};

use crate::period::{Period, date, invalid};
use crate::properties;
use crate::written::{Given, Stretch};

/// The event that describes all instances.
///
/// # Errors
/// If the server has only single instances of it, as of an invitation.
pub(crate) fn master_mut<'a>(calendar: &'a mut Calendar, uid: &str) -> Result<&'a mut Component, ToolError> {
    calendar
        .components_mut("VEVENT")
        .find(|event| event.property("RECURRENCE-ID").is_none() && is_of(event, uid))
        .ok_or_else(|| ToolError::failed("The series of this event is not on the server.", ""))
}

fn is_of(event: &Component, uid: &str) -> bool {
    event.text("UID").as_deref() == Some(uid)
}

/// The instance on a day: its start by the rule of its series.
///
/// # Errors
/// `InvalidArguments` if the event does not take place on that day.
pub(crate) fn instance_on(
    ctx: &dyn ToolContext,
    calendar: &Calendar,
    day: &str,
) -> Result<(Date, Moment), ToolError> {
    let day = date("/date", day)?;
    if !properties::recurs(calendar) {
        return Err(invalid("/date", "the event does not recur; leave the date out"));
    }
    let period = Period::of(ctx, Some(&day.to_string()), None, Some(1), 1)?;
    let agenda = Agenda::new(calendar.clone());
    let listing = agenda.between(period.begin(), period.end(), &period.zone, Bounds::default());
    let instance = listing.instances.iter().find_map(|instance| instance.recurrence.clone());
    let instance =
        instance.ok_or_else(|| invalid("/date", &format!("the event does not take place on {day}")))?;
    Ok((day, instance))
}

/// The override for this instance, created from the series if there is none.
///
/// # Errors
/// If an exception applies to later instances, too, and for unreadable times.
pub(crate) fn instance_mut<'a>(
    calendar: &'a mut Calendar,
    uid: &str,
    instance: &Moment,
    home: &TimeZone,
) -> Result<&'a mut Component, ToolError> {
    check_no_ranges(calendar)?;
    let mut zones = Zones::of(calendar);
    if !calendar
        .components("VEVENT")
        .any(|event| is_of(event, uid) && is_instance(event, instance, &mut zones, home))
    {
        let one = instance_of(master_mut(calendar, uid)?, instance, &mut zones, home)?;
        let mut files = calendar.calendars_mut();
        let file = files.find(|file| file.components().any(|event| event.is("VEVENT") && is_of(event, uid)));
        if let Some(file) = file {
            file.push(one);
        }
    }
    calendar
        .components_mut("VEVENT")
        .find(|event| is_of(event, uid) && is_instance(event, instance, &mut zones, home))
        .ok_or_else(|| ToolError::failed("The series of this event is not on the server.", ""))
}

/// An instance as described by its series.
fn instance_of(
    master: &Component,
    instance: &Moment,
    zones: &mut Zones,
    home: &TimeZone,
) -> Result<Component, ToolError> {
    let times = properties::times(master, zones, home)?;
    let mut one = master.clone();
    ["RRULE", "RDATE", "EXDATE", "EXRULE"].iter().for_each(|name| one.remove(name));
    one.set(instance.property("RECURRENCE-ID"));
    let start = match instance {
        Moment::Date(_) => instance.clock(),
        _ => home.to_datetime(properties::instant(instance, zones, home)?),
    };
    let stretch = Stretch::moved(start, times.whole_days, times.length, None, None)?;
    properties::set_times(&mut one, stretch, zones, home, instance)?;
    Ok(one)
}

fn is_instance(event: &Component, instance: &Moment, zones: &mut Zones, home: &TimeZone) -> bool {
    let Ok(Some(own)) = properties::moment(event, "RECURRENCE-ID") else { return false };
    // It may be identified by its day alone.
    if own.is_date() {
        return own.clock().date() == instance.clock().date();
    }
    if instance.is_date() {
        return false;
    }
    let own = properties::instant(&own, zones, home);
    own.is_ok_and(|own| properties::instant(instance, zones, home).is_ok_and(|other| own == other))
}

pub(crate) fn remove_override(calendar: &mut Calendar, uid: &str, instance: &Moment, home: &TimeZone) {
    let mut zones = Zones::of(calendar);
    for file in calendar.calendars_mut() {
        file.remove_components(|event| is_of(event, uid) && is_instance(event, instance, &mut zones, home));
    }
}

/// Moves all instances by the clock, together with everything that refers to one: exceptions, overrides, added dates,
/// the last one. An override with its own time keeps it.
///
/// # Errors
/// If a day is given, and for a series whose instances do not all follow its start.
pub(crate) fn move_all(
    calendar: &mut Calendar,
    uid: &str,
    home: &TimeZone,
    start: Option<Given>,
    end: Option<Given>,
) -> Result<(), ToolError> {
    let is_dated =
        |given: &Option<Given>| given.as_ref().is_some_and(|given| !matches!(given, Given::Clock(_)));
    if is_dated(&start) || is_dated(&end) {
        return Err(invalid(
            "/start",
            "the event recurs: give the clock alone, such as 15:00, or the date of one instance besides",
        ));
    }
    check_no_ranges(calendar)?;
    let mut zones = Zones::of(calendar);
    let master = master_mut(calendar, uid)?;
    check_follows_start(master)?;
    let before = properties::start(master)?;
    if before.is_date() {
        return Err(elsewhere("the event recurs on whole days, which have no clock time"));
    }
    properties::move_to(master, &mut zones, home, start, end)?;
    let after = properties::start(master)?;
    if before.clock().date() != after.clock().date() {
        return Err(elsewhere(&format!(
            "in its time zone{} all its instances would move to another day",
            before.zone_name().map(|zone| format!(" {zone}")).unwrap_or_default()
        )));
    }
    let by = after.clock().duration_since(before.clock());
    if by.is_zero() {
        return Ok(());
    }
    let mut shift = Shift { zones, home, like: before, by };
    for name in ["EXDATE", "RDATE"] {
        for property in master.properties_mut(name) {
            shift.list(property)?;
        }
    }
    for rule in master.properties_mut("RRULE") {
        shift.end_of(rule)?;
    }
    for other in calendar.components_mut("VEVENT").filter(|event| event.property("RECURRENCE-ID").is_some()) {
        shift.of_override(other)?;
    }
    Ok(())
}

fn check_no_ranges(calendar: &Calendar) -> Result<(), ToolError> {
    let has_range =
        |event: &Component| event.property("RECURRENCE-ID").is_some_and(|of| of.param("RANGE").is_some());
    if calendar.components("VEVENT").any(has_range) {
        return Err(elsewhere("one of its exceptions holds for all later instances, too"));
    }
    Ok(())
}

/// Checks that instances begin at the clock time of the start.
fn check_follows_start(master: &Component) -> Result<(), ToolError> {
    if master.property("EXRULE").is_some()
        || master.properties("RDATE").any(|dates| dates.value().contains('/'))
    {
        return Err(elsewhere("it has exceptions by a rule, or dates with a length of their own"));
    }
    for rule in master.properties("RRULE") {
        let rule =
            Rule::from_str(rule.value()).map_err(|error| properties::unreadable(&error.to_string()))?;
        let own_times = !(rule.by_hour.is_empty() && rule.by_minute.is_empty() && rule.by_second.is_empty());
        if own_times || rule.frequency > Frequency::Daily {
            return Err(elsewhere("its rule says at which times of a day it takes place"));
        }
    }
    Ok(())
}

fn elsewhere(why: &str) -> ToolError {
    ToolError::failed(
        format!("Nothing was changed: {why}."),
        "Change it in the calendar program it came from.",
    )
}

/// Moves moments together with the series.
struct Shift<'a> {
    zones: Zones,
    home: &'a TimeZone,
    /// The first start of the series, which has its zone.
    like: Moment,
    by: SignedDuration,
}

impl Shift<'_> {
    fn moment(&mut self, moment: &Moment) -> Result<Moment, ToolError> {
        if moment.is_date() {
            return Ok(moment.clone());
        }
        if matches!(moment, Moment::Floating(_)) || moment.zone_name() == self.like.zone_name() {
            return Ok(moment.at(moment.clock().saturating_add(self.by)));
        }
        let instant = properties::instant(moment, &mut self.zones, self.home)?;
        let clock = properties::placed_at(&self.like, instant, &mut self.zones, self.home)?.clock();
        let moved = self.like.at(clock.saturating_add(self.by));
        let moved = properties::instant(&moved, &mut self.zones, self.home)?;
        properties::placed_at(moment, moved, &mut self.zones, self.home)
    }

    /// The moments of an `EXDATE` or `RDATE`.
    fn list(&mut self, property: &mut Property) -> Result<(), ToolError> {
        let mut moved = Vec::new();
        for item in property.value().split(',').filter(|item| !item.trim().is_empty()) {
            let moment = Moment::parse(item, property.param("TZID"))
                .map_err(|error| properties::unreadable(&format!("{}: {error}", property.name())))?;
            moved.push((moment.is_date(), self.moment(&moment)?.to_string()));
        }
        if !moved.iter().all(|(is_date, _)| *is_date) {
            property.set_value(moved.into_iter().map(|(_, moment)| moment).collect::<Vec<_>>().join(","));
        }
        Ok(())
    }

    /// The `UNTIL` of a rule.
    fn end_of(&mut self, rule: &mut Property) -> Result<(), ToolError> {
        let is_until =
            |part: &&str| part.trim().get(..6).is_some_and(|name| name.eq_ignore_ascii_case("UNTIL="));
        let Some(until) = rule.value().split(';').find(is_until) else { return Ok(()) };
        let moment = Moment::parse(&until.trim()[6..], None)
            .map_err(|error| properties::unreadable(&format!("RRULE: {error}")))?;
        let moved = self.moment(&moment)?;
        if moved != moment {
            rule.set_value(rule.value().replacen(until, &format!("UNTIL={moved}"), 1));
        }
        Ok(())
    }

    /// The instance that an override replaces, and its times if they are those of the series.
    fn of_override(&mut self, event: &mut Component) -> Result<(), ToolError> {
        let Some(of) = properties::moment(event, "RECURRENCE-ID")? else { return Ok(()) };
        let start = properties::moment(event, "DTSTART")?;
        let follows = match &start {
            Some(start) if !start.is_date() && !of.is_date() => {
                properties::instant(start, &mut self.zones, self.home)?
                    == properties::instant(&of, &mut self.zones, self.home)?
            }
            _ => false,
        };
        event.set(self.moment(&of)?.property("RECURRENCE-ID"));
        if follows {
            for name in ["DTSTART", "DTEND"] {
                if let Some(moment) = properties::moment(event, name)? {
                    event.set(self.moment(&moment)?.property(name));
                }
            }
        }
        Ok(())
    }
}

/// Marks every event that differs from before as changed now.
pub(crate) fn stamp_changed(calendar: &mut Calendar, before: &Calendar, now: Timestamp) {
    for event in calendar.components_mut("VEVENT") {
        if !before.components("VEVENT").any(|other| other == event) {
            properties::stamp(event, now);
        }
    }
}

/// An instance in one version of a series, for a conflict.
pub(crate) fn version(calendar: &Calendar, uid: &str, instance: &Moment, home: &TimeZone) -> String {
    let mut zones = Zones::of(calendar);
    let has_own = calendar
        .components("VEVENT")
        .any(|event| is_of(event, uid) && is_instance(event, instance, &mut zones, home));
    let takes_place = has_own || {
        let day = SignedDuration::from_hours(24);
        let around = properties::instant(instance, &mut zones, home).and_then(|at| {
            let around = at.checked_sub(day).and_then(|from| Ok((from, at.checked_add(day)?)));
            around.map_err(|error| properties::unreadable(&error.to_string()))
        });
        around.is_ok_and(|(from, to)| {
            let agenda = Agenda::new(calendar.clone());
            let listing = agenda.between(from, to, home, Bounds::default());
            listing.instances.iter().any(|one| one.uid == uid && one.recurrence.as_ref() == Some(instance))
        })
    };
    if takes_place { summary(calendar, uid, instance, home) } else { "does not take place".into() }
}

/// An instance in one line: `Retro (2026-11-24 16:00, Room 1)`.
pub(crate) fn summary(calendar: &Calendar, uid: &str, instance: &Moment, home: &TimeZone) -> String {
    let mut zones = Zones::of(calendar);
    let mut all = calendar.clone();
    match instance_mut(&mut all, uid, instance, home) {
        Ok(event) => properties::summary_of(event, &mut zones, home),
        Err(_) => properties::summary(calendar, home),
    }
}
