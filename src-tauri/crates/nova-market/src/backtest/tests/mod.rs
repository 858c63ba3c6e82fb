mod accounting;
mod input;
mod properties;
mod statistics;
mod trading;

use jiff::civil::{Date, date};
use jiff::{Span, ToSpan as _};

use super::*;

/// A Thursday.
const FIRST: Date = date(2026, 1, 1);

/// The day `days` after [`FIRST`].
fn day(days: i64) -> Date {
    FIRST.checked_add(Span::new().days(days)).expect("a day")
}

/// A share that trades every calendar day from [`FIRST`], with these opens and closes.
fn share(prices: &[(f64, f64)]) -> Daily {
    let (open, close): (Vec<f64>, Vec<f64>) = prices.iter().copied().unzip();
    Daily {
        days: (0..prices.len()).map(|place| day(place as i64)).collect(),
        high: close.clone(),
        low: close.clone(),
        volume: vec![1.0; close.len()],
        open,
        close,
        ..Daily::default()
    }
}

/// A share whose opens equal its closes.
fn flat(closes: &[f64]) -> Daily {
    share(&closes.iter().map(|close| (*close, *close)).collect::<Vec<_>>())
}

/// Wanted after the closes with indices `on`, sold after those in `off`.
fn signals<'a>(symbol: &'a str, daily: &'a Daily, on: &[usize], off: &[usize]) -> Candidate<'a> {
    Candidate {
        symbol,
        daily,
        wanted: (0..daily.len()).map(|place| if on.contains(&place) { 1.0 } else { f64::NAN }).collect(),
        leave: (0..daily.len()).map(|place| off.contains(&place)).collect(),
    }
}

/// Always wanted, with this rank.
fn ranked<'a>(symbol: &'a str, daily: &'a Daily, rank: f64) -> Candidate<'a> {
    Candidate { symbol, daily, wanted: vec![rank; daily.len()], leave: vec![false; daily.len()] }
}

/// 1,000 in cash, one position, no costs.
fn rules() -> Rules {
    Rules {
        cash: 1_000.0,
        positions: 1,
        weight: Weight::Slots,
        fill: Fill::NextOpen,
        rebalance: Rebalance::Never,
        cost: 0.0,
        fee: 0.0,
        slippage: 0.0,
        whole: false,
        stop: None,
    }
}

/// Runs over a year from [`FIRST`].
#[track_caller]
fn run(candidates: &[Candidate], rules: &Rules) -> Run {
    backtest(candidates, rules, FIRST, day(364)).expect("a run")
}

fn equity(run: &Run) -> Vec<f64> {
    run.days.iter().map(|day| day.equity).collect()
}

#[track_caller]
fn close_to(actual: f64, expected: f64) {
    assert!((actual - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{actual} instead of {expected}");
}

#[track_caller]
fn all_close_to(actual: &[f64], expected: &[f64]) {
    let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    assert_eq!(actual.len(), expected.len(), "{actual:?} instead of {expected:?}");
    assert!(actual.iter().zip(expected).all(same), "{actual:?} instead of {expected:?}");
}

/// Symbol, days of purchase and sale after [`FIRST`], quantity, prices.
type Traded<'a> = (&'a str, i64, Option<i64>, f64, f64, f64);

#[track_caller]
fn traded(run: &Run, expected: &[Traded]) {
    let place = |date: Date| nova_figures::days_between(FIRST, date);
    let actual: Vec<Traded> = run
        .trades
        .iter()
        .map(|trade| {
            let days = (place(trade.bought), trade.sold.map(place));
            (trade.symbol.as_str(), days.0, days.1, trade.quantity, trade.buy_price, trade.sell_price)
        })
        .collect();
    let same = |(a, b): (&Traded, &Traded)| {
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b;
        (a.0, a.1, a.2) == (b.0, b.1, b.2) && close(a.3, b.3) && close(a.4, b.4) && close(a.5, b.5)
    };
    let equal = actual.len() == expected.len() && actual.iter().zip(expected).all(same);
    assert!(equal, "{actual:?} instead of {expected:?}");
}

/// A date some days later, for calendars with gaps.
fn later(date: Date, days: i64) -> Date {
    date.checked_add(days.days()).expect("a day")
}
