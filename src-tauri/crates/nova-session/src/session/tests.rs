#![allow(clippy::unwrap_used)]

use nova_protocol::Envelope;
use sqlx::sqlite::SqlitePoolOptions;

use super::*;

struct Noon;

impl Clock for Noon {
    fn now(&self) -> jiff::Timestamp {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }

    fn zone(&self) -> jiff::tz::TimeZone {
        jiff::tz::TimeZone::UTC
    }
}

#[derive(Default)]
struct RecordedEvents(Mutex<Vec<(u64, Event)>>);

impl EventSink for RecordedEvents {
    fn emit(&self, envelope: Envelope) {
        self.0.lock().unwrap().push((envelope.seq, envelope.event));
    }
}

async fn store() -> Store {
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    let migrations = sqlx::migrate!("./migrations");
    migrations.run(&pool).await.unwrap();
    Store::over(pool)
}

/// The turn still holds its journal, like a call that has not been dropped yet.
#[tokio::test]
async fn skill_dropped_while_a_turn_ends_is_reported_after_it() {
    let store = store().await;
    store.create("a", "2026-03-01T12:00:00Z").await.unwrap();
    let session = Arc::new(Session::load(&store, "a").await.unwrap());
    session.lock().active.add("mail");
    let (clock, events) = (Arc::new(Noon), Arc::new(RecordedEvents::default()));
    let numbers = session.next_seq.clone();
    let journal = Arc::new(Journal::new(
        "a",
        Some("turn".into()),
        store.clone(),
        clock.clone(),
        events.clone(),
        numbers.clone(),
    ));
    *session.journal.lock().unwrap() = Arc::downgrade(&journal);

    let ending = numbers.begin_end();
    let end = journal.record_end(Event::TurnCompleted { text: String::new() });
    let dropping = tokio::spawn({
        let (session, events) = (session.clone(), events.clone());
        async move { session.drop_skill("mail", &store, clock, events).await.unwrap() }
    });
    tokio::task::yield_now().await;
    assert!(events.0.lock().unwrap().is_empty(), "the approval is pending");
    assert_eq!(session.active_skills(), ["mail"]);
    ending.commit(|| events.emit(end));

    assert!(dropping.await.unwrap());
    assert_eq!(session.active_skills(), [""; 0]);
    let dropped = Event::SkillDeactivated { skill: "mail".into(), by: DeactivatedBy::User };
    let end = Event::TurnCompleted { text: String::new() };
    assert_eq!(*events.0.lock().unwrap(), [(0, end), (1, dropped)]);
}

#[tokio::test]
async fn unsent_message_keeps_its_images() {
    let store = store().await;
    store.create("a", "2026-03-01T12:00:00Z").await.unwrap();
    let picture = NamedImage {
        name: "dot.gif".into(),
        image: nova_provider::Image::read(b"GIF89a\x01\0\x01\0\0\0\0").unwrap(),
    };
    store.add_images("a", std::slice::from_ref(&picture)).await.unwrap();
    let images = vec![picture.view()];
    // The log after a crash right after the message was accepted.
    let started = Event::TurnStarted {
        text: "This?".into(),
        model: "test/m".into(),
        skills: Vec::new(),
        tool: None,
        after: Some(None),
        by_nova: false,
        images: images.clone(),
        outside: Vec::new(),
    };
    let turn = Some("turn".to_owned());
    let envelope = Envelope { v: 1, seq: 0, at: String::new(), session: None, turn, event: started };
    store.append("a", "2026-03-01T12:00:00Z", &[(0, Entry::Event(envelope))], &[]).await.unwrap();

    let session = Session::load(&store, "a").await.unwrap();
    let unsent_message = session.lock().unsent_message.clone().unwrap();
    assert_eq!(unsent_message, LogMessage::User { text: "This?".into(), images });
    // The next turn sends the message, and loads its images for that.
    session.load_images(&store).await.unwrap();
    assert_eq!(session.lock().images.values().collect::<Vec<_>>(), [&picture.image]);
}

#[tokio::test]
async fn turn_loads_only_images_that_it_may_send() {
    let store = store().await;
    store.create("a", "2026-03-01T12:00:00Z").await.unwrap();
    let session = Session::load(&store, "a").await.unwrap();
    let mut ids = Vec::new();
    for at in 0..8_u8 {
        let mut bytes = b"GIF89a\x01\0\x01\0\0\0\0".to_vec();
        bytes.resize(nova_provider::Image::MOST_BYTES, at);
        let name = format!("{at}.gif");
        let picture = NamedImage { name, image: nova_provider::Image::read(&bytes).unwrap() };
        store.add_images("a", std::slice::from_ref(&picture)).await.unwrap();
        ids.push(picture.image.id.clone());
        session.lock().messages.push(LogMessage::User { text: String::new(), images: vec![picture.view()] });
    }
    session.load_images(&store).await.unwrap();
    let state = session.lock();
    let loaded: Vec<bool> = ids.iter().map(|id| state.images.contains_key(id)).collect();
    // Each has 5 MB in base64: four are sent, and a fifth is needed to detect the excess.
    assert_eq!(loaded, [false, false, false, true, true, true, true, true]);
}

#[tokio::test]
async fn unreadable_entry_does_not_affect_others() {
    let store = store().await;
    store.create("a", "2026-03-01T12:00:00Z").await.unwrap();
    let event = |text: &str| {
        serde_json::json!({"v": 1, "seq": 0, "at": "", "session": "a", "turn": "t", "type": "turn_started",
            "text": text, "model": "m", "skills": [], "tool": null, "after": null})
    };
    let user = |text: &str| serde_json::json!({"role": "user", "text": text});
    let assistant = |call: serde_json::Value| serde_json::json!({"role": "assistant", "text": "", "provider_data": null, "calls": [call]});
    let call = serde_json::json!({"id": "c", "name": "x", "arguments": "{}"});
    let rows = [
        ("event", event("Hello")),
        ("event", serde_json::json!({"v": 1, "seq": 1, "at": "", "type": "from_the_future"})),
        ("message", user("Hello")),
        ("message", serde_json::json!({"role": "alien", "text": "?"})),
        // Its output is dropped too.
        ("message", assistant(serde_json::json!({"id": 7}))),
        ("message", serde_json::json!({"role": "tool_output", "call_id": "c", "content": "1"})),
        ("message", assistant(call)),
        ("message", serde_json::json!({"role": "tool_output", "call_id": "c", "content": "2"})),
        ("event", serde_json::json!("torn")),
    ];
    for (seq, (kind, body)) in (0_i64..).zip(rows) {
        let insert = sqlx::query("INSERT INTO log (session, seq, kind, body) VALUES ('a', ?, ?, ?)");
        insert.bind(seq).bind(kind).bind(body.to_string()).execute(store.pool()).await.unwrap();
    }

    assert_eq!(store.events("a").await.unwrap().len(), 1);
    let session = Session::load(&store, "a").await.unwrap();
    let state = session.lock();
    let roles: Vec<String> = state
        .messages
        .iter()
        .map(|message| serde_json::to_value(message).unwrap()["role"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool_output"]);
    // New entries must not overwrite existing ones.
    assert_eq!(session.next_seq.take(), 9);
}
