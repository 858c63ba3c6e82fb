use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use nova_app::App;
use nova_protocol::{ChooseBranch, Commands as _, ErrorCode, Event, SendMessage, SessionRef};
use nova_testkit::{ModelServer, call, pause, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, wait_for};

/// Runs one turn after the given one or the last, and returns its id.
async fn say(app: &App, session: &str, words: &str, after: Option<Option<&str>>) -> String {
    send(
        app,
        SendMessage {
            session: session.into(),
            text: words.into(),
            after: after.map(|turn| turn.map(str::to_owned)),
            ..Default::default()
        },
    )
    .await
}

async fn send(app: &App, message: SendMessage) -> String {
    let mut events = app.events();
    let turn = app.send_message(message).await.unwrap().turn;
    let ended = wait_for(&mut events, |event| {
        matches!(event, Event::TurnCompleted { .. } | Event::TurnFailed { .. } | Event::TurnCancelled { .. })
    })
    .await;
    assert!(matches!(ended, Event::TurnCompleted { .. }), "{ended:?}");
    turn
}

async fn choose(app: &App, session: &str, turn: &str) {
    app.choose_branch(ChooseBranch { session: session.into(), turn: turn.into() }).await.unwrap();
}

#[tokio::test]
async fn edited_message_is_answered_without_what_followed_it() {
    let answers = ["A.", "B.", "B, edited.", "C.", "A, anew.", "D."];
    let nova = Nova::new(PEOPLE, answers.map(text));
    let app = nova.start().await;
    let session = app.new_session().await.unwrap().id;
    let said = || nova.model.last_texts("assistant");

    let a = say(&app, &session, "One", None).await;
    let b = say(&app, &session, "Two", None).await;
    say(&app, &session, "Two, please", Some(Some(&a))).await;
    assert_eq!(said(), ["A."], "the first answer to it is not in the request");
    assert!(!nova.model.last_texts("user").concat().contains("Two\n"));

    choose(&app, &session, &b).await;
    say(&app, &session, "Three", None).await;
    assert_eq!(said(), ["A.", "B."], "the older branch continues");

    say(&app, &session, "One, anew", Some(None)).await;
    assert_eq!(said(), Vec::<String>::new(), "nothing comes before the first message");
    choose(&app, &session, &a).await;
    say(&app, &session, "Four", None).await;
    assert_eq!(said(), ["A.", "B.", "C."], "the last state after a turn is restored");

    // The stored log has the same branch.
    let (_, view) = nova.json(&["session", "show", &session]);
    let after = |text: &str| {
        let events = view["events"].as_array().unwrap();
        events.iter().find(|event| event["text"] == text && event["type"] == "turn_started").unwrap()["after"]
            .clone()
    };
    assert_eq!((after("One"), after("One, anew")), (Value::Null, Value::Null));
    assert_eq!((after("Two"), after("Two, please")), (json!(a), json!(a)));
    nova.model.finish();
}

#[tokio::test]
async fn skills_and_notes_follow_the_branch() {
    let nova = Nova::new(
        PEOPLE,
        [
            text("A."),
            call("crm__get_contact", json!({"name": "Jane Doe"})),
            text("She is a lead."),
            text("B, edited."),
            text("C."),
        ],
    );
    let app = nova.start().await;
    let session = app.new_session().await.unwrap().id;
    let has_crm = || {
        let request = nova.model.requests().pop().unwrap();
        request["tools"].as_array().unwrap().iter().any(|tool| tool["function"]["name"] == "crm__move_deal")
    };

    let a = say(&app, &session, "Good morning", None).await;
    let with_crm = SendMessage {
        session: session.clone(),
        text: "Who?".into(),
        skills: vec!["crm".into()],
        ..Default::default()
    };
    let b = send(&app, with_crm).await;
    assert!(has_crm());
    say(&app, &session, "What?", Some(Some(&a))).await;
    assert!(!has_crm(), "the skill was activated in the other branch");

    // An edit of a note read only in the other branch is not announced here.
    nova.vault
        .write("CRM/People/Jane Doe.md", &nova.vault.read("CRM/People/Jane Doe.md").replace("lead", "won"));
    choose(&app, &session, &b).await;
    say(&app, &session, "And now?", None).await;
    assert!(has_crm());
    let told = nova.model.requests().pop().unwrap().to_string();
    assert!(told.contains("Changed since you read them"), "{told}");
    assert!(!nova.model.requests()[3].to_string().contains("Changed since"));
    nova.model.finish();
}

