//! When and at which price orders are filled.

use super::*;

/// Opens of 10 to 17, each close half above its open, a purchase on the third close and a sale on the fifth.
/// The expected values are from the library backtesting 0.6.6.
fn rising() -> Daily {
    share(&(10..18).map(|open| (f64::from(open), f64::from(open) + 0.5)).collect::<Vec<_>>())
}

#[test]
fn orders_fill_at_the_next_open() {
    let daily = rising();
    let run = run(&[signals("UP", &daily, &[2], &[4])], &Rules { whole: true, ..rules() });
    traded(&run, &[("UP", 3, Some(5), 76.0, 13.0, 15.0)]);
    close_to(run.days[7].equity, 1_152.0);
}

#[test]
fn orders_fill_at_the_close_of_their_signal() {
    let daily = rising();
    let rules = Rules { whole: true, fill: Fill::Close, ..rules() };
    let run = run(&[signals("UP", &daily, &[2], &[4])], &rules);
    // The library reserves a little cash, so that it buys 79.
    traded(&run, &[("UP", 2, Some(4), 80.0, 12.5, 14.5)]);
    close_to(run.days[7].equity, 1_160.0);
}

#[test]
fn commission_is_paid_on_both_sides() {
    let daily = rising();
    let run = run(&[signals("UP", &daily, &[2], &[4])], &Rules { whole: true, cost: 0.01, ..rules() });
    close_to(run.days[7].equity, 1_130.72);
    close_to(run.trades[0].costs, 76.0 * 0.13 + 76.0 * 0.15);
}

#[test]
fn slippage_worsens_each_trade() {
    let daily = flat(&[10.0; 6]);
    let rules = Rules { slippage: 0.02, ..rules() };
    let run = run(&[signals("FLAT", &daily, &[0], &[2])], &rules);
    traded(&run, &[("FLAT", 1, Some(3), 1_000.0 / 10.2, 10.2, 9.8)]);
    close_to(run.days[5].equity, 1_000.0 / 10.2 * 9.8);
    assert_eq!(run.trades[0].costs, 0.0, "slippage is in the prices");
}

#[test]
fn sale_pays_for_a_purchase_at_the_same_open() {
    let (first, second) = (flat(&[10.0; 6]), flat(&[20.0; 6]));
    let candidates = [signals("A", &first, &[0], &[2]), signals("B", &second, &[2], &[])];
    traded(
        &run(&candidates, &rules()),
        &[("A", 1, Some(3), 100.0, 10.0, 10.0), ("B", 3, None, 50.0, 20.0, 20.0)],
    );
}

#[test]
fn highest_rank_is_bought_first() {
    let daily = flat(&[10.0; 3]);
    let ranks = [("LOW", 1.0), ("HIGH", 3.0), ("SAME", 3.0), ("NONE", f64::INFINITY), ("UNKNOWN", f64::NAN)];
    let candidates: Vec<_> = ranks.iter().map(|(symbol, rank)| ranked(symbol, &daily, *rank)).collect();
    let bought = |positions| {
        let run = run(&candidates, &Rules { positions, ..rules() });
        run.trades.into_iter().map(|trade| trade.symbol).collect::<Vec<_>>()
    };
    assert_eq!(bought(1), ["HIGH"]);
    assert_eq!(bought(2), ["HIGH", "SAME"]);
    assert_eq!(bought(9), ["LOW", "HIGH", "SAME"]);
}

#[test]
fn order_waits_for_a_known_open() {
    let mut daily = flat(&[10.0, 11.0, 12.0, 13.0, 14.0, 15.0]);
    // No bar on the second day, unknown opens on the next two; another share trades on all days.
    for column in [&mut daily.open, &mut daily.close, &mut daily.high, &mut daily.low, &mut daily.volume] {
        column.remove(1);
    }
    daily.days.remove(1);
    (daily.open[1], daily.open[2]) = (f64::NAN, 0.0);
    let other = flat(&[1.0; 6]);
    let run = run(&[signals("HOLE", &daily, &[0], &[]), signals("OTHER", &other, &[], &[])], &rules());
    traded(&run, &[("HOLE", 4, None, 1_000.0 / 14.0, 14.0, 15.0)]);
    assert_eq!((run.gaps.waits, run.gaps.unknown_prices), (1, 2));
}

#[test]
fn order_for_an_unlisted_share_is_dropped() {
    let mut daily = flat(&[10.0, 10.0, 10.0]);
    daily.days = vec![day(0), day(20), day(21)];
    let other = flat(&[1.0; 22]);
    traded(&run(&[signals("BACK", &daily, &[0], &[]), signals("OTHER", &other, &[], &[])], &rules()), &[]);
}

#[test]
fn unlisted_share_frees_its_position() {
    let (gone, other) = (flat(&[10.0; 3]), flat(&[10.0; 30]));
    let candidates = [ranked("GONE", &gone, 2.0), ranked("OTHER", &other, 1.0)];
    for rebalance in [Rebalance::Never, Rebalance::Daily] {
        let run = run(&candidates, &Rules { rebalance, ..rules() });
        traded(&run, &[("GONE", 1, Some(13), 100.0, 10.0, 10.0), ("OTHER", 14, None, 100.0, 10.0, 10.0)]);
    }
}

