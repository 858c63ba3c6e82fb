//! Prices from the internet: current quotes and historical closes.

mod closes;
mod run;
mod wanted;

use std::sync::Arc;

use futures::StreamExt;
use nova_market::{sources, tools};
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, OutputPart, Progress, ToolContext, ToolError, ToolOutput,
    async_trait, schemars,
};
use serde::Deserialize;

use self::run::{Answer, Run};
use crate::history::Range;
use crate::pair::as_pair;
use crate::valuation::Snapshot;

pub(crate) struct Quote;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Fetches prices from the web."))]
pub(crate) struct QuotesOf {
    /// Symbols such as NGTL, or a pair of currencies such as USD/EUR for a rate; default: all that are held
    /// or watched, and the rates of their currencies.
    #[schemars(extend("x-help" = "All positions if left empty"))]
    #[schemars(extend("x-values-from" = ["position.symbol", "trade.symbol"], "x-values" = "part"))]
    symbols: Option<Vec<String>>,
    /// Also fetch the closes this far back, from the day it was held, for the chart of the value.
    #[schemars(extend("x-help" = "How far back"))]
    range: Option<Range>,
    /// Also fetch the closes since this day, YYYY-MM-DD.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "The first day"))]
    since: Option<String>,
}

/// The default sources of quotes, in order.
const QUOTES: [&str; 6] = ["stooq", "yahoo", "finnhub", "twelve_data", "tiingo", "alpha_vantage"];
/// The default sources of exchange rates.
const RATES: [&str; 3] = ["ecb", "yahoo", "stooq"];
/// The number of symbols requested concurrently.
const AT_ONCE: usize = 8;
/// For many symbols, a partial result is emitted after each batch of this size.
const PARTIAL: usize = 10;

#[async_trait]
impl NativeTool for Quote {
    type Args = QuotesOf;
    const ID: &'static str = "quote";
    const EFFECT: Effect = Effect::External;
    const HOSTS: &'static [&'static str] = &sources::HOSTS;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &sources::CREDENTIALS;

    fn description(&self) -> Description {
        Description::purpose(
            "Fetches what shares trade at now from quote sources in their configured order, or currency rates. What no source knows has \
             its reason under \"problems\", and the last price is used when it is at most a week old.",
        )
        .use_when("the user wants fresh prices or quotes, asks what a share or symbol is trading at now, or for an exchange rate")
        .not_when("known prices are enough", "portfolio.value")
        .cite("source and time of each price, and the day of an old one")
        .example("What is UBER trading at right now?")
    }

    async fn run(&self, of: QuotesOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let mut snapshot = Snapshot::priced(ctx.as_ref(), None, None).await?;
        let quotes = tools::sources(ctx.as_ref(), "sources", &QUOTES).await;
        let rates = tools::sources(ctx.as_ref(), "rates", &RATES).await;
        let wanted = wanted::wanted(of, &snapshot, ctx.as_ref(), !rates.is_empty()).await?;
        let symbols = wanted.iter().map(|wanted| wanted.symbol.clone()).collect();
        snapshot.read_prices(symbols, ctx.as_ref()).await;
        let asks = |of_pairs: bool| wanted.iter().any(|wanted| as_pair(&wanted.symbol).is_some() == of_pairs);
        let off = match (asks(false) && quotes.is_empty(), asks(true) && rates.is_empty()) {
            (true, _) => Some(("quote", "sources: stooq, yahoo, or finnhub with FINNHUB_API_KEY")),
            (_, true) => Some(("rate", "rates: ecb, yahoo or stooq")),
            _ => None,
        };
        if let Some((kind, remedy)) = off {
            return Err(ToolError::failed(
                format!("No {kind} source is on."),
                format!("Name one under skills.portfolio.config.{remedy}."),
            ));
        }
        let run = Arc::new(Run::new(ctx, snapshot, wanted, quotes, rates));
        Ok(ToolOutput::Stream(Box::pin(async_stream::stream! {
            let total = run.wanted.len();
            let each = if total > PARTIAL { PARTIAL } else { 1 };
            let mut answers: Vec<Option<Answer>> = (0..total).map(|_| None).collect();
            let asking = (0..total).map(|place| {
                let run = run.clone();
                async move { (place, run.ask(place).await) }
            });
            let mut asking = futures::stream::iter(asking).buffer_unordered(AT_ONCE);
            let mut done = 0;
            while let Some((place, answer)) = asking.next().await {
                if run.ctx.cancel().is_cancelled() {
                    yield OutputPart::End(Err(ToolError::Cancelled));
                    return;
                }
                answers[place] = Some(answer);
                done += 1;
                yield OutputPart::Progress(Progress {
                    fraction: Some(done as f64 / total.max(1) as f64),
                    message: Some(format!("{done} of {total}")),
                });
                if done % each == 0 && done < total {
                    yield OutputPart::Partial(run.output(&answers).value);
                }
            }
            yield OutputPart::End(run.end(&answers));
        })))
    }
}
