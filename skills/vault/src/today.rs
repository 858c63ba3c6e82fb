use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, ToolContext, ToolError, ToolOutput, async_trait,
    date_argument, json, schemars,
};
use serde::Deserialize;

pub(crate) struct Today;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows what is on and due on a day."))]
pub(crate) struct Day {
    /// YYYY-MM-DD; default: today.
    #[serde(default)]
    #[schemars(extend("format" = "date", "x-label" = "Day", "x-help" = "Today if left empty"))]
    date: Option<String>,
}

#[async_trait]
impl NativeTool for Today {
    type Args = Day;
    const ID: &'static str = "today";
    const EFFECT: Effect = Effect::Read;
    const CALLS_TOOLS: bool = true;

    fn description(&self) -> Description {
        Description::purpose(
            "Gives the overview of a day in `sections`, one for each skill with something due. One with a `problem` could \
             not be read.",
        )
        .use_when("the user asks for an overview of the day, what about today")
        .not_when("only tasks are asked for", "vault.list_tasks")
        .example("What about today?")
    }

    async fn run(&self, day: Day, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let date = day.date.as_deref().map(str::trim).filter(|date| !date.is_empty());
        let date = date.map_or_else(|| Ok(ctx.clock().today()), |date| date_argument("date", date))?;
        let sections =
            ctx.tools().today(date).await.map_err(|error| ToolError::failed(error.message, error.hint))?;
        Ok(json!({"date": date.to_string(), "sections": sections}).into())
    }
}
