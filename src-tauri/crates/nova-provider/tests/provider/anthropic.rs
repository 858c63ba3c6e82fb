//! Anthropic's Messages API: encoded requests and decoded answers.

use std::sync::Arc;

use nova_provider::{
    ChatEvent, ChatRequest, Completed, FinishReason, Loads, Message, Provider, ProviderError,
    ProviderSettings, Thinking, ToolChoice, ToolDefinition, Usage, connect,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Reply, Server, ask, call, read_all, request, settings};

/// Thinking with its signature, text with characters of two to four bytes, two calls, one of them without
/// arguments, a ping, and an unknown kind of event.
const ANSWER: &[&str] = &[
    r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"usage":{"input_tokens":20,"cache_creation_input_tokens":10,"cache_read_input_tokens":90,"output_tokens":1}}}"#,
    r#"{"type":"ping"}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm. "}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Grüße "}}"#,
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"€😀"}}"#,
    r#"{"type":"content_block_stop","index":1}"#,
    r#"{"type":"tomorrows_news","index":1}"#,
    r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"one","input":{}}}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"x\": \"é"}}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"}"}}"#,
    r#"{"type":"content_block_stop","index":2}"#,
    r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_2","name":"two","input":{}}}"#,
    r#"{"type":"content_block_stop","index":3}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":30}}"#,
    r#"{"type":"message_stop"}"#,
];

fn complete() -> Completed {
    Completed {
        text: "Grüße €😀".into(),
        calls: vec![call("toolu_1", "one", r#"{"x": "é"}"#), call("toolu_2", "two", "{}")],
        finish: FinishReason::ToolCalls,
        provider_data: Some(json!({
            "dialect": "anthropic", "provider": "test", "model": "m", "content": [
                { "type": "thinking", "thinking": "Hm. ", "signature": "c2ln" },
                { "type": "text", "text": "Grüße €😀" },
                { "type": "tool_use", "id": "toolu_1", "name": "one" },
                { "type": "tool_use", "id": "toolu_2", "name": "two" },
            ],
        })),
    }
}

/// Encodes these events as a stream, each with its kind in a separate line, like the server.
fn stream_of(events: &[&str]) -> String {
    let kind =
        |event: &str| serde_json::from_str::<Value>(event).unwrap()["type"].as_str().unwrap().to_owned();
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", kind(event))).collect()
}

fn provider(server: &Server) -> Arc<dyn Provider> {
    connect("anthropic", settings(server)).unwrap()
}

async fn answer_to(reply: Reply) -> Result<Completed, ProviderError> {
    ask(&*provider(&Server::start([reply]).await)).await
}

fn sent(settings: ProviderSettings, request: &ChatRequest) -> Value {
    serde_json::from_slice(&connect("anthropic", settings).unwrap().encode(request)).unwrap()
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
            ChatEvent::Usage(Usage { input: 120, cached: 90, output: 1 }),
            ChatEvent::ReasoningDelta("Hm. ".into()),
            ChatEvent::TextDelta("Grüße ".into()),
            ChatEvent::TextDelta("€😀".into()),
            delta(0, "one", 0),
            delta(0, "one", 0),
            delta(0, "one", 9),
            delta(0, "one", 11),
            delta(1, "two", 0),
            ChatEvent::Usage(Usage { input: 120, cached: 90, output: 30 }),
        ]
    );
    assert_eq!(outcome, Ok(complete()));
}

