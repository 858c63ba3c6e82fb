//! Compares indicators with TA-Lib, and back-tests with the libraries backtesting and bt, on a generated
//! market, and money-weighted returns with pyxirr.
//!
//! `make oracles` generates the fixtures; `.ci/oracles/markets.py` lists the differences in meaning and how
//! they are reconciled, `.ci/oracles/returns.py` generates the flows. Fixtures have twelve digits. Amounts,
//! prices, indicators and growth must agree to a relative 1e-9, differences of prices to 1e-9 of the price,
//! days and whole quantities exactly.

#[path = "oracle/market.rs"]
mod market;

use jiff::civil::Date;
use market::market;
use nova_market::Daily;
use nova_market::backtest::{Candidate, Fill, Rebalance, Rules, Run, Weight, backtest};
use nova_market::indicators::{
    atr, bollinger, change, ema, highest, lowest, macd, rsi, sma, standard_deviation, volatility,
};
use nova_market::returns::{Flow, money_weighted};

const INDICATORS: &str = include_str!("oracle/indicators.txt");
const TRADES: &str = include_str!("oracle/trades.txt");
const PORTFOLIOS: &str = include_str!("oracle/portfolios.txt");
const RETURNS: &str = include_str!("oracle/returns.txt");

const SYMBOLS: usize = 500;
const DAYS: usize = 2_520;

#[test]
fn money_weighted_returns_equal_those_of_pyxirr() {
    let mut compared = 0;
    for line in RETURNS.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (rate, flows) = words.split_first().expect("a rate");
        let flows = flows.chunks_exact(2).map(|flow| Flow {
            date: flow[0].parse().expect("a day"),
            amount: flow[1].parse().expect("an amount"),
        });
        let actual = money_weighted(&flows.collect::<Vec<_>>()).expect(line);
        // Growth, because a rate can be near zero.
        let expected = number(rate);
        assert!(same(actual, expected, 1.0 + expected), "{actual} instead of {expected}: {line}");
        compared += 1;
    }
    assert_eq!(compared, 60);
}

fn number(text: &str) -> f64 {
    if text == "-" { f64::NAN } else { text.parse().expect("a number") }
}

/// Whether two numbers are equal to 1e-9 of `size`.
fn same(actual: f64, expected: f64, size: f64) -> bool {
    (actual - expected).abs() <= 1e-9 * size || actual.is_nan() && expected.is_nan()
}

#[test]
fn indicators_equal_those_of_ta_lib() {
    let mut compared = 0;
    for line in INDICATORS.lines() {
        let mut words = line.split(' ');
        let (Some(name), Some(indicator)) = (words.next(), words.next()) else { panic!("{line}") };
        let expected: Vec<f64> = words.map(number).collect();
        let daily = series(name);
        let actual = column(indicator, &daily);
        assert_eq!(actual.len(), expected.len());
        for (place, (actual, expected)) in actual.iter().zip(&expected).enumerate() {
            // A difference of two prices has their absolute precision.
            let price = daily.close[place];
            let size = match indicator {
                "macd-line" | "macd-signal" | "macd-histogram" | "bollinger-lower" | "standard-deviation" => {
                    price
                }
                _ => expected.abs(),
            };
            assert!(
                same(*actual, *expected, size),
                "{name} {indicator} {place}: {actual} instead of {expected}"
            );
            compared += usize::from(expected.is_finite());
        }
    }
    assert!(compared > 6_000, "{compared}");
}

fn series(name: &str) -> Daily {
    let mut symbols = market(5, 90);
    let of = |number: usize, change: &dyn Fn(usize, f64) -> f64| {
        let mut daily = symbols[number].clone();
        for column in [&mut daily.high, &mut daily.low, &mut daily.close] {
            for (place, price) in column.iter_mut().enumerate() {
                *price = change(place, *price);
            }
        }
        daily
    };
    match name {
        "usual" => symbols.remove(0),
        "gap" => of(1, &|place, price| if place < 45 { price } else { price * 8.0 }),
        "tiny" => of(2, &|_, price| price / 1e9),
        "pause" => {
            let last = symbols[3].close[39];
            of(3, &|place, price| if (40..65).contains(&place) { last } else { price })
        }
        "rising" => {
            let from = |level: f64| (0..90).map(|place| f64::from(place) + level).collect();
            Daily { high: from(12.0), low: from(9.0), close: from(10.0), ..Daily::default() }
        }
        "flat" => of(0, &|_, _| 50.0),
        _ => panic!("{name}"),
    }
}

fn column(name: &str, daily: &Daily) -> Vec<f64> {
    let close = &daily.close;
    match name {
        "sma" => sma(close, 10),
        "ema" => ema(close, 10),
        "rsi" => rsi(close, 14),
        "macd-line" => macd(close, 12, 26, 9).line,
        "macd-signal" => macd(close, 12, 26, 9).signal,
        "macd-histogram" => macd(close, 12, 26, 9).histogram,
        "atr" => atr(&daily.high, &daily.low, close, 14),
        "bollinger-upper" => bollinger(close, 20, 2.0).upper,
        "bollinger-middle" => bollinger(close, 20, 2.0).middle,
        "bollinger-lower" => bollinger(close, 20, 2.0).lower,
        "standard-deviation" => standard_deviation(close, 10),
        "highest" => highest(&daily.high, 10),
        "lowest" => lowest(&daily.low, 10),
        "change" => change(close, 10),
        "volatility" => volatility(close, 20),
        _ => panic!("{name}"),
    }
}

