//! Properties of arbitrary entries and files.

use nova_skill::{Decimal, Value, json};
use proptest::prelude::*;

use crate::budget;
use crate::generated::generated;

fn decimal(value: &Value) -> Decimal {
    value.as_str().unwrap().parse().unwrap()
}

/// A row of a bank: day of November, cents, payee.
fn rows() -> impl Strategy<Value = Vec<(u8, i64, String)>> {
    let payee = "[A-Za-z][A-Za-z \",;:'/-]{0,12}[a-z]";
    proptest::collection::vec((1..=30_u8, -999_999..=999_999_i64, payee), 1..24)
}

fn statement(rows: &[(u8, i64, String)]) -> String {
    let mut text = String::from("Date,Payee,Amount\n");
    for (day, cents, payee) in rows {
        let sign = if *cents < 0 { "-" } else { "" };
        let (whole, rest) = (cents.abs() / 100, cents.abs() % 100);
        text.push_str(&format!(
            "2026-11-{day:02},\"{}\",{sign}{whole}.{rest:02}\n",
            payee.replace('"', "\"\"")
        ));
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn categories_sum_to_the_total_and_left_is_the_rest(seed in any::<u64>(), entries in 0..60_usize) {
        let budget = budget(&generated(seed, entries).notes);
        for month in ["2025-02", "2026-01", "2026-12"] {
            let summary = budget.value("month_summary", json!({"month": month}));
            let others = summary["other_currencies"].as_array().unwrap().iter();
            for summary in [&summary].into_iter().chain(others) {
                let sum = |list: &str, key: &str| -> Decimal {
                    let rows = summary[list].as_array().unwrap().iter();
                    rows.filter(|row| row[key].is_string()).map(|row| decimal(&row[key])).sum()
                };
                let spent = sum("categories", "spent");
                let income = sum("income_categories", "amount");
                let upcoming_spent = sum("categories", "upcoming_spent");
                let upcoming_income = sum("income_categories", "upcoming_amount");
                prop_assert_eq!(spent, decimal(&summary["spent"]));
                prop_assert_eq!(income, decimal(&summary["income"]));
                prop_assert_eq!(income - spent, decimal(&summary["left"]));
                prop_assert_eq!(upcoming_spent, decimal(&summary["upcoming_spent"]));
                prop_assert_eq!(upcoming_income, decimal(&summary["upcoming_income"]));
                let with_upcoming = income - spent + upcoming_income - upcoming_spent;
                prop_assert_eq!(with_upcoming, decimal(&summary["left_with_upcoming"]));
            }
        }
    }

    #[test]
    fn import_is_complete_idempotent_and_undone_without_a_trace(rows in rows()) {
        let budget = budget("//- Note.md\nText.\n");
        budget.vault.write("bank.csv", &statement(&rows));
        let before = budget.vault.files();
        let mapping = json!({"date": "Date", "payee": "Payee", "amount": "Amount", "decimal": ".", "expenses": "negative"});
        let args = json!({"path": "bank.csv", "mapping": mapping, "currency": "EUR"});
        let outcome = budget.call("import_transactions", args.clone());
        let done = outcome.result.unwrap();

        // By other means than the tool: the file, and the sums of the month.
        let moved: Vec<i64> = rows.iter().map(|(_, cents, _)| *cents).filter(|cents| *cents != 0).collect();
        prop_assert_eq!(&done["imported"], &json!(moved.len()));
        if !moved.is_empty() {
            let list = budget.value("list", json!({"month": "2026-11"}));
            let left = decimal(&list["totals"][0]["left_with_upcoming"]);
            prop_assert_eq!(left, Decimal::new(moved.iter().sum(), 2));
        }
        let with_all = budget.vault.files();
        let again = budget.value("import_transactions", args);
        prop_assert_eq!(&again["imported"], &json!(0));
        prop_assert_eq!(&again["already_there"], &json!(moved.len()));
        prop_assert_eq!(budget.vault.files(), with_all);

        let author = nova_vault::Author { principal: "user".into(), skill: None, call: None };
        let set = outcome.change_set.unwrap();
        budget.vault.open().history().undo(&set, nova_vault::Scope::All, &author).unwrap();
        prop_assert_eq!(budget.vault.files(), before);
        prop_assert_eq!(budget.vault.read("Note.md"), "Text.\n");
    }
}
