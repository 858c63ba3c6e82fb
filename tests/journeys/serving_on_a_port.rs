//! `nova mcp serve --http`: only for a client on this machine that knows the token.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStderr, Command, Stdio};

use reqwest::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE};
use super::serving_skills::STATELESS;

const TOKEN: &str = "a-token-of-the-test-0123456789";

struct Served {
    child: Child,
    stderr: BufReader<ChildStderr>,
    url: String,
    http: Client,
}

impl Served {
    fn start(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let url =
            line.trim().strip_prefix("nova: serving at ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, stderr, url, http: Client::builder().no_proxy().build().unwrap() }
    }

    fn with_token(nova: &Nova) -> Self {
        let mut command = nova.command(&["mcp", "serve", "--http", "0", "--allow", "write"]);
        command.env("NOVA_MCP_TOKEN", TOKEN);
        Self::start(command)
    }

    fn post(&self, body: &Value) -> RequestBuilder {
        let accept = "application/json, text/event-stream";
        let request = self.http.post(&self.url).header("Accept", accept);
        request.header("Content-Type", "application/json").body(body.to_string())
    }

    fn greeting(&self) -> RequestBuilder {
        self.post(&json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "test-client", "version": "1" },
            },
        }))
    }

    /// The id of a new session.
    async fn session(&self) -> String {
        let greeted = self.greeting().bearer_auth(TOKEN).send().await.unwrap();
        assert_eq!(greeted.status(), 200);
        let session = greeted.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        assert_eq!(message(greeted).await["result"]["serverInfo"]["name"], "nova");
        let begun = self.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let begun = begun.bearer_auth(TOKEN).header("Mcp-Session-Id", &session).send().await.unwrap();
        assert_eq!(begun.status(), 202);
        session
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The response in a body, plain or as server-sent events.
async fn message(response: Response) -> Value {
    let text = response.text().await.unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut messages = data.chain([text.as_str()]).filter_map(|text| serde_json::from_str(text).ok());
    messages
        .find(|message: &Value| message["id"] == 1 || message["id"] == 2)
        .unwrap_or_else(|| panic!("{text}"))
}

#[tokio::test]
async fn client_with_the_token_calls_a_tool() {
    let nova = Nova::new(PEOPLE, []);
    let served = Served::with_token(&nova);
    assert!(served.url.starts_with("http://127.0.0.1:"), "{}", served.url);
    let session = served.session().await;
    let call = served.post(&json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "vault__search", "arguments": { "query": "First call" } },
    }));
    let called = call.bearer_auth(TOKEN).header("Mcp-Session-Id", session).send().await.unwrap();
    assert_eq!(called.status(), 200);
    let answer = message(called).await;
    let sources = &answer["result"]["structuredContent"]["sources"];
    assert_eq!(sources[0]["path"], "CRM/People/Jane Doe.md", "{answer}");
}

#[tokio::test]
async fn client_without_a_session_is_known_by_its_name() {
    let nova = Nova::new("//- a.md\n---\nstage: lead\n---\n", []);
    nova.rules("permissions: {allow: ['vault__*']}");
    let served = Served::with_token(&nova);
    let call = async |client: &str, tool: &str, args: Value| {
        let prefix = "io.modelcontextprotocol";
        let request = served.post(&json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {
                "name": tool, "arguments": args,
                "_meta": {
                    format!("{prefix}/protocolVersion"): STATELESS,
                    format!("{prefix}/clientInfo"): { "name": client, "version": "1" },
                    format!("{prefix}/clientCapabilities"): {},
                },
            },
        }));
        let request = request.bearer_auth(TOKEN).header("Mcp-Protocol-Version", STATELESS);
        let request = request.header("Mcp-Method", "tools/call").header("Mcp-Name", tool);
        message(request.send().await.unwrap()).await["result"].clone()
    };
    let read = call("one", "vault__read_note", json!({ "path": "a.md" })).await;
    assert_eq!(read["isError"], false, "{read}");
    std::fs::write(nova.vault.root().join("a.md"), "---\nstage: won\n---\n").unwrap();
    let set = json!({ "path": "a.md", "properties": { "stage": "lost" } });
    let stale = call("one", "vault__set_properties", set.clone()).await;
    assert_eq!(stale["structuredContent"]["error"]["code"], "conflict", "{stale}");
    let other = call("two", "vault__set_properties", set).await;
    assert_eq!(other["isError"], false, "no stale read: {other}");
}

