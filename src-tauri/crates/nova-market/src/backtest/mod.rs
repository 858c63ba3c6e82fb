//! Back-tests: simulates an account that trades on past days by a strategy's signals.
//!
//! A strategy is a column of ranks and one of exits for each share ([`Candidate`]); the engine knows neither
//! indicators nor expressions. It iterates over the trading days and sees the open of a day before its close,
//! and nothing of a later day (`market.rs`), so that look-ahead is impossible. [`Gaps`] counts missing data
//! and orders that could not be filled.
//!
//! The order of events in a day: dividends are paid to the holders of the evening before; shares without a
//! close for more than [`LISTED_DAYS`] are sold at their last close; pending orders are filled at the open;
//! signals are read at the close; with [`Fill::Close`], orders are filled at that close. Sales precede
//! purchases. An order without a price waits for the next one.
//!
//! Past prices in [`Daily`] are split-adjusted, so a split needs no handling here. All amounts are estimates
//! in the currency of the prices; a price that is shown to the user is the decimal of its source.

mod gaps;
mod machine;
mod market;
mod rules;
mod statistics;
#[cfg(test)]
mod tests;

use jiff::civil::Date;
use nova_figures::days_between;

pub use gaps::Gaps;
pub use rules::{BacktestError, Fill, Rebalance, Rules, Weight};
pub use statistics::{Fall, Statistics};

use crate::daily::{Daily, LISTED_DAYS};
use machine::Machine;
use market::{Market, Signals};

/// A share that the strategy may hold. All candidates of a run have the same currency.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    pub symbol: &'a str,
    pub daily: &'a Daily,
    /// The rank after the close of each day of `daily`: the highest is bought first, and one that is not
    /// finite is not bought. Ties are broken by the order of the candidates.
    pub wanted: Vec<f64>,
    /// Whether a held share is sold after the close of each day of `daily`.
    pub leave: Vec<bool>,
}

/// The result of a back-test.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub days: Vec<Day>,
    /// Sorted by the day of sale, those still held last.
    pub trades: Vec<Trade>,
    pub statistics: Statistics,
    pub gaps: Gaps,
    /// The initial cash.
    cash: f64,
}

/// The account after the close of a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Day {
    pub date: Date,
    /// Cash, and shares at their last close.
    pub equity: f64,
    /// The equity of all candidates equally weighted, rebalanced like the strategy, without costs. Without
    /// rebalancing, the candidates listed on the first day are bought and held. Or that of one share, after
    /// [`Run::against`].
    pub benchmark: f64,
    /// The fraction of `equity` held in shares, from 0 to 1.
    pub invested: f64,
    /// Commissions and fees of the day.
    pub costs: f64,
}

/// A position from its first purchase to its last sale.
#[derive(Debug, Clone, PartialEq)]
pub struct Trade {
    pub symbol: String,
    pub bought: Date,
    /// `None` while it is held.
    pub sold: Option<Date>,
    /// The total number of shares bought.
    pub quantity: f64,
    /// The average of all purchases, with slippage, without costs.
    pub buy_price: f64,
    /// The average of all sales, with slippage, without costs; shares still held count at their last close.
    pub sell_price: f64,
    /// The profit or loss, after costs and with dividends.
    pub result: f64,
    /// Commissions and fees.
    pub costs: f64,
}

/// Runs a strategy over the trading days from `from` to `to`.
///
/// # Errors
/// When a rule, a column or the span is invalid, or an amount overflows.
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
    /// The statistics of the days before `at` and from `at` on, for a walk-forward test. A trade belongs to
    /// the part in which it was sold. `None` if a part has no days, or the second one starts without money.
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

    /// Replaces the benchmark by one share that is bought on the first day with all money and held, its dividends
    /// reinvested, without costs.
    ///
    /// # Errors
    /// When its closes do not cover the days of the run, or are invalid.
    pub fn against(&mut self, benchmark: &Candidate, rules: &Rules) -> Result<(), BacktestError> {
        let days: Vec<Date> = self.days.iter().map(|day| day.date).collect();
        let (Some(first), Some(last)) = (days.first(), days.last()) else { return Ok(()) };
        let known = &benchmark.daily.days;
        let (Some(begin), Some(end)) = (known.first(), known.last()) else {
            return Err(BacktestError::NoCloses);
        };
        if begin > first || days_between(*end, *last) > LISTED_DAYS {
            let (symbol, from, to) = (benchmark.symbol.to_owned(), *begin, *end);
            return Err(BacktestError::Benchmark { symbol, from, to });
        }
        market::calendar(std::slice::from_ref(benchmark), *first, *last)?;
        let rules = Rules { rebalance: Rebalance::Daily, ..rules.of_benchmark(1) };
        let market = Market::new(std::slice::from_ref(benchmark), Signals::Everyone);
        let held = Machine::new(market, rules).run(&days)?;
        for (day, other) in self.days.iter_mut().zip(&held.days) {
            day.benchmark = other.equity;
        }
        let start = statistics::Start::of(self.cash, &self.days);
        self.statistics = Statistics::of(start, &self.days, &self.trades);
        Ok(())
    }

    /// The drawdown of each day from the highest equity so far, from 0 to 1.
    pub fn falls(&self) -> Vec<f64> {
        statistics::falls(self.cash, &self.days)
    }
}
