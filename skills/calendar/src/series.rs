//! A recurring event of a server: all of its instances, or one of them.

use std::str::FromStr;

use nova_dav::events::{Agenda, Bounds, Instance};
use nova_dav::ical::{Calendar, Component, Moment, Property};
use nova_dav::rule::{Frequency, Rule};
use nova_dav::zone::Zones;
use nova_skill::jiff::tz::TimeZone;
use nova_skill::jiff::{SignedDuration, Timestamp};
use nova_skill::{ToolContext, ToolError};

use crate::instance::Named;
use crate::period::{Period, invalid};
use crate::properties;
use crate::sources::caldav::Held;
use crate::written::Given;

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

/// The instance that a call names: when it starts by the rule of its series.
///
/// # Errors
/// `InvalidArguments` if no instance starts then, or several do.
pub(crate) fn instance_named(ctx: &dyn ToolContext, held: &Held, named: Named) -> Result<Moment, ToolError> {
    if !properties::recurs(&held.calendar) {
        return Err(invalid("/date", "the event does not recur; leave the date out"));
    }
    let period = Period::of(ctx, Some(&named.day().to_string()), None, Some(1), 1)?;
    let agenda = Agenda::new(held.calendar.clone());
    let listing = agenda.between(period.begin(), period.end(), &period.zone, Bounds::default());
    let own = listing.instances.iter().filter(|one| one.uid == held.uid && one.recurrence.is_some());
    let instance = named.find(own, &period.zone)?;
    instance.recurrence.clone().ok_or_else(|| invalid("/date", "the event does not recur"))
}

/// The next instance at the times of its series.
pub(crate) fn next_instance(ctx: &dyn ToolContext, held: &Held) -> Option<Moment> {
    let now = ctx.clock().now();
    let year = SignedDuration::from_hours(24 * 366);
    let agenda = Agenda::new(held.calendar.clone());
    let until = now.saturating_add(year).unwrap_or(now);
    let listing = agenda.between(now, until, &ctx.clock().zone(), Bounds::default());
    let is_own = |one: &&Instance| one.uid == held.uid && one.event.property("RECURRENCE-ID").is_none();
    listing.instances.iter().find(is_own)?.recurrence.clone()
}

/// That an instance found in one version of the event is one of this version, too.
///
/// # Errors
/// Where it is not.
pub(crate) fn check_takes_place(held: &Held, instance: &Moment, home: &TimeZone) -> Result<(), ToolError> {
    if takes_place(&held.calendar, &held.uid, instance, home) {
        return Ok(());
    }
    Err(ToolError::failed(
        "Nothing was written: on the server this instance no longer takes place.",
        "Look at the event with calendar.get_event.",
    ))
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
    let mut one = master.clone();
    ["RRULE", "RDATE", "EXDATE", "EXRULE"].iter().for_each(|name| one.remove(name));
    one.set(instance.property("RECURRENCE-ID"));
    let first = properties::start(master)?;
    if let Some(end) = properties::moment(master, "DTEND")? {
        one.set(with_start(&first, &end, instance, zones, home)?.property("DTEND"));
    }
    one.set(instance.property("DTSTART"));
    Ok(one)
}

/// The end after the start moved. With zones all instances last equally long, otherwise equally long by the clock
/// (RFC 5545, 3.8.5.3).
fn with_start(
    before: &Moment,
    end: &Moment,
    start: &Moment,
    zones: &mut Zones,
    home: &TimeZone,
) -> Result<Moment, ToolError> {
    if before.zone_name().is_none() || end.zone_name().is_none() {
        return Ok(end.at(start.clock().saturating_add(end.clock().duration_since(before.clock()))));
    }
    let length =
        properties::instant(end, zones, home)?.duration_since(properties::instant(before, zones, home)?);
    let start = properties::instant(start, zones, home)?;
    properties::placed_at(end, start.saturating_add(length).unwrap_or(start), zones, home)
}

fn is_instance(event: &Component, instance: &Moment, zones: &mut Zones, home: &TimeZone) -> bool {
    let Ok(Some(own)) = properties::moment(event, "RECURRENCE-ID") else { return false };
    is_same(&own, instance, zones, home)
}

fn is_same(own: &Moment, instance: &Moment, zones: &mut Zones, home: &TimeZone) -> bool {
    // It may be identified by its day alone.
    if own.is_date() {
        return own.clock().date() == instance.clock().date();
    }
    if instance.is_date() {
        return false;
    }
    let own = properties::instant(own, zones, home);
    own.is_ok_and(|own| properties::instant(instance, zones, home).is_ok_and(|other| own == other))
}

pub(crate) fn remove_override(calendar: &mut Calendar, uid: &str, instance: &Moment, home: &TimeZone) {
    let mut zones = Zones::of(calendar);
    for file in calendar.calendars_mut() {
        file.remove_components(|event| is_of(event, uid) && is_instance(event, instance, &mut zones, home));
    }
}

