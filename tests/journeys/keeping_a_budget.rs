//! A month of money, from the bank's file to the remaining budget.

use std::path::Path;

use nova_testkit::TempVault;
use serde_json::{Value, json};

use super::nova::Nova;

fn on_the_starter_vault() -> Nova {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let mut nova = Nova::new("", []);
    nova.vault = TempVault::copy_of(&template);
    nova.settings(&json!({ "vault": nova.vault.root() }));
    nova
}

/// The value of a tool called at a terminal.
#[track_caller]
fn call(nova: &Nova, tool: &str, args: Value) -> Value {
    let (code, outcome) = nova.json(&[
        "tool",
        "call",
        &format!("budget.{tool}"),
        "--args",
        &args.to_string(),
        "--approve",
        "all",
    ]);
    assert_eq!(code, 0, "{tool}: {outcome}");
    outcome
}

#[test]
fn statement_is_previewed_imported_once_and_reverted() {
    let nova = on_the_starter_vault();
    let before = nova.vault.files();
    let month = |nova: &Nova| call(nova, "month_summary", json!({"month": "2026-11"}))["value"].clone();
    let at_first = month(&nova);

    let file = json!({"path": "Budget/Statement November.csv"});
    let proposal = call(&nova, "import_transactions", file)["value"].clone();
    assert_eq!(proposal["needs_confirmation"], true);
    assert_eq!(nova.vault.files(), before, "nothing is imported before the approval");

    let agreed = json!({"path": "Budget/Statement November.csv", "mapping": proposal["mapping"]});
    let done = call(&nova, "import_transactions", agreed);
    assert_eq!(done["value"]["imported"], 4);
    assert_eq!(done["changes"].as_array().map(Vec::len), Some(5), "four transactions and the bank: {done}");
    let rows = call(&nova, "list", json!({"month": "2026-11", "payee": "bistro"}))["value"].clone();
    assert_eq!((&rows["count"], &rows["entries"][0]["category"]), (&json!(1), &json!("eating out")));

    let again = call(&nova, "import_transactions", json!({"path": "Budget/Statement November.csv"}));
    assert_eq!(again["value"]["imported"], 0);
    assert_eq!(again["value"]["already_there"], 4);

    let (code, _) = nova.json(&["changes", "undo", done["change_set"].as_str().unwrap()]);
    assert_eq!(code, 0);
    assert_eq!(nova.vault.files(), before);
    assert_eq!(month(&nova), at_first);
}

#[test]
fn spent_and_remaining_amounts_are_traceable_to_notes() {
    let nova = on_the_starter_vault();
    let outcome = call(&nova, "month_summary", json!({"month": "2026-11"}));
    // 2400.00 came in; 1180.00 + 24.90 + 49.00 + 38.40 + 71.40 + 23.50 + 3 × 3.50 + 132.65 + 158.90 − 12.30
    // went out by 21 November, and 3.50 recurs on the 27th: upcoming before that day, spent from then on.
    let cents = |key: &str| -> i64 {
        let amount = outcome["value"][key].as_str().unwrap();
        amount.replace('.', "").parse().unwrap()
    };
    assert_eq!(outcome["value"]["income"], "2400.00");
    assert_eq!(cents("spent") + cents("upcoming_spent"), 167_695 + 350);
    assert!([0, 350].contains(&cents("upcoming_spent")));
    assert_eq!(cents("left"), 240_000 - cents("spent"));
    assert_eq!(outcome["value"]["left_with_upcoming"], "719.55");
    let groceries = outcome["value"]["categories"].as_array().unwrap();
    let groceries = groceries.iter().find(|row| row["category"] == "groceries").unwrap();
    assert_eq!((&groceries["spent"], &groceries["left_of_limit"]), (&json!("279.25"), &json!("0.75")));
    let sources = outcome["sources"].as_array().unwrap();
    assert!(sources.iter().any(|source| source.to_string().contains("2026-11-14 Corner Market 158.90")));

    let (code, refused) = nova.json(&[
        "tool",
        "call",
        "budget.add_expense",
        "--args",
        &json!({"date": "2026-11-21", "amount": "-5"}).to_string(),
    ]);
    assert_eq!(code, 1);
    assert!(refused["error"]["message"].as_str().unwrap().contains("is negative"), "{refused}");
}
