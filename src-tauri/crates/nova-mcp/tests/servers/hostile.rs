//! Hostile or careless servers: each is bounded, fails with one line, and does not affect the others.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Instant;

use nova_mcp::Phase;
use nova_registry::{Registry, Settings, State, ToolLookup};
use serde_json::{Value, json};

use crate::support::{Servers, gone, not_ready, ready_tools, until};

const HERE: &str = "here";

fn with_timeout(servers: &Servers, how: &str, milliseconds: u64) -> Value {
    let mut entry = servers.entry(how);
    entry["timeout_ms"] = json!(milliseconds);
    entry
}

/// Checks for a single line without control characters and of limited length.
#[track_caller]
fn assert_one_line(text: &str) {
    assert!(text.chars().all(|c| !c.is_control() && c != '\u{202e}' && c != '\u{e0041}'), "{text}");
    assert!(text.chars().count() < 1_000, "{} characters", text.chars().count());
}

#[tokio::test]
async fn endless_pages_of_tools_end() {
    let servers = Servers::one("pages").await;
    assert_eq!((servers.phase("one"), servers.skill("one").tools.len()), (Phase::Ready, 100));
}

#[tokio::test]
async fn notification_storm_causes_no_request_storm() {
    let began = Instant::now();
    let servers = Servers::one("storm").await;
    for _ in 0..10 {
        assert_eq!(servers.call("one", "echo", json!({})).await.unwrap(), HERE);
    }
    let lists = (1..).take_while(|at| servers.note(&format!("list{at}")).exists()).count();
    let most = 2 + began.elapsed().as_secs();
    assert!(lists as u64 <= most, "{lists} lists, at most one a second: {most}");
}

#[tokio::test]
async fn endless_progress_times_out_and_its_server_is_killed() {
    let servers = Servers::new();
    let mut other = servers.entry("plain");
    other["args"][1] = json!(servers.note("other"));
    servers.agree(&json!({ "one": with_timeout(&servers, "drips", 200), "other": other }));
    servers.ready().await;
    let pid = servers.process("server").await;
    let error = servers.call("one", "echo", json!({})).await.expect_err("an endless answer");
    assert_eq!(error.to_string(), "one did not answer in 2 s.");
    gone(pid).await;
    assert_eq!(servers.call("other", "echo", json!({"text": "hi"})).await.unwrap(), "hi");
}

#[tokio::test]
async fn server_that_reads_nothing_does_not_block_a_large_call() {
    let servers = Servers::new();
    servers.agree(&json!({ "one": with_timeout(&servers, "reads-nothing", 500) }));
    servers.ready().await;
    let pid = servers.process("server").await;
    let error = servers
        .call("one", "echo", json!({"text": "x".repeat(4 << 20)}))
        .await
        .expect_err("nothing reads stdin");
    assert_eq!(error.to_string(), "one did not answer in 0.5 s.");
    gone(pid).await;
}

#[tokio::test]
async fn megabyte_of_escapes_becomes_one_sanitised_line() {
    let servers = Servers::one("shouts").await;
    let error = servers.call("one", "echo", json!({})).await.expect_err("the server refuses");
    assert_one_line(&error.to_string());
    let skill = servers.skill("one");
    assert!(skill.skill_md.instructions.chars().count() <= 8_001);
    assert!(!skill.skill_md.instructions.contains(['\u{1b}', '\u{202e}', '\u{e0041}']));
    assert!(!skill.skill_md.instructions.contains("</tool-text>"));
    let description = servers.tool("one", "echo").spec().description.to_string();
    assert!(
        description.chars().count() < 5_000 && !description.contains(['\u{1b}', '\u{202e}', '\u{e0041}'])
    );
    for status in servers.mcp.statuses() {
        assert_one_line(&status.version.unwrap());
    }
}