#[tokio::test]
async fn chunk_sizes_and_line_ends_do_not_matter() {
    let plain = stream_of(ANSWER);
    let commented = plain.replace("event: message_stop", ": keep-alive\n\nevent: message_stop");
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
async fn answer_cut_before_its_stop_reason_is_truncated() {
    let finished = ANSWER.iter().position(|event| event.contains("message_delta")).unwrap();
    for count in 0..=finished {
        let outcome = answer_to(Reply::events(&stream_of(&ANSWER[..count]))).await;
        assert_eq!(outcome, Err(ProviderError::Truncated), "after {count} events");
    }
    // Only the end marker is missing.
    assert_eq!(answer_to(Reply::events(&stream_of(&ANSWER[..=finished]))).await, Ok(complete()));
}

#[tokio::test]
async fn answer_cut_at_any_byte_is_complete_or_an_error() {
    let body = stream_of(ANSWER);
    let end = body.find("event: message_delta").unwrap();
    for at in (0..end).step_by(13) {
        let reply = Reply::events(&body);
        let head = reply.bytes.len() - body.len();
        let outcome = answer_to(reply.cut(head + at)).await;
        assert!(outcome.is_err(), "cut at byte {at}: {outcome:?}");
    }
}

#[tokio::test]
async fn answer_without_streaming_is_accepted() {
    let whole = r#"{"id":"msg_1","type":"message","role":"assistant","content":[
        {"type":"thinking","thinking":"Hm. ","signature":"c2ln"},{"type":"text","text":"Grüße €😀"},
        {"type":"tool_use","id":"toolu_1","name":"one","input":{"x":"é"}},
        {"type":"tool_use","id":"toolu_2","name":"two","input":{}}],
        "stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}"#;
    let mut expected = complete();
    expected.calls[0].arguments = r#"{"x":"é"}"#.into();
    assert_eq!(answer_to(Reply::chunked(whole, 5)).await, Ok(expected));
}

#[tokio::test]
async fn stop_reasons_are_preserved() {
    for (word, finish) in [
        ("end_turn", FinishReason::Stop),
        ("stop_sequence", FinishReason::Stop),
        ("max_tokens", FinishReason::Length),
        ("model_context_window_exceeded", FinishReason::Length),
        ("refusal", FinishReason::ContentFilter(None)),
        ("pause_turn", FinishReason::Other("pause_turn".into())),
    ] {
        let stop = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{word}"}}}}"#);
        let events = [
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}"#,
            &stop,
            r#"{"type":"message_stop"}"#,
        ];
        let answer = answer_to(Reply::events(&stream_of(&events))).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.finish, answer.provider_data), ("hi", finish, None));
    }
}

