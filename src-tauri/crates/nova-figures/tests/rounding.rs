//! The rounding rules. All expected values are calculated by hand.

#![allow(clippy::unwrap_used)]

use nova_figures::{
    Days, Month, Sums, TooLarge, currency_code, day_and_month, minus, money, near_currency_codes, percent,
    places, plain_date, plain_decimal, plus, quarter_of, rounded, similarity, times,
};
use rust_decimal::Decimal;

fn dec(text: &str) -> Decimal {
    text.parse().expect("a decimal")
}

#[test]
fn rounds_halves_away_from_zero() {
    for (amount, shown) in [
        ("0.005", "0.01"),
        ("-0.005", "-0.01"),
        // Half-to-even would give 2.34 for both.
        ("2.345", "2.35"),
        ("-2.345", "-2.35"),
        ("2.335", "2.34"),
        ("2.3449999", "2.34"),
        ("-2.3449999", "-2.34"),
        ("-0.004", "0.00"),
        ("7", "7.00"),
    ] {
        assert_eq!(money(dec(amount), "EUR").to_string(), shown, "{amount}");
    }
}

#[test]
fn each_currency_has_its_own_places() {
    for (amount, currency, shown) in [
        ("1234.5", "JPY", "1235"),
        ("-1234.5", "JPY", "-1235"),
        ("1234.4999", "JPY", "1234"),
        ("0.0125", "KWD", "0.013"),
        ("-0.0125", "KWD", "-0.013"),
        ("3.1", "KWD", "3.100"),
        ("0.000000005", "BTC", "0.00000001"),
        ("0.5", "BTC", "0.50000000"),
        ("1.00005", "CLF", "1.0001"),
        ("1.005", "CNH", "1.01"),
    ] {
        assert_eq!(money(dec(amount), currency).to_string(), shown, "{amount} {currency}");
    }
}

#[test]
fn rounding_does_not_pad() {
    assert_eq!(rounded(dec("12000"), "EUR").to_string(), "12000");
    assert_eq!(rounded(dec("12.5"), "EUR").to_string(), "12.5");
    assert_eq!(rounded(dec("12.505"), "EUR").to_string(), "12.51");
}

#[test]
fn total_is_the_sum_of_the_rounded_rows() {
    let mut sums = Sums::default();
    // Each is shown as 33.34, which adds up to 100.02; the exact sum 100.005 would be shown as 100.01.
    for _ in 0..3 {
        sums.add("EUR", dec("33.335")).unwrap();
    }
    // Shown as 1 and 2.
    sums.add("JPY", dec("0.5")).unwrap();
    sums.add("JPY", dec("1.5")).unwrap();
    // Shown as −0.001 and 0.003.
    sums.add("KWD", dec("-0.0005")).unwrap();
    sums.add("KWD", dec("0.0026")).unwrap();
    let shown: Vec<_> = sums.iter().map(|(code, total)| format!("{total} {code}")).collect();
    assert_eq!(shown, ["100.02 EUR", "3 JPY", "0.002 KWD"]);
    assert_eq!(sums.exact("EUR"), Some(dec("100.005")));
    assert_eq!(sums.exact("JPY"), Some(dec("2")));
    assert_eq!(sums.money("CHF").to_string(), "0.00");
    assert_eq!(sums.get("CHF"), None);
}

#[test]
fn percentages_are_rounded_half_away_from_zero() {
    // 1 / 16 = 6.25 %, 3 / 800 = 0.375 %.
    assert_eq!(percent(dec("1"), dec("16"), 1).unwrap().to_string(), "6.3");
    assert_eq!(percent(dec("-1"), dec("16"), 1).unwrap().to_string(), "-6.3");
    assert_eq!(percent(dec("3"), dec("800"), 2).unwrap().to_string(), "0.38");
    assert_eq!(percent(dec("1"), dec("2"), 1).unwrap().to_string(), "50.0");
    assert_eq!(percent(dec("1"), dec("0"), 1), None);
}

#[test]
fn inexact_sum_is_an_error() {
    let huge = dec(&"9".repeat(28));
    assert_eq!(plus(huge, dec("0.01")), Err(TooLarge));
    // Adding zero keeps the scale.
    assert_eq!(plus(dec("0.00"), dec("1000")), Ok(dec("1000")));
    assert_eq!(plus(dec("100"), dec("0.00")), Ok(dec("100")));
    assert_eq!(minus(huge, dec("0.01")), Err(TooLarge));
    assert_eq!(times(dec("0.000000000000001"), dec("0.000000000000001")), Err(TooLarge));
    let mut sums = Sums::default();
    sums.add("EUR", huge).unwrap();
    assert_eq!(sums.add("EUR", dec("0.01")), Err(TooLarge));
}

#[test]
fn price_only_currencies_are_recognised() {
    assert_eq!(["btc", "CLF", "cnh"].map(currency_code), [Some("BTC"), Some("CLF"), Some("CNH")]);
    assert_eq!(currency_code("XAU"), None);
    assert_eq!(near_currency_codes("BTD"), ["BBD", "BHD", "BMD", "BND", "BSD", "BTC", "BTN", "BZD", "TTD"]);
    assert_eq!(places("nonsense"), 2);
}

#[test]
fn reads_plain_dates_only() {
    assert_eq!(plain_date("2024-02-29").unwrap().to_string(), "2024-02-29");
    for wrong in ["2023-02-29", "2024-2-29", "2024-02-29 ", "20240229", "+024-02-29", ""] {
        assert_eq!(plain_date(wrong), None, "{wrong}");
    }
    let day = |text| plain_date(text).unwrap();
    let quarter = Days { first: day("2024-01-01"), last: day("2024-03-31") };
    assert_eq!(quarter_of(day("2024-02-29")), quarter);
    assert_eq!(Month::parse("2024-02").unwrap().days().last, day("2024-02-29"));
    assert_eq!(Month::parse("2024-03-31").unwrap().back(1), Month::of(day("2024-02-01")));
    assert_eq!(Month::parse("2024"), None);
    assert_eq!(day_and_month(day("2024-09-05")), "5 Sep");
}

#[test]
fn names_are_compared_ignoring_case_and_composition() {
    assert_eq!(similarity("Zoe\u{308} Klein", "ZOË  klein"), 100);
    assert_eq!(similarity("Anna", "Otto"), 0);
}

#[test]
fn reads_plain_decimals_only() {
    assert_eq!(plain_decimal("-0.50"), Some(dec("-0.50")));
    for wrong in ["", "-", "1.", ".5", "1,5", "1e3", "+1", " 1", &"9".repeat(40)] {
        assert_eq!(plain_decimal(wrong), None, "{wrong}");
    }
}
