//! Another program calls Nova's skills over MCP: it reads what the user serves, writes by the user's rules,
//! and never learns of a private note.

use nova_testkit::call;
use serde_json::{Value, json};

use super::mcp_client::McpClient;
use super::nova::{Nova, PEOPLE};

pub(super) const NOTE: &str = "//- a.md\nOne line.\n";
/// From this version on there is no session, and a server asks in its response.
pub(super) const STATELESS: &str = "2026-07-28";
pub(super) const WRITE: [&str; 2] = ["--allow", "write"];
pub(super) const APPEND: &str = "vault__append_to_note";

pub(super) fn append() -> Value {
    json!({ "path": "a.md", "text": "Another line." })
}

pub(super) fn error_code(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    result["structuredContent"]["error"]["code"].as_str().unwrap()
}

#[test]
fn client_sees_and_calls_the_reading_tools_of_the_default_skills() {
    let nova = Nova::new(PEOPLE, []);
    let mut client = McpClient::start(&nova, &[]);
    let greeted = client.greet(&json!({}));
    assert_eq!(
        (&greeted["protocolVersion"], &greeted["serverInfo"]["name"]),
        (&json!("2025-11-25"), &json!("nova"))
    );

    let tools = client.tools();
    let skills = ["vault__", "crm__", "portfolio__", "budget__"];
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        assert!(skills.iter().any(|skill| name.starts_with(skill)), "{name}");
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{name}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
    }
    for skill in skills {
        assert!(tools.iter().any(|tool| tool["name"].as_str().unwrap().starts_with(skill)), "{skill}");
    }

    let found = client.call("vault__search", json!({ "query": "First call" }));
    let content = &found["structuredContent"];
    assert_eq!(content["sources"], json!([{ "kind": "note", "path": "CRM/People/Jane Doe.md" }]), "{found}");
    let text: Value = serde_json::from_str(found["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(&text, content, "the text is the same for clients that read text");
    let wrong = client.call("vault__search", json!({ "query": 5, "limit": "many" }));
    assert_eq!(error_code(&wrong), "invalid_arguments");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn unserved_tools_cannot_be_called() {
    let nova = Nova::new(NOTE, []);
    let mut client = McpClient::connected(&nova, &[]);
    for (tool, said) in [
        (APPEND, "Start nova mcp serve with --allow write."),
        ("vault.append_to_note", "Start nova mcp serve with --allow write."),
        ("core__bash", "There is no tool"),
        ("load_skill", "There is no tool"),
        ("", "There is no tool"),
    ] {
        let answer = client.ask("tools/call", json!({ "name": tool, "arguments": append() }));
        assert_eq!(answer["error"]["code"], -32602, "{tool}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(said), "{tool}: {message}");
    }
    assert_eq!(nova.vault.read("a.md"), "One line.\n");

    let mut client = McpClient::connected(&nova, &["--skills", "core", "--allow", "write"]);
    let script = json!({ "name": "core__run_code", "arguments": { "source": "1" } });
    let answer = client.ask("tools/call", script);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("is not served to MCP clients"), "it would call an unserved tool: {message}");
    assert!(client.tool_names().iter().any(|name| name == "core__write"));

    let mut client = McpClient::connected(&nova, &["--skills", "crm"]);
    assert!(client.tool_names().iter().all(|name| name.starts_with("crm__")));
    let templates = client.ask("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"], json!([]), "notes are the skill vault's");
    let read = client.ask("resources/read", json!({ "uri": "nova://note/a.md" }));
    assert_eq!(read["error"]["code"], -32002, "{read}");

    let unknown = nova.run(&["mcp", "serve", "--skills", "vualt", "--json"]);
    assert_eq!((unknown.status.code(), unknown.stdout.as_slice()), (Some(1), &b""[..]));
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("There is no skill \"vualt\"."));
}

