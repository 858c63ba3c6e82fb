//! Errors that the model server finds in requests.

use nova_testkit::check_request;
use serde_json::{Value, json};

#[track_caller]
fn check(messages: &str, expected: &[&str]) {
    let messages: Value = serde_json::from_str(messages).unwrap();
    let body = json!({"model": "m", "stream": true, "messages": messages});
    assert_eq!(check_request(&body), expected);
}

/// An assistant message with calls of these ids.
fn asks(ids: &[&str]) -> String {
    let calls: Vec<Value> = ids
        .iter()
        .map(|id| json!({"id": id, "type": "function", "function": {"name": "crm__list", "arguments": "{}"}}))
        .collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls}).to_string()
}

fn tells(id: &str) -> String {
    json!({"role": "tool", "tool_call_id": id, "content": "[]"}).to_string()
}

const USER: &str = r#"{"role": "user", "content": "Who do I know?"}"#;

#[test]
fn valid_conversation_has_no_errors() {
    let (asks, first, second) = (asks(&["a", "b"]), tells("a"), tells("b"));
    check(
        &format!(
            r#"[{{"role": "system", "content": "You are Nova."}}, {USER}, {asks}, {second}, {first},
                {{"role": "assistant", "content": "Nobody."}}, {USER}]"#
        ),
        &[],
    );
}

#[test]
fn each_call_needs_one_output_directly_after_it() {
    let (asks, told) = (asks(&["a"]), tells("a"));
    check(&format!("[{USER}, {asks}]"), &["the history ends without the output of a"]);
    check(&format!("[{USER}, {asks}, {USER}]"), &["message 2 (user) comes before the output of a"]);
    check(
        &format!("[{USER}, {asks}, {told}, {told}]"),
        &[r#"message 3 is an output for "a", which is not an open call"#],
    );
    check(
        &format!("[{USER}, {asks}, {USER}, {told}]"),
        &[
            "message 2 (user) comes before the output of a",
            r#"message 3 is an output for "a", which is not an open call"#,
        ],
    );
}

#[test]
fn call_ids_are_unique_in_a_message() {
    let (asks, told) = (asks(&["a", "a"]), tells("a"));
    check(
        &format!("[{USER}, {asks}, {told}, {told}]"),
        &[r#"message 1: a call has the id "a", empty or used before"#],
    );
}

#[test]
fn arguments_are_a_json_object() {
    for arguments in ["", "[]", "{\"name\": ", "null"] {
        let call = json!({"id": "a", "type": "function", "function": {"name": "x", "arguments": arguments}});
        let asks = json!({"role": "assistant", "content": "", "tool_calls": [call]});
        check(
            &format!("[{asks}, {}]", tells("a")),
            &[&format!("message 0: the arguments of a are not a JSON object: {arguments}")],
        );
    }
}

#[test]
fn roles_are_known_and_the_system_comes_first() {
    check(
        &format!(r#"[{USER}, {{"role": "system", "content": "late"}}]"#),
        &["message 1 is a system message after the first"],
    );
    check(r#"[{"role": "nova", "content": ""}]"#, &[r#"message 0 has the unknown role "nova""#]);
    check(r#"[{"role": "user", "content": null}]"#, &["message 0 (user) has no text"]);
    check(r#"[{"role": "assistant", "content": null}]"#, &["message 0 has neither text nor calls"]);
    check("[]", &["there are no messages"]);
}

#[test]
fn tool_names_are_legal_and_unique() {
    let too_long = "x".repeat(65);
    let names = ["crm__list_contacts", "crm.list", "crm__list_contacts", "", &too_long];
    let tools: Vec<Value> = names
        .iter()
        .map(|name| json!({"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}))
        .collect();
    let body =
        json!({"model": "m", "stream": true, "tools": tools, "messages": [{"role": "user", "content": "x"}]});
    assert_eq!(
        check_request(&body),
        [
            r#""crm.list" is not a legal tool name"#.to_owned(),
            "the tool crm__list_contacts is there twice".to_owned(),
            r#""" is not a legal tool name"#.to_owned(),
            format!("{too_long:?} is not a legal tool name"),
        ]
    );
}

#[test]
fn model_streaming_and_nonempty_tools_are_required() {
    let body = json!({"tools": [], "messages": [{"role": "user", "content": "x"}]});
    assert_eq!(
        check_request(&body),
        ["no model is named", "no stream is asked for", "tools is not a list with tools in it"]
    );
}
