use nova_app::{NoApprover, TurnEnd};
use nova_protocol::{Commands as _, ErrorCode, Event, Nothing, PassedOn, ProviderRef, SetModel};
use nova_testkit::{Answer, call, error, reasoning, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, drain, local_server, turn};

#[track_caller]
fn failed(end: TurnEnd) -> nova_protocol::UserError {
    match end {
        TurnEnd::Failed(error) => error,
        other => panic!("the turn ended with {other:?}"),
    }
}

#[tokio::test]
async fn remote_provider_is_sent_nothing_before_approval() {
    let nova = Nova::new(PEOPLE, []);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        // A name that never resolves (RFC 6761): contacting it would fail differently.
        "providers": [{"id": "far", "kind": "openai", "base_url": "https://models.invalid/v1"}],
        "model": "far/any",
    }));
    let app = nova.start().await;

    let (end, _) = turn(&app, None, "Jane?", NoApprover).await;
    let error = failed(end.end);
    assert_eq!(error.code, ErrorCode::ProviderNotAgreed);
    assert!(
        error.message.contains("models.invalid") && error.hint.contains("nova provider allow far"),
        "{error}"
    );

    app.agree_to_provider("far").await.unwrap();
    let (end, _) = turn(&app, Some(&end.session), "Jane?", NoApprover).await;
    assert_eq!(failed(end.end).code, ErrorCode::ProviderUnreachable, "now it was contacted");

    app.revoke_provider_agreement("far", None).unwrap();
    let (end, _) = turn(&app, Some(&end.session), "Jane?", NoApprover).await;
    assert_eq!(failed(end.end).code, ErrorCode::ProviderNotAgreed);
}

#[tokio::test]
async fn approval_is_for_one_host() {
    let nova = Nova::new(PEOPLE, []);
    let settings = |host: &str| {
        json!({
            "vault": nova.vault.root(),
            "providers": [{"id": "far", "kind": "openai", "base_url": format!("https://{host}/v1")}],
            "model": "far/any",
        })
    };
    nova.settings(&settings("one.invalid"));
    let app = nova.start().await;
    app.agree_to_provider("far").await.unwrap();
    drop(app);

    nova.settings(&settings("two.invalid"));
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Jane?", NoApprover).await;
    assert_eq!(failed(end.end).code, ErrorCode::ProviderNotAgreed);
}

/// An Ollama on this machine that runs one model locally and one remotely.
fn with_a_cloud_model(answers: impl IntoIterator<Item = Answer>) -> Nova {
    let nova = Nova::new(PEOPLE, answers);
    nova.model.passes_on("big-cloud");
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "near", "kind": "ollama", "base_url": nova.model.address()}],
    }));
    nova
}

#[tokio::test]
async fn passed_on_model_is_marked_and_chosen_last() {
    let nova = with_a_cloud_model([text("Hello from here.")]);
    let app = nova.start().await;

    let row = app.list_provider_rows().await.remove(0);
    let passed_on =
        |agreed| vec![PassedOn { model: "big-cloud".into(), host: "elsewhere.example".into(), agreed }];
    assert_eq!((row.local, row.models), (true, vec!["big-cloud".to_owned(), "scripted".to_owned()]));
    assert_eq!(row.passed_on, passed_on(false));

    // It is listed first, but the chat begins with the other one.
    let (end, events) = turn(&app, None, "Hello", NoApprover).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Hello from here.".into() });
    assert_eq!(sent_to(&events), [(Some(None), vec![])]);

    app.agree_to_provider("near").await.unwrap();
    assert_eq!(app.list_provider_rows().await[0].passed_on, passed_on(true));
    let listed = String::from_utf8(nova.run(&["provider", "list"]).stdout).unwrap();
    assert!(listed.contains("big-cloud (at elsewhere.example, agreed), scripted"), "{listed}");
    nova.model.finish();
}

