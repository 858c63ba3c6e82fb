//! Returns in percent, calculated by hand.

use nova_skill::{Value, json};

use crate::{portfolio, trade};

fn price(date: &str, symbol: &str, close: &str) -> String {
    format!(
        "//- Portfolio/Prices/{date} {symbol}.md\n---\ntype: price\nsymbol: {symbol}\ndate: {date}\nclose: {close}\ncurrency: EUR\n---\n"
    )
}

fn buy(date: &str, symbol: &str, quantity: u32, each: u32) -> String {
    let properties = format!(
        "symbol: {symbol}\nkind: buy\ndate: {date}\nquantity: {quantity}\nprice: {each}\ncurrency: EUR"
    );
    trade(&format!("{date} {symbol}"), &properties)
}

fn returns(vault: &str, args: Value) -> Value {
    portfolio(vault).value("returns", args)
}

#[track_caller]
fn check(row: &Value, expected: &[(&str, Value)]) {
    for (field, value) in expected {
        assert_eq!(&row[*field], value, "{field} of {row}");
    }
}

#[test]
fn both_returns_of_a_single_buy_equal_its_price_change() {
    // Bought a year before 21 November 2026; the price has risen by a tenth.
    let vault = format!("{}{}", buy("2025-11-21", "NGTL", 10, 100), price("2026-11-20", "NGTL", "110"));
    let value = returns(&vault, json!({}));
    let expected = [
        ("from", json!("2025-11-21")),
        ("put_in", json!("1000.00")),
        ("taken_out", json!("0.00")),
        ("value", json!("1100.00")),
        ("time_weighted", json!("10.00")),
        ("time_weighted_year", json!("10.00")),
        ("money_weighted", json!("10.00")),
        ("money_weighted_year", json!("10.00")),
        ("missing", json!(null)),
    ];
    check(&value["positions"][0], &expected);
    check(&value["currencies"][0], &expected);
}

#[test]
fn zero_fee_may_have_decimal_places() {
    let bought = trade(
        "b",
        "symbol: NGTL\nkind: buy\ndate: 2025-11-21\nquantity: 10\nprice: 100\nfee: 0.00\ncurrency: EUR",
    );
    let row = &returns(&[bought, price("2026-11-20", "NGTL", "110")].concat(), json!({}))["positions"][0];
    check(row, &[("put_in", json!("1000.00")), ("time_weighted", json!("10.00"))]);
}

#[test]
fn money_put_in_before_a_fall_weighs_more() {
    // 100 shares at 10 double to 20; 900 more are bought there and fall to 15.
    let vault = [
        buy("2024-11-21", "NGTL", 100, 10),
        price("2025-11-20", "NGTL", "20"),
        buy("2025-11-21", "NGTL", 900, 20),
        price("2025-11-21", "NGTL", "20"),
        price("2026-11-20", "NGTL", "15"),
    ]
    .concat();
    let row = &returns(&vault, json!({}))["positions"][0];
    // 20 / 10 × 15 / 20 = 1.5, over 730 days.
    check(row, &[("time_weighted", json!("50.00")), ("time_weighted_year", json!("22.47"))]);
    // -1000 g² - 18000 g + 15000 = 0 has g = 0.798: a loss, although the share rose.
    check(row, &[("money_weighted_year", json!("-20.20"))]);
}

#[test]
fn dividends_count_and_fees_cost() {
    let paid = trade(
        "d",
        "symbol: NGTL\nkind: dividend\ndate: 2026-05-21\nquantity: 10\nprice: 6\nfee: 10\ncurrency: EUR",
    );
    let fee = trade("f", "symbol: NGTL\nkind: fee\ndate: 2026-06-22\nfee: 21\ncurrency: EUR");
    let vault = [
        buy("2025-11-21", "NGTL", 10, 100),
        price("2026-05-20", "NGTL", "100"),
        price("2026-06-20", "NGTL", "100"),
        paid,
        fee,
        price("2026-11-20", "NGTL", "100"),
    ]
    .concat();
    let row = &returns(&vault, json!({}))["positions"][0];
    check(row, &[("put_in", json!("1021.00")), ("taken_out", json!("50.00")), ("value", json!("1000.00"))]);
    // 1050 / 1000 × 1000 / 1021
    check(row, &[("time_weighted", json!("2.84"))]);
}

