//! Parses `when:` and `zone:` of a routine, and computes its due times.

use std::collections::BTreeSet;

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

/// What `when:` accepts, for error messages.
pub(crate) const ACCEPTED: &str = "Write it as `weekdays 07:30`, `daily 18:00`, `mon, thu 09:00`, \
     `monthly 1 09:00`, `monthly last 18:00`, `every 2 hours`, `at start` or `when a contact changes`.";

/// Minimum and maximum interval of `every`, in minutes.
const INTERVAL: std::ops::RangeInclusive<i64> = 5..=24 * 60;
/// Upper bound for the days between two due times of an entry.
const FARTHEST: i32 = 62;

/// All entries of `when:`, with their time zone.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    entries: Vec<When>,
    zone: TimeZone,
}

/// One entry of `when:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum When {
    /// A time in a DST gap is moved by the length of the gap; of an ambiguous time, the first one counts.
    At { days: Days, time: Time },
    /// Counted from midnight.
    Every { minutes: i64 },
    /// Once, when Nova starts to run routines.
    Start,
    /// After a record of this type changed.
    Change { record_type: String },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Days {
    Week(BTreeSet<i8>),
    /// The last day of the month in shorter months.
    Month(i8),
}

impl Schedule {
    pub(crate) fn new(entries: Vec<When>, zone: TimeZone) -> Self {
        Self { entries, zone }
    }

    /// The first due time after this one; `None` if it is not time-based.
    pub(crate) fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        self.entries.iter().filter_map(|entry| entry.next_after(after, &self.zone)).min()
    }

    /// The last due time up to this one, inclusive.
    pub(crate) fn last_until(&self, until: Timestamp) -> Option<Timestamp> {
        self.entries.iter().filter_map(|entry| entry.last_until(until, &self.zone)).max()
    }

    pub(crate) fn at_start(&self) -> bool {
        self.entries.contains(&When::Start)
    }

    /// The record types that trigger it.
    pub(crate) fn record_types(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter_map(|entry| match entry {
            When::Change { record_type } => Some(record_type.as_str()),
            _ => None,
        })
    }
}

