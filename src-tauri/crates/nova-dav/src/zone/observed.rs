use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::ical::{Component, Moment};
use crate::rule::Rule;

/// The last year for which changes are computed; the last offset applies from then on.
const LAST_YEAR: i16 = 2100;
/// A `VTIMEZONE` as a list of offset changes.
#[derive(Debug, PartialEq, Eq)]
pub struct Observed {
    /// The offset before the first change.
    first: Offset,
    /// In the clock time before each change, sorted.
    changes: Vec<Change>,
}

#[derive(Debug, PartialEq, Eq)]
struct Change {
    at: DateTime,
    from: Offset,
    to: Offset,
}

impl Observed {
    /// `None` without a valid offset, and if expanding the definition exceeds the budget `steps`.
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
                // UNTIL in UTC is converted to the clock time before the change.
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

    /// Changes are given in the clock time before them. A time in a gap uses the offset before it, and an
    /// ambiguous one is the first: an offset applies until the end of the gap, or until the clock time of the
    /// change.
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
