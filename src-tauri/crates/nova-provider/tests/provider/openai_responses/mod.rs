//! OpenAI's Responses API: decoded answers. The events are those of OpenAI's API reference ("Streaming
//! events") and of its SDK's types.

use std::sync::Arc;
use std::time::Duration;

use nova_provider::{
    ChatEvent, Completed, FinishReason, Limits, Provider, ProviderError, ProviderSettings, Usage, connect,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Reply, Server, ask, call, json as parsed, read_all, request, settings};

mod requests;

/// Encrypted reasoning with a summary in two parts, text with characters of two to four bytes, two calls
/// whose pieces alternate, one of them without arguments, and an unknown kind of event.
const ANSWER: &[&str] = &[
    r#"{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","error":null,"incomplete_details":null,"output":[],"usage":null}}"#,
    r#"{"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_1","object":"response","status":"in_progress","output":[],"usage":null}}"#,
    r#"{"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id":"rs_1","type":"reasoning","encrypted_content":"aGFsZg==","summary":[]}}"#,
    r#"{"type":"response.reasoning_summary_part.added","sequence_number":3,"item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}"#,
    r#"{"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"rs_1","output_index":0,"summary_index":0,"delta":"Hm. "}"#,
    r#"{"type":"response.reasoning_summary_text.done","sequence_number":5,"item_id":"rs_1","output_index":0,"summary_index":0,"text":"Hm. "}"#,
    r#"{"type":"response.reasoning_summary_part.added","sequence_number":6,"item_id":"rs_1","output_index":0,"summary_index":1,"part":{"type":"summary_text","text":""}}"#,
    r#"{"type":"response.reasoning_summary_text.delta","sequence_number":7,"item_id":"rs_1","output_index":0,"summary_index":1,"delta":"Well."}"#,
    r#"{"type":"response.output_item.done","sequence_number":8,"output_index":0,"item":{"id":"rs_1","type":"reasoning","encrypted_content":"c2VhbGVk","summary":[{"type":"summary_text","text":"Hm. "},{"type":"summary_text","text":"Well."}]}}"#,
    r#"{"type":"response.output_item.added","sequence_number":9,"output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","phase":"commentary","content":[]}}"#,
    r#"{"type":"response.content_part.added","sequence_number":10,"item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}}"#,
    r#"{"type":"response.output_text.delta","sequence_number":11,"item_id":"msg_1","output_index":1,"content_index":0,"delta":"Grüße ","logprobs":[],"obfuscation":"x7"}"#,
    r#"{"type":"response.output_text.delta","sequence_number":12,"item_id":"msg_1","output_index":1,"content_index":0,"delta":"€😀","logprobs":[],"obfuscation":"q"}"#,
    r#"{"type":"response.output_text.done","sequence_number":13,"item_id":"msg_1","output_index":1,"content_index":0,"text":"Grüße €😀","logprobs":[]}"#,
    r#"{"type":"response.content_part.done","sequence_number":14,"item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"Grüße €😀","annotations":[],"logprobs":[]}}"#,
    r#"{"type":"response.output_item.done","sequence_number":15,"output_index":1,"item":{"id":"msg_1","type":"message","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Grüße €😀","annotations":[],"logprobs":[]}]}}"#,
    r#"{"type":"response.tomorrows_news","sequence_number":16}"#,
    r#"{"type":"response.output_item.added","sequence_number":17,"output_index":2,"item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_1","name":"one"}}"#,
    r#"{"type":"response.output_item.added","sequence_number":18,"output_index":3,"item":{"id":"fc_2","type":"function_call","status":"in_progress","arguments":"","call_id":"call_2","name":"two"}}"#,
    r#"{"type":"response.function_call_arguments.delta","sequence_number":19,"item_id":"fc_1","output_index":2,"delta":"{\"x\": \"é"}"#,
    r#"{"type":"response.function_call_arguments.delta","sequence_number":20,"item_id":"fc_2","output_index":3,"delta":"{}"}"#,
    r#"{"type":"response.function_call_arguments.delta","sequence_number":21,"item_id":"fc_1","output_index":2,"delta":"\"}"}"#,
    r#"{"type":"response.function_call_arguments.done","sequence_number":22,"item_id":"fc_1","output_index":2,"arguments":"{\"x\": \"é\"}"}"#,
    r#"{"type":"response.output_item.done","sequence_number":23,"output_index":2,"item":{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"x\": \"é\"}","call_id":"call_1","name":"one"}}"#,
    r#"{"type":"response.function_call_arguments.done","sequence_number":24,"item_id":"fc_2","output_index":3,"arguments":"{}"}"#,
    r#"{"type":"response.output_item.done","sequence_number":25,"output_index":3,"item":{"id":"fc_2","type":"function_call","status":"completed","arguments":"{}","call_id":"call_2","name":"two"}}"#,
    END,
];

