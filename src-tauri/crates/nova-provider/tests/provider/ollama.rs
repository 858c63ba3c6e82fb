//! Ollama's own chat API: encoded requests and decoded answers.

use std::sync::Arc;

use nova_provider::{
    ChatEvent, ChatRequest, Completed, FinishReason, Message, ModelLookup, Provider, ProviderError,
    ProviderSettings, ToolChoice, ToolDefinition, Usage, connect,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Reply, Server, ask, call, json, read_all, request, settings};

/// Thinking, text with characters of two to four bytes, two calls, the second without an id.
const ANSWER: &str = concat!(
    r#"{"model":"m","message":{"role":"assistant","content":"","thinking":"Hm. "},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":"Grüße "},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":"€😀"},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"index":0,"name":"one","arguments":{"x":"é"}}}]},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"two","arguments":{}}}]},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":120,"eval_count":30}"#,
    "\n",
);

const SHOWN: &str = r#"{"capabilities":["completion","tools"],"model_info":{"q.context_length":40960}}"#;

fn complete() -> Completed {
    Completed {
        text: "Grüße €😀".into(),
        calls: vec![call("a", "one", r#"{"x":"é"}"#), call("call_2", "two", "{}")],
        finish: FinishReason::ToolCalls,
        provider_data: Some(
            json!({ "dialect": "ollama", "provider": "test", "model": "m", "thinking": "Hm. " }),
        ),
    }
}

fn shown() -> Reply {
    Reply::new("200 OK", "", SHOWN)
}

fn lines(body: &str) -> Reply {
    Reply::new("200 OK", "content-type: application/x-ndjson\r\n", body)
}

fn provider(server: &Server) -> Arc<dyn Provider> {
    connect("ollama", settings(server)).unwrap()
}

async fn answer_to(reply: Reply) -> Result<Completed, ProviderError> {
    ask(&*provider(&Server::start([shown(), reply]).await)).await
}

fn with_tool() -> ChatRequest {
    let input_schema = json!({ "type": "object", "properties": {} });
    let tool = |name: &str| ToolDefinition {
        name: name.into(),
        description: "Does something.".into(),
        input_schema: input_schema.clone(),
    };
    ChatRequest { tools: vec![tool("one"), tool("two")], ..request() }
}

/// The body of the latest request.
fn sent(server: &Server) -> Value {
    let request = server.requests().pop().unwrap();
    json(request.split_once("\r\n\r\n").unwrap().1)
}

#[tokio::test]
async fn events_come_in_order_and_end_once() {
    let server = Server::start([shown(), lines(ANSWER)]).await;
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
            delta(0, "one", 10),
            delta(1, "two", 2),
            ChatEvent::Usage(Usage { input: 120, cached: 0, output: 30 }),
        ]
    );
    assert_eq!(outcome, Ok(complete()));
    let paths: Vec<String> =
        server.requests().iter().map(|request| request.lines().next().unwrap().to_owned()).collect();
    assert_eq!(paths, ["POST /api/show HTTP/1.1", "POST /api/chat HTTP/1.1"]);
}

#[tokio::test]
async fn chunk_sizes_and_line_ends_do_not_matter() {
    let blank = ANSWER.replace('\n', "\n\n");
    for body in [ANSWER.to_owned(), ANSWER.replace('\n', "\r\n"), blank, ANSWER.trim_end().to_owned()] {
        for size in [1, 7, 4096] {
            let outcome = answer_to(Reply::chunked(&body, size)).await;
            assert_eq!(outcome, Ok(complete()), "pieces of {size}: {body}");
        }
    }
}

