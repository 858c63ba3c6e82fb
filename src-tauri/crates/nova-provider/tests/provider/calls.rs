//! Tool calls with all variants of numbering, naming and repetition by servers.

use nova_provider::{FinishReason, Message, ToolCall};
use tokio_util::sync::CancellationToken;

use crate::support::{Reply, Server, answer_to, call, deltas, provider, read_all, request};

/// Each line is the `tool_calls` array of one delta.
async fn calls_of(chunks: &str, finish: &str) -> Vec<ToolCall> {
    let chunks: Vec<String> =
        chunks.trim().lines().map(|line| format!(r#"{{"tool_calls":{line}}}"#)).collect();
    let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
    answer_to(Reply::events(&deltas(&chunks, finish))).await.unwrap().calls
}

async fn check(chunks: &str, expected: &[(&str, &str, &str)]) {
    let expected: Vec<ToolCall> =
        expected.iter().map(|(id, name, arguments)| call(id, name, arguments)).collect();
    assert_eq!(calls_of(chunks, "tool_calls").await, expected, "{chunks}");
}

const TWO: &[(&str, &str, &str)] = &[("a", "one", r#"{"x":1}"#), ("b", "two", r#"{"y":2}"#)];

#[tokio::test]
async fn indexes_may_start_anywhere() {
    for first in [0, 1, 7] {
        let chunks = r#"
[{"index":N0,"id":"a","function":{"name":"one","arguments":""}}]
[{"index":N0,"function":{"arguments":"{\"x\":1}"}}]
[{"index":N1,"id":"b","function":{"name":"two","arguments":""}}]
[{"index":N1,"function":{"arguments":"{\"y\":2}"}}]"#;
        let chunks = chunks.replace("N0", &first.to_string()).replace("N1", &(first + 1).to_string());
        check(&chunks, TWO).await;
    }
    // A gap is not a call.
    check(
        r#"
[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}}]
[{"index":5,"id":"b","function":{"name":"two","arguments":"{\"y\":2}"}}]"#,
        TWO,
    )
    .await;
}

#[tokio::test]
async fn all_indexes_may_be_zero() {
    check(
        r#"
[{"index":0,"id":"a","function":{"name":"one","arguments":""}}]
[{"index":0,"function":{"arguments":"{\"x\":1}"}}]
[{"index":0,"id":"b","function":{"name":"two","arguments":"{\"y\""}}]
[{"index":0,"function":{"arguments":":2}"}}]"#,
        TWO,
    )
    .await;
    check(
        r#"
[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\""}},{"index":0,"id":"b","function":{"name":"two","arguments":"{\"y\""}}]
[{"index":0,"id":"b","function":{"arguments":":2}"}},{"index":0,"id":"a","function":{"arguments":":1}"}}]"#,
        TWO,
    )
    .await;
}

#[tokio::test]
async fn index_may_be_missing() {
    check(
        r#"
[{"id":"a","function":{"name":"one","arguments":""}}]
[{"function":{"arguments":"{\"x\":1}"}}]
[{"id":"b","function":{"name":"two","arguments":""}}]
[{"function":{"arguments":"{\"y\":2}"}}]"#,
        TWO,
    )
    .await;
    // Adjacent, distinguished only by their position.
    check(
        r#"
[{"id":"a","function":{"name":"one","arguments":""}},{"id":"b","function":{"name":"two","arguments":""}}]
[{"function":{"arguments":"{\"x\""}},{"function":{"arguments":"{\"y\""}}]
[{"function":{"arguments":":1}"}},{"function":{"arguments":":2}"}}]"#,
        TWO,
    )
    .await;
    // Missing at first, or later.
    check(
        r#"
[{"id":"a","function":{"name":"one","arguments":""}}]
[{"index":0,"function":{"arguments":"{\"x\":1}"}}]
[{"index":1,"id":"b","function":{"name":"two","arguments":""}}]
[{"function":{"arguments":"{\"y\":2}"}}]"#,
        TWO,
    )
    .await;
}

