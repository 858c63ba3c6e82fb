//! A client relays Nova's questions to its user; an answer holds for one call.

use serde_json::{Value, json};

use super::asked_by_a_server::{answer, answered, asking_script, calls};
use super::mcp_client::McpClient;
use super::nova::Nova;
use super::serving_skills::{APPEND, NOTE, STATELESS, WRITE, append, error_code};

#[test]
fn client_is_asked_once_per_call() {
    let nova = Nova::new(NOTE, []);
    let mut client = McpClient::connected(&nova, &WRITE);

    client.answer = Some(|_| json!({ "action": "decline" }));
    assert_eq!(error_code(&client.call(APPEND, append())), "denied_by_user");
    client.answer = Some(|_| json!({ "action": "cancel" }));
    assert_eq!(error_code(&client.call(APPEND, append())), "approval_unanswered");
    assert_eq!(nova.vault.read("a.md"), "One line.\n");

    client.answer = Some(|_| json!({ "action": "accept", "content": {} }));
    let written = client.call(APPEND, append());
    assert_eq!(written["isError"], false, "{written}");
    assert_eq!(nova.vault.read("a.md"), "One line.\nAnother line.\n");
    client.answer = Some(|_| json!({ "action": "decline" }));
    assert_eq!(error_code(&client.call(APPEND, append())), "denied_by_user", "asked again");

    let asked: Vec<_> = client.said.iter().filter(|said| said["method"] == "elicitation/create").collect();
    assert_eq!(asked.len(), 4);
    let message = asked[2]["params"]["message"].as_str().unwrap();
    assert!(message.contains("vault.append_to_note") && message.contains("+ Another line."), "{message}");
    assert_eq!(nova.json(&["changes", "list"]).1.as_array().unwrap().len(), 1);
}

fn stateless(client: &mut McpClient, mut params: Value) -> Value {
    let prefix = "io.modelcontextprotocol";
    params["_meta"] = json!({
        format!("{prefix}/protocolVersion"): STATELESS,
        format!("{prefix}/clientInfo"): { "name": "test-client", "version": "1" },
        format!("{prefix}/clientCapabilities"): { "elicitation": { "form": {} } },
    });
    client.ask("tools/call", params)["result"].clone()
}

#[test]
fn without_a_session_the_next_call_carries_the_answer_for_itself_alone() {
    let nova = Nova::new(NOTE, []);
    let mut client = McpClient::start(&nova, &WRITE);
    let call = |args: Value, state: &Value| {
        let mut params = json!({ "name": APPEND, "arguments": args });
        if !state.is_null() {
            params["requestState"] = state.clone();
            params["inputResponses"] = json!({ "approval": { "action": "accept", "content": {} } });
        }
        params
    };
    let asked = stateless(&mut client, call(append(), &Value::Null));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let message = asked["inputRequests"]["approval"]["params"]["message"].as_str().unwrap();
    assert!(message.contains("+ Another line."), "{message}");

    let other = json!({ "path": "a.md", "text": "Something else." });
    let asked_again = stateless(&mut client, call(other, &asked["requestState"]));
    assert_eq!(asked_again["resultType"], "input_required", "the answer was for another call: {asked_again}");
    assert_eq!(nova.vault.read("a.md"), "One line.\n");

    let asked = stateless(&mut client, call(append(), &Value::Null));
    let written = stateless(&mut client, call(append(), &asked["requestState"]));
    assert_eq!(
        (&written["resultType"], &written["isError"]),
        (&json!("complete"), &json!(false)),
        "{written}"
    );
    let replayed = stateless(&mut client, call(append(), &asked["requestState"]));
    assert_eq!(replayed["resultType"], "input_required", "{replayed}");
    assert_eq!(nova.vault.read("a.md"), "One line.\nAnother line.\n");
}

