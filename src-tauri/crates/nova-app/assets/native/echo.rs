use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, async_trait,
    json, schemars,
};
use serde::Deserialize;

pub(crate) struct Echo;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Said {
    /// The text to repeat.
    text: String,
    /// How often; default: once.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10))]
    times: Option<usize>,
}

#[async_trait]
impl NativeTool for Echo {
    type Args = Said;
    const ID: &'static str = "echo";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose("Repeats a text.").use_when("the user asks for an echo")
    }

    async fn run(&self, said: Said, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let texts = vec![said.text; said.times.unwrap_or(1)];
        Ok(Output::new(json!({ "text": texts.join(" ") })).into())
    }
}