#[tokio::test]
async fn incomplete_call_is_never_returned() {
    let half = |stop: &str| {
        let begun = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"one","input":{}}}"#;
        let grown = r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"x\":"}}"#;
        let stop = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{stop}"}}}}"#);
        Reply::events(&stream_of(&[begun, grown, &stop, r#"{"type":"message_stop"}"#]))
    };
    let cut = answer_to(half("max_tokens")).await.unwrap();
    assert_eq!((cut.calls, cut.finish), (vec![], FinishReason::Length));
    assert_eq!(answer_to(half("tool_use")).await, Err(ProviderError::Truncated));
}

#[tokio::test]
async fn error_within_the_answer_ends_it() {
    let events =
        [ANSWER[0], r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#];
    let outcome = answer_to(Reply::events(&stream_of(&events))).await;
    let failed = ProviderError::Failed { provider: "test".into(), status: None, detail: "Overloaded".into() };
    assert_eq!(outcome, Err(failed));
}

#[tokio::test]
async fn overload_is_retried_and_unknown_model_reported() {
    let busy = Reply::new(
        "529 Overloaded",
        "",
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
    );
    let server = Server::start([busy, Reply::events(&stream_of(ANSWER))]).await;
    assert_eq!(ask(&*provider(&server)).await, Ok(complete()));
    assert_eq!(server.requests().len(), 2);

    let unknown = r#"{"type":"error","error":{"type":"not_found_error","message":"model: m"}}"#;
    let outcome = answer_to(Reply::new("404 Not Found", "", unknown)).await;
    assert_eq!(outcome, Err(ProviderError::ModelNotFound { provider: "test".into(), model: "m".into() }));
}

#[tokio::test]
async fn invalid_answers_are_refused() {
    for events in [
        // A continuation without a start; a duplicate number; a call without a name; not an object.
        vec![r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}"#],
        vec![
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        ],
        vec![r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t"}}"#],
    ] {
        let outcome = answer_to(Reply::events(&stream_of(&events))).await;
        assert!(matches!(outcome, Err(ProviderError::BadResponse { .. })), "{events:?}: {outcome:?}");
    }
    let outcome = answer_to(Reply::events("data: [1]\n\n")).await;
    assert!(matches!(outcome, Err(ProviderError::BadResponse { .. })), "{outcome:?}");
}

#[tokio::test]
async fn key_is_sent_in_its_own_header_with_the_version() {
    let server = Server::start([Reply::events(&stream_of(ANSWER))]).await;
    let key = secrecy::SecretString::from("sk-ant-canary");
    let settings = ProviderSettings { key: Arc::new(move || Some(key.clone())), ..settings(&server) };
    ask(&*connect("anthropic", settings).unwrap()).await.unwrap();
    let request = &server.requests()[0];
    let head = request.split("\r\n\r\n").next().unwrap().to_lowercase();
    assert!(head.starts_with("post /v1/messages http/1.1\r\n"), "{head}");
    assert!(head.contains("x-api-key: sk-ant-canary\r\n"), "{head}");
    assert!(head.contains("anthropic-version: 2023-06-01\r\n"), "{head}");
    assert!(!head.contains("authorization"), "{head}");
}

#[tokio::test]
async fn models_are_listed_with_their_context_if_known() {
    let listing = r#"{"data":[{"type":"model","id":"a","display_name":"A"},{"id":"b","max_input_tokens":200000}],"has_more":false}"#;
    let server = Server::start([Reply::new("200 OK", "", listing)]).await;
    let models = provider(&server).models().await.unwrap();
    let found: Vec<_> = models.iter().map(|model| (model.id.as_str(), model.context)).collect();
    assert_eq!(found, [("a", None), ("b", Some(200_000))]);
    assert!(server.requests()[0].starts_with("GET /v1/models?limit=1000 "));
}

fn conversation() -> ChatRequest {
    ChatRequest {
        system: "You are Nova.".into(),
        tools: vec![ToolDefinition {
            name: "one".into(),
            description: "Does one thing.".into(),
            input_schema: json!({ "type": "object", "properties": { "x": { "type": "string" } } }),
        }],
        messages: vec![
            Message::User { content: "hello".into(), images: Vec::new() },
            Message::Assistant {
                text: "I look.".into(),
                calls: vec![call("toolu_1", "one", r#"{"x":"é"}"#), call("call:2", "one", "{half")],
                provider_data: None,
            },
            Message::ToolOutput { call_id: "toolu_1".into(), content: "1".into(), loads: Vec::new() },
            Message::ToolOutput { call_id: "call:2".into(), content: String::new(), loads: Vec::new() },
            Message::Notice { text: "A note changed.".into(), mark: "nova-notice-1".into(), loads: None },
            Message::Assistant { text: " ".into(), calls: vec![], provider_data: None },
            Message::User { content: "and now?".into(), images: Vec::new() },
        ],
        ..request()
    }
}

#[test]
fn request_has_the_apis_format() {
    let settings = || ProviderSettings::new("test");
    let body = sent(settings(), &conversation());
    assert_eq!(
        body,
        json!({
            "model": "m",
            "stream": true,
            "max_tokens": 8192,
            "tools": [{
                "name": "one", "description": "Does one thing.",
                "input_schema": { "type": "object", "properties": { "x": { "type": "string" } } },
            }],
            "system": [{ "type": "text", "text": "You are Nova.", "cache_control": { "type": "ephemeral" } }],
            "messages": [
                { "role": "user", "content": [{ "type": "text", "text": "hello" }] },
                { "role": "assistant", "content": [
                    { "type": "text", "text": "I look." },
                    { "type": "tool_use", "id": "toolu_1", "name": "one", "input": { "x": "é" } },
                    { "type": "tool_use", "id": "call_2", "name": "one", "input": { "invalid_json": "{half" } },
                ]},
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "toolu_1", "content": "1" },
                    { "type": "tool_result", "tool_use_id": "call_2", "content": "" },
                ]},
                { "role": "user", "content": [
                    { "type": "text", "text": "<nova-notice-1>\nA note changed.\n</nova-notice-1>" },
                ]},
                { "role": "user", "content": [{ "type": "text", "text": "and now?" }] },
            ],
            "cache_control": { "type": "ephemeral" },
        })
    );
    // Compatible servers may not set breakpoints automatically.
    let elsewhere = ProviderSettings { base_url: Some("http://127.0.0.1:1/v1".into()), ..settings() };
    assert_eq!(sent(elsewhere, &conversation()).get("cache_control"), None);
}

#[test]
fn tool_choice_is_encoded() {
    let choice = |choice: ToolChoice, thinking: Option<Thinking>| {
        let settings = ProviderSettings { thinking, ..ProviderSettings::new("test") };
        let body = sent(settings, &ChatRequest { tool_choice: choice, ..conversation() });
        (body["tool_choice"].clone(), body["thinking"].clone(), body["max_tokens"].clone())
    };
    let one = || ToolChoice::Required("one".into());
    assert_eq!(choice(ToolChoice::Auto, None), (json!(null), json!(null), json!(8192)));
    assert_eq!(choice(ToolChoice::None, None).0, json!({ "type": "none" }));
    assert_eq!(choice(one(), None).0, json!({ "type": "tool", "name": "one" }));
    // Thinking and a forced tool exclude each other.
    let enabled = json!({ "type": "enabled", "budget_tokens": 4000 });
    assert_eq!(choice(one(), Some(Thinking::Budget(4000))), (json!(null), enabled, json!(12_192)));
    assert_eq!(choice(one(), Some(Thinking::Adaptive)).1, json!({ "type": "adaptive" }));
}

#[test]
fn thinking_is_sent_back_only_to_its_model() {
    let answer = complete();
    let with = |model: &str, calls: &[usize]| {
        let calls: Vec<_> = calls.iter().map(|&at| answer.calls[at].clone()).collect();
        let message = Message::Assistant {
            text: answer.text.clone(),
            calls,
            provider_data: answer.provider_data.clone(),
        };
        let messages = vec![Message::User { content: "hello".into(), images: Vec::new() }, message];
        let request = ChatRequest { model: model.into(), messages, ..request() };
        sent(ProviderSettings::new("test"), &request)["messages"][1]["content"].clone()
    };
    let thinking = json!({ "type": "thinking", "thinking": "Hm. ", "signature": "c2ln" });
    let text = json!({ "type": "text", "text": "Grüße €😀" });
    let one = json!({ "type": "tool_use", "id": "toolu_1", "name": "one", "input": { "x": "é" } });
    let two = json!({ "type": "tool_use", "id": "toolu_2", "name": "two", "input": {} });
    assert_eq!(with("m", &[0, 1]), json!([thinking, text, one, two]));
    assert_eq!(with("other", &[0, 1]), json!([text, one, two]));
    // A call missing in the conversation would never get an output.
    assert_eq!(with("m", &[1]), json!([thinking, text, two]));
}

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: String::new(),
        input_schema: json!({ "type": "object", "properties": {} }),
    }
}

