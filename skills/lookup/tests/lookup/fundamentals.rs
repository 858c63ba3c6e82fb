//! Key figures and filings of a company.

use std::sync::Arc;

use nova_skill::{Value, json};
use nova_testkit::{FixedCredentials, Reply, SkillInVault, WebRequest};

use crate::{chart, configured, lookup, with, without_contact};

const TICKERS: &str = r#"{"0":{"cik_str":1543151,"ticker":"NGTL","title":"NORTHGATE TOOLING INC"},
    "1":{"cik_str":42,"ticker":"BRK-B","title":"SOMETHING ELSE"}}"#;

const CLOSES: &[(&str, &str)] = &[("2025-06-25", "30"), ("2026-11-20", "40")];

fn fact(start: Option<&str>, end: &str, value: i64, form: &str, filed: &str) -> Value {
    let mut fact =
        json!({"end": end, "val": value, "form": form, "filed": filed, "accn": "x", "fy": 2025, "fp": "FY"});
    if let Some(start) = start {
        fact["start"] = json!(start);
    }
    fact
}

/// A year of 400, of which 100 in the first nine months, and 160 in the nine months since: 460 in twelve
/// months.
fn reported() -> Value {
    let year = |value: i64, year: i64| {
        fact(
            Some(&format!("{year}-01-01")),
            &format!("{year}-12-31"),
            value,
            "10-K",
            &format!("{}-02-20", year + 1),
        )
    };
    let months = |value: i64, year: i64| {
        fact(
            Some(&format!("{year}-01-01")),
            &format!("{year}-09-30"),
            value,
            "10-Q",
            &format!("{year}-11-05"),
        )
    };
    json!({
        "cik": 1543151, "entityName": "Northgate Tooling Inc.",
        "facts": {
            "dei": {"EntityCommonStockSharesOutstanding": {"units": {"shares": [
                fact(None, "2026-10-30", 20, "10-Q", "2026-11-05"),
            ]}}},
            "us-gaap": {
                "Revenues": {"units": {"USD": [
                    year(200, 2022), year(250, 2023), year(300, 2024), year(400, 2025),
                    months(100, 2025), months(160, 2026),
                ]}},
                // The tag used in earlier years.
                "SalesRevenueNet": {"units": {"USD": [year(1, 2016)]}},
                "NetIncomeLoss": {"units": {"USD": [year(40, 2025), months(20, 2025), months(26, 2026)]}},
                "OperatingIncomeLoss": {"units": {"USD": [year(80, 2025), months(30, 2025), months(42, 2026)]}},
                "DepreciationDepletionAndAmortization": {"units": {"USD": [
                    year(8, 2025), months(6, 2025), months(6, 2026),
                ]}},
                "CashAndCashEquivalentsAtCarryingValue": {"units": {"USD": [
                    fact(None, "2026-09-30", 50, "10-Q", "2026-11-05"),
                ]}},
                "LongTermDebtNoncurrent": {"units": {"USD": [
                    fact(None, "2026-09-30", 130, "10-Q", "2026-11-05"),
                ]}},
                "LongTermDebtCurrent": {"units": {"USD": [
                    fact(None, "2026-09-30", 20, "10-Q", "2026-11-05"),
                ]}},
            },
        },
    })
}

fn answer(request: &WebRequest, reported: &Value, events: &str) -> Reply {
    match request.path.as_str() {
        "/files/company_tickers.json" => Reply::text(TICKERS),
        "/api/xbrl/companyfacts/CIK0001543151.json" => Reply::text(&reported.to_string()),
        "/submissions/CIK0001543151.json" => Reply::text(
            &json!({"name": "Northgate Tooling Inc.", "filings": {"recent": {
                "accessionNumber": ["0001543151-26-000007", "0001543151-26-000002"],
                "form": ["10-Q", "10-K"],
                "filingDate": ["2026-11-05", "2026-02-20"],
                "reportDate": ["2026-09-30", "2025-12-31"],
                "primaryDocument": ["q3.htm", "annual.htm"],
                "primaryDocDescription": ["10-Q", "ANNUAL REPORT 2025"],
            }}})
            .to_string(),
        ),
        path if path.contains("/chart/") => chart("NGTL", CLOSES, events),
        path => Reply::with(404, &[], path),
    }
}

fn figures(reported: Value, events: &'static str) -> Value {
    lookup(move |request| answer(request, &reported, events)).value("fundamentals", json!({"symbol": "NGTL"}))
}

#[track_caller]
fn check(value: &Value, key: &str, expected: &str, unit: &str, date: &str) {
    let rows = value["figures"].as_array().unwrap();
    let row = rows.iter().find(|row| row["key"] == key).unwrap();
    assert_eq!(
        (&row["value"], &row["unit"], &row["date"]),
        (&json!(expected), &json!(unit), &json!(date)),
        "{row}"
    );
}

