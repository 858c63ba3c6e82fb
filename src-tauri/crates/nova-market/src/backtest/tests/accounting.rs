//! Cash, sizes, costs and dividends.

use super::*;

#[test]
fn dividends_go_to_holders_of_the_evening_before() {
    let mut daily = flat(&[10.0; 6]);
    // Bought on the second day, sold on the fourth.
    daily.dividends = vec![(day(1), 5.0), (day(2), 0.5), (day(3), 0.25), (day(4), 5.0), (day(5), f64::NAN)];
    let run = run(&[signals("A", &daily, &[0], &[2])], &rules());
    all_close_to(&equity(&run), &[1_000.0, 1_000.0, 1_050.0, 1_075.0, 1_075.0, 1_075.0]);
    close_to(run.trades[0].result, 75.0);
}

#[test]
fn dividend_on_a_non_trading_day_is_paid_on_the_next() {
    let mut daily = flat(&[10.0; 4]);
    daily.days = vec![day(0), day(1), day(4), day(5)];
    daily.dividends = vec![(day(3), 1.0)];
    let run = run(&[signals("A", &daily, &[0], &[])], &rules());
    all_close_to(&equity(&run), &[1_000.0, 1_000.0, 1_100.0, 1_100.0]);
}

#[test]
fn splits_need_no_handling() {
    let daily = flat(&[10.0, 11.0, 12.0, 9.0, 10.0]);
    let split = Daily { splits: vec![(day(2), 2.0), (day(3), 0.1)], ..daily.clone() };
    let of = |daily| run(&[signals("A", daily, &[0], &[3])], &rules());
    assert_eq!(of(&split), of(&daily));
}

#[test]
fn slots_keep_the_cash_of_free_positions() {
    let daily = flat(&[10.0; 4]);
    let rules = Rules { positions: 4, ..rules() };
    let run = run(&[ranked("A", &daily, 1.0)], &rules);
    traded(&run, &[("A", 1, None, 25.0, 10.0, 10.0)]);
    close_to(run.days[3].invested, 0.25);
}

#[test]
fn equal_weights_use_all_cash() {
    let daily = flat(&[10.0; 4]);
    let rules = Rules { positions: 4, weight: Weight::Equal, rebalance: Rebalance::Daily, ..rules() };
    let run = run(&[ranked("A", &daily, 1.0), ranked("B", &daily, 1.0)], &rules);
    traded(&run, &[("A", 1, None, 50.0, 10.0, 10.0), ("B", 1, None, 50.0, 10.0, 10.0)]);
    close_to(run.days[3].invested, 1.0);
}

/// Without rebalancing the cash is divided among free positions: half of 1,000, and then the other half.
#[test]
fn equal_weights_divide_cash_among_free_positions() {
    let (first, second) = (flat(&[10.0, 10.0, 20.0, 20.0]), flat(&[10.0; 4]));
    let candidates = [signals("A", &first, &[0], &[]), signals("B", &second, &[1], &[])];
    let rules = Rules { positions: 2, weight: Weight::Equal, ..rules() };
    traded(&run(&candidates, &rules), &[("A", 1, None, 50.0, 10.0, 20.0), ("B", 2, None, 50.0, 10.0, 10.0)]);
}

/// A doubles; half of its gain moves to B: 1,500 in two parts of 750.
#[test]
fn rebalancing_restores_equal_weights() {
    let (first, second) = (flat(&[10.0, 10.0, 20.0, 20.0]), flat(&[10.0; 4]));
    let candidates = [ranked("A", &first, 2.0), ranked("B", &second, 1.0)];
    let rules = Rules { positions: 2, rebalance: Rebalance::Daily, ..rules() };
    let run = run(&candidates, &rules);
    // A: 50 bought for 500, 12.5 sold for 250, 37.5 left; B: 50 bought and 25 more.
    traded(&run, &[("A", 1, None, 50.0, 10.0, 20.0), ("B", 1, None, 75.0, 10.0, 10.0)]);
    all_close_to(&equity(&run), &[1_000.0, 1_000.0, 1_500.0, 1_500.0]);
}

