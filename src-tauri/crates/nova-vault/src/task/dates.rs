//! The dates of the next occurrence of a recurring task.

use jiff::civil::Date;

use super::fields::TaskField;
use super::line::Line;
use super::rule::Rule;

/// The dates that advance with a recurring task; the first one present is the reference for the others.
pub(super) const MOVING: [TaskField; 3] = [TaskField::Due, TaskField::Scheduled, TaskField::Start];

/// The dates of the next occurrence, for each date field of the line.
///
/// # Errors
/// Why there is none, as a clause.
pub(super) fn next_dates(line: &Line<'_>, today: Date) -> Result<Vec<(TaskField, Date)>, String> {
    let said = line.value(TaskField::Recurrence).unwrap_or_default();
    let rule = Rule::parse(said).ok_or_else(|| format!("the rule \"{said}\" is not understood"))?;
    let mut dates = Vec::new();
    for field in MOVING {
        let Some(value) = line.value(field) else { continue };
        let date = line.date(field).ok_or_else(|| format!("there is no day {value}"))?;
        dates.push((field, date));
    }
    let reference = dates.first().map_or(today, |(_, date)| *date);
    let next = rule.next(reference, today).ok_or_else(|| format!("\"{said}\" has no next occurrence"))?;
    let moved = |date: Date| next.checked_add(date - reference).ok();
    let beyond = || "the next day is too far away".to_owned();
    dates.into_iter().map(|(field, date)| Ok((field, moved(date).ok_or_else(beyond)?))).collect()
}
