//! The doubles in combination, in one turn of a session.

use std::sync::Arc;

use nova_protocol::Decision;
use nova_registry::{NativeSkills, Registry, Settings};
use nova_session::{Session, Store, TurnEnd, TurnScope, UserMessage, run_turn};
use nova_skill::json;
use nova_testkit::{
    CountingIds, KeptRules, MODEL, ModelServer, PATIENCE, RecordedEvents, ScriptedApprover, TempVault, call,
    calls, decided, denied, pause, text,
};
use tokio_util::sync::CancellationToken;

use crate::doubles::Probe;

struct Chat {
    vault: TempVault,
    server: ModelServer,
    events: RecordedEvents,
    approver: ScriptedApprover,
    scope: TurnScope,
    session: Arc<Session>,
}

/// A session with this model and user.
async fn chat(server: ModelServer, approver: ScriptedApprover) -> Chat {
    let vault = TempVault::from("");
    let events = RecordedEvents::new();
    let store = Store::open(&vault.data()).await.unwrap();
    store.create("session1", "2026-11-21T09:00:00Z").await.unwrap();
    let session = Arc::new(Session::load(&store, "session1").await.unwrap());
    let provider = server.provider();
    let scope = TurnScope {
        access: nova_calls::Access {
            rules: Arc::default(),
            save_rule: Arc::new(KeptRules::default()),
            approved: Arc::new(nova_testkit::ApprovedContents::default()),
            web: Arc::new(nova_testkit::web_of(&[])),
            credentials: Arc::new(nova_calls::NoCredentials),
            stores: Arc::new(nova_testkit::MemoryStores::default()),
            folders: Arc::new(()),
            sandboxes: Arc::new(()),
            vault: Some(vault.open()),
            approver: Arc::new(approver.clone()),
            clock: Arc::new(vault.clock().clone()),
            time_limit: PATIENCE,
        },
        turn: "turn1".into(),
        store,
        registry: Arc::new(Registry::new(
            vec![Box::new(NativeSkills::new(vec![Box::new(Probe)]))],
            &Settings::default(),
        )),
        locality: provider.locality(),
        provider,
        model: MODEL.into(),
        agreed: false,
        place: None,
        private: Vec::new(),
        sink: Arc::new(events.clone()),
        ids: Arc::new(CountingIds::new("call")),
        sub_sessions: Arc::new(()),
        images: None,
        context: None,
        catalog: nova_registry::CatalogBudget::of_context(None),
        router: false,
        settle: PATIENCE,
        begun: Arc::new(|| {}),
        occupied: Box::new(()),
    };
    Chat { vault, server, events, approver, scope, session }
}

fn message(text: &str) -> UserMessage {
    UserMessage { text: text.into(), ..UserMessage::default() }
}

#[tokio::test]
async fn turn_with_an_approval_sends_only_valid_requests() {
    let server = ModelServer::start([
        call("load_skill", json!({"skill": "probe"})),
        calls([
            ("probe__write_thing", json!({"name": "Lamp"})),
            ("probe__write_thing", json!({"name": "Desk"})),
        ]),
        text("The lamp is there, the desk is not."),
    ]);
    let approver = ScriptedApprover::new([decided(Decision::Once), denied("no desk")]);
    let chat = chat(server, approver).await;
    let end =
        run_turn(chat.scope, chat.session, message("Add a lamp and a desk"), CancellationToken::new()).await;

    assert_eq!(end.unwrap(), TurnEnd::Completed { text: "The lamp is there, the desk is not.".into() });
    assert_eq!(chat.vault.files(), ["Things/Lamp.md"]);
    assert_eq!(chat.approver.asked().len(), 2);
    let outputs = chat.server.last_texts("tool");
    assert_eq!(outputs.len(), 3, "one for each call: {outputs:?}");
    assert!(outputs[2].contains("no desk"), "{outputs:?}");
    let types = chat.events.types();
    assert_eq!(
        (types.first().unwrap().as_str(), types.last().unwrap().as_str()),
        ("turn_started", "turn_completed")
    );
    assert!(chat.events.envelopes().iter().all(|envelope| envelope.session.as_deref() == Some("session1")));
    chat.server.finish();
}

#[tokio::test]
async fn stop_mid_answer_cancels_the_turn() {
    let server = ModelServer::start([text("I am ").and(pause()).and(text("late"))]);
    let chat = chat(server, ScriptedApprover::default()).await;
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let turn = tokio::spawn(run_turn(chat.scope, chat.session, message("Hello"), cancel));
    chat.events.wait_for_type("text_delta").await;
    stop.cancel();
    assert_eq!(turn.await.unwrap().unwrap(), TurnEnd::Cancelled);
    chat.events.wait_for_type("turn_cancelled").await;
    chat.server.finish();
}
