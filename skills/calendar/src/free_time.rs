use std::sync::Arc;

use nova_dav::events::Span;
use nova_skill::jiff::civil::{Date, Time};
use nova_skill::jiff::{SignedDuration, Timestamp};
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, ToolContext, ToolError, ToolOutput, Value, async_trait,
    json, schemars,
};
use serde::Deserialize;

use crate::note::clock;
use crate::period::{Period, invalid};
use crate::row::{Listed, Row, add_state, output, rows};
use crate::sources;

pub(crate) struct FreeTime;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Finds time without events."))]
pub(crate) struct Wanted {
    /// How many days, from 1 to 31.
    days: i64,
    /// How many minutes are needed.
    duration: i64,
    /// The first day, YYYY-MM-DD; default: today.
    #[schemars(extend("format" = "date"))]
    from: Option<String>,
    /// The times of day to search between; default: 09:00-17:00.
    between: Option<String>,
}

#[async_trait]
impl NativeTool for FreeTime {
    type Args = Wanted;
    const ID: &'static str = "free_time";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose("Finds time without events. Events of whole days block nothing and are listed.")
            .use_when("the user asks when there is time, or whether a day is free")
            .not_when("the user asks what is on", "calendar.list_events")
            .example("When do I have an hour free this week?")
    }

    async fn run(&self, wanted: Wanted, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        if !(1..=31).contains(&wanted.days) {
            return Err(invalid("/days", "must be from 1 to 31"));
        }
        if !(1..=1440).contains(&wanted.duration) {
            return Err(invalid("/duration", "must be from 1 to 1440 minutes"));
        }
        let (opens, closes) = between(wanted.between.as_deref().unwrap_or("09:00-17:00"))?;
        let period = Period::of(ctx.as_ref(), wanted.from.as_deref(), None, Some(wanted.days), wanted.days)?;
        let calendars = sources::read(ctx.as_ref(), None).await?;
        let Listed { rows: found, problems } = rows(&calendars, &period);
        let least = SignedDuration::from_mins(wanted.duration);
        let now = ctx.clock().now();

        let mut slots = Vec::new();
        let mut day = period.first;
        while day <= period.last {
            let (begin, end) = (period.instant(day, opens).max(now), period.instant(day, closes));
            for (from, to) in gaps(&found, begin, end).filter(|(from, to)| to.duration_since(*from) >= least)
            {
                slots.push(slot(day, from, to, &period));
            }
            match day.tomorrow() {
                Ok(tomorrow) => day = tomorrow,
                Err(_) => break,
            }
        }
        let whole: Vec<&Row> =
            found.iter().filter(|row| matches!(row.instance.span, Span::Days { .. })).collect();
        let mut answer = Map::new();
        answer.insert("zone".into(), json!(period.zone.iana_name()));
        answer.insert("slots".into(), slots.into());
        answer.insert("whole_days".into(), whole.iter().map(|row| row.json(&period.zone)).collect());
        add_state(&mut answer, &calendars, problems);
        Ok(output(answer.into(), &found, &calendars).into())
    }
}

/// The gaps that the rows leave in a stretch of time; they are sorted by start.
fn gaps<'a>(
    rows: &'a [Row<'a>],
    begin: Timestamp,
    end: Timestamp,
) -> impl Iterator<Item = (Timestamp, Timestamp)> + 'a {
    let mut free_from = begin;
    let busy = rows.iter().filter(|row| row.blocks()).filter_map(|row| match &row.instance.span {
        Span::Times { start, end } => Some((start.timestamp(), end.timestamp())),
        Span::Days { .. } => None,
    });
    busy.chain([(end, end)]).filter_map(move |(start, stop)| {
        let gap = (free_from, start.min(end));
        free_from = free_from.max(stop);
        (gap.0 < gap.1).then_some(gap)
    })
}

fn slot(day: Date, from: Timestamp, to: Timestamp, period: &Period) -> Value {
    let clock = |at: Timestamp| at.to_zoned(period.zone.clone()).strftime("%H:%M").to_string();
    json!({
        "date": day.to_string(),
        "weekday": day.strftime("%A").to_string(),
        "start": clock(from),
        "end": clock(to),
        "minutes": to.duration_since(from).as_mins(),
    })
}

fn between(text: &str) -> Result<(Time, Time), ToolError> {
    let wrong = || invalid("/between", &format!("\"{text}\" is not two times such as 09:00-17:00"));
    let (opens, closes) = text.split_once(['-', '\u{2013}']).ok_or_else(wrong)?;
    // A day ends with its last minute.
    let closes = if matches!(closes.trim(), "24:00" | "00:00") { "23:59" } else { closes };
    let (opens, closes) = (clock(opens).ok_or_else(wrong)?, clock(closes).ok_or_else(wrong)?);
    if opens < closes {
        Ok((opens, closes))
    } else {
        Err(invalid("/between", "the second time must be later"))
    }
}
