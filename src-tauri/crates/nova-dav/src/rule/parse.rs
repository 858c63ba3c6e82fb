use std::str::FromStr;

use jiff::civil::Weekday;

use super::{Frequency, Rule};
use crate::ical::Moment;

/// Why a rule cannot be expanded. There is no fallback: the event is reported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("the rule has no FREQ")]
    NoFrequency,
    #[error("the rule has both COUNT and UNTIL")]
    TwoEnds,
    #[error("the rule has {part} twice")]
    Twice { part: String },
    #[error("the rule's {part}={value} cannot be read")]
    Value { part: String, value: String },
    #[error("the rule's {part}={value} is not supported")]
    Unsupported { part: String, value: String },
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let mut rule = Self::every(Frequency::Daily);
        let mut seen: Vec<String> = Vec::new();
        for part in text.trim().split(';').filter(|part| !part.trim().is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (name, value) = (name.trim().to_ascii_uppercase(), value.trim().to_ascii_uppercase());
            if seen.contains(&name) {
                return Err(RuleError::Twice { part: name });
            }
            read(&mut rule, &name, &value)?;
            seen.push(name);
        }
        if !seen.iter().any(|name| name == "FREQ") {
            return Err(RuleError::NoFrequency);
        }
        if rule.count.is_some() && rule.until.is_some() {
            return Err(RuleError::TwoEnds);
        }
        Ok(rule)
    }
}

fn read(rule: &mut Rule, name: &str, value: &str) -> Result<(), RuleError> {
    let shown = || value.chars().take(40).collect::<String>();
    let wrong = || RuleError::Value { part: name.to_owned(), value: shown() };
    let unsupported = || RuleError::Unsupported { part: name.to_owned(), value: shown() };
    match name {
        "FREQ" => {
            rule.frequency = match value {
                "YEARLY" => Frequency::Yearly,
                "MONTHLY" => Frequency::Monthly,
                "WEEKLY" => Frequency::Weekly,
                "DAILY" => Frequency::Daily,
                "HOURLY" => Frequency::Hourly,
                "MINUTELY" => Frequency::Minutely,
                "SECONDLY" => Frequency::Secondly,
                _ => return Err(wrong()),
            };
        }
        "INTERVAL" => {
            rule.interval = value.parse().ok().filter(|n| (1..=1_000_000).contains(n)).ok_or_else(wrong)?;
        }
        "COUNT" => rule.count = Some(value.parse().ok().filter(|n| *n > 0).ok_or_else(wrong)?),
        "UNTIL" => rule.until = Some(Moment::parse(value, None).map_err(|_| wrong())?),
        "WKST" => rule.week_start = weekday(value).ok_or_else(wrong)?,
        "BYDAY" => rule.by_day = list(value, placed_day).ok_or_else(wrong)?,
        "BYMONTH" => rule.by_month = numbers(value, 1, 12, false).ok_or_else(wrong)?,
        "BYMONTHDAY" => rule.by_month_day = numbers(value, 1, 31, true).ok_or_else(wrong)?,
        "BYYEARDAY" => rule.by_year_day = numbers(value, 1, 366, true).ok_or_else(wrong)?,
        "BYWEEKNO" => rule.by_week = numbers(value, 1, 53, true).ok_or_else(wrong)?,
        "BYHOUR" => rule.by_hour = numbers(value, 0, 23, false).ok_or_else(wrong)?,
        "BYMINUTE" => rule.by_minute = numbers(value, 0, 59, false).ok_or_else(wrong)?,
        // A leap second becomes second 59.
        "BYSECOND" => {
            rule.by_second = numbers(value, 0, 60, false).ok_or_else(wrong)?;
            rule.by_second.iter_mut().for_each(|second: &mut i8| *second = (*second).min(59));
            rule.by_second.dedup();
        }
        "BYSETPOS" => rule.by_place = numbers(value, 1, 366, true).ok_or_else(wrong)?,
        // RFC 7529: skipping invalid dates is the default, and GREGORIAN is the usual calendar.
        "RSCALE" if value == "GREGORIAN" => {}
        "SKIP" if value == "OMIT" => {}
        // Extensions do not affect the expansion.
        name if name.starts_with("X-") => {}
        _ => return Err(unsupported()),
    }
    Ok(())
}

fn list<T>(value: &str, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    value.split(',').map(|item| read(item.trim())).collect()
}

/// Parses a list; sorted and deduplicated.
fn numbers<T: TryFrom<i64> + Ord>(value: &str, least: i64, most: i64, negative: bool) -> Option<Vec<T>> {
    let mut numbers = list(value, |item| {
        let number: i64 = item.strip_prefix('+').unwrap_or(item).parse().ok()?;
        let size = if negative { number.abs() } else { number };
        if (least..=most).contains(&size) { T::try_from(number).ok() } else { None }
    })?;
    numbers.sort();
    numbers.dedup();
    Some(numbers)
}

fn placed_day(item: &str) -> Option<(i8, Weekday)> {
    let name = item.get(item.len().checked_sub(2)?..)?;
    let place = &item[..item.len() - 2];
    let place: i8 = match place.strip_prefix('+').unwrap_or(place) {
        "" => 0,
        place => place.parse().ok().filter(|place: &i8| (1..=53).contains(&place.unsigned_abs()))?,
    };
    Some((place, weekday(name)?))
}

fn weekday(name: &str) -> Option<Weekday> {
    Some(match name {
        "MO" => Weekday::Monday,
        "TU" => Weekday::Tuesday,
        "WE" => Weekday::Wednesday,
        "TH" => Weekday::Thursday,
        "FR" => Weekday::Friday,
        "SA" => Weekday::Saturday,
        "SU" => Weekday::Sunday,
        _ => return None,
    })
}
