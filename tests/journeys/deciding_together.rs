//! Writes that the model requests together: the window shows all of them, and they run in order.

use nova_app::App;
use nova_protocol::{
    Commands as _, DecideApproval, Decision, Envelope, Event, NoteDiffView, SendMessage, SessionRef,
};
use nova_testkit::{calls, text};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;

use super::nova::{Nova, PEOPLE, wait_for};

const JANE: &str = "CRM/People/Jane Doe.md";

struct Window {
    nova: Nova,
    app: App,
    session: String,
    events: Receiver<Envelope>,
}

struct Asked {
    call: String,
    revision: u32,
    diff: Vec<NoteDiffView>,
}

/// The model makes these calls at once in a chat of the window.
async fn asked_for(together: impl IntoIterator<Item = (&'static str, Value)>) -> Window {
    let nova = Nova::new(PEOPLE, [calls(together), text("Done.")]);
    let app = nova.start().await;
    app.watch();
    let events = app.events();
    let session = app.new_session().await.unwrap().id;
    let message = SendMessage { session: session.clone(), text: "Do it".into(), ..Default::default() };
    app.send_message(message).await.unwrap();
    Window { nova, app, session, events }
}

fn asked_by(event: Event) -> Asked {
    let Event::ApprovalRequested { call, revision, diff, .. } = event else { panic!("{event:?}") };
    Asked { call, revision, diff: diff.unwrap_or_default() }
}

impl Window {
    async fn asked(&mut self) -> Asked {
        let asked =
            wait_for(&mut self.events, |event| matches!(event, Event::ApprovalRequested { .. })).await;
        asked_by(asked)
    }

    /// All questions, in the order of the model's calls.
    async fn all_asked<const N: usize>(&mut self) -> [Asked; N] {
        let (mut started, mut asked) = (Vec::new(), Vec::new());
        while asked.len() < N {
            let event = wait_for(&mut self.events, |event| {
                matches!(event, Event::ToolCallStarted { .. } | Event::ApprovalRequested { .. })
            });
            match event.await {
                Event::ToolCallStarted { call, .. } => started.push(call),
                event => asked.push(asked_by(event)),
            }
        }
        asked.sort_by_key(|asked| started.iter().position(|call| *call == asked.call));
        asked.try_into().unwrap_or_else(|_| panic!("{N} questions"))
    }

    async fn decide(&self, asked: &Asked, decision: Decision) {
        let decide = DecideApproval {
            session: self.session.clone(),
            call: asked.call.clone(),
            decision,
            revision: asked.revision,
            args: None,
            reason: None,
        };
        self.app.decide_approval(decide).await.unwrap();
    }

    /// Whether each unfinished call succeeded.
    async fn ends(mut self) -> (Nova, Vec<bool>) {
        let mut ends = Vec::new();
        loop {
            let event = wait_for(&mut self.events, |event| {
                matches!(event, Event::ToolCallCompleted { .. } | Event::TurnCompleted { .. })
            });
            match event.await {
                Event::ToolCallCompleted { ok, .. } => ends.push(ok),
                _ => break,
            }
        }
        (self.nova, ends)
    }
}

fn contact(name: &'static str) -> (&'static str, Value) {
    ("crm__add_contact", json!({"name": name}))
}

fn stage(stage: &str) -> (&'static str, Value) {
    ("crm__update_contact", json!({"name": "Jane Doe", "stage": stage}))
}

#[tokio::test]
async fn all_are_asked_about_before_any_runs_and_run_in_order() {
    let mut window = asked_for([contact("Odile Farrow"), contact("Per Holm"), contact("Ines Vidal")]).await;
    let asked: [Asked; 3] = window.all_asked().await;
    assert!(!window.nova.vault.exists("CRM/People/Odile Farrow.md"));
    for (asked, decision) in asked.iter().zip([Decision::Once, Decision::Deny, Decision::Once]).rev() {
        window.decide(asked, decision).await;
    }
    let session = window.session.clone();
    let app = window.app.clone();
    let (nova, mut ends) = window.ends().await;
    // The denial does not wait for its turn in the order.
    ends.sort_unstable();
    assert_eq!(ends, [false, true, true]);
    let there = ["Odile Farrow", "Per Holm", "Ines Vidal"]
        .map(|name| nova.vault.exists(&format!("CRM/People/{name}.md")));
    assert_eq!(there, [true, false, true]);
    // Their outputs are in the order of the calls.
    let told = nova.model.last_texts("tool");
    assert!(told[0].contains("Odile") && told[1].contains("denied") && told[2].contains("Ines"), "{told:?}");
    let view = app.open_session(SessionRef { session }).await.unwrap();
    assert!(view.running_calls.is_empty());
    nova.model.finish();
}

#[tokio::test]
async fn write_changed_by_an_earlier_one_is_asked_again() {
    let mut window = asked_for([stage("customer"), stage("lost")]).await;
    let [first, second] = window.all_asked().await;
    let says = |asked: &Asked| serde_json::to_string(&asked.diff).unwrap();
    assert!(says(&second).contains("lead") && says(&second).contains("lost"), "{}", says(&second));
    window.decide(&first, Decision::Once).await;
    let again = loop {
        let again = window.asked().await;
        assert_eq!(again.call, second.call);
        if says(&again).contains("customer") {
            break again;
        }
    };
    window.decide(&again, Decision::Once).await;
    let (nova, ends) = window.ends().await;
    assert!(ends.iter().all(|ok| *ok), "{ends:?}");
    assert!(nova.vault.read(JANE).contains("stage: lost"), "{}", nova.vault.read(JANE));
    nova.model.finish();
}

#[tokio::test]
async fn write_that_depends_on_an_earlier_one_waits_for_it() {
    let create = ("vault__create_note", json!({"path": "Trip.md", "content": "Lisbon"}));
    let set = ("vault__set_properties", json!({"path": "Trip.md", "properties": {"year": 2027}}));
    let mut window = asked_for([create, set]).await;
    for _ in 0..2 {
        let asked = window.asked().await;
        window.decide(&asked, Decision::Once).await;
    }
    let (nova, ends) = window.ends().await;
    assert!(ends.iter().all(|ok| *ok), "{ends:?}");
    let note = nova.vault.read("Trip.md");
    assert!(note.contains("year: 2027") && note.contains("Lisbon"), "{note}");
    nova.model.finish();
}

#[tokio::test]
async fn stopped_call_does_not_delay_the_others() {
    let mut window = asked_for([contact("Odile Farrow"), contact("Per Holm")]).await;
    let [first, second] = window.all_asked().await;
    window.decide(&second, Decision::Once).await;
    let stop = nova_protocol::CallRef { session: window.session.clone(), call: first.call };
    window.app.stop_call(stop).await.unwrap();
    let (nova, mut ends) = window.ends().await;
    ends.sort_unstable();
    assert_eq!(ends, [false, true]);
    assert!(nova.vault.exists("CRM/People/Per Holm.md") && !nova.vault.exists("CRM/People/Odile Farrow.md"));
    nova.model.finish();
}
