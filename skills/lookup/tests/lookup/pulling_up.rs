//! A share with its price, or with its last close if there is no price.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nova_skill::json;
use nova_testkit::{FixedCredentials, Reply};

use crate::{beside_portfolio, chart, chart_page, configured, lookup, with};

const YEAR: &[(&str, &str)] = &[
    ("2025-11-19", "30.00"),
    ("2025-11-20", "32.00"),
    ("2026-03-02", "29.80"),
    ("2026-08-03", "43.10"),
    ("2026-11-19", "41.83"),
    ("2026-11-20", "42.18"),
];

#[test]
fn price_comes_with_the_changes_of_the_day_and_the_year() {
    let skill = lookup(|_| chart("NGTL", YEAR, ""));
    assert_eq!(
        skill.value("pull_up_symbol", json!({"symbol": "ngtl"})),
        json!({
            "symbol": "NGTL", "name": "Northgate Tooling", "exchange": null, "currency": "USD",
            "price": "42.18", "price_at": "2026-11-20T12:00:00Z", "price_source": "Yahoo", "stale": null,
            "is_close": false,
            // (42.18 - 41.83) / 41.83, and (42.18 - 32) / 32.
            "day_change": "0.84", "year_change": "31.8", "year_low": "29.80", "year_high": "43.10",
            "closes_source": "Yahoo", "closes_from": "2025-11-19", "closes_to": "2026-11-20", "problems": [],
        })
    );
}

#[test]
fn range_adds_its_closes() {
    let skill = lookup(|_| chart("NGTL", YEAR, ""));
    let value = skill.value("pull_up_symbol", json!({"symbol": "NGTL", "range": "6m"}));
    assert_eq!(
        value["points"],
        json!([
            {"date": "2026-08-03", "close": "43.10", "volume": 1000},
            {"date": "2026-11-19", "close": "41.83", "volume": 1000},
            {"date": "2026-11-20", "close": "42.18", "volume": 1000},
        ])
    );
}

#[test]
fn share_younger_than_a_year_has_no_yearly_change() {
    let skill = lookup(|_| chart("NGTL", &YEAR[2..], ""));
    let value = skill.value("pull_up_symbol", json!({"symbol": "NGTL"}));
    assert_eq!((&value["year_change"], &value["year_low"]), (&json!(null), &json!("29.80")));
}

#[test]
fn stored_closes_are_used_if_no_source_answers() {
    let down = Arc::new(AtomicBool::new(false));
    let is_down = down.clone();
    let skill = lookup(move |_| match is_down.load(Ordering::SeqCst) {
        true => Reply::with(503, &[("retry-after", "0")], ""),
        false => chart("NGTL", YEAR, ""),
    });
    skill.value("pull_up_symbol", json!({"symbol": "NGTL"}));
    down.store(true, Ordering::SeqCst);
    let outcome = skill.call("pull_up_symbol", json!({"symbol": "NGTL", "range": "1m"}));
    let value = outcome.result.unwrap();
    assert_eq!((&value["price"], &value["is_close"]), (&json!("42.18"), &json!(true)));
    assert_eq!((&value["price_at"], &value["closes_to"]), (&json!("2026-11-20"), &json!("2026-11-20")));
    assert_eq!(value["problems"][0]["problem"], "NGTL: Yahoo has a server error (status 503)");
    assert_eq!(value["points"].as_array().unwrap().len(), 2);
    assert_eq!(outcome.figures[0].caution.as_deref(), Some("close of 2026-11-20"));
}

#[test]
fn closes_are_stored_by_exchange_whatever_its_name() {
    let down = Arc::new(AtomicBool::new(false));
    let is_down = down.clone();
    let position =
        "//- P.md\n---\ntype: position\nsymbol: NGTL\nexchange: Frankfurt\nquantity: 1\ncurrency: EUR\n---\n";
    let skill = beside_portfolio(position, move |_| match is_down.load(Ordering::SeqCst) {
        true => Reply::with(503, &[("retry-after", "0")], ""),
        false => Reply::text(&chart_page("NGTL.DE", YEAR, "").replace("\"USD\"", "\"EUR\"")),
    });
    assert_eq!(skill.value("pull_up_symbol", json!({"symbol": "NGTL"}))["exchange"], "Frankfurt");
    down.store(true, Ordering::SeqCst);
    let value = skill.value("pull_up_symbol", json!({"symbol": "NGTL.DE"}));
    assert_eq!((&value["exchange"], &value["is_close"]), (&json!("XETRA"), &json!(true)));
    assert_eq!((&value["price"], &value["currency"]), (&json!("42.18"), &json!("EUR")));
}

#[test]
fn shorter_range_fetched_later_loses_no_close() {
    let down = Arc::new(AtomicBool::new(false));
    let is_down = down.clone();
    let skill = lookup(move |request| match is_down.load(Ordering::SeqCst) {
        true => Reply::with(503, &[("retry-after", "0")], ""),
        // Requested from 21 October 2026 on.
        false if request.path.contains("/NGTL?period1=1792540800") => chart("NGTL", &YEAR[4..], ""),
        false => chart(if request.path.contains("/NGTL?") { "NGTL" } else { "BWOP" }, YEAR, ""),
    });
    skill.value("pull_up_symbol", json!({"symbol": "NGTL"}));
    let compared = skill.value("compare", json!({"symbols": ["NGTL", "BWOP"], "range": "1m"}));
    assert_eq!(compared["from"], "2026-11-19");
    down.store(true, Ordering::SeqCst);
    let value = skill.value("pull_up_symbol", json!({"symbol": "NGTL"}));
    assert_eq!((&value["closes_from"], &value["year_change"]), (&json!("2025-11-19"), &json!("31.8")));
}

