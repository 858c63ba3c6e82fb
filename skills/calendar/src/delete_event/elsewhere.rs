use std::sync::Arc;

use nova_dav::events::{Agenda, Bounds};
use nova_skill::{
    Description, Effect, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value, async_trait, json,
};

use super::{DeleteEvent, Which};
use crate::elsewhere::{account_of, hosts, invites_nobody};
use crate::period::{Period, date, invalid};
use crate::properties;
use crate::sources::caldav::Opened;

/// [`DeleteEvent`] for an event of a server.
pub(crate) struct DeleteElsewhere;

#[async_trait]
impl NativeTool for DeleteElsewhere {
    type Args = Which;
    const ID: &'static str = DeleteEvent::ID;
    const EFFECT: Effect = Effect::Destructive;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["calendar"];

    fn description(&self) -> Description {
        DeleteEvent.description()
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, &args["event"]))
    }

    fn question(&self, args: &Value, config: &Value) -> Option<String> {
        let account = account_of(config, args["event"].as_str()?)?;
        let what = match args["date"].as_str() {
            Some(day) => format!("Delete the instance of {day} of this event"),
            None => "Delete this event".into(),
        };
        Some(format!("{what} from the calendar {}? It cannot be undone.", account.name))
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let account = account_of(ctx.config(), &which.event);
        let account = account.ok_or_else(|| invalid("/event", "must be an event of a server"))?;
        let mut calendar = Opened::find(ctx.as_ref(), account, &which.event).await?;
        let held = calendar.event(&which.event)?;
        invites_nobody(properties::has_attendees(&held.calendar))?;
        let id = format!("{}/{}", calendar.name(), held.uid);
        let Some(day) = which.date else {
            calendar.delete(&held).await?;
            return Ok(Output::new(json!({"event": id, "deleted": true})).into());
        };

        let day = date("/date", &day)?;
        if !properties::recurs(&held.calendar) {
            return Err(invalid("/date", "the event does not recur; leave the date out to delete it"));
        }
        let period = Period::of(ctx.as_ref(), Some(&day.to_string()), None, Some(1), 1)?;
        let agenda = Agenda::new(held.calendar.clone());
        let listing = agenda.between(period.begin(), period.end(), &period.zone, Bounds::default());
        let instance = listing.instances.iter().find_map(|instance| instance.recurrence.clone());
        let Some(instance) = instance else {
            return Err(invalid("/date", &format!("the event does not take place on {day}")));
        };
        let mut file = held.calendar.clone();
        for all in file.calendars_mut() {
            all.remove_components(|event| {
                let of = event.property("RECURRENCE-ID").map(nova_dav::ical::Moment::of);
                matches!(of, Some(Ok(of)) if of == instance)
            });
        }
        let master = properties::master_mut(&mut file, &held.uid)
            .ok_or_else(|| ToolError::failed("The series of this event is not on the server.", ""))?;
        master.add(instance.property("EXDATE"));
        properties::stamp(master, ctx.clock().now());
        calendar.replace(&held, &file).await?;
        Ok(Output::new(json!({"event": id, "skipped": day.to_string()})).into())
    }
}
