use nova_skill::{Value, json};

use crate::{NOVEMBER, budget};

/// What a summary of the month has at a pointer.
#[track_caller]
fn check(notes: &str, month: &str, at: &str, expected: Value) {
    let summary = budget(notes).value("month_summary", json!({"month": month}));
    assert_eq!(summary.pointer(at), Some(&expected), "{at} of {summary:#}");
}

#[test]
fn a_month_worked_by_hand() {
    // 84.20 + 15.80 − 10 + 1180 + 5; the rent falls on the 30th and is still to come.
    check(NOVEMBER, "2026-11", "/spent", json!("1275.00"));
    check(NOVEMBER, "2026-11", "/income", json!("2450.00"));
    check(NOVEMBER, "2026-11", "/left", json!("1175.00"));
    check(NOVEMBER, "2026-11", "/currency", json!("EUR"));
    check(NOVEMBER, "2026-11", "/upcoming", json!(1));
    check(NOVEMBER, "2026-11", "/entries", json!(8));
}

#[test]
fn categories_stand_against_their_limit_and_the_months_before() {
    let summary = budget(NOVEMBER).value("month_summary", json!({"month": "2026-11"}));
    assert_eq!(
        summary["categories"],
        json!([
            {
                "category": "rent", "currency": "EUR", "spent": "1180.00", "count": 1,
                "last_month": "1180.00", "average": "1180.00",
            },
            {
                "category": "groceries", "currency": "EUR", "spent": "90.00", "count": 3,
                "limit": "80.00", "left_of_limit": "-10.00", "over_limit": true,
                "limit_detail": "10.00 over the limit of 80.00", "used": "112.5",
                // September, the first month with a note, had none.
                "last_month": "60.00", "average": "30.00",
            },
            {
                "category": "uncategorised", "currency": "EUR", "spent": "5.00", "count": 1,
                "last_month": "0.00", "average": "0.00",
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
fn another_currency_comes_first_where_it_is_asked_for_and_none_is_lost() {
    let budget = budget(NOVEMBER);
    let francs = budget.value("month_summary", json!({"month": "2026-11", "currency": "chf"}));
    assert_eq!(
        (&francs["currency"], &francs["spent"], &francs["other_currencies"][0]["currency"]),
        (&json!("CHF"), &json!("12.00"), &json!("EUR"))
    );
    assert_eq!(francs["other_currencies"][0]["spent"], "1275.00");
    let error = budget.error("month_summary", json!({"month": "2026-11", "currency": "francs"}));
    assert!(error.message.contains("no currency"), "{error}");
}

#[test]
fn a_limit_in_another_currency_stands_in_the_rows_of_that_currency() {
    let limit = "//- L.md\n---\ntype: limit\ncategory: travel\namount: 300\ncurrency: USD\n---\n";
    let summary = budget(&format!("{NOVEMBER}\n{limit}")).value("month_summary", json!({"month": "2026-11"}));
    let others = summary["other_currencies"].as_array().unwrap();
    let dollars = others.iter().find(|other| other["currency"] == "USD").unwrap();
    assert_eq!(dollars["categories"][0]["limit"], "300.00");
}

#[test]
fn the_months_before_are_there_with_what_comes_again() {
    check(
        NOVEMBER,
        "2026-11",
        "/months",
        json!([
            {"month": "2026-06", "income": "0.00", "spent": "0.00", "left": "0.00"},
            {"month": "2026-07", "income": "0.00", "spent": "0.00", "left": "0.00"},
            {"month": "2026-08", "income": "0.00", "spent": "0.00", "left": "0.00"},
            {"month": "2026-09", "income": "0.00", "spent": "1180.00", "left": "-1180.00"},
            {"month": "2026-10", "income": "0.00", "spent": "1240.00", "left": "-1240.00"},
            {"month": "2026-11", "income": "2450.00", "spent": "1275.00", "left": "1175.00"},
        ]),
    );
}

#[test]
fn each_figure_stands_in_the_value_and_names_its_notes() {
    let outcome = budget(NOVEMBER).call("month_summary", json!({"month": "2026-11"}));
    let value = outcome.result.unwrap();
    assert!(outcome.figures.len() >= 9, "{:?}", outcome.figures);
    for figure in &outcome.figures {
        assert_eq!(value.pointer(&figure.at), Some(&json!(figure.value)), "{figure:?}");
    }
    let spent = outcome.figures.iter().find(|figure| figure.at == "/spent").unwrap();
    assert_eq!((spent.label.as_str(), spent.unit.as_str()), ("Spent in November 2026", "EUR"));
    assert_eq!(spent.caution.as_deref(), Some("1 entry is still to come"));
    assert_eq!(spent.sources.len(), 5);
    let parts: Vec<(&str, &str)> =
        spent.parts.iter().map(|part| (part.label.as_str(), part.value.as_str())).collect();
    assert_eq!(parts, [("rent", "1180.00"), ("groceries", "90.00"), ("uncategorised", "5.00")]);
}

#[test]
fn a_record_that_is_none_counts_nowhere_and_is_named() {
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
    let told: Vec<(&str, u64)> =
        rows.iter().map(|row| (row["path"].as_str().unwrap(), row["line"].as_u64().unwrap())).collect();
    assert_eq!(told[0], ("Budget/Expenses/1.md", 3));
    assert_eq!(told[1], ("Budget/Expenses/2.md", 4));
    assert_eq!(told[2], ("Budget/Expenses/3.md", 4));
    assert_eq!(told[3], ("Budget/Expenses/4.md", 5));
    assert_eq!(told[4].0, "Budget/Expenses/5.md");
    assert_eq!(rows[4]["remedy"], "Add it: an expense needs a date.");
    assert_eq!(told[5].0, "Budget/Expenses/6.md");
    assert_eq!(told[6], ("Budget/Rules/8.md", 3));
    assert_eq!(rows[1]["remedy"], "Write it as 1.50.");
    assert!(rows[3]["problem"].as_str().unwrap().contains("`EURO`"), "{}", rows[3]);
    assert_eq!(told.len(), 7);
}

#[test]
fn a_sum_that_cannot_be_exact_is_an_error() {
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
    assert!(error.message.contains("cannot be added exactly"), "{error}");
}

#[test]
fn the_month_is_one() {
    for month in ["2026-13", "November", "2026-11-31", "26-11"] {
        let error = budget("").error("month_summary", json!({"month": month}));
        assert!(error.message.contains("is not a month YYYY-MM"), "{month}: {error}");
    }
    let empty = budget("").value("month_summary", json!({"month": "today"}));
    assert_eq!((&empty["month"], &empty["spent"]), (&json!("2026-11"), &json!("0.00")));
}

#[test]
fn the_users_currency_goes_before_the_commonest() {
    let franc = budget(NOVEMBER).with_config(json!({"currency": "chf"}));
    let summary = franc.value("month_summary", json!({"month": "2026-11"}));
    assert_eq!((&summary["currency"], &summary["spent"]), (&json!("CHF"), &json!("12.00")));
}

/// An expense as a note.
fn expense(name: &str, date: &str, amount: &str, more: &str) -> String {
    format!("//- {name}.md\n---\ntype: expense\ndate: {date}\namount: {amount}\ncurrency: EUR\n{more}---\n")
}

#[test]
fn the_month_before_is_compared_with_where_it_can_be() {
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
fn a_figure_is_cautious_only_of_its_own_entries_and_left_names_all() {
    for (tool, args, at) in [
        ("month_summary", json!({"month": "2026-11"}), ""),
        ("list", json!({"month": "2026-11"}), "/totals/1"),
    ] {
        let outcome = budget(NOVEMBER).call(tool, args);
        let figure = |key: &str| {
            let at = format!("{at}/{key}");
            outcome.figures.iter().find(|figure| figure.at == at).unwrap()
        };
        let still = Some("1 entry is still to come");
        assert_eq!(figure("income").caution, None);
        assert_eq!(figure("spent").caution.as_deref(), still);
        assert_eq!(figure("left").caution.as_deref(), still);
        assert_eq!(figure("left").sources.len(), 7, "five expenses and two incomes");
    }
}

#[test]
fn what_ends_before_it_begins_and_a_second_limit_are_problems() {
    let limit = |name: &str, amount: &str| {
        format!("//- {name}.md\n---\ntype: limit\namount: {amount}\ncategory: rent\ncurrency: EUR\n---\n")
    };
    let notes = expense("A", "2026-11-05", "9", "recurring: monthly\nuntil: 2026-11-04\n")
        + &limit("L1", "80")
        + &limit("L2", "70");
    let summary = budget(&notes).value("month_summary", json!({"month": "2026-11"}));
    let rows = summary["unreadable"].as_array().unwrap();
    let told: Vec<(&str, u64, &str)> = rows
        .iter()
        .map(|row| {
            (row["path"].as_str().unwrap(), row["line"].as_u64().unwrap(), row["problem"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        told,
        [
            ("A.md", 7, "`until` is 2026-11-04, before the first day, 2026-11-05"),
            ("L2.md", 4, "L1.md is a limit of \"rent\", too, and that one holds"),
        ]
    );
    assert_eq!(summary["categories"][0]["limit"], "80.00");
    let error = budget(&notes).error("set_limit", json!({"category": "rent", "amount": "60"}));
    assert!(error.message.contains("has several limits, L1.md and L2.md"), "{error}");
}
