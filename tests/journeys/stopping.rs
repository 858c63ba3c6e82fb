use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use nova_protocol::{CallRef, Commands as _, Decision, Event, NewImage, Nothing, SendMessage, SessionRef};
use nova_testkit::{call, pause, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, wait_for};

async fn send(app: &nova_app::App, session: &str, words: &str) {
    let message = SendMessage { session: session.into(), text: words.into(), ..Default::default() };
    app.send_message(message).await.unwrap();
}

#[tokio::test]
async fn stop_while_the_model_streams_keeps_its_text() {
    let nova = Nova::new(PEOPLE, [text("A long").stall(), text("Hello again.")]);
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "Tell me").await;
    let mut said = String::new();
    while said != "A long" {
        let delta = wait_for(&mut events, |event| matches!(event, Event::TextDelta { .. })).await;
        let Event::TextDelta { text } = delta else { unreachable!("matched above") };
        said.push_str(&text);
    }

    app.stop_turn(SessionRef { session: session.clone() }).await.unwrap();

    let ended = wait_for(&mut events, |event| {
        matches!(event, Event::TurnCancelled { .. } | Event::TurnCompleted { .. })
    })
    .await;
    assert_eq!(ended, Event::TurnCancelled { unknown: Vec::new() });
    nova.model.wait_for_departure().await;
    let view = app.open_session(SessionRef { session: session.clone() }).await.unwrap();
    assert!(
        view.events.iter().any(
            |envelope| matches!(&envelope.event, Event::MessageCompleted { text, .. } if text == "A long")
        )
    );

    wait_for(&mut events, |event| matches!(event, Event::SessionChanged { .. })).await;
    send(&app, &session, "Hello").await;
    wait_for(&mut events, |event| matches!(event, Event::TurnCompleted { .. })).await;
    nova.model.finish();
}

#[tokio::test]
async fn stop_while_an_approval_waits_is_a_denial_and_leaves_valid_history() {
    let nova = Nova::new(PEOPLE, [call("crm__add_contact", json!({"name": "Odile Farrow"})), text("Fine.")]);
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "Add Odile").await;
    let asked = wait_for(&mut events, |event| matches!(event, Event::ApprovalRequested { .. })).await;

    app.stop_turn(SessionRef { session: session.clone() }).await.unwrap();
    wait_for(&mut events, |event| matches!(event, Event::TurnCancelled { .. })).await;
    assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"));

    // The card is still visible for a moment: a late click runs nothing.
    let Event::ApprovalRequested { call, revision, .. } = asked else { unreachable!("matched above") };
    let late = nova_protocol::DecideApproval {
        session: session.clone(),
        call,
        decision: Decision::Once,
        revision,
        args: None,
        reason: None,
    };
    assert!(app.decide_approval(late).await.is_err());
    assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"));

    // The model server checks that each call has its output.
    wait_for(&mut events, |event| matches!(event, Event::SessionChanged { .. })).await;
    send(&app, &session, "Go on").await;
    wait_for(&mut events, |event| matches!(event, Event::TurnCompleted { .. })).await;
    nova.model.finish();
}

#[tokio::test]
async fn one_call_of_a_turn_is_stopped_and_the_turn_continues() {
    let add = call("crm__add_contact", json!({"name": "Odile Farrow"}));
    let nova = Nova::new(PEOPLE, [add, text("Then not.")]);
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "Add Odile").await;
    let asked = wait_for(&mut events, |event| matches!(event, Event::ApprovalRequested { .. })).await;
    let Event::ApprovalRequested { call, .. } = asked else { unreachable!("matched above") };

    app.stop_call(CallRef { session: session.clone(), call: call.clone() }).await.unwrap();

    let ended = wait_for(&mut events, |event| matches!(event, Event::ToolCallCompleted { .. })).await;
    let Event::ToolCallCompleted { call: stopped, ok, output, .. } = ended else {
        unreachable!("matched above")
    };
    assert_eq!((stopped, ok, output["code"].as_str()), (call, false, Some("cancelled")));
    let end = wait_for(&mut events, |event| {
        matches!(event, Event::TurnCancelled { .. } | Event::TurnCompleted { .. })
    })
    .await;
    assert_eq!(end, Event::TurnCompleted { text: "Then not.".into() });
    let told = nova.model.last_texts("tool").pop().unwrap();
    assert!(told.contains("Stopped by the user.") && told.contains("Continue without it"), "{told}");
    assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"));
    nova.model.finish();
}

#[tokio::test]
async fn message_is_shown_and_can_be_stopped_while_the_model_server_is_silent() {
    // Accepts connections and never responds.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nova = Nova::new(PEOPLE, []);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{
            "id": "near",
            "kind": "ollama",
            "base_url": format!("http://{}", silent.local_addr().unwrap()),
        }],
        "model": "near/qwen3",
    }));
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "Hello").await;
    // Nova waits for its response; the message is already shown.
    let waiting = silent.accept().await.unwrap();
    let started = wait_for(&mut events, |event| matches!(event, Event::TurnStarted { .. })).await;
    assert!(matches!(started, Event::TurnStarted { text, .. } if text == "Hello"));

    app.stop_turn(SessionRef { session: session.clone() }).await.unwrap();

    let end = wait_for(&mut events, |event| {
        matches!(event, Event::TurnCancelled { .. } | Event::TurnFailed { .. })
    })
    .await;
    assert_eq!(end, Event::TurnCancelled { unknown: Vec::new() });
    drop(waiting);
}

