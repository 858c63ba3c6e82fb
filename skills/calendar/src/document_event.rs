mod contacts;
mod person;

use std::sync::Arc;

use nova_skill::jiff::ToSpan;
use nova_skill::jiff::civil::Date;
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NotePath, Output, ToolContext, ToolError, ToolOutput,
    async_trait, json, schemars,
};
use serde::Deserialize;

use self::contacts::Contacts;
use self::person::{Person, present};
use crate::find::{Found, find};
use crate::instance::start_of;
use crate::period::{Period, date, invalid};
use crate::row::{id, rows, title};
use crate::sources::{self, EVENT, Read};

/// The record type of meeting notes.
const MEETING_NOTE: &str = "meeting_note";
/// How many days around today are searched for an event without a date.
const DAYS: i64 = 400;

pub(crate) struct DocumentEvent;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Makes a note for an event and logs it with those who take part."))]
pub(crate) struct Meeting {
    /// The event: its id as list_events returns it, its title, or its note's path.
    #[schemars(extend("x-record" = "event"))]
    event: String,
    /// The day of the instance, YYYY-MM-DD; default: the last one that has begun.
    #[schemars(extend("format" = "date"))]
    date: Option<String>,
}

#[async_trait]
impl NativeTool for DocumentEvent {
    type Args = Meeting;
    const ID: &'static str = "document_event";
    const EFFECT: Effect = Effect::Write;
    const CALLS_TOOLS: bool = true;

    fn description(&self) -> Description {
        Description::purpose(
            "Documents an event of a calendar: its own note with the attendees linked to contacts, and a line in the log \
             of each of them once it has begun.",
        )
        .use_when("an event of a calendar is to be documented with those who attend it")
        .not_when("the user asks what is on tomorrow", "calendar.list_events")
        .not_when("an agenda or any other text is to be written down", "vault.create_note")
        .example("Document the board meeting with its attendees")
    }

    async fn run(&self, meeting: Meeting, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let calendars = sources::read(ctx, None).await?;
        let found = find(&calendars, &meeting.event)?;
        let (held, mut people) = held_on(ctx, &calendars, &found, &meeting)?;
        let mut notes = Vec::new();
        if found.calendar.is_vault() {
            let path = NotePath::parse(&found.uid)
                .map_err(|error| ToolError::failed(format!("The note {} {error}.", found.uid), ""))?;
            let note = ctx.vault().read(&path).await?;
            let names = ctx.records().get(EVENT)?.read(&note).list("attendees")?;
            people.extend(names.into_iter().map(Person::called));
            notes.push(path);
        }

        let contacts = Contacts::of(ctx, people).await?;
        let (path, is_new) = note_of(ctx, &held, &contacts).await?;
        let mut answer = json!({
            "title": held.title,
            "date": held.day.to_string(),
            "path": path,
            "new": is_new,
            "attendees": contacts.names(),
            "no_contacts": contacts.others,
            "logged": [],
        });
        let mut problems = contacts.problems.clone();
        if held.day <= ctx.clock().today() {
            let (logged, failed) = contacts.log(ctx, &path, held.day).await?;
            answer["logged"] = json!(logged);
            problems.extend(failed);
        } else if !contacts.names().is_empty() {
            answer["note"] = "The event has not begun, so it is not logged. Do this again afterwards.".into();
        }
        if !problems.is_empty() {
            answer["problems"] = problems.into_iter().map(|problem| json!({"problem": problem})).collect();
        }
        notes.push(path);
        let mut output = Output::new(answer).from_notes(notes);
        output.untrusted = !found.calendar.is_vault();
        Ok(output.into())
    }
}

/// The instance of an event that a note is about.
struct Held {
    /// As tools name the event.
    event: String,
    title: String,
    /// The first day, for an event of several days.
    day: Date,
    recurs: bool,
}

/// The chosen instance, and the attendees that a server lists, without the user.
///
/// # Errors
/// `InvalidArguments` if the event does not take place then.
fn held_on(
    ctx: &dyn ToolContext,
    calendars: &[Read],
    found: &Found,
    meeting: &Meeting,
) -> Result<(Held, Vec<Person>), ToolError> {
    let event = id(found.calendar, &found.uid);
    let today = ctx.clock().today();
    let wanted = meeting.date.as_deref().map(|day| date("/date", day)).transpose()?;
    let period = match wanted {
        Some(day) => Period::of(ctx, Some(&day.to_string()), None, Some(1), 1)?,
        None => {
            let from = today.saturating_sub((DAYS / 2).days()).to_string();
            Period::of(ctx, Some(&from), None, Some(DAYS), DAYS)?
        }
    };
    let all = rows(calendars, &period).rows;
    let own = all.iter().filter(|row| id(row.calendar, row.instance.uid) == event);
    let mut days: Vec<_> =
        own.map(|row| (start_of(&row.instance.span, &period.zone).date(), &row.instance)).collect();
    // Another instance may last until that day. One that does not recur is meant on each of its days.
    days.retain(|(day, instance)| {
        wanted.is_none_or(|wanted| *day == wanted || instance.recurrence.is_none())
    });
    days.sort_by_key(|(day, _)| *day);
    let begun = days.iter().rposition(|(day, _)| *day <= today);
    let Some((day, instance)) = days.get(begun.unwrap_or_default()) else {
        return Err(match &meeting.date {
            Some(day) => invalid("/date", &format!("the event does not take place on {day}")),
            None => {
                let days = DAYS / 2;
                let rule =
                    format!("the event does not take place within {days} days of today; give its date");
                invalid("/date", &rule)
            }
        });
    };
    let mut people = present(instance.event);
    people.retain(|person| found.calendar.email.as_deref().is_none_or(|own| !person.is_at(own)));
    let held = Held { title: title(instance.event), day: *day, recurs: instance.recurrence.is_some(), event };
    Ok((held, people))
}

/// The note of that instance, created if none exists; whether it was created.
async fn note_of(
    ctx: &dyn ToolContext,
    held: &Held,
    contacts: &Contacts,
) -> Result<(NotePath, bool), ToolError> {
    let declared = ctx.records().get(MEETING_NOTE)?;
    for note in ctx.vault().read_records(&[MEETING_NOTE]).await?.notes {
        let record = declared.read(&note);
        // A single event keeps its note when it moves to another day.
        let is_same = record.text("event").is_ok_and(|own| own.as_deref() == Some(held.event.as_str()))
            && (!held.recurs || record.date("date").is_ok_and(|own| own == Some(held.day)));
        if is_same {
            return Ok((note.path, false));
        }
    }
    let mut fields = Map::new();
    fields.insert("title".into(), held.title.clone().into());
    fields.insert("date".into(), held.day.to_string().into());
    fields.insert("event".into(), held.event.clone().into());
    let attendees = contacts.attendees();
    if !attendees.is_empty() {
        fields.insert("attendees".into(), attendees.into());
    }
    let mut text = declared.new_note(&fields)?;
    let path = ctx.vault().free_path(&declared.folder, &format!("{} {}", held.day, held.title)).await?;
    if declared.template_note().is_none() {
        text.push_str("\n## Notes\n\n## Next steps\n");
    }
    let text = declared.on_template(text, path.name(), ctx).await?;
    ctx.vault().create(&path, text).await?;
    Ok((path, true))
}
