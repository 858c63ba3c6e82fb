//! Elicitation during a call.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nova_skill::{Elicitation, Elicited, ToolContext, ToolError, ToolUser, Value, Wanted, async_trait};
use nova_testkit::TestContext;
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::at_an_address::{reply, server};
use crate::support::{Servers, run, until, within};

/// Answers in order, then declines; if `gated`, waits for the gate.
#[derive(Default)]
struct Person {
    answers: Mutex<VecDeque<Elicited>>,
    asked: Mutex<Vec<Elicitation>>,
    gated: bool,
    gate: Notify,
    hears: Notify,
}

#[async_trait]
impl ToolUser for Person {
    async fn ask(&self, elicitation: &Elicitation) -> Result<Elicited, ToolError> {
        let times = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(elicitation.clone());
            asked.len()
        };
        self.hears.notify_one();
        if self.gated {
            self.gate.notified().await;
        }
        if times > 20 {
            return Err(ToolError::failed("asked too often", ""));
        }
        Ok(self.answers.lock().unwrap().pop_front().unwrap_or(Elicited::Declined))
    }
}

fn person(answers: impl IntoIterator<Item = Elicited>) -> Arc<Person> {
    Arc::new(Person { answers: Mutex::new(answers.into_iter().collect()), ..Person::default() })
}

fn with(person: &Arc<Person>, cancel: &CancellationToken) -> Arc<dyn ToolContext> {
    Arc::new(TestContext::without_skill().with_cancel(cancel.clone()).with_user(person.clone()))
}

async fn call(servers: &Servers, person: &Arc<Person>, tool: &str, args: Value) -> Result<Value, ToolError> {
    run(&servers.tool("one", tool), args, with(person, &CancellationToken::new())).await
}

