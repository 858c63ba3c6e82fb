use nova_skill::{Value, json};

use crate::{NOVEMBER, budget};

/// Checks the value at a JSON pointer of the month's summary.
#[track_caller]
fn check(notes: &str, month: &str, at: &str, expected: Value) {
    let summary = budget(notes).value("month_summary", json!({"month": month}));
    assert_eq!(summary.pointer(at), Some(&expected), "{at} of {summary:#}");
}

#[test]
fn month_equals_manual_calculation() {
    // 84.20 + 15.80 − 10 + 5 by 21 November; the rent is due on the 30th.
    check(NOVEMBER, "2026-11", "/spent", json!("95.00"));
    check(NOVEMBER, "2026-11", "/upcoming_spent", json!("1180.00"));
    check(NOVEMBER, "2026-11", "/income", json!("2450.00"));
    check(NOVEMBER, "2026-11", "/upcoming_income", json!("0.00"));
    check(NOVEMBER, "2026-11", "/left", json!("2355.00"));
    check(NOVEMBER, "2026-11", "/left_with_upcoming", json!("1175.00"));
    check(NOVEMBER, "2026-11", "/left_detail", json!("and -12.00 CHF; 1175.00 EUR on 30 Nov"));
    check(NOVEMBER, "2026-11", "/currency", json!("EUR"));
    check(NOVEMBER, "2026-11", "/upcoming", json!(1));
    check(NOVEMBER, "2026-11", "/entries", json!(8));
}

#[test]
fn categories_are_compared_with_limit_and_earlier_months() {
    let summary = budget(NOVEMBER).value("month_summary", json!({"month": "2026-11"}));
    assert_eq!(
        summary["categories"],
        json!([
            {
                "category": "groceries", "currency": "EUR", "spent": "90.00", "count": 3,
                "limit": "80.00", "left_of_limit": "-10.00", "over_limit": true,
                "left_with_upcoming": "-10.00", "over_limit_with_upcoming": true,
                "limit_detail": "10.00 EUR over the limit of 80.00 EUR", "used": "112.5",
                "path": "Budget/Limits/Groceries.md",
                // September, the first month with a note, has no groceries.
                "last_month": "60.00", "average": "30.00",
            },
            {
                "category": "uncategorised", "currency": "EUR", "spent": "5.00", "count": 1,
                "last_month": "0.00", "average": "0.00",
            },
            {
                "category": "rent", "currency": "EUR", "spent": "0.00", "count": 0,
                "upcoming_spent": "1180.00", "upcoming_count": 1,
                "last_month": "1180.00", "average": "1180.00",
            },
        ])
    );
    assert_eq!(
        summary["income_categories"],
        json!([{"category": "salary", "amount": "2400.00"}, {"category": "uncategorised", "amount": "50.00"}])
    );
}

#[test]
fn currencies_are_never_added() {
    check(NOVEMBER, "2026-11", "/other_currencies/0/currency", json!("CHF"));
    check(NOVEMBER, "2026-11", "/other_currencies/0/spent", json!("12.00"));
    check(NOVEMBER, "2026-11", "/other_currencies/0/left", json!("-12.00"));
    let summary = budget(NOVEMBER).value("month_summary", json!({"month": "2026-11"}));
    assert_eq!(summary["other_currencies"].as_array().map(Vec::len), Some(1));
}

#[test]
fn requested_currency_comes_first_and_none_is_lost() {
    let budget = budget(NOVEMBER);
    let francs = budget.value("month_summary", json!({"month": "2026-11", "currency": "chf"}));
    assert_eq!(
        (&francs["currency"], &francs["spent"], &francs["other_currencies"][0]["currency"]),
        (&json!("CHF"), &json!("12.00"), &json!("EUR"))
    );
    assert_eq!(francs["other_currencies"][0]["spent"], "95.00");
    let error = budget.error("month_summary", json!({"month": "2026-11", "currency": "francs"}));
    assert!(error.message.contains("not a currency"), "{error}");
}

#[test]
fn limit_in_another_currency_is_in_the_rows_of_that_currency() {
    let limit = "//- L.md\n---\ntype: limit\ncategory: travel\namount: 300\ncurrency: USD\n---\n";
    let summary = budget(&format!("{NOVEMBER}\n{limit}")).value("month_summary", json!({"month": "2026-11"}));
    let others = summary["other_currencies"].as_array().unwrap();
    let dollars = others.iter().find(|other| other["currency"] == "USD").unwrap();
    assert_eq!(dollars["categories"][0]["limit"], "300.00");
}

