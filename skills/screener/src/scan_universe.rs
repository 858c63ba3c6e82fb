use std::sync::Arc;

use nova_market::sources;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, async_trait,
    json, schemars,
};
use serde::Deserialize;

use crate::last::keep_scan;
use crate::scan::Scan;
use crate::screen_args::ScreenArgs;
use crate::share::Market;
use crate::shares::begin;
use crate::universe::{holdings, universe, unread};

pub(crate) struct ScanUniverse;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Finds the shares that meet conditions."))]
pub(crate) struct ScanOf {
    #[serde(flatten)]
    asked: ScreenArgs,
    /// At most so many hits; default: 50.
    #[schemars(range(min = 1, max = 500))]
    #[schemars(extend("x-help" = "50 if left empty"))]
    limit: Option<usize>,
}

/// Default hits in an answer.
const LIMIT: usize = 50;

#[async_trait]
impl NativeTool for ScanUniverse {
    type Args = ScanOf;
    const ID: &'static str = "scan_universe";
    const EFFECT: Effect = Effect::External;
    const CALLS_TOOLS: bool = true;
    const HOSTS: &'static [&'static str] = &sources::WITH_REPORTS;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &sources::CREDENTIALS;

    fn description(&self) -> Description {
        Description::purpose(
            "Scans a list of symbols for shares that meet all conditions: hits with their figures, the best first; what was left \
             out for a missing figure or not answered for is counted.",
        )
        .use_when("the user runs a screen, or wants to find shares of a list whose ratio, growth, debt or indicator is above or below a limit")
        .not_when("one symbol is named", "lookup.pull_up_symbol")
        .cite("the day of the closes")
        .example("Which shares of my list have a price-earnings ratio below 15?")
    }

    async fn run(&self, of: ScanOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let resolved = of.asked.read(ctx.as_ref()).await?;
        let is_as_saved = of.asked.conditions.is_none() && of.asked.universe.is_none();
        let universe = universe(resolved.universe.as_deref(), ctx.as_ref()).await?;
        let market =
            Market::open(begin(None, ctx.as_ref()), resolved.screen.needs_reports(), ctx.as_ref()).await?;
        let held = holdings(ctx.as_ref()).await.map(|(held, _)| held).unwrap_or_default();
        let held = held.into_iter().map(|held| held.member).collect();
        let limit = of.limit.unwrap_or(LIMIT);
        Ok(ToolOutput::streamed(move |parts| async move {
            let mut scan = Scan::new(resolved.screen.clone(), held, universe.members.len(), limit);
            scan.unread = unread(&universe);
            let about = json!({
                "screen": resolved.name,
                "universe": {
                    "name": universe.name,
                    "count": universe.members.len(),
                    "day": universe.day.map(|day| day.to_string()),
                    "path": universe.path.as_ref().map(ToString::to_string),
                },
            });
            let with = |mut value: nova_skill::Value| {
                value["screen"] = about["screen"].clone();
                value["universe"] = about["universe"].clone();
                value
            };
            scan.run(universe.members, market, &ctx, |value| parts.partial(with(value))).await?;
            let value = with(scan.value());
            if let Some(path) = resolved.path.as_ref().filter(|_| is_as_saved) {
                keep_scan(path, &value["found"], ctx.as_ref()).await;
            }
            let notes = resolved.path.into_iter().chain(universe.path);
            Ok(Output::new(value).from_notes(notes))
        }))
    }
}
