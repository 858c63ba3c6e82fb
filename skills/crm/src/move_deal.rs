use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, async_trait,
    json, schemars, serde_json::Map, summarize,
};
use serde::Deserialize;

use crate::deals::Deals;

pub(crate) struct MoveDeal;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Moves a deal to another stage."))]
pub(crate) struct NewStage {
    /// The deal: its title or a part of it, or the note's path.
    #[schemars(extend("x-label" = "Deal", "x-record" = "deal"))]
    title: String,
    /// The new stage, one of the configured ones.
    #[schemars(extend("x-values-from" = ["deal.stage"], "x-values" = "only"))]
    stage: String,
}

#[async_trait]
impl NativeTool for MoveDeal {
    type Args = NewStage;
    const ID: &'static str = "move_deal";
    const EFFECT: Effect = Effect::Write;

    fn description(&self) -> Description {
        Description::purpose("Moves a deal to another stage, and changes nothing else in its note.")
            .use_when("a deal is at another stage now: an offer went out, it was won or lost")
            .not_when("its value, dates or people changed", "crm.update_deal")
            .example("We won the Harborline rollout")
    }

    async fn run(&self, moved: NewStage, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let deals = Deals::read(ctx.as_ref()).await?;
        let stage = deals.stages.named(&moved.stage)?;
        let deal = deals.records.find(&moved.title)?;
        let before = deal.note();
        // `text`, not `choice`: the current stage need not be a configured one.
        let from = deal.record.text("stage")?;

        let is_there = deal.record.choice("stage").ok().flatten() == Some(stage.name.as_str());
        if !is_there {
            let values = Map::from_iter([("stage".to_owned(), stage.name.clone().into())]);
            let edits = deals.records.declared.edits(before, &values)?;
            ctx.vault().set_properties(&before.path, &edits).await?;
        }
        let after = ctx.vault().read(&before.path).await?;
        let mut out = json!({
            "title": deal.name,
            "from": from,
            "stage": stage.name,
            "changed": summarize(&before.text, &after.text),
            "path": before.path,
        });
        let today = ctx.clock().today();
        let expected = deal.record.date("close_date").ok().flatten();
        if !stage.is_open() && expected.is_none_or(|date| date > today) {
            let is = expected
                .map_or("It has no close date".to_owned(), |date| format!("Its close date is still {date}"));
            out["note"] = format!("{is}; set close_date to the day it was decided.").into();
        }
        Ok(Output::new(out).from_notes([before.path.clone()]).into())
    }
}
