use std::sync::Arc;

use nova_dav::ical::{Calendar, Moment};
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::elsewhere::{account_of, hosts};
use crate::people::{is_at, organizer};
use crate::period::invalid;
use crate::properties;
use crate::sources::caldav::{Conflict, Opened};

pub(crate) struct Respond;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Answers an invitation."))]
pub(crate) struct Reply {
    /// The event: its id as list_events returns it, calendar/uid.
    event: String,
    /// The answer, for all instances of a recurring event.
    answer: Answer,
    /// The organizer's address as get_event returns it, who is notified.
    organizer: String,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Accept,
    Decline,
    Tentative,
}

impl Answer {
    /// RFC 5545, 3.2.12.
    fn state(self) -> &'static str {
        match self {
            Self::Accept => "ACCEPTED",
            Self::Decline => "DECLINED",
            Self::Tentative => "TENTATIVE",
        }
    }
}

#[async_trait]
impl NativeTool for Respond {
    type Args = Reply;
    const ID: &'static str = "respond";
    const EFFECT: Effect = Effect::Send;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["calendar"];

    fn description(&self) -> Description {
        Description::purpose("Answers an invitation to an event of a CalDAV server; its organizer is told.")
            .use_when("the user accepts or declines an invitation to an event, or may come")
            .not_when("an event of the user's own is cancelled", "calendar.delete_event")
            .example("Accept the invitation to the board meeting")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, &args["event"]))
    }

    fn question(&self, args: &Value, _: &Value) -> Option<String> {
        let answer = match args["answer"].as_str()? {
            "accept" => "accept",
            "decline" => "decline",
            _ => "may come to",
        };
        Some(format!("Tell {} that you {answer} this event?", args["organizer"].as_str()?))
    }

    async fn run(&self, reply: Reply, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let account = account_of(ctx.config(), &reply.event)
            .ok_or_else(|| invalid("/event", "must be an event of a CalDAV server, as calendar/uid"))?;
        let own = account.own_address()?.to_owned();
        let mut calendar = Opened::find(ctx.as_ref(), account, &reply.event).await?;
        loop {
            match respond(ctx.as_ref(), &mut calendar, &reply, &own).await? {
                Ok(answer) => return Ok(Output::new(answer).untrusted().into()),
                // The user answers the invitation as it is now.
                Err(conflict) => conflict.settle(ctx.as_ref()).await?,
            }
        }
    }
}

/// Answers the invitation as it was fetched last.
async fn respond(
    ctx: &dyn ToolContext,
    calendar: &mut Opened<'_>,
    reply: &Reply,
    own: &str,
) -> Result<Result<Value, Conflict>, ToolError> {
    let held = calendar.event(&reply.event)?;
    let organizer = organizer(&held.calendar).ok_or_else(|| {
        ToolError::failed("Nobody is waiting for an answer: the event has no organizer.", "")
    })?;
    if organizer.eq_ignore_ascii_case(own) {
        return Err(ToolError::failed(
            "The event is the user's own, and nobody is waiting for an answer.",
            "Change it with calendar.update_event, or cancel it with calendar.delete_event.",
        ));
    }
    if !organizer.eq_ignore_ascii_case(reply.organizer.trim()) {
        return Err(ToolError::failed(
            format!("Nothing was sent: the organizer of the event is {organizer}."),
            format!("Call it again with organizer: {organizer:?}."),
        ));
    }
    let (organizer, state) = (organizer.to_owned(), reply.answer.state());

    let mut file = held.calendar.clone();
    let (mut invited, mut changed) = (false, false);
    for event in file.components_mut("VEVENT") {
        let mut answered = false;
        for person in event.properties_mut("ATTENDEE").filter(|person| is_at(person, own)) {
            invited = true;
            if !person.param("PARTSTAT").is_some_and(|before| before.eq_ignore_ascii_case(state)) {
                person.set_param("PARTSTAT", state);
                answered = true;
            }
        }
        if answered {
            // An answer is no new version of the event: its SEQUENCE is the organizer's (RFC 5546, 2.1.4).
            event.set(Moment::from_instant(ctx.clock().now()).property("DTSTAMP"));
        }
        changed |= answered;
    }
    if !invited {
        return Err(ToolError::failed(
            format!("Nothing was sent: {own} is not among those who are invited."),
            "Check the email of this calendar in Settings, Skills, Calendar.",
        ));
    }
    if changed {
        let home = ctx.clock().zone();
        let said = |calendar: &Calendar| properties::summary(calendar, &home);
        if let Some(conflict) = calendar.replace(&held, &file, said).await? {
            return Ok(Err(conflict));
        }
    }
    Ok(Ok(json!({
        "event": format!("{}/{}", calendar.name(), held.uid),
        "title": properties::summary(&file, &ctx.clock().zone()),
        "answer": state,
        "organizer": organizer,
        "changed": changed,
    })))
}
