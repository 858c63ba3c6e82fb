use proptest::prelude::*;

use super::*;

const NONE: f64 = f64::NAN;

/// Each indicator's name and columns over closes; the range of a day is a tenth of its close.
fn all(closes: &[f64], n: usize) -> Vec<(&'static str, Vec<f64>)> {
    let high: Vec<f64> = closes.iter().map(|close| close * 1.06).collect();
    let low: Vec<f64> = closes.iter().map(|close| close * 0.96).collect();
    let macd = macd(closes, n, n.saturating_mul(2), n);
    let bollinger = bollinger(closes, n, 2.0);
    vec![
        ("sma", sma(closes, n)),
        ("ema", ema(closes, n)),
        ("rsi", rsi(closes, n)),
        ("macd line", macd.line),
        ("macd signal", macd.signal),
        ("macd histogram", macd.histogram),
        ("atr", atr(&high, &low, closes, n)),
        ("bollinger upper", bollinger.upper),
        ("bollinger middle", bollinger.middle),
        ("bollinger lower", bollinger.lower),
        ("standard deviation", standard_deviation(closes, n)),
        ("highest", highest(closes, n)),
        ("lowest", lowest(closes, n)),
        ("change", change(closes, n)),
        ("volatility", volatility(closes, n)),
    ]
}

#[track_caller]
fn check(actual: &[f64], expected: &[f64]) {
    let same = |(actual, expected): (&f64, &f64)| {
        actual.is_nan() && expected.is_nan() || (actual - expected).abs() <= 1e-12 * expected.abs()
    };
    assert_eq!(actual.len(), expected.len());
    assert!(actual.iter().zip(expected).all(same), "{actual:?} instead of {expected:?}");
}

fn bits(column: &[f64]) -> Vec<u64> {
    column.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn windows_end_at_their_index() {
    let closes = [4.0, 2.0, 6.0, 1.0, 8.0];
    check(&sma(&closes, 2), &[NONE, 3.0, 4.0, 3.5, 4.5]);
    check(&highest(&closes, 3), &[NONE, NONE, 6.0, 6.0, 8.0]);
    check(&lowest(&closes, 3), &[NONE, NONE, 2.0, 1.0, 1.0]);
    check(&change(&closes, 1), &[NONE, -50.0, 200.0, -100.0 * 5.0 / 6.0, 700.0]);
    check(&standard_deviation(&closes, 2), &[NONE, 1.0, 2.0, 2.5, 3.5]);
    let bands = bollinger(&closes, 2, 2.0);
    check(&bands.upper, &[NONE, 5.0, 8.0, 8.5, 11.5]);
    check(&bands.lower, &[NONE, 1.0, 0.0, -1.5, -2.5]);
}

#[test]
fn ema_begins_with_the_simple_average() {
    check(&ema(&[1.0, 2.0, 6.0, 7.0], 3), &[NONE, NONE, 3.0, 5.0]);
}

/// The example published by StockCharts.
#[test]
fn rsi_matches_a_published_example() {
    let closes = [
        44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931,
        46.0328, 45.6140, 46.2820, 46.2820,
    ];
    let index = rsi(&closes, 14);
    assert!(index[..14].iter().all(|value| value.is_nan()));
    assert!((index[14] - 70.5328).abs() < 5e-5, "{}", index[14]);
}

#[test]
fn atr_includes_the_previous_close() {
    let (high, low, close) = ([10.0, 11.0, 15.0, 15.0], [9.0, 10.0, 14.0, 12.0], [10.0, 10.0, 14.0, 13.0]);
    // Ranges: 1, 15 - 10, 15 - 12.
    check(&atr(&high, &low, &close, 2), &[NONE, NONE, 3.0, 3.0]);
}

/// The price alternately rises and falls by the same factor: the mean logarithm is 0, the sample deviation of
/// two returns is their absolute value times the square root of two.
#[test]
fn volatility_is_annualised_in_percent() {
    let size = 2.0_f64.ln() * 2.0_f64.sqrt() * 252.0_f64.sqrt() * 100.0;
    check(&volatility(&[1.0, 2.0, 1.0, 2.0], 2), &[NONE, NONE, size, size]);
    check(&volatility(&[1.0, 2.0, 1.0, 2.0], 1), &[NONE; 4]);
}

#[test]
fn constant_price_equals_its_averages() {
    for price in [0.1, 49.3, 1e-9, 7.0 / 3.0] {
        for n in [3, 10, 49, 200] {
            let closes = vec![price; 450];
            let last = |column: Vec<f64>| column[449];
            assert_eq!(last(sma(&closes, n)), price, "{price} over {n}");
            assert_eq!(last(ema(&closes, n)), price, "{price} over {n}");
            assert_eq!(last(bollinger(&closes, n, 2.0).upper), price, "{price} over {n}");
            assert_eq!(last(standard_deviation(&closes, n)), 0.0, "{price} over {n}");
            assert_eq!(last(volatility(&closes, n)), 0.0, "{price} over {n}");
            assert_eq!(last(rsi(&closes, n)), 0.0, "{price} over {n}");
        }
    }
}

/// Each equals the indicator of only the values after the gap.
#[test]
fn indicators_restart_after_a_gap() {
    let after: Vec<f64> = (0..40).map(|day| 20.0 + f64::from(day * 7 % 11)).collect();
    for hole in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut closes = vec![50.0, 51.0, 49.0, 52.0, 48.0, 50.0, 51.0, 49.0, 50.0, 47.0, 46.0, 50.0, 52.0];
        closes.push(hole);
        let begin = closes.len();
        closes.extend(&after);
        for ((name, actual), (_, expected)) in all(&closes, 5).into_iter().zip(all(&after, 5)) {
            assert!(actual[begin - 1].is_nan(), "{name} at the hole");
            let first = expected.iter().position(|value| !value.is_nan()).expect("a value");
            // `change` ignores gaps.
            if name != "change" {
                assert!(
                    actual[begin..begin + first].iter().all(|value| value.is_nan()),
                    "{name} after {hole}"
                );
            }
            check(&actual[begin + first..], &expected[first..]);
        }
    }
}

