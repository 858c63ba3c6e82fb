//! Commands that the user configured deploy a release and send a mail.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use nova_app::{App, NoApprover};
use nova_protocol::{CallRef, Commands as _, Decision, Event, Nothing, SkillState};
use nova_testkit::{Answer, ScriptedApprover, call, denied, text};
use serde_json::{Value, json};

use super::nova::{DEPLOY_TOKEN, Nova, turn};
use super::running_commands::{output, yes};

/// The user's deploy script: version 9 fails, version 8 hangs, version 7 prints a lot.
const DEPLOY: &str = r#"#!/bin/sh
echo ran >> ran.txt
case "$NOVA_VERSION" in
  9) echo "no such server"; exit 3 ;;
  8) echo begun; (setsid sleep 1000 &); trap '' TERM; sleep 1000 ;;
  7) seq 1 20000 ;;
esac
echo "deployed $NOVA_VERSION to $1 from $(pwd -P)"
echo "with $DEPLOY_TOKEN as ${HOME##*/}" >&2
read -r line || echo "no input"
"#;

fn with_commands(answers: impl IntoIterator<Item = Answer>, change: impl FnOnce(&mut Value)) -> Nova {
    let nova = Nova::new("", answers);
    let site = nova.home().join("site");
    fs::create_dir_all(&site).unwrap();
    fs::write(site.join("deploy.sh"), DEPLOY).unwrap();
    fs::set_permissions(site.join("deploy.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut config = json!({
        "deploy_command": ["./deploy.sh", "production 1"], "deploy_folder": "~/site",
        "deploy_environment": [DEPLOY_TOKEN],
        "send_command": ["/bin/sh", "-c", "cat > mail.txt"], "send_folder": "~/site",
    });
    change(&mut config);
    let mut settings = nova.read_settings();
    settings["skills"] = json!({
        "release-management": {"config": config},
        "employee-onboarding": {"config": {"send_command": ["/bin/sh", "-c", "cat > mail.txt"], "send_folder": "~/site"}},
    });
    nova.settings(&settings);
    nova
}

fn deploy(version: &str) -> Answer {
    call("release-management__deploy_release", json!({"version": version}))
}

fn site(nova: &Nova, file: &str) -> Option<String> {
    fs::read_to_string(nova.home().join("site").join(file)).ok()
}

/// The result of deploying a version.
async fn deployed(version: &str, change: impl FnOnce(&mut Value)) -> (Nova, Value) {
    let nova = with_commands([deploy(version), text("Done.")], change);
    let app = nova.start().await;
    let (_, events) = turn(&app, None, "Deploy", yes()).await;
    let told = output(&events);
    (nova, told)
}

async fn state(app: &App, tool: &str) -> (SkillState, String) {
    let rows = app.list_tools(Nothing {}).await.unwrap();
    let row = rows.into_iter().find(|row| row.name == tool).unwrap();
    (row.state, row.reason.unwrap_or_default())
}

#[tokio::test]
async fn without_a_command_a_tool_names_the_key_to_set() {
    let nova = Nova::new("", [deploy("2.4"), text("It is not set up.")]);
    let app = nova.start().await;
    for (tool, key) in [
        ("release-management.deploy_release", "skills.release-management.config.deploy_command"),
        ("release-management.send_release_notes", "skills.release-management.config.send_command"),
        ("employee-onboarding.send_email", "skills.employee-onboarding.config.send_command"),
    ] {
        let (state, reason) = state(&app, tool).await;
        assert_eq!(state, SkillState::Unavailable);
        assert!(reason.contains(key), "{reason}");
    }
    let (_, events) = turn(&app, None, "Deploy", yes()).await;
    assert!(output(&events).to_string().contains("deploy_command"), "{events:?}");
    let skills = app.list_skills(Nothing {}).await.unwrap();
    let skill = skills.iter().find(|skill| skill.id == "release-management").unwrap();
    assert_eq!(skill.state, SkillState::Available, "its instructions work without a command");
}

