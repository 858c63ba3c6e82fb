//! However a process misbehaves, the call ends with an error message, and the next call works.

use std::sync::Arc;
use std::time::Duration;

use nova_registry::ToolHost;
use nova_testkit::PATIENCE;
use serde_json::json;

use crate::support::{
    Context, SlowWeb, Told, failure, file, host, host_with, kill, pid, progress, run, value, within,
};

#[tokio::test]
async fn misbehaviour_ends_only_the_call() {
    let host = host_with(|options| options.limits.output = 10_000);
    let tool = host.tool("{}").await;
    for (what, told) in [
        ("exit", "The tool's process ended (exit code 3) before it answered."),
        ("huge", "it announced a message that is too long"),
        ("truncate", "its output ended in the middle of a message"),
        ("garbage", "it sent an invalid message"),
        ("unknown", "it sent an invalid message"),
        ("definition", "it answered a call with a definition"),
        ("deep", "its result is nested too deeply"),
        ("log_flood", "it logs too much"),
    ] {
        let before = pid(&tool).await;
        let (message, hint) = failure(&tool, json!({ "do": what })).await;
        assert!(message.starts_with("stand_in.ts: "), "{what}: {message}");
        assert!(message.contains(told), "{what}: {message}");
        assert_ne!(hint, "", "{what}");
        assert_eq!(value(&tool, json!({ "next": what })).await.unwrap(), json!({ "next": what }));
        assert_ne!(pid(&tool).await, before, "{what}: the process was not used again");
    }
}

#[tokio::test]
async fn duplicate_request_numbers_are_refused() {
    let host = host();
    let tool = host.tool("{}").await;
    let ctx = Context::with_http(Arc::new(SlowWeb(PATIENCE)));
    let error = run(&tool, json!({ "do": "ask_twice" }), ctx).await.err().expect("a call that fails");
    assert!(error.to_string().contains("it reused a request number"), "{error}");
}

#[tokio::test]
async fn too_long_result_is_refused() {
    let host = host_with(|options| options.limits.output = 10_000);
    let tool = host.tool("{}").await;
    assert!(value(&tool, json!({ "do": "long", "bytes": 9_000 })).await.is_ok());
    let (message, _) = failure(&tool, json!({ "do": "long", "bytes": 1_000_000 })).await;
    assert!(message.contains("its result is too long"), "{message}");
}

#[tokio::test]
async fn process_that_answers_twice_is_not_used_again() {
    let host = host();
    let tool = host.tool("{}").await;
    let first = value(&tool, json!({ "do": "twice" })).await.unwrap();
    assert_ne!(pid(&tool).await, first.as_u64().unwrap());
}

#[tokio::test]
async fn hanging_process_is_killed_after_the_timeout() {
    let host = host_with(|options| options.time = Duration::from_millis(300));
    let tool = host.tool("{}").await;
    let (ctx, mut hears) = Context::new();
    let error = run(&tool, json!({ "do": "hang" }), ctx).await.err().expect("a call that fails");
    assert_eq!(error.to_string(), "stand_in.ts: It did not finish in 0.3 s and was stopped.");
    crate::support::gone(progress(&mut hears).await.parse().unwrap()).await;
}

#[tokio::test]
async fn flood_of_messages_does_not_defer_the_timeout() {
    let host = host_with(|options| {
        options.time = Duration::from_millis(300);
        options.limits.output = u64::MAX;
    });
    let tool = host.tool("{}").await;
    let (message, _) = failure(&tool, json!({ "do": "log_flood" })).await;
    assert_eq!(message, "stand_in.ts: It did not finish in 0.3 s and was stopped.");
}

#[tokio::test]
async fn killed_process_is_reported_and_the_next_call_works() {
    let host = host();
    let tool = host.tool("{}").await;
    let (ctx, mut hears) = Context::new();
    let calling = run(&tool, json!({ "do": "hang" }), ctx);
    let killing = async { kill(progress(&mut hears).await.parse().unwrap()) };
    let (called, ()) = tokio::join!(calling, killing);
    let error = called.err().expect("a call that fails");
    assert_eq!(error.to_string(), "stand_in.ts: The tool's process ended (signal 9) before it answered.");
    assert_eq!(value(&tool, json!({ "a": 1 })).await.unwrap(), json!({ "a": 1 }));
}

#[tokio::test]
async fn process_that_dies_between_calls_is_replaced() {
    let host = host();
    let tool = host.tool("{}").await;
    let before = pid(&tool).await;
    kill(before);
    crate::support::gone(before).await;
    assert_eq!(value(&tool, json!({ "a": 1 })).await.unwrap(), json!({ "a": 1 }));
}

#[tokio::test]
async fn large_stderr_output_does_not_block() {
    let host = host();
    let tool = host.tool("{}").await;
    assert_eq!(value(&tool, json!({ "do": "errors" })).await.unwrap(), json!("said"));
}

