//! Resolving the share that a text means.

use std::sync::Arc;

use nova_protocol::ErrorCode;
use nova_skill::{Value, json};
use nova_testkit::{FixedCredentials, Reply};

use crate::{beside_portfolio, chart, configured, found, lookup, unknown_symbol};

const CLOSES: &[(&str, &str)] = &[("2026-11-19", "41.83"), ("2026-11-20", "42.18")];

/// A search with these results, over shares that all have a price.
fn finding(rows: &'static [(&'static str, &'static str, &'static str)]) -> nova_testkit::SkillInVault {
    lookup(move |request| match request.path.starts_with("/v1/finance/search") {
        true => found(rows),
        false => {
            let symbol = request.path.trim_start_matches("/v8/finance/chart/").split('?').next().unwrap();
            chart(symbol, CLOSES, "")
        }
    })
}

#[test]
fn company_is_found_by_its_name() {
    let skill = finding(&[("NGTL", "Northgate Tooling", "NYSE"), ("NGTL.DE", "Northgate Tooling", "XETRA")]);
    let value = skill.value("pull_up_symbol", json!({"symbol": "Northgate"}));
    assert_eq!((&value["symbol"], &value["exchange"]), (&json!("NGTL"), &json!("NYSE")));
}

#[test]
fn ambiguous_company_is_not_chosen() {
    let skill = finding(&[
        ("NGTL", "Northgate Tooling", "NYSE"),
        ("NGM.L", "Northgate Minerals", "London"),
        ("NGH", "Northgate Homes", "NASDAQ"),
    ]);
    let error = skill.error("pull_up_symbol", json!({"symbol": "Northgate"}));
    assert_eq!(
        error.message,
        "Several companies match \"Northgate\": NGTL (Northgate Tooling, NYSE), NGM.L (Northgate Minerals, London), \
         NGH (Northgate Homes, NASDAQ)."
    );
}

#[test]
fn unknown_symbol_is_answered_with_similar_ones() {
    let skill = lookup(|request| match request.path.starts_with("/v1/finance/search") {
        true => found(&[("NGTL", "Northgate Tooling", "NYSE")]),
        false => unknown_symbol(),
    });
    let error = skill.error("pull_up_symbol", json!({"symbol": "NGTX"}));
    assert_eq!(error.code, ErrorCode::UnknownSymbol);
    assert_eq!(error.message, "No source knows NGTX: Yahoo says: No data found, symbol may be delisted.");
    assert_eq!(error.hint, "Did you mean NGTL (Northgate Tooling, NYSE)?");
}

#[test]
fn symbols_are_searched_by_name() {
    let skill = finding(&[("NGTL", "Northgate Tooling", "NYSE")]);
    assert_eq!(
        skill.value("search_symbol", json!({"query": "northgate"})),
        json!({"found": [
            {"symbol": "NGTL", "name": "Northgate Tooling", "exchange": "NYSE", "kind": "equity", "source": "Yahoo"},
        ]})
    );
}

#[test]
fn text_that_is_neither_symbol_nor_name_reaches_no_source() {
    let skill = lookup(|_| Reply::text("{}"));
    let long = "x".repeat(300);
    for said in ["", "   ", "NG\u{0}TL", long.as_str()] {
        let error = skill.error("pull_up_symbol", json!({"symbol": said}));
        assert!(error.message.starts_with("/symbol: must be a symbol"), "{}", error.message);
    }
    assert!(skill.requests().is_empty());
}

#[test]
fn symbol_is_one_segment_of_the_address() {
    let skill = lookup(|_| unknown_symbol());
    for said in ["../../X", "A/B", "A?B=C", "A#B"] {
        skill.error("pull_up_symbol", json!({"symbol": said}));
    }
    let other = |path: &&String| {
        !path.starts_with("/v8/finance/chart/") && !path.starts_with("/v1/finance/search?q=")
    };
    let paths: Vec<String> = skill.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths.iter().find(other), None);
    assert!(paths.iter().all(|path| path.matches('/').count() <= 4), "{paths:?}");
    let _: Value = json!(paths);
}

