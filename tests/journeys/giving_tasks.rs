//! Tasks given to sub-agents: their rights, what they receive, and how they end.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use nova_app::{App, TurnEnd};
use nova_protocol::{
    CallRef, Commands as _, DecideApproval, Decision, Effect, Envelope, Event, ListChanges, Nothing,
    PrincipalKind, SendMessage, SessionRef, UndoChanges,
};
use nova_testkit::{Answer, ModelServer, ScriptedApprover, call, calls, decided, denied, pause, text};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;

use super::nova::{Nova, PEOPLE, turn, wait_for};
use super::skills::{offered, setting};

/// A task for the skills, called `helper`.
pub(super) fn task(prompt: &str, skills: &[&str]) -> Answer {
    call("core__task", json!({"prompt": prompt, "skills": skills, "name": "helper"}))
}

pub(super) fn yes() -> ScriptedApprover {
    ScriptedApprover::always(Decision::Once)
}

pub(super) fn leads() -> Answer {
    call("crm__list_contacts", json!({"stage": "lead"}))
}

pub(super) fn add_odile() -> Answer {
    call("crm__add_contact", json!({"name": "Odile Farrow"}))
}

/// The model answers depending on the task or message.
fn answering(nova: &mut Nova, reply: impl FnMut(&Value) -> Answer + Send + 'static) {
    nova.model = ModelServer::replying(reply);
    setting(nova, "providers", json!([{"id": "test", "kind": "openai", "base_url": nova.model.base_url()}]));
}

/// The last message of the user or of the agent that gave the task.
fn asked(request: &Value) -> String {
    let messages = request["messages"].as_array().unwrap().iter();
    let mut said = messages
        .filter(|message| message["role"] == "user")
        .filter_map(|message| message["content"].as_str());
    said.rfind(|text| !text.starts_with("<nova-notice")).unwrap_or_default().to_owned()
}

pub(super) fn outputs(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap().iter();
    let tools = messages.filter(|message| message["role"] == "tool");
    tools.map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Sessions of sub-agents, with their start events.
pub(super) fn started(events: &[Event]) -> Vec<(&str, &Event)> {
    let started = events.iter().filter_map(|event| match event {
        Event::SubagentStarted { subagent, .. } => Some((subagent.as_str(), event)),
        _ => None,
    });
    started.collect()
}

async fn ends_of(app: &App, session: &str) -> Vec<Event> {
    let view = app.open_session(SessionRef { session: session.into() }).await.unwrap();
    let ends = view.events.into_iter().map(|envelope| envelope.event).filter(|event| {
        matches!(event, Event::TurnCompleted { .. } | Event::TurnCancelled { .. } | Event::TurnFailed { .. })
    });
    ends.collect()
}

async fn send(app: &App, session: &str, words: &str) {
    let message = SendMessage { session: session.into(), text: words.into(), ..Default::default() };
    app.send_message(message).await.unwrap();
}

/// Events of one session in order, up to the first that matches.
async fn of_session(
    events: &mut Receiver<Envelope>,
    session: &str,
    fits: impl Fn(&Event) -> bool,
) -> Vec<Event> {
    let mut told = Vec::new();
    loop {
        let envelope = tokio::time::timeout(nova_testkit::PATIENCE, events.recv()).await.unwrap().unwrap();
        if envelope.session.as_deref() != Some(session) {
            continue;
        }
        told.push(envelope.event);
        if told.last().is_some_and(&fits) {
            return told;
        }
    }
}

fn is_end(event: &Event) -> bool {
    matches!(event, Event::TurnCompleted { .. } | Event::TurnCancelled { .. } | Event::TurnFailed { .. })
}

#[tokio::test]
async fn sub_agent_answers_with_text_and_sources() {
    let nova = Nova::new(
        PEOPLE,
        [task("Who is a lead?", &["crm"]), leads(), text("Jane Doe, at Quillon Labs."), text("It is Jane.")],
    );
    let app = nova.start().await;
    let (end, events) = turn(&app, None, "Find my leads", yes()).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "It is Jane.".into() });

    let requests = nova.model.requests();
    let system = requests[1]["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("You are a sub-agent") && !system.contains("- vault:"), "{system}");
    assert_eq!(asked(&requests[1]), "Who is a lead?");
    assert!(offered(&requests[1]).contains(&"crm__list_contacts".to_owned()));
    let told = outputs(&requests[3]).pop().unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(
        told,
        json!({"sub_agent": "helper", "text": "Jane Doe, at Quillon Labs.", "sources": ["CRM/People/Jane Doe.md"]})
    );

    let (session, begun) = started(&events)[0];
    let Event::SubagentStarted { name, effects, steps, tokens, host, .. } = begun else { unreachable!() };
    assert_eq!((name.as_str(), *steps, *tokens, host), ("helper", 20, 60_000, &None));
    assert_eq!(effects, &[Effect::Read, Effect::Write]);
    let last = events.iter().rev().find_map(|event| match event {
        Event::SubagentWorked { steps, limit, tokens, .. } => Some((*steps, *limit, *tokens > 0)),
        _ => None,
    });
    assert_eq!(last, Some((2, 20, true)));

    // Its session is in no list, but can be opened as a chat.
    let listed = app.list_sessions(Nothing {}).await.unwrap();
    assert_eq!(listed.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), [end.session.as_str()]);
    let view = app.open_session(SessionRef { session: session.into() }).await.unwrap();
    assert_eq!((view.row.title.as_str(), view.row.parent.as_deref()), ("helper", Some(end.session.as_str())));
    assert_eq!(ends_of(&app, session).await.len(), 1);
    nova.model.finish();
}

