//! Records that contradict each other or themselves: what is counted, and what is named. Today is
//! 2026-11-21.

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

/// File, line and problem of all that an answer names.
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
fn a_list_is_no_currency() {
    let vault = buy("currency: [EUR, USD]");
    let value = names(&vault, "Portfolio/Trades/t.md", 8, "`currency` is a list instead of a currency");
    assert_eq!(value["positions"], json!([]));
}

#[test]
fn before_its_first_trade_a_position_holds_nothing() {
    let value = portfolio(OWNED).value("positions", json!({"as_of": "2026-03-11"}));
    let symbols: Vec<_> = value["positions"].as_array().unwrap().iter().map(|row| &row["symbol"]).collect();
    assert_eq!(symbols, ["FRNH"]);
}

#[test]
fn trades_in_another_currency_than_the_position_decide() {
    let vault = format!("{}{}", position("quantity: 10\ncurrency: EUR"), buy("currency: USD"));
    let value = names(&vault, "P.md", 5, "SLVN is in EUR, its trades are in USD");
    assert_eq!(value["positions"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&value["positions"][0]["quantity"], &value["positions"][0]["currency"]),
        (&json!("10"), &json!("USD"))
    );
}

#[test]
fn a_split_is_one_in_every_currency() {
    let other = trade("u", "symbol: SLVN\nkind: buy\ndate: 2026-06-02\nquantity: 3\nprice: 5\ncurrency: USD");
    let split = trade("s", "symbol: SLVN\nkind: split\ndate: 2026-07-01\nquantity: 2\ncurrency: EUR");
    let value = portfolio(&format!("{}{other}{split}", buy("currency: EUR"))).value("positions", json!({}));
    let quantities: Vec<_> =
        value["positions"].as_array().unwrap().iter().map(|row| &row["quantity"]).collect();
    assert_eq!(quantities, ["20", "6"]);
}

#[test]
fn the_line_has_the_values_of_its_days() {
    let portfolio = portfolio(OWNED);
    let history = portfolio.value("history", json!({"range": "all"}));
    for point in history["points"].as_array().unwrap() {
        let value = portfolio.value("value", json!({"as_of": point["date"]}));
        assert_eq!(value["value"][0]["amount"], point["value"], "{point}");
    }
}

#[test]
fn a_position_without_a_cost_is_in_no_gain() {
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
fn a_currency_that_goes_without_saying() {
    // The symbol's other trade goes before what most records say.
    let other = trade("u", "symbol: SLVN\nkind: buy\ndate: 2026-06-02\nquantity: 3\nprice: 5\ncurrency: USD");
    let value = portfolio(&format!("{OWNED}{}{other}", buy("x: 1"))).value("positions", json!({}));
    assert_eq!(
        (&value["positions"][2]["quantity"], &value["positions"][2]["currency"]),
        (&json!("13"), &json!("USD"))
    );
    // Of two that are used equally often, none goes without saying.
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
fn a_trade_to_come_has_not_happened() {
    let vault = trade("t", "symbol: SLVN\nkind: buy\ndate: 2026-11-22\nquantity: 1\nprice: 1\ncurrency: EUR");
    let value = names(&vault, "Portfolio/Trades/t.md", 5, "`date` is `2026-11-22`, which is in the future");
    assert_eq!(value["positions"], json!([]));
}

#[test]
fn one_day_has_one_price() {
    let close = |amount: u32| format!("symbol: NGTL\ndate: 2026-11-20\nclose: {amount}\ncurrency: EUR");
    let vault = format!("{}{}", price("A", &close(40)), price("B", &close(41)));
    names(&vault, "B.md", 4, "NGTL has two prices in EUR for 2026-11-20; that of A.md is used");
}

#[test]
fn shares_in_one_currency_say_the_rate_and_where_they_come_from() {
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
    // Two positions, four trades that moved shares, three prices and the rate.
    assert_eq!(share.sources.len(), 10);
}
