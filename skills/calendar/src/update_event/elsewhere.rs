use std::sync::Arc;

use nova_dav::ical::{Moment, Property};
use nova_dav::zone::Zones;
use nova_skill::{
    Change, Description, Effect, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value, async_trait,
    json,
};

use super::{ChangedEvent, UpdateEvent, stretch};
use crate::elsewhere::{account_of, hosts, invites_nobody};
use crate::period::invalid;
use crate::properties;
use crate::sources::caldav::Opened;
use crate::written::line;

/// [`UpdateEvent`] for an event of a server.
pub(crate) struct UpdateElsewhere;

#[async_trait]
impl NativeTool for UpdateElsewhere {
    type Args = ChangedEvent;
    const ID: &'static str = UpdateEvent::ID;
    const EFFECT: Effect = Effect::External;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["calendar"];

    fn description(&self) -> Description {
        UpdateEvent.description()
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, &args["event"]))
    }

    fn question(&self, args: &Value, config: &Value) -> Option<String> {
        let account = account_of(config, args["event"].as_str()?)?;
        Some(format!("Change this event in the calendar {}?", account.name))
    }

    async fn run(&self, changed: ChangedEvent, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let account = account_of(ctx.config(), &changed.event);
        let account = account.ok_or_else(|| invalid("/event", "must be an event of a server"))?;
        let mut calendar = Opened::find(ctx.as_ref(), account, &changed.event).await?;
        let held = calendar.event(&changed.event)?;
        let gets_attendees = matches!(&changed.attendees, Change::Set(names) if !names.is_empty());
        invites_nobody(gets_attendees || properties::has_attendees(&held.calendar))?;

        let mut file = held.calendar.clone();
        let (home, recurs) = (ctx.clock().zone(), properties::recurs(&file));
        let mut zones = Zones::of(&file);
        let master = properties::master_mut(&mut file, &held.uid)
            .ok_or_else(|| ToolError::failed("The series of this event is not on the server.", ""))?;
        let before = master.clone();
        if changed.start.is_some() || changed.end.is_some() {
            if recurs {
                return Err(ToolError::failed(
                    "Nothing was changed: the event recurs, and its exceptions would not move with it.",
                    "Move it in the calendar program it came from.",
                ));
            }
            let start = properties::given("/start", changed.start.as_deref())?;
            let end = properties::given("/end", changed.end.as_deref())?;
            let times = properties::times(master, &mut zones, &home)?;
            let new = stretch(times.start, times.whole_days, times.length, start, end)?;
            let utc = Moment::Utc(times.start);
            properties::set_times(master, new, &mut zones, &home, &utc)?;
        }
        if let Some(title) = &changed.title {
            master.set(Property::text("SUMMARY", &line("/title", title)?));
        }
        match &changed.location {
            Change::Keep => {}
            Change::Remove => master.remove("LOCATION"),
            Change::Set(location) => master.set(Property::text("LOCATION", &line("/location", location)?)),
        }
        if *master == before {
            return Err(ToolError::InvalidArguments {
                path: String::new(),
                rule: "there is nothing to change".into(),
                allowed: ["title", "start", "end", "location"].map(str::to_owned).into(),
            });
        }
        properties::stamp(master, ctx.clock().now());
        calendar.replace(&held, &file).await?;
        let answer = json!({
            "event": format!("{}/{}", calendar.name(), held.uid),
            "before": properties::summary(&held.calendar, &home),
            "now": properties::summary(&file, &home),
        });
        Ok(Output::new(answer).untrusted().into())
    }
}
