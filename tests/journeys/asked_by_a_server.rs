//! A server asks its user during a call: in a chat, on standard input and at a terminal. The answers go only
//! to the server, which is a short shell script.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::Stdio;

use nova_app::TurnEnd;
use nova_protocol::{Commands as _, Decision, Event, SessionRef};
use nova_testkit::{PATIENCE, ScriptedApprover, call, decided, edited, text};
use serde_json::{Value, json};

use super::at_a_terminal::Terminal;
use super::keeping_credentials::succeeds;
use super::nova::{Nova, turn};

/// Asks for a name before it answers a call, and stores calls and the answer, whatever it is, in files beside it.
const SERVER: &str = r#"#!/bin/sh
asks='{"jsonrpc":"2.0","id":900,"method":"elicitation/create","params":{"mode":"form","message":"Where to?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","title":"Name","default":"Joe"}},"required":["name"]}}}'
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"server/discover"'*) body='"error":{"code":-32601,"message":"no"}' ;;
    *'"initialize"'*) body='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"tools/list"'*) body='"result":{"tools":[{"name":"send","description":"Sends it.","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) called=$id; echo >> "$0.calls"; printf '%s\n' "$asks"; continue ;;
    *'"id":900'*) printf '%s' "$line" > "$0.answer"; id=$called; body='"result":{"content":[{"type":"text","text":"sent"}]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$body"
done
"#;

const NAME: &str = "Jane Canary";

/// Writes the server's script.
pub(crate) fn asking_script(nova: &Nova) -> PathBuf {
    let file = nova.home().join("parcel.sh");
    std::fs::write(&file, SERVER).unwrap();
    file
}

fn with_server(nova: &Nova) {
    let file = asking_script(nova);
    succeeds(&nova.run(&["mcp", "add", "parcel", "--command", "sh", "--", file.to_str().unwrap()]));
    succeeds(&nova.run(&["mcp", "review", "parcel", "--accept"]));
}

/// Whether the server received an answer.
pub(crate) fn answered(nova: &Nova) -> bool {
    nova.home().join("parcel.sh.answer").exists()
}

/// How often the server's tool ran.
pub(crate) fn calls(nova: &Nova) -> usize {
    std::fs::read_to_string(nova.home().join("parcel.sh.calls")).unwrap().lines().count()
}

/// The last answer that the server received.
pub(crate) fn answer(nova: &Nova) -> Value {
    let line = std::fs::read_to_string(nova.home().join("parcel.sh.answer")).unwrap();
    serde_json::from_str::<Value>(&line).unwrap()["result"].clone()
}

#[tokio::test]
async fn values_go_only_to_the_server_not_to_model_or_log() {
    let nova = Nova::new("", [call("parcel__send", json!({})), text("Done.")]);
    with_server(&nova);
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    let approver = ScriptedApprover::new([decided(Decision::Once), edited(json!({ "name": NAME }))]);
    let (end, events) = turn(&app, None, "Send it", approver.clone()).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Done.".into() });
    assert_eq!(answer(&nova), json!({"action": "accept", "content": {"name": NAME}}));

    let asked = events.iter().find_map(|event| match event {
        Event::ElicitationRequested { from, message, schema, revision, .. } => Some((
            from.as_str(),
            message.as_str(),
            schema["properties"]["name"]["default"].clone(),
            *revision,
        )),
        _ => None,
    });
    assert_eq!(asked, Some(("parcel", "Where to?", json!("Joe"), 2)), "the call's own question came first");
    for request in nova.model.requests() {
        assert!(!request.to_string().contains(NAME), "{request}");
    }
    let log = app.open_session(SessionRef { session: end.session }).await.unwrap();
    let log = serde_json::to_string(&log).unwrap();
    assert!(log.contains("Where to?") && !log.contains(NAME), "{log}");
}

#[test]
fn server_is_declined_without_a_user_and_the_call_continues() {
    let nova = Nova::new("", []);
    with_server(&nova);
    let (code, called) = nova.json(&["tool", "call", "parcel.send", "--approve", "all"]);
    assert_eq!((code, &called["value"]), (0, &json!("sent")), "{called}");
    assert_eq!(answer(&nova), json!({"action": "decline"}), "\"all\" answers no form");
}

#[test]
fn question_is_answered_with_values_on_stdin() {
    let nova = Nova::new("", []);
    with_server(&nova);
    let mut child = nova
        .command(&["tool", "call", "parcel.send", "--json", "--approve", "stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut last = Value::Null;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        last = serde_json::from_str(&line.unwrap()).unwrap();
        let args = match last["type"].as_str() {
            Some("approval_requested") => Value::Null,
            Some("elicitation_requested") => json!({ "name": NAME }),
            _ => continue,
        };
        writeln!(stdin, "{}", json!({"call": last["call"], "decision": "once", "args": args})).unwrap();
    }
    assert_eq!(child.wait().unwrap().code(), Some(0), "{last}");
    assert_eq!(answer(&nova)["content"], json!({ "name": NAME }));
}

#[test]
fn question_is_answered_field_by_field_at_a_terminal() {
    let nova = Nova::new("", []);
    with_server(&nova);
    let mut terminal = Terminal::run(&nova, "tool call parcel.send --approve ask");
    terminal.type_after("[d] deny?", "o");
    terminal.type_after("Name [Enter: Joe]:", NAME);
    terminal.type_after("[c] close?", "o");
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("parcel asks, for parcel.send:") && screen.contains("Where to?"), "{screen}");
    assert_eq!(answer(&nova)["content"], json!({ "name": NAME }));
}
