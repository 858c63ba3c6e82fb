use nova_skill::{Value, json};
use nova_testkit::{Reply, SkillInVault};

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

/// Checks that the call replaces `before` by `after` and nothing else in the note.
#[track_caller]
fn check(tool: &str, args: Value, before: &str, after: &str) {
    let portfolio = portfolio(LIST);
    let note = portfolio.vault.read("Portfolio/Watchlist.md");
    portfolio.value(tool, args);
    assert_eq!(portfolio.vault.read("Portfolio/Watchlist.md"), note.replace(before, after));
}

#[test]
fn watchlist_shows_the_distance_to_each_target() {
    let value = portfolio(LIST).value("watchlist", json!({}));
    assert_eq!(
        value["watched"][0],
        json!({
            "symbol": "SLVN", "name": "SLVN", "price": "50.00", "currency": "EUR", "price_at": "2026-11-20",
            "price_source": "note", "price_note": "Portfolio/Prices/SLVN.md", "stale": null, "target": "46.00", "target_currency": "EUR", "to_target": "-8.0", "reached": null, "line": 7,
            "path": "Portfolio/Watchlist.md",
        })
    );
    assert_eq!(value["watched"].as_array().unwrap().len(), 2);
    assert_eq!(
        value["problems"],
        json!([{
            "path": "Portfolio/Watchlist.md", "line": 9,
            "problem": "`soon` is not a target: write a plain decimal above zero",
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
fn rejects_target_with_two_currencies() {
    let both =
        |target: &str, currency: &str| json!({"symbol": "SLVN", "target": target, "currency": currency});
    let error = portfolio(LIST).error("watch", both("120 USD", "EUR"));
    assert_eq!(error.message, "/currency: is EUR, but the target says USD; remove one of the two.");
    check("watch", both("51 usd", "USD"), "target 46 EUR", "target 51 USD");
    check("watch", both("51 USD", " "), "target 46 EUR", "target 51 USD");
    let error = portfolio(LIST).error("watch", json!({"symbol": "SLVN", "target": "51 dollars"}));
    assert_eq!(
        error.message,
        "/target: \"dollars\" is not a currency. Write its code of three letters, such as EUR or USD."
    );
}

#[test]
fn rejects_currency_without_a_target() {
    let alone = |symbol: &str, currency: &str| json!({"symbol": symbol, "currency": currency});
    for (symbol, currency) in [("NVDA", "USD"), ("NGTL", "USD"), ("SLVN", "USD")] {
        let portfolio = portfolio(LIST);
        let error = portfolio.error("watch", alone(symbol, currency));
        let rule =
            "/currency: is that of a target; give the target too, such as \"120 USD\", or leave it out.";
        assert_eq!(error.message, rule, "{symbol}");
        assert!(portfolio.vault.read("Portfolio/Watchlist.md").ends_with("- [[ODD]] target soon\n"));
    }
    // An equal target is no change.
    check("watch", alone("SLVN", "eur"), "", "");
    check("watch", json!({"symbol": "SLVN", "target": 44, "currency": "USD"}), "46 EUR", "44 USD");
}

#[test]
fn watch_and_unwatch_edit_one_line() {
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
fn first_symbol_creates_the_watchlist() {
    let portfolio = portfolio("");
    portfolio.value("watch", json!({"symbol": "NVDA", "target": "120", "currency": "USD"}));
    assert_eq!(
        portfolio.vault.read("Portfolio/Watchlist.md"),
        "---\ntype: watchlist\n---\n- [[NVDA]] target 120 USD\n"
    );
}

#[test]
fn rejects_unwatching_an_unwatched_symbol() {
    let error = portfolio(LIST).error("unwatch", json!({"symbol": "NVDA"}));
    assert_eq!(error.message, "There is no watched symbol \"NVDA\".");
    assert_eq!(error.hint, "Nearest: SLVN, NGTL.");
    let error = portfolio(LIST).error("watch", json!({"symbol": "NVDA", "target": "-5"}));
    assert_eq!(error.message, "/target: -5 is below zero; write it without a sign.");
}

#[test]
fn reads_other_notations_of_a_line() {
    let list = "//- W.md\n---\ntype: watchlist\n---\n- [[A]] target:  12 EUR\n- [ ] [[B]] target 5\n- [[C]] target 10 EURO\n";
    let portfolio = portfolio(list);
    let value = portfolio.value("watchlist", json!({}));
    let rows: Vec<_> =
        value["watched"].as_array().unwrap().iter().map(|row| (&row["symbol"], &row["target"])).collect();
    assert_eq!(rows, [(&json!("A"), &json!("12.00")), (&json!("B"), &json!("5.00"))]);
    assert_eq!(
        (&value["problems"][0]["line"], &value["problems"][0]["problem"]),
        (&json!(6), &json!("`EURO` is not a currency"))
    );
    // An unreadable line is neither changed nor duplicated.
    let note = portfolio.vault.read("W.md");
    let error = portfolio.error("watch", json!({"symbol": "C", "target": "9 EUR"}));
    assert_eq!(error.message, "W.md, line 6: `EURO` is not a currency.");
    assert_eq!(portfolio.vault.read("W.md"), note);
    portfolio.value("watch", json!({"symbol": "A", "target": "11 EUR"}));
    portfolio.value("watch", json!({"symbol": "B", "target": "6 EUR"}));
    let changed = note.replace("target:  12 EUR", "target 11 EUR").replace("target 5\n", "target 6 EUR\n");
    assert_eq!(portfolio.vault.read("W.md"), changed);
    let error = portfolio.error("watch", json!({"symbol": "D]]"}));
    assert_eq!(error.message, "/symbol: \"D]]\" is not a symbol; a symbol is one word such as SLVN.");
}

/// Yahoo's quote of NVDA, or an invalid response.
fn nvda(vault: &str, price: Option<&'static str>) -> SkillInVault {
    let config = json!({"sources": ["yahoo"], "base_urls": {"yahoo": "http://yahoo.test"}});
    portfolio(vault).with_config(config).with_web(&["yahoo.test"], move |_| match price {
        None => Reply::text("<html>Are you a robot?</html>"),
        Some(price) => Reply::text(&format!(
            r#"{{"chart":{{"result":[{{"meta":{{"symbol":"NVDA","currency":"USD","regularMarketPrice":{price},
            "regularMarketTime":1795192500,"gmtoffset":-18000}}}}],"error":null}}}}"#
        )),
    })
}

