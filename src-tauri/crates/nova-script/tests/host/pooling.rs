//! Assignment of processes to owners, and their lifetime.

use std::time::Duration;

use futures::future::join_all;
use nova_registry::ToolHost;
use serde_json::json;

use crate::support::{Context, failure, file, gone, host, host_with, pid, progress, run, value, within};

#[tokio::test]
async fn process_serves_one_call_after_the_other() {
    let host = host();
    let tool = host.tool("{}").await;
    assert_eq!(pid(&tool).await, pid(&tool).await);
    assert_eq!(host.host.started(), 1, "the one that has loaded the file");
}

#[tokio::test]
async fn owners_do_not_share_a_process_even_for_equal_content() {
    let host = host();
    let one = host.tool_of("one", "{}").await;
    let other = host.tool_of("other", "{}").await;
    assert_eq!(one.spec(), other.spec());
    let (of_one, of_other) = (pid(&one).await, pid(&other).await);
    assert_ne!(of_one, of_other);
    assert_eq!((pid(&one).await, pid(&other).await), (of_one, of_other));
}

#[tokio::test]
async fn owners_with_equal_file_names_have_separate_tools() {
    let host = host();
    let one = host.tool_of("one", "{\"name\":\"a\"}").await;
    let other = host.tool_of("other", "{\"name\":\"b\"}").await;
    assert_eq!((one.spec().id.as_str(), other.spec().id.as_str()), ("a", "b"));
}

#[tokio::test]
async fn files_of_one_owner_share_a_process() {
    let host = host();
    for name in ["a", "b", "c"] {
        let source = json!({ "name": name }).to_string();
        host.host.load(file("skill", &format!("{name}.ts"), &source)).await.unwrap();
    }
    assert_eq!(host.host.started(), 1);
}

#[tokio::test]
async fn changed_file_gets_a_new_process_and_the_old_one_ends() {
    let host = host();
    let old = host.tool("{}").await;
    let before = pid(&old).await;
    let new = host.tool("{\"name\":\"new\"}").await;
    gone(before).await;
    assert_ne!(pid(&new).await, before);
    // A tool object of the old version still runs the old version.
    assert_eq!(value(&old, json!({ "a": 1 })).await.unwrap(), json!({ "a": 1 }));
}

#[tokio::test]
async fn calls_of_one_owner_run_in_parallel_and_further_ones_wait() {
    let host = host_with(|options| options.grace = Duration::ZERO);
    let tool = host.tool("{}").await;
    let cancel = tokio_util::sync::CancellationToken::new();
    let (ctx, mut hears) = Context::with_cancel(&cancel);
    let calls = (0..4).map(|_| {
        let (tool, ctx) = (tool.clone(), ctx.clone());
        tokio::spawn(async move { run(&tool, json!({ "do": "wait" }), ctx).await.is_err() })
    });
    let calls: Vec<_> = calls.collect();
    let mut pids = Vec::new();
    for _ in 0..4 {
        pids.push(progress(&mut hears).await);
    }
    pids.sort();
    pids.dedup();
    assert_eq!(pids.len(), 4, "four at a time");
    let fifth = {
        let tool = tool.clone();
        tokio::spawn(async move { value(&tool, json!({ "a": 5 })).await })
    };
    // Another owner is not blocked by them.
    let other = host.tool_of("other", "{}").await;
    assert_eq!(value(&other, json!({ "a": 1 })).await.unwrap(), json!({ "a": 1 }));
    assert_eq!(host.host.started(), 5, "the fifth call of the first owner waits");
    assert!(!fifth.is_finished());
    cancel.cancel();
    assert!(within(join_all(calls)).await.into_iter().all(Result::unwrap));
    assert_eq!(within(fifth).await.unwrap().unwrap(), json!({ "a": 5 }));
}

#[tokio::test]
async fn process_count_is_bounded_and_longest_idle_one_ends_first() {
    let host = host_with(|options| options.processes = 2);
    let first = host.tool_of("first", "{}").await;
    let second = host.tool_of("second", "{}").await;
    let (of_first, of_second) = (pid(&first).await, pid(&second).await);
    let third = host.tool_of("third", "{}").await;
    pid(&third).await;
    gone(of_first).await;
    assert!(host.host.alive() <= 2);
    assert_eq!(pid(&second).await, of_second);
}

#[tokio::test]
async fn call_waits_while_all_processes_are_busy() {
    let host = host_with(|options| {
        options.processes = 1;
        options.grace = Duration::ZERO;
    });
    let one = host.tool_of("one", "{}").await;
    let other = host.tool_of("other", "{}").await;
    let cancel = tokio_util::sync::CancellationToken::new();
    let (ctx, mut hears) = Context::with_cancel(&cancel);
    let working = run(&one, json!({ "do": "wait" }), ctx);
    let waiting = async {
        progress(&mut hears).await;
        let call = tokio::spawn(async move { value(&other, json!({ "a": 1 })).await });
        cancel.cancel();
        within(call).await.unwrap()
    };
    let (worked, waited) = tokio::join!(working, waiting);
    assert!(worked.is_err());
    assert_eq!(waited.unwrap(), json!({ "a": 1 }));
}

#[tokio::test]
async fn idle_process_ends_and_the_next_call_starts_another() {
    let host = host_with(|options| options.idle = Duration::from_millis(100));
    let tool = host.tool("{}").await;
    let before = pid(&tool).await;
    gone(before).await;
    assert_ne!(pid(&tool).await, before);
}

#[tokio::test]
async fn spare_process_serves_the_next_new_file_and_ends_when_idle() {
    let host = host_with(|options| {
        options.spare = true;
        options.idle = Duration::from_millis(100);
    });
    host.tool_of("one", "{}").await;
    // The process that has loaded the file, and the spare one started after it.
    within(async {
        while host.host.started() < 2 || host.host.alive() > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(host.host.started(), 2);
}

#[tokio::test]
async fn without_a_new_file_there_is_no_spare_process() {
    let host = host_with(|options| options.spare = true);
    assert_eq!((host.host.started(), host.host.alive()), (0, 0));
}

#[tokio::test]
async fn dropping_the_host_ends_all_processes_and_calls() {
    let host = host();
    let idle = host.tool_of("idle", "{}").await;
    let working = host.tool_of("working", "{}").await;
    let of_idle = pid(&idle).await;
    let (ctx, mut hears) = Context::new();
    let calling = run(&working, json!({ "do": "hang" }), ctx);
    let dropping = async {
        let of_working: u64 = progress(&mut hears).await.parse().unwrap();
        drop(host);
        of_working
    };
    let (called, of_working) = tokio::join!(calling, dropping);
    assert_eq!(called.err().unwrap().to_string(), "stand_in.ts: Nova is shutting down its tools.");
    gone(of_idle).await;
    gone(of_working).await;
    assert_eq!(failure(&idle, json!({})).await.0, "stand_in.ts: Nova is shutting down its tools.");
}
