use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use nova_mcp::{Phase, TroubleKind};
use nova_skill::CallToken;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Servers, context, gone, is_there, until, within};

#[tokio::test]
async fn no_process_is_left_when_the_servers_are_dropped() {
    for how in ["grandchild", "outlives-input"] {
        let servers = Servers::one(how).await;
        let mut left = vec![servers.process("server").await];
        if how == "grandchild" {
            left.push(servers.process("grandchild").await);
        }
        assert!(left.iter().all(|pid| is_there(*pid)), "{how}");
        let Servers { mcp, folder, .. } = servers;
        drop(mcp);
        for pid in left {
            gone(pid).await;
        }
        drop(folder);
    }
}

#[tokio::test]
async fn removed_server_ends_with_its_children() {
    let servers = Servers::one("grandchild").await;
    let left = [servers.process("server").await, servers.process("grandchild").await];
    servers.agree(&json!({}));
    for pid in left {
        gone(pid).await;
    }
}

#[tokio::test]
async fn aborted_call_is_cancelled_at_the_server_which_stays() {
    let servers = Servers::one("plain").await;
    let pid = servers.process("server").await;
    let tool = servers.tool("one", "wait");
    let call = tokio::spawn(async move {
        let _ =
            tool.run(CallToken::mint_for_nova_calls(), json!({}), context(&CancellationToken::new())).await;
    });
    servers.process("waiting").await;
    // Aborted, as by a turn.
    call.abort();
    servers.process("cancelled").await;
    assert_eq!(servers.call("one", "echo", json!({"text": "still here"})).await.unwrap(), "still here");
    assert!(is_there(pid));
}

#[tokio::test]
async fn server_that_continues_a_cancelled_call_is_killed() {
    let servers = Servers::one("plain").await;
    let pid = servers.process("server").await;
    let tool = servers.tool("one", "deaf");
    let call = tokio::spawn(async move {
        let _ =
            tool.run(CallToken::mint_for_nova_calls(), json!({}), context(&CancellationToken::new())).await;
    });
    servers.process("waiting").await;
    call.abort();
    gone(pid).await;
    until(|| matches!(servers.phase("one"), Phase::Failed(_))).await;
    let why = servers.failed("one");
    assert!(why.contains("continued a call that was stopped"), "{why}");
}

#[tokio::test]
async fn call_times_out_and_an_unresponsive_server_is_killed() {
    let servers = Servers::new();
    let mut entry = servers.entry("plain");
    entry["timeout_ms"] = json!(500);
    servers.agree(&json!({ "one": entry }));
    servers.ready().await;
    let pid = servers.process("server").await;
    let error = servers.call("one", "deaf", json!({})).await.expect_err("late");
    assert_eq!(error.to_string(), "one did not answer in 0.5 s.");
    gone(pid).await;
    let tool = Arc::downgrade(&servers.tool("one", "echo"));
    assert!(tool.upgrade().is_some(), "its tools stay listed");
}

#[tokio::test]
async fn idle_server_is_stopped_and_restarted_by_the_next_call() {
    let servers = Servers::resting_after(Arc::default(), Duration::from_millis(20));
    let mut news = servers.mcp.source().changes();
    servers.agree(&json!({ "one": servers.entry("plain") }));
    servers.ready().await;
    let process = servers.process("server").await;
    within(async {
        while servers.phase("one") != Phase::Configured {
            news.next().await;
        }
    })
    .await;
    gone(process).await;
    assert_eq!(servers.call("one", "echo", json!({"text": "hi"})).await.unwrap(), "hi");
}

#[tokio::test]
async fn start_can_be_cancelled() {
    let servers = Servers::new();
    servers.agree(&json!({ "one": servers.entry("hangs") }));
    let mut news = servers.mcp.source().changes();
    within(async {
        while servers.phase("one") != Phase::Starting {
            news.next().await;
        }
    })
    .await;
    let mcp = servers.mcp.clone();
    let start = tokio::spawn(async move { mcp.restart("one").await.unwrap() });
    within(async {
        while !start.is_finished() {
            servers.mcp.stop("one").await;
            news.next().await;
        }
    })
    .await;
    assert_eq!(start.await.unwrap().unwrap_err().kind, TroubleKind::Stopped);
    assert_eq!(servers.phase("one"), Phase::Configured);
}
