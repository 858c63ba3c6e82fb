//! Chats that outgrow their model's context.

use nova_app::{App, TurnEnd};
use nova_protocol::{Commands as _, CompactedBy, Decision, ErrorCode, Event, SendMessage, SessionRef};
use nova_testkit::{Answer, ModelServer, ScriptedApprover, call, error, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, turn, wait_for};

/// A Nova whose model has a context of this many tokens.
fn small(context: u64, reply: impl FnMut(&Value) -> Answer + Send + 'static) -> Nova {
    let mut nova = Nova::new(PEOPLE, []);
    nova.model = ModelServer::replying(reply);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "test", "kind": "openai", "base_url": nova.model.base_url(), "context": context}],
        "model": "test/scripted",
        "router": false,
    }));
    nova
}

fn whole(request: &Value) -> String {
    let messages = request["messages"].as_array().unwrap().iter();
    messages.map(|message| message["content"].as_str().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

fn wants_summary(request: &Value) -> bool {
    whole(request).contains("Write down, for yourself")
}

/// An answer of about 1,000 tokens that contains its number.
fn long(number: usize) -> Answer {
    text(&format!("Answer {number}: {}", "and so on ".repeat(400)))
}

fn compactions(events: &[Event]) -> Vec<(CompactedBy, u64, u64, Option<String>)> {
    let compacted = events.iter().filter_map(|event| match event {
        Event::HistoryCompacted { by, before, after, why, .. } => Some((*by, *before, *after, why.clone())),
        _ => None,
    });
    compacted.collect()
}

/// Sends messages until the history is compacted. Returns the session, their number, and the events of the
/// last turn.
async fn talk(app: &App, first: Option<&str>) -> (String, usize, Vec<Event>) {
    let mut session = first.map(str::to_owned);
    for number in 1..30 {
        let words = format!("Question {number}, word for word.");
        let (end, events) =
            turn(app, session.as_deref(), &words, ScriptedApprover::always(Decision::Once)).await;
        assert!(matches!(end.end, TurnEnd::Completed { .. }), "{:?}", end.end);
        session = Some(end.session.clone());
        if !compactions(&events).is_empty() {
            return (end.session, number, events);
        }
    }
    panic!("never compacted")
}

#[tokio::test]
async fn history_is_compacted_and_nothing_important_is_lost() {
    let mut answered = 0;
    let nova = small(16_000, move |request| {
        if wants_summary(request) {
            return text("Jane Doe is a lead since May.");
        }
        answered += 1;
        match answered {
            1 => call("load_skill", json!({"skill": "crm"})),
            2 => call("crm__get_contact", json!({"name": "Jane Doe"})),
            number => long(number),
        }
    });
    let app = nova.start().await;
    let (session, sent, events) = talk(&app, None).await;

    let told = compactions(&events);
    let (by, before, after, why) = &told[0];
    assert_eq!((told.len(), *by, why), (1, CompactedBy::Summary, &None));
    assert!(*before > 16_000 * 7 / 10 && *after < before * 8 / 10, "{before} → {after}");

    let requests = nova.model.requests();
    let asked = &requests[requests.len() - 2];
    assert!(wants_summary(asked));
    let request = requests.last().unwrap();
    assert_eq!(asked["messages"][0], request["messages"][0], "the system prompt stays");
    let now = whole(request);
    assert!(now.contains("Jane Doe is a lead since May."), "{now}");
    for number in 1..=sent {
        assert_eq!(now.matches(&format!("Question {number}, word for word.")).count(), 1, "{number}: {now}");
    }
    assert!(!now.contains("Answer 3:"), "summarised messages remain");
    assert!(now.contains("CRM/People/Jane Doe.md"), "the notes in use are named");
    assert!(now.contains("Skill activated: "), "the instructions of active skills are missing");
    assert!(whole(&requests[3]).matches("Skill activated: ").count() == 1);
    assert_eq!(now.matches("Today is ").count(), 1);

    // The log is complete, and another start sends the same.
    let view = app.open_session(SessionRef { session: session.clone() }).await.unwrap();
    let said = serde_json::to_string(&view.events).unwrap();
    assert!(said.contains("Answer 3:"));
    drop(app);
    let app = nova.start().await;
    turn(&app, Some(&session), "Still there?", ScriptedApprover::always(Decision::Once)).await;
    let later = nova.model.requests().pop().unwrap();
    let before = request["messages"].as_array().unwrap();
    assert_eq!(later["messages"].as_array().unwrap()[..before.len()], before[..], "sent messages are kept");

    // A note read before the compaction is still watched.
    nova.vault.write("CRM/People/Jane Doe.md", "---\ntype: contact\nname: Jane Doe\nstage: won\n---\n");
    turn(&app, Some(&session), "And now?", ScriptedApprover::always(Decision::Once)).await;
    let told = whole(&nova.model.requests().pop().unwrap());
    assert!(
        told.contains("Changed since you read them") && told.contains("- CRM/People/Jane Doe.md"),
        "{told}"
    );
}

#[tokio::test]
async fn chat_with_small_model_continues_for_long() {
    let nova = small(7_000, |request| match wants_summary(request) {
        true => text("Much was said."),
        false => long(0),
    });
    let app = nova.start().await;
    let mut session = None;
    let mut made_room = 0;
    for number in 0..16 {
        let words = format!("Question {number}, word for word.");
        let (end, events) =
            turn(&app, session.as_deref(), &words, ScriptedApprover::always(Decision::Once)).await;
        assert!(matches!(end.end, TurnEnd::Completed { .. }), "{number}: {:?}", end.end);
        made_room += compactions(&events).len();
        session = Some(end.session);
    }
    assert!(made_room > 2, "{made_room}");
    let now = whole(nova.model.requests().last().unwrap());
    assert!(
        now.contains("Question 0, word for word.") && now.contains("Question 15, word for word."),
        "{now}"
    );
    assert_eq!(now.matches("Your summary:").count(), 1, "one summary replaces the others: {now}");
}

#[tokio::test]
async fn without_a_summary_old_outputs_are_dropped() {
    let mut answered = 0;
    let nova = small(16_000, move |request| {
        if wants_summary(request) {
            return error(400, json!({"error": {"message": "not now"}}));
        }
        answered += 1;
        match answered % 2 {
            1 => call("vault__read_note", json!({"path": "Ideas"})),
            _ => text("Read."),
        }
    });
    nova.vault.write("Ideas.md", &"An idea of many. ".repeat(400));
    let app = nova.start().await;
    let (_, _, events) = talk(&app, None).await;
    let (by, before, after, why) = compactions(&events).remove(0);
    assert_eq!(by, CompactedBy::WithoutOutputs);
    assert!(why.unwrap().contains("not now"));
    assert!(after < before, "{before} → {after}");
    let now = whole(nova.model.requests().last().unwrap());
    assert!(now.contains("bytes were taken out to make room"), "{now}");
    assert!(now.contains("Question 1, word for word."));
}

#[tokio::test]
async fn too_long_message_does_not_block_the_next() {
    // With a model that summarises, and with one that fails to.
    for summary in [text("They sent a very long text."), error(400, json!({"error": {"message": "not now"}}))]
    {
        let nova = small(16_000, move |request| match wants_summary(request) {
            true => summary.clone(),
            false => text("Hello."),
        });
        let app = nova.start().await;
        let words = "a word of many ".repeat(20_000);
        let (end, _) = turn(&app, None, &words, ScriptedApprover::always(Decision::Once)).await;
        let TurnEnd::Failed(error) = end.end else { panic!("expected a context error: {:?}", end.end) };
        assert_eq!(error.code, ErrorCode::ContextTooSmall);
        assert!(nova.model.requests().is_empty(), "nothing was sent");

        let (end, events) =
            turn(&app, Some(&end.session), "Shorter.", ScriptedApprover::always(Decision::Once)).await;
        assert_eq!(end.end, TurnEnd::Completed { text: "Hello.".into() });
        assert!(!compactions(&events).is_empty());
        let now = whole(nova.model.requests().last().unwrap());
        assert!(
            now.contains("a word of many") && now.contains("Shorter.") && now.len() < 60_000,
            "{}",
            now.len()
        );
        // The log has the whole message.
        let view = app.open_session(SessionRef { session: end.session }).await.unwrap();
        assert!(serde_json::to_string(&view.events).unwrap().contains(words.trim_end()));
    }
}

#[tokio::test]
async fn request_refused_as_too_long_is_retried_with_less() {
    // The model's context size is unknown.
    let too_long = json!({"error": {"message": "This model's maximum context length is 9000 tokens.", "code": "context_length_exceeded"}});
    let nova = {
        let mut nova = Nova::new(PEOPLE, []);
        let refusal = too_long.clone();
        nova.model = ModelServer::replying(move |request| match whole(request) {
            all if wants_summary(request) && all.len() < 60_000 => text("Much was said."),
            all if all.len() > 40_000 => error(400, refusal.clone()),
            _ => long(0),
        });
        nova.settings(&json!({
            "vault": nova.vault.root(),
            "providers": [{"id": "test", "kind": "openai", "base_url": nova.model.base_url()}],
            "model": "test/scripted",
            "router": false,
        }));
        nova
    };
    let app = nova.start().await;
    let (session, sent, events) = talk(&app, None).await;
    assert!(sent > 3, "{sent}");
    let (by, before, after, _) = &compactions(&events)[0];
    assert!(*by == CompactedBy::Summary && after < before, "{events:?}");
    // It is remembered: later requests are compacted before they would be refused.
    let refused = |requests: &[Value]| {
        requests.iter().filter(|request| !wants_summary(request) && whole(request).len() > 40_000).count()
    };
    talk(&app, Some(&session)).await;
    assert_eq!(refused(&nova.model.requests()), 1);

    // If nothing can be left out, the provider's message is shown.
    let nova = Nova::new(PEOPLE, [error(400, too_long)]);
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Hello", ScriptedApprover::always(Decision::Once)).await;
    let TurnEnd::Failed(error) = end.end else { panic!("expected a context error: {:?}", end.end) };
    assert_eq!(error.code, ErrorCode::ContextTooSmall);
    assert!(error.message.contains("9000 tokens") && error.hint.contains("`context`"), "{error:?}");
    nova.model.finish();
}

#[tokio::test]
async fn message_that_never_fits_fails_with_what_to_do() {
    let nova = small(500, |_| text("Never."));
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Hello", ScriptedApprover::always(Decision::Once)).await;
    let TurnEnd::Failed(error) = end.end else { panic!("expected a context error: {:?}", end.end) };
    assert_eq!(error.code, ErrorCode::ContextTooSmall);
    assert!(error.message.contains("500 tokens") && error.hint.contains("larger context"), "{error:?}");
    assert!(nova.model.requests().is_empty(), "nothing was sent");
}

#[tokio::test]
async fn cancelled_summary_lists_sent_notes() {
    let mut answered = 0;
    let nova = small(200_000, move |request| {
        if wants_summary(request) {
            return text("It").stall();
        }
        answered += 1;
        match answered {
            1 => call("load_skill", json!({"skill": "crm"})),
            2 => call("crm__get_contact", json!({"name": "Jane Doe"})),
            number => long(number),
        }
    });
    let app = nova.start().await;
    let mut session: Option<String> = None;
    for number in 0..12 {
        let words = format!("Question {number}");
        let approver = ScriptedApprover::always(Decision::Once);
        session = Some(turn(&app, session.as_deref(), &words, approver).await.0.session);
    }
    let session = session.unwrap();
    drop(app);
    // Its server now passes the same model on, with a smaller context.
    let mut settings = nova.read_settings();
    settings["providers"][0]["context"] = json!(12_000);
    nova.settings(&settings);
    nova.model.passes_on("scripted");
    let app = nova.start().await;
    app.agree_to_provider("test").await.unwrap();
    let requests = nova.model.requests().len();
    let mut events = app.events();
    let message = SendMessage { session: session.clone(), text: "And now?".into(), ..Default::default() };
    app.send_message(message).await.unwrap();
    assert!(wants_summary(&nova.model.wait_for_request(requests + 1).await));

    app.stop_turn(SessionRef { session: session.clone() }).await.unwrap();
    wait_for(&mut events, |event| matches!(event, Event::TurnCancelled { .. })).await;

    let view = app.open_session(SessionRef { session }).await.unwrap();
    let last = view.events.iter().rposition(|one| matches!(one.event, Event::TurnStarted { .. })).unwrap();
    let left: Vec<_> = view.events[last..]
        .iter()
        .filter_map(|one| match &one.event {
            Event::StepStarted { host, notes, .. } => Some((host.clone(), notes.clone())),
            _ => None,
        })
        .collect();
    let elsewhere = Some(Some("elsewhere.example".to_owned()));
    assert_eq!(left, [(elsewhere, vec!["CRM/People/Jane Doe.md".to_owned()])]);
}

#[tokio::test]
async fn window_shows_how_full_the_context_is() {
    let nova = small(16_000, |_| text("Hello.").using(4_000, 1_000, 3));
    let app = nova.start().await;
    let (end, events) = turn(&app, None, "Hello", ScriptedApprover::always(Decision::Once)).await;
    let first = events.iter().find_map(|event| match event {
        Event::StepStarted { context, .. } => context.clone(),
        _ => None,
    });
    let first = first.unwrap();
    assert_eq!(first.limit, Some(16_000));
    let now = app.context(SessionRef { session: end.session }).await.unwrap();
    assert_eq!((now.limit, now.cached), (Some(16_000), 1_000));
    // The provider counted 4,000 for the request; the answer was added since.
    assert!((4_000..4_100).contains(&now.used), "{now:?}");
    let parts = &now.parts;
    assert_eq!(parts.system + parts.skills + parts.history + parts.outputs, now.used);
    assert!(parts.system > 3_000 && parts.history < 200 && parts.outputs == 0, "{parts:?}");
}
