//! Credentials obtained through the browser: a local authorisation server, and a desktop that follows every
//! redirect.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use nova_app::{App, Desktop, StoreOptions};
use nova_protocol::{
    Commands as _, CredentialRow, CredentialState, Decision, ErrorCode, Event, ListProviders, Nothing,
    SecretText, SignIn, SkillState,
};
use nova_testkit::{Reply, ScriptedApprover, WebServer, web_of};
use serde_json::{Value, json};

use super::keeping_credentials::{CANARY, PASSPHRASE, assert_clean, assert_clean_folder};
use super::nova::{Nova, drain};
use super::protected_server::auth_server::{self, AuthServer};
use super::running_typescript::script_host;
use super::using_credentials::{call, forecast, save};

/// Opens addresses like a browser whose user is signed in and consents.
#[derive(Default)]
pub(crate) struct Willing(pub(crate) Mutex<Vec<String>>);

#[async_trait::async_trait]
impl Desktop for Willing {
    async fn pick_folder(&self) -> Option<PathBuf> {
        None
    }

    async fn pick_file(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn open_url(&self, url: &str) -> Result<(), String> {
        self.0.lock().unwrap().push(url.to_owned());
        let url = url.to_owned();
        tokio::spawn(async move { reqwest::get(url).await });
        Ok(())
    }

    fn show_file(&self, path: &Path) -> Result<(), String> {
        Err(format!("{} is not asked for", path.display()))
    }
}

fn credential(name: &str) -> SignIn {
    SignIn { name: name.into(), host: None }
}

fn settings(nova: &Nova, server: &str) {
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "sign_ins": {"weather/key": {
            "authorize": format!("{server}/authorize"), "token": format!("{server}/token"),
            "client_id": "nova-desktop", "scopes": ["weather.read"],
        }},
    }));
}

async fn weather_key(app: &App) -> CredentialRow {
    let view = app.list_credentials(Nothing {}).await.unwrap();
    view.credentials.into_iter().find(|row| row.name == "weather/key").unwrap()
}

async fn state(app: &App) -> (SkillState, Option<String>) {
    let rows = app.list_tools(Nothing {}).await.unwrap();
    let row = rows.into_iter().find(|row| row.name == "dynamic.forecast").unwrap();
    (row.state, row.reason)
}

async fn world() -> (Nova, WebServer, Arc<Willing>) {
    let weather = WebServer::start(|_| Reply::text("snow")).await;
    let mut nova = Nova::new("", []);
    nova.web = Arc::new(web_of(&[("api.weather.example", &weather)]));
    nova.tool_host = Some(script_host(&nova));
    nova.store = Some(StoreOptions { keychain: false, passphrase: Arc::new(|| Ok(Some(PASSPHRASE.into()))) });
    let desktop = Arc::new(Willing::default());
    nova.desktop = desktop.clone();
    save(&nova, "forecast.ts", &forecast(""));
    (nova, weather, desktop)
}

#[tokio::test]
async fn tool_that_needs_a_sign_in_says_so_and_works_after_it() {
    let (nova, weather, desktop) = world().await;
    let server = AuthServer::start().await;
    settings(&nova, &server.address);
    let app = nova.start().await;
    app.tools_loaded(nova_testkit::PATIENCE).await;
    let mut events = app.events();

    let error = call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await.error.unwrap();
    assert_eq!(error.code, ErrorCode::NeedsSignIn, "{error}");
    assert!(drain(&mut events).iter().any(|event| matches!(
        event, Event::CredentialNeeded { credential, .. } if credential == "weather/key"
    )));
    let row = weather_key(&app).await;
    assert_eq!((row.state, row.sign_in), (CredentialState::NeedsSignIn, true));
    assert_eq!((row.host.as_deref(), row.server), (Some("127.0.0.1"), None));

    app.sign_in(credential("weather/key")).await.unwrap();
    assert!(desktop.0.lock().unwrap()[0].starts_with(&format!("{}/authorize?", server.address)));
    assert_eq!(weather_key(&app).await.state, CredentialState::Kept);
    let done = call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await;
    assert_eq!(done.value, Some(json!({"status": 200, "text": "snow"})), "{:?}", done.error);
    assert_eq!(weather.requests()[0].headers["authorization"], "Bearer access-2");
    let told = serde_json::to_string(&drain(&mut events)).unwrap();
    assert!(!told.contains("access-2") && !told.contains("refresh-2"), "{told}");
}

