use nova_skill::Effect;
use serde_json::json;

use super::*;

fn content(definition: &str) -> ToolContent {
    ToolContent { skill: "dynamic".into(), tool: "weather_now".into(), definition: definition.into() }
}

fn face(description: &str) -> ToolFace {
    ToolFace {
        name: "dynamic.weather_now".into(),
        description: description.into(),
        parameters: json!({}),
        effect: Effect::Read,
        hosts: Vec::new(),
        credentials: Vec::new(),
        vault: None,
    }
}

#[test]
fn changed_content_is_not_approved_and_replaces_the_old_entry() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = Trust::new(folder.path());
    assert_eq!(trust.standing(&content("one")), Standing::Unknown);
    trust.keep(&content("one"), Approval::Always, &face("first")).expect("kept");
    let again = Trust::new(folder.path());
    assert_eq!(again.standing(&content("one")), Standing::This(Approval::Always));
    assert_eq!(again.standing(&content("two")), Standing::Changed(Some(Box::new(face("first")))));
    trust.keep(&content("two"), Approval::Seen, &face("second")).expect("kept");
    assert_eq!(trust.standing(&content("two")), Standing::This(Approval::Seen));
    let replaced = Standing::Changed(Some(Box::new(face("second"))));
    assert_eq!(trust.standing(&content("one")), replaced, "a replaced file asks again");
}

#[test]
fn another_spelling_of_a_name_is_the_same_tool() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = Trust::new(folder.path());
    trust.keep(&content("one"), Approval::Always, &face("first")).expect("kept");
    let respelled = ToolContent { tool: "Weather-Now".into(), ..content("two") };
    assert!(matches!(trust.standing(&respelled), Standing::Changed(Some(_))));
}

#[test]
fn entries_of_older_versions_are_valid() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = json!({"tools": {"dynamic.weather_now": {"definition": "one", "always": true}}});
    std::fs::write(folder.path().join("trust.json"), kept.to_string()).expect("written");
    let trust = Trust::new(folder.path());
    assert_eq!(trust.standing(&content("one")), Standing::This(Approval::Always));
    assert_eq!(trust.standing(&content("two")), Standing::Changed(None));
}

#[test]
fn only_the_first_sight_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = Trust::new(folder.path());
    trust.first_sights(&[(content("one"), face("first"))]).expect("kept");
    assert_eq!(trust.standing(&content("one")), Standing::This(Approval::Seen));
    trust.first_sights(&[(content("two"), face("second"))]).expect("nothing to keep");
    assert_eq!(trust.standing(&content("two")), Standing::Changed(Some(Box::new(face("first")))));
    assert!(trust.approved_tools().is_empty(), "no approval was recorded");
    let before = std::fs::read(folder.path().join("trust.json")).expect("there");
    trust.first_sights(&[]).expect("nothing to keep");
    assert_eq!(std::fs::read(folder.path().join("trust.json")).expect("there"), before);
}

#[test]
fn forgotten_tool_asks_like_the_first_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = Trust::new(folder.path());
    trust.keep(&content("one"), Approval::Always, &face("first")).expect("kept");
    assert_eq!(trust.approved_tools()[0].0, "dynamic.weather_now");
    assert!(trust.forget_tool("Dynamic.weather-now").expect("written"));
    assert_eq!(trust.standing(&content("one")), Standing::Unknown);
    assert!(!trust.forget_tool("dynamic.weather_now").expect("written"));
}

#[test]
fn allowed_host_is_bound_to_the_content() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = Trust::new(folder.path());
    assert!(trust.keep_host(&content("one"), "a.example").is_err(), "it was never approved");
    trust.keep(&content("one"), Approval::Seen, &face("one")).expect("kept");
    trust.keep_host(&content("one"), "a.example").expect("kept");
    trust.keep(&content("one"), Approval::Always, &face("one")).expect("kept");
    let read_again = Trust::new(folder.path());
    assert!(read_again.covers_host(&content("one"), "a.example"));
    assert!(!read_again.covers_host(&content("one"), "b.example"));
    assert!(!read_again.covers_host(&content("two"), "a.example"));
    trust.keep(&content("two"), Approval::Seen, &face("two")).expect("kept");
    assert!(trust.keep_host(&content("one"), "b.example").is_err(), "other content is in force");
    assert!(!trust.covers_host(&content("two"), "a.example"));
    assert_eq!(trust.standing(&content("two")), Standing::This(Approval::Seen));
}

const FROM_LATER: &str = r#"{
  "providers": {"openai": "api.openai.com"},
  "tools": {"dynamic.weather_now": {"definition": "one", "always": true, "until": "2031-01-01",
    "face": {"name": "dynamic.weather_now", "description": "first", "parameters": {}, "effect": "read",
      "hosts": [], "credentials": [], "icon": "sun"}}},
  "skills": {"notes": {"fingerprint": "f", "files": {"SKILL.md": "h"}, "by": "ana"}},
  "servers": {"gh": {"command": "x"}}
}"#;

fn kept(trust: &Trust) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(&trust.file).expect("there")).expect("JSON")
}