#[test]
fn period_starts_with_the_value_held_then() {
    let vault = [
        buy("2024-01-02", "NGTL", 10, 50),
        price("2026-05-20", "NGTL", "100"),
        price("2026-11-20", "NGTL", "120"),
    ]
    .concat();
    let row = &returns(&vault, json!({"range": "6m"}))["positions"][0];
    check(
        row,
        &[
            ("from", json!("2026-05-21")),
            ("begin_value", json!("1000.00")),
            ("put_in", json!("0.00")),
            ("time_weighted", json!("20.00")),
            ("money_weighted", json!("20.00")),
            // Half a year is not annualised.
            ("time_weighted_year", json!(null)),
            ("money_weighted_year", json!(null)),
        ],
    );
}

#[test]
fn split_is_not_a_loss() {
    let vault = [
        buy("2025-11-21", "NGTL", 10, 100),
        trade("s", "symbol: NGTL\nkind: split\ndate: 2026-03-02\nquantity: 4"),
        price("2026-11-20", "NGTL", "30"),
    ]
    .concat();
    check(&returns(&vault, json!({}))["positions"][0], &[("time_weighted", json!("20.00"))]);
}

#[test]
fn missing_price_is_reported() {
    let vault = [
        buy("2025-11-21", "NGTL", 10, 100),
        trade("d", "symbol: NGTL\nkind: dividend\ndate: 2026-05-21\nquantity: 10\nprice: 1\ncurrency: EUR"),
        price("2026-11-20", "NGTL", "110"),
    ]
    .concat();
    let row = &returns(&vault, json!({}))["positions"][0];
    check(row, &[("time_weighted", json!(null)), ("missing", json!("there is no price of NGTL on 20 May"))]);
    // The money-weighted return needs no intermediate price.
    check(row, &[("money_weighted", json!("11.05"))]);

    let unpriced = buy("2025-11-21", "NGTL", 10, 100);
    let row = &returns(&unpriced, json!({}))["positions"][0];
    check(
        row,
        &[
            ("value", json!(null)),
            ("money_weighted", json!(null)),
            ("missing", json!("there is no price of NGTL on 21 Nov")),
        ],
    );
}

#[test]
fn position_without_a_buying_date_is_excluded_from_returns() {
    let own = "//- P.md\n---\ntype: position\nsymbol: FRNH\ncurrency: EUR\nquantity: 640\n---\n";
    let vault = [
        buy("2025-11-21", "NGTL", 10, 100),
        price("2026-11-20", "NGTL", "110"),
        own.into(),
        price("2026-11-20", "FRNH", "9"),
    ]
    .concat();
    let value = returns(&vault, json!({}));
    assert_eq!(value["positions"].as_array().unwrap().len(), 1);
    check(&value["currencies"][0], &[("value", json!("1100.00")), ("time_weighted", json!("10.00"))]);
    assert!(value["problems"][0]["problem"].as_str().unwrap().starts_with("FRNH has no purchase date"));
}

#[test]
fn each_currency_has_its_own_return() {
    let dollars = |text: String| text.replace("EUR", "USD");
    let vault = [
        buy("2025-11-21", "NGTL", 10, 100),
        price("2026-11-20", "NGTL", "110"),
        dollars(buy("2025-11-21", "UBER", 10, 100)),
        dollars(price("2026-11-20", "UBER", "90")),
    ]
    .concat();
    let value = returns(&vault, json!({}));
    check(&value["currencies"][0], &[("currency", json!("EUR")), ("time_weighted", json!("10.00"))]);
    check(&value["currencies"][1], &[("currency", json!("USD")), ("time_weighted", json!("-10.00"))]);
    assert_eq!(returns(&vault, json!({"symbol": "UBER"}))["currencies"], json!([]));
    assert_eq!(value["total"], json!(null), "two currencies are not added");
}

