use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::find::events;
use crate::sources;

pub(crate) struct Calendars;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists your calendars."))]
pub(crate) struct Nothing {}

#[async_trait]
impl NativeTool for Calendars {
    type Args = Nothing;
    const ID: &'static str = "calendars";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Lists the calendars with how many events each has, and whether it can be changed.",
        )
        .use_when("the user asks which calendars there are, or one seems to be missing")
        .not_when("the user asks for events", "calendar.list_events")
        .example("Which calendars do I have?")
    }

    async fn run(&self, _: Nothing, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let calendars = sources::read(ctx.as_ref(), None).await?;
        let rows: Vec<Value> = calendars
            .iter()
            .map(|calendar| {
                json!({
                    "calendar": calendar.name,
                    "kind": calendar.kind,
                    "read_only": calendar.read_only,
                    "events": events(calendar).len(),
                    "fetched": calendar.fetched.map(|at| at.to_string()),
                    "problems": calendar.problems,
                })
            })
            .collect();
        let mut output = Output::new(json!({ "calendars": rows }));
        // Problems name events of calendar files.
        output.untrusted = calendars.len() > 1;
        Ok(output.into())
    }
}
