//! Signing in for a server by its own documents, including malicious ones.

use std::time::Duration;

use nova_credentials::{Challenge, ClientSettings, CredentialError, OAuth, ProtectedResource};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use url::Url;

use crate::auth_server::{AuthServer, Browser, Mode, browser};
use crate::signing_in::oauth_in;
use crate::support::{TestClock, name, shown};

const RESOURCE_METADATA_PATH: &str = "/.well-known/oauth-protected-resource/mcp";
const SERVER_METADATA_PATH: &str = "/.well-known/oauth-authorization-server";

/// A server that is its own authorisation server; `change` may corrupt its valid documents.
async fn server(change: impl Fn(&str, &mut Value)) -> (AuthServer, ProtectedResource) {
    let server = AuthServer::start().await;
    let at = |path: &str| format!("{}{path}", server.address);
    let mut documents = [
        (
            RESOURCE_METADATA_PATH,
            json!({"resource": at("/mcp"), "authorization_servers": [at("")], "scopes_supported": ["a"]}),
        ),
        (
            SERVER_METADATA_PATH,
            json!({
                "issuer": at(""), "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
                "registration_endpoint": at("/register"), "code_challenge_methods_supported": ["S256"],
            }),
        ),
        ("/register", json!({"client_id": "nova-desktop", "client_secret": ""})),
    ];
    for (path, document) in &mut documents {
        change(path, document);
        put(&server, path, "200 OK", &document.to_string());
    }
    let url = at("/mcp").parse().unwrap();
    (server, ProtectedResource { url, challenge: Challenge::default(), client: ClientSettings::default() })
}

fn put(server: &AuthServer, path: &str, status: &'static str, body: &str) {
    let headers = "Content-Type: application/json\r\n".to_owned();
    server.state().documents.insert(path.to_owned(), (status, headers, body.to_owned()));
}

async fn oauth(data: &TempDir) -> OAuth {
    oauth_in(data, &TestClock::new()).await
}

/// The error of a sign-in that must fail before the user is sent anywhere.
async fn refused(resource: &ProtectedResource) -> String {
    let data = tempdir().unwrap();
    let never = Browser(|_: Url| -> Vec<Url> { panic!("nobody is sent there") });
    let oauth = oauth(&data).await.with_limits(Duration::from_secs(60), Duration::from_secs(1));
    let error = oauth.sign_in_for(&name("mcp-sign-in/docs"), resource, &never).await.unwrap_err();
    assert!(!error.hint().is_empty(), "{error}");
    let line = error.to_string();
    assert!(!line.contains('\n') && line.len() < 200, "{line}");
    line
}

fn requests(server: &AuthServer) -> Vec<String> {
    let state = server.state();
    let first = |request: &String| request.lines().next().unwrap_or_default().to_owned();
    state.other_requests.iter().map(first).collect()
}

