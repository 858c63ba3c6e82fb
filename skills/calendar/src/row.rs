//! Events as an answer shows them.

use std::collections::HashMap;

use nova_dav::events::{Bounds, Instance, Span};
use nova_dav::ical::{Component, Property};
use nova_skill::figures::folded;
use nova_skill::jiff::tz::TimeZone;
use nova_skill::jiff::{Timestamp, Zoned};
use nova_skill::serde_json::Map;
use nova_skill::{NotePath, Output, Value, json};

use crate::people::{has_declined, invitation};
use crate::period::Period;
use crate::sources::Read;

/// How many instances of one event are listed in any case.
const OF_ONE: usize = 24;
/// How many events are named that are not listed completely.
const PROBLEMS: usize = 5;
const FEWER_DAYS: &str = "Ask for fewer days.";

/// One event of a listing.
pub(crate) struct Row<'a> {
    pub(crate) calendar: &'a Read,
    pub(crate) instance: Instance<'a>,
    begin: Timestamp,
}

/// The events of a period.
pub(crate) struct Listed<'a> {
    /// By their start.
    pub(crate) rows: Vec<Row<'a>>,
    /// Which events have more instances than are listed, as an answer reports them.
    pub(crate) problems: Vec<Value>,
}

/// The events of all calendars in a period. Cancelled ones are none.
pub(crate) fn rows<'a>(calendars: &'a [Read], period: &Period) -> Listed<'a> {
    let mut rows = Vec::new();
    let mut problems = Vec::new();
    for calendar in calendars {
        let listing = calendar.agenda.between(period.begin(), period.end(), &period.zone, Bounds::default());
        problems.extend(listing.cut.iter().take(PROBLEMS).map(|uid| {
            let mut events = calendar.agenda.calendar().components("VEVENT");
            left_out(calendar, uid, events.find(|event| event.text("UID").as_deref() == Some(*uid)))
        }));
        let live =
            listing.instances.into_iter().filter(|instance| !is(instance.event, "STATUS", "CANCELLED"));
        rows.extend(live.map(|instance| {
            let begin = match &instance.span {
                Span::Days { first, .. } => period.instant(*first, nova_skill::jiff::civil::Time::midnight()),
                Span::Times { start, .. } => start.timestamp(),
            };
            Row { calendar, instance, begin }
        }));
    }
    sort(&mut rows);
    Listed { rows, problems }
}

fn sort(rows: &mut [Row]) {
    rows.sort_by_key(|row| (row.begin, matches!(row.instance.span, Span::Times { .. })));
}

impl Listed<'_> {
    /// Leaves out instances beyond `most`: first of the events with many, then of read-only calendars, then the last
    /// ones. No calendar of others hides the user's own.
    pub(crate) fn shorten(&mut self, most: usize) {
        if self.rows.len() <= most {
            return;
        }
        let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
        let mut ranked: Vec<_> = std::mem::take(&mut self.rows)
            .into_iter()
            .map(|row| {
                let count = counts.entry((&row.calendar.name, row.instance.uid)).or_default();
                *count += 1;
                (*count > OF_ONE, row.calendar.read_only, row)
            })
            .collect();
        // Stable: by their start among equals.
        ranked.sort_by_key(|(is_beyond, is_read_only, _)| (*is_beyond, *is_read_only));
        let too_many =
            json!({"problem": "there are too many events; some are left out", "remedy": FEWER_DAYS});
        for (is_beyond, _, row) in ranked.split_off(most) {
            let is_named = is_beyond && self.problems.len() < PROBLEMS;
            let of_one = || left_out(row.calendar, row.instance.uid, Some(row.instance.event));
            let problem = if is_named { of_one() } else { too_many.clone() };
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
        self.rows = ranked.into_iter().map(|(_, _, row)| row).collect();
        sort(&mut self.rows);
    }
}

/// Names the event as other problems do: one of the vault by its path.
fn left_out(calendar: &Read, uid: &str, event: Option<&Component>) -> Value {
    json!({
        "calendar": calendar.name,
        "event": event.filter(|_| !calendar.is_vault()).map_or_else(|| uid.to_owned(), title),
        "problem": "it takes place too often; some of its instances are left out",
        "remedy": FEWER_DAYS,
    })
}

