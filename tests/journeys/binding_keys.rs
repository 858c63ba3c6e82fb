//! Provider keys are sent only to the address that the user approved.

use nova_testkit::{Reply, WebServer};
use serde_json::json;

use super::keeping_credentials::{CANARY, said, succeeds};
use super::nova::Nova;

/// Records requests and offers one model. As a proxy it refuses every connection.
async fn recorder() -> WebServer {
    WebServer::start(|request| match request.method.as_str() {
        "CONNECT" => Reply::with(403, &[], ""),
        _ => Reply::with(200, &[("content-type", "application/json")], r#"{"data":[{"id":"one"}]}"#),
    })
    .await
}

/// An address of this machine that is not one of its loopback names, and so counts as remote.
fn remote(server: &WebServer) -> String {
    format!("http://0.0.0.0:{}/v1", server.address().port())
}

fn provider(nova: &Nova, kind: &str, address: &str) {
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "far", "kind": kind, "base_url": address}],
        "model": "far/one",
    }));
}

/// Runs the program with the key in its environment.
fn run(nova: &Nova, args: &[&str], proxy: Option<&WebServer>) -> std::process::Output {
    let mut command = nova.command(args);
    command.env("NOVA_FAR_KEY", CANARY);
    if let Some(proxy) = proxy {
        command.env("HTTPS_PROXY", format!("http://{}", proxy.address()));
    }
    command.output().unwrap()
}

/// The hosts and ports requested from the proxy.
fn reached(proxy: &WebServer) -> Vec<String> {
    proxy.requests().into_iter().map(|request| request.path).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn unapproved_remote_host_gets_no_request() {
    let (nova, server) = (Nova::new("", []), recorder().await);
    for kind in ["openai", "openai_responses", "anthropic", "gemini", "ollama"] {
        provider(&nova, kind, &remote(&server));
        let listed = succeeds(&run(&nova, &["provider", "list"], None));
        assert!(
            listed.contains("not agreed") && listed.contains("is not on this machine"),
            "{kind}: {listed}"
        );
        assert_eq!(run(&nova, &["chat", "-p", "Hello"], None).status.code(), Some(1), "{kind}");
        assert_eq!(server.requests(), [], "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_is_sent_over_http_to_a_remote_host() {
    let (nova, server) = (Nova::new("", []), recorder().await);
    provider(&nova, "openai", &remote(&server));
    let allowed = succeeds(&run(&nova, &["provider", "allow", "far"], None));
    assert!(allowed.contains("Over plain http, anyone on the network path"), "{allowed}");
    for remedy in ["https", "a tunnel at http://localhost"] {
        assert!(allowed.contains(remedy), "{remedy}: {allowed}");
    }
    assert_eq!(server.requests(), []);

    // The same for a key in the configuration.
    nova.settings(&json!({"providers": [
        {"id": "far", "kind": "openai", "base_url": remote(&server), "api_key": "short"},
    ]}));
    nova.run(&["provider", "list"]);
    assert_eq!(server.requests(), []);

    // Without a key it may be contacted: it is the user's own network.
    provider(&nova, "openai", &remote(&server));
    let listed = succeeds(&nova.run(&["provider", "list"]));
    assert!(listed.contains("one"), "{listed}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_address_voids_the_approval() {
    let (nova, proxy) = (Nova::new("", []), recorder().await);
    let list = || said(&run(&nova, &["provider", "list"], Some(&proxy)));
    provider(&nova, "openai", "https://one.invalid/v1");
    list();
    assert_eq!(reached(&proxy), Vec::<String>::new());
    run(&nova, &["provider", "allow", "far"], Some(&proxy));
    assert_eq!(reached(&proxy), ["one.invalid:443"], "the agreed address is contacted");

    for (kind, address) in [
        ("openai", "https://two.invalid/v1"),
        ("openai", "https://one.invalid:8443/v1"),
        ("openai", "https://one.invalid/collect"),
        ("anthropic", "https://one.invalid/v1"),
        ("openai_responses", "https://one.invalid/v1"),
        ("gemini", "https://one.invalid/v1"),
    ] {
        provider(&nova, kind, address);
        let listed = list();
        assert!(listed.contains("not agreed"), "{kind} {address}: {listed}");
        run(&nova, &["chat", "-p", "Hello"], Some(&proxy));
        assert_eq!(reached(&proxy).len(), 1, "{kind} {address}: {:?}", reached(&proxy));
    }
    run(&nova, &["provider", "allow", "far"], Some(&proxy));
    assert_eq!(reached(&proxy).len(), 2, "the new address was agreed to");
}

#[tokio::test(flavor = "multi_thread")]
async fn local_address_does_not_take_over_a_key() {
    let (nova, proxy, here) = (Nova::new("", []), recorder().await, recorder().await);
    let local = format!("http://{}/v1", here.address());
    provider(&nova, "openai", "https://one.invalid/v1");
    run(&nova, &["provider", "allow", "far"], Some(&proxy));
    provider(&nova, "openai", &local);
    let listed = succeeds(&run(&nova, &["provider", "list"], None));
    assert!(listed.contains("NOVA_FAR_KEY"), "{listed}");
    // Nor after the approval is revoked.
    run(&nova, &["provider", "revoke", "far"], None);
    run(&nova, &["chat", "-p", "Hello"], None);
    assert_eq!(here.requests(), []);

    succeeds(&run(&nova, &["provider", "allow", "far"], None));
    let key = format!("Bearer {CANARY}");
    assert_eq!(here.requests().last().unwrap().headers["authorization"], key);
    // Now it is bound to the local address.
    provider(&nova, "openai", "https://one.invalid/v1");
    let before = reached(&proxy).len();
    run(&nova, &["provider", "list"], Some(&proxy));
    assert_eq!(reached(&proxy).len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn local_server_needs_no_approval_for_its_key() {
    let (nova, here) = (Nova::new("", []), recorder().await);
    provider(&nova, "openai", &format!("http://{}/v1", here.address()));
    succeeds(&run(&nova, &["provider", "list"], None));
    assert_eq!(here.requests()[0].headers["authorization"], format!("Bearer {CANARY}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_id_does_not_take_over_a_variables_key() {
    let (nova, proxy, here) = (Nova::new("", []), recorder().await, recorder().await);
    provider(&nova, "openai", "https://one.invalid/v1");
    run(&nova, &["provider", "allow", "far"], Some(&proxy));
    let mut settings = nova.read_settings();
    let local = format!("http://{}/v1", here.address());
    let other = json!({"id": "FAR", "kind": "openai", "base_url": local});
    settings["providers"].as_array_mut().unwrap().push(other);
    nova.settings(&settings);
    let listed = succeeds(&run(&nova, &["provider", "list"], Some(&proxy)));
    assert!(listed.contains("You allowed NOVA_FAR_KEY for another address of FAR"), "{listed}");
    assert_eq!(here.requests(), []);
}
