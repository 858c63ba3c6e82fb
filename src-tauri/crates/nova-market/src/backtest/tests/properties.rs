//! Properties that hold for every market under all rules.

use proptest::prelude::*;

use super::*;

/// One day of one share, and the signal after its close.
#[derive(Debug, Clone)]
struct Bar {
    open: f64,
    close: f64,
    wanted: f64,
    leave: bool,
    dividend: f64,
    missing: bool,
}

fn bar() -> impl Strategy<Value = Bar> {
    let odd = prop_oneof![Just(f64::NAN), Just(0.0), Just(1e-9), Just(1e9)];
    let price = || prop_oneof![15 => 5.0..15.0_f64, 2 => odd.clone()];
    let wanted = prop_oneof![Just(f64::NAN), Just(1.0), 0.0..9.0_f64];
    let dividend = prop_oneof![9 => Just(0.0), 1 => 0.0..2.0_f64];
    (price(), price(), wanted, prop::bool::weighted(0.2), dividend, prop::bool::weighted(0.1)).prop_map(
        |(open, close, wanted, leave, dividend, missing)| Bar {
            open,
            close,
            wanted,
            leave,
            dividend,
            missing,
        },
    )
}

/// Up to four shares over the same number of days.
fn market() -> impl Strategy<Value = Vec<Vec<Bar>>> {
    (1..5_usize, 20..70_usize)
        .prop_flat_map(|(shares, days)| prop::collection::vec(prop::collection::vec(bar(), days), shares))
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let weight = prop_oneof![Just(Weight::Equal), Just(Weight::Slots)];
    let fill = prop_oneof![Just(Fill::NextOpen), Just(Fill::Close)];
    let rebalance = prop_oneof![
        3 => Just(Rebalance::Never),
        1 => Just(Rebalance::Daily),
        1 => Just(Rebalance::Weekly),
        1 => Just(Rebalance::Monthly),
    ];
    let costs = (prop_oneof![Just(0.0), 0.0..0.05_f64], prop_oneof![Just(0.0), 0.0..900.0_f64]);
    let stop = prop::option::of(0.01..0.9_f64);
    (1..4_usize, weight, fill, rebalance, costs, 0.0..0.05_f64, any::<bool>(), stop).prop_map(
        |(positions, weight, fill, rebalance, (cost, fee), slippage, whole, stop)| Rules {
            cash: 1_000.0,
            positions,
            weight,
            fill,
            rebalance,
            cost,
            fee,
            slippage,
            whole,
            stop,
        },
    )
}

/// Trading days with a pause of two weeks after the thirtieth.
fn trading_day(place: usize) -> Date {
    later(FIRST, place as i64 + if place > 30 { 14 } else { 0 })
}

fn run_market(market: &[Vec<Bar>], rules: &Rules) -> Result<Run, BacktestError> {
    let column = |bars: &[Bar], of: fn(&Bar) -> f64| -> Vec<f64> {
        bars.iter().filter(|bar| !bar.missing).map(of).collect()
    };
    let daily = |bars: &Vec<Bar>| {
        let days = bars.iter().enumerate().filter(|(_, bar)| !bar.missing);
        let paid = bars.iter().enumerate().filter(|(_, bar)| bar.dividend > 0.0);
        Daily {
            days: days.map(|(place, _)| trading_day(place)).collect(),
            open: column(bars, |bar| bar.open),
            close: column(bars, |bar| bar.close),
            dividends: paid.map(|(place, bar)| (trading_day(place), bar.dividend)).collect(),
            ..Daily::default()
        }
    };
    let dailies: Vec<Daily> = market.iter().map(daily).collect();
    let symbols = ["A", "B", "C", "D"];
    let candidates: Vec<Candidate> = market
        .iter()
        .zip(&dailies)
        .zip(symbols)
        .map(|((bars, daily), symbol)| Candidate {
            symbol,
            daily,
            wanted: column(bars, |bar| bar.wanted),
            leave: bars.iter().filter(|bar| !bar.missing).map(|bar| bar.leave).collect(),
        })
        .collect();
    backtest(&candidates, rules, FIRST, day(364))
}

