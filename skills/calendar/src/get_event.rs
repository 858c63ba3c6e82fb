use std::sync::Arc;

use nova_dav::ical::{Component, Property};
use nova_skill::jiff::ToSpan;
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NotePath, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::find::{Found, find};
use crate::people::{address_of, invitation, is_at};
use crate::period::Period;
use crate::row::{id, rows, title, when};
use crate::sources::{self, EVENT};

pub(crate) struct GetEvent;

/// How many upcoming instances of a recurring event are listed, and within how many days.
const NEXT: usize = 5;
const DAYS: i64 = 400;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows one event with all its details."))]
pub(crate) struct Which {
    /// The event: its id as list_events returns it, its title, or its note's path.
    event: String,
}

#[async_trait]
impl NativeTool for GetEvent {
    type Args = Which;
    const ID: &'static str = "get_event";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose("Shows one event with its details, and when it takes place next.")
            .use_when("the user asks where an event is, who takes part, or when it takes place next")
            .not_when("the user asks what is on", "calendar.list_events")
            .example("Where does the board meeting take place?")
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let calendars = sources::read(ctx.as_ref(), None).await?;
        let found = find(&calendars, &which.event)?;
        let mut answer = Map::new();
        answer.insert("title".into(), title(found.event).into());
        answer.insert("event".into(), id(found.calendar, &found.uid).into());
        answer.insert("calendar".into(), found.calendar.name.clone().into());
        let mut output = Output::default();
        if found.calendar.is_vault() {
            let path = NotePath::parse(&found.uid)
                .map_err(|error| ToolError::failed(format!("The note {} {error}.", found.uid), ""))?;
            let note = ctx.vault().read(&path).await?;
            let fields = ctx.records().get(EVENT)?.read(&note).to_json();
            answer.insert("fields".into(), fields.into());
            answer.insert(
                "text".into(),
                note.text.get(note.document.body_start()..).unwrap_or_default().trim().into(),
            );
            output = output.from_notes([path]);
        } else {
            answer.append(&mut details(found.event));
            let attendees = attendees(&found);
            if !attendees.is_empty() {
                answer.insert("attendees".into(), attendees.into());
            }
            if let Some((organizer, said)) =
                found.calendar.email.as_deref().and_then(|own| invitation(found.event, own))
            {
                answer.insert("invitation".into(), json!({"organizer": organizer, "answer": said}));
            }
            output.untrusted = true;
        }
        // From yesterday on, to include an event in progress.
        let today = ctx.clock().today();
        let yesterday = today.saturating_sub(1.day()).to_string();
        let period = Period::of(ctx.as_ref(), Some(&yesterday), None, Some(DAYS), DAYS)?;
        let now = ctx.clock().now();
        let all = rows(&calendars, &period).rows;
        let next: Vec<Value> = all
            .iter()
            .filter(|row| row.calendar.name == found.calendar.name && row.instance.uid == found.uid)
            .filter(|row| row.ends_after(now, &period))
            .take(NEXT)
            .map(|row| when(&row.instance.span, &period.zone).into())
            .collect();
        answer.insert("next".into(), next.into());
        answer.insert("zone".into(), json!(period.zone.iana_name()));
        output.value = answer.into();
        Ok(output.into())
    }
}

/// Further details from a calendar file.
fn details(event: &Component) -> Map<String, Value> {
    let mut shown = Map::new();
    for (key, name) in [
        ("location", "LOCATION"),
        ("description", "DESCRIPTION"),
        ("status", "STATUS"),
        ("url", "URL"),
        ("rule", "RRULE"),
    ] {
        if let Some(text) = event.text(name) {
            shown.insert(key.into(), text.into());
        }
    }
    if let Some(organizer) = event.property("ORGANIZER") {
        shown.insert("organizer".into(), person(organizer));
    }
    shown
}

/// All who attend the event or one instance of it, each once: those whom its server tells of a change.
fn attendees(found: &Found) -> Vec<Value> {
    let events = found.calendar.agenda.calendar().components("VEVENT");
    let own = events.filter(|event| event.text("UID").as_deref() == Some(&found.uid));
    let mut all: Vec<&Property> = Vec::new();
    for attendee in
        found.event.properties("ATTENDEE").chain(own.flat_map(|event| event.properties("ATTENDEE")))
    {
        if !all.iter().any(|other| is_at(other, address_of(attendee))) {
            all.push(attendee);
        }
    }
    all.into_iter().map(person).collect()
}

fn person(property: &Property) -> Value {
    json!({
        "name": property.param("CN"),
        "address": address_of(property),
        "answer": property.param("PARTSTAT"),
    })
}
