//! Events as an answer shows them.

use nova_dav::events::{Bounds, Instance, Span};
use nova_dav::ical::{Component, Property};
use nova_skill::figures::folded;
use nova_skill::jiff::tz::TimeZone;
use nova_skill::jiff::{Timestamp, Zoned};
use nova_skill::serde_json::Map;
use nova_skill::{NotePath, Output, Value, json};

use crate::people::invitation;
use crate::period::Period;
use crate::sources::Read;

/// One event of a listing.
pub(crate) struct Row<'a> {
    pub(crate) calendar: &'a Read,
    pub(crate) instance: Instance<'a>,
    begin: Timestamp,
}

/// The events of all calendars in a period, sorted by start, without cancelled ones; and whether some were left out.
pub(crate) fn rows<'a>(calendars: &'a [Read], period: &Period) -> (Vec<Row<'a>>, bool) {
    let mut rows = Vec::new();
    let mut cut = false;
    for calendar in calendars {
        let listing = calendar.agenda.between(period.begin(), period.end(), &period.zone, Bounds::default());
        cut |= listing.cut;
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
    rows.sort_by_key(|row| (row.begin, matches!(row.instance.span, Span::Times { .. })));
    (rows, cut)
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

    /// Whether it blocks its time: whole days do not, nor do events marked as free.
    pub(crate) fn blocks(&self) -> bool {
        matches!(self.instance.span, Span::Times { .. }) && !is(self.instance.event, "TRANSP", "TRANSPARENT")
    }

    pub(crate) fn ends_after(&self, now: Timestamp, period: &Period) -> bool {
        match &self.instance.span {
            Span::Days { after, .. } => {
                period.instant(*after, nova_skill::jiff::civil::Time::midnight()) > now
            }
            Span::Times { start, end } => end.timestamp() > now || start.timestamp() >= now,
        }
    }

    /// `own`: the user's address in its calendar.
    pub(crate) fn json(&self, zone: &TimeZone, own: Option<&str>) -> Value {
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
        if let Some((_, answer)) = own.and_then(|own| invitation(event, own)) {
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

/// When calendars were fetched, and the problems of all, for an answer; omitted if empty.
pub(crate) fn add_state(answer: &mut Map<String, Value>, calendars: &[Read], cut: bool) {
    let mut problems: Vec<Value> =
        calendars.iter().flat_map(|calendar| calendar.problems.iter().cloned()).collect();
    if cut {
        problems.push(json!({"problem": "there are too many events; some are left out", "remedy": "Ask for fewer days."}));
    }
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