#[tokio::test]
async fn answer_cut_at_any_byte_is_an_error() {
    let end =
        ANSWER.rfind(r#"{"model":"m","message":{"role":"assistant","content":""},"done":true"#).unwrap();
    for at in (0..end + 20).step_by(11) {
        let reply = lines(ANSWER);
        let head = reply.bytes.len() - ANSWER.len();
        let outcome = answer_to(reply.cut(head + at)).await;
        assert!(outcome.is_err(), "cut at byte {at}: {outcome:?}");
    }
}

#[tokio::test]
async fn error_in_a_line_ends_the_answer() {
    let body = concat!(
        r#"{"message":{"role":"assistant","content":"So"},"done":false}"#,
        "\n",
        r#"{"error":"llama runner process has terminated"}"#,
        "\n",
    );
    let failed = ProviderError::Failed {
        provider: "test".into(),
        status: None,
        detail: "llama runner process has terminated".into(),
    };
    assert_eq!(answer_to(lines(body)).await, Err(failed));
    let page = answer_to(lines("{half\n")).await;
    assert!(matches!(page, Err(ProviderError::BadResponse { .. })), "{page:?}");
}

#[tokio::test]
async fn request_sets_the_required_context() {
    let server = Server::start([shown(), lines(ANSWER), lines(ANSWER)]).await;
    let ollama = provider(&server);
    ask(&*ollama).await.unwrap();
    let body = sent(&server);
    assert_eq!(body["options"], json!({ "num_ctx": 16_384 }));
    assert_eq!((&body["truncate"], &body["shift"]), (&json!(false), &json!(false)), "nothing is truncated");

    // 120,000 bytes are about 40,000 tokens: the next size would exceed the model's context.
    let long = ChatRequest {
        messages: vec![Message::User { content: "x".repeat(120_000), images: Vec::new() }],
        ..request()
    };
    let stream = ollama.stream(&long, CancellationToken::new()).await.unwrap();
    read_all(stream).await.1.unwrap();
    assert_eq!(sent(&server)["options"]["num_ctx"], 40_960);
    assert_eq!(server.requests().len(), 3, "capabilities are requested once");
}

#[tokio::test]
async fn context_set_by_the_user_is_respected() {
    let server = Server::start([shown(), lines(ANSWER)]).await;
    let small = ProviderSettings { context: Some(4_096), ..settings(&server) };
    let ollama = connect("ollama", small).unwrap();
    ask(&*ollama).await.unwrap();
    assert_eq!(sent(&server)["options"]["num_ctx"], 4_096);

    let long = ChatRequest {
        messages: vec![Message::User { content: "x".repeat(30_000), images: Vec::new() }],
        ..with_tool()
    };
    let error = ollama.stream(&long, CancellationToken::new()).await.err().unwrap();
    assert!(
        matches!(
            error,
            ProviderError::ContextTooSmall { context: 4_096, needed: 10_000..=10_200, tools: 2, .. }
        ),
        "{error:?}"
    );
    assert_eq!(server.requests().len(), 2, "the request was sent");
}

#[tokio::test]
async fn model_without_tools_is_reported_before_or_after_the_request() {
    let cannot = Reply::new("200 OK", "", r#"{"capabilities":["completion"]}"#);
    let said = Reply::new("400 Bad Request", "", r#"{"error":"registry/library/m does not support tools"}"#);
    let silent = Reply::new("200 OK", "", "{}");
    for replies in [vec![cannot], vec![silent, said]] {
        let server = Server::start(replies).await;
        let error = provider(&server).stream(&with_tool(), CancellationToken::new()).await.err().unwrap();
        assert_eq!(error, ProviderError::NoTools { provider: "test".into(), model: "m".into() });
        assert_eq!(error.to_string(), "`m` of test cannot call tools");
    }
}

#[tokio::test]
async fn server_without_model_information_is_accepted() {
    let old = Reply::new("404 Not Found", "", "404 page not found");
    let server = Server::start([old, lines(ANSWER)]).await;
    assert_eq!(ask(&*provider(&server)).await, Ok(complete()));
}

#[tokio::test]
async fn models_are_listed_with_capabilities() {
    let tags = r#"{"models":[{"name":"big"},{"name":"plain"},{"name":"odd","remote_host":"https://ollama.com:443"}]}"#;
    let replies = [tags, SHOWN, r#"{"capabilities":["completion"]}"#, "[]"];
    // Sequentially, so that each model gets its own response.
    let server = Server::start(replies.map(|reply| Reply::new("200 OK", "", reply))).await;
    let models = provider(&server).models().await.unwrap();
    let names: Vec<_> = models.iter().map(|model| (model.id.as_str(), model.runs_at.as_deref())).collect();
    assert_eq!(names, [("big", None), ("plain", None), ("odd", Some("https://ollama.com:443"))]);
    let mut said: Vec<_> = models.iter().map(|model| (model.context, model.tools)).collect();
    said.sort_unstable();
    assert_eq!(said, [(None, None), (None, Some(false)), (Some(40_960), Some(true))]);
}

#[tokio::test]
async fn information_on_one_model_is_cached_for_the_request() {
    let tags = r#"{"models":[{"name":"a"},{"name":"M:latest","remote_host":"https://ollama.com:443"},{"name":"b"}]}"#;
    let replies = [Reply::new("200 OK", "", tags), Reply::new("200 OK", "", SHOWN), lines(ANSWER)];
    let server = Server::start(replies).await;
    let provider = provider(&server);
    let asked = provider.model("m", &CancellationToken::new()).await.unwrap();
    let ModelLookup::Found(model) = asked else { panic!("{asked:?}") };
    assert_eq!((model.runs_at.as_deref(), model.tools), (Some("https://ollama.com:443"), Some(true)));
    assert_eq!(ask(&*provider).await, Ok(complete()));
    assert_eq!(server.requests().len(), 3, "{:?}", server.requests());

    let server = Server::start([Reply::new("200 OK", "", tags)]).await;
    assert_eq!(self::provider(&server).model("c", &CancellationToken::new()).await, Ok(ModelLookup::Missing));
}

#[test]
fn request_has_the_servers_format() {
    let conversation = ChatRequest {
        system: "You are Nova.".into(),
        messages: vec![
            Message::User { content: "hello".into(), images: Vec::new() },
            Message::Assistant {
                text: String::new(),
                calls: complete().calls,
                provider_data: complete().provider_data,
            },
            Message::ToolOutput { call_id: "a".into(), content: "1".into(), loads: Vec::new() },
            Message::ToolOutput { call_id: "call_2".into(), content: "2".into(), loads: Vec::new() },
            Message::Notice { text: "A note changed.".into(), mark: "nova-notice-1".into(), loads: None },
            Message::Assistant {
                text: "Done.".into(),
                calls: vec![],
                provider_data: complete().provider_data,
            },
        ],
        ..with_tool()
    };
    let ollama = connect("ollama", ProviderSettings::new("test")).unwrap();
    let body = |request: &ChatRequest| serde_json::from_slice::<Value>(&ollama.encode(request)).unwrap();
    assert_eq!(
        body(&conversation)["messages"],
        json!([
            { "role": "system", "content": "You are Nova." },
            { "role": "user", "content": "hello" },
            { "role": "assistant", "content": "", "thinking": "Hm. ", "tool_calls": [
                { "id": "a", "function": { "name": "one", "arguments": { "x": "é" } } },
                { "id": "call_2", "function": { "name": "two", "arguments": {} } },
            ]},
            { "role": "tool", "tool_call_id": "a", "tool_name": "one", "content": "1" },
            { "role": "tool", "tool_call_id": "call_2", "tool_name": "two", "content": "2" },
            { "role": "user", "content": "<nova-notice-1>\nA note changed.\n</nova-notice-1>" },
            { "role": "assistant", "content": "Done." },
        ])
    );
    let tools = |choice: ToolChoice| {
        let body = body(&ChatRequest { tool_choice: choice, ..conversation.clone() });
        let tools = body["tools"].as_array().cloned().unwrap_or_default();
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(tools(ToolChoice::Auto), ["one", "two"]);
    assert_eq!(tools(ToolChoice::Required("two".into())), ["two"], "only the required tool is sent");
    assert!(tools(ToolChoice::None).is_empty());
}

#[test]
fn longer_conversation_starts_with_bytes_of_the_shorter() {
    let ollama = connect("ollama", ProviderSettings::new("test")).unwrap();
    let bytes = |count: usize| {
        let messages = vec![Message::User { content: "hello".into(), images: Vec::new() }; count];
        String::from_utf8(ollama.encode(&ChatRequest { messages, ..with_tool() })).unwrap()
    };
    let short = bytes(2);
    let end = short.rfind(r#"],"truncate""#).unwrap();
    assert!(bytes(3).starts_with(&short[..end]));
}