#[tokio::test]
async fn endless_requests_are_refused_and_bounded_in_time() {
    let host = host_with(|options| {
        options.time = Duration::from_millis(300);
        options.asks = 100;
    });
    let tool = host.tool("{\"credentials\":[\"service\"]}").await;
    // It reads no answers: eventually both pipes are full, and the timeout applies.
    let (message, _) = failure(&tool, json!({ "do": "ask_flood" })).await;
    assert_eq!(message, "stand_in.ts: It did not finish in 0.3 s and was stopped.");
    assert_eq!(value(&tool, json!({ "a": 1 })).await.unwrap(), json!({ "a": 1 }));
}

#[tokio::test]
async fn failed_load_is_reported_with_file_and_message() {
    let host = host_with(|options| options.time = Duration::from_millis(500));
    for (load, told) in [
        (
            "exit",
            "stand_in.ts: The tool's process ended (exit code 3) before it answered. The line is unknown.",
        ),
        (
            "exit_at",
            "stand_in.ts:4: The tool's process ended (exit code 3) before it answered. It was in or after this line.",
        ),
        (
            "crash_at",
            "stand_in.ts:4: the process that read it ran out of stack or memory, in or after this line.",
        ),
        (
            "hang_at",
            "stand_in.ts:4: It did not finish in 0.5 s and was stopped. It was in or after this line.",
        ),
        (
            "hang",
            "stand_in.ts: The tool's process was killed: protocol violation: it answered a load with \
             something else.",
        ),
        ("garbage", "it sent an invalid message"),
        ("huge", "it announced a message that is too long"),
        ("twice", "it answered a load with something else"),
        ("fault", "stand_in.ts:12:8: Expected `}`."),
    ] {
        let source = json!({ "load": load }).to_string();
        let loaded = within(host.host.load(file("owner", "stand_in.ts", &source))).await;
        let message = loaded.err().expect("a file that fails to load").to_string();
        assert!(message.contains(told), "{load}: {message}");
    }
    assert!(host.host.load(file("owner", "stand_in.ts", "{}")).await.is_ok());
}

#[tokio::test]
async fn definition_is_validated() {
    let host = host();
    let many: Vec<String> = (0..100).map(|number| format!("host{number}")).collect();
    for (source, told) in [
        (json!({ "name": "../x" }), "name must be 1 to 64 characters"),
        (json!({ "name": "" }), "name must be 1 to 64 characters"),
        (json!({ "effect": "reed" }), "effect must be one of read, write, external, destructive, send."),
        (json!({ "credentials": ["a/b/c"] }), "requires_credentials: \"a/b/c\" is not"),
        (json!({ "hosts": ["https://a.example/"] }), "hosts: \"https://a.example/\" is not"),
        (json!({ "hosts": many }), "hosts: at most 64 are allowed."),
        (json!({ "parameters": { "type": "string" } }), "parameters must describe an object"),
        (json!({ "parameters": { "type": "object", "required": 1 } }), "parameters is not a JSON Schema"),
        (
            json!({ "parameters": { "type": "object", "x": "y".repeat(300_000) } }),
            "parameters is longer than 256 KB",
        ),
    ] {
        let loaded = host.host.load(file("owner", "stand_in.ts", &source.to_string())).await;
        let message = loaded.err().expect("a rejected definition").to_string();
        assert!(message.starts_with("stand_in.ts: "), "{message}");
        assert!(message.contains(told), "{message}");
    }
}

#[tokio::test]
async fn too_long_source_starts_no_process() {
    let host = host();
    let loaded = host.host.load(file("owner", "stand_in.ts", &"x\n".repeat(5_000_000))).await;
    let message = loaded.err().expect("a rejected file").to_string();
    // These lines of two bytes fill a megabyte; the next one exceeds it.
    assert_eq!(message, "stand_in.ts:524289: it has more than 1 MB. Make it shorter.");
    assert_eq!(host.host.started(), 0);
}

#[tokio::test]
async fn missing_program_is_reported() {
    let host = crate::support::host_of("/nowhere/nova-script", |_| {});
    let loaded = host.host.load(file("owner", "stand_in.ts", "{}")).await;
    let message = loaded.err().expect("a file that fails to load").to_string();
    assert!(
        message.starts_with("stand_in.ts: The process that runs TypeScript tools could not be started"),
        "{message}"
    );
}

#[tokio::test]
async fn script_logs_are_forwarded() {
    let host = host();
    let tool = host.tool("{}").await;
    let (ctx, mut hears) = Context::new();
    run(&tool, json!({ "do": "log" }), ctx).await.unwrap();
    let mut told = Vec::new();
    while let Some(next) = hears.recv().await {
        told.push(next);
    }
    use nova_skill::LogLevel::{Debug, Error, Info, Warn};
    assert_eq!(
        told,
        [
            Told::Log(Debug, "d".into()),
            Told::Log(Info, "i".into()),
            Told::Log(Warn, "w".into()),
            Told::Log(Error, "e".into()),
            Told::Progress(Some(0.5), Some("half".into())),
            Told::Progress(None, None),
        ]
    );
}
