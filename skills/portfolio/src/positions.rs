use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, OwnFields, ToolContext, ToolError, ToolOutput,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::books::POSITION;
use crate::valuation::{Snapshot, method_word};

pub(crate) struct Positions;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists what you hold."))]
pub(crate) struct PositionsOf {
    /// The day to look at, YYYY-MM-DD; default: today.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-label" = "On", "x-help" = "Today if left empty"))]
    as_of: Option<String>,
}

#[async_trait]
impl NativeTool for Positions {
    type Args = PositionsOf;
    const ID: &'static str = "positions";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Lists what is held: quantity, price with its day and source, value, cost, gain and share of each position. \
             \"stale\" marks old prices; \"problems\" names trades and positions that contradict each other.",
        )
        .use_when("the user asks which shares, funds or positions they hold, how many, or what one is worth")
        .not_when("a total is asked for", "portfolio.value")
        .cite("the day of a price that is old")
        .example("How many Northgate shares do I hold?")
    }

    async fn run(&self, of: PositionsOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let snapshot = Snapshot::read(ctx.as_ref(), of.as_of.as_deref()).await?;
        let prices = snapshot.prices();
        let all = snapshot.value(&prices)?;
        let own = OwnFields::read(ctx.as_ref(), &[POSITION], &Map::new()).await?;
        let mut value = json!({
            "as_of": snapshot.day.to_string(),
            "method": method_word(snapshot.method),
            "positions": all.rows_json(&own),
            "total": all.total_json(),
        });
        all.faults(&mut value, &snapshot.books);
        let mut output = Output::new(value).from_notes(all.notes(&snapshot.books));
        if let (1, Some((currency, _))) = (all.value.currencies().count(), all.value.iter().next()) {
            output.figures.extend(all.value_figure("/total/value".into(), currency, &snapshot.books));
            output.figures.extend(all.gain_figure("/total/gain".into(), currency, &snapshot.books));
        }
        Ok(all.row_figures(output, "/positions", &snapshot.books).into())
    }
}
