use std::borrow::Cow;

use proptest::prelude::*;

use super::*;
use crate::Daily;
use crate::daily::LISTED_DAYS;

/// A share all of whose report figures are 18.
struct Share(Daily);

impl Columns for Share {
    fn daily(&self) -> &Daily {
        &self.0
    }

    fn figures(&self, _: Field) -> Cow<'_, [f64]> {
        Cow::Owned(vec![18.0; self.0.len()])
    }
}

fn share(closes: &[f64]) -> Share {
    let first = jiff::civil::date(2026, 1, 1);
    let days = (0..closes.len()).map(|day| first.saturating_add(jiff::Span::new().days(day as i64)));
    let column = closes.to_vec();
    Share(Daily {
        days: days.collect(),
        open: column.clone(),
        high: column.iter().map(|close| close + 1.0).collect(),
        low: column.iter().map(|close| close - 1.0).collect(),
        volume: vec![1000.0; closes.len()],
        close: column,
        ..Daily::default()
    })
}

/// `expected` has `1`, `0` or `?` for each day.
#[track_caller]
fn check(text: &str, closes: &[f64], expected: &str) {
    let condition =
        Expression::parse(text, Wanted::Condition).unwrap_or_else(|error| panic!("{text}: {error}"));
    let said = condition.truth(&share(closes)).into_iter().map(|truth| match truth {
        Truth::Yes => '1',
        Truth::No => '0',
        Truth::Unknown => '?',
    });
    assert_eq!(said.collect::<String>(), expected, "{text} over {closes:?}");
}

#[test]
fn conditions_are_evaluated_per_day() {
    check("close > 10", &[9.0, 10.0, 11.0], "001");
    check("close >= 10 and close < 11", &[9.0, 10.0, 11.0], "010");
    check("close between 10 and 11", &[9.0, 10.0, 11.0, 12.0], "0110");
    check("not close > 10 or close = 11", &[9.0, 10.0, 11.0, 12.0], "1110");
    check("close > close[1]", &[9.0, 10.0, 10.0, 11.0], "?101");
    check("close > sma(close, 2)", &[1.0, 3.0, 1.0], "?10");
    check("sma(close, 1) crosses above 10", &[9.0, 11.0, 12.0, 8.0, 10.0, 11.0], "010001");
    check("close crosses below 10", &[9.0, 11.0, 9.0, 8.0], "?010");
    check("-close + 2 * 3 < -4", &[9.0, 10.0, 11.0], "001");
    check("high - low = 2", &[5.0], "1");
    check("CLOSE ≥ 10 AND volume × 2 ≥ 1.5k", &[9.0, 10.0], "01");
    check("price_to_earnings < 18.5", &[1.0], "1");
    check("max(close, 10) = 10 and min(close, 10) < 10", &[9.0, 11.0], "10");
}

#[test]
fn unknown_values_propagate() {
    check("close / (close - 5) > 0", &[5.0, 6.0], "?1");
    check("close > 1", &[f64::NAN, 2.0], "?1");
    check("not close > 1", &[f64::NAN, 2.0], "?0");
    check("close > 1 or open > 1", &[f64::NAN], "?");
    check("close > 1 or volume > 1", &[f64::NAN], "1");
    check("close > 1 and volume < 1", &[f64::NAN], "0");
    check("close / 0 > 1", &[1.0], "?");
}

