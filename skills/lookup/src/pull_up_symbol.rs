use std::sync::Arc;

use nova_market::tools::{self, Web, cited};
use nova_market::{Intraday, Reasons, age, sources};
use nova_skill::figures::{at_least, percent, rounded_to};
use nova_skill::jiff::{Timestamp, ToSpan as _};
use nova_skill::{
    Decimal, Description, Effect, Figure, JsonSchema, NativeTool, Output, Source, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::SOURCES;
use crate::range::{ChartRange, Range, thinned};
use crate::resolve::{Held, others, resolve, unknown};
use nova_market::tools::closes::{Closes, closes};

pub(crate) struct PullUpSymbol;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows a share."))]
pub(crate) struct Symbol {
    /// A symbol such as UBER or NGTL.DE, or a company's name.
    #[schemars(extend("x-help" = "Or a company's name"))]
    symbol: String,
    /// Also return the closes of this range, or the prices within the last day (1d), for a chart; omit otherwise.
    #[schemars(extend("x-help" = "Closes of so long back, or prices of one day"))]
    range: Option<ChartRange>,
}

/// Every day of five years; a longer series is thinned.
const POINTS: usize = 1_320;

#[async_trait]
impl NativeTool for PullUpSymbol {
    type Args = Symbol;
    const ID: &'static str = "pull_up_symbol";
    const EFFECT: Effect = Effect::External;
    const CALLS_TOOLS: bool = true;
    const HOSTS: &'static [&'static str] = &sources::HOSTS;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &sources::CREDENTIALS;

    fn description(&self) -> Description {
        Description::purpose(
            "Shows one share: its price, the change of the day and of the year, high and low of 52 weeks, each with its source \
             and day. Where no source has a fresh price, the last close stands in and \"is_close\" says so.",
        )
        .use_when("the user wants to pull up, show or look at a symbol or a company's share")
        .not_when("it is about what the user holds or gained", "portfolio.positions")
        .cite("source and day of the price")
        .example("Pull up UBER")
    }

    async fn run(&self, of: Symbol, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let sources = tools::sources(ctx, "sources", &SOURCES).await;
        let held = Held::read(ctx).await;
        let resolved = resolve(&of.symbol, &held, &sources, ctx).await?;
        let today = ctx.clock().today();
        // The year's figures need more than a year, because it may begin on a holiday.
        let range = of.range.and_then(ChartRange::closes);
        let since = range.unwrap_or_default().begins(today).min(Range::Year.begins(today));
        let since = since.saturating_sub(10.days());
        let web = Web(ctx);
        // A symbol alone can be another company's elsewhere.
        let is_symbol_alone = resolved.name.is_none() && resolved.listing.exchange.is_none();
        let namesakes = async {
            match is_symbol_alone {
                true => sources.search(&resolved.listing.symbol, &web).await.ok(),
                false => None,
            }
        };
        let intraday = async {
            match of.range {
                Some(ChartRange::Day) => Some(sources.intraday(&resolved.listing, today, &web).await),
                _ => None,
            }
        };
        let (quote, closes, namesakes, intraday) = futures::join!(
            sources.quote(&resolved.listing, today, None, &web),
            closes(&resolved.listing, since, &sources, ctx),
            namesakes,
            intraday
        );
        let mut problems = Vec::new();
        let price = match (&quote, &closes) {
            (Ok((source, quoted)), _) => Price {
                value: quoted.price,
                currency: quoted.currency.clone(),
                date: quoted.date,
                at: quoted.at.clone().unwrap_or_else(|| quoted.date.to_string()),
                before: quoted.before,
                from: (*source).to_owned(),
                web: cited(&quoted.url, &quoted.fetched),
                is_close: false,
            },
            (Err(reasons), Ok(closes)) => {
                problems.push(problem(format!("{}: {reasons}", resolved.listing.symbol)));
                Price::of_close(closes).ok_or_else(|| no_price(&resolved.listing.symbol))?
            }
            (Err(reasons), Err(_)) if !reasons.answered => {
                let what = format!("{} could not be looked up: {reasons}.", resolved.listing.symbol);
                return Err(ToolError::failed(what, "Try again, or choose another source."));
            }
            (Err(reasons), Err(_)) => {
                return Err(unknown(&resolved, &reasons.to_string(), &held, &sources, ctx).await);
            }
        };
        let name = quote.as_ref().ok().and_then(|(_, quoted)| quoted.name.clone()).or(resolved.name.clone());
        let others =
            namesakes.map(|(_, found)| others(&resolved, name.as_deref(), &found)).unwrap_or_default();
        if !others.is_empty() {
            problems.push(json!({
                "path": null,
                "line": null,
                "problem": format!("{} is also {}", resolved.listing.symbol, others.join(", ")),
                "remedy": "Name one of them, if it is meant.",
            }));
        }
        let known = closes.as_ref().ok();
        match &closes {
            Err(reasons) => {
                problems.push(problem(format!("{} has no closes: {reasons}", resolved.listing.symbol)));
            }
            Ok(Closes { old: Some(reasons), .. }) if quote.is_ok() => {
                problems.push(problem(format!("{}: its closes are old: {reasons}", resolved.listing.symbol)));
            }
            Ok(_) => {}
        }
        if let Some(Err(reasons)) = &intraday {
            let symbol = &resolved.listing.symbol;
            problems.push(problem(format!("{symbol} has no chart of the day: {reasons}")));
        }
        let before = price.before.or_else(|| {
            let bars = &known?.history.bars;
            bars.iter().rev().find(|bar| bar.date < price.date).map(|bar| bar.close)
        });
        let change = before.and_then(|before| percent(price.value.checked_sub(before)?, before, 2));
        let year = known.and_then(Closes::year_range);
        let days =
            || known.into_iter().flat_map(|closes| &closes.history.bars).map(|bar| bar.date.to_string());
        let mut value = json!({
            "symbol": resolved.listing.symbol,
            "name": name,
            "exchange": resolved.listing.exchange,
            "currency": price.currency,
            "price": shown(price.value),
            "price_at": price.at,
            "price_source": price.from,
            "stale": age(price.date, today).word(),
            "is_close": price.is_close,
            "day_change": change.map(|change| change.to_string()),
            "year_change": known.and_then(Closes::year_change).map(|change| change.to_string()),
            "year_low": year.map(|(low, _)| shown(low)),
            "year_high": year.map(|(_, high)| shown(high)),
            "closes_source": known.map(|closes| closes.source.clone()),
            "closes_from": days().next(),
            "closes_to": days().next_back(),
            "problems": problems,
        });
        if let Some(intraday) = &intraday {
            value["intraday"] = within_a_day(intraday);
        }
        if let (Some(range), Some(closes)) = (range, known) {
            let points = closes.since(range.begins(today)).iter();
            let points = points.map(
                |bar| json!({"date": bar.date.to_string(), "close": shown(bar.close), "volume": bar.volume}),
            );
            value["points"] = thinned(points.collect(), POINTS).into();
        }
        let mut output = Output::new(value);
        let caution = price.is_close.then(|| format!("close of {}", price.date));
        output = output.figure(
            Figure::new("/price", resolved.listing.symbol.clone(), at_least(price.value, 2), &price.currency)
                .from_sources([price.web.clone()])
                .caution(caution),
        );
        output.sources.extend(known.map(Closes::cited));
        let intraday = intraday.and_then(Result::ok);
        output.sources.extend(intraday.map(|(_, day)| cited(&day.url, &day.fetched)));
        Ok(output.into())
    }
}