#[tokio::test]
async fn request_without_token_or_from_elsewhere_is_not_answered() {
    let nova = Nova::new("", []);
    let served = Served::with_token(&nova);
    for wrong in [None, Some("Bearer "), Some("Bearer wrong"), Some("Basic a-token-of-the-test-0123456789")] {
        let request =
            wrong.into_iter().fold(served.greeting(), |request, token| request.header(AUTHORIZATION, token));
        let refused = request.send().await.unwrap();
        assert_eq!(
            (refused.status().as_u16(), &refused.headers()[WWW_AUTHENTICATE]),
            (401, &"Bearer".parse().unwrap()),
            "{wrong:?}"
        );
        assert_eq!(refused.text().await.unwrap(), "");
    }
    let port = served.url.rsplit(':').next().unwrap().trim_end_matches("/mcp").to_owned();
    for host in
        ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1:1", "[::1]", "0.0.0.0"]
    {
        let refused = served.greeting().bearer_auth(TOKEN).header(HOST, host).send().await.unwrap();
        assert_eq!(refused.status(), 403, "{host}");
    }
    for origin in ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1", "file://"] {
        let refused = served.greeting().bearer_auth(TOKEN).header(ORIGIN, origin).send().await.unwrap();
        assert_eq!(refused.status(), 403, "{origin}");
    }
    for (host, origin) in [("localhost", "localhost"), ("127.0.0.1", "localhost")] {
        let request = served.greeting().bearer_auth(TOKEN).header(HOST, format!("{host}:{port}"));
        let welcome = request.header(ORIGIN, format!("http://{origin}:{port}")).send().await.unwrap();
        assert_eq!(welcome.status(), 200, "{host}, {origin}");
    }
    let elsewhere = served.http.get(served.url.replace("/mcp", "/")).bearer_auth(TOKEN).send().await.unwrap();
    assert_eq!(elsewhere.status(), 404);
    let unknown = served.greeting().bearer_auth(TOKEN).header("Mcp-Session-Id", "no-such-session");
    assert!(unknown.send().await.unwrap().status().is_client_error());
    let large = served.post(&json!("x".repeat(5_000_000))).bearer_auth(TOKEN).send().await.unwrap();
    assert_eq!(large.status(), 413);
}

#[tokio::test]
async fn session_unused_for_longest_makes_room_for_a_new_client() {
    let nova = Nova::new("", []);
    let served = Served::with_token(&nova);
    let list = async |session: &str| {
        let list = served.post(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }));
        list.bearer_auth(TOKEN).header("Mcp-Session-Id", session).send().await.unwrap()
    };
    let (first, second) = (served.session().await, served.session().await);
    for _ in 2..32 {
        served.session().await;
    }
    assert!(message(list(&first).await).await["result"]["tools"].as_array().unwrap().len() > 5);
    let new = served.session().await;
    assert_eq!(list(&second).await.status(), 404, "its client has to begin another session");
    for session in [first, new] {
        assert_eq!(list(&session).await.status(), 200);
    }
}

#[tokio::test]
async fn token_is_generated_if_none_is_given() {
    let nova = Nova::new("", []);
    let mut served = Served::start(nova.command(&["mcp", "serve", "--http", "0"]));
    let mut line = String::new();
    served.stderr.read_line(&mut line).unwrap();
    let (_, token) = line.trim().split_once("Authorization: Bearer ").unwrap();
    assert_eq!(token.len(), 64);
    assert_eq!(served.greeting().send().await.unwrap().status(), 401);
    assert_eq!(served.greeting().bearer_auth(token).send().await.unwrap().status(), 200);
}

#[test]
fn guessable_token_is_refused() {
    let nova = Nova::new("", []);
    for token in ["short", "has spaces in it, many", "0123456789abcdeé"] {
        let mut command = nova.command(&["mcp", "serve", "--http", "0"]);
        let output = command.env("NOVA_MCP_TOKEN", token).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{token}: {errors}");
        assert!(errors.contains("NOVA_MCP_TOKEN cannot be used") && !errors.contains(token), "{errors}");
    }
}

#[cfg(unix)]
#[test]
fn terminates_on_signal() {
    let nova = Nova::new("", []);
    let mut served = Served::with_token(&nova);
    let id = rustix::process::Pid::from_raw(i32::try_from(served.child.id()).unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
}
