//! A chat continued by the same model, which gets its own reasoning back, and by models of other dialects,
//! which do not.

use nova_app::{NoApprover, TurnEnd};
use nova_protocol::{Commands as _, SetModel};
use nova_testkit::{Answer, call, reasoning, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, turn};

/// A provider for each dialect, named after it.
fn providers(nova: &Nova) -> Value {
    let provider = |kind: &&str| json!({"id": kind, "kind": kind, "base_url": nova.model.base_url(), "deferred_tools": true});
    ["openai", "openai_responses", "anthropic", "gemini", "ollama"].iter().map(provider).collect()
}

fn nova(model: &str, answers: impl IntoIterator<Item = Answer>) -> Nova {
    let nova = Nova::new(PEOPLE, answers);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": providers(&nova),
        "model": model,
    }));
    nova
}

fn looks_up() -> Answer {
    reasoning("Who is she? ").and(call("crm__get_contact", json!({"name": "Jane Doe"})))
}

#[tokio::test]
async fn chat_continues_with_models_of_every_dialect() {
    // Each calls a tool and sees all earlier calls; the scripted server checks each request.
    let kinds = ["gemini", "openai_responses", "anthropic", "ollama", "openai", "gemini", "openai_responses"];
    let answers = kinds.iter().flat_map(|kind| [looks_up(), text(&format!("A lead, says {kind}."))]);
    let nova = nova("gemini/scripted", answers);
    let app = nova.start().await;
    let mut session: Option<String> = None;
    for kind in kinds {
        if let Some(session) = &session {
            let model = format!("{kind}/scripted");
            app.set_model(SetModel { session: Some(session.clone()), model }).await.unwrap();
        }
        let (end, _) = turn(&app, session.as_deref(), "Who is Jane?", NoApprover).await;
        assert_eq!(end.end, TurnEnd::Completed { text: format!("A lead, says {kind}.") });
        session = Some(end.session);
    }
    let outputs = nova.model.last_texts("tool");
    let told = outputs.iter().filter(|output| output.contains("Quillon Labs")).count();
    assert_eq!(told, kinds.len(), "{outputs:?}");
    nova.model.finish();
}

/// The reasoning parts of the last request.
fn thoughts(nova: &Nova) -> Vec<Value> {
    let body = nova.model.bodies().pop().unwrap();
    let items = body["input"].as_array().into_iter().flatten();
    let reasoned =
        items.filter(|item| item["type"] == "reasoning").map(|item| item["encrypted_content"].clone());
    let contents = body["contents"].as_array().into_iter().flatten();
    let parts = contents.filter_map(|content| content["parts"].as_array()).flatten();
    let signed = parts.filter_map(|part| part.get("thoughtSignature").cloned());
    reasoned.chain(signed).collect()
}

#[tokio::test]
async fn another_process_returns_reasoning_to_its_model() {
    for (kind, thought) in [("openai_responses", "c2VhbGVk"), ("gemini", "c2lnbmVk")] {
        let answers = [looks_up(), text("A lead."), text("Still."), text("Yes."), text("Once more.")];
        let model = format!("{kind}/scripted");
        let nova = nova(&model, answers);
        let app = nova.start().await;
        let (end, _) = turn(&app, None, "Who is Jane?", NoApprover).await;
        assert_eq!(thoughts(&nova), [thought], "{kind}: the next step has it");
        turn(&app, Some(&end.session), "Sure?", NoApprover).await;
        assert_eq!(thoughts(&nova), [thought], "{kind}: and the next turn");

        drop(app);
        let app = nova.start().await;
        turn(&app, Some(&end.session), "Really?", NoApprover).await;
        assert_eq!(thoughts(&nova), [thought], "{kind}: and another process");

        // The same model under another provider id cannot read it.
        let mut settings = nova.read_settings();
        let mut other =
            settings["providers"].as_array().unwrap().iter().find(|one| one["id"] == kind).unwrap().clone();
        other["id"] = json!("other");
        settings["providers"].as_array_mut().unwrap().push(other);
        nova.settings(&settings);
        drop(app);
        let app = nova.start().await;
        let model = SetModel { session: Some(end.session.clone()), model: "other/scripted".into() };
        app.set_model(model).await.unwrap();
        turn(&app, Some(&end.session), "And you?", NoApprover).await;
        assert!(!thoughts(&nova).contains(&json!(thought)), "{kind}: {:?}", thoughts(&nova));
        nova.model.finish();
    }
}

#[tokio::test]
async fn openai_is_asked_to_store_nothing_of_a_chat() {
    let nova = nova("openai_responses/scripted", [looks_up(), text("A lead.")]);
    let app = nova.start().await;
    turn(&app, None, "Who is Jane?", NoApprover).await;
    let bodies = nova.model.bodies();
    assert_eq!(bodies.len(), 2);
    for body in bodies {
        assert_eq!((&body["store"], body.get("previous_response_id")), (&json!(false), None), "{body}");
    }
    nova.model.finish();
}
