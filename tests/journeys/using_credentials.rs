//! Secrets in use: from the store only to the tool or provider that was granted them, for the hosts they may
//! go to.

use std::fs;
use std::sync::Arc;

use nova_app::{App, CancellationToken, ChangeSetKind, NoApprover, StoreOptions, ToolRun};
use nova_protocol::{
    Commands as _, CredentialRef, CredentialRow, CredentialState, CredentialsView, Decision, ErrorCode,
    Event, GrantCredential, Nothing, PendingToolRef, ProviderKeyState, ProviderRow, SecretText,
    SetCredential, SkillRow, SkillState, ToolResult, UnlockCredentials, dispatch,
};
use nova_testkit::{PATIENCE, Reply, ScriptedApprover, WebServer, call as tool_call, decided, text, web_of};
use serde_json::{Value, json};

use super::keeping_credentials::{
    CANARY, PASSPHRASE, assert_clean, assert_clean_folder, run_with_stdin, succeeds,
};
use super::nova::{Nova, drain, turn, wait_for};
use super::running_typescript::script_host;

/// Sends its key to the weather server, or to the given address.
pub(crate) fn forecast(comment: &str) -> String {
    format!(
        "import {{ z }} from 'zod'\nimport {{ defineTool }} from '@nova/tools'\n// {comment}\n
export default defineTool({{
  name: 'forecast',
  description: 'Says the weather.',
  effect: 'external',
  hosts: ['api.weather.example'],
  requires_credentials: ['weather/key'],
  parameters: z.object({{ url: z.string().optional() }}),
  execute: async ({{ url }}, ctx) => {{
    const key = await ctx.credentials.get('weather', 'key')
    const headers = {{ authorization: `Bearer ${{key}}` }}
    const answer = await fetch(url ?? 'http://api.weather.example/now', {{ headers }})
    return {{ status: answer.status, text: await answer.text() }}
  }},
}})
"
    )
}

pub(crate) fn save(nova: &Nova, file: &str, source: &str) {
    let folder = nova.config().join("tools").join("dynamic");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(file), source).unwrap();
}

pub(crate) async fn call(app: &App, args: Value, approver: ScriptedApprover) -> ToolResult {
    let args = if args.is_null() { json!({}) } else { args };
    app.run_tool(ToolRun {
        run: "test".into(),
        tool: "dynamic.forecast".into(),
        args,
        kind: ChangeSetKind::Cli,
        approver: Arc::new(approver),
        by_hand: true,
        cancel: CancellationToken::new(),
    })
    .await
}

pub(crate) fn store(passphrase: Option<&'static str>) -> StoreOptions {
    StoreOptions { keychain: false, passphrase: Arc::new(move || Ok(passphrase.map(Into::into))) }
}

/// The tool, the weather server, another host, and a store with its passphrase available.
async fn world(answers: impl IntoIterator<Item = nova_testkit::Answer>) -> (Nova, WebServer, WebServer) {
    let weather = WebServer::start(|request| match request.path.as_str() {
        "/away" => Reply::to(302, "http://other.example/"),
        _ => Reply::text("snow"),
    })
    .await;
    let other = WebServer::start(|_| Reply::text("other")).await;
    let mut nova = Nova::new("", answers);
    nova.web = Arc::new(web_of(&[("api.weather.example", &weather), ("other.example", &other)]));
    nova.tool_host = Some(script_host(&nova));
    nova.store = Some(store(Some(PASSPHRASE)));
    save(&nova, "forecast.ts", &forecast("one"));
    (nova, weather, other)
}

async fn started(nova: &Nova) -> App {
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    app
}

pub(crate) async fn set(app: &App, name: &str, value: &str, grant_to: Option<&str>) {
    let set = SetCredential {
        name: name.into(),
        value: SecretText::new(value),
        grant_to: grant_to.map(str::to_owned),
    };
    app.set_credential(set).await.unwrap();
}

