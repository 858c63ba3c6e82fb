mod elsewhere;

use std::str::FromStr;
use std::sync::Arc;

use nova_dav::rule::Rule;
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, RecordUse, Tool, ToolContext, ToolError, ToolOutput,
    Value, async_trait, json, native, schemars,
};
use serde::Deserialize;

use self::elsewhere::CreateElsewhere;
use crate::elsewhere::{names_calendar, tells};
use crate::note::component;
use crate::period::invalid;
use crate::sources::{self, EVENT, Read, read_only};
use crate::written::{Given, Stretch, line};

pub(crate) struct CreateEvent;

// Not derived from a note's fields: `start` and `end` stand for nine of them, and servers take the same arguments.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds an event."))]
pub(crate) struct NewEvent {
    /// What takes place.
    pub(crate) title: String,
    /// A day, 2026-11-24, for whole days; else a time of the user's zone, 2026-11-24T09:30.
    pub(crate) start: String,
    /// The last day, or the end time; default: an hour after the start.
    pub(crate) end: Option<String>,
    /// A calendar that can be changed; default: "vault".
    pub(crate) calendar: Option<String>,
    /// Where it takes place.
    pub(crate) location: Option<String>,
    /// Participants: by name in the vault, which notifies nobody; by e-mail address on a server, which invites them.
    #[schemars(extend("x-values-from" = ["event.attendees"]))]
    pub(crate) attendees: Option<Vec<String>>,
    /// A rule of iCalendar for a recurring event, such as FREQ=WEEKLY;BYDAY=MO.
    #[schemars(extend("x-label" = "Rule"))]
    pub(crate) rrule: Option<String>,
    /// The zone of its times if it is not the user's, such as America/New_York.
    #[schemars(extend("x-label" = "Time zone"))]
    pub(crate) timezone: Option<String>,
    /// Fields that the user added.
    #[serde(flatten)]
    #[schemars(skip)]
    pub(crate) own: Map<String, Value>,
}

#[async_trait]
impl NativeTool for CreateEvent {
    type Args = NewEvent;
    const ID: &'static str = "create_event";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(EVENT));

    fn description(&self) -> Description {
        Description::purpose(
            "Adds an event, as a note of the vault or on a server, which invites those who take part.",
        )
        .use_when("the user names an appointment, a meeting or another event to add")
        .not_when("an event that is there moves", "calendar.update_event")
        .example("Add a dentist appointment on Tuesday at 9:30")
    }

    fn for_call(&self, args: &Value, config: &Value) -> Option<Arc<dyn Tool>> {
        names_calendar(config, args).then(|| match tells(args, "attendees") {
            true => native(CreateElsewhere::<true>),
            false => native(CreateElsewhere::<false>),
        })
    }

    async fn run(&self, new: NewEvent, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        if let Some(name) = new.calendar.as_deref() {
            let calendars = sources::read(ctx.as_ref(), Some(name)).await?;
            if !calendars.iter().any(Read::is_vault) {
                return Err(read_only(name));
            }
        }
        let title = line("/title", &new.title)?;
        let end = new.end.as_deref().map(|end| Given::parse("/end", end)).transpose()?;
        let stretch = Stretch::of(Given::parse("/start", &new.start)?, end)?;
        let first = stretch.days().0;

        let mut fields = match &new.rrule {
            None => stretch.once(),
            Some(text) => {
                let text = text.trim().strip_prefix("RRULE:").unwrap_or(text.trim());
                Rule::from_str(text).map_err(|error| invalid("/rrule", &error.to_string()))?;
                let mut fields = stretch.recurring()?;
                fields.insert("startDate".into(), first.to_string().into());
                fields.insert("rrule".into(), text.into());
                fields
            }
        };
        fields.insert("title".into(), title.clone().into());
        for (field, text) in [("location", &new.location), ("timezone", &new.timezone)] {
            if let Some(text) = text {
                fields.insert(field.into(), line(&format!("/{field}"), text)?.into());
            }
        }
        if let Some(attendees) = new.attendees.filter(|attendees| !attendees.is_empty()) {
            fields.insert("attendees".into(), json!(attendees));
        }
        fields.extend(new.own);
        fields.retain(|_, value| !value.is_null());

        let declared = ctx.records().get(EVENT)?;
        let text = declared.new_note(&declared.with_links(&fields, ctx.vault()).await?)?;
        let path = ctx.vault().free_path(&declared.folder, &format!("{first} {title}")).await?;
        ctx.vault().create(&path, text).await?;
        let note = ctx.vault().read(&path).await?;
        // An event that could not be listed is not written.
        component(&declared.read(&note)).map_err(|error| match error {
            ToolError::BrokenRecord(problem) => invalid("", &problem.problem),
            error => error,
        })?;
        let mut answer: Map<String, Value> = Map::new();
        answer.insert("event".into(), json!(path));
        answer.insert("fields".into(), declared.read(&note).to_json().into());
        Ok(Output::new(answer.into()).from_notes([path]).into())
    }
}
