//! The course of a call: streams, faults, cancellation.

use std::time::Duration;

use futures::StreamExt;
use nova_skill::{OutputPart, ToolError, ToolOutput, Value};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Context, gone, host, host_with, pid, progress, run, within};

/// The partial results of a call, and its end.
async fn streamed(args: Value) -> (Vec<Value>, Result<Value, ToolError>) {
    let host = host();
    let tool = host.tool("{}").await;
    let Ok(ToolOutput::Stream(mut stream)) = run(&tool, args, Context::new().0).await else {
        panic!("a stream");
    };
    let (mut partials, mut end) = (Vec::new(), None);
    while let Some(part) = within(stream.next()).await {
        assert!(end.is_none(), "an item after the end");
        match part {
            OutputPart::Partial(value) => partials.push(value),
            OutputPart::End(ended) => end = Some(ended.map(|output| output.value)),
            OutputPart::Progress(_) => panic!("progress goes to the context"),
        }
    }
    (partials, end.expect("an end"))
}

#[tokio::test]
async fn generator_values_are_streamed() {
    let (partials, end) = streamed(json!({ "do": "partials", "steps": 3 })).await;
    assert_eq!(partials, [json!(0), json!(1), json!(2)]);
    assert_eq!(end.unwrap(), json!("end"));
}

#[tokio::test]
async fn stream_ends_with_the_fault() {
    for (way, told) in [
        ("fail", "stand_in.ts:12:8: in the middle"),
        ("exit", "stand_in.ts: The tool's process ended (exit code 3) before it answered."),
    ] {
        let (partials, end) = streamed(json!({ "do": "partials", "steps": 2, "end": way })).await;
        assert_eq!(partials, [json!(0), json!(1)]);
        assert_eq!(end.unwrap_err().to_string(), told);
    }
}

#[tokio::test]
async fn dropping_a_stream_ends_its_process() {
    let host = host();
    let tool = host.tool("{}").await;
    let before = pid(&tool).await;
    let output = run(&tool, json!({ "do": "partial_flood" }), Context::new().0).await;
    assert!(matches!(output, Ok(ToolOutput::Stream(_))));
    drop(output);
    gone(before).await;
}

#[tokio::test]
async fn partial_results_are_bounded() {
    let host = host_with(|options| options.limits.output = 10_000);
    let tool = host.tool("{}").await;
    let Ok(ToolOutput::Stream(stream)) = run(&tool, json!({ "do": "partial_flood" }), Context::new().0).await
    else {
        panic!("a stream")
    };
    let parts: Vec<_> = within(stream.collect()).await;
    assert!(parts.len() < 100, "{}", parts.len());
    let Some(OutputPart::End(Err(error))) = parts.last() else { panic!("a failure at the end") };
    assert!(error.to_string().contains("its partial results are too long"), "{error}");
}

#[tokio::test]
async fn fault_has_a_position_and_ends_the_process_only_if_fatal() {
    let host = host();
    let tool = host.tool("{}").await;
    for fatal in [false, true] {
        let before = pid(&tool).await;
        let args = json!({ "do": "fail", "kind": "thrown", "message": "no such city", "fatal": fatal });
        let error = run(&tool, args, Context::new().0).await.err().expect("a call that fails");
        assert_eq!(error.to_string(), "stand_in.ts:12:8: no such city");
        assert_ne!(error.hint(), "");
        assert_eq!(pid(&tool).await != before, fatal);
    }
}

#[tokio::test]
async fn arguments_rejected_by_the_schema_are_reported_as_such() {
    let host = host();
    let tool = host.tool("{}").await;
    let args = json!({ "do": "fail", "kind": "arguments", "message": "city: too short.\n" });
    let error = run(&tool, args, Context::new().0).await.err().expect("a call that fails");
    assert!(matches!(error, ToolError::InvalidArguments { .. }), "{error:?}");
    assert_eq!(error.to_string(), "city: too short.");
}

#[tokio::test]
async fn cancel_ends_a_call_even_if_the_tool_ignores_it() {
    let host = host_with(|options| options.grace = Duration::from_millis(50));
    let tool = host.tool("{}").await;
    for what in ["wait", "hang"] {
        let cancel = CancellationToken::new();
        let (ctx, mut hears) = Context::with_cancel(&cancel);
        let calling = run(&tool, json!({ "do": what }), ctx);
        let stopping = async {
            let running = progress(&mut hears).await;
            cancel.cancel();
            running.parse().unwrap()
        };
        let (called, running) = tokio::join!(calling, stopping);
        assert!(matches!(called, Err(ToolError::Cancelled)), "{what}");
        gone(running).await;
    }
}

#[tokio::test]
async fn dropping_a_call_ends_its_process() {
    let host = host();
    let tool = host.tool("{}").await;
    let (ctx, mut hears) = Context::new();
    let running = tokio::select! {
        _ = run(&tool, json!({ "do": "hang" }), ctx) => panic!("the call hangs"),
        running = progress(&mut hears) => running,
    };
    gone(running.parse().unwrap()).await;
}
