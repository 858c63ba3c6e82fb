//! Shares that do not trade on the same days or in the same currency.

use nova_skill::{Value, json};
use nova_testkit::{Reply, SkillInVault};

use crate::over;

/// Closes in files of the vault, each folder a source with a currency of its own.
fn of_files(vault: &str) -> SkillInVault {
    let source = |currency: &str| {
        json!({
            "name": currency, "address": format!("Markets/{currency}/{{symbol}}.csv"), "date": "day", "close": "close",
            "currency": currency,
        })
    };
    over(vault, |_| Reply::with(404, &[], "{}"))
        .with_config(json!({"sources": [], "own_sources": [source("EUR"), source("JPY")]}))
}

fn closes(path: &str, closes: &[(u8, &str)]) -> String {
    let rows: String = closes.iter().map(|(day, close)| format!("2026-11-{day},{close}\n")).collect();
    format!("//- Markets/{path}.csv\nday,close\n{rows}")
}

fn list(symbols: &str) -> String {
    format!("//- List.md\n---\ntype: universe\n---\n{symbols}")
}

/// What is proposed: the action, the symbol and the quantity, and why.
fn proposals(value: &Value) -> Vec<String> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let line = |row: &Value| ["action", "symbol", "quantity", "reason"].map(|key| text(row, key)).join(" ");
    value["proposals"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn share_whose_exchange_rests_is_ranked_by_its_last_close() {
    // REST has no close on the 20th: on that day OPEN, at 25, is the dearer of the two; on the 19th, at 30, it was, too.
    let vault = [
        list("- OPEN\n- REST\n"),
        closes("EUR/OPEN", &[(18, "40"), (19, "30"), (20, "25")]),
        closes("EUR/REST", &[(18, "20"), (19, "20")]),
    ];
    let skill = of_files(&vault.concat());
    let asked = json!({
        "conditions": ["close > 1"], "score": ["low close"], "universe": "List", "rebalance": "never",
        "positions": 2, "cash": "1000",
    });
    assert_eq!(
        proposals(&skill.value("find_trades", asked)),
        ["buy REST 24 It meets the condition, score 100.", "buy OPEN 19 It meets the condition, score 0."]
    );
}

#[test]
fn share_whose_exchange_rests_competes_for_the_only_place() {
    let vault = [
        list("- OPEN\n- REST\n"),
        closes("EUR/OPEN", &[(18, "40"), (19, "30"), (20, "15")]),
        closes("EUR/REST", &[(18, "20"), (19, "20")]),
    ];
    let skill = of_files(&vault.concat());
    let asked = json!({
        "conditions": ["close > 1"], "score": ["low close"], "universe": "List", "rebalance": "monthly",
        "positions": 1, "cash": "1000",
    });
    // Each led on its own last day; the one that is first in the list comes first.
    let found = proposals(&skill.value("find_trades", asked));
    assert_eq!(found, ["buy OPEN 66 It meets the condition, score 100."]);
}

#[test]
fn amounts_of_a_scan_stay_in_the_currency_of_each_share() {
    let vault = [
        list("- EURO\n- YENS\n"),
        closes("EUR/EURO", &[(19, "50"), (20, "60")]),
        closes("JPY/YENS", &[(19, "4000"), (20, "3900")]),
    ];
    let skill = of_files(&vault.concat());
    let value = skill.value("scan_universe", json!({"conditions": ["close > 55"]}));
    let hits = value["hits"].as_array().unwrap();
    let shown: Vec<String> = hits
        .iter()
        .map(|hit| ["symbol", "price", "currency"].map(|key| hit[key].as_str().unwrap().to_owned()).join(" "))
        .collect();
    assert_eq!(shown, ["EURO 60.00 EUR", "YENS 3900.00 JPY"]);
    assert_eq!(value["problems"], json!(["Amounts are in each share's own currency: EUR, JPY."]));
}

#[test]
fn strategy_trades_the_commonest_currency_and_names_the_others() {
    let vault = [
        list("- EURO\n- MORE\n- YENS\n"),
        closes("EUR/EURO", &[(19, "50"), (20, "60")]),
        closes("EUR/MORE", &[(19, "50"), (20, "40")]),
        closes("JPY/YENS", &[(19, "3900"), (20, "4000")]),
    ];
    let skill = of_files(&vault.concat());
    let asked = json!({
        "conditions": ["close > close[1]"], "universe": "List", "rebalance": "never", "positions": 1, "cash": "1000",
    });
    let value = skill.value("find_trades", asked);
    assert_eq!(proposals(&value), ["buy EURO 16 It meets the condition."]);
    assert_eq!(
        value["unanswered"],
        json!([{"symbol": "YENS", "reason": "it is quoted in JPY, and the others in EUR"}])
    );
}
