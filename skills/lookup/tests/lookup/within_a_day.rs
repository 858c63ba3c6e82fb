//! The prices within the last trading day, over HTTP.

use nova_skill::json;
use nova_testkit::Reply;

use crate::{chart, lookup, with};

const CLOSES: &[(&str, &str)] = &[("2025-11-20", "32.00"), ("2026-11-19", "41.83"), ("2026-11-20", "42.18")];

/// Friday, 20 November 2026, from 9:30 in New York: a price, five minutes without a trade, the last price.
fn minutes() -> Reply {
    Reply::text(
        r#"{"chart":{"result":[{"meta":{"currency":"USD","symbol":"NGTL","gmtoffset":-18000,"timezone":"EST",
        "exchangeTimezoneName":"America/New_York","regularMarketPrice":42.18,"regularMarketTime":1795208402,
        "chartPreviousClose":41.83,"dataGranularity":"5m","range":"1d"},
        "timestamp":[1795185000,1795185300,1795208402],
        "indicators":{"quote":[{"close":[41.900001525878906,null,42.18],"volume":[12000,null,0]}]}}],"error":null}}"#,
    )
}

#[test]
fn day_has_prices_at_the_time_of_the_exchange() {
    let skill = lookup(|request| match request.path.contains("interval=5m") {
        true => minutes(),
        false => chart("NGTL", CLOSES, ""),
    });
    let value = skill.value("pull_up_symbol", json!({"symbol": "NGTL", "range": "1d"}));
    assert_eq!(
        value["intraday"],
        json!({"source": "Yahoo", "zone": "America/New_York", "points": [
            {"time": "2026-11-20T09:30:00-05:00", "price": "41.90", "volume": 12000},
            {"time": "2026-11-20T16:00:02-05:00", "price": "42.18", "volume": 0},
        ]})
    );
    // The figures of the year stay those of the closes.
    assert_eq!((&value["year_change"], &value["problems"]), (&json!("31.8"), &json!([])));
    assert!(value.get("points").is_none());
}

#[test]
fn prices_within_a_day_are_not_stored() {
    let skill = lookup(|request| match request.path.contains("interval=5m") {
        true => minutes(),
        false => Reply::with(503, &[("retry-after", "0")], ""),
    });
    let error = skill.error("pull_up_symbol", json!({"symbol": "NGTL", "range": "1d"}));
    assert_eq!(error.message, "NGTL could not be looked up: Yahoo has a server error (status 503).");
    let again = skill.error("pull_up_symbol", json!({"symbol": "NGTL"}));
    assert_eq!(again.message, error.message, "no close of that day");
}

#[test]
fn next_source_is_asked_for_the_day() {
    let answer = |request: &nova_testkit::WebRequest| match request.path.as_str() {
        path if path.contains("interval=5m") => minutes(),
        path if path.starts_with("/q/l/") => Reply::text(
            "Symbol,Date,Time,Open,High,Low,Close,Volume\nNGTL.US,2026-11-20,22:00:00,1,1,1,42.18,900\n",
        ),
        path if path.starts_with("/q/d/l/") => Reply::text(
            "Date,Open,High,Low,Close,Volume\n2026-11-19,1,1,1,41.83,1200\n2026-11-20,1,1,1,42.18,900\n",
        ),
        _ => chart("NGTL", CLOSES, ""),
    };
    let both = with(json!({"sources": ["stooq", "yahoo"]}), answer);
    let value = both.value("pull_up_symbol", json!({"symbol": "NGTL", "range": "1d"}));
    assert_eq!((&value["closes_source"], &value["intraday"]["source"]), (&json!("Stooq"), &json!("Yahoo")));
    let alone = with(json!({"sources": ["stooq"]}), answer);
    let value = alone.value("pull_up_symbol", json!({"symbol": "NGTL", "range": "1d"}));
    assert_eq!((&value["price"], &value["intraday"]), (&json!("42.18"), &json!(null)));
    assert_eq!(
        value["problems"][0]["problem"],
        "NGTL has no chart of the day: Stooq gives no prices within a day"
    );
}

#[test]
fn web_page_in_place_of_the_day_is_named() {
    let skill = lookup(|request| match request.path.contains("interval=5m") {
        true => Reply::text("<!DOCTYPE html><html>Are you a robot?</html>"),
        false => chart("NGTL", CLOSES, ""),
    });
    let value = skill.value("pull_up_symbol", json!({"symbol": "NGTL", "range": "1d"}));
    assert_eq!((&value["price"], &value["intraday"]), (&json!("42.18"), &json!(null)));
    assert_eq!(
        value["problems"][0]["problem"],
        "NGTL has no chart of the day: Yahoo answered with a web page instead of a quote"
    );
}

#[test]
fn comparison_has_no_range_of_a_day() {
    let skill = lookup(|_| chart("NGTL", CLOSES, ""));
    let error = skill.error("compare", json!({"symbols": ["NGTL", "BWOP"], "range": "1d"}));
    assert!(error.message.contains("range"), "{}", error.message);
}