#[tokio::test]
async fn sign_in_ended_by_the_server_is_listed_with_the_reason() {
    let (nova, _weather, _desktop) = world().await;
    let server = AuthServer::start().await;
    // Tokens that expire at once and cannot be refreshed.
    server.state().mode = auth_server::Mode::Fixed(
        "200 OK",
        "Content-Type: application/json\r\n".into(),
        r#"{"access_token":"a","token_type":"Bearer","expires_in":0,"refresh_token":"r"}"#.into(),
    );
    settings(&nova, &server.address);
    let app = nova.start().await;
    app.tools_loaded(nova_testkit::PATIENCE).await;
    app.sign_in(credential("weather/key")).await.unwrap();
    assert_eq!(state(&app).await.0, SkillState::Available);

    server.state().mode = auth_server::Mode::Normal;
    let error = call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await.error.unwrap();
    assert_eq!(error.code, ErrorCode::NeedsSignIn, "{error}");
    let (listed, reason) = state(&app).await;
    assert_eq!(listed, SkillState::NeedsSignIn);
    assert!(reason.unwrap().contains("weather/key needs a new sign-in"));
}

#[tokio::test]
async fn sign_in_of_another_process_is_enough() {
    let (nova, _weather, _desktop) = world().await;
    let server = AuthServer::start().await;
    server.state().mode = auth_server::Mode::Fixed(
        "200 OK",
        "Content-Type: application/json\r\n".into(),
        r#"{"access_token":"a","token_type":"Bearer","expires_in":0}"#.into(),
    );
    settings(&nova, &server.address);
    let app = nova.start().await;
    app.tools_loaded(nova_testkit::PATIENCE).await;
    app.sign_in(credential("weather/key")).await.unwrap();
    let error = call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await.error.unwrap();
    assert_eq!(error.code, ErrorCode::NeedsSignIn, "{error}");

    server.state().mode = auth_server::Mode::Normal;
    let other = nova.start().await;
    other.sign_in(credential("weather/key")).await.unwrap();
    let done = call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await;
    assert!(done.ok, "{:?}", done.error);
    assert_eq!(state(&app).await, (SkillState::Available, None));
}

#[tokio::test]
async fn client_authenticates_with_a_secret_granted_for_the_server() {
    let (nova, weather, _desktop) = world().await;
    let server = AuthServer::start().await;
    server.state().client_secret = Some(format!("{CANARY} &+"));
    settings(&nova, &server.address);
    let mut with_secret = nova.read_settings();
    with_secret["sign_ins"]["weather/key"]["client_secret"] = json!("${credentials:weather/client}");
    nova.settings(&with_secret);
    let app = nova.start().await;
    app.tools_loaded(nova_testkit::PATIENCE).await;
    let sign_in = async || app.sign_in(credential("weather/key")).await;
    let mut told = Vec::new();

    told.push(sign_in().await.unwrap_err());
    assert_eq!(told[0].code, ErrorCode::CredentialNotGranted, "{}", told[0]);
    app.grant_credential_to("weather/client", "sign_in:weather/key").unwrap();
    told.push(sign_in().await.unwrap_err());
    assert_eq!(told[1].code, ErrorCode::CredentialNeeded, "{}", told[1]);
    assert_eq!(server.state().token_requests.len(), 0, "nothing was sent before");

    let secret = SecretText::new(format!("{CANARY} &+"));
    app.set_credential_value("weather/client", secret, None).await.unwrap();
    sign_in().await.unwrap();
    let sent = server.state().token_requests[0].clone();
    assert_eq!(
        (sent["client_id"].as_str(), sent["client_secret"].clone()),
        ("nova-desktop", format!("{CANARY} &+"))
    );
    let done = call(&app, Value::Null, ScriptedApprover::always(Decision::Once)).await;
    assert!(done.ok, "{:?}", done.error);
    assert_eq!(weather.requests().len(), 1);

    server.state().client_secret = Some("another one".into());
    told.push(sign_in().await.unwrap_err());
    for error in told {
        assert_clean(format!("{error} {error:?}").as_bytes(), "an error");
    }
    assert!(assert_clean_folder(&nova.data()) > 1);
}