#[tokio::test]
async fn server_documents_lead_to_a_token_for_the_server() {
    let (server, resource) = server(|_, _| ()).await;
    let (data, clock, login) = (tempdir().unwrap(), TestClock::new(), name("mcp-sign-in/docs"));
    let oauth = oauth_in(&data, &clock).await;
    oauth.sign_in_for(&login, &resource, &browser()).await.unwrap();

    let asked = server.state().authorize_requests[0].clone();
    assert_eq!((asked["resource"].as_str(), asked["scope"].as_str()), (resource.url.as_str(), "a"));
    let registered =
        server.state().other_requests.iter().find(|request| request.contains("/register")).cloned();
    let registered: Value =
        serde_json::from_str(registered.unwrap().split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(registered["redirect_uris"][0], asked["redirect_uri"]);
    assert_eq!(registered["token_endpoint_auth_method"], "none");

    // It also works in another process, which has only the store, after the token's expiry.
    clock.advance(3600);
    let later = oauth_in(&data, &clock).await;
    let client = later.client_for(&login, &resource.url).await.unwrap().expect("a sign-in");
    assert_eq!(shown(&later.access_token(&login, &client).await.unwrap()), "access-3");
    let exchanged = server.state().token_requests.clone();
    assert!(exchanged.iter().all(|form| form["resource"] == resource.url.as_str()), "{exchanged:?}");
    let elsewhere = "http://127.0.0.1:1/mcp".parse().unwrap();
    assert!(later.client_for(&login, &elsewhere).await.unwrap().is_none(), "a token is for one server");
}

#[tokio::test]
async fn step_up_requests_previous_and_additional_scopes() {
    let (server, mut resource) = server(|_, _| ()).await;
    let (data, login) = (tempdir().unwrap(), name("mcp-sign-in/docs"));
    let oauth = oauth(&data).await;
    resource.challenge = Challenge::read("Bearer scope=\"read\"");
    oauth.sign_in_for(&login, &resource, &browser()).await.unwrap();
    resource.challenge = Challenge::read("Bearer error=\"insufficient_scope\", scope=\"write\"");
    oauth.sign_in_for(&login, &resource, &browser()).await.unwrap();
    let scopes: Vec<_> =
        server.state().authorize_requests.iter().map(|asked| asked["scope"].clone()).collect();
    assert_eq!(scopes, ["read", "read write"]);
}

#[tokio::test]
async fn given_client_authenticates_by_the_servers_method() {
    let (server, mut resource) = server(|path, document| {
        if path == SERVER_METADATA_PATH {
            document["token_endpoint_auth_methods_supported"] = json!(["client_secret_post"]);
        }
    })
    .await;
    server.state().client_secret = Some("the-secret".into());
    resource.client.id = Some("nova-desktop".into());
    resource.client.secret = Some("the-secret".into());
    let data = tempdir().unwrap();
    oauth(&data).await.sign_in_for(&name("mcp-sign-in/docs"), &resource, &browser()).await.unwrap();
    assert!(!requests(&server).iter().any(|line| line.contains("/register")), "it is known already");
}

#[tokio::test]
async fn malicious_documents_fail_before_anything_is_opened() {
    type Change = fn(&str, &mut Value);
    let cases: [(&str, Change); 9] = [
        ("describe another server", |path, document| {
            if path == RESOURCE_METADATA_PATH {
                document["resource"] = json!("https://mcp.example.com/mcp");
            }
        }),
        ("name another issuer (evil.example)", |path, document| {
            if path == SERVER_METADATA_PATH {
                document["issuer"] = json!("https://evil.example");
            }
        }),
        ("it is not a public address", |path, document| {
            if path == SERVER_METADATA_PATH {
                document["token_endpoint"] = json!("https://169.254.169.254/token");
            }
        }),
        ("http is not encrypted", |path, document| {
            if path == SERVER_METADATA_PATH {
                document["authorization_endpoint"] = json!("http://login.example.com/authorize");
            }
        }),
        ("it is neither https nor http", |path, document| {
            if path == SERVER_METADATA_PATH {
                document["authorization_endpoint"] = json!("file:///etc/passwd");
            }
        }),
        ("does not protect the code (PKCE, S256)", |path, document| {
            if path == SERVER_METADATA_PATH {
                document.as_object_mut().unwrap().remove("code_challenge_methods_supported");
            }
        }),
        ("does not protect the code (PKCE, S256)", |path, document| {
            if path == SERVER_METADATA_PATH {
                document["code_challenge_methods_supported"] = json!(["plain"]);
            }
        }),
        ("does not let programs register", |path, document| {
            if path == SERVER_METADATA_PATH {
                document.as_object_mut().unwrap().remove("registration_endpoint");
            }
        }),
        ("did not register Nova (status 200)", |path, document| {
            if path == "/register" {
                *document = json!("<html>welcome</html>");
            }
        }),
    ];
    for (expected, change) in cases {
        let (server, resource) = server(change).await;
        let error = refused(&resource).await;
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(server.state().token_requests.is_empty(), "{expected}");
    }
}

#[tokio::test]
async fn remote_server_cannot_lead_to_this_machine() {
    let (server, mut resource) = server(|_, _| ()).await;
    resource.url = "https://mcp.example.com/mcp".parse().unwrap();
    let metadata = format!("Bearer resource_metadata=\"{}{RESOURCE_METADATA_PATH}\"", server.address);
    resource.challenge = Challenge::read(&metadata);
    let error = refused(&resource).await;
    assert!(error.contains("it leads to this machine"), "{error}");
    assert_eq!(requests(&server), Vec::<String>::new());
}

#[tokio::test]
async fn huge_slow_and_invalid_documents_are_bounded() {
    let (server, resource) = server(|_, _| ()).await;
    put(&server, SERVER_METADATA_PATH, "200 OK", &format!("{{\"issuer\":\"{}\"}}", "x".repeat(1 << 20)));
    let error = refused(&resource).await;
    assert!(error.contains("more than 262144 bytes"), "{error}");
    put(&server, SERVER_METADATA_PATH, "200 OK", "<html>Please sign in</html>");
    let error = refused(&resource).await;
    assert!(error.contains("has no metadata"), "{error}");
    // It reads the request and never responds.
    put(&server, SERVER_METADATA_PATH, "", "");
    let error = refused(&resource).await;
    assert!(error.contains("no answer in 1 s"), "{error}");
    let led = ("302 Found", "Location: http://169.254.169.254/latest\r\n".to_owned(), String::new());
    server.state().documents.insert(SERVER_METADATA_PATH.into(), led);
    let error = refused(&resource).await;
    assert!(error.contains("has no metadata"), "{error}");
    assert!(server.state().token_requests.is_empty());
}

#[tokio::test]
async fn rejects_response_without_the_promised_issuer() {
    let (server, resource) = server(|path, document| {
        if path == SERVER_METADATA_PATH {
            document["authorization_response_iss_parameter_supported"] = json!(true);
        }
    })
    .await;
    let data = tempdir().unwrap();
    let oauth = oauth(&data).await;
    let login = name("mcp-sign-in/docs");
    let error = oauth.sign_in_for(&login, &resource, &browser()).await.unwrap_err();
    assert!(error.to_string().contains("names another server as its issuer"), "{error}");
    let issuer = server.address.clone();
    let telling = Browser(move |mut back: Url| {
        back.query_pairs_mut().append_pair("iss", &issuer);
        vec![back]
    });
    oauth.sign_in_for(&login, &resource, &telling).await.unwrap();
}

#[tokio::test]
async fn token_of_another_type_is_not_stored() {
    let (server, resource) = server(|_, _| ()).await;
    let token = r#"{"access_token":"x","token_type":"mac"}"#.to_owned();
    server.state().mode = Mode::Fixed("200 OK", "Content-Type: application/json\r\n".into(), token);
    let (data, login) = (tempdir().unwrap(), name("mcp-sign-in/docs"));
    let oauth = oauth(&data).await;
    let error = oauth.sign_in_for(&login, &resource, &browser()).await.unwrap_err();
    assert!(matches!(error, CredentialError::TokenServer { .. }), "{error}");
    assert!(oauth.client_for(&login, &resource.url).await.unwrap().is_none());
}
