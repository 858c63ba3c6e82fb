//! The skill's tools, called as the program calls them, over a vault in a string.

use nova_skill::json;
use nova_testkit::{SkillInVault, assert_sound};

#[test]
fn the_skill_is_sound() {
    assert_sound(CRATE::skill(), "NAME");
}

#[test]
fn echo_repeats_the_text() {
    let skill = SkillInVault::new(CRATE::skill(), "");
    assert_eq!(skill.value("echo", json!({"text": "hello", "times": 2})), json!({"text": "hello hello"}));
}

#[test]
fn echo_refuses_more_than_ten_times() {
    let skill = SkillInVault::new(CRATE::skill(), "");
    let error = skill.error("echo", json!({"text": "hello", "times": 11}));
    assert!(error.message.contains("times"), "{error}");
}
