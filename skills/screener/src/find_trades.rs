use std::sync::Arc;

use nova_market::backtest::Rebalance;
use nova_market::expression::{Expression, Truth};
use nova_market::sources;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::limitations::limitations;
use crate::share::Share;
use crate::shares::{Shares, begin};
use crate::shown::{cents, figure, named};
use crate::strategy::{AskedStrategy, Strategy};
use crate::universe::{Member, holdings, universe};

pub(crate) struct FindTrades;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows what a strategy would trade today."))]
pub(crate) struct TradesOf {
    #[serde(flatten)]
    asked: AskedStrategy,
}

#[async_trait]
impl NativeTool for FindTrades {
    type Args = TradesOf;
    const ID: &'static str = "find_trades";
    const EFFECT: Effect = Effect::External;
    const CALLS_TOOLS: bool = true;
    const HOSTS: &'static [&'static str] = &sources::WITH_REPORTS;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &sources::CREDENTIALS;

    fn description(&self) -> Description {
        Description::purpose(
            "Shows what a strategy or a screen would buy, sell and keep today, with quantities for what the portfolio holds. These are \
             proposals: nothing is bought and no note is written.",
        )
        .use_when("the user asks what their strategy would do or trade now")
        .not_when("it is about past years", "screener.backtest")
        .cite("the day of the prices, and what is not known")
        .example("What would my strategy buy today?")
    }

    async fn run(&self, of: TradesOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let strategy = of.asked.read(ctx.as_ref()).await?;
        let universe = universe(strategy.universe.as_deref(), ctx.as_ref()).await?;
        Ok(ToolOutput::streamed(move |_| async move {
            let since = begin(None, ctx.as_ref());
            let shares = Shares::fetch(&universe, since, strategy.needs_reports(), &ctx).await?;
            let shares = shares.still_listed(ctx.clock().today());
            let held = held(ctx.as_ref()).await;
            let mut unknown = limitations(&strategy, &universe, &shares, None);
            unknown.push(match &held {
                Ok(held) if held.is_empty() => {
                    "Your cash: sizes are parts of the cash of the strategy.".to_owned()
                }
                Ok(_) => "Your cash: sizes are parts of what you hold in these shares.".to_owned(),
                Err(why) => why.clone(),
            });
            let value = json!({
                "strategy": strategy.name,
                "universe": {"name": universe.name, "count": universe.members.len(), "day": universe.day.map(|day| day.to_string())},
                "proposals": proposals(&strategy, &shares, held.as_deref().unwrap_or_default()),
                "unanswered": shares.unanswered_json(),
                "unknown": unknown,
            });
            let mut output = Output::new(value).from_notes(strategy.notes.into_iter().chain(universe.path));
            output.sources.extend(shares.all.iter().take(20).flat_map(Share::cited));
            Ok(output)
        }))
    }
}

/// The portfolio's holdings of each share.
///
/// # Errors
/// If the portfolio is unavailable, with what is therefore unknown.
async fn held(ctx: &dyn ToolContext) -> Result<Vec<(Member, f64)>, String> {
    let held = holdings(ctx).await;
    held.map_err(|error| format!("What you hold: {error} The cash of the strategy is used instead."))
}

/// One share on its last day.
struct Now<'a> {
    share: &'a Share,
    /// Its rank; NaN if it is not a buy.
    wanted: f64,
    leave: bool,
    price: f64,
    held: f64,
}

