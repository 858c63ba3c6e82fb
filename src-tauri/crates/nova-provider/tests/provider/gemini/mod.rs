//! Google's Gemini API: decoded answers. The chunks are those of Google's API reference
//! ("GenerateContentResponse") and of its SDK's types.

use std::sync::Arc;
use std::time::Duration;

use nova_provider::{
    ChatEvent, ChatRequest, Completed, FinishReason, Limits, Message, Provider, ProviderError,
    ProviderSettings, Usage, connect,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Reply, Server, ask, ask_with, call, read_all, request, settings};

mod requests;
mod schema;

/// A thought, text with characters of two to four bytes, two calls, the first of which is signed and the
/// second of which has no id, a separate signature at the end, and growing usage.
const ANSWER: &[&str] = &[
    r#"{"candidates":[{"content":{"parts":[{"text":"Hm. ","thought":true}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":120,"totalTokenCount":130,"thoughtsTokenCount":10},"modelVersion":"gemini-3-flash","responseId":"r1"}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"Grüße "}],"role":"model"},"index":0}],"modelVersion":"gemini-3-flash","responseId":"r1"}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"€😀"}],"role":"model"},"index":0,"safetyRatings":[{"category":"HARM_CATEGORY_HARASSMENT","probability":"NEGLIGIBLE"}]}],"modelVersion":"gemini-3-flash","responseId":"r1"}"#,
    r#"{"candidates":[{"content":{"parts":[{"functionCall":{"id":"f1","name":"one","args":{"x":"é"}},"thoughtSignature":"c2lnMQ=="},{"functionCall":{"name":"two","args":{}}}],"role":"model"},"index":0}],"modelVersion":"gemini-3-flash","responseId":"r1"}"#,
    LAST,
];
const LAST: &str = r#"{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"c2lnMg=="}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":120,"cachedContentTokenCount":100,"candidatesTokenCount":20,"thoughtsTokenCount":10,"totalTokenCount":150},"modelVersion":"gemini-3-flash","responseId":"r1"}"#;

