//! Each indicator over 8,000 symbols of 2,520 days, on one core.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use nova_market::Daily;
use nova_market::indicators::{
    atr, bollinger, change, ema, highest, lowest, macd, rsi, sma, standard_deviation, volatility,
};

#[path = "../tests/oracle/market.rs"]
mod market;

/// Generated symbols, each computed several times: a whole market would exceed the memory.
const SYMBOLS: usize = 500;
const TIMES: usize = 16;
const DAYS: usize = 2_520;

fn main() {
    let symbols = market::market(SYMBOLS, DAYS);
    let measure = |name: &str, of: &dyn Fn(&Daily)| {
        let begin = Instant::now();
        for _ in 0..TIMES {
            symbols.iter().for_each(of);
        }
        let taken = begin.elapsed();
        let each = taken.as_secs_f64() * 1e9 / (SYMBOLS * TIMES * DAYS) as f64;
        println!("{name} of {} symbols: {taken:.0?}, {each:.1} ns a day", SYMBOLS * TIMES);
    };
    let close = |name, of: fn(&[f64], usize) -> Vec<f64>, n| {
        measure(name, &|daily| {
            black_box(of(&daily.close, n));
        });
    };
    close("sma 50", sma, 50);
    close("sma 200", sma, 200);
    close("ema 50", ema, 50);
    close("rsi 14", rsi, 14);
    close("standard deviation 20", standard_deviation, 20);
    close("highest 252", highest, 252);
    close("lowest 252", lowest, 252);
    close("change 126", change, 126);
    close("volatility 20", volatility, 20);
    measure("macd 12, 26, 9", &|daily| {
        black_box(macd(&daily.close, 12, 26, 9));
    });
    measure("bollinger 20", &|daily| {
        black_box(bollinger(&daily.close, 20, 2.0));
    });
    measure("atr 14", &|daily| {
        black_box(atr(&daily.high, &daily.low, &daily.close, 14));
    });
}
