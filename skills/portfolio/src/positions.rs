use std::sync::Arc;

use nova_skill::figures::percent;
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, OwnFields, ToolContext, ToolError, ToolOutput,
    Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::amount::{currency, shown};
use crate::books::POSITION;
use crate::rates::Rates;
use crate::valuation::{Snapshot, method_word};

pub(crate) struct Positions;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists what you hold."))]
pub(crate) struct PositionsOf {
    /// The day, YYYY-MM-DD; default: today.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-label" = "On", "x-help" = "Today if left empty"))]
    as_of: Option<String>,
    /// One total in this currency, such as EUR, with the rates used; shares are of that total.
    #[schemars(extend("x-help" = "Convert the total into this"))]
    #[schemars(extend("x-values-from" = ["position.currency", "trade.currency"], "x-values" = "part"))]
    currency: Option<String>,
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
        let wanted = currency(of.currency.as_deref())?;
        let snapshot = Snapshot::priced(ctx.as_ref(), of.as_of.as_deref(), wanted).await?;
        let prices = snapshot.prices();
        let mut all = snapshot.value(&prices)?;
        let own = OwnFields::read(ctx.as_ref(), &[POSITION], &Map::new()).await?;
        let mut rates = wanted.map(|wanted| Rates::new(&prices, wanted, snapshot.today));
        let converted = rates.as_mut().map(|rates| all.converted_total(rates)).transpose()?.flatten();
        if let Some(rates) = &rates {
            all.problems.extend(rates.problems());
        }
        let mut value = json!({
            "as_of": snapshot.day.to_string(),
            "method": method_word(snapshot.method),
            "positions": all.rows_json(&own),
            "total": all.total_json(),
        });
        all.faults(&mut value, &snapshot.books);
        let mut output = Output::default().from_notes(all.notes(&snapshot.books));
        // If everything is in the requested currency already, the total also has cost and gain.
        let is_other = all.value.currencies().any(|held| Some(held) != wanted);
        match (converted, &rates) {
            (Some(total), Some(rates)) if is_other => {
                for (row, converted) in total.rows.iter().enumerate() {
                    let share = converted.and_then(|one| percent(one.exact, total.exact, 1));
                    value["positions"][row]["converted"] = shown(converted.map(|one| one.value));
                    value["positions"][row]["share"] = shown(share);
                }
                value["total"] = json!({
                    "symbol": "Total",
                    "name": rates.detail(),
                    "currency": rates.to,
                    "value": total.value.to_string(),
                    "share": "100.0",
                });
                value["rates"] = rates.to_json().into();
                output = output.figure(all.converted_figure("/total/value", &total, rates, &snapshot.books));
            }
            // The requested total is unknown; no other replaces it.
            (None, Some(_)) => value["total"] = Value::Null,
            _ => {
                if let (1, Some((currency, _))) = (all.value.currencies().count(), all.value.iter().next()) {
                    let figure = all.value_figure("/total/value".into(), currency, &snapshot.books);
                    output.figures.extend(figure);
                    let figure = all.gain_figure("/total/gain".into(), currency, &snapshot.books);
                    output.figures.extend(figure);
                }
            }
        }
        output.value = value;
        Ok(all.row_figures(output, "/positions", &snapshot.books).into())
    }
}