#[tokio::test]
async fn first_start_says_which_models_of_a_local_server_run_remotely() {
    let mut nova = Nova::new(PEOPLE, []);
    nova.model.passes_on("big-cloud");
    nova.settings(&json!({"vault": nova.vault.root()}));
    nova.local_servers = vec![local_server("ollama", "ollama", &nova.model.address())];
    let app = nova.start().await;
    let found = app.first_run_options(Nothing {}).await.unwrap().local_models.remove(0);
    assert_eq!(found.models, ["big-cloud", "scripted"]);
    assert_eq!(found.passed_on.len(), 1);
    assert_eq!((found.passed_on[0].model.as_str(), found.passed_on[0].agreed), ("big-cloud", false));
}

#[tokio::test]
async fn approval_covers_one_host_only() {
    let nova = with_a_cloud_model([text("From afar.")]);
    let mut settings = nova.read_settings();
    settings["model"] = json!("near/big-cloud");
    nova.settings(&settings);
    let app = nova.start().await;
    let at = |host: &str| ProviderRef { provider: "near".into(), host: Some(host.into()) };

    let (end, _) = turn(&app, None, "Jane?", NoApprover).await;
    let error = failed(end.end);
    assert_eq!(error.code, ErrorCode::ProviderNotAgreed);
    assert!(error.message.starts_with("elsewhere.example is not on this machine"), "{error}");
    assert_eq!(error.host.as_deref(), Some("elsewhere.example"));

    // A host that nothing is passed on to cannot be approved.
    let refused = app.agree_provider(at("another.example")).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::BadRequest);
    assert!(refused.message.contains("near does not pass models on to another.example"), "{refused}");
    app.agree_provider(at("elsewhere.example")).await.unwrap();
    let (_, events) = turn(&app, None, "Jane?", NoApprover).await;
    assert_eq!(sent_to(&events), [(Some(Some("elsewhere.example".into())), vec![])]);

    // The server now passes the same model on to another host.
    nova.model.passes_on_to("big-cloud", "http://10.0.0.7:8080");
    let (end, _) = turn(&app, None, "Jane?", NoApprover).await;
    let error = failed(end.end);
    assert_eq!(error.code, ErrorCode::ProviderNotAgreed);
    assert!(error.message.starts_with("10.0.0.7:8080 is not"), "{error}");

    nova.model.passes_on("big-cloud");
    app.revoke_provider(at("elsewhere.example")).await.unwrap();
    let (end, _) = turn(&app, None, "Jane?", NoApprover).await;
    assert_eq!(failed(end.end).code, ErrorCode::ProviderNotAgreed);
    nova.model.finish();
}

#[tokio::test]
async fn models_passed_on_by_ollama_are_detected_under_any_kind() {
    for kind in ["openai", "openai_responses", "anthropic", "gemini"] {
        let secret = call("vault__read_note", json!({"path": "Secret"}));
        let nova = Nova::new(PEOPLE, [secret, text("From afar."), text("From here.")]);
        nova.vault.write("Secret.md", "---\nnova: private\n---\nthe-canary-sings\n");
        nova.model.passes_on("big-cloud");
        let settings = |model: &str| {
            json!({
                "vault": nova.vault.root(),
                "providers": [{"id": "near", "kind": kind, "base_url": nova.model.base_url()}],
                "model": model,
            })
        };
        // The case differs from the server's name, which ignores case.
        nova.settings(&settings("near/BIG-cloud"));
        let app = nova.start().await;
        let row = app.list_provider_rows().await.remove(0);
        assert_eq!((row.local, row.passed_on.len()), (true, 1), "{kind}: {row:?}");

        let mut events = app.events();
        let (end, _) = turn(&app, None, "Read it", NoApprover).await;
        let error = failed(end.end);
        assert_eq!(error.code, ErrorCode::ProviderNotAgreed, "{kind}");
        let told = drain(&mut events).into_iter().find_map(|event| match event {
            Event::TurnFailed { host, .. } => host,
            _ => None,
        });
        assert_eq!(told.as_deref(), Some("elsewhere.example"), "{kind}");
        assert!(nova.model.requests().is_empty(), "{kind}: nothing was sent");

        let at = ProviderRef { provider: "near".into(), host: Some("elsewhere.example".into()) };
        app.agree_provider(at).await.unwrap();
        let (end, events) = turn(&app, Some(&end.session), "Read it", NoApprover).await;
        assert_eq!(end.end, TurnEnd::Completed { text: "From afar.".into() }, "{kind}");
        let elsewhere = Some(Some("elsewhere.example".to_owned()));
        assert_eq!(sent_to(&events), [(elsewhere.clone(), vec![]), (elsewhere, vec![])], "{kind}");
        let sent: String = nova.model.requests().iter().map(ToString::to_string).collect();
        assert!(sent.contains("private") && !sent.contains("canary"), "{kind}: {sent}");

        // Its other model runs locally.
        let here = SetModel { session: Some(end.session.clone()), model: "near/scripted".into() };
        app.set_model(here).await.unwrap();
        let (_, events) = turn(&app, Some(&end.session), "Thanks", NoApprover).await;
        assert_eq!(sent_to(&events), [(Some(None), vec![])], "{kind}");
        nova.model.finish();
    }
}

