//! A scan of 8,000 symbols over ten years of daily bars with twelve conditions, from cache files, compared
//! with the Python library pandas with the data in memory. Goals: one second, the first hit within a tenth of
//! a second, a fifth of the time of pandas, 300 MB.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use nova_market::expression::{Expression, Wanted};
use nova_market::kept::{Kept, daily};
use nova_market::screen::{Missing, Screen, Verdict};
use nova_market::{Bar, Events, History, ShareColumns};
use rust_decimal::Decimal;

#[path = "../tests/oracle/market.rs"]
mod market;

const SYMBOLS: usize = 8_000;
const DAYS: usize = 2_520;
const RUNS: usize = 5;
/// Mirrors `CONDITIONS` of `.ci/bench/scan.py`.
const CONDITIONS: [&str; 12] = [
    "close > sma(close, 200)",
    "sma(close, 50) > sma(close, 200)",
    "ema(close, 20) > ema(close, 50)",
    "rsi(close, 14) < 70",
    "macd(close, 12, 26, 9) > macd_signal(close, 12, 26, 9)",
    "atr(14) / close < 0.08",
    "close < bollinger_upper(close, 20, 2)",
    "close > highest(close, 250) * 0.7",
    "close > lowest(close, 250)",
    "change(close, 120) > 0 %",
    "volatility(close, 60) < 60 %",
    "sma(volume, 20) > 1",
];

fn main() -> ExitCode {
    let cache = tempfile::tempdir().unwrap();
    let files = filled(cache.path());
    let screen = Screen {
        conditions: CONDITIONS.map(|line| Expression::parse(line, Wanted::Condition).unwrap()).into(),
        score: Vec::new(),
        missing: Missing::LeaveOut,
    };
    let (mut times, mut firsts, mut hits) = (Vec::new(), Vec::new(), 0);
    for _ in 0..RUNS {
        let (took, first, found) = scan(&files, &screen);
        times.push(took);
        firsts.push(first);
        hits = found;
    }
    times.sort_unstable();
    firsts.sort_unstable();
    let (scan, first) = (times[RUNS / 2], firsts[RUNS / 2]);
    println!("{SYMBOLS} symbols, {DAYS} days, {} conditions, {hits} hits: {scan:.1?}", CONDITIONS.len());
    println!("first hit: {first:.1?}");
    let memory = memory();
    println!("memory at most: {} MB", memory / 1_000_000);
    let mut fits =
        scan <= Duration::from_secs(1) && first <= Duration::from_millis(100) && memory <= 300_000_000;
    match seconds_of_pandas() {
        None => println!(
            "pandas is not installed, so nothing is measured beside it; `.ci/setup bench` fetches it"
        ),
        Some(pandas) => {
            let times = pandas.as_secs_f64() / scan.as_secs_f64();
            println!("pandas: {pandas:.1?}, {times:.1} times as long");
            fits &= times >= 5.0;
        }
    }
    println!("within the goals: {}", if fits { "yes" } else { "NO" });
    if fits { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Scans all files on all cores; returns the total time, the time of the first hit, and the number of hits.
fn scan(files: &[PathBuf], screen: &Screen) -> (Duration, Duration, usize) {
    let (next, hits, first) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (origin, daily) = daily(&fs::read(file).unwrap()).unwrap();
                    let look = screen.look(&ShareColumns::new(&daily, &origin, None));
                    if screen.verdict(&look) == Verdict::Hit && hits.fetch_add(1, Ordering::Relaxed) == 0 {
                        first.store(begin.elapsed().as_micros() as usize, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    (begin.elapsed(), Duration::from_micros(first.into_inner() as u64), hits.into_inner())
}

/// Creates a file per symbol; a hundred different contents suffice for neighbours to differ.
fn filled(folder: &Path) -> Vec<PathBuf> {
    let symbols = market::market(100, DAYS);
    let price = |value: f64| Decimal::try_from(value).unwrap().round_dp(4);
    let encoded: Vec<Vec<u8>> = symbols
        .iter()
        .map(|daily| {
            let bars = (0..daily.len()).map(|place| Bar {
                date: daily.days[place],
                open: Some(price(daily.open[place])),
                high: Some(price(daily.high[place])),
                low: Some(price(daily.low[place])),
                close: price(daily.close[place]),
                volume: Some(100_000 + place as u64),
            });
            let history = History {
                currency: "USD".into(),
                bars: bars.collect(),
                unknown: Vec::new(),
                events: Some(Events::default()),
                url: "https://example.com".into(),
                fetched: "2026-11-27T10:00:00Z".into(),
            };
            Kept { source: "Yahoo".into(), since: daily.days[0], history }.encode()
        })
        .collect();
    let file = |number: usize| {
        let file = folder.join(format!("closes-{number}.bin"));
        fs::write(&file, &encoded[number % encoded.len()]).unwrap();
        file
    };
    (0..SYMBOLS).map(file).collect()
}

/// Peak memory of this process in bytes; 0 if the system does not report it.
fn memory() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap_or_default() * 1_000
}

fn seconds_of_pandas() -> Option<Duration> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut python = Command::new(root.join(".cache/markets/bin/python"));
    let output = python.arg("-B").arg(root.join(".ci/bench/scan.py")).output().ok()?;
    let seconds = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(Duration::from_secs_f64(seconds))
}
