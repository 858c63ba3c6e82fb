use nova_protocol::ErrorCode;
use nova_skill::{Value, json};

use crate::{NOVEMBER, budget};

/// Calls the tool and compares the new note.
#[track_caller]
fn check(notes: &str, tool: &str, args: Value, path: &str, note: &str) {
    let budget = budget(notes);
    let value = budget.value(tool, args);
    assert_eq!(value["path"], path);
    assert_eq!(budget.vault.read(path), note);
}

#[test]
fn properties_are_written_in_manifest_order() {
    check(
        "",
        "add_expense",
        json!({
            "until": "2027-12-31", "recurring": "monthly", "account": "Current account", "payee": "Linden Apartments",
            "category": "rent", "currency": "eur", "amount": "1180", "date": "2026-11-01",
        }),
        "Budget/Expenses/2026/2026-11-01 Linden Apartments 1180.00.md",
        "---\ntype: expense\ndate: 2026-11-01\namount: 1180.00\ncurrency: EUR\ncategory: rent\npayee: Linden Apartments\n\
         account: Current account\nrecurring: monthly\nuntil: 2027-12-31\n---\n",
    );
    check(
        "",
        "add_income",
        json!({"date": "2025-01-02", "amount": 8.5, "currency": "USD", "payee": "A/B: C"}),
        "Budget/Incomes/2025/2025-01-02 A-B- C 8.50.md",
        "---\ntype: income\ndate: 2025-01-02\namount: 8.50\ncurrency: USD\npayee: \"A/B: C\"\n---\n",
    );
}

#[test]
fn defaults_to_most_frequent_currency_and_category_by_rule() {
    check(
        NOVEMBER,
        "add_expense",
        json!({"date": "2026-11-21", "amount": "2.10", "payee": "KIOSK Nord"}),
        "Budget/Expenses/2026/2026-11-21 KIOSK Nord 2.10.md",
        "---\ntype: expense\ndate: 2026-11-21\namount: 2.10\ncurrency: EUR\ncategory: snacks\npayee: KIOSK Nord\n---\n",
    );
    let refund = json!({"date": "2026-11-21", "amount": "2.10", "category": "GROCERIES", "kind": "refund"});
    check(
        NOVEMBER,
        "add_expense",
        refund,
        "Budget/Expenses/2026/2026-11-21 2.10.md",
        "---\ntype: expense\ndate: 2026-11-21\namount: 2.10\ncurrency: EUR\ncategory: groceries\nkind: refund\n---\n",
    );
}

#[test]
fn identical_entries_become_two_notes() {
    let budget = budget(NOVEMBER);
    let coffee = json!({"date": "2026-11-21", "amount": "2.10", "payee": "Cafe"});
    budget.value("add_expense", coffee.clone());
    assert_eq!(budget.value("add_expense", coffee)["path"], "Budget/Expenses/2026/2026-11-21 Cafe 2.10 2.md");
}

#[test]
fn rejects_invalid_values_without_writing() {
    for (args, message) in [
        (json!({"date": "2026-02-30", "amount": "1"}), "/date: \"2026-02-30\" is not a date YYYY-MM-DD."),
        (
            json!({"date": "2026-02-03", "amount": "1,5"}),
            "/amount: \"1,5\" is not a plain decimal such as 1250.50.",
        ),
        (
            json!({"date": "2026-02-03", "amount": "-1"}),
            "/amount: \"-1\" is negative; what is spent is an expense, what comes in an income, and what comes back a refund.",
        ),
        (
            json!({"date": "2026-02-03", "amount": "1", "currency": "EURO"}),
            "/currency: \"EURO\" is not a currency; use a code such as EUR.",
        ),
        (
            json!({"date": "2026-02-03", "amount": "1", "until": "2026-03-03"}),
            "/until: needs recurring as well.",
        ),
        (
            json!({"date": "2026-02-03", "amount": "1", "recurring": "weekly", "until": "2026-01-03"}),
            "/until: is before the first day, 2026-02-03.",
        ),
        (
            json!({"date": "2026-02-03", "amount": "1", "payee": " "}),
            "/payee: must not be empty; leave it out when it is not known.",
        ),
    ] {
        let budget = budget(NOVEMBER);
        let files = budget.vault.files();
        let error = budget.error("add_expense", args);
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::InvalidArguments, message));
        assert_eq!(budget.vault.files(), files);
    }
    let error = budget("").error("add_expense", json!({"date": "2026-02-03", "amount": "1"}));
    assert!(error.message.contains("No currency was given"), "{error}");
}

#[test]
fn tied_currencies_leave_no_default() {
    let of = |name: &str, currency: &str| {
        format!("//- {name}.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5\n{currency}---\n")
    };
    let tie = [of("A", "currency: EUR\n"), of("B", "currency: CHF\n"), of("C", "")].concat();
    let budget = budget(&tie);
    let before = budget.vault.files();
    let error = budget.error("add_expense", json!({"date": "2026-11-03", "amount": "1"}));
    assert!(error.message.contains("name no usual one"), "{error}");
    assert_eq!(budget.vault.files(), before);
    let unreadable = &budget.value("month_summary", json!({"month": "2026-11"}))["unreadable"];
    assert_eq!((&unreadable[0]["path"], &unreadable[1]), (&json!("C.md"), &Value::Null), "{unreadable}");
}

#[test]
fn set_limit_creates_or_changes_one_property() {
    check(
        NOVEMBER,
        "set_limit",
        json!({"category": "eating out", "amount": "120"}),
        "Budget/Limits/eating out.md",
        "---\ntype: limit\ncategory: eating out\namount: 120.00\ncurrency: EUR\n---\n",
    );
    check(
        NOVEMBER,
        "set_limit",
        json!({"category": "Groceries", "amount": 95.5}),
        "Budget/Limits/Groceries.md",
        "---\ntype: limit\ncategory: groceries\namount: 95.50\ncurrency: EUR\n---\n",
    );
    let twice = "//- A.md\n---\ntype: limit\ncategory: x\namount: 1\ncurrency: EUR\n---\n//- B.md\n---\ntype: limit\ncategory: X\namount: 2\ncurrency: EUR\n---\n";
    let error = budget(twice).error("set_limit", json!({"category": "x", "amount": 3}));
    assert_eq!(error.message, "/category: has several limits, A.md and B.md; delete all but one.");
}
