use std::sync::Arc;

use nova_market::backtest::{Rebalance, Rules, Weight};
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
use crate::shown::{cents, figure, named, share as percentage};
use crate::strategy::{AskedStrategy, Strategy};
use crate::universe::{Holding, cash, holdings, universe};

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
            let account = Account::read(shares.currency.as_deref().unwrap_or_default(), ctx.as_ref()).await;
            let mut unknown = limitations(&strategy, &universe, &shares, None);
            let proposals = proposals(&strategy, &shares, &account, &mut unknown);
            let value = json!({
                "strategy": strategy.name,
                "universe": {"name": universe.name, "count": universe.members.len(), "day": universe.day.map(|day| day.to_string())},
                "proposals": proposals,
                "unanswered": shares.unanswered_json(),
                "unknown": unknown,
            });
            let mut output = Output::new(value).from_notes(strategy.notes.into_iter().chain(universe.path));
            output.sources.extend(shares.all.iter().take(20).flat_map(Share::cited));
            Ok(output)
        }))
    }
}

/// The user's account, as far as the portfolio knows it.
struct Account {
    held: Vec<Holding>,
    /// In the currency of the shares, if deposits are recorded.
    cash: Option<f64>,
    /// Why the portfolio is unavailable.
    problem: Option<String>,
}

impl Account {
    async fn read(currency: &str, ctx: &dyn ToolContext) -> Self {
        match holdings(ctx).await {
            Ok(held) => Self { held, cash: cash(currency, ctx).await, problem: None },
            Err(error) => {
                let problem = format!("What you hold: {error} The cash of the strategy is used instead.");
                Self { held: Vec::new(), cash: None, problem: Some(problem) }
            }
        }
    }
}

/// One share on its last day.
struct Now<'a> {
    share: &'a Share,
    /// Its rank; NaN if it is not a buy.
    wanted: f64,
    leave: bool,
    price: f64,
    held: f64,
    /// The average price paid, in the currency of the price, if known.
    paid: Option<f64>,
    stopped: bool,
}

impl<'a> Now<'a> {
    fn of(share: &'a Share, wanted: f64, leave: bool, price: f64, account: &Account) -> Self {
        let is_it = |holding: &&Holding| holding.member.listing.is_same(&share.member.listing);
        let holdings: Vec<&Holding> = account.held.iter().filter(is_it).collect();
        let held: f64 = holdings.iter().map(|holding| holding.quantity).sum();
        let spent = |holding: &&Holding| {
            let is_alike = holding.member.listing.currency.as_ref() == Some(&share.days.origin.currency);
            holding.paid.filter(|_| is_alike).map(|paid| paid * holding.quantity)
        };
        let spent: Option<f64> = holdings.iter().map(spent).sum();
        let paid = spent.filter(|_| held > 0.0).map(|spent| spent / held);
        Self { share, wanted, leave, price, held, paid, stopped: false }
    }

    fn is_wanted(&self) -> bool {
        !self.wanted.is_nan() && !self.leave && !self.stopped
    }

    fn is_kept(&self) -> bool {
        self.held > 0.0 && !self.leave && !self.stopped
    }
}

/// The rows of an answer, best first. Adds to `unknown` what they do not say.
fn proposals(strategy: &Strategy, shares: &Shares, account: &Account, unknown: &mut Vec<String>) -> Value {
    let rules = &strategy.rules;
    let mut now = on_the_last_day(strategy, shares, account, unknown);
    // The highest rank first, shares that are no buy last; stable otherwise.
    let rank = |now: &Now<'_>| if now.wanted.is_nan() { f64::NEG_INFINITY } else { now.wanted };
    now.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    let chosen = chosen(rules, &now);
    let each = part(rules, &now, &chosen, account, unknown);
    let rebalances = rules.rebalance != Rebalance::Never;
    // The smallest quantity that is traded.
    let step = if rules.whole { 1.0 } else { 1e-4 };
    let mut too_dear = Vec::new();
    let mut rows = Vec::new();
    for (now, chosen) in now.iter().zip(chosen) {
        let part = (each / now.price / step).floor() * step;
        let (action, quantity, reason) = match (chosen, now.held > 0.0) {
            (true, false) => ("buy", part, bought(strategy, now)),
            (false, true) => ("sell", now.held, sold(strategy, now)),
            (true, true) if rebalances && part >= now.held + step => {
                ("buy", part - now.held, "It has less than an equal part.".to_owned())
            }
            (true, true) if rebalances && part + step <= now.held => {
                ("sell", now.held - part, "It has more than an equal part.".to_owned())
            }
            (true, true) => ("hold", now.held, "It still meets what it was bought for.".to_owned()),
            (false, false) => continue,
        };
        if action == "buy" && quantity < step {
            too_dear.push(now.share.symbol());
            continue;
        }
        rows.push(json!({
            "action": action,
            "symbol": now.share.symbol(),
            "name": now.share.name(),
            "quantity": ((quantity * 1e4).round() / 1e4).to_string(),
            "price": cents(now.price),
            "currency": now.share.days.origin.currency,
            "amount": cents(quantity * now.price),
            "reason": reason,
            "date": now.share.last().map(|(day, _)| day.to_string()),
        }));
    }
    if !too_dear.is_empty() {
        unknown.push(format!(
            "Hits that are not bought, because one share costs more than a part of {}: {}.",
            cents(each),
            too_dear.join(", ")
        ));
    }
    rows.into()
}