#[test]
fn position_below_one_share_is_sold() {
    let (first, second) = (flat(&[90.0, 90.0, 300.0, 300.0, 300.0]), flat(&[90.0, 90.0, 9.0, 9.0, 9.0]));
    let candidates = [ranked("A", &first, 2.0), ranked("B", &second, 1.0)];
    let rules = Rules { cash: 200.0, positions: 2, rebalance: Rebalance::Daily, whole: true, ..rules() };
    // One of each and 20 in cash; then half of 329 buys no A, but 18 of B: 17 more at 9.
    let run = run(&candidates, &rules);
    traded(&run, &[("A", 1, Some(2), 1.0, 90.0, 300.0), ("B", 1, None, 18.0, 243.0 / 18.0, 9.0)]);
}

/// A exceeds its weight by 2.50, which is less than the fee of a trade.
#[test]
fn rebalancing_trades_nothing_below_its_fee() {
    let (first, second) = (flat(&[10.0, 10.0, 10.1, 10.1]), flat(&[10.0; 4]));
    let candidates = [ranked("A", &first, 2.0), ranked("B", &second, 1.0)];
    let rules = Rules { positions: 2, rebalance: Rebalance::Daily, fee: 5.0, ..rules() };
    let run = run(&candidates, &rules);
    traded(&run, &[("A", 1, None, 49.5, 10.0, 10.1), ("B", 1, None, 49.5, 10.0, 10.0)]);
    close_to(run.statistics.costs, 10.0);
}

#[test]
fn purchases_beyond_the_cash_are_cut_proportionally() {
    // A raises the equity to 10,900, of which 900 are cash; B and C want 3,633 each.
    let (first, other) = (flat(&[10.0, 10.0, 1_000.0, 1_000.0]), flat(&[10.0; 4]));
    let candidates =
        [signals("A", &first, &[0], &[]), signals("B", &other, &[2], &[]), signals("C", &other, &[2], &[])];
    let run = run(&candidates, &Rules { positions: 10, ..rules() });
    traded(
        &run,
        &[
            ("A", 1, None, 10.0, 10.0, 1_000.0),
            ("B", 3, None, 45.0, 10.0, 10.0),
            ("C", 3, None, 45.0, 10.0, 10.0),
        ],
    );
    assert_eq!(run.gaps.cut, 2);
}

#[test]
fn purchase_amount_includes_costs() {
    let daily = flat(&[10.0; 5]);
    let rules = Rules { cost: 0.01, fee: 5.0, slippage: 0.02, ..rules() };
    let run = run(&[signals("A", &daily, &[0], &[2])], &rules);
    // 995 buy shares at 10.2 plus 1 %; each is later sold for 9.8 less 1 %.
    let quantity = 995.0 / (10.2 * 1.01);
    traded(&run, &[("A", 1, Some(3), quantity, 10.2, 9.8)]);
    close_to(run.days[1].equity, quantity * 10.0);
    close_to(run.days[4].equity, quantity * 9.8 * 0.99 - 5.0);
    close_to(run.statistics.costs, quantity * (0.102 + 0.098) + 10.0);
    assert_eq!(run.gaps.cut, 0, "costs cut nothing");
}

#[test]
fn fee_is_limited_to_the_cash() {
    let daily = flat(&[10.0, 10.0, 0.01, 0.01, 0.01]);
    let run = run(&[signals("A", &daily, &[0], &[2])], &Rules { fee: 900.0, ..rules() });
    // 10 shares yield 0.10, which the fee consumes.
    all_close_to(&equity(&run), &[1_000.0, 100.0, 0.1, 0.0, 0.0]);
    assert_eq!(run.split(day(3)).map(|(_, after)| after.total), Some(-1.0));
    assert_eq!(run.split(day(4)), None, "no return of nothing");
    let dear = self::run(&[signals("A", &daily, &[0], &[2])], &Rules { fee: 1_000.0, ..rules() });
    traded(&dear, &[]);
    assert_eq!(dear.gaps.cut, 1);
}