impl Row<'_> {
    /// The note of an event of the vault.
    pub(crate) fn note(&self) -> Option<NotePath> {
        self.calendar.is_vault().then(|| NotePath::parse(self.instance.uid).ok())?
    }

    pub(crate) fn matches(&self, query: &str) -> bool {
        let query = folded(query);
        ["SUMMARY", "LOCATION", "DESCRIPTION"]
            .iter()
            .filter_map(|name| self.instance.event.text(name))
            .any(|text| folded(&text).contains(&query))
    }

    /// Whether it makes its time unavailable: whole days do not, nor what is marked as free or was declined.
    pub(crate) fn blocks(&self) -> bool {
        matches!(self.instance.span, Span::Times { .. })
            && !is(self.instance.event, "TRANSP", "TRANSPARENT")
            && !self.is_declined()
    }

    /// Whether the user declined the invitation.
    pub(crate) fn is_declined(&self) -> bool {
        self.calendar.email.as_deref().is_some_and(|own| has_declined(self.instance.event, own))
    }

    pub(crate) fn ends_after(&self, now: Timestamp, period: &Period) -> bool {
        match &self.instance.span {
            Span::Days { after, .. } => {
                period.instant(*after, nova_skill::jiff::civil::Time::midnight()) > now
            }
            Span::Times { start, end } => end.timestamp() > now || start.timestamp() >= now,
        }
    }

    pub(crate) fn json(&self, zone: &TimeZone) -> Value {
        let mut row = Map::new();
        let event = self.instance.event;
        row.insert("title".into(), title(event).into());
        row.append(&mut when(&self.instance.span, zone));
        row.insert("event".into(), id(self.calendar, self.instance.uid).into());
        row.insert("calendar".into(), self.calendar.name.clone().into());
        if let Some(location) = event.text("LOCATION") {
            row.insert("location".into(), location.into());
        }
        if self.instance.recurrence.is_some() {
            row.insert("recurs".into(), true.into());
        }
        if let Some((_, answer)) = self.calendar.email.as_deref().and_then(|own| invitation(event, own)) {
            row.insert("answer".into(), answer.into());
        }
        row.into()
    }
}

/// Start and end: days, the last one included, or times in the user's zone.
pub(crate) fn when(span: &Span, zone: &TimeZone) -> Map<String, Value> {
    let mut shown = Map::new();
    match span {
        Span::Days { first, after } => {
            shown.insert("start".into(), first.to_string().into());
            shown.insert("end".into(), after.yesterday().unwrap_or(*after).to_string().into());
            shown.insert("whole_day".into(), true.into());
        }
        Span::Times { start, end } => {
            shown.insert("start".into(), clock(start, zone).into());
            shown.insert("end".into(), clock(end, zone).into());
            let own = start.time_zone();
            if let Some(name) =
                own.iana_name().filter(|name| *name != "UTC" && Some(*name) != zone.iana_name())
            {
                shown.insert("there".into(), format!("{} {name}", start.strftime("%F %H:%M")).into());
            }
        }
    }
    shown
}

fn clock(at: &Zoned, zone: &TimeZone) -> String {
    at.with_time_zone(zone.clone()).strftime("%FT%H:%M").to_string()
}

/// How tools name an event: a note by its path, any other by its calendar and its UID.
pub(crate) fn id(calendar: &Read, uid: &str) -> String {
    if calendar.is_vault() { uid.to_owned() } else { format!("{}/{uid}", calendar.name) }
}

pub(crate) fn title(event: &Component) -> String {
    event.text("SUMMARY").unwrap_or_else(|| "(no title)".into())
}

pub(crate) fn is(event: &Component, name: &str, value: &str) -> bool {
    event.property(name).map(Property::value).is_some_and(|own| own.trim().eq_ignore_ascii_case(value))
}

/// An answer that names the notes of its events. Exports of other programs are untrusted.
pub(crate) fn output(value: Value, shown: &[Row], calendars: &[Read]) -> Output {
    let notes = shown.iter().filter_map(Row::note);
    // A problem names its note, too.
    let unread = calendars
        .iter()
        .filter(|calendar| calendar.is_vault())
        .flat_map(|calendar| calendar.problems.iter().filter_map(|problem| problem["event"].as_str()))
        .filter_map(|path| NotePath::parse(path).ok());
    let notes: Vec<NotePath> = notes.chain(unread).collect();
    let mut output = Output::new(value).from_notes(notes);
    output.untrusted = !calendars.iter().all(Read::is_vault);
    output
}

/// When calendars were fetched and the problems of all, for an answer; nothing where there are none. `more`: those of the
/// listing.
pub(crate) fn add_state(answer: &mut Map<String, Value>, calendars: &[Read], more: Vec<Value>) {
    let problems = calendars.iter().flat_map(|calendar| calendar.problems.iter().cloned());
    let problems: Vec<Value> = problems.chain(more).collect();
    let fetched: Map<String, Value> = calendars
        .iter()
        .filter_map(|calendar| Some((calendar.name.clone(), calendar.fetched?.to_string().into())))
        .collect();
    if !fetched.is_empty() {
        answer.insert("fetched".into(), fetched.into());
    }
    if !problems.is_empty() {
        answer.insert("problems".into(), problems.into());
    }
}