#[test]
fn agreement_is_bound_to_the_url() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = Trust::new(folder.path());
    assert!(trust.is_bound("openai", "here"), "no agreement yet");
    trust.agree("openai", "api.openai.com", "one").expect("written");
    assert!(trust.agrees("openai", "api.openai.com", "one"));
    assert!(!trust.agrees("openai", "api.openai.com", "two"));
    trust.revoke("openai", None).expect("written");
    assert!(!trust.agrees("openai", "api.openai.com", "one"));
    assert!(!trust.is_bound("openai", "here"), "the key stays bound");
    trust.rebind("openai", "here").expect("written");
    assert!(trust.is_bound("openai", "here") && !trust.is_bound("openai", "one"));
}

#[test]
fn key_is_bound_for_every_id_of_its_variable() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = Trust::new(folder.path());
    trust.agree("far-x", "far.example", "one").expect("written");
    for other in ["far_x", "FAR-X", "far x"] {
        assert!(!trust.is_bound(other, "here") && trust.is_bound(other, "one"), "{other}");
        assert!(!trust.agrees(other, "far.example", "one"), "an agreement covers one provider");
    }
    assert!(trust.is_bound("farx", "here"), "another variable");
    trust.rebind("far_x", "here").expect("written");
    assert!(trust.is_bound("far_x", "here") && trust.is_bound("far-x", "one"));
}

#[test]
fn agreement_of_an_older_version_is_bound_to_the_host() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = Trust::new(folder.path());
    std::fs::write(&trust.file, r#"{"providers": {"openai": "api.openai.com"}}"#).expect("written");
    assert!(trust.agrees("openai", "api.openai.com", "one"));
    assert!(!trust.agrees("openai", "evil.example", "one"));
}

#[test]
fn unknown_keys_of_newer_versions_are_retained() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = Trust::new(folder.path());
    std::fs::write(&trust.file, FROM_LATER).expect("written");
    trust.agree("ollama", "example.org", "address").expect("written");
    trust.keep_host(&content("one"), "a.example").expect("written");
    let same = AgreedSkill {
        fingerprint: "f".into(),
        files: [("SKILL.md".into(), "h".into())].into(),
        rest: Rest::new(),
    };
    trust.agree_to_skill("notes", &same).expect("written");
    let mut wanted: serde_json::Value = serde_json::from_str(FROM_LATER).expect("JSON");
    wanted["providers"]["ollama"] = json!("example.org");
    wanted["addresses"] = json!({"ollama": "address"});
    let mut tool = wanted["tools"]["dynamic.weather_now"].take();
    tool["hosts"] = json!(["a.example"]);
    // Names are canonicalised at the first change.
    wanted["tools"] = json!({canonical_name(&content("one")): tool});
    assert_eq!(kept(&trust), wanted);
}

#[test]
fn broken_file_counts_as_empty_and_is_not_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = Trust::new(folder.path());
    std::fs::write(&trust.file, "{\n  \"providers\": oops").expect("written");
    assert!(!trust.agrees("openai", "api.openai.com", "address"));
    let error = trust.agree("openai", "api.openai.com", "address").expect_err("not reported yet");
    assert!(error.to_string().contains("trust.json is broken"), "{error}");
    assert!(trust.first_sights(&[(content("one"), face("first"))]).is_err());
    assert_eq!(std::fs::read_to_string(&trust.file).expect("there"), "{\n  \"providers\": oops");
}

#[test]
fn reported_broken_file_is_kept_under_another_name() {
    let folder = tempfile::tempdir().expect("a folder");
    for (text, beside) in [("{ one", "trust.json.broken"), ("{ two", "trust.json.2.broken")] {
        let trust = Trust::new(folder.path());
        std::fs::write(&trust.file, text).expect("written");
        let told = trust.problem().expect("a problem");
        assert!(told.line == Some(1) && told.message.contains("none is in force"), "{told:?}");
        assert!(trust.first_sights(&[(content("one"), face("first"))]).is_err(), "not agreed to");
        trust.agree("openai", "api.openai.com", "address").expect("written");
        assert!(trust.agrees("openai", "api.openai.com", "address"));
        assert_eq!(std::fs::read_to_string(folder.path().join(beside)).expect("kept"), text);
        assert_eq!(trust.problem(), None);
    }
}

#[test]
fn file_that_cannot_be_opened_is_left_alone_and_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = Trust::new(folder.path());
    std::fs::create_dir(&trust.file).expect("a folder in its place");
    let told = trust.problem().expect("a problem");
    assert!(told.line.is_none() && told.message.contains("Make it readable"), "{told:?}");
    assert!(trust.agree("openai", "api.openai.com", "address").is_err());
    assert!(trust.file.is_dir());
}

#[test]
fn host_is_revoked_separately() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = Trust::new(folder.path());
    trust.keep(&content("one"), Approval::Always, &face("one")).expect("kept");
    trust.keep_host(&content("one"), "a.example").expect("kept");
    trust.keep_host(&content("one"), "b.example").expect("kept");
    assert!(trust.forget_host("Dynamic.weather-now", "a.example").expect("written"));
    assert!(!trust.forget_host("dynamic.weather_now", "a.example").expect("written"), "it is gone");
    assert!(!trust.forget_host("dynamic.other", "b.example").expect("written"), "another tool");
    assert!(!trust.covers_host(&content("one"), "a.example"));
    assert!(trust.covers_host(&content("one"), "b.example"));
    assert_eq!(trust.standing(&content("one")), Standing::This(Approval::Always));
}