#[test]
fn symbol_of_three_companies_is_not_chosen() {
    let skill = finding(&[
        ("NORGT", "Northgate Tooling", "NYSE"),
        ("NORGT.L", "Norfolk Garden Tools", "London"),
        ("NORGT.AX", "North Gate Minerals", "ASX"),
    ]);
    let error = skill.error("pull_up_symbol", json!({"symbol": "norgt"}));
    assert_eq!(
        error.message,
        "Several companies match \"norgt\": NORGT (Northgate Tooling, NYSE), NORGT.L (Norfolk Garden Tools, London), \
         NORGT.AX (North Gate Minerals, ASX)."
    );
}

#[test]
fn next_source_searches_if_the_first_fails_or_finds_nothing() {
    for broken in [Reply::text("<html>Are you a robot?</html>"), Reply::text(r#"{"quotes":[]}"#)] {
        let config = json!({
            "sources": ["yahoo", "alpha_vantage"],
            "base_urls": {"yahoo": "http://yahoo.test", "alpha_vantage": "http://www.alphavantage.co"},
        });
        let mut skill = configured(config, move |request| match request.path.starts_with("/query?") {
            true => Reply::text(
                r#"{"bestMatches":[{"1. symbol":"NGTL","2. name":"Northgate Tooling","3. type":"Equity","4. region":"United States"}]}"#,
            ),
            false => broken.clone(),
        });
        skill.credentials =
            Arc::new(FixedCredentials::default().with("portfolio/ALPHA_VANTAGE_API_KEY", "a-key-of-mine"));
        let value = skill.value("search_symbol", json!({"query": "northgate"}));
        assert_eq!(
            (&value["found"][0]["symbol"], &value["found"][0]["source"]),
            (&json!("NGTL"), &json!("Alpha Vantage"))
        );
    }
}

#[test]
fn symbol_names_other_companies_with_the_same_letters() {
    let skill = finding(&[
        ("NORGT", "Northgate Tooling", "NYSE"),
        ("NORGT.L", "Norfolk Garden Tools", "London"),
        ("NORGT.DE", "Northgate Tooling", "XETRA"),
        ("NORG", "North Gold", "NYSE"),
    ]);
    let value = skill.value("pull_up_symbol", json!({"symbol": "NORGT"}));
    assert_eq!(value["price"], "42.18");
    let problems: Vec<&Value> =
        value["problems"].as_array().unwrap().iter().map(|row| &row["problem"]).collect();
    assert_eq!(problems, [&json!("NORGT is also NORGT.L (Norfolk Garden Tools, London)")]);
    // With its exchange there is nothing to confuse it with.
    let value = skill.value("pull_up_symbol", json!({"symbol": "NORGT.DE"}));
    assert_eq!(value["problems"], json!([]));
}

const POSITIONS: &str = "\
//- A.md
---
type: position
symbol: NGTL
name: Northgate
exchange: XETRA
currency: EUR
quantity: 1
---
//- B.md
---
type: position
symbol: NGM
name: Northgate
currency: GBP
exchange: LSE
quantity: 1
---
//- C.md
---
type: position
symbol: KSTL
name: Kestrel Pumps
exchange: XETRA
currency: EUR
quantity: 1
---
";

#[test]
fn name_of_several_positions_is_not_chosen() {
    let skill = beside_portfolio(POSITIONS, |_| chart("KSTL.DE", CLOSES, ""));
    let error = skill.error("pull_up_symbol", json!({"symbol": "northgate"}));
    assert_eq!(error.code, ErrorCode::Ambiguous);
    assert_eq!(
        error.message,
        "Several positions match \"northgate\": NGM (Northgate, LSE), NGTL (Northgate, XETRA)."
    );
    assert!(skill.requests().is_empty());
    skill.error("pull_up_symbol", json!({"symbol": "kestrel pumps"}));
    let paths: Vec<String> = skill.requests().into_iter().map(|request| request.path).collect();
    assert!(paths[0].starts_with("/v8/finance/chart/KSTL.DE?"), "{paths:?}");
}