/// The complete response, repeated by the last event.
const END: &str = r#"{"type":"response.completed","sequence_number":26,"response":{"id":"resp_1","object":"response","status":"completed","error":null,"incomplete_details":null,"output":[{"id":"rs_1","type":"reasoning","encrypted_content":"c2VhbGVk","summary":[{"type":"summary_text","text":"Hm. "},{"type":"summary_text","text":"Well."}]},{"id":"msg_1","type":"message","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Grüße €😀","annotations":[],"logprobs":[]}]},{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"x\": \"é\"}","call_id":"call_1","name":"one"},{"id":"fc_2","type":"function_call","status":"completed","arguments":"{}","call_id":"call_2","name":"two"}],"usage":{"input_tokens":120,"input_tokens_details":{"cached_tokens":100},"output_tokens":30,"output_tokens_details":{"reasoning_tokens":20},"total_tokens":150}}}"#;

fn complete() -> Completed {
    Completed {
        text: "Grüße €😀".into(),
        calls: vec![call("call_1", "one", r#"{"x": "é"}"#), call("call_2", "two", "{}")],
        finish: FinishReason::ToolCalls,
        provider_data: Some(json!({
            "dialect": "openai_responses", "provider": "test", "model": "m", "items": [
                { "id": "rs_1", "type": "reasoning", "encrypted_content": "c2VhbGVk", "summary": [
                    { "type": "summary_text", "text": "Hm. " }, { "type": "summary_text", "text": "Well." },
                ]},
                { "id": "msg_1", "type": "message", "status": "completed", "role": "assistant",
                  "phase": "commentary", "content": [
                    { "type": "output_text", "text": "Grüße €😀", "annotations": [], "logprobs": [] },
                ]},
                { "id": "fc_1", "type": "function_call", "status": "completed", "call_id": "call_1", "name": "one" },
                { "id": "fc_2", "type": "function_call", "status": "completed", "call_id": "call_2", "name": "two" },
            ],
        })),
    }
}

/// Encodes these events as a stream, each with its kind in a separate line, like the server.
fn stream_of(events: &[&str]) -> String {
    let kind = |event: &str| parsed(event)["type"].as_str().unwrap_or_default().to_owned();
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", kind(event))).collect()
}

fn provider(server: &Server) -> Arc<dyn Provider> {
    connect("openai_responses", settings(server)).unwrap()
}

async fn answer_to(reply: Reply) -> Result<Completed, ProviderError> {
    ask(&*provider(&Server::start([reply]).await)).await
}

async fn answer_of(events: &[&str]) -> Result<Completed, ProviderError> {
    answer_to(Reply::events(&stream_of(events))).await
}

/// The last event of a response with this status and output.
fn ended(status: &str, reason: Option<&str>, output: Value) -> String {
    let details = reason.map(|reason| json!({ "reason": reason }));
    let response =
        json!({ "status": status, "incomplete_details": details, "output": output, "error": null });
    json!({ "type": format!("response.{status}"), "response": response }).to_string()
}

fn text_item(text: &str) -> String {
    let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
    let item = json!({ "id": "msg_1", "type": "message", "role": "assistant", "content": content });
    json!({ "type": "response.output_item.done", "output_index": 0, "item": item }).to_string()
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
            ChatEvent::ReasoningDelta("\n\n".into()),
            ChatEvent::ReasoningDelta("Well.".into()),
            ChatEvent::TextDelta("Grüße ".into()),
            ChatEvent::TextDelta("€😀".into()),
            delta(0, "one", 0),
            delta(1, "two", 0),
            delta(0, "one", 9),
            delta(1, "two", 2),
            delta(0, "one", 11),
            ChatEvent::Usage(Usage { input: 120, cached: 100, output: 30 }),
        ]
    );
    assert_eq!(outcome, Ok(complete()));
}

