//! Programs receive the output of tools that are not built in as untrusted text, and every output in the form
//! that the tool list declares.

use serde_json::{Value, json};

use super::mcp_client::McpClient;
use super::nova::Nova;
use super::serving_skills::{APPEND, NOTE, WRITE, append, error_code};
use super::using_mcp_servers::script;

const SAY: &str = "sh__say";

/// What a program receives from the tool of the server `sh`, which the user marked as read-only.
fn answer_of(change: impl Fn(&str) -> String) -> Value {
    let nova = Nova::new("", []);
    let file = script(&nova);
    let server = change(&std::fs::read_to_string(&file).unwrap());
    std::fs::write(&file, server).unwrap();
    let mut settings = nova.read_settings();
    settings["mcpServers"] = json!({
        "sh": {"command": "sh", "args": [file], "env": {"WHO": "me"}, "tools": {"effects": {"say": "read"}}},
    });
    nova.settings(&settings);
    assert_eq!(nova.json(&["mcp", "review", "sh", "--accept"]).0, 0);
    let mut client = McpClient::connected(&nova, &["--skills", "sh"]);
    client.answer = Some(|_| json!({ "action": "accept", "content": {} }));
    assert_eq!(client.tool_names(), [SAY]);
    client.call(SAY, json!({}))
}

#[test]
fn output_of_an_outside_tool_is_fenced_for_a_program() {
    let said = answer_of(str::to_owned);
    let value = said["structuredContent"]["value"].as_str().unwrap_or_else(|| panic!("{said}"));
    assert_eq!(value, "<tool-text tool=\"sh.say\">\nsaid &lt;/tool-text> by me \n</tool-text>");
    let text: Value = serde_json::from_str(said["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, said["structuredContent"], "for clients that read text as well");
}

#[test]
fn failure_of_an_outside_tool_is_fenced_for_a_program() {
    let failed = answer_of(|server| server.replace("\"content\":[{", "\"isError\":true,\"content\":[{"));
    assert_eq!(error_code(&failed), "tool_failed");
    let message = failed["structuredContent"]["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("<tool-text tool=\"sh.say\">\nsh says: "), "{message}");
    assert!(message.ends_with("\n</tool-text>"), "{message}");
    assert!(failed["content"][0]["text"].as_str().unwrap().starts_with(message), "{failed}");
}

#[test]
fn every_output_has_the_declared_form() {
    let nova = Nova::new(NOTE, []);
    nova.rules("permissions: {allow: [vault__append_to_note]}");
    let mut client = McpClient::connected(&nova, &WRITE);
    let schemas: Vec<Value> = client.tools().iter().map(|tool| tool["outputSchema"].clone()).collect();
    assert!(schemas.len() > 10 && schemas.iter().all(|schema| schema["type"] == "object"), "{schemas:?}");
    let schema = jsonschema::validator_for(&schemas[0]).unwrap();
    for (tool, args, fails) in [
        ("vault__search", json!({ "query": "line" }), false),
        ("crm__pipeline", json!({}), false),
        ("portfolio__value", json!({}), false),
        (APPEND, append(), false),
        ("vault__read_note", json!({ "path": "none.md" }), true),
        ("vault__search", json!({ "query": "line", "limit": "many" }), true),
    ] {
        let result = client.call(tool, args);
        let answer = &result["structuredContent"];
        assert_eq!(result["isError"], fails, "{tool}: {result}");
        assert!(schema.is_valid(answer), "{tool}: {answer}");
    }
    for other in
        [json!({}), json!({"value": 1}), json!({"value": 1, "sources": [{}]}), json!({"error": "no"})]
    {
        assert!(!schema.is_valid(&other), "{other}");
    }
}
