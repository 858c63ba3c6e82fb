//! What a strategy would trade today, with a portfolio of notes beside it.

use serde_json::{Value, json};

use super::nova::Nova;

/// Ten left of ALFA, which rises; thirty of CHAR, which falls; none of BRVO, which rises.
const NOTES: &str = "
//- Portfolio/Trades/a.md
---
type: trade
symbol: ALFA
kind: buy
date: 2026-01-05
quantity: 12
price: 30.00
currency: EUR
---
//- Portfolio/Trades/b.md
---
type: trade
symbol: ALFA
kind: sell
date: 2026-02-05
quantity: 2
price: 31.00
currency: EUR
---
//- Portfolio/Trades/c.md
---
type: trade
symbol: CHAR
kind: buy
date: 2026-01-05
quantity: 30
price: 12.00
currency: EUR
---
//- Portfolio/Trades/d.md
---
type: trade
symbol: ELSE
kind: buy
date: 2026-01-05
quantity: 1000
price: 12.00
currency: EUR
---
//- Screener/Universes/Three.md
---
type: universe
---
- ALFA
- BRVO
- CHAR
//- Screener/Strategies/Rising.md
---
type: strategy
universe: \"[[Three]]\"
buy:
  - close > close[1]
sell:
  - close < close[1]
positions: 2
rebalance: never
---
";

/// Nova with closes of the last two days that are over in files of the vault.
fn with_closes() -> Nova {
    let nova = Nova::new(NOTES, []);
    let last_day = jiff::Zoned::now().date().yesterday().unwrap();
    let before = last_day.yesterday().unwrap();
    for (symbol, closes) in [("ALFA", ["45", "50"]), ("BRVO", ["19", "20"]), ("CHAR", ["11", "10"])] {
        let [first, last] = closes;
        nova.vault.write(
            &format!("Markets/{symbol}.csv"),
            &format!("day,close\n{before},{first}\n{last_day},{last}\n"),
        );
    }
    let source = json!({
        "name": "Files", "address": "Markets/{symbol}.csv", "date": "day", "close": "close", "currency": "EUR",
    });
    let config = json!({"sources": [], "own_sources": [source]});
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "skills": {"screener": {"config": config}},
    }));
    nova
}

fn proposals(nova: &Nova, args: &Value) -> Vec<String> {
    let args = args.to_string();
    let (code, outcome) =
        nova.json(&["tool", "call", "screener.find_trades", "--args", &args, "--approve", "all"]);
    assert_eq!(code, 0, "{outcome}");
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let rows = outcome["value"]["proposals"].as_array().unwrap();
    let line = |row: &Value| ["action", "symbol", "quantity", "amount"].map(|key| text(row, key)).join(" ");
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn sizes_are_parts_of_what_is_held_of_the_list() {
    let nova = with_closes();
    let before = nova.vault.files();
    // 10 × 50 + 30 × 10 less the costs of the sale, ELSE is not of the list; two places of 399.77: 19 BRVO at 20.
    assert_eq!(
        proposals(&nova, &json!({"strategy": "Rising"})),
        ["buy BRVO 19 380.00", "hold ALFA 10 500.00", "sell CHAR 30 300.00"]
    );
    assert_eq!(nova.vault.files(), before, "proposals write nothing");
}

#[test]
fn rebalancing_proposes_the_difference_to_equal_parts() {
    let nova = with_closes();
    // Two parts of 399.77: 7 ALFA at 50 of the 10 that are held.
    assert_eq!(
        proposals(&nova, &json!({"strategy": "Rising", "rebalance": "monthly"})),
        ["buy BRVO 19 380.00", "sell ALFA 3 150.00", "sell CHAR 30 300.00"]
    );
}

#[test]
fn full_places_buy_nothing_more() {
    let nova = with_closes();
    assert_eq!(
        proposals(&nova, &json!({"strategy": "Rising", "positions": 1})),
        ["hold ALFA 10 500.00", "sell CHAR 30 300.00"]
    );
}
