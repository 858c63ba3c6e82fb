use std::sync::Arc;

use nova_http::{Web, WebError, WebOptions, named_server};
use nova_testkit::{Dovecot, FixedClock, Reply, WebServer, web_trusting};

use super::{Gate, get};

#[test]
fn named_server_is_public_by_https_or_on_this_machine() {
    let allowed = |url: &str| named_server(&url.parse().expect("an address"));
    for url in ["https://mcp.example.com/mcp", "https://1.1.1.1/", "http://localhost:3000/", "http://[::1]/"]
    {
        assert!(allowed(url).is_ok(), "{url}");
    }
    for url in [
        "http://mcp.example.com/mcp",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "http://192.168.1.1/",
        "https://printer.local/",
        "https://intranet/",
        "https://0.0.0.0/",
        "ftp://localhost/",
        "https://a:b@mcp.example.com/",
    ] {
        assert!(allowed(url).is_err(), "{url}");
    }
    let (here, public) =
        (allowed("http://localhost/").expect("here"), allowed("https://a.example.com/").expect("public"));
    for (address, is_here, is_public) in [
        ("127.0.0.1", true, false),
        ("::1", true, false),
        ("10.0.0.1", false, false),
        ("1.1.1.1", false, true),
    ] {
        let address = address.parse().expect("an address");
        assert_eq!((here(address), public(address)), (is_here, is_public), "{address}");
    }
}

/// The public internet, with the system's resolver.
fn public() -> Web {
    Web::new(WebOptions::new(Arc::new(FixedClock::default())))
}

#[tokio::test]
async fn named_local_server_is_reached_after_the_gate_was_asked() {
    let server = WebServer::start(|_| Reply::text("here")).await;
    let port = server.address().port();
    let gate = Gate::default();
    for host in ["localhost", "127.0.0.1"] {
        let answer = public().send_to_named(get(&format!("http://{host}:{port}/search")), &gate).await;
        assert_eq!(answer.expect("an answer").body, b"here");
    }
    let named = format!("127.0.0.1:{port}");
    assert_eq!(gate.asked(), [named.clone(), named]);
    // Without being named it stays unreachable.
    let refused = public().send(get(&format!("http://localhost:{port}/")), &gate).await;
    assert!(matches!(refused, Err(WebError::Internal { .. })), "{refused:?}");
    let closed = Gate { closed: Some("127.0.0.1:9"), ..Gate::default() };
    let denied = public().send_to_named(get("http://127.0.0.1:9/"), &closed).await;
    assert!(matches!(denied, Err(WebError::NotAllowed(_))), "{denied:?}");
}

#[tokio::test]
async fn named_server_cannot_redirect_into_the_network() {
    for location in ["/elsewhere", "http://127.0.0.1:9/", "https://example.com/"] {
        let server = WebServer::start(move |_| Reply::to(302, location)).await;
        let url = format!("http://127.0.0.1:{}/", server.address().port());
        let answer = public().send_to_named(get(&url), &Gate::default()).await;
        assert!(matches!(answer, Err(WebError::Redirect { .. })), "{location}: {answer:?}");
        assert_eq!(server.requests().len(), 1);
    }
    for url in
        ["http://192.168.1.10:8080/", "http://search.example.com/", "https://10.0.0.1/", "http://router/"]
    {
        let answer = public().send_to_named(get(url), &Gate::default()).await;
        assert!(
            matches!(answer, Err(WebError::Plain { .. } | WebError::Internal { .. })),
            "{url}: {answer:?}"
        );
    }
}

#[tokio::test]
async fn connection_requires_a_matching_certificate() {
    let server = Dovecot::start();
    let gate = Gate::default();
    let trusting = web_trusting(&[&server]);
    let connected = trusting.connect_to_named("127.0.0.1", server.port(), &gate).await;
    assert!(connected.is_ok(), "{connected:?}");
    assert_eq!(gate.asked(), [format!("127.0.0.1:{}", server.port())]);
    for (web, host) in [(&public(), "127.0.0.1"), (&trusting, "localhost")] {
        let refused = web.connect_to_named(host, server.port(), &gate).await;
        assert!(matches!(refused, Err(WebError::Certificate { .. })), "{host}: {refused:?}");
    }
    let named = Box::leak(format!("127.0.0.1:{}", server.port()).into_boxed_str());
    let closed = Gate { closed: Some(named), ..Gate::default() };
    let denied = trusting.connect_to_named("127.0.0.1", server.port(), &closed).await;
    assert!(matches!(denied, Err(WebError::NotAllowed(_))), "{denied:?}");
    let inner = trusting.connect_to_named("192.168.1.1", 993, &gate).await;
    assert!(matches!(inner, Err(WebError::Internal { .. })), "{inner:?}");
}
