use std::path::Path;

use nova_skill::json;
use nova_testkit::{SkillInVault, TempVault, assert_base, assert_template, snapshot_of};

/// A file of the starter vault.
fn starter(path: &str) -> String {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vault-template");
    std::fs::read_to_string(template.join(path)).unwrap()
}

#[test]
fn starter_templates_and_tables_match_the_declaration() {
    let snapshot = snapshot_of(vec![nova_skill_budget::skill()]);
    let records = &snapshot.skills()[0].records;
    for (record_type, template) in [
        ("income", "Templates/Income.md"),
        ("expense", "Templates/Expense.md"),
        ("transfer", "Templates/Transfer.md"),
        ("rule", "Templates/Rule.md"),
        ("limit", "Templates/Limit.md"),
    ] {
        assert_template(records.get(record_type).unwrap(), &starter(template));
    }
    assert_base(records.get("income").unwrap(), &starter("Budget/Incomes.base"));
    assert_base(records.get("expense").unwrap(), &starter("Budget/Expenses.base"));
    assert_base(records.get("transfer").unwrap(), &starter("Budget/Transfers.base"));
}

#[test]
fn the_skill_is_sound() {
    nova_testkit::assert_sound(nova_skill_budget::skill(), "budget");
}

#[test]
fn panel_shows_transfers_and_upcoming_separately() {
    let snapshot = snapshot_of(vec![nova_skill_budget::skill()]);
    let panel = snapshot.skills()[0].manifest.panel.clone().unwrap();
    let tabs = panel["tabs"].as_array().unwrap();
    let parts = tabs.iter().find(|tab| tab["title"] == "Month").unwrap()["parts"].as_array().unwrap();
    let part = |kind: &str| parts.iter().find(|part| part["kind"] == kind).unwrap();

    let items = part("summary")["items"].as_array().unwrap();
    let item = |at: &str| items.iter().find(|item| item["at"] == at).unwrap();
    assert_eq!(item("/transferred")["line"], true);
    assert_eq!(item("/spent")["label"], "Spent so far");
    assert_eq!(item("/spent")["detail"], "/spent_detail", "which names what is upcoming");

    let table = part("table");
    assert_eq!(table["quiet"], "upcoming");
    let actions = table["actions"].as_array().unwrap();
    let of =
        |tool: &str| actions.iter().find(|action| action["tool"] == tool).unwrap()["when"]["kind"].clone();
    assert_eq!(of("join_transfer"), json!(["income", "expense"]));
    assert_eq!(of("split_transfer"), "transfer");
}

#[test]
fn starter_vault_has_a_month_with_data() {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vault-template");
    let budget = SkillInVault::new(nova_skill_budget::skill(), TempVault::copy_of(&template));
    let summary = budget.value("month_summary", json!({"month": "2026-11"}));
    assert_eq!(summary["unreadable"], json!([]));
    assert_eq!(summary["transferred"], "300.00");
    let months = summary["months"].as_array().unwrap();
    assert!(months.iter().all(|month| month["spent"] != "0.00"), "{months:?}");
    assert!(summary["categories"].as_array().unwrap().iter().any(|row| row["limit"].is_string()));
}
