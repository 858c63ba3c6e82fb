//! Servers that answer too much, too slowly or not at all. Time is paused and advances only while all tasks
//! wait.

use std::time::Duration;

use nova_http::{Limits, Web, WebError};
use nova_skill::HttpResponse;
use nova_testkit::{Reply, WebServer};

use crate::{Gate, get};

const LIMITS: Limits = Limits {
    total: Duration::from_secs(30),
    read: Duration::from_secs(10),
    request: 1000,
    body: 100_000,
    headers: 4000,
};

async fn ask(reply: Reply) -> Result<HttpResponse, WebError> {
    let server = WebServer::start(move |_| reply.clone()).await;
    // An IP address needs no resolver thread, which would keep paused time from advancing.
    let names = NoNames;
    let web = Web::new(crate::options(names, LIMITS));
    web.send(get(&format!("http://{}/", server.address())), &Gate::default()).await
}

struct NoNames;

#[async_trait::async_trait]
impl nova_http::Names for NoNames {
    async fn lookup(&self, _: &str) -> std::io::Result<Vec<std::net::SocketAddr>> {
        Err(std::io::Error::other("the test has no names"))
    }
}

fn head(headers: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\n{headers}\r\n").into_bytes()
}

#[tokio::test]
async fn endless_body_is_cut_off() {
    let error = ask(Reply::Endless(head(""), vec![b'x'; 4096])).await.expect_err("too large");
    assert!(matches!(error, WebError::TooLarge { what: "content", most: 100_000, .. }), "{error}");
}

#[tokio::test]
async fn body_with_excessive_content_length_is_not_read() {
    let error = ask(Reply::Stall(head("content-length: 100001\r\n"))).await.expect_err("too large");
    assert!(matches!(error, WebError::TooLarge { .. }), "{error}");
}

#[tokio::test]
async fn body_of_exactly_the_limit_arrives() {
    let body = "x".repeat(100_000);
    assert_eq!(ask(Reply::text(&body)).await.expect("fits").body.len(), 100_000);
}

#[tokio::test]
async fn compressed_answer_is_not_decompressed() {
    // Would expand to gigabytes; it must not be read at all.
    let head = head("content-encoding: gzip\r\ncontent-type: text/plain\r\n");
    let error = ask(Reply::Endless(head, vec![0; 4096])).await.expect_err("compressed");
    assert!(error.to_string().contains("compressed (gzip)"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn silent_server_times_out() {
    let error = ask(Reply::Stall(Vec::new())).await.expect_err("silent");
    assert!(matches!(error, WebError::TooSlow { after, .. } if after == LIMITS.read), "{error}");
    let error = ask(Reply::Stall(head("content-length: 10\r\n"))).await.expect_err("silent after the head");
    assert!(matches!(error, WebError::TooSlow { after, .. } if after == LIMITS.read), "{error}");
}

#[tokio::test(start_paused = true)]
async fn slow_server_hits_the_total_timeout() {
    let drip = Reply::Drip(head(""), Duration::from_secs(4));
    let error = ask(drip).await.expect_err("slow");
    assert!(matches!(error, WebError::TooSlow { after, .. } if after == LIMITS.total), "{error}");
    // Also within the headers.
    let drip = Reply::Drip(b"HTTP/1.1 200 OK\r\nx: ".to_vec(), Duration::from_secs(4));
    assert!(matches!(ask(drip).await, Err(WebError::TooSlow { .. })));
}

#[tokio::test(start_paused = true)]
async fn tool_may_set_a_shorter_timeout() {
    let server = WebServer::start(|_| Reply::Stall(Vec::new())).await;
    let web = Web::new(crate::options(NoNames, LIMITS));
    let mut request = get(&format!("http://{}/", server.address()));
    request.timeout = Some(Duration::from_secs(2));
    let error = web.send(request, &Gate::default()).await.expect_err("slow");
    assert_eq!(
        error.to_string(),
        "127.0.0.1:PORT did not answer in 2 s.".replace("PORT", &server.address().port().to_string())
    );
}

#[tokio::test(start_paused = true)]
async fn time_spent_in_the_gate_does_not_count() {
    struct Slow;
    #[async_trait::async_trait]
    impl nova_http::HostGate for Slow {
        async fn may_contact(&self, _: &str) -> Result<(), nova_skill::ToolError> {
            tokio::time::sleep(Duration::from_secs(3600)).await;
            Ok(())
        }
    }
    let server = WebServer::start(|_| Reply::text("hello")).await;
    let web = Web::new(crate::options(NoNames, LIMITS));
    let answer = web.send(get(&format!("http://{}/", server.address())), &Slow).await.expect("an answer");
    assert_eq!(answer.body, b"hello");
}

#[tokio::test]
async fn flood_of_headers_is_an_error() {
    let many: String = (0..200).map(|number| format!("x-{number}: 1\r\n")).collect();
    assert!(matches!(ask(Reply::Bytes(head(&many))).await, Err(WebError::BadAnswer { .. })));
    let long = format!("x: {}\r\n", "y".repeat(5000));
    let error = ask(Reply::Bytes(head(&long))).await.expect_err("too long");
    assert!(matches!(error, WebError::TooLarge { what: "headers", .. }), "{error}");
    let without_end = Reply::Endless(b"HTTP/1.1 200 OK\r\nx: ".to_vec(), vec![b'y'; 4096]);
    assert!(matches!(ask(without_end).await, Err(WebError::BadAnswer { .. })));
}

#[tokio::test]
async fn non_ascii_headers_are_decoded_as_latin1() {
    let mut answer = b"HTTP/1.1 200 OK\r\nx-name: caf".to_vec();
    answer.extend(b"\xe9\r\ncontent-length: 2\r\n\r\nhi");
    let answer = ask(Reply::Bytes(answer)).await.expect("an answer");
    assert_eq!(answer.headers["x-name"], "café");
    assert_eq!(answer.body, b"hi");
}

#[tokio::test]
async fn truncated_response_is_an_error() {
    let mut answer = head("content-length: 100\r\n");
    answer.extend(b"half");
    let error = ask(Reply::Bytes(answer)).await.expect_err("cut");
    assert!(matches!(error, WebError::BadAnswer { .. }), "{error}");
    assert!(matches!(ask(Reply::Bytes(b"HTTP/1.1 20".to_vec())).await, Err(WebError::BadAnswer { .. })));
    assert!(matches!(ask(Reply::Bytes(b"SSH-2.0-x\r\n".to_vec())).await, Err(WebError::BadAnswer { .. })));
}

#[tokio::test]
async fn errors_contain_only_the_host_of_the_url() {
    let server = WebServer::start(|_| Reply::Bytes(b"nonsense".to_vec())).await;
    let web = Web::new(crate::options(NoNames, LIMITS));
    let url = format!("http://{}/path-canary?key=canary", server.address());
    let error = web.send(get(&url), &Gate::default()).await.expect_err("nonsense");
    assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
}