#[test]
fn write_without_a_rule_is_refused_with_the_rule_that_allows_it() {
    let nova = Nova::new(NOTE, []);
    let mut client = McpClient::start(&nova, &WRITE);
    client.greet(&json!({}));

    let refused = client.call(APPEND, append());
    assert_eq!(error_code(&refused), "approval_unanswered");
    assert_eq!(nova.vault.read("a.md"), "One line.\n");
    assert_eq!(nova.json(&["changes", "list"]).1, json!([]));

    let hint = refused["structuredContent"]["error"]["hint"].as_str().unwrap();
    let (_, rule) = hint.split_once("permissions.yaml: ").unwrap();
    nova.rules(rule);
    for (whose, verdict) in [("mcp_client", "run"), ("owner", "ask")] {
        let (_, tried) = nova.json(&["permission", "try", "vault.append_to_note", "--as", whose]);
        assert_eq!(tried["verdict"], verdict, "{whose}: {tried}");
    }
    let written = client.call(APPEND, append());
    assert_eq!(written["isError"], false, "{written}");
    assert_eq!(nova.vault.read("a.md"), "One line.\nAnother line.\n");

    let (_, sets) = nova.json(&["changes", "list"]);
    let set = &sets[0];
    assert_eq!((&set["kind"], &set["author"]), (&json!("mcp"), &json!("MCP client test-client")), "{sets}");
    assert_eq!(set["id"], written["structuredContent"]["change_set"]);
    let (code, undone) = nova.json(&["changes", "undo", set["id"].as_str().unwrap()]);
    assert_eq!((code, nova.vault.read("a.md").as_str()), (0, "One line.\n"), "{undone}");
}

#[test]
fn rule_for_the_owner_alone_allows_a_client_nothing() {
    let nova = Nova::new(NOTE, []);
    nova.rules(
        "policies: [{match: {principal: {kind: user}}, permissions: {tools: {allow: [append_to_note]}}}]",
    );
    let mut client = McpClient::start(&nova, &WRITE);
    client.greet(&json!({}));
    assert_eq!(error_code(&client.call(APPEND, append())), "approval_unanswered");
    assert_eq!(nova.vault.read("a.md"), "One line.\n");
}

const ALWAYS: &str = "permissions: {allow: [vault__append_to_note]";

/// Each row: rules, relationship of the client, results of a read and of a write.
#[test]
fn policies_decide_by_kind_relationship_and_name_of_the_client() {
    let policy = |principal: &str, tools: &str| {
        format!("policies: [{{match: {{principal: {principal}}}, permissions: {{tools: {tools}}}}}]")
    };
    let (deny_all, allow_all) = ("{deny: ['vault__*']}", "{allow: ['vault__*']}");
    let ask_all = "{human_approval: ['vault__*']}";
    let (ran, denied, asked) = ("", "denied_by_rule", "approval_unanswered");
    for (rules, relationship, read, write) in [
        (String::new(), "unknown", ran, asked),
        (policy("{kind: mcp_client}", deny_all), "unknown", denied, denied),
        (policy("{kind: mcp_client}", allow_all), "unknown", ran, ran),
        (policy("{kind: mcp_client}", ask_all), "unknown", asked, asked),
        (policy("{kind: [user, subagent]}", deny_all), "unknown", ran, asked),
        (policy("{kind: [user, subagent]}", allow_all), "unknown", ran, asked),
        (policy("{relationship: unknown}", deny_all), "unknown", denied, denied),
        (policy("{relationship: unknown}", deny_all), "known", ran, asked),
        (policy("{relationship: [known, delegate]}", allow_all), "delegate", ran, ran),
        (policy("{relationship: owner}", allow_all), "delegate", ran, asked),
        (policy("{name: 'test-*'}", deny_all), "unknown", denied, denied),
        // A rule as *Always* writes it is like any other; a policy can deny it to clients.
        (format!("{ALWAYS}}}"), "unknown", ran, ran),
        (format!("{ALWAYS}}}\n{}", policy("{kind: mcp_client}", ask_all)), "unknown", asked, asked),
        (format!("{ALWAYS}}}\n{}", policy("{relationship: unknown}", deny_all)), "unknown", denied, denied),
        (format!("{ALWAYS}}}\n{}", policy("{relationship: unknown}", deny_all)), "known", ran, ran),
        (format!("{ALWAYS}, human_approval: ['vault__append_*']}}"), "delegate", ran, asked),
        (policy("{name: 'Other*'}", deny_all), "unknown", ran, asked),
        (policy("{kind: mcp_client, name: 'Test*', relationship: known}", allow_all), "known", ran, ran),
        (policy("{kind: mcp_client, name: 'Test*', relationship: known}", allow_all), "unknown", ran, asked),
        ("permissions: {deny: ['vault__*']}".to_owned(), "delegate", denied, denied),
        ("permissions: {allow: ['vault__append_*']}".to_owned(), "unknown", ran, ran),
        ("permissions: {allow: ['vault__append_*']".to_owned(), "unknown", "config_broken", "config_broken"),
    ] {
        let nova = Nova::new(NOTE, []);
        nova.rules(&rules);
        let mut client = McpClient::start(&nova, &["--allow", "write", "--as", relationship]);
        client.greet(&json!({}));
        for (tool, args, expected) in
            [("vault__read_note", json!({ "path": "a.md" }), read), (APPEND, append(), write)]
        {
            let result = client.call(tool, args);
            let code = if result["isError"] == true { error_code(&result) } else { ran };
            if expected == "config_broken" {
                assert!(!code.is_empty(), "{rules}: rules that cannot be read allow nothing: {result}");
            } else {
                assert_eq!(code, expected, "{tool} by {relationship}, {rules}: {result}");
            }
        }
        let is_written = nova.vault.read("a.md") != "One line.\n";
        assert_eq!(is_written, write == ran, "{relationship}, {rules}");
    }
}