/// The market with everything after the open of day `cut` replaced by other bars and a final crash. The
/// trading days stay the same.
fn with_other_future(market: &[Vec<Bar>], other: &[Vec<Bar>], cut: usize) -> Vec<Vec<Bar>> {
    let crash = Bar { open: 0.01, close: 0.01, wanted: 1.0, leave: true, dividend: 0.0, missing: false };
    let closes = |place: usize| market.iter().any(|bars| !bars[place].missing && bars[place].close > 0.0);
    let change = |(bars, other): (&Vec<Bar>, &Vec<Bar>)| {
        let place_of = |(place, bar): (usize, &Bar)| {
            let mut later = other.get(place - cut).unwrap_or(&crash).clone();
            later.missing = bar.missing;
            if place == cut {
                (later.open, later.dividend) = (bar.open, bar.dividend);
            }
            if !closes(place) {
                later.close = bar.close;
            } else if later.close.is_nan() || later.close <= 0.0 {
                later.close = 0.01;
            }
            later
        };
        let known = bars[..cut].iter().cloned();
        known.chain(bars.iter().enumerate().skip(cut).map(place_of)).collect()
    };
    market.iter().zip(other.iter().cycle()).map(change).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Changing later prices affects neither the trades up to the open of a day nor the equity before it.
    #[test]
    fn no_run_looks_ahead(market in market(), other in market(), rules in any_rules(), cut in 2..60_usize) {
        let cut = cut.min(market[0].len() - 1);
        let changed = with_other_future(&market, &other, cut);
        let (Ok(run), Ok(other)) = (run_market(&market, &rules), run_market(&changed, &rules)) else { return Ok(()) };
        let today = trading_day(cut);
        let earned = |run: &Run| run.days.iter().filter(|day| day.date < today).copied().collect::<Vec<_>>();
        prop_assert_eq!(earned(&run), earned(&other));
        let known = |date: Date| date < today || date == today && rules.fill == Fill::NextOpen;
        let sold = |run: &Run| {
            run.trades.iter().filter(|trade| trade.sold.is_some_and(known)).cloned().collect::<Vec<_>>()
        };
        prop_assert_eq!(sold(&run), sold(&other));
        let bought = |run: &Run| {
            let bought = run.trades.iter().filter(|trade| known(trade.bought));
            let mut bought: Vec<_> = bought.map(|trade| (trade.bought, trade.symbol.clone())).collect();
            bought.sort();
            bought
        };
        prop_assert_eq!(bought(&run), bought(&other));
    }

    /// The profit is the sum of the trades' results, and no money is borrowed.
    #[test]
    fn the_books_balance(market in market(), rules in any_rules()) {
        let Ok(run) = run_market(&market, &rules) else { return Ok(()) };
        let last = run.days.last().expect("a day");
        let earned: f64 = run.trades.iter().map(|trade| trade.result).sum();
        let turnover: f64 = run.trades.iter().map(|trade| trade.quantity * (trade.buy_price + trade.sell_price)).sum();
        let profit = last.equity - 1_000.0;
        prop_assert!((profit - earned).abs() <= 1e-9 * (turnover + 1_000.0), "{} and {}", profit, earned);
        let costs: f64 = run.trades.iter().map(|trade| trade.costs).sum();
        prop_assert!((costs - run.statistics.costs).abs() <= 1e-9 * (costs + 1.0));
        for day in &run.days {
            prop_assert!(day.equity >= 0.0 && (0.0..=1.0 + 1e-9).contains(&day.invested), "{:?}", day);
        }
        let statistics = format!("{:?}", run.statistics);
        prop_assert!(!statistics.contains("NaN") && !statistics.contains("inf"), "{}", statistics);
    }
}
