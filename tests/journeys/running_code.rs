//! A script of the model that calls tools: each call follows its own rules, and all writes are one draft.

use std::sync::Arc;

use nova_app::{App, Approver, CancellationToken, ChatRequest};
use nova_protocol::{
    Commands as _, DecideApproval, Decision, Effect, ErrorCode, Event, SendMessage, SessionRef,
};
use nova_testkit::{Answer, PATIENCE, Reply, ScriptedApprover, WebServer, call, denied, text, web_of};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, drain, turn, wait_for};
use super::running_typescript::{save, script_host};

const SKILLS: [&str; 5] = ["core", "crm", "portfolio", "budget", "vault"];
const JANE: &str = "CRM/People/Jane Doe.md";
const TOMASZ: &str = "Friends/Tomasz Wirek.md";

/// Two people, shares worth 8,436.00 EUR, and 84.20 EUR spent this month.
const MONEY: &str = "
//- Portfolio/Positions/NGTL.md
---
type: position
symbol: NGTL
name: Northgate Tooling
currency: EUR
quantity: 200
---
//- Portfolio/Trades/2026-03-12 NGTL buy.md
---
type: trade
symbol: NGTL
kind: buy
date: 2026-03-12
quantity: 200
price: 30.00
fee: 5.00
currency: EUR
---
//- Portfolio/Prices/2026-11-20 NGTL.md
---
type: price
symbol: NGTL
date: 2026-11-20
close: 42.18
currency: EUR
---
//- Budget/2026-11-02 Corner Market.md
---
type: expense
date: 2026-11-02
amount: 84.20
currency: EUR
category: groceries
payee: Corner Market
---
";

fn script(source: &str) -> Answer {
    call("core__run_code", json!({ "source": source }))
}

fn nova(notes: &str, answers: impl IntoIterator<Item = Answer>) -> Nova {
    let mut nova = Nova::new(notes, answers);
    nova.tool_host = Some(script_host(&nova));
    nova
}

/// Runs this script in one turn, with all skills active.
async fn ran(nova: &Nova, app: &App, approver: impl Approver + 'static) -> Vec<Event> {
    let mut events = app.events();
    let request = ChatRequest {
        session: None,
        text: "Do it".into(),
        skills: SKILLS.map(str::to_owned).into(),
        tool: None,
        after: None,
        images: Vec::new(),
        model: None,
        approver: Arc::new(approver),
        cancel: CancellationToken::new(),
    };
    let end = app.chat(request).await.unwrap();
    assert!(!nova.model.requests().is_empty(), "{end:?}");
    drain(&mut events)
}

/// The script's value or error.
fn result(events: &[Event]) -> Result<Value, Value> {
    let outer = events.iter().find_map(|event| match event {
        Event::ToolCallStarted { call, tool, .. } if tool == "core.run_code" => Some(call),
        _ => None,
    });
    let end = events.iter().find_map(|event| match event {
        Event::ToolCallCompleted { call, ok, output, .. } if Some(call) == outer => {
            Some((*ok, output.clone()))
        }
        _ => None,
    });
    match end.expect("the script ended") {
        (true, value) => Ok(value),
        (false, error) => Err(error),
    }
}

/// The script's calls as tool and success, in the order in which they ended.
fn inner(events: &[Event]) -> Vec<(String, bool)> {
    let named = |id: &str| {
        events.iter().find_map(|event| match event {
            Event::ToolCallStarted { call, tool, within: Some(_), .. } if call == id => Some(tool.clone()),
            _ => None,
        })
    };
    let ends = events.iter().filter_map(|event| match event {
        Event::ToolCallCompleted { call, ok, .. } => Some((named(call)?, *ok)),
        _ => None,
    });
    ends.collect()
}

fn message(error: &Value) -> &str {
    error["message"].as_str().unwrap_or_default()
}

/// Runs a script over two people without rules, with everything allowed.
async fn run(source: &str) -> Result<Value, Value> {
    let nova = nova(PEOPLE, [script(source), text("Done.")]);
    let app = nova.start().await;
    let events = ran(&nova, &app, ScriptedApprover::always(Decision::Once)).await;
    nova.model.finish();
    result(&events)
}

