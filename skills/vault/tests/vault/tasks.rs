//! Tasks. It is Saturday, 21 November 2026.

use nova_protocol::ErrorCode;
use nova_skill::{Value, json};
use nova_testkit::{Privacy, SkillInVault};

use crate::vault;

const NOTES: &str = "
//- House.md
# House

- [ ] Pay the rent 🔁 every month on the last 📅 2026-11-30
- [ ] Water the plants #home 🔁 every week on Sunday ⏳ 2026-11-15
\t- [ ] Also the cactus
- [/] Fix the door ⏫ 📅 2026-11-20
- [x] Buy paint ✅ 2026-11-19
//- Work/Plan.md
- [ ] Report #work 📅 2026-11-21
- [ ] Call Noor
- [ ] Call Noor
";

const PLUGIN: &str = ".obsidian/plugins/obsidian-tasks-plugin/data.json";

fn texts(value: &Value) -> Vec<&str> {
    value["tasks"].as_array().unwrap().iter().map(|task| task["text"].as_str().unwrap()).collect()
}

#[track_caller]
fn lists(args: Value, expected: &[&str]) {
    assert_eq!(texts(&vault(NOTES).value("list_tasks", args.clone())), expected, "{args}");
}

#[test]
fn open_tasks_are_listed_by_date() {
    lists(
        json!({}),
        &[
            "Water the plants #home",
            "Fix the door",
            "Report #work",
            "Pay the rent",
            "Also the cactus",
            "Call Noor",
            "Call Noor",
        ],
    );
    lists(json!({"due": "today"}), &["Report #work"]);
    lists(json!({"due": "..today"}), &["Water the plants #home", "Fix the door", "Report #work"]);
    lists(json!({"due": "overdue"}), &["Water the plants #home", "Fix the door"]);
    lists(json!({"due": "2026-11-21..2026-11-30"}), &["Report #work", "Pay the rent"]);
    lists(json!({"due": "tomorrow.."}), &["Pay the rent"]);
    lists(json!({"due": "none", "path": "House"}), &["Also the cactus"]);
    lists(json!({"path": "work", "due": "today"}), &["Report #work"]);
    lists(json!({"tag": "#home"}), &["Water the plants #home"]);
    lists(json!({"query": "noor call"}), &["Call Noor", "Call Noor"]);
    lists(json!({"done": true}), &["Buy paint"]);
    lists(json!({"sort": "priority", "limit": 1}), &["Fix the door"]);
    let vault = vault(NOTES);
    let value = vault.value("list_tasks", json!({"due": "..today", "limit": 2}));
    assert_eq!(
        value,
        json!({"total": 3, "more": true, "tasks": [
            {"path": "House.md", "line": 4, "text": "Water the plants #home", "scheduled": "2026-11-15", "recurrence": "every week on Sunday"},
            {"path": "House.md", "line": 6, "text": "Fix the door", "due": "2026-11-20", "status": "in_progress", "priority": "high"},
        ]})
    );
    assert!(vault.approver.asked().is_empty(), "a read does not ask");
}

#[test]
fn invalid_date_or_note_is_refused() {
    for (args, code) in [
        (json!({"due": "soon"}), ErrorCode::InvalidArguments),
        (json!({"due": "2026-02-30"}), ErrorCode::InvalidArguments),
        (json!({"path": "Nowhere"}), ErrorCode::NoteNotFound),
    ] {
        assert_eq!(vault(NOTES).error("list_tasks", args.clone()).code, code, "{args}");
    }
}

/// The text of House after a call, and the call's answer.
fn house(tool: &str, args: Value) -> (String, Value) {
    let vault = vault(NOTES);
    let value = vault.value(tool, args);
    (vault.vault.read("House.md"), value)
}

fn original() -> String {
    vault(NOTES).vault.read("House.md")
}

