//! Converts a note to an event of a calendar.

use std::str::FromStr;

use nova_dav::ical::{Component, Moment, Property};
use nova_dav::rule::Rule;
use nova_skill::jiff::civil::{DateTime, Time};
use nova_skill::jiff::{SignedDuration, ToSpan};
use nova_skill::{Date, Problem, Record, ToolError};

/// The weekdays by the letters of Full Calendar and in a rule.
const LETTERS: [(&str, &str); 7] =
    [("U", "SU"), ("M", "MO"), ("T", "TU"), ("W", "WE"), ("R", "TH"), ("F", "FR"), ("S", "SA")];
/// The start of an event with weekdays but no start of its recurrence.
const LONG_AGO: Date = nova_skill::jiff::civil::date(1970, 1, 4);
/// How many days of a rule are checked for its first start.
const STEPS: u64 = 20_000;

/// The `VEVENT` of a note; its UID is the note's path.
///
/// # Errors
/// `BrokenRecord` if the note has no valid time.
pub(crate) fn component(record: &Record) -> Result<Component, ToolError> {
    let mut event = Component::new("VEVENT");
    event.add(Property::text("UID", record.note().path.as_str()));
    event.add(Property::text("SUMMARY", &record.title()));
    if let Some(location) = record.text("location")? {
        event.add(Property::text("LOCATION", &location));
    }
    let when = When::of(record)?;
    match recurrence(record, &when)? {
        None => add_times(&mut event, &when, when.first),
        Some((rule, text, first)) => {
            // The first day may not match the rule, and is then not an instance.
            let mut steps = STEPS;
            let begin = first.to_datetime(when.start.unwrap_or_default());
            let far = begin.saturating_add(100.years());
            let first = rule.starts(begin, begin, far, &mut steps).next();
            let Some(first) = first else {
                return Err(broken(record, "its rule never takes place", "Correct the rule."));
            };
            add_times(&mut event, &when, first.date());
            event.add(Property::new("RRULE", text));
        }
    }
    for day in record.list("skipDates")? {
        let day = nova_skill::figures::plain_date(day.trim()).ok_or_else(|| {
            broken(
                record,
                &format!("`skipDates` has \"{day}\", which is not a date"),
                "Write days as YYYY-MM-DD.",
            )
        })?;
        event.add(Moment::Date(day).property("EXDATE"));
    }
    Ok(event)
}

/// The time of an event, before its recurrence.
pub(crate) struct When {
    first: Date,
    /// `None` for whole days.
    start: Option<Time>,
    /// The length after the start; in days for whole days.
    pub(crate) length: SignedDuration,
    zone: Option<String>,
}

impl When {
    /// # Errors
    /// `BrokenRecord` if the note has no valid time.
    pub(crate) fn of(record: &Record) -> Result<Self, ToolError> {
        let first = first_day(record)?;
        let whole = record.bool("allDay")? == Some(true);
        let start = if whole { None } else { time(record, "startTime")? };
        let last = record.date("endDate")?.unwrap_or(first);
        let begin = first.to_datetime(start.unwrap_or_default());
        let end = match (start, time(record, "endTime")?) {
            (None, _) => last.to_datetime(Time::midnight()).saturating_add(1.day()),
            // The default of Full Calendar.
            (Some(start), None) => last.to_datetime(start).saturating_add(SignedDuration::from_hours(1)),
            // An end before the start, without a day of its own, is on the next day.
            (Some(start), Some(end)) if record.date("endDate")?.is_none() && end < start => {
                first.to_datetime(end).saturating_add(1.day())
            }
            (Some(_), Some(end)) => last.to_datetime(end),
        };
        let length = end.duration_since(begin);
        if length.is_negative() || (start.is_none() && length.is_zero()) {
            return Err(broken(record, "it ends before it begins", "Correct its end."));
        }
        let zone = record.text("timezone")?.map(|zone| zone.trim().to_owned());
        if let Some(zone) = zone.as_deref().filter(|zone| nova_dav::zone::Zones::default().get(zone).is_err())
        {
            let what = format!("unknown time zone \"{zone}\"");
            return Err(broken(record, &what, "Use a name such as Europe/Berlin."));
        }
        Ok(Self { first, start, length, zone })
    }

    /// Midnight of the first day for whole days.
    pub(crate) fn begin(&self) -> DateTime {
        self.first.to_datetime(self.start.unwrap_or_default())
    }

