//! Statistics of a run.

use super::*;

/// Held from the second day: the equity is a hundred times the close.
fn held(closes: &[f64]) -> Run {
    let daily = flat(closes);
    run(&[ranked("A", &daily, 1.0)], &rules())
}

#[test]
fn deepest_fall_has_its_dates() {
    let run = held(&[10.0, 10.0, 12.0, 9.0, 13.0, 10.4, 7.8, 9.0, 13.0, 12.0]);
    let fall = Fall { depth: 0.4, from: day(4), to: day(6), recovered: Some(day(8)) };
    let found = run.statistics.deepest_fall.expect("a fall");
    close_to(found.depth, fall.depth);
    assert_eq!(Fall { depth: 0.4, ..found }, fall);
    all_close_to(&run.falls()[2..6], &[0.0, 0.25, 0.0, 0.2]);
    assert_eq!(held(&[10.0, 10.0, 11.0]).statistics.deepest_fall, None);
    let twice = held(&[10.0, 10.0, 8.0, 10.0, 8.0]).statistics.deepest_fall.expect("a fall");
    assert_eq!((twice.to, twice.recovered), (day(2), Some(day(3))), "the first of two");
    let lost = held(&[10.0, 10.0, 8.0]).statistics.deepest_fall.expect("a fall");
    assert_eq!((lost.from, lost.to, lost.recovered), (day(1), day(2), None));
}

#[test]
fn returns_are_total_and_annualised() {
    let mut closes = vec![10.0; 731];
    closes[730] = 14.4;
    let daily = flat(&closes);
    let run = backtest(&[ranked("A", &daily, 1.0)], &rules(), FIRST, day(730)).expect("a run");
    close_to(run.statistics.total, 0.44);
    close_to(run.statistics.yearly.expect("two years"), 0.2);
    close_to(run.statistics.benchmark_yearly.expect("two years"), 0.2);
    assert_eq!(held(&[10.0, 10.0, 11.0]).statistics.yearly, None, "three days");
    // 2028 has only its first day.
    assert_eq!(run.statistics.best_year.map(|(year, _)| year), Some(2028));
    assert_eq!(run.statistics.worst_year, Some((2026, 0.0)));
}

#[test]
fn year_after_a_total_loss_has_no_return() {
    let mut closes = vec![10.0; 400];
    closes[2..].fill(0.01);
    let daily = flat(&closes);
    let rules = Rules { fee: 900.0, ..rules() };
    let run = backtest(&[signals("A", &daily, &[0], &[2])], &rules, FIRST, day(399)).expect("a run");
    let years = (run.statistics.best_year, run.statistics.worst_year);
    assert_eq!(years, (Some((2026, -1.0)), Some((2026, -1.0))));
    assert_eq!(run.statistics.volatility, None);
}

/// Returns of 0, 0, 10, -10 and 10 percent: mean 2, squared deviations 4 + 4 + 64 + 144 + 64.
#[test]
fn volatility_uses_daily_returns() {
    let run = held(&[100.0, 100.0, 110.0, 99.0, 108.9]);
    close_to(run.statistics.volatility.expect("returns"), (0.028_f64 / 4.0 * 252.0).sqrt());
}

#[test]
fn trades_are_counted_when_sold() {
    let daily = flat(&[10.0, 10.0, 12.0, 12.0, 12.0, 11.0, 11.0, 11.0, 15.0]);
    // Won after two days, lost after two, still held.
    let run = run(&[signals("A", &daily, &[0, 3, 6], &[2, 5])], &rules());
    let statistics = &run.statistics;
    assert_eq!((run.trades.len(), statistics.sold, statistics.won), (3, 2, 1));
    assert_eq!(statistics.hold_days, Some(2.0));
    // Invested after six of nine closes.
    close_to(statistics.exposure, 6.0 / 9.0);
}

#[test]
fn split_statistics_compound_to_the_whole() {
    let daily = flat(&[10.0, 10.0, 12.0, 12.0, 12.0, 11.0, 11.0, 11.0, 15.0]);
    let run = run(&[signals("A", &daily, &[0, 3, 6], &[2, 5])], &Rules { fee: 3.0, ..rules() });
    // On the day of the first sale.
    let (before, after) = run.split(day(3)).expect("two parts");
    close_to((1.0 + before.total) * (1.0 + after.total), 1.0 + run.statistics.total);
    close_to((1.0 + before.benchmark_total) * (1.0 + after.benchmark_total), 1.5);
    close_to(before.costs + after.costs, 15.0);
    assert_eq!((before.sold, before.won, after.sold, after.won), (0, 0, 2, 1));
    assert_eq!(run.split(FIRST), None);
    assert_eq!(run.split(day(9)), None);
}
