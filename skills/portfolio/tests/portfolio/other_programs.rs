//! Compares results with beancount, which books first in, first out, and with exact averages from Python's
//! fractions. `.ci/setup test` installs beancount.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use nova_skill::{Decimal, Value, json, serde_json};
use nova_skill_portfolio::ledger::{Event, Ledger, Method, Trade};

/// Trades whose fees divide evenly among the shares, so that all programs are exact.
fn trades(seed: u64) -> Vec<Trade> {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |bound: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % bound
    };
    let first = nova_skill::jiff::civil::date(2024, 1, 1);
    let mut held = 0_u64;
    (0..60)
        .map(|origin| {
            let date = first.checked_add(nova_skill::jiff::Span::new().days(origin as i64)).unwrap();
            let price = Decimal::new(100 + below(20_000) as i64, 2);
            let event = if held > 0 && below(5) < 2 {
                let quantity = 1 + below(held);
                held -= quantity;
                Event::Sell { quantity: quantity.into(), price, fee: Decimal::new(below(1_000) as i64, 2) }
            } else {
                let quantity = [4, 5, 8, 10, 20, 25, 40, 50, 100][below(9) as usize];
                held += quantity;
                Event::Buy { quantity: quantity.into(), price, fee: Decimal::new(below(1_000) as i64, 2) }
            };
            Trade { date, event, origin }
        })
        .collect()
}

/// Returns `{lots: [[quantity, cost]], fifo: gain, average: gain, average_cost: cost}`, with decimals as
/// text.
fn asked(trades: &[Trade]) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join(".cache/beancount/bin/python");
    assert!(python.exists(), "beancount is missing. Run `.ci/setup test`.");
    let rows: Vec<Value> = trades
        .iter()
        .map(|trade| match trade.event {
            Event::Buy { quantity, price, fee } => json!([trade.date.to_string(), quantity, price, fee]),
            Event::Sell { quantity, price, fee } => json!([trade.date.to_string(), -quantity, price, fee]),
            _ => unreachable!("only these are made"),
        })
        .collect();
    let mut child = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/portfolio/other_programs.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(Value::from(rows).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn lots_and_gains_equal_beancount() {
    for seed in 1..=10 {
        let trades = trades(seed);
        let theirs = asked(&trades);
        let ours = Ledger::of(Method::Fifo, &trades, None).unwrap();
        let lots: Vec<Value> = ours
            .lots()
            .map(|lot| {
                let quantity = lot.quantity.to_decimal().unwrap();
                json!([quantity.normalize().to_string(), lot.cost.normalize().to_string()])
            })
            .collect();
        assert_eq!(Value::from(lots), theirs["lots"], "seed {seed}");
        let gain: Decimal = ours.sales.iter().map(|sale| sale.gain).sum();
        assert_eq!(json!(gain.normalize().to_string()), theirs["fifo"], "seed {seed}");
    }
}

/// The cost of each sale is rounded to eight places, so sixty trades differ by at most sixty half units of
/// the eighth place.
#[test]
fn average_costs_equal_exact_fractions() {
    for seed in 1..=10 {
        let trades = trades(seed);
        let theirs = asked(&trades);
        let ours = Ledger::of(Method::Average, &trades, None).unwrap();
        let gain: Decimal = ours.sales.iter().map(|sale| sale.gain).sum();
        let most = Decimal::new(30, 8);
        let off =
            |ours: Decimal, at: &str| (ours - theirs[at].as_str().unwrap().parse::<Decimal>().unwrap()).abs();
        assert!(off(gain, "average") <= most, "seed {seed}: {gain} is not {}", theirs["average"]);
        assert!(off(ours.cost(), "average_cost") <= most, "seed {seed}");
    }
}
