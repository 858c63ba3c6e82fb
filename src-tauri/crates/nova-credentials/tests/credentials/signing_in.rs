use std::sync::{Arc, Mutex};
use std::time::Duration;

use nova_credentials::{CredentialError, OAuth, OAuthClient};
use tempfile::{TempDir, tempdir};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

use crate::auth_server::{AuthServer, Browser, Mode, browser};
use crate::support::{TestClock, name, shown, store_in};

pub(crate) async fn oauth_in(data: &TempDir, clock: &TestClock) -> OAuth {
    OAuth::new(store_in(data).await, data.path(), Arc::new(clock.clone())).unwrap()
}

/// The error of a sign-in with this browser.
async fn refused(server: &AuthServer, browser: Browser<impl Fn(Url) -> Vec<Url> + Send + Sync>) -> String {
    let data = tempdir().unwrap();
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let error = oauth.sign_in(&name("mail/login"), &server.client(), &browser).await.unwrap_err();
    let missing = oauth.access_token(&name("mail/login"), &server.client()).await.unwrap_err();
    assert!(matches!(missing, CredentialError::Missing { .. }), "nothing is kept: {missing}");
    error.to_string()
}

fn with(mut back: Url, change: impl Fn(&str, &str) -> Option<String>) -> Url {
    let pairs: Vec<_> = back
        .query_pairs()
        .filter_map(|(key, value)| Some((key.to_string(), change(&key, &value)?)))
        .collect();
    back.query_pairs_mut().clear().extend_pairs(pairs);
    back
}

#[tokio::test]
async fn sign_in_stores_the_token() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let visited = Arc::new(Mutex::new(Vec::new()));
    let seen = visited.clone();
    let browser = Browser(move |back: Url| {
        seen.lock().unwrap().push(back.clone());
        vec![back]
    });
    oauth.sign_in(&name("mail/login"), &server.client(), &browser).await.unwrap();

    let token = oauth.access_token(&name("mail/login"), &server.client()).await.unwrap();
    assert_eq!(shown(&token), "access-2");
    let back = visited.lock().unwrap()[0].clone();
    assert_eq!((back.scheme(), back.host_str(), back.path()), ("http", Some("127.0.0.1"), "/callback"));
    let requests = server.state().token_requests.clone();
    assert_eq!(requests.len(), 1);
    assert!(requests[0]["code_verifier"].len() >= 43, "RFC 7636, 4.1");
}

#[tokio::test]
async fn request_with_wrong_state_is_ignored() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let browser = Browser(|back: Url| {
        let other =
            with(back.clone(), |key, value| Some(if key == "state" { "x" } else { value }.to_owned()));
        let none = with(back.clone(), |key, value| (key != "state").then(|| value.to_owned()));
        let mut twice = back.clone();
        twice.query_pairs_mut().append_pair("state", "x");
        let mut refusal = other.clone();
        refusal.query_pairs_mut().append_pair("error", "access_denied");
        vec![other, none, twice, refusal, back]
    });
    oauth.sign_in(&name("mail/login"), &server.client(), &browser).await.unwrap();
    assert_eq!(server.state().token_requests.len(), 1, "the code of the right answer alone was used");
}

