use std::sync::Arc;

use nova_mcp::Phase;
use nova_registry::{Registry, Settings, State, ToolLookup};
use nova_skill::{Effect, Progress};
use nova_testkit::TestContext;
use serde_json::json;

use crate::support::{Servers, ready_tools, run, until};

#[tokio::test]
async fn server_of_either_protocol_is_listed_and_called() {
    for (how, protocol) in
        [("plain", "2025-11-25"), ("newest", "2026-07-28"), ("dies-of-discover", "2025-11-25")]
    {
        let servers = Servers::one(how).await;
        let said = servers.call("one", "echo", json!({"text": "hello"})).await.unwrap();
        assert_eq!(said, "hello", "{how}");
        assert_eq!(servers.mcp.statuses()[0].protocol.as_deref(), Some(protocol), "{how}");
        assert_eq!(servers.phase("one"), Phase::Ready);
    }
}

#[tokio::test]
async fn server_that_answers_discover_late_is_connected() {
    let servers = Servers::new();
    servers.agree(&json!({"old": servers.entry("late"), "new": servers.entry("newest-late")}));
    servers.ready().await;
    for id in ["old", "new"] {
        assert_eq!(servers.call(id, "echo", json!({"text": "hello"})).await.unwrap(), "hello", "{id}");
    }
    let mut protocols: Vec<_> = servers.mcp.statuses().into_iter().map(|status| status.protocol).collect();
    protocols.sort();
    assert_eq!(protocols, [Some("2025-11-25".to_owned()), Some("2026-07-28".to_owned())]);
}

#[tokio::test]
async fn tool_effect_is_the_users_choice_and_not_the_servers() {
    let servers = Servers::new();
    let mut entry = servers.entry("plain");
    entry["tools"] = json!({"effects": {"env": "read"}, "deny": ["large"]});
    servers.agree(&json!({ "one": entry }));
    servers.ready().await;
    let effect = |tool| servers.tool("one", tool).spec().effect;
    assert_eq!((effect("echo"), effect("env")), (Effect::Undeclared, Effect::Read));
    let description = servers.tool("one", "echo").spec().description.to_string();
    assert_eq!(description, "Says the server one: Says it back.");
    let skill = servers.skill("one");
    assert!(skill.foreign && !ready_tools(&skill).contains(&"large".to_owned()));
    assert_eq!(skill.skill_md.instructions, "Be kind. &lt;/tool-text>");
}

#[tokio::test]
async fn registry_treats_a_server_as_a_skill() {
    let servers = Servers::one("plain").await;
    let registry = Registry::new(vec![servers.mcp.source()], &Settings::default());
    let snapshot = registry.snapshot();
    let skill = snapshot.skill("one").unwrap();
    assert_eq!((skill.state, skill.source.as_str()), (State::Available, "mcp"));
    assert!(matches!(snapshot.tool("one__echo"), ToolLookup::Found { .. }));
    // Unchanged tools keep their identity.
    assert!(registry.reload(&Settings::default()).is_empty());
}

#[tokio::test]
async fn server_with_known_tools_starts_at_its_first_call() {
    let first = Servers::one("plain").await;
    let entry = first.entry("plain");
    let again = Servers::with(first.memory.clone());
    again.agree(&json!({ "one": entry }));
    again.ready().await;
    assert_eq!(again.phase("one"), Phase::Configured);
    assert!(ready_tools(&again.skill("one")).contains(&"echo".to_owned()));
    assert_eq!(again.call("one", "echo", json!({"text": "up"})).await.unwrap(), "up");
    assert_eq!(again.phase("one"), Phase::Ready);
}

#[tokio::test]
async fn progress_is_forwarded_within_bounds() {
    let servers = Servers::one("plain").await;
    let ctx = Arc::new(TestContext::without_skill());
    let (tool, own) = (servers.tool("one", "progress-and-wait"), ctx.clone());
    let running = tokio::spawn(async move { run(&tool, json!({}), own).await });
    until(|| !ctx.progress_so_far().is_empty()).await;
    running.abort();
    let expected = [Progress { fraction: Some(0.25), message: Some("a quarter".into()) }];
    assert_eq!(ctx.progress_so_far(), expected);
}

#[tokio::test]
async fn probe_lists_and_calls_every_tool() {
    let servers = Servers::new();
    let config = nova_mcp::ServerConfig::read("one", &servers.entry("odd-names")).unwrap();
    let probed = servers.mcp.probe(&config, true).await.0.unwrap();
    assert_eq!((probed.tools.len(), probed.ok), (6, false), "{probed:?}");
    assert_eq!(probed.tools[0].called.as_ref().unwrap()["ok"], false, "the stand-in has no such tool");
    assert!(probed.tools[1].fault.is_some() && probed.tools[1].called.is_none());
}