#[test]
fn no_value_for_a_window_that_does_not_fit() {
    let closes = [3.0, 4.0, 5.0];
    for n in [0, 4, usize::MAX] {
        for (name, column) in all(&closes, n) {
            assert_eq!(bits(&column), bits(&[NONE; 3]), "{name} over {n}");
        }
    }
    for (name, column) in all(&[], 3) {
        assert!(column.is_empty(), "{name}");
    }
}

#[test]
fn no_change_from_zero() {
    check(&change(&[0.0, 5.0, -5.0, 5.0], 1), &[NONE, NONE, -200.0, NONE]);
    check(&volatility(&[1.0, 0.0, -1.0, -2.0, 3.0, 4.0, 3.0], 2)[..6], &[NONE; 6]);
}

/// Computes each window from scratch.
fn naive(values: &[f64], n: usize, of: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    (0..values.len())
        .map(|place| (place + 1).checked_sub(n).map_or(NONE, |from| of(&values[from..=place])))
        .collect()
}

#[test]
fn large_value_leaves_no_rounding_error() {
    let mut closes = vec![1e9; 7];
    closes.extend((0..60).map(|day| 1e-3 * (1.0 + f64::from(day * 7 % 13) / 100.0)));
    for n in [1, 2, 5, 7, 30] {
        let mean = |window: &[f64]| window.iter().rev().sum::<f64>() / n as f64;
        let deviation = |window: &[f64]| {
            let mean = mean(window);
            (window.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n as f64).sqrt()
        };
        let pairs = [
            (sma(&closes, n), naive(&closes, n, mean)),
            (standard_deviation(&closes, n), naive(&closes, n, deviation)),
        ];
        for (actual, expected) in pairs {
            for (actual, expected) in actual.iter().zip(&expected) {
                let same =
                    (actual - expected).abs() <= 1e-9 * expected || actual.is_nan() && expected.is_nan();
                assert!(same, "{actual} instead of {expected} over {n}");
            }
        }
    }
}

/// Prices of any size, with gaps and invalid values.
fn prices() -> impl Strategy<Value = Vec<f64>> {
    let price = prop_oneof![
        20 => 1.0..200.0_f64,
        2 => prop_oneof![Just(1e-9), Just(1e9), Just(7.0)],
        1 => prop_oneof![Just(f64::NAN), Just(0.0), Just(-3.0), Just(f64::INFINITY), Just(f64::MAX), Just(f64::MIN)],
    ];
    prop::collection::vec(price, 0..120)
}

proptest! {
    #[test]
    fn values_depend_on_earlier_places_only(closes in prices(), n in 0..20_usize, cut in 0..120_usize) {
        let cut = cut.min(closes.len());
        for ((name, whole), (_, part)) in all(&closes, n).into_iter().zip(all(&closes[..cut], n)) {
            prop_assert_eq!(whole.len(), closes.len());
            prop_assert_eq!(bits(&whole[..cut]), bits(&part), "{}", name);
            prop_assert!(whole.iter().all(|value| !value.is_infinite()), "{} is infinite", name);
        }
    }

    #[test]
    fn extremes_are_those_of_the_window(closes in prices(), n in 1..20_usize) {
        let known = |window: &[f64]| window.iter().all(|value| value.is_finite());
        let high = |window: &[f64]| if known(window) { window.iter().copied().fold(f64::MIN, f64::max) } else { NONE };
        let low = |window: &[f64]| if known(window) { window.iter().copied().fold(f64::MAX, f64::min) } else { NONE };
        prop_assert_eq!(bits(&highest(&closes, n)), bits(&naive(&closes, n, high)));
        prop_assert_eq!(bits(&lowest(&closes, n)), bits(&naive(&closes, n, low)));
    }
}