#[test]
fn exit_cancels_a_waiting_purchase() {
    let mut daily = flat(&[10.0; 5]);
    daily.open[1] = f64::NAN;
    traded(&run(&[signals("A", &daily, &[0], &[1])], &rules()), &[]);
}

#[test]
fn delisted_share_is_sold_at_its_last_close() {
    let gone = flat(&[10.0, 10.0, 8.0]);
    let other = flat(&[1.0; 30]);
    for fill in [Fill::NextOpen, Fill::Close] {
        let candidates = [signals("GONE", &gone, &[0], &[]), signals("OTHER", &other, &[], &[])];
        let run = run(&candidates, &Rules { fill, ..rules() });
        let bought = if fill == Fill::Close { 0 } else { 1 };
        traded(&run, &[("GONE", bought, Some(13), 100.0, 10.0, 8.0)]);
        assert_eq!(run.gaps.sold_unlisted, 1);
        assert_eq!(run.gaps.end_early, [("GONE".to_owned(), day(2))]);
        close_to(run.days[29].equity, 800.0);
    }
}

/// A market reopens after weeks: the share trades, so it is not sold at its old close.
#[test]
fn long_market_holiday_sells_nothing() {
    let mut daily = flat(&[10.0, 10.0, 12.0, 12.0]);
    daily.days = vec![day(0), day(1), day(30), day(31)];
    traded(&run(&[signals("A", &daily, &[0], &[])], &rules()), &[("A", 1, None, 100.0, 10.0, 12.0)]);
}

#[test]
fn stop_sells_at_the_next_open() {
    let daily = share(&[(10.0, 10.0), (10.0, 9.1), (9.0, 9.0), (8.0, 8.5), (8.0, 8.0)]);
    let run = run(&[signals("A", &daily, &[0], &[])], &Rules { stop: Some(0.1), ..rules() });
    traded(&run, &[("A", 1, Some(3), 100.0, 10.0, 8.0)]);
}

#[test]
fn stopped_share_is_not_bought_while_still_wanted() {
    let daily = flat(&[10.0, 10.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0]);
    let stop = Rules { stop: Some(0.1), ..rules() };
    let always = run(&[ranked("A", &daily, 1.0)], &stop);
    traded(&always, &[("A", 1, Some(3), 100.0, 10.0, 8.0)]);
    let again = run(&[signals("A", &daily, &[0, 1, 2, 3, 5, 6, 7], &[])], &stop);
    traded(&again, &[("A", 1, Some(3), 100.0, 10.0, 8.0), ("A", 6, None, 100.0, 8.0, 8.0)]);
}

#[test]
fn rebalancing_buys_a_stopped_share_again() {
    let daily = flat(&[10.0, 10.0, 8.0, 8.0, 8.0, 8.0, 8.0]);
    let rules = Rules { stop: Some(0.1), rebalance: Rebalance::Daily, ..rules() };
    traded(
        &run(&[ranked("A", &daily, 1.0)], &rules),
        &[("A", 1, Some(3), 100.0, 10.0, 8.0), ("A", 4, None, 100.0, 8.0, 8.0)],
    );
}

/// An ISO week belongs to the year of its Thursday, and its number recurs a year later.
#[test]
fn weeks_are_compared_with_their_year() {
    let ends = |day, next| Rebalance::Weekly.ends(day, next);
    assert!(!ends(date(2024, 12, 31), date(2025, 1, 2)));
    assert!(ends(date(2025, 1, 3), date(2025, 1, 6)));
    assert!(ends(date(2025, 1, 2), date(2026, 1, 1)), "the first week of each");
}

/// From Thursday 1 January: the first day, then the last of each complete period.
#[test]
fn positions_are_chosen_at_the_end_of_a_period() {
    let daily = flat(&[10.0; 400]);
    let decided = |rebalance| {
        // Wanted on even days only, so that each decision is visible.
        let even: Vec<usize> = (0..400).filter(|place| place % 2 == 0).collect();
        let candidates = [signals("A", &daily, &even, &[])];
        let rules = Rules { rebalance, fill: Fill::Close, ..rules() };
        let run = backtest(&candidates, &rules, FIRST, day(399)).expect("a run");
        let dates = run.trades.iter().flat_map(|trade| [Some(trade.bought), trade.sold]).flatten();
        dates.take(4).map(|date| date.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(decided(Rebalance::Daily), ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]);
    // Sundays: indices 3, 10, 17.
    assert_eq!(decided(Rebalance::Weekly), ["2026-01-01", "2026-01-04", "2026-01-11", "2026-01-18"]);
    // Indices 30, 58, 89, 119, 150, 180, 211.
    assert_eq!(decided(Rebalance::Monthly), ["2026-01-01", "2026-03-31", "2026-05-31", "2026-07-31"]);
    // Indices 89, 180, 272, 364.
    assert_eq!(decided(Rebalance::Quarterly), ["2026-01-01", "2026-03-31", "2026-06-30"]);
    assert_eq!(decided(Rebalance::Yearly), ["2026-01-01"]);
}
