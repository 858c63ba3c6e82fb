//! A remote MCP server that requires a token, and the authorisation server that issues tokens.

// Shared with the window tests.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

#[path = "../../src-tauri/crates/nova-credentials/tests/credentials/auth_server.rs"]
#[allow(dead_code, reason = "shared with the tests of the crate")]
pub(crate) mod auth_server;

use nova_testkit::{Reply, WebRequest, WebServer};
use serde_json::{Value, json};

pub(crate) use self::auth_server::AuthServer;

/// Answers MCP requests that have a token; with `never` it accepts none.
pub(crate) async fn server(issuer: String, never: bool) -> WebServer {
    WebServer::start(move |request: &WebRequest| {
        let own = format!("http://{}", request.headers["host"]);
        if request.path.starts_with("/.well-known/oauth-protected-resource") {
            let metadata = json!({"resource": format!("{own}/mcp"), "authorization_servers": [issuer]});
            return Reply::with(200, &[("content-type", "application/json")], &metadata.to_string());
        }
        if request.method != "POST" {
            return Reply::with(405, &[("content-type", "text/plain")], "");
        }
        let token = request.headers.get("authorization").map(String::as_str).unwrap_or_default();
        if never || !token.starts_with("Bearer access-") {
            return Reply::with(401, &[("content-type", "text/plain")], "");
        }
        let message: Value = serde_json::from_slice(&request.body).unwrap();
        let result = match message["method"].as_str().unwrap() {
            "server/discover" => json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "docs", "version": "1"}, "ttlMs": 0, "cacheScope": "private",
            }),
            "tools/list" => json!({
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "tools": [{"name": "find", "inputSchema": {"type": "object"}}],
            }),
            "tools/call" => {
                json!({"resultType": "complete", "content": [{"type": "text", "text": "found"}]})
            }
            _ => return Reply::with(202, &[("content-type", "text/plain")], ""),
        };
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        Reply::with(200, &[("content-type", "application/json")], &answer.to_string())
    })
    .await
}

/// An authorisation server whose metadata has a revocation endpoint.
pub(crate) async fn authorisation() -> AuthServer {
    let server = AuthServer::start().await;
    let at = |path: &str| format!("{}{path}", server.address);
    let metadata = json!({
        "issuer": at(""), "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
        "registration_endpoint": at("/register"), "revocation_endpoint": at("/revoke"),
        "code_challenge_methods_supported": ["S256"],
    });
    let kind = || "Content-Type: application/json\r\n".to_owned();
    let registered = json!({"client_id": "nova-desktop", "client_secret": ""});
    for (path, body) in [
        ("/.well-known/oauth-authorization-server", metadata.to_string()),
        ("/register", registered.to_string()),
        ("/revoke", String::new()),
    ] {
        server.state().documents.insert(path.into(), ("200 OK", kind(), body));
    }
    server
}

pub(crate) fn address(server: &WebServer) -> String {
    format!("http://{}/mcp", server.address())
}
