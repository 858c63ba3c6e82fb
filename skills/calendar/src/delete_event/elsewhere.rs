use std::sync::Arc;

use nova_dav::ical::{Calendar, Moment};
use nova_skill::jiff::civil::Date;
use nova_skill::{
    Description, Effect, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value, async_trait, json,
};

use super::{DeleteEvent, Which};
use crate::elsewhere::{account_of, hosts, telling};
use crate::instance::Named;
use crate::people;
use crate::period::invalid;
use crate::properties;
use crate::series;
use crate::sources::caldav::{Conflict, Opened};

/// [`DeleteEvent`] for an event of a server; with `TELLS`, its attendees are notified.
pub(crate) struct DeleteElsewhere<const TELLS: bool>;

#[async_trait]
impl<const TELLS: bool> NativeTool for DeleteElsewhere<TELLS> {
    type Args = Which;
    const ID: &'static str = DeleteEvent::ID;
    const EFFECT: Effect = if TELLS { Effect::Send } else { Effect::Destructive };
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
        let told = telling(args, "notify", "tell");
        Some(format!("{what} from the calendar {}{told}? It cannot be undone.", account.name))
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let account = account_of(ctx.config(), &which.event);
        let account = account.ok_or_else(|| invalid("/event", "must be an event of a server"))?;
        let mut calendar = Opened::find(ctx.as_ref(), account, &which.event).await?;
        // After a conflict it is still this instance, whatever takes place on its day by then.
        let instance = match which.date.as_deref().map(Named::parse).transpose()? {
            None => None,
            Some(named) => {
                let held = calendar.event(&which.event)?;
                Some((named.day(), series::instance_named(ctx.as_ref(), &held, named)?))
            }
        };
        loop {
            match delete(ctx.as_ref(), &mut calendar, &which, instance.as_ref()).await? {
                Ok(done) => return Ok(Output::new(done).into()),
                // The user wants it deleted in its current version.
                Err(conflict) => conflict.settle(ctx.as_ref()).await?,
            }
        }
    }
}

/// Deletes the event, or one day of it.
async fn delete(
    ctx: &dyn ToolContext,
    calendar: &mut Opened<'_>,
    which: &Which,
    instance: Option<&(Date, Moment)>,
) -> Result<Result<Value, Conflict>, ToolError> {
    let held = calendar.event(&which.event)?;
    people::check_told(calendar.account(), &held.calendar, None, which.notify.as_deref())?;
    let id = format!("{}/{}", calendar.name(), held.uid);
    let Some((day, instance)) = instance else {
        let conflict = calendar.delete(&held).await?;
        return Ok(conflict.map_or_else(|| Ok(json!({"event": id, "deleted": true})), Err));
    };

    let mut file = held.calendar.clone();
    let home = ctx.clock().zone();
    series::check_takes_place(&held, instance, &home)?;
    series::remove_override(&mut file, &held.uid, instance, &home);
    let master = series::master_mut(&mut file, &held.uid)?;
    master.add(instance.property("EXDATE"));
    properties::stamp(master, ctx.clock().now());
    let version = |calendar: &Calendar| series::version(calendar, &held.uid, instance, &home);
    let conflict = calendar.replace(&held, &file, version).await?;
    Ok(conflict.map_or_else(|| Ok(json!({"event": id, "skipped": day.to_string()})), Err))
}
