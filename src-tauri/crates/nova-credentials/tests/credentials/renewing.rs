use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::Arc;

use nova_credentials::{CredentialError, OAuth};
use tempfile::{TempDir, tempdir};
use tokio::sync::Barrier;

use crate::auth_server::{AuthServer, Mode, browser};
use crate::children::{SERVER, answer_in, child, start};
use crate::signing_in::oauth_in;
use crate::support::{TestClock, name, shown, store_in};

struct SignedIn {
    server: AuthServer,
    data: TempDir,
    clock: TestClock,
    oauth: OAuth,
}

/// A sign-in with a token that is valid for an hour.
async fn signed_in() -> SignedIn {
    let (server, data, clock) = (AuthServer::start().await, tempdir().unwrap(), TestClock::new());
    let oauth = oauth_in(&data, &clock).await;
    oauth.sign_in(&name("mail/login"), &server.client(), &browser()).await.unwrap();
    SignedIn { server, data, clock, oauth }
}

impl SignedIn {
    async fn token(&self) -> Result<String, CredentialError> {
        let token = self.oauth.access_token(&name("mail/login"), &self.server.client()).await;
        token.map(|token| shown(&token).to_owned())
    }
}

#[tokio::test]
async fn token_is_renewed_a_minute_before_its_expiry() {
    let it = signed_in().await;
    it.clock.advance(3600 - 61);
    assert_eq!(it.token().await.unwrap(), "access-2");
    assert_eq!(it.server.refreshes(), 0);
    it.clock.advance(1);
    assert_eq!(it.token().await.unwrap(), "access-3");
    assert_eq!(it.token().await.unwrap(), "access-3");
    assert_eq!(it.server.refreshes(), 1);
}

#[tokio::test]
async fn each_renewal_uses_the_latest_refresh_token() {
    let it = signed_in().await;
    for expected in ["access-3", "access-4", "access-5"] {
        it.clock.advance(4000);
        assert_eq!(it.token().await.unwrap(), expected);
    }
    let used: Vec<_> =
        it.server.state().token_requests[1..].iter().map(|form| form["refresh_token"].clone()).collect();
    assert_eq!(used, ["refresh-2", "refresh-3", "refresh-4"]);
}

#[tokio::test]
async fn refresh_token_is_retained_if_no_new_one_is_sent() {
    let it = signed_in().await;
    it.server.state().rotates = false;
    for expected in ["access-3", "access-4"] {
        it.clock.advance(4000);
        assert_eq!(it.token().await.unwrap(), expected);
    }
    let used: HashSet<_> =
        it.server.state().token_requests[1..].iter().map(|form| form["refresh_token"].clone()).collect();
    assert_eq!(used, HashSet::from(["refresh-2".to_owned()]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_tasks_send_one_request() {
    let it = Arc::new(signed_in().await);
    it.clock.advance(4000);
    let barrier = Arc::new(Barrier::new(20));
    let asking = (0..20).map(|_| {
        let (it, barrier) = (it.clone(), barrier.clone());
        tokio::spawn(async move {
            barrier.wait().await;
            it.token().await.unwrap()
        })
    });
    for asked in asking.collect::<Vec<_>>() {
        assert_eq!(asked.await.unwrap(), "access-3");
    }
    assert_eq!(it.server.refreshes(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_processes_send_one_request() {
    let it = signed_in().await;
    let mut children = Vec::new();
    for _ in 0..2 {
        let mut command = child("token", it.data.path());
        command.env(SERVER, &it.server.address);
        let mut child = start(command);
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("READY") {
            line.clear();
            assert_ne!(out.read_line(&mut line).unwrap(), 0, "the child ended");
        }
        children.push((child, out));
    }
    for (child, _) in &mut children {
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    }
    for (mut child, mut out) in children {
        let output = tokio::task::spawn_blocking(move || {
            let mut output = String::new();
            out.read_to_string(&mut output).unwrap();
            assert!(child.wait().unwrap().success(), "{output}");
            output
        });
        assert_eq!(answer_in(&output.await.unwrap()), "access-3");
    }
    assert_eq!(it.server.refreshes(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn refused_renewal_needs_a_sign_in_and_is_not_retried() {
    let it = Arc::new(signed_in().await);
    it.clock.advance(4000);
    let body = r#"{"error":"invalid_grant","error_description":"refresh-2 was revoked"}"#.to_owned();
    it.server.state().mode =
        Mode::Fixed("400 Bad Request", "Content-Type: application/json\r\n".into(), body);
    let asking = (0..5).map(|_| {
        let it = it.clone();
        tokio::spawn(async move { it.token().await.unwrap_err() })
    });
    for asked in asking.collect::<Vec<_>>() {
        let error = asked.await.unwrap();
        assert_eq!(error.code().as_str(), "needs_sign_in", "{error}");
        assert!(!format!("{error:?}").contains("refresh-2"), "{error:?}");
    }
    assert_eq!(it.server.refreshes(), 1);

    it.server.state().mode = Mode::Normal;
    it.oauth.sign_in(&name("mail/login"), &it.server.client(), &browser()).await.unwrap();
    assert_eq!(it.token().await.unwrap(), "access-4");
}

#[tokio::test]
async fn failing_token_server_does_not_end_the_sign_in() {
    let it = signed_in().await;
    it.server.state().mode = Mode::Fixed("502 Bad Gateway", String::new(), "x".into());
    it.clock.advance(3600 - 30);
    assert_eq!(it.token().await.unwrap(), "access-2", "it is good for 30 s yet");
    it.clock.advance(30);
    let error = it.token().await.unwrap_err();
    assert!(matches!(error, CredentialError::TokenServer { .. }), "{error}");
    it.server.state().mode = Mode::Normal;
    assert_eq!(it.token().await.unwrap(), "access-3");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn refused_token_is_renewed_once() {
    let it = Arc::new(signed_in().await);
    let refused = it.oauth.access_token(&name("mail/login"), &it.server.client()).await.unwrap();
    let asking = (0..5).map(|_| {
        let (it, refused) = (it.clone(), refused.clone());
        tokio::spawn(async move {
            let token = it.oauth.after_refusal(&name("mail/login"), &it.server.client(), &refused).await;
            shown(&token.unwrap()).to_owned()
        })
    });
    for asked in asking.collect::<Vec<_>>() {
        assert_eq!(asked.await.unwrap(), "access-3");
    }
    assert_eq!(it.server.refreshes(), 1);
}

#[tokio::test]
async fn refresh_token_is_sent_to_no_other_server() {
    let (it, evil) = (signed_in().await, AuthServer::start().await);
    it.clock.advance(4000);
    let error = it.oauth.access_token(&name("mail/login"), &evil.client()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "needs_sign_in");
    assert!(evil.state().token_requests.is_empty());
    assert_eq!(it.token().await.unwrap(), "access-3", "the sign-in itself is untouched");
}

#[tokio::test]
async fn entered_key_is_not_a_sign_in() {
    let it = signed_in().await;
    store_in(&it.data).await.set(&name("mail/key"), "typed".into()).await.unwrap();
    let error = it.oauth.access_token(&name("mail/key"), &it.server.client()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "needs_sign_in");
    let error = it.oauth.access_token(&name("mail/gone"), &it.server.client()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "credential_needed");
}
