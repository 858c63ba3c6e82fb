use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::universe::{Kind, of_notes};

pub(crate) struct Universes;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists your lists of symbols."))]
pub(crate) struct Nothing {}

#[async_trait]
impl NativeTool for Universes {
    type Args = Nothing;
    const ID: &'static str = "universes";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose("Lists the universes: lists of symbols of the vault, each with how many there are and of which day it is.")
            .use_when("the user asks which lists of symbols or universes there are")
            .example("Which universes do I have?")
    }

    async fn run(&self, _: Nothing, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let notes = of_notes(ctx.as_ref()).await?;
        let mut rows: Vec<Value> = notes
            .iter()
            .map(|universe| {
                json!({
                    "name": universe.name,
                    "path": universe.path,
                    "count": universe.members.len(),
                    "day": universe.day.map(|day| day.to_string()),
                    "kind": universe.kind.word(),
                })
            })
            .collect();
        let others = [Kind::Watchlist, Kind::Positions, Kind::Filers].map(Kind::word);
        rows.extend(
            others.map(|word| json!({"name": word, "path": null, "count": null, "day": null, "kind": word})),
        );
        let paths = notes.iter().filter_map(|universe| universe.path.clone());
        Ok(Output::new(json!({"universes": rows})).from_notes(paths).into())
    }
}