#[tokio::test]
async fn ids_may_be_missing() {
    let invented = &[("call_1", "one", r#"{"x":1}"#), ("call_2", "two", r#"{"y":2}"#)];
    check(
        r#"
[{"index":0,"function":{"name":"one","arguments":""}}]
[{"index":0,"id":"","function":{"arguments":"{\"x\":1}"}}]
[{"index":1,"id":null,"function":{"name":"two","arguments":"{\"y\":2}"}}]"#,
        invented,
    )
    .await;
    // Without any label, each in one piece.
    for zero in ["", r#""index":0,"#] {
        let chunks = r#"
[{ZERO"function":{"name":"one","arguments":"{\"x\":1}"}}]
[{ZERO"function":{"name":"two","arguments":"{\"y\":2}"}}]"#;
        check(&chunks.replace("ZERO", zero), invented).await;
    }
    // The same tool twice.
    check(
        r#"
[{"function":{"name":"one","arguments":"{\"x\":1}"}},{"function":{"name":"one","arguments":"{\"x\":2}"}}]
[{"function":{"name":"one","arguments":"{\"x\":3}"}}]"#,
        &[("call_1", "one", r#"{"x":1}"#), ("call_2", "one", r#"{"x":2}"#), ("call_3", "one", r#"{"x":3}"#)],
    )
    .await;
    // An id that arrives late.
    check(
        r#"
[{"index":0,"function":{"name":"one","arguments":"{\"x\":"}}]
[{"index":0,"id":"a","function":{"arguments":"1}"}}]"#,
        &TWO[..1],
    )
    .await;
}

#[tokio::test]
async fn generated_id_is_unique_in_answer_and_conversation() {
    let chunk = r#"{"tool_calls":[{"id":"call_3","function":{"name":"one","arguments":"{}"}},{"function":{"name":"two","arguments":"{}"}}]}"#;
    let server = Server::start([Reply::events(&deltas(&[chunk], "tool_calls"))]).await;
    let mut request = request();
    request.messages.push(Message::Assistant {
        text: String::new(),
        calls: vec![call("call_1", "one", "{}"), call("call_4", "one", "{}")],
        provider_data: None,
    });
    let stream = provider(&server).stream(&request, CancellationToken::new()).await.unwrap();
    let calls = read_all(stream).await.1.unwrap().calls;
    assert_eq!(calls, [call("call_3", "one", "{}"), call("call_5", "two", "{}")]);
}

#[tokio::test]
async fn names_and_ids_may_be_repeated() {
    check(
        r#"
[{"index":0,"id":"a","function":{"name":"one","arguments":""}}]
[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":"}}]
[{"index":0,"id":"a","function":{"name":"one","arguments":"1}"}}]
[{"index":0,"id":"a","function":{"name":"one","arguments":""}}]"#,
        &TWO[..1],
    )
    .await;
    // Only the name.
    check(
        r#"
[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":"}}]
[{"index":0,"function":{"name":"one","arguments":"1}"}}]
[{"index":0,"function":{"name":"one"}}]"#,
        &TWO[..1],
    )
    .await;
    // A new id with every piece.
    check(
        r#"
[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":"}}]
[{"index":0,"id":"q","function":{"name":null,"arguments":"1}"}}]"#,
        &TWO[..1],
    )
    .await;
}