#[tokio::test]
async fn key_set_in_the_terminal_is_used_in_a_chat_and_leaks_nowhere() {
    let (nova, weather, _) = world([
        tool_call("load_skill", json!({"skill": "dynamic"})),
        tool_call("dynamic__forecast", json!({})),
        tool_call("dynamic__forecast", json!({})),
        text("It snows."),
    ])
    .await;
    succeeds(&run_with_stdin(&nova, &["credential", "set", "weather/key"], CANARY));
    let app = started(&nova).await;
    let approver = ScriptedApprover::always(Decision::Always);
    let (_, events) = turn(&app, None, "Weather?", approver.clone()).await;
    let asked = approver.asked();
    assert_eq!(asked.len(), 2, "what the first call fetched taints the turn: {asked:?}");
    assert_eq!(asked[1].credentials, [""; 0], "the key is granted");
    assert_eq!(asked[0].credentials, ["weather/key"]);
    assert_eq!(asked[0].host.as_deref(), Some("api.weather.example"));

    let sent: Vec<_> =
        weather.requests().iter().map(|request| request.headers["authorization"].clone()).collect();
    assert_eq!(
        sent,
        [format!("Bearer {CANARY}"), format!("Bearer {CANARY}")],
        "the weather host gets the key"
    );
    let view = app.list_credentials(Nothing {}).await.unwrap();
    let row = view.credentials.iter().find(|row| row.name == "weather/key").unwrap();
    assert_eq!(row.state, CredentialState::Kept);
    assert_eq!(
        row.grants
            .iter()
            .map(|grant| (grant.consumer.as_str(), grant.destination.as_str(), grant.in_force))
            .collect::<Vec<_>>(),
        [("tool:dynamic.forecast", "api.weather.example", true)]
    );
    for (place, told) in [
        ("the events", serde_json::to_string(&events).unwrap()),
        ("Debug of the events", format!("{events:?}")),
        ("the requests to the model", format!("{:?}", nova.model.requests())),
        ("the list", format!("{view:?}{}", serde_json::to_string(&view).unwrap())),
    ] {
        assert_clean(told.as_bytes(), place);
    }
    app.stop_everything().await;
    drop(app);
    assert!(assert_clean_folder(&nova.data()) > 3);
    assert_clean_folder(&nova.config());
    nova.model.finish();
}

#[tokio::test]
async fn without_a_grant_it_asks_naming_tool_credential_and_host() {
    let (nova, weather, _) = world([]).await;
    let app = started(&nova).await;
    set(&app, "weather/key", CANARY, None).await;
    assert!(call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await.ok);

    // "Once" was for that call.
    let error = call(&app, Value::Null, ScriptedApprover::new([])).await.error.unwrap();
    assert_eq!(error.code, ErrorCode::ApprovalUnanswered, "{error}");
    let deny = ScriptedApprover::new([decided(Decision::Deny)]);
    assert_eq!(call(&app, Value::Null, deny).await.error.unwrap().code, ErrorCode::DeniedByUser);
    assert_eq!(weather.requests().len(), 1, "neither was sent");

    let once = ScriptedApprover::new([decided(Decision::Once)]);
    assert!(call(&app, Value::Null, once.clone()).await.ok);
    let asked = once.asked();
    assert_eq!((asked.len(), &asked[0].credentials), (1, &vec!["weather/key".to_owned()]));
    assert_eq!(asked[0].host.as_deref(), Some("api.weather.example"));
    assert!(asked[0].question.contains("the credential weather/key"), "{}", asked[0].question);
    let always = ScriptedApprover::new([decided(Decision::Always)]);
    assert!(call(&app, Value::Null, always.clone()).await.ok);
    assert_eq!(always.asked().len(), 1);
    assert!(call(&app, Value::Null, ScriptedApprover::new([])).await.ok, "\"always\" covers every call");
}

fn weather_key(view: &CredentialsView) -> &CredentialRow {
    view.credentials.iter().find(|row| row.name == "weather/key").unwrap()
}