#[tokio::test]
async fn sign_in_at_an_insecure_address_is_refused() {
    let (nova, _weather, desktop) = world().await;
    settings(&nova, "http://login.example.com");
    let app = nova.start().await;
    let status = app.app_status(Nothing {}).await.unwrap();
    let problem = status.config_problem.expect("the configuration is rejected").message;
    assert!(problem.contains("sign_ins.weather/key.authorize must be an https address"), "{problem}");
    let error = app.sign_in(credential("weather/key")).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::CredentialInvalid);
    assert!(desktop.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn provider_gets_only_the_access_token() {
    let (nova, _weather, _desktop) = world().await;
    let (server, provider) = (AuthServer::start().await, WebServer::start(|_| Reply::text("{}")).await);
    settings(&nova, &server.address);
    let mut config = nova.read_settings();
    config["providers"] = json!([{
        "id": "near", "kind": "openai", "base_url": format!("http://{}/v1", provider.address()),
        "api_key": "${credentials:weather/key}", "headers": {"X-Account": "of ${credentials:weather/key}"},
    }]);
    nova.settings(&config);
    let app = nova.start().await;
    app.sign_in(credential("weather/key")).await.unwrap();
    app.grant_credential_to("weather/key", "provider:near").unwrap();
    app.list_providers(ListProviders::default()).await.unwrap();
    // Regardless of what the configuration later says about the sign-in.
    config.as_object_mut().unwrap().remove("sign_ins");
    nova.settings(&config);
    let later = nova.start().await;
    later.list_providers(ListProviders::default()).await.unwrap();
    let requests = provider.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert_eq!(request.headers["authorization"], "Bearer access-2");
        assert_eq!(request.headers["x-account"], "of access-2");
    }
}

#[tokio::test]
async fn tool_gets_only_the_access_token() {
    let (nova, weather, _desktop) = world().await;
    let server = AuthServer::start().await;
    settings(&nova, &server.address);
    let app = nova.start().await;
    app.tools_loaded(nova_testkit::PATIENCE).await;
    app.sign_in(credential("weather/key")).await.unwrap();
    // The sign-in is no longer configured, but its tokens are still stored.
    nova.settings(&json!({"vault": nova.vault.root()}));
    let later = nova.start().await;
    later.tools_loaded(nova_testkit::PATIENCE).await;
    let done = call(&later, Value::Null, ScriptedApprover::always(Decision::Once)).await;
    assert!(done.ok, "{:?}", done.error);
    assert_eq!(weather.requests()[0].headers["authorization"], "Bearer access-2");
}

#[tokio::test]
async fn client_secret_from_a_sign_in_is_its_access_token() {
    let (nova, _weather, _desktop) = world().await;
    let (first, second) = (AuthServer::start().await, AuthServer::start().await);
    let described = |server: &AuthServer| {
        json!({
            "authorize": format!("{}/authorize", server.address), "token": format!("{}/token", server.address),
            "client_id": "nova-desktop",
        })
    };
    let mut with_secret = described(&second);
    with_secret["client_secret"] = json!("${credentials:first/key}");
    nova.settings(&json!({
        "vault": nova.vault.root(), "sign_ins": {"first/key": described(&first), "weather/key": with_secret},
    }));
    let app = nova.start().await;
    app.sign_in(credential("first/key")).await.unwrap();
    app.grant_credential_to("first/key", "sign_in:weather/key").unwrap();
    app.sign_in(credential("weather/key")).await.unwrap();
    assert_eq!(second.state().token_requests[0]["client_secret"], "access-2");
}