#[test]
fn call_cancelled_during_its_question_writes_nothing_and_is_not_answered() {
    let nova = Nova::new(NOTE, []);
    let mut client = McpClient::connected(&nova, &WRITE);
    let id = client.begin("tools/call", json!({ "name": APPEND, "arguments": append() }));
    let question = client.until(|message| message["method"] == "elicitation/create");
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "reason": "no" }
    }));
    // A late answer.
    client.ask("ping", json!({}));
    client.send(
        &json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept", "content": {} } }),
    );
    client.ask("ping", json!({}));
    let read = client.call("vault__read_note", json!({ "path": "a.md" }));
    assert!(read.to_string().contains("One line."), "{read}");
    let is_answer = |said: &&Value| said["id"] == id && said["method"].is_null();
    assert_eq!(client.said.iter().find(is_answer), None);
    assert_eq!(client.end(), Some(0));
    assert_eq!(nova.vault.read("a.md"), "One line.\n");
}

#[test]
fn calls_that_wait_for_an_answer_do_not_block_reads() {
    let nova = Nova::new(NOTE, []);
    let mut client = McpClient::connected(&nova, &WRITE);
    // As many as may run at once.
    for _ in 0..16 {
        client.begin("tools/call", json!({ "name": APPEND, "arguments": append() }));
        client.until(|message| message["method"] == "elicitation/create");
    }
    let read = client.call("vault__read_note", json!({ "path": "a.md" }));
    assert!(read.to_string().contains("One line."), "{read}");
}

/// A server that asks for a name during a call, with a tool that the user marked as read-only.
fn with_asking_server() -> Nova {
    let nova = Nova::new("", []);
    let file = asking_script(&nova);
    let mut settings = nova.read_settings();
    settings["mcpServers"] =
        json!({ "parcel": { "command": "sh", "args": [file], "tools": { "effects": { "send": "read" } } } });
    nova.settings(&settings);
    assert_eq!(nova.json(&["mcp", "review", "parcel", "--accept"]).0, 0);
    nova
}

#[test]
fn servers_question_is_relayed_to_the_client_and_back() {
    let nova = with_asking_server();
    let mut client = McpClient::connected(&nova, &["--skills", "parcel"]);
    client.answer = Some(|_| json!({ "action": "accept", "content": { "name": "Jane" } }));
    let sent = client.call("parcel__send", json!({}));
    assert_eq!(sent["isError"], false, "{sent}");
    assert_eq!(answer(&nova), json!({ "action": "accept", "content": { "name": "Jane" } }));
    let asked = client.said.iter().rfind(|said| said["method"] == "elicitation/create").unwrap();
    let message = asked["params"]["message"].as_str().unwrap();
    assert_eq!(message, "parcel asks, in a call of parcel.send: Where to?");
    assert_eq!(asked["params"]["requestedSchema"]["properties"]["name"]["default"], "Joe");
}

#[test]
fn servers_question_is_declined_if_the_client_cannot_ask() {
    let nova = with_asking_server();
    let mut client = McpClient::start(&nova, &["--skills", "parcel"]);
    client.greet(&json!({}));
    let sent = client.call("parcel__send", json!({}));
    assert_eq!(sent["isError"], false, "{sent}");
    assert_eq!(answer(&nova), json!({ "action": "decline" }));
}

#[test]
fn without_a_session_the_next_call_answers_the_server() {
    let nova = with_asking_server();
    let mut client = McpClient::start(&nova, &["--skills", "parcel"]);
    let asked = stateless(&mut client, json!({ "name": "parcel__send", "arguments": {} }));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert!(!answered(&nova), "the server waits for the answer");
    let with_answer = json!({
        "name": "parcel__send", "arguments": {}, "requestState": asked["requestState"],
        "inputResponses": { "approval": { "action": "accept", "content": { "name": "Jane" } } },
    });
    let sent = stateless(&mut client, with_answer.clone());
    assert_eq!((&sent["resultType"], &sent["isError"]), (&json!("complete"), &json!(false)), "{sent}");
    assert_eq!(answer(&nova)["content"], json!({ "name": "Jane" }));
    assert_eq!(calls(&nova), 1, "the tool ran once");
    let replayed = stateless(&mut client, with_answer);
    assert_eq!(replayed["resultType"], "input_required", "an answer is valid once: {replayed}");
}