#[test]
fn completing_checks_the_line_and_adds_the_next() {
    let (text, value) = house("complete_task", json!({"path": "House", "text": "pay the rent"}));
    let done = "- [x] Pay the rent 🔁 every month on the last 📅 2026-11-30 ✅ 2026-11-21";
    let next = "- [ ] Pay the rent 🔁 every month on the last 📅 2026-12-31";
    assert_eq!(value, json!({"path": "House.md", "completed": done, "next": next}));
    let line = "- [ ] Pay the rent 🔁 every month on the last 📅 2026-11-30";
    assert_eq!(text, original().replace(line, &format!("{next}\n{done}")));

    let (text, _) =
        house("complete_task", json!({"path": "House", "text": "- [ ] Also the cactus", "line": 9}));
    assert_eq!(text, original().replace("\t- [ ] Also the cactus", "\t- [x] Also the cactus"));
}

#[test]
fn plugin_settings_decide_what_is_written() {
    let vault = vault(NOTES);
    vault.vault.write(
        PLUGIN,
        r##"{"taskFormat":"dataview","recurrenceOnNextLine":true,"setCreatedDate":true,"globalFilter":"#home"}"##,
    );
    let value = vault.value("complete_task", json!({"path": "House", "text": "Water the plants"}));
    assert_eq!(
        value["next"],
        "- [ ] Water the plants #home 🔁 every week on Sunday  [created:: 2026-11-21] ⏳ 2026-11-22"
    );
    let done = "⏳ 2026-11-15  [completion:: 2026-11-21]\n- [ ] Water the plants";
    assert!(vault.vault.read("House.md").contains(done));
    let value = vault
        .value("add_task", json!({"text": "Sweep", "path": "House", "due": "2026-12-01", "priority": "low"}));
    assert_eq!(
        value["task"],
        "- [ ] #home Sweep  [priority:: low]  [created:: 2026-11-21]  [due:: 2026-12-01]"
    );
}

