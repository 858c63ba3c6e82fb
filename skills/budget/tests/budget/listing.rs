use nova_skill::{Value, json};

use crate::{NOVEMBER, budget};

/// Checks the days and payees of the listed rows.
#[track_caller]
fn check(filters: Value, rows: &[&str]) {
    let list = budget(NOVEMBER).value("list", filters.clone());
    let found: Vec<String> = list["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            format!(
                "{} {} {}",
                row["date"].as_str().unwrap(),
                row["payee"].as_str().unwrap(),
                row["signed"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(found, rows, "{filters}");
    assert_eq!(list["count"], rows.len());
}

#[test]
fn occurrences_are_listed_newest_first() {
    check(
        json!({"from": "2026-10-01", "to": "2026-11-05"}),
        &[
            "2026-11-05 Coop -12.00",
            "2026-11-03 Corner Market -84.20",
            "2026-10-30 Linden Apartments -1180.00",
            "2026-10-02 Corner Market -60.00",
        ],
    );
}

#[test]
fn filters_are_combined() {
    check(
        json!({"category": "GROCERIES", "month": "2026-11"}),
        &[
            "2026-11-18 Corner Market 10.00",
            "2026-11-14 Corner Market -15.80",
            "2026-11-05 Coop -12.00",
            "2026-11-03 Corner Market -84.20",
        ],
    );
    check(json!({"category": "uncategorised"}), &["2026-11-21 Grandma 50.00", "2026-11-20 Kiosk -5.00"]);
    check(json!({"payee": "coop"}), &["2026-11-05 Coop -12.00"]);
    check(json!({"from": "2026-11-21", "to": "2026-11-21"}), &["2026-11-21 Grandma 50.00"]);
}

#[test]
fn rules_are_listed_in_the_order_they_are_tried() {
    let notes = "
//- Budget/Rules/Corner.md
---
type: rule
match: corner
category: groceries
---
//- Budget/Rules/Metro.md
---
type: rule
match: /metro|bus/
category: transport
priority: 20
---
";
    let corner = json!({
        "match": "corner", "category": "groceries", "priority": 10, "path": "Budget/Rules/Corner.md",
    });
    let metro = json!({
        "match": "/metro|bus/", "category": "transport", "priority": 20, "path": "Budget/Rules/Metro.md",
    });
    let rules = |filters| budget(notes).value("list", filters)["rules"].clone();
    assert_eq!(rules(json!({"kind": "rule"})), json!([metro, corner]));
    assert_eq!(rules(json!({"kind": "rule", "category": "Groceries"})), json!([corner]));
    assert_eq!(rules(json!({"kind": "rule", "payee": "metro"})), json!([metro]));
}

#[test]
fn totals_cover_all_rows_by_currency() {
    let outcome = budget(NOVEMBER).call("list", json!({"month": "2026-11", "limit": 1}));
    let list = outcome.result.unwrap();
    assert_eq!(list["entries"].as_array().unwrap().len(), 1);
    assert_eq!((&list["count"], &list["not_shown"]), (&json!(8), &json!(7)));
    assert_eq!(list["upcoming"], 1);
    assert_eq!(
        list["totals"],
        json!([
            {
                "currency": "CHF", "income": "0.00", "spent": "12.00", "left": "-12.00",
                "upcoming_income": "0.00", "upcoming_spent": "0.00", "left_with_upcoming": "-12.00",
                "transferred": "0.00", "upcoming_transferred": "0.00",
            },
            {
                "currency": "EUR", "income": "2450.00", "spent": "95.00", "left": "2355.00",
                "upcoming_income": "0.00", "upcoming_spent": "1180.00", "left_with_upcoming": "1175.00",
                "transferred": "0.00", "upcoming_transferred": "0.00",
            },
        ])
    );
    for figure in &outcome.figures {
        assert_eq!(list.pointer(&figure.at), Some(&json!(figure.value)), "{figure:?}");
    }
}

#[test]
fn rejects_invalid_periods() {
    for (filters, says) in [
        (json!({"from": "1.11.2026"}), "/from: \"1.11.2026\" is not a date YYYY-MM-DD."),
        (json!({"from": "2026-11-02", "to": "2026-11-01"}), "/to: is before 2026-11-02."),
        (json!({"month": "2026-11", "to": "2026-11-01"}), "/month: cannot be combined with from or to."),
    ] {
        assert_eq!(budget("").error("list", filters).message, says);
    }
}

#[test]
fn parallel_read_equals_sequential_read() {
    // Thousands of notes are read by several threads, hundreds by one.
    let note = |at: usize| {
        let properties = match at % 11 {
            0 => "type: income\ndate: 2026-11-02\namount: 12.50\n",
            1 => "type: expense\ndate: 2026-11-31\namount: 5\n",
            2 => "type: Expense\ndate: 2026-11-03\namount: 5\ncurrency: EUT\n",
            3 => "type: expense\ndate: 2026-11-03\namount: 5\nkind: refund\nmemo: \" spaced \"\n",
            4 => "type: expense\ndate: 2026-11-04\namount: 5\nrecurring: weekly\ncategory: Food\n",
            5 => "type: limit\ncategory: FOOD\namount: 9\n",
            6 => "type: expense\namount: 5\ncurrency: EUR\n",
            _ => "type: expense\ndate: 2026-11-05\namount: 0.10\ncurrency: eur\ncategory: food\n",
        };
        format!("//- B/{at:04}.md\n---\n{properties}---\n")
    };
    let list = |notes: std::ops::Range<usize>| {
        let vault: String = notes.map(note).collect();
        budget(&vault).value("list", json!({"month": "2026-11", "limit": 100_000}))
    };
    let (whole, parts) = (list(0..2_100), [0..700, 700..1_400, 1_400..2_100].map(list));
    let entries = |lists: &[Value]| {
        let rows = lists.iter().flat_map(|list| list["entries"].as_array().unwrap());
        let mut rows: Vec<String> = rows.map(Value::to_string).collect();
        rows.sort();
        rows
    };
    assert!(entries(std::slice::from_ref(&whole)) == entries(&parts), "each entry is listed as in its part");
    assert_eq!(whole["count"], 1_909);
    let unreadable = |list: &Value| list["unreadable"].as_array().unwrap().clone();
    // A second limit of a category is a problem only within one vault.
    let is_no_limit = |row: &Value| !row["problem"].as_str().unwrap().contains("is another limit of");
    let faults = |list: &Value| unreadable(list).into_iter().filter(is_no_limit).collect::<Vec<_>>();
    assert!(
        faults(&whole) == parts.iter().flat_map(faults).collect::<Vec<_>>(),
        "in the order of their notes"
    );
    let in_parts: usize = parts.iter().map(|list| unreadable(list).len()).sum();
    assert_eq!(unreadable(&whole).len(), in_parts + 2, "one limit holds instead of three");
    let first = unreadable(&whole).into_iter().find(|row| !is_no_limit(row)).unwrap();
    assert_eq!(
        (&first["path"], &first["problem"]),
        (&json!("B/0016.md"), &json!("B/0005.md is another limit of \"FOOD\", and that one is used"))
    );
}
