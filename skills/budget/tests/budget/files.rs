use std::path::Path;

use nova_skill::json;
use nova_testkit::{SkillInVault, TempVault};

#[test]
fn it_is_sound() {
    nova_testkit::assert_sound(nova_skill_budget::skill(), "budget");
}

#[test]
fn the_starter_vault_has_a_month_to_look_at() {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vault-template");
    let budget = SkillInVault::new(nova_skill_budget::skill(), TempVault::copy_of(&template));
    let summary = budget.value("month_summary", json!({"month": "2026-11"}));
    assert_eq!(summary["unreadable"], json!([]));
    let months = summary["months"].as_array().unwrap();
    assert!(months.iter().all(|month| month["spent"] != "0.00"), "{months:?}");
    assert!(summary["categories"].as_array().unwrap().iter().any(|row| row["limit"].is_string()));
}
