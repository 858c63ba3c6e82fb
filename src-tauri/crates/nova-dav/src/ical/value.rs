use std::fmt;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::Property;

/// The date or time of a property. All-day events use dates, which have no zone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Moment {
    Date(Date),
    /// The same clock time in every zone.
    Floating(DateTime),
    Utc(DateTime),
    /// A clock time and the file's TZID.
    Zoned(DateTime, String),
}

/// Why a value is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    #[error("\"{0}\" is not a date or time")]
    Moment(String),
    #[error("\"{0}\" is not a duration")]
    Length(String),
}

impl Moment {
    /// Parses the value of a property.
    pub fn of(property: &Property) -> Result<Self, ValueError> {
        Self::parse(property.value(), property.param("TZID"))
    }

    /// Parses `20261124`, `20261124T093000` or `20261124T093000Z`. `zone` applies to a clock time only.
    pub fn parse(value: &str, zone: Option<&str>) -> Result<Self, ValueError> {
        let wrong = || ValueError::Moment(value.chars().take(40).collect());
        let value = value.trim();
        let (clock, utc) = match value.strip_suffix(['Z', 'z']) {
            Some(clock) => (clock, true),
            None => (value, false),
        };
        let (day, time) = match clock.split_once(['T', 't']) {
            Some((day, time)) => (day, Some(time)),
            None => (clock, None),
        };
        let digits = |text: &str, from: usize, to: usize| -> Option<i16> {
            text.get(from..to).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
        };
        let date = || {
            let [year, month, day_of] = [digits(day, 0, 4)?, digits(day, 4, 6)?, digits(day, 6, 8)?];
            if day.len() != 8 {
                return None;
            }
            Date::new(year, month.try_into().ok()?, day_of.try_into().ok()?).ok()
        };
        let date = date().ok_or_else(wrong)?;
        let Some(time) = time else {
            return if utc { Err(wrong()) } else { Ok(Self::Date(date)) };
        };
        let at = || {
            let [hour, minute] = [digits(time, 0, 2)?, digits(time, 2, 4)?];
            // Some programs omit the seconds. A leap second becomes second 59.
            let second = if time.len() == 4 { 0 } else { digits(time, 4, 6)?.min(59) };
            if !matches!(time.len(), 4 | 6) {
                return None;
            }
            DateTime::new(
                date.year(),
                date.month(),
                date.day(),
                hour.try_into().ok()?,
                minute.try_into().ok()?,
                second.try_into().ok()?,
                0,
            )
            .ok()
        };
        let at = at().ok_or_else(wrong)?;
        Ok(match (utc, zone) {
            (true, _) => Self::Utc(at),
            (false, Some(zone)) if !zone.is_empty() => Self::Zoned(at, zone.to_owned()),
            (false, _) => Self::Floating(at),
        })
    }

    pub fn from_instant(instant: Timestamp) -> Self {
        Self::Utc(TimeZone::UTC.to_datetime(instant))
    }

    pub fn is_date(&self) -> bool {
        matches!(self, Self::Date(_))
    }

    /// The TZID in this file; `UTC`, or `None` for a date or a floating time.
    pub fn zone_name(&self) -> Option<&str> {
        match self {
            Self::Date(_) | Self::Floating(_) => None,
            Self::Utc(_) => Some("UTC"),
            Self::Zoned(_, zone) => Some(zone),
        }
    }

    /// The clock time, midnight for a date.
    pub fn clock(&self) -> DateTime {
        match self {
            Self::Date(date) => date.to_datetime(jiff::civil::Time::midnight()),
            Self::Floating(at) | Self::Utc(at) | Self::Zoned(at, _) => *at,
        }
    }

    /// The same kind of moment with another clock time.
    #[must_use]
    pub fn at(&self, clock: DateTime) -> Self {
        match self {
            Self::Date(_) => Self::Date(clock.date()),
            Self::Floating(_) => Self::Floating(clock),
            Self::Utc(_) => Self::Utc(clock),
            Self::Zoned(_, zone) => Self::Zoned(clock, zone.clone()),
        }
    }

    /// Builds a property with this value.
    pub fn property(&self, name: &str) -> Property {
        let property = Property::new(name, self.to_string());
        match self {
            Self::Date(_) => property.with("VALUE", "DATE"),
            Self::Zoned(_, zone) => property.with("TZID", zone),
            Self::Floating(_) | Self::Utc(_) => property,
        }
    }
}

impl fmt::Display for Moment {
    /// The raw value, without the zone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.clock();
        write!(f, "{:04}{:02}{:02}", at.year(), at.month(), at.day())?;
        if !self.is_date() {
            write!(f, "T{:02}{:02}{:02}", at.hour(), at.minute(), at.second())?;
        }
        if matches!(self, Self::Utc(_)) { f.write_str("Z") } else { Ok(()) }
    }
}

/// A duration: nominal days, and exact seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Length {
    pub days: i64,
    pub seconds: i64,
}

impl Length {
    /// Counts days as 24 hours.
    pub fn longest(self) -> SignedDuration {
        SignedDuration::from_secs(self.days.saturating_mul(86_400).saturating_add(self.seconds))
    }

    /// Parses `P1W`, `P1DT2H30M`, `-PT15M`.
    pub fn parse(value: &str) -> Result<Self, ValueError> {
        Self::read(value.trim()).ok_or_else(|| ValueError::Length(value.chars().take(40).collect()))
    }

    fn read(value: &str) -> Option<Self> {
        let (sign, rest) = match value.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, value.strip_prefix('+').unwrap_or(value)),
        };
        let rest = rest.strip_prefix(['P', 'p'])?;
        let (days, times) = rest.split_once(['T', 't']).unwrap_or((rest, ""));
        let mut length = Self::default();
        for (count, unit) in parts(days)? {
            length.days = match unit {
                'W' => length.days.checked_add(count.checked_mul(7)?)?,
                'D' => length.days.checked_add(count)?,
                _ => return None,
            };
        }
        for (count, unit) in parts(times)? {
            let seconds = match unit {
                'H' => 3600,
                'M' => 60,
                'S' => 1,
                _ => return None,
            };
            length.seconds = length.seconds.checked_add(count.checked_mul(seconds)?)?;
        }
        if rest.is_empty() || rest.ends_with(['T', 't']) {
            return None;
        }
        Some(Self { days: sign * length.days, seconds: sign * length.seconds })
    }
}

/// Splits into numbers and their units, in upper case.
fn parts(text: &str) -> Option<Vec<(i64, char)>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_digit())?;
        let unit = rest[end..].chars().next()?;
        // More than nine digits are no plausible duration, and could overflow.
        if end > 9 {
            return None;
        }
        parts.push((rest[..end].parse().ok()?, unit.to_ascii_uppercase()));
        rest = &rest[end + unit.len_utf8()..];
    }
    Some(parts)
}
