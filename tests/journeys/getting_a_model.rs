//! Setting up a model: one found on this machine, or a provider with a pasted key.

use std::fs;
use std::sync::Arc;

use nova_app::{NoApprover, StoreOptions};
use nova_protocol::{
    Commands as _, ErrorCode, Event, HealthState, ListProviders, NewProvider, Nothing, OpenVault,
    ProviderKeyState, SecretText, SetContext, SetFavourite, UnlockCredentials, VaultChoice,
};
use nova_testkit::{Answer, ModelServer, Reply, WebServer, error, text};
use serde_json::json;

use super::keeping_credentials::{CANARY, PASSPHRASE, assert_clean, assert_clean_folder};
use super::nova::{Nova, PEOPLE, local_server, turn};

/// A Nova that has not been set up.
fn fresh(passphrase: Option<&'static str>) -> Nova {
    let mut nova = Nova::new("//- Jane.md\nHello.\n", []);
    fs::remove_dir_all(nova.config()).unwrap();
    nova.store =
        Some(StoreOptions { keychain: false, passphrase: Arc::new(move || Ok(passphrase.map(Into::into))) });
    nova
}

fn pasted(kind: &str, server: &ModelServer, key: &str) -> NewProvider {
    NewProvider {
        id: "mine".into(),
        kind: kind.into(),
        base_url: Some(server.base_url()),
        key: Some(SecretText::new(key)),
    }
}

fn open(nova: &Nova, provider: Option<NewProvider>) -> OpenVault {
    OpenVault {
        choice: VaultChoice::Folder { path: nova.vault.root().display().to_string() },
        model: provider.as_ref().map(|new| format!("{}/scripted", new.id)),
        provider,
    }
}

/// Asserts that the first start has written nothing.
#[track_caller]
fn assert_nothing_kept(nova: &Nova) {
    assert!(!nova.config().join("nova.config.json").exists(), "there is a configuration");
    assert!(!nova.data().join("credentials.age").exists(), "there are credentials");
}

#[tokio::test]
async fn every_local_model_server_is_found_with_its_models() {
    let (ollama, studio) = (ModelServer::start([]), ModelServer::start([text("Hello from here.")]));
    let mut nova = fresh(None);
    nova.local_servers = vec![
        local_server("ollama", "ollama", &ollama.address()),
        local_server("lm-studio", "openai", &studio.base_url()),
        local_server("llama-cpp", "openai", "http://127.0.0.1:9/v1"),
    ];
    let app = nova.start().await;

    let offered = app.first_run_options(Nothing {}).await.unwrap();

    let found: Vec<_> = offered.local_models.iter().map(|found| found.provider.as_str()).collect();
    assert_eq!(found, ["ollama", "lm-studio"]);
    assert_eq!(offered.local_models[1].models, ["scripted"]);
    assert_eq!(offered.looked_at.len(), 3);
    assert_nothing_kept(&nova);

    let choice = OpenVault { model: Some("lm-studio/scripted".into()), ..open(&nova, None) };
    app.open_vault(choice).await.unwrap();
    let (end, _) = turn(&app, None, "Hello", NoApprover).await;
    assert_eq!(end.end, nova_app::TurnEnd::Completed { text: "Hello from here.".into() });
}

#[tokio::test]
async fn pasted_key_is_tested_stored_as_a_credential_and_used() {
    for kind in ["openai", "openai_responses", "anthropic", "gemini"] {
        let server = ModelServer::start([text("ok"), text("ok"), text("Hello.")]);
        let nova = fresh(Some(PASSPHRASE));
        let app = nova.start().await;

        let checked = app.check_provider(pasted(kind, &server, CANARY)).await.unwrap();
        assert_eq!((checked.local, checked.models), (true, vec!["scripted".to_owned()]), "{kind}");
        let asked = server.requests();
        assert_eq!(asked[0]["messages"], json!([{"role": "user", "content": "Say ok."}]), "{kind}");
        assert_nothing_kept(&nova);

        app.open_vault(open(&nova, Some(pasted(kind, &server, CANARY)))).await.unwrap();

        let (end, _) = turn(&app, None, "Hello", NoApprover).await;
        assert_eq!(end.end, nova_app::TurnEnd::Completed { text: "Hello.".into() }, "{kind}");
        assert!(server.authorizations().last().unwrap().as_ref().unwrap().ends_with(CANARY), "{kind}");
        assert_eq!(
            nova.read_settings()["providers"],
            json!([{"id": "mine", "kind": kind, "base_url": server.base_url(), "api_key": "${credentials:mine/key}"}]),
        );
        assert_clean_folder(nova.home());
        server.finish();
    }
}

