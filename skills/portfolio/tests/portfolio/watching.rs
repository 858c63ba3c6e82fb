use nova_skill::{Value, json};

use crate::portfolio;

const LIST: &str = "//- Portfolio/Watchlist.md
---
type: watchlist
---

Mine:

- [[SLVN]] target 46 EUR, decided in May
- [[NGTL]]
- [[ODD]] target soon
//- Portfolio/Prices/SLVN.md
---
type: price
symbol: SLVN
date: 2026-11-20
close: 50.00
currency: EUR
---
";

/// The list after a change; everything else in the note stays.
#[track_caller]
fn check(tool: &str, args: Value, before: &str, after: &str) {
    let portfolio = portfolio(LIST);
    let note = portfolio.vault.read("Portfolio/Watchlist.md");
    portfolio.value(tool, args);
    assert_eq!(portfolio.vault.read("Portfolio/Watchlist.md"), note.replace(before, after));
}

#[test]
fn how_far_each_is_from_its_target() {
    let value = portfolio(LIST).value("watchlist", json!({}));
    assert_eq!(
        value["watched"][0],
        json!({
            "symbol": "SLVN", "name": "SLVN", "price": "50.00", "currency": "EUR", "price_at": "2026-11-20",
            "price_source": "note", "stale": null, "target": "46.00", "target_currency": "EUR", "to_target": "-8.0", "line": 7,
            "path": "Portfolio/Watchlist.md",
        })
    );
    assert_eq!(value["watched"].as_array().unwrap().len(), 2);
    assert_eq!(
        value["problems"],
        json!([{
            "path": "Portfolio/Watchlist.md", "line": 9,
            "problem": "`soon` is no target above zero, written as a plain decimal",
            "remedy": "Write it as \"- [[SYM]] target 120 USD\".",
        }])
    );
}

#[test]
fn only_the_target_changes() {
    check("watch", json!({"symbol": "SLVN", "target": "44.50"}), "target 46 EUR", "target 44.50 EUR");
    check("watch", json!({"symbol": "slvn", "target": "51 USD"}), "target 46 EUR", "target 51 USD");
    check("watch", json!({"symbol": "NGTL", "target": 38}), "- [[NGTL]]\n", "- [[NGTL]] target 38 EUR\n");
}

#[test]
fn a_line_is_added_or_taken_away() {
    check(
        "watch",
        json!({"symbol": "NVDA", "target": "120 USD"}),
        "- [[ODD]] target soon\n",
        "- [[ODD]] target soon\n- [[NVDA]] target 120 USD\n",
    );
    check("unwatch", json!({"symbol": "NGTL"}), "- [[NGTL]]\n", "");
    check("unwatch", json!({"symbol": "[[SLVN]]"}), "- [[SLVN]] target 46 EUR, decided in May\n", "");
}

#[test]
fn the_first_one_makes_the_list() {
    let portfolio = portfolio("");
    portfolio.value("watch", json!({"symbol": "NVDA", "target": "120", "currency": "USD"}));
    assert_eq!(
        portfolio.vault.read("Portfolio/Watchlist.md"),
        "---\ntype: watchlist\n---\n- [[NVDA]] target 120 USD\n"
    );
}

#[test]
fn what_is_not_watched_cannot_be_taken_away() {
    let error = portfolio(LIST).error("unwatch", json!({"symbol": "NVDA"}));
    assert_eq!(error.message, "There is no watched symbol \"NVDA\".");
    assert_eq!(error.hint, "Nearest: SLVN, NGTL.");
    let error = portfolio(LIST).error("watch", json!({"symbol": "NVDA", "target": "-5"}));
    assert_eq!(error.message, "/target: -5 is below zero; write it without a sign.");
}

#[test]
fn other_spellings_of_a_line() {
    let list = "//- W.md\n---\ntype: watchlist\n---\n- [[A]] target:  12 EUR\n- [ ] [[B]] target 5\n- [[C]] target 10 EURO\n";
    let portfolio = portfolio(list);
    let value = portfolio.value("watchlist", json!({}));
    let rows: Vec<_> =
        value["watched"].as_array().unwrap().iter().map(|row| (&row["symbol"], &row["target"])).collect();
    assert_eq!(rows, [(&json!("A"), &json!("12.00")), (&json!("B"), &json!("5.00"))]);
    assert_eq!(
        (&value["problems"][0]["line"], &value["problems"][0]["problem"]),
        (&json!(6), &json!("`EURO` is no currency"))
    );
    // A line that cannot be read is neither changed nor written a second time.
    let note = portfolio.vault.read("W.md");
    let error = portfolio.error("watch", json!({"symbol": "C", "target": "9 EUR"}));
    assert_eq!(error.message, "W.md, line 6: `EURO` is no currency.");
    assert_eq!(portfolio.vault.read("W.md"), note);
    portfolio.value("watch", json!({"symbol": "A", "target": "11 EUR"}));
    portfolio.value("watch", json!({"symbol": "B", "target": "6 EUR"}));
    let changed = note.replace("target:  12 EUR", "target 11 EUR").replace("target 5\n", "target 6 EUR\n");
    assert_eq!(portfolio.vault.read("W.md"), changed);
    let error = portfolio.error("watch", json!({"symbol": "D]]"}));
    assert_eq!(error.message, "/symbol: \"D]]\" is no symbol; a symbol is one word such as SLVN.");
}
