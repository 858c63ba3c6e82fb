use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::ical::{Component, Moment};
use crate::rule::Rule;

/// The year up to which a zone's changes are computed; what was last in force holds from then on.
const LAST_YEAR: i16 = 2100;
/// A `VTIMEZONE`: when which offset began.
#[derive(Debug, PartialEq, Eq)]
pub struct Observed {
    /// Before the first change.
    first: Offset,
    /// By the clock before the change, in their order.
    changes: Vec<Change>,
}

#[derive(Debug, PartialEq, Eq)]
struct Change {
    at: DateTime,
    from: Offset,
    to: Offset,
}

impl Observed {
    /// `None` for a definition without a readable offset, and for one that takes more than `steps` days, hours, minutes
    /// or seconds to look at.
    pub(super) fn of(definition: &Component, steps: &mut u64) -> Option<Self> {
        let mut changes = Vec::new();
        for part in definition.components().filter(|part| part.is("STANDARD") || part.is("DAYLIGHT")) {
            let (from, to) = (offset(&part.text("TZOFFSETFROM")?)?, offset(&part.text("TZOFFSETTO")?)?);
            let start = Moment::of(part.property("DTSTART")?).ok()?.clock();
            let mut add = |at| changes.push(Change { at, from, to });
            add(start);
            let end = DateTime::new(LAST_YEAR, 12, 31, 0, 0, 0, 0).ok()?;
            for rule in part.properties("RRULE") {
                let rule = Rule::from_str(rule.value()).ok()?;
                // An UNTIL in UTC is meant by the clock before the change.
                let until = match &rule.until {
                    Some(Moment::Utc(until)) => from.to_datetime(Offset::UTC.to_timestamp(*until).ok()?),
                    Some(until) => until.clock(),
                    None => end,
                };
                rule.starts(start, start, until.min(end), steps).for_each(&mut add);
                if *steps == 0 {
                    return None;
                }
            }
            for date in part.properties("RDATE").flat_map(|dates| dates.value().split(',')) {
                add(Moment::parse(date, None).ok()?.clock());
            }
        }
        changes.sort_by_key(|change| change.at);
        changes.dedup_by(|second, first| second.at == first.at && second.to == first.to);
        let first = changes.first()?.from;
        Some(Self { first, changes })
    }

    /// A change is given by the clock before it. A time that is skipped counts with the offset before, one that is
    /// repeated is the first: both hold until the clock after a gap, or the clock at the change.
    pub(super) fn offset_of_clock(&self, clock: DateTime) -> Offset {
        self.offset_before(self.changes.partition_point(|change| {
            let skipped = i64::from(change.to.seconds() - change.from.seconds()).max(0);
            change.at.saturating_add(jiff::SignedDuration::from_secs(skipped)) <= clock
        }))
    }

    pub(super) fn offset_at(&self, instant: Timestamp) -> Offset {
        self.offset_before(
            self.changes
                .partition_point(|change| change.from.to_timestamp(change.at).is_ok_and(|at| at <= instant)),
        )
    }

    fn offset_before(&self, next: usize) -> Offset {
        next.checked_sub(1).map_or(self.first, |current| self.changes[current].to)
    }
}

/// `+0200`, `-053000`.
fn offset(text: &str) -> Option<Offset> {
    let (sign, digits) = match text.trim().split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    if !matches!(digits.len(), 4 | 6) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize| digits.get(from..from + 2).map_or(Some(0), |part| part.parse::<i32>().ok());
    Offset::from_seconds(sign * (part(0)? * 3600 + part(2)? * 60 + part(4)?)).ok()
}