#[tokio::test]
async fn granted_key_and_allow_rule_run_without_a_terminal() {
    let (nova, weather, _) = world([]).await;
    nova.rules("permissions:\n  allow: [dynamic__forecast]\n");
    let app = started(&nova).await;
    set(&app, "weather/key", CANARY, None).await;
    let nobody = ScriptedApprover::default();
    let refused = call(&app, Value::Null, nobody.clone()).await.error.unwrap();
    assert_eq!(refused.hint, "Run it once where an approval can be answered: its file is new.");

    let grant = GrantCredential { name: "weather/key".into(), to: "tool:dynamic.forecast".into() };
    app.grant_credential(grant).await.unwrap();
    let asked = nobody.asked().len();
    let result = call(&app, Value::Null, nobody.clone()).await;
    assert_eq!(result.error, None, "the grant is bound to the file content");
    assert_eq!((nobody.asked().len(), weather.requests().len()), (asked, 1));

    save(&nova, "forecast.ts", &forecast("two"));
    let again = started(&nova).await;
    let refused = call(&again, Value::Null, nobody).await.error.unwrap();
    assert_eq!(refused.hint, "Run it once where an approval can be answered: its file changed.");
}

#[tokio::test]
async fn tool_without_its_key_is_unavailable_wherever_it_is_listed() {
    let (nova, _, _) =
        world([tool_call("search_tools", json!({"query": "says the weather"})), text("None.")]).await;
    let bare = forecast("one").replace("['weather/key']", "['weather']");
    save(&nova, "forecast.ts", &bare);
    let app = started(&nova).await;
    app.refresh_credentials().await;
    let row = async |app: &App| {
        let rows = app.list_tools(Nothing {}).await.unwrap();
        rows.into_iter().find(|row| row.name == "dynamic.forecast").unwrap()
    };
    let lacking = row(&app).await;
    assert_eq!(lacking.state, SkillState::Unavailable);
    let remedy = "`nova credential set weather/key`";
    assert!(lacking.reason.as_ref().unwrap().contains(remedy), "{:?}", lacking.reason);
    turn(&app, None, "Hello", NoApprover).await;
    let found: Value = serde_json::from_str(&nova.model.last_texts("tool")[0]).unwrap();
    assert_eq!(
        (&found["tools"][0]["tool"], &found["tools"][0]["state"]),
        (&json!("dynamic__forecast"), &json!("unavailable")),
        "{found}"
    );
    assert!(found["tools"][0]["reason"].as_str().unwrap().contains(remedy), "{found}");
    let called = call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await.error.unwrap();
    assert_eq!(called.code, ErrorCode::CredentialNeeded);
    assert!(called.hint.contains(remedy), "{called:?}");

    let mut events = app.events();
    set(&app, "weather/key", CANARY, None).await;
    assert_eq!(row(&app).await.state, SkillState::Available);
    let of_tool = |event: &Event| matches!(event, Event::RegistryChanged { changed, .. } if changed.contains(&"dynamic.forecast".into()));
    wait_for(&mut events, of_tool).await;
}

#[tokio::test]
async fn changed_file_has_no_grant() {
    let (nova, weather, _) = world([]).await;
    let app = started(&nova).await;
    set(&app, "weather/key", CANARY, None).await;
    assert!(call(&app, Value::Null, ScriptedApprover::always(Decision::Always)).await.ok);
    save(&nova, "forecast.ts", &forecast("two"));
    app.tools_loaded(PATIENCE).await;
    let view = app.list_credentials(Nothing {}).await.unwrap();
    assert!(!weather_key(&view).grants[0].in_force, "{view:?}");
    let error = call(&app, Value::Null, ScriptedApprover::new([])).await.error.unwrap();
    assert_eq!(error.code, ErrorCode::ApprovalUnanswered, "{error}");
    assert_eq!(weather.requests().len(), 1);
    // The former content is no longer granted once the new one is.
    assert!(call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await.ok);
    save(&nova, "forecast.ts", &forecast("one"));
    app.tools_loaded(PATIENCE).await;
    assert!(!call(&app, Value::Null, ScriptedApprover::new([])).await.ok);
}