/// Sets a text of the series, and of the overrides that had the series' own.
///
/// # Errors
/// As [`master_mut`].
pub(crate) fn set_text(
    calendar: &mut Calendar,
    uid: &str,
    name: &str,
    text: Option<&Property>,
) -> Result<(), ToolError> {
    let before = master_mut(calendar, uid)?.text(name);
    let same = |event: &&mut Component| is_of(event, uid) && event.text(name) == before;
    for event in calendar.components_mut("VEVENT").filter(same) {
        match text {
            Some(text) => event.set(text.clone()),
            None => event.remove(name),
        }
    }
    Ok(())
}

/// Moves all instances by the clock, and with them what names one: exceptions, overrides, added dates, the last one. An
/// override at a time of its own stays there. The new times are those of the instance `named`, or clock times of
/// `otherwise`: in another zone instances are at several times of the user's clock.
///
/// # Errors
/// Where no instance is named and a day is given, and for a series whose instances do not all follow its start.
pub(crate) fn move_all(
    calendar: &mut Calendar,
    uid: &str,
    home: &TimeZone,
    named: Option<&Moment>,
    otherwise: Option<&Moment>,
    (start, end): (Option<Given>, Option<Given>),
) -> Result<(), ToolError> {
    let fits = |given: &Given| match given {
        Given::Clock(_) => true,
        Given::At(_) => named.is_some(),
        Given::Day(_) => false,
    };
    if ![start, end].iter().flatten().all(fits) {
        return Err(invalid(
            "/start",
            "the event recurs: give the clock alone, such as 15:00, or the date of one instance besides",
        ));
    }
    check_no_ranges(calendar)?;
    let mut zones = Zones::of(calendar);
    if let Some(instance) = named {
        check_follows_series(calendar, uid, instance, &mut zones, home)?;
    }
    let master = master_mut(calendar, uid)?;
    check_follows_start(master)?;
    let before = properties::start(master)?;
    if before.is_date() {
        return Err(elsewhere("the event recurs on whole days, which have no clock time"));
    }
    let from = named.or(otherwise).unwrap_or(&before);
    let mut one = instance_of(master, from, &mut zones, home)?;
    properties::move_to(&mut one, &mut zones, home, start, end)?;
    let to = properties::instant(&properties::start(&one)?, &mut zones, home)?;
    let to = properties::clock_of(&before, to, &mut zones, home)?;
    if from.clock().date() != to.date() {
        return Err(elsewhere(&format!(
            "in its time zone{} all its instances would move to another day",
            before.zone_name().map(|zone| format!(" {zone}")).unwrap_or_default()
        )));
    }
    let by = to.duration_since(from.clock());
    let after = before.at(before.clock().saturating_add(by));
    let length = properties::times(&one, &mut zones, home)?.length;
    if one.property("DURATION").is_none() {
        let begin = properties::instant(&after, &mut zones, home)?;
        let end = begin.saturating_add(length).unwrap_or(begin);
        master.remove("DURATION");
        master.set(properties::placed_at(&before, end, &mut zones, home)?.property("DTEND"));
    }
    if by.is_zero() {
        return Ok(());
    }
    master.set(after.property("DTSTART"));
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

/// That an instance has no time of its own.
fn check_follows_series(
    calendar: &Calendar,
    uid: &str,
    instance: &Moment,
    zones: &mut Zones,
    home: &TimeZone,
) -> Result<(), ToolError> {
    for event in calendar.components("VEVENT").filter(|event| is_of(event, uid)) {
        if is_instance(event, instance, zones, home)
            && !is_same(&properties::start(event)?, instance, zones, home)
        {
            return Err(invalid("/all", "the instance of that date has a time of its own: move it alone"));
        }
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
        if let Some(start) = start.filter(|_| follows) {
            let moved = self.moment(&start)?;
            if let Some(end) = properties::moment(event, "DTEND")? {
                let end = with_start(&start, &end, &moved, &mut self.zones, self.home)?;
                event.set(end.property("DTEND"));
            }
            event.set(moved.property("DTSTART"));
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
    if takes_place(calendar, uid, instance, home) {
        summary(calendar, uid, instance, home)
    } else {
        "does not take place".into()
    }
}

fn takes_place(calendar: &Calendar, uid: &str, instance: &Moment, home: &TimeZone) -> bool {
    let mut zones = Zones::of(calendar);
    let mut events = calendar.components("VEVENT");
    if events.any(|event| is_of(event, uid) && is_instance(event, instance, &mut zones, home)) {
        return true;
    }
    let day = SignedDuration::from_hours(24);
    let Ok(at) = properties::instant(instance, &mut zones, home) else { return false };
    let (Ok(from), Ok(to)) = (at.checked_sub(day), at.checked_add(day)) else { return false };
    let agenda = Agenda::new(calendar.clone());
    let listing = agenda.between(from, to, home, Bounds::default());
    let mut of_rule = listing.instances.iter().filter(|one| one.uid == uid);
    of_rule.any(|one| one.recurrence.as_ref().is_some_and(|own| is_same(own, instance, &mut zones, home)))
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