/// Null if no source has them.
fn within_a_day(found: &Result<(String, Intraday), Reasons>) -> Value {
    let Ok((source, day)) = found else { return Value::Null };
    let local = |time: Timestamp| time.to_zoned(day.zone.clone());
    let points = day.ticks.iter().map(|tick| {
        // With the offset of the exchange.
        let time = local(tick.time).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
        json!({"time": time, "price": shown(tick.price), "volume": tick.volume})
    });
    let offset = || day.ticks.last().map(|tick| local(tick.time).strftime("UTC%:z").to_string());
    json!({
        "source": source,
        "zone": day.zone.iana_name().map(str::to_owned).or_else(offset),
        "points": thinned(points.collect(), POINTS),
    })
}

struct Price {
    value: Decimal,
    currency: String,
    date: nova_skill::Date,
    at: String,
    before: Option<Decimal>,
    from: String,
    web: Source,
    is_close: bool,
}

impl Price {
    fn of_close(closes: &Closes) -> Option<Self> {
        let last = closes.last()?;
        Some(Self {
            value: last.close,
            currency: closes.history.currency.clone(),
            date: last.date,
            at: last.date.to_string(),
            before: None,
            from: closes.source.clone(),
            web: closes.cited(),
            is_close: true,
        })
    }
}

/// A price with two to six decimal places.
pub(crate) fn shown(price: Decimal) -> String {
    at_least(rounded_to(price, 6).normalize(), 2).to_string()
}

/// A problem that belongs to no note.
pub(crate) fn problem(problem: String) -> Value {
    json!({
        "path": null,
        "line": null,
        "problem": problem,
        "remedy": "Try again, or choose another source.",
    })
}

fn no_price(symbol: &str) -> ToolError {
    ToolError::failed(format!("{symbol} has no price."), "Try again, or choose another source.")
}