/// The first row of the watchlist.
fn row(skill: &SkillInVault) -> Value {
    skill.value("watchlist", json!({}))["watched"][0].clone()
}

const NVDA: &str = "//- Portfolio/Watchlist.md\n---\ntype: watchlist\n---\n- [[NVDA]]\n\
//- P.md\n---\ntype: price\nsymbol: SLVN\ndate: 2026-11-20\nclose: 50.00\ncurrency: EUR\n---\n";

#[test]
fn unheld_symbol_uses_the_currency_of_its_quote() {
    let skill = nvda(NVDA, Some("150"));
    assert_eq!(row(&skill)["price"], Value::Null);
    skill.value("quote", json!({"symbols": ["NVDA"]}));
    let shown = row(&skill);
    assert_eq!((&shown["price"], &shown["currency"]), (&json!("150.00"), &json!("USD")));

    skill.value("watch", json!({"symbol": "NVDA", "target": "120"}));
    assert!(skill.vault.read("Portfolio/Watchlist.md").contains("- [[NVDA]] target 120 USD\n"));
    let shown = row(&skill);
    assert_eq!((&shown["target_currency"], &shown["to_target"]), (&json!("USD"), &json!("-20.0")));
}

#[test]
fn target_in_another_currency_is_reported_and_not_compared() {
    let skill = nvda(&NVDA.replace("[[NVDA]]", "[[NVDA]] target 120 EUR"), Some("150"));
    skill.value("quote", json!({"symbols": ["NVDA"]}));
    let answer = skill.value("watchlist", json!({}));
    let shown = &answer["watched"][0];
    assert_eq!(
        (
            &shown["price"],
            &shown["currency"],
            &shown["target"],
            &shown["target_currency"],
            &shown["to_target"]
        ),
        (&json!("150.00"), &json!("USD"), &json!("120.00"), &json!("EUR"), &Value::Null)
    );
    assert_eq!(
        answer["problems"],
        json!([{
            "path": "Portfolio/Watchlist.md", "line": 4,
            "problem": "The target of NVDA is in EUR, its price in USD",
            "remedy": "Write the target in USD, or add a price note in EUR.",
        }])
    );
}

#[test]
fn unheld_symbol_falls_back_to_its_last_price() {
    let skill = nvda(&NVDA.replace("symbol: SLVN", "symbol: NVDA").replace("EUR", "USD"), None);
    let answer = skill.value("quote", json!({"symbols": ["NVDA"]}));
    assert_eq!(
        answer["problems"][0]["problem"],
        "NVDA: Yahoo answered with a web page instead of a quote. The last price, 50.00 USD from 20 Nov, is used"
    );
    assert_eq!(
        (&answer["quotes"][0]["price"], &answer["quotes"][0]["carried"]),
        (&json!("50.00"), &json!(true))
    );
}

/// Checks `reached` for a target of 42 EUR and these closes, oldest first; today is 2026-11-21.
#[track_caller]
fn reached(closes: &[(&str, &str)], expected: Value) {
    let prices: String = closes
        .iter()
        .map(|(date, close)| {
            format!("//- Portfolio/Prices/{date}.md\n---\ntype: price\nsymbol: NGTL\ndate: {date}\nclose: {close}\ncurrency: EUR\n---\n")
        })
        .collect();
    let list = "//- Portfolio/Watchlist.md\n---\ntype: watchlist\n---\n- [[NGTL]] target 42 EUR\n";
    let value = portfolio(&format!("{list}{prices}")).value("watchlist", json!({}));
    assert_eq!(value["watched"][0]["reached"], expected, "{closes:?}");
}

#[test]
fn target_is_reached_if_crossed_within_a_week() {
    let (above, below) = (json!("above your target of 42.00 EUR"), json!("below your target of 42.00 EUR"));
    reached(&[("2026-11-19", "41.80"), ("2026-11-20", "42.18")], above.clone());
    reached(&[("2026-11-19", "42.18"), ("2026-11-20", "41.80")], below);
    reached(&[("2026-11-20", "42")], json!("at your target of 42.00 EUR"));
    reached(&[("2026-11-13", "41"), ("2026-11-18", "43"), ("2026-11-20", "44")], above);
    reached(&[("2026-11-12", "41"), ("2026-11-18", "43"), ("2026-11-20", "44")], json!(null));
    reached(&[("2026-11-20", "44")], json!(null));
    reached(&[], json!(null));
}
