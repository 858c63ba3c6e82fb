//! Refused requests, and retries.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use nova_provider::{Limits, ProviderError, ProviderSettings, connect, default_backoff};
use tokio::net::TcpListener;

use crate::support::{Reply, Server, answer_to, ask, body, provider, settings};

const STOP: &str = r#"{"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}"#;

/// Checks the code and the sentence of the error for a status with a body.
async fn check(status: &str, body: &str, code: &str, sentence: &str) {
    let error =
        ask(&*provider(&Server::start(vec![Reply::new(status, "", body); 3]).await)).await.unwrap_err();
    assert_eq!((error.code().as_str(), error.to_string().as_str()), (code, sentence));
}

#[tokio::test]
async fn refusal_is_reported_in_the_servers_words() {
    let openai = r#"{"error":{"message":"context\n  too long","type":"invalid_request_error","code":null}}"#;
    check("400 Bad Request", openai, "provider_failed", "test failed (400): context too long").await;
    check("422 No", r#"{"detail":"bad field"}"#, "provider_failed", "test failed (422): bad field").await;
    check("500 Oh", r#"{"error":"no memory"}"#, "provider_failed", "test failed (500): no memory").await;
    check("502 Oh", "<html><h1>Bad gateway</h1>", "provider_failed", "test failed (502)").await;
    check("500 Oh", "plain words", "provider_failed", "test failed (500): plain words").await;
    check("500 Oh", "", "provider_failed", "test failed (500)").await;
}

#[tokio::test]
async fn missing_tool_support_of_compatible_servers_is_recognised() {
    for said in [
        r#"{"error":{"code":500,"message":"tools param requires --jinja flag"}}"#,
        r#"{"message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser"}"#,
        r#"{"error":{"message":"registry.ollama.ai/library/m does not support tools"}}"#,
    ] {
        check("400 Bad Request", said, "model_without_tools", "`m` of test cannot call tools").await;
    }
}

#[tokio::test]
async fn too_long_request_is_recognised_in_any_wording() {
    for (kind, status, said, context) in [
        (
            "openai",
            "400 Bad",
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
            Some(8_192),
        ),
        (
            "openai",
            "400 Bad",
            r#"{"error":{"message":"Please reduce the length of the messages or completion.","code":"context_length_exceeded"}}"#,
            None,
        ),
        (
            "openai",
            "400 Bad",
            r#"{"object":"error","message":"This model's maximum context length is 4,096 tokens. However, you requested 5000 tokens","code":400}"#,
            Some(4_096),
        ),
        (
            "openai",
            "400 Bad",
            r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}"#,
            Some(4_096),
        ),
        (
            "openai",
            "400 Bad",
            r#"{"error":"Trying to keep the first 4531 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}"#,
            Some(4_096),
        ),
        (
            "openai",
            "500 No",
            r#"{"error":{"message":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}}"#,
            Some(131_072),
        ),
        ("openai", "413 Large", "", None),
        (
            "anthropic",
            "400 Bad",
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#,
            Some(200_000),
        ),
        (
            "anthropic",
            "413 Large",
            r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
            None,
        ),
        (
            "openai_responses",
            "400 Bad",
            r#"{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
            None,
        ),
        (
            "gemini",
            "400 Bad",
            r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
            Some(1_048_576),
        ),
    ] {
        let server = Server::start(vec![Reply::new(status, "", said); 3]).await;
        let error = ask(&*connect(kind, settings(&server)).unwrap()).await.unwrap_err();
        assert_eq!(error.code().as_str(), "context_too_small", "{said}");
        assert!(error.hint().contains("set `context` of the provider `test`"), "{}", error.hint());
        let ProviderError::TooLong { context: told, .. } = error else { panic!("{error:?}") };
        assert_eq!(told, context, "{said}");
        assert_eq!(server.requests().len(), 1, "not retryable: {said}");
    }
    let in_stream = body(&[r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#]);
    assert_eq!(answer_to(Reply::events(&in_stream)).await.unwrap_err().code().as_str(), "context_too_small");
}

#[tokio::test]
async fn ollamas_refusal_of_a_too_long_request_is_recognised() {
    let shown = Reply::new("200 OK", "", r#"{"capabilities":["completion"]}"#);
    let refusal = Reply::new("400 Bad", "", r#"{"error":"the input length exceeds the context length"}"#);
    let server = Server::start([shown, refusal]).await;
    let settings = ProviderSettings { base_url: Some(server.address.clone()), ..settings(&server) };
    let error = ask(&*connect("ollama", settings).unwrap()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "context_too_small");
}

#[tokio::test]
async fn long_refusal_is_shortened() {
    let error = answer_to(Reply::new("400 Bad", "", &"x".repeat(100_000))).await.unwrap_err();
    assert_eq!(error.to_string(), format!("test failed (400): {}…", "x".repeat(300)));
}

#[tokio::test]
async fn refused_key_names_the_variable() {
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let server = Server::start([Reply::new(status, "", r#"{"error":{"message":"bad key"}}"#)]).await;
        let mut settings = ProviderSettings { id: "open-router".into(), ..settings(&server) };
        let error = ask(&*connect("openai", settings.clone()).unwrap()).await.unwrap_err();
        assert_eq!(error.code().as_str(), "provider_refused_key");
        assert_eq!(error.to_string(), "open-router needs a key: bad key");
        assert!(error.hint().contains("NOVA_OPEN_ROUTER_KEY"), "{}", error.hint());
        assert!(error.hint().contains("nova credential set open-router/key"), "{}", error.hint());

        let server = Server::start([Reply::new(status, "", "")]).await;
        settings.base_url = Some(server.address.clone());
        settings.key = Arc::new(|| Some("k".into()));
        let error = ask(&*connect("openai", settings).unwrap()).await.unwrap_err();
        assert_eq!(error.to_string(), "open-router refused the key");
    }
}

#[tokio::test]
async fn missing_model_is_distinguished_from_wrong_address() {
    for (status, said) in [
        ("404 Not Found", r#"{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}"#),
        (
            "404 Not Found",
            r#"{"error":{"message":"model \"m\" not found, try pulling it first","type":"api_error"}}"#,
        ),
        ("400 Bad Request", r#"{"error":{"message":"m is not a valid model ID","code":400}}"#),
    ] {
        check(status, said, "unknown_model", "test has no model `m`").await;
    }
    for said in [r#"{"detail":"Not Found"}"#, "<html>no such model page</html>", ""] {
        let server = Server::start([Reply::new("404 Not Found", "", said)]).await;
        let error = ask(&*provider(&server)).await.unwrap_err();
        assert_eq!(error.code().as_str(), "provider_bad_response");
        let place = format!("there is nothing at {}/v1/chat/completions (404)", server.address);
        assert!(error.to_string().ends_with(&place), "{error}");
    }
}

#[tokio::test]
async fn busy_provider_is_retried_after_its_requested_wait() {
    let waits = Arc::new(Mutex::new(Vec::new()));
    let date = "date: Sun, 22 Nov 2026 12:00:00 GMT\r\n";
    let server = Server::start([
        Reply::new("429 Slow down", "retry-after: 7\r\n", ""),
        Reply::new("529 Overloaded", "retry-after-ms: 1500\r\n", ""),
        Reply::new("503 Later", &format!("{date}retry-after: Sun, 22 Nov 2026 12:00:09 GMT\r\n"), ""),
        // A date in the past, and an invalid one.
        Reply::new("503 Later", &format!("{date}retry-after: Sun, 22 Nov 2026 11:00:00 GMT\r\n"), ""),
        Reply::new("503 Later", "retry-after: soon\r\n", ""),
        Reply::events(&body(&[STOP])),
    ])
    .await;
    let backoff = Arc::new({
        let waits = Arc::clone(&waits);
        move |tries, asked| {
            waits.lock().unwrap().push((tries, asked));
            Duration::ZERO
        }
    });
    let limits = Limits { tries: 6, ..Limits::default() };
    let provider = connect("openai", ProviderSettings { backoff, limits, ..settings(&server) }).unwrap();
    assert_eq!(ask(&*provider).await.unwrap().text, "hi");
    let millis = |millis| Some(Duration::from_millis(millis));
    let expected = [(1, millis(7_000)), (2, millis(1_500)), (3, millis(9_000)), (4, millis(0)), (5, None)];
    assert_eq!(*waits.lock().unwrap(), expected);
    let bodies: Vec<String> = server
        .requests()
        .iter()
        .map(|request| request.split_once("\r\n\r\n").unwrap().1.to_owned())
        .collect();
    assert_eq!(bodies.len(), 6);
    assert!(bodies.iter().all(|body| *body == bodies[0]));
}

#[tokio::test]
async fn only_busy_providers_are_retried_and_not_forever() {
    for (status, requests) in [
        ("429 No", 3),
        ("500 No", 3),
        ("503 No", 3),
        ("529 No", 3),
        ("400 No", 1),
        ("401 No", 1),
        ("404 No", 1),
        ("302 No", 1),
    ] {
        let server = Server::start(vec![Reply::new(status, "", ""); 5]).await;
        ask(&*provider(&server)).await.unwrap_err();
        assert_eq!(server.requests().len(), requests, "{status}");
    }
    let no_credit = Reply::new("429 No", "", r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#);
    let server = Server::start(vec![no_credit; 5]).await;
    let error = ask(&*provider(&server)).await.unwrap_err();
    assert_eq!((server.requests().len(), error.code().as_str()), (1, "provider_rate_limited"));
}

#[tokio::test]
async fn wait_above_the_limit_fails_immediately() {
    let server = Server::start(vec![Reply::new("429 No", "retry-after: 3600\r\n", ""); 3]).await;
    let backoff = Arc::new(default_backoff);
    let error = ask(&*connect("openai", ProviderSettings { backoff, ..settings(&server) }).unwrap())
        .await
        .unwrap_err();
    assert_eq!(server.requests().len(), 1);
    assert!(error.hint().contains("3600 s"), "{}", error.hint());
}

#[test]
fn wait_doubles_unless_the_provider_sets_it() {
    let waits: Vec<u128> = (1..=3).map(|tries| default_backoff(tries, None).as_millis()).collect();
    assert_eq!(waits, [500, 1000, 2000]);
    assert_eq!(default_backoff(1, Some(Duration::from_secs(9))), Duration::from_secs(9));
}

#[tokio::test]
async fn refused_connection_names_the_address() {
    // A port that was free recently.
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let settings = ProviderSettings { base_url: Some(address.clone()), ..ProviderSettings::new("test") };
    let error = ask(&*connect("openai", settings).unwrap()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "provider_unreachable");
    assert!(error.to_string().starts_with(&format!("Cannot reach {address}: ")), "{error}");
    assert!(!error.to_string().contains("os error"), "{error}");
    assert!(error.hint().contains(&format!("Start the model server at {address}")), "{}", error.hint());
}

#[tokio::test]
async fn connection_closed_without_an_answer_is_reported() {
    let error = answer_to(Reply::events("").cut(0)).await.unwrap_err();
    assert_eq!(error.code().as_str(), "provider_unreachable");
    assert!(error.to_string().contains("closed without an answer"), "{error}");
}

#[test]
fn invalid_settings_are_refused_at_once() {
    for (kind, base_url, reason) in [
        ("telepathy", "http://127.0.0.1/v1", "unknown kind `telepathy`"),
        ("openai", "127.0.0.1:1234", "base_url"),
        ("openai", "file:///etc/passwd", "http:// or https://"),
        ("openai", "http://me:geheim123@127.0.0.1/", "must not contain a user name or password"),
    ] {
        let settings = ProviderSettings { base_url: Some(base_url.into()), ..ProviderSettings::new("test") };
        let error: ProviderError = connect(kind, settings).err().unwrap();
        assert!(error.to_string().contains(reason), "{error}");
        assert!(!error.to_string().contains("geheim123"), "{error}");
        assert!(error.hint().contains("nova.config.json"));
    }
}
