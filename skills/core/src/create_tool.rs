use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, async_trait,
    json, schemars,
};
use serde::Deserialize;

use crate::PendingTools;

pub(crate) struct CreateTool {
    pub(crate) pending: Arc<dyn PendingTools>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Writes a new tool."))]
pub(crate) struct NewTool {
    /// The tool's name: letters, digits, - and _. Also the file's name.
    #[schemars(extend("x-help" = "Letters, digits, - and _"))]
    name: String,
    /// The whole TypeScript file, with `export default defineTool({ … })`.
    #[schemars(extend("x-label" = "TypeScript"))]
    source: String,
}

#[async_trait]
impl NativeTool for CreateTool {
    type Args = NewTool;
    const ID: &'static str = "create_tool";
    const EFFECT: Effect = Effect::Write;
    const ON_NOTES: bool = false;
    const QUESTION: Option<&str> = Some("Put this tool aside for your review?");

    fn description(&self) -> Description {
        Description::purpose(
            "Puts a TypeScript tool aside for the user to look at and promote. It cannot be called before.",
        )
        .use_when("the user wants a tool that there is not, or a change of one that they keep as a file")
        .example("Write a tool that fetches the weather")
    }

    async fn run(&self, new: NewTool, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let stored = self.pending.store(&new.name, &new.source).await?;
        Ok(Output::new(json!({
            "waits_for_the_user": true,
            "tool": stored.tool,
            "file": stored.file,
            "effect": stored.effect,
            "hosts": stored.hosts,
            "proposed_hosts": stored.proposed_hosts,
            "credentials": stored.credentials,
            "replaces": stored.replaces,
        }))
        .into())
    }
}
