//! Dividends by month and by symbol, calculated by hand.

use nova_skill::{Value, json};
use nova_testkit::Reply;

use crate::{portfolio, trade};

fn paid(symbol: &str, date: &str, each: &str, rest: &str) -> String {
    trade(
        &format!("{date} {symbol}"),
        &format!("symbol: {symbol}\nkind: dividend\ndate: {date}\nprice: {each}\n{rest}"),
    )
}

fn rate(date: &str, close: &str) -> String {
    format!(
        "//- {date}.md\n---\ntype: price\nsymbol: USD/EUR\ndate: {date}\nclose: {close}\ncurrency: EUR\n---\n"
    )
}

fn dividends(vault: &str, args: Value) -> Value {
    portfolio(vault).value("dividends", args)
}

fn months(value: &Value) -> Vec<(&str, Option<&str>)> {
    let rows = value["months"].as_array().unwrap().iter();
    rows.map(|row| (row["month"].as_str().unwrap(), row["total"].as_str())).collect()
}

/// €153.00 in October, $8.00 and $5.00 in August, and €20.00 a year earlier.
fn vault() -> String {
    [
        paid("NGTL", "2025-08-03", "20", "currency: EUR"),
        paid("UBER", "2026-08-03", "1", "quantity: 10\nfee: 2\ncurrency: USD"),
        paid("LYFT", "2026-08-21", "5", "currency: USD"),
        paid("NGTL", "2026-10-05", "0.60", "quantity: 300\nfee: 27\ncurrency: EUR"),
        trade("f", "symbol: NGTL\nkind: fee\ndate: 2026-10-06\nfee: 3\ncurrency: EUR"),
    ]
    .concat()
}

#[test]
fn each_payment_counts_at_the_rate_of_its_day() {
    let vault = [vault(), rate("2026-08-03", "0.90"), rate("2026-08-21", "0.80"), rate("2026-11-20", "0.70")]
        .concat();
    let value = dividends(&vault, json!({"from": "2026-01-01", "currency": "EUR"}));
    // 8 × 0.9 + 5 × 0.8
    assert_eq!(
        months(&value),
        [("2026-08", Some("11.20")), ("2026-09", Some("0.00")), ("2026-10", Some("153.00"))]
    );
    assert_eq!(value["months"][0]["received"], json!([{"amount": "13.00", "currency": "USD"}]));
    assert_eq!(value["months"][0]["payments"], json!(2));
    let symbols: Vec<(&str, &str, &str)> = value["symbols"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| ["symbol", "total", "last"].map(|field| row[field].as_str().unwrap()).into())
        .collect();
    assert_eq!(
        symbols,
        [("LYFT", "4.00", "2026-08-21"), ("NGTL", "153.00", "2026-10-05"), ("UBER", "7.20", "2026-08-03")]
    );
    assert_eq!(value["total"]["total"], json!("164.20"));
    assert_eq!(value["rates_detail"], json!("USD at 0.90, note, 3 Aug; USD at 0.80, note, 21 Aug"));
    assert_eq!(value["problems"], json!([]));
}

#[test]
fn missing_rate_leaves_totals_unknown() {
    let vault = [vault(), rate("2026-08-21", "0.80")].concat();
    let value = dividends(&vault, json!({"from": "2026-01-01", "currency": "EUR"}));
    assert_eq!(months(&value), [("2026-08", None), ("2026-09", Some("0.00")), ("2026-10", Some("153.00"))]);
    assert_eq!(value["total"]["total"], Value::Null);
    assert_eq!(
        value["total"]["received"],
        json!([{"amount": "153.00", "currency": "EUR"}, {"amount": "13.00", "currency": "USD"}])
    );
    assert_eq!(
        value["problems"][0]["problem"],
        json!("there is no rate from USD to EUR on 3 Aug, so there is no total in EUR")
    );
}

#[test]
fn payments_of_one_currency_are_totalled_in_it() {
    let value = dividends(&vault(), json!({"symbol": "LYFT"}));
    assert_eq!((&value["currency"], &value["total"]["total"]), (&json!("USD"), &json!("5.00")));
    assert_eq!(value["rates"], json!([]));
}

#[test]
fn range_includes_all_its_months() {
    let value = dividends(&vault(), json!({"symbol": "NGTL", "range": "6m"}));
    let named: Vec<&str> = months(&value).iter().map(|(month, _)| *month).collect();
    assert_eq!(named, ["2026-06", "2026-07", "2026-08", "2026-09", "2026-10", "2026-11"]);
    let none = dividends(&vault(), json!({"symbol": "NGTL", "to": "2024-01-01"}));
    assert_eq!((&none["months"], &none["total"]["total"]), (&json!([]), &Value::Null));
}

#[test]
fn very_old_payment_does_not_add_rows_for_all_months_since() {
    let vault = [vault(), paid("NGTL", "0001-01-02", "1", "currency: EUR")].concat();
    let value = dividends(&vault, json!({"symbol": "NGTL"}));
    assert_eq!(value["total"]["total"], json!("174.00"));
    assert!(value["months"].as_array().unwrap().len() < 610, "{value}");
}

#[test]
fn total_is_explained_by_its_payments() {
    let vault = [vault(), rate("2026-08-03", "0.90"), rate("2026-08-12", "0.80")].concat();
    let outcome = portfolio(&vault).call("dividends", json!({"from": "2026-01-01", "currency": "EUR"}));
    let figure = outcome.figures.iter().find(|figure| figure.at == "/months/0/total").unwrap();
    let parts: Vec<(&str, &str)> =
        figure.parts.iter().map(|part| (part.label.as_str(), part.value.as_str())).collect();
    assert_eq!(
        parts,
        [
            ("UBER, 3 Aug, 8.00 USD at 0.90, note, 3 Aug", "7.20"),
            ("LYFT, 21 Aug, 5.00 USD at 0.80, note, 12 Aug, old", "4.00")
        ]
    );
    assert_eq!(figure.caution.as_deref(), Some("an old rate"));
    assert_eq!(figure.sources.len(), 4, "two payments, two rates");
}

#[test]
fn history_fetches_the_rates_of_past_days() {
    let skill = portfolio(&vault())
        .with_config(json!({
            "currency": "EUR", "sources": ["stooq"], "rates": ["ecb"],
            "base_urls": {"stooq": "http://stooq.test", "ecb": "http://ecb.test"},
        }))
        .with_web(&["stooq.test", "ecb.test"], |request| match request.path.contains("eurofxref") {
            true => Reply::text(
                "<?xml version=\"1.0\"?><E><Cube><Cube time='2026-11-20'><Cube currency='USD' rate='1.25'/></Cube>\
                 <Cube time='2026-08-21'><Cube currency='USD' rate='2'/></Cube>\
                 <Cube time='2026-07-31'><Cube currency='USD' rate='4'/></Cube></Cube></E>",
            ),
            false => Reply::with(404, &[], ""),
        });
    skill.value("quote", json!({"range": "all"}));
    let value =
        skill.value("dividends", json!({"from": "2026-08-01", "to": "2026-08-31", "currency": "EUR"}));
    // $8 at the rate of the preceding trading day, 0.25, and $5 at 0.50.
    assert_eq!(months(&value), [("2026-08", Some("4.50"))]);
    assert_eq!(value["rates_detail"], json!("USD at 0.25, ECB, 31 Jul; USD at 0.5, ECB, 21 Aug"));
}