#[tokio::test]
async fn branch_without_private_notes_may_go_remote() {
    const NOTES: &str = "
//- Diary.md
---
nova: private
---
zanzibar
";
    let nova = Nova::new(
        NOTES,
        [
            text("A."),
            call("vault__read_note", json!({"path": "Diary"})),
            text("Read."),
            text("From elsewhere."),
        ],
    );
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [
            {"id": "test", "kind": "openai", "base_url": nova.model.base_url()},
            {"id": "near", "kind": "ollama", "base_url": nova.model.address()},
        ],
        "model": "test/scripted",
    }));
    let app = nova.start().await;
    nova.model.passes_on("run-elsewhere");
    app.agree_to_provider("near").await.unwrap();
    let session = app.new_session().await.unwrap().id;
    let a = say(&app, &session, "Good morning", None).await;
    say(&app, &session, "Read my diary", None).await;

    let elsewhere = |after| SendMessage {
        session: session.clone(),
        text: "Go on".into(),
        model: Some("near/run-elsewhere".into()),
        after,
        ..Default::default()
    };
    let mut events = app.events();
    app.send_message(elsewhere(None)).await.unwrap();
    let failed = wait_for(&mut events, |event| matches!(event, Event::TurnFailed { .. })).await;
    assert!(matches!(failed, Event::TurnFailed { code: ErrorCode::Private, .. }), "{failed:?}");
    wait_for(&mut events, |event| matches!(event, Event::SessionChanged { .. })).await;
    send(&app, elsewhere(Some(Some(a)))).await;
    let sent = nova.model.requests().pop().unwrap().to_string();
    assert!(sent.contains("Good morning") && !sent.contains("zanzibar"), "{sent}");
    nova.model.finish();
}

#[tokio::test]
async fn invalid_branch_point_is_refused() {
    let nova = Nova::new(PEOPLE, [text("A."), text("B").and(pause())]);
    let app = nova.start().await;
    let session = app.new_session().await.unwrap().id;
    let a = say(&app, &session, "One", None).await;
    let before = app.open_session(SessionRef { session: session.clone() }).await.unwrap().events.len();

    let nowhere = SendMessage {
        session: session.clone(),
        text: "x".into(),
        after: Some(Some("no".into())),
        ..Default::default()
    };
    assert_eq!(app.send_message(nowhere).await.unwrap_err().code, ErrorCode::BadRequest);
    let choose = |turn: &str| ChooseBranch { session: session.clone(), turn: turn.into() };
    assert_eq!(app.choose_branch(choose("no")).await.unwrap_err().code, ErrorCode::BadRequest);
    // Choosing the current branch changes nothing.
    app.choose_branch(choose(&a)).await.unwrap();
    let after = app.open_session(SessionRef { session: session.clone() }).await.unwrap().events.len();
    assert_eq!(after, before);

    app.send_message(SendMessage { session: session.clone(), text: "Two".into(), ..Default::default() })
        .await
        .unwrap();
    nova.model.wait_for_pause(1).await;
    assert_eq!(app.choose_branch(choose(&a)).await.unwrap_err().code, ErrorCode::SessionBusy);
    app.stop_everything().await;
    nova.model.finish();
}

