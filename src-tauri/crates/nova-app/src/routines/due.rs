//! Determines which routines are due, from their notes and the ledger. Pure functions.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use nova_protocol::RoutineEnd;

use super::ledger::{Entry, LastRun};
use super::note::{Routine, RoutineNote};

/// A routine to run now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Due {
    pub(crate) path: String,
    /// The latest due time.
    pub(crate) at: Timestamp,
    /// The earliest due time that was missed.
    pub(crate) first: Timestamp,
}

/// The current state that routines are compared with.
pub(crate) struct Moment<'a> {
    pub(crate) now: Timestamp,
    /// The program has just started to run routines.
    pub(crate) beginning: bool,
    /// Current fingerprints of records, by type.
    pub(crate) records: &'a BTreeMap<String, String>,
    /// Whether any Nova process runs a turn in the session.
    pub(crate) is_running: &'a dyn Fn(&str) -> bool,
}

/// Updates the entries of a vault and returns what is due, earliest first.
pub(crate) fn due(entries: &mut BTreeMap<String, Entry>, notes: &[RoutineNote], moment: &Moment) -> Vec<Due> {
    for last in entries.values_mut().filter_map(|entry| entry.last.as_mut()) {
        if last.is_open() && !(moment.is_running)(&last.session) {
            last.end = ended_unseen(last.end);
        }
    }
    let paths: BTreeSet<&str> = notes.iter().map(|note| note.path.as_str()).collect();
    entries.retain(|path, _| paths.contains(path.as_str()));
    // Its changes are taken out of the fingerprints when it stops.
    let one_runs = entries.values().filter_map(|entry| entry.last.as_ref()).any(LastRun::is_running);
    let mut all = Vec::new();
    for note in notes {
        let schedule = note.schedule();
        let entry = entries.entry(note.path.to_string()).or_insert_with(|| Entry {
            schedule: String::new(),
            through: moment.now,
            records: BTreeMap::new(),
            last: None,
        });
        if entry.schedule != schedule {
            // A new or edited schedule has missed nothing.
            entry.schedule = schedule;
            entry.through = moment.now;
            entry.records = BTreeMap::new();
        }
        let Ok(routine) = &note.routine else { continue };
        let is_free = note.enabled && !entry.last.as_ref().is_some_and(LastRun::is_open);
        let changed = !one_runs && changed(entry, routine, moment);
        if let Some((at, first)) = time(entry, routine, moment, changed).filter(|_| is_free) {
            all.push(Due { path: note.path.to_string(), at, first });
        }
    }
    all.sort_by(|one, other| (one.at, &one.path).cmp(&(other.at, &other.path)));
    all
}

/// The final state of a run whose end was not recorded.
pub(crate) fn ended_unseen(end: RoutineEnd) -> RoutineEnd {
    match end {
        RoutineEnd::Running => RoutineEnd::CutOff,
        RoutineEnd::Waiting => RoutineEnd::Stopped,
        end => end,
    }
}

fn time(entry: &Entry, routine: &Routine, moment: &Moment, changed: bool) -> Option<(Timestamp, Timestamp)> {
    let now = moment.now;
    let first = routine.schedule.next_after(entry.through).filter(|first| *first <= now);
    if let Some(first) = first {
        return Some((routine.schedule.last_until(now).unwrap_or(first), first));
    }
    (changed || moment.beginning && routine.schedule.at_start()).then_some((now, now))
}

/// Whether records that trigger it have changed. The first observation is not a change.
fn changed(entry: &mut Entry, routine: &Routine, moment: &Moment) -> bool {
    let mut changed = false;
    for record_type in routine.schedule.record_types() {
        let Some(now) = moment.records.get(record_type) else { continue };
        let before = entry.records.entry(record_type.to_owned()).or_insert_with(|| now.clone());
        changed |= *before != *now;
    }
    changed
}

#[cfg(test)]
mod tests;
