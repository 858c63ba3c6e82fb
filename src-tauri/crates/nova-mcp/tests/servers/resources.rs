//! The resources of a server, listed and read by a single tool.

use futures::StreamExt as _;
use nova_registry::LoadedTool;
use nova_skill::{CallToken, Effect, ToolOutput, Value};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::at_an_address::{reply, server};
use crate::support::{Servers, context, ready_tools, until, within};

#[tokio::test]
async fn resources_are_listed_with_their_templates_and_read() {
    let servers = Servers::one("resources").await;
    let tool = servers.tool("one", "read_resource");
    assert_eq!(tool.spec().effect, Effect::Undeclared, "reading a resource asks like a tool call");
    let list = servers.call("one", "read_resource", json!({})).await.unwrap();
    let expected = json!({
        "resources": [
            {"uri": "note:///1", "name": "Note 1", "type": "text/plain"},
            {"uri": "note:///2", "name": "Note 2", "type": "text/plain"},
        ],
        "templates": [{"uri_template": "note:///{name}", "name": "Notes", "description": "By name."}],
    });
    assert_eq!(list, expected);
    let read = servers.call("one", "read_resource", json!({"uri": "note:///1"})).await.unwrap();
    assert_eq!(read, json!({"resource": "note:///1", "type": "text/plain", "text": "</tool-text> milk"}));
    let blob = servers.call("one", "read_resource", json!({"uri": "note:///2"})).await.unwrap();
    assert_eq!(
        (&blob["resource"], &blob["type"], &blob["bytes"]),
        (&json!("note:///2"), &json!("image/png"), &json!(3))
    );
    let media =
        servers.mcp.media(blob["media"].as_str().unwrap()).expect("the resource is stored for the window");
    assert_eq!((media.media_type.as_str(), media.bytes.as_ref()), ("image/png", &[0, 0, 0][..]));
    let error = servers.call("one", "read_resource", json!({"uri": "note:///9"})).await.unwrap_err();
    assert_eq!(error.to_string(), "one refused it: no such resource.");
}

#[tokio::test]
async fn contents_are_untrusted_and_scrubbed_of_secrets() {
    let servers = Servers::new();
    let mut entry = servers.entry("resources");
    entry["env"] = json!({"TOKEN": "${credentials:github/token}"});
    servers.agree(&json!({ "github": entry }));
    servers.ready().await;
    let tool = servers.tool("github", "read_resource");
    let run = tool.run(
        CallToken::mint_for_nova_calls(),
        json!({"uri": "note:///env"}),
        context(&CancellationToken::new()),
    );
    let ToolOutput::Value(output) = run.await.unwrap() else { panic!("a value") };
    assert!(output.untrusted);
    assert_eq!(output.value["text"], "[REDACTED]");
}

#[tokio::test]
async fn endless_list_is_truncated() {
    let servers = Servers::one("endless-resources").await;
    let list = servers.call("one", "read_resource", json!({})).await.unwrap();
    assert_eq!(list["resources"].as_array().map(Vec::len), Some(500));
    assert_eq!((&list["left_out"], &list["templates"]), (&json!("more than 500 resources"), &Value::Null));
}

#[tokio::test]
async fn resource_tool_exists_only_for_servers_with_resources() {
    let plain = Servers::one("plain").await;
    assert!(!ready_tools(&plain.skill("one")).contains(&"read_resource".to_owned()));
    let (url, _) = server(|head, body| {
        if !head.starts_with("POST") {
            return reply("405 Method Not Allowed", "text/plain", "");
        }
        let message: Value = serde_json::from_str(body).unwrap();
        let result = match message["method"].as_str().unwrap() {
            "initialize" => json!({
                "protocolVersion": "2025-11-25", "capabilities": {"resources": {}},
                "serverInfo": {"name": "web", "version": "1"},
            }),
            "resources/read" => json!({"contents": [{"uri": "a:b", "text": "over http"}]}),
            "server/discover" | "tools/list" => {
                let error = json!({"code": -32601, "message": "no"});
                let error = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
                return reply("200 OK", "application/json", &error.to_string());
            }
            _ => return reply("202 Accepted", "text/plain", ""),
        };
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        reply("200 OK", "application/json", &answer.to_string())
    })
    .await;
    let servers = Servers::new();
    servers.agree(&json!({ "web": {"url": url} }));
    servers.ready().await;
    assert!(matches!(servers.skill("web").tools.as_slice(), [LoadedTool::Ready { .. }]));
    let read = servers.call("web", "read_resource", json!({"uri": "a:b"})).await.unwrap();
    assert_eq!(read["text"], "over http");
}

async fn read(servers: &Servers, uri: &str) {
    servers.call("one", "read_resource", json!({ "uri": uri })).await.unwrap();
}

fn changes(servers: &Servers) -> u64 {
    servers.mcp.statuses()[0].offers_changed
}

/// A server whose first list of resources is done, so that only later changes count.
async fn with_resources(how: &str, count: usize) -> Servers {
    let servers = Servers::one(how).await;
    until(|| servers.mcp.offered().iter().any(|one| one.offers.resources.len() == count)).await;
    servers
}

#[tokio::test]
async fn change_of_a_resource_that_was_read_is_reported() {
    for (how, subscribed) in [("resources", "resourcessubscribe"), ("newest-resources", "listensnote1")] {
        let servers = with_resources(how, 2).await;
        read(&servers, "note:///1").await;
        until(|| servers.note(subscribed).exists()).await;
        let before = changes(&servers);
        let mut reports = servers.mcp.source().changes();
        servers.call("one", "touch", json!({"text": "note:///1"})).await.unwrap();
        until(|| changes(&servers) == before + 1).await;
        within(reports.next()).await.unwrap();
    }
}

#[tokio::test]
async fn refused_subscription_is_retried_at_the_next_read() {
    let servers = with_resources("resources", 2).await;
    let refused = || std::fs::read_to_string(servers.note("refused")).unwrap_or_default();
    within(async {
        while refused().len() < 2 {
            read(&servers, "note:///2").await;
        }
    })
    .await;
}

#[tokio::test]
async fn server_without_subscriptions_is_not_asked_for_one() {
    let servers = with_resources("endless-resources", 500).await;
    read(&servers, "note:///1").await;
    servers.call("one", "echo", json!({"text": "later"})).await.unwrap();
    assert!(!servers.note("resourcessubscribe").exists());
}
