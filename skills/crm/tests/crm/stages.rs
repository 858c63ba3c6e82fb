//! User-defined deal stages.

use nova_skill::json;
use nova_testkit::{SkillInVault, snapshot_of};

use crate::crm;

const VAULT: &str = "
//- A.md
---
type: deal
title: A
stage: Talks
value: 100
currency: EUR
---
//- B.md
---
type: deal
title: B
stage: Signed
value: 50
currency: EUR
close_date: 2026-11-01
---
//- C.md
---
type: deal
title: C
stage: lead
value: 7
currency: EUR
---
";

fn configured(vault: &str) -> SkillInVault {
    SkillInVault::new(nova_skill_crm::skill(), vault).with_config(json!({"stages": [
        {"name": "Talks", "probability": 25},
        {"name": "Signed", "probability": 100, "closes": "won"},
        {"name": "Gone", "probability": 0, "closes": "lost"},
    ]}))
}

#[test]
fn board_has_only_configured_stages() {
    let answer = configured(VAULT).value("pipeline", json!({}));
    let names: Vec<_> = answer["stages"].as_array().unwrap().iter().map(|stage| &stage["stage"]).collect();
    assert_eq!(names, ["Talks", "Signed", "Gone"]);
    assert_eq!(answer["weighted"], json!([{"amount": "25", "currency": "EUR"}]));
    assert_eq!(answer["won_this_quarter"], json!([{"amount": "50", "currency": "EUR"}]));
    assert_eq!(
        answer["problems"],
        json!([{
            "path": "C.md", "line": 4, "problem": "C is not on the board: stage \"lead\" is not one of the stages",
            "remedy": "Write one of Talks, Signed, Gone.",
        }])
    );
}

#[test]
fn deals_are_added_and_moved_by_configured_stages() {
    let crm = configured("");
    crm.value("add_deal", json!({"title": "New"}));
    assert_eq!(
        crm.vault.read("CRM/Deals/New.md"),
        "---\ntype: deal\ntitle: New\nstage: Talks\n---\n\n## Log\n"
    );
    crm.value("move_deal", json!({"title": "New", "stage": "signed"}));
    assert!(crm.vault.read("CRM/Deals/New.md").contains("\nstage: Signed\n"));
    let error = crm.error("move_deal", json!({"title": "New", "stage": "won"}));
    assert_eq!(error.hint, "Allowed: Talks, Signed, Gone.");
}

#[test]
fn configured_choices_have_no_default_probability() {
    let crm = SkillInVault::new(nova_skill_crm::skill(), VAULT)
        .with_config(json!({"choices": {"deal": {"stage": ["Talks", "Signed", "lead"]}}}));
    let outcome = crm.call("pipeline", json!({}));
    assert_eq!(outcome.result.unwrap()["weighted"], json!([{"amount": "0.70", "currency": "EUR"}]));
    let figure = outcome.figures.iter().find(|figure| figure.at == "/weighted/0/amount").unwrap();
    assert_eq!(figure.caution.as_deref(), Some("2 deals without a probability left out"));
}

#[test]
fn every_stage_of_the_manifest_has_a_default_probability() {
    let answer = crm("").value("pipeline", json!({}));
    let known = |stage: &nova_skill::Value| {
        (stage["stage"].as_str().unwrap().to_owned(), stage["probability"].as_str().map(str::to_owned))
    };
    let stages: Vec<_> = answer["stages"].as_array().unwrap().iter().map(known).collect();
    let expected = [
        ("lead", "10"),
        ("contacted", "20"),
        ("qualified", "40"),
        ("proposal", "60"),
        ("won", "100"),
        ("lost", "0"),
    ];
    assert_eq!(stages, expected.map(|(name, percent)| (name.to_owned(), Some(percent.to_owned()))));
}

#[test]
fn rejects_invalid_stages_by_key() {
    let snapshot = snapshot_of(vec![nova_skill_crm::skill()]);
    let faults = |config| snapshot.skills()[0].faults_of_config(&config, &snapshot.type_owners()).join(" ");
    let twice = json!({"stages": [{"name": "A", "probability": 1}, {"name": "a", "probability": 2}]});
    assert!(faults(twice).contains("stages does not fit: it has the choice `a` twice"));
    let odd = faults(json!({"stages": [{"name": "A", "probability": 101}]}));
    assert!(odd.contains("stages") && odd.contains("100"), "{odd}");
    assert!(faults(json!({"currency": "euro"})).contains("currency"));
    assert_eq!(faults(json!({"stages": [{"name": "A", "probability": 12.5, "closes": "won"}]})), "");
}