#[tokio::test]
async fn question_shows_the_command_and_the_answer_its_result() {
    let nova = with_commands([deploy("2.4"), text("Deployed.")], |_| {});
    let app = nova.start().await;
    let approver = yes();
    let (_, events) = turn(&app, None, "Deploy", approver.clone()).await;
    let asked = approver.asked();
    assert_eq!(asked[0].question, "Deploy 2.4 by running ./deploy.sh 'production 1' in ~/site?");
    assert_eq!(asked[0].decisions, [Decision::Once, Decision::Deny]);
    let told = output(&events);
    assert_eq!(
        (&told["succeeded"], &told["exit_code"], &told["lines"]),
        (&json!(true), &json!(0), &json!(3))
    );
    let said = told["output"].as_str().unwrap();
    let folder = nova.home().join("site").canonicalize().unwrap();
    assert!(said.contains(&format!("deployed 2.4 to production 1 from {}\n", folder.display())), "{said}");
    assert!(said.contains("with [REDACTED] as ") && said.contains("no input"), "{said}");
    let requests = nova.model.requests().iter().map(Value::to_string).collect::<String>();
    assert!(!requests.contains("canary"), "the token is in a request");
}

#[tokio::test]
async fn runs_neither_by_wide_rules_nor_after_a_denial() {
    for rule in ["*", "release-management__*", "release-management__deploy_*"] {
        let nova = with_commands([deploy("2.4"), text("Not now.")], |_| {});
        nova.rules(&format!("permissions:\n  allow: [\"{rule}\"]\n"));
        let app = nova.start().await;
        let (_, events) = turn(&app, None, "Deploy", NoApprover).await;
        assert_eq!(output(&events)["code"], json!("approval_unanswered"), "{rule}");
        assert_eq!(site(&nova, "ran.txt"), None);
    }

    let nova = with_commands([deploy("2.4"), text("Not now.")], |_| {});
    let app = nova.start().await;
    let (_, events) = turn(&app, None, "Deploy", ScriptedApprover::new([denied("not today")])).await;
    assert_eq!(output(&events)["code"], json!("denied_by_user"));
    assert_eq!(site(&nova, "ran.txt"), None);
}

#[tokio::test]
async fn failing_command_is_reported_with_its_output() {
    let (nova, told) = deployed("9", |_| {}).await;
    assert_eq!(told, json!({"succeeded": false, "exit_code": 3, "lines": 1, "output": "no such server\n"}));
    assert_eq!(site(&nova, "ran.txt").unwrap(), "ran\n");
}

#[tokio::test]
async fn command_that_cannot_run_is_reported_with_the_remedy() {
    for (key, value, expected) in [
        ("deploy_command", json!(["./missing.sh"]), "no program ./missing.sh was found in "),
        ("deploy_command", json!(["no-such-program"]), "no program no-such-program was found on the PATH"),
        ("deploy_folder", json!("~/nowhere"), "~/nowhere is not a folder"),
        ("deploy_folder", json!("site"), "site is not a folder"),
        ("deploy_environment", json!(["MISSING_TOKEN"]), "MISSING_TOKEN is not set in Nova's environment"),
    ] {
        let (nova, told) = deployed("2.4", |config| config[key] = value).await;
        assert_eq!(told["code"], json!("tool_failed"), "{told}");
        let message = told["message"].as_str().unwrap();
        assert!(message.starts_with("The command did not run: ") && message.contains(expected), "{told}");
        assert!(told["hint"].as_str().unwrap().contains("skill's configuration"), "{told}");
        assert_eq!(site(&nova, "ran.txt"), None);
    }
}

#[tokio::test]
async fn version_that_is_not_one_word_is_refused() {
    for version in ["", "2.4; rm -rf /", "$(id)", "-2", "2\n4", "../2"] {
        let (nova, told) = deployed(version, |_| {}).await;
        assert_eq!(told["code"], json!("invalid_arguments"), "{version:?}: {told}");
        assert_eq!(site(&nova, "ran.txt"), None);
    }
}

