use std::sync::Arc;

use nova_market::backtest::{
    BacktestError, Candidate, Fill, Rebalance, Rules, Run, Statistics, Trade, Weight, backtest,
};
use nova_market::tools::own_names;
use nova_market::{Listing, sources};
use nova_skill::figures::{at_least, rounded_to};
use nova_skill::{
    Date, Decimal, Description, Effect, Figure, JsonSchema, NativeTool, Output, ToolContext, ToolError,
    ToolOutput, Value, async_trait, date_argument, json, schemars,
};
use serde::Deserialize;

use crate::limitations::limitations;
use crate::share::{Market, Share};
use crate::shares::{Shares, begin};
use crate::shown::{cents as money, percent, share};
use crate::strategy::{AskedStrategy, Strategy};
use crate::universe::{Member, Universe, universe};

pub(crate) struct Backtest;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows how a strategy would have done."))]
pub(crate) struct BacktestOf {
    #[serde(flatten)]
    asked: AskedStrategy,
    /// The first day, YYYY-MM-DD; default: ten years ago, or when closes begin.
    #[schemars(extend("format" = "date", "x-help" = "Ten years ago if left empty"))]
    from: Option<String>,
    /// The last day, YYYY-MM-DD; default: today.
    #[schemars(extend("format" = "date", "x-help" = "Today if left empty"))]
    to: Option<String>,
    /// The day at which the result is split into two parts: rules found on the first are tried on the second.
    #[schemars(extend("format" = "date", "x-help" = "Judges the days from here on apart"))]
    split: Option<String>,
    /// A symbol to compare with, bought and held; default: the list itself in equal parts.
    #[schemars(extend("x-help" = "The list itself if left empty"))]
    benchmark: Option<String>,
}

/// Points of the equity curve.
const POINTS: usize = 400;
/// Maximum number of listed trades.
const TRADES: usize = 500;

#[async_trait]
impl NativeTool for Backtest {
    type Args = BacktestOf;
    const ID: &'static str = "backtest";
    const EFFECT: Effect = Effect::External;
    const CALLS_TOOLS: bool = true;
    const HOSTS: &'static [&'static str] = &sources::WITH_REPORTS;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &sources::CREDENTIALS;

    fn description(&self) -> Description {
        Description::purpose(
            "Back-tests a strategy or a screen over a list of symbols: returns, the deepest fall, trades and statistics beside the \
             list itself in equal parts. \"unknown\" says what it cannot know.",
        )
        .use_when("the user wants a back-test, or asks how a rule, strategy or screen would have done")
        .not_when("it is about what the user themselves earned", "portfolio.returns")
        .cite("the span, and what it cannot know")
        .example("How would Mid-cap value have done since 2016?")
    }

    async fn run(&self, of: BacktestOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let strategy = of.asked.read(ctx.as_ref()).await?;
        let universe = universe(strategy.universe.as_deref(), ctx.as_ref()).await?;
        let day = |name: &str, said: &Option<String>| {
            said.as_deref().map(|said| date_argument(name, said)).transpose()
        };
        let (from, to, split) = (day("from", &of.from)?, day("to", &of.to)?, day("split", &of.split)?);
        let needs_reports = strategy.needs_reports();
        let benchmark = of.benchmark.filter(|symbol| !symbol.trim().is_empty());
        let to = to.unwrap_or_else(|| ctx.clock().today());
        Ok(ToolOutput::streamed(move |_| async move {
            let since = begin(from, ctx.as_ref());
            let shares = Shares::fetch(&universe, since, needs_reports, &ctx).await?;
            let benchmark = match benchmark {
                Some(symbol) => Some(fetched(&symbol, since, &shares, ctx.as_ref()).await?),
                None => None,
            };
            let run_on = tokio::task::spawn_blocking(move || {
                let result = tried(&strategy, &shares, benchmark.as_ref(), from, to);
                (strategy, shares, benchmark, result)
            });
            let (strategy, shares, benchmark, result) = run_on
                .await
                .map_err(|error| ToolError::failed(format!("The back-test failed: {error}."), ""))?;
            let (run, from) = result.map_err(said)?;
            let mut value = value(&strategy, &universe, &run, (from, to), split)?;
            value["benchmark"] = json!(benchmark.as_ref().map(Share::symbol));
            value["currency"] = json!(shares.currency);
            value["sources"] = json!(shares.sources_with(benchmark.as_ref()));
            value["unanswered"] = shares.unanswered_json();
            value["unknown"] =
                json!(limitations(&strategy, &universe, &shares, Some((&run, benchmark.as_ref()))));
            value["at"] = json!(ctx.clock().now().to_string());
            let currency = shares.currency.as_deref().unwrap_or_default();
            let figure = explained(&run, strategy.rules.cash, currency);
            let notes = strategy.notes.into_iter().chain(universe.path);
            let output = Output::new(value).from_notes(notes);
            Ok(match figure {
                Some(figure) => output.figure(figure),
                None => output,
            })
        }))
    }
}