#[tokio::test]
async fn reads_of_three_skills_cost_one_step_and_no_question() {
    let source = "
        const [people, shares, spent] = await Promise.all([
          tools.crm.list_contacts({}),
          tools.portfolio.value({}),
          tools.budget.list({ from: '2026-11-01', to: '2026-11-30' }),
        ])
        ;({ people: people.count, shares: shares.value[0].amount, entries: spent.count })";
    let nova = nova(&format!("{PEOPLE}{MONEY}"), [script(source), text("Done.")]);
    let app = nova.start().await;
    let approver = ScriptedApprover::default();
    let events = ran(&nova, &app, approver.clone()).await;
    assert_eq!(result(&events), Ok(json!({"people": 2, "shares": "8436.00", "entries": 1})));
    assert_eq!(approver.asked(), []);
    let mut made = inner(&events);
    made.sort();
    let expected =
        ["budget.list", "crm.list_contacts", "portfolio.value"].map(|tool| (tool.to_owned(), true));
    assert_eq!(made, expected);
    let steps = events.iter().filter(|event| matches!(event, Event::StepStarted { .. })).count();
    assert_eq!(steps, 2, "the script, and the answer");
    assert_eq!(nova.model.last_texts("tool").len(), 1);
    nova.model.finish();
}

#[tokio::test]
async fn value_is_the_last_expression_or_the_returned_one() {
    assert_eq!(run("const half = 21\nhalf * 2").await, Ok(json!(42)));
    assert_eq!(run("if (true) return { a: [1] }\n'not this'").await, Ok(json!({"a": [1]})));
    assert_eq!(run("const n: number = 1 // the last line names nothing").await, Ok(json!(null)));
    let logged = json!({"value": 2, "log": ["one {\"a\":1}"]});
    assert_eq!(run("console.log('one', { a: 1 })\n1 + 1").await, Ok(logged));
}

const THREE_WRITES: &str = "
    for (const name of ['Jane Doe', 'Tomasz Wirek']) {
      await tools.crm.update_contact({ name, stage: 'customer' })
    }
    await tools.crm.update_contact({ name: 'Jane Doe', next_contact: '2026-12-01' })
    const jane = await tools.vault.read_note({ path: 'CRM/People/Jane Doe.md' })
    jane.properties.stage";

#[tokio::test]
async fn writes_are_one_diff_one_question_and_one_undo() {
    let nova = nova(PEOPLE, [script(THREE_WRITES), text("Done.")]);
    let before = nova.vault.read(JANE);
    let app = nova.start().await;
    let approver = ScriptedApprover::always(Decision::Once);
    let events = ran(&nova, &app, approver.clone()).await;

    let asked = approver.asked();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(asked[0].question, "Change 1 note?");
    assert_eq!(asked[0].decisions, [Decision::Once, Decision::Session, Decision::Deny], "never always");
    assert!(!asked[0].editable);
    assert_eq!((asked[0].tool.as_str(), asked[0].effect), ("core.run_code", Effect::Write));
    assert_eq!(inner(&events).len(), 4);

    let jane = nova.vault.read(JANE);
    assert!(jane.contains("stage: customer") && jane.contains("next_contact: 2026-12-01"), "{jane}");
    let sets = app.change_sets(None, None, None).await.unwrap();
    app.undo(&sets[0].id, None, None).await.unwrap();
    assert_eq!(nova.vault.read(JANE), before);
    nova.model.finish();
}

#[tokio::test]
async fn call_sees_planned_writes_of_earlier_calls() {
    let nova = nova(PEOPLE, [script(THREE_WRITES), text("Done.")]);
    let app = nova.start().await;
    let events = ran(&nova, &app, ScriptedApprover::always(Decision::Once)).await;
    assert_eq!(result(&events), Ok(json!("customer")));
    nova.model.finish();
}

#[tokio::test]
async fn denial_discards_all_writes_of_the_script() {
    let nova = nova(PEOPLE, [script(THREE_WRITES), text("Fine.")]);
    let before = (nova.vault.read(JANE), nova.vault.read(TOMASZ));
    let app = nova.start().await;
    let events = ran(&nova, &app, ScriptedApprover::new([denied("not now")])).await;
    let error = result(&events).unwrap_err();
    assert_eq!(error["code"], "denied_by_user", "{error}");
    assert_eq!((nova.vault.read(JANE), nova.vault.read(TOMASZ)), before);
    assert!(app.change_sets(None, None, None).await.unwrap().is_empty());
    nova.model.finish();
}