#[tokio::test]
async fn chunk_sizes_and_line_ends_do_not_matter() {
    let plain = stream_of(ANSWER);
    let commented = plain.replace("event: response.completed", ": keep-alive\n\nevent: response.completed");
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

/// A shorter answer than the other one, without redundant start and end events.
#[tokio::test]
async fn cut_at_any_byte_it_is_complete_or_an_error() {
    const END: &str = r#"{"type":"response.completed","response":{"status":"completed"}}"#;
    let events = [
        r#"{"type":"response.output_text.delta","output_index":0,"delta":"€😀"}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"a","name":"one"}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"x\":\"é"}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"\"}"}"#,
        r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"b","name":"two","arguments":"{}"}}"#,
        END,
    ];
    let body = stream_of(&events);
    let finished = body.find(END).unwrap() + END.len();
    let head = Reply::events("").bytes.len();
    let server = Server::start((0..=body.len()).map(|at| Reply::events(&body).cut(head + at))).await;
    let provider = provider(&server);
    let calls = [call("a", "one", r#"{"x":"é"}"#), call("b", "two", "{}")];
    for at in 0..=body.len() {
        let stream = provider.stream(&request(), CancellationToken::new()).await.unwrap();
        let (_, outcome) = read_all(stream).await;
        if at < finished {
            assert_eq!(outcome.unwrap_err().code().as_str(), "provider_truncated", "cut after {at} bytes");
        } else {
            let answer = outcome.unwrap();
            assert_eq!((answer.text.as_str(), answer.calls), ("€😀", calls.to_vec()), "cut after {at} bytes");
        }
    }
}

#[tokio::test]
async fn end_marker_alone_is_not_an_end() {
    let without_end = &ANSWER[..ANSWER.len() - 1];
    let body = stream_of(without_end) + "data: [DONE]\n\n";
    assert_eq!(answer_to(Reply::events(&body)).await, Err(ProviderError::Truncated));
    let both = stream_of(ANSWER) + "data: [DONE]\n\n";
    assert_eq!(answer_to(Reply::events(&both)).await, Ok(complete()));
}

#[tokio::test]
async fn end_does_not_wait_for_the_connection() {
    let mut server = Server::start([Reply::events(&stream_of(ANSWER)).held()]).await;
    assert_eq!(ask(&*provider(&server)).await, Ok(complete()));
    server.client_left().await;
}

#[tokio::test]
async fn answer_without_streaming_is_accepted() {
    let whole = parsed(END)["response"].to_string();
    assert_eq!(answer_to(Reply::chunked(&whole, 5)).await, Ok(complete()));
    // Its similar items are all distinct.
    let text = |text: &str| json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": text }] });
    let sealed = |sealed: &str| json!({ "type": "reasoning", "summary": [], "encrypted_content": sealed });
    let one = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "one", "arguments": "{}" });
    let output = json!([sealed("a"), text("Hi "), sealed("b"), text("there."), one("c1"), one("c2")]);
    let whole = json!({ "object": "response", "status": "completed", "output": output }).to_string();
    let answer = answer_to(Reply::chunked(&whole, 5)).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.calls.len()), ("Hi there.", 2));
    assert_eq!(answer.provider_data.unwrap()["items"].as_array().unwrap().len(), 6);
    let nameless = json!({ "type": "function_call", "name": "one", "arguments": "{}" });
    let whole =
        json!({ "object": "response", "status": "completed", "output": [nameless, nameless] }).to_string();
    assert_eq!(answer_to(Reply::chunked(&whole, 5)).await.unwrap().calls.len(), 2);
}

