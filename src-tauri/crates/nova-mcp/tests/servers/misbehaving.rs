use nova_mcp::Phase;
use nova_registry::State;
use nova_testkit::PATIENCE;
use serde_json::{Value, json};

use crate::support::{Servers, not_ready, ready_tools, until};

/// A short timeout, for servers that never answer.
fn impatient(mut entry: Value) -> Value {
    entry["startup_timeout_ms"] = json!(700);
    entry["timeout_ms"] = json!(700);
    entry
}

#[tokio::test]
async fn failed_starts_report_one_line_with_remedy_and_others_continue() {
    let servers = Servers::new();
    let hangs = impatient(servers.entry("hangs"));
    let html = impatient(servers.entry("html"));
    let flood = servers.entry("floods-text");
    let line = servers.entry("floods-line");
    let text = servers.note("text");
    std::fs::write(&text, "not a program").unwrap();
    servers.agree(&json!({
        "good": servers.entry("plain"),
        "banner": servers.entry("banner"),
        "noisy": servers.entry("floods-stderr"),
        "dies": servers.entry("dies"),
        "wrong": servers.entry("wrong-id"),
        "missing": {"command": "no-such-program-here"},
        "no-program": {"command": text},
        "nowhere": {"command": "true", "cwd": "/no/such/folder"},
        "hangs": hangs, "html": html, "text": flood, "line": line,
    }));
    servers.ready().await;
    for (id, said) in [
        ("dies", "dies is not running. It ended with code 3. It said: cannot find my configuration"),
        ("wrong", "wrong answered a request that Nova did not send. Update the server"),
        (
            "missing",
            "The command of missing was not found or is not a program: no-such-program-here. Install it",
        ),
        ("no-program", "text. Install it"),
        ("nowhere", "no folder to start in: /no/such/folder. Correct mcpServers.nowhere.cwd."),
        ("hangs", "hangs did not start in 0.7 s. Check its command"),
        ("html", "html did not start in 0.7 s. It said: <!doctype html>"),
        ("text", "It prints text between its messages: \"noise\""),
        ("line", "It sent more than 8 MB in one message"),
    ] {
        let why = servers.failed(id);
        assert!(why.contains(said), "{id}: {why}");
        assert!(!why.contains('\n') && why.len() < 1_000, "{id}: {why}");
        let (state, reason) = servers.skill(id).kept_from_use.unwrap();
        assert_eq!((state, reason), (State::Failed, why), "{id}");
    }
    for id in ["good", "banner", "noisy"] {
        assert_eq!(servers.call(id, "echo", json!({"text": "hi"})).await.unwrap(), "hi", "{id}");
    }
}

#[tokio::test]
async fn failed_server_is_not_restarted_before_its_back_off_ends() {
    let servers = Servers::one("dies").await;
    servers.mcp.ready(None, PATIENCE).await;
    let why = servers.failed("one");
    assert!(why.contains("code 3"), "{why}");
    assert!(matches!(servers.mcp.restart("one").await, Some(Err(_))), "a manual retry is always allowed");
}

#[tokio::test]
async fn results_of_calls_are_bounded() {
    for (tool, said) in [
        ("large", "one is not running. It sent more than 8 MB in one message."),
        ("deep", "It sent a message that cannot be read (recursion limit exceeded"),
        ("die", "It ended with code 7. It said: out of luck"),
        ("other-id", "one did not answer in 0.7 s."),
        ("fail", "one says: no such thing."),
    ] {
        let servers = Servers::new();
        let mut entry = servers.entry("plain");
        if tool == "other-id" {
            entry = impatient(entry);
        }
        entry["startup_timeout_ms"] = json!(30_000);
        servers.agree(&json!({ "one": entry }));
        servers.ready().await;
        let error = servers.call("one", tool, json!({})).await.expect_err(tool);
        assert!(error.to_string().contains(said), "{tool}: {error}");
        assert!(!error.hint().is_empty(), "{tool}");
        if matches!(tool, "large" | "deep" | "die") {
            until(|| matches!(servers.phase("one"), Phase::Failed(_))).await;
            let skill = servers.skill("one");
            assert!(skill.note.unwrap().starts_with("Last known tools."), "{tool}");
            assert!(
                servers.call("one", "echo", json!({})).await.expect_err(tool).hint().contains("Next try")
            );
        } else {
            assert_eq!(servers.call("one", "echo", json!({"text": "x"})).await.unwrap(), "x", "{tool}");
        }
    }
}

#[tokio::test]
async fn lists_of_tools_are_bounded() {
    let many = Servers::one("many").await;
    assert_eq!(many.skill("one").tools.len(), 500);
    let odd = Servers::one("odd-names").await.skill("one");
    assert_eq!(ready_tools(&odd), ["good", "vault__read_note"]);
    let refused = not_ready(&odd);
    let said: Vec<_> = refused.iter().map(|(_, state, reason)| (*state, &reason[..10])).collect();
    let illegal = (State::Broken, "Its name \"");
    assert_eq!(said, [illegal, illegal, (State::Broken, "Its name l"), illegal]);
    assert!(refused.iter().all(|(id, _, reason)| id.chars().count() <= 41 && reason.len() < 600));
    let deep = Servers::one("deep-schema").await.skill("one");
    assert_eq!(ready_tools(&deep), ["echo"]);
    assert!(not_ready(&deep)[0].2.contains("levels deep; the limit is 40"), "{:?}", not_ready(&deep));
}