#[tokio::test]
async fn writes_allowed_by_a_rule_do_not_ask() {
    let nova = nova(PEOPLE, [script(THREE_WRITES), text("Done.")]);
    nova.rules("permissions:\n  allow: [crm__update_contact]\n");
    let app = nova.start().await;
    let approver = ScriptedApprover::default();
    ran(&nova, &app, approver.clone()).await;
    assert_eq!(approver.asked(), []);
    assert!(nova.vault.read(JANE).contains("stage: customer"));
    nova.model.finish();
}

#[tokio::test]
async fn allow_for_the_chat_covers_the_skills_that_wrote() {
    let again = call("crm__update_contact", json!({"name": "Jane Doe", "stage": "lead"}));
    let file = call("core__write", json!({"path": "vault/New.md", "content": "x"}));
    let nova = nova(PEOPLE, [script(THREE_WRITES), again, file, text("Done.")]);
    let app = nova.start().await;
    let approver = ScriptedApprover::always(Decision::Session);
    ran(&nova, &app, approver.clone()).await;
    let tools: Vec<String> = approver.asked().into_iter().map(|asked| asked.tool).collect();
    assert_eq!(tools, ["core.run_code", "core.write"]);
    nova.model.finish();
}

#[tokio::test]
async fn denied_call_throws_its_code_and_the_script_continues() {
    let source = "
        let code = ''
        try { await tools.crm.get_contact({ name: 'Jane Doe' }) } catch (error) { code = error.code }
        const { count } = await tools.crm.list_contacts({})
        return { code, count }";
    let nova = nova(PEOPLE, [script(source), text("Done.")]);
    nova.rules("permissions:\n  deny: [crm__get_contact]\n");
    let app = nova.start().await;
    let events = ran(&nova, &app, ScriptedApprover::default()).await;
    assert_eq!(result(&events), Ok(json!({"code": "denied_by_rule", "count": 2})));
    assert_eq!(inner(&events), [("crm.get_contact".into(), false), ("crm.list_contacts".into(), true)]);
    nova.model.finish();
}

#[tokio::test]
async fn write_denied_by_a_rule_is_not_in_the_draft() {
    let nova = nova(PEOPLE, [script(THREE_WRITES), text("Done.")]);
    nova.rules("permissions:\n  deny: [\"crm__update_contact(name: Tomasz*)\"]\n");
    let app = nova.start().await;
    let events = ran(&nova, &app, ScriptedApprover::always(Decision::Once)).await;
    let error = result(&events).unwrap_err();
    assert!(message(&error).contains("script:3:"), "{error}");
    assert!(nova.vault.read(JANE).contains("stage: lead"), "a failed script wrote");
    nova.model.finish();
}

#[tokio::test]
async fn rule_about_scripts_asks_before_one_runs() {
    let nova = nova(PEOPLE, [script("await tools.crm.list_contacts({})"), text("Fine.")]);
    nova.rules("permissions:\n  human_approval: [core__run_code]\n");
    let app = nova.start().await;
    let events = ran(&nova, &app, ScriptedApprover::new([denied("no")])).await;
    assert_eq!(result(&events).unwrap_err()["code"], "denied_by_user");
    assert_eq!(inner(&events), []);
    nova.model.finish();
}

#[tokio::test]
async fn call_forbidden_to_scripts_says_what_to_do() {
    let calls = [
        ("core.run_code({ source: '1' })", "cannot be called from a script"),
        ("vault.delete_note({ path: 'Ideas.md' })", "cannot be called from a script"),
        ("crm.list_contact({})", "crm.list_contacts"),
        ("crm.list_contacts({ stages: 'lead' })", "stages"),
    ];
    for (called, says) in calls {
        let error = run(&format!("await tools.{called}")).await.unwrap_err();
        assert!(message(&error).contains(says), "{called}: {error}");
        assert!(message(&error).starts_with("script:1:"), "{error}");
    }
}

#[tokio::test]
async fn inactive_skill_is_loaded_first() {
    let source = script("(await tools.crm.list_contacts({})).count");
    let answers = [
        call("load_skill", json!({"skill": "core"})),
        source.clone(),
        call("load_skill", json!({"skill": "crm"})),
        source,
        text("Two."),
    ];
    let nova = nova(PEOPLE, answers);
    let app = nova.start().await;
    let (_, events) = turn(&app, None, "Zzz?", ScriptedApprover::default()).await;
    let ends = inner(&events);
    assert_eq!(ends, [("crm.list_contacts".into(), false), ("crm.list_contacts".into(), true)]);
    assert!(message(&result(&events).unwrap_err()).contains("load_skill"));
    nova.model.finish();
}

