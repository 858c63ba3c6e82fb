use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::recurring::Recurring;
use super::series::{Extent, Item, Master, Series};
use super::{Agenda, Instance, Listing, Span};
use crate::ical::{Component, Length, Moment};
use crate::zone::Zone;

/// Limits of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub instances: usize,
    /// Instances of one event.
    pub of_one: usize,
    /// Candidate days, hours, minutes or seconds of all rules in total.
    pub steps: u64,
    /// Those of one event.
    pub steps_of_one: u64,
}

impl Default for Bounds {
    /// 20,000 instances and two million steps, which take some tenths of a second.
    fn default() -> Self {
        Self { instances: 20_000, of_one: 5_000, steps: 2_000_000, steps_of_one: 250_000 }
    }
}

impl Agenda {
    /// The events that overlap the range from `from` (inclusive) to `to` (exclusive). `home` is the time zone
    /// for all-day events and floating times.
    pub fn between(&self, from: Timestamp, to: Timestamp, home: &TimeZone, bounds: Bounds) -> Listing<'_> {
        let events: Vec<&Component> = self.calendar.components("VEVENT").collect();
        let mut search = Search {
            from,
            to,
            home,
            // No zone differs from UTC by more than a day.
            first: TimeZone::UTC.to_datetime(from).saturating_sub(MARGIN),
            last: TimeZone::UTC.to_datetime(to).saturating_add(MARGIN),
            bounds,
            found: Vec::new(),
            left: 0,
            stopped: false,
            cut: Vec::new(),
        };
        // An event that takes place too often displaces no single one.
        let (recurring, single): (Vec<_>, Vec<_>) = self.series.iter().partition(|series| series.has_rules());
        for series in single.into_iter().chain(recurring) {
            search.left = bounds.of_one.min(bounds.instances.saturating_sub(search.found.len()));
            search.stopped = false;
            search.search_series(series, &events);
            if search.stopped {
                search.cut.push(&series.uid);
            }
        }
        let Search { mut found, cut, .. } = search;
        found.sort_by(|(one, a), (other, b)| one.cmp(other).then_with(|| a.uid.cmp(b.uid)));
        Listing { instances: found.into_iter().map(|(_, instance)| instance).collect(), cut }
    }
}

const MARGIN: SignedDuration = SignedDuration::from_hours(48);

struct Search<'a, 'b> {
    from: Timestamp,
    to: Timestamp,
    home: &'b TimeZone,
    first: DateTime,
    last: DateTime,
    bounds: Bounds,
    found: Vec<((Timestamp, bool), Instance<'a>)>,
    /// Instances that the current event may still have.
    left: usize,
    /// The current event reached a limit.
    stopped: bool,
    cut: Vec<&'a str>,
}

impl<'a> Search<'a, '_> {
    fn search_series(&mut self, series: &'a Series, events: &[&'a Component]) {
        let Some(master) = &series.master else {
            for other in &series.overrides {
                let recurrence = Some(other.of.moment.clone());
                self.add(series, events, &other.item, other.item.start.moment.clock(), None, recurrence);
            }
            return;
        };
        if master.rules.is_empty() && master.dates.is_empty() && series.overrides.is_empty() {
            let start = master.item.start.moment.clock();
            if start <= self.last && start.saturating_add(master.item.extent.longest()) >= self.first {
                self.add(series, events, &master.item, start, None, None);
            }
            return;
        }
        self.search_recurring(series, master, events);
    }

    fn search_recurring(&mut self, series: &'a Series, master: &'a Master, events: &[&'a Component]) {
        let mut recurring = Recurring::new(series, master, self.home);
        let (before, behind) = recurring.reach();
        let (from, to) = (self.first.saturating_sub(before), self.last.saturating_add(behind));
        let first = &master.item.start.moment;

        for (start, length) in recurring.named() {
            if (from..=to).contains(&start)
                && let Some((item, clock)) = recurring.instance(start)
            {
                self.add(series, events, item, clock, length, Some(first.at(start)));
            }
        }
        let granted = self.bounds.steps.min(self.bounds.steps_of_one);
        let mut steps = granted;
        for rule in &master.rules {
            for start in rule.starts(first.clock(), from, to, &mut steps) {
                if self.stopped || recurring.has_ended(rule, start) {
                    break;
                }
                if let Some((item, clock)) = recurring.instance(start) {
                    self.add(series, events, item, clock, None, Some(first.at(start)));
                }
            }
        }
        self.stopped |= steps == 0 && !master.rules.is_empty();
        self.bounds.steps -= granted - steps;
        for (item, start) in recurring.overrides() {
            self.add(series, events, item, item.start.moment.clock(), None, Some(first.at(start)));
        }
    }

    fn add(
        &mut self,
        series: &'a Series,
        events: &[&'a Component],
        item: &Item,
        start: DateTime,
        length: Option<Length>,
        recurrence: Option<Moment>,
    ) {
        let span = self.span(item, start, length);
        let (begin, end, timed) = match &span {
            Span::Days { first, after } => {
                let home = Zone::Known(self.home.clone());
                let instant = |day: &jiff::civil::Date| home.instant(day.to_datetime(Time::midnight()));
                (instant(first), instant(after), false)
            }
            Span::Times { start, end } => (start.timestamp(), end.timestamp(), true),
        };
        if begin >= self.to || end < self.from || (end == self.from && begin < end) {
            return;
        }
        if self.left == 0 {
            self.stopped = true;
            return;
        }
        self.left -= 1;
        let Some(event) = events.get(item.place) else { return };
        self.found.push(((begin, timed), Instance { uid: &series.uid, event, span, recurrence }));
    }

    fn span(&self, item: &Item, start: DateTime, length: Option<Length>) -> Span {
        let extent = length.map_or(item.extent, Extent::Length);
        if item.start.moment.is_date() {
            let days = (extent.longest().as_secs() / 86_400).max(1);
            return Span::Days { first: start.date(), after: Extent::days_later(start, days).date() };
        }
        let zone = item.zone(self.home);
        let begin = zone.instant(start);
        let end = match extent {
            Extent::Days(days) => zone.instant(Extent::days_later(start, days)),
            // A start in a DST gap moves behind the gap, and its end with it.
            Extent::Clock(seconds) => {
                zone.instant(zone.clock(begin).saturating_add(SignedDuration::from_secs(seconds)))
            }
            Extent::Length(length) => {
                let day = if length.days == 0 {
                    begin
                } else {
                    zone.instant(Extent::days_later(start, length.days))
                };
                day.saturating_add(SignedDuration::from_secs(length.seconds)).unwrap_or(day)
            }
        };
        // In clock time, an event in the repeated hour of a DST change could end before it starts.
        let end = end.max(begin);
        Span::Times { start: begin.to_zoned(zone.zone_at(begin)), end: end.to_zoned(zone.zone_at(begin)) }
    }
}
