//! The rule of a recurring task: `every 2 weeks on Friday when done`.
//!
//! Parsed like the English rules of the library rrule, which the plugin Tasks uses, with the plugin's
//! results: as there, text after the part that is understood is ignored. `tests/recurrence.tsv` has the
//! results of the plugin's own library.

mod words;

use jiff::civil::{Date, Weekday};

use super::fields::TaskField;
use words::{Reader, Word};

/// A recurrence rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    unit: Unit,
    interval: u32,
    /// Each with its ordinal from the start or, negative, from the end of the month or year; 0 means every
    /// one.
    weekdays: Vec<(i32, Weekday)>,
    /// Negative values count from the end.
    month_days: Vec<i32>,
    months: Vec<i8>,
    weeks: Vec<i32>,
    until: Option<Date>,
    count: Option<u32>,
    when_done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Minutes,
    Hours,
    Days,
    Weeks,
    Months,
    Years,
}

const WORKDAYS: [Weekday; 5] =
    [Weekday::Monday, Weekday::Tuesday, Weekday::Wednesday, Weekday::Thursday, Weekday::Friday];

impl Rule {
    /// Parses a rule; `None` if it is invalid.
    pub fn parse(text: &str) -> Option<Rule> {
        let text = text.trim();
        if !TaskField::Recurrence.accepts(text) {
            return None;
        }
        let cut = text.len().checked_sub(WHEN_DONE.len()).filter(|at| text.is_char_boundary(*at));
        let (rule, when_done) = match cut {
            Some(at) if text[at..].eq_ignore_ascii_case(WHEN_DONE) => (&text[..at], true),
            _ => (text, false),
        };
        let mut read = Rule { when_done, ..Rule::every(Unit::Days) };
        read.take(&mut Reader::new(rule.trim()))?;
        Some(read)
    }

    /// The next due date after `reference`; a rule with *when done* counts from `today`. `None` if the rule
    /// ends before.
    pub fn next(&self, reference: Date, today: Date) -> Option<Date> {
        let base = if self.when_done { today } else { reference };
        let mut after = base;
        let mut found = self.first_after(base, after)?;
        // rrule skips a month or year without that day; the task is due on an earlier day of it instead.
        let months = |date: Date| i64::from(date.year()) * 12 + i64::from(date.month());
        let steps = i64::from(self.interval);
        if self.unit == Unit::Months && self.is_without_days() && self.months.is_empty() {
            while months(found) - months(after) > steps {
                after = after.yesterday().ok()?;
                found = self.first_after(after, after)?;
            }
        }
        if self.unit == Unit::Years && (self.months.is_empty() || self.interval != 1) {
            while i64::from(found.year()) - i64::from(after.year()) > steps {
                after = after.yesterday().ok()?;
                found = self.first_after(after, after)?;
            }
        }
        Some(found)
    }

    fn every(unit: Unit) -> Rule {
        Rule {
            unit,
            interval: 1,
            weekdays: Vec::new(),
            month_days: Vec::new(),
            months: Vec::new(),
            weeks: Vec::new(),
            until: None,
            count: None,
            when_done: false,
        }
    }

    fn is_without_days(&self) -> bool {
        self.weekdays.is_empty() && self.month_days.is_empty()
    }

    /// The first day after `after` on which a rule that begins at `start`, no later than `after`, recurs.
    fn first_after(&self, start: Date, after: Date) -> Option<Date> {
        let is_within = |day: &Date| self.until.is_none_or(|until| *day <= until);
        if let Unit::Minutes | Unit::Hours = self.unit {
            let in_a_day = if self.unit == Unit::Hours { 24 } else { 24 * 60 };
            let interval = u64::from(self.interval.max(1));
            let days = i64::try_from(u64::div_ceil(in_a_day, interval) * interval / in_a_day).ok()?;
            return start.checked_add(days.try_days()?).ok().filter(is_within);
        }
        let rule = self.with_days_of(start);
        let mut day = start;
        let mut given = 0;
        for _ in 0..MOST_DAYS {
            if !is_within(&day) || self.count.is_some_and(|count| given >= count) {
                return None;
            }
            match rule.skip(start, day) {
                Some(later) => day = later?,
                None => {
                    if rule.gives(day) {
                        if day > after {
                            return Some(day);
                        }
                        given += 1;
                    }
                    day = day.tomorrow().ok()?;
                }
            }
        }
        None
    }