#[tokio::test]
async fn error_is_reported_with_line_and_column() {
    let faults = [
        ("const a = 1\nconst b = = 2", "script:2:11: "),
        ("const a = 1\n  throw new Error('too small')", "script:2:13: too small"),
        ("null.x", "script:1:"),
        ("import fs from 'fs'", "script:1:"),
        ("tools.crm.list_contacts({", "script:1:"),
        ("}) ; (() => {", "script:1:"),
        ("fetch('https://example.com')", "script:1:"),
    ];
    for (source, says) in faults {
        let error = run(source).await.unwrap_err();
        assert_eq!(error["code"], "tool_failed", "{source}: {error}");
        assert!(message(&error).starts_with(says), "{source}: {error}");
    }
}

#[tokio::test]
async fn endless_loop_is_stopped_and_writes_nothing() {
    let source = "await tools.crm.update_contact({ name: 'Jane Doe', stage: 'customer' })\nfor (;;) {}";
    let nova = nova(PEOPLE, [script(source), text("Done.")]);
    let app = nova.start().await;
    let approver = ScriptedApprover::default();
    let events = ran(&nova, &app, approver.clone()).await;
    let error = result(&events).unwrap_err();
    assert!(message(&error).contains("computing time"), "{error}");
    assert!(message(&error).starts_with("script:2"), "{error}");
    assert_eq!(approver.asked(), []);
    assert!(nova.vault.read(JANE).contains("stage: lead"));
    nova.model.finish();
}

#[tokio::test]
async fn only_two_hundred_of_ten_thousand_calls_are_made() {
    let source = "for (let at = 0; at < 10_000; at++) {
          await tools.crm.get_contact({ name: `Nobody ${at}` }).catch((error) => {
            if (error.code === 'bad_request') throw error
          })
        }";
    let nova = nova(PEOPLE, [script(source), text("Done.")]);
    let app = nova.start().await;
    let events = ran(&nova, &app, ScriptedApprover::default()).await;
    assert_eq!(inner(&events).len(), 200);
    let error = result(&events).unwrap_err();
    assert!(message(&error).contains("One run may make at most 200 tool calls."), "{error}");
    nova.model.finish();
}

#[tokio::test]
async fn stop_ends_the_script_and_its_pending_call() {
    let source = "await tools.core.create_tool({ name: 'x', source: 'y' })\n'never'";
    let nova = nova(PEOPLE, [script(source)]);
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    let skills = SKILLS.map(str::to_owned).into();
    let message =
        SendMessage { session: session.clone(), text: "Do it".into(), skills, ..Default::default() };
    app.send_message(message).await.unwrap();
    wait_for(&mut events, |event| matches!(event, Event::ApprovalRequested { .. })).await;
    app.stop_turn(SessionRef { session }).await.unwrap();
    for ended in ["core.create_tool", "core.run_code"] {
        let end = wait_for(&mut events, |event| matches!(event, Event::ToolCallCompleted { .. })).await;
        let Event::ToolCallCompleted { output, .. } = end else { unreachable!("matched above") };
        assert_eq!(output["code"], "cancelled", "{ended}: {output}");
    }
    wait_for(&mut events, |event| matches!(event, Event::TurnCancelled { .. })).await;
    nova.model.finish();
}

/// Notifies a person in one request.
const NOTIFY: &str = "
import { z } from 'zod'
import { defineTool } from '@nova/tools'

export default defineTool({
  name: 'notify',
  description: 'Tells the team.',
  effect: 'send',
  hosts: ['hook.example'],
  parameters: z.object({ text: z.string() }),
  execute: async ({ text }) => (await fetch('http://hook.example/', { method: 'POST', body: text })).status,
})
";