#[tokio::test]
async fn promoting_a_tool_is_the_grant_shown_on_its_card() {
    let (nova, weather, _) = world([]).await;
    fs::remove_file(nova.config().join("tools").join("dynamic").join("forecast.ts")).unwrap();
    let pending = nova.config().join("tools").join("pending");
    fs::create_dir_all(&pending).unwrap();
    fs::write(pending.join("forecast.ts"), forecast("one")).unwrap();
    let app = started(&nova).await;
    set(&app, "weather/key", CANARY, None).await;
    let row = app.list_pending_tools(Nothing {}).await.unwrap().remove(0);
    app.promote_tool(PendingToolRef { name: row.name, hash: row.hash }).await.unwrap();
    let approver = ScriptedApprover::new([decided(Decision::Once)]);
    let done = call(&app, Value::Null, approver.clone()).await;
    assert!(done.ok, "{:?}", done.error);
    assert!(approver.asked()[0].credentials.is_empty(), "only the host is asked about");
    assert_eq!(weather.requests().len(), 1);
}

#[tokio::test]
async fn neither_redirect_nor_allowed_request_takes_the_secret_to_another_host() {
    let (nova, weather, other) = world([]).await;
    let app = started(&nova).await;
    set(&app, "weather/key", CANARY, None).await;
    let away = json!({"url": "http://api.weather.example/away"});
    let done = call(&app, away, ScriptedApprover::always(Decision::Once)).await;
    assert_eq!(done.value.unwrap()["text"], "other");
    assert_eq!(weather.requests()[0].headers["authorization"], format!("Bearer {CANARY}"));
    assert!(!other.requests()[0].headers.contains_key("authorization"));

    for url in ["http://other.example/", &format!("http://other.example/?key={CANARY}")] {
        let error =
            call(&app, json!({"url": url}), ScriptedApprover::always(Decision::Once)).await.error.unwrap();
        assert!(error.message.contains("a credential for another host"), "{error}");
        assert_clean(format!("{error:?}").as_bytes(), "the error");
    }
    assert_eq!(other.requests().len(), 1);
}

#[tokio::test]
async fn missing_credential_is_reported_with_its_steps_and_set_from_the_card() {
    let (nova, weather, _) = world([]).await;
    let app = started(&nova).await;
    let mut events = app.events();
    let error = call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await.error.unwrap();
    assert_eq!(error.code, ErrorCode::CredentialNeeded);
    assert!(error.hint.contains("nova credential set weather/key"), "{error}");
    let needed = Event::CredentialNeeded {
        credential: "weather/key".into(),
        consumer: "tool:dynamic.forecast".into(),
    };
    assert!(drain(&mut events).contains(&needed));
    set(&app, "weather/key", CANARY, None).await;
    wait_for(&mut events, |event| {
        *event == Event::CredentialState { credential: "weather/key".into(), state: "kept".into() }
    })
    .await;
    assert!(call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await.ok);
    app.remove_credential(CredentialRef { name: "weather/key".into() }).await.unwrap();
    let error = call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await.error.unwrap();
    assert_eq!(error.code, ErrorCode::CredentialNeeded);
    assert_eq!(weather.requests().len(), 1);
}

#[tokio::test]
async fn malformed_parameters_are_not_repeated() {
    let nova = Nova::new("", []);
    let app = nova.start().await;
    for params in [
        json!(CANARY),
        json!({"name": CANARY}),
        json!({"name": [CANARY], "value": [CANARY]}),
        json!([[CANARY]]),
    ] {
        for method in ["set_credential", "unlock_credentials"] {
            let error = dispatch(&app, method, params.clone()).await.unwrap_err();
            assert_clean(format!("{error:?}").as_bytes(), method);
        }
    }
    let set = SetCredential { name: "a/b".into(), value: SecretText::new(CANARY), grant_to: None };
    assert_clean(format!("{set:?}").as_bytes(), "Debug");
}

async fn provider(app: &App) -> ProviderRow {
    app.list_provider_rows().await.into_iter().find(|row| row.id == "test").unwrap()
}

