//! Back-tests of 500 symbols over ten years, compared with the Python library backtesting. Goal: a tenth of
//! its time.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use jiff::civil::Date;
use nova_market::Daily;
use nova_market::backtest::{Candidate, Fill, Rebalance, Rules, Run, Weight, backtest};
use nova_market::indicators::{change, sma};

#[path = "../tests/oracle/market.rs"]
mod market;

const SYMBOLS: usize = 500;
const DAYS: usize = 2_520;
const RUNS: usize = 7;
const GOAL: f64 = 10.0;

fn main() -> ExitCode {
    let symbols = market::market(SYMBOLS, DAYS);
    let names: Vec<String> = (0..SYMBOLS).map(|number| number.to_string()).collect();
    let each = median(|| {
        for (daily, symbol) in symbols.iter().zip(&names) {
            run(&[crossing(daily, symbol)], &rules());
        }
    });
    println!("{SYMBOLS} symbols, {DAYS} days, a run for each: {each:.1?}");
    for rebalance in [Rebalance::Never, Rebalance::Daily, Rebalance::Monthly] {
        let rules = Rules { positions: 20, rebalance, whole: false, ..rules() };
        let all = median(|| {
            let candidates: Vec<Candidate> =
                symbols.iter().zip(&names).map(|(daily, symbol)| rising(daily, symbol)).collect();
            run(&candidates, &rules);
        });
        println!("one run of all, 20 positions, rebalanced {rebalance:?}, with its benchmark: {all:.1?}");
    }
    let Some(python) = seconds_of_backtesting() else {
        println!(
            "backtesting is not installed, so nothing is measured beside it; `.ci/setup bench` fetches it"
        );
        return ExitCode::SUCCESS;
    };
    let times = python.as_secs_f64() / each.as_secs_f64();
    let fits = times >= GOAL;
    println!("backtesting, a run for each: {python:.1?}, {times:.0} times as long");
    println!("at least {GOAL} times: {}", if fits { "yes" } else { "NO" });
    if fits { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn median(mut once: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let begin = Instant::now();
            once();
            begin.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2]
}

fn seconds_of_backtesting() -> Option<Duration> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut python = Command::new(root.join(".cache/markets/bin/python"));
    let output = python.arg("-B").arg(root.join(".ci/oracles/markets.py")).arg("--seconds").output().ok()?;
    let seconds = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(Duration::from_secs_f64(seconds))
}

fn run(candidates: &[Candidate], rules: &Rules) -> Run {
    backtest(candidates, rules, candidates[0].daily.days[0], Date::MAX).expect("a run")
}

fn rules() -> Rules {
    Rules {
        cash: 10_000.0,
        positions: 1,
        weight: Weight::Slots,
        fill: Fill::NextOpen,
        rebalance: Rebalance::Never,
        cost: 0.001,
        fee: 0.0,
        slippage: 0.0005,
        whole: true,
        stop: None,
    }
}

/// Mirrors `crossings` of `.ci/oracles/markets.py`.
fn crossing<'a>(daily: &'a Daily, symbol: &'a str) -> Candidate<'a> {
    let (fast, slow) = (sma(&daily.close, 20), sma(&daily.close, 100));
    let places = fast.iter().zip(&slow);
    let wanted = places.clone().map(|(fast, slow)| if fast > slow { 1.0 } else { f64::NAN }).collect();
    Candidate { symbol, daily, wanted, leave: places.map(|(fast, slow)| fast < slow).collect() }
}

/// Ranked by the recent rise, sold after a fall.
fn rising<'a>(daily: &'a Daily, symbol: &'a str) -> Candidate<'a> {
    let wanted = change(&daily.close, 126);
    let leave = wanted.iter().map(|change| *change < 0.0).collect();
    Candidate { symbol, daily, wanted, leave }
}
