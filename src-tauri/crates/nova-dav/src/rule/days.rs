use jiff::civil::{Date, DateTime, Weekday};

use super::{Frequency, Rule};

/// The days a rule allows: its BY parts, completed from the first start.
#[derive(Debug)]
pub(super) struct DayFilter {
    months: Vec<i8>,
    month_days: Vec<i8>,
    year_days: Vec<i16>,
    weeks: Vec<i8>,
    week_start: Weekday,
    weekdays: Vec<Weekday>,
    /// BYDAY entries with an ordinal in the month or year.
    placed: Vec<(i8, Weekday)>,
    in_month: bool,
}

impl DayFilter {
    pub(super) fn new(rule: &Rule, first: DateTime) -> Self {
        let mut filter = Self {
            months: rule.by_month.clone(),
            month_days: rule.by_month_day.clone(),
            year_days: rule.by_year_day.clone(),
            weeks: rule.by_week.clone(),
            week_start: rule.week_start,
            weekdays: Vec::new(),
            placed: Vec::new(),
            in_month: rule.frequency == Frequency::Monthly || !rule.by_month.is_empty(),
        };
        // An ordinal applies to a month or a year; in shorter periods only the weekday counts.
        for (place, weekday) in &rule.by_day {
            if *place == 0 || rule.frequency > Frequency::Monthly {
                filter.weekdays.push(*weekday);
            } else {
                filter.placed.push((*place, *weekday));
            }
        }
        let names_no_day = rule.by_day.is_empty()
            && rule.by_month_day.is_empty()
            && rule.by_year_day.is_empty()
            && rule.by_week.is_empty();
        if names_no_day {
            match rule.frequency {
                Frequency::Yearly => {
                    if filter.months.is_empty() {
                        filter.months.push(first.month());
                    }
                    filter.month_days.push(first.day());
                }
                Frequency::Monthly => filter.month_days.push(first.day()),
                Frequency::Weekly => filter.weekdays.push(first.weekday()),
                _ => {}
            }
        }
        filter
    }

    pub(super) fn allows_month(&self, month: i8) -> bool {
        self.months.is_empty() || self.months.contains(&month)
    }

    /// The allowed weekdays; empty if the rule names none, or only ones with a place in the month or year.
    pub(super) fn weekdays(&self) -> &[Weekday] {
        &self.weekdays
    }

    pub(super) fn allows(&self, date: Date) -> bool {
        self.allows_month(date.month())
            && self.allows_weekday(date)
            && allows_place(&self.month_days, || (date.day(), date.days_in_month()))
            && allows_place(&self.year_days, || (date.day_of_year(), date.days_in_year()))
            && self.allows_week(date)
    }

    fn allows_weekday(&self, date: Date) -> bool {
        if self.weekdays.is_empty() && self.placed.is_empty() {
            return true;
        }
        let weekday = date.weekday();
        if self.weekdays.contains(&weekday) {
            return true;
        }
        if self.placed.is_empty() {
            return false;
        }
        let (day, days) = if self.in_month {
            (i16::from(date.day()), i16::from(date.days_in_month()))
        } else {
            (date.day_of_year(), date.days_in_year())
        };
        let (from_start, from_end) = ((day - 1) / 7 + 1, -((days - day) / 7 + 1));
        self.placed
            .iter()
            .any(|(place, named)| *named == weekday && [from_start, from_end].contains(&i16::from(*place)))
    }

    fn allows_week(&self, date: Date) -> bool {
        if self.weeks.is_empty() {
            return true;
        }
        // A week belongs to the year that contains its fourth day.
        let since = i32::from(date.weekday().since(self.week_start));
        let Ok(fourth) = date.checked_add(jiff::Span::new().days(3 - since)) else { return false };
        let week = (fourth.day_of_year() - 1) / 7 + 1;
        let weeks = week + (fourth.days_in_year() - fourth.day_of_year()) / 7;
        self.weeks.iter().any(|number| {
            let number = i16::from(*number);
            number == week || number == week - weeks - 1
        })
    }
}

/// Whether a number out of a total, counted from the start or the end, is listed. An empty list allows all,
/// without computing the number.
fn allows_place<T>(places: &[T], number_of: impl FnOnce() -> (T, T)) -> bool
where
    T: Copy + PartialEq + std::ops::Sub<Output = T> + From<i8>,
{
    if places.is_empty() {
        return true;
    }
    let (number, of) = number_of();
    places.contains(&number) || places.contains(&(number - of - T::from(1)))
}
