//! Encoded requests, and the data sent back of an earlier answer.

use std::sync::Arc;

use nova_provider::{
    ChatRequest, Message, ProviderError, ProviderSettings, Thinking, ToolChoice, ToolDefinition, connect,
};
use serde_json::{Value, json};

use super::{ANSWER, chunk, complete, provider, stream_of};
use crate::support::{Reply, Server, ask, ask_with, call, json as parsed, request, settings};

fn sent_by(settings: ProviderSettings, request: &ChatRequest) -> Value {
    serde_json::from_slice(&connect("gemini", settings).unwrap().encode(request)).unwrap()
}

fn sent(request: &ChatRequest) -> Value {
    sent_by(ProviderSettings::new("test"), request)
}

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: "Does it.".into(),
        input_schema: parsed(
            r##"{"type":"object","properties":{"p":{"$ref":"#/$defs/P"}},"required":["p"],
            "$defs":{"P":{"type":"object","properties":{"n":{"type":["integer","null"],"format":"int64"}}}}}"##,
        ),
    }
}

fn conversation() -> ChatRequest {
    ChatRequest {
        system: "You are Nova.".into(),
        tools: vec![tool("one")],
        messages: vec![
            Message::User { content: "hello".into(), images: Vec::new() },
            Message::Assistant {
                text: "I look.".into(),
                calls: vec![call("a", "one", r#"{"x":"é"}"#), call("b", "one", "{half")],
                provider_data: None,
            },
            // In order of arrival.
            Message::ToolOutput { call_id: "b".into(), content: String::new(), loads: Vec::new() },
            Message::ToolOutput { call_id: "a".into(), content: "1".into(), loads: Vec::new() },
            Message::Notice { text: "A note changed.".into(), mark: "nova-notice-1".into(), loads: None },
            Message::Assistant { text: " ".into(), calls: vec![], provider_data: None },
            Message::User { content: " ".into(), images: Vec::new() },
        ],
        ..request()
    }
}

#[test]
fn request_has_the_apis_format() {
    let request = ChatRequest { model: "gemini-2.5-flash".into(), max_output: Some(100), ..conversation() };
    let body = sent(&request);
    assert_eq!(
        body,
        json!({
            "systemInstruction": { "parts": [{ "text": "You are Nova." }] },
            "tools": [{ "functionDeclarations": [{
                "name": "one", "description": "Does it.",
                "parametersJsonSchema": {
                    "type": "object",
                    "properties": { "p": { "type": "object", "properties": { "n": { "type": "integer" } } } },
                    "required": ["p"],
                },
            }]}],
            "contents": [
                { "role": "user", "parts": [{ "text": "hello" }] },
                { "role": "model", "parts": [
                    { "text": "I look." },
                    { "functionCall": { "name": "one", "args": { "x": "é" } } },
                    { "functionCall": { "name": "one", "args": { "invalid_json": "{half" } } },
                ]},
                { "role": "user", "parts": [
                    { "functionResponse": { "name": "one", "response": { "output": "1" } } },
                    { "functionResponse": { "name": "one", "response": { "output": "" } } },
                ]},
                { "role": "user", "parts": [{ "text": "<nova-notice-1>\nA note changed.\n</nova-notice-1>" }] },
                { "role": "user", "parts": [{ "text": "(empty)" }] },
            ],
            "generationConfig": { "maxOutputTokens": 100 },
        })
    );
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["systemInstruction", "tools", "contents", "generationConfig"]);
}

#[test]
fn tool_choice_is_encoded() {
    let choice = |choice: ToolChoice| {
        sent(&ChatRequest { tool_choice: choice, ..conversation() })["toolConfig"]["functionCallingConfig"]
            .clone()
    };
    assert_eq!(choice(ToolChoice::Auto), json!(null));
    assert_eq!(choice(ToolChoice::None), json!({ "mode": "NONE" }));
    assert_eq!(
        choice(ToolChoice::Required("one".into())),
        json!({ "mode": "ANY", "allowedFunctionNames": ["one"] })
    );
}

#[test]
fn thoughts_are_requested_if_the_user_enables_them() {
    let config = |thinking| {
        sent_by(ProviderSettings { thinking, ..ProviderSettings::new("test") }, &request())["generationConfig"]["thinkingConfig"].clone()
    };
    assert_eq!(config(None), json!(null));
    assert_eq!(config(Some(Thinking::Adaptive)), json!({ "includeThoughts": true }));
    assert_eq!(
        config(Some(Thinking::Budget(4_000))),
        json!({ "includeThoughts": true, "thinkingBudget": 4_000 })
    );
}

#[test]
fn signatures_and_ids_are_sent_back_only_to_their_model() {
    let answer = complete();
    let with = |model: &str, calls: &[usize]| {
        let calls: Vec<_> = calls.iter().map(|&at| answer.calls[at].clone()).collect();
        let outputs = calls.iter().map(|call| Message::ToolOutput {
            call_id: call.id.clone(),
            content: call.name.clone(),
            loads: Vec::new(),
        });
        let outputs: Vec<Message> = outputs.collect();
        let message = Message::Assistant {
            text: answer.text.clone(),
            calls,
            provider_data: answer.provider_data.clone(),
        };
        let messages = std::iter::once(message).chain(outputs).collect();
        sent(&ChatRequest { model: model.into(), messages, ..request() })["contents"].clone()
    };
    let text = json!({ "text": "Grüße €😀" });
    let one = json!({ "functionCall": { "name": "one", "id": "f1", "args": { "x": "é" } }, "thoughtSignature": "c2lnMQ==" });
    let two = json!({ "functionCall": { "name": "two", "args": {} } });
    let signed = json!({ "text": "", "thoughtSignature": "c2lnMg==" });
    let output = |name: &str| json!({ "functionResponse": { "name": name, "response": { "output": name } } });
    let given = json!({ "functionResponse": { "id": "f1", "name": "one", "response": { "output": "one" } } });
    assert_eq!(
        with("m", &[0, 1]),
        json!([{ "role": "model", "parts": [text, one, two, signed] }, { "role": "user", "parts": [given, output("two")] }])
    );
    // The server requires an output for each call.
    assert_eq!(with("m", &[1])[0]["parts"], json!([text, two, signed]));
    let plain = json!({ "functionCall": { "name": "one", "args": { "x": "é" } } });
    assert_eq!(
        with("gemini-2.5-flash", &[0, 1]),
        json!([{ "role": "model", "parts": [text, plain, two] }, { "role": "user", "parts": [output("one"), output("two")] }])
    );
    // Models from Gemini 3 on require a signature, and accept a placeholder for that of another model.
    let parts = with("gemini-3-pro", &[0, 1])[0]["parts"].clone();
    assert_eq!(parts[1]["thoughtSignature"], "skip_thought_signature_validator");
    assert_eq!(parts[2], two);
}

#[tokio::test]
async fn tool_name_with_a_leading_digit_is_mapped_back() {
    let request = ChatRequest { tools: vec![tool("3d__print"), tool("_own")], ..request() };
    let names: Vec<Value> = sent(&request)["tools"][0]["functionDeclarations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].clone())
        .collect();
    assert_eq!(names, ["_3d__print", "_own"]);
    let parts = json!([{ "functionCall": { "name": "_3d__print", "args": {} } }, { "functionCall": { "name": "_own", "args": {} } }]);
    let server = Server::start([Reply::events(&stream_of(&[&chunk(&parts, Some("STOP"))]))]).await;
    let answer = ask_with(&*provider(&server), &request).await.unwrap();
    let called: Vec<&str> = answer.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(called, ["3d__print", "_own"]);
    let message = Message::Assistant { text: String::new(), calls: answer.calls, provider_data: None };
    let output = Message::ToolOutput { call_id: "call_1".into(), content: "x".into(), loads: Vec::new() };
    let body = sent(&ChatRequest { messages: vec![message, output], ..request });
    assert_eq!(body["contents"][0]["parts"][0]["functionCall"]["name"], "_3d__print");
    assert_eq!(body["contents"][1]["parts"][0]["functionResponse"]["name"], "_3d__print");
}

#[test]
fn longer_conversation_starts_with_bytes_of_the_shorter() {
    let whole = conversation();
    let provider = connect("gemini", ProviderSettings::new("test")).unwrap();
    let bytes = |count: usize, tool_choice: ToolChoice| {
        let request =
            ChatRequest { messages: whole.messages[..count].to_vec(), tool_choice, ..whole.clone() };
        String::from_utf8(provider.encode(&request)).unwrap()
    };
    for (shorter, longer) in [(1, 4), (4, 5), (5, 7)] {
        let short = bytes(shorter, ToolChoice::None);
        let end = short.rfind(r#"],"toolConfig""#).expect("the end of the conversation");
        assert!(bytes(longer, ToolChoice::Auto).starts_with(&short[..end]), "{shorter} of {longer} messages");
    }
    assert!(!provider.defers_tools("gemini-3-pro"));
}

#[tokio::test]
async fn key_is_sent_in_its_own_header() {
    let listing = r#"{"models":[
        {"name":"models/gemini-2.5-flash","inputTokenLimit":1048576,"supportedGenerationMethods":["generateContent","countTokens"]},
        {"name":"models/embedding-001","supportedGenerationMethods":["embedContent"]},
        {"name":"tunedModels/mine"},{"displayName":"nameless"}]}"#;
    let no_ollama = Reply::new("404 Not Found", "", "");
    let server =
        Server::start([Reply::new("200 OK", "", listing), no_ollama, Reply::events(&stream_of(ANSWER))])
            .await;
    let key = secrecy::SecretString::from("AIza-canary");
    let settings = ProviderSettings { key: Arc::new(move || Some(key.clone())), ..settings(&server) };
    let gemini = connect("gemini", settings).unwrap();
    let models = gemini.models().await.unwrap();
    let found: Vec<_> = models.iter().map(|model| (model.id.as_str(), model.context)).collect();
    assert_eq!(found, [("gemini-2.5-flash", Some(1_048_576)), ("tunedModels/mine", None)]);

    ask(&*gemini).await.unwrap();
    let sent = server.requests();
    assert!(sent[0].starts_with("GET /v1/models?pageSize=1000 "), "{}", sent[0]);
    let (head, body) = sent[2].split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/models/m:streamGenerateContent?alt=sse HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("x-goog-api-key: AIza-canary\r\n"), "{head}");
    assert!(!head.contains("authorization") && !head.contains("?key="), "{head}");
    assert_eq!(body.as_bytes(), gemini.encode(&request()));

    for said in ["{}", "[]", r#"{"models":7}"#, "<html>"] {
        let server = Server::start([Reply::new("200 OK", "", said)]).await;
        assert_eq!(
            provider(&server).models().await.unwrap_err().code().as_str(),
            "provider_bad_response",
            "{said}"
        );
    }
}

#[tokio::test]
async fn model_name_that_changes_the_path_is_refused() {
    let server = Server::start([]).await;
    let request = ChatRequest { model: "../../upload".into(), ..request() };
    let error = ask_with(&*provider(&server), &request).await.unwrap_err();
    assert_eq!(error, ProviderError::ModelNotFound { provider: "test".into(), model: "../../upload".into() });
    assert_eq!(server.requests(), Vec::<String>::new());
}