fn proposals(strategy: &Strategy, shares: &Shares, held: &[(Member, f64)]) -> Value {
    let signals = shares.signals(strategy);
    let mut now: Vec<Now<'_>> = (shares.all.iter().zip(signals))
        .filter_map(|(share, (wanted, leave))| {
            Some(Now {
                share,
                wanted: *wanted.last()?,
                leave: *leave.last()?,
                price: share.days.daily.close.last().copied().filter(|price| *price > 0.0)?,
                held: held
                    .iter()
                    .filter(|(member, _)| member.is_same(&share.member))
                    .map(|(_, quantity)| quantity)
                    .sum(),
            })
        })
        .collect();
    // The highest rank first, shares that are no buy last; stable otherwise.
    let rank = |now: &Now<'_>| if now.wanted.is_nan() { f64::NEG_INFINITY } else { now.wanted };
    now.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    let rebalances = strategy.rules.rebalance != Rebalance::Never;
    let most = strategy.rules.positions;
    let is_wanted = |now: &Now<'_>| !now.wanted.is_nan() && !now.leave;
    let chosen: Vec<bool> = if rebalances {
        let mut left = most;
        now.iter()
            .map(|now| {
                is_wanted(now) && left > 0 && {
                    left -= 1;
                    true
                }
            })
            .collect()
    } else {
        let kept = now.iter().filter(|now| now.held > 0.0 && !now.leave).count();
        let mut left = most.saturating_sub(kept);
        now.iter()
            .map(|now| {
                (now.held > 0.0 && !now.leave)
                    || (is_wanted(now) && left > 0 && {
                        left -= 1;
                        true
                    })
            })
            .collect()
    };
    // The portfolio's value in these shares, else the starting capital of a back-test.
    let value: f64 = now.iter().map(|now| now.held * now.price).sum();
    let money = if value > 0.0 { value } else { strategy.rules.cash };
    let count = chosen.iter().filter(|chosen| **chosen).count().max(1);
    let each = if rebalances { money / count as f64 } else { money / most as f64 };
    let rows = now.iter().zip(chosen).filter_map(|(now, chosen)| {
        let part = (each / now.price).floor();
        let (action, quantity, reason) = match (chosen, now.held > 0.0) {
            (true, false) => ("buy", part, bought(strategy, now)),
            (false, true) => ("sell", now.held, sold(strategy, now)),
            (true, true) if rebalances && part >= now.held + 1.0 => {
                ("buy", part - now.held, "It has less than an equal part.".to_owned())
            }
            (true, true) if rebalances && part + 1.0 <= now.held => {
                ("sell", now.held - part, "It has more than an equal part.".to_owned())
            }
            (true, true) => ("hold", now.held, "It still meets what it was bought for.".to_owned()),
            (false, false) => return None,
        };
        if action == "buy" && quantity < 1.0 {
            return None;
        }
        Some(json!({
            "action": action,
            "symbol": now.share.symbol(),
            "name": now.share.name(),
            "quantity": quantity.to_string(),
            "price": cents(now.price),
            "currency": now.share.days.origin.currency,
            "amount": cents(quantity * now.price),
            "reason": reason,
            "date": now.share.last().map(|(day, _)| day.to_string()),
        }))
    });
    rows.collect()
}

fn bought(strategy: &Strategy, now: &Now<'_>) -> String {
    let meets = match strategy.buy.conditions.len() {
        1 => "It meets the condition".to_owned(),
        several => format!("It meets all {several} conditions"),
    };
    if strategy.buy.score.is_empty() || now.wanted < 0.0 {
        format!("{meets}.")
    } else {
        format!("{meets}, score {:.0}.", now.wanted)
    }
}

/// The sell condition that holds, or the buy condition that no longer does.
fn sold(strategy: &Strategy, now: &Now<'_>) -> String {
    let columns = now.share.columns();
    let holds = |condition: &&Expression| condition.last_truth(&columns) == Truth::Yes;
    if let Some(condition) = strategy.sell.iter().find(holds) {
        return format!("{} holds.", condition.text());
    }
    let look = strategy.buy.look(&columns);
    let failed = (0..look.truths.len()).find(|place| look.truths[*place] != Truth::Yes);
    match failed {
        None => format!("{} others rank higher.", strategy.rules.positions),
        Some(place) => {
            let condition = &strategy.buy.conditions[place];
            let (name, kind) = named(condition);
            match figure(look.figures[place], kind) {
                Some(value) => format!("{name} is {value}: `{}` no longer holds.", condition.text()),
                None => format!("{name} is not known."),
            }
        }
    }
}
