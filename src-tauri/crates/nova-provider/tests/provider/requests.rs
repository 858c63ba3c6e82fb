//! Encoded requests.

use nova_provider::{ChatRequest, Message, ProviderSettings, ToolChoice, ToolDefinition, connect};
use serde_json::Value;

use crate::support::{Reply, Server, ask, body, call, json, provider, request, settings};

fn encode(base_url: &str, request: &ChatRequest) -> Vec<u8> {
    let settings = ProviderSettings { base_url: Some(base_url.into()), ..ProviderSettings::new("test") };
    connect("openai", settings).unwrap().encode(request)
}

fn encoded(request: &ChatRequest) -> Value {
    serde_json::from_slice(&encode("http://127.0.0.1/v1", request)).unwrap()
}

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: "Does it.".into(),
        input_schema: json(
            r#"{"$schema":"s","type":"object","properties":{"n":{"type":["integer","null"],"format":"uint32","default":null}}}"#,
        ),
    }
}

fn conversation() -> Vec<Message> {
    vec![
        Message::User { content: "add Ann".into(), images: Vec::new() },
        Message::Assistant {
            text: String::new(),
            calls: vec![call("a", "crm__add", r#"{"name": "Ann"}"#), call("b", "crm__list", "{\"half\":")],
            provider_data: None,
        },
        Message::ToolOutput { call_id: "a".into(), content: "added".into(), loads: Vec::new() },
        Message::ToolOutput { call_id: "b".into(), content: "not JSON".into(), loads: Vec::new() },
        Message::Notice { text: "Ann.md changed.".into(), mark: "nova-notice-1".into(), loads: None },
        Message::Assistant { text: "Done.".into(), calls: vec![], provider_data: None },
    ]
}

#[test]
fn request_is_a_chat_completion() {
    let request = ChatRequest {
        system: "Be brief.".into(),
        tools: vec![tool("crm__add")],
        messages: conversation(),
        max_output: Some(100),
        tool_choice: ToolChoice::Required("crm__add".into()),
        ..request()
    };
    let expected = r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},
        "tools":[{"type":"function","function":{"name":"crm__add","description":"Does it.",
            "parameters":{"type":"object","properties":{"n":{"type":"integer"}}}}}],
        "messages":[
            {"role":"system","content":"Be brief."},
            {"role":"user","content":"add Ann"},
            {"role":"assistant","content":null,"tool_calls":[
                {"id":"a","type":"function","function":{"name":"crm__add","arguments":"{\"name\": \"Ann\"}"}},
                {"id":"b","type":"function","function":{"name":"crm__list","arguments":"{\"invalid_json\":\"{\\\"half\\\":\"}"}}]},
            {"role":"tool","tool_call_id":"a","content":"added"},
            {"role":"tool","tool_call_id":"b","content":"not JSON"},
            {"role":"user","content":"<nova-notice-1>\nAnn.md changed.\n</nova-notice-1>"},
            {"role":"assistant","content":"Done."}],
        "tool_choice":{"type":"function","function":{"name":"crm__add"}},
        "max_tokens":100}"#;
    assert_eq!(encoded(&request), json(expected));
}

#[test]
fn unset_parameters_are_not_sent() {
    let sent = encoded(&ChatRequest { tool_choice: ToolChoice::None, ..request() });
    let keys: Vec<&str> = sent.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["model", "stream", "stream_options", "messages"]);

    let sent = encoded(&ChatRequest { tool_choice: ToolChoice::None, tools: vec![tool("t")], ..request() });
    assert_eq!(sent["tool_choice"], "none");
}

#[test]
fn openais_own_server_has_another_name_for_the_limit() {
    let request = ChatRequest { max_output: Some(5), ..request() };
    let sent: Value = serde_json::from_slice(&encode("https://api.openai.com/v1", &request)).unwrap();
    assert_eq!((&sent["max_completion_tokens"], sent.get("max_tokens")), (&Value::from(5), None));
}

#[test]
fn longer_conversation_starts_with_bytes_of_the_shorter() {
    let with = |messages: &[Message], choice: ToolChoice| {
        let request = ChatRequest {
            system: "Be brief.".into(),
            tools: vec![tool("a"), tool("b")],
            messages: messages.to_vec(),
            max_output: Some(9),
            tool_choice: choice,
            ..request()
        };
        String::from_utf8(encode("http://127.0.0.1/v1", &request)).unwrap()
    };
    let messages = conversation();
    assert_eq!(with(&messages, ToolChoice::Auto), with(&messages, ToolChoice::Auto));
    for count in 1..messages.len() {
        let shorter = with(&messages[..count], ToolChoice::None);
        let longer = with(&messages[..count + 1], ToolChoice::Auto);
        let prefix = shorter.rsplit_once("],\"tool_choice\"").unwrap().0;
        assert!(longer.starts_with(prefix), "{longer}\ndoes not start with\n{prefix}");
    }
}

#[test]
fn carried_data_is_sent_back_to_its_model() {
    let data = r#"{"dialect":"openai","provider":"test","model":"m",
        "message":{"reasoning_content":"I think"},"calls":{"a":{"google":{"thought_signature":"s"}}}}"#;
    let assistant = |calls| Message::Assistant { text: "t".into(), calls, provider_data: Some(json(data)) };
    let calls = vec![call("a", "one", "{}"), call("b", "two", "{}")];

    let sent = encoded(&ChatRequest { messages: vec![assistant(calls.clone())], ..request() });
    let message = &sent["messages"][0];
    assert_eq!(message["reasoning_content"], "I think");
    assert_eq!(message["tool_calls"][0]["extra_content"], json(r#"{"google":{"thought_signature":"s"}}"#));
    assert_eq!(message["tool_calls"][1].get("extra_content"), None);

    let other = encoded(&ChatRequest { model: "n".into(), messages: vec![assistant(calls)], ..request() });
    assert!(!other.to_string().contains("think"), "{other}");
    let finished = encoded(&ChatRequest { messages: vec![assistant(vec![])], ..request() });
    assert!(!finished.to_string().contains("think"), "{finished}");
}

#[tokio::test]
async fn encoded_body_is_sent() {
    let stop = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    let server = Server::start([Reply::events(&body(&[stop]))]).await;
    let provider = provider(&server);
    ask(&*provider).await.unwrap();
    let sent = server.requests().remove(0);
    let (head, body) = sent.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");
    assert!(head.contains("accept-encoding: identity"), "{head}");
    assert_eq!(body.as_bytes(), provider.encode(&request()));
}

#[tokio::test]
async fn address_keeps_its_path_and_query() {
    let server = Server::start([Reply::new("404 No", "", "")]).await;
    let base_url = format!("{}/deployments/x/?api-version=1", server.address);
    let settings = ProviderSettings { base_url: Some(base_url), ..settings(&server) };
    let error = ask(&*connect("openai", settings).unwrap()).await.unwrap_err();
    assert!(server.requests()[0].starts_with("POST /deployments/x/chat/completions?api-version=1 "));
    assert!(!error.to_string().contains("api-version"), "{error}");
}