/// The share to compare with.
///
/// # Errors
/// If it has no closes, or is quoted in another currency than the list.
async fn fetched(symbol: &str, since: Date, of: &Shares, ctx: &dyn ToolContext) -> Result<Share, ToolError> {
    let mut listing = Listing::parse(symbol);
    listing.own = own_names(ctx, &listing.symbol);
    let market = Market::open(since, false, ctx).await?;
    let share = market.share(Member { listing, name: None }, ctx).await.map_err(|reasons| {
        ToolError::failed(format!("The benchmark {symbol} has no closes: {reasons}."), "Check the symbol.")
    })?;
    let (currency, other) = (of.currency.as_deref(), share.days.origin.currency.as_str());
    match currency.filter(|currency| *currency != other) {
        None => Ok(share),
        Some(currency) => Err(ToolError::failed(
            format!("The benchmark {symbol} is quoted in {other}, and the list in {currency}."),
            format!("Name one that is quoted in {currency}."),
        )),
    }
}

/// Without a first day, it begins with the closes.
fn tried(
    strategy: &Strategy,
    shares: &Shares,
    benchmark: Option<&Share>,
    from: Option<Date>,
    to: Date,
) -> Result<(Run, Date), BacktestError> {
    let columns = shares.signals(strategy);
    let candidates: Vec<Candidate<'_>> = shares
        .all
        .iter()
        .zip(columns)
        .map(|(share, (wanted, leave))| Candidate {
            symbol: share.symbol(),
            daily: &share.days.daily,
            wanted,
            leave,
        })
        .collect();
    let first = from.unwrap_or_else(|| to.saturating_sub(nova_skill::jiff::Span::new().years(10)));
    let (mut run, first) = match (backtest(&candidates, &strategy.rules, first, to), from) {
        (Err(BacktestError::TooEarly { first }), None) => {
            (backtest(&candidates, &strategy.rules, first, to)?, first)
        }
        (result, _) => (result?, first),
    };
    if let Some(share) = benchmark {
        let daily = &share.days.daily;
        let (wanted, leave) = (vec![0.0; daily.len()], vec![false; daily.len()]);
        run.against(&Candidate { symbol: share.symbol(), daily, wanted, leave }, &strategy.rules)?;
    }
    Ok((run, first))
}

fn said(error: BacktestError) -> ToolError {
    let text = error.to_string();
    let (what, remedy) = text.split_once(". ").unwrap_or((text.as_str(), "Change the settings."));
    ToolError::failed(format!("{what}."), format!("{}.", remedy.trim_end_matches('.')))
}

fn value(
    strategy: &Strategy,
    universe: &Universe,
    run: &Run,
    (from, to): (Date, Date),
    split: Option<Date>,
) -> Result<Value, ToolError> {
    let Statistics { total, yearly, benchmark_total, benchmark_yearly, deepest_fall, .. } = &run.statistics;
    let halves = match split {
        None => None,
        Some(at) => Some(run.split(at).ok_or_else(|| {
            ToolError::failed(
                format!("{at} leaves one part without a day."),
                "Name a day between the first and the last.",
            )
        })?),
    };
    let fall = deepest_fall.as_ref();
    let end = run.days.last();
    let optional = |share: &Option<f64>| share.and_then(percent);
    Ok(json!({
        "strategy": strategy.name,
        "universe": {
            "name": universe.name,
            "count": universe.members.len(),
            "day": universe.day.map(|day| day.to_string()),
        },
        "from": run.days.first().map_or(from, |day| day.date).to_string(),
        "to": end.map_or(to, |day| day.date).to_string(),
        "rules": rules(&strategy.rules),
        "cash": money(strategy.rules.cash),
        "end": end.map(|day| money(day.equity)),
        "benchmark_end": end.map(|day| money(day.benchmark)),
        "total_return": percent(*total),
        "benchmark_total_return": percent(*benchmark_total),
        "yearly_return": optional(yearly),
        "benchmark_yearly_return": optional(benchmark_yearly),
        "deepest_fall": percent(fall.map_or(0.0, |fall| -fall.depth)),
        "deepest_fall_from": fall.map(|fall| fall.from.to_string()),
        "deepest_fall_to": fall.map(|fall| fall.to.to_string()),
        "trades_count": run.trades.len(),
        "statistics": statistics(&run.statistics),
        "curve": curve(run),
        "trades": trades(run),
        "halves": halves.zip(split).map(|((before, after), at)| json!([
            half(&before, run.days.first().map(|day| day.date), at.yesterday().ok()),
            half(&after, Some(at), end.map(|day| day.date)),
        ])),
    }))
}

