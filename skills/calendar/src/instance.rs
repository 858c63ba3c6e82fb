//! The instance of a recurring event that a call names.

use nova_dav::events::{Instance, Span};
use nova_skill::ToolError;
use nova_skill::jiff::civil::{Date, DateTime, Time};
use nova_skill::jiff::tz::TimeZone;

use crate::period::invalid;
use crate::written::Given;

/// By the day on which it starts, or by its start, on the clock of the user.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Named {
    Day(Date),
    At(DateTime),
}

impl Named {
    /// The argument `date`: `2026-11-24`, or `2026-11-24T09:30` as a list shows it.
    ///
    /// # Errors
    /// `InvalidArguments`.
    pub(crate) fn parse(text: &str) -> Result<Self, ToolError> {
        match Given::parse("/date", text)? {
            Given::Day(day) => Ok(Self::Day(day)),
            Given::At(at) => Ok(Self::At(at)),
            Given::Clock(_) => Err(invalid("/date", "needs the day, such as 2026-11-24")),
        }
    }

    pub(crate) fn day(self) -> Date {
        match self {
            Self::Day(day) => day,
            Self::At(at) => at.date(),
        }
    }

    /// The one instance that starts then; `listed` are those of the event that overlap the day.
    ///
    /// # Errors
    /// `InvalidArguments` if none or several do.
    pub(crate) fn find<'a, 'b: 'a>(
        self,
        listed: impl Iterator<Item = &'a Instance<'b>>,
        home: &TimeZone,
    ) -> Result<&'a Instance<'b>, ToolError> {
        let all = self.find_all(listed, home)?;
        match all.as_slice() {
            [one] => Ok(one),
            several => {
                let starts = clocks(several.iter().map(|instance| start_of(&instance.span, home)));
                let rule =
                    format!("several instances start on {}; give the start of one, {starts}", self.day());
                Err(invalid("/date", &rule))
            }
        }
    }

    /// As [`Self::find`], all that start then.
    ///
    /// # Errors
    /// `InvalidArguments` if none does.
    pub(crate) fn find_all<'a, 'b: 'a>(
        self,
        listed: impl Iterator<Item = &'a Instance<'b>>,
        home: &TimeZone,
    ) -> Result<Vec<&'a Instance<'b>>, ToolError> {
        let day = self.day();
        let (mut fits, mut others) = (Vec::new(), Vec::new());
        for instance in listed {
            let start = start_of(&instance.span, home);
            let is_meant = match self {
                Self::Day(day) => start.date() == day,
                Self::At(at) => start == at,
            };
            if is_meant { fits.push(instance) } else { others.push(start) }
        }
        if !fits.is_empty() {
            return Ok(fits);
        }
        let rule = match others.first() {
            None => format!("the event does not take place on {day}"),
            Some(first) if first.date() < day => {
                format!(
                    "no instance starts on {day}; the one that lasts until then starts on {}",
                    first.date()
                )
            }
            Some(_) => {
                format!("no instance starts then; on {day} it starts at {}", clocks(others.into_iter()))
            }
        };
        Err(invalid("/date", &rule))
    }
}

/// When an instance starts on the clock of the user, to the minute, as a list shows it.
pub(crate) fn start_of(span: &Span, home: &TimeZone) -> DateTime {
    let start = match span {
        Span::Days { first, .. } => first.to_datetime(Time::midnight()),
        Span::Times { start, .. } => start.with_time_zone(home.clone()).datetime(),
    };
    start.date().at(start.hour(), start.minute(), 0, 0)
}

fn clocks(starts: impl Iterator<Item = DateTime>) -> String {
    starts.map(|start| start.strftime("%FT%H:%M").to_string()).collect::<Vec<_>>().join(", ")
}
