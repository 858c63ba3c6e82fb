//! The period that a tool is asked about.

use nova_skill::figures::plain_date;
use nova_skill::jiff::civil::{Date, Time};
use nova_skill::jiff::tz::TimeZone;
use nova_skill::jiff::{Timestamp, ToSpan};
use nova_skill::{ToolContext, ToolError};

/// The longest period, in days.
const MOST: i64 = 400;

/// Whole days in the user's zone.
pub(crate) struct Period {
    pub(crate) first: Date,
    pub(crate) last: Date,
    pub(crate) zone: TimeZone,
}

impl Period {
    /// From a day, today by default, up to a day or for a number of days.
    ///
    /// # Errors
    /// `InvalidArguments` for an invalid date, and for a period that is empty or too long.
    pub(crate) fn of(
        ctx: &dyn ToolContext,
        from: Option<&str>,
        to: Option<&str>,
        days: Option<i64>,
        otherwise: i64,
    ) -> Result<Self, ToolError> {
        let first = from.map_or_else(|| Ok(ctx.clock().today()), |day| date("/from", day))?;
        let last = match (to, days) {
            (Some(_), Some(_)) => return Err(invalid("/to", "give either `to` or `days`")),
            (Some(to), None) => date("/to", to)?,
            (None, days) => {
                let days = days.unwrap_or(otherwise);
                if !(1..=MOST).contains(&days) {
                    return Err(invalid("/days", &format!("must be from 1 to {MOST}")));
                }
                first.saturating_add((days - 1).days())
            }
        };
        if last < first {
            return Err(invalid("/to", &format!("{last} is before {first}")));
        }
        if first.saturating_add(MOST.days()) <= last {
            return Err(invalid("/to", &format!("at most {MOST} days are listed at once")));
        }
        Ok(Self { first, last, zone: ctx.clock().zone() })
    }

    pub(crate) fn begin(&self) -> Timestamp {
        self.midnight(self.first)
    }

    /// The instant after its last day.
    pub(crate) fn end(&self) -> Timestamp {
        self.midnight(self.last.saturating_add(1.day()))
    }

    pub(crate) fn instant(&self, day: Date, time: Time) -> Timestamp {
        self.zone.to_ambiguous_timestamp(day.to_datetime(time)).compatible().unwrap_or(Timestamp::MAX)
    }

    fn midnight(&self, day: Date) -> Timestamp {
        self.instant(day, Time::midnight())
    }
}

pub(crate) fn date(argument: &str, text: &str) -> Result<Date, ToolError> {
    plain_date(text.trim()).ok_or_else(|| invalid(argument, &format!("\"{text}\" is not a date YYYY-MM-DD")))
}

pub(crate) fn invalid(argument: &str, rule: &str) -> ToolError {
    ToolError::InvalidArguments { path: argument.into(), rule: rule.into(), allowed: Vec::new() }
}
