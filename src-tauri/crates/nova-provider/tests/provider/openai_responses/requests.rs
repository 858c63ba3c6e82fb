//! Encoded requests, and the data sent back of an earlier answer.

use nova_provider::{
    ChatRequest, Loads, Message, ProviderSettings, Thinking, ToolChoice, ToolDefinition, connect,
};
use serde_json::{Value, json};

use super::{ANSWER, answer_of, complete, ended, provider, stream_of};
use crate::support::{Reply, Server, ask, call, request};

fn sent_by(settings: ProviderSettings, request: &ChatRequest) -> Value {
    serde_json::from_slice(&connect("openai_responses", settings).unwrap().encode(request)).unwrap()
}

fn sent(request: &ChatRequest) -> Value {
    sent_by(ProviderSettings::new("test"), request)
}

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: "Does it.".into(),
        input_schema: json!({ "type": "object", "properties": { "x": { "type": ["integer", "null"], "format": "uint32" } } }),
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
                calls: vec![call("call_1", "one", r#"{"x": 1}"#), call("call:2", "one", "{half")],
                provider_data: None,
            },
            Message::ToolOutput { call_id: "call_1".into(), content: "1".into(), loads: Vec::new() },
            Message::ToolOutput { call_id: "call:2".into(), content: String::new(), loads: Vec::new() },
            Message::Notice { text: "A note changed.".into(), mark: "nova-notice-1".into(), loads: None },
            Message::Assistant { text: " ".into(), calls: vec![], provider_data: None },
            Message::User { content: "and now?".into(), images: Vec::new() },
        ],
        ..request()
    }
}

#[test]
fn request_disables_storage() {
    let body = sent(&ChatRequest { max_output: Some(100), ..conversation() });
    assert_eq!(
        body,
        json!({
            "model": "m",
            "stream": true,
            "store": false,
            "include": ["reasoning.encrypted_content"],
            "instructions": "You are Nova.",
            "tools": [{
                "type": "function", "name": "one", "description": "Does it.", "strict": false,
                "parameters": { "type": "object", "properties": { "x": { "type": "integer" } } },
            }],
            "input": [
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "hello" }] },
                { "type": "message", "role": "assistant", "content": "I look." },
                { "type": "function_call", "call_id": "call_1", "name": "one", "arguments": "{\"x\": 1}" },
                { "type": "function_call", "call_id": "call_2", "name": "one", "arguments": "{\"invalid_json\":\"{half\"}" },
                { "type": "function_call_output", "call_id": "call_1", "output": "1" },
                { "type": "function_call_output", "call_id": "call_2", "output": "" },
                { "type": "message", "role": "user", "content": [
                    { "type": "input_text", "text": "<nova-notice-1>\nA note changed.\n</nova-notice-1>" },
                ]},
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "and now?" }] },
            ],
            "max_output_tokens": 100,
        })
    );
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["model", "stream", "store", "include", "instructions", "tools", "input", "max_output_tokens"]
    );
}

