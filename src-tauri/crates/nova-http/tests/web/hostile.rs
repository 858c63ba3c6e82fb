//! Redirects and name resolution controlled by hostile servers.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use nova_http::{Limits, Names, Web, WebError};
use nova_testkit::{Reply, WebServer, web_of};

use crate::{Gate, get, options};

#[tokio::test]
async fn answer_has_its_time_and_final_url() {
    let server = WebServer::start(|_| Reply::with(404, &[("x-a", "1"), ("x-a", "2")], "none here")).await;
    let gate = Gate::default();
    let answer = web_of(&[("api.weather.com", &server)])
        .send(get("http://api.weather.com/now?city=Oslo#top"), &gate)
        .await
        .expect("a status is an answer");
    assert_eq!((answer.status, answer.body.as_slice()), (404, b"none here".as_slice()));
    assert_eq!(answer.headers["x-a"], "1, 2");
    assert_eq!(answer.url.as_str(), "http://api.weather.com/now?city=Oslo");
    assert_eq!(answer.at, "2026-11-21T09:00:00Z");
    assert_eq!(gate.asked(), ["api.weather.com"]);
    let request = &server.requests()[0];
    assert_eq!(request.path, "/now?city=Oslo");
    assert_eq!(request.headers["host"], "api.weather.com");
    assert_eq!(request.headers["accept-encoding"], "identity");
}

#[tokio::test]
async fn gate_is_asked_before_each_host_is_resolved() {
    let other = WebServer::start(|_| Reply::text("secret")).await;
    let first = WebServer::start(|_| Reply::to(302, "http://other.example.com/x")).await;
    let web = web_of(&[("api.weather.com", &first), ("other.example.com", &other)]);
    let gate = Gate { closed: Some("other.example.com"), ..Gate::default() };
    let error = web.send(get("http://api.weather.com/"), &gate).await.expect_err("denied");
    assert!(matches!(error, WebError::NotAllowed(_)), "{error}");
    assert_eq!(gate.asked(), ["api.weather.com", "other.example.com"]);
    assert_eq!(other.requests(), []);
}

#[tokio::test]
async fn name_is_not_resolved_before_the_gate_allows_it() {
    struct Counting(AtomicUsize);
    #[async_trait]
    impl Names for &'static Counting {
        async fn lookup(&self, _: &str) -> std::io::Result<Vec<SocketAddr>> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Err(std::io::Error::other("no such name"))
        }
    }
    static LOOKUPS: Counting = Counting(AtomicUsize::new(0));
    let web = Web::new(options(&LOOKUPS, Limits::default()));
    let closed = Gate { closed: Some("my-secret.evil.example.com"), ..Gate::default() };
    web.send(get("http://my-secret.evil.example.com/"), &closed).await.expect_err("denied");
    assert_eq!(LOOKUPS.0.load(Ordering::SeqCst), 0);
    let error = web.send(get("http://a.example.com/"), &Gate::default()).await.expect_err("no such name");
    assert_eq!(error.to_string(), "a.example.com cannot be reached: no such name.");
}

/// Each name resolves to the first address at the first lookup, and to the last one afterwards.
#[derive(Clone)]
struct Looks {
    made: Arc<AtomicUsize>,
    answers: Vec<SocketAddr>,
}

impl Looks {
    fn always(answer: SocketAddr) -> Self {
        Self { made: Arc::default(), answers: vec![answer] }
    }
}

#[async_trait]
impl Names for Looks {
    async fn lookup(&self, _: &str) -> std::io::Result<Vec<SocketAddr>> {
        let made = self.made.fetch_add(1, Ordering::SeqCst);
        Ok(vec![self.answers[made.min(self.answers.len() - 1)]])
    }
}

#[tokio::test]
async fn redirect_into_this_machine_is_refused() {
    let inner = WebServer::start_at("127.0.0.2", |_| Reply::text("secret")).await;
    let port = inner.address().port();
    for target in [
        format!("http://127.0.0.2:{port}/"),
        format!("http://0x7f.2:{port}/"),
        format!("http://2130706434:{port}/"),
        format!("http://[::ffff:127.0.0.2]:{port}/"),
        format!("http://localhost:{port}/"),
    ] {
        let location = target.clone();
        let outer = WebServer::start(move |_| Reply::to(302, &location)).await;
        let names = Looks::always(outer.address());
        let web = Web::new(options(names, Limits::default()));
        let error = web.send(get("http://api.weather.com/"), &Gate::default()).await.expect_err("internal");
        assert!(matches!(error, WebError::Redirect { .. }), "{target}: {error}");
        assert!(error.to_string().contains("not a public address"), "{target}: {error}");
    }
    assert_eq!(inner.requests(), []);
}