/// Every function over two stretches of days equals itself over each of them, for all days and the last.
#[test]
fn no_operator_looks_back_over_a_gap() {
    let closes: Vec<f64> = (0..80).map(|day| 20.0 + f64::from(day * 7 % 11)).collect();
    let (before, after) = closes.split_at(37);
    let mut both = share(&closes);
    for day in &mut both.0.days[37..] {
        *day = day.saturating_add(jiff::Span::new().days(LISTED_DAYS));
    }
    let text = "sma(close, 5)|ema(close, 5)|rsi(close, 5)|macd(close, 3, 6, 2)|macd_signal(close, 3, 6, 2)|atr(5)|\
        macd_histogram(close, 3, 6, 2)|bollinger_upper(close, 5, 2)|bollinger_lower(close, 5, 2)|change(close, 5)|\
        standard_deviation(close, 5)|highest(close, 5)|lowest(close, 5)|volatility(close, 5)|close[5]|\
        sma(close[3], 4) - highest(sma(close, 2), 3)";
    let bits = |column: Vec<f64>| column.into_iter().map(f64::to_bits).collect::<Vec<u64>>();
    for text in text.split('|').map(str::trim) {
        let number =
            Expression::parse(text, Wanted::Number).unwrap_or_else(|error| panic!("{text}: {error}"));
        let expected = [before, after].map(|closes| number.number(&share(closes))).concat();
        assert!(expected[37].is_nan() && expected[79].is_finite(), "{text}");
        assert_eq!(bits(number.number(&both)), bits(expected.clone()), "{text}");
        for length in 1..=closes.len() {
            let mut cut = both.0.clone();
            cut.truncate(length);
            let last = number.last_number(&Share(cut));
            assert_eq!(last.to_bits(), expected[length - 1].to_bits(), "{text} on day {length}");
        }
    }
    let crosses = Expression::parse("close crosses above 1", Wanted::Condition).expect("a condition");
    assert_eq!(crosses.truth(&both)[37], Truth::Unknown);
}

#[track_caller]
fn refuses(text: &str, said: &str, about: &str) {
    let error = Expression::parse(text, Wanted::Condition).expect_err(text);
    assert!(format!("{} {}", error.message, error.hint).contains(said), "{text}: {error:?}");
    assert_eq!(&text[error.place.clone()], about, "{text}: {error:?}");
}

#[test]
fn errors_have_a_position_and_a_hint() {
    refuses("", "empty", "");
    refuses("close", "is a number, not a condition", "close");
    refuses("price_to_earning < 18", "Did you mean price_to_earnings?", "price_to_earning");
    refuses("rsi(close, 14) < 30 close > 2", "not expected", "close");
    refuses("sma(close) > 2", "sma(close, 50)", ")");
    refuses("sma(close, 2.5) > 2", "whole number", "2.5");
    refuses("sma(close, 0) > 2", "whole number", "0");
    refuses("close[-1] > 2", "whole number", "-");
    refuses("close > 10 %", "percentage", "close > 10 %");
    refuses("close < highest(close, 250) * 80 %", "0.8", "highest(close, 250) * 80 %");
    refuses("net_margin > 10 % > 2", "There is a condition", "net_margin > 10 % > 2");
    refuses("close > 2 + (close > 1)", "There is a condition", "2 + (close > 1)");
    refuses("macd(close, 26, 12, 9) > 0", "shorter", "macd");
    refuses("close between 5", "between", "");
    refuses("close crosses 5", "above or below", "5");
    refuses("close > $5", "means nothing", "$");
    refuses("close > ", "missing at the end", "");
    refuses(&format!("{}close > 1{}", "(".repeat(40), ")".repeat(40)), "nested", "(");
    refuses(&format!("close > {}", "1 + ".repeat(200)), "longer", &format!("close > {}", "1 + ".repeat(200)));
}

#[test]
fn comparison_of_a_field_with_numbers_is_a_form_row() {
    let row = |text: &str| {
        let simple = Expression::parse(text, Wanted::Condition).expect(text).simple()?;
        Some((simple.field.key(), simple.operator, simple.values.join("|")))
    };
    assert_eq!(row("price_to_earnings < 18"), Some(("price_to_earnings", Operator::Below, "18".into())));
    assert_eq!(
        row("market_value between 0.5 bn and 5 bn"),
        Some(("market_value", Operator::Between, "0.5 bn|5 bn".into()))
    );
    assert_eq!(row("net_margin > -5 %"), Some(("net_margin", Operator::Above, "-5 %".into())));
    // The Kelvin sign becomes a shorter character in lower case.
    assert_eq!(
        row("close between 5 \u{212a} and 10"),
        Some(("close", Operator::Between, "5 \u{212a}|10".into()))
    );
    assert_eq!(row("close > sma(close, 200)"), None);
    assert_eq!(row("close <= 5"), None);
    assert_eq!(row("close > 5 and volume > 5"), None);
}

