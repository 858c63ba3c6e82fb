//! The assistant runs commands: where they run, what they can access, and how they end.

use std::fs;
use std::path::PathBuf;

use nova_app::App;
use nova_guard::Guard;
use nova_protocol::{
    AddWorkspace, CallRef, Commands as _, Decision, Event, Nothing, SetSkill, SetTool, SkillState, ToolRow,
    WorkspaceAccess,
};
use nova_testkit::{Answer, ModelServer, ScriptedApprover, call, calls, denied, edited, text};
use serde_json::{Value, json};

use super::nova::{Nova, turn, until, wait_for};

const NOTES: &str = "
//- Ideas.md
# Ideas

Grow basil.
//- Diary/Monday.md
canary-diary
//- Plans.md
---
nova: private
---
canary-plans
//- CRM/Jane.md
---
type: contact
name: Jane
---
//- scan.txt
a scan
";

/// A Nova with the tool enabled, a private diary, a key and two workspaces.
pub(super) fn with_bash(answers: impl IntoIterator<Item = Answer>) -> Nova {
    let nova = Nova::new(NOTES, answers);
    let mut settings = nova.read_settings();
    settings["skills"] = json!({"core": {"tools": {"allow": ["bash"]}}});
    settings["private"] = json!(["Diary"]);
    nova.settings(&settings);
    for (file, text) in
        [("papers/one.txt", "one\n"), ("site/index.html", "<p>"), (".ssh/id_ed25519", "canary-key")]
    {
        let file = nova.home().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    nova
}

/// The same, with answers that contain its paths.
fn with_bash_at(answers: impl FnOnce(&Nova) -> Vec<Answer>) -> Nova {
    let mut nova = with_bash([]);
    nova.model = ModelServer::start(answers(&nova));
    let mut settings = nova.read_settings();
    settings["providers"][0]["base_url"] = json!(nova.model.base_url());
    nova.settings(&settings);
    nova
}

/// Starts it. None, with a message, if this kernel cannot confine a command: then the test checks nothing.
pub(super) async fn started(nova: &Nova) -> Option<App> {
    let app = nova.start().await;
    let row = row(&app).await.expect("the tool is enabled");
    if row.state == SkillState::Unavailable {
        eprintln!("SKIPPED, nothing was tested: {:?}", row.reason);
        return None;
    }
    for (folder, access) in [("papers", WorkspaceAccess::Read), ("site", WorkspaceAccess::Write)] {
        let path = nova.home().join(folder).display().to_string();
        app.add_workspace(AddWorkspace { path, access }).await.unwrap();
    }
    Some(app)
}

async fn row(app: &App) -> Option<ToolRow> {
    app.list_tools(Nothing {}).await.unwrap().into_iter().find(|row| row.name == "core.bash")
}

fn bash(command: &str) -> Answer {
    call("core__bash", json!({"command": command}))
}

pub(super) fn yes() -> ScriptedApprover {
    ScriptedApprover::always(Decision::Once)
}

/// Runs each command in its own turn of one chat and returns their results.
async fn outputs(commands: &[&str]) -> Option<Vec<Value>> {
    let answers = commands.iter().flat_map(|command| [bash(command), text("Done.")]);
    let nova = with_bash(answers);
    let app = started(&nova).await?;
    let (mut session, mut outputs) = (None, Vec::new());
    for _ in commands {
        let (end, events) = turn(&app, session.as_deref(), "Go on", yes()).await;
        session = Some(end.session);
        outputs.push(output(&events));
    }
    nova.model.finish();
    Some(outputs)
}

pub(super) fn output(events: &[Event]) -> Value {
    let completed = events.iter().find_map(|event| match event {
        Event::ToolCallCompleted { output, .. } => Some(output.clone()),
        _ => None,
    });
    completed.expect("a call has ended")
}

pub(super) fn said(output: &Value) -> &str {
    output["output"].as_str().unwrap_or_else(|| panic!("it ran: {output}"))
}

#[tokio::test]
async fn is_off_until_the_user_switches_it_on() {
    let nova = Nova::new(NOTES, [bash("echo hello"), text("Off."), bash("echo hello"), text("On.")]);
    let app = nova.start().await;
    let (_, events) = turn(&app, None, "Go", yes()).await;
    assert_eq!(output(&events)["code"], json!("unknown_tool"));
    let set = |on: bool| SetSkill {
        skill: "core".into(),
        tool: Some(SetTool { tool: "bash".into(), on }),
        ..SetSkill::default()
    };
    let mut changes = app.events();
    app.set_skill(set(true)).await.unwrap();
    assert_eq!(nova.read_settings()["skills"]["core"]["tools"], json!({"allow": ["bash"], "deny": []}));
    while row(&app).await.is_some_and(|row| row.state == SkillState::Starting) {
        wait_for(&mut changes, |event| matches!(event, Event::RegistryChanged { .. })).await;
    }
    if row(&app).await.unwrap().state == SkillState::Unavailable {
        eprintln!("SKIPPED, nothing was tested: this kernel cannot confine a command");
        return;
    }
    let (_, events) = turn(&app, None, "Go", yes()).await;
    assert_eq!(said(&output(&events)), "hello\n");
    app.set_skill(set(false)).await.unwrap();
    assert!(row(&app).await.is_none());
}

#[tokio::test]
async fn is_unavailable_with_the_reason_without_confinement() {
    let mut nova = with_bash([bash("echo hello"), text("No.")]);
    nova.guard = Guard::new("/nonexistent/guard", []);
    let app = nova.start().await;
    let row = row(&app).await.unwrap();
    assert_eq!(row.state, SkillState::Unavailable);
    let reason = row.reason.unwrap();
    assert!(reason.starts_with("This system cannot confine a command: cannot start the guard"), "{reason}");
    let (_, events) = turn(&app, None, "Go", yes()).await;
    let told = output(&events)["message"].as_str().unwrap().to_owned();
    assert!(told.contains("cannot confine a command"), "{told}");
}

#[tokio::test]
async fn each_call_asks_and_its_card_lists_its_access() {
    let nova = with_bash([
        calls([
            ("core__bash", json!({"command": "echo one"})),
            ("core__bash", json!({"command": "echo two"})),
        ]),
        text("Done."),
    ]);
    let Some(app) = started(&nova).await else { return };
    let approver = ScriptedApprover::new([edited(json!({"command": "echo edited"})), denied("not now")]);
    let (_, events) = turn(&app, None, "Go", approver.clone()).await;
    let facts = events.iter().find_map(|event| match event {
        Event::ToolCallStarted { sandbox, .. } => sandbox.clone(),
        _ => None,
    });
    let facts = serde_json::to_value(facts.unwrap()).unwrap();
    assert_eq!(
        facts,
        json!({"folder": "scratch folder of this chat", "reads": ["papers"], "writes": ["site"], "vault": true,
            "hosts": [], "seconds": 120, "memory": 1 << 30})
    );
    let asked = approver.asked();
    assert_eq!(asked.len(), 2, "no approval covers the next call");
    assert_eq!(asked[0].question, "Run this command?");
    assert_eq!(asked[0].decisions, [Decision::Once, Decision::Deny]);
    let ended: Vec<Value> = events
        .iter()
        .filter_map(|event| match event {
            Event::ToolCallCompleted { output, .. } => Some(output.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(said(&ended[0]), "edited\n");
    assert_eq!(ended[1]["code"], json!("denied_by_user"));
}

#[tokio::test]
async fn only_a_rule_written_for_it_runs_it() {
    for (rule, runs) in [("core__bash", true), ("core__*", false), ("*", false)] {
        let nova = with_bash([bash("echo hello"), text("Done.")]);
        nova.rules(&format!("permissions:\n  allow: [\"{rule}\"]\n"));
        let Some(app) = started(&nova).await else { return };
        let (_, events) = turn(&app, None, "Go", nova_app::NoApprover).await;
        assert_eq!(output(&events)["exit_code"] == json!(0), runs, "{rule}: {events:?}");
    }
}

#[tokio::test]
async fn sees_open_folders_and_the_vault_without_private_notes() {
    let nova = with_bash([
        bash("pwd; cd /; find vault workspaces scratch -type f | sort; cat vault/Ideas.md vault/scan.txt"),
        text("Done."),
        bash("ls /vault; cat /vault/*.md"),
        text("Done."),
        bash(
            "echo new > /workspaces/site/new.html; echo kept > kept.txt; echo x > /workspaces/papers/one.txt; \
              echo x > /vault/Ideas.md; cat \"$(dirname /vault)\"/vault/../scratch/kept.txt",
        ),
        text("Done."),
    ]);
    let Some(app) = started(&nova).await else { return };
    let (end, events) = turn(&app, None, "Look", yes()).await;
    assert_eq!(
        said(&output(&events)),
        "/scratch\nvault/CRM/Jane.md\nvault/Ideas.md\nvault/scan.txt\nworkspaces/papers/one.txt\n\
         workspaces/site/index.html\n# Ideas\n\nGrow basil.\na scan\n"
    );
    // One becomes private, one public, one is deleted, one is new.
    nova.vault.write("Ideas.md", "---\nnova: private\n---\ncanary-ideas\n");
    nova.vault.write("Plans.md", "No secret any more.\n");
    fs::remove_file(nova.vault.root().join("scan.txt")).unwrap();
    nova.vault.write("New.md", "New.\n");
    let (_, events) = turn(&app, Some(&end.session), "Look again", yes()).await;
    assert_eq!(said(&output(&events)), "CRM\nNew.md\nPlans.md\nNew.\nNo secret any more.\n");

    let (_, events) = turn(&app, Some(&end.session), "Write", yes()).await;
    let told = output(&events);
    assert!(said(&told).matches("Read-only file system").count() == 2, "{told}");
    assert!(said(&told).ends_with("kept\n"), "{told}");
    assert_eq!(fs::read_to_string(nova.home().join("site/new.html")).unwrap(), "new\n");
    assert_eq!(fs::read_to_string(nova.home().join("papers/one.txt")).unwrap(), "one\n");
    let requests = nova.model.requests().iter().map(Value::to_string).collect::<String>();
    assert!(!requests.contains("canary"), "no private note is in a request");
}

#[tokio::test]
async fn reaches_no_key_no_nova_process_and_no_nova_file() {
    let pid = std::process::id();
    let nova = with_bash_at(|nova| {
        let (home, vault) = (nova.home().display().to_string(), nova.vault.root().display().to_string());
        let secrets = [
            format!("{home}/.ssh/id_ed25519"),
            format!("{home}/data/nova.db"),
            format!("{home}/config/nova.config.json"),
            format!("/proc/{pid}/environ"),
            format!("{vault}/Plans.md"),
            format!("{vault}/Diary/Monday.md"),
            "/vault/Plans.md".into(),
            "/vault/../../etc/shadow".into(),
            "/proc/1/root/etc/shadow".into(),
        ];
        let places = [format!("{vault}/new.md"), "/usr/bin/new".into(), "/etc/new".into()];
        let reads = secrets.map(|file| format!("cat '{file}' >/dev/null 2>&1 && echo 'read {file}'; "));
        let writes = places.map(|file| format!("(echo x > '{file}') 2>/dev/null && echo 'wrote {file}'; "));
        let others = format!(
            // A command has its own /tmp, which hides this test's home folder.
            "(echo x > '{home}/data/new') 2>/dev/null; \
             cat '{vault}/Ideas.md' >/dev/null || echo 'no vault'; \
             kill -0 {pid} 2>/dev/null && echo signalled; \
             (exec 3<>/dev/tcp/127.0.0.1/22) 2>/dev/null && echo connected; \
             getent hosts example.com && echo resolved; "
        );
        let script = format!("{}{}{others} echo end", reads.concat(), writes.concat());
        vec![bash(&script), text("Done.")]
    });
    let Some(app) = started(&nova).await else { return };
    assert!(nova.data().join("nova.db").exists());
    let (_, events) = turn(&app, None, "Try", yes()).await;
    assert_eq!(said(&output(&events)), "end\n");
    assert!(!nova.data().join("new").exists() && !nova.vault.root().join("new.md").exists());
}

#[tokio::test]
async fn opened_notes_are_reported_as_read() {
    let nova = with_bash([bash("cat /vault/CRM/Jane.md; ls /vault"), text("Done.")]);
    let Some(app) = started(&nova).await else { return };
    let (_, events) = turn(&app, None, "Look", yes()).await;
    let named: Vec<&String> = events
        .iter()
        .flat_map(|event| match event {
            Event::StepStarted { notes, .. } => notes.iter().collect(),
            _ => Vec::new(),
        })
        .collect();
    assert_eq!(named, ["CRM/Jane.md"], "{events:?}");
}

#[tokio::test]
async fn rule_about_a_note_holds_for_notes_a_command_opens() {
    let nova = with_bash([bash("cat /vault/CRM/Jane.md"), text("No.")]);
    nova.rules("permissions:\n  deny: [\"core__*(path=CRM/*)\"]\n");
    let Some(app) = started(&nova).await else { return };
    let (_, events) = turn(&app, None, "Look", yes()).await;
    assert_eq!(output(&events)["code"], json!("denied_by_rule"), "{events:?}");
}

#[tokio::test]
async fn long_output_is_cut_in_the_answer_and_kept_in_scratch() {
    let nova = with_bash([
        bash("seq 1 20000; echo oops >&2; exit 3"),
        call("core__grep", json!({"pattern": "^1234$", "path": "scratch"})),
        text("Done."),
    ]);
    let Some(app) = started(&nova).await else { return };
    let (_, events) = turn(&app, None, "Count", yes()).await;
    let told = output(&events);
    assert_eq!((&told["exit_code"], &told["lines"]), (&json!(3), &json!(20_001)));
    assert!(said(&told).starts_with("1\n2\n") && said(&told).ends_with("20000\noops\n"), "{told}");
    let file = told["whole_output"].as_str().unwrap();
    let hits = events.iter().filter_map(|event| match event {
        Event::ToolCallCompleted { output, .. } => output["hits"][0]["path"].as_str(),
        _ => None,
    });
    assert_eq!(hits.collect::<Vec<_>>(), [file]);
    let mut partials = events.iter().filter_map(|event| match event {
        Event::ToolCallProgress { partial: Some(partial), .. } => partial["output"].as_str(),
        _ => None,
    });
    // A command that ends at once may have reported nothing before.
    assert!(partials.all(|partial| partial.len() <= 8 << 10));
}

#[tokio::test]
async fn input_is_empty_and_limits_end_it() {
    let Some(ended) = outputs(&[
        "cat; read -r line; echo \"read $?\"",
        "yes",
        "x=$(head -c 3000000000 /dev/zero | tr '\\0' x); echo grown",
        "bomb() { bomb | bomb & }; bomb; sleep 100",
    ])
    .await
    else {
        return;
    };
    assert_eq!(said(&ended[0]), "read 1\n");
    let reason = |index: usize| ended[index]["ended"].as_str().unwrap_or_default().to_owned();
    assert_eq!(reason(1), "It printed more than 64 MB. Write to a file.");
    assert!(!said(&ended[2]).contains("grown"), "{}", ended[2]);
    assert_eq!(reason(3), "It started more than 256 processes.");
}

#[tokio::test]
async fn time_limit_ends_it_and_keeps_its_output() {
    let nova = with_bash([
        call("core__bash", json!({"command": "echo begun; sleep 1000", "timeout_s": 1})),
        text("Too slow."),
    ]);
    let Some(app) = started(&nova).await else { return };
    let (_, events) = turn(&app, None, "Wait", yes()).await;
    let told = output(&events);
    assert_eq!(said(&told), "begun\n");
    assert_eq!(told["ended"], json!("It did not end in 1 s. Give it more with timeout_s."));
}

#[tokio::test]
async fn stop_ends_it_and_its_processes() {
    let nova =
        with_bash([bash("(setsid sleep 1000 &); trap '' TERM; echo begun; sleep 1000"), text("Stopped.")]);
    let Some(app) = started(&nova).await else { return };
    let mut events = app.events();
    let stopping = async {
        loop {
            let envelope = events.recv().await.unwrap();
            if let Event::ToolCallProgress { call, partial: Some(_), .. } = envelope.event {
                app.stop_call(CallRef { session: envelope.session.unwrap(), call }).await.unwrap();
                return;
            }
        }
    };
    let ((_, events), ()) = tokio::join!(turn(&app, None, "Go", yes()), stopping);
    let stopped = events.iter().find_map(|event| match event {
        Event::ToolCallCompleted { ok: false, output, so_far, .. } => Some((output.clone(), so_far.clone())),
        _ => None,
    });
    let (told, so_far) = stopped.unwrap();
    assert_eq!(told["code"], json!("cancelled"));
    assert_eq!(so_far.unwrap()["output"], json!("begun\n"));
}

#[tokio::test]
async fn background_command_continues_is_listed_and_can_be_stopped() {
    let mut nova = with_bash([
        call("core__bash", json!({"command": "echo begun; sleep 1000", "background": true})),
        text("It runs."),
    ]);
    nova.settle = std::time::Duration::from_millis(500);
    let Some(app) = started(&nova).await else { return };
    let (end, events) = turn(&app, None, "Go", yes()).await;
    assert!(events.iter().any(|event| matches!(event, Event::ToolCallDetached { .. })), "{events:?}");
    until(&app, &end.session, 1).await;
    let view = app.open_session(nova_protocol::SessionRef { session: end.session.clone() }).await.unwrap();
    let mut events = app.events();
    let call = view.running_calls[0].clone();
    app.stop_call(CallRef { session: end.session.clone(), call }).await.unwrap();
    wait_for(&mut events, |event| matches!(event, Event::ToolCallCompleted { ok: false, .. })).await;
    until(&app, &end.session, 0).await;
}

#[tokio::test]
async fn link_planted_by_a_command_leads_no_tool_outside() {
    let nova = with_bash_at(|nova| {
        let keys = nova.home().join(".ssh").display().to_string();
        let plant =
            format!("cd /workspaces/site; ln -s {keys}/id_ed25519 key.txt; ln -s {keys} keys; ls | wc -l");
        vec![
            bash(&plant),
            calls([
                ("core__write", json!({"path": "site/key.txt", "content": "planted"})),
                ("core__write", json!({"path": "site/keys/new", "content": "planted"})),
                ("core__read", json!({"path": "site/key.txt"})),
            ]),
            text("Done."),
        ]
    });
    let Some(app) = started(&nova).await else { return };
    let (_, events) = turn(&app, None, "Plant", yes()).await;
    assert_eq!(said(&output(&events)), "3\n", "both links exist");
    assert_eq!(fs::read_to_string(nova.home().join(".ssh/id_ed25519")).unwrap(), "canary-key");
    assert_eq!(fs::read_dir(nova.home().join(".ssh")).unwrap().count(), 1);
    assert!(!format!("{events:?}").contains("canary-key"));
}

/// A typical public folder skill: a shell script, a Python script, and one that needs the network.
fn with_scripts(nova: &Nova) -> PathBuf {
    let folder = nova.config().join("skills").join("totals");
    for (file, text) in [
        ("SKILL.md", "---\nname: totals\ndescription: Adds up columns.\n---\n\nRun scripts/total.sh FILE.\n"),
        ("scripts/total.sh", "#!/bin/sh\nset -eu\nawk '{sum += $1} END {print \"total\", sum}' \"$1\"\n"),
        (
            "scripts/table.py",
            "#!/usr/bin/env python3\nimport csv, pathlib, sys\n\nhead = (pathlib.Path(__file__).parent.parent / 'assets/head.txt').read_text().strip()\n\
             rows = list(csv.DictReader(open(sys.argv[1])))\nprint(head, sum(int(row['n']) for row in rows))\n",
        ),
        ("scripts/fetch.sh", "#!/bin/bash\nexec 3<>/dev/tcp/93.184.215.14/80 && echo connected\n"),
        ("scripts/office.py", OFFICE),
        ("assets/head.txt", "sum\n"),
    ] {
        let file = folder.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder
}

#[tokio::test]
async fn scripts_of_a_skill_run_from_a_read_only_copy() {
    let nova = with_bash([
        call("load_skill", json!({"skill": "totals"})),
        bash(
            "printf '1\\n2\\n' > n.txt; /skills/totals/scripts/total.sh n.txt; \
              printf 'n\\n3\\n4\\n' > n.csv; /usr/bin/python3 /skills/totals/scripts/table.py n.csv; \
              /skills/totals/scripts/fetch.sh 2>/dev/null || echo no network; \
              echo x >> /skills/totals/scripts/total.sh || echo unchanged",
        ),
        text("Done."),
        bash("/skills/totals/scripts/total.sh n.txt"),
        text("Done."),
    ]);
    let folder = with_scripts(&nova);
    let Some(app) = started(&nova).await else { return };
    app.tools_loaded(nova_testkit::PATIENCE).await;
    let (end, events) = turn(&app, None, "Add up", yes()).await;
    let told = nova.model.last_texts("tool");
    assert!(told[0].contains("the folder is /skills/totals"), "{told:?}");
    let table = if std::path::Path::new("/usr/bin/python3").exists() { "sum 7\n" } else { "" };
    let told = output(&events[events.len() / 2..]);
    let lines: String =
        said(&told).lines().filter(|line| !line.contains(": ")).map(|line| format!("{line}\n")).collect();
    assert_eq!(lines, format!("total 3\n{table}no network\nunchanged\n"), "{told}");
    // An edit applies from the next command on.
    fs::write(folder.join("scripts/total.sh"), "#!/bin/sh\necho edited\n").unwrap();
    let (_, events) = turn(&app, Some(&end.session), "Again", yes()).await;
    assert_eq!(said(&output(&events)), "edited\n");
}

/// Uses the libraries that public skills rely on.
const OFFICE: &str = "
import docx, openpyxl, pypdf

book = openpyxl.Workbook()
for row in (['name', 'n'], ['one', 1], ['two', 2]):
    book.active.append(row)
book.save('totals.xlsx')
rows = list(openpyxl.load_workbook('totals.xlsx').active.values)
letter = docx.Document()
letter.add_paragraph(f'Total {sum(n for _, n in rows[1:])}')
letter.save('letter.docx')
print(docx.Document('letter.docx').paragraphs[0].text)
pages = pypdf.PdfWriter()
pages.add_blank_page(100, 100)
pages.write('blank.pdf')
print(len(pypdf.PdfReader('blank.pdf').pages), 'page')
";

#[tokio::test]
async fn script_writes_files_that_the_assistant_reads() {
    let has_libraries = std::process::Command::new("/usr/bin/python3")
        .args(["-c", "import docx, openpyxl, pypdf"])
        .stderr(std::process::Stdio::null())
        .status();
    if !has_libraries.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED, nothing was tested: /usr/bin/python3 lacks docx, openpyxl or pypdf");
        return;
    }
    let nova = with_bash([
        bash("/usr/bin/python3 /skills/totals/scripts/office.py"),
        call("core__read", json!({"path": "scratch/letter.docx"})),
        text("Done."),
    ]);
    with_scripts(&nova);
    let Some(app) = started(&nova).await else { return };
    app.tools_loaded(nova_testkit::PATIENCE).await;
    let (_, events) = turn(&app, None, "Write", yes()).await;
    assert_eq!(said(&output(&events)), "Total 3\n1 page\n");
    let read = nova.model.last_texts("tool").pop().unwrap();
    assert!(read.contains("Total 3"), "{read}");
}