#[tokio::test]
async fn sub_agent_continues_as_a_chat_of_the_user() {
    let nova = Nova::new(
        PEOPLE,
        [task("Who is a lead?", &["crm"]), text("Jane."), text("Fine."), add_odile(), text("Added.")],
    );
    let app = nova.start().await;
    let (_, events) = turn(&app, None, "Find my leads", yes()).await;
    let (session, _) = started(&events)[0];
    let approver = yes();
    let (end, _) = turn(&app, Some(session), "Add Odile too", approver.clone()).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Added.".into() });
    assert_eq!(approver.asked()[0].principal.kind, PrincipalKind::User);
    assert!(nova.vault.exists("CRM/People/Odile Farrow.md"));
    nova.model.finish();
}

#[tokio::test]
async fn two_sub_agents_run_concurrently() {
    let mut nova = Nova::new(PEOPLE, []);
    answering(&mut nova, |request| match asked(request).as_str() {
        "Compare" if outputs(request).is_empty() => calls([
            ("core__task", json!({"prompt": "one", "skills": ["crm"], "name": "one"})),
            ("core__task", json!({"prompt": "two", "skills": ["vault"], "name": "two"})),
        ]),
        "Compare" => text("Both are done."),
        name => pause().and(text(&format!("I am {name}."))),
    });
    let app = nova.start().await;
    let asking = tokio::spawn({
        let app = app.clone();
        async move { turn(&app, None, "Compare", yes()).await }
    });
    nova.model.wait_for_pause(2).await;
    nova.model.resume();
    nova.model.resume();
    let (end, events) = asking.await.unwrap();
    assert_eq!(end.end, TurnEnd::Completed { text: "Both are done.".into() });
    assert_eq!(started(&events).len(), 2);
    let told = outputs(nova.model.requests().last().unwrap());
    assert!(told[0].contains("I am one.") && told[1].contains("I am two."), "{told:?}");
}