#[test]
fn resource_is_read_by_the_rules_for_reading_a_note() {
    let nova = Nova::new("//- a.md\nOne line.\n//- Sub/b ä.md\n---\nx: 1\n---\nTwo.\n", []);
    nova.rules("permissions: {deny: ['vault__read_note(path=a.md)']}");
    let mut client = McpClient::connected(&nova, &[]);
    let template = &client.ask("resources/templates/list", json!({}))["result"]["resourceTemplates"][0];
    assert_eq!(template["uriTemplate"], "nova://note/{+path}");
    assert_eq!(client.ask("resources/list", json!({}))["result"]["resources"], json!([]));

    let read = client.ask("resources/read", json!({ "uri": "nova://note/Sub/b%20%C3%A4.md" }));
    let contents = &read["result"]["contents"][0];
    assert_eq!(contents["text"], "---\nx: 1\n---\nTwo.\n", "{read}");
    assert_eq!(contents["mimeType"], "text/markdown");
    let denied = client.ask("resources/read", json!({ "uri": "nova://note/a.md" }));
    assert!(denied["error"]["message"].as_str().unwrap().contains("is denied by the rule"), "{denied}");
    for uri in ["nova://note/none.md", "nova://note/../../etc/passwd", "file:///etc/passwd", "nova://note/"] {
        let read = client.ask("resources/read", json!({ "uri": uri }));
        assert!(read["error"]["code"].is_i64() && read["result"].is_null(), "{uri}: {read}");
    }
}