#[tokio::test]
async fn refused_key_stores_nothing_and_says_what_to_do() {
    let refusal = json!({"error": {"message": format!("Incorrect API key provided: {CANARY}")}});
    let server = ModelServer::start([error(401, refusal.clone()), error(401, refusal)]);
    let nova = fresh(Some(PASSPHRASE));
    let app = nova.start().await;

    for problem in [
        app.check_provider(pasted("openai", &server, CANARY)).await.unwrap_err(),
        app.open_vault(open(&nova, Some(pasted("openai", &server, CANARY)))).await.unwrap_err(),
    ] {
        assert_eq!(problem.code, ErrorCode::ProviderRefusedKey);
        assert!(problem.hint.contains("Copy the whole key again"), "{problem}");
        assert_clean(format!("{problem:?}").as_bytes(), "the problem");
    }
    assert_nothing_kept(&nova);
    assert!(app.app_status(Nothing {}).await.unwrap().first_run);
    server.finish();
}

#[tokio::test]
async fn locked_credentials_are_unlocked_in_place_and_the_step_retried() {
    let server = ModelServer::start([text("ok"), text("ok")]);
    let nova = fresh(None);
    let app = nova.start().await;

    let problem = app.open_vault(open(&nova, Some(pasted("openai", &server, CANARY)))).await.unwrap_err();
    assert_eq!(problem.code, ErrorCode::NoCredentialStore);
    assert_nothing_kept(&nova);

    app.unlock_credentials(UnlockCredentials { passphrase: SecretText::new(PASSPHRASE) }).await.unwrap();
    app.open_vault(open(&nova, Some(pasted("openai", &server, CANARY)))).await.unwrap();
    let rows = app.list_provider_rows().await;
    assert_eq!((rows.len(), rows[0].key.state), (1, ProviderKeyState::Granted));
    server.finish();
}

#[tokio::test]
async fn invalid_provider_is_refused_before_any_request() {
    let server = ModelServer::start([]);
    let nova = fresh(Some(PASSPHRASE));
    let app = nova.start().await;
    let good = pasted("openai", &server, CANARY);
    let key = |key: &str| Some(SecretText::new(key));
    for (new, said) in [
        (NewProvider { id: "a/b".into(), ..good.clone() }, "is not a valid provider name"),
        (NewProvider { id: String::new(), ..good.clone() }, "is not a valid provider name"),
        (NewProvider { id: "../x".into(), ..good.clone() }, "is not a valid provider name"),
        (NewProvider { kind: "gopher".into(), ..good.clone() }, "Unknown kind"),
        (NewProvider { base_url: Some("not an address".into()), ..good.clone() }, "is invalid"),
        (
            NewProvider { base_url: Some("http://models.example/v1".into()), ..good.clone() },
            "could read the key",
        ),
        (NewProvider { base_url: Some("file:///etc/passwd".into()), ..good.clone() }, "http:// or https://"),
        (
            NewProvider { base_url: Some("https://a:b@models.example".into()), ..good.clone() },
            "must not contain a user name or password",
        ),
        (NewProvider { key: key("two words"), ..good.clone() }, "no spaces"),
        (NewProvider { key: key("line\r\nx-evil: 1"), ..good.clone() }, "no spaces"),
    ] {
        let problem = app.add_provider(new.clone()).await.unwrap_err();
        assert!(problem.message.contains(said), "{new:?}: {problem}");
    }
    assert_nothing_kept(&nova);
    assert_eq!(server.authorizations(), [], "a provider was contacted");
    // A server on the local network without a key may use http; nobody listens at this one.
    let new = NewProvider { base_url: Some("http://models.invalid/v1".into()), key: None, ..good };
    assert_eq!(app.add_provider(new).await.unwrap_err().code, ErrorCode::ProviderUnreachable);
    server.finish();
}