#[tokio::test]
async fn brace_within_a_string_does_not_end_a_call() {
    for piece in [r#"{\"x\":\"}"#, r#"{\"x\":\"\\\"}"#] {
        let chunks = format!(
            r#"
[{{"index":0,"id":"a","function":{{"name":"one","arguments":"{piece}"}}}}]
[{{"index":0,"id":"a","function":{{"name":"one","arguments":"\"}}"}}}}]"#
        );
        let whole = format!("{piece}\"}}").replace(r#"\""#, "\"").replace(r"\\", "\\");
        check(&chunks, &[("a", "one", &whole)]).await;
    }
}

#[tokio::test]
async fn unlabelled_piece_belongs_to_the_open_call() {
    check(
        r#"
[{"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}},{"id":"b","function":{"name":"two","arguments":""}}]
[{"function":{"arguments":"{\"y\":2}"}}]"#,
        TWO,
    )
    .await;
}

#[tokio::test]
async fn calls_with_the_same_index_are_distinguished_by_id() {
    check(
        r#"
[{"index":0,"id":"a","function":{"name":"one","arguments":"{"}}]
[{"index":0,"id":"b","function":{"name":"one","arguments":"{"}}]
[{"index":0,"id":"a","function":{"arguments":"}"}}]
[{"index":0,"id":"b","function":{"arguments":"}"}}]"#,
        &[("a", "one", "{}"), ("b", "one", "{}")],
    )
    .await;
}

#[tokio::test]
async fn repeated_call_is_dropped() {
    for again in [
        r#"[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}}]"#,
        r#"[{"index":1,"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}}]"#,
        r#"[{"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}}]"#,
        r#"[{"index":0,"function":{"arguments":"{\"x\":1}"}}]"#,
    ] {
        let first = r#"[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}}]"#;
        check(&format!("{first}\n{again}"), &TWO[..1]).await;
    }
    // Also if it arrives in pieces under another index.
    check(
        r#"
[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}}]
[{"index":1,"id":"a","function":{"name":"one","arguments":""}}]
[{"index":1,"function":{"arguments":"{\"x\":1}"}}]"#,
        &TWO[..1],
    )
    .await;
}

#[tokio::test]
async fn arguments_are_returned_as_written() {
    for (sent, expected) in [
        (r#""{\"b\": 1, \"a\": [\"}\", \"\\\"{\"]}""#, r#"{"b": 1, "a": ["}", "\"{"]}"#),
        (r#"{"b":1,"a":[]}"#, r#"{"b":1,"a":[]}"#),
        (r#""{\"x\": 1""#, r#"{"x": 1"#),
        (r#""[1]""#, "[1]"),
        (r#""none""#, "none"),
        (r#""""#, "{}"),
        (r#""\n""#, "{}"),
        ("null", "{}"),
    ] {
        let chunk = format!(r#"[{{"index":0,"id":"a","function":{{"name":"one","arguments":{sent}}}}}]"#);
        check(&chunk, &[("a", "one", expected)]).await;
    }
    check(r#"[{"id":3,"name":"one","arguments":{"x":1}}]"#, &[("3", "one", r#"{"x":1}"#)]).await;
}

#[tokio::test]
async fn empty_entry_is_not_a_call() {
    check(
        r#"[{"index":0},{"index":1,"id":"b","function":{"name":"two","arguments":"{\"y\":2}"}}]"#,
        &TWO[1..],
    )
    .await;
}

#[tokio::test]
async fn truncated_answer_keeps_only_complete_calls() {
    let chunks = r#"
[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":1}"}}]
[{"index":1,"id":"b","function":{"name":"two","arguments":"{\"y\":"}}]"#;
    assert_eq!(calls_of(chunks, "length").await, [call("a", "one", r#"{"x":1}"#)]);
    // No arguments were written yet, which differs from a call without arguments.
    let chunks = r#"[{"index":0,"id":"a","function":{"name":"one","arguments":""}}]"#;
    assert_eq!(calls_of(chunks, "length").await, []);
    assert_eq!(calls_of(chunks, "content_filter").await, []);
}

#[tokio::test]
async fn calls_are_returned_for_any_finish_reason() {
    let chunk = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}]}"#;
    let answer = answer_to(Reply::events(&deltas(&[chunk], "stop"))).await.unwrap();
    assert_eq!((answer.calls, answer.finish), (vec![call("a", "one", "{}")], FinishReason::ToolCalls));
}

#[tokio::test]
async fn call_without_a_name_is_an_error() {
    let chunk = r#"{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{\"x\":1}"}}]}"#;
    let error = answer_to(Reply::events(&deltas(&[chunk], "tool_calls"))).await.unwrap_err();
    assert_eq!(error.to_string(), "test sent an answer Nova cannot use: a tool call has no name");
}