    pub(crate) fn is_whole_days(&self) -> bool {
        self.start.is_none()
    }

    fn moment(&self, at: DateTime) -> Moment {
        match (&self.start, &self.zone) {
            (None, _) => Moment::Date(at.date()),
            (Some(_), None) => Moment::Floating(at),
            (Some(_), Some(zone)) => Moment::Zoned(at, zone.clone()),
        }
    }
}

fn add_times(event: &mut Component, when: &When, first: Date) {
    let begin = first.to_datetime(when.start.unwrap_or_default());
    event.add(when.moment(begin).property("DTSTART"));
    let end = match when.moment(begin.saturating_add(when.length)) {
        // A note states the end as a clock time. With its zone it would become a duration, and end an hour off on
        // nights when the clock changes.
        Moment::Zoned(end, _) => Moment::Floating(end),
        end => end,
    };
    event.add(end.property("DTEND"));
}

fn first_day(record: &Record) -> Result<Date, ToolError> {
    for field in ["date", "startDate", "startRecur"] {
        if let Some(day) = record.date(field)? {
            return Ok(day);
        }
    }
    if !record.list("daysOfWeek")?.is_empty() {
        return Ok(LONG_AGO);
    }
    Err(broken(record, "it has no `date`", "Add the day, such as date: 2026-11-24."))
}

/// The rule of a recurring event, as a value, as text, and its first day.
fn recurrence(record: &Record, when: &When) -> Result<Option<(Rule, String, Date)>, ToolError> {
    let text = if let Some(text) = record.text("rrule")? {
        let rule = text.lines().map(str::trim).find(|line| line.contains("FREQ=")).unwrap_or(text.trim());
        rule.strip_prefix("RRULE:").unwrap_or(rule).to_owned()
    } else {
        let days = record.list("daysOfWeek")?;
        if days.is_empty() {
            return Ok(None);
        }
        let mut names = Vec::new();
        for day in &days {
            let letter = day.trim().to_uppercase();
            let Some((_, name)) = LETTERS.iter().find(|(own, _)| *own == letter) else {
                let what = format!("`daysOfWeek` has \"{day}\"");
                return Err(broken(record, &what, "Use the letters M, T, W, R, F, S and U."));
            };
            names.push(*name);
        }
        let mut text = format!("FREQ=WEEKLY;BYDAY={}", names.join(","));
        if let Some(end) = record.date("endRecur")? {
            // `endRecur` itself is excluded.
            let last = end.yesterday().unwrap_or(end);
            text.push_str(&format!(";UNTIL={}", Moment::Date(last)));
        }
        text
    };
    let rule =
        Rule::from_str(&text).map_err(|error| broken(record, &error.to_string(), "Correct the rule."))?;
    Ok(Some((rule, text, when.first)))
}

fn time(record: &Record, field: &str) -> Result<Option<Time>, ToolError> {
    let Some(text) = record.text(field)?.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    clock(&text).map(Some).ok_or_else(|| {
        broken(record, &format!("`{field}` has \"{text}\", which is not a time"), "Write it as 09:30.")
    })
}

/// `9:30`, `09:30:00`, `9:30 pm`, `9 pm`.
pub(crate) fn clock(text: &str) -> Option<Time> {
    let text = text.trim().to_lowercase();
    let (digits, half) = match text.strip_suffix("am").or_else(|| text.strip_suffix("pm")) {
        Some(digits) => (digits.trim_end(), Some(text.ends_with("pm"))),
        None => (text.as_str(), None),
    };
    let mut parts = digits.split(':');
    let number = |part: Option<&str>| -> Option<i8> {
        part.filter(|part| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))?
            .parse()
            .ok()
    };
    let hour = number(parts.next())?;
    let minute = match parts.next() {
        None if half.is_some() => 0,
        minute => number(minute)?,
    };
    if let Some(seconds) = parts.next() {
        number(Some(seconds))?;
    }
    if parts.next().is_some() {
        return None;
    }
    let hour = match half {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(afternoon) => hour % 12 + if afternoon { 12 } else { 0 },
    };
    Time::new(hour, minute, 0, 0).ok()
}

fn broken(record: &Record, what: &str, remedy: &str) -> ToolError {
    ToolError::BrokenRecord(Problem {
        path: record.note().path.to_string(),
        line: 1,
        problem: what.to_owned(),
        remedy: remedy.to_owned(),
    })
}
