use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, async_trait,
    json, schemars,
};
use serde::Deserialize;

use crate::notes::within_budget;

pub(crate) struct Tags;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists the tags of your notes."))]
pub(crate) struct Nothing {}

#[async_trait]
impl NativeTool for Tags {
    type Args = Nothing;
    const ID: &'static str = "tags";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Lists all tags with the number of notes that have each. A note with a/b counts for a, too.",
        )
        .use_when("the user asks which tags there are, and before a note gets a tag")
    }

    async fn run(&self, _: Nothing, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let tags = ctx.vault().tags().await?;
        let listed = within_budget(tags.iter().map(|tag| json!(tag)));
        let more = listed.len() < tags.len();
        Ok(Output::new(json!({"total": tags.len(), "more": more, "tags": listed})).into())
    }
}