#[tokio::test]
async fn only_submitted_values_reach_the_server() {
    for how in ["plain", "newest"] {
        let servers = Servers::one(how).await;
        for (answer, said) in [
            (Elicited::Accepted(json!({"name": "Jane"})), r#"{"action":"accept","content":{"name":"Jane"}}"#),
            (Elicited::Declined, r#"{"action":"decline"}"#),
            (Elicited::Cancelled, r#"{"action":"cancel"}"#),
        ] {
            let person = person([answer]);
            let answered = call(&servers, &person, "ask", json!({})).await.unwrap();
            let heard: Value = serde_json::from_str(answered.as_str().unwrap()).unwrap();
            assert_eq!(heard, serde_json::from_str::<Value>(said).unwrap(), "{how}");
            let asked = person.asked.lock().unwrap();
            assert_eq!((asked.len(), asked[0].from.as_str()), (1, "one"), "{how}");
            assert_eq!(asked[0].message, "Who[U+202E] are you?", "{how}");
            let Wanted::Values(schema) = &asked[0].wanted else { panic!("a form") };
            assert_eq!(schema["properties"]["name"]["default"], "Joe", "{how}");
        }
    }
}

#[tokio::test]
async fn url_with_a_forbidden_scheme_is_declined() {
    let servers = Servers::one("plain").await;
    let accepts = person([Elicited::Accepted(Value::Null)]);
    let good = call(&servers, &accepts, "ask", json!({"url": "https://shop.example/pay"})).await.unwrap();
    assert_eq!(good, r#"{"action":"accept"}"#);
    let asked = accepts.asked.lock().unwrap().remove(0);
    let Wanted::Visit(page) = asked.wanted else { panic!("a page") };
    assert_eq!(page.as_str(), "https://shop.example/pay");

    let never = person([Elicited::Accepted(Value::Null)]);
    let bad = call(&servers, &never, "ask", json!({"url": "javascript:alert(1)"})).await.unwrap();
    assert_eq!(bad, r#"{"action":"decline"}"#);
    assert!(never.asked.lock().unwrap().is_empty(), "a question was asked");
}

#[tokio::test]
async fn server_that_keeps_asking_is_stopped() {
    for how in ["plain", "newest"] {
        let servers = Servers::one(how).await;
        let person = person([]);
        let error = call(&servers, &person, "ask-for-ever", json!({})).await.unwrap_err();
        let said = error.to_string();
        assert!(said.contains("asked too often") || said.contains("kept asking"), "{how}: {said}");
        assert!(person.asked.lock().unwrap().len() <= 21, "{how}");
        // Other calls still work.
        assert_eq!(servers.call("one", "echo", json!({"text": "up"})).await.unwrap(), "up", "{how}");
    }
}

#[tokio::test]
async fn question_outside_of_a_call_is_cancelled() {
    let servers = Servers::one("asks-by-itself").await;
    let file = servers.note("heard");
    until(|| file.exists()).await;
    // The next call returns the answer it received.
    let heard = servers.call("one", "heard", json!({})).await.unwrap();
    assert_eq!(heard, r#"{"action":"cancel"}"#);
}

#[tokio::test]
async fn answering_without_the_elicitation_withdraws_the_question() {
    let servers = Servers::one("plain").await;
    let person = Arc::new(Person { gated: true, ..Person::default() });
    let (tool, ctx) = (servers.tool("one", "ask-and-go-on"), with(&person, &CancellationToken::new()));
    let running = tokio::spawn(async move { run(&tool, json!({}), ctx).await });
    within(person.hears.notified()).await;
    std::fs::write(servers.note("asked"), "yes").unwrap();
    assert_eq!(within(running).await.unwrap().unwrap(), "went on");
    assert_eq!(person.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn time_of_an_answer_does_not_count_as_the_servers() {
    let servers = Servers::new();
    let mut entry = servers.entry("plain");
    entry["timeout_ms"] = json!(2_000);
    servers.agree(&json!({ "one": entry }));
    servers.ready().await;
    let person = Arc::new(Person { gated: true, ..Person::default() });
    let (tool, ctx) = (servers.tool("one", "ask"), with(&person, &CancellationToken::new()));
    let running = tokio::spawn(async move { run(&tool, json!({}), ctx).await });
    within(person.hears.notified()).await;
    // Longer than a call may take even with progress.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(25)).await;
    tokio::time::resume();
    person.gate.notify_one();
    assert_eq!(within(running).await.unwrap().unwrap(), r#"{"action":"decline"}"#);
}

#[tokio::test]
async fn cancelling_a_call_with_an_open_question_cancels_it_at_the_server() {
    let servers = Servers::one("plain").await;
    let person = Arc::new(Person { gated: true, ..Person::default() });
    let (tool, ctx) = (servers.tool("one", "ask"), with(&person, &CancellationToken::new()));
    let running = tokio::spawn(async move { run(&tool, json!({}), ctx).await });
    within(person.hears.notified()).await;
    running.abort();
    let cancelled = servers.note("cancelled");
    until(|| cancelled.exists()).await;
}

#[tokio::test]
async fn remote_server_can_ask() {
    let (url, asked) = server(|head, body| {
        if !head.starts_with("POST") {
            return reply("405 Method Not Allowed", "text/plain", "");
        }
        let message: Value = serde_json::from_str(body).unwrap();
        let result = match message["method"].as_str().unwrap() {
            "server/discover" => json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"}, "ttlMs": 0, "cacheScope": "private",
            }),
            "tools/list" => json!({
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "tools": [{"name": "ask", "inputSchema": {"type": "object"}}],
            }),
            "tools/call" => match &message["params"]["inputResponses"]["who"] {
                Value::Null => json!({
                    "resultType": "input_required", "requestState": "opaque",
                    "inputRequests": {"who": {"method": "elicitation/create", "params": {
                        "mode": "form", "message": "Who?",
                        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
                    }}},
                }),
                answer => json!({
                    "resultType": "complete",
                    "content": [{"type": "text", "text": format!("{} {answer}", message["params"]["requestState"])}],
                }),
            },
            _ => return reply("202 Accepted", "text/plain", ""),
        };
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        reply("200 OK", "application/json", &answer.to_string())
    })
    .await;
    let servers = Servers::new();
    servers.agree(&json!({ "one": {"url": url} }));
    servers.ready().await;
    let person = person([Elicited::Accepted(json!({"name": "Jane"}))]);
    let answered = call(&servers, &person, "ask", json!({})).await.unwrap();
    assert_eq!(answered, r#""opaque" {"action":"accept","content":{"name":"Jane"}}"#);
    let offered = asked.lock().unwrap().iter().any(|(_, body)| body.contains(r#""elicitation":{"#));
    assert!(offered, "elicitation is advertised");
}

#[tokio::test]
async fn call_is_repeated_after_a_required_page_was_visited() {
    for silent in [false, true] {
        let servers = Servers::new();
        let mut entry = servers.entry("plain");
        entry["timeout_ms"] = json!(if silent { 2_000 } else { 30_000 });
        servers.agree(&json!({ "one": entry }));
        servers.ready().await;
        let accepts = person([Elicited::Accepted(Value::Null)]);
        let args = json!({"text": if silent { "silent" } else { "" }});
        let paid = call(&servers, &accepts, "pay", args).await.unwrap();
        assert_eq!(paid, "paid", "without a completion notice the call is retried");
        let asked = accepts.asked.lock().unwrap().remove(0);
        let Wanted::Visit(page) = asked.wanted else { panic!("a page") };
        assert_eq!(page.as_str(), "https://shop.example/pay");
    }
}

#[tokio::test]
async fn refusing_to_visit_a_required_page_ends_the_call() {
    let servers = Servers::one("plain").await;
    let error = call(&servers, &person([Elicited::Declined]), "pay", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "one needs you to open a page first, and it was not opened.");
}

#[tokio::test]
async fn question_ends_with_its_server() {
    for (how, tool) in [("newest", "ask"), ("plain", "pay")] {
        let servers = Servers::one(how).await;
        let person = Arc::new(Person { gated: true, ..Person::default() });
        let unanswered = async {
            person.hears.notified().await;
            std::fs::write(servers.note("asked"), "yes").unwrap();
            std::future::pending().await
        };
        let ended = within(async {
            tokio::select! {
                ended = call(&servers, &person, tool, json!({"text": "die"})) => ended,
                never = unanswered => never,
            }
        });
        let error = ended.await.unwrap_err().to_string();
        assert!(error.starts_with("one is not running. It ended with code 7"), "{tool}: {error}");
    }
}
