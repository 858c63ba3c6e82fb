//! Report figures on each day, with only what was public then.
#![allow(clippy::unwrap_used)]

use jiff::civil::Date;
use nova_market::expression::{Columns as _, Expression, Field, Wanted};
use nova_market::kept::Origin;
use nova_market::sources::sec::Reported;
use nova_market::{Close, Daily, ShareColumns, key_figures};
use rust_decimal::Decimal;
use serde_json::{Value, json};

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn year(value: i64, year: i16, filed: &str) -> Value {
    json!({"start": format!("{year}-01-01"), "end": format!("{year}-12-31"), "val": value, "form": "10-K", "filed": filed})
}

/// Two annual reports, the first of which was restated, and a two-for-one split on 1 June 2025.
fn reported() -> Reported {
    serde_json::from_value(json!({"entityName": "Northgate Tooling Inc.", "facts": {
        "dei": {"EntityCommonStockSharesOutstanding": {"units": {"shares": [
            {"end": "2025-01-31", "val": 10, "form": "10-K", "filed": "2025-02-20"},
            {"end": "2026-01-31", "val": 20, "form": "10-K", "filed": "2026-02-20"},
        ]}}},
        "us-gaap": {
            "Revenues": {"units": {"USD": [
                year(100, 2024, "2025-02-20"), year(90, 2024, "2025-08-01"), year(120, 2025, "2026-02-20"),
            ]}},
            "NetIncomeLoss": {"units": {"USD": [year(10, 2024, "2025-02-20"), year(-5, 2025, "2026-02-20")]}},
        },
    }}))
    .unwrap()
}

/// A close of 5 in today's shares on each of these days.
fn daily(days: &[&str]) -> Daily {
    let column = vec![5.0; days.len()];
    Daily {
        days: days.iter().map(|text| day(text)).collect(),
        open: column.clone(),
        high: column.clone(),
        low: column.clone(),
        close: column.clone(),
        volume: column,
        splits: vec![(day("2025-06-01"), 2.0)],
        dividends: vec![(day("2025-03-10"), 0.25)],
    }
}

fn origin(has_events: bool) -> Origin {
    Origin {
        source: "Yahoo".into(),
        since: day("2024-01-01"),
        currency: "USD".into(),
        url: String::new(),
        fetched: String::new(),
        has_events,
    }
}

const DAYS: [&str; 6] = ["2025-02-20", "2025-02-21", "2025-08-01", "2025-08-04", "2026-02-20", "2026-02-23"];

/// The figure on each of [`DAYS`], `?` if unknown.
#[track_caller]
fn check(field: &str, has_events: bool, expected: &str) {
    let (daily, reported) = (daily(&DAYS), reported());
    let origin = origin(has_events);
    let columns = ShareColumns::new(&daily, &origin, Some(&reported));
    let values = Expression::parse(field, Wanted::Number).unwrap().number(&columns);
    let shown = values.iter().map(|value| {
        if value.is_nan() { "?".into() } else { format!("{}", (value * 100.0).round() / 100.0) }
    });
    assert_eq!(shown.collect::<Vec<String>>().join(" "), expected, "{field}");
}

#[test]
fn report_counts_as_filed_from_the_day_after_its_filing() {
    check("revenue", true, "? 100 100 90 90 120");
    check("net_margin", true, "? 10 10 11.11 11.11 -4.17");
    check("revenue_growth_1y", true, "? ? ? ? ? 33.33");
}

#[test]
fn share_counts_are_split_adjusted_like_closes() {
    // Ten shares before the split are twenty afterwards, each at 5.
    check("market_value", true, "? 100 100 100 100 100");
    // Twenty shares at 5 for a profit of 10; a loss has no ratio.
    check("price_to_earnings", true, "? 10 10 10 10 ?");
    check("share_change_1y", true, "? ? ? ? ? 0");
}

#[test]
fn old_share_counts_are_unknown_if_no_source_reports_splits() {
    // There may be a split between a past close and the count.
    check("market_value", false, "? ? ? ? ? 100");
    check("share_change_1y", false, "? ? ? ? ? ?");
    check("dividend_yield", false, "? ? ? ? ? ?");
    check("dividend_yield", true, "0 0 5 5 5 5");
}

#[test]
fn last_day_agrees_with_the_key_figures() {
    let (daily, reported) = (daily(&DAYS), reported());
    let origin = origin(true);
    let columns = ShareColumns::new(&daily, &origin, Some(&reported));
    let close = Close {
        price: Decimal::from(5),
        currency: "USD".into(),
        date: day("2026-02-23"),
        splits: Some(vec![(day("2025-06-01"), Decimal::TWO)]),
    };
    let figures = key_figures(&reported, Some(&close));
    let mut compared = 0;
    for figure in figures {
        let Some(field) = Field::named(figure.key) else { continue };
        let column = columns.figures(field);
        let last = *column.last().unwrap();
        match figure.value {
            Ok(known) => {
                let known = f64::try_from(known.value).unwrap();
                // Ratios and percentages are rounded to one place.
                assert!((known - last).abs() <= 0.05 + 1e-9, "{}: {known}, {last}", figure.key);
                compared += 1;
            }
            Err(why) => assert!(last.is_nan(), "{}: {why}, {last}", figure.key),
        }
    }
    assert!(compared >= 4, "{compared}");
}
