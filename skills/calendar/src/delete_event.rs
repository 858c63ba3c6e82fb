mod elsewhere;

use std::sync::Arc;

use nova_dav::events::Instance;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, Tool, ToolContext, ToolError, ToolOutput, Trash,
    Value, async_trait, json, native, schemars,
};
use serde::Deserialize;

use self::elsewhere::DeleteElsewhere;
use crate::elsewhere::{names_event, tells};
use crate::find;
use crate::instance::Named;
use crate::people;
use crate::period::{Period, invalid};
use crate::row::rows;
use crate::sources::{self, EVENT};

pub(crate) struct DeleteEvent;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Deletes an event, or one day of a recurring one."))]
pub(crate) struct Which {
    /// The event: its id as list_events returns it, its title, or its note's path.
    #[schemars(extend("x-record" = "event"))]
    pub(crate) event: String,
    /// The one instance of a recurring event that does not take place, by the day on which it starts, YYYY-MM-DD, or by its
    /// start, 2026-11-24T09:30; default: the whole event.
    pub(crate) date: Option<String>,
    /// For a server's event with attendees: the addresses of all of them, who are notified.
    pub(crate) notify: Option<Vec<String>>,
}

#[async_trait]
impl NativeTool for DeleteEvent {
    type Args = Which;
    const ID: &'static str = "delete_event";
    const EFFECT: Effect = Effect::Destructive;
    const ON_NOTES: bool = true;

    fn description(&self) -> Description {
        Description::purpose("Deletes an event, or one day of a recurring one. The user is asked each time.")
            .use_when("an event is cancelled or called off, or one of its days")
            .not_when("an event moves", "calendar.update_event")
            .example("Cancel the dentist")
    }

    fn for_call(&self, args: &Value, config: &Value) -> Option<Arc<dyn Tool>> {
        names_event(config, args).then(|| match tells(args, "notify") {
            true => native(DeleteElsewhere::<true>),
            false => native(DeleteElsewhere::<false>),
        })
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let calendars = sources::read(ctx.as_ref(), None).await?;
        let note = find::note(ctx.as_ref(), &calendars, &which.event).await?;
        people::nobody_is_told(which.notify.as_deref())?;
        let Some(named) = which.date else {
            let kept_in = match ctx.vault().delete(&note.path).await? {
                Trash::System => "the trash of the system",
                Trash::Local => "the vault's folder .trash",
                Trash::None => "no trash; Nova can undo it",
            };
            let answer = json!({"event": note.path, "deleted": true, "kept_in": kept_in});
            return Ok(Output::new(answer).from_notes([note.path]).into());
        };
        let named = Named::parse(&named)?;
        let declared = ctx.records().get(EVENT)?;
        let record = declared.read(&note);
        if record.text("rrule")?.is_none() && record.list("daysOfWeek")?.is_empty() {
            return Err(invalid("/date", "the event does not recur; leave the date out to delete it"));
        }
        let period = Period::of(ctx.as_ref(), Some(&named.day().to_string()), None, Some(1), 1)?;
        let listed = rows(&calendars, &period).rows;
        let own =
            || listed.iter().filter(|row| row.note().as_ref() == Some(&note.path)).map(|row| &row.instance);
        // A note names the days of its own time zone.
        let day_of = |instance: &Instance| instance.recurrence.as_ref().map(|start| start.clock().date());
        let meant = named.find_all(own(), &period.zone)?;
        let skipped = meant.first().and_then(|instance| day_of(instance)).unwrap_or(named.day());
        if meant.iter().any(|instance| day_of(instance) != Some(skipped)) {
            named.find(own(), &period.zone)?;
        }
        if own().filter(|instance| day_of(instance) == Some(skipped)).count() > meant.len() {
            return Err(invalid(
                "/date",
                "a note skips whole days, on which it takes place several times: give the day",
            ));
        }
        let mut days = record.list("skipDates")?;
        days.push(skipped.to_string());
        let fields = [("skipDates".to_owned(), json!(days))].into_iter().collect();
        ctx.vault().set_properties(&note.path, &declared.edits(&note, &fields)?).await?;
        let answer = json!({"event": note.path, "skipped": named.day().to_string()});
        Ok(Output::new(answer).from_notes([note.path.clone()]).into())
    }
}
