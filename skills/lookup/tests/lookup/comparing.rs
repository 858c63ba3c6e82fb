//! Comparing several shares.

use nova_skill::json;
use nova_testkit::Reply;

use crate::{chart, lookup, unknown_symbol};

fn two() -> nova_testkit::SkillInVault {
    lookup(|request| match request.path.contains("/NGTL?") {
        true => chart("NGTL", &[("2026-01-02", "20"), ("2026-02-02", "40"), ("2026-11-20", "50")], ""),
        false if request.path.contains("/BWOP?") => {
            chart("BWOP", &[("2026-02-02", "100"), ("2026-11-20", "90")], "")
        }
        false => unknown_symbol(),
    })
}

#[test]
fn changes_are_relative_to_the_first_common_day() {
    let value = two().value("compare", json!({"symbols": ["NGTL", "BWOP"], "range": "1y", "points": true}));
    assert_eq!((&value["from"], &value["to"]), (&json!("2026-02-02"), &json!("2026-11-20")));
    let row = |place: usize| value["symbols"][place].clone();
    assert_eq!((&row(0)["change"], &row(1)["change"]), (&json!("25.00"), &json!("-10.00")));
    assert_eq!(
        row(0)["points"],
        json!([{"date": "2026-02-02", "change": "0.00"}, {"date": "2026-11-20", "change": "25.00"}])
    );
}

#[test]
fn share_without_closes_is_named_and_the_others_are_compared() {
    let value = two().value("compare", json!({"symbols": ["NGTL", "BWOP", "NONE"]}));
    assert_eq!(value["symbols"].as_array().unwrap().len(), 2);
    assert!(value["problems"][0]["problem"].as_str().unwrap().starts_with("NONE has no closes: Yahoo says"));
    assert_eq!(value["symbols"][0].get("points"), None);
}

#[test]
fn one_share_twice_is_refused() {
    let error = two().error("compare", json!({"symbols": ["NGTL", "ngtl"]}));
    assert_eq!(error.message, "There is nothing to compare. That is one share.");
}

#[test]
fn close_of_zero_is_ignored() {
    let skill = lookup(|_| chart("NGTL", &[("2026-11-19", "0"), ("2026-11-20", "42.18")], ""));
    let value = skill.value("pull_up_symbol", json!({"symbol": "NGTL", "range": "1m"}));
    assert_eq!(value["points"].as_array().unwrap().len(), 1);
    let _ = Reply::text("");
}