#[tokio::test]
async fn note_changed_during_the_card_is_shown_again_and_nothing_sent_twice() {
    let server = WebServer::start(|_| Reply::with(200, &[], "ok")).await;
    let source = "await tools.dynamic.notify({ text: 'Jane is a customer' })
        await tools.crm.update_contact({ name: 'Jane Doe', stage: 'customer' })";
    let mut nova = nova(PEOPLE, [script(source), text("Done.")]);
    nova.web = Arc::new(web_of(&[("hook.example", &server)]));
    save(&nova, "notify.ts", NOTIFY);
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    app.watch();
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    let skills = ["core", "crm", "dynamic"].map(str::to_owned).into();
    let message =
        SendMessage { session: session.clone(), text: "Do it".into(), skills, ..Default::default() };
    app.send_message(message).await.unwrap();

    let mut revisions = Vec::new();
    let mut changed = false;
    loop {
        let event = wait_for(&mut events, |event| {
            matches!(event, Event::ApprovalRequested { .. } | Event::TurnCompleted { .. })
        });
        let Event::ApprovalRequested { call, revision, diff, .. } = event.await else { break };
        let is_of_notes = diff.is_some();
        revisions.push((is_of_notes, revision));
        if is_of_notes && !changed {
            changed = true;
            let edited = nova.vault.read(JANE).replace("2026-11-24", "2026-12-24");
            nova.vault.write(JANE, &edited);
            continue;
        }
        let decision = Decision::Once;
        let (args, reason) = (None, None);
        let decide = DecideApproval { session: session.clone(), call, decision, revision, args, reason };
        app.decide_approval(decide).await.unwrap();
    }
    assert_eq!(revisions, [(false, 1), (true, 1), (true, 2)]);
    assert_eq!(server.requests().len(), 1);
    let jane = nova.vault.read(JANE);
    assert!(jane.contains("stage: customer") && jane.contains("2026-12-24"), "{jane}");
    nova.model.finish();
}

#[tokio::test]
async fn script_of_remote_model_sees_no_private_note() {
    let notes =
        format!("{PEOPLE}//- Secret Sam.md\n---\ntype: contact\nname: Secret Sam\nnova: private\n---\n");
    let source = "
        const all = await tools.crm.list_contacts({})
        const found = await tools.vault.read_note({ path: 'Secret Sam.md' }).then(() => 'read', (error) => error.code)
        ;({ names: all.contacts.map((contact) => contact.name), found })";
    let nova = nova(&notes, [script(source), text("Done.")]);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "near", "kind": "ollama", "base_url": nova.model.address()}],
        "model": "near/run-elsewhere",
    }));
    let app = nova.start().await;
    nova.model.passes_on("run-elsewhere");
    app.agree_to_provider("near").await.unwrap();
    let events = ran(&nova, &app, ScriptedApprover::default()).await;
    let names = json!({"names": ["Jane Doe", "Tomasz Wirek"], "found": "private"});
    assert_eq!(result(&events), Ok(names));
    let sent = format!("{:?}", nova.model.requests());
    assert!(!sent.contains("name: Secret Sam"), "{sent}");
    nova.model.finish();
}

#[tokio::test]
async fn notes_read_by_a_script_are_named_where_they_are_sent() {
    let nova =
        nova(PEOPLE, [script("(await tools.vault.read_note({ path: 'Ideas' })).text.length"), text("Ok.")]);
    let app = nova.start().await;
    let events = ran(&nova, &app, ScriptedApprover::default()).await;
    let told: Vec<String> = events
        .iter()
        .filter_map(|event| match event {
            Event::StepStarted { notes, .. } => Some(notes.clone()),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(told, ["Ideas.md"]);
    nova.model.finish();
}

#[cfg(target_os = "linux")]
#[test]
fn killed_script_process_fails_the_call_and_nova_continues() {
    use super::running_typescript::descendants;

    let nova = Nova::new(PEOPLE, []);
    let source = json!({"source": "await new Promise(() => {})"}).to_string();
    let running = nova
        .command(&["tool", "call", "core.run_code", "--args", &source, "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = std::time::Instant::now() + PATIENCE;
    // The guard, which execs it, has more arguments.
    let is_script = |process: &u32| {
        std::fs::read_to_string(format!("/proc/{process}/cmdline"))
            .is_ok_and(|line| line.ends_with("script\0") && line.matches('\0').count() <= 2)
    };
    let script = loop {
        assert!(std::time::Instant::now() < deadline, "no script process came");
        match descendants(running.id()).into_iter().rfind(is_script) {
            Some(process) => break process,
            None => std::thread::yield_now(),
        }
    };
    kill(script);
    let output = running.wait_with_output().unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["error"]["code"], ErrorCode::ToolFailed.as_str(), "{said}");
    assert!(message(&said["error"]).contains("ended"), "{said}");
}

#[cfg(target_os = "linux")]
fn kill(process: u32) {
    let killed = std::process::Command::new("kill").args(["-9", &process.to_string()]).status().unwrap();
    assert!(killed.success());
}