#[tokio::test]
async fn branch_begun_at_the_terminal_continues_in_the_window() {
    let nova = Nova::new(PEOPLE, ["A.", "B.", "B, edited.", "C.", "D."].map(text));
    let app = nova.start().await;
    let session = app.new_session().await.unwrap().id;
    let a = say(&app, &session, "One", None).await;
    let b = say(&app, &session, "Two", None).await;

    let edited = nova.run(&["chat", "-p", "Two, please", "--session", &session, "--after", &a]);
    assert_eq!(edited.status.code(), Some(0), "{}", String::from_utf8_lossy(&edited.stderr));
    say(&app, &session, "Three", None).await;
    assert_eq!(nova.model.last_texts("assistant"), ["A.", "B, edited."]);

    let shown = || String::from_utf8(nova.run(&["session", "show", &session]).stdout).unwrap();
    assert!(shown().contains("you> Two, please") && !shown().contains("you> Two\n"), "{}", shown());
    assert_eq!(nova.run(&["session", "branch", &session, &b]).status.code(), Some(0));
    assert!(shown().contains("you> Two\n") && !shown().contains("please"), "{}", shown());
    let begun = nova.run(&["chat", "-p", "Anew", "--session", &session, "--after", "start"]);
    assert_eq!(begun.status.code(), Some(0));
    assert_eq!(nova.model.last_texts("assistant"), Vec::<String>::new());
    nova.model.finish();
}

/// Adds Odile when asked, and stops midway at this point; otherwise answers in one word.
fn stopping_at(point: &'static str) -> ModelServer {
    ModelServer::replying(move |request| {
        let messages = request["messages"].as_array().unwrap();
        let said = messages.iter().rev().find_map(|message| {
            let text = message["content"].as_str().filter(|_| message["role"] == "user")?;
            ["Add Odile", "Go on", "Anew"].into_iter().find(|words| text.starts_with(words))
        });
        if said != Some("Add Odile") {
            return text("Here I am.");
        }
        let called = messages.iter().any(|message| message["role"] == "tool");
        match point {
            "step_started" => pause(),
            "text_delta" => text("Half a").and(pause()),
            _ if called => pause(),
            _ => call("crm__add_contact", json!({"name": "Odile Farrow"})),
        }
    })
}

#[tokio::test]
async fn session_continues_after_a_kill_anywhere_in_a_turn() {
    for at in ["turn_started", "step_started", "text_delta", "tool_call_started", "tool_call_completed"] {
        let mut nova = Nova::new(PEOPLE, []);
        nova.model = stopping_at(at);
        nova.settings(&json!({
            "vault": nova.vault.root(),
            "providers": [{"id": "test", "kind": "openai", "base_url": nova.model.base_url()}],
            "model": "test/scripted",
        }));
        let mut child = nova
            .command(&["chat", "-p", "Add Odile", "--json", "--approve", "all"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let event = lines.find_map(|line| {
            let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
            (event["type"] == at).then_some(event)
        });
        let event = event.unwrap_or_else(|| panic!("no {at}"));
        child.kill().unwrap();
        child.wait().unwrap();

        // The model server rejects a request in which a call has no output.
        let session = event["session"].as_str().unwrap();
        let last = || nova.model.requests().pop().unwrap().to_string();
        let on = nova.run(&["chat", "-p", "Go on", "--session", session]);
        assert_eq!(on.status.code(), Some(0), "{at}: {}", String::from_utf8_lossy(&on.stderr));
        for kept in ["Add Odile", "Nova ended during the previous turn", "You are Nova"] {
            assert_eq!(last().matches(kept).count(), 1, "{at}, {kept}: {}", last());
        }
        let anew = nova.run(&["chat", "-p", "Anew", "--session", session, "--after", "start"]);
        assert_eq!(anew.status.code(), Some(0), "{at}: {}", String::from_utf8_lossy(&anew.stderr));
        assert!(!last().contains("Odile") && !last().contains("Nova ended"), "{at}: not in this branch");
    }
}