#[tokio::test]
async fn its_question_is_asked_in_the_parents_chat_and_a_denial_holds() {
    let nova = Nova::new(
        PEOPLE,
        [task("Add Odile", &["crm"]), add_odile(), text("I may not."), text("It may not.")],
    );
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "Have Odile added").await;
    let told =
        of_session(&mut events, &session, |event| matches!(event, Event::ApprovalRequested { .. })).await;
    let Some(Event::ApprovalRequested { call: asked_about, revision, diff, .. }) = told.last().cloned()
    else {
        unreachable!("matched above")
    };
    assert_eq!(diff.unwrap()[0].path, "CRM/People/Odile Farrow.md");
    let begun = told.iter().find_map(|event| match event {
        Event::ToolCallStarted { call, principal, .. } if *call == asked_about => Some(principal.clone()),
        _ => None,
    });
    let principal = begun.expect("the parent reports the asking call");
    assert_eq!((principal.kind, principal.name.as_str()), (PrincipalKind::Subagent, "helper"));

    let deny = DecideApproval {
        session: session.clone(),
        call: asked_about.clone(),
        decision: Decision::Deny,
        revision,
        args: None,
        reason: Some("not now".into()),
    };
    app.decide_approval(deny).await.unwrap();
    let told = of_session(&mut events, &session, is_end).await;
    assert_eq!(told.last(), Some(&Event::TurnCompleted { text: "It may not.".into() }));
    let ended = told.iter().any(
        |event| matches!(event, Event::ToolCallCompleted { call, ok: false, .. } if *call == asked_about),
    );
    assert!(ended, "its card is not closed in the parent's chat: {told:?}");
    assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"));
    assert!(outputs(&nova.model.requests()[2])[0].contains("not now"));
    nova.model.finish();
}

#[tokio::test]
async fn its_writes_are_undone_with_the_parents_turn() {
    let nova =
        Nova::new(PEOPLE, [task("Add Odile", &["crm"]), add_odile(), text("Added."), text("It is done.")]);
    let app = nova.start().await;
    let (end, events) = turn(&app, None, "Have Odile added", yes()).await;
    assert!(nova.vault.exists("CRM/People/Odile Farrow.md"));
    let changed = events
        .iter()
        .filter(|event| matches!(event, Event::ToolCallCompleted { changes, .. } if !changes.is_empty()));
    assert_eq!(changed.count(), 2, "in its own session and in its parent's");

    let listed = ListChanges { session: Some(end.session.clone()), state: None, limit: None };
    let sets = app.list_changes(listed).await.unwrap();
    assert_eq!((sets.len(), sets[0].author.as_str()), (1, "subagent helper"));
    let undo = UndoChanges { change_set: sets[0].id.clone(), note: None, call: None };
    app.undo_changes(undo).await.unwrap();
    assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"));
    nova.model.finish();
}

#[tokio::test]
async fn it_can_call_neither_other_tools_nor_further_sub_agents() {
    let nova = Nova::new(
        PEOPLE,
        [
            call("core__task", json!({"prompt": "Look", "skills": ["crm.list_contacts", "core"]})),
            calls([
                ("vault__read_note", json!({"path": "Ideas.md"})),
                ("crm__add_contact", json!({"name": "Odile Farrow"})),
                ("core__task", json!({"prompt": "Look", "skills": ["vault"]})),
                ("load_skill", json!({"skill": "vault"})),
                ("crm__list_contacts", json!({})),
            ]),
            text("I could only list."),
            text("Fine."),
        ],
    );
    let app = nova.start().await;
    let (_, events) = turn(&app, None, "Look", yes()).await;
    let told = outputs(&nova.model.requests()[2]);
    for refused in &told[0..3] {
        assert!(refused.contains("unknown_tool"), "{refused}");
    }
    assert!(told[3].contains("There is no skill") || told[3].contains("unknown_skill"), "{}", told[3]);
    assert!(told[4].contains("Jane Doe"), "{}", told[4]);
    assert_eq!(started(&events).len(), 1);
    let Event::SubagentStarted { tools, .. } = started(&events)[0].1 else { unreachable!() };
    assert!(
        tools.contains(&"crm.list_contacts".to_owned()) && !tools.contains(&"core.task".to_owned()),
        "{tools:?}"
    );
    assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"));
    nova.model.finish();
}