#[tokio::test]
async fn model_names_ignore_case() {
    let nova = with_a_cloud_model([text("Hello from here.")]);
    let mut settings = nova.read_settings();
    settings["providers"][0]["models"] = json!(["BIG-Cloud"]);
    nova.settings(&settings);
    let app = nova.start().await;
    let row = app.list_provider_rows().await.remove(0);
    assert_eq!(row.models, ["BIG-Cloud", "scripted"], "one model is one entry");
    assert_eq!(row.passed_on[0].model, "BIG-Cloud");
    let listed = String::from_utf8(nova.run(&["provider", "list"]).stdout).unwrap();
    assert!(listed.contains("BIG-Cloud (at elsewhere.example, not agreed), scripted"), "{listed}");

    // The chat begins with the local one.
    let (_, events) = turn(&app, None, "Hello", NoApprover).await;
    assert_eq!(sent_to(&events), [(Some(None), vec![])]);
    nova.model.finish();
}

#[tokio::test]
async fn chat_without_a_model_does_not_wait_for_remote_providers() {
    // Accepts connections and never responds. Its address is not one of this machine's own names, so it
    // counts as remote.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let far = format!("http://0.0.0.0:{}/v1", silent.local_addr().unwrap().port());
    let nova = Nova::new(PEOPLE, [text("Hello from here.")]);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [
            {"id": "far", "kind": "openai", "base_url": far},
            {"id": "near", "kind": "ollama", "base_url": nova.model.address()},
        ],
    }));
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Hello", NoApprover).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Hello from here.".into() });
    let asked = tokio::time::timeout(std::time::Duration::ZERO, silent.accept()).await;
    assert!(asked.is_err(), "the remote provider was asked for its models");
    nova.model.finish();
}

#[tokio::test]
async fn known_notes_are_counted_and_named_on_reread() {
    let jane = "CRM/People/Jane Doe.md".to_owned();
    let read = || call("crm__get_contact", json!({"name": "Jane Doe"}));
    let nova = with_a_cloud_model([
        read(),
        text("A lead."),
        text("You are welcome."),
        text("Still here."),
        read(),
        text("Still a lead."),
    ]);
    let mut settings = nova.read_settings();
    settings["model"] = json!("near/big-cloud");
    nova.settings(&settings);
    let app = nova.start().await;
    app.agree_to_provider("near").await.unwrap();
    let named = |events: &[Event]| -> Vec<(Vec<String>, u32)> {
        let steps = events.iter().filter_map(|event| match event {
            Event::StepStarted { notes, notes_before, .. } => Some((notes.clone(), *notes_before)),
            _ => None,
        });
        steps.collect()
    };
    let (end, events) = turn(&app, None, "Who is Jane?", NoApprover).await;
    assert_eq!(named(&events), [(vec![], 0), (vec![jane.clone()], 0)]);
    let (_, events) = turn(&app, Some(&end.session), "Thanks", NoApprover).await;
    assert_eq!(named(&events), [(vec![], 1)]);
    // After a restart, what was named is read from the log.
    drop(app);
    let app = nova.start().await;
    let (_, events) = turn(&app, Some(&end.session), "Are you there?", NoApprover).await;
    assert_eq!(named(&events), [(vec![], 1)]);
    let (_, events) = turn(&app, Some(&end.session), "And now?", NoApprover).await;
    assert_eq!(named(&events), [(vec![], 1), (vec![jane], 0)]);
    nova.model.finish();
}

