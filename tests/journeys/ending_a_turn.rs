//! Turns that end early, and which of their calls run concurrently.

use std::fs;

use nova_app::{NoApprover, TurnEnd};
use nova_protocol::{Commands as _, Decision, ErrorCode, Event, ProviderRef};
use nova_testkit::{ModelServer, PATIENCE, ScriptedApprover, call, calls, reasoning, text};
use serde_json::json;

use super::nova::{Nova, PEOPLE, turn, wait_for};

#[track_caller]
fn failed(end: TurnEnd) -> ErrorCode {
    match end {
        TurnEnd::Failed(error) => error.code,
        other => panic!("the turn ended with {other:?}"),
    }
}

#[tokio::test]
async fn filtered_or_empty_answer_is_reported() {
    for kind in ["openai", "openai_responses", "anthropic", "gemini"] {
        let nova = Nova::new(
            PEOPLE,
            [
                text("Half of").finishing("content_filter"),
                text(""),
                reasoning("What is there to say?"),
                text("Here I am."),
            ],
        );
        nova.settings(&json!({
            "vault": nova.vault.root(),
            "providers": [{"id": "near", "kind": kind, "base_url": nova.model.base_url()}],
            "model": "near/scripted",
        }));
        let app = nova.start().await;
        let (end, _) = turn(&app, None, "Go on", NoApprover).await;
        assert_eq!(failed(end.end), ErrorCode::ProviderFiltered, "{kind}");
        for _ in ["nothing", "only thoughts"] {
            let (end, _) = turn(&app, Some(&end.session), "Go on", NoApprover).await;
            assert_eq!(failed(end.end), ErrorCode::ProviderEmpty, "{kind}");
        }
        // Sent text stays, and nothing replaces the missing part.
        let (end, _) = turn(&app, Some(&end.session), "Go on", NoApprover).await;
        assert_eq!(end.end, TurnEnd::Completed { text: "Here I am.".into() }, "{kind}");
        let request = nova.model.requests().pop().unwrap();
        let by_model = request["messages"].as_array().unwrap().iter();
        assert_eq!(by_model.filter(|message| message["role"] == "assistant").count(), 1, "{kind}: {request}");
        nova.model.finish();
    }
}

#[tokio::test]
async fn unsent_message_is_not_sent_with_a_later_one() {
    let nova = Nova::new(PEOPLE, [text("Good evening."), text("A lead.")]);
    nova.model.passes_on("big-cloud");
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "near", "kind": "ollama", "base_url": nova.model.address()}],
        "model": "near/big-cloud",
    }));
    let app = nova.start().await;
    let (refused, _) = turn(&app, None, "My salary is 4711. Too much?", NoApprover).await;
    assert_eq!(failed(refused.end), ErrorCode::ProviderNotAgreed);

    let agreed = ProviderRef { provider: "near".into(), host: Some("elsewhere.example".into()) };
    app.agree_provider(agreed).await.unwrap();
    turn(&app, Some(&refused.session), "Good evening", NoApprover).await;
    let sent = nova.model.requests().pop().unwrap().to_string();
    assert!(sent.contains("Good evening") && !sent.contains("4711"), "{sent}");

    // The repeated message is sent once.
    turn(&app, Some(&refused.session), "Who is Jane?", NoApprover).await;
    let sent = nova.model.requests().pop().unwrap().to_string();
    assert_eq!((sent.matches("Who is Jane?").count(), sent.matches("4711").count()), (1, 0), "{sent}");
    nova.model.finish();
}

#[tokio::test]
async fn model_that_never_finishes_is_stopped_after_thirty_requests() {
    let mut nova = Nova::new(PEOPLE, []);
    let mut asked = 0;
    nova.model = ModelServer::replying(move |_| {
        asked += 1;
        call("vault__search", json!({"query": format!("word {asked}")}))
    });
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "test", "kind": "openai", "base_url": nova.model.base_url()}],
        "model": "test/scripted",
    }));
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Look everywhere", NoApprover).await;
    assert_eq!(failed(end.end), ErrorCode::StepLimit);
    assert_eq!(nova.model.requests().len(), 30);
}

#[tokio::test]
async fn parallel_reads_run_concurrently() {
    let names = ["quote", "rate", "yield"];
    let asked = names.map(|name| (format!("market__{name}"), json!({})));
    let asked = calls(asked.iter().map(|(name, args)| (name.as_str(), args.clone())));
    let mut nova = Nova::new(PEOPLE, [asked, text("Done.")]);
    nova.settle = PATIENCE;
    let folder = nova.config().join("skills").join("market");
    fs::create_dir_all(folder.join("tools")).unwrap();
    let skill = "---\nname: market\ndescription: Knows prices.\n---\n\nAsk it.\n";
    fs::write(folder.join("SKILL.md"), skill).unwrap();
    for name in names {
        let tool =
            format!("name: {name}\ndescription: Gives one.\neffect: read\nsays: so far\ngives: 91.20\n");
        fs::write(folder.join("tools").join(format!("{name}.ts")), tool).unwrap();
    }
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;

    let person = ScriptedApprover::always(Decision::Once);
    let mut events = app.events();
    let all_run = async {
        // None of them ends before all have begun.
        for _ in 0..3 {
            wait_for(&mut events, |event| matches!(event, Event::ToolCallProgress { .. })).await;
        }
        names.iter().for_each(|name| nova.tools.end_calls(name));
    };
    let ((end, _), ()) = tokio::join!(turn(&app, None, "Three prices", person), all_run);
    assert_eq!(end.end, TurnEnd::Completed { text: "Done.".into() });
    nova.model.finish();
}

#[tokio::test]
async fn parallel_writes_run_in_order() {
    let stage = |stage: &str| ("crm__update_contact", json!({"name": "Jane Doe", "stage": stage}));
    let nova =
        Nova::new(PEOPLE, [calls([stage("customer"), stage("lost"), stage("qualified")]), text("Done.")]);
    let app = nova.start().await;
    let person = ScriptedApprover::always(Decision::Once);
    let (end, _) = turn(&app, None, "Move Jane along", person).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Done.".into() });
    let note = nova.vault.read("CRM/People/Jane Doe.md");
    assert!(note.contains("stage: qualified"), "{note}");
    nova.model.finish();
}