#[tokio::test]
async fn providers_key_is_sent_to_the_address_it_was_granted_for() {
    let mut nova = Nova::new("", [text("Hello.")]);
    nova.store = Some(store(Some(PASSPHRASE)));
    let app = nova.start().await;
    let row = provider(&app).await;
    assert_eq!((row.key.state, row.key.credential.as_str()), (ProviderKeyState::None, "test/key"));
    set(&app, "test/key", CANARY, Some("provider:test")).await;
    assert_eq!(provider(&app).await.key.state, ProviderKeyState::Granted);
    let config = fs::read_to_string(nova.config().join("nova.config.json")).unwrap();
    assert!(config.contains("${credentials:test/key}"), "the reference is written: {config}");
    assert_clean(config.as_bytes(), "the configuration");
    let (_, events) = turn(&app, None, "Hi", ScriptedApprover::new([])).await;
    assert!(events.iter().any(|event| matches!(event, Event::TurnCompleted { .. })), "{events:?}");
    let bearer = Some(format!("Bearer {CANARY}"));
    assert_eq!(nova.model.authorizations().last().unwrap(), &bearer);

    // The same id at another address.
    let elsewhere = nova_testkit::ModelServer::start([]);
    nova.settings(
        &serde_json::from_str(&config.replace(&nova.model.base_url(), &elsewhere.base_url())).unwrap(),
    );
    let app = nova.start().await;
    let row = provider(&app).await;
    assert_eq!(row.key.state, ProviderKeyState::NotGranted);
    let problem = row.problem.unwrap();
    assert_eq!(problem.code, ErrorCode::CredentialNotGranted);
    assert!(problem.hint.contains("nova credential grant test/key --to provider:test"), "{problem}");
    let session = app.create_session(Nothing {}).await.unwrap();
    let send = json!({"session": session.id, "text": "Hi"});
    let error = dispatch(&app, "send_message", send).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::CredentialNotGranted, "{error}");
    assert_eq!(elsewhere.authorizations(), [], "nothing was sent there");

    app.grant_credential(GrantCredential { name: "test/key".into(), to: "provider:test".into() })
        .await
        .unwrap();
    assert!(provider(&app).await.problem.is_none());
    // Once for its list, once for whether it passes models on.
    assert_eq!(elsewhere.authorizations(), [bearer.clone(), bearer]);
    nova.model.finish();
}

#[tokio::test]
async fn references_in_headers_need_a_grant_too() {
    let mut nova = Nova::new("", []);
    nova.store = Some(store(Some(PASSPHRASE)));
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{
            "id": "test", "kind": "openai", "base_url": nova.model.base_url(),
            "headers": {"Authorization": "Token ${credentials:test/key}"},
        }],
    }));
    let app = nova.start().await;
    assert_eq!(provider(&app).await.problem.unwrap().code, ErrorCode::CredentialNeeded);
    set(&app, "test/key", CANARY, None).await;
    assert_eq!(provider(&app).await.problem.unwrap().code, ErrorCode::CredentialNotGranted);
    assert_eq!(nova.model.authorizations(), []);
    app.grant_credential(GrantCredential { name: "test/key".into(), to: "provider:test".into() })
        .await
        .unwrap();
    assert!(provider(&app).await.problem.is_none());
    let token = Some(format!("Token {CANARY}"));
    assert_eq!(nova.model.authorizations(), [token.clone(), token]);
}

async fn finnhub(app: &App) -> SkillRow {
    let rows = app.list_skills(Nothing {}).await.unwrap();
    rows.into_iter().find(|row| row.id == "finnhub").unwrap()
}