#[test]
fn ambiguous_task_text_asks_for_the_line() {
    let vault = vault(NOTES);
    let error = vault.error("complete_task", json!({"path": "Work/Plan", "text": "Call Noor"}));
    assert_eq!(error.code, ErrorCode::Ambiguous);
    assert!(error.message.contains("line 2: - [ ] Call Noor, line 3: - [ ] Call Noor"), "{error}");
    vault.value("complete_task", json!({"path": "Work/Plan", "text": "Call Noor", "line": 3}));
    assert_eq!(
        vault.vault.read("Work/Plan.md"),
        "- [ ] Report #work 📅 2026-11-21\n- [ ] Call Noor\n- [x] Call Noor\n"
    );
    // Now only one is open.
    vault.value("complete_task", json!({"path": "Work/Plan", "text": "Call Noor"}));
    let error = vault.error("complete_task", json!({"path": "Work/Plan", "text": "Call Noor", "line": 2}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    let error = vault.error("complete_task", json!({"path": "Work/Plan", "text": "Call Nora"}));
    assert!(error.to_string().contains("Call Noor"), "{error}");
}

#[test]
fn task_is_edited_in_place() {
    let change = |args: Value, from: &str, to: &str| {
        let (text, _) = house("update_task", args.clone());
        assert_eq!(text, original().replace(from, to), "{args}");
    };
    change(
        json!({"path": "House", "text": "Fix the door", "due": "2026-12-01", "priority": ""}),
        "- [/] Fix the door ⏫ 📅 2026-11-20",
        "- [/] Fix the door 📅 2026-12-01",
    );
    change(
        json!({"path": "House", "text": "Pay the rent", "new_text": "Pay the flat", "start": "2026-11-28"}),
        "Pay the rent 🔁 every month on the last 📅",
        "Pay the flat 🔁 every month on the last 🛫 2026-11-28 📅",
    );
    change(
        json!({"path": "House", "text": "Buy paint", "status": "todo"}),
        "- [x] Buy paint ✅ 2026-11-19",
        "- [ ] Buy paint",
    );
    change(
        json!({"path": "House", "text": "cactus", "recurrence": "every day", "status": "cancelled"}),
        "- [ ] Also the cactus",
        "- [-] Also the cactus 🔁 every day ❌ 2026-11-21",
    );
    for args in [
        json!({"due": "soon"}),
        json!({"recurrence": "jeden Tag"}),
        json!({"status": "unheard of"}),
        json!({"new_text": "a\nb"}),
    ] {
        let mut all = json!({"path": "House", "text": "Fix the door"});
        all.as_object_mut().unwrap().extend(args.as_object().unwrap().clone());
        let vault = vault(NOTES);
        assert_eq!(vault.error("update_task", all).code, ErrorCode::InvalidArguments, "{args}");
        assert_eq!(vault.vault.read("House.md"), original());
    }
}

#[test]
fn new_task_goes_to_the_note_or_todays() {
    let notes = format!(
        "{NOTES}//- .obsidian/daily-notes.json\n{{\"folder\": \"Daily\", \"template\": \"T\"}}\n//- T.md\n# Tasks\n\n# Log\n"
    );
    let vault = vault(&notes);
    let value =
        vault.value("add_task", json!({"text": "Call Mats", "due": "2026-11-27", "heading": "Tasks"}));
    let task = "- [ ] Call Mats 📅 2026-11-27";
    assert_eq!(value["task"], task);
    assert_eq!((&value["path"], &value["note_created"]), (&json!("Daily/2026-11-21.md"), &json!(true)));
    let text = vault.vault.read("Daily/2026-11-21.md");
    let line = usize::try_from(value["line"].as_u64().unwrap()).unwrap();
    assert_eq!(text.lines().nth(line - 1), Some(task), "{text}");
    assert!(text.find(task).unwrap() < text.find("# Log").unwrap(), "{text}");
    let value = vault
        .value("add_task", json!({"text": "- [ ] Two", "recurrence": "every week", "path": "Work/Plan"}));
    assert_eq!(vault.vault.read("Work/Plan.md").lines().last(), Some("- [ ] Two 🔁 every week"));
    assert_eq!(value["line"], 4);
    let error = vault.error("add_task", json!({"text": "a\nb"}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
}

#[test]
fn tasks_are_written_in_the_vaults_notation() {
    let notes = "//- A.md\n- [ ] a  [due:: 2026-11-21]\n//- B.md\n- [ ] b\n";
    let vault = vault(notes);
    let value = vault.value("add_task", json!({"text": "c", "path": "B", "due": "2026-12-01"}));
    assert_eq!(value["task"], "- [ ] c  [due:: 2026-12-01]");
    let value = vault.value("update_task", json!({"text": "b", "path": "B", "due": "2026-12-01"}));
    assert_eq!(value["task"], "- [ ] b  [due:: 2026-12-01]");
}

#[test]
fn line_ends_and_a_missing_final_newline_are_preserved() {
    let vault = vault("");
    vault.vault.write("A.md", "\u{feff}# A\r\n\r\n- [ ] a 🔁 every day 📅 2026-11-21");
    vault.value("complete_task", json!({"path": "A", "text": "a"}));
    assert_eq!(
        vault.vault.read("A.md"),
        "\u{feff}# A\r\n\r\n- [ ] a 🔁 every day 📅 2026-11-22\r\n- [x] a 🔁 every day 📅 2026-11-21 ✅ 2026-11-21"
    );
}

#[test]
fn tasks_of_private_notes_do_not_exist() {
    let notes = format!(
        "{NOTES}//- Diary/D.md\n- [ ] xyzzy-canary 📅 2026-11-21\n//- Marked.md\n---\nnova: private\n---\n- [ ] xyzzy-canary #work\n"
    );
    let remote = || -> SkillInVault {
        let mut vault = vault(&notes);
        vault.privacy = Privacy { remote: true, private: vec!["Diary".into()] };
        vault
    };
    for args in [
        json!({}),
        json!({"due": "today"}),
        json!({"tag": "work"}),
        json!({"query": "canary"}),
        json!({"path": "Diary/"}),
    ] {
        let outcome = remote().call("list_tasks", args.clone());
        assert!(!format!("{outcome:?}").contains("xyzzy"), "{args}: {outcome:?}");
    }
    for (tool, args) in [
        ("complete_task", json!({"path": "Marked", "text": "xyzzy"})),
        ("update_task", json!({"path": "Diary/D", "text": "x", "due": "2026-12-01"})),
        ("add_task", json!({"path": "Marked", "text": "x"})),
        ("list_tasks", json!({"path": "Marked"})),
    ] {
        let vault = remote();
        let outcome = vault.call(tool, args);
        assert_eq!(outcome.result.unwrap_err().code, ErrorCode::Private, "{tool}");
        assert!(outcome.changes.is_empty());
    }
}
