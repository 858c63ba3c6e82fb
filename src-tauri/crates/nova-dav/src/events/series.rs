use std::collections::HashMap;
use std::str::FromStr;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span};

use super::Problem;
use crate::ical::{Calendar, Component, Length, Moment, Property, ValueError};
use crate::rule::Rule;
use crate::zone::{Definitions, Zone, Zones};

/// All components with one UID.
#[derive(Debug)]
pub(super) struct Series {
    pub uid: String,
    pub master: Option<Master>,
    pub overrides: Vec<Override>,
}

impl Series {
    /// Whether it may have many instances.
    pub(super) fn has_rules(&self) -> bool {
        self.master.as_ref().is_some_and(|master| !master.rules.is_empty() || !master.dates.is_empty())
    }
}

#[derive(Debug)]
pub(super) struct Master {
    pub item: Item,
    pub rules: Vec<Rule>,
    pub dates: Vec<(Placed, Option<Length>)>,
    pub excluded: Vec<Placed>,
    sequence: i64,
}

/// A moment with its zone; `None` for floating, that is the viewer's zone.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub moment: Moment,
    pub zone: Option<Zone>,
}

/// An override of one instance.
#[derive(Debug)]
pub(super) struct Override {
    pub item: Item,
    /// The original start of the instance (RECURRENCE-ID).
    pub of: Placed,
    /// RANGE=THISANDFUTURE.
    pub and_later: bool,
    sequence: i64,
}

#[derive(Debug)]
pub(super) struct Item {
    /// Index among the `VEVENT`s.
    pub place: usize,
    pub start: Placed,
    pub extent: Extent,
}

/// The duration of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// At least one.
    Days(i64),
    /// In clock time, for an end without a zone: an event from 22 to 6 always ends at 6.
    Clock(i64),
    /// Nominal days followed by exact seconds. An end with a zone gives all instances the same exact duration
    /// (RFC 5545, 3.8.5.3).
    Length(Length),
}

impl Extent {
    /// Upper bound in clock time.
    pub(super) fn longest(self) -> SignedDuration {
        match self {
            Self::Days(days) => Length { days, seconds: 0 }.longest(),
            Self::Clock(seconds) => SignedDuration::from_secs(seconds),
            Self::Length(length) => length.longest(),
        }
    }

    pub(super) fn days_later(start: DateTime, days: i64) -> DateTime {
        Span::new().try_days(days).map_or(DateTime::MAX, |days| start.saturating_add(days))
    }
}

impl Item {
    pub(super) fn zone(&self, home: &TimeZone) -> Zone {
        self.start.zone.clone().unwrap_or_else(|| Zone::Known(home.clone()))
    }
}

pub(super) fn read(calendar: &Calendar) -> (Vec<Series>, Vec<Problem>) {
    let mut definitions = Definitions::default();
    let mut series: Vec<Series> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut problems = Vec::new();
    let mut place = 0;
    for object in calendar.calendars() {
        let mut zones = definitions.zones(object.components().filter(|part| part.is("VTIMEZONE")));
        for event in object.components().filter(|part| part.is("VEVENT")) {
            let uid = event.text("UID").unwrap_or_default();
            match part(event, place, &mut zones) {
                Err(reason) => problems.push(Problem { uid, title: event.text("SUMMARY"), reason }),
                Ok(part) => {
                    let known = places.get(&uid).copied().filter(|_| !uid.is_empty());
                    let at = known.unwrap_or_else(|| {
                        series.push(Series { uid: uid.clone(), master: None, overrides: Vec::new() });
                        places.insert(uid, series.len() - 1);
                        series.len() - 1
                    });
                    add(&mut series[at], part);
                }
            }
            place += 1;
        }
    }
    series.iter_mut().for_each(|series| keep_latest(&mut series.overrides));
    (series, problems)
}

enum Part {
    Master(Master),
    Override(Override),
}

/// Of two versions the one with the higher SEQUENCE wins, then the later one in the file.
fn add(series: &mut Series, part: Part) {
    match part {
        Part::Override(new) => series.overrides.push(new),
        Part::Master(new) => {
            if series.master.as_ref().is_none_or(|before| before.sequence <= new.sequence) {
                series.master = Some(new);
            }
        }
    }
}

fn keep_latest(overrides: &mut Vec<Override>) {
    overrides.sort_by(|a, b| {
        let by = |one: &Override| (one.sequence, one.item.place);
        a.of.moment.cmp(&b.of.moment).then_with(|| by(b).cmp(&by(a)))
    });
    overrides.dedup_by(|second, first| second.of.moment == first.of.moment);
}