#[tokio::test]
async fn skill_that_requires_a_variable_is_available_once_set() {
    let mut nova = Nova::new("", []);
    nova.store = Some(store(Some(PASSPHRASE)));
    let folder = nova.config().join("skills").join("finnhub");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), "---\nname: finnhub\ndescription: Quotes.\n---\n\nAsk first.\n")
        .unwrap();
    let manifest = "requires:\n  env:\n    FINNHUB_API_KEY:\n      schema: {type: string, minLength: 8}\n";
    fs::write(folder.join("manifest.yaml"), manifest).unwrap();
    let app = started(&nova).await;
    app.credentials_ready().await;
    let row = finnhub(&app).await;
    assert_eq!(row.state, SkillState::Unavailable);
    let reason = row.reason.unwrap();
    assert!(
        reason.contains("set FINNHUB_API_KEY with `nova credential set finnhub/FINNHUB_API_KEY`"),
        "{reason}"
    );
    let listed = app.list_credentials(Nothing {}).await.unwrap();
    let row = listed.credentials.iter().find(|row| row.name == "finnhub/FINNHUB_API_KEY").unwrap();
    assert_eq!(row.wanted_by, ["skill:finnhub"]);

    // The schema validates the typed value.
    let short = SetCredential {
        name: "finnhub/FINNHUB_API_KEY".into(),
        value: SecretText::new("c4n4ry"),
        grant_to: None,
    };
    let error = app.set_credential(short).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::CredentialInvalid);
    assert!(error.message.contains("minLength") && !error.message.contains("c4n4ry"), "{error}");

    let mut events = app.events();
    set(&app, "finnhub/FINNHUB_API_KEY", CANARY, None).await;
    wait_for(&mut events, |event| {
        matches!(event, Event::RegistryChanged { changed, .. } if changed.contains(&"finnhub".to_owned()))
    })
    .await;
    assert_eq!(finnhub(&app).await.state, SkillState::Available);
    app.remove_credential(CredentialRef { name: "finnhub/FINNHUB_API_KEY".into() }).await.unwrap();
    assert_eq!(finnhub(&app).await.state, SkillState::Unavailable);

    // Another process sets it.
    app.watch();
    let mut events = app.events();
    succeeds(&run_with_stdin(&nova, &["credential", "set", "finnhub/FINNHUB_API_KEY"], CANARY));
    wait_for(&mut events, |event| {
        matches!(event, Event::RegistryChanged { changed, .. } if changed.contains(&"finnhub".to_owned()))
    })
    .await;
    assert_eq!(finnhub(&app).await.state, SkillState::Available);
}

#[tokio::test]
async fn configured_variable_is_for_its_own_skill() {
    let (mut nova, weather, _) = world([]).await;
    nova.store = Some(store(Some(PASSPHRASE)));
    let folder = nova.config().join("skills").join("weather");
    fs::create_dir_all(folder.join("tools")).unwrap();
    fs::write(folder.join("SKILL.md"), "---\nname: weather\ndescription: Weather.\n---\n\nAsk.\n").unwrap();
    fs::write(folder.join("manifest.yaml"), "requires:\n  env:\n    key:\n").unwrap();
    fs::write(folder.join("tools").join("forecast.ts"), forecast("own")).unwrap();
    nova.settings(&json!({"vault": nova.vault.root(), "skills": {"weather": {"config": {"key": CANARY}}}}));
    let app = started(&nova).await;
    let theirs = call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await.error.unwrap();
    assert_eq!(theirs.code, ErrorCode::CredentialNeeded, "the tool of another skill: {theirs}");
    let own = app
        .run_tool(ToolRun {
            run: "test".into(),
            tool: "weather.forecast".into(),
            args: json!({}),
            kind: ChangeSetKind::Cli,
            approver: Arc::new(ScriptedApprover::always(Decision::Once)),
            by_hand: true,
            cancel: CancellationToken::new(),
        })
        .await;
    assert!(own.ok, "{:?}", own.error);
    assert_eq!(weather.requests()[0].headers["authorization"], format!("Bearer {CANARY}"));
}

#[tokio::test]
async fn file_without_its_passphrase_delays_no_start_and_opens_later() {
    let (mut nova, weather, _) = world([]).await;
    succeeds(&run_with_stdin(&nova, &["credential", "set", "weather/key"], CANARY));
    nova.store = Some(store(None));
    let app = started(&nova).await;
    let view = app.list_credentials(Nothing {}).await.unwrap();
    assert_eq!(view.problem.as_ref().unwrap().code, ErrorCode::PassphraseNeeded);
    assert_eq!(weather_key(&view).state, CredentialState::Unknown);
    let error = call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await.error.unwrap();
    assert!(error.message.contains("no passphrase was given"), "{error}");

    let wrong = app.unlock_credentials(UnlockCredentials { passphrase: SecretText::new("wrong") }).await;
    assert_eq!(wrong.unwrap_err().code, ErrorCode::PassphraseNeeded);
    let view =
        app.unlock_credentials(UnlockCredentials { passphrase: SecretText::new(PASSPHRASE) }).await.unwrap();
    assert_eq!((&view.problem, weather_key(&view).state), (&None, CredentialState::Kept));
    assert!(call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await.ok);
    assert_eq!(weather.requests().len(), 1);
}