#[test]
fn limits_of_a_condition_require_a_single_figure() {
    let limits = |text: &str| {
        let condition = Expression::parse(text, Wanted::Condition).expect(text);
        condition
            .limited()
            .map(|(_, limits)| limits.into_iter().map(|limit| (limit.above, limit.limit)).collect::<Vec<_>>())
    };
    assert_eq!(limits("rsi(close, 14) < 30"), Some(vec![(false, 30.0)]));
    assert_eq!(limits("market_value between 0.5 bn and 5 bn"), Some(vec![(true, 0.5e9), (false, 5e9)]));
    assert_eq!(limits("close < 5 and volume > 5"), None);
    assert_eq!(limits("close > open"), None);
}

/// Random expressions over two fields, three levels deep.
fn expressions() -> impl Strategy<Value = String> {
    let figure = prop::sample::select(vec!["close", "open", "volume", "3", "0.5"]).prop_map(str::to_owned);
    let figure = figure.prop_recursive(3, 12, 2, |of| {
        prop_oneof![
            (of.clone(), of.clone(), prop::sample::select(vec!["+", "-", "*", "/"]))
                .prop_map(|(a, b, sign)| format!("({a} {sign} {b})")),
            (of.clone(), 0usize..6).prop_map(|(of, days)| format!("({of})[{days}]")),
            (
                of.clone(),
                1usize..6,
                prop::sample::select(vec![
                    "sma",
                    "ema",
                    "rsi",
                    "highest",
                    "lowest",
                    "change",
                    "volatility",
                    "standard_deviation"
                ])
            )
                .prop_map(|(of, n, name)| format!("{name}({of}, {n})")),
            of.prop_map(|of| format!("macd_signal({of}, 2, 4, 3) + atr(3) + bollinger_upper(close, 3, 2)")),
        ]
    });
    (figure.clone(), figure, prop::sample::select(vec!["<", ">=", "crosses above", "crosses below", "!="]))
        .prop_map(|(a, b, compare)| format!("{a} {compare} {b}"))
}

proptest! {
    /// Neither more days nor other prices on later days change a day's value.
    #[test]
    fn no_expression_looks_ahead(
        text in expressions(),
        closes in prop::collection::vec(prop_oneof![9 => 0.01f64..1000.0, 1 => Just(f64::NAN)], 1..40),
        cut in 0usize..40,
    ) {
        let condition = Expression::parse(&text, Wanted::Condition).expect("an expression");
        let cut = cut.min(closes.len());
        let whole = condition.truth(&share(&closes));
        prop_assert_eq!(&condition.truth(&share(&closes[..cut])), &whole[..cut]);
        prop_assert_eq!(Some(&condition.last_truth(&share(&closes))), whole.last());
        let crashed: Vec<f64> = closes.iter().enumerate().map(|(day, close)| if day < cut { *close } else { 1e-6 }).collect();
        prop_assert_eq!(&condition.truth(&share(&crashed))[..cut], &whole[..cut]);
    }

    #[test]
    fn any_text_is_parsed_or_refused_with_a_valid_position(text in "\\PC{0,60}|[a-z_<>=()\\[\\],.%0-9 +*/-]{0,60}") {
        for wanted in [Wanted::Condition, Wanted::Number] {
            match Expression::parse(&text, wanted) {
                Err(error) => prop_assert!(text.get(error.place.clone()).is_some(), "{:?}", error),
                Ok(read) => drop((read.simple(), read.limited())),
            }
        }
    }
}
