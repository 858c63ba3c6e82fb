//! Inconsistent records: which of them count, and which are reported. Today is 2026-11-21.

use nova_skill::{Value, json};

use crate::{OWNED, portfolio, trade};

fn position(properties: &str) -> String {
    format!("//- P.md\n---\ntype: position\nsymbol: SLVN\n{properties}\n---\n")
}

fn price(file: &str, properties: &str) -> String {
    format!("//- {file}.md\n---\ntype: price\n{properties}\n---\n")
}

fn buy(currency: &str) -> String {
    trade("t", &format!("symbol: SLVN\nkind: buy\ndate: 2026-06-01\nquantity: 10\nprice: 5\n{currency}"))
}

/// The file, line and text of all problems in an answer.
fn named(value: &Value) -> Vec<(String, u64, String)> {
    let lists = ["problems", "unreadable"].into_iter().filter_map(|key| value[key].as_array());
    let row = |row: &Value| {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        (text("path"), row["line"].as_u64().unwrap_or_default(), text("problem"))
    };
    lists.flatten().map(row).collect()
}

#[track_caller]
fn names(vault: &str, path: &str, line: u64, problem: &str) -> Value {
    let value = portfolio(vault).value("positions", json!({}));
    assert!(named(&value).contains(&(path.into(), line, problem.into())), "{value:#}");
    value
}

#[test]
fn list_as_currency_is_reported() {
    let vault = buy("currency: [EUR, USD]");
    let value = names(&vault, "Portfolio/Trades/t.md", 8, "`currency` is a list instead of a currency");
    assert_eq!(value["positions"], json!([]));
}

#[test]
fn position_is_empty_before_its_first_trade() {
    let value = portfolio(OWNED).value("positions", json!({"as_of": "2026-03-11"}));
    let symbols: Vec<_> = value["positions"].as_array().unwrap().iter().map(|row| &row["symbol"]).collect();
    assert_eq!(symbols, ["FRNH"]);
}

#[test]
fn trades_decide_the_currency_over_the_position() {
    let vault = format!("{}{}", position("quantity: 10\ncurrency: EUR"), buy("currency: USD"));
    let value = names(&vault, "P.md", 5, "SLVN is in EUR, its trades are in USD");
    assert_eq!(value["positions"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&value["positions"][0]["quantity"], &value["positions"][0]["currency"]),
        (&json!("10"), &json!("USD"))
    );
}

#[test]
fn split_applies_to_every_currency() {
    let other = trade("u", "symbol: SLVN\nkind: buy\ndate: 2026-06-02\nquantity: 3\nprice: 5\ncurrency: USD");
    let split = trade("s", "symbol: SLVN\nkind: split\ndate: 2026-07-01\nquantity: 2\ncurrency: EUR");
    let value = portfolio(&format!("{}{other}{split}", buy("currency: EUR"))).value("positions", json!({}));
    let quantities: Vec<_> =
        value["positions"].as_array().unwrap().iter().map(|row| &row["quantity"]).collect();
    assert_eq!(quantities, ["20", "6"]);
}

#[test]
fn chart_has_the_value_of_each_day() {
    let portfolio = portfolio(OWNED);
    let history = portfolio.value("history", json!({"range": "all"}));
    for point in history["points"].as_array().unwrap() {
        let value = portfolio.value("value", json!({"as_of": point["date"]}));
        assert_eq!(value["value"][0]["amount"], point["value"], "{point}");
    }
}

#[test]
fn position_without_a_cost_is_excluded_from_gains() {
    let vault = format!(
        "{OWNED}{}{}",
        position("quantity: 10\ncurrency: EUR"),
        price("S", "symbol: SLVN\ndate: 2026-11-20\nclose: 50\ncurrency: EUR")
    );
    names(&vault, "P.md", 1, "SLVN names no cost; it is left out of cost and gain");
    let outcome = portfolio(&vault).call("value", json!({}));
    let gain = outcome.figures.iter().find(|figure| figure.at == "/gain/0/amount").unwrap();
    assert_eq!(gain.caution.as_deref(), Some("1 old quote, 1 position without a cost is left out"));
    assert_eq!(gain.value, "3771.30");
}

#[test]
fn missing_currency_is_that_of_the_symbol_or_the_most_frequent() {
    // Another trade of the symbol takes precedence over the most frequent currency.
    let other = trade("u", "symbol: SLVN\nkind: buy\ndate: 2026-06-02\nquantity: 3\nprice: 5\ncurrency: USD");
    let value = portfolio(&format!("{OWNED}{}{other}", buy("x: 1"))).value("positions", json!({}));
    assert_eq!(
        (&value["positions"][2]["quantity"], &value["positions"][2]["currency"]),
        (&json!("13"), &json!("USD"))
    );
    // A tie leaves no default currency.
    let prices = ["EUR", "USD"]
        .map(|code| price(code, &format!("symbol: {code}X\ndate: 2026-11-20\nclose: 1\ncurrency: {code}")));
    names(
        &format!("{}{}", buy("x: 1"), prices.concat()),
        "Portfolio/Trades/t.md",
        1,
        "`currency` is missing",
    );
}

#[test]
fn future_trade_is_reported_and_excluded() {
    let vault = trade("t", "symbol: SLVN\nkind: buy\ndate: 2026-11-22\nquantity: 1\nprice: 1\ncurrency: EUR");
    let value = names(&vault, "Portfolio/Trades/t.md", 5, "`date` is `2026-11-22`, which is in the future");
    assert_eq!(value["positions"], json!([]));
}

#[test]
fn second_price_of_a_day_is_reported() {
    let close = |amount: u32| format!("symbol: NGTL\ndate: 2026-11-20\nclose: {amount}\ncurrency: EUR");
    let vault = format!("{}{}", price("A", &close(40)), price("B", &close(41)));
    names(&vault, "B.md", 4, "NGTL has two prices in EUR for 2026-11-20; that of A.md is used");
}

#[test]
fn converted_shares_cite_the_rate_and_their_notes() {
    let vault = format!(
        "{OWNED}{}{}{}",
        buy("currency: USD"),
        price("S", "symbol: SLVN\ndate: 2026-11-20\nclose: 50\ncurrency: USD"),
        price("R", "symbol: USD/EUR\ndate: 2025-11-20\nclose: 0.9\ncurrency: EUR")
    );
    let outcome = portfolio(&vault).call("allocation", json!({"currency": "EUR"}));
    let value = outcome.result.unwrap();
    assert_eq!(
        value["rates"],
        json!([{"from": "USD", "to": "EUR", "rate": "0.9", "at": "2025-11-20", "source": "note", "stale": "very_old"}])
    );
    let share = &outcome.figures[0];
    assert_eq!(share.caution.as_deref(), Some("EUR: 1 old quote, an old rate"));
    let parts: Vec<_> = share.parts.iter().map(|part| part.label.as_str()).collect();
    assert_eq!(parts, ["Northgate Tooling", "All", "USD in EUR, note, 20 Nov 2025"]);
    // Two positions, four trades that moved shares, three prices and the exchange rate.
    assert_eq!(share.sources.len(), 10);
}