#[tokio::test]
async fn tool_without_result_sends_no_scanned_note() {
    let nova = with_a_cloud_model([
        call("crm__list_contacts", json!({"query": "nobody-has-this"})),
        call("crm__get_contact", json!({"name": "Nobody Atall"})),
        call("crm__add_contact", json!({"name": "Jane Doe"})),
        text("She is there already."),
    ]);
    let mut settings = nova.read_settings();
    settings["model"] = json!("near/big-cloud");
    nova.settings(&settings);
    let app = nova.start().await;
    app.agree_to_provider("near").await.unwrap();
    let (_, events) = turn(&app, None, "Who is that?", NoApprover).await;
    let named: Vec<Vec<String>> = sent_to(&events).into_iter().map(|(_, notes)| notes).collect();
    // The refusal names only the one existing note.
    let told = nova.model.last_texts("tool").pop().unwrap();
    assert!(told.contains("CRM/People/Jane Doe.md"), "{told}");
    let none = Vec::<String>::new();
    assert_eq!(named, [none.clone(), none.clone(), none, vec!["CRM/People/Jane Doe.md".to_owned()]]);
    nova.model.finish();
}

#[tokio::test]
async fn notes_read_locally_are_listed_when_they_leave_later() {
    let nova = with_a_cloud_model([
        call("crm__get_contact", json!({"name": "Jane Doe"})),
        text("A lead."),
        text("You are welcome."),
    ]);
    let app = nova.start().await;
    let jane = vec!["CRM/People/Jane Doe.md".to_owned()];
    let (end, events) = turn(&app, None, "Who is Jane?", NoApprover).await;
    assert_eq!(sent_to(&events), [(Some(None), vec![]), (Some(None), jane.clone())]);

    app.agree_to_provider("near").await.unwrap();
    let elsewhere = SetModel { session: Some(end.session.clone()), model: "near/big-cloud".into() };
    app.set_model(elsewhere).await.unwrap();
    let (end, events) = turn(&app, Some(&end.session), "Thanks", NoApprover).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "You are welcome.".into() });
    assert_eq!(sent_to(&events), [(Some(Some("elsewhere.example".into())), jane)]);
    nova.model.finish();
}

/// The host of each request, and the notes sent with it.
fn sent_to(events: &[Event]) -> Vec<(Option<Option<String>>, Vec<String>)> {
    let sent = events.iter().filter_map(|event| match event {
        Event::StepStarted { host, notes, .. } => Some((host.clone(), notes.clone())),
        _ => None,
    });
    sent.collect()
}

#[tokio::test]
async fn interrupted_stream_runs_no_call_and_the_session_continues() {
    let nova = Nova::new(
        PEOPLE,
        [call("crm__add_contact", json!({"name": "Odile Farrow"})).then_cut(), text("Here I am.")],
    );
    let app = nova.start().await;

    let (end, _) = turn(&app, None, "Add Odile", NoApprover).await;
    assert_eq!(failed(end.end).code, ErrorCode::ProviderTruncated);
    assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"));

    let (end, _) = turn(&app, Some(&end.session), "Again", NoApprover).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Here I am.".into() });
    nova.model.finish();
}