#[test]
fn unsupported_parameters_are_omitted() {
    let of = |model: &str| sent(&ChatRequest { model: model.into(), ..request() });
    assert_eq!(of("gpt-4.1").get("include"), None, "gpt-4.1 rejects reasoning items");
    assert_eq!(of("gpt-5.4")["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(of("gpt-5.4").get("reasoning"), None);
    let thinks = ProviderSettings { thinking: Some(Thinking::Adaptive), ..ProviderSettings::new("test") };
    assert_eq!(sent_by(thinks, &request())["reasoning"], json!({ "summary": "auto" }));
    let least = sent(&ChatRequest { max_output: Some(1), ..request() });
    assert_eq!(least["max_output_tokens"], 16, "the API refuses a lower limit");
}

#[test]
fn tool_choice_is_encoded() {
    let choice = |choice: ToolChoice| {
        sent(&ChatRequest { tool_choice: choice, ..conversation() })["tool_choice"].clone()
    };
    assert_eq!(choice(ToolChoice::Auto), json!(null));
    assert_eq!(choice(ToolChoice::None), json!("none"));
    assert_eq!(choice(ToolChoice::Required("one".into())), json!({ "type": "function", "name": "one" }));
}

#[test]
fn reasoning_is_sent_back_only_to_its_model() {
    let answer = complete();
    let with = |model: &str, calls: &[usize]| {
        let calls: Vec<_> = calls.iter().map(|&at| answer.calls[at].clone()).collect();
        let message = Message::Assistant {
            text: answer.text.clone(),
            calls,
            provider_data: answer.provider_data.clone(),
        };
        let request = ChatRequest { model: model.into(), messages: vec![message], ..request() };
        sent(&request)["input"].clone()
    };
    let kept = answer.provider_data.as_ref().unwrap()["items"].clone();
    let (reasoning, message) = (kept[0].clone(), kept[1].clone());
    let one = json!({ "id": "fc_1", "type": "function_call", "status": "completed", "call_id": "call_1", "name": "one", "arguments": r#"{"x": "é"}"# });
    let two = json!({ "id": "fc_2", "type": "function_call", "status": "completed", "call_id": "call_2", "name": "two", "arguments": "{}" });
    assert_eq!(with("m", &[0, 1]), json!([reasoning, message, one, two]));
    // A call missing in the conversation would never get an output.
    assert_eq!(with("m", &[1]), json!([reasoning, message, two]));
    let other = with("other", &[0, 1]);
    assert_eq!(other[0], json!({ "type": "message", "role": "assistant", "content": "Grüße €😀" }));
    assert!(!other.to_string().contains("c2VhbGVk") && !other.to_string().contains("fc_1"), "{other}");
}

#[tokio::test]
async fn reasoning_that_cannot_be_sent_back_is_omitted() {
    let item = |more: &str| {
        format!(
            r#"{{"type":"response.output_item.done","output_index":0,"item":{{"id":"rs_1","type":"reasoning","summary":[]{more}}}}}"#
        )
    };
    let of = async |item: &str, output: Value| {
        answer_of(&[item, &ended("completed", None, output)]).await.unwrap().provider_data
    };
    assert_eq!(of(&item(""), json!([])).await, None, "only an id of unstored state");
    // Some servers send it only in the whole response.
    let late = json!([{ "id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "c2VhbGVk" }]);
    assert_eq!(of(&item(""), late).await.unwrap()["items"][0]["encrypted_content"], "c2VhbGVk");
    let open = r#","content":[{"type":"reasoning_text","text":"Hm."}]"#;
    assert_eq!(of(&item(open), json!([])).await.unwrap()["items"][0]["content"][0]["text"], "Hm.");
    // Without a subsequent item it would be refused.
    let data = json!({ "dialect": "openai_responses", "provider": "test", "model": "m", "items": [
        { "id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "c2VhbGVk" },
        { "id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "one" },
    ]});
    let message = Message::Assistant { text: String::new(), calls: vec![], provider_data: Some(data) };
    assert_eq!(sent(&ChatRequest { messages: vec![message], ..request() })["input"], json!([]));
}

#[test]
fn deferred_tool_is_defined_where_it_is_loaded() {
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
            // A tool that no longer exists would be refused.
            Message::ToolOutput {
                call_id: "a".into(),
                content: "The instructions.".into(),
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
    let body = sent(&request);
    assert_eq!(body["tools"].as_array().unwrap().len(), 1, "the request keeps its prefix");
    let found = |id: &str, name: &str| {
        let mut tool =
            sent(&ChatRequest { tools: vec![tool(name)], ..crate::support::request() })["tools"][0].clone();
        tool["defer_loading"] = json!(true);
        [
            json!({ "type": "tool_search_call", "call_id": id, "execution": "client", "status": "completed", "arguments": { "query": name } }),
            json!({ "type": "tool_search_output", "call_id": id, "execution": "client", "status": "completed", "tools": [tool] }),
        ]
    };
    let (crm, mail) = (found("nova_1", "crm__add"), found("nova_2", "mail__send"));
    let input = body["input"].as_array().unwrap();
    assert_eq!(
        input[3..],
        [
            json!({ "type": "function_call_output", "call_id": "a", "output": "The instructions." }),
            json!({ "type": "function_call_output", "call_id": "b", "output": "Again." }),
            crm[0].clone(),
            crm[1].clone(),
            json!({ "type": "message", "role": "user", "content": [
                { "type": "input_text", "text": "<nova-notice-1>\nOf mail.\n</nova-notice-1>" },
            ]}),
            mail[0].clone(),
            mail[1].clone(),
        ]
    );
    let plain = sent(&ChatRequest { deferred: Vec::new(), ..request });
    assert!(!plain.to_string().contains("tool_search"), "{plain}");
}

#[test]
fn tools_are_deferred_if_server_and_model_support_it() {
    let defers = |settings: ProviderSettings, model: &str| {
        connect("openai_responses", settings).unwrap().defers_tools(model)
    };
    let own = || ProviderSettings::new("test");
    let elsewhere = || ProviderSettings { base_url: Some("http://127.0.0.1:1/v1".into()), ..own() };
    assert!(defers(own(), "gpt-5.4-mini"));
    assert!(!defers(own(), "gpt-5.3-codex"));
    assert!(!defers(ProviderSettings { deferred_tools: Some(false), ..own() }, "gpt-5.4"));
    assert!(!defers(elsewhere(), "gpt-5.4"));
    assert!(defers(ProviderSettings { deferred_tools: Some(true), ..elsewhere() }, "any"));
}

#[test]
fn calls_have_short_unique_ids() {
    let answer = |id: &str| Message::Assistant {
        text: String::new(),
        calls: vec![call(id, "one", "{}")],
        provider_data: None,
    };
    let output =
        |id: &str| Message::ToolOutput { call_id: id.into(), content: String::new(), loads: Vec::new() };
    let long = "call.".repeat(30);
    let messages = vec![
        answer("call_1"),
        output("call_1"),
        answer("call_1"),
        output("call_1"),
        answer(&long),
        output(&long),
    ];
    let body = sent(&ChatRequest { messages, ..request() });
    let ids: Vec<&str> =
        body["input"].as_array().unwrap().iter().map(|item| item["call_id"].as_str().unwrap()).collect();
    assert_eq!(ids[..4], ["call_1", "call_1", "call_1_2", "call_1_2"]);
    assert_eq!(ids[4], ids[5]);
    assert!(ids.iter().all(|id| id.len() <= 64), "{ids:?}");
}

#[test]
fn longer_conversation_starts_with_bytes_of_the_shorter() {
    let whole = conversation();
    let provider = connect("openai_responses", ProviderSettings::new("test")).unwrap();
    let bytes = |count: usize, tool_choice: ToolChoice| {
        let request =
            ChatRequest { messages: whole.messages[..count].to_vec(), tool_choice, ..whole.clone() };
        String::from_utf8(provider.encode(&request)).unwrap()
    };
    // Each request of a turn ends after a user's message, or after all outputs.
    for (shorter, longer) in [(1, 4), (4, 5), (5, 7)] {
        let short = bytes(shorter, ToolChoice::None);
        let end = short.rfind(r#"],"tool_choice""#).expect("the end of the conversation");
        assert!(bytes(longer, ToolChoice::Auto).starts_with(&short[..end]), "{shorter} of {longer} messages");
    }
}

#[tokio::test]
async fn models_and_answers_are_requested_at_openais_paths() {
    let listing =
        r#"{"object":"list","data":[{"id":"gpt-5.4","object":"model"},{"id":"b","context_length":8192}]}"#;
    let no_ollama = Reply::new("404 Not Found", "", "");
    let server =
        Server::start([Reply::new("200 OK", "", listing), no_ollama, Reply::events(&stream_of(ANSWER))])
            .await;
    let provider = provider(&server);
    let models = provider.models().await.unwrap();
    let found: Vec<_> = models.iter().map(|model| (model.id.as_str(), model.context)).collect();
    assert_eq!(found, [("gpt-5.4", None), ("b", Some(8_192))]);
    ask(&*provider).await.unwrap();
    let sent = server.requests();
    assert!(sent[0].starts_with("GET /v1/models HTTP/1.1\r\n"), "{}", sent[0]);
    assert!(sent[2].starts_with("POST /v1/responses HTTP/1.1\r\n"), "{}", sent[2]);
    let (_, body) = sent[2].split_once("\r\n\r\n").unwrap();
    assert_eq!(body.as_bytes(), provider.encode(&request()));
}