#[tokio::test]
async fn name_taken_by_another_address_keeps_its_key() {
    let (here, elsewhere) = (ModelServer::start([text("ok"), text("ok")]), ModelServer::start([]));
    let nova = fresh(Some(PASSPHRASE));
    let app = nova.start().await;
    app.add_provider(pasted("openai", &here, CANARY)).await.unwrap();

    let problem = app.add_provider(pasted("openai", &elsewhere, "another")).await.unwrap_err();
    assert!(problem.message.contains("already") && problem.hint.contains("another name"), "{problem}");
    assert_eq!(elsewhere.authorizations(), []);

    // A new key for the same provider.
    app.add_provider(pasted("openai", &here, "second-key")).await.unwrap();
    app.list_provider_rows().await;
    assert_eq!(here.authorizations().last().unwrap().as_deref(), Some("Bearer second-key"));
    assert_eq!(nova.read_settings()["providers"].as_array().unwrap().len(), 1);
}

/// The result of testing a provider that gives these answers.
async fn check(answers: impl IntoIterator<Item = Answer>) -> Result<(), ErrorCode> {
    let server = ModelServer::start(answers);
    let nova = fresh(None);
    let app = nova.start().await;
    let checked = app.check_provider(pasted("openai", &server, CANARY)).await;
    server.finish();
    checked.map(|_| ()).map_err(|problem| problem.code)
}

#[tokio::test]
async fn provider_without_a_complete_answer_is_not_added() {
    let said = |text: &str| json!({"error": {"message": text}});
    assert_eq!(check([text("o").then_cut()]).await, Err(ErrorCode::ProviderTruncated));
    assert_eq!(check([text("o").error_mid_stream("overloaded")]).await, Err(ErrorCode::ProviderFailed));
    assert_eq!(check([error(429, said("no credit"))]).await, Err(ErrorCode::ProviderRateLimited));
    assert_eq!(check([error(503, said("busy"))]).await, Err(ErrorCode::ProviderFailed));
    assert_eq!(check([error(400, said("not a chat model"))]).await, Err(ErrorCode::ProviderFailed));
    assert_eq!(check([text("").finishing("length")]).await, Ok(()));
}

#[tokio::test]
async fn key_without_quota_for_one_model_is_tried_with_the_next() {
    let list = r#"{"models":[{"name":"models/large"},{"name":"models/small"}]}"#;
    let server = WebServer::start(move |request| match request.method.as_str() {
        "GET" if request.path.starts_with("/v1beta/models") => Reply::text(list),
        "POST" if request.path.contains("small") => {
            let said = r#"{"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}]}"#;
            Reply::text(&format!("data: {said}\n\n"))
        }
        "POST" => Reply::with(429, &[], r#"{"error":{"code":429,"message":"Quota exceeded, limit: 0"}}"#),
        _ => Reply::with(404, &[], ""),
    })
    .await;
    let nova = fresh(None);
    let app = nova.start().await;
    let base_url = Some(format!("http://{}/v1beta", server.address()));
    let key = Some(SecretText::new(CANARY));
    let new = NewProvider { id: "gemini".into(), kind: "gemini".into(), base_url, key };
    let checked = app.check_provider(new).await.unwrap();
    assert_eq!(checked.models, ["small", "large"], "the first to answer");
}

#[tokio::test]
async fn model_list_is_refreshed_and_outlives_its_server() {
    let server = ModelServer::start([]);
    let nova = Nova::new("", []);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "near", "kind": "openai", "base_url": server.base_url()}],
    }));
    let app = nova.start().await;
    let rows = app.list_providers(ListProviders::default()).await.unwrap();
    assert_eq!((rows[0].models.as_slice(), &rows[0].problem), (&["scripted".to_owned()][..], &None));

    drop(server);
    let rows = app.list_providers(ListProviders::default()).await.unwrap();
    assert_eq!(rows[0].models, ["scripted"], "the last list is shown");
    assert_eq!(rows[0].problem.as_ref().unwrap().code, ErrorCode::ProviderUnreachable);
}

#[tokio::test]
async fn silent_local_server_has_a_problem_despite_its_models() {
    let nobody = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    // It responds, but has no list: only the configured models are known.
    let listless = WebServer::start(|_| Reply::with(404, &[], "")).await;
    for (kind, address, problem) in [
        ("openai", format!("http://{nobody}/v1"), Some(ErrorCode::ProviderUnreachable)),
        ("ollama", format!("http://{nobody}"), Some(ErrorCode::ProviderUnreachable)),
        ("openai", format!("http://{}/v1", listless.address()), None),
    ] {
        let nova = Nova::new("", []);
        nova.settings(&json!({
            "vault": nova.vault.root(),
            "providers": [{"id": "near", "kind": kind, "base_url": address, "models": ["written"]}],
            "model": "near/written",
        }));
        let app = nova.start().await;
        let row = app.list_provider_rows().await.remove(0);
        assert_eq!((row.local, row.models), (true, vec!["written".to_owned()]), "{kind}");
        assert_eq!(row.problem.map(|problem| problem.code), problem, "{kind} at {address}");
    }
}