#[tokio::test]
async fn refusal_of_a_provider_gives_its_reason() {
    let nova = Nova::new(PEOPLE, [error(401, json!({"error": {"message": "bad key"}}))]);
    let app = nova.start().await;

    let (end, _) = turn(&app, None, "Hello", NoApprover).await;

    let error = failed(end.end);
    assert_eq!(error.code, ErrorCode::ProviderRefusedKey);
    assert!(error.hint.contains("NOVA_TEST_KEY"), "{error}");
    nova.model.finish();
}

#[tokio::test]
async fn error_in_mid_stream_ends_the_turn_and_keeps_its_text() {
    let nova = Nova::new(PEOPLE, [text("So far").error_mid_stream("overloaded"), text("Better.")]);
    let app = nova.start().await;

    let (end, _) = turn(&app, None, "Hello", NoApprover).await;
    let error = failed(end.end);
    assert_eq!(error.code, ErrorCode::ProviderFailed);
    assert!(error.message.contains("overloaded"), "{error}");

    turn(&app, Some(&end.session), "Go on", NoApprover).await;
    assert_eq!(nova.model.last_texts("assistant"), ["So far"]);
    nova.model.finish();
}

#[tokio::test]
async fn local_model_server_is_found_without_configuration() {
    let mut nova = Nova::new(PEOPLE, [text("Hello from here.")]);
    nova.settings(&json!({"vault": nova.vault.root()}));
    nova.local_servers = vec![local_server("ollama", "ollama", &nova.model.address())];
    let app = nova.start().await;

    let options = app.first_run_options(Nothing {}).await.unwrap();
    assert_eq!(options.local_models[0].models, ["scripted"]);
    let rows = app.list_provider_rows().await;
    assert_eq!((rows.len(), rows[0].local, rows[0].agreed), (1, true, true));
    let (end, _) = turn(&app, None, "Hello", NoApprover).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Hello from here.".into() });
    nova.model.finish();
}

#[tokio::test]
async fn model_missing_from_ollama_is_reported_with_how_to_get_it() {
    let nova = Nova::new(PEOPLE, []);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "near", "kind": "ollama", "base_url": nova.model.base_url()}],
        "model": "near/qwen9",
    }));
    let output = nova.run(&["chat", "-p", "Hello", "--json"]);
    let said = String::from_utf8(output.stdout).unwrap();
    // The turn has begun, so it is visible while a slow server lists its models.
    assert!(said.contains("turn_started"), "{said}");
    let told: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!((output.status.code(), &told["error"]["code"]), (Some(1), &json!("unknown_model")));
    assert_eq!(told["error"]["message"], "near has no model `qwen9`");
    assert!(told["error"]["hint"].as_str().unwrap().contains("ollama pull qwen9"), "{told}");
    assert!(nova.model.requests().is_empty());
}

#[tokio::test]
async fn calls_tool_and_returns_output_in_every_dialect() {
    for kind in ["openai", "openai_responses", "anthropic", "gemini", "ollama"] {
        let answers = [
            reasoning("Who is she? ").and(call("crm__get_contact", json!({"name": "Jane Doe"}))),
            text("A lead at Quillon Labs.").using(120, 100, 7),
            text("You are welcome."),
        ];
        let nova = Nova::new(PEOPLE, answers);
        nova.settings(&json!({
            "vault": nova.vault.root(),
            "providers": [{"id": "near", "kind": kind, "base_url": nova.model.base_url()}],
            "model": "near/scripted",
        }));
        let app = nova.start().await;

        let (end, events) = turn(&app, None, "Who is Jane?", NoApprover).await;
        assert_eq!(end.end, TurnEnd::Completed { text: "A lead at Quillon Labs.".into() }, "{kind}");
        let told = nova.model.last_texts("tool");
        assert!(told.len() == 1 && told[0].contains("Quillon Labs"), "{kind}: {told:?}");
        let mut used = events.iter().filter_map(|event| match event {
            Event::Usage { input, output, .. } => Some((*input, *output)),
            _ => None,
        });
        assert_eq!(used.next_back(), Some((120, 7)), "{kind}");

        let (end, _) = turn(&app, Some(&end.session), "Thanks", NoApprover).await;
        assert_eq!(end.end, TurnEnd::Completed { text: "You are welcome.".into() }, "{kind}");
        nova.model.finish();
    }
}

