//! The window opens and is safe to type into.

use std::net::TcpListener;

use serde_json::json;

use crate::harness::{Home, Window};

#[tokio::test]
async fn the_window_opens_and_draws_its_page() {
    let home = Home::new();
    let window = Window::open(&home).await;

    window.wait_for("#root > *").await;
    assert_eq!(window.title().await, "Nova");

    window.close().await;
}

// Both are refused by the policy in tauri.conf.json, whatever the page's own code does.

#[tokio::test]
async fn text_in_the_page_never_runs_as_code() {
    let home = Home::new();
    let window = Window::open(&home).await;
    window.wait_for("#root > *").await;

    let ran = window
        .ask(
            "const script = document.createElement('script');
             script.textContent = 'window.inlineScriptRan = true';
             document.body.append(script);
             return window.inlineScriptRan === true;",
        )
        .await;
    assert_eq!(ran, json!(false), "an inline script ran");

    window.close().await;
}

#[tokio::test]
async fn the_page_asks_no_other_host_for_anything() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").expect("a free port");
    elsewhere.set_nonblocking(true).expect("a listener that can be asked");
    let address = elsewhere.local_addr().expect("a bound port");
    let home = Home::new();
    let window = Window::open(&home).await;
    window.wait_for("#root > *").await;

    // One of each kind that a page can be talked into; every refusal is an event with its name.
    let refused = window
        .ask_later(&format!(
            "const done = arguments[0];
             const url = 'http://{address}/beacon';
             const refused = new Set();
             document.addEventListener('securitypolicyviolation', event => {{
               if (event.blockedURI.startsWith('http://{address}')) refused.add(event.effectiveDirective);
               if (refused.size === 6) done([...refused].sort());
             }});
             setTimeout(() => done([...refused].sort()), 20000);
             const add = (tag, attributes) =>
               document.body.append(Object.assign(document.createElement(tag), attributes));
             add('img', {{ src: url }});
             add('link', {{ rel: 'stylesheet', href: url }});
             add('script', {{ src: url }});
             add('iframe', {{ src: url }});
             add('video', {{ src: url }});
             fetch(url).catch(() => {{}});"
        ))
        .await;
    assert_eq!(
        refused,
        json!(["connect-src", "frame-src", "img-src", "media-src", "script-src-elem", "style-src-elem"])
    );
    let asked = elsewhere.accept().map(|(_, from)| from);
    assert!(asked.is_err(), "something was asked of another host, from {asked:?}");

    window.close().await;
}

#[tokio::test]
async fn the_page_may_call_its_two_commands_and_no_other() {
    let home = Home::new();
    let window = Window::open(&home).await;
    window.wait_for("#root > *").await;

    // Reached, and refused only because the arguments are missing.
    for command in ["rpc", "subscribe"] {
        let refusal = refusal(&window, command).await;
        assert!(refusal.starts_with("invalid args"), "{command} was not reached: {refusal}");
    }

    // What a hostile page would like.
    for command in [
        "plugin:app|name",
        "plugin:dialog|open",
        "plugin:dialog|save",
        "plugin:event|emit",
        "plugin:event|listen",
        "plugin:fs|read_text_file",
        "plugin:http|fetch",
        "plugin:opener|open_path",
        "plugin:opener|open_url",
        "plugin:path|resolve_directory",
        "plugin:shell|execute",
        "plugin:webview|create_webview_window",
        "plugin:window|close",
    ] {
        let refusal = refusal(&window, command).await;
        assert!(refusal.contains(" not allowed"), "{command} was not refused by the capabilities: {refusal}");
    }

    window.close().await;
}

/// Why a command called without arguments is refused.
async fn refusal(window: &Window, command: &str) -> String {
    match window.invoke(command, json!({})).await {
        Err(reason) => reason.as_str().map_or_else(|| reason.to_string(), str::to_owned),
        Ok(answer) => panic!("{command} answered {answer}"),
    }
}