#[test]
fn deferred_tool_is_loaded_by_its_message() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let request = ChatRequest {
        tools: vec![tool("load_skill")],
        deferred: vec![tool("crm__add"), tool("mail__send")],
        messages: vec![
            Message::User { content: "hello".into(), images: Vec::new() },
            Message::Assistant {
                text: String::new(),
                calls: vec![call("a", "load_skill", r#"{"skill":"crm"}"#), call("b", "load_skill", "{}")],
                provider_data: None,
            },
            Message::ToolOutput {
                call_id: "a".into(),
                content: "The instructions.".into(),
                // A tool that no longer exists would be refused.
                loads: names(&["crm__add", "crm__gone"]),
            },
            Message::ToolOutput {
                call_id: "b".into(),
                content: "Again.".into(),
                loads: names(&["crm__add"]),
            },
            Message::Notice {
                mark: "nova-notice-1".into(),
                text: "Of mail.".into(),
                loads: Some(Loads { skill: "mail".into(), tools: names(&["mail__send"]) }),
            },
        ],
        ..request()
    };
    let body = sent(ProviderSettings::new("test"), &request);
    let aside: Vec<_> =
        body["tools"].as_array().unwrap().iter().map(|tool| tool.get("defer_loading").is_some()).collect();
    assert_eq!(aside, [false, true, true]);
    let reference = |name: &str| json!([{ "type": "tool_reference", "tool_name": name }]);
    assert_eq!(
        body["messages"].as_array().unwrap()[2..],
        [
            json!({ "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "a", "content": reference("crm__add") },
                { "type": "tool_result", "tool_use_id": "b", "content": "Again." },
                { "type": "text", "text": "The instructions." },
            ]}),
            json!({ "role": "user", "content": [
                { "type": "text", "text": "<nova-notice-1>\nOf mail.\n</nova-notice-1>" },
            ]}),
            json!({ "role": "assistant", "content": [
                { "type": "tool_use", "id": "nova_1", "name": "load_skill", "input": { "skill": "mail" } },
            ]}),
            json!({ "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "nova_1", "content": reference("mail__send") },
            ]}),
        ]
    );
    // Without deferred tools the request is unchanged.
    let plain = ChatRequest { deferred: Vec::new(), ..request };
    let body = sent(ProviderSettings::new("test"), &plain);
    assert!(!body.to_string().contains("tool_reference"), "{body}");
    assert_eq!(body["messages"].as_array().unwrap().len(), 4);
}