impl When {
    /// # Errors
    /// The problem and the accepted forms, as two sentences.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let refuse = |why: &str| format!("\"{text}\" {why}. {ACCEPTED}");
        let lower = text.to_lowercase();
        let words: Vec<&str> =
            lower.split([' ', ',', '\t', '\n']).filter(|word| !word.is_empty() && *word != "and").collect();
        match words.as_slice() {
            [] => Err("`when` is empty. ".to_owned() + ACCEPTED),
            ["at", "start"] => Ok(Self::Start),
            ["when", rest @ ..] => match rest {
                ["a" | "an", record_type, "changes"] | [record_type, "changes"] => {
                    Ok(Self::Change { record_type: (*record_type).to_owned() })
                }
                _ => Err(refuse("does not say which kind of note changes")),
            },
            ["every", rest @ ..] => {
                let (count, unit) = match rest {
                    [count, unit] => (count.parse().map_err(|_| refuse("needs a whole number"))?, *unit),
                    [unit] => (1, *unit),
                    _ => return Err(refuse("is not an interval")),
                };
                let minutes = match unit {
                    "minute" | "minutes" | "min" => Some(count),
                    "hour" | "hours" | "h" => i64::checked_mul(count, 60),
                    _ => return Err(refuse("must be in minutes or hours")),
                };
                match minutes.filter(|minutes| INTERVAL.contains(minutes)) {
                    Some(minutes) => Ok(Self::Every { minutes }),
                    None => Err(refuse("is not between 5 minutes and 24 hours")),
                }
            }
            ["monthly", day, time] => {
                let day = match *day {
                    "last" => 31,
                    day => {
                        day.trim_end_matches('.').parse().map_err(|_| refuse("needs a day of the month"))?
                    }
                };
                if !(1..=31).contains(&day) {
                    return Err(refuse("needs a day of the month"));
                }
                Ok(Self::At { days: Days::Month(day), time: time_of(time).ok_or_else(|| refuse(NO_TIME))? })
            }
            [days @ .., time] => {
                let time = time_of(time).ok_or_else(|| refuse(NO_TIME))?;
                let mut week = BTreeSet::new();
                for day in days {
                    week.extend(
                        weekdays(day).ok_or_else(|| refuse(&format!("has the unknown day \"{day}\"")))?,
                    );
                }
                if week.is_empty() {
                    return Err(refuse("needs a day"));
                }
                Ok(Self::At { days: Days::Week(week), time })
            }
        }
    }

    fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let today = after.to_zoned(zone.clone()).date();
        let dates = (-1..=FARTHEST).filter_map(|days| today.checked_add(days.days()).ok());
        match self {
            Self::At { days, time } => dates
                .filter(|date| days.include(*date))
                .filter_map(|date| instant(date, *time, zone))
                .find(|due| *due > after),
            Self::Every { minutes } => dates.take(4).find_map(|date| {
                let (begin, end) = day(date, zone)?;
                let step = SignedDuration::from_mins(*minutes);
                let steps = match after < begin {
                    true => 0,
                    false => after.duration_since(begin).as_secs() / step.as_secs() + 1,
                };
                let due = begin.checked_add(SignedDuration::from_secs(step.as_secs() * steps)).ok()?;
                (due < end).then_some(due)
            }),
            Self::Start | Self::Change { .. } => None,
        }
    }

    fn last_until(&self, until: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let today = until.to_zoned(zone.clone()).date();
        let dates = (-1..=FARTHEST).filter_map(|days| today.checked_sub(days.days()).ok());
        match self {
            Self::At { days, time } => dates
                .filter(|date| days.include(*date))
                .filter_map(|date| instant(date, *time, zone))
                .find(|due| *due <= until),
            Self::Every { minutes } => dates.take(4).find_map(|date| {
                let (begin, end) = day(date, zone)?;
                if begin > until {
                    return None;
                }
                let step = minutes * 60;
                let last = end.checked_sub(SignedDuration::from_secs(1)).ok()?.min(until);
                let steps = last.duration_since(begin).as_secs() / step;
                begin.checked_add(SignedDuration::from_secs(step * steps)).ok()
            }),
            Self::Start | Self::Change { .. } => None,
        }
    }
}

impl Days {
    fn include(&self, date: Date) -> bool {
        match self {
            Self::Week(days) => days.contains(&date.weekday().to_monday_one_offset()),
            Self::Month(day) => date.day() == (*day).min(date.days_in_month()),
        }
    }
}

const NO_TIME: &str = "does not end with a time such as 07:30";

/// "7:30"
fn time_of(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    let number = |text: &str| -> Option<i8> {
        let digits = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    };
    Time::new(number(hour)?, number(minute).filter(|_| minute.len() == 2)?, 0, 0).ok()
}

/// Weekday numbers, from Monday as 1.
fn weekdays(word: &str) -> Option<Vec<i8>> {
    let of = |days: &[Weekday]| days.iter().map(|day| day.to_monday_one_offset()).collect();
    Some(match word {
        "daily" | "everyday" => (1..=7).collect(),
        "weekdays" => (1..=5).collect(),
        "weekends" => vec![6, 7],
        "mon" | "monday" | "mondays" => of(&[Weekday::Monday]),
        "tue" | "tuesday" | "tuesdays" => of(&[Weekday::Tuesday]),
        "wed" | "wednesday" | "wednesdays" => of(&[Weekday::Wednesday]),
        "thu" | "thursday" | "thursdays" => of(&[Weekday::Thursday]),
        "fri" | "friday" | "fridays" => of(&[Weekday::Friday]),
        "sat" | "saturday" | "saturdays" => of(&[Weekday::Saturday]),
        "sun" | "sunday" | "sundays" => of(&[Weekday::Sunday]),
        _ => return None,
    })
}

fn instant(date: Date, time: Time, zone: &TimeZone) -> Option<Timestamp> {
    zone.to_ambiguous_timestamp(date.to_datetime(time)).compatible().ok()
}

/// The start of a day, and of the next one.
fn day(date: Date, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
    let begin = |date: Date| Some(date.to_zoned(zone.clone()).ok()?.timestamp());
    Some((begin(date)?, begin(date.tomorrow().ok()?)?))
}

#[cfg(test)]
mod tests;
