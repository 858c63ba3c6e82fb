use std::collections::{BTreeMap, HashSet};

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use super::series::{Item, Master, Override, Placed, Series};
use crate::ical::{Length, Moment};
use crate::rule::Rule;
use crate::zone::Zone;

/// Expands one recurring event in the clock time of its first start.
pub(super) struct Recurring<'a, 'b> {
    master: &'a Master,
    zone: Zone,
    home: &'b TimeZone,
    excluded: HashSet<DateTime>,
    /// EXDATEs without a time, which exclude all starts of that day.
    excluded_days: HashSet<Date>,
    overrides: BTreeMap<DateTime, (&'a Override, DateTime)>,
    /// Overrides with RANGE=THISANDFUTURE: original start, override, and shift of the start.
    later: Vec<(DateTime, &'a Override, SignedDuration)>,
    seen: HashSet<DateTime>,
}

impl<'a, 'b> Recurring<'a, 'b> {
    pub(super) fn new(series: &'a Series, master: &'a Master, home: &'b TimeZone) -> Self {
        let mut recurring = Self {
            master,
            zone: master.item.zone(home),
            home,
            excluded: HashSet::new(),
            excluded_days: HashSet::new(),
            overrides: BTreeMap::new(),
            later: Vec::new(),
            seen: HashSet::new(),
        };
        for excluded in &master.excluded {
            if let Moment::Date(day) = excluded.moment {
                recurring.excluded_days.insert(day);
            }
            let key = recurring.key(recurring.clock_of(excluded));
            recurring.excluded.insert(key);
        }
        for other in &series.overrides {
            let clock = recurring.clock_of(&other.of);
            let key = recurring.key(clock);
            recurring.overrides.insert(key, (other, clock));
        }
        recurring.later = recurring
            .overrides
            .iter()
            .filter(|(_, (other, _))| other.and_later)
            .map(|(since, (other, clock))| {
                (*since, *other, recurring.clock_of(&other.item.start).duration_since(*clock))
            })
            .collect();
        recurring
    }

    /// How far outside of a range a start by the rule may lie while its instance still overlaps: before and
    /// behind it.
    pub(super) fn reach(&self) -> (SignedDuration, SignedDuration) {
        let own = self.master.item.extent.longest();
        let longest = self
            .later
            .iter()
            .map(|(_, other, moved)| other.item.extent.longest().saturating_add(moved.abs()))
            .chain(self.master.dates.iter().filter_map(|(_, length)| length.map(Length::longest)))
            .fold(own, SignedDuration::max);
        let moved = self.later.iter().map(|(_, _, moved)| moved.abs()).max();
        (longest, moved.unwrap_or_default())
    }

    /// The first start and the RDATEs, which the rule may generate as well.
    pub(super) fn named(&self) -> Vec<(DateTime, Option<Length>)> {
        let first = self.master.item.start.moment.clock();
        let mut starts: Vec<(DateTime, Option<Length>)> =
            self.master.dates.iter().map(|(at, length)| (self.clock_of(at), *length)).collect();
        // A rule whose UNTIL precedes DTSTART leaves no instance, not even the first.
        if self.master.rules.is_empty() || !self.master.rules.iter().all(|rule| self.has_ended(rule, first)) {
            starts.push((first, None));
        }
        starts
    }

    pub(super) fn has_ended(&self, rule: &Rule, clock: DateTime) -> bool {
        let Some(until) = &rule.until else { return false };
        if self.master.item.start.moment.is_date() {
            return clock.date() > until.clock().date();
        }
        match until {
            // A date includes the whole day.
            Moment::Date(day) => clock.date() > *day,
            Moment::Floating(until) | Moment::Zoned(until, _) => clock > *until,
            Moment::Utc(until) => self.zone.instant(clock) > Zone::Known(TimeZone::UTC).instant(*until),
        }
    }

    /// The item at a start, and its start in its own clock time; `None` if it is excluded, overridden or a
    /// duplicate.
    pub(super) fn instance(&mut self, start: DateTime) -> Option<(&'a Item, DateTime)> {
        let key = self.key(start);
        if !self.seen.insert(key) || self.is_excluded(start, key) || self.overrides.contains_key(&key) {
            return None;
        }
        match self.later[..self.later.partition_point(|(since, ..)| *since < key)].last() {
            None => Some((&self.master.item, start)),
            Some((_, other, moved)) => {
                let moved = start.saturating_add(*moved);
                Some((&other.item, self.in_zone_of(&other.item, moved)))
            }
        }
    }

    /// The overrides in force, with the original starts they replace.
    pub(super) fn overrides(&self) -> impl Iterator<Item = (&'a Item, DateTime)> {
        self.overrides
            .iter()
            .filter(|(key, (_, clock))| !self.is_excluded(*clock, **key))
            .map(|(_, (other, clock))| (&other.item, *clock))
    }

    fn is_excluded(&self, clock: DateTime, key: DateTime) -> bool {
        self.excluded_days.contains(&clock.date()) || self.excluded.contains(&key)
    }

    /// Maps different spellings of one instant to the same key.
    fn key(&self, clock: DateTime) -> DateTime {
        if self.master.item.start.moment.is_date() {
            clock
        } else {
            TimeZone::UTC.to_datetime(self.zone.instant(clock))
        }
    }

    /// A floating moment is taken as clock time of the series, whatever zone its start names.
    fn clock_of(&self, at: &Placed) -> DateTime {
        let start = &self.master.item.start.moment;
        if start.is_date() {
            return at.moment.clock().date().to_datetime(Time::midnight());
        }
        match (&at.moment, &at.zone) {
            // A RECURRENCE-ID may be a date only.
            (Moment::Date(day), _) => day.to_datetime(start.clock().time()),
            (moment, Some(zone)) if moment.zone_name() != start.zone_name() => {
                self.zone.clock(zone.instant(moment.clock()))
            }
            (moment, _) => moment.clock(),
        }
    }

    fn in_zone_of(&self, item: &Item, clock: DateTime) -> DateTime {
        let (own, first) = (&item.start.moment, &self.master.item.start.moment);
        if own.is_date() || own.zone_name() == first.zone_name() {
            return clock;
        }
        item.zone(self.home).clock(self.zone.instant(clock))
    }
}