#[tokio::test]
async fn items_are_distinguished_with_any_numbering() {
    let numbered = |change: fn(&str) -> String| ANSWER.iter().map(|event| change(event)).collect::<Vec<_>>();
    let every = |event: &str, number: &str| {
        (0..4).fold(event.to_owned(), |event, at| event.replace(&format!(r#""output_index":{at},"#), number))
    };
    for (name, events) in [
        (
            "starting at 7",
            numbered(|event| {
                (0..4).rev().fold(event.to_owned(), |event, at| {
                    event.replace(
                        &format!(r#""output_index":{at},"#),
                        &format!(r#""output_index":{},"#, at + 7),
                    )
                })
            }),
        ),
        ("all zero", ANSWER.iter().map(|event| every(event, r#""output_index":0,"#)).collect()),
        ("none", ANSWER.iter().map(|event| every(event, "")).collect()),
        // A different id in each event of one item.
        (
            "odd ids",
            ANSWER
                .iter()
                .enumerate()
                .map(|(at, event)| {
                    event
                        .replace(r#""item_id":"fc_"#, &format!(r#""item_id":"odd{at}_"#))
                        .replace(r#""item_id":"msg_"#, &format!(r#""item_id":"odd{at}_"#))
                })
                .collect(),
        ),
    ] {
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        assert_eq!(answer_of(&events).await, Ok(complete()), "{name}");
    }
}

#[tokio::test]
async fn call_is_reported_once_despite_repetitions() {
    let item = |id: &str, call_id: &str| json!({ "id": id, "type": "function_call", "status": "completed", "arguments": "{\"x\":1}", "call_id": call_id, "name": "one" });
    let event = |kind: &str, index: u64, item: &Value| {
        json!({ "type": format!("response.output_item.{kind}"), "output_index": index, "item": item })
            .to_string()
    };
    let (one, again) = (item("fc_1", "call_1"), item("fc_9", "call_1"));
    for (events, output) in [
        // The same event twice; the same call as another item; under another id in the whole response.
        (vec![event("added", 0, &one), event("added", 0, &one), event("done", 0, &one)], json!([one])),
        (vec![event("done", 0, &one), event("done", 1, &again)], json!([one, again])),
        (vec![event("done", 0, &one)], json!([again])),
        (vec![event("done", 0, &one)], json!([item("fc_9", "call_other")])),
        (vec![event("done", 0, &one), event("done", 0, &one)], json!([])),
        // Only the whole response.
        (vec![], json!([one])),
    ] {
        let end = ended("completed", None, output);
        let events: Vec<&str> = events.iter().map(String::as_str).chain([end.as_str()]).collect();
        let answer = answer_of(&events).await.unwrap();
        assert_eq!(answer.calls, [call("call_1", "one", r#"{"x":1}"#)], "{events:?}");
    }
    // Two similar calls are distinct.
    let other = item("fc_2", "call_2");
    let events =
        [event("done", 0, &one), event("done", 1, &other), ended("completed", None, json!([one, other]))];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    assert_eq!(answer_of(&events).await.unwrap().calls.len(), 2);
}

#[tokio::test]
async fn call_without_an_id_gets_one() {
    let item = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","name":"one","arguments":""}}"#;
    let answer = answer_of(&[item, &ended("completed", None, json!([]))]).await.unwrap();
    assert_eq!(answer.calls, [call("call_1", "one", "{}")]);
}

#[tokio::test]
async fn incomplete_call_is_never_returned() {
    let begun = r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_1","name":"one"}}"#;
    let grown = r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":"{\"x\":"}"#;
    let half = json!({ "id": "fc_1", "type": "function_call", "status": "incomplete", "arguments": "{}", "call_id": "call_1", "name": "one" });
    let cut = ended("incomplete", Some("max_output_tokens"), json!([half]));
    let answer = answer_of(&[begun, grown, &cut]).await.unwrap();
    assert_eq!((answer.calls, answer.finish), (vec![], FinishReason::Length));
    let unsaid = ended("incomplete", Some("max_output_tokens"), json!([]));
    assert_eq!(answer_of(&[begun, &unsaid]).await.unwrap().calls, []);
    // The server wrongly reports that it is complete.
    let outcome = answer_of(&[begun, grown, &ended("completed", None, json!([]))]).await;
    assert_eq!(outcome, Err(ProviderError::Truncated));
    // A complete call before the cut is returned.
    let whole = r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_0","type":"function_call","status":"completed","arguments":"{\"x\":1}","call_id":"call_0","name":"one"}}"#;
    assert_eq!(answer_of(&[whole, &unsaid]).await.unwrap().calls, [call("call_0", "one", r#"{"x":1}"#)]);
}

#[tokio::test]
async fn finish_reasons_are_preserved() {
    for (status, reason, finish) in [
        ("completed", None, FinishReason::Stop),
        ("incomplete", Some("max_output_tokens"), FinishReason::Length),
        ("incomplete", Some("content_filter"), FinishReason::ContentFilter(None)),
        ("incomplete", Some("max_messages"), FinishReason::Incomplete("max messages".into())),
        ("incomplete", None, FinishReason::Incomplete("incomplete".into())),
        ("cancelled", None, FinishReason::Incomplete("cancelled".into())),
    ] {
        let answer = answer_of(&[&text_item("hi"), &ended(status, reason, json!([]))]).await.unwrap();
        assert_eq!(
            (answer.text.as_str(), answer.finish, answer.provider_data),
            ("hi", finish, None),
            "{status}"
        );
    }
}

#[tokio::test]
async fn refusal_is_reported_with_its_text() {
    let events = [
        r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}"#,
        r#"{"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"refusal","refusal":""}}"#,
        r#"{"type":"response.refusal.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"I cannot "}"#,
        r#"{"type":"response.refusal.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"help."}"#,
        r#"{"type":"response.refusal.done","item_id":"msg_1","output_index":0,"content_index":0,"refusal":"I cannot help."}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"refusal","refusal":"I cannot help."}]}}"#,
        &ended("completed", None, json!([])),
    ];
    let answer = answer_of(&events).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.finish), ("I cannot help.", FinishReason::Refusal));
    // Reported only when it is complete.
    let answer = answer_of(&events[5..]).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.finish), ("I cannot help.", FinishReason::Refusal));
}

#[tokio::test]
async fn error_within_the_answer_ends_it() {
    let failed = |error: &str| {
        format!(
            r#"{{"type":"response.failed","response":{{"id":"r","status":"failed","error":{error},"output":[]}}}}"#
        )
    };
    for (event, code, text) in [
        (
            r#"{"type":"error","code":"server_error","message":"Overloaded","param":null,"sequence_number":3}"#.into(),
            "provider_failed",
            "test failed: Overloaded",
        ),
        (
            r#"{"type":"error","error":{"type":"too_many_requests","code":"rate_limit_exceeded","message":"Slow down"}}"#.into(),
            "provider_rate_limited",
            "test accepts no more requests for now: Slow down",
        ),
        (failed(r#"{"code":"server_error","message":"Oh"}"#), "provider_failed", "test failed: Oh"),
        (
            failed(r#"{"code":"rate_limit_exceeded","message":"Slow"}"#),
            "provider_rate_limited",
            "test accepts no more requests for now: Slow",
        ),
        (failed("null"), "provider_failed", "test failed"),
        (
            failed(r#"{"code":"context_length_exceeded","message":"Your input exceeds the context window"}"#),
            "context_too_small",
            "The request is too long for `m` of test: Your input exceeds the context window",
        ),
    ] {
        let error = answer_of(&[ANSWER[0], &text_item("hi"), &event]).await.unwrap_err();
        assert_eq!((error.code().as_str(), error.to_string().as_str()), (code, text), "{event}");
    }
}

#[tokio::test]
async fn invalid_answers_are_refused() {
    for (event, reason) in [
        (
            r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":"{"}"#,
            "it continues a call that never started",
        ),
        (
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c"}}"#,
            "a tool call has no name",
        ),
        (r#"{"type":"response.output_item.added","output_index":0,"item":{}}"#, "a part of it has no type"),
    ] {
        let error = answer_of(&[event]).await.unwrap_err();
        assert_eq!(error.to_string(), format!("test sent an answer Nova cannot use: {reason}"), "{event}");
    }
    for body in ["data: [1]\n\n", "data: 7\n\n", "data: {\"type\":\n\n"] {
        assert_eq!(
            answer_to(Reply::events(body)).await.unwrap_err().code().as_str(),
            "provider_bad_response",
            "{body}"
        );
    }
}

#[tokio::test]
async fn busy_server_is_retried_only_before_the_first_byte() {
    let busy = Reply::new("503 Busy", "", r#"{"error":{"message":"Overloaded","type":"server_error"}}"#);
    let server = Server::start([busy, Reply::events(&stream_of(ANSWER))]).await;
    assert_eq!(ask(&*provider(&server)).await, Ok(complete()));
    assert_eq!(server.requests().len(), 2);

    let half = Reply::events(&stream_of(&ANSWER[..12]));
    let server = Server::start([half, Reply::events(&stream_of(ANSWER))]).await;
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
        let mut server = Server::start([Reply::events(&stream_of(&ANSWER[..12])).held()]).await;
        let limits = Limits { read, answer, ..Limits::default() };
        let provider = connect("openai_responses", ProviderSettings { limits, ..settings(&server) }).unwrap();
        assert_eq!(ask(&*provider).await, Err(error));
        server.client_left().await;
    }
}

#[tokio::test]
async fn too_large_answers_are_aborted() {
    let long = "x".repeat(3 * 1024 * 1024);
    let delta =
        |kind: &str| json!({ "type": kind, "output_index": 0, "item_id": "i", "delta": long }).to_string();
    let item = |at: usize, arguments: &str| {
        let item = json!({ "id": format!("fc_{at}"), "type": "function_call", "call_id": format!("c{at}"), "name": "one", "arguments": arguments });
        json!({ "type": "response.output_item.done", "output_index": at, "item": item }).to_string()
    };
    let many: Vec<String> = (0..10_001).map(|at| item(at, "{}")).collect();
    let text = delta("response.output_text.delta");
    let end = ended("completed", None, json!([]));
    for (events, reason) in [
        (
            vec![text.clone(), delta("response.reasoning_text.delta")],
            "its text and reasoning are longer than 4 MB",
        ),
        (vec![item(0, &long), item(1, &long)], "the arguments of its calls are longer than 4 MB"),
        (many, "it has more than 10,000 parts"),
    ] {
        let events: Vec<&str> = events.iter().map(String::as_str).chain([end.as_str()]).collect();
        let outcome = answer_of(&events).await.map(|whole| whole.calls.len());
        assert_eq!(outcome, Err(ProviderError::TooMuch { provider: "test".into(), reason }));
    }
    assert_eq!(answer_of(&[&text, &end]).await.map(|whole| whole.text.len()), Ok(long.len()));
}
