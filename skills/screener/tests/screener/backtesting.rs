//! Back-tests and their limits.

use nova_skill::{Value, json};

use crate::Market;

pub(crate) const LIST: &str = "\
//- Screener/Universes/Two.md
---
type: universe
---
- UPUP
- DOWN
- GONE
//- Screener/Screens/Rising.md
---
type: screen
universe: \"[[Two]]\"
conditions:
  - close > close[1]
---
//- Screener/Strategies/Trend.md
---
type: strategy
screen: \"[[Rising]]\"
sell:
  - close < close[1]
rebalance: never
positions: 1
cash: 1000
cost: 0 %
slippage: 0 %
---
";

/// Each open equals the close of its day.
pub(crate) fn market() -> Market {
    Market::default()
        .share("UPUP", &[10.0, 11.0, 12.0, 13.0, 12.0, 14.0])
        .share("DOWN", &[50.0, 40.0, 30.0, 20.0, 10.0, 5.0])
}

pub(crate) fn unknown(value: &Value) -> String {
    value["unknown"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line.as_str().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn strategy_trades_at_the_open_after_its_signal() {
    let value = market().over(LIST).value("backtest", json!({"strategy": "Trend"}));
    // The second close is above the first: 83 shares at 12 from 1000. The fifth is below the fourth: sold at
    // 14.
    assert_eq!(
        (&value["end"], &value["cash"], &value["currency"]),
        (&json!("1166.00"), &json!("1000.00"), &json!("USD"))
    );
    assert_eq!(
        value["trades"],
        json!([{"symbol": "UPUP", "bought": "2026-11-17", "sold": "2026-11-20", "quantity": "83",
                "result": "16.7", "gain": "166.00"}])
    );
    assert_eq!((&value["from"], &value["to"]), (&json!("2026-11-15"), &json!("2026-11-20")));
    assert_eq!(value["total_return"], "16.6");
}

#[test]
fn end_value_is_explained_by_parts_that_add_up() {
    let skill = market().over(LIST);
    // 83 bought at 12 and sold at 14; with rules that never sell, 83 at 12 are at 14 in the end.
    for (args, parts) in [
        (json!({"strategy": "Trend"}), ["1000.00", "166.00", "0.00"]),
        (
            json!({"conditions": ["close > 10.5", "close < 11.5"], "universe": "Two", "rebalance": "never", "positions": 1,
                   "cash": "1000", "cost": "0", "slippage": "0"}),
            ["1000.00", "0.00", "166.00"],
        ),
    ] {
        let outcome = skill.call("backtest", args);
        let figure = &outcome.figures[0];
        assert_eq!((figure.at.as_str(), figure.value.as_str()), ("/end", "1166.00"));
        let found: Vec<&str> = figure.parts.iter().map(|part| part.value.as_str()).collect();
        assert_eq!(found, parts);
    }
}

#[test]
fn filling_at_the_signals_close_is_reported_as_unrealistic() {
    let skill = market().over(LIST);
    let value = skill.value("backtest", json!({"strategy": "Trend", "fill": "close"}));
    // 90 shares at 11, sold at 12.
    assert_eq!(value["end"], "1090.00");
    assert!(unknown(&value).contains("which nobody could have had"), "{value:#}");
}

#[test]
fn costs_and_slippage_are_applied() {
    let value =
        market().over(LIST).value("backtest", json!({"strategy": "Trend", "cost": "1 %", "slippage": "5 %"}));
    // Bought at 12.60 with 0.126 of costs: 78 for 992.628 of 1000; sold at 13.30 less 0.133.
    assert_eq!(value["end"], "1034.40");
}

#[test]
fn flat_fee_parts_of_shares_and_slots_are_applied() {
    let note = LIST.replace("positions: 1\n", "positions: 2\nfee: 10\nweight: slots\nfractional: true\n");
    let value = market().over(&note).value("backtest", json!({"strategy": "Trend"}));
    // A slot is 500: (500 - 10) ÷ 12 shares at 12, sold at 14 less 10. 1000 + 490 × 2 ÷ 12 - 20.
    assert_eq!(value["end"], "1061.67");
    let rows = value["rules"].as_array().unwrap().iter();
    let rules: Vec<&str> = rows.filter_map(|row| row["value"].as_str()).collect();
    assert!(rules.contains(&"at most 2, each in a slot of that size, parts of shares"), "{rules:?}");
    assert!(rules.contains(&"0 % and 10.00 a trade"), "{rules:?}");
    // An argument goes before the note.
    let args = json!({"strategy": "Trend", "fee": 0, "weight": "equal", "fractional": false, "positions": 1});
    assert_eq!(market().over(&note).value("backtest", args)["end"], "1166.00");
}

#[test]
fn unknown_closes_are_counted() {
    let closes = [10.0, 11.0, 0.0, 13.0, 12.0, 14.0];
    let market = Market::default().share("UPUP", &closes).share("DOWN", &[5.0; 6]);
    let skill = market.over(LIST);
    let value = skill.value("backtest", json!({"strategy": "Trend"}));
    assert!(unknown(&value).contains("1 × close is unknown or not above zero"), "{value:#}");
    // The days from the cache say the same.
    let again = skill.value("backtest", json!({"strategy": "Trend"}));
    assert_eq!(again["unknown"], value["unknown"]);
}

#[test]
fn limits_of_a_back_test_are_in_its_result() {
    let value = market().over(LIST).value("backtest", json!({"strategy": "Trend"}));
    let said = unknown(&value);
    assert!(said.contains("Failed and bought companies"), "{said}");
    assert!(said.contains("at the next open, at any size, with 0 % cost"), "{said}");
    assert!(said.contains("without a score"), "{said}");
    assert!(said.contains("Your taxes"), "{said}");
    assert_eq!(value["unanswered"][0]["symbol"], "GONE");
}

#[test]
fn screen_is_held_in_equal_parts_and_the_result_is_split_on_request() {
    let skill = market().over(LIST);
    let value = skill.value(
        "backtest",
        json!({"conditions": ["close > 1"], "universe": "Two", "rebalance": "yearly", "cost": "0", "slippage": "0",
               "cash": "1000", "split": "2026-11-18"}),
    );
    // 500 each at the second open: 45 at 11, 12 at 40. At the end 45 × 14 + 12 × 5 and 25 left over.
    assert_eq!(value["end"], "715.00");
    let halves = value["halves"].as_array().unwrap();
    assert_eq!((&halves[0]["to"], &halves[1]["from"]), (&json!("2026-11-17"), &json!("2026-11-18")));
    let error = skill.error("backtest", json!({"strategy": "Trend", "split": "2020-01-01"}));
    assert!(error.message.contains("leaves one part without a day"), "{}", error.message);
}

#[test]
fn span_before_the_closes_is_refused_with_their_first_year() {
    let error = market().over(LIST).error("backtest", json!({"strategy": "Trend", "from": "2016-01-01"}));
    assert_eq!(error.message, "Closes begin in 2026.");
    assert!(error.hint.starts_with("Use 2026-11-15"), "{}", error.hint);
}

#[test]
fn invalid_settings_are_refused() {
    let skill = market().over(LIST);
    let message = |args: Value| skill.error("backtest", args).message;
    assert!(message(json!({"strategy": "Trend", "cost": "200 %"})).contains("percentage"));
    assert!(message(json!({"strategy": "Trend", "cash": "0"})).contains("cash is 0"));
    assert!(message(json!({"strategy": "Nope"})).contains("no strategy \"Nope\""));
    assert!(message(json!({})).contains("Nothing says what is bought"));
    assert!(
        message(json!({"strategy": "Trend", "from": "2026-11-20", "to": "2026-11-16"}))
            .contains("ends on 2026-11-16")
    );
}

#[test]
fn benchmark_is_a_symbol_if_one_is_named() {
    let skill = market().over(LIST);
    let value = skill.value("backtest", json!({"strategy": "Trend", "benchmark": "upup"}));
    // 1000 at the open of the second day, 11, are 1272.73 at 14.
    assert_eq!(
        (&value["benchmark"], &value["benchmark_end"], &value["benchmark_total_return"]),
        (&json!("UPUP"), &json!("1272.73"), &json!("27.3"))
    );
    assert_eq!(value["end"], "1166.00", "the strategy is the same");
    let without = skill.value("backtest", json!({"strategy": "Trend"}));
    assert_eq!(without["benchmark"], Value::Null);
    let error = skill.error("backtest", json!({"strategy": "Trend", "benchmark": "GONE"}));
    assert!(error.message.starts_with("The benchmark GONE has no closes: "), "{}", error.message);
}

#[test]
fn benchmark_without_known_dividends_is_reported() {
    let rows: String = (15..=20).map(|day| format!("2026-11-{day},100\n")).collect();
    let skill = market().over(&format!("{LIST}//- Markets/INDEX.csv\nday,close\n{rows}")).with_config(json!({
        "sources": ["yahoo"],
        "base_urls": { "yahoo": "http://yahoo.test" },
        "own_sources": [
            {"name": "Files", "address": "Markets/{symbol}.csv", "date": "day", "close": "close", "currency": "USD"},
        ],
    }));
    let value = skill.value("backtest", json!({"strategy": "Trend", "benchmark": "INDEX"}));
    assert_eq!(value["sources"], json!(["Files", "Yahoo"]));
    let limit = "Dividends and splits of the benchmark INDEX: its source reports none.";
    assert!(unknown(&value).contains(limit), "{value:#}");
    let list = skill.value("backtest", json!({"strategy": "Trend", "benchmark": "UPUP"}));
    assert!(!unknown(&list).contains("of the benchmark"), "{list:#}");
}