fn rules() -> Rules {
    Rules {
        cash: 10_000.0,
        positions: 1,
        weight: Weight::Slots,
        fill: Fill::Close,
        rebalance: Rebalance::Never,
        cost: 0.0,
        fee: 0.0,
        slippage: 0.0,
        whole: true,
        stop: None,
    }
}

fn run(candidates: &[Candidate], rules: &Rules) -> Run {
    backtest(candidates, rules, Date::MIN.max(candidates[0].daily.days[0]), Date::MAX).expect("a run")
}

/// One run for each of 500 symbols over ten years: invested while the 20-day average of closes is above the
/// 100-day average. With costs at the next open, and without costs at the close.
#[test]
fn trades_equal_those_of_backtesting() {
    let symbols = market(SYMBOLS, DAYS);
    let (mut runs, mut trades) = (0, 0);
    for line in TRADES.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (costs, daily) = (words[0] == "costs", &symbols[words[1].parse::<usize>().expect("a symbol")]);
        let rules = if costs {
            Rules { fill: Fill::NextOpen, cost: 0.001, slippage: 0.0005, ..rules() }
        } else {
            rules()
        };
        let run = run(&[crossing(daily, costs)], &rules);
        let last = run.days.last().expect("a day").equity;
        assert!(
            same(last, number(words[2]), last),
            "{} {}: {last} instead of {}",
            words[0],
            words[1],
            words[2]
        );
        let sold: Vec<_> = run.trades.iter().filter_map(|trade| Some((trade, trade.sold?))).collect();
        assert_eq!(sold.len().to_string(), words[3], "{} {}", words[0], words[1]);
        for ((trade, sold), expected) in sold.iter().zip(&words[4..]) {
            let expected: Vec<f64> = expected.split(',').map(number).collect();
            let place = |day: Date| daily.place(day).expect("a day") as f64;
            assert_eq!([place(trade.bought), place(*sold), trade.quantity], expected[..3]);
            let prices = [(trade.buy_price, expected[3]), (trade.sell_price, expected[4])];
            assert!(prices.iter().all(|(actual, expected)| same(*actual, *expected, *expected)), "{trade:?}");
            trades += 1;
        }
        runs += 1;
    }
    assert_eq!(runs, 2 * SYMBOLS);
    assert!(trades > 400, "{trades}");
}

fn crossing(daily: &Daily, costs: bool) -> Candidate<'_> {
    let (fast, slow) = (sma(&daily.close, 20), sma(&daily.close, 100));
    let places = fast.iter().zip(&slow);
    let mut wanted: Vec<f64> =
        places.clone().map(|(fast, slow)| if fast > slow { 1.0 } else { f64::NAN }).collect();
    let mut leave: Vec<bool> = places.map(|(fast, slow)| fast < slow).collect();
    let last = daily.len() - 1;
    (wanted[last], leave[last]) = (f64::NAN, false);
    if costs {
        (wanted[last - 1], leave[last - 1]) = (f64::NAN, true);
    }
    Candidate { symbol: "A", daily, wanted, leave }
}

/// Equal weights of all 500, and of the 20 that rose most in 126 days, at the close of the last day of each
/// period.
#[test]
fn portfolios_equal_those_of_bt() {
    let symbols = market(SYMBOLS, DAYS);
    let names: Vec<String> = (0..SYMBOLS).map(|number| number.to_string()).collect();
    let candidates = |best: bool| -> Vec<Candidate> {
        let candidate = |(daily, symbol)| Candidate {
            symbol,
            daily,
            wanted: if best { change(&daily.close, 126) } else { vec![0.0; DAYS] },
            leave: vec![false; DAYS],
        };
        symbols.iter().zip(names.iter().map(String::as_str)).map(candidate).collect()
    };
    let mut runs = 0;
    for line in PORTFOLIOS.lines() {
        let (name, numbers) = line.split_once(' ').expect("a name");
        let expected: Vec<f64> = numbers.split(' ').map(number).collect();
        let (universe, period) = name.split_once('-').expect("a period");
        let rebalance = match period {
            "weekly" => Rebalance::Weekly,
            "monthly" => Rebalance::Monthly,
            "quarterly" => Rebalance::Quarterly,
            _ => panic!("{period}"),
        };
        let best = universe == "best";
        let rules = Rules {
            positions: if best { 20 } else { SYMBOLS },
            weight: Weight::Equal,
            rebalance,
            whole: false,
            ..rules()
        };
        let run = run(&candidates(best), &rules);
        let points = run.days.iter().step_by(20).chain(run.days.last());
        for (day, expected) in points.clone().zip(&expected[2..]) {
            assert!(
                same(day.equity, *expected, *expected),
                "{name} {}: {} instead of {expected}",
                day.date,
                day.equity
            );
            assert!(best || same(day.benchmark, *expected, *expected), "the universe itself");
        }
        assert_eq!(points.count(), expected.len() - 2);
        let volatility = run.statistics.volatility.expect("a volatility");
        assert!(
            same(volatility, expected[0], expected[0]),
            "{name}: {volatility} instead of {}",
            expected[0]
        );
        let fall = run.statistics.deepest_fall.expect("a fall").depth;
        assert!(same(fall, expected[1], expected[1]), "{name}: {fall} instead of {}", expected[1]);
        runs += 1;
    }
    assert_eq!(runs, 3);
}
