use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, OwnFields, RecordUse, ToolContext, ToolError, ToolOutput,
    Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::period::Period;
use crate::row::{Row, add_state, output, rows};
use crate::sources::{self, EVENT};

pub(crate) struct ListEvents;

/// How many events an answer lists.
const MOST: usize = 200;

// A period, not a field: events of servers are listed, too.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists the events of some days."))]
pub(crate) struct Wanted {
    /// The first day, YYYY-MM-DD; default: today.
    #[schemars(extend("format" = "date"))]
    from: Option<String>,
    /// The last day, YYYY-MM-DD, in place of `days`.
    #[schemars(extend("format" = "date"))]
    to: Option<String>,
    /// How many days; default: 7.
    days: Option<i64>,
    /// The name of one calendar; default: all.
    calendar: Option<String>,
    /// A part of the title, the place or the description.
    query: Option<String>,
    /// Whether invitations that the user declined are listed; default: true.
    declined: Option<bool>,
    /// Fields that the user added.
    #[serde(flatten)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

#[async_trait]
impl NativeTool for ListEvents {
    type Args = Wanted;
    const ID: &'static str = "list_events";
    const EFFECT: Effect = Effect::Read;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Lists(EVENT));

    fn description(&self) -> Description {
        Description::purpose("Lists the events of some days, in the user's time zone.")
            .use_when("the user asks what is on, or about an appointment or a meeting")
            .not_when("the user looks for time that is free", "calendar.free_time")
            .example("What is on tomorrow?")
    }

    async fn run(&self, wanted: Wanted, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let period = Period::of(ctx.as_ref(), wanted.from.as_deref(), wanted.to.as_deref(), wanted.days, 7)?;
        let calendars = sources::read(ctx.as_ref(), wanted.calendar.as_deref()).await?;
        let mut listed = rows(&calendars, &period);
        let found = &mut listed.rows;
        if let Some(query) = wanted.query.as_deref().map(str::trim).filter(|query| !query.is_empty()) {
            found.retain(|row| row.matches(query));
        }
        if wanted.declined == Some(false) {
            found.retain(|row| !row.is_declined());
        }
        let own = OwnFields::read(ctx.as_ref(), &[EVENT], &wanted.own).await?;
        found.retain(|row| row.note().map_or(own.fit_elsewhere(), |note| own.fit(&note)));
        let count = found.len();
        listed.shorten(MOST);
        let found = &listed.rows;
        let of = |row: &Row| {
            let mut line = row.json(&period.zone);
            if let Some(note) = row.note() {
                own.add_to(&mut line, &note);
            }
            line
        };
        let events: Value = found.iter().map(of).collect();
        let mut answer = Map::new();
        answer.insert("from".into(), period.first.to_string().into());
        answer.insert("to".into(), period.last.to_string().into());
        answer.insert("zone".into(), json!(period.zone.iana_name()));
        answer.insert("count".into(), count.into());
        answer.insert("events".into(), events);
        add_state(&mut answer, &calendars, listed.problems);
        Ok(output(answer.into(), &listed.rows, &calendars).into())
    }
}
