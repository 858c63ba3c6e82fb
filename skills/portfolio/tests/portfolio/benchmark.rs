//! Comparing returns with a benchmark.

use nova_skill::{Value, json};
use nova_testkit::{Reply, SkillInVault};

use crate::{portfolio, trade};

fn price(date: &str, symbol: &str, close: &str, currency: &str) -> String {
    let file = format!("{date} {}", symbol.replace('/', " in "));
    format!(
        "//- Portfolio/Prices/{file}.md\n---\ntype: price\nsymbol: {symbol}\ndate: {date}\nclose: {close}\ncurrency: {currency}\n---\n"
    )
}

/// 1,000 that have become 1,100 since 21 November 2025, and a second buy half a year later.
fn vault() -> String {
    [
        trade("n", "symbol: NGTL\nkind: buy\ndate: 2025-11-21\nquantity: 10\nprice: 100\ncurrency: EUR"),
        trade("s", "symbol: SLVN\nkind: buy\ndate: 2026-05-20\nquantity: 1\nprice: 50\ncurrency: EUR"),
        price("2026-05-19", "NGTL", "105", "EUR"),
        price("2026-11-20", "NGTL", "110", "EUR"),
        price("2026-11-20", "SLVN", "60", "EUR"),
    ]
    .concat()
}

fn compared(vault: &str) -> SkillInVault {
    portfolio(vault).with_config(json!({"benchmark": "acwi"}))
}

#[test]
fn each_row_is_compared_over_its_own_period() {
    let vault = [
        vault(),
        price("2025-11-20", "ACWI", "80", "EUR"),
        price("2026-05-20", "ACWI", "96", "EUR"),
        price("2026-11-20", "ACWI", "100", "EUR"),
        "//- A.md\n---\ntype: position\nsymbol: ACWI\nname: All the world\nquantity: 0\ncost_basis: 0\nopened: 2026-11-20\ncurrency: EUR\n---\n".into(),
    ]
    .concat();
    let value = compared(&vault).value("returns", json!({}));
    let of = |symbol: &str| {
        let rows = value["positions"].as_array().unwrap();
        rows.iter().find(|row| row["symbol"] == symbol).unwrap()["benchmark"].clone()
    };
    // 100 / 80 and 100 / 96.
    assert_eq!((of("NGTL"), of("SLVN")), (json!("25.00"), json!("4.17")));
    assert_eq!(value["total"]["benchmark"], json!("25.00"));
    assert_eq!(
        value["benchmark"],
        json!({"symbol": "ACWI", "name": "All the world", "counts": "closes without dividends"})
    );
}

#[test]
fn another_currency_is_compared_at_the_rates_of_both_days() {
    let in_dollars = [
        vault(),
        price("2025-11-20", "ACWI", "80", "USD"),
        price("2026-11-20", "ACWI", "100", "USD"),
        price("2025-11-20", "USD/EUR", "1.00", "EUR"),
    ]
    .concat();
    // A user's rate is valid until there is a newer one.
    assert_eq!(compared(&in_dollars).value("returns", json!({}))["total"]["benchmark"], json!("25.00"));
    let with_rates = [in_dollars, price("2026-11-20", "USD/EUR", "0.90", "EUR")].concat();
    // 100 × 0.9 / 80
    assert_eq!(compared(&with_rates).value("returns", json!({}))["total"]["benchmark"], json!("12.50"));
}

#[test]
fn missing_benchmark_data_is_reported() {
    for (more, why) in [
        (String::new(), "there is no price of ACWI on 21 Nov 2025"),
        (
            [price("2025-11-20", "ACWI", "80", "USD"), price("2026-11-20", "ACWI", "100", "USD")].concat(),
            "there is no rate from USD to EUR on 21 Nov 2025",
        ),
    ] {
        let value = compared(&[vault(), more].concat()).value("returns", json!({}));
        assert_eq!(value["total"]["benchmark"], Value::Null);
        assert_eq!(value["total"]["time_weighted"].as_str().map(str::is_empty), Some(false));
        let problems = value["problems"].to_string();
        assert!(problems.contains(&format!("benchmark: {why}, so there is no comparison")), "{problems}");
    }
    let without = portfolio(&vault()).value("returns", json!({}));
    assert_eq!(without["benchmark"]["symbol"], Value::Null);
    assert_eq!(without["total"]["benchmark"], Value::Null);
    assert_eq!(without["problems"], json!([]));
}

#[test]
fn closes_of_the_benchmark_are_fetched_with_the_others() {
    let skill = portfolio(&vault())
        .with_config(json!({
            "benchmark": "ACWI",
            "sources": ["stooq"],
            "base_urls": {"stooq": "http://stooq.test"},
        }))
        .with_web(&["stooq.test"], |request| match request.path.starts_with("/q/d/l/") {
            true => {
                Reply::text("Date,Open,High,Low,Close,Volume\n2025-11-20,1,1,1,80,1\n2026-11-20,1,1,1,90,1\n")
            }
            false => {
                Reply::text("Symbol,Date,Time,Open,High,Low,Close,Volume\nX,2026-11-20,17:35:00,1,1,1,90,1\n")
            }
        });
    skill.value("quote", json!({"range": "1y"}));
    let asked: Vec<String> = skill.requests().into_iter().map(|request| request.path).collect();
    // From a week before the first day, which may not be a trading day.
    assert!(asked.iter().any(|path| path.contains("s=acwi.us&d1=20251114&")), "{asked:?}");
    let value = skill.value("returns", json!({}));
    // The closes are in dollars, and there is no exchange rate.
    assert!(value["problems"].to_string().contains("there is no rate from USD to EUR"), "{value}");
}
