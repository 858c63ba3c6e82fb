//! Streams that end badly, late, or because of a cancellation.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use nova_provider::{ChatEvent, Completed, FinishReason, Limits, ProviderError, ProviderSettings, connect};
use tokio_util::sync::CancellationToken;

use crate::support::{
    PATIENCE, Reply, Server, answer_to, ask, body, call, provider, read_all, request, settings,
};

const HI: &str = r#"{"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}"#;
const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
const CALL: &str = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}}]}}]}"#;
const HALF: &str = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":""}}]}}]}"#;

fn hi() -> Completed {
    Completed { text: "hi".into(), calls: vec![], finish: FinishReason::Stop, provider_data: None }
}

fn without_done(chunks: &[&str]) -> String {
    body(chunks).replace("data: [DONE]\n\n", "")
}

#[tokio::test]
async fn finish_reason_or_done_marker_is_required() {
    assert_eq!(answer_to(Reply::events(&body(&[HI, STOP]))).await, Ok(hi()));
    assert_eq!(answer_to(Reply::events(&without_done(&[HI, STOP]))).await, Ok(hi()));
    assert_eq!(answer_to(Reply::events(&body(&[HI]))).await, Ok(hi()));
    assert_eq!(answer_to(Reply::events(&without_done(&[HI]))).await, Err(ProviderError::Truncated));
    assert_eq!(answer_to(Reply::events(&without_done(&[HI, CALL]))).await, Err(ProviderError::Truncated));
    assert_eq!(answer_to(Reply::events("")).await, Err(ProviderError::Truncated));
}

