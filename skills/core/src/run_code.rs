use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, ToolContext, ToolError, ToolOutput, async_trait, schemars,
};
use serde::Deserialize;

use crate::Snippets;

pub(crate) struct RunCode {
    pub(crate) snippets: Arc<dyn Snippets>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Runs a script over the tools of the skills."))]
pub(crate) struct Script {
    /// TypeScript. Its last expression, or what it returns, is the result.
    #[schemars(extend("x-label" = "TypeScript"))]
    source: String,
}

#[async_trait]
impl NativeTool for RunCode {
    type Args = Script;
    const ID: &'static str = "run_code";
    const EFFECT: Effect = Effect::Write;
    const CALLS_TOOLS: bool = true;
    const QUESTION: Option<&str> = Some("Run this script?");

    fn description(&self) -> Description {
        Description::purpose(
            "Runs a script that calls tools of the active skills as `await tools.SKILL.TOOL({ … })`, several at \
             once with `Promise.all`. Each gives its plain value and throws an error with a `code`. What it writes \
             is shown to the user as one diff.",
        )
        .use_when("an answer takes many calls, or a calculation over what they return")
        .example("Run a script that counts my notes by folder")
    }

    async fn run(&self, script: Script, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        self.snippets.run(script.source.into(), ctx).await
    }
}
