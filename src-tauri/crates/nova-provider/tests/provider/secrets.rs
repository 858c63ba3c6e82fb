//! Keys are sent only to their provider; the locality of providers.

use std::sync::Arc;

use nova_provider::{Locality, ProviderError, ProviderSettings, connect, locality_of};
use secrecy::SecretString;
use url::Url;

use crate::support::{Reply, Server, ask, body, settings};

const KEY: &str = "sk-geheim-0123456789";
const HEADER: &str = "header-geheim-987";
const STOP: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

fn with_secrets(server: &Server) -> ProviderSettings {
    ProviderSettings {
        key: Arc::new(|| Some(SecretString::from(format!("{KEY}\n")))),
        headers: vec![("x-account".into(), HEADER.into())],
        ..settings(server)
    }
}

fn assert_clean(error: &ProviderError) {
    let shown = format!("{error} {error:?} {}", error.hint());
    assert!(!shown.contains("geheim"), "{shown}");
}

#[tokio::test]
async fn key_and_headers_are_sent() {
    let server = Server::start([Reply::events(&body(&[STOP]))]).await;
    ask(&*connect("openai", with_secrets(&server)).unwrap()).await.unwrap();
    let sent = server.requests().remove(0);
    assert!(sent.contains(&format!("authorization: Bearer {KEY}\r\n")), "{sent}");
    assert!(sent.contains(&format!("x-account: {HEADER}\r\n")), "{sent}");
}

#[tokio::test]
async fn authorization_header_in_the_settings_wins() {
    let server = Server::start([Reply::events(&body(&[STOP]))]).await;
    let mut settings = with_secrets(&server);
    settings.headers = vec![("Authorization".into(), "Basic abc".into())];
    ask(&*connect("openai", settings).unwrap()).await.unwrap();
    let sent = server.requests().remove(0);
    assert!(sent.contains("authorization: Basic abc\r\n") && !sent.contains(KEY), "{sent}");
}

#[tokio::test]
async fn secrets_are_never_shown() {
    let server = Server::start([]).await;
    let settings = with_secrets(&server);
    assert!(!format!("{settings:?}").contains("geheim"));

    // Servers repeat what they received.
    let said = format!(r#"{{"error":{{"message":"bad key {KEY} of {HEADER}"}}}}"#);
    for reply in [
        Reply::new("401 No", "", &said),
        Reply::new("400 No", "", &said),
        Reply::new("400 No", "", &format!("plain {KEY}")),
        Reply::events(&body(&[&said])),
        Reply::new("200 OK", "", &said),
    ] {
        let server = Server::start([reply]).await;
        let error = ask(&*connect("openai", with_secrets(&server)).unwrap()).await.unwrap_err();
        assert!(error.to_string().contains('…'), "the server's message is missing: {error}");
        assert_clean(&error);
    }
    let error = ask(&*connect("openai", settings).unwrap()).await.unwrap_err();
    assert_clean(&error);
}

#[tokio::test]
async fn invalid_key_is_not_shown() {
    let server = Server::start([Reply::new("401 No", "", "")]).await;
    let key = || Some(SecretString::from(format!("{KEY}\u{7}x")));
    let settings = ProviderSettings { key: Arc::new(key), ..settings(&server) };
    assert_clean(&ask(&*connect("openai", settings).unwrap()).await.unwrap_err());

    let headers = vec![("x-account".to_owned(), format!("{HEADER}\n"))];
    let settings = ProviderSettings { headers, ..ProviderSettings::new("test") };
    assert_clean(&connect("openai", settings).err().unwrap());
}

#[tokio::test]
async fn key_is_not_sent_over_http_to_another_machine() {
    let server = Server::start([]).await;
    // Not recognised as loopback.
    let far = Some(server.address.replace("127.0.0.1", "0.0.0.0"));
    let header = |name: &str| vec![(name.to_owned(), KEY.to_owned())];
    for kind in ["openai", "openai_responses", "anthropic", "gemini", "ollama"] {
        for settings in [
            ProviderSettings { base_url: far.clone(), headers: Vec::new(), ..with_secrets(&server) },
            ProviderSettings { base_url: far.clone(), headers: header("authorization"), ..settings(&server) },
            ProviderSettings { base_url: far.clone(), headers: header("X-API-Key"), ..settings(&server) },
            ProviderSettings {
                base_url: far.clone(),
                headers: header("X-Goog-Api-Key"),
                ..settings(&server)
            },
        ] {
            let provider = connect(kind, settings).unwrap();
            for error in [ask(&*provider).await.unwrap_err(), provider.models().await.unwrap_err()] {
                assert!(error.to_string().contains("could read its key"), "{kind}: {error}");
                assert_clean(&error);
            }
        }
    }
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn redirect_is_not_followed() {
    let other = Server::start([Reply::events(&body(&[STOP]))]).await;
    let to = format!("location: {}/v1/chat/completions\r\n", other.address);
    let server = Server::start([Reply::new("307 Elsewhere", &to, "")]).await;
    let error = ask(&*connect("openai", with_secrets(&server)).unwrap()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "provider_bad_response");
    assert!(error.to_string().contains("redirects to 127.0.0.1"), "{error}");
    assert_eq!(other.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn loopback_is_reached_without_the_proxy() {
    let proxy = Server::start([]).await;
    let server = Server::start([Reply::events(&body(&[STOP]))]).await;
    let mut settings = settings(&server);
    settings.proxy = Some(Url::parse(&proxy.address).unwrap());
    settings.base_url = Some(server.address.replace("127.0.0.1", "localhost"));
    ask(&*connect("openai", settings.clone()).unwrap()).await.unwrap();
    assert_eq!(proxy.requests(), Vec::<String>::new());

    // Requests to a remote address use the proxy.
    settings.base_url = Some("http://nova.invalid/v1".into());
    ask(&*connect("openai", settings).unwrap()).await.unwrap_err();
    assert!(proxy.requests()[0].starts_with("POST http://nova.invalid/v1/chat/completions "));
}

#[test]
fn only_loopback_is_local() {
    let remote = |host: &str| Locality::Remote { host: host.into() };
    for (address, expected) in [
        ("http://127.0.0.1:11434", Locality::Local),
        ("http://127.8.8.8/v1", Locality::Local),
        ("http://[::1]:1/", Locality::Local),
        ("http://[::ffff:127.0.0.1]/", Locality::Local),
        ("http://LOCALHOST:1234/v1", Locality::Local),
        ("http://0.0.0.0:11434", remote("0.0.0.0:11434")),
        ("http://192.168.1.5:11434", remote("192.168.1.5:11434")),
        ("http://localhost.example.com/", remote("localhost.example.com")),
        ("http://127.0.0.1.example.com/", remote("127.0.0.1.example.com")),
        ("https://api.openai.com/v1", remote("api.openai.com")),
        ("https://api.openai.com:443/v1", remote("api.openai.com")),
    ] {
        assert_eq!(locality_of(&Url::parse(address).unwrap()), expected, "{address}");
    }
    assert_eq!(connect("openai", ProviderSettings::new("o")).unwrap().locality(), remote("api.openai.com"));
    assert_eq!(connect("ollama", ProviderSettings::new("o")).unwrap().locality(), Locality::Local);
}
