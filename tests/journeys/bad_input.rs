use std::io::Write as _;
use std::process::Stdio;

use nova_protocol::{Commands as _, Event, Nothing};
use nova_testkit::text;
use serde_json::json;

use super::nova::{Nova, PEOPLE, wait_for};

/// Runs a command that must fail with one clear line.
#[track_caller]
fn fails(nova: &Nova, args: &[&str], says: &[&str]) {
    let output = nova.run(args);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{args:?}: {text}");
    assert_eq!(text.trim_end().lines().count(), 1, "{args:?}: {text}");
    for part in says {
        assert!(text.contains(part), "{args:?} should say {part:?}: {text}");
    }
}

#[test]
fn unusable_vault_says_why_and_what_to_do() {
    let nova = Nova::new(PEOPLE, []);
    let root = nova.vault.root();
    let file = root.join("Ideas.md");
    let gone = root.join("gone");
    fails(&nova, &["vault", "status", "--vault", gone.to_str().unwrap()], &["does not exist", "gone"]);
    fails(&nova, &["vault", "status", "--vault", file.to_str().unwrap()], &["Ideas.md", "folder"]);
    fails(&nova, &["tool", "call", "crm.list_contacts", "--vault", gone.to_str().unwrap()], &["vault"]);
}

#[test]
fn broken_front_matter_is_listed_with_its_line_and_left_unchanged() {
    let nova = Nova::new(PEOPLE, []);
    let broken = "---\ntype: contact\nname: [Mara\n---\nStill readable.\n";
    nova.vault.write("CRM/People/Mara.md", broken);

    let (code, problems) = nova.json(&["vault", "check"]);
    assert_eq!(code, 1);
    assert_eq!(problems[0]["path"], "CRM/People/Mara.md");
    assert!(problems[0]["line"].as_u64().unwrap() >= 2, "{problems}");
    assert!(!problems[0]["remedy"].as_str().unwrap().is_empty());
    let (code, listed) = nova.json(&["tool", "call", "crm.list_contacts"]);
    assert_eq!(code, 0);
    assert!(listed["value"].to_string().contains("Jane Doe"), "the other skills are missing: {listed}");
    assert_eq!(nova.vault.read("CRM/People/Mara.md"), broken);
}

#[test]
fn broken_configuration_is_reported_with_its_line() {
    let nova = Nova::new(PEOPLE, []);
    std::fs::write(nova.config().join("nova.config.json"), "{\n  \"vault\": 1,,\n}").unwrap();
    let output = nova.run(&["skill", "disable", "crm"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("nova.config.json, line 2"), "{text}");
    let kept = std::fs::read_to_string(nova.config().join("nova.config.json")).unwrap();
    assert!(kept.contains("1,,"), "an unreadable file was overwritten");
}

#[test]
fn literal_key_is_refused_with_the_way_to_store_it() {
    let nova = Nova::new(PEOPLE, []);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "far", "kind": "openai", "api_key": "sk-0123456789abcdef"}],
    }));
    let output = nova.run(&["skill", "disable", "crm"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("nova credential set far/key") && !text.contains("sk-0123"), "{text}");
}

#[tokio::test]
async fn edited_configuration_is_applied_and_a_broken_one_keeps_the_last() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    app.watch();
    let mut events = app.events();
    let mut settings = json!({"vault": nova.vault.root(), "skills": {"crm": {"enabled": false}}});
    nova.settings(&settings);
    let changed = wait_for(&mut events, |event| matches!(event, Event::RegistryChanged { .. })).await;
    assert!(matches!(changed, Event::RegistryChanged { changed, .. } if changed == ["crm"]));

    std::fs::write(nova.config().join("nova.config.json"), "{\n\n!").unwrap();
    let problem =
        wait_for(&mut events, |event| matches!(event, Event::ConfigProblem { line: Some(3), .. })).await;
    assert!(matches!(problem, Event::ConfigProblem { file, .. } if file.ends_with("nova.config.json")));
    let status = app.app_status(Nothing {}).await.unwrap();
    assert!(status.config_problem.is_some());
    let rows = app.list_skills(Nothing {}).await.unwrap();
    let crm = rows.iter().find(|row| row.id == "crm").unwrap();
    assert_eq!(crm.state, nova_protocol::SkillState::Disabled);

    settings["skills"]["crm"]["enabled"] = json!(true);
    nova.settings(&settings);
    wait_for(&mut events, |event| matches!(event, Event::RegistryChanged { .. })).await;
    assert!(app.app_status(Nothing {}).await.unwrap().config_problem.is_none());
}

#[test]
fn unreadable_rules_let_nothing_run() {
    let nova = Nova::new(PEOPLE, []);
    nova.rules("permissions:\n  deny: [ \"crm__*\"\n");
    let (code, result) = nova.json(&["tool", "call", "crm.list_contacts"]);
    assert_eq!((code, &result["error"]["code"]), (3, &json!("denied_by_rule")), "{result}");
    assert!(result["error"]["message"].as_str().unwrap().contains("permissions.yaml"), "{result}");
    nova.rules("permissions:\n  denny: [ \"crm__*\" ]\n");
    assert_eq!(nova.json(&["tool", "call", "crm.list_contacts"]).0, 3, "a misspelt key is reported");
}

#[test]
fn input_line_that_is_not_text_is_reported_and_the_chat_continues() {
    for approve in [&[][..], &["--approve", "stdio"]] {
        let nova = Nova::new(PEOPLE, [text("Hello.")]);
        let mut child = nova
            .command(&[&["chat"], approve].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut keys = child.stdin.take().unwrap();
        keys.write_all(b"Gr\xfc\xdfe\nHello\n").unwrap();
        drop(keys);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("not UTF-8"), "{approve:?}: {said}");
        assert_eq!(nova.model.last_texts("user").pop().unwrap(), "Hello");
        nova.model.finish();
    }
}
