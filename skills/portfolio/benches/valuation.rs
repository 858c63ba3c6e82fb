//! Times the valuation of a portfolio of 10,000 trades in 200 positions.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use nova_skill::json;
use nova_testkit::SkillInVault;

const GOAL: Duration = Duration::from_secs(1);
const TRADES: usize = 10_000;
const RUNS: usize = 7;

fn main() -> ExitCode {
    let trades = TRADES;
    let mut vault = String::new();
    for number in 0..trades {
        let (symbol, price) = (number % 200, 10 + number % 37);
        let (kind, quantity) = if number / 200 % 5 == 4 { ("sell", 3) } else { ("buy", 10) };
        let date =
            format!("20{:02}-{:02}-{:02}", 10 + number / 800 % 15, 1 + number / 70 % 12, 1 + number % 28);
        // All sales are dated after the buys, so that none exceeds the holding.
        let date = if kind == "sell" { "2025-12-01" } else { &date };
        vault.push_str(&format!(
            "//- Portfolio/Trades/{number}.md\n---\ntype: trade\nsymbol: S{symbol}\nkind: {kind}\ndate: {date}\n\
             quantity: {quantity}\nprice: {price}.25\nfee: 1.00\ncurrency: EUR\n---\n"
        ));
    }
    for symbol in 0..200 {
        vault.push_str(&format!(
            "//- Portfolio/Prices/{symbol}.md\n---\ntype: price\nsymbol: S{symbol}\ndate: 2026-11-20\nclose: 31.40\ncurrency: EUR\n---\n"
        ));
    }
    let portfolio = SkillInVault::new(nova_skill_portfolio::skill(), vault.as_str());
    let mut fits = true;
    for (tool, args) in [("value", json!({})), ("gains", json!({})), ("history", json!({"range": "all"}))] {
        portfolio.value(tool, args.clone());
        let mut times: Vec<Duration> = (0..RUNS)
            .map(|_| {
                let begin = Instant::now();
                portfolio.value(tool, args.clone());
                begin.elapsed()
            })
            .collect();
        times.sort();
        println!(
            "{tool} of {trades} trades: median {:.1?}, longest {:.1?}",
            times[RUNS / 2],
            times[RUNS - 1]
        );
        fits &= times[RUNS / 2] <= GOAL;
    }
    println!("medians at most {GOAL:?}: {}", if fits { "yes" } else { "NO" });
    if fits { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
