//! Proposals of today's trades.

use nova_skill::{Value, json};

use crate::Market;
use crate::backtesting::{LIST, market, unknown};

#[test]
fn trades_of_today_are_proposals_and_write_nothing() {
    let skill = market().over(LIST);
    let before = skill.vault.files();
    let value = skill.value("find_trades", json!({"strategy": "Trend"}));
    // Without a portfolio, 1000 buys 71 at 14.
    assert_eq!(
        value["proposals"],
        json!([{"action": "buy", "symbol": "UPUP", "name": null, "quantity": "71", "price": "14.00", "currency": "USD",
                "amount": "994.00", "costs": "0.00", "reason": "It meets the condition.", "date": "2026-11-20"}])
    );
    assert_eq!(skill.vault.files(), before);
    // The skill Portfolio is missing.
    assert!(unknown(&value).contains("What you hold"), "{value:#}");
}

fn position(symbol: &str, quantity: &str, cost: &str) -> String {
    format!(
        "//- Portfolio/Positions/{symbol}.md\n---\ntype: position\nsymbol: {symbol}\ncurrency: USD\nquantity: {quantity}\n\
         exchange: NASDAQ\n{cost}---\n//- Portfolio/Prices/{symbol}.md\n---\ntype: price\nsymbol: {symbol}\n\
         date: 2026-11-20\nclose: 1\ncurrency: USD\n---\n"
    )
}

fn deposit(amount: &str) -> String {
    format!(
        "//- Portfolio/Trades/d.md\n---\ntype: trade\nkind: deposit\ndate: 2026-01-02\nprice: {amount}\ncurrency: USD\n---\n"
    )
}

/// Action, symbol, quantity and reason of each proposal.
fn rows(value: &Value) -> Vec<[&str; 4]> {
    let rows = value["proposals"].as_array().unwrap().iter();
    rows.map(|row| ["action", "symbol", "quantity", "reason"].map(|name| row[name].as_str().unwrap()))
        .collect()
}

/// Both are wanted on each day.
fn held() -> Market {
    Market::default().share("UPUP", &[10.0, 10.0]).share("DOWN", &[84.0, 84.0])
}

fn holding(vault: &str, stop: Option<&str>) -> Value {
    let skill = held().beside_portfolio(&[LIST, vault].concat());
    skill.value(
        "find_trades",
        json!({"conditions": ["close > 1"], "universe": "Two", "rebalance": "never", "positions": 2, "stop": stop}),
    )
}

#[test]
fn share_below_its_stop_is_to_be_sold() {
    // 10 for 1000: 84 is 16 % below.
    let vault = position("DOWN", "10", "cost_basis: 1000\nopened: 2026-01-02\n");
    let value = holding(&vault, Some("15 %"));
    let sold = ["sell", "DOWN", "10", "84.00 is 15 % or more below the 100.00 that you paid."];
    assert_eq!(rows(&value)[1], sold, "{value:#}");
    let kept = holding(&vault, Some("17 %"));
    assert!(
        rows(&kept).contains(&["hold", "DOWN", "10", "It still meets what it was bought for."]),
        "{kept:#}"
    );
}

#[test]
fn stop_of_a_share_without_a_cost_is_unknown() {
    let value = holding(&position("DOWN", "10", ""), Some("15 %"));
    let line = "Whether DOWN has reached the stop: what you paid for it is not known.";
    assert!(unknown(&value).contains(line), "{value:#}");
    assert!(!unknown(&holding(&position("DOWN", "10", ""), None)).contains("stop"));
}

#[test]
fn recorded_cash_sizes_the_purchases() {
    // 840 held and 500 of cash, one of two positions is free: 49 at 10, and 0.15 % of costs.
    let own = position("DOWN", "10", "cost_basis: 1000\nopened: 2026-01-02\n");
    let value = holding(&[own.clone(), deposit("500")].concat(), None);
    assert_eq!(rows(&value)[0], ["buy", "UPUP", "49", "It meets the condition."], "{value:#}");
    assert!(!unknown(&value).contains("Your cash"), "{value:#}");
    let without = holding(&own, None);
    assert!(unknown(&without).contains("Your cash: sizes are parts of what you hold"), "{without:#}");
}

#[test]
fn hit_that_costs_more_than_a_part_is_named() {
    let value = holding(&deposit("100"), None);
    assert_eq!(rows(&value), [["buy", "UPUP", "4", "It meets the condition."]]);
    let line =
        "Hits that are not bought, because one share with its costs is more than a part of 50.00: DOWN.";
    assert!(unknown(&value).contains(line), "{value:#}");
}

/// All money in one share, at high costs.
fn with_costs(vault: &str, stop: Option<&str>) -> Value {
    let skill = held().beside_portfolio(&[LIST, vault].concat());
    let args = json!({
        "conditions": ["close > 1"], "universe": "Two", "rebalance": "never", "positions": 1, "fee": 5, "cost": "1 %",
        "slippage": "1 %", "stop": stop,
    });
    skill.value("find_trades", args)
}

#[test]
fn costs_of_a_purchase_fit_into_the_cash() {
    let value = with_costs(&deposit("1000"), None);
    // 97 at 10.10 are 979.70, with 1 % and 5: 994.50; one more would be 1,004.70.
    let row = &value["proposals"][0];
    assert_eq!(
        (&row["quantity"], &row["amount"], &row["costs"]),
        (&json!("97"), &json!("970.00"), &json!("24.50"))
    );
}

