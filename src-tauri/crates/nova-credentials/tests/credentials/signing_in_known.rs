//! Signing in with the user's own client at a known provider.

use nova_credentials::{Access, CredentialError, OAuthClient, Provider, ProviderServers};
use tempfile::tempdir;
use url::Url;

use crate::auth_server::{AuthServer, Browser, Mode, browser, form};
use crate::signing_in::oauth_in;
use crate::support::{TestClock, name, shown};

fn client(server: &AuthServer, provider: Provider, secret: Option<&str>) -> OAuthClient {
    ProviderServers::at(&server.address)
        .client(
            provider,
            Access::Mail,
            &"nova-desktop".into(),
            secret.map(Into::into),
            Some("jane@x.example"),
        )
        .unwrap()
}

#[tokio::test]
async fn requests_the_scopes_of_a_mailbox() {
    for (provider, scope, extra) in [
        (
            Provider::Google,
            "https://mail.google.com/",
            vec![("access_type", "offline"), ("prompt", "consent")],
        ),
        (
            Provider::Microsoft,
            "https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send \
             offline_access",
            vec![],
        ),
    ] {
        let (server, data) = (AuthServer::start().await, tempdir().unwrap());
        let oauth = oauth_in(&data, &TestClock::new()).await;
        oauth.sign_in(&name("mail/home"), &client(&server, provider, None), &browser()).await.unwrap();

        let asked = server.state().authorize_requests[0].clone();
        assert_eq!((asked["scope"].as_str(), asked["login_hint"].as_str()), (scope, "jane@x.example"));
        for (key, value) in extra {
            assert_eq!(asked[key], value, "{provider:?}");
        }
    }
}

#[tokio::test]
async fn rejects_foreign_issuer_and_does_not_use_its_code() {
    for provider in Provider::ALL {
        let (server, data) = (AuthServer::start().await, tempdir().unwrap());
        let oauth = oauth_in(&data, &TestClock::new()).await;
        let browser = Browser(|mut back: Url| {
            back.query_pairs_mut().append_pair("iss", "https://evil.example");
            vec![back]
        });
        let client = client(&server, provider, None);
        let error = oauth.sign_in(&name("mail/home"), &client, &browser).await.unwrap_err();
        assert!(error.to_string().contains("another server"), "{error}");
        assert_eq!(server.state().token_requests.len(), 0);
    }
}

#[tokio::test]
async fn refused_token_is_renewed_and_the_refresh_token_rotated() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    server.state().client_secret = Some("s &+".into());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let (home, client) = (name("mail/home"), client(&server, Provider::Google, Some("s &+")));
    oauth.sign_in(&home, &client, &browser()).await.unwrap();

    let first = oauth.access_token(&home, &client).await.unwrap();
    let second = oauth.after_refusal(&home, &client, &first).await.unwrap();
    let third = oauth.after_refusal(&home, &client, &second).await.unwrap();
    assert_eq!([&first, &second, &third].map(shown), ["access-2", "access-3", "access-4"]);
    let used: Vec<_> =
        server.state().token_requests[1..].iter().map(|form| form["refresh_token"].clone()).collect();
    assert_eq!(used, ["refresh-2", "refresh-3"]);
}

#[tokio::test]
async fn refused_refresh_needs_a_sign_in_and_is_not_retried() {
    let (server, data, clock) = (AuthServer::start().await, tempdir().unwrap(), TestClock::new());
    let oauth = oauth_in(&data, &clock).await;
    let (home, client) = (name("mail/home"), client(&server, Provider::Google, None));
    oauth.sign_in(&home, &client, &browser()).await.unwrap();
    clock.advance(4000);

    let refused = r#"{"error":"invalid_grant","error_description":"Token has been expired or revoked."}"#;
    let json = "Content-Type: application/json\r\n".to_owned();
    server.state().mode = Mode::Fixed("400 Bad Request", json, refused.into());
    for _ in 0..3 {
        let error = oauth.access_token(&home, &client).await.unwrap_err();
        assert!(matches!(error, CredentialError::NeedsSignIn { .. }), "{error}");
    }
    assert_eq!(server.refreshes(), 1);

    server.state().mode = Mode::Normal;
    oauth.sign_in(&home, &client, &browser()).await.unwrap();
    oauth.access_token(&home, &client).await.unwrap();
}

#[tokio::test]
async fn signing_out_revokes_the_refresh_token_at_the_provider() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let (home, google) = (name("mail/home"), client(&server, Provider::Google, None));
    oauth.sign_in(&home, &google, &browser()).await.unwrap();
    let servers = ProviderServers::at(&server.address);
    let at = servers.revoke(Provider::Google).unwrap().unwrap();
    assert!(servers.revoke(Provider::Microsoft).unwrap().is_none());

    // Tokens of another client are not revoked.
    let other = OAuthClient { client_id: "other".into(), ..google.clone() };
    assert!(!oauth.revoke_at(&home, &other, &at).await.unwrap());
    assert_eq!(server.state().other_requests.len(), 0);

    server.state().documents.insert("/revoke".into(), ("200 OK", String::new(), String::new()));
    assert!(oauth.revoke_at(&home, &google, &at).await.unwrap());
    let requests = server.state().other_requests.clone();
    assert_eq!(requests.len(), 1);
    let (head, body) = requests[0].split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /revoke "), "{head}");
    assert_eq!(form(body)["token"], "refresh-2");

    server.state().documents.clear();
    let error = oauth.revoke_at(&home, &google, &at).await.unwrap_err();
    assert!(matches!(error, CredentialError::TokenServer { .. }), "{error}");
}