    /// The rule with the days implied by `start` if it names none.
    fn with_days_of(&self, start: Date) -> Rule {
        let mut rule = self.clone();
        if !self.is_without_days() || !self.weeks.is_empty() {
            return rule;
        }
        match self.unit {
            Unit::Weeks => rule.weekdays.push((0, start.weekday())),
            Unit::Months => rule.month_days.push(start.day().into()),
            Unit::Years => {
                if rule.months.is_empty() {
                    rule.months.push(start.month());
                }
                rule.month_days.push(start.day().into());
            }
            Unit::Minutes | Unit::Hours | Unit::Days => {}
        }
        rule
    }

    /// Where to continue if the interval skips the period of this day; `Some(None)` at the end of the
    /// supported dates.
    fn skip(&self, start: Date, day: Date) -> Option<Option<Date>> {
        let interval = i64::from(self.interval.max(1));
        let months = |date: Date| i64::from(date.year()) * 12 + i64::from(date.month()) - 1;
        let ahead = |passed: i64| (interval - passed.rem_euclid(interval)) % interval;
        match self.unit {
            Unit::Minutes | Unit::Hours => None,
            Unit::Days => {
                let left = ahead(days_between(start, day));
                (left > 0).then(|| day.checked_add(left.try_days()?).ok())
            }
            Unit::Weeks => {
                let monday = |date: Date| {
                    let back = i64::from(date.weekday().to_monday_zero_offset());
                    date.checked_sub(back.try_days()?).ok()
                };
                let (first, this) = (monday(start)?, monday(day)?);
                let left = ahead(days_between(first, this) / 7);
                (left > 0).then(|| this.checked_add((left.checked_mul(7)?).try_days()?).ok())
            }
            Unit::Months => {
                let left = ahead(months(day) - months(start));
                (left > 0).then(|| first_of_month(months(day).checked_add(left)?))
            }
            Unit::Years => {
                let left = ahead(i64::from(day.year()) - i64::from(start.year()));
                (left > 0).then(|| first_of_month((i64::from(day.year()) + left).checked_mul(12)?))
            }
        }
    }

    fn gives(&self, day: Date) -> bool {
        let from_start = |date: Date| i32::from(date.day());
        let from_end = |date: Date| i32::from(date.day()) - i32::from(date.days_in_month()) - 1;
        let is_day = |wanted: &i32| *wanted == from_start(day) || *wanted == from_end(day);
        (self.months.is_empty() || self.months.contains(&day.month()))
            && (self.month_days.is_empty() || self.month_days.iter().any(is_day))
            && (self.weeks.is_empty() || self.weeks.contains(&day.iso_week_date().week().into()))
            && (self.weekdays.is_empty() || self.weekdays.iter().any(|wanted| self.is_weekday(*wanted, day)))
    }

    fn is_weekday(&self, (number, weekday): (i32, Weekday), day: Date) -> bool {
        if day.weekday() != weekday {
            return false;
        }
        let (at, of) = match self.unit {
            Unit::Months => (day.day().into(), day.days_in_month().into()),
            Unit::Years if !self.months.is_empty() => (day.day().into(), day.days_in_month().into()),
            Unit::Years => (i32::from(day.day_of_year()), i32::from(day.days_in_year())),
            Unit::Minutes | Unit::Hours | Unit::Days | Unit::Weeks => return true,
        };
        number == 0 || number == (at - 1) / 7 + 1 || number == -((of - at) / 7 + 1)
    }