#[tokio::test]
async fn unknown_skills_are_refused_with_the_nearest() {
    let nova = Nova::new(PEOPLE, [task("Look", &["crn"]), text("Then not.")]);
    let app = nova.start().await;
    let (_, events) = turn(&app, None, "Look", yes()).await;
    assert_eq!(started(&events), []);
    let told = outputs(&nova.model.requests()[1]).pop().unwrap();
    assert!(told.contains("crn") && told.contains("crm"), "{told}");
    nova.model.finish();
}

#[tokio::test]
async fn turn_starts_no_more_sub_agents_than_configured() {
    let mut nova = Nova::new(PEOPLE, []);
    answering(&mut nova, |request| match asked(request).as_str() {
        "Look" if outputs(request).is_empty() => {
            calls((0..5).map(|_| ("core__task", json!({"prompt": "look", "skills": ["crm"]}))))
        }
        "Look" => text("Enough."),
        _ => text("Seen."),
    });
    setting(&nova, "skills", json!({"core": {"config": {"task": {"per_turn": 3}}}}));
    let app = nova.start().await;
    let (end, events) = turn(&app, None, "Look", yes()).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Enough.".into() });
    assert_eq!(started(&events).len(), 3);
    let told = outputs(nova.model.requests().last().unwrap());
    assert_eq!(told.iter().filter(|text| text.contains("no more are allowed")).count(), 2, "{told:?}");
}

/// A sub-agent that lists one stage after another, with these limits. Returns what its parent's model
/// receives.
async fn endless(limits: Value, approver: ScriptedApprover) -> (Vec<Event>, String) {
    let mut nova = Nova::new(PEOPLE, []);
    answering(&mut nova, |request| match asked(request).as_str() {
        "Look" if outputs(request).is_empty() => task("look", &["crm"]),
        "Look" => text("Enough."),
        _ => {
            let step = outputs(request).len();
            text(&format!("Step {step}."))
                .and(call("crm__list_contacts", json!({"query": format!("q{step}")})))
                .using(900, 400, 100)
        }
    });
    setting(&nova, "skills", json!({"core": {"config": {"task": limits}}}));
    let app = nova.start().await;
    let (end, events) = turn(&app, None, "Look", approver).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Enough.".into() });
    let told = outputs(nova.model.requests().last().unwrap()).pop().unwrap();
    (events, told)
}

fn steps(events: &[Event]) -> u32 {
    let steps = events.iter().filter_map(|event| match event {
        Event::SubagentWorked { steps, .. } => Some(*steps),
        _ => None,
    });
    steps.max().unwrap_or_default()
}

#[tokio::test]
async fn user_may_extend_its_step_limit() {
    let approver = ScriptedApprover::new([decided(Decision::Once), denied("enough")]);
    let (events, told) = endless(json!({"steps": 3}), approver.clone()).await;
    assert_eq!(steps(&events), 6);
    let questions: Vec<String> = approver.asked().into_iter().map(|asked| asked.question).collect();
    assert_eq!(
        questions,
        [
            "The sub-agent “helper” has used up 3 steps. Go on with 3 more?",
            "The sub-agent “helper” has used up 6 steps. Go on with 3 more?",
        ]
    );
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["unfinished"], &told["text"]), (&json!("6 steps used up"), &json!("Step 5.")));
}

#[tokio::test]
async fn token_limit_ends_it_even_if_more_steps_are_allowed() {
    // Each request costs 600 uncached tokens.
    let (events, told) = endless(json!({"steps": 2, "tokens": 2000}), yes()).await;
    assert_eq!(steps(&events), 4);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["unfinished"], "2k tokens used up");
}

