//! A remote server needs a sign-in: the window names the host before a browser opens, and signing out revokes
//! the tokens.

use std::sync::{Arc, Mutex};

use nova_app::{App, SignInOpener, StoreOptions};
use nova_protocol::{
    AgreeToServer, CallTool, Commands as _, CredentialRef, Nothing, ServerRef, ServerStateView, SignIn,
};
use nova_testkit::PATIENCE;
use serde_json::json;

use super::keeping_credentials::{PASSPHRASE, passphrase_file};
use super::nova::Nova;
use super::protected_server::{address, authorisation, server};
use super::signing_in::Willing;

const NAME: &str = "mcp-sign-in/docs";

/// Consents once; afterwards no browser can be found.
#[derive(Default)]
struct WillingOnce(Mutex<usize>);

#[async_trait::async_trait]
impl SignInOpener for WillingOnce {
    async fn open(&self, address: &url::Url) -> Result<(), String> {
        let mut times = self.0.lock().unwrap();
        *times += 1;
        if *times > 1 {
            return Err("there is no browser".into());
        }
        let address = address.to_string();
        tokio::spawn(async move { reqwest::get(address).await });
        Ok(())
    }
}

fn nova() -> Nova {
    let mut nova = Nova::new("", []);
    nova.store = Some(StoreOptions { keychain: false, passphrase: Arc::new(|| Ok(Some(PASSPHRASE.into()))) });
    nova
}

async fn state(app: &App) -> ServerStateView {
    app.list_servers(Nothing {}).await.unwrap().servers[0].state
}

async fn kept(app: &App) -> Vec<String> {
    let view = app.list_credentials(Nothing {}).await.unwrap();
    view.credentials.into_iter().map(|row| row.name).filter(|name| name.starts_with("mcp-sign-in/")).collect()
}

#[tokio::test]
async fn host_is_named_before_the_browser_opens_and_signing_out_revokes_the_tokens() {
    let authorisation = authorisation().await;
    let server = server(authorisation.address.clone(), false).await;
    let mut nova = nova();
    let desktop = Arc::new(Willing::default());
    nova.desktop = desktop.clone();
    let mut settings = nova.read_settings();
    settings["mcpServers"] = json!({"docs": {"url": address(&server)}});
    nova.settings(&settings);
    let app = nova.start().await;
    let named = || ServerRef { server: "docs".into() };
    let not_agreed = app.server_sign_in(named()).await.unwrap_err();
    assert!(not_agreed.message.contains("not agreed"), "{not_agreed:?}");

    let fingerprint = app.server_detail(named()).await.unwrap().review.fingerprint;
    app.agree_to_server(AgreeToServer { server: "docs".into(), fingerprint }).await.unwrap();
    app.mcp_ready(Some("docs"), PATIENCE).await;
    assert_eq!(state(&app).await, ServerStateView::NeedsSignIn);
    let agreed_at = app.server_detail(named()).await.unwrap().review.agreed_at;
    assert!(agreed_at.is_some(), "the page says when the user agreed");

    let host = app.server_sign_in(named()).await.unwrap().host;
    assert_eq!(host, "127.0.0.1");
    assert!(desktop.0.lock().unwrap().is_empty(), "asking for the host opens no page");
    let elsewhere = SignIn { name: NAME.into(), host: Some("docs.example".into()) };
    let refused = app.sign_in(elsewhere).await.unwrap_err();
    assert!(refused.message.contains("another host"), "{refused:?}");
    assert!(desktop.0.lock().unwrap().is_empty());

    app.sign_in(SignIn { name: NAME.into(), host: Some(host) }).await.unwrap();
    let rows = app.list_credentials(Nothing {}).await.unwrap().credentials;
    let row = rows.iter().find(|row| row.name == NAME).unwrap();
    let (server_name, host) = (row.server.as_deref(), row.host.as_deref());
    assert_eq!((row.sign_in, server_name, host), (true, Some("docs"), Some("127.0.0.1")));
    app.restart_server(named()).await.unwrap();
    app.mcp_ready(Some("docs"), PATIENCE).await;
    assert_eq!(state(&app).await, ServerStateView::Ready);
    let call = CallTool { tool: "docs.find".into(), args: json!({}), run: "r1".into() };
    assert!(app.list_tools(Nothing {}).await.unwrap().iter().any(|tool| tool.name == call.tool));

    app.remove_credential(CredentialRef { name: NAME.into() }).await.unwrap();
    assert_eq!(kept(&app).await, [""; 0]);
    let requests = authorisation.state().other_requests.clone();
    let revoked: Vec<&str> = requests
        .iter()
        .filter(|request| request.starts_with("POST /revoke"))
        .filter_map(|request| request.split("\r\n\r\n").nth(1))
        .collect();
    let of = |kind: &str| {
        revoked
            .iter()
            .any(|form| form.contains(&format!("token={kind}-")) && form.contains("client_id=nova-desktop"))
    };
    assert!(of("refresh") && of("access"), "{revoked:?}");
}

#[tokio::test]
async fn tokens_of_a_probe_that_fails_are_removed() {
    let authorisation = authorisation().await;
    let server = server(authorisation.address.clone(), true).await;
    let nova = nova();
    let app = nova.start().await;
    let opener = WillingOnce::default();
    let failed = app.probe_mcp_server(&address(&server), false, Some(&opener)).await.unwrap_err();
    assert!(failed.message.contains("there is no browser"), "{failed:?}");
    assert_eq!(*opener.0.lock().unwrap(), 2, "the rejected token leads to a second sign-in");
    assert_eq!(kept(&app).await, [""; 0]);
}

#[tokio::test]
async fn signs_out_even_if_the_server_does_not_revoke() {
    let authorisation = authorisation().await;
    authorisation.state().documents.remove("/revoke");
    let server = server(authorisation.address.clone(), true).await;
    let nova = nova();
    let app = nova.start().await;
    let opener = WillingOnce::default();
    app.probe_mcp_server(&address(&server), false, Some(&opener)).await.unwrap_err();
    assert_eq!(kept(&app).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn probe_follows_a_sign_in_that_needs_no_user() {
    let authorisation = authorisation().await;
    let server = server(authorisation.address.clone(), false).await;
    let nova = Nova::new("", []);
    let address = address(&server);
    for args in [["--auth", "follow", &address], [&address, "--auth", "follow"]] {
        let mut command = nova.command(&[&["mcp", "probe"], args.as_slice()].concat());
        command.env("NOVA_PASSPHRASE_FILE", passphrase_file(&nova));
        let probed = tokio::task::block_in_place(|| command.output().unwrap());
        let said: serde_json::Value = serde_json::from_slice(&probed.stdout).unwrap_or_default();
        assert_eq!(
            (probed.status.code(), &said["tools"][0]["name"]),
            (Some(0), &json!("find")),
            "{probed:?}"
        );
    }
}