fn complete() -> Completed {
    Completed {
        text: "Grüße €😀".into(),
        calls: vec![call("f1", "one", r#"{"x":"é"}"#), call("call_2", "two", "{}")],
        finish: FinishReason::ToolCalls,
        provider_data: Some(json!({
            "dialect": "gemini", "provider": "test", "model": "m", "parts": [
                { "text": "Grüße €😀" },
                { "call": "f1", "functionCall": { "name": "one", "id": "f1" }, "thoughtSignature": "c2lnMQ==" },
                { "call": "call_2", "functionCall": { "name": "two" } },
                { "text": "", "thoughtSignature": "c2lnMg==" },
            ],
        })),
    }
}

fn stream_of(chunks: &[&str]) -> String {
    // With the line ends of Google's server.
    chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect()
}

fn provider(server: &Server) -> Arc<dyn Provider> {
    connect("gemini", settings(server)).unwrap()
}

async fn answer_to(reply: Reply) -> Result<Completed, ProviderError> {
    ask(&*provider(&Server::start([reply]).await)).await
}

async fn answer_of(chunks: &[&str]) -> Result<Completed, ProviderError> {
    answer_to(Reply::events(&stream_of(chunks))).await
}

/// A chunk with these parts.
fn chunk(parts: &Value, finish: Option<&str>) -> String {
    let mut candidate = json!({ "content": { "parts": parts, "role": "model" }, "index": 0 });
    if let Some(finish) = finish {
        candidate["finishReason"] = json!(finish);
    }
    json!({ "candidates": [candidate] }).to_string()
}

fn text_chunk(text: &str, finish: Option<&str>) -> String {
    chunk(&json!([{ "text": text }]), finish)
}

#[tokio::test]
async fn events_come_in_order_and_end_once() {
    let server = Server::start([Reply::events(&stream_of(ANSWER))]).await;
    let stream = provider(&server).stream(&request(), CancellationToken::new()).await.unwrap();
    let (events, outcome) = read_all(stream).await;
    let delta = |index, name: &str, arguments_so_far_len| ChatEvent::ToolCallDelta {
        index,
        name: Some(name.into()),
        arguments_so_far_len,
    };
    assert_eq!(
        events,
        [
            ChatEvent::ReasoningDelta("Hm. ".into()),
            ChatEvent::Usage(Usage { input: 120, cached: 0, output: 10 }),
            ChatEvent::TextDelta("Grüße ".into()),
            ChatEvent::TextDelta("€😀".into()),
            delta(0, "one", 10),
            delta(1, "two", 2),
            ChatEvent::Usage(Usage { input: 120, cached: 100, output: 30 }),
        ]
    );
    assert_eq!(outcome, Ok(complete()));
}

#[tokio::test]
async fn chunk_sizes_and_line_ends_do_not_matter() {
    let plain = stream_of(ANSWER);
    let commented = format!(": keep-alive\n\n{plain}");
    for body in [plain.clone(), plain.replace("\r\n", "\n"), plain.replace("data: ", "data:"), commented] {
        for size in [1, 7, 4096] {
            assert_eq!(
                answer_to(Reply::chunked(&body, size)).await,
                Ok(complete()),
                "pieces of {size}: {body}"
            );
        }
    }
}

#[tokio::test]
async fn cut_at_any_byte_it_is_complete_or_an_error() {
    let body = stream_of(ANSWER);
    let finished = body.find(LAST).unwrap() + LAST.len();
    let head = Reply::events("").bytes.len();
    let server = Server::start((0..=body.len()).map(|at| Reply::events(&body).cut(head + at))).await;
    let provider = provider(&server);
    for at in 0..=body.len() {
        let stream = provider.stream(&request(), CancellationToken::new()).await.unwrap();
        let (_, outcome) = read_all(stream).await;
        if at < finished {
            assert_eq!(outcome.unwrap_err().code().as_str(), "provider_truncated", "cut after {at} bytes");
        } else {
            assert_eq!(outcome, Ok(complete()), "cut after {at} bytes");
        }
    }
}

#[tokio::test]
async fn answer_as_a_list_or_one_object_is_accepted() {
    let list = format!("[{}\n,\r\n{}]", ANSWER[..3].join(",\r\n"), ANSWER[3..].join(","));
    assert_eq!(answer_to(Reply::chunked(&list, 5)).await, Ok(complete()));
    let cut = Reply::events(&list[..list.len() - 1]);
    assert_eq!(answer_to(cut).await, Err(ProviderError::Truncated));
    let whole = text_chunk("hi", Some("STOP"));
    assert_eq!(answer_to(Reply::chunked(&whole, 5)).await.map(|answer| answer.text), Ok("hi".into()));
}

#[tokio::test]
async fn finished_answer_needs_no_more_bytes() {
    let server = Server::start([Reply::events(&stream_of(ANSWER)).held()]).await;
    let limits = Limits { read: Duration::from_secs(1), ..Limits::default() };
    let provider = connect("gemini", ProviderSettings { limits, ..settings(&server) }).unwrap();
    assert_eq!(ask(&*provider).await, Ok(complete()));
    // Compatible servers send an end marker.
    let mut server = Server::start([Reply::events(&(stream_of(ANSWER) + "data: [DONE]\n\n")).held()]).await;
    assert_eq!(ask(&*self::provider(&server)).await, Ok(complete()));
    server.client_left().await;
}

#[tokio::test]
async fn calls_have_unique_ids_with_and_without_the_servers() {
    let calls = async |parts: Value| {
        let conversation = ChatRequest {
            messages: vec![
                Message::User { content: "hello".into(), images: Vec::new() },
                Message::Assistant {
                    text: String::new(),
                    calls: vec![call("call_1", "one", "{}")],
                    provider_data: None,
                },
                Message::ToolOutput { call_id: "call_1".into(), content: String::new(), loads: Vec::new() },
            ],
            ..request()
        };
        let server = Server::start([Reply::events(&stream_of(&[&chunk(&parts, Some("STOP"))]))]).await;
        let answer = ask_with(&*provider(&server), &conversation).await.unwrap();
        answer.calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect::<Vec<_>>()
    };
    let function = |id: Value, name: &str, args: Value| {
        let mut function = json!({ "name": name, "args": args });
        if !id.is_null() {
            function["id"] = id;
        }
        json!({ "functionCall": function })
    };
    let told = |id: &str, name: &str, arguments: &str| (id.to_owned(), name.to_owned(), arguments.to_owned());
    // Without ids, two equal calls are distinct.
    let two = json!([function(json!(null), "one", json!({})), function(json!(""), "one", json!({}))]);
    assert_eq!(calls(two).await, [told("call_2", "one", "{}"), told("call_3", "one", "{}")]);
    // With the same id they are one call.
    let same = json!([
        function(json!("a"), "one", json!({ "x": 1 })),
        function(json!("a"), "one", json!({ "x": 1 }))
    ]);
    assert_eq!(calls(same).await, [told("a", "one", r#"{"x":1}"#)]);
    // A server's id that looks like a generated one is not reused.
    let mixed =
        json!([function(json!("call_2"), "one", json!(null)), function(json!(null), "two", json!("half"))]);
    assert_eq!(calls(mixed).await, [told("call_2", "one", "{}"), told("call_3", "two", "half")]);
}

#[tokio::test]
async fn finish_reasons_are_preserved() {
    let filtered = |reason: &str| FinishReason::ContentFilter(Some(reason.into()));
    for (reason, finish) in [
        ("STOP", FinishReason::Stop),
        ("MAX_TOKENS", FinishReason::Length),
        ("SAFETY", filtered("safety")),
        ("RECITATION", filtered("recitation")),
        ("BLOCKLIST", filtered("blocklist")),
        ("PROHIBITED_CONTENT", filtered("prohibited content")),
        ("SPII", filtered("spii")),
        ("MALFORMED_FUNCTION_CALL", FinishReason::Incomplete("malformed function call".into())),
        ("OTHER", FinishReason::Incomplete("other".into())),
        ("TOMORROWS_REASON", FinishReason::Incomplete("tomorrows reason".into())),
    ] {
        let answer = answer_of(&[&text_chunk("hi", None), &text_chunk("", Some(reason))]).await.unwrap();
        assert_eq!(
            (answer.text.as_str(), answer.finish, answer.provider_data),
            ("hi", finish, None),
            "{reason}"
        );
    }
    let hostile = format!("A\n\u{1b}[31m{}", "X".repeat(1_000));
    let answer = answer_of(&[&text_chunk("hi", Some(&hostile))]).await.unwrap();
    let FinishReason::Incomplete(words) = answer.finish else { panic!("{answer:?}") };
    assert!(words.len() <= 60 && words.chars().all(|c| c.is_ascii_alphanumeric() || c == ' '), "{words:?}");
}

#[tokio::test]
async fn blocked_request_differs_from_an_empty_answer() {
    let finish = async |chunk: &str| answer_of(&[chunk]).await.map(|answer| (answer.text, answer.finish));
    let usage = r#""usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}"#;
    for reason in ["SAFETY", "PROHIBITED_CONTENT"] {
        let blocked = format!(r#"{{"promptFeedback":{{"blockReason":"{reason}"}},{usage}}}"#);
        let words = reason.to_lowercase().replace('_', " ");
        assert_eq!(finish(&blocked).await, Ok((String::new(), FinishReason::Blocked(words))));
    }
    let nothing = Ok((String::new(), FinishReason::Stop));
    for chunk in [
        &*format!(r#"{{"candidates":[],{usage}}}"#),
        &*format!(r#"{{"promptFeedback":{{"safetyRatings":[]}},{usage}}}"#),
        &*format!(r#"{{"candidates":[{{"finishReason":"STOP","index":0}}],{usage}}}"#),
        r#"{"candidates":[{"content":{"role":"model"},"finishReason":"STOP","index":0}]}"#,
    ] {
        assert_eq!(finish(chunk).await, nothing, "{chunk}");
    }
    // An answer that started, and an invalid one, were truncated.
    assert_eq!(
        finish(r#"{"candidates":[{"content":{"role":"model"},"index":0}]}"#).await,
        Err(ProviderError::Truncated)
    );
    assert_eq!(finish(r#"{"hello":1}"#).await, Err(ProviderError::Truncated));
    assert_eq!(
        finish(r#"{"candidates":[{"finishReason":"FINISH_REASON_UNSPECIFIED"}]}"#).await,
        Err(ProviderError::Truncated)
    );
}

#[tokio::test]
async fn only_one_candidate_is_read() {
    let two = r#"{"candidates":[{"content":{"parts":[{"text":"hi"}]},"index":0},{"content":{"parts":[{"text":"ho"}]},"index":1,"finishReason":"SAFETY"}]}"#;
    let answer = answer_of(&[two, &text_chunk("!", Some("STOP"))]).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.finish), ("hi!", FinishReason::Stop));
}

#[tokio::test]
async fn error_within_the_answer_ends_it() {
    for (error, code, text) in [
        (
            r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#,
            "provider_failed",
            "test failed: The model is overloaded.",
        ),
        (
            r#"{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED"}}"#,
            "provider_rate_limited",
            "test accepts no more requests for now: Quota",
        ),
        (
            r#"{"error":{"code":400,"message":"The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
            "context_too_small",
            "The request is too long for `m` of test: The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
        ),
    ] {
        let found = answer_of(&[ANSWER[1], error]).await.unwrap_err();
        assert_eq!((found.code().as_str(), found.to_string().as_str()), (code, text), "{error}");
        // Also as the only element of a list, if a list was expected.
        let found = answer_to(Reply::new("200 OK", "", &format!("[{error}]"))).await.unwrap_err();
        assert_eq!(found.code().as_str(), code, "{error}");
    }
}

#[tokio::test]
async fn refusals_are_classified() {
    let check = async |status: &str, body: &str, code: &str, says: &str| {
        let server = Server::start(vec![Reply::new(status, "", body); 3]).await;
        let error = ask(&*provider(&server)).await.unwrap_err();
        assert_eq!(error.code().as_str(), code, "{body}");
        assert!(error.to_string().contains(says), "{error}");
        (error, server.requests().len())
    };
    let key = r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}"#;
    check("400 Bad Request", key, "provider_refused_key", "needs a key").await;
    let missing = r#"[{"error":{"code":403,"message":"Method doesn't allow unregistered callers","status":"PERMISSION_DENIED"}}]"#;
    check("403 Forbidden", missing, "provider_refused_key", "unregistered callers").await;
    let model = r#"{"error":{"code":404,"message":"models/m is not found for API version v1beta, or is not supported for generateContent.","status":"NOT_FOUND"}}"#;
    check("404 Not Found", model, "unknown_model", "test has no model `m`").await;
    let tools = r#"{"error":{"code":400,"message":"Function calling is not enabled for models/gemma-3-1b-it","status":"INVALID_ARGUMENT"}}"#;
    check("400 Bad Request", tools, "model_without_tools", "`m` of test cannot call tools").await;
    let quota = r#"{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}"#;
    let (error, requests) =
        check("429 Too Many Requests", quota, "provider_rate_limited", "exceeded your current quota").await;
    assert!(error.hint().contains("in 35 s"), "{}", error.hint());
    // Time does not advance in these tests, so it is retried immediately.
    assert_eq!(requests, 3);
}

#[tokio::test]
async fn wait_in_an_error_is_respected() {
    let quota = |delay: &str| {
        let body =
            format!(r#"{{"error":{{"code":429,"message":"Quota","details":[{{"retryDelay":"{delay}"}}]}}}}"#);
        Reply::new("429 Too Many Requests", "", &body)
    };
    let server = Server::start([quota("9s"), quota("soon"), Reply::events(&stream_of(ANSWER))]).await;
    let waits = Arc::new(std::sync::Mutex::new(Vec::new()));
    let backoff = Arc::new({
        let waits = Arc::clone(&waits);
        move |_, asked| {
            waits.lock().unwrap().push(asked);
            Duration::ZERO
        }
    });
    let provider = connect("gemini", ProviderSettings { backoff, ..settings(&server) }).unwrap();
    assert_eq!(ask(&*provider).await, Ok(complete()));
    assert_eq!(*waits.lock().unwrap(), [Some(Duration::from_secs(9)), None]);
}

#[tokio::test]
async fn truncated_answer_is_not_retried() {
    let server =
        Server::start([Reply::events(&stream_of(&ANSWER[..2])), Reply::events(&stream_of(ANSWER))]).await;
    assert_eq!(ask(&*provider(&server)).await, Err(ProviderError::Truncated));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn silent_or_endless_server_times_out() {
    let (short, long) = (Duration::from_millis(50), Duration::from_secs(60));
    for (read, answer, error) in [
        (short, long, ProviderError::Timeout { after: short }),
        (long, short, ProviderError::AnswerTimeout { provider: "test".into(), after: short }),
    ] {
        let mut server = Server::start([Reply::events(&stream_of(&ANSWER[..2])).held()]).await;
        let limits = Limits { read, answer, ..Limits::default() };
        let provider = connect("gemini", ProviderSettings { limits, ..settings(&server) }).unwrap();
        assert_eq!(ask(&*provider).await, Err(error));
        server.client_left().await;
    }
}

#[tokio::test]
async fn invalid_and_too_large_answers_are_aborted() {
    let nameless = chunk(&json!([{ "functionCall": { "args": {} } }]), Some("STOP"));
    assert_eq!(
        answer_of(&[&nameless]).await.unwrap_err().to_string(),
        "test sent an answer Nova cannot use: a tool call has no name"
    );
    for body in ["data: 7\n\n", "data: [1]\n\n", "data: {\"candidates\":\n\n"] {
        assert_eq!(
            answer_to(Reply::events(body)).await.unwrap_err().code().as_str(),
            "provider_bad_response",
            "{body}"
        );
    }
    let long = "x".repeat(3 * 1024 * 1024);
    let thought = chunk(&json!([{ "text": long, "thought": true }]), None);
    let function = |id: usize, args: Value| json!({ "functionCall": { "id": format!("f{id}"), "name": "one", "args": args } });
    let arguments =
        chunk(&json!([function(0, json!({ "x": long })), function(1, json!({ "x": long }))]), None);
    let many: Vec<Value> = (0..10_001).map(|id| function(id, json!({}))).collect();
    for (chunks, reason) in [
        (vec![text_chunk(&long, None), thought], "its text and reasoning are longer than 4 MB"),
        (vec![arguments], "the arguments of its calls are longer than 4 MB"),
        (vec![chunk(&json!(many), None)], "it has more than 10,000 parts"),
    ] {
        let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
        let outcome = answer_of(&chunks).await.map(|whole| whole.calls.len());
        assert_eq!(outcome, Err(ProviderError::TooMuch { provider: "test".into(), reason }));
    }
}

#[tokio::test]
async fn signed_parts_stay_separate_and_others_are_joined() {
    let chunks = [
        chunk(&json!([{ "text": "Hm.", "thought": true, "thoughtSignature": "czE=" }]), None),
        text_chunk("a", None),
        text_chunk("b", None),
        chunk(&json!([{ "text": "c", "thoughtSignature": "czI=" }]), None),
        text_chunk("d", None),
        chunk(&json!([{ "executableCode": { "language": "PYTHON", "code": "1" } }, { "text": "e" }]), None),
        text_chunk("", Some("STOP")),
    ];
    let answer = answer_of(&chunks.each_ref().map(String::as_str)).await.unwrap();
    assert_eq!(answer.text, "abcde");
    assert_eq!(
        answer.provider_data.unwrap()["parts"],
        json!([
            { "text": "Hm.", "thought": true, "thoughtSignature": "czE=" },
            { "text": "ab" },
            { "text": "c", "thoughtSignature": "czI=" },
            { "text": "d" },
            { "executableCode": { "language": "PYTHON", "code": "1" } },
            { "text": "e" },
        ])
    );
}
