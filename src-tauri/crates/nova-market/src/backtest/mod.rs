//! Back-tests: what a strategy would have earned, day by day, under stated rules.
//!
//! A strategy is a column of ranks and one of exits for each share ([`Candidate`]); the engine knows no indicator and no
//! expression. It walks through the days of trading and sees of each day the open before the close, and of no later
//! day anything (`market.rs`), so that no decision can look ahead. What a run could not know or do is counted in
//! [`Gaps`].
//!
//! On each day, in this order: dividends are paid to who held the share the evening before; shares that have had no
//! close for [`LISTED_DAYS`] are sold at the last one; waiting orders are filled at the open; signals are read at
//! the close, and with [`Fill::Close`] orders are filled there. Sales come before purchases.
//!
//! Prices are those of [`Daily`], in which splits have already divided past prices, so a split changes nothing here. All
//! amounts are in the currency of the prices, and estimates: what is shown of a price is the decimal of its source.

mod gaps;
mod machine;
mod market;
mod rules;
mod statistics;
#[cfg(test)]
mod tests;

use jiff::civil::Date;

pub use gaps::Gaps;
pub use rules::{BacktestError, Fill, Rebalance, Rules, Weight};
pub use statistics::{Fall, Statistics};

use crate::Daily;
use machine::Machine;
use market::{Market, Signals};

/// For how many days without a close a share still counts as listed. Holidays of exchanges are shorter.
pub const LISTED_DAYS: i64 = 10;

/// A share that the strategy may hold.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    pub symbol: &'a str,
    pub daily: &'a Daily,
    /// How much the share is wanted after the close of each day of `daily`: the highest first, not at all where it is
    /// not finite. Of equal ones the first candidate comes first.
    pub wanted: Vec<f64>,
    /// Whether a held share is to be sold after the close of each day of `daily`.
    pub leave: Vec<bool>,
}

/// What came of a back-test.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub days: Vec<Day>,
    /// By the day of sale, then those still held; of one day in the order of the candidates.
    pub trades: Vec<Trade>,
    pub statistics: Statistics,
    pub gaps: Gaps,
    /// What the run began with.
    cash: f64,
}

/// What there was after the close of a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Day {
    pub date: Date,
    /// Cash and shares at their last close.
    pub equity: f64,
    /// What `equity` would be of the universe itself in equal parts, rebalanced as the strategy, without costs. Without
    /// rebalancing, those of the first day are bought and kept.
    pub benchmark: f64,
    /// The share of `equity` in shares, from 0 to 1.
    pub invested: f64,
    /// Commissions and fees of the day.
    pub costs: f64,
}

/// A position from its first purchase to its last sale.
#[derive(Debug, Clone, PartialEq)]
pub struct Trade {
    pub symbol: String,
    pub bought: Date,
    /// None while it is held.
    pub sold: Option<Date>,
    /// How many shares were bought in all.
    pub quantity: f64,
    /// The average of all purchases, with slippage, without costs.
    pub buy_price: f64,
    /// The average of all sales, with slippage, without costs; what is still held counts at its last close.
    pub sell_price: f64,
    /// What was earned: after costs, with dividends.
    pub result: f64,
    /// Commissions and fees.
    pub costs: f64,
}

/// Runs a strategy over the days of trading from `from` to `to`.
///
/// # Errors
/// When a rule, a column or the span makes no sense, or when the amounts grow beyond what a float holds.
pub fn backtest(candidates: &[Candidate], rules: &Rules, from: Date, to: Date) -> Result<Run, BacktestError> {
    rules.check()?;
    let calendar = market::calendar(candidates, from, to)?;
    let own = Machine::new(Market::new(candidates, Signals::Own), rules.clone()).run(&calendar)?;
    let first = calendar[0];
    let (everyone, listed) = match rules.rebalance {
        Rebalance::Never => {
            let listed = candidates.iter().filter(|candidate| market::is_listed(candidate, first)).count();
            (Signals::EveryoneOn(first), listed)
        }
        _ => (Signals::Everyone, candidates.len()),
    };
    let benchmark =
        Machine::new(Market::new(candidates, everyone), rules.of_benchmark(listed)).run(&calendar)?;
    let mut days = own.days;
    for (day, of_all) in days.iter_mut().zip(&benchmark.days) {
        day.benchmark = of_all.equity;
    }
    let statistics = Statistics::of(statistics::Start::of(rules.cash, &days), &days, &own.trades);
    let gaps = own.gaps.of_universe(candidates, &calendar);
    Ok(Run { days, trades: own.trades, statistics, gaps, cash: rules.cash })
}

impl Run {
    /// The statistics of the days before `at` and of those from it, each as a run of its own; a trade belongs to the
    /// part in which it was sold. None where a part would have no day, or the later one
    /// no money.
    pub fn split(&self, at: Date) -> Option<(Statistics, Statistics)> {
        let place = self.days.partition_point(|day| day.date < at);
        let (before, after) = self.days.split_at(place);
        let last = before.last().filter(|last| last.equity > 0.0)?;
        after.first()?;
        let start = statistics::Start { date: last.date, equity: last.equity, benchmark: last.benchmark };
        let sold = |late: bool| move |trade: &&Trade| trade.sold.is_some_and(|sold| (sold >= at) == late);
        let trades = |late| self.trades.iter().filter(sold(late)).cloned().collect::<Vec<_>>();
        Some((
            Statistics::of(statistics::Start::of(self.cash, before), before, &trades(false)),
            Statistics::of(start, after, &trades(true)),
        ))
    }

    /// How far below its highest value so far the equity lies on each day, from 0 to 1.
    pub fn falls(&self) -> Vec<f64> {
        statistics::falls(self.cash, &self.days)
    }
}
