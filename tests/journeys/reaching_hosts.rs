//! A command reaches only the hosts shown on its card, through a proxy.

use std::sync::Arc;

use nova_app::{App, NoApprover};
use nova_protocol::{CallRef, Commands as _, Decision, Event};
use nova_testkit::{Answer, Reply, ScriptedApprover, WebServer, call, edited, text, web_with};
use serde_json::{Value, json};

use super::nova::{Nova, turn};
use super::running_commands::{output, said, started, with_bash, yes};

/// `get ADDRESS` and `connect HOST:PORT`, with sockets alone.
const CLIENT: &str = r#"
ask() { exec 3<>"/dev/tcp/127.0.0.1/${http_proxy##*:}"; printf '%s %s HTTP/1.1\r\nHost: files.example.org\r\nConnection: close\r\n\r\n' "$1" "$2" >&3; cat <&3; }
get() { local all; all=$(ask GET "$1"); printf '%s\n' "${all##*$'\n'}"; }
connect() { ask CONNECT "$1" | head -n 1 | cut -d' ' -f2; }
"#;

/// One server under these names that answers with the requested path.
async fn web(nova: &mut Nova, names: &[&str]) -> WebServer {
    let server = WebServer::start(|request| match request.path.as_str() {
        "/away" => Reply::to(302, "http://evil.example.net/got"),
        "/never" => Reply::Stall(Vec::new()),
        path => Reply::text(&format!("read {path}")),
    })
    .await;
    let names: Vec<(&str, &WebServer)> = names.iter().map(|name| (*name, &server)).collect();
    nova.web = Arc::new(web_with(&names, |_| {}));
    server
}

fn bash(hosts: &[&str], command: &str) -> Answer {
    call("core__bash", json!({"command": format!("{CLIENT}{command}"), "hosts": hosts}))
}

/// Runs one command and returns its result.
async fn run(hosts: &[&str], command: &str) -> Option<(Value, WebServer)> {
    let mut nova = with_bash([bash(hosts, command), text("Done.")]);
    let server = web(&mut nova, &["files.example.org", "evil.example.net"]).await;
    let app = started(&nova).await?;
    let (_, events) = turn(&app, None, "Go", yes()).await;
    Some((output(&events), server))
}

#[tokio::test]
async fn host_on_its_card_is_reached_and_each_request_is_logged() {
    let mut nova = with_bash([
        bash(&["Files.Example.org"], "get http://files.example.org/a; get http://evil.example.net/b"),
        text("Done."),
    ]);
    let server = web(&mut nova, &["files.example.org", "evil.example.net"]).await;
    let Some(app) = started(&nova).await else { return };
    let approver = yes();
    let (_, events) = turn(&app, None, "Go", approver.clone()).await;
    let shown = events.iter().find_map(|event| match event {
        Event::ToolCallStarted { sandbox, .. } => sandbox.clone(),
        _ => None,
    });
    assert_eq!(shown.unwrap().hosts, ["files.example.org"]);
    assert_eq!(approver.asked()[0].host.as_deref(), Some("files.example.org"));
    assert_eq!(approver.asked()[0].decisions, [Decision::Once, Decision::Deny]);
    let told = output(&events);
    let refused = "evil.example.net was not contacted: this command may contact files.example.org only. \
                   Name the host in hosts and call again.";
    assert_eq!(said(&told), format!("read /a\n{refused}\n"));
    let network = told["network"].as_array().unwrap();
    assert_eq!(network[0]["host"], json!("files.example.org"));
    assert!(network[0]["sent"].as_u64() > Some(40) && network[0]["received"].as_u64() > Some(40), "{told}");
    assert_eq!(network[1], json!({"host": "evil.example.net", "port": 80, "refused": refused}));
    assert_eq!(server.requests().len(), 1);
    assert_eq!(server.requests()[0].headers["host"], "files.example.org");
}