/// The shares with a last close, and what is held of them.
fn on_the_last_day<'a>(
    strategy: &Strategy,
    shares: &'a Shares,
    account: &Account,
    unknown: &mut Vec<String>,
) -> Vec<Now<'a>> {
    let mut all = Vec::new();
    for (share, (wanted, leave)) in shares.all.iter().zip(shares.signals(strategy)) {
        let price = share.days.daily.close.last().copied().filter(|price| *price > 0.0);
        let (Some(price), Some(wanted), Some(leave)) = (price, wanted.last(), leave.last()) else {
            unknown.push(format!("What to do with {}: {}.", share.symbol(), share.lack()));
            continue;
        };
        let mut now = Now::of(share, *wanted, *leave, price, account);
        if let Some(stop) = strategy.rules.stop.filter(|_| now.held > 0.0) {
            match now.paid {
                Some(paid) => now.stopped = price <= paid * (1.0 - stop),
                None => unknown.push(format!(
                    "Whether {} has reached the stop: what you paid for it is not known.",
                    share.symbol()
                )),
            }
        }
        all.push(now);
    }
    all
}

/// Which shares are held after the trades; `now` has the best first.
fn chosen(rules: &Rules, now: &[Now<'_>]) -> Vec<bool> {
    let is_kept = |now: &Now<'_>| rules.rebalance == Rebalance::Never && now.is_kept();
    let mut left = rules.positions.saturating_sub(now.iter().filter(|now| is_kept(now)).count());
    let chosen = now.iter().map(|now| {
        is_kept(now)
            || (now.is_wanted() && left > 0 && {
                left -= 1;
                true
            })
    });
    chosen.collect()
}

/// The size of a position, as in [`nova_market::backtest::Weight`].
fn part(
    rules: &Rules,
    now: &[Now<'_>],
    chosen: &[bool],
    account: &Account,
    unknown: &mut Vec<String>,
) -> f64 {
    let worth = |now: &Now<'_>| now.held * now.price;
    let value: f64 = now.iter().map(worth).sum();
    let money = account.cash.map_or(value, |cash| value + cash);
    let money = if account.cash.is_none() && value <= 0.0 { rules.cash } else { money.max(0.0) };
    unknown.extend(match (&account.problem, account.cash) {
        (Some(problem), _) => Some(problem.clone()),
        (None, Some(_)) => None,
        (None, None) if value > 0.0 => {
            Some("Your cash: sizes are parts of what you hold in these shares.".to_owned())
        }
        (None, None) => Some("Your cash: sizes are parts of the cash of the strategy.".to_owned()),
    });
    let slot = money / rules.positions as f64;
    if rules.rebalance != Rebalance::Never {
        return match rules.weight {
            Weight::Equal => money / chosen.iter().filter(|chosen| **chosen).count().max(1) as f64,
            Weight::Slots => slot,
        };
    }
    let Some(cash) = account.cash else { return slot };
    let sold: f64 = now.iter().filter(|now| !now.is_kept()).map(worth).sum();
    let kept = now.iter().filter(|now| now.is_kept()).count();
    let free = (cash + sold).max(0.0) / rules.positions.saturating_sub(kept).max(1) as f64;
    match rules.weight {
        Weight::Equal => free,
        Weight::Slots => slot.min(free),
    }
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

/// The stop, the sell condition that holds, or the buy condition that no longer does.
fn sold(strategy: &Strategy, now: &Now<'_>) -> String {
    if let (true, Some(stop), Some(paid)) = (now.stopped, strategy.rules.stop, now.paid) {
        let (price, paid) = (cents(now.price), cents(paid));
        return format!("{price} is {} or more below the {paid} that you paid.", percentage(stop));
    }
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
