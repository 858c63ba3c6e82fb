use std::sync::Arc;

use nova_market::{sources, tools};
use nova_skill::figures::percent;
use nova_skill::{
    Date, Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::SOURCES;
use crate::pull_up_symbol::problem;
use crate::range::{Range, thinned};
use crate::resolve::{Held, Resolved, resolve};
use nova_market::tools::closes::{Closes, closes};

pub(crate) struct Compare;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Compares shares."))]
pub(crate) struct Symbols {
    /// Two to four symbols or companies.
    #[schemars(length(min = 2, max = 4))]
    #[schemars(extend("x-help" = "Two to four"))]
    symbols: Vec<String>,
    /// Since when; default: 1y.
    #[schemars(extend("x-help" = "One year if left empty"))]
    range: Option<Range>,
    /// Also give each line as points, for a chart.
    #[serde(default)]
    #[schemars(extend("x-help" = "For a chart"))]
    points: bool,
}

/// Maximum points of a line.
const POINTS: usize = 270;

#[async_trait]
impl NativeTool for Compare {
    type Args = Symbols;
    const ID: &'static str = "compare";
    const EFFECT: Effect = Effect::External;
    const CALLS_TOOLS: bool = true;
    const HOSTS: &'static [&'static str] = &sources::HOSTS;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &sources::CREDENTIALS;

    fn description(&self) -> Description {
        Description::purpose(
            "Compares how two to four shares developed, in percent of their closes since the first day that all have; without \
             dividends, each in its own currency.",
        )
        .use_when("the user compares symbols, or asks which of some did better")
        .not_when("it is about one share", "lookup.pull_up_symbol")
        .example("Compare UBER with LYFT over five years")
    }

    async fn run(&self, of: Symbols, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let range = of.range.unwrap_or_default();
        let begin = range.begins(ctx.clock().today());
        let sources = tools::sources(ctx, "sources", &SOURCES).await;
        let held = Held::read(ctx).await;
        let (mut lines, mut problems) = (Vec::<(Resolved, Closes)>::new(), Vec::new());
        for said in &of.symbols {
            let resolved = resolve(said, &held, &sources, ctx).await?;
            if lines.iter().any(|(known, _)| known.listing == resolved.listing) {
                continue;
            }
            match closes(&resolved.listing, begin, &sources, ctx).await {
                Ok(closes) => lines.push((resolved, closes)),
                Err(reasons) => {
                    problems.push(problem(format!("{} has no closes: {reasons}", resolved.listing.symbol)));
                }
            }
        }
        let first = |closes: &Closes| closes.history.bars.first().map(|bar| bar.date);
        let last = |closes: &Closes| closes.last().map(|bar| bar.date);
        let common = lines.iter().filter_map(|(_, closes)| first(closes)).max();
        let end = lines.iter().filter_map(|(_, closes)| last(closes)).min();
        let (Some(from), Some(to), true) = (common, end, lines.len() > 1) else {
            let why = problems.first().and_then(|problem| problem["problem"].as_str()).unwrap_or_default();
            let what = if why.is_empty() { "That is one share." } else { why };
            return Err(ToolError::failed(
                format!("There is nothing to compare. {what}"),
                "Name two to four different symbols.",
            ));
        };
        let rows: Value =
            lines.iter().map(|(resolved, closes)| row(resolved, closes, (from, to), of.points)).collect();
        let mut output = Output::new(json!({
            "range": range.word(),
            "from": from.to_string(),
            "to": to.to_string(),
            "symbols": rows,
            "problems": problems,
        }));
        output.sources.extend(lines.iter().map(|(_, closes)| closes.cited()));
        Ok(output.into())
    }
}

fn row(resolved: &Resolved, closes: &Closes, (from, to): (Date, Date), with_points: bool) -> Value {
    let bars: Vec<_> = closes.since(from).iter().filter(|bar| bar.date <= to).collect();
    let first = bars.first().map(|bar| bar.close);
    let change =
        |close| first.and_then(|first| percent(close - first, first, 2)).map(|change| change.to_string());
    let mut row = json!({
        "symbol": resolved.listing.symbol,
        "name": resolved.name,
        "currency": closes.history.currency,
        "change": bars.last().and_then(|bar| change(bar.close)),
        "source": closes.source,
    });
    if with_points {
        let points =
            bars.iter().map(|bar| json!({"date": bar.date.to_string(), "change": change(bar.close)}));
        row["points"] = thinned(points.collect(), POINTS).into();
    }
    row
}