#[tokio::test]
async fn rejects_another_issuer() {
    let server = AuthServer::start().await;
    let answers_of = |iss: &'static [&'static str]| {
        Browser(move |mut back: Url| {
            for iss in iss {
                back.query_pairs_mut().append_pair("iss", iss);
            }
            vec![back]
        })
    };
    // The response names an issuer with another origin than the authorisation endpoint.
    assert!(refused(&server, answers_of(&["https://evil.example"])).await.contains("another server"));
    assert!(refused(&server, answers_of(&["not an address"])).await.contains("another server"));

    let own = server.address.clone();
    let of = |issuer: &str| OAuthClient { issuer: Some(issuer.to_owned()), ..server.client() };
    let sign_in = async |client: OAuthClient, named: Vec<String>| {
        let data = tempdir().unwrap();
        let oauth = oauth_in(&data, &TestClock::new()).await;
        let browser = Browser(move |mut back: Url| {
            for iss in &named {
                back.query_pairs_mut().append_pair("iss", iss);
            }
            vec![back]
        });
        oauth.sign_in(&name("mail/login"), &client, &browser).await
    };
    sign_in(server.client(), vec![format!("{own}/tenant")]).await.unwrap();
    sign_in(server.client(), vec![]).await.unwrap();
    sign_in(of("https://issuer.example"), vec!["https://issuer.example".into()]).await.unwrap();
    let before = server.state().token_requests.len();
    for named in [
        vec![],
        vec![own.clone()],
        vec!["https://issuer.example/".to_owned()],
        vec!["https://issuer.example".to_owned(), "https://issuer.example".to_owned()],
    ] {
        let error = sign_in(of("https://issuer.example"), named.clone()).await.unwrap_err();
        assert!(error.to_string().contains("another server"), "{named:?}: {error}");
    }
    assert_eq!(server.state().token_requests.len(), before, "no code was used");
}

