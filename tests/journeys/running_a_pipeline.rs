//! A sales pipeline: the board, moving deals, logged interactions.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::nova::Nova;

const DEALS: &str = "
//- CRM/Deals/Renewal.md
---
type: deal
title: Licence renewal
contact: \"[[Jane Doe]]\"
stage: talks   # two years
value: 18500.50
currency: EUR
---

Ten more seats.
//- CRM/Deals/Arden.md
---
type: deal
title: Arden fit-out
stage: nego
---
//- CRM/People/Jane Doe.md
---
type: contact
name: Jane Doe
next_contact: 2001-01-01
---

## Log

- 2000-05-01 Met.
";

fn with_stages() -> Nova {
    let nova = Nova::new(DEALS, []);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "skills": {"crm": {"config": {"stages": [
            {"name": "talks", "probability": 25},
            {"name": "signed", "probability": 100, "closes": "won"},
        ]}}},
    }));
    nova
}

#[track_caller]
fn call(nova: &Nova, tool: &str, args: &Value) -> Value {
    let args = args.to_string();
    let (code, result) = nova.json(&["tool", "call", tool, "--args", &args, "--approve", "all"]);
    assert_eq!(code, 0, "{result}");
    result["value"].clone()
}

#[test]
fn board_with_custom_stages_is_read_and_deals_move_back_and_forth() {
    let nova = with_stages();
    let before = nova.vault.read("CRM/Deals/Renewal.md");

    let pipeline = call(&nova, "crm.pipeline", &json!({}));
    assert_eq!(
        pipeline["weighted"],
        json!([{"amount": "4625.13", "currency": "EUR"}]),
        "a quarter of 18500.50"
    );
    assert_eq!(
        pipeline["problems"],
        json!([{
            "path": "CRM/Deals/Arden.md", "line": 4,
            "problem": "Arden fit-out is not on the board: stage \"nego\" is not one of the stages",
            "remedy": "Write one of talks, signed.",
        }])
    );

    call(&nova, "crm.move_deal", &json!({"title": "renewal", "stage": "signed"}));
    assert_eq!(nova.vault.read("CRM/Deals/Renewal.md"), before.replace("stage: talks ", "stage: signed "));
    let (_, sets) = nova.json(&["changes", "list"]);
    let set = sets[0]["id"].as_str().unwrap();
    assert_eq!(nova.json(&["changes", "undo", set]).0, 0);
    assert_eq!(nova.vault.read("CRM/Deals/Renewal.md"), before);
}

#[test]
fn logged_call_clears_the_follow_up() {
    let nova = with_stages();
    let due = call(&nova, "crm.follow_ups", &json!({}));
    assert_eq!((&due["overdue"], &due["follow_ups"][0]["deal"]), (&json!(1), &json!("Licence renewal")));

    let said = json!({"name": "Jane", "text": "Wants two references.", "date": "2001-02-03"});
    call(&nova, "crm.log_interaction", &said);
    assert_eq!(
        nova.vault.read("CRM/People/Jane Doe.md"),
        "---\ntype: contact\nname: Jane Doe\nlast_contact: 2001-02-03\n---\n\n## Log\n\n- 2000-05-01 Met.\n\
         - 2001-02-03 Wants two references.\n"
    );
    let due = call(&nova, "crm.follow_ups", &json!({}));
    assert_eq!((&due["overdue"], &due["without_date"]), (&json!(0), &json!(1)));
    let (_, sets) = nova.json(&["changes", "list"]);
    assert_eq!(sets[0]["notes"].as_array().unwrap().len(), 1, "the line and the dates are one change");
}

#[test]
fn starter_vault_has_a_board() {
    let nova = Nova::new("", []);
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template/CRM"), &nova.vault.root().join("CRM"));
    let board = call(&nova, "crm.pipeline", &json!({"board": true}));
    let stages: Vec<(&str, u64)> = board["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| (stage["stage"].as_str().unwrap(), stage["count"].as_u64().unwrap()))
        .collect();
    assert_eq!(
        stages,
        [("lead", 3), ("contacted", 1), ("qualified", 1), ("proposal", 2), ("won", 3), ("lost", 2)]
    );
    // 48500 + 22000 + 9400 + 18500 + 36000 + 28000 + 24000
    assert_eq!(board["open"], json!([{"amount": "186400", "currency": "EUR"}]));
    // 9700 + 3300 + 940 + 7400 + 18000 + 16800 + 16800
    assert_eq!(board["weighted"], json!([{"amount": "72940", "currency": "EUR"}]));
    assert_eq!((&board["problems"], &board["unreadable"]), (&Value::Null, &Value::Null));
    let companies = call(&nova, "crm.list_companies", &json!({}));
    assert_eq!((&companies["count"], &companies["companies"][2]["people"]), (&json!(8), &json!(2)));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}
