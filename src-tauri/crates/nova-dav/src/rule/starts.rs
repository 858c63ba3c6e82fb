use std::collections::VecDeque;

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Span};

use super::days::DayFilter;
use super::{Frequency, Rule};

/// Iterates over the starts of a rule in order.
///
/// `UNTIL` is not applied, because it is an instant and these are clock times.
#[derive(Debug)]
pub struct Starts<'a> {
    rule: &'a Rule,
    first: DateTime,
    from: DateTime,
    to: DateTime,
    steps: &'a mut u64,
    filter: DayFilter,
    hours: Vec<i8>,
    minutes: Vec<i8>,
    seconds: Vec<i8>,
    /// The next period, relative to that of the first start, in units of the interval.
    period: i64,
    /// Remaining starts of the current period.
    ready: VecDeque<DateTime>,
    left: Option<u32>,
}

impl Rule {
    /// The starts from `from` to `to`, both inclusive, of an event whose first start is `first`. Without a
    /// `COUNT`, periods before `from` are skipped at no cost.
    ///
    /// `steps` is the budget of days, hours, minutes or seconds to inspect; it is counted down, and the
    /// iteration ends at 0.
    pub fn starts<'a>(
        &'a self,
        first: DateTime,
        from: DateTime,
        to: DateTime,
        steps: &'a mut u64,
    ) -> Starts<'a> {
        let mut starts = Starts::new(self, first, from, to, steps);
        if self.count.is_none() {
            starts.skip_to(from);
        }
        starts
    }
}

impl<'a> Starts<'a> {
    fn new(rule: &'a Rule, first: DateTime, from: DateTime, to: DateTime, steps: &'a mut u64) -> Self {
        let or_first = |named: &[i8], of_first: i8, shorter: bool| match named {
            [] if shorter => vec![of_first],
            named => named.to_vec(),
        };
        Self {
            rule,
            first,
            from,
            to,
            steps,
            filter: DayFilter::new(rule, first),
            hours: or_first(&rule.by_hour, first.hour(), rule.frequency < Frequency::Hourly),
            minutes: or_first(&rule.by_minute, first.minute(), rule.frequency < Frequency::Minutely),
            seconds: or_first(&rule.by_second, first.second(), rule.frequency < Frequency::Secondly),
            period: 0,
            ready: VecDeque::new(),
            left: rule.count,
        }
    }

    /// Skips the periods that end before `from`.
    fn skip_to(&mut self, from: DateTime) {
        if from <= self.first {
            return;
        }
        let periods = match self.rule.frequency {
            Frequency::Yearly => i64::from(from.year()) - i64::from(self.first.year()),
            Frequency::Monthly => month_number(from.date()) - month_number(self.first.date()),
            Frequency::Weekly => seconds_between(self.first, from) / (7 * DAY),
            _ => seconds_between(self.first, from) / self.seconds_of_period(),
        };
        self.period = (periods / self.rule.interval - 1).max(0);
    }

    fn seconds_of_period(&self) -> i64 {
        match self.rule.frequency {
            Frequency::Hourly => 3600,
            Frequency::Minutely => 60,
            Frequency::Secondly => 1,
            _ => DAY,
        }
    }

    /// Fills `ready` with the starts of the next period; `None` after the last requested day.
    fn fill(&mut self) -> Option<()> {
        self.step()?;
        let offset = self.period.checked_mul(self.rule.interval)?;
        self.period += 1;
        let mut found = Vec::new();
        match self.rule.frequency {
            Frequency::Yearly => {
                let year = i16::try_from(i64::from(self.first.year()).checked_add(offset)?).ok()?;
                self.before_end(Date::new(year, 1, 1).ok()?)?;
                for month in 1..=12 {
                    if self.filter.allows_month(month) {
                        self.add_days(Date::new(year, month, 1).ok()?, None, &mut found);
                    }
                }
            }
            Frequency::Monthly => {
                let number = month_number(self.first.date()).checked_add(offset)?;
                let year = i16::try_from(number.div_euclid(12)).ok()?;
                let month = i8::try_from(number.rem_euclid(12)).ok()? + 1;
                let first_day = Date::new(year, month, 1).ok()?;
                self.before_end(first_day)?;
                if self.filter.allows_month(month) {
                    self.add_days(first_day, None, &mut found);
                }
            }
            Frequency::Weekly => {
                let date = self.first.date();
                let since = i64::from(date.weekday().since(self.rule.week_start));
                let begin = later(date, offset.checked_mul(7)?.checked_sub(since)?)?;
                self.before_end(begin)?;
                self.add_week(begin, &mut found);
            }
            Frequency::Daily => {
                let date = later(self.first.date(), offset)?;
                self.before_end(date)?;
                if self.filter.allows_month(date.month()) {
                    self.add_days(date, Some(1), &mut found);
                } else {
                    self.skip_before(next_month(date)?);
                }
            }
            Frequency::Hourly | Frequency::Minutely | Frequency::Secondly => {
                self.fill_within_day(offset, &mut found)?;
            }
        }
        self.take_places(&mut found);
        self.ready.extend(found.into_iter().filter(|start| *start >= self.first));
        Some(())
    }

    fn step(&mut self) -> Option<()> {
        *self.steps = self.steps.checked_sub(1)?;
        Some(())
    }

    fn before_end(&self, begin: Date) -> Option<()> {
        (begin <= self.to.date()).then_some(())
    }

