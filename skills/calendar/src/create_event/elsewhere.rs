use std::str::FromStr;
use std::sync::Arc;

use nova_dav::ical::{Calendar, Component, Moment, Property};
use nova_dav::rule::Rule;
use nova_dav::zone::{Zones, definition};
use nova_skill::jiff::tz::TimeZone;
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

/// How often an identical event is added in one chat that was changed each time.
const ATTEMPTS: u32 = 4;

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
        // The times are in that zone, or in the user's if none is given.
        let home = match &new.timezone {
            None => ctx.clock().zone(),
            Some(name) => TimeZone::get(name.trim())
                .map_err(|_| invalid("/timezone", &format!("unknown time zone \"{name}\"")))?,
        };
        let mut file = Calendar::new("-//Nova//EN");
        let mut made = Component::new("VEVENT");
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
        let (uid, is_new) = add(ctx.as_ref(), &mut calendar, file).await?;
        let mut answer = properties::shown(stretch);
        answer["event"] = json!(format!("{}/{uid}", calendar.name()));
        answer["title"] = json!(title);
        if !is_new {
            answer["note"] = "It was added before by the same call, and was not added again.".into();
        }
        Ok(Output::new(answer).into())
    }
}

/// Adds the event under the UID of its content, the same one where a call is repeated in a chat: an answer may be lost, and
/// people are not invited twice. Returns the UID, and whether the event was added now.
///
/// # Errors
/// As [`Opened::create`].
async fn add(
    ctx: &dyn ToolContext,
    calendar: &mut Opened<'_>,
    mut file: Calendar,
) -> Result<(String, bool), ToolError> {
    let content = String::from_utf8_lossy(&file.print()).into_owned();
    let home = ctx.clock().zone();
    for event in file.components_mut("VEVENT") {
        event.add(Moment::from_instant(ctx.clock().now()).property("DTSTAMP"));
    }
    for attempt in 0..ATTEMPTS {
        let seed = format!("{}\n{}\n{attempt}\n{content}", ctx.request().session, calendar.name());
        let uid = ContentHash::of(seed.as_bytes()).to_string();
        for event in file.components_mut("VEVENT") {
            event.set(Property::text("UID", &uid));
        }
        match calendar.create(&uid, &file).await? {
            None => return Ok((uid, true)),
            Some(there) if says_the_same(&there, &file, &home) => return Ok((uid, false)),
            // It was changed since: this is another event.
            Some(_) => {}
        }
    }
    Err(ToolError::failed("The event exists already.", "Call calendar.refresh_calendars and look."))
}

/// Whether a server holds the event that was sent to it, in its own spelling.
fn says_the_same(there: &Calendar, sent: &Calendar, home: &TimeZone) -> bool {
    let said = |calendar: &Calendar| -> Option<_> {
        let mut zones = Zones::of(calendar);
        let event = calendar.components("VEVENT").next()?;
        let texts = ["UID", "SUMMARY", "LOCATION", "RRULE"].map(|name| event.text(name));
        let times = ["DTSTART", "DTEND"].map(|name| {
            let moment = properties::moment(event, name).ok()??;
            Some((moment.is_date(), properties::instant(&moment, &mut zones, home).ok()?))
        });
        Some((texts, times))
    };
    said(there).is_some_and(|there| said(sent) == Some(there))
}