#[test]
fn whole_shares_ignore_float_rounding() {
    // As a float, 0.1 × 3 exceeds 0.3 slightly.
    let daily = flat(&[0.1; 3]);
    let run = run(&[ranked("A", &daily, 1.0)], &Rules { cash: 0.3, whole: true, ..rules() });
    traded(&run, &[("A", 1, None, 3.0, 0.1, 0.1)]);
    let dear = flat(&[1_001.0; 3]);
    let none = self::run(&[ranked("A", &dear, 1.0)], &Rules { whole: true, ..rules() });
    traded(&none, &[]);
    assert_eq!(none.gaps.cut, 2, "on two opens");
}

#[test]
fn benchmark_holds_the_universe_in_equal_weights() {
    let (first, second) = (flat(&[10.0, 10.0, 20.0, 10.0, 10.0]), flat(&[10.0, 10.0, 8.0, 8.0, 16.0]));
    let candidates = [signals("A", &first, &[], &[]), signals("B", &second, &[], &[])];
    let benchmark = |rebalance| {
        let rules = Rules { rebalance, cost: 0.01, slippage: 0.5, stop: Some(0.1), ..rules() };
        run(&candidates, &rules).days.iter().map(|day| day.benchmark).collect::<Vec<_>>()
    };
    all_close_to(&benchmark(Rebalance::Never), &[1_000.0, 1_000.0, 1_400.0, 900.0, 1_300.0]);
    // Rebalanced at each open: 35 of A and 87.5 of B, then 52.5 and 65.625.
    all_close_to(&benchmark(Rebalance::Daily), &[1_000.0, 1_000.0, 1_400.0, 1_050.0, 1_575.0]);
}

#[test]
fn benchmark_without_rebalancing_buys_nothing_later() {
    let (mut first, mut second) = (flat(&[10.0; 40]), flat(&[10.0; 5]));
    second.days = (30..35).map(day).collect();
    second.close = vec![10.0, 20.0, 40.0, 80.0, 160.0];
    let candidates = [signals("A", &first, &[], &[]), signals("LATE", &second, &[], &[])];
    let run = run(&candidates, &rules());
    assert!(run.days.iter().all(|day| day.benchmark == 1_000.0));
    assert_eq!(run.gaps.begin_late, [("LATE".to_owned(), day(30))]);
    // With rebalancing, the others hold all the money until then.
    first.close[2..].fill(20.0);
    let candidates = [signals("A", &first, &[], &[]), signals("LATE", &second, &[], &[])];
    let run = self::run(&candidates, &Rules { rebalance: Rebalance::Daily, ..rules() });
    close_to(run.days[29].benchmark, 2_000.0);
}

#[test]
fn benchmark_of_one_share_reinvests_its_dividends() {
    let own = flat(&[10.0; 6]);
    let mut other = flat(&[10.0, 10.0, 20.0, 20.0, 20.0, 40.0]);
    other.dividends = vec![(day(3), 10.0)];
    let rules = Rules { cost: 0.01, slippage: 0.5, ..rules() };
    let mut run = run(&[signals("A", &own, &[], &[])], &rules);
    run.against(&ranked("B", &other, 1.0), &rules).expect("a benchmark");
    let benchmark: Vec<f64> = run.days.iter().map(|day| day.benchmark).collect();
    // 100 bought at 10; 10 paid for each, which buy 50 at 20.
    all_close_to(&benchmark, &[1_000.0, 1_000.0, 2_000.0, 3_000.0, 3_000.0, 6_000.0]);
    close_to(run.statistics.benchmark_total, 5.0);
    close_to(run.statistics.total, 0.0);
}

#[test]
fn benchmark_must_cover_the_run() {
    let own = flat(&[10.0; 40]);
    let mut run = run(&[signals("A", &own, &[], &[])], &rules());
    let before = run.clone();
    let mut late = flat(&[10.0; 40]);
    late.days = (1..41).map(day).collect();
    let gone = flat(&[10.0; 20]);
    for other in [&late, &gone] {
        let error = run.against(&ranked("B", other, 1.0), &rules()).expect_err("not covered");
        assert!(matches!(error, BacktestError::Benchmark { .. }), "{error}");
        assert_eq!(run, before);
    }
}