#[test]
fn tools_are_deferred_if_server_and_model_support_it() {
    let defers =
        |settings: ProviderSettings, model: &str| connect("anthropic", settings).unwrap().defers_tools(model);
    let own = || ProviderSettings::new("test");
    let elsewhere = || ProviderSettings { base_url: Some("http://127.0.0.1:1/v1".into()), ..own() };
    assert!(defers(own(), "claude-sonnet-4-5-20250929"));
    assert!(!defers(own(), "claude-3-5-haiku-20241022"));
    assert!(!defers(ProviderSettings { deferred_tools: Some(false), ..own() }, "claude-sonnet-4-5"));
    assert!(!defers(elsewhere(), "claude-sonnet-4-5"));
    assert!(defers(ProviderSettings { deferred_tools: Some(true), ..elsewhere() }, "any"));
    let thinks = |thinking| ProviderSettings { thinking: Some(thinking), ..own() };
    assert!(defers(thinks(Thinking::Adaptive), "claude-sonnet-4-5"));
    assert!(!defers(thinks(Thinking::Budget(4_000)), "claude-sonnet-4-5"));
}

#[test]
fn calls_of_any_provider_have_unique_valid_ids() {
    // Other providers restart their numbering in each answer, and use characters that are invalid here.
    let answer = |ids: &[&str]| Message::Assistant {
        text: String::new(),
        calls: ids.iter().map(|id| call(id, "one", "{}")).collect(),
        provider_data: None,
    };
    let output = |id: &str| Message::ToolOutput { call_id: id.into(), content: id.into(), loads: Vec::new() };
    let messages = vec![
        Message::User { content: "hello".into(), images: Vec::new() },
        answer(&["call_1", "call:1"]),
        output("call:1"),
        output("call_1"),
        answer(&["call_1"]),
        output("call_1"),
        answer(&["call_1_2"]),
        output("call_1_2"),
    ];
    let body = sent(ProviderSettings::new("test"), &ChatRequest { messages, ..request() });
    let blocks =
        body["messages"].as_array().unwrap().iter().flat_map(|one| one["content"].as_array().unwrap());
    let told: Vec<_> = blocks
        .filter_map(|block| match block["type"].as_str()? {
            "tool_use" => Some(block["id"].as_str()?.to_owned()),
            "tool_result" => {
                Some(format!("{}={}", block["tool_use_id"].as_str()?, block["content"].as_str()?))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        told,
        [
            "call_1",
            "call_1_2",
            "call_1_2=call:1",
            "call_1=call_1",
            "call_1_3",
            "call_1_3=call_1",
            "call_1_2_2",
            "call_1_2_2=call_1_2"
        ]
    );
}

#[test]
fn longer_conversation_starts_with_bytes_of_the_shorter() {
    let whole = conversation();
    let anthropic = connect("anthropic", ProviderSettings::new("test")).unwrap();
    let bytes = |count: usize| {
        let request = ChatRequest { messages: whole.messages[..count].to_vec(), ..whole.clone() };
        String::from_utf8(anthropic.encode(&request)).unwrap()
    };
    // Each request of a turn ends after a user's message, or after all outputs.
    for (shorter, longer) in [(1, 4), (4, 5), (5, 7)] {
        let short = bytes(shorter);
        let end = short.rfind(r#"],"max_tokens""#).expect("the end of the messages");
        assert!(bytes(longer).starts_with(&short[..end]), "{shorter} of {longer} messages");
    }
}
