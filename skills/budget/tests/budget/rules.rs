use nova_skill::json;

use crate::{NOVEMBER, budget};

const RULES: &str = "
//- A.md
---
type: expense
date: 2026-11-03
amount: 1
currency: EUR
payee: Metro Transit
---
//- B.md
---
type: expense
date: 2026-10-03
amount: 1
currency: EUR
payee: Grand Hotel
memo: night BUS to the metro
---
//- C.md
---
type: expense
date: 2026-11-04
amount: 1
currency: EUR
category: fun
payee: Metro Cinema
---
//- D.md
---
type: income
date: 2026-11-05
amount: 1
currency: EUR
payee: Nobody
---
//- Rules/1.md
---
type: rule
match: metro
category: low
---
//- Rules/2.md
---
type: rule
match: \"/^metro|night bus/\"
category: transport
priority: 20
---
//- Rules/3.md
---
type: rule
match: METRO
category: also twenty
priority: 20
---
";

#[test]
fn dry_run_shows_the_changes_without_writing() {
    let budget = budget(RULES);
    let before = budget.vault.read("A.md");
    let shown = budget.value("apply_rules", json!({"dry_run": true}));
    assert_eq!(
        shown["changed"],
        json!([
            {
                "date": "2026-11-03", "payee": "Metro Transit", "from": null, "to": "transport",
                "rule": "Rules/2.md", "path": "A.md",
            },
            {
                "date": "2026-10-03", "payee": "Grand Hotel", "from": null, "to": "transport",
                "rule": "Rules/2.md", "path": "B.md",
            },
        ]),
        "the highest priority first, then the first path; a category stays"
    );
    assert_eq!((&shown["count"], &shown["without_a_rule"]), (&json!(2), &json!(1)));
    assert_eq!(budget.vault.read("A.md"), before);
    assert!(budget.approver.asked().is_empty(), "there is nothing to ask about");
}

#[test]
fn applied_rules_edit_one_property_of_each_note() {
    let budget = budget(RULES);
    let outcome = budget.call("apply_rules", json!({"month": "2026-11", "recategorise": true}));
    let changed: Vec<&str> = outcome.changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(changed, ["A.md", "C.md"]);
    assert!(budget.vault.read("A.md").contains("\npayee: Metro Transit\ncategory: transport\n"));
    assert!(budget.vault.read("C.md").contains("\ncategory: transport\n"));
    assert!(!budget.vault.read("B.md").contains("category"), "it is of October");
    assert_eq!(budget.value("apply_rules", json!({"month": "2026-11"}))["count"], 0);
}

#[test]
fn add_rule_creates_a_note() {
    let budget = budget(NOVEMBER);
    let added =
        budget.value("add_rule", json!({"match": "/metro|bus/", "category": "GROCERIES", "priority": 20}));
    assert_eq!(added["path"], "Budget/Rules/metro-bus is groceries.md");
    assert_eq!(
        budget.vault.read("Budget/Rules/metro-bus is groceries.md"),
        "---\ntype: rule\nmatch: /metro|bus/\ncategory: groceries\npriority: 20\n---\n"
    );
    budget.value("add_rule", json!({"match": "Coop", "category": "groceries"}));
    assert!(budget.vault.read("Budget/Rules/Coop is groceries.md").contains("priority: 10"));
}

#[test]
fn rejects_duplicate_or_invalid_rule() {
    let error = budget(NOVEMBER).error("add_rule", json!({"match": "KIOSK", "category": "papers"}));
    assert_eq!(error.message, "There is already a rule for \"KIOSK\": Budget/Rules/Kiosk.md.");
    let error = budget("").error("add_rule", json!({"match": "/(/", "category": "x"}));
    assert!(error.message.starts_with("/match: is not a regular expression: "), "{error}");
}

const SHOP: &str = "
//- A.md
---
{type: expense, date: 2026-11-03, amount: 1, currency: EUR, payee: shop}
---
//- B.md
---
type: expense
date: 2026-11-04
amount: 1
currency: EUR
payee: shop
---
//- 2026 shop.md
---
type: expense
date: 2026-11-05
amount: 1
currency: EUR
---
//- Rules/1.md
---
type: rule
match: shop
category: nine
priority: 9
---
//- Rules/2.md
---
type: rule
match: shop
category: as declared
---
";

#[test]
fn uneditable_note_does_not_block_the_others() {
    let budget = budget(SHOP);
    for dry_run in [true, false] {
        let done = budget.value("apply_rules", json!({"dry_run": dry_run}));
        assert_eq!(done["count"], 1, "{done:#}");
        assert_eq!(
            (&done["changed"][0]["path"], &done["not_changed"][0]["path"]),
            (&json!("B.md"), &json!("A.md"))
        );
        assert!(done["not_changed"][0]["problem"].is_string());
        let word = if dry_run { "to change" } else { "changed" };
        assert_eq!(done["summary"], format!("1 {word}, 1 without a rule, 1 that cannot be changed"));
        assert_eq!(done["without_a_rule"], 1, "the name of a note is no payee");
    }
    assert!(budget.vault.read("B.md").contains("category: as declared"), "the declared priority is 10");
}
