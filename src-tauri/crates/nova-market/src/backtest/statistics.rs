use jiff::civil::Date;
use nova_figures::days_between;

use super::{Day, Trade};
use crate::indicators::TRADING_DAYS;
use crate::returns::a_year;

/// The statistics of a run. Returns and fractions are ratios: 0.1 is ten percent.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    pub total: f64,
    /// The annualised return; `None` for a run shorter than a year.
    pub yearly: Option<f64>,
    pub benchmark_total: f64,
    pub benchmark_yearly: Option<f64>,
    /// `None` if the equity never fell.
    pub deepest_fall: Option<Fall>,
    /// The sample standard deviation of daily returns, annualised with [`TRADING_DAYS`].
    pub volatility: Option<f64>,
    /// Number of closed trades.
    pub sold: usize,
    /// Number of closed trades with a profit.
    pub won: usize,
    /// The average number of calendar days from purchase to sale.
    pub hold_days: Option<f64>,
    /// Commissions and fees; slippage is in the prices.
    pub costs: f64,
    /// The return of the best calendar year; the first and last year of a run may be partial.
    pub best_year: Option<(i16, f64)>,
    pub worst_year: Option<(i16, f64)>,
    /// The average fraction of the equity that was held in shares.
    pub exposure: f64,
}

/// A drawdown of the equity from its highest value so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fall {
    /// The fraction lost, from 0 to 1.
    pub depth: f64,
    /// The day of the highest value.
    pub from: Date,
    /// The day of the lowest value.
    pub to: Date,
    /// The first day on which the highest value was reached again.
    pub recovered: Option<Date>,
}

/// The account before the first day.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    pub(super) date: Date,
    pub(super) equity: f64,
    pub(super) benchmark: f64,
}

impl Start {
    /// The state of a run that starts with cash on the first of its days.
    pub(super) fn of(cash: f64, days: &[Day]) -> Self {
        Self { date: days.first().map_or(Date::ZERO, |day| day.date), equity: cash, benchmark: cash }
    }
}

impl Statistics {
    pub(super) fn of(start: Start, days: &[Day], trades: &[Trade]) -> Self {
        let last = days.last().map_or(start, |day| Start {
            date: day.date,
            equity: day.equity,
            benchmark: day.benchmark,
        });
        let length = days_between(start.date, last.date);
        let (total, benchmark_total) =
            (last.equity / start.equity - 1.0, last.benchmark / start.benchmark - 1.0);
        let held = trades.iter().filter_map(|trade| Some((trade, trade.sold?)));
        let holds: Vec<f64> = held.map(|(trade, sold)| days_between(trade.bought, sold) as f64).collect();
        let won = trades.iter().filter(|trade| trade.sold.is_some() && trade.result > 0.0).count();
        let years = years(start, days);
        Self {
            total,
            yearly: a_year(total, length),
            benchmark_total,
            benchmark_yearly: a_year(benchmark_total, length),
            deepest_fall: deepest_fall(start, days),
            volatility: volatility(start, days),
            sold: holds.len(),
            won,
            hold_days: mean(&holds),
            costs: days.iter().map(|day| day.costs).sum(),
            best_year: years.iter().copied().reduce(|best, year| if year.1 > best.1 { year } else { best }),
            worst_year: years
                .iter()
                .copied()
                .reduce(|worst, year| if year.1 < worst.1 { year } else { worst }),
            exposure: mean(&days.iter().map(|day| day.invested).collect::<Vec<_>>()).unwrap_or_default(),
        }
    }
}

pub(super) fn falls(start: f64, days: &[Day]) -> Vec<f64> {
    let fall = |highest: &mut f64, day: &Day| {
        *highest = highest.max(day.equity);
        Some(1.0 - day.equity / *highest)
    };
    days.iter().scan(start, fall).collect()
}

fn deepest_fall(start: Start, days: &[Day]) -> Option<Fall> {
    let falls = falls(start.equity, days);
    let lowest =
        (0..days.len()).reduce(|lowest, place| if falls[place] > falls[lowest] { place } else { lowest })?;
    let depth = falls[lowest];
    if depth <= 0.0 {
        return None;
    }
    let highest = falls[..lowest].iter().rposition(|fall| *fall == 0.0);
    let recovered = falls[lowest..].iter().position(|fall| *fall == 0.0);
    Some(Fall {
        depth,
        from: highest.map_or(start.date, |place| days[place].date),
        to: days[lowest].date,
        recovered: recovered.map(|place| days[lowest + place].date),
    })
}

/// `None` without two returns, or after a total loss.
fn volatility(start: Start, days: &[Day]) -> Option<f64> {
    let growth = |before: &mut f64, day: &Day| {
        let growth = day.equity / *before - 1.0;
        *before = day.equity;
        Some(growth)
    };
    let returns: Vec<f64> = days.iter().scan(start.equity, growth).collect();
    let mean = mean(&returns).filter(|_| returns.len() > 1)?;
    let squares: f64 = returns.iter().map(|growth| (growth - mean).powi(2)).sum();
    let deviation = (squares / (returns.len() - 1) as f64 * TRADING_DAYS).sqrt();
    Some(deviation).filter(|deviation| deviation.is_finite())
}

/// The return of each calendar year.
fn years(start: Start, days: &[Day]) -> Vec<(i16, f64)> {
    let mut before = start.equity;
    let years = days.chunk_by(|day, next| day.date.year() == next.date.year()).filter_map(|year| {
        let last = year.last()?;
        let growth = last.equity / before - 1.0;
        before = last.equity;
        Some((last.date.year(), growth))
    });
    years.filter(|(_, growth)| growth.is_finite()).collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
