//! Requests of a tool to Nova.

use std::sync::Arc;
use std::time::Duration;

use nova_skill::{ToolError, ToolOutput};
use nova_testkit::{FixedCredentials, PATIENCE, RecordingHttp};
use serde_json::{Value, json};

use crate::support::{Context, SlowWeb, host, host_with, pid, run, value};

fn fetch(url: &str) -> Value {
    let headers = json!([["Accept", "text/plain"], ["X-A", "1"], ["x-a", "2"]]);
    json!({ "type": "fetch", "method": "POST", "url": url, "headers": headers, "body": "aGFsbG8=" })
}

async fn asked(source: &str, want: Value, ctx: Arc<Context>) -> Result<Value, ToolError> {
    let host = host();
    let tool = host.tool(source).await;
    match run(&tool, json!({ "do": "ask", "want": want }), ctx).await? {
        ToolOutput::Value(output) => Ok(output.value),
        ToolOutput::Stream(_) => panic!("a stream where a value was expected"),
    }
}

#[tokio::test]
async fn fetch_goes_through_the_context() {
    let web = RecordingHttp::default().with("https://api.example/", 201, "grüezi");
    let answer = asked("{}", fetch("https://api.example/a?b=c"), Context::with_web(web.clone())).await;
    assert_eq!(
        answer.unwrap(),
        // "grüezi" in UTF-8 and base64.
        json!({ "type": "fetched", "status": 201, "headers": [], "body": "Z3LDvGV6aQ==", "url": "https://api.example/a?b=c" })
    );
    let [request] = web.requests().try_into().expect("one request");
    assert_eq!(request.method, "POST");
    assert_eq!(request.url.as_str(), "https://api.example/a?b=c");
    assert_eq!(request.body.as_deref(), Some(&b"hallo"[..]));
    let headers: Vec<_> =
        request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(headers, [("accept", "text/plain"), ("x-a", "1, 2")]);
}

#[tokio::test]
async fn refused_fetch_rejects_with_the_reason() {
    let error = asked("{}", fetch("https://api.example/"), Context::new().0).await.unwrap_err();
    assert!(
        error.to_string().starts_with("stand_in.ts:12:8: The test has no page for https://api.example/."),
        "{error}"
    );
}

#[tokio::test]
async fn invalid_url_or_body_is_not_sent() {
    for (url, body) in [("not an address", "aGFsbG8="), ("https://api.example/", "!!")] {
        let web = RecordingHttp::default().with("", 200, "");
        let mut want = fetch(url);
        want["body"] = body.into();
        let error = asked("{}", want, Context::with_web(web.clone())).await.unwrap_err();
        assert!(error.to_string().starts_with("stand_in.ts:12:8: fetch: "), "{error}");
        assert_eq!(web.requests(), []);
    }
}

#[tokio::test]
async fn only_declared_credentials_are_available() {
    let get = |service: &str, key: &str| json!({ "type": "credential", "service": service, "key": key });
    let credentials = || {
        let all = FixedCredentials::default().with("slack/token", "secret").with("mail/password", "hidden");
        Context::with_credentials(all)
    };
    for declared in ["slack", "slack/token"] {
        let source = json!({ "credentials": [declared] }).to_string();
        assert_eq!(
            asked(&source, get("slack", "token"), credentials()).await.unwrap(),
            json!({ "length": 6 })
        );
    }
    let source = json!({ "credentials": ["slack/other", "mai", "mail/passwor"] }).to_string();
    for (service, key, name) in [("slack", "token", "slack/token"), ("mail", "password", "mail/password")] {
        let error = asked(&source, get(service, key), credentials()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "stand_in.ts:12:8: stand_in.ts does not declare the credential {name}. Add it to requires_credentials."
            )
        );
    }
}

#[tokio::test]
async fn missing_credential_is_reported_as_such() {
    let want = json!({ "type": "credential", "service": "slack", "key": "token" });
    let error = asked("{\"credentials\":[\"slack\"]}", want, Context::new().0).await.unwrap_err();
    assert!(
        matches!(&error, ToolError::CredentialNeeded { credential } if credential == "slack/token"),
        "{error:?}"
    );
}

#[tokio::test]
async fn tool_may_check_for_a_declared_credential() {
    let has = |service: &str| json!({ "type": "has_credential", "service": service });
    let source = "{\"credentials\":[\"slack/token\",\"mail/password\"]}";
    let credentials = || Context::with_credentials(FixedCredentials::default().with("slack/token", "secret"));
    let answer = |has: bool| json!({ "type": "has_credential", "has": has });
    assert_eq!(asked(source, has("slack"), credentials()).await.unwrap(), answer(true));
    assert_eq!(asked(source, has("mail"), credentials()).await.unwrap(), answer(false));
    let error = asked(source, has("bank"), credentials()).await.unwrap_err();
    assert!(error.to_string().contains("does not declare the credential bank."), "{error}");
}

#[tokio::test]
async fn time_spent_on_requests_does_not_count_as_the_tools() {
    let host = host_with(|options| options.time = Duration::from_secs(2));
    let tool = host.tool("{}").await;
    let ctx = Context::with_http(Arc::new(SlowWeb(Duration::from_millis(2_500))));
    let called = run(&tool, json!({ "do": "ask", "want": fetch("https://api.example/") }), ctx).await;
    assert!(called.is_ok(), "{:?}", called.err());
}

#[tokio::test]
async fn pending_request_ends_with_the_call_and_its_process() {
    let host = host();
    let tool = host.tool("{}").await;
    let ctx = Context::with_http(Arc::new(SlowWeb(PATIENCE)));
    let args = json!({ "do": "ask_and_go", "want": fetch("https://api.example/") });
    let Ok(ToolOutput::Value(output)) = run(&tool, args, ctx).await else { panic!("a value") };
    assert_ne!(Some(pid(&tool).await), output.value.as_u64(), "no state leaks into the next call");
}

#[tokio::test]
async fn tool_learns_in_which_call_it_runs() {
    let host = host();
    let tool = host.tool("{}").await;
    assert_eq!(
        value(&tool, json!({ "do": "request" })).await.unwrap(),
        json!({
            "request_id": "call1",
            "turn_id": "turn1",
            "session_id": "session1",
            "principal": { "kind": "user", "name": "you", "relationship": "owner" },
        })
    );
}