    /// Parses the words of a rule; `None` if rrule rejects them.
    fn take(&mut self, words: &mut Reader<'_>) -> Option<()> {
        words.expect(Word::Every)?;
        if let Some(number) = words.number() {
            self.interval = number?;
        }
        match words.now()? {
            Word::Days => {
                self.unit = Unit::Days;
                words.advance();
                self.take_hours(words)?;
            }
            Word::Workdays => {
                self.unit = Unit::Weeks;
                self.weekdays = WORKDAYS.map(|day| (0, day)).to_vec();
                words.advance();
                self.take_hours(words)?;
            }
            unit @ (Word::Weeks | Word::Months | Word::Years | Word::Hours | Word::Minutes) => {
                self.unit = match unit {
                    Word::Weeks => Unit::Weeks,
                    Word::Months => Unit::Months,
                    Word::Years => Unit::Years,
                    Word::Hours => Unit::Hours,
                    _ => Unit::Minutes,
                };
                words.advance();
                self.take_days(words)?;
            }
            Word::Weekday(day) => {
                self.unit = Unit::Weeks;
                self.weekdays.push((0, day));
                words.advance();
                while words.accept(Word::Comma) {
                    let Some(Word::Weekday(day)) = words.now() else { return None };
                    self.weekdays.push((0, day));
                    words.advance();
                }
                self.take_hours(words)?;
                self.take_month_days(words)?;
            }
            Word::Month(month) => {
                self.unit = Unit::Years;
                self.months.push(month);
                words.advance();
                while words.accept(Word::Comma) {
                    let Some(Word::Month(month)) = words.now() else { return None };
                    self.months.push(month);
                    words.advance();
                }
                self.take_days(words)?;
            }
            _ => return None,
        }
        // A rule by the hour or minute with days has no meaning for a task.
        let has_days = !self.is_without_days() || !self.months.is_empty() || !self.weeks.is_empty();
        if matches!(self.unit, Unit::Minutes | Unit::Hours) && has_days {
            return None;
        }
        self.take_end(words)
    }

    /// Parses `on the 1st and the last Friday`.
    fn take_days(&mut self, words: &mut Reader<'_>) -> Option<()> {
        let on = words.accept(Word::On);
        let the = words.accept(Word::The);
        if !on && !the {
            return Some(());
        }
        loop {
            let number = words.ordinal()?;
            match (number, words.now()) {
                (number, Some(Word::Weekday(day))) => {
                    words.advance();
                    self.weekdays.push((number.unwrap_or(0), day));
                }
                (Some(number), _) => {
                    self.month_days.push(number);
                    words.accept(Word::Days);
                }
                (None, Some(Word::Workdays)) => {
                    words.advance();
                    if self.weekdays.is_empty() {
                        self.weekdays = WORKDAYS.map(|day| (0, day)).to_vec();
                    }
                }
                (None, Some(Word::Weeks)) => {
                    words.advance();
                    self.weeks = vec![i32::try_from(words.number()??).ok()?];
                    while words.accept(Word::Comma) {
                        self.weeks.push(i32::try_from(words.number()??).ok()?);
                    }
                }
                (None, Some(Word::Month(month))) => {
                    words.advance();
                    self.months.push(month);
                }
                (None, _) => return Some(()),
            }
            if !(words.accept(Word::Comma) || words.accept(Word::The) || words.accept(Word::On)) {
                return Some(());
            }
        }
    }

    /// Parses `at 9 and 17`, which does not affect the day.
    fn take_hours(&mut self, words: &mut Reader<'_>) -> Option<()> {
        if words.accept(Word::At) {
            words.number()??;
            while words.accept(Word::Comma) || words.accept(Word::At) {
                words.number()??;
            }
        }
        Some(())
    }

    /// Parses `on the 1st` after weekdays.
    fn take_month_days(&mut self, words: &mut Reader<'_>) -> Option<()> {
        words.accept(Word::On);
        words.accept(Word::The);
        let Some(number) = words.ordinal()? else { return Some(()) };
        self.month_days = vec![number];
        words.advance();
        while words.accept(Word::Comma) {
            self.month_days.push(words.ordinal()??);
            words.advance();
        }
        Some(())
    }

    fn take_end(&mut self, words: &mut Reader<'_>) -> Option<()> {
        if words.now() == Some(Word::Until) {
            self.until = Some(words.date_behind()?);
        } else if words.accept(Word::For) {
            self.count = Some(words.number()??);
        }
        Some(())
    }
}

const WHEN_DONE: &str = " when done";

/// A rule without a match among this many days of its periods never matches: 30 February.
const MOST_DAYS: usize = 366 * 60;

fn days_between(from: Date, to: Date) -> i64 {
    i64::from((to - from).get_days())
}

/// The first day of a month, numbered from January of the year 0.
fn first_of_month(months: i64) -> Option<Date> {
    let year = i16::try_from(months.div_euclid(12)).ok()?;
    let month = i8::try_from(months.rem_euclid(12) + 1).ok()?;
    Date::new(year, month, 1).ok()
}

/// A span of days, if it is representable.
trait TryDays {
    fn try_days(self) -> Option<jiff::Span>;
}

impl TryDays for i64 {
    fn try_days(self) -> Option<jiff::Span> {
        jiff::Span::new().try_days(self).ok()
    }
}
