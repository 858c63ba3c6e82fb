use nova_skill::{Value, json};

use crate::{PEOPLE, crm};

#[track_caller]
fn check(filters: Value, names: &[&str]) {
    let list = crm(PEOPLE).value("list_contacts", filters.clone());
    let found: Vec<&str> =
        list["contacts"].as_array().unwrap().iter().map(|line| line["name"].as_str().unwrap()).collect();
    assert_eq!(found, names, "{filters}");
    assert_eq!(list["count"], names.len(), "{filters}");
}

#[test]
fn contacts_are_sorted_by_name_with_known_fields() {
    let crm = crm(PEOPLE);
    let outcome = crm.call("list_contacts", json!({}));
    assert_eq!(
        outcome.result.unwrap(),
        json!({
            "contacts": [
                {
                    "name": "Jane Doe",
                    "company": "Quillon Labs",
                    "stage": "lead",
                    "email": "Jane.Doe@quillon.example",
                    "tags": ["saas", "food/dairy"],
                    "next_contact": "2026-11-24",
                    "path": "CRM/People/Jane Doe.md",
                },
                {"name": "Jane Roe", "company": "Fernhill Dairy", "stage": "Lead", "tags": "dairy", "path": "CRM/People/Jane Roe.md"},
                {"name": "Theo Marsh", "company": "Quillon Labs", "stage": "customer", "path": "Friends/Theo.md"},
            ],
            "count": 3,
        })
    );
    assert_eq!(outcome.sources.len(), 3);
    assert!(crm.approver.asked().is_empty(), "reading does not ask");
}

#[test]
fn filters_are_combined() {
    check(json!({"stage": "LEAD"}), &["Jane Doe", "Jane Roe"]);
    check(json!({"stage": "customer"}), &["Theo Marsh"]);
    check(json!({"company": "quillon"}), &["Jane Doe", "Theo Marsh"]);
    check(json!({"company": "[[Quillon Labs]]"}), &["Jane Doe", "Theo Marsh"]);
    check(json!({"company": "quillon", "stage": "lead"}), &["Jane Doe"]);
    check(json!({"stage": "won"}), &[]);
    check(json!({"stage": "", "query": " "}), &["Jane Doe", "Jane Roe", "Theo Marsh"]);
}

#[test]
fn unknown_stage_error_suggests_the_nearest() {
    let error = crm(PEOPLE).call("list_contacts", json!({"stage": "led"})).result.unwrap_err();
    assert_eq!(error.message, "There is no stage \"led\".");
    assert!(error.hint.starts_with("Nearest: lead,"), "{}", error.hint);
    let error = crm(PEOPLE).call("list_contacts", json!({"stage": "custommer"})).result.unwrap_err();
    assert!(error.hint.starts_with("Nearest: customer,"), "a stage that contacts use: {}", error.hint);
}

#[test]
fn tag_filter_includes_nested_tags() {
    check(json!({"tag": "saas"}), &["Jane Doe"]);
    check(json!({"tag": "#Food"}), &["Jane Doe"]);
    check(json!({"tag": "dairy"}), &["Jane Roe"]);
    check(json!({"tag": "foo"}), &[]);
}

#[test]
fn query_searches_the_whole_note() {
    check(json!({"query": "lisbon"}), &["Theo Marsh"]);
    check(json!({"query": "two YEARS jane"}), &["Jane Doe"]);
    check(json!({"query": "roe"}), &["Jane Roe"]);
    check(json!({"query": "marsh"}), &["Jane Doe", "Theo Marsh"]);
    check(json!({"query": "lisbon years"}), &[]);
}

#[test]
fn unreadable_notes_are_reported_and_hide_no_contact() {
    let crm = crm("
//- CRM/People/Al.md
---
type: contact
---
//- CRM/People/Bo.md
---
type: contact
name: Bo
stage: [lead
---
//- Elsewhere/Cy.md
---
type: contact
name: : :
---
//- Elsewhere/Other.md
---
broken: [
---
");
    let list = crm.value("list_contacts", json!({"query": "al"}));
    assert_eq!(
        (&list["contacts"], &list["count"]),
        (&json!([{"name": "Al", "path": "CRM/People/Al.md"}]), &json!(1))
    );
    let broken: Vec<&str> =
        list["unreadable"].as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap()).collect();
    assert_eq!(
        broken,
        ["CRM/People/Bo.md", "Elsewhere/Cy.md"],
        "notes in the folder, and those that name the type"
    );
    let bo = &list["unreadable"][0];
    let line = bo["line"].as_u64().unwrap();
    assert!((4..=5).contains(&line), "the list opened on line 4 ends nowhere: {bo}");
    assert!(bo["problem"].as_str().is_some_and(|why| !why.is_empty()), "{bo}");
}

#[test]
fn empty_vault_has_an_empty_list() {
    assert_eq!(crm("").value("list_contacts", json!({})), json!({"contacts": [], "count": 0}));
}

#[test]
fn starter_vault_can_be_listed() {
    let template = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vault-template");
    let crm =
        nova_testkit::SkillInVault::new(nova_skill_crm::skill(), nova_testkit::TempVault::copy_of(&template));
    let list = crm.value("list_contacts", json!({"company": "Fernhill Dairy"}));
    assert_eq!(list["contacts"][0]["name"], "Ilse Brandvik");
    let all = crm.value("list_contacts", json!({}));
    let people = std::fs::read_dir(template.join("CRM/People")).unwrap().count();
    assert_eq!(all["count"], people, "all of them, and not the template: {all}");
}