#[tokio::test]
async fn cut_answer_is_an_error_in_every_dialect() {
    for kind in ["openai", "openai_responses", "anthropic", "gemini", "ollama"] {
        let add = call("crm__add_contact", json!({"name": "Odile Farrow"}));
        let nova = Nova::new(PEOPLE, [text("I add her. ").and(add).then_cut()]);
        nova.settings(&json!({
            "vault": nova.vault.root(),
            "providers": [{"id": "near", "kind": kind, "base_url": nova.model.base_url()}],
            "model": "near/scripted",
        }));
        let app = nova.start().await;
        let (end, _) = turn(&app, None, "Add Odile", NoApprover).await;
        assert_eq!(failed(end.end).code, ErrorCode::ProviderTruncated, "{kind}");
        assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"), "{kind}");
        nova.model.finish();
    }
}

#[tokio::test]
async fn without_any_model_the_reason_and_remedies_are_named() {
    let nova = Nova::new(PEOPLE, []);
    nova.settings(&json!({"vault": nova.vault.root()}));

    let output = nova.run(&["chat", "-p", "Hello"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("127.0.0.1:9") && said.contains("Ollama") && said.contains("Run a tool"), "{said}");
    assert_eq!(nova.json(&["session", "list"]).1, json!([]), "no empty session is left behind");
}

#[tokio::test]
async fn private_note_never_reaches_a_remote_model() {
    let canary = "the-canary-sings";
    let nova = Nova::new(PEOPLE, []);
    nova.vault.write(
        "CRM/People/Secret Sam.md",
        &format!("---\ntype: contact\nname: Secret Sam\nnova: private\nphone: {canary}\n---\n"),
    );
    let privacy = nova_testkit::Privacy { remote: true, private: vec!["Friends".into()] };
    let mut crm = nova_testkit::SkillInVault::new(nova_skill_crm::skill(), nova.vault);
    crm.privacy = privacy;
    tokio::task::spawn_blocking(move || {
        let listed = crm.value("list_contacts", json!({})).to_string();
        assert!(
            listed.contains("Jane Doe") && !listed.contains("Sam") && !listed.contains("Tomasz"),
            "{listed}"
        );
        for name in ["Secret Sam", "CRM/People/Secret Sam.md", "Tomasz Wirek", "Friends/Tomasz Wirek.md"] {
            let error = crm.error("get_contact", json!({"name": name}));
            assert!(!format!("{error:?}").contains(canary), "{error:?}");
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn chat_with_private_notes_refuses_remote_model() {
    let nova = Nova::new(PEOPLE, [call("crm__get_contact", json!({"name": "Secret Sam"})), text("Read.")]);
    nova.vault
        .write("CRM/People/Secret Sam.md", "---\ntype: contact\nname: Secret Sam\nnova: private\n---\n");
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [
            {"id": "test", "kind": "openai", "base_url": nova.model.base_url()},
            {"id": "far", "kind": "openai", "base_url": "https://models.invalid/v1"},
        ],
        "model": "test/scripted",
    }));
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Read Sam", NoApprover).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Read.".into() });

    app.agree_to_provider("far").await.unwrap();
    let to_far = SetModel { session: Some(end.session.clone()), model: "far/any".into() };
    app.set_model(to_far).await.unwrap();
    let (end, _) = turn(&app, Some(&end.session), "And now?", NoApprover).await;
    assert_eq!(failed(end.end).code, ErrorCode::Private);
    nova.model.finish();
}
