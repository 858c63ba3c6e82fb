//! Which calls run, ask or are refused, by rules written at a terminal, in the window or in the file.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::Arc;

use nova_app::{Answer, App, ApprovalRequest, Approver, CancellationToken, ChangeSetKind, ToolRun, TurnEnd};
use nova_protocol::{
    AddRule, ApprovedToolRef, ApprovedToolState, Commands as _, DecideApproval, Decision, ErrorCode, Event,
    Nothing, RuleAnswer, RuleRef, SendMessage, TriedVerdict, TryRule,
};
use nova_testkit::{PATIENCE, ScriptedApprover, call, call_text, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, turn, wait_for};

const JANE: &str = "CRM/People/Jane Doe.md";

fn patterns(view: &Value) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let rules = view["rules"].as_array().unwrap();
    rules.iter().map(|rule| (word(&rule["answer"]), word(&rule["pattern"]))).collect()
}

fn pair(answer: &str, pattern: &str) -> (String, String) {
    (answer.into(), pattern.into())
}

#[test]
fn rules_are_written_tried_and_removed_at_a_terminal() {
    let nova = Nova::new(PEOPLE, []);
    nova.rules("# what I decided\npermissions:\n  deny: [ \"*__delete_*\" ] # never\n");
    let add = ["tool", "call", "crm.add_contact", "--args", r#"{"name":"Odile Farrow"}"#];

    let (code, tried) = nova.json(&["permission", "try", "crm.add_contact"]);
    assert_eq!((code, &tried["verdict"], &tried["rule"]), (0, &json!("ask"), &Value::Null));
    assert_eq!(tried["decisions"], json!(["once", "session", "always", "deny"]));
    assert_eq!(tried["reason"], "No rule applies: a tool that changes notes asks.");
    assert_eq!(nova.json(&add).0, 3, "no approver");

    let (code, view) = nova.json(&["permission", "allow", "crm__add_*"]);
    assert_eq!((code, patterns(&view)), (0, vec![pair("deny", "*__delete_*"), pair("allow", "crm__add_*")]));
    let (_, tried) = nova.json(&["permission", "try", "crm__add_contact"]);
    assert_eq!((&tried["verdict"], &tried["rule"]["pattern"]), (&json!("run"), &json!("crm__add_*")));
    assert_eq!(nova.json(&add).0, 0);

    // The same pattern in another spelling moves to the other list.
    let (_, view) = nova.json(&["permission", "deny", "CRM.add-*"]);
    assert_eq!(patterns(&view), [pair("deny", "CRM.add-*"), pair("deny", "*__delete_*")]);
    let other =
        ["tool", "call", "crm.add_contact", "--args", r#"{"name":"Ilse Brandvik"}"#, "--approve", "all"];
    let (code, result) = nova.json(&other);
    assert_eq!((code, &result["error"]["code"]), (3, &json!("denied_by_rule")));
    assert_eq!(result["error"]["message"], "crm.add_contact is denied by the rule \"CRM.add-*\".");

    let (_, view) = nova.json(&["permission", "ask", "crm__list_contacts"]);
    assert!(patterns(&view).contains(&pair("ask", "crm__list_contacts")), "{view}");
    assert_eq!(nova.json(&["tool", "call", "crm.list_contacts"]).0, 3, "an asking rule without an approver");

    nova.json(&["permission", "remove", "crm__add_*"]);
    let (code, view) = nova.json(&["permission", "remove", "crm__list_contacts"]);
    assert_eq!((code, patterns(&view)), (0, vec![pair("deny", "*__delete_*")]));
    let file = fs::read_to_string(nova.config().join("permissions.yaml")).unwrap();
    assert!(file.starts_with("# what I decided\npermissions:\n"), "{file}");
    assert!(file.contains("deny: [ \"*__delete_*\" ] # never"), "{file}");
}

#[test]
fn arguments_decide_where_a_rule_names_them() {
    let nova = Nova::new(PEOPLE, []);
    nova.json(&["permission", "deny", "vault__read_note(path=CRM/*)"]);
    let try_with = |path: &str| {
        let args = json!({ "path": path }).to_string();
        nova.json(&["permission", "try", "vault.read_note", "--args", &args]).1["verdict"].clone()
    };
    for path in [
        JANE,
        "crm/people/jane doe",
        "./CRM/People/Jane Doe.md",
        "Friends/../CRM/People/Jane Doe.md",
        "Jane Doe",
    ] {
        assert_eq!(try_with(path), "deny", "{path}");
        let args = json!({ "path": path }).to_string();
        let (code, result) =
            nova.json(&["tool", "call", "vault.read_note", "--args", &args, "--approve", "all"]);
        assert_eq!((code, &result["error"]["code"]), (3, &json!("denied_by_rule")), "{path}");
    }
    assert_eq!(try_with("Friends/Tomasz Wirek.md"), "run");
}

#[test]
fn policy_applies_to_strangers_only() {
    let nova = Nova::new(PEOPLE, []);
    nova.rules(
        "policies:\n  - name: \"Limit tools for unknown senders\"\n    match:\n      principal:\n        relationship: unknown\n    permissions:\n      tools:\n        deny: [read_note, task]\n",
    );
    let (_, tried) = nova.json(&["permission", "try", "vault.read_note"]);
    assert_eq!(tried["verdict"], "run");
    let (_, tried) = nova.json(&["permission", "try", "vault.read_note", "--as", "unknown"]);
    assert_eq!(
        (&tried["verdict"], &tried["policy"]),
        (&json!("deny"), &json!("Limit tools for unknown senders"))
    );
    let (_, view) = nova.json(&["permission", "list"]);
    assert_eq!(view["policies"][0]["who"], "relationship unknown");
    assert_eq!(view["problem"], Value::Null);
}

#[test]
fn invalid_rules_are_refused_with_the_remedy() {
    let nova = Nova::new(PEOPLE, []);
    let refused = |args: &[&str]| {
        let (code, error) = nova.json(args);
        assert_eq!(code, 1, "{args:?}: {error}");
        assert!(!error["error"]["hint"].as_str().unwrap().is_empty(), "{error}");
        error["error"]["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        refused(&["permission", "allow", "crm add"]),
        "\"crm add\" is not a valid pattern: a tool's name has letters, digits, _, - and . only."
    );
    assert!(
        refused(&["permission", "deny", "crm__add(x)"]).contains("the brackets must hold name=value pairs")
    );
    assert!(refused(&["permission", "remove", "nothing__here"]).contains("There is no rule"));
    assert!(refused(&["permission", "try", "nothing.here"]).contains("There is no tool"));
    assert!(
        refused(&["permission", "try", "crm.add_contact", "--as", "stranger"]).contains("not a relationship")
    );

    nova.rules("permissions:\n  deny: [x]\n  alow: [y]\n");
    assert!(refused(&["permission", "allow", "crm__add_contact"]).contains("line 3"));
    let kept = fs::read_to_string(nova.config().join("permissions.yaml")).unwrap();
    assert_eq!(kept, "permissions:\n  deny: [x]\n  alow: [y]\n");

    nova.rules("permissions: &all {deny: [x]}\n");
    assert!(
        refused(&["permission", "allow", "crm__add_contact"]).contains("a layout that Nova does not edit")
    );
}

#[test]
fn running_program_applies_rules_that_another_writes() {
    let nova = Nova::new(PEOPLE, []);
    nova.rules("permissions:\n  deny: [ x ]\n");
    let mut child = nova.command(&["events"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut ready).unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut wait_for = |kind: &str| -> Value {
        loop {
            let event: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
            if event["type"] == kind {
                return event;
            }
        }
    };
    nova.json(&["permission", "deny", "crm__add_contact"]);
    wait_for("rules_changed");

    nova.rules("permissions:\n  deny: [ x ]\n  alow: [ y ]\n");
    let problem = wait_for("config_problem");
    assert_eq!(problem["line"], 3, "{problem}");
    assert!(problem["file"].as_str().unwrap().ends_with("permissions.yaml"), "{problem}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn broken_file_keeps_the_last_good_rules() {
    let nova = Nova::new(PEOPLE, []);
    nova.rules("permissions:\n  deny: [ add_contact ]\n");
    let app = nova.start().await;
    app.watch();
    let mut events = app.events();
    nova.rules("permissions:\n  deny: [ add_contact\n");
    wait_for(&mut events, |event| matches!(event, Event::ConfigProblem { .. })).await;

    let tried = app.try_rule(trying("crm.add_contact")).await.unwrap();
    assert_eq!(tried.verdict, TriedVerdict::Deny);
    let view = app.list_rules(Nothing {}).await.unwrap();
    assert!(view.problem.unwrap().message.contains("The last good rules stay in use"));

    nova.rules("permissions:\n  deny: [ other ]\n");
    wait_for(&mut events, |event| matches!(event, Event::RulesChanged {})).await;
    assert_eq!(app.try_rule(trying("crm.add_contact")).await.unwrap().verdict, TriedVerdict::Ask);
    assert_eq!(app.list_rules(Nothing {}).await.unwrap().problem, None);
}

fn trying(tool: &str) -> TryRule {
    TryRule { tool: tool.into(), args: None, relationship: None }
}

fn change(stage: &str) -> nova_testkit::Answer {
    call("crm__update_contact", json!({"name": "Jane Doe", "stage": stage}))
}

/// Allows for the chat; denies from the second question on.
fn once_for_the_chat() -> ScriptedApprover {
    ScriptedApprover::new([nova_testkit::decided(Decision::Session), nova_testkit::denied("not any more")])
}

#[tokio::test]
async fn new_asking_rule_voids_the_grants_of_running_chats() {
    let answers = [change("won"), text("Done."), change("lost"), text("No.")];
    let nova = Nova::new(PEOPLE, answers);
    let app = nova.start().await;
    let approver = once_for_the_chat();
    let (first, _) = turn(&app, None, "Jane is won", approver.clone()).await;
    assert!(nova.vault.read(JANE).contains("stage: won"));

    // Written and removed again: earlier grants are void anyway.
    let rule = "crm__update_contact".to_owned();
    app.add_rule(AddRule { answer: RuleAnswer::Ask, pattern: rule.clone() }).await.unwrap();
    app.remove_rule(RuleRef { pattern: rule }).await.unwrap();
    turn(&app, Some(&first.session), "Jane is lost", approver.clone()).await;
    assert_eq!(approver.asked().len(), 2);
    assert!(nova.vault.read(JANE).contains("stage: won"), "denied");
    nova.model.finish();
}

/// Answers "always", as a user does in the window.
struct Always;

#[async_trait::async_trait]
impl Approver for Always {
    async fn ask(&self, _: &ApprovalRequest) -> Answer {
        nova_testkit::decided(Decision::Always)
    }
}

#[tokio::test]
async fn always_writes_a_literal_rule_that_can_be_removed() {
    let nova = Nova::new(PEOPLE, [change("won"), text("Done.")]);
    let app = nova.start().await;
    turn(&app, None, "Jane is won", Always).await;
    let view = app.list_rules(Nothing {}).await.unwrap();
    assert_eq!(view.rules[0].pattern, "crm__update_contact");
    assert_eq!(view.rules[0].answer, RuleAnswer::Allow);
    assert_eq!(app.try_rule(trying("crm.update_contact")).await.unwrap().verdict, TriedVerdict::Run);
    let view = app.remove_rule(RuleRef { pattern: "crm.update_contact".into() }).await.unwrap();
    assert_eq!(view.rules, []);
    assert_eq!(app.try_rule(trying("crm.update_contact")).await.unwrap().verdict, TriedVerdict::Ask);
    nova.model.finish();
}

const WEATHER: &str = "name: weather_now\ndescription: Says the weather.\neffect: read\ngives: sunny\n";

#[tokio::test]
async fn approvals_of_a_file_are_listed_and_revoked() {
    let nova = Nova::new("", []);
    let folder = nova.config().join("tools").join("dynamic");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("weather.ts"), WEATHER).unwrap();
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    let call = async |approver: ScriptedApprover| {
        app.run_tool(ToolRun {
            run: "test".into(),
            tool: "dynamic.weather_now".into(),
            args: json!({}),
            kind: ChangeSetKind::Cli,
            approver: Arc::new(approver),
            by_hand: true,
            cancel: CancellationToken::new(),
        })
        .await
    };
    let nobody = || ScriptedApprover::new([]);
    assert_eq!(call(ScriptedApprover::always(Decision::Always)).await.value, Some(json!("sunny")));
    assert_eq!(call(nobody()).await.value, Some(json!("sunny")));

    let tools = app.list_rules(Nothing {}).await.unwrap().tools;
    assert_eq!(tools.len(), 1);
    assert_eq!(
        (tools[0].tool.as_str(), tools[0].always, tools[0].state),
        ("dynamic.weather_now", true, ApprovedToolState::AsApproved)
    );
    let view = app.revoke_tool(ApprovedToolRef { tool: "dynamic.weather-now".into() }).await.unwrap();
    assert_eq!(view.tools, []);
    let error = call(nobody()).await.error.unwrap();
    assert_eq!(error.code, ErrorCode::ApprovalUnanswered);
    assert!(app.revoke_tool(ApprovedToolRef { tool: "dynamic.weather_now".into() }).await.is_err());
}

#[tokio::test]
async fn third_identical_call_of_a_model_asks() {
    let list = || call("crm__list_contacts", json!({"stage": "lead"}));
    let nova = Nova::new(PEOPLE, [list(), list(), list(), text("I give up.")]);
    let app = nova.start().await;
    let approver = ScriptedApprover::new([nova_testkit::denied("you have it already")]);
    let (_, events) = turn(&app, None, "Who is a lead?", approver.clone()).await;
    assert_eq!(approver.asked().len(), 1, "two ran without asking");
    let ran =
        events.iter().filter(|event| matches!(event, Event::ToolCallCompleted { ok: true, .. })).count();
    assert_eq!(ran, 2);
    nova.model.finish();
}

#[tokio::test]
async fn third_identical_call_asks_even_with_invalid_arguments() {
    for arguments in [r#"{"nme": "Jane Doe"}"#, r#"{"name": "#] {
        let wrong = || call_text("crm__get_contact", arguments);
        let nova = Nova::new(PEOPLE, [wrong(), wrong(), wrong(), wrong(), text("I give up.")]);
        let app = nova.start().await;
        let once = nova_testkit::decided(Decision::Once);
        let approver = ScriptedApprover::new([nova_testkit::denied("look it up"), once]);
        let (end, events) = turn(&app, None, "Who is Jane?", approver.clone()).await;
        assert_eq!(end.end, TurnEnd::Completed { text: "I give up.".into() });
        assert_eq!(approver.asked().len(), 2, "two were refused without asking");
        let told = events.iter().filter_map(|event| match event {
            Event::ToolCallCompleted { output, .. } => output["code"].as_str().map(str::to_owned),
            _ => None,
        });
        let told: Vec<String> = told.collect();
        // Allowed unchanged, it fails as before.
        let misfit = "invalid_arguments";
        assert_eq!(told, [misfit, misfit, "denied_by_user", misfit], "{arguments}");
        nova.model.finish();
    }

    // Edited on the card, it runs.
    let wrong = || call("crm__get_contact", json!({"nme": "Jane Doe"}));
    let nova = Nova::new(PEOPLE, [wrong(), wrong(), wrong(), text("A lead.")]);
    let app = nova.start().await;
    let approver = ScriptedApprover::new([nova_testkit::edited(json!({"name": "Jane Doe"}))]);
    let (_, events) = turn(&app, None, "Who is Jane?", approver.clone()).await;
    let ok = events.iter().filter(|event| matches!(event, Event::ToolCallCompleted { ok: true, .. })).count();
    assert_eq!((approver.asked().len(), ok), (1, 1), "{events:?}");
    nova.model.finish();
}

fn answer(session: &str, asked: &Event, decision: Decision) -> DecideApproval {
    let Event::ApprovalRequested { call, revision, .. } = asked else { panic!("a question: {asked:?}") };
    DecideApproval {
        session: session.into(),
        call: call.clone(),
        decision,
        revision: *revision,
        args: None,
        reason: None,
    }
}

async fn send(app: &App, session: &str, words: &str) {
    let message = SendMessage { session: session.into(), text: words.into(), ..Default::default() };
    app.send_message(message).await.unwrap();
}

#[tokio::test]
async fn answer_is_for_one_question_as_shown() {
    let nova = Nova::new(PEOPLE, [change("won"), change("lost"), text("Done.")]);
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "Change Jane").await;
    let is_question = |event: &Event| matches!(event, Event::ApprovalRequested { .. });
    let first = wait_for(&mut events, is_question).await;

    let older = DecideApproval { revision: 0, ..answer(&session, &first, Decision::Once) };
    assert!(app.decide_approval(older).await.is_err(), "a stale answer was accepted");
    let of_another = answer("another", &first, Decision::Once);
    assert!(app.decide_approval(of_another).await.is_err());
    app.decide_approval(answer(&session, &first, Decision::Once)).await.unwrap();

    let second = wait_for(&mut events, is_question).await;
    let again = app.decide_approval(answer(&session, &first, Decision::Once)).await.unwrap_err();
    assert_eq!(again.code, ErrorCode::UnknownApproval, "the first answer is used up");
    assert!(nova.vault.read(JANE).contains("stage: won"));
    app.decide_approval(answer(&session, &second, Decision::Deny)).await.unwrap();
    wait_for(&mut events, |event| matches!(event, Event::TurnCompleted { .. })).await;
    assert!(nova.vault.read(JANE).contains("stage: won"), "the second was denied");
    nova.model.finish();
}

#[tokio::test]
async fn quitting_while_a_question_waits_is_a_denial() {
    let nova = Nova::new(PEOPLE, [change("won")]);
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "Change Jane").await;
    wait_for(&mut events, |event| matches!(event, Event::ApprovalRequested { .. })).await;
    app.stop_everything().await;
    wait_for(&mut events, |event| matches!(event, Event::TurnCancelled { .. })).await;
    assert!(nova.vault.read(JANE).contains("stage: lead"));
}

#[test]
fn obsidians_own_folder_is_refused_despite_any_rule() {
    let nova = Nova::new(PEOPLE, []);
    nova.json(&["permission", "allow", "*"]);
    for path in [".obsidian/app.json", ".OBSIDIAN/app.md", "CRM/../.obsidian/x.md", ".obsidian\\x.md"] {
        let args = json!({"path": path, "content": "{}"}).to_string();
        let (code, result) =
            nova.json(&["tool", "call", "vault.create_note", "--args", &args, "--approve", "all"]);
        assert_eq!((code, &result["error"]["code"]), (1, &json!("path_refused")), "{path}: {result}");
    }
    assert!(!nova.vault.root().join(".obsidian").join("app.json").exists());
}

#[test]
fn wildcard_allow_does_not_cover_destructive_tools() {
    let nova = Nova::new(PEOPLE, []);
    nova.json(&["permission", "allow", "*"]);
    let delete = ["tool", "call", "vault.delete_note", "--args", r#"{"path":"Ideas.md"}"#];
    let (code, result) = nova.json(&delete);
    assert_eq!(
        (code, &result["error"]["code"]),
        (3, &json!("approval_unanswered")),
        "a wildcard allows no destructive call"
    );
    assert!(nova.vault.exists("Ideas.md"));
    nova.json(&["permission", "allow", "vault__delete_note"]);
    assert_eq!(nova.json(&delete).0, 0, "a rule for this one tool does");
    assert!(!nova.vault.exists("Ideas.md"));
}

#[tokio::test]
async fn rule_about_requests_needs_no_tool_of_that_name() {
    let nova = Nova::new(PEOPLE, []);
    nova.rules("permissions: {deny: [internet_access], human_approval: [nobody__has_this]}");
    let app = nova.start().await;
    let rules = app.list_rules(Nothing {}).await.unwrap().rules;
    let note = |pattern: &str| rules.iter().find(|rule| rule.pattern == pattern).unwrap().note.clone();
    assert_eq!(note("internet_access"), None);
    assert_eq!(note("nobody__has_this").as_deref(), Some("No current tool has this name."));
}
