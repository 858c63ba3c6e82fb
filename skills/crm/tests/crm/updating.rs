use nova_protocol::{Decision, ErrorCode};
use nova_skill::{Value, json};
use nova_testkit::ScriptedApprover;

use crate::{PEOPLE, crm};

/// Checks that the note changes by `edits` (from, to) and in no other byte.
#[track_caller]
fn check(args: Value, path: &str, edits: &[(&str, &str)], changed: &[&str]) {
    let crm = crm(PEOPLE);
    let mut expected = crm.vault.read(path);
    for (from, to) in edits {
        assert_eq!(expected.matches(from).count(), 1, "{from:?} is there once");
        expected = expected.replace(from, to);
    }
    let value = crm.value("update_contact", args);
    assert_eq!(crm.vault.read(path), expected);
    assert_eq!((&value["path"], &value["changed"]), (&json!(path), &json!(changed)));
}

const JANE: &str = "CRM/People/Jane Doe.md";
const THEO: &str = "Friends/Theo.md";

#[test]
fn changes_only_the_bytes_of_the_property() {
    check(
        json!({"name": "Jane Doe", "stage": "won"}),
        JANE,
        &[("stage: lead", "stage: won")],
        &["stage: lead → won"],
    );
    check(
        json!({"name": "Theo", "stage": "lost"}),
        THEO,
        &[("stage: customer # since June", "stage: lost # since June")],
        &["stage: customer → lost"],
    );
}

#[test]
fn changes_several_properties_at_once() {
    check(
        json!({"name": "doe", "next_contact": "2026-12-01", "company": "Fernhill Dairy", "email": null}),
        JANE,
        &[
            ("next_contact: 2026-11-24", "next_contact: 2026-12-01"),
            ("[[Quillon Labs]]", "[[Fernhill Dairy]]"),
            ("email: Jane.Doe@quillon.example\n", ""),
        ],
        &[
            "company: [[Quillon Labs]] → [[Fernhill Dairy]]",
            "next_contact: 2026-11-24 → 2026-12-01",
            "email: removed",
        ],
    );
}

#[test]
fn missing_property_is_added() {
    check(
        json!({"name": "Teddy", "phone": "0155"}),
        THEO,
        &[("# since June\n", "# since June\nphone: \"0155\"\n")],
        &["phone: 0155 (new)"],
    );
}

#[test]
fn tags_are_edited_item_by_item() {
    check(
        json!({"name": "Jane Doe", "tags": ["saas", "champion"]}),
        JANE,
        &[("  - food/dairy\n", "  - champion\n")],
        &["tags: + champion − food/dairy"],
    );
}

#[test]
fn equal_value_keeps_its_notation() {
    check(json!({"name": "Theo Marsh", "company": "Quillon Labs", "stage": "customer"}), THEO, &[], &[]);
    check(
        json!({"name": "Jane Doe", "tags": ["saas", "food/dairy"], "phone": "+44 20 7946 0018"}),
        JANE,
        &[],
        &[],
    );
    check(json!({"name": "Theo Marsh", "email": null}), THEO, &[], &[]);
    check(json!({"name": "Jane Roe", "company": "Fernhill Dairy"}), "CRM/People/Jane Roe.md", &[], &[]);
}

#[test]
fn equivalent_link_keeps_its_notation() {
    let notes = "//- CRM/Companies/Acme.md\n---\ntype: company\naliases: [The firm]\n---\n";
    for link in ["[[CRM/Companies/Acme]]", "[[CRM/Companies/Acme.md|us]]", "[[The firm]]"] {
        let record = |kind: &str| format!("---\ntype: {kind}\ncompany: \"{link}\"\n---\n");
        let (deal, person) = (record("deal"), record("contact"));
        let crm = crm(&format!("{notes}//- Big.md\n{deal}//- Jo.md\n{person}"));
        for (tool, args) in [
            ("update_deal", json!({"title": "Big", "company": "Acme"})),
            ("update_contact", json!({"name": "Jo", "company": "Acme"})),
        ] {
            assert_eq!(crm.value(tool, args)["changed"], json!([]), "{tool} {link}");
        }
        assert_eq!((crm.vault.read("Big.md"), crm.vault.read("Jo.md")), (deal, person));
    }
}

#[test]
fn call_without_changes_needs_no_approval() {
    let crm = crm(PEOPLE);
    let outcome = crm.call("update_contact", json!({"name": "Jane Doe", "stage": "lead"}));
    assert!(outcome.result.is_ok() && outcome.changes.is_empty(), "{outcome:?}");
    assert!(crm.approver.asked().is_empty());
}

#[test]
fn rejects_empty_update_and_unknown_contact() {
    let error = crm(PEOPLE).error("update_contact", json!({"name": "Jane Doe"}));
    assert_eq!(
        (error.code, error.to_string().as_str()),
        (
            ErrorCode::InvalidArguments,
            "there is nothing to change. Allowed: company, email, phone, stage, tags, next_contact, birthday, every."
        )
    );
    let stage = |name: &str| crm(PEOPLE).error("update_contact", json!({"name": name, "stage": "won"})).code;
    assert_eq!(stage("Jane"), ErrorCode::Ambiguous);
    assert_eq!(stage("Nobody"), ErrorCode::NoteNotFound);
}

#[test]
fn rejects_invalid_details() {
    for wrong in [
        json!({"name": "Jane Doe", "email": "jane"}),
        json!({"name": "Jane Doe", "stage": " "}),
        json!({"name": "Jane Doe", "next_contact": "2026-02-30"}),
        json!({"name": "Jane Doe", "new_name": "Jane Smith"}),
    ] {
        let crm = crm(PEOPLE);
        let before = crm.vault.read(JANE);
        assert_eq!(crm.error("update_contact", wrong.clone()).code, ErrorCode::InvalidArguments, "{wrong}");
        assert_eq!(crm.vault.read(JANE), before);
    }
}

#[test]
fn nothing_is_written_without_approval() {
    let mut crm = crm(PEOPLE);
    crm.approver = ScriptedApprover::always(Decision::Deny);
    let before = crm.vault.read(JANE);
    let error = crm.error("update_contact", json!({"name": "Jane Doe", "stage": "won"}));
    assert_eq!(error.code, ErrorCode::DeniedByUser);
    assert_eq!(crm.vault.read(JANE), before);
    let diff = crm.approver.asked()[0].diff.clone().unwrap();
    assert_eq!(
        (diff[0].path.as_str(), diff[0].summary.as_str()),
        (JANE, "1 property, nothing else in the note"),
        "the user saw exactly what would change"
    );
}

#[test]
fn keeps_windows_line_endings() {
    let crm = crm("//- P/Al.md\n---\r\ntype: contact\r\nname: Al\r\n---\r\nText\r\n");
    crm.value("update_contact", json!({"name": "Al", "stage": "lead"}));
    assert_eq!(
        crm.vault.read("P/Al.md"),
        "---\r\ntype: contact\r\nname: Al\r\nstage: lead\r\n---\r\nText\r\n"
    );
}

#[test]
fn property_key_keeps_its_case() {
    let crm = crm("//- Jo.md\n---\nType: contact\nStage: won\n---\n");
    crm.value("update_contact", json!({"name": "Jo", "stage": "lead"}));
    assert_eq!(crm.vault.read("Jo.md"), "---\nType: contact\nStage: lead\n---\n");
}