    /// Adds the starts in the week from `begin`. A `COUNT` walks through all weeks since the first start, so only the
    /// weekdays of the rule are visited.
    fn add_week(&mut self, begin: Date, found: &mut Vec<DateTime>) {
        let weekdays = self.filter.weekdays();
        if weekdays.is_empty() {
            return self.add_days(begin, Some(7), found);
        }
        let mut days: Vec<i8> = weekdays.iter().map(|day| day.since(self.rule.week_start)).collect();
        days.sort_unstable();
        days.dedup();
        for day in days {
            match later(begin, day.into()) {
                Some(date) => self.add_days(date, Some(1), found),
                None => return,
            }
        }
    }

    /// Adds the starts on `days` days from `date`, or on the rest of its month.
    fn add_days(&mut self, date: Date, days: Option<i8>, found: &mut Vec<DateTime>) {
        let mut date = date;
        for _ in 0..days.unwrap_or(date.days_in_month()) {
            if self.step().is_none() {
                return;
            }
            if self.filter.allows(date) {
                for hour in &self.hours {
                    for minute in &self.minutes {
                        for second in &self.seconds {
                            found.push(date.at(*hour, *minute, *second, 0));
                        }
                    }
                }
            }
            match date.tomorrow() {
                Ok(tomorrow) => date = tomorrow,
                Err(_) => return,
            }
        }
    }

    /// Handles one hour, minute or second; if the rule excludes a larger unit, skips that unit as a whole.
    fn fill_within_day(&mut self, offset: i64, found: &mut Vec<DateTime>) -> Option<()> {
        let passed = SignedDuration::from_secs(offset.checked_mul(self.seconds_of_period())?);
        let at = self.first.checked_add(passed).ok()?;
        self.before_end(at.date())?;
        let allowed = |named: &[i8], value: i8| named.is_empty() || named.contains(&value);
        if !self.filter.allows_month(at.month()) {
            self.skip_before(next_month(at.date())?);
        } else if !self.filter.allows(at.date()) {
            self.skip_before(at.date().tomorrow().ok()?.at(0, 0, 0, 0));
        } else if !allowed(&self.hours, at.hour()) {
            self.skip_before(hour_of(at).checked_add(SignedDuration::from_hours(1)).ok()?);
        } else if self.rule.frequency == Frequency::Hourly {
            for minute in &self.minutes {
                for second in &self.seconds {
                    found.push(at.date().at(at.hour(), *minute, *second, 0));
                }
            }
        } else if !allowed(&self.minutes, at.minute()) {
            let minute = at.date().at(at.hour(), at.minute(), 0, 0);
            self.skip_before(minute.checked_add(SignedDuration::from_mins(1)).ok()?);
        } else if self.rule.frequency == Frequency::Minutely {
            for second in &self.seconds {
                found.push(at.date().at(at.hour(), at.minute(), *second, 0));
            }
        } else if allowed(&self.seconds, at.second()) {
            found.push(at);
        }
        Some(())
    }

    /// Advances to the first period that begins at or after `next`.
    fn skip_before(&mut self, next: DateTime) {
        // A daily period begins at midnight, not at the time of its start.
        let begin = if self.rule.frequency == Frequency::Daily {
            self.first.date().at(0, 0, 0, 0)
        } else {
            // An hourly period begins on the hour, so that the one with the first start is not skipped.
            match self.rule.frequency {
                Frequency::Hourly => hour_of(self.first),
                _ => self.first,
            }
        };
        let step = self.seconds_of_period().saturating_mul(self.rule.interval);
        let passed = seconds_between(begin, next);
        self.period = self.period.max(passed.div_euclid(step) + i64::from(passed.rem_euclid(step) > 0));
    }

    fn take_places(&self, found: &mut Vec<DateTime>) {
        if self.rule.by_place.is_empty() {
            return;
        }
        let len = found.len();
        let mut places: Vec<usize> = self
            .rule
            .by_place
            .iter()
            .filter_map(|place| match usize::try_from(*place) {
                Ok(place) => place.checked_sub(1),
                Err(_) => len.checked_sub(place.unsigned_abs() as usize),
            })
            .filter(|index| *index < len)
            .collect();
        places.sort_unstable();
        places.dedup();
        *found = places.into_iter().map(|index| found[index]).collect();
    }
}

impl Iterator for Starts<'_> {
    type Item = DateTime;

    fn next(&mut self) -> Option<DateTime> {
        loop {
            if self.left == Some(0) {
                return None;
            }
            let Some(start) = self.ready.pop_front() else {
                self.fill()?;
                continue;
            };
            if let Some(left) = &mut self.left {
                *left -= 1;
            }
            if start > self.to {
                return None;
            }
            if start >= self.from {
                return Some(start);
            }
        }
    }
}

const DAY: i64 = 86_400;

fn month_number(date: Date) -> i64 {
    i64::from(date.year()) * 12 + i64::from(date.month()) - 1
}

fn seconds_between(from: DateTime, to: DateTime) -> i64 {
    to.duration_since(from).as_secs()
}

fn later(date: Date, days: i64) -> Option<Date> {
    date.checked_add(Span::new().try_days(days).ok()?).ok()
}

fn next_month(date: Date) -> Option<DateTime> {
    Some(date.first_of_month().checked_add(Span::new().months(1)).ok()?.at(0, 0, 0, 0))
}

fn hour_of(at: DateTime) -> DateTime {
    at.date().at(at.hour(), 0, 0, 0)
}
