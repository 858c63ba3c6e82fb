//! Hostile remote servers: each is bounded and fails with one line.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use nova_http::Names;
use nova_mcp::Phase;
use nova_skill::async_trait;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::Servers;

/// A response head without a content length.
fn head(kind: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n")
}

/// Responds to each request with `begin`, then with `part` endlessly, pausing after each.
async fn endless(begin: String, part: &'static [u8], pause: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, begin.clone(), part, pause));
        }
    });
    address
}

async fn answer(mut stream: TcpStream, begin: String, part: &[u8], pause: Duration) -> std::io::Result<()> {
    stream.read_buf(&mut Vec::new()).await?;
    stream.write_all(begin.as_bytes()).await?;
    loop {
        stream.write_all(part).await?;
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }
}

#[tokio::test]
async fn endless_responses_are_bounded_in_bytes_and_time() {
    const BLOCK: &[u8] = &[b'x'; 64 << 10];
    let at_once = Duration::ZERO;
    let json_body = format!("{}{{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":\"", head("application/json"));
    let event = format!("{}data: ", head("text/event-stream"));
    let silent = endless(String::new(), b"", Duration::from_secs(3_600)).await;
    let dripping = endless(head("text/event-stream"), b":\n\n", Duration::from_millis(20)).await;
    let impatient = |url: String| json!({"url": url, "startup_timeout_ms": 700});
    let servers = Servers::new();
    servers.agree(&json!({
        "body": {"url": endless(json_body, BLOCK, at_once).await},
        "event": {"url": endless(event, BLOCK, at_once).await, "startup_timeout_ms": 5_000},
        "head": {"url": endless("HTTP/1.1 200 OK\r\n".into(), b"X-A: aaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", at_once).await},
        "silent": impatient(silent), "dripping": impatient(dripping),
        "good": servers.entry("plain"),
    }));
    servers.ready().await;
    for id in ["body", "event", "head", "silent", "dripping"] {
        let why = servers.failed(id);
        assert!(why.starts_with(&format!("{id} ")) && !why.contains('\n') && why.len() < 1_000, "{why}");
        assert!(why.contains("Check its "), "{why}");
    }
    assert!(servers.failed("silent").contains("did not start in 0.7 s"), "{}", servers.failed("silent"));
    assert_eq!(servers.call("good", "echo", json!({"text": "hi"})).await.unwrap(), "hi");
}

/// Resolves a public name to an address in the local network.
struct Lies;

#[async_trait]
impl Names for Lies {
    async fn lookup(&self, _: &str) -> std::io::Result<Vec<SocketAddr>> {
        Ok(vec!["192.168.1.1:0".parse().unwrap()])
    }
}

#[tokio::test]
async fn public_name_with_an_internal_address_is_not_contacted() {
    let servers = Servers::with_options(Arc::default(), |options| options.names = Arc::new(Lies));
    servers.agree(&json!({ "one": {"url": "https://mcp.example.com/mcp"} }));
    servers.ready().await;
    let why = servers.failed("one");
    assert!(why.contains("the name resolves to an address that is not public. Check its address"), "{why}");
}

#[tokio::test]
async fn redirect_to_an_internal_address_is_not_followed() {
    for target in ["http://169.254.169.254/latest/meta-data", "http://192.168.1.1/", "file:///etc/passwd"] {
        let redirect =
            format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n");
        let servers = Servers::new();
        let url = endless(redirect, b"", Duration::from_secs(3_600)).await;
        servers.agree(&json!({ "one": {"url": url} }));
        servers.ready().await;
        assert!(matches!(servers.phase("one"), Phase::Failed(why) if why.contains("307")), "{target}");
    }
}
