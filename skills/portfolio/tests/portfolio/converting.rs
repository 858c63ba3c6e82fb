//! Totals over several currencies, with the rates behind them.

use nova_protocol::FigureView;
use nova_skill::{Value, json};

use crate::{portfolio, trade};

/// Returns the value and the figures of a successful call.
fn call(vault: &str, tool: &str, args: Value) -> (Value, Vec<FigureView>) {
    let outcome = portfolio(vault).call(tool, args);
    (outcome.result.unwrap(), outcome.figures)
}

fn price(symbol: &str, date: &str, close: &str, currency: &str) -> String {
    let file = format!("{} {date}", symbol.replace('/', " in "));
    format!(
        "//- Portfolio/Prices/{file}.md\n---\ntype: price\nsymbol: {symbol}\ndate: {date}\nclose: {close}\ncurrency: {currency}\n---\n"
    )
}

fn held(symbol: &str, quantity: &str, currency: &str) -> String {
    trade(
        symbol,
        &format!(
            "symbol: {symbol}\nkind: buy\ndate: 2026-02-02\nquantity: {quantity}\nprice: 1\ncurrency: {currency}"
        ),
    )
}

/// €100.00, and two holdings of 3 × $0.33.
fn two_currencies() -> String {
    [
        held("NGTL", "10", "EUR"),
        held("UBER", "3", "USD"),
        held("LYFT", "3", "USD"),
        price("NGTL", "2026-11-20", "10", "EUR"),
        price("UBER", "2026-11-20", "0.33", "USD"),
        price("LYFT", "2026-11-20", "0.33", "USD"),
    ]
    .concat()
}

#[test]
fn one_total_is_the_sum_of_converted_rows() {
    // 0.99 USD at 0.92 is 0.9108, rounded to 0.91; two rows are 1.82, whether added as rows or at once.
    let vault = format!("{}{}", two_currencies(), price("USD/EUR", "2026-11-20", "0.92", "EUR"));
    let positions = portfolio(&vault).value("positions", json!({"currency": "EUR"}));
    let converted: Vec<&Value> =
        positions["positions"].as_array().unwrap().iter().map(|row| &row["converted"]).collect();
    assert_eq!(converted, [&json!("100.00"), &json!("0.91"), &json!("0.91")]);
    assert_eq!(positions["total"]["value"], json!("101.82"));
    assert_eq!(positions["total"]["currency"], json!("EUR"));
    let value = portfolio(&vault).value("value", json!({"currency": "EUR"}));
    assert_eq!(value["converted"]["value"], json!("101.82"));
    let shares = portfolio(&vault).value("allocation", json!({"by": "currency", "currency": "EUR"}));
    let values: Vec<&Value> = shares["shares"].as_array().unwrap().iter().map(|row| &row["value"]).collect();
    assert_eq!(values, [&json!("100.00"), &json!("1.82")]);
}

#[test]
fn each_total_lists_its_rates() {
    let vault = format!("{}{}", two_currencies(), price("USD/EUR", "2026-11-20", "0.92", "EUR"));
    let rates = json!([
        {"from": "USD", "to": "EUR", "rate": "0.92", "at": "2026-11-20", "source": "note", "stale": null}
    ]);
    let words = json!("USD at 0.92, note, 20 Nov");
    let (value, figures) = call(&vault, "value", json!({"currency": "eur"}));
    assert_eq!((&value["converted"]["rates"], &value["converted"]["rates_detail"]), (&rates, &words));
    let (positions, of_positions) = call(&vault, "positions", json!({"currency": "EUR"}));
    assert_eq!((&positions["rates"], &positions["total"]["name"]), (&rates, &words));
    let (shares, _) = call(&vault, "allocation", json!({"currency": "EUR"}));
    assert_eq!((&shares["rates"], &shares["rates_detail"]), (&rates, &words));
    for (figures, at) in [(figures, "/converted/value"), (of_positions, "/total/value")] {
        let figure = figures.iter().find(|figure| figure.at == at).unwrap();
        let parts: Vec<(&str, &str)> =
            figure.parts.iter().map(|part| (part.label.as_str(), part.value.as_str())).collect();
        assert_eq!(parts, [("Held in EUR", "100.00"), ("USD at 0.92, note, 20 Nov", "1.82")]);
        assert_eq!(figure.caution, None);
    }
}

#[test]
fn an_old_rate_is_marked() {
    let vault = format!("{}{}", two_currencies(), price("EUR/USD", "2026-11-11", "1.25", "USD"));
    let (value, figures) = call(&vault, "value", json!({"currency": "EUR"}));
    let converted = &value["converted"];
    // The inverse rate, 1 / 1.25.
    assert_eq!(converted["rates"][0]["rate"], json!("0.8"));
    assert_eq!(converted["rates"][0]["stale"], json!("very_old"));
    assert_eq!(converted["rates_detail"], json!("USD at 0.8, note, 11 Nov, old"));
    let figure = figures.iter().find(|figure| figure.at == "/converted/value").unwrap();
    assert_eq!(figure.caution.as_deref(), Some("an old rate"));
}

#[test]
fn missing_rate_leaves_no_total() {
    let positions = portfolio(&two_currencies()).value("positions", json!({"currency": "CHF"}));
    assert_eq!(positions["total"], Value::Null);
    assert_eq!(positions["positions"][0].get("converted"), None);
    let said: Vec<&str> =
        positions["problems"].as_array().unwrap().iter().filter_map(|row| row["problem"].as_str()).collect();
    assert_eq!(
        said,
        [
            "there is no rate from EUR to CHF, so there is no total in CHF",
            "there is no rate from USD to CHF, so there is no total in CHF"
        ]
    );
}

#[test]
fn one_currency_needs_no_rate() {
    let vault = [held("NGTL", "10", "EUR"), price("NGTL", "2026-11-20", "10", "EUR")].concat();
    let positions = portfolio(&vault).value("positions", json!({"currency": "EUR"}));
    assert_eq!(positions["total"]["value"], json!("100.00"));
    assert_eq!(positions["total"]["gain"], json!("90.00"), "the total of a currency has cost and gain");
    assert_eq!(positions.get("rates"), None);
}