#[tokio::test]
async fn known_context_survives_an_answer_without_it() {
    let mut nova = Nova::new(PEOPLE, []);
    nova.model = ModelServer::start([text("One."), text("Two.")]).that_takes(64_000);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "near", "kind": "openai", "base_url": nova.model.base_url()}],
        "model": "near/scripted",
    }));
    let app = nova.start().await;
    app.list_provider_rows().await;
    // Before each turn the server is asked where the model runs; its reply has no context size.
    for words in ["One", "Two"] {
        let (_, events) = turn(&app, None, words, NoApprover).await;
        let limit = events.iter().find_map(|event| match event {
            Event::StepStarted { context, .. } => Some(context.as_ref().and_then(|context| context.limit)),
            _ => None,
        });
        assert_eq!(limit, Some(Some(64_000)), "{words}");
    }
    nova.model.finish();
}

#[tokio::test]
async fn last_request_result_is_reported_and_listed() {
    let refusal = json!({"error": {"message": "bad key"}});
    let nova = Nova::new("", [error(401, refusal), text("Hel").then_cut(), text("Hello.")]);
    let app = nova.start().await;
    assert_eq!(app.list_provider_rows().await[0].health, None, "no provider was contacted yet");
    for expected in [HealthState::RefusedKey, HealthState::Failed, HealthState::Answered] {
        let (_, events) = turn(&app, None, "Hello", NoApprover).await;
        let told: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::ProviderHealth { provider, health } => Some((provider.as_str(), health.state)),
                _ => None,
            })
            .collect();
        assert_eq!(told, [("test", expected)]);
        let listed = app.list_provider_rows().await[0].health.clone().unwrap();
        assert_eq!((listed.state, listed.message.is_some()), (expected, expected != HealthState::Answered));
    }
    nova.model.finish();
}

#[tokio::test]
async fn stores_favourite_once_and_prices_as_written() {
    let nova = Nova::new("", []);
    let mut settings = nova.read_settings();
    settings["providers"][0]["prices"] = json!({"scripted": {"input": 1.25, "output": 10}});
    nova.settings(&settings);
    let app = nova.start().await;
    let mark = |model: &str, favourite| SetFavourite { model: model.into(), favourite };
    for _ in 0..2 {
        app.set_favourite(mark("test/scripted", true)).await.unwrap();
    }
    let row = app.list_provider_rows().await.remove(0);
    assert_eq!(
        (row.favourites.as_slice(), row.prices[0].input.as_str()),
        (&["scripted".to_owned()][..], "1.25")
    );
    assert_eq!(nova.read_settings()["favourites"], json!(["test/scripted"]));
    app.set_favourite(mark("test/scripted", false)).await.unwrap();
    assert_eq!(nova.read_settings()["favourites"], json!([]));
    assert_eq!(app.set_favourite(mark("scripted", true)).await.unwrap_err().code, ErrorCode::UnknownModel);
}

#[tokio::test]
async fn context_that_was_set_too_small_is_raised_and_nothing_else_is_written() {
    let nova = Nova::new("", []);
    let mut settings = nova.read_settings();
    settings["providers"][0]["context"] = json!(4096);
    settings["of_mine"] = json!("stays");
    nova.settings(&settings);
    let app = nova.start().await;
    let raise = |provider: &str, context| SetContext { provider: provider.into(), context };
    assert_eq!(app.list_provider_rows().await.remove(0).context, Some(4096));
    app.set_context(raise("test", 32_768)).await.unwrap();
    assert_eq!(app.list_provider_rows().await.remove(0).context, Some(32_768));
    settings["providers"][0]["context"] = json!(32_768);
    assert_eq!(nova.read_settings(), settings);
    for refused in [raise("nobody", 32_768), raise("test", 0), raise("test", u64::MAX)] {
        assert_eq!(app.set_context(refused).await.unwrap_err().code, ErrorCode::BadRequest);
    }
    assert_eq!(nova.read_settings(), settings);
}
