//! A market that Rust and `.ci/oracles/markets.py` generate identically.
//!
//! Each symbol has its own linear congruential generator with Knuth's constants, of which the upper 31 bits
//! are used. Prices are multiples of 1/10,000, so that both languages round alike.

use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday, date};
use nova_market::Daily;

pub(crate) fn market(symbols: usize, days: usize) -> Vec<Daily> {
    let weekdays = weekdays(days);
    (0..symbols as u64).map(|number| symbol(number, &weekdays)).collect()
}

fn symbol(number: u64, days: &[Date]) -> Daily {
    let mut state = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut below = |count: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % count
    };
    let price = |units: u64| units as f64 / 10_000.0;
    let mut daily = Daily { days: days.to_vec(), ..Daily::default() };
    let mut close = 100_000 + below(2_000_000);
    for _ in days {
        let open = (close * (9_920 + below(161)) / 10_000).max(1);
        close = (open * (9_803 + below(401)) / 10_000).max(1);
        daily.open.push(price(open));
        daily.high.push(price(open.max(close) * (10_000 + below(61)) / 10_000));
        daily.low.push(price(open.min(close) * (10_000 - below(61)) / 10_000));
        daily.close.push(price(close));
        daily.volume.push(f64::NAN);
    }
    daily
}

fn weekdays(count: usize) -> Vec<Date> {
    date(2016, 1, 4)
        .series(1.day())
        .filter(|day| !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday))
        .take(count)
        .collect()
}
