mod elsewhere;

use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Change, Description, Effect, JsonSchema, NativeTool, Output, RecordUse, Tool, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, native, schemars, summarize,
};
use serde::Deserialize;

use self::elsewhere::UpdateElsewhere;
use crate::elsewhere::{names_event, tells};
use crate::find;
use crate::note::{When, component};
use crate::people;
use crate::period::invalid;
use crate::sources::{self, EVENT};
use crate::written::{Given, Stretch, line};

pub(crate) struct UpdateEvent;

// Not derived from a note's fields, as for a new event.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Changes an event."))]
pub(crate) struct ChangedEvent {
    /// The event: its id as list_events returns it, its title, or its note's path.
    #[schemars(extend("x-record" = "event"))]
    pub(crate) event: String,
    /// What takes place.
    pub(crate) title: Option<String>,
    /// The one instance of a recurring event of a server that changes, by the day on which it starts, YYYY-MM-DD, or by
    /// its start, 2026-11-24T09:30; default: all of them.
    pub(crate) date: Option<String>,
    /// Whether all instances change, and move by as much as the one of `date`.
    pub(crate) all: Option<bool>,
    /// The new start: a day, a time such as 2026-11-24T15:00, or the clock alone, such as 15:00. The event keeps its
    /// length unless an end is given.
    pub(crate) start: Option<String>,
    /// The new end: the last day, or a time.
    pub(crate) end: Option<String>,
    /// Where it takes place; null removes it.
    #[serde(default)]
    pub(crate) location: Change<String>,
    /// All who take part from now on, by name, on a server by e-mail address; null removes them.
    #[serde(default)]
    pub(crate) attendees: Change<Vec<String>>,
    /// For a server's event with attendees: the addresses of all of them, who are notified.
    pub(crate) notify: Option<Vec<String>>,
    /// Fields that the user added.
    #[serde(flatten)]
    #[schemars(skip)]
    pub(crate) own: Map<String, Value>,
}

#[async_trait]
impl NativeTool for UpdateEvent {
    type Args = ChangedEvent;
    const ID: &'static str = "update_event";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Changes(EVENT));

    fn description(&self) -> Description {
        Description::purpose("Moves an event or changes its details; of a recurring one all instances, or one where a date is given.")
            .use_when(
                "an appointment or another event moves to another time, or its title, place or people change",
            )
            .not_when("an event does not take place", "calendar.delete_event")
            .example("Move my appointment on Thursday to 3 pm")
    }

    fn for_call(&self, args: &Value, config: &Value) -> Option<Arc<dyn Tool>> {
        names_event(config, args).then(|| match tells(args, "notify") {
            true => native(UpdateElsewhere::<true>),
            false => native(UpdateElsewhere::<false>),
        })
    }

    async fn run(&self, changed: ChangedEvent, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let calendars = sources::read(ctx.as_ref(), None).await?;
        let note = find::note(ctx.as_ref(), &calendars, &changed.event).await?;
        people::nobody_is_told(changed.notify.as_deref())?;
        if changed.date.is_some() || changed.all.is_some() {
            return Err(invalid(
                "/date",
                "a note describes all instances: skip this day with calendar.delete_event, and add an event for it",
            ));
        }
        let declared = ctx.records().get(EVENT)?;
        let record = declared.read(&note);

        let mut fields = Map::new();
        if changed.start.is_some() || changed.end.is_some() {
            let start = changed.start.as_deref().map(|start| Given::parse("/start", start)).transpose()?;
            let end = changed.end.as_deref().map(|end| Given::parse("/end", end)).transpose()?;
            let recurs = record.text("rrule")?.is_some() || !record.list("daysOfWeek")?.is_empty();
            fields = moved(&When::of(&record)?, start, end, recurs)?;
        }
        if let Some(title) = &changed.title {
            fields.insert("title".into(), line("/title", title)?.into());
        }
        match changed.location {
            Change::Keep => {}
            Change::Remove => drop(fields.insert("location".into(), Value::Null)),
            Change::Set(location) => {
                fields.insert("location".into(), line("/location", &location)?.into());
            }
        }
        match changed.attendees {
            Change::Keep => {}
            Change::Set(names) if !names.is_empty() => drop(fields.insert("attendees".into(), json!(names))),
            Change::Set(_) | Change::Remove => drop(fields.insert("attendees".into(), Value::Null)),
        }
        fields.extend(changed.own);
        if fields.is_empty() {
            return Err(ToolError::InvalidArguments {
                path: String::new(),
                rule: "there is nothing to change".into(),
                allowed: ["title", "start", "end", "location", "attendees"].map(str::to_owned).into(),
            });
        }

        let edits = declared.edits(&note, &declared.with_links(&fields, ctx.vault()).await?)?;
        ctx.vault().set_properties(&note.path, &edits).await?;
        let after = ctx.vault().read(&note.path).await?;
        component(&declared.read(&after)).map_err(|error| match error {
            ToolError::BrokenRecord(problem) => invalid("", &problem.problem),
            error => error,
        })?;
        let answer = json!({"event": note.path, "changed": summarize(&note.text, &after.text)});
        Ok(Output::new(answer).from_notes([note.path.clone()]).into())
    }
}

/// The fields of an event at its new time.
fn moved(
    before: &When,
    start: Option<Given>,
    end: Option<Given>,
    recurs: bool,
) -> Result<Map<String, Value>, ToolError> {
    let dated = |given: &Given| !matches!(given, Given::Clock(_));
    if recurs && (start.as_ref().is_some_and(dated) || end.as_ref().is_some_and(dated)) {
        return Err(invalid(
            "/start",
            "the event recurs: give the clock alone, such as 15:00, or change its days in the note",
        ));
    }
    let stretch = Stretch::moved(before.begin(), before.is_whole_days(), before.length, start, end)?;
    let mut fields = if recurs { stretch.recurring()? } else { stretch.once() };
    if before.is_whole_days() && matches!(stretch, Stretch::Days(..)) {
        // Whichever way the note states it.
        fields.remove("allDay");
    }
    Ok(fields)
}