#[tokio::test]
async fn done_marker_does_not_complete_a_partial_call() {
    assert_eq!(answer_to(Reply::events(&body(&[HALF]))).await, Err(ProviderError::Truncated));
    let whole = answer_to(Reply::events(&body(&[CALL]))).await.unwrap();
    assert_eq!((whole.calls, whole.finish), (vec![call("a", "one", r#"{"x":1}"#)], FinishReason::ToolCalls));
}

#[tokio::test]
async fn end_does_not_wait_for_the_connection() {
    let mut server = Server::start([Reply::events(&body(&[HI, STOP])).held()]).await;
    assert_eq!(ask(&*provider(&server)).await, Ok(hi()));
    server.client_left().await;
}

#[tokio::test]
async fn data_after_done_is_ignored() {
    let more = body(&[HI, STOP]) + "data: garbage\n\n\u{0}";
    assert_eq!(answer_to(Reply::events(&more)).await, Ok(hi()));
}

#[tokio::test]
async fn error_mid_stream_is_reported() {
    for (error, code, text) in [
        (
            r#"{"error":{"message":"out of memory","type":"server_error"}}"#,
            "provider_failed",
            "test failed: out of memory",
        ),
        (r#"{"error":"out of memory"}"#, "provider_failed", "test failed: out of memory"),
        (
            r#"{"error":{"code":429,"message":"busy"},"choices":[{"delta":{},"finish_reason":"error"}]}"#,
            "provider_rate_limited",
            "test accepts no more requests for now: busy",
        ),
        (r#"{"choices":[{"delta":{},"error":{"message":"oh"}}]}"#, "provider_failed", "test failed: oh"),
        (r#"{"choices":[{"delta":{},"finish_reason":"error"}]}"#, "provider_failed", "test failed"),
    ] {
        let found = answer_to(Reply::events(&body(&[HI, error, STOP]))).await.unwrap_err();
        assert_eq!((found.code().as_str(), found.to_string().as_str()), (code, text), "{error}");
    }
    let named = format!("data: {HI}\n\nevent: error\ndata: {{\"message\":\"oh\"}}\n\n");
    assert_eq!(answer_to(Reply::events(&named)).await.unwrap_err().to_string(), "test failed: oh");
}

#[tokio::test]
async fn error_with_status_200_is_reported() {
    let reply = Reply::new("200 OK", "content-type: application/json\r\n", r#"{"error":{"message":"no"}}"#);
    assert_eq!(answer_to(reply).await.unwrap_err().to_string(), "test failed: no");
}

#[tokio::test]
async fn garbage_is_an_error() {
    let page = Reply::new("200 OK", "content-type: text/html\r\n", "\n<!doctype html><p>Sign in</p>");
    let mut binary = Reply::events("data: ");
    binary.bytes.extend(b"\xff\xfe\n\n");
    let zipped = Reply::new("200 OK", "content-encoding: gzip\r\n", "xx");
    for (reply, reason) in [
        (Reply::events(&body(&[HI, "{\"choices\":", STOP])), "a part of it is not a JSON object"),
        (Reply::events(&body(&[HI, "7", STOP])), "a part of it is not a JSON object"),
        (page, "it is a web page"),
        (binary, "it is not text"),
        (zipped, "it is compressed"),
    ] {
        let error = answer_to(reply).await.unwrap_err();
        assert_eq!(error.code().as_str(), "provider_bad_response");
        assert_eq!(error.to_string(), format!("test sent an answer Nova cannot use: {reason}"));
        assert!(error.hint().contains("base_url"), "{}", error.hint());
    }
}

#[tokio::test]
async fn answer_above_the_size_limit_is_refused() {
    let mut server = Server::start([Reply::events(&without_done(&[HI; 10])).held()]).await;
    let limits = Limits { answer_bytes: 500, ..Limits::default() };
    let provider = connect("openai", ProviderSettings { limits, ..settings(&server) }).unwrap();
    let error = ask(&*provider).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "test sent an answer Nova cannot use: it exceeds the size limit of an answer"
    );
    server.client_left().await;
}

#[tokio::test]
async fn silent_server_times_out() {
    let before_head = Reply::events("").cut(0);
    let within = Reply::events(&without_done(&[HI]));
    for reply in [before_head, within] {
        let mut server = Server::start([reply.held()]).await;
        let limits = Limits { read: Duration::from_millis(200), ..Limits::default() };
        let provider = connect("openai", ProviderSettings { limits, ..settings(&server) }).unwrap();
        let error = ask(&*provider).await.unwrap_err();
        assert_eq!(error, ProviderError::Timeout { after: Duration::from_millis(200) });
        server.client_left().await;
        assert_eq!(server.requests().len(), 1, "request repeated");
    }
}

#[tokio::test]
async fn finished_answer_needs_no_more_bytes() {
    let server = Server::start([Reply::events(&without_done(&[HI, STOP])).held()]).await;
    let limits = Limits { read: Duration::from_secs(3), ..Limits::default() };
    let provider = connect("openai", ProviderSettings { limits, ..settings(&server) }).unwrap();
    assert_eq!(ask(&*provider).await, Ok(hi()));
}

#[test]
fn timeout_is_reported_in_seconds() {
    let error = ProviderError::Timeout { after: Limits::default().read };
    assert_eq!(error.to_string(), "No answer from the model for 40 s");
}

#[tokio::test]
async fn cancelling_within_the_answer_closes_the_connection() {
    let mut server = Server::start([Reply::events(&without_done(&[HI])).held()]).await;
    let cancel = CancellationToken::new();
    let mut stream = provider(&server).stream(&request(), cancel.clone()).await.unwrap();
    let first = tokio::time::timeout(PATIENCE, stream.next()).await.unwrap();
    assert_eq!(first, Some(Ok(ChatEvent::TextDelta("hi".into()))));
    cancel.cancel();
    // The stream is still held, so it is not its drop that closes the connection.
    assert_eq!(stream.next().await, Some(Err(ProviderError::Cancelled)));
    server.client_left().await;
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let mut server = Server::start([Reply::events(&without_done(&[HI])).held()]).await;
    let stream = provider(&server).stream(&request(), CancellationToken::new()).await.unwrap();
    drop(stream);
    server.client_left().await;
}

#[tokio::test]
async fn cancelling_before_the_answer_closes_the_connection() {
    let mut server = Server::start([Reply::events("").cut(0).held()]).await;
    let cancel = CancellationToken::new();
    let provider = provider(&server);
    let asked = tokio::spawn({
        let cancel = cancel.clone();
        async move { provider.stream(&request(), cancel).await.map(|_| ()) }
    });
    tokio::time::timeout(PATIENCE, async {
        while server.requests().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    cancel.cancel();
    assert_eq!(asked.await.unwrap(), Err(ProviderError::Cancelled));
    server.client_left().await;
}

#[tokio::test]
async fn cancelling_ends_the_wait_between_tries() {
    let server = Server::start([Reply::new("503 Busy", "", "")]).await;
    let cancel = CancellationToken::new();
    let in_wait = cancel.clone();
    let backoff = Arc::new(move |_, _| {
        in_wait.cancel();
        Duration::from_secs(25)
    });
    let provider = connect("openai", ProviderSettings { backoff, ..settings(&server) }).unwrap();
    assert_eq!(provider.stream(&request(), cancel).await.err(), Some(ProviderError::Cancelled));
}

#[tokio::test]
async fn nothing_is_sent_if_already_cancelled() {
    let server = Server::start([Reply::events(&body(&[HI, STOP]))]).await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = provider(&server).stream(&request(), cancel).await;
    assert_eq!(outcome.err(), Some(ProviderError::Cancelled));
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn truncated_answer_is_not_retried() {
    let replies = [Reply::events(&without_done(&[HI])), Reply::events(&body(&[HI, STOP]))];
    let server = Server::start(replies).await;
    let stream = provider(&server).stream(&request(), CancellationToken::new()).await.unwrap();
    let (events, outcome) = read_all(stream).await;
    assert_eq!(events, [ChatEvent::TextDelta("hi".into())]);
    assert_eq!(outcome, Err(ProviderError::Truncated));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn too_large_answers_are_aborted() {
    let delta =
        |delta: serde_json::Value| serde_json::json!({"choices": [{"index": 0, "delta": delta}]}).to_string();
    let long = "x".repeat(3 * 1024 * 1024);
    let call = |index: usize, arguments: &str| {
        delta(serde_json::json!({"tool_calls": [
            {"index": index, "id": format!("c{index}"), "function": {"name": "one", "arguments": arguments}},
        ]}))
    };
    let many = (0..10_001).map(|index| {
        serde_json::json!({"index": index, "id": format!("c{index}"), "function": {"name": "one", "arguments": "{}"}})
    });
    let many = delta(serde_json::json!({"tool_calls": many.collect::<Vec<_>>()}));
    let text = delta(serde_json::json!({"content": long}));
    let thought = delta(serde_json::json!({"reasoning": long}));
    for (chunks, reason) in [
        (vec![text.as_str(), &thought], "its text and reasoning are longer than 4 MB"),
        (vec![&call(0, &long), &call(1, &long)], "the arguments of its calls are longer than 4 MB"),
        (vec![&many], "it has more than 10,000 calls"),
    ] {
        let outcome = answer_to(Reply::events(&body(&[&chunks[..], &[STOP]].concat()))).await;
        let provider = "test".to_owned();
        assert_eq!(outcome.map(|whole| whole.calls.len()), Err(ProviderError::TooMuch { provider, reason }));
    }
    // Each of them alone is a valid answer.
    assert_eq!(
        answer_to(Reply::events(&body(&[&text, STOP]))).await.map(|whole| whole.text.len()),
        Ok(long.len())
    );
}

/// Each silence is shorter than its limit, and only the total limit elapses.
#[tokio::test]
async fn endless_answer_is_aborted() {
    let server = Server::start([Reply::events(&without_done(&[HI])).held()]).await;
    let limits = Limits { answer: Duration::from_millis(50), read: PATIENCE, ..Limits::default() };
    let provider = connect("openai", ProviderSettings { limits, ..settings(&server) }).unwrap();
    let after = Duration::from_millis(50);
    assert_eq!(ask(&*provider).await, Err(ProviderError::AnswerTimeout { provider: "test".into(), after }));
}