#[tokio::test]
async fn long_output_is_cut_and_saved_in_scratch() {
    let (_nova, told) = deployed("7", |_| {}).await;
    assert_eq!((&told["succeeded"], &told["lines"]), (&json!(true), &json!(20_003)));
    let said = told["output"].as_str().unwrap();
    assert!(
        said.len() < 48 << 10 && said.starts_with("1\n2\n") && said.contains("deployed 7"),
        "{}",
        said.len()
    );
    assert!(told["whole_output"].as_str().unwrap().starts_with("scratch/"), "{told}");
}

#[tokio::test]
async fn stop_ends_the_command_and_its_processes() {
    let nova = with_commands([deploy("8"), text("Stopped.")], |_| {});
    let app = nova.start().await;
    let mut events = app.events();
    let stopping = async {
        loop {
            let envelope = events.recv().await.unwrap();
            if let Event::ToolCallProgress { call, partial: Some(_), .. } = envelope.event {
                app.stop_call(CallRef { session: envelope.session.unwrap(), call }).await.unwrap();
                return;
            }
        }
    };
    let ((_, events), ()) = tokio::join!(turn(&app, None, "Deploy", yes()), stopping);
    let stopped = events.iter().find_map(|event| match event {
        Event::ToolCallCompleted { ok: false, output, so_far, .. } => Some((output.clone(), so_far.clone())),
        _ => None,
    });
    let (told, so_far) = stopped.unwrap();
    assert_eq!((&told["code"], &so_far.unwrap()["output"]), (&json!("cancelled"), &json!("begun\n")));
}

#[tokio::test]
async fn mail_is_the_input_of_the_send_command() {
    for (tool, to, people) in [
        (
            "release-management__send_release_notes",
            json!(["users@example.org", "support@example.org"]),
            "2 people",
        ),
        ("employee-onboarding__send_email", json!(["priya@example.org"]), "1 person"),
    ] {
        let mail = json!({"to": to, "subject": "Hello", "text": "It is out.\n.\nEnjoy."});
        let nova = with_commands([call(tool, mail), text("Sent.")], |_| {});
        let app = nova.start().await;
        let approver = yes();
        let (_, events) = turn(&app, None, "Send it", approver.clone()).await;
        assert_eq!(
            approver.asked()[0].question,
            format!("Send this to {people} by running /bin/sh -c 'cat > mail.txt' in ~/site?")
        );
        assert_eq!(output(&events)["succeeded"], json!(true));
        let mail = site(&nova, "mail.txt").unwrap();
        let lines: Vec<&str> = mail.lines().collect();
        assert!(lines[0].starts_with("To: ") && lines.contains(&"Subject: Hello"), "{mail}");
        assert!(mail.ends_with("\n\nIt is out.\n.\nEnjoy.\n"), "{mail}");
    }
}

#[tokio::test]
async fn no_rule_sends_mail() {
    let mail = json!({"to": ["priya@example.org"], "subject": "Hello", "text": "Hello"});
    let nova = with_commands([call("employee-onboarding__send_email", mail), text("No.")], |_| {});
    nova.rules("permissions:\n  allow: [\"employee-onboarding__send_email\"]\n");
    let app = nova.start().await;
    let (_, events) = turn(&app, None, "Send it", NoApprover).await;
    assert_eq!(output(&events)["code"], json!("approval_unanswered"));
    assert_eq!(site(&nova, "mail.txt"), None);
}

#[tokio::test]
async fn address_that_would_inject_a_header_sends_nothing() {
    let mail = json!({"to": ["a@example.org\nBcc: all@example.org"], "subject": "Hello", "text": "Hello"});
    let nova = with_commands([call("employee-onboarding__send_email", mail), text("No.")], |_| {});
    let app = nova.start().await;
    let (_, events) = turn(&app, None, "Send it", yes()).await;
    assert_eq!(output(&events)["code"], json!("invalid_arguments"));
    assert_eq!(site(&nova, "mail.txt"), None);
}