fn sequence(event: &Component) -> i64 {
    event.property("SEQUENCE").and_then(|number| number.value().trim().parse().ok()).unwrap_or(0)
}

fn part(event: &Component, place: usize, zones: &mut Zones) -> Result<Part, String> {
    let start = event.property("DTSTART").ok_or("it has no DTSTART")?;
    let start = placed(moment(start)?, zones)?;
    let extent = extent(event, &start, zones)?;
    let item = Item { place, start, extent };
    if let Some(of) = event.property("RECURRENCE-ID") {
        let and_later = of.param("RANGE").is_some_and(|range| range.eq_ignore_ascii_case("THISANDFUTURE"));
        let of = placed(moment(of)?, zones)?;
        return Ok(Part::Override(Override { item, of, and_later, sequence: sequence(event) }));
    }
    let rules = event
        .properties("RRULE")
        .map(|rule| Rule::from_str(rule.value()).map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    let dates = periods(event, "RDATE", zones)?;
    let excluded = periods(event, "EXDATE", zones)?.into_iter().map(|(moment, _)| moment).collect();
    Ok(Part::Master(Master { item, rules, dates, excluded, sequence: sequence(event) }))
}

fn moment(property: &Property) -> Result<Moment, String> {
    Moment::of(property).map_err(|error| format!("{}: {error}", property.name()))
}

fn placed(moment: Moment, zones: &mut Zones) -> Result<Placed, String> {
    let zone = match &moment {
        Moment::Date(_) | Moment::Floating(_) => None,
        Moment::Utc(_) => Some(Zone::Known(TimeZone::UTC)),
        Moment::Zoned(_, name) => Some(zones.get(name).map_err(|error| error.to_string())?),
    };
    Ok(Placed { moment, zone })
}

/// Parses moments, or periods given as start and end or duration.
fn periods(
    event: &Component,
    name: &str,
    zones: &mut Zones,
) -> Result<Vec<(Placed, Option<Length>)>, String> {
    let mut found = Vec::new();
    for property in event.properties(name) {
        for item in property.value().split(',').filter(|item| !item.trim().is_empty()) {
            let period = period(item, property).map_err(|error| format!("{name}: {error}"))?;
            found.push((placed(period.0, zones)?, period.1));
        }
    }
    Ok(found)
}

fn period(item: &str, property: &Property) -> Result<(Moment, Option<Length>), ValueError> {
    let moment = |text: &str| Moment::parse(text, property.param("TZID"));
    Ok(match item.split_once('/') {
        None => (moment(item)?, None),
        Some((start, length)) if length.trim_start().starts_with(['P', 'p', '+']) => {
            (moment(start)?, Some(Length::parse(length)?))
        }
        Some((start, end)) => {
            let (start, end) = (moment(start)?, moment(end)?);
            let seconds = end.clock().duration_since(start.clock()).as_secs().max(0);
            (start, Some(Length { days: 0, seconds }))
        }
    })
}

fn extent(event: &Component, start: &Placed, zones: &mut Zones) -> Result<Extent, String> {
    let before = "it ends before it begins";
    if let Some(end) = event.property("DTEND") {
        let end = placed(moment(end)?, zones)?;
        let by_clock = end.moment.clock().duration_since(start.moment.clock()).as_secs();
        let extent = match (start.moment.is_date(), end.moment.is_date()) {
            // Some programs set DTEND to the same date for a one-day event.
            (true, true) if by_clock == 0 => Extent::Days(1),
            (true, true) => Extent::Days(by_clock / 86_400),
            (true, false) | (false, true) => {
                return Err("one of its start and its end is a day and the other a time".into());
            }
            (false, false) => match (&start.zone, &end.zone) {
                (Some(from), Some(to)) => {
                    let (from, to) = (from.instant(start.moment.clock()), to.instant(end.moment.clock()));
                    let seconds = to.duration_since(from).as_secs();
                    // A start in a DST gap may come after an end that is later by the clock.
                    let seconds = if by_clock < 0 { seconds } else { seconds.max(0) };
                    Extent::Length(Length { days: 0, seconds })
                }
                _ => Extent::Clock(by_clock),
            },
        };
        return if extent.longest().is_negative() { Err(before.into()) } else { Ok(extent) };
    }
    let length = match event.property("DURATION") {
        Some(length) => Length::parse(length.value()).map_err(|error| format!("DURATION: {error}"))?,
        None => Length::default(),
    };
    let extent = if start.moment.is_date() {
        Extent::Days(
            (length.days + length.seconds.div_euclid(86_400)).max(i64::from(length == Length::default())),
        )
    } else {
        Extent::Length(length)
    };
    if extent.longest().is_negative() || extent == Extent::Days(0) { Err(before.into()) } else { Ok(extent) }
}
