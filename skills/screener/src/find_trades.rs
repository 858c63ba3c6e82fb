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

/// Maximum lines about what is not counted of the portfolio.
const LINES: usize = 20;

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
    /// What contradicts itself in the notes.
    contradicting: Vec<String>,
    /// In the currency of the shares, if deposits are recorded.
    cash: Option<f64>,
    /// Why the portfolio is unavailable.
    problem: Option<String>,
}

impl Account {
    async fn read(currency: &str, ctx: &dyn ToolContext) -> Self {
        match holdings(ctx).await {
            Ok((held, contradicting)) => {
                Self { held, contradicting, cash: cash(currency, ctx).await, problem: None }
            }
            Err(error) => {
                let problem = format!("What you hold: {error} The cash of the strategy is used instead.");
                Self { held: Vec::new(), contradicting: Vec::new(), cash: None, problem: Some(problem) }
            }
        }
    }
}

impl Account {
    /// The cash before the trades: that of the strategy if nothing is held and no deposits are recorded; `None` if
    /// it is unknown beside what is held.
    fn known_cash(&self, rules: &Rules, now: &[Now<'_>]) -> Option<f64> {
        self.cash.or_else(|| (!holds_any(now)).then_some(rules.cash))
    }

    /// What may be held of these shares beside what is counted.
    fn uncounted(&self, shares: &Shares) -> Vec<String> {
        let elsewhere = self.held.iter().filter_map(|holding| {
            let listing = &holding.member.listing;
            let mut of_symbol = shares.of_symbol(&listing.symbol).peekable();
            let symbol = of_symbol.peek()?.symbol();
            let place = listing.place().unwrap_or("an exchange that is not named");
            of_symbol.all(|share| !share.member.listing.is_same(listing)).then(|| {
                format!("Your {} {symbol} at {place} are another listing and not counted.", holding.quantity)
            })
        });
        // They begin with the symbol.
        let is_listed = |problem: &&String| {
            let symbol = problem.split([' ', ':']).next().unwrap_or_default();
            shares.of_symbol(symbol).next().is_some()
        };
        let contradicting = self.contradicting.iter().filter(is_listed);
        elsewhere
            .chain(contradicting.map(|problem| format!("What you hold: {problem}.")))
            .take(LINES)
            .collect()
    }

    /// What is not known about the cash, in a sentence.
    fn unknown_cash(&self, now: &[Now<'_>]) -> Option<String> {
        match (&self.problem, self.cash) {
            (Some(problem), _) => Some(problem.clone()),
            (None, Some(_)) => None,
            (None, None) if holds_any(now) => {
                Some("Your cash: sizes are parts of what you hold in these shares.".to_owned())
            }
            (None, None) => Some("Your cash: sizes are parts of the cash of the strategy.".to_owned()),
        }
    }
}

fn holds_any(now: &[Now<'_>]) -> bool {
    now.iter().any(|now| now.held > 0.0)
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

    fn worth(&self) -> f64 {
        self.held * self.price
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
    unknown.extend(account.unknown_cash(&now));
    let orders = orders(rules, &now, &chosen, account);
    let mut too_dear = Vec::new();
    let mut rows = Vec::new();
    for ((now, chosen), order) in now.iter().zip(chosen).zip(orders.changes) {
        if !chosen && now.held == 0.0 {
            continue;
        }
        let (action, quantity, reason) = match (chosen, now.held > 0.0) {
            (true, false) if order <= 0.0 => {
                too_dear.push(now.share.symbol());
                continue;
            }
            (true, false) => ("buy", order, bought(strategy, now)),
            (false, _) => ("sell", now.held, sold(strategy, now)),
            (true, true) if order > 0.0 => ("buy", order, "It has less than an equal part.".to_owned()),
            (true, true) if order < 0.0 => ("sell", -order, "It has more than an equal part.".to_owned()),
            (true, true) => ("hold", now.held, "It still meets what it was bought for.".to_owned()),
        };
        let amount = quantity * now.price;
        let costs = match action {
            "buy" => spent(rules, quantity, now.price) - amount,
            "sell" => amount - received(rules, quantity, now.price),
            _ => 0.0,
        };
        rows.push(json!({
            "action": action,
            "symbol": now.share.symbol(),
            "name": now.share.name(),
            "quantity": ((quantity * 1e4).round() / 1e4).to_string(),
            "price": cents(now.price),
            "currency": now.share.days.origin.currency,
            "amount": cents(amount),
            "costs": cents(costs),
            "reason": reason,
            "date": now.share.last().map(|(day, _)| day.to_string()),
        }));
    }
    if !too_dear.is_empty() {
        unknown.push(format!(
            "Hits that are not bought, because one share with its costs is more than a part of {}: {}.",
            cents(orders.size),
            too_dear.join(", ")
        ));
    }
    rows.into()
}

/// What a purchase takes from the cash, with slippage and costs.
fn spent(rules: &Rules, quantity: f64, price: f64) -> f64 {
    let value = quantity * rules.buy_price(price);
    value + rules.costs(value)
}

/// What a sale adds to the cash, after slippage and costs.
fn received(rules: &Rules, quantity: f64, price: f64) -> f64 {
    let value = quantity * rules.sell_price(price);
    value - rules.costs(value)
}

/// The trades of a day.
struct Orders {
    /// The change of each share's quantity: above zero to buy.
    changes: Vec<f64>,
    /// The largest amount of a purchase, costs included.
    size: f64,
}

/// Sales come first, then all purchases share the cash, as in [`nova_market::backtest`].
fn orders(rules: &Rules, now: &[Now<'_>], chosen: &[bool], account: &Account) -> Orders {
    // The smallest quantity that is traded.
    let step = if rules.whole { 1.0 } else { 1e-4 };
    let in_steps = |quantity: f64| (quantity / step).floor().max(0.0) * step;
    let all = || now.iter().zip(chosen);
    let sold: f64 = all()
        .filter(|(now, chosen)| !**chosen && now.held > 0.0)
        .map(|(now, _)| received(rules, now.held, now.price))
        .sum();
    let kept: f64 = all().filter(|(_, chosen)| **chosen).map(|(now, _)| now.worth()).sum();
    let known = account.known_cash(rules, now);
    let mut cash = known.unwrap_or_default() + sold;
    let money = (cash + kept).max(0.0);
    let slot = money / rules.positions as f64;
    let size = match (rules.rebalance == Rebalance::Never, rules.weight) {
        (true, Weight::Equal) if known.is_some() => {
            let held = all().filter(|(now, chosen)| **chosen && now.held > 0.0).count();
            cash.max(0.0) / rules.positions.saturating_sub(held).max(1) as f64
        }
        (false, Weight::Equal) => money / chosen.iter().filter(|chosen| **chosen).count().max(1) as f64,
        _ => slot,
    };
    let mut changes = vec![0.0; now.len()];
    let mut missing = vec![0.0; now.len()];
    for (place, (now, chosen)) in all().enumerate() {
        let lacks = size - now.worth();
        if !chosen {
            changes[place] = -now.held;
        } else if now.held > 0.0 && rules.rebalance == Rebalance::Never {
            continue;
        } else if lacks > 0.0 {
            missing[place] = lacks;
        } else {
            let surplus = now.held - rules.tradable(size / now.price);
            if surplus >= step && surplus * now.price > rules.fee {
                changes[place] = -surplus;
                cash += received(rules, surplus, now.price);
            }
        }
    }
    let needed: f64 = missing.iter().sum();
    let part = match known {
        Some(_) if needed > 0.0 => (cash.max(0.0) / needed).min(1.0),
        _ => 1.0,
    };
    for (place, lacks) in missing.into_iter().enumerate().filter(|(_, lacks)| *lacks > 0.0) {
        changes[place] = in_steps(rules.bought_for(lacks * part, now[place].price));
    }
    Orders { changes, size: size * part }
}

/// The shares with a last close, and what is held of them.
fn on_the_last_day<'a>(
    strategy: &Strategy,
    shares: &'a Shares,
    account: &Account,
    unknown: &mut Vec<String>,
) -> Vec<Now<'a>> {
    let mut all = Vec::new();
    unknown.extend(account.uncounted(shares));
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