#[tokio::test]
async fn rejects_unusable_tokens() {
    let server = AuthServer::start().await;
    for (answer, why) in [
        (r#"{"access_token":"leak","token_type":"mac"}"#, "a type that is not used"),
        (r#"{"access_token":"leak","token_type":"DPoP"}"#, "a type that is not used"),
        (r#"{"access_token":"","token_type":"Bearer"}"#, "empty or has characters"),
        (r#"{"access_token":"leak\nX: 1","token_type":"Bearer"}"#, "empty or has characters"),
        (r#"{"access_token":"le ak","token_type":"Bearer"}"#, "empty or has characters"),
        (r#"{"access_token":"leak\u00e9","token_type":"Bearer"}"#, "empty or has characters"),
        (r#"{"access_token":"leak","token_type":"Bearer","refresh_token":""}"#, "empty or has characters"),
        (
            r#"{"access_token":"leak","token_type":"Bearer","refresh_token":"a\u0000b"}"#,
            "empty or has characters",
        ),
    ] {
        let json = "Content-Type: application/json\r\n".to_owned();
        server.state().mode = Mode::Fixed("200 OK", json, answer.into());
        let error = refused(&server, browser()).await;
        assert!(error.contains(why) && !error.contains("leak"), "{answer}: {error}");
    }
}

#[tokio::test]
async fn only_the_access_token_leaves_the_store() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    oauth.sign_in(&name("mail/login"), &server.client(), &browser()).await.unwrap();
    let store = store_in(&data).await;
    let kept = store.get(&name("mail/login")).await.unwrap().unwrap();
    assert_eq!(shown(&kept), "access-2");
    // A key that the user pasted is returned as it is, even if it is JSON.
    for key in ["plain", r#"{"access":"a"}"#, r#"{"type":"service_account","access":"a","refresh":null}"#] {
        store.set(&name("other/key"), key.into()).await.unwrap();
        assert_eq!(shown(&store.get(&name("other/key")).await.unwrap().unwrap()), key);
    }
}

#[tokio::test]
async fn sign_in_stored_by_an_older_version_is_read() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let old = format!(
        r#"{{"access":"old-access","refresh":"old-refresh","renew_at":9999999999,"ends_at":9999999999,"server":"{}/token","client_id":"nova-desktop"}}"#,
        server.address
    );
    let store = store_in(&data).await;
    store.set(&name("mail/login"), old.into()).await.unwrap();
    assert_eq!(shown(&store.get(&name("mail/login")).await.unwrap().unwrap()), "old-access");
    let token = oauth.access_token(&name("mail/login"), &server.client()).await.unwrap();
    assert_eq!(shown(&token), "old-access");
}

#[tokio::test]
async fn denial_by_the_user_is_reported() {
    let server = AuthServer::start().await;
    let no = Browser(|back| {
        let mut back = with(back, |key, value| (key == "state").then(|| value.to_owned()));
        back.query_pairs_mut()
            .append_pair("error", "access_denied")
            .append_pair("error_description", "<b>no</b>");
        vec![back]
    });
    assert_eq!(refused(&server, no).await, "The sign-in failed: the server refused (access_denied).");
    let strange = Browser(|back| {
        let mut back = with(back, |key, value| (key == "state").then(|| value.to_owned()));
        back.query_pairs_mut().append_pair("error", "\u{1b}[31m<script>");
        vec![back]
    });
    assert_eq!(refused(&server, strange).await, "The sign-in failed: the server refused (without a reason).");
}

#[tokio::test]
async fn requests_for_other_paths_or_hosts_are_ignored() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let browser = Browser(|back: Url| {
        let mut icon = back.clone();
        icon.set_path("/favicon.ico");
        let mut renamed = back.clone();
        renamed.set_host(Some("localhost")).unwrap();
        vec![icon, renamed, back]
    });
    oauth.sign_in(&name("mail/login"), &server.client(), &browser).await.unwrap();
    assert_eq!(server.state().token_requests.len(), 1);
}

#[tokio::test]
async fn idle_connection_does_not_block_the_sign_in() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let idle = Arc::new(Mutex::new(Vec::new()));
    let kept = idle.clone();
    let browser = Browser(move |back: Url| {
        let port = back.port().unwrap();
        kept.lock().unwrap().push(std::net::TcpStream::connect(("127.0.0.1", port)).unwrap());
        vec![back]
    });
    oauth.sign_in(&name("mail/login"), &server.client(), &browser).await.unwrap();
    assert_eq!(idle.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn many_idle_connections_do_not_block_the_sign_in() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    // Far less than waiting for each connection would take.
    let oauth = oauth.with_limits(Duration::from_secs(30), Duration::from_secs(30));
    let idle = Arc::new(Mutex::new(Vec::new()));
    let kept = idle.clone();
    let browser = Browser(move |back: Url| {
        let port = back.port().unwrap();
        for _ in 0..100 {
            kept.lock().unwrap().push(std::net::TcpStream::connect(("127.0.0.1", port)).unwrap());
        }
        vec![back]
    });
    oauth.sign_in(&name("mail/login"), &server.client(), &browser).await.unwrap();
    assert_eq!(idle.lock().unwrap().len(), 100);
}

#[tokio::test]
async fn port_is_closed_after_the_first_answer() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let browser = Browser(move |back: Url| {
        if let Some(sender) = sender.lock().unwrap().take() {
            sender.send(back.port().unwrap()).unwrap();
        }
        vec![back.clone(), back]
    });
    oauth.sign_in(&name("mail/login"), &server.client(), &browser).await.unwrap();
    let port = receiver.await.unwrap();
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err());
    assert_eq!(server.state().token_requests.len(), 1);
}

#[tokio::test]
async fn page_echoes_nothing_of_the_request() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let browser = Browser(move |back: Url| {
        sender.lock().unwrap().take().unwrap().send(back).unwrap();
        Vec::new()
    });
    let visit = async {
        let mut back = receiver.await.unwrap();
        back.query_pairs_mut().append_pair("note", "<script>alert(1)</script>");
        let mut stream = TcpStream::connect(("127.0.0.1", back.port().unwrap())).await.unwrap();
        let ask = format!(
            "GET {}?{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n",
            back.path(),
            back.query().unwrap(),
            back.port().unwrap()
        );
        stream.write_all(ask.as_bytes()).await.unwrap();
        let mut page = String::new();
        stream.read_to_string(&mut page).await.unwrap();
        page
    };
    let client = server.client();
    let login = name("mail/login");
    let (signed_in, page) = tokio::join!(oauth.sign_in(&login, &client, &browser), visit);
    signed_in.unwrap();
    assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
    assert!(page.contains("default-src 'none'"), "{page}");
    assert!(!page.contains("script>") && !page.contains("code-"), "{page}");
}

#[tokio::test]
async fn rejects_reused_code() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let (login, used) = (name("mail/login"), Arc::new(Mutex::new(String::new())));
    let seen = used.clone();
    let browser = Browser(move |back: Url| {
        *seen.lock().unwrap() = back.query_pairs().find(|(key, _)| key == "code").unwrap().1.into_owned();
        vec![back]
    });
    oauth.sign_in(&login, &server.client(), &browser).await.unwrap();
    let old = used.lock().unwrap().clone();
    let again = Browser(move |back: Url| {
        vec![with(back, |key, value| Some(if key == "code" { old.clone() } else { value.to_owned() }))]
    });
    assert_eq!(refused(&server, again).await, "The sign-in failed: 127.0.0.1 refused (invalid_grant).");
}