#[tokio::test]
async fn name_that_resolves_to_this_machine_is_refused() {
    let inner = WebServer::start_at("127.0.0.2", |_| Reply::text("secret")).await;
    let web = Web::new(options(Looks::always(inner.address()), Limits::default()));
    let error = web.send(get("http://api.weather.com/"), &Gate::default()).await.expect_err("internal");
    assert_eq!(error.to_string(), "api.weather.com is not a public address.");
    assert_eq!(inner.requests(), []);
}

#[tokio::test]
async fn dns_rebinding_has_no_effect() {
    let inner = WebServer::start_at("127.0.0.2", |_| Reply::text("secret")).await;
    let outer = WebServer::start(|_| Reply::text("hello")).await;
    let looks = Looks { made: Arc::default(), answers: vec![outer.address(), inner.address()] };
    let web = Web::new(options(looks.clone(), Limits::default()));
    let gate = Gate::default();
    let first = web.send(get("http://api.weather.com/"), &gate).await.expect("public");
    assert_eq!(first.body, b"hello");
    assert_eq!(looks.made.load(Ordering::SeqCst), 1, "the checked address is the one used");
    let second = web.send(get("http://api.weather.com/"), &gate).await.expect_err("internal");
    assert!(matches!(second, WebError::Internal { .. }), "{second}");
    assert_eq!(inner.requests(), []);
}

#[tokio::test]
async fn only_the_addresses_that_pass_are_used() {
    struct Both([SocketAddr; 2]);
    #[async_trait]
    impl Names for Both {
        async fn lookup(&self, _: &str) -> std::io::Result<Vec<SocketAddr>> {
            Ok(self.0.to_vec())
        }
    }
    let inner = WebServer::start_at("127.0.0.2", |_| Reply::text("secret")).await;
    let outer = WebServer::start(|_| Reply::text("hello")).await;
    let web = Web::new(options(Both([inner.address(), outer.address()]), Limits::default()));
    let answer = web.send(get("http://api.weather.com/"), &Gate::default()).await.expect("public");
    assert_eq!(answer.body, b"hello");
    assert_eq!(inner.requests(), []);
}

#[tokio::test]
async fn credential_stays_with_its_host() {
    let other = WebServer::start(|_| Reply::text("thanks")).await;
    let first = WebServer::start(|request| match request.path.as_str() {
        "/" => Reply::to(307, "/moved"),
        _ => Reply::to(302, "http://other.example.com/"),
    })
    .await;
    let web = web_of(&[("api.weather.com", &first), ("other.example.com", &other)]);
    let mut request = get("http://api.weather.com/");
    request.headers = BTreeMap::from([
        ("Authorization".into(), "Bearer canary-1".into()),
        ("Cookie".into(), "session=canary-2".into()),
        ("X-Api-Key".into(), "canary-3".into()),
        ("Accept".into(), "text/plain".into()),
    ]);
    web.send(request, &Gate::default()).await.expect("followed");
    let within = &first.requests()[1];
    assert_eq!(within.headers["authorization"], "Bearer canary-1", "the same host gets it again");
    let elsewhere = &other.requests()[0];
    assert!(!format!("{elsewhere:?}").contains("canary"), "{elsewhere:?}");
    assert_eq!(elsewhere.headers["accept"], "text/plain");
}

#[tokio::test]
async fn cookies_are_not_kept() {
    let server = WebServer::start(|_| Reply::with(200, &[("set-cookie", "session=1")], "")).await;
    let web = web_of(&[("api.weather.com", &server)]);
    for _ in 0..2 {
        web.send(get("http://api.weather.com/"), &Gate::default()).await.expect("an answer");
    }
    assert!(server.requests().iter().all(|request| !request.headers.contains_key("cookie")));
}

#[tokio::test]
async fn body_is_not_resent_to_another_host() {
    let other = WebServer::start(|_| Reply::text("thanks")).await;
    let first = WebServer::start(|_| Reply::to(307, "http://other.example.com/")).await;
    let web = web_of(&[("api.weather.com", &first), ("other.example.com", &other)]);
    let mut request = get("http://api.weather.com/");
    request.method = "POST".into();
    request.body = Some(b"client_secret=canary".to_vec());
    let error = web.send(request, &Gate::default()).await.expect_err("refused");
    assert!(error.to_string().contains("the same body"), "{error}");
    assert_eq!(first.requests()[0].body, b"client_secret=canary");
    assert_eq!(other.requests(), []);
}

#[tokio::test]
async fn redirect_loop_ends() {
    let server = WebServer::start(|_| Reply::to(302, "/again")).await;
    let web = web_of(&[("api.weather.com", &server)]);
    let gate = Gate::default();
    let error = web.send(get("http://api.weather.com/"), &gate).await.expect_err("a loop");
    assert!(error.to_string().contains("more than 5 redirects"), "{error}");
    assert_eq!(server.requests().len(), 6);
    assert_eq!(gate.asked(), ["api.weather.com"], "one question per host");
}
