//! Valid answers, split in all ways.

use nova_provider::{ChatEvent, Completed, FinishReason, Usage};
use tokio_util::sync::CancellationToken;

use crate::support::{Reply, Server, answer_to, body, call, deltas, json, provider, read_all, request};

/// Reasoning, text with characters of two to four bytes, two calls whose pieces alternate, usage.
const ANSWER: &[&str] = &[
    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}"#,
    r#"{"choices":[{"index":0,"delta":{"reasoning":"Hm. "},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"Grüße "},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"€😀"},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"one","arguments":""}}]},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\":"}}]},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"two","arguments":"{\"y\":\"é"}}]},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\"}"}}]},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":100}}}"#,
];

fn complete() -> Completed {
    Completed {
        text: "Grüße €😀".into(),
        calls: vec![call("a", "one", r#"{"x":1}"#), call("b", "two", r#"{"y":"é"}"#)],
        finish: FinishReason::ToolCalls,
        provider_data: None,
    }
}

#[tokio::test]
async fn events_come_in_order_and_end_once() {
    let server = Server::start([Reply::events(&body(ANSWER))]).await;
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
            ChatEvent::TextDelta("Grüße ".into()),
            ChatEvent::TextDelta("€😀".into()),
            delta(0, "one", 0),
            delta(0, "one", 5),
            delta(1, "two", 8),
            delta(0, "one", 7),
            delta(1, "two", 10),
            ChatEvent::Usage(Usage { input: 120, cached: 100, output: 30 }),
        ]
    );
    assert_eq!(outcome, Ok(complete()));
}

#[tokio::test]
async fn chunk_sizes_and_line_ends_do_not_matter() {
    let plain = body(ANSWER);
    let commented = plain.replace("data: {\"choices\":[]", ": keep-alive\n\ndata: {\"choices\":[]");
    for body in [plain.clone(), plain.replace('\n', "\r\n"), plain.replace("data: ", "data:"), commented] {
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
async fn answer_without_streaming_is_accepted() {
    let whole = r#" {"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Grüße €😀",
        "tool_calls":[{"id":"a","type":"function","function":{"name":"one","arguments":"{\"x\":1}"}},
                      {"id":"b","type":"function","function":{"name":"two","arguments":"{\"y\":\"é\"}"}}]},
        "finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;
    assert_eq!(answer_to(Reply::chunked(whole, 5)).await, Ok(complete()));
}

#[track_caller]
fn check_text(completed: Completed, text: &str, finish: FinishReason) {
    assert_eq!(completed, Completed { text: text.into(), calls: vec![], finish, provider_data: None });
}

#[tokio::test]
async fn finish_reasons_are_preserved() {
    for (word, finish) in [
        ("stop", FinishReason::Stop),
        ("length", FinishReason::Length),
        ("content_filter", FinishReason::ContentFilter(None)),
        ("weary", FinishReason::Other("weary".into())),
    ] {
        let answer = answer_to(Reply::events(&deltas(&[r#"{"content":"hi"}"#], word))).await.unwrap();
        check_text(answer, "hi", finish);
    }
}

#[tokio::test]
async fn only_one_choice_is_read() {
    let two = body(&[
        r#"{"choices":[{"index":0,"delta":{"content":"hi"}},{"index":1,"delta":{"content":"ho"},"finish_reason":"length"}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"!"},"finish_reason":"stop"}]}"#,
    ]);
    check_text(answer_to(Reply::events(&two)).await.unwrap(), "hi!", FinishReason::Stop);
}

#[tokio::test]
async fn text_in_parts_and_refusals_are_text() {
    let parts = r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}]}"#;
    let answer = answer_to(Reply::events(&deltas(&[parts, r#"{"refusal":"b"}"#], "stop"))).await.unwrap();
    check_text(answer, "ab", FinishReason::Stop);
}

#[tokio::test]
async fn empty_chunks_are_skipped() {
    let pings = body(&[
        r#"{"type":"ping"}"#,
        "",
        r#"{"choices":null,"error":null}"#,
        r#"{"choices":[{"delta":null,"finish_reason":""}]}"#,
        r#"{"choices":[{"delta":{"content":"hi","tool_calls":null},"finish_reason":"stop"}]}"#,
    ]);
    check_text(answer_to(Reply::events(&pings)).await.unwrap(), "hi", FinishReason::Stop);
}

#[tokio::test]
async fn usage_is_emitted_once_per_change() {
    let usage =
        r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_cache_hit_tokens":4}}"#;
    let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    let server = Server::start([Reply::events(&body(&[usage, usage, end]))]).await;
    let stream = provider(&server).stream(&request(), CancellationToken::new()).await.unwrap();
    let (events, _) = read_all(stream).await;
    assert_eq!(events, [ChatEvent::Usage(Usage { input: 9, cached: 4, output: 1 })]);
}

#[tokio::test]
async fn data_that_a_server_requires_back_is_carried() {
    let answer = deltas(
        &[
            r#"{"reasoning_content":"I ","reasoning":"I "}"#,
            r#"{"reasoning_content":"think","reasoning_details":[{"type":"reasoning.text","index":0,"text":"I "}]}"#,
            r#"{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"think","signature":"s1"}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s2"}}}]}"#,
        ],
        "tool_calls",
    );
    let carried = answer_to(Reply::events(&answer)).await.unwrap().provider_data;
    let expected = r#"{"dialect":"openai","provider":"test","model":"m",
        "message":{"reasoning_content":"I think",
            "reasoning_details":[{"type":"reasoning.text","index":0,"text":"I think","signature":"s1"}]},
        "calls":{"a":{"google":{"thought_signature":"s2"}}}}"#;
    assert_eq!(carried, Some(json(expected)));
}

/// The position at which the finish reason is complete.
fn finished_at(body: &str) -> usize {
    let start = body.find(r#""finish_reason":"tool_calls""#).unwrap();
    start + body[start..].find('\n').unwrap()
}

#[tokio::test]
async fn cut_at_any_byte_it_is_complete_or_an_error() {
    let body = body(ANSWER);
    let finished = finished_at(&body);
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
async fn cut_within_the_framing_it_is_complete_or_an_error() {
    let body = body(ANSWER);
    let whole = Reply::chunked(&body, 7);
    let head = Reply::chunked("", 1).bytes.len();
    let server = Server::start((0..=whole.bytes.len()).map(|at| whole.clone().cut(at))).await;
    let provider = provider(&server);
    let mut completed = 0;
    for at in 0..=whole.bytes.len() {
        let outcome = match provider.stream(&request(), CancellationToken::new()).await {
            Ok(stream) => read_all(stream).await.1,
            Err(error) => Err(error),
        };
        match outcome {
            Ok(answer) => {
                assert!(at > head + finished_at(&body), "complete after {at} bytes");
                assert_eq!(answer, complete(), "cut after {at} bytes");
                completed += 1;
            }
            Err(error) => {
                assert!(
                    matches!(error.code().as_str(), "provider_truncated" | "provider_unreachable"),
                    "{at}: {error}"
                );
                assert_eq!(completed, 0, "an error after {at} bytes although fewer were enough");
            }
        }
    }
    assert!(completed > 0);
}