#[tokio::test]
async fn sign_in_times_out_and_closes_the_port() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let oauth = oauth.with_limits(Duration::from_millis(300), Duration::from_secs(30));
    let port = Arc::new(Mutex::new(0));
    let seen = port.clone();
    let nobody = Browser(move |back: Url| {
        *seen.lock().unwrap() = back.port().unwrap();
        Vec::new()
    });
    let error = oauth.sign_in(&name("mail/login"), &server.client(), &nobody).await.unwrap_err();
    assert!(error.to_string().contains("nobody signed in"), "{error}");
    let port = *port.lock().unwrap();
    assert!(port == 0 || TcpStream::connect(("127.0.0.1", port)).await.is_err());
}

#[tokio::test]
async fn silent_or_invalid_token_server_is_reported() {
    let server = AuthServer::start().await;
    let json = "Content-Type: application/json\r\n".to_owned();
    for (mode, expected) in [
        (Mode::Silent, "no answer in 0.2 s"),
        (Mode::Fixed("200 OK", json.clone(), "{\"access_token\":\"leak".into()), "not a token response"),
        (
            Mode::Fixed("200 OK", "Content-Type: text/html\r\n".into(), "<p>leak".into()),
            "not a token response",
        ),
        (Mode::Fixed("503 Service Unavailable", json.clone(), "leak".into()), "status 503"),
        (Mode::Fixed("200 OK", json, "x".repeat(300_000)), "more than 262144 bytes"),
    ] {
        server.state().mode = mode;
        let data = tempdir().unwrap();
        let oauth = oauth_in(&data, &TestClock::new()).await;
        let oauth = oauth.with_limits(Duration::from_secs(60), Duration::from_millis(200));
        let error = oauth.sign_in(&name("mail/login"), &server.client(), &browser()).await.unwrap_err();
        // A machine under load may exceed the time limit in the other cases.
        let slow = error.to_string().contains("no answer");
        assert!(error.to_string().contains(expected) || slow, "{error}");
        assert!(!format!("{error:?}").contains("leak"), "{error:?}");
    }
}

#[tokio::test]
async fn redirect_of_the_token_server_is_not_followed() {
    let (server, elsewhere) = (AuthServer::start().await, AuthServer::start().await);
    for status in ["302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        server.state().mode =
            Mode::Fixed(status, format!("Location: {}/steal\r\n", elsewhere.address), String::new());
        let error = refused(&server, browser()).await;
        assert_eq!(error, "127.0.0.1 gave no token: it redirected.", "{status}");
    }
    assert!(elsewhere.state().other_requests.is_empty());
}

#[tokio::test]
async fn rejects_overriding_reserved_parameters() {
    let (server, data) = (AuthServer::start().await, tempdir().unwrap());
    let oauth = oauth_in(&data, &TestClock::new()).await;
    let mut client = server.client();
    client.extra = vec![("redirect_uri".into(), "https://evil.example/".into())];
    let error = oauth.sign_in(&name("mail/login"), &client, &browser()).await.unwrap_err();
    assert_eq!(error.to_string(), "The sign-in failed: the parameter redirect_uri is Nova's own.");
}