#[test]
fn next_source_supplies_closes_missing_from_the_first() {
    let sources = json!({"sources": ["yahoo", "stooq"]});
    let skill = with(sources, |request| match request.path.as_str() {
        path if path.starts_with("/q/d/l/") => Reply::text(
            "Date,Open,High,Low,Close,Volume\n2026-11-19,1,1,1,41.83,1200\n2026-11-20,1,1,1,42.18,900\n",
        ),
        path if path.contains("period1") => Reply::text("<html>Are you a robot?</html>"),
        _ => chart("NGTL", YEAR, ""),
    });
    let value = skill.value("pull_up_symbol", json!({"symbol": "NGTL"}));
    assert_eq!((&value["price_source"], &value["closes_source"]), (&json!("Yahoo"), &json!("Stooq")));
    assert_eq!(value["day_change"], "0.84");
}

#[test]
fn share_quoted_in_pence_is_shown_in_pounds() {
    let skill = lookup(|_| Reply::text(&chart_page("NGTL.L", YEAR, "").replace("\"USD\"", "\"GBp\"")));
    let value = skill.value("pull_up_symbol", json!({"symbol": "NGTL.L"}));
    assert_eq!((&value["price"], &value["currency"]), (&json!("0.4218"), &json!("GBP")));
    assert_eq!((&value["symbol"], &value["exchange"]), (&json!("NGTL"), &json!("LSE")));
    assert_eq!((&value["year_high"], &value["year_change"]), (&json!("0.431"), &json!("31.8")));
}

#[test]
fn failing_source_does_not_make_the_symbol_unknown() {
    let skill = lookup(|_| Reply::with(503, &[("retry-after", "0")], ""));
    let error = skill.error("pull_up_symbol", json!({"symbol": "NGTL"}));
    assert_eq!(error.message, "NGTL could not be looked up: Yahoo has a server error (status 503).");
}

/// Each source by its own answers, with its key in a header.
#[test]
fn keyed_source_is_asked_over_http() {
    for (source, name, header, key) in [
        ("tiingo", "Tiingo", "Token a-key-of-mine", "portfolio/TIINGO_API_KEY"),
        ("twelve_data", "Twelve Data", "apikey a-key-of-mine", "portfolio/TWELVE_DATA_API_KEY"),
    ] {
        let config = json!({
            "sources": [source],
            "base_urls": {"tiingo": "http://api.tiingo.com", "twelve_data": "http://api.twelvedata.com"},
        });
        let mut skill = configured(config, |request| match request.path.split('?').next().unwrap() {
            "/tiingo/daily/NGTL/prices" => Reply::text(
                r#"[{"date":"2026-11-19T00:00:00.000Z","close":41.83,"volume":20,"divCash":0.0,"splitFactor":1.0},
                {"date":"2026-11-20T00:00:00.000Z","close":42.18,"volume":30,"divCash":0.0,"splitFactor":1.0}]"#,
            ),
            "/quote" => Reply::text(
                r#"{"symbol":"NGTL","name":"Northgate Tooling","currency":"USD","datetime":"2026-11-20",
                "timestamp":1795192500,"close":"42.18000","previous_close":"41.83"}"#,
            ),
            "/time_series" => Reply::text(
                r#"{"meta":{"currency":"USD"},"values":[{"datetime":"2026-11-20","close":"42.18","volume":"30"},
                {"datetime":"2026-11-19","close":"41.83","volume":"20"}],"status":"ok"}"#,
            ),
            _ => Reply::with(404, &[], r#"{"detail":"Not found."}"#),
        });
        skill.credentials = Arc::new(FixedCredentials::default().with(key, "a-key-of-mine"));
        let value = skill.value("pull_up_symbol", json!({"symbol": "NGTL", "range": "1m"}));
        assert_eq!((&value["price"], &value["price_source"]), (&json!("42.18"), &json!(name)), "{value:#}");
        assert_eq!((&value["closes_source"], &value["day_change"]), (&json!(name), &json!("0.84")));
        assert_eq!(value["points"][0], json!({"date": "2026-11-19", "close": "41.83", "volume": 20}));
        let requests = skill.requests();
        assert!(requests.iter().all(|request| request.headers["authorization"] == header));
        assert!(requests.iter().all(|request| !request.path.contains("a-key")));
    }
}

#[test]
fn source_without_a_currency_is_passed_over_for_a_share_in_pence() {
    let config = json!({
        "sources": ["finnhub", "yahoo"],
        "base_urls": {"yahoo": "http://yahoo.test", "finnhub": "http://finnhub.io"},
    });
    let mut skill = configured(config, |request| match request.path.starts_with("/api/v1/quote") {
        true => Reply::text(r#"{"c":4218,"pc":4183,"t":1795192500}"#),
        false => Reply::text(&chart_page("NGTL.L", YEAR, "").replace("\"USD\"", "\"GBp\"")),
    });
    skill.credentials =
        Arc::new(FixedCredentials::default().with("portfolio/FINNHUB_API_KEY", "a-key-of-mine"));
    let value = skill.value("pull_up_symbol", json!({"symbol": "NGTL.L"}));
    assert_eq!((&value["price"], &value["currency"]), (&json!("0.4218"), &json!("GBP")));
    assert_eq!(value["price_source"], "Yahoo");
    assert!(skill.requests().iter().all(|request| !request.path.starts_with("/api/v1/quote")));
}
