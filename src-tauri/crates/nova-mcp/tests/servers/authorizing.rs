//! Remote servers that require an OAuth token.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nova_mcp::{Pause, Phase, TroubleKind};
use serde_json::{Value, json};

use crate::at_an_address::{plain, server};
use crate::support::{Servers, until};

const PAGE: &str = "Content-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

fn unauthorized() -> String {
    let challenge = "WWW-Authenticate: Bearer scope=\"read\"";
    format!("HTTP/1.1 401 Unauthorized\r\n{challenge}\r\n{PAGE}")
}

fn token_in(head: &str) -> Option<String> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let header = lines.find(|(name, _)| name.eq_ignore_ascii_case("authorization"))?.1;
    header.strip_prefix("Bearer ").map(str::to_owned)
}

/// Accepts only `good-token`.
fn secured(head: &str, body: &str) -> String {
    if token_in(head).as_deref() == Some("good-token") { plain(head, body) } else { unauthorized() }
}

fn tokens(servers: &Servers, tokens: &[&'static str]) {
    servers.memory.tokens.lock().unwrap().insert("docs".into(), tokens.to_vec());
}

#[tokio::test]
async fn refused_request_is_repeated_with_the_token_of_a_sign_in() {
    let (url, asked) = server(secured).await;
    let servers = Servers::new();
    tokens(&servers, &["good-token"]);
    servers.agree(&json!({ "docs": {"url": url} }));
    servers.ready().await;
    assert_eq!(servers.call("docs", "echo", json!({"text": "good-token"})).await.unwrap(), "[REDACTED]");
    let without = asked.lock().unwrap().iter().filter(|(head, _)| token_in(head).is_none()).count();
    assert_eq!(without, 1, "only the first request has no token");
}

#[tokio::test]
async fn expired_token_is_refreshed_and_the_request_repeated() {
    let (url, _) = server(secured).await;
    let servers = Servers::new();
    tokens(&servers, &["old-token", "good-token"]);
    servers.agree(&json!({ "docs": {"url": url} }));
    servers.ready().await;
    servers.ready().await;
    // The first attempt has the expired token, and reports that.
    let (mcp, asked) = (&servers.mcp, &servers.memory.asked_for_tokens);
    mcp.restart("docs").await.unwrap().unwrap();
    assert_eq!(servers.call("docs", "echo", json!({"text": "hi"})).await.unwrap(), "hi");
    assert!(asked.lock().unwrap().contains(&Some("old-token".to_owned())));
}

#[tokio::test]
async fn server_that_refuses_every_token_is_not_asked_endlessly() {
    let (url, asked) = server(|_, _| unauthorized()).await;
    let servers = Servers::new();
    tokens(&servers, &["a-token", "b-token", "c-token"]);
    servers.agree(&json!({ "docs": {"url": url} }));
    servers.ready().await;
    let trouble = servers.mcp.restart("docs").await.unwrap().unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::NeedsSignIn);
    let why = trouble.line();
    assert!(why.starts_with("docs needs a sign-in. Sign in under"), "{why}");
    assert!(why.ends_with("nova mcp probe docs --auth."), "{why}");
    // At most three starts with two handshakes each, each repeated with another token.
    let asked = asked.lock().unwrap().len();
    assert!(asked <= 12, "{asked}");
    assert_eq!(servers.mcp.sign_in_wanted("docs").unwrap().scopes, ["read"]);
}

#[tokio::test]
async fn missing_scope_fails_only_the_call() {
    let (url, asked) = server(|head, body| {
        let message: Value = serde_json::from_str(body).unwrap_or_default();
        if message["method"] != "tools/call" || message["params"]["arguments"]["text"] != "more" {
            return secured(head, body);
        }
        let challenge = "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"write\"";
        format!("HTTP/1.1 403 Forbidden\r\n{challenge}\r\n{PAGE}")
    })
    .await;
    let servers = Servers::new();
    tokens(&servers, &["good-token"]);
    servers.agree(&json!({ "docs": {"url": url} }));
    servers.ready().await;
    let before = asked.lock().unwrap().len();
    let error = servers.call("docs", "echo", json!({"text": "more"})).await.unwrap_err().to_string();
    assert!(error.contains("docs needs a sign-in with more permissions: write."), "{error}");
    assert_eq!(asked.lock().unwrap().len(), before + 1, "a refused token is not retried");
    assert!(servers.mcp.sign_in_wanted("docs").unwrap().insufficient_scope);
    assert_eq!(servers.call("docs", "echo", json!({"text": "hi"})).await.unwrap(), "hi");
    assert_eq!(servers.phase("docs"), Phase::Ready);
}

#[tokio::test]
async fn revoked_token_makes_the_server_need_a_sign_in() {
    static REVOKED: AtomicBool = AtomicBool::new(false);
    let (url, _) = server(|head, body| match REVOKED.load(Ordering::SeqCst) {
        true => unauthorized(),
        false => secured(head, body),
    })
    .await;
    let servers = Servers::new();
    tokens(&servers, &["good-token"]);
    servers.agree(&json!({ "docs": {"url": url} }));
    servers.ready().await;
    assert_eq!(servers.phase("docs"), Phase::Ready);
    REVOKED.store(true, Ordering::SeqCst);
    let error = servers.call("docs", "echo", json!({"text": "hi"})).await.unwrap_err().to_string();
    assert!(error.contains("docs needs a sign-in."), "{error}");
    assert!(matches!(servers.phase("docs"), Phase::NeedsSignIn(_)));
    // The user signs in again.
    REVOKED.store(false, Ordering::SeqCst);
    servers.mcp.sign_ins_changed();
    servers.mcp.restart("docs").await.unwrap().unwrap();
    assert_eq!(servers.call("docs", "echo", json!({"text": "hi"})).await.unwrap(), "hi");
}

#[tokio::test]
async fn server_awaiting_a_sign_in_is_not_contacted() {
    let (url, asked) = server(secured).await;
    let pause = Pause { first: Duration::from_millis(1), longest: Duration::from_millis(1) };
    let servers = Servers::with_options(Arc::default(), |options| options.pause = pause);
    let closed = "http://127.0.0.1:9/mcp";
    servers.agree(&json!({ "docs": {"url": url}, "closed": {"url": closed} }));
    servers.ready().await;
    assert!(matches!(servers.phase("docs"), Phase::NeedsSignIn(_)));
    let before = asked.lock().unwrap().len();
    let closed = || servers.mcp.statuses().into_iter().find(|server| server.id == "closed").unwrap();
    until(|| closed().failures >= 5).await;
    assert_eq!(asked.lock().unwrap().len(), before);
    tokens(&servers, &["good-token"]);
    servers.mcp.sign_ins_changed();
    until(|| servers.phase("docs") == Phase::Ready).await;
}

#[tokio::test]
async fn configured_authorization_header_is_the_only_one() {
    let (url, asked) = server(|_, _| unauthorized()).await;
    let servers = Servers::new();
    let headers = json!({"authorization": "Bearer mine"});
    servers.agree(&json!({ "docs": {"url": url, "headers": headers} }));
    tokens(&servers, &["good-token"]);
    servers.ready().await;
    let why = servers.failed("docs");
    assert!(why.starts_with("docs refuses the token in its headers."), "{why}");
    assert!(asked.lock().unwrap().iter().all(|(head, _)| token_in(head).as_deref() == Some("mine")));
    assert!(servers.memory.asked_for_tokens.lock().unwrap().is_empty());
}