#[test]
fn earlier_months_include_recurring_entries() {
    check(
        NOVEMBER,
        "2026-11",
        "/months",
        json!([
            {"month": "2026-06", "income": "0.00", "spent": "0.00", "left": "0.00", "upcoming_income": "0.00", "upcoming_spent": "0.00"},
            {"month": "2026-07", "income": "0.00", "spent": "0.00", "left": "0.00", "upcoming_income": "0.00", "upcoming_spent": "0.00"},
            {"month": "2026-08", "income": "0.00", "spent": "0.00", "left": "0.00", "upcoming_income": "0.00", "upcoming_spent": "0.00"},
            {"month": "2026-09", "income": "0.00", "spent": "1180.00", "left": "-1180.00", "upcoming_income": "0.00", "upcoming_spent": "0.00"},
            {"month": "2026-10", "income": "0.00", "spent": "1240.00", "left": "-1240.00", "upcoming_income": "0.00", "upcoming_spent": "0.00"},
            {"month": "2026-11", "income": "2450.00", "spent": "95.00", "left": "2355.00", "upcoming_income": "0.00", "upcoming_spent": "1180.00"},
        ]),
    );
}

#[test]
fn each_figure_is_in_the_value_and_cites_its_notes() {
    let outcome = budget(NOVEMBER).call("month_summary", json!({"month": "2026-11"}));
    let value = outcome.result.unwrap();
    assert!(outcome.figures.len() >= 9, "{:?}", outcome.figures);
    for figure in &outcome.figures {
        assert_eq!(value.pointer(&figure.at), Some(&json!(figure.value)), "{figure:?}");
    }
    let spent = outcome.figures.iter().find(|figure| figure.at == "/spent").unwrap();
    assert_eq!((spent.label.as_str(), spent.unit.as_str()), ("Spent in November 2026", "EUR"));
    assert_eq!((spent.caution.as_deref(), spent.sources.len()), (None, 4));
    let parts: Vec<(&str, &str)> =
        spent.parts.iter().map(|part| (part.label.as_str(), part.value.as_str())).collect();
    assert_eq!(parts, [("groceries", "90.00"), ("uncategorised", "5.00")]);
    let of = |at: &str| outcome.figures.iter().find(|figure| figure.at == at).unwrap();
    assert_eq!((of("/upcoming_spent").sources.len(), of("/left").sources.len()), (1, 6));
    assert_eq!(of("/left_with_upcoming").sources.len(), 7, "four expenses, two incomes and the rent");
    assert_eq!(of("/categories/2/upcoming_spent").value, "1180.00");
}