#[tokio::test]
async fn only_the_proxy_leads_out() {
    let Some((told, server)) = run(
        &["files.example.org"],
        "(exec 3<>/dev/tcp/127.0.0.1/22) 2>/dev/null && echo connected
         (exec 3<>/dev/tcp/93.184.215.14/80) 2>/dev/null && echo connected
         (exec 3<>/dev/udp/93.184.215.14/53) 2>/dev/null && echo sent
         getent hosts files.example.org && echo resolved
         for host in evil.example.net:443 files.example.org:22 127.0.0.1:80 10.0.0.1:443 [::1]:443 localhost:80
         do connect $host; done
         get http://169.254.169.254/latest/meta-data/ | cut -c1-40
         (unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY
          curl -s -m 5 http://files.example.org/ && echo fetched) 2>/dev/null
         echo end",
    )
    .await
    else {
        return;
    };
    assert_eq!(said(&told), format!("{}169.254.169.254 is not a public address.\nend\n", "403\n".repeat(6)));
    assert_eq!(server.requests(), []);
}

#[tokio::test]
async fn redirect_to_another_host_is_not_followed() {
    if !std::path::Path::new("/usr/bin/curl").exists() {
        eprintln!("SKIPPED, nothing was tested: there is no /usr/bin/curl");
        return;
    }
    let Some((told, server)) = run(
        &["files.example.org"],
        "curl -sSL http://files.example.org/away; curl -s http://files.example.org/direct; \
         curl -s -o /dev/null -w ' %{http_connect}' https://evil.example.net/",
    )
    .await
    else {
        return;
    };
    assert!(said(&told).starts_with("evil.example.net was not contacted"), "{told}");
    assert!(said(&told).ends_with("read /direct 403"), "{told}");
    let paths: Vec<String> = server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/away", "/direct"]);
}

#[tokio::test]
async fn name_that_resolves_to_this_machine_is_refused() {
    let mut nova = with_bash([bash(&["files.example.org"], "get http://files.example.org/a"), text("Done.")]);
    // Here, only 127.0.0.1 counts as public of this machine's addresses.
    let inside = WebServer::start_at("127.0.0.2", |_| Reply::text("canary-inside")).await;
    nova.web = Arc::new(web_with(&[("files.example.org", &inside)], |_| {}));
    let Some(app) = started(&nova).await else { return };
    let (_, events) = turn(&app, None, "Go", yes()).await;
    assert_eq!(said(&output(&events)), "files.example.org resolves to an address that is not public.\n");
    assert_eq!(inside.requests(), []);
}

#[tokio::test]
async fn without_hosts_there_is_no_proxy() {
    let Some((told, server)) =
        run(&[], "env | grep -ci _proxy; (exec 3<>/dev/tcp/127.0.0.1/3128) 2>/dev/null || echo none").await
    else {
        return;
    };
    assert_eq!(said(&told), "0\nnone\n");
    assert_eq!((told.get("network"), server.requests().len()), (None, 0));
}

#[tokio::test]
async fn rule_runs_it_only_for_hosts_that_it_names() {
    for (rule, hosts, runs) in [
        ("core__bash", vec!["files.example.org"], false),
        ("core__bash", vec![], true),
        ("core__bash(hosts=files.example.org)", vec!["files.example.org"], true),
        ("core__bash(hosts=files.example.org)", vec!["files.example.org", "evil.example.net"], false),
        ("core__bash(hosts=*)", vec!["files.example.org"], false),
    ] {
        let mut nova = with_bash([bash(&hosts, "get http://files.example.org/a"), text("Done.")]);
        let _server = web(&mut nova, &["files.example.org"]).await;
        nova.rules(&format!("permissions:\n  allow: [\"{rule}\"]\n"));
        let Some(app) = started(&nova).await else { return };
        let (_, events) = turn(&app, None, "Go", NoApprover).await;
        let told = output(&events);
        assert_eq!(told["exit_code"].is_number(), runs, "{rule} {hosts:?}: {told}");
        if runs && !hosts.is_empty() {
            assert_eq!(said(&told), "read /a\n");
        }
    }
}

#[tokio::test]
async fn rule_about_a_host_holds_if_a_wildcard_names_it() {
    let command = "get http://files.example.org/a; get http://diary.example.org/b";
    for (rules, expected) in [
        ("deny: [\"core__bash(hosts=diary.example.org)\"]", "core__bash(hosts=diary.example.org)"),
        ("deny: [\"internet_access\"]", "internet_access"),
    ] {
        let mut nova = with_bash([bash(&["*.example.org"], command), text("Done.")]);
        let server = web(&mut nova, &["files.example.org", "diary.example.org"]).await;
        nova.rules(&format!("permissions:\n  {rules}\n"));
        let Some(app) = started(&nova).await else { return };
        let (_, events) = turn(&app, None, "Go", yes()).await;
        let told = output(&events);
        let refused = format!("diary.example.org was not contacted: the rule \"{expected}\" denies it.");
        assert!(said(&told).contains(&refused), "{told}");
        assert!(server.requests().iter().all(|request| request.path == "/a"), "{told}");
    }
}

#[tokio::test]
async fn hosts_that_are_not_public_are_refused_before_anyone_is_asked() {
    for host in ["localhost", "127.0.0.1", "*", "*.org", "https://files.example.org/", "printer.local"] {
        let nova = with_bash([bash(&["files.example.org", host], "true"), text("No.")]);
        let Some(app) = started(&nova).await else { return };
        let approver = yes();
        let (_, events) = turn(&app, None, "Go", approver.clone()).await;
        let told = output(&events);
        assert_eq!(told["code"], json!("invalid_arguments"), "{told}");
        assert!(
            told["message"].as_str().unwrap().contains(&format!("\"{host}\" is not a public host")),
            "{told}"
        );
        assert_eq!(approver.asked().len(), 0);
    }
}

#[tokio::test]
async fn edited_hosts_replace_the_requested_ones() {
    let command = format!("{CLIENT}get http://files.example.org/a; get http://evil.example.net/b");
    let mut nova = with_bash([bash(&["evil.example.net"], "true"), text("Done.")]);
    let server = web(&mut nova, &["files.example.org", "evil.example.net"]).await;
    let Some(app) = started(&nova).await else { return };
    let approver =
        ScriptedApprover::new([edited(json!({"command": command, "hosts": ["files.example.org"]}))]);
    let (_, events) = turn(&app, None, "Go", approver).await;
    assert!(said(&output(&events)).starts_with("read /a\nevil.example.net was not contacted"), "{events:?}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn stop_closes_its_connections_and_keeps_the_log() {
    let mut nova = with_bash([
        bash(
            &["files.example.org"],
            "get http://files.example.org/never & get http://evil.example.net/; wait",
        ),
        text("Stopped."),
    ]);
    let _server = web(&mut nova, &["files.example.org", "evil.example.net"]).await;
    let Some(app) = started(&nova).await else { return };
    let stopping = stop_once_two_requests_are_logged(&app);
    let ((_, events), ()) = tokio::join!(turn(&app, None, "Go", yes()), stopping);
    let so_far = events.iter().find_map(|event| match event {
        Event::ToolCallCompleted { ok: false, so_far, .. } => so_far.clone(),
        _ => None,
    });
    let network = so_far.unwrap()["network"].clone();
    let hosts: Vec<&str> =
        network.as_array().unwrap().iter().filter_map(|entry| entry["host"].as_str()).collect();
    assert!(hosts.contains(&"files.example.org") && hosts.contains(&"evil.example.net"), "{network}");
}

async fn stop_once_two_requests_are_logged(app: &App) {
    let mut events = app.events();
    loop {
        let envelope = events.recv().await.unwrap();
        if let Event::ToolCallProgress { call, partial: Some(partial), .. } = envelope.event
            && partial["network"].as_array().is_some_and(|requests| requests.len() == 2)
        {
            app.stop_call(CallRef { session: envelope.session.unwrap(), call }).await.unwrap();
            return;
        }
    }
}