/// What the end value is made of; its parts add up to it.
fn explained(run: &Run, cash: f64, currency: &str) -> Option<Figure> {
    let cents = |amount: f64| Some(at_least(rounded_to(Decimal::try_from(amount).ok()?, 2), 2));
    let (end, cash) = (cents(run.days.last()?.equity)?, cents(cash)?);
    let is_closed = |trade: &&Trade| trade.sold.is_some();
    let closed: Vec<&Trade> = run.trades.iter().filter(is_closed).collect();
    let gained = cents(closed.iter().map(|trade| trade.result).sum())?;
    let open = end.checked_sub(cash)?.checked_sub(gained)?;
    let figure = Figure::new("/end", "End value", end, currency)
        .formula("cash at the start + results of closed trades + results of open trades")
        .part("Cash at the start", cash, currency)
        .part(format!("Closed trades: {}", closed.len()), gained, currency)
        .part(format!("Open trades: {}", run.trades.len() - closed.len()), open, currency);
    Some(figure)
}

fn half(statistics: &Statistics, from: Option<Date>, to: Option<Date>) -> Value {
    json!({
        "from": from.map(|day| day.to_string()),
        "to": to.map(|day| day.to_string()),
        "total_return": percent(statistics.total),
        "yearly_return": statistics.yearly.and_then(percent),
        "deepest_fall": percent(statistics.deepest_fall.as_ref().map_or(0.0, |fall| -fall.depth)),
    })
}

fn statistics(of: &Statistics) -> Value {
    let year = |name: &str, year: &Option<(i16, f64)>| match year {
        Some((year, value)) => (format!("{name}, {year}"), percent(*value)),
        None => (name.to_owned(), None),
    };
    let ((best, best_value), (worst, worst_value)) =
        (year("Best year", &of.best_year), year("Worst year", &of.worst_year));
    let row = |key: &str, name: &str, value: Option<String>, unit: &str| json!({"key": key, "name": name, "value": value, "unit": unit});
    let won = (of.sold > 0).then(|| of.won as f64 / of.sold as f64);
    json!([
        row("volatility", "Volatility", of.volatility.and_then(percent), "percent"),
        row("average_hold", "Average hold", of.hold_days.map(|days| format!("{days:.0}")), "days"),
        row("trades_won", "Trades won", won.and_then(percent), "percent"),
        row("costs", "Costs paid", Some(money(of.costs)), "currency"),
        row("best_year", &best, best_value, "percent"),
        row("worst_year", &worst, worst_value, "percent"),
        row("exposure", "Invested", percent(of.exposure), "percent"),
    ])
}

fn curve(run: &Run) -> Value {
    let falls = run.falls();
    let mut highest = f64::NEG_INFINITY;
    let points = run.days.iter().zip(falls).map(|(day, fall)| {
        highest = highest.max(day.benchmark);
        json!({
            "date": day.date.to_string(),
            "value": money(day.equity),
            "benchmark": money(day.benchmark),
            "fall": percent(-fall),
            "benchmark_fall": percent(day.benchmark / highest - 1.0),
        })
    });
    let points: Vec<Value> = points.collect();
    let group = points.len().div_ceil(POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let kept = points.into_iter().enumerate().filter(|(place, _)| (last - place).is_multiple_of(group));
    kept.map(|(_, point)| point).collect()
}

/// Open positions first, then by day of sale, newest first.
fn trades(run: &Run) -> Value {
    let rows = run.trades.iter().rev().take(TRADES).map(|trade| {
        json!({
            "symbol": trade.symbol,
            "bought": trade.bought.to_string(),
            "sold": trade.sold.map(|day| day.to_string()),
            "quantity": trade.quantity.to_string(),
            "result": percent(trade.result / (trade.buy_price * trade.quantity)),
            "gain": money(trade.result),
        })
    });
    rows.collect()
}

fn rules(rules: &Rules) -> Value {
    let rebalance = match rules.rebalance {
        Rebalance::Never => "on signals alone",
        Rebalance::Daily => "daily",
        Rebalance::Weekly => "weekly",
        Rebalance::Monthly => "monthly",
        Rebalance::Quarterly => "quarterly",
        Rebalance::Yearly => "yearly",
    };
    let fill = match rules.fill {
        Fill::NextOpen => "at the next open",
        Fill::Close => "at the close of the signal",
    };
    let parts = match rules.weight {
        Weight::Equal => "in equal parts",
        Weight::Slots => "each in a slot of that size",
    };
    let shares = if rules.whole { "whole shares" } else { "parts of shares" };
    let costs = match rules.fee {
        0.0 => share(rules.cost),
        fee => format!("{} and {} a trade", share(rules.cost), money(fee)),
    };
    let row = |name: &str, value: String| json!({"name": name, "value": value});
    let mut rows = vec![
        row("Rebalanced", rebalance.into()),
        row("Positions", format!("at most {}, {}, {}", rules.positions, parts, shares)),
        row("Orders", fill.into()),
        row("Costs", costs),
        row("Slippage", share(rules.slippage)),
    ];
    rows.extend(rules.stop.map(|stop| row("Stop", format!("{} below the buy price", share(stop)))));
    rows.into()
}