/// A rate of the euro; its pair is USD/EUR.
fn rate(date: &str, rate: &str) -> String {
    format!(
        "//- Portfolio/Prices/{date} USD in EUR.md\n---\ntype: price\nsymbol: USD/EUR\ndate: {date}\nclose: {rate}\ncurrency: EUR\n---\n"
    )
}

/// €1,000 that grew by a tenth, and $1,000 that lost a tenth.
fn two_currencies() -> String {
    let dollars = |text: String| text.replace("EUR", "USD");
    [
        buy("2025-11-21", "NGTL", 10, 100),
        price("2026-11-20", "NGTL", "110"),
        dollars(buy("2025-11-21", "UBER", 10, 100)),
        dollars(price("2026-11-20", "UBER", "90")),
    ]
    .concat()
}

#[test]
fn total_return_in_one_currency_is_at_the_rate_of_each_day() {
    let vault = [two_currencies(), rate("2025-11-21", "0.80"), rate("2026-11-20", "0.90")].concat();
    let value = returns(&vault, json!({"currency": "EUR"}));
    // 1000 + 1000 × 0.8 put in; 1100 + 900 × 0.9 in the end: 1910 ÷ 1800, over 365 days.
    check(
        &value["total"],
        &[
            ("currency", json!("EUR")),
            ("put_in", json!("1800.00")),
            ("value", json!("1910.00")),
            ("time_weighted", json!("6.11")),
            ("money_weighted_year", json!("6.11")),
            ("rates_detail", json!("USD at 0.80, note, 21 Nov 2025; USD at 0.90, note, 20 Nov")),
        ],
    );
    assert_eq!(value["total"]["rates"][0]["source"], json!("note"));
    // Each currency is also by itself, and one symbol can be converted.
    check(&value["currencies"][1], &[("currency", json!("USD")), ("time_weighted", json!("-10.00"))]);
    let uber = returns(&vault, json!({"currency": "EUR", "symbol": "UBER"}));
    // 810 ÷ 800
    check(&uber["total"], &[("put_in", json!("800.00")), ("time_weighted", json!("1.25"))]);
}

#[test]
fn second_deposit_in_another_currency_does_not_distort_the_total() {
    // 10 × €100, and a year later, when they are at €120, 10 × $100 at 0.80; then €150 and $100 at 1.00.
    let bought = buy("2025-11-20", "UBER", 10, 100).replace("EUR", "USD");
    let vault = [
        buy("2024-11-20", "NGTL", 10, 100),
        price("2025-11-19", "NGTL", "120"),
        bought,
        rate("2025-11-20", "0.80"),
        price("2026-11-20", "NGTL", "150"),
        price("2026-11-20", "UBER", "100").replace("EUR", "USD"),
        rate("2026-11-20", "1.00"),
    ]
    .concat();
    let value = returns(&vault, json!({"currency": "EUR", "as_of": "2026-11-20"}));
    // 1200 ÷ 1000 × (1500 + 1000) ÷ (1200 + 800) = 1.5, over 730 days.
    check(&value["total"], &[("put_in", json!("1800.00")), ("time_weighted", json!("50.00"))]);
    // 1000 g² + 800 g = 2500 has g = 1.2310.
    check(&value["total"], &[("money_weighted_year", json!("23.10"))]);
}

#[test]
fn missing_rate_leaves_no_total_return() {
    let vault = [two_currencies(), rate("2026-11-20", "0.90")].concat();
    let value = returns(&vault, json!({"currency": "EUR"}));
    assert_eq!(value["total"], json!(null));
    assert_eq!(
        value["problems"][0]["problem"],
        json!("there is no rate from USD to EUR on 21 Nov 2025, so there is no total in EUR")
    );
}