#[tokio::test]
async fn colliding_names_are_refused_or_get_distinct_wire_names() {
    let servers = Servers::one("shadows").await;
    let skill = servers.skill("one");
    assert_eq!(ready_tools(&skill), ["echo", "load_skill", "a.b", "a__b", "A-B"]);
    let registry = Registry::new(vec![servers.mcp.source()], &Settings::default());
    let snapshot = registry.snapshot();
    let tools = &snapshot.skill("one").unwrap().tools;
    let names: BTreeSet<&str> = tools.iter().map(|tool| tool.wire_name.as_str()).collect();
    assert_eq!((tools.len(), names.len()), (5, 5), "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("one__") && name.len() <= 64), "{names:?}");
    assert!(matches!(snapshot.tool("load_skill"), ToolLookup::Unknown { .. }));
    let refused = not_ready(&skill);
    assert_eq!(refused.len(), 2, "the second echo and the one without a name: {refused:?}");
    for (_, state, reason) in refused {
        assert_eq!(state, State::Broken);
        assert_one_line(&reason);
    }
}

#[tokio::test]
async fn schema_that_multiplies_evaluations_makes_its_tool_unusable() {
    let servers = Servers::one("laughing-schema").await;
    let skill = servers.skill("one");
    assert_eq!(ready_tools(&skill), ["echo"]);
    let refused = not_ready(&skill);
    assert_eq!(refused.len(), 2, "by its input, and by its output: {refused:?}");
    for (_, state, reason) in refused {
        assert_eq!(state, State::Broken);
        assert!(reason.contains("checks a value more than 10000 times"), "{reason}");
    }
    assert_eq!(servers.call("one", "echo", json!({"text": "hi"})).await.unwrap(), "hi");
}

#[tokio::test]
async fn requests_of_the_server_are_refused_and_calls_continue() {
    let servers = Servers::one("demands").await;
    assert_eq!(servers.call("one", "echo", json!({})).await.unwrap(), HERE);
}

#[tokio::test]
async fn response_without_a_request_is_ignored() {
    let servers = Servers::new();
    servers.agree(&json!({ "one": with_timeout(&servers, "null-id", 500) }));
    servers.ready().await;
    let error = servers.call("one", "echo", json!({})).await.expect_err("no answer").to_string();
    assert_one_line(&error);
}

#[tokio::test]
async fn twenty_failed_starts_leave_no_process() {
    let servers = Servers::new();
    let garbage = servers.note("garbage");
    std::fs::write(&garbage, [0x7f, b'E', b'L', b'F', 0, 1, 2, 3]).unwrap();
    std::fs::set_permissions(&garbage, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut entries = json!({ "good": servers.entry("plain"), "garbage": {"command": garbage} });
    for at in 0..5 {
        for how in ["hangs", "html", "floods-line", "dies"] {
            let mut entry = servers.entry(how);
            entry["startup_timeout_ms"] = json!(700);
            entries[format!("{how}-{at}")] = entry;
        }
    }
    servers.agree(&entries);
    assert_eq!(call_once_ready(&servers).await, "hi", "the call waits for no other");
    servers.ready().await;
    for status in servers.mcp.statuses() {
        match status.phase {
            Phase::Failed(why) => assert_one_line(&why),
            phase => assert_eq!((status.name.as_str(), phase), ("good", Phase::Ready)),
        }
    }
    // The well-behaved server and its guard.
    until(|| processes_of(&servers.notes()) == 2).await;
    assert_eq!(call_once_ready(&servers).await, "hi");
    let notes = servers.notes();
    drop(servers);
    until(|| processes_of(&notes) == 0).await;
}

/// Number of processes with this path among their arguments.
fn processes_of(path: &Path) -> usize {
    let path = path.to_str().unwrap();
    let is_of = |entry: &std::fs::DirEntry| {
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains(path)
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter(is_of).count()
}

async fn call_once_ready(servers: &Servers) -> Value {
    servers.mcp.ready(Some("good"), nova_testkit::PATIENCE).await;
    servers.call("good", "echo", json!({"text": "hi"})).await.unwrap()
}
