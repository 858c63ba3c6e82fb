//! Remote servers, simulated by a few lines of HTTP on this machine.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nova_mcp::Phase;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::{Servers, until};

/// The requests received: request line with headers, and body.
pub(crate) type Asked = Arc<Mutex<Vec<(String, String)>>>;
pub(crate) type Answers = fn(&str, &str) -> String;

/// Answers each request on a separate connection.
pub(crate) async fn server(answers: Answers) -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    let asked = Asked::default();
    let heard = asked.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let heard = heard.clone();
            tokio::spawn(async move {
                let mut read = Vec::new();
                let (mut head, mut body) = (String::new(), String::new());
                while let Ok(length @ 1..) = stream.read_buf(&mut read).await {
                    let _: usize = length;
                    let text = String::from_utf8_lossy(&read).into_owned();
                    let Some((before, after)) = text.split_once("\r\n\r\n") else { continue };
                    let lower = before.to_ascii_lowercase();
                    let wanted = lower.lines().find_map(|line| line.strip_prefix("content-length: "));
                    if after.len() >= wanted.map_or(0, |length| length.trim().parse().unwrap()) {
                        (head, body) = (before.to_owned(), after.to_owned());
                        break;
                    }
                }
                let answer = answers(&head, &body);
                heard.lock().unwrap().push((head, body));
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    (address, asked)
}

pub(crate) fn reply(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

pub(crate) fn plain(head: &str, body: &str) -> String {
    if !head.starts_with("POST") {
        return reply("405 Method Not Allowed", "text/plain", "");
    }
    let message: Value = serde_json::from_str(body).unwrap();
    let result = match message["method"].as_str().unwrap() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "web", "version": "1"},
        }),
        "tools/list" => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
        "tools/call" => {
            json!({"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]})
        }
        "server/discover" => {
            let error =
                json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}});
            return reply("200 OK", "application/json", &error.to_string());
        }
        _ => return reply("202 Accepted", "text/plain", ""),
    };
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    reply("200 OK", "application/json", &answer.to_string())
}

#[tokio::test]
async fn remote_server_is_listed_and_called_with_its_headers() {
    let (url, asked) = server(plain).await;
    let servers = Servers::new();
    let headers = json!({"Authorization": "Bearer ${credentials:github/token}"});
    servers.agree(&json!({ "github": {"url": url, "headers": headers} }));
    servers.ready().await;
    assert_eq!(servers.call("github", "echo", json!({"text": "hi"})).await.unwrap(), "hi");
    let asked = asked.lock().unwrap();
    let all =
        asked.iter().all(|(head, _)| head.to_ascii_lowercase().contains("authorization: bearer canary-0815"));
    assert!(all && asked.len() > 3, "{asked:?}");
}

#[tokio::test]
async fn server_that_answers_anything_is_tried_with_the_older_protocol() {
    let (url, _) = server(|head, body| {
        let message: Value = serde_json::from_str(body).unwrap_or_default();
        if message["method"] != "server/discover" {
            return plain(head, body);
        }
        let empty = json!({"jsonrpc": "2.0", "id": message["id"], "result": {}});
        reply("200 OK", "application/json", &empty.to_string())
    })
    .await;
    let servers = Servers::new();
    servers.agree(&json!({ "kind": {"url": url} }));
    servers.ready().await;
    assert_eq!(servers.call("kind", "echo", json!({"text": "hi"})).await.unwrap(), "hi");
}

#[tokio::test]
async fn unusable_servers_report_reason_and_remedy() {
    let legacy = |head: &str, _: &str| match head.starts_with("GET") {
        true => reply("200 OK", "text/event-stream", "event: endpoint\ndata: /messages\n\n"),
        false => reply("404 Not Found", "text/plain", "no"),
    };
    let secured = |_: &str, _: &str| {
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".into()
    };
    let servers = Servers::new();
    servers.agree(&json!({
        "legacy": {"url": server(legacy).await.0, "type": "sse"},
        "secured": {"url": server(secured).await.0},
        "html": {"url": server(|_, _| reply("200 OK", "text/html", "<h1>hi</h1>")).await.0},
        "nobody": {"url": "http://127.0.0.1:1/mcp"},
        "good": {"url": server(plain).await.0},
    }));
    servers.ready().await;
    let legacy = servers.failed("legacy");
    assert!(legacy.contains("is not supported. Use its address for Streamable HTTP."), "{legacy}");
    assert!(
        matches!(servers.phase("secured"), Phase::NeedsSignIn(why) if why.contains("secured needs a sign-in."))
    );
    for id in ["html", "nobody"] {
        let why = servers.failed(id);
        assert!(why.starts_with(&format!("{id} cannot be reached: ")), "{why}");
        assert!(why.contains("Check its address"), "{why}");
    }
    assert_eq!(servers.phase("good"), Phase::Ready);
}

#[tokio::test]
async fn redirect_leaks_neither_message_nor_headers() {
    let (elsewhere, asked) = server(plain).await;
    // The handler is a plain function, so the URL, known only here, is passed in a static.
    static ELSEWHERE: Mutex<String> = Mutex::new(String::new());
    *ELSEWHERE.lock().unwrap() = elsewhere;
    let (url, _) = server(|_, _| {
        let to = ELSEWHERE.lock().unwrap().clone();
        format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    })
    .await;
    let servers = Servers::new();
    let headers = json!({"Authorization": "Bearer ${credentials:github/token}"});
    servers.agree(&json!({ "github": {"url": url, "headers": headers} }));
    servers.ready().await;
    let why = servers.failed("github");
    assert!(why.contains("307"), "{why}");
    assert_eq!(asked.lock().unwrap().len(), 0, "no other host was contacted");
}

#[tokio::test]
async fn stream_that_closes_at_once_is_reopened_later_each_time() {
    let (address, asked) = server(|head, body| {
        if head.starts_with("GET") {
            return reply("200 OK", "text/event-stream", "retry: 0\n\n");
        }
        plain(head, body).replacen("\r\n", "\r\nMcp-Session-Id: one\r\n", 1)
    })
    .await;
    let began = Instant::now();
    let servers = Servers::new();
    servers.agree(&json!({"web": {"url": address}}));
    servers.ready().await;
    let opened = || asked.lock().unwrap().iter().filter(|(head, _)| head.starts_with("GET")).count();
    until(|| opened() >= 3).await;
    assert!(began.elapsed() >= Duration::from_millis(1_500), "after half a second, then a second");
}
