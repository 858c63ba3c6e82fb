use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use nova_testkit::{call, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE};

const JANE: &str = "CRM/People/Jane Doe.md";

#[test]
fn chat_prints_its_events_and_its_answer() {
    let nova = Nova::new(PEOPLE, [text("Hello."), text("Hello again.")]);

    let output = nova.run(&["chat", "-p", "Hi", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.first().unwrap()["type"], "turn_started");
    assert_eq!(lines.last().unwrap()["type"], "turn_completed");
    assert!(lines.iter().all(|line| line["v"] == 1 && line["session"].is_string()));
    let seqs: Vec<u64> = lines.iter().map(|line| line["seq"].as_u64().unwrap()).collect();
    assert!(seqs.is_sorted());

    let session = lines[0]["session"].as_str().unwrap();
    let output = nova.run(&["chat", "-p", "Again", "--session", session]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "Hello again.\n");
    nova.model.finish();
}

#[test]
fn old_changes_are_discarded_on_request_except_the_newest_fifty() {
    let nova = Nova::new("//- a.md\nText.\n", []);
    let append = r#"{"path": "a.md", "text": "More."}"#;
    let (code, _) =
        nova.json(&["tool", "call", "vault.append_to_note", "--args", append, "--approve", "all"]);
    assert_eq!(code, 0);
    let (_, sets) = nova.json(&["changes", "list"]);
    let newest = sets[0]["id"].as_str().unwrap();
    // The same change many times, dated years ago.
    for n in 0..51 {
        let (lines, images) = (format!("{newest}.jsonl"), format!("{newest}.images"));
        let text = std::fs::read_to_string(nova.history().join(lines)).unwrap();
        let mut opened: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let id = format!("old{n:02}");
        let fields = opened.as_object_mut().unwrap();
        let fields = match fields.get("id") {
            Some(_) => fields,
            None => fields.values_mut().next().unwrap().as_object_mut().unwrap(),
        };
        fields["id"] = json!(id);
        fields["at"] = json!(format!("2001-01-01T00:00:{n:02}Z"));
        let rest: Vec<&str> = text.lines().skip(1).collect();
        let text = format!("{opened}\n{}\n", rest.join("\n"));
        std::fs::write(nova.history().join(format!("{id}.jsonl")), text).unwrap();
        std::fs::copy(nova.history().join(images), nova.history().join(format!("{id}.images"))).unwrap();
    }

    let (code, forgotten) = nova.json(&["changes", "prune"]);

    assert_eq!((code, &forgotten), (0, &json!(["old01", "old00"])));
    let (_, left) = nova.json(&["changes", "list"]);
    assert_eq!(left.as_array().unwrap().len(), 50);
    let unknown = nova.run(&["changes", "show", "old00"]);
    assert_eq!(unknown.status.code(), Some(1));
    let (code, _) = nova.json(&["changes", "undo", newest]);
    assert_eq!((code, nova.vault.read("a.md").as_str()), (0, "Text.\n"));
}

#[test]
fn vault_whose_folder_is_renamed_keeps_its_changes() {
    let nova = Nova::new("//- a.md\nText.\n", []);
    let append = r#"{"path": "a.md", "text": "More."}"#;
    nova.json(&["tool", "call", "vault.append_to_note", "--args", append, "--approve", "all"]);
    let (_, sets) = nova.json(&["changes", "list"]);
    let renamed = nova.vault.root().with_file_name("Second Brain");
    std::fs::rename(nova.vault.root(), &renamed).unwrap();
    let text = || std::fs::read_to_string(renamed.join("a.md")).unwrap();
    assert_eq!(text(), "Text.\nMore.\n");

    nova.settings(&json!({"vault": renamed}));
    assert_eq!(nova.json(&["changes", "list"]), (0, sets.clone()));
    let (code, undone) = nova.json(&["changes", "undo", sets[0]["id"].as_str().unwrap()]);
    assert_eq!((code, text().as_str()), (0, "Text.\n"), "{undone}");
}

#[test]
fn approval_is_answered_on_stdin() {
    let nova = Nova::new(
        PEOPLE,
        [call("crm__update_contact", json!({"name": "Jane Doe", "stage": "won"})), text("Done.")],
    );
    let mut child = nova
        .command(&["chat", "-p", "Jane is won", "--json", "--approve", "stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut kinds = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if event["type"] == "approval_requested" {
            writeln!(stdin, "{}", json!({"call": event["call"], "decision": "once"})).unwrap();
        }
        kinds.push(event["type"].as_str().unwrap().to_owned());
    }
    assert_eq!(child.wait().unwrap().code(), Some(0), "{kinds:?}");
    assert!(nova.vault.read(JANE).contains("stage: won"));

    let (code, sets) = nova.json(&["changes", "list"]);
    assert_eq!((code, &sets[0]["kind"], &sets[0]["notes"][0]["path"]), (0, &json!("turn"), &json!(JANE)));
    let (code, _) = nova.json(&["changes", "undo", sets[0]["id"].as_str().unwrap()]);
    assert_eq!(code, 0);
    assert!(nova.vault.read(JANE).contains("stage: lead"));
    nova.model.finish();
}

#[test]
fn tool_calls_and_refusals_have_documented_exit_codes() {
    let nova = Nova::new(PEOPLE, []);

    let (code, result) = nova.json(&["tool", "call", "crm.list_contacts", "--args", r#"{"stage":"lead"}"#]);
    assert_eq!((code, &result["ok"]), (0, &json!(true)));
    assert!(result["value"].to_string().contains("Jane Doe"), "{result}");
    assert!(result["sources"].to_string().contains(JANE), "{result}");

    let add = ["tool", "call", "crm.add_contact", "--args", r#"{"name":"Odile Farrow"}"#];
    let (code, result) = nova.json(&add);
    assert_eq!((code, &result["error"]["code"]), (3, &json!("approval_unanswered")));
    assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"));

    let (code, result) = nova.json(&[&add[..], &["--approve", "all"]].concat());
    assert_eq!(code, 0, "{result}");
    assert_eq!(result["changes"], json!([{"path": "CRM/People/Odile Farrow.md", "kind": "created"}]));
    assert!(nova.vault.exists("CRM/People/Odile Farrow.md"));

    nova.rules("permissions:\n  deny: [add_contact]\n");
    let other =
        ["tool", "call", "crm__add_contact", "--args", r#"{"name":"Ilse Brandvik"}"#, "--approve", "all"];
    let (code, result) = nova.json(&other);
    assert_eq!((code, &result["error"]["code"]), (3, &json!("denied_by_rule")));

    let (code, result) = nova.json(&["tool", "call", "crm.add_contact", "--args", "{\"name\": 5}"]);
    assert_eq!((code, &result["ok"]), (3, &json!(false)), "5 is coerced to a string, then the rule denies");
    let (code, result) = nova.json(&["tool", "call", "crm.get_contact", "--args", "{}"]);
    assert_eq!((code, &result["error"]["code"]), (1, &json!("invalid_arguments")));
    let (code, result) = nova.json(&["tool", "call", "nothing.here"]);
    assert_eq!((code, &result["error"]["code"]), (1, &json!("unknown_tool")));
    assert_eq!(nova.run(&["tool", "cal"]).status.code(), Some(2));
}

#[test]
fn call_prints_its_questions_if_a_program_answers_them() {
    let nova = Nova::new(PEOPLE, []);
    let add = ["tool", "call", "crm.add_contact", "--args", r#"{"name":"Odile Farrow"}"#];
    let mut child = nova
        .command(&[&add[..], &["--json", "--approve", "stdio"]].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let asked = lines.next().unwrap();
    assert_eq!(
        (&asked["type"], &asked["decisions"][0], &asked["mid_run"]),
        (&json!("approval_requested"), &json!("once"), &json!(false))
    );
    assert_eq!(asked["diff"][0]["path"], "CRM/People/Odile Farrow.md");
    assert!(!nova.vault.exists("CRM/People/Odile Farrow.md"), "nothing is written before the answer");
    writeln!(stdin, "{}", json!({"call": asked["call"], "decision": "once"})).unwrap();
    let rest: Vec<Value> = lines.collect();
    assert_eq!((rest.len(), &rest[0]["ok"]), (1, &json!(true)), "{rest:?}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(nova.vault.exists("CRM/People/Odile Farrow.md"));

    // A program that answers is asked, regardless of the output format.
    let plain =
        ["tool", "call", "crm.add_contact", "--args", r#"{"name":"Uwe Brandt"}"#, "--approve", "stdio"];
    let mut child = nova.command(&plain).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let asked: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert_eq!(asked["type"], "approval_requested");
    writeln!(stdin, "{}", json!({"call": asked["call"], "decision": "once"})).unwrap();
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(nova.vault.exists("CRM/People/Uwe Brandt.md"));

    // Without `--approve stdio` only the one value is printed.
    let other = ["tool", "call", "crm.add_contact", "--args", r#"{"name":"Ilse Brandvik"}"#];
    let (code, result) = nova.json(&other);
    assert_eq!((code, &result["ok"]), (3, &json!(false)));
}

#[test]
fn skill_is_disabled_and_enabled() {
    let nova = Nova::new(PEOPLE, []);

    let row_of = |rows: &Value, key: &str, name: &str| {
        rows.as_array().unwrap().iter().find(|row| row[key] == name).unwrap().clone()
    };
    let (_, rows) = nova.json(&["skill", "list"]);
    let crm = row_of(&rows, "id", "crm");
    assert_eq!(crm["state"], "available");
    assert!(crm["tokens"]["catalog"].as_u64().unwrap() > 0);
    let (code, rows) = nova.json(&["skill", "disable", "CRM"]);
    assert_eq!((code, row_of(&rows, "id", "crm")["state"].clone()), (0, json!("disabled")));
    let (code, result) = nova.json(&["tool", "call", "crm.list_contacts"]);
    assert_eq!((code, &result["error"]["code"]), (1, &json!("skill_disabled")));
    let (_, tools) = nova.json(&["tool", "list"]);
    assert_eq!(row_of(&tools, "wire_name", "crm__list_contacts")["state"], "disabled");
    nova.json(&["skill", "enable", "crm"]);
    assert_eq!(nova.json(&["tool", "call", "crm.list_contacts"]).0, 0);
    assert_eq!(nova.run(&["skill", "enable", "nothing"]).status.code(), Some(1));
}

#[test]
fn vault_status_says_how_edits_are_detected() {
    let nova = Nova::new(PEOPLE, []);
    let (code, status) = nova.json(&["vault", "status"]);
    let reason = status["watching_reason"].as_str();
    // A machine that runs many programs may be out of watches.
    match status["watching"].as_str() {
        Some("notified") => assert_eq!(reason, None),
        // If the temporary folder is on a network file system.
        Some("both") => assert!(reason.unwrap().contains("lies on"), "{status}"),
        Some("polling") => assert!(reason.unwrap().contains("inotify"), "{status}"),
        _ => panic!("{status}"),
    }
    assert_eq!(code, 0);
    let text = String::from_utf8(nova.run(&["vault", "status"]).stdout).unwrap();
    assert!(text.contains(&format!("watching: {}\n", status["watching"].as_str().unwrap())), "{text}");
}

#[test]
fn changed_notes_are_printed_as_they_change() {
    let nova = Nova::new(PEOPLE, []);
    let mut child = nova.command(&["watch"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut ready).unwrap();
    assert!(ready.contains("watching"), "{ready}");

    nova.vault.write(JANE, &nova.vault.read(JANE).replace("stage: lead", "stage: won"));
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();

    let event: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&event["type"], &event["kind"], &event["path"], &event["by"], &event["summary"]),
        (
            &json!("vault_changed"),
            &json!("modified"),
            &json!(JANE),
            &json!("outside"),
            &json!("stage: lead → won")
        )
    );
}
