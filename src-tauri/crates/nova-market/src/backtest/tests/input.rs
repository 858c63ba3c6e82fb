//! Invalid input.

use super::*;

#[track_caller]
fn fails(candidates: &[Candidate], rules: &Rules, from: Date, to: Date, message: &str) {
    let error = backtest(candidates, rules, from, to).expect_err("no run");
    assert_eq!(error.to_string(), message);
}

#[test]
fn span_without_closes_names_the_first_or_last_close() {
    let daily = flat(&[10.0; 20]);
    let candidates = [ranked("A", &daily, 1.0)];
    let of = |from, to, message| fails(&candidates, &rules(), from, to, message);
    of(date(2019, 1, 1), day(5), "Closes begin in 2026. Use 2026-01-01 or later");
    of(date(2025, 12, 21), day(5), "Closes begin in 2026. Use 2026-01-01 or later");
    of(day(20), day(90), "Closes end on 2026-01-20. Begin before it");
    of(
        day(19),
        day(90),
        "There are fewer than two trading days from 2026-01-20 to 2026-04-01. Use a longer span",
    );
    of(day(5), day(4), "The span ends on 2026-01-05, before it begins on 2026-01-06. Swap them");
    of(
        day(3),
        day(3),
        "There are fewer than two trading days from 2026-01-04 to 2026-01-04. Use a longer span",
    );
    // A year that begins with holidays.
    let run = backtest(&candidates, &rules(), date(2025, 12, 22), day(90)).expect("a run");
    assert_eq!(run.days[0].date, FIRST);
}

#[test]
fn invalid_rules_are_refused() {
    let daily = flat(&[10.0; 4]);
    let candidates = [ranked("A", &daily, 1.0)];
    let of = |rules: Rules, message: &str| fails(&candidates, &rules, FIRST, day(3), message);
    of(Rules { positions: 0, ..rules() }, "The number of positions is 0. Use at least 1");
    for cash in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        of(Rules { cash, ..rules() }, &format!("The cash is {cash}. Use an amount above 0"));
    }
    for share in [-0.1, 1.0, f64::NAN] {
        let message = |name| format!("The {name} is {share}. Use at least 0 and less than 1");
        of(Rules { cost: share, ..rules() }, &message("cost"));
        of(Rules { slippage: share, ..rules() }, &message("slippage"));
    }
    of(Rules { stop: Some(0.0), ..rules() }, "The stop is 0. Use more than 0 and less than 1, or none");
    of(Rules { fee: -1.0, ..rules() }, "The fee is -1. Use an amount of at least 0");
}

#[test]
fn invalid_universe_is_refused() {
    let daily = flat(&[10.0; 4]);
    let of = |candidates: &[Candidate], message| fails(candidates, &rules(), FIRST, day(3), message);
    of(&[], "The universe is empty. Add a symbol");
    let twice = [ranked("A", &daily, 1.0), ranked("A", &daily, 1.0)];
    of(&twice, "A is in the universe twice. Remove one");
    let worthless = flat(&[0.0, -1.0, f64::NAN, f64::INFINITY]);
    of(&[ranked("A", &worthless, 1.0)], "No share of the universe has a close. Fetch closes first");
    let columns = "The columns of A differ in length or its days are out of order. Fetch its closes again";
    of(&[Candidate { leave: vec![], ..ranked("A", &daily, 1.0) }], columns);
    of(&[ranked("A", &Daily { open: vec![], ..daily.clone() }, 1.0)], columns);
    of(&[ranked("A", &Daily { days: vec![day(1); 4], ..daily.clone() }, 1.0)], columns);
    let dividends = vec![(day(2), 1.0), (day(1), 1.0)];
    of(&[ranked("A", &Daily { dividends, ..daily }, 1.0)], columns);
}

#[test]
fn amounts_beyond_a_float_are_an_error() {
    let daily = flat(&[1e-300, 1e-300, 1e300, 1e300]);
    let message = "The amounts of 2026-01-03 are too large to compute. Check the closes and the cash";
    fails(&[ranked("A", &daily, 1.0)], &rules(), FIRST, day(3), message);
}

#[test]
fn invalid_close_is_counted_and_ignored() {
    let daily = flat(&[10.0, 10.0, 0.0, f64::NAN, -5.0, 12.0]);
    let other = flat(&[1.0; 6]);
    let run = run(&[signals("A", &daily, &[0], &[]), signals("B", &other, &[], &[])], &rules());
    all_close_to(&equity(&run), &[1_000.0, 1_000.0, 1_000.0, 1_000.0, 1_000.0, 1_200.0]);
    assert_eq!(run.gaps.unknown_closes, 3);
}

#[test]
fn symbols_that_begin_late_or_end_early_are_reported() {
    let whole = flat(&[10.0; 30]);
    let from = |first: i64, count: usize| {
        let mut daily = flat(&vec![10.0; count]);
        daily.days = (first..first + count as i64).map(day).collect();
        daily
    };
    let (begins, late, ends, early) = (from(10, 20), from(11, 19), from(0, 20), from(0, 19));
    let dailies = [("A", &whole), ("BEGINS", &begins), ("LATE", &late), ("ENDS", &ends), ("EARLY", &early)];
    let candidates: Vec<_> =
        dailies.into_iter().map(|(symbol, daily)| signals(symbol, daily, &[], &[])).collect();
    let gaps = run(&candidates, &rules()).gaps;
    assert_eq!(gaps.begin_late, [("LATE".to_owned(), day(11))]);
    assert_eq!(gaps.end_early, [("EARLY".to_owned(), day(18))]);
}

#[test]
fn symbol_without_closes_is_reported() {
    let (daily, none) = (flat(&[10.0; 4]), flat(&[]));
    let run = run(&[ranked("A", &daily, 1.0), ranked("NONE", &none, 1.0)], &rules());
    assert_eq!(run.gaps.without_closes, ["NONE"]);
    assert_eq!(run.days[3].benchmark, 1_000.0);
}