#[test]
fn skill_is_a_prompt_with_its_instructions() {
    let nova = Nova::new("", []);
    let mut client = McpClient::connected(&nova, &[]);
    let prompts = client.ask("prompts/list", json!({}))["result"]["prompts"].clone();
    let names: Vec<_> = prompts.as_array().unwrap().iter().map(|prompt| prompt["name"].clone()).collect();
    assert!(names.contains(&json!("crm")) && !names.contains(&json!("core")), "{names:?}");

    let arguments = json!({ "request": "Who is due?" });
    let prompt = client.ask("prompts/get", json!({ "name": "crm", "arguments": arguments }));
    let message = &prompt["result"]["messages"][0];
    let text = message["content"]["text"].as_str().unwrap();
    let file = include_str!("../../skills/crm/SKILL.md");
    let instructions = file.splitn(3, "---\n").nth(2).unwrap().trim();
    assert_eq!(text, format!("{instructions}\n\nWho is due?"));
    let unknown = client.ask("prompts/get", json!({ "name": "core" }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");

    let skills = client.ask("skills/list", json!({}))["result"]["skills"].clone();
    let skill =
        skills.as_array().unwrap().iter().find(|skill| skill["frontmatter"]["name"] == "crm").unwrap();
    assert_eq!(&client.ask("skills/get", json!({ "uri": skill["uri"] }))["result"]["skill"], skill);
    let read = client.ask("resources/read", json!({ "uri": skill["uri"] }));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("---\nname: crm\ndescription: \"") && text.contains(instructions), "{text}");
    assert_eq!(skill["resources"][0]["size"], text.len());
    let unknown = client.ask("skills/get", json!({ "uri": "nova://skill/core/SKILL.md" }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

const CANARY: &str = "zanzibar-canary";

/// One note marked private, one in a private folder, and others that lead to them.
const SECRETS: &str = "
//- CRM/People/Secret Sam.md
---
type: contact
name: Secret Sam
nova: private
phone: zanzibar-canary
---
zanzibar-canary #zanzibar-canary-tag
//- Locked/Under lock.md
---
type: contact
name: zanzibar-canary
---
zanzibar-canary
//- Plan.md
See [[Secret Sam]] and ![[Under lock]].
";

fn everything(client: &mut McpClient) -> Vec<Value> {
    let names = ["Secret Sam", "Under lock", "CRM/People/Secret Sam.md", "Locked/Under lock.md"];
    let mut answers = Vec::new();
    for name in names {
        answers.push(client.call("vault__read_note", json!({ "path": name })));
        answers.push(client.call("vault__links", json!({ "path": name })));
        answers.push(client.call("crm__get_contact", json!({ "name": name })));
        let uri = format!("nova://note/{}", name.replace(' ', "%20"));
        answers.push(client.ask("resources/read", json!({ "uri": uri })));
    }
    for (tool, args) in [
        ("vault__search", json!({ "query": "zanzibar" })),
        ("vault__query", json!({ "type": "contact" })),
        ("vault__tags", json!({})),
        ("crm__list_contacts", json!({})),
        ("crm__pipeline", json!({})),
        ("crm__follow_ups", json!({})),
    ] {
        answers.push(client.call(tool, args));
    }
    for list in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        answers.push(client.ask(list, json!({})));
    }
    for skill in ["vault", "crm", "portfolio", "budget"] {
        answers.push(client.ask("prompts/get", json!({ "name": skill })));
    }
    answers
}

#[test]
fn private_notes_do_not_exist_for_a_remote_client() {
    let nova = Nova::new(SECRETS, []);
    let mut settings = nova.read_settings();
    settings["private"] = json!(["Locked"]);
    nova.settings(&settings);
    let mut client = McpClient::connected(&nova, &[]);
    for answer in everything(&mut client) {
        assert!(!answer.to_string().contains(CANARY), "{answer}");
    }
    // Identical to the response for a note that does not exist.
    let pairs = [
        ("Secret Sam", "Secret Tim"),
        ("CRM/People/Secret Sam.md", "CRM/People/Secret Tim.md"),
        ("Under lock", "Under dock"),
        ("Locked/Under lock.md", "Locked/Under dock.md"),
    ];
    let mut writing = McpClient::connected(&nova, &WRITE);
    let tools: Value = writing
        .tools()
        .iter()
        .map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool["inputSchema"].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    for (tool, argument) in [
        ("vault__read_note", "path"),
        ("vault__links", "path"),
        ("vault__edit_note", "path"),
        (APPEND, "path"),
        ("vault__set_properties", "path"),
        ("crm__get_contact", "name"),
        ("crm__update_contact", "name"),
        ("resources/read", "uri"),
    ] {
        for (private, missing) in pairs {
            let mut answer_to = |name: &str| {
                let answer = match argument {
                    "uri" => {
                        writing.ask(tool, json!({ "uri": format!("nova://note/{name}") }))["error"].clone()
                    }
                    argument => {
                        let args = json!({
                            argument: name, "old": "a", "new": "b", "text": "c",
                            "properties": { "stage": "won" }, "stage": "won",
                        });
                        let known = &tools[tool]["properties"];
                        let args = args
                            .as_object()
                            .unwrap()
                            .iter()
                            .filter(|(key, _)| !known[key.as_str()].is_null());
                        let args: serde_json::Map<_, _> =
                            args.map(|(key, value)| (key.clone(), value.clone())).collect();
                        let result = writing.call(tool, Value::Object(args));
                        assert_eq!(result["isError"], true, "{tool} {name}: {result}");
                        result
                    }
                };
                answer.to_string().replace(name, "NAME")
            };
            assert_eq!(answer_to(private), answer_to(missing), "{tool} {private}");
        }
    }

    let mut local = McpClient::connected(&nova, &["--local"]);
    let found = everything(&mut local);
    let told = found.iter().filter(|answer| answer.to_string().contains(CANARY)).count();
    assert!(told >= 10, "the same questions find them on this machine: {told}");
}

/// Reports progress and never ends.
const WAITING: &str = "import { z } from 'zod'
import { defineTool } from '@nova/tools'

export default defineTool({
  name: 'waiting',
  description: 'Waits.',
  effect: 'read',
  parameters: z.object({}),
  execute: (_, ctx) => { ctx.progress(0.5, 'half way'); return new Promise(() => {}) },
})
";

#[cfg(target_os = "linux")]
#[test]
fn progress_of_a_call_is_passed_on() {
    let nova = Nova::new("", []);
    let folder = nova.config().join("tools").join("dynamic");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("waiting.ts"), WAITING).unwrap();
    let mut client = McpClient::connected(&nova, &["--skills", "dynamic"]);
    client.answer = Some(|_| json!({ "action": "accept", "content": {} }));
    // A new file is loaded in the background at start.
    while !client.tool_names().contains(&"dynamic__waiting".to_owned()) {
        client.until(|message| message["method"] == "notifications/tools/list_changed");
    }
    let params = json!({ "name": "dynamic__waiting", "arguments": {}, "_meta": { "progressToken": "p1" } });
    client.begin("tools/call", params);
    let progress = client.until(|message| message["method"] == "notifications/progress");
    assert_eq!(
        progress["params"],
        json!({ "progressToken": "p1", "progress": 50.0, "total": 100.0, "message": "half way" })
    );
}

#[test]
fn skill_disabled_by_another_process_disappears_at_once() {
    let nova = Nova::new("", []);
    let mut client = McpClient::connected(&nova, &[]);
    assert!(client.tool_names().contains(&"crm__pipeline".to_owned()));
    assert_eq!(nova.json(&["skill", "disable", "crm"]).0, 0);
    client.until(|message| message["method"] == "notifications/tools/list_changed");
    assert!(!client.tool_names().iter().any(|name| name.starts_with("crm__")));
    let answer = client.ask("tools/call", json!({ "name": "crm__pipeline", "arguments": {} }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[test]
fn client_without_a_session_subscribes_to_changes() {
    let nova = Nova::new("", []);
    let mut client = McpClient::start(&nova, &[]);
    let prefix = "io.modelcontextprotocol";
    let params = json!({
        "notifications": { "toolsListChanged": true },
        "_meta": {
            format!("{prefix}/protocolVersion"): STATELESS,
            format!("{prefix}/clientInfo"): { "name": "test-client", "version": "1" },
            format!("{prefix}/clientCapabilities"): {},
        },
    });
    let id = client.begin("subscriptions/listen", params);
    client.until(|message| message["method"] == "notifications/subscriptions/acknowledged");
    assert_eq!(nova.json(&["skill", "disable", "crm"]).0, 0);
    let told = client.until(|message| message["method"] == "notifications/tools/list_changed");
    assert_eq!(told["params"]["_meta"][format!("{prefix}/subscriptionId")], id, "{told}");
}

#[test]
fn invalid_requests_are_refused_and_the_next_is_answered() {
    let nova = Nova::new(NOTE, []);
    let mut client = McpClient::start(&nova, &[]);
    client.send_line("hello");
    client.send_line("{\"jsonrpc\": \"2.0\"");
    client.greet(&json!({}));
    for line in ["", "}{", "[]", "null", "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":5}", "\u{0}\u{1b}[2J"] {
        client.send_line(line);
    }
    client
        .send_line(&format!("{{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"{}\"}}", "y".repeat(5_000_000)));
    let unknown = client.ask("nova/secret", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    let deep = "[".repeat(100_000);
    client.send_line(&format!("{{\"jsonrpc\":\"2.0\",\"id\":\"d\",\"method\":\"ping\",\"params\":{deep}"));
    let inexact = client.call("vault__search", json!({ "query": "x", "limit": 0.300_000_000_000_000_04 }));
    assert_eq!(error_code(&inexact), "invalid_arguments");
    let read = client.call("vault__read_note", json!({ "path": "a.md" }));
    assert_eq!(read["isError"], false, "{read}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn every_call_of_a_flood_is_answered_or_refused() {
    // More log than a pipe holds, which this client does not read.
    const CALLS: usize = 1_000;
    let nova = Nova::new(NOTE, []);
    let mut command = nova.command(&["mcp", "serve"]);
    command.env("NOVA_LOG", "debug");
    let mut client = McpClient::spawn(command);
    client.greet(&json!({}));
    let search = json!({ "name": "vault__search", "arguments": { "query": "line" } });
    let ids: Vec<u64> = (0..CALLS).map(|_| client.begin("tools/call", search.clone())).collect();
    let before = client.said.len();
    while client.said[before..].len() < CALLS {
        client.until(|_| true);
    }
    let mut answered: Vec<u64> =
        client.said[before..].iter().map(|said| said["id"].as_u64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
    let ran = client.said[before..].iter().filter(|said| said["result"]["isError"] == false).count();
    let refused = client.said[before..].iter().filter(|said| said["error"]["code"] == -32000).count();
    assert_eq!(ran + refused, CALLS);
    assert!(ran > 0);
    let after = client.call("vault__search", json!({ "query": "line" }));
    assert_eq!(after["isError"], false, "{after}");
}

#[test]
fn chat_and_client_write_into_one_vault() {
    let append_more = json!({ "path": "a.md", "text": "From the chat." });
    let nova = Nova::new(NOTE, [call(APPEND, append_more), nova_testkit::text("Done.")]);
    nova.rules("permissions: {allow: [vault__append_to_note]}");
    let mut client = McpClient::connected(&nova, &WRITE);
    assert_eq!(client.call(APPEND, append())["isError"], false);
    let chat = nova.run(&["chat", "-p", "Append"]);
    assert_eq!(chat.status.code(), Some(0), "{}", String::from_utf8_lossy(&chat.stderr));
    assert_eq!(client.call(APPEND, append())["isError"], false);
    assert_eq!(nova.vault.read("a.md"), "One line.\nAnother line.\nFrom the chat.\nAnother line.\n");
    let (_, sets) = nova.json(&["changes", "list"]);
    let kinds: Vec<_> = sets.as_array().unwrap().iter().map(|set| set["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["mcp", "turn", "mcp"]);
}

#[test]
fn property_set_after_the_client_read_it_is_not_overwritten() {
    let nova = Nova::new("//- a.md\n---\nstage: lead\n---\n", []);
    nova.rules("permissions: {allow: ['vault__*']}");
    let mut client = McpClient::connected(&nova, &WRITE);
    client.call("vault__read_note", json!({ "path": "a.md" }));
    std::fs::write(nova.vault.root().join("a.md"), "---\nstage: won\n---\n").unwrap();
    let set = json!({ "path": "a.md", "properties": { "stage": "lost" } });
    assert_eq!(error_code(&client.call("vault__set_properties", set.clone())), "conflict");
    assert_eq!(nova.vault.read("a.md"), "---\nstage: won\n---\n");
    client.call("vault__read_note", json!({ "path": "a.md" }));
    assert_eq!(client.call("vault__set_properties", set)["isError"], false);
    assert_eq!(nova.vault.read("a.md"), "---\nstage: lost\n---\n");
}

#[test]
fn novas_own_client_accepts_the_server() {
    let nova = Nova::new(PEOPLE, []);
    let program = env!("CARGO_BIN_EXE_nova");
    let (config, data) = (nova.config(), nova.home().join("served"));
    let serve = ["mcp", "serve", "--config", config.to_str().unwrap(), "--data", data.to_str().unwrap()];
    let add = [&["mcp", "add", "self", "--command", program, "--"][..], &serve].concat();
    assert!(nova.run(&add).status.success());
    let (code, probed) = nova.json(&["mcp", "probe", "self"]);
    assert_eq!((code, &probed["protocol"]), (0, &json!(STATELESS)), "{probed}");
    let tools = probed["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "vault__search"), "{probed}");
}