#[tokio::test]
async fn image_message_shows_and_stops_on_silent_server() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nova = Nova::new(PEOPLE, []);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{
            "id": "near",
            "kind": "ollama",
            "base_url": format!("http://{}", silent.local_addr().unwrap()),
        }],
        "model": "near/qwen3",
    }));
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    let dot = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
    let image = NewImage { name: "dot.gif".into(), media_type: None, data: dot.into() };
    let message = SendMessage {
        session: session.clone(),
        text: "What is this?".into(),
        images: vec![image],
        ..Default::default()
    };
    app.send_message(message).await.unwrap();
    let waiting = silent.accept().await.unwrap();
    wait_for(&mut events, |event| matches!(event, Event::TurnStarted { .. })).await;

    app.stop_turn(SessionRef { session }).await.unwrap();

    let end = wait_for(&mut events, |event| {
        matches!(event, Event::TurnCancelled { .. } | Event::TurnFailed { .. })
    })
    .await;
    assert_eq!(end, Event::TurnCancelled { unknown: Vec::new() });
    drop(waiting);
}

#[tokio::test]
async fn message_without_a_model_can_be_stopped_during_model_discovery() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nova = Nova::new(PEOPLE, []);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{
            "id": "near",
            "kind": "ollama",
            "base_url": format!("http://{}", silent.local_addr().unwrap()),
        }],
    }));
    let app = nova.start().await;
    let session = app.new_session().await.unwrap().id;
    let message = SendMessage { session: session.clone(), text: "Hello".into(), ..Default::default() };
    let (sender, to) = (app.clone(), session.clone());
    let sending = tokio::spawn(async move { sender.send_message(message).await });
    let waiting = silent.accept().await.unwrap();

    app.stop_turn(SessionRef { session: session.clone() }).await.unwrap();

    let refused = sending.await.unwrap().unwrap_err();
    assert_eq!(refused.code, nova_protocol::ErrorCode::Cancelled);
    assert!(refused.message.contains("was not sent"), "{refused}");
    let view = app.open_session(SessionRef { session: to }).await.unwrap();
    assert!(view.events.is_empty() && !view.row.running, "{view:?}");
    drop(waiting);
}

#[tokio::test]
async fn session_runs_one_turn_at_a_time_across_processes() {
    let nova = Nova::new(PEOPLE, [text("One").and(pause())]);
    let app = nova.start().await;
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "One").await;
    nova.model.wait_for_pause(1).await;

    let again = SendMessage { session: session.clone(), text: "Two".into(), ..Default::default() };
    let refused = app.send_message(again).await.unwrap_err();
    assert_eq!(refused.code, nova_protocol::ErrorCode::SessionBusy);

    let output = nova.run(&["chat", "-p", "Three", "--session", &session]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("A turn is running"), "{output:?}");

    let mut events = app.events();
    app.stop_everything().await;
    wait_for(&mut events, |event| matches!(event, Event::TurnCancelled { .. })).await;
    nova.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn turn_of_another_process_is_shown_until_it_ends() {
    let nova = Nova::new(PEOPLE, [text("One").and(pause()).and(text(" and two."))]);
    let app = nova.start().await;
    let session = app.new_session().await.unwrap().id;
    let mut child = nova.command(&["chat", "-p", "Count", "--session", &session]);
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    nova.model.wait_for_pause(1).await;

    let mut events = app.events();
    let view = app.open_session(SessionRef { session: session.clone() }).await.unwrap();
    assert!(view.row.running && app.list_sessions(Nothing {}).await.unwrap()[0].running);
    let refused = app.stop_turn(SessionRef { session: session.clone() }).await.unwrap_err();
    assert_eq!(refused.code, nova_protocol::ErrorCode::SessionBusy);

    nova.model.resume();
    let told = wait_for(&mut events, |event| matches!(event, Event::TurnCompleted { .. })).await;
    assert_eq!(told, Event::TurnCompleted { text: "One and two.".into() });
    wait_for(&mut events, |event| matches!(event, Event::SessionChanged { .. })).await;
    child.wait().unwrap();
    assert!(!app.list_sessions(Nothing {}).await.unwrap()[0].running);
    nova.model.finish();
}

#[test]
fn session_continues_after_a_kill_in_a_turn() {
    let nova = Nova::new(
        PEOPLE,
        [call("crm__add_contact", json!({"name": "Odile Farrow"})), text("Back."), text("Still.")],
    );
    let mut child = nova
        .command(&["chat", "-p", "Add Odile", "--json", "--approve", "stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let asked = lines.find_map(|line| {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        (event["type"] == "approval_requested").then_some(event)
    });
    let session = asked.unwrap()["session"].as_str().unwrap().to_owned();
    assert_eq!(nova.json(&["session", "list"]).1[0]["running"], true);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(nova.json(&["session", "list"]).1[0]["running"], false, "its lease is released");

    let output = nova.run(&["chat", "-p", "Are you there?", "--session", &session]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"));
    let told = nova.model.last_texts("tool").pop().unwrap();
    assert!(told.contains("outcome is unknown"), "{told}");
    assert_eq!(nova.run(&["chat", "-p", "And now?", "--session", &session]).status.code(), Some(0));
    nova.model.finish();
}

#[tokio::test]
async fn next_message_may_follow_the_end_of_a_turn_at_once() {
    let nova = Nova::new(PEOPLE, [text("One."), text("Two.")]);
    let app = nova.start().await;
    let mut events = app.events();
    let session = app.new_session().await.unwrap().id;
    send(&app, &session, "One").await;
    wait_for(&mut events, |event| matches!(event, Event::TurnCompleted { .. })).await;
    send(&app, &session, "Two").await;
    wait_for(&mut events, |event| matches!(event, Event::TurnCompleted { .. })).await;
    nova.model.finish();
}
