use std::collections::HashSet;

use nova_dav::ical::Component;
use nova_skill::figures::{folded, similarity};
use nova_skill::{Note, NotePath, ToolContext, ToolError};

use crate::row::{id, title};
use crate::sources::{Read, read_only};

/// How many nearest names an error lists.
const NEAREST: usize = 5;
/// How many matches an error lists.
const LISTED: usize = 12;

/// An event with all its instances.
pub(crate) struct Found<'a> {
    pub(crate) calendar: &'a Read,
    pub(crate) uid: String,
    pub(crate) event: &'a Component,
}

/// The event with that path, id or title, or with all these words in its title.
///
/// # Errors
/// `Ambiguous` with all that match, `NotFound` with the nearest titles.
pub(crate) fn find<'a>(calendars: &'a [Read], said: &str) -> Result<Found<'a>, ToolError> {
    let said = said.trim().trim_start_matches("[[").trim_end_matches("]]");
    let wanted = folded(said);
    let all: Vec<Found> = calendars.iter().flat_map(events).collect();
    let is_id = |found: &Found| {
        let id = folded(&id(found.calendar, &found.uid));
        id == wanted || id.strip_suffix(".md") == Some(wanted.as_str())
    };
    let is_called = |found: &Found| {
        folded(&title(found.event)) == wanted
            || found.calendar.is_vault()
                && NotePath::parse(&found.uid).is_ok_and(|path| folded(path.name()) == wanted)
    };
    let has_words = |found: &Found| {
        let own = folded(&title(found.event));
        !wanted.is_empty()
            && wanted.split_whitespace().all(|word| own.split_whitespace().any(|own| own == word))
    };
    let ways: [&dyn Fn(&Found) -> bool; 3] = [&is_id, &is_called, &has_words];
    for fits in ways {
        let places: Vec<usize> = (0..all.len()).filter(|place| fits(&all[*place])).collect();
        match places.as_slice() {
            [] => {}
            [place] => return all.into_iter().nth(*place).ok_or_else(|| not_found(said, Vec::new())),
            places => {
                let matches = places.iter().take(LISTED).map(|place| label(&all[*place])).collect();
                return Err(ToolError::Ambiguous { kind: "event".into(), name: said.into(), matches });
            }
        }
    }
    let mut near: Vec<(usize, String)> =
        all.iter().map(|found| (similarity(said, &title(found.event)), title(found.event))).collect();
    near.sort_by(|(a, _), (b, _)| b.cmp(a));
    near.dedup_by(|(_, a), (_, b)| a == b);
    let nearest = near.into_iter().filter(|(similarity, _)| *similarity > 50).take(NEAREST);
    Err(not_found(said, nearest.map(|(_, title)| title).collect()))
}

/// The events of a calendar, each by what describes all its instances; of an invitation to single instances of a series
/// by the first of these.
pub(crate) fn events(calendar: &Read) -> Vec<Found<'_>> {
    let described = || {
        let events = calendar.agenda.calendar().components("VEVENT");
        events.map(|event| Found { calendar, uid: event.text("UID").unwrap_or_default(), event })
    };
    let is_instance = |found: &Found| found.event.property("RECURRENCE-ID").is_some();
    let mut all: Vec<Found> = described().filter(|found| !is_instance(found)).collect();
    let mut known: HashSet<String> = all.iter().map(|found| found.uid.clone()).collect();
    all.extend(described().filter(|found| is_instance(found) && known.insert(found.uid.clone())));
    all
}

/// The note of an event that can be changed.
///
/// # Errors
/// As [`find`], and for an event that is not a note.
pub(crate) async fn note(ctx: &dyn ToolContext, calendars: &[Read], said: &str) -> Result<Note, ToolError> {
    let found = find(calendars, said)?;
    let path = NotePath::parse(&found.uid);
    match path {
        Ok(path) if found.calendar.is_vault() => ctx.vault().read(&path).await,
        _ if !found.calendar.read_only => Err(ToolError::failed(
            format!("{} is in the calendar {}, not in the vault.", title(found.event), found.calendar.name),
            format!("Call it again with the event \"{}\".", id(found.calendar, &found.uid)),
        )),
        _ => Err(read_only(&found.calendar.name)),
    }
}

fn label(found: &Found) -> String {
    let start = found.event.property("DTSTART").map(|start| start.value().to_owned()).unwrap_or_default();
    format!("{} ({start}, {})", title(found.event), id(found.calendar, &found.uid))
}

fn not_found(said: &str, nearest: Vec<String>) -> ToolError {
    ToolError::NotFound { kind: "event".into(), name: said.into(), nearest }
}