#[track_caller]
fn missing(value: &Value, key: &str) -> String {
    let row = value["figures"].as_array().unwrap().iter().find(|row| row["key"] == key).unwrap();
    assert_eq!(row["value"], json!(null));
    row["missing"].as_str().unwrap().to_owned()
}

#[test]
fn twelve_months_are_the_last_year_plus_the_interim_change() {
    let value = figures(reported(), "");
    assert_eq!(value["name"], "Northgate Tooling Inc.");
    check(&value, "revenue", "460", "USD", "2026-09-30");
    // 20 shares at 40.
    check(&value, "market_value", "800", "USD", "2026-11-20");
    // 40 - 20 + 26 = 46 of net income: 800 / 46, 46 / 20, 46 / 460.
    check(&value, "price_to_earnings", "17.4", "ratio", "2026-09-30");
    check(&value, "earnings_per_share", "2.30", "USD", "2026-09-30");
    check(&value, "net_margin", "10.0", "percent", "2026-09-30");
    check(&value, "price_to_sales", "1.7", "ratio", "2026-09-30");
    // (400 / 200) ^ (1 / 3) - 1
    check(&value, "revenue_growth_3y", "26.0", "percent", "2025-12-31");
    // 80 - 30 + 42 = 92 of 460; 130 + 20 - 50 = 100 over 92 + 8.
    check(&value, "operating_margin", "20.0", "percent", "2026-09-30");
    check(&value, "net_debt_to_ebitda", "1.0", "ratio", "2026-09-30");
    let growth = value["figures"].as_array().unwrap().iter().find(|row| row["key"] == "revenue_growth_3y");
    assert_eq!(growth.unwrap()["newer"], "2026-09-30", "a report of nine more months is there");
}

#[test]
fn split_after_the_share_count_multiplies_it() {
    // Two for one on 10 November, between the count of 30 October and the close of the 20th.
    let second = "2026-11-10T12:00:00Z".parse::<nova_skill::jiff::Timestamp>().unwrap().as_second();
    let events = format!(
        r#""splits":{{"{second}":{{"date":{second},"numerator":2,"denominator":1,"splitRatio":"2:1"}}}},
        "dividends":{{"{second}":{{"date":{second},"amount":0.5}}}}"#
    );
    let value = figures(reported(), events.leak());
    check(&value, "market_value", "1600", "USD", "2026-11-20");
    check(&value, "earnings_per_share", "1.15", "USD", "2026-09-30");
    check(&value, "dividend", "0.50", "USD", "2026-11-20");
    check(&value, "dividend_yield", "1.3", "percent", "2026-11-20");
}

#[test]
fn split_announced_for_tomorrow_changes_no_figure() {
    let second = "2026-11-22T12:00:00Z".parse::<nova_skill::jiff::Timestamp>().unwrap().as_second();
    let events = format!(
        r#""splits":{{"{second}":{{"date":{second},"numerator":2,"denominator":1,"splitRatio":"2:1"}}}}"#
    );
    let value = figures(reported(), events.leak());
    check(&value, "market_value", "800", "USD", "2026-11-20");
    check(&value, "earnings_per_share", "2.30", "USD", "2026-09-30");
}

#[test]
fn outdated_share_count_gives_no_figure() {
    let mut old = reported();
    old["facts"]["dei"]["EntityCommonStockSharesOutstanding"]["units"]["shares"] =
        json!([fact(None, "2015-01-30", 20, "10-Q", "2015-02-05")]);
    let value = figures(old, "");
    for key in ["market_value", "price_to_earnings", "earnings_per_share"] {
        assert_eq!(missing(&value, key), "the last reported number of shares is from 2015-01-30");
    }
    check(&value, "revenue", "460", "USD", "2026-09-30");
}

#[test]
fn corrected_figure_replaces_the_original() {
    let mut reported = reported();
    let revenue = reported["facts"]["us-gaap"]["Revenues"]["units"]["USD"].as_array_mut().unwrap();
    revenue.push(fact(Some("2025-01-01"), "2025-12-31", 390, "10-K/A", "2026-06-01"));
    check(&figures(reported, ""), "revenue", "450", "USD", "2026-09-30");
}

#[test]
fn unknown_figures_have_a_reason() {
    let mut loss = reported();
    loss["facts"]["us-gaap"]["NetIncomeLoss"]["units"]["USD"] =
        json!([fact(Some("2025-01-01"), "2025-12-31", -4, "10-K", "2026-02-20")]);
    loss["facts"]["us-gaap"].as_object_mut().unwrap().remove("LongTermDebtNoncurrent");
    loss["facts"]["us-gaap"].as_object_mut().unwrap().remove("LongTermDebtCurrent");
    let value = figures(loss, "");
    assert_eq!(missing(&value, "price_to_earnings"), "the company made a loss");
    assert_eq!(missing(&value, "net_debt_to_ebitda"), "no debt was reported");

    let skill = lookup(move |request| match request.path.contains("/chart/") {
        true => Reply::text("<html>"),
        false => answer(request, &reported(), ""),
    });
    let value = skill.value("fundamentals", json!({"symbol": "NGTL"}));
    assert!(missing(&value, "market_value").starts_with("there is no close: Yahoo answered with a web page"));
    check(&value, "revenue", "460", "USD", "2026-09-30");
}