#[test]
fn purchase_spends_what_a_sale_leaves_after_costs() {
    let own = position("DOWN", "10", "cost_basis: 1000\nopened: 2026-01-02\n");
    let value = with_costs(&[own, deposit("160")].concat(), Some("15 %"));
    // 840 less 1 %, 1 % and 5 leave 818.28; with 160, (978.28 - 5) / 10.201 is 95.4.
    assert_eq!(rows(&value)[0][..3], ["buy", "UPUP", "95"], "{value:#}");
    assert_eq!(rows(&value)[1][..3], ["sell", "DOWN", "10"]);
}

#[test]
fn sizes_are_parts_of_holdings_and_cash() {
    let own = position("DOWN", "10", "cost_basis: 1000\nopened: 2026-01-02\n");
    let skill = held().beside_portfolio(&[LIST, &own, &deposit("100")].concat());
    let trades = |rebalance: &str, weight: &str| {
        let args = json!({"conditions": ["close > 1"], "universe": "Two", "positions": 2, "rebalance": rebalance,
                          "weight": weight});
        let value = skill.value("find_trades", args);
        let line = |row: &[&str; 4]| row[..3].join(" ");
        rows(&value).iter().map(line).collect::<Vec<String>>()
    };
    // Two parts of 470: 5 of 10 at 84 are kept, and 470 buys 46 at 10 with 0.15 % of costs.
    assert_eq!(trades("monthly", "equal"), ["buy UPUP 46", "sell DOWN 5"]);
    // The slot of 470 gets no more than the cash of 100.
    assert_eq!(trades("never", "slots"), ["buy UPUP 9", "hold DOWN 10"]);
}

fn trade(name: &str, quantity: &str, currency: &str) -> String {
    format!(
        "//- Portfolio/Trades/{name}.md\n---\ntype: trade\nkind: buy\nsymbol: DOWN\ndate: 2026-01-05\n\
         quantity: {quantity}\nprice: 80\ncurrency: {currency}\n---\n"
    )
}

#[test]
fn share_traded_in_two_currencies_is_one_holding() {
    let vault = [trade("a", "4", "USD"), trade("b", "6", "EUR")].concat();
    let skill = held().beside_portfolio(&[LIST, &vault].concat());
    for universe in ["Two", "positions"] {
        let args = json!({"conditions": ["close > 50"], "universe": universe, "rebalance": "never"});
        let value = skill.value("find_trades", args);
        assert_eq!(rows(&value).len(), 1, "{value:#}");
        assert_eq!(rows(&value)[0][..3], ["hold", "DOWN", "10"]);
    }
}

#[test]
fn position_that_is_not_counted_is_named() {
    let own = position("DOWN", "10", "cost_basis: 1000\nopened: 2026-01-02\n");
    let second = own
        .replace("Positions/DOWN.md", "Positions/DOWN, other account.md")
        .replace("Prices/DOWN", "Prices/2");
    let value = holding(&[own, second].concat(), None);
    let line = "What you hold: DOWN has two positions in USD; this one is not counted.";
    assert!(unknown(&value).contains(line), "{value:#}");
    // Sold more than was bought: the portfolio has no quantity of it.
    let oversold = trade("a", "4", "USD") + &trade("b", "6", "USD").replace("kind: buy", "kind: sell");
    let value = holding(&oversold, None);
    assert!(unknown(&value).contains("What you hold: DOWN: 6 sold on 2026-01-05"), "{value:#}");
}

#[test]
fn holding_at_another_exchange_is_named() {
    let elsewhere = position("DOWN", "10", "").replace("NASDAQ", "xetra").replace("USD", "EUR");
    let value = holding(&elsewhere, None);
    let line = "Your 10 DOWN at XETRA are another listing and not counted.";
    assert!(unknown(&value).contains(line), "{value:#}");
    assert!(!unknown(&holding(&position("UPUP", "10", ""), None)).contains("another listing"));
}

#[test]
fn holding_is_recognised_by_any_name_of_its_exchange() {
    let bars = "date,close\n2026-11-19,10\n2026-11-20,10\n";
    let vault = [
        "//- Markets/NGTL.csv\n",
        bars,
        "//- List.md\n---\ntype: universe\nexchange: Frankfurt\n---\n- NGTL\n",
        &position("NGTL", "10", "").replace("NASDAQ", "XETRA").replace("USD", "EUR"),
    ]
    .concat();
    let config = json!({"sources": [], "own_sources": [
        {"name": "Files", "address": "Markets/{symbol}.csv", "date": "date", "close": "close", "currency": "EUR"},
    ]});
    let skill = Market::default().beside_portfolio(&vault).with_config(config);
    let scan = skill.value("scan_universe", json!({"conditions": ["close > 1"], "universe": "List"}));
    assert_eq!(scan["hits"][0]["held"], json!(true));
    let explained = skill
        .value("explain_hit", json!({"symbol": "NGTL.DE", "conditions": ["close > 1"], "universe": "List"}));
    assert_eq!(explained["hit"], json!(true));
}

#[test]
fn share_without_a_last_close_is_named() {
    let market = Market::default().share("UPUP", &[10.0, 11.0, 0.0]).share("DOWN", &[5.0; 3]);
    let value = market.over(LIST).value("find_trades", json!({"strategy": "Trend"}));
    let line = "What to do with UPUP: its close of 2026-11-20 is unknown or not above zero.";
    assert!(unknown(&value).contains(line), "{value:#}");
}
