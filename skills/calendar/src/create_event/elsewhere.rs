use std::str::FromStr;
use std::sync::Arc;

use nova_dav::ical::{Calendar, Component, Moment, Property};
use nova_dav::rule::Rule;
use nova_dav::zone::{Zones, definition};
use nova_skill::{
    ContentHash, Description, Effect, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json,
};

use super::{CreateEvent, NewEvent};
use crate::elsewhere::{account_of, hosts, telling};
use crate::people;
use crate::period::invalid;
use crate::properties;
use crate::sources::caldav::Opened;
use crate::written::{Stretch, line};

/// [`CreateEvent`] in a calendar of a server; with `TELLS`, others are invited.
pub(crate) struct CreateElsewhere<const TELLS: bool>;

#[async_trait]
impl<const TELLS: bool> NativeTool for CreateElsewhere<TELLS> {
    type Args = NewEvent;
    const ID: &'static str = CreateEvent::ID;
    const EFFECT: Effect = if TELLS { Effect::Send } else { Effect::External };
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["calendar"];

    fn description(&self) -> Description {
        CreateEvent.description()
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, &args["calendar"]))
    }

    fn question(&self, args: &Value, _: &Value) -> Option<String> {
        let told = telling(args, "attendees", "invite");
        Some(format!("Add an event to the calendar {}{told}?", args["calendar"].as_str()?))
    }

    async fn run(&self, new: NewEvent, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let said = new.calendar.unwrap_or_default();
        let account = account_of(ctx.config(), &said);
        let account = account.ok_or_else(|| invalid("/calendar", "must be a calendar of a server"))?;
        let invited = people::invited(&account, new.attendees.as_deref().unwrap_or_default())?;
        let mut calendar = Opened::find(ctx.as_ref(), account, &said).await?;

        let title = line("/title", &new.title)?;
        let start = properties::given("/start", Some(&new.start))?;
        let start = start.ok_or_else(|| invalid("/start", "is missing"))?;
        let stretch = Stretch::of(start, properties::given("/end", new.end.as_deref())?)?;
        let now = ctx.clock().now();
        let request = ctx.request();
        // Unique per call, and the same if a call is repeated.
        let uid =
            ContentHash::of(format!("{}\n{}\n{now}", request.session, request.call).as_bytes()).to_string();

        // The times are in that zone, or in the user's if none is given.
        let home = match &new.timezone {
            None => ctx.clock().zone(),
            Some(name) => nova_skill::jiff::tz::TimeZone::get(name.trim())
                .map_err(|_| invalid("/timezone", &format!("unknown time zone \"{name}\"")))?,
        };
        let mut file = Calendar::new("-//Nova//EN");
        let mut made = Component::new("VEVENT");
        made.add(Property::text("UID", &uid));
        made.add(Moment::from_instant(now).property("DTSTAMP"));
        let first = stretch.days().0;
        let defined = home.iana_name().and_then(|name| Some((name.to_owned(), definition(&home, first)?)));
        let form = match &defined {
            Some((name, _)) => Moment::Zoned(first.to_datetime(Default::default()), name.clone()),
            None => Moment::Utc(first.to_datetime(Default::default())),
        };
        properties::set_times(&mut made, stretch, &mut Zones::default(), &home, &form)?;
        if let Some(rule) = &new.rrule {
            let rule = rule.trim().strip_prefix("RRULE:").unwrap_or(rule.trim());
            Rule::from_str(rule).map_err(|error| invalid("/rrule", &error.to_string()))?;
            made.add(Property::new("RRULE", rule));
        }
        made.add(Property::text("SUMMARY", &title));
        if let Some(location) = &new.location {
            made.add(Property::text("LOCATION", &line("/location", location)?));
        }
        invited.into_iter().for_each(|person| made.add(person));
        if let Some(all) = file.calendars_mut().next() {
            if let Some((_, zone)) = defined.filter(|_| matches!(stretch, Stretch::Times(..))) {
                all.push(zone);
            }
            all.push(made);
        }
        calendar.create(&uid, &file).await?;
        let mut answer = properties::shown(stretch);
        answer["event"] = json!(format!("{}/{uid}", calendar.name()));
        answer["title"] = json!(title);
        Ok(Output::new(answer).into())
    }
}