#[tokio::test]
async fn stopping_the_turn_stops_its_sub_agents_and_each_logs_its_end() {
    let mut nova = Nova::new(PEOPLE, []);
    answering(&mut nova, |request| match asked(request).as_str() {
        "Look" => calls((1..=2).map(|_| ("core__task", json!({"prompt": "look", "skills": ["crm"]})))),
        _ => text("I begin").stall(),
    });
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "Look").await;
    let mut sessions = Vec::new();
    while sessions.len() < 2 {
        let begun = wait_for(&mut events, |event| matches!(event, Event::SubagentStarted { .. })).await;
        let Event::SubagentStarted { subagent, .. } = begun else { unreachable!() };
        sessions.push(subagent);
    }
    wait_for(&mut events, |event| matches!(event, Event::TextDelta { .. })).await;

    app.stop_turn(SessionRef { session: session.clone() }).await.unwrap();
    of_session(&mut events, &session, is_end).await;

    for ended in sessions.iter().chain([&session]) {
        assert_eq!(ends_of(&app, ended).await, [Event::TurnCancelled { unknown: Vec::new() }]);
        let view = app.open_session(SessionRef { session: ended.clone() }).await.unwrap();
        assert!(!view.row.running);
    }
}

#[tokio::test]
async fn stopping_one_sub_agent_leaves_the_other_and_the_turn() {
    let mut nova = Nova::new(PEOPLE, []);
    answering(&mut nova, |request| match asked(request).as_str() {
        "Look" if outputs(request).is_empty() => calls([
            ("core__task", json!({"prompt": "slow", "skills": ["crm"], "name": "slow"})),
            ("core__task", json!({"prompt": "fast", "skills": ["crm"], "name": "fast"})),
        ]),
        "Look" => text("One is enough."),
        "slow" => text("I begin").stall(),
        _ => text("I am done."),
    });
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "Look").await;
    let begun =
        wait_for(&mut events, |event| matches!(event, Event::SubagentStarted { name, .. } if name == "slow"))
            .await;
    let Event::SubagentStarted { call, subagent, .. } = begun else { unreachable!() };
    app.stop_call(CallRef { session: session.clone(), call }).await.unwrap();
    let told = of_session(&mut events, &session, is_end).await;
    assert_eq!(told.last(), Some(&Event::TurnCompleted { text: "One is enough.".into() }));
    let told = outputs(nova.model.requests().last().unwrap());
    assert!(told[0].contains("Stopped by the user.") && told[1].contains("I am done."), "{told:?}");
    assert_eq!(ends_of(&app, &subagent).await, [Event::TurnCancelled { unknown: Vec::new() }]);
}

#[tokio::test]
async fn stop_in_its_own_chat_stops_only_it() {
    let nova =
        Nova::new(PEOPLE, [task("look", &["crm"]), text("I begin").stall(), text("Without it, then.")]);
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "Look").await;
    let begun = wait_for(&mut events, |event| matches!(event, Event::SubagentStarted { .. })).await;
    let Event::SubagentStarted { subagent, .. } = begun else { unreachable!() };
    wait_for(&mut events, |event| matches!(event, Event::TextDelta { .. })).await;
    app.stop_turn(SessionRef { session: subagent }).await.unwrap();
    let told = of_session(&mut events, &session, is_end).await;
    assert_eq!(told.last(), Some(&Event::TurnCompleted { text: "Without it, then.".into() }));
    assert!(nova.model.last_texts("tool")[0].contains("The user stopped the sub-agent"));
}

#[tokio::test]
async fn its_chat_opened_in_mid_answer_has_the_text_so_far() {
    let said = text("One.\n\nTwo").and(pause()).and(text(" and three."));
    let nova = Nova::new(PEOPLE, [task("look", &["crm"]), said, text("It counted.")]);
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "Look").await;
    let begun = wait_for(&mut events, |event| matches!(event, Event::SubagentStarted { .. })).await;
    let Event::SubagentStarted { subagent, .. } = begun else { unreachable!() };
    let second =
        |event: &Event| matches!(event, Event::MessageBlock { index: 1, html, .. } if html.contains("Two"));
    wait_for(&mut events, second).await;
    let blocks = async || {
        let view = app.open_session(SessionRef { session: subagent.clone() }).await.unwrap();
        assert!(view.events.is_sorted_by_key(|event| event.seq), "{:?}", view.events);
        let blocks = view.events.into_iter().filter_map(|envelope| match envelope.event {
            Event::MessageBlock { index, html, .. } => Some((index, html)),
            _ => None,
        });
        blocks.collect::<Vec<_>>()
    };
    let block = |index, text: &str| (index, format!("<p>{text}</p>\n"));
    assert_eq!(blocks().await, [block(0, "One."), block(1, "Two")]);

    nova.model.resume();
    of_session(&mut events, &session, is_end).await;
    assert_eq!(blocks().await, [block(0, "One."), block(1, "Two and three.")], "each block once");
    nova.model.finish();
}

