use std::sync::Arc;

use nova_dav::ical::{Calendar, Moment, Property};
use nova_dav::zone::Zones;
use nova_skill::{
    Change, Description, Effect, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value, async_trait,
    json,
};

use super::{ChangedEvent, UpdateEvent};
use crate::elsewhere::{account_of, hosts, telling};
use crate::instance::Named;
use crate::people;
use crate::period::invalid;
use crate::properties;
use crate::series;
use crate::sources::caldav::{Conflict, Opened};
use crate::written::line;

/// [`UpdateEvent`] for an event of a server; with `TELLS`, its attendees are notified.
pub(crate) struct UpdateElsewhere<const TELLS: bool>;

#[async_trait]
impl<const TELLS: bool> NativeTool for UpdateElsewhere<TELLS> {
    type Args = ChangedEvent;
    const ID: &'static str = UpdateEvent::ID;
    const EFFECT: Effect = if TELLS { Effect::Send } else { Effect::External };
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["calendar"];

    fn description(&self) -> Description {
        UpdateEvent.description()
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, &args["event"]))
    }

    fn question(&self, args: &Value, config: &Value) -> Option<String> {
        let account = account_of(config, args["event"].as_str()?)?;
        let what = match args["date"].as_str() {
            Some(_) if args["all"] == true => "Change all instances of this event".into(),
            Some(day) => format!("Change the instance of {day} of this event"),
            None => "Change this event".into(),
        };
        Some(format!("{what} in the calendar {}{}?", account.name, telling(args, "notify", "tell")))
    }

    async fn run(&self, changed: ChangedEvent, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let account = account_of(ctx.config(), &changed.event);
        let account = account.ok_or_else(|| invalid("/event", "must be an event of a server"))?;
        let mut calendar = Opened::find(ctx.as_ref(), account, &changed.event).await?;
        let named = changed.date.as_deref().map(Named::parse).transpose()?;
        if changed.all == Some(true) && named.is_none() {
            return Err(invalid("/all", "needs the date of an instance besides"));
        }
        // After a conflict it is still this instance, whatever takes place on its day by then.
        let instance = match named {
            None => None,
            Some(named) => {
                Some(series::instance_named(ctx.as_ref(), &calendar.event(&changed.event)?, named)?)
            }
        };
        loop {
            match change(ctx.as_ref(), &mut calendar, &changed, instance.as_ref()).await? {
                Ok(answer) => return Ok(Output::new(answer).untrusted().into()),
                // The user wants the change applied to the current version.
                Err(conflict) => conflict.settle(ctx.as_ref()).await?,
            }
        }
    }
}

/// Applies the change to the event as last fetched.
async fn change(
    ctx: &dyn ToolContext,
    calendar: &mut Opened<'_>,
    changed: &ChangedEvent,
    instance: Option<&Moment>,
) -> Result<Result<Value, Conflict>, ToolError> {
    let held = calendar.event(&changed.event)?;
    let gives_nothing = matches!(
        changed,
        ChangedEvent {
            title: None,
            start: None,
            end: None,
            location: Change::Keep,
            attendees: Change::Keep,
            ..
        }
    );
    if gives_nothing {
        return Err(nothing_to_change());
    }

    let mut file = held.calendar.clone();
    let home = ctx.clock().zone();
    let mut zones = Zones::of(&file);
    let start = properties::given("/start", changed.start.as_deref())?;
    let end = properties::given("/end", changed.end.as_deref())?;
    let moves = start.is_some() || end.is_some();
    if let Some(instance) = instance {
        series::check_takes_place(&held, instance, &home)?;
    }
    let mut texts = Vec::new();
    if let Some(title) = &changed.title {
        texts.push(("SUMMARY", Some(Property::text("SUMMARY", &line("/title", title)?))));
    }
    match &changed.location {
        Change::Keep => {}
        Change::Remove => texts.push(("LOCATION", None)),
        Change::Set(location) => {
            texts.push(("LOCATION", Some(Property::text("LOCATION", &line("/location", location)?))));
        }
    }
    let one = instance.filter(|_| changed.all != Some(true));
    if let Some(one) = one {
        let event = series::instance_mut(&mut file, &held.uid, one, &home)?;
        if moves {
            properties::move_to(event, &mut zones, &home, start, end)?;
        }
        for (name, text) in texts {
            match text {
                Some(text) => event.set(text),
                None => event.remove(name),
            }
        }
        people::set_attendees(event, calendar.account(), &changed.attendees)?;
    } else {
        if moves && properties::recurs(&file) {
            let next = series::next_instance(ctx, &held);
            series::move_all(&mut file, &held.uid, &home, instance, next.as_ref(), (start, end))?;
        } else if moves {
            let event = series::master_mut(&mut file, &held.uid)?;
            properties::move_to(event, &mut zones, &home, start, end)?;
        }
        for (name, text) in texts {
            series::set_text(&mut file, &held.uid, name, text.as_ref())?;
        }
        for event in file.components_mut("VEVENT") {
            people::set_attendees(event, calendar.account(), &changed.attendees)?;
        }
    }
    if file == held.calendar {
        return Err(nothing_to_change());
    }
    people::check_told(calendar.account(), &held.calendar, Some(&file), changed.notify.as_deref())?;
    series::stamp_changed(&mut file, &held.calendar, ctx.clock().now());
    let version = |calendar: &Calendar| match one {
        Some(instance) => series::version(calendar, &held.uid, instance, &home),
        None => properties::summary(calendar, &home),
    };
    if let Some(conflict) = calendar.replace(&held, &file, version).await? {
        return Ok(Err(conflict));
    }
    Ok(Ok(json!({
        "event": format!("{}/{}", calendar.name(), held.uid),
        "before": version(&held.calendar),
        "now": version(&file),
    })))
}

fn nothing_to_change() -> ToolError {
    ToolError::InvalidArguments {
        path: String::new(),
        rule: "there is nothing to change".into(),
        allowed: ["title", "start", "end", "location", "attendees"].map(str::to_owned).into(),
    }
}