#[test]
fn invalid_records_are_reported_and_excluded() {
    let broken = "
//- Budget/Expenses/1.md
---
type: expense
date: 2026-11-31
amount: 1.00
currency: EUR
---
//- Budget/Expenses/2.md
---
type: expense
date: 2026-11-01
amount: 1,50
currency: EUR
---
//- Budget/Expenses/3.md
---
type: expense
date: 2026-11-01
amount: -4
currency: EUR
---
//- Budget/Expenses/4.md
---
type: expense
date: 2026-11-01
amount: 4
currency: EURO
---
//- Budget/Expenses/5.md
---
type: expense
amount: 4
currency: EUR
---
//- Budget/Expenses/6.md
---
type: expense
date: [2026
---
//- Budget/Expenses/7.md
---
type: expense
date: 2026-11-01
amount: 7
---
//- Budget/Rules/8.md
---
type: rule
match: /(/
category: x
---
";
    let summary = budget(broken).value("month_summary", json!({"month": "2026-11"}));
    assert_eq!((&summary["spent"], &summary["entries"]), (&json!("7.00"), &json!(1)));
    let rows = summary["unreadable"].as_array().unwrap();
    let problems: Vec<(&str, u64)> =
        rows.iter().map(|row| (row["path"].as_str().unwrap(), row["line"].as_u64().unwrap())).collect();
    assert_eq!(problems[0], ("Budget/Expenses/1.md", 3));
    assert_eq!(problems[1], ("Budget/Expenses/2.md", 4));
    assert_eq!(problems[2], ("Budget/Expenses/3.md", 4));
    assert_eq!(problems[3], ("Budget/Expenses/4.md", 5));
    assert_eq!(problems[4].0, "Budget/Expenses/5.md");
    assert_eq!(rows[4]["remedy"], "Add it: an expense needs a date.");
    assert_eq!(problems[5].0, "Budget/Expenses/6.md");
    assert_eq!(problems[6], ("Budget/Rules/8.md", 3));
    assert_eq!(rows[1]["remedy"], "Write it as 1.50.");
    assert!(rows[3]["problem"].as_str().unwrap().contains("`EURO`"), "{}", rows[3]);
    assert_eq!(problems.len(), 7);
}

#[test]
fn inexact_sum_is_an_error() {
    let huge = "
//- Budget/Expenses/1.md
---
type: expense
date: 2026-11-01
amount: 79228162514264337593543950335
currency: EUR
---
//- Budget/Expenses/2.md
---
type: expense
date: 2026-11-01
amount: 0.01
currency: EUR
---
";
    let error = budget(huge).error("month_summary", json!({"month": "2026-11"}));
    assert!(error.message.contains("more digits than can be computed with exactly"), "{error}");
}

#[test]
fn rejects_invalid_month() {
    for month in ["2026-13", "November", "2026-11-31", "26-11"] {
        let error = budget("").error("month_summary", json!({"month": month}));
        assert!(error.message.contains("is not a month YYYY-MM"), "{month}: {error}");
    }
    let empty = budget("").value("month_summary", json!({"month": "today"}));
    assert_eq!((&empty["month"], &empty["spent"]), (&json!("2026-11"), &json!("0.00")));
}

#[test]
fn configured_currency_overrides_the_most_frequent_one() {
    let franc = budget(NOVEMBER).with_config(json!({"currency": "chf"}));
    let summary = franc.value("month_summary", json!({"month": "2026-11"}));
    assert_eq!((&summary["currency"], &summary["spent"]), (&json!("CHF"), &json!("12.00")));
}

/// An expense as a note.
fn expense(name: &str, date: &str, amount: &str, more: &str) -> String {
    format!("//- {name}.md\n---\ntype: expense\ndate: {date}\namount: {amount}\ncurrency: EUR\n{more}---\n")
}

#[test]
fn spending_is_compared_with_the_previous_month_if_positive() {
    for (before, kind, now, says) in [
        ("100", "", "150", json!("50 % more than in October")),
        ("100", "", "75", json!("25 % less than in October")),
        ("100", "", "100.00", json!("as in October")),
        ("10000", "", "10000.01", json!("less than 1 % more than in October")),
        ("10000", "", "9999.99", json!("less than 1 % less than in October")),
        ("100", "kind: refund\n", "50", Value::Null),
        ("0", "", "50", Value::Null),
    ] {
        let notes = expense("A", "2026-10-05", before, kind) + &expense("B", "2026-11-05", now, "");
        check(&notes, "2026-11", "/spent_detail", says);
    }
}

#[test]
fn entries_dated_after_today_are_upcoming() {
    let notes = expense("Yesterday", "2026-11-20", "1", "")
        + &expense("Today", "2026-11-21", "2", "")
        + &expense("Tomorrow", "2026-11-22", "4", "")
        + &expense("Back", "2026-11-23", "1", "kind: refund\n")
        + &expense("Weekly", "2026-11-07", "8", "recurring: weekly\nuntil: 2026-11-28\n")
        + "//- Pay.md\n---\ntype: income\ndate: 2026-11-30\namount: 100\ncurrency: EUR\n---\n";
    let budget = budget(&notes);
    for (tool, at) in [("month_summary", ""), ("list", "/totals/0")] {
        let value = budget.value(tool, json!({"month": "2026-11"}));
        let figure = |key: &str| value.pointer(&format!("{at}/{key}")).unwrap().as_str().unwrap();
        // 1 + 2 + 8 × 3 (7, 14 and 21 November); 4 − 1 + 8 follow.
        assert_eq!((figure("spent"), figure("upcoming_spent")), ("27.00", "11.00"), "{tool}");
        assert_eq!((figure("income"), figure("upcoming_income")), ("0.00", "100.00"), "{tool}");
        assert_eq!((figure("left"), figure("left_with_upcoming")), ("-27.00", "62.00"), "{tool}");
        assert_eq!(value["upcoming"], 4, "{tool}");
    }
    let past = budget.value("month_summary", json!({"month": "2026-10"}));
    assert_eq!((&past["spent"], &past["upcoming_spent"]), (&json!("0.00"), &json!("0.00")));
    let next = budget.value("month_summary", json!({"month": "2026-12"}));
    assert_eq!((&next["spent"], &next["upcoming_spent"]), (&json!("0.00"), &json!("0.00")));
}

#[test]
fn limits_cover_spending_so_far_and_show_upcoming_separately() {
    let limit = "//- L.md\n---\ntype: limit\namount: 280\ncategory: groceries\ncurrency: EUR\n---\n";
    for (upcoming, left, over, detail) in [
        ("0.50", "0.25", false, "0.75 EUR left of 280.00 EUR, 0.50 EUR upcoming"),
        ("3.50", "-2.75", true, "0.75 EUR left of 280.00 EUR, 3.50 EUR upcoming, 2.75 EUR over with it"),
    ] {
        let notes = limit.to_owned()
            + &expense("A", "2026-11-05", "279.25", "category: groceries\n")
            + &expense("B", "2026-11-27", upcoming, "category: groceries\n");
        let summary = budget(&notes).value("month_summary", json!({"month": "2026-11"}));
        assert_eq!(
            summary["categories"][0],
            json!({
                "category": "groceries", "currency": "EUR", "spent": "279.25", "count": 1,
                "upcoming_spent": upcoming, "upcoming_count": 1, "limit": "280.00",
                "left_of_limit": "0.75", "over_limit": false, "used": "99.7", "path": "L.md",
                "left_with_upcoming": left, "over_limit_with_upcoming": over, "limit_detail": detail,
                "last_month": "0.00",
            })
        );
    }
}

#[test]
fn comparison_names_the_upcoming_amount_it_includes() {
    let notes = expense("A", "2026-10-05", "100", "")
        + &expense("B", "2026-11-05", "90", "")
        + &expense("C", "2026-11-25", "60", "");
    let detail = json!("+ 60.00 EUR upcoming, together 50 % more than in October");
    check(&notes, "2026-11", "/spent_detail", detail);
    check(&expense("C", "2026-11-25", "60", ""), "2026-11", "/spent_detail", json!("+ 60.00 EUR upcoming"));
}

#[test]
fn reports_end_before_start_and_duplicate_limit() {
    let limit = |name: &str, amount: &str| {
        format!("//- {name}.md\n---\ntype: limit\namount: {amount}\ncategory: rent\ncurrency: EUR\n---\n")
    };
    let notes = expense("A", "2026-11-05", "9", "recurring: monthly\nuntil: 2026-11-04\n")
        + &limit("L1", "80")
        + &limit("L2", "70");
    let summary = budget(&notes).value("month_summary", json!({"month": "2026-11"}));
    let rows = summary["unreadable"].as_array().unwrap();
    let problems: Vec<(&str, u64, &str)> = rows
        .iter()
        .map(|row| {
            (row["path"].as_str().unwrap(), row["line"].as_u64().unwrap(), row["problem"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        problems,
        [
            ("A.md", 7, "`until` is 2026-11-04, before the first day, 2026-11-05"),
            ("L2.md", 4, "L1.md is another limit of \"rent\", and that one is used"),
        ]
    );
    assert_eq!(summary["categories"][0]["limit"], "80.00");
    let error = budget(&notes).error("set_limit", json!({"category": "rent", "amount": "60"}));
    assert!(error.message.contains("has several limits, L1.md and L2.md"), "{error}");
}

#[test]
fn year_has_totals_of_its_months() {
    let notes = expense("A", "2026-02-05", "20.50", "")
        + &expense("B", "2026-11-05", "5", "")
        + &expense("Later", "2026-12-05", "7", "")
        + &expense("Before", "2025-12-31", "9", "")
        + "//- Pay.md\n---\ntype: income\ndate: 2026-02-01\namount: 100\ncurrency: EUR\n---\n";
    let budget = budget(&notes);
    let year = budget.value("month_summary", json!({"month": "2026-11", "year": true}))["year"].clone();
    assert_eq!(
        (&year["income"], &year["spent"], &year["left"]),
        (&json!("100.00"), &json!("25.50"), &json!("74.50")),
        "what is upcoming stands apart"
    );
    assert_eq!(year["left_detail"], "75 EUR left");
    let months = year["months"].as_array().unwrap();
    assert_eq!(
        (months.len(), &months[0]["month"], &months[11]["month"]),
        (12, &json!("2026-01"), &json!("2026-12"))
    );
    assert_eq!((&months[1]["left"], &months[11]["upcoming_spent"]), (&json!("79.50"), &json!("7.00")));
    assert_eq!(budget.value("month_summary", json!({"month": "2026-11"})).get("year"), None);
}

#[test]
fn limits_are_totalled_separately_from_unlimited_spending() {
    let limit = "//- L.md\n---\ntype: limit\namount: 280\ncategory: groceries\ncurrency: EUR\n---\n";
    let notes = limit.to_owned()
        + &expense("A", "2026-11-05", "279.25", "category: groceries\n")
        + &expense("B", "2026-11-06", "10.50", "category: rent\n");
    let summary = budget(&notes).value("month_summary", json!({"month": "2026-11"}));
    assert_eq!(
        (&summary["limits"], &summary["limits_detail"], &summary["without_limit_detail"]),
        (&json!(1), &json!("279 of 280"), &json!("10.50 EUR"))
    );
    let none =
        budget(&expense("B", "2026-11-06", "1", "")).value("month_summary", json!({"month": "2026-11"}));
    assert_eq!((&none["limits"], &none["limits_detail"]), (&json!(0), &Value::Null));
}