#[test]
fn company_reporting_in_another_currency_has_no_price_ratio() {
    let mut euros = reported();
    for tag in euros["facts"]["us-gaap"].as_object_mut().unwrap().values_mut() {
        let rows = tag["units"]["USD"].take();
        tag["units"] = json!({"EUR": rows});
    }
    let value = figures(euros, "");
    assert_eq!(missing(&value, "price_to_earnings"), "the company reports in EUR and is quoted in USD");
    check(&value, "net_margin", "10.0", "percent", "2026-09-30");
}

#[test]
fn filings_have_addresses() {
    let skill = lookup(|request| answer(request, &reported(), ""));
    assert_eq!(
        skill.value("filings", json!({"symbol": "NGTL", "limit": 2})),
        json!({"symbol": "NGTL", "name": "Northgate Tooling Inc.", "count": 2, "filings": [
            {"form": "10-Q", "title": "Quarterly report, 2026-09-30", "date": "2026-11-05",
             "url": "https://www.sec.gov/Archives/edgar/data/1543151/000154315126000007/q3.htm"},
            {"form": "10-K", "title": "ANNUAL REPORT 2025", "date": "2026-02-20",
             "url": "https://www.sec.gov/Archives/edgar/data/1543151/000154315126000002/annual.htm"},
        ]})
    );
    assert_eq!(skill.value("filings", json!({"symbol": "NGTL", "form": "10-k"}))["count"], 1);
    let asked = skill.requests();
    let lists = asked.iter().filter(|request| request.path.contains("company_tickers")).count();
    assert_eq!(lists, 1, "the list of companies is kept");
    assert!(asked.iter().all(|request| request.headers["user-agent"] == "Nova jane@example.org"));
}

#[test]
fn without_a_contact_address_the_sec_is_not_contacted() {
    let skill = without_contact(|request| answer(request, &reported(), ""));
    let error = skill.error("filings", json!({"symbol": "NGTL"}));
    assert_eq!(error.hint, "Set Contact in Settings, Skills, Lookup.");
    assert!(skill.requests().is_empty());
}

#[test]
fn foreign_symbol_is_not_mistaken_for_a_us_one() {
    let skill = lookup(|request| answer(request, &reported(), ""));
    let error = skill.error("filings", json!({"symbol": "NGTL.DE"}));
    assert!(error.message.starts_with("NGTL is listed at XETRA"), "{}", error.message);
    let skill =
        with(json!({"symbols": {"NGTL": {"sec": "1543151"}}}), |request| answer(request, &reported(), ""));
    assert_eq!(skill.value("filings", json!({"symbol": "NGTL.DE"}))["count"], 2);
}

/// Alpha Vantage beside Yahoo, with its key, and no contact for the SEC.
fn keyed(answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static) -> SkillInVault {
    let config = json!({
        "sources": ["yahoo", "alpha_vantage"],
        "base_urls": {"yahoo": "http://yahoo.test", "alpha_vantage": "http://www.alphavantage.co", "sec": "http://sec.test"},
    });
    let mut skill = configured(config, answer);
    skill.credentials =
        Arc::new(FixedCredentials::default().with("portfolio/ALPHA_VANTAGE_API_KEY", "a-key-of-mine"));
    skill
}

#[test]
fn keyed_source_has_key_figures_where_the_sec_has_none() {
    let skill = keyed(|request| {
        assert!(request.path.starts_with("/query?function=OVERVIEW&symbol=NGTL&"), "{}", request.path);
        Reply::text(
            r#"{"Symbol":"NGTL","Name":"Northgate Tooling","Currency":"USD","LatestQuarter":"2026-09-30",
            "MarketCapitalization":"1250000000","PERatio":"17.4","EPS":"2.35"}"#,
        )
    });
    let value = skill.value("fundamentals", json!({"symbol": "NGTL"}));
    assert_eq!(value["name"], "Northgate Tooling");
    assert_eq!(
        value["figures"][0],
        json!({"key": "market_value", "name": "Market value", "value": "1250000000", "unit": "USD",
               "how": "Alpha Vantage", "date": "2026-11-21", "newer": null, "missing": null, "remedy": null})
    );
    let revenue = value["figures"].as_array().unwrap().iter().find(|row| row["key"] == "revenue").unwrap();
    assert_eq!(revenue["missing"], "Alpha Vantage does not have it");
    assert!(!value.to_string().contains("a-key-of-mine"));
}

#[test]
fn error_of_the_sec_stands_if_no_keyed_source_has_figures() {
    let skill = keyed(|_| Reply::text("{}"));
    let error = skill.error("fundamentals", json!({"symbol": "NGTL"}));
    assert_eq!(error.hint, "Set Contact in Settings, Skills, Lookup.");
}
