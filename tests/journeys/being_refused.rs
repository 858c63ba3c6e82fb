//! Messages shown when a provider gives no answer.

use nova_app::{NoApprover, TurnEnd};
use nova_protocol::ErrorCode;
use nova_testkit::{Reply, WebServer};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, turn};

/// The end of a turn whose provider sends these events.
async fn end_of(kind: &str, events: Vec<Value>) -> (ErrorCode, String) {
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let server = WebServer::start(move |request| match request.method.as_str() {
        "POST" => Reply::with(200, &[("content-type", "text/event-stream")], &body),
        _ => Reply::with(404, &[], ""),
    })
    .await;
    let nova = Nova::new(PEOPLE, []);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "near", "kind": kind, "base_url": format!("http://{}/v1", server.address())}],
        "model": "near/scripted",
    }));
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Go on", NoApprover).await;
    match end.end {
        TurnEnd::Failed(error) => (error.code, error.message),
        other => panic!("the turn ended with {other:?}"),
    }
}

fn check(found: (ErrorCode, String), code: ErrorCode, message: &str) {
    assert_eq!((found.0, found.1.as_str()), (code, message));
    assert_eq!(found.1.lines().count(), 1);
}

#[tokio::test]
async fn openai_refusal_is_explained_in_one_line() {
    let kind = "openai_responses";
    let refusal = json!({"type": "response.output_item.done", "output_index": 0, "item": {
        "id": "msg_1", "type": "message", "role": "assistant",
        "content": [{"type": "refusal", "refusal": "I cannot help with that."}],
    }});
    let end = |status: &str, reason: Value| {
        let response = json!({"status": status, "incomplete_details": reason, "output": [], "error": null});
        json!({"type": format!("response.{status}"), "response": response})
    };
    let refused = end_of(kind, vec![refusal, end("completed", Value::Null)]).await;
    check(refused, ErrorCode::ProviderFiltered, "The model declined to answer.");
    let reason = |reason: &str| vec![end("incomplete", json!({"reason": reason}))];
    check(
        end_of(kind, reason("max_output_tokens")).await,
        ErrorCode::ProviderTruncated,
        "The model reached its limit before the answer was complete.",
    );
    check(
        end_of(kind, reason("content_filter")).await,
        ErrorCode::ProviderFiltered,
        "The provider's filter stopped the answer.",
    );
    check(
        end_of(kind, reason("max_messages")).await,
        ErrorCode::ProviderTruncated,
        "The provider ended the answer early: max messages.",
    );
    let failed = json!({"type": "response.failed", "response": {
        "status": "failed", "error": {"code": "server_error", "message": "Something\nbroke."},
    }});
    check(end_of(kind, vec![failed]).await, ErrorCode::ProviderFailed, "near failed: Something broke.");
}

#[tokio::test]
async fn gemini_refusal_is_explained_in_one_line() {
    let kind = "gemini";
    let stopped = |reason: &str| {
        vec![
            json!({"candidates": [{"content": {"parts": [{"text": "So"}]}, "finishReason": reason, "index": 0}]}),
        ]
    };
    check(
        end_of(kind, stopped("SAFETY")).await,
        ErrorCode::ProviderFiltered,
        "The provider's filter stopped the answer: safety.",
    );
    check(
        end_of(kind, stopped("MALFORMED_FUNCTION_CALL")).await,
        ErrorCode::ProviderTruncated,
        "The provider ended the answer early: malformed function call.",
    );
    check(
        end_of(kind, stopped("MAX_TOKENS")).await,
        ErrorCode::ProviderTruncated,
        "The model reached its limit before the answer was complete.",
    );
    let usage = json!({"promptTokenCount": 9, "totalTokenCount": 9});
    check(
        end_of(
            kind,
            vec![json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": usage})],
        )
        .await,
        ErrorCode::ProviderFiltered,
        "The provider's filter refused the request: prohibited content.",
    );
    for empty in
        [json!({"candidates": [], "usageMetadata": usage}), json!({"candidates": [{"finishReason": "STOP"}]})]
    {
        check(
            end_of(kind, vec![empty]).await,
            ErrorCode::ProviderEmpty,
            "The model ended without an answer.",
        );
    }
}
