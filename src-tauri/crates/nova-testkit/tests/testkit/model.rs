//! The scripted model, tested with the real provider.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::StreamExt;
use nova_provider::{
    ChatEvent, ChatRequest, Completed, FinishReason, Message, Provider, ProviderError, ToolChoice, Usage,
    detect,
};
use nova_testkit::{
    Answer, MODEL, ModelServer, PATIENCE, call, call_text, calls, error, pause, reasoning, text,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

fn hello() -> ChatRequest {
    ChatRequest {
        model: MODEL.into(),
        system: "You are Nova.".into(),
        tools: Vec::new(),
        deferred: Vec::new(),
        messages: vec![Message::User { content: "hello".into(), images: Vec::new() }],
        max_output: None,
        tool_choice: ToolChoice::Auto,
    }
}

/// All events before the end, and the end.
async fn ask(
    provider: &dyn Provider,
    cancel: CancellationToken,
) -> (Vec<ChatEvent>, Result<Completed, ProviderError>) {
    let mut events = Vec::new();
    let mut stream = match provider.stream(&hello(), cancel).await {
        Ok(stream) => stream,
        Err(error) => return (events, Err(error)),
    };
    let reading = async {
        while let Some(event) = stream.next().await {
            match event {
                Ok(ChatEvent::End(completed)) => return Ok(completed),
                Ok(event) => events.push(event),
                Err(error) => return Err(error),
            }
        }
        panic!("the stream ended without an end");
    };
    let end = tokio::time::timeout(PATIENCE, reading).await.expect("the stream never ended");
    (events, end)
}

async fn answer(answer: Answer) -> (Vec<ChatEvent>, Result<Completed, ProviderError>) {
    let server = ModelServer::start([answer]);
    let outcome = ask(&*server.provider(), CancellationToken::new()).await;
    server.finish();
    outcome
}

#[tokio::test]
async fn text_arrives_by_word_and_ends() {
    let (events, end) = answer(text("Hello from afar.").using(120, 100, 4)).await;
    let end = end.unwrap();
    assert_eq!((end.text.as_str(), end.finish), ("Hello from afar.", FinishReason::Stop));
    let words: Vec<&ChatEvent> =
        events.iter().filter(|event| matches!(event, ChatEvent::TextDelta(_))).collect();
    assert_eq!(words.len(), 3, "one delta for each word: {words:?}");
    assert!(events.contains(&ChatEvent::Usage(Usage { input: 120, cached: 100, output: 4 })), "{events:?}");
}

#[tokio::test]
async fn calls_arrive_complete_with_consecutive_ids() {
    let server = ModelServer::start([
        text("Both.").and(calls([
            ("crm__get_contact", json!({"name": "Zoë"})),
            ("vault__search", json!({"query": "a"})),
        ])),
        call_text("crm__get_contact", "{\"name\": "),
    ]);
    let provider = server.provider();
    let first = ask(&*provider, CancellationToken::new()).await.1.unwrap();
    assert_eq!((first.text.as_str(), first.finish), ("Both.", FinishReason::ToolCalls));
    let told: Vec<_> = first.calls.iter().map(|call| (&*call.id, &*call.name, &*call.arguments)).collect();
    assert_eq!(
        told,
        [
            ("call_1", "crm__get_contact", "{\"name\":\"Zoë\"}"),
            ("call_2", "vault__search", "{\"query\":\"a\"}")
        ]
    );
    let second = ask(&*provider, CancellationToken::new()).await.1.unwrap();
    assert_eq!((&*second.calls[0].id, &*second.calls[0].arguments), ("call_3", "{\"name\": "));
    server.finish();
}

#[tokio::test]
async fn chunk_size_does_not_matter() {
    for size in [1, 7, 4096] {
        let script = text("Grüße aus Köln: ")
            .and(call("crm__list_contacts", json!({"query": "東京"})))
            .in_chunks_of(size);
        let end = answer(script).await.1.unwrap();
        assert_eq!(end.text, "Grüße aus Köln: ", "in pieces of {size}");
        assert_eq!(end.calls[0].arguments, "{\"query\":\"東京\"}", "in pieces of {size}");
    }
}

#[tokio::test]
async fn reasoning_and_other_finish_reasons() {
    let (events, end) = answer(reasoning("Hm.").and(text("No")).finishing("length")).await;
    assert!(events.contains(&ChatEvent::ReasoningDelta("Hm.".into())), "{events:?}");
    assert_eq!(end.unwrap().finish, FinishReason::Length);
}

#[tokio::test]
async fn truncation_and_errors_are_reported() {
    let cut = answer(call("crm__list_contacts", json!({})).then_cut()).await.1;
    assert_eq!(cut, Err(ProviderError::Truncated));

    let broken = answer(text("Hel").error_mid_stream("out of memory")).await.1.unwrap_err();
    assert_eq!(broken.code().as_str(), "provider_failed");
    assert!(broken.to_string().contains("out of memory"), "{broken}");

    let refused = answer(error(401, json!({"error": {"message": "no key"}}))).await.1.unwrap_err();
    assert_eq!(refused.code().as_str(), "provider_refused_key");
}

#[tokio::test]
async fn busy_server_is_retried() {
    let server = ModelServer::start([error(503, json!({})), text("Now.")]);
    let end = ask(&*server.provider(), CancellationToken::new()).await.1;
    assert_eq!(end.unwrap().text, "Now.");
    assert_eq!(server.requests().len(), 2);
    server.finish();
}

#[tokio::test]
async fn cancellation_disconnects_from_a_stalled_answer() {
    let server = ModelServer::start([text("One moment").stall()]);
    let provider = server.provider();
    let cancel = CancellationToken::new();
    let asking = ask(&*provider, cancel.clone());
    let stopping = async {
        server.wait_for_request(1).await;
        cancel.cancel();
    };
    let ((_, end), ()) = tokio::join!(asking, stopping);
    assert_eq!(end, Err(ProviderError::Cancelled));
    server.wait_for_departure().await;
    server.finish();
}

#[tokio::test]
async fn answer_pauses_until_resumed() {
    let server = ModelServer::start([text("First ").and(pause()).and(text("second."))]);
    let provider = server.provider();
    let asking = ask(&*provider, CancellationToken::new());
    let resuming = async {
        server.wait_for_pause(1).await;
        server.resume();
    };
    let ((_, end), ()) = tokio::join!(asking, resuming);
    assert_eq!(end.unwrap().text, "First second.");
    server.finish();
}

#[tokio::test]
async fn answer_may_depend_on_the_request() {
    let server =
        ModelServer::replying(|request| text(request["messages"][1]["content"].as_str().unwrap_or_default()));
    let end = ask(&*server.provider(), CancellationToken::new()).await.1;
    assert_eq!(end.unwrap().text, "hello");
    assert_eq!(server.last_texts("system"), ["You are Nova."]);
    server.finish();
}

#[tokio::test]
async fn model_is_listed_in_both_formats() {
    let server = ModelServer::start([]);
    let models = server.provider().models().await.unwrap();
    assert_eq!(models[0].id, MODEL);
    assert_eq!(detect("ollama", &server.address()).await.unwrap()[0].id, MODEL);
    server.finish();
}

#[tokio::test]
async fn invalid_request_fails_its_test() {
    let said = |run: &dyn Fn()| {
        let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("the server accepted the request");
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    };

    let server = ModelServer::start([text("Fine.")]);
    let provider = server.provider();
    let mut request = hello();
    request.messages.push(Message::ToolOutput {
        call_id: "x".into(),
        content: "{}".into(),
        loads: Vec::new(),
    });
    let _ = provider.stream(&request, CancellationToken::new()).await;
    let server = std::cell::Cell::new(Some(server));
    let fault = said(&|| drop(server.take()));
    assert!(fault.contains("request 1: message 2 is an output for \"x\""), "{fault}");

    let server = ModelServer::start([]);
    let beyond = ask(&*server.provider(), CancellationToken::new()).await.1;
    assert!(beyond.is_err(), "no scripted answer");
    let server = std::cell::Cell::new(Some(server));
    let fault = said(&|| drop(server.take()));
    assert!(fault.contains("request 1 is one more than the script has answers for"), "{fault}");

    let server = std::cell::Cell::new(Some(ModelServer::start([text("Never asked for.")])));
    let fault = said(&|| {
        if let Some(server) = server.take() {
            server.finish();
        }
    });
    assert!(fault.contains("the script has answers left"), "{fault}");
}