#[tokio::test]
async fn deleting_a_chat_deletes_its_sub_agents() {
    let nova = Nova::new(PEOPLE, [task("Who?", &["crm"]), text("Jane."), text("Jane.")]);
    let app = nova.start().await;
    let (end, events) = turn(&app, None, "Who?", yes()).await;
    let subagent = started(&events)[0].0.to_owned();
    let parent = || SessionRef { session: end.session.clone() };
    let child = || SessionRef { session: subagent.clone() };
    app.delete_session(parent()).await.unwrap();
    assert!(app.open_session(child()).await.is_err());
    assert_eq!(app.list_deleted_sessions(Nothing {}).await.unwrap().len(), 1);
    app.restore_session(parent()).await.unwrap();
    assert_eq!(app.open_session(child()).await.unwrap().row.title, "helper");
    app.delete_session(parent()).await.unwrap();
    let purged = app.purge_sessions(Default::default()).await.unwrap();
    assert_eq!(purged.purged, 1);
    assert!(app.restore_session(child()).await.is_err());
    nova.model.finish();
}

#[test]
fn terminal_shows_a_sub_agent_and_its_question() {
    let nova =
        Nova::new(PEOPLE, [task("Add Odile", &["crm"]), add_odile(), text("Added."), text("It is done.")]);
    let output = nova.run(&["chat", "-p", "Have Odile added", "--approve", "all", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let events: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    for kind in ["subagent_started", "subagent_worked", "approval_requested", "approval_decided"] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    let sessions: std::collections::BTreeSet<&str> =
        events.iter().filter_map(|event| event["session"].as_str()).collect();
    assert_eq!(sessions.len(), 1, "the stream matches the chat");
    assert!(nova.vault.exists("CRM/People/Odile Farrow.md"));

    let nova =
        Nova::new(PEOPLE, [task("Add Odile", &["crm"]), add_odile(), text("No."), text("It may not.")]);
    let output = nova.run(&["chat", "-p", "Have Odile added"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("sub-agent helper"), "{said}");
    assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"));
}

#[test]
fn kill_leaves_both_sessions_resumable() {
    let nova =
        Nova::new(PEOPLE, [task("Look", &["crm"]), leads(), pause(), text("I am back."), text("So am I.")]);
    let mut command = nova.command(&["chat", "-p", "Look", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let begun = lines.find_map(|line| {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        (event["type"] == "subagent_started").then_some(event)
    });
    let begun = begun.unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(nova.model.wait_for_pause(1));
    child.kill().unwrap();
    child.wait().unwrap();
    nova.model.resume();

    let (parent, subagent) = (begun["session"].as_str().unwrap(), begun["subagent"].as_str().unwrap());
    for (session, said) in [(subagent, "I am back."), (parent, "So am I.")] {
        let (code, shown) = nova.json(&["session", "show", session]);
        assert_eq!((code, &shown["row"]["running"]), (0, &json!(false)), "{shown}");
        let output = nova.run(&["chat", "-p", "Go on", "--session", session]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(String::from_utf8(output.stdout).unwrap().contains(said));
        let request = nova.model.requests().pop().unwrap().to_string();
        assert!(request.contains("Nova ended during the previous turn."), "{request}");
    }
    // A task may have changed something before it was interrupted.
    let told = nova.model.last_texts("tool");
    assert!(told.iter().any(|text| text.contains("Its outcome is unknown")), "{told:?}");
    nova.model.finish();
}
