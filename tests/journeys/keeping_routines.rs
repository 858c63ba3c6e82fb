//! Routines run by themselves at the time that their note sets, and stop where they need their owner.

use std::process::Stdio;

use nova_app::App;
use nova_protocol::{
    Commands as _, DecideApproval, Decision, ErrorCode, Event, Nothing, RoutineEnd, RoutineRef, RoutineRow,
    RoutineRun, SessionRef, SwitchRoutine,
};
use nova_testkit::{call, pause, text};
use serde_json::json;

use super::nova::{Nova, wait_for};

const HOUR: i64 = 3600;
const LOG: &str = "//- Log.md\n# Log\n";

/// Due every day at ten; a journey's clock starts at nine.
pub(super) fn vault(properties: &str) -> String {
    format!(
        "{LOG}//- Routines/Morning.md\n---\ntype: routine\nwhen: daily 10:00\n{properties}---\nWhat is due?\n"
    )
}

fn logs(text: &str) -> nova_testkit::Answer {
    call("vault__append_to_note", json!({"path": "Log.md", "text": text}))
}

pub(super) async fn row(app: &App, name: &str) -> RoutineRow {
    let rows = app.list_routines(Nothing {}).await.unwrap();
    rows.into_iter().find(|row| row.name == name).unwrap()
}

async fn last(app: &App) -> RoutineRun {
    row(app, "Morning").await.last.expect("the routine ran")
}

/// Checks once at nine, when the routine is new, and once at ten.
async fn at_ten(nova: &Nova) -> App {
    let app = nova.start().await;
    app.run_due_routines(false).await.unwrap();
    assert_eq!(nova.model.requests().len(), 0, "nothing is due at nine");
    nova.clock.advance(HOUR);
    app.run_due_routines(false).await.unwrap();
    app
}

#[tokio::test]
async fn routine_runs_once_at_its_time_in_its_own_chat() {
    let nova = Nova::new(&vault(""), [text("Two tasks are due."), text("Nothing is due.")]);
    let app = at_ten(&nova).await;

    let run = last(&app).await;
    assert_eq!((run.end, run.said.as_str(), run.late), (RoutineEnd::Completed, "Two tasks are due.", 0));
    assert_eq!(nova.model.last_texts("user").last().unwrap(), "What is due?");
    let chat = app.open_session(SessionRef { session: run.session.clone() }).await.unwrap();
    assert_eq!(chat.row.title, "Morning");
    assert_eq!(row(&app, "Morning").await.next.as_deref(), Some("2026-11-22T10:00:00Z"));

    app.run_due_routines(false).await.unwrap();
    assert_eq!(nova.model.requests().len(), 1, "a time is due once");
    nova.clock.advance(24 * HOUR);
    app.run_due_routines(false).await.unwrap();
    let next = last(&app).await;
    assert_eq!(next.said, "Nothing is due.");
    assert_ne!(next.session, run.session, "each run has a chat of its own");
    nova.model.finish();
}

#[tokio::test]
async fn missed_times_run_once_and_report_the_delay() {
    let nova = Nova::new(&vault(""), [text("Late, but here.")]);
    let before = nova.start().await;
    before.run_due_routines(false).await.unwrap();
    drop(before);
    nova.clock.advance(3 * 24 * HOUR + 3 * HOUR + 40 * 60);

    let app = nova.start().await;
    app.run_due_routines(true).await.unwrap();
    app.run_due_routines(false).await.unwrap();

    assert_eq!(
        nova.model.last_texts("user").last().unwrap(),
        "(Morning was due at 2026-11-24 10:00 and runs 2 h 40 min late. It was missed since 2026-11-21 10:00.)\n\n\
         What is due?"
    );
    assert_eq!(last(&app).await.late, 160);
    nova.model.finish();
}

#[tokio::test]
async fn clock_set_back_runs_nothing_twice() {
    let nova = Nova::new(&vault(""), [text("Once."), text("By hand.")]);
    let app = at_ten(&nova).await;
    for hours in [-1, 1, -72, 73] {
        nova.clock.advance(hours * HOUR);
        app.run_due_routines(false).await.unwrap();
        assert_eq!(nova.model.requests().len(), 1, "after {hours} hours");
    }
    assert_eq!(last(&app).await.said, "Once.");
    assert_eq!(app.run_routine_to_end("morning").await.unwrap().last.unwrap().said, "By hand.");
    nova.model.finish();
}

#[tokio::test]
async fn question_pauses_the_run_while_others_run() {
    let other = "//- Routines/Other.md\n---\ntype: routine\nwhen: daily 10:00\n---\nAnything else?\n";
    let answers = [logs("Ten."), text("Nothing else."), text("Logged.")];
    let nova = Nova::new(&format!("{}{other}", vault("")), answers);
    let app = at_ten(&nova).await;

    let run = last(&app).await;
    assert_eq!((run.end, run.said.as_str()), (RoutineEnd::Waiting, "Change 1 note?"));
    assert_eq!(nova.vault.read("Log.md"), "# Log\n");
    assert_eq!(row(&app, "Other").await.last.unwrap().end, RoutineEnd::Completed);
    let again = app.run_routine(RoutineRef { path: "Morning".into() }).await.unwrap_err();
    assert_eq!(again.message, "Morning is already running, or waits for your answer.");

    // The chat, opened later, has the card; answering it resumes the turn.
    let chat = app.open_session(SessionRef { session: run.session.clone() }).await.unwrap();
    let card = chat.events.iter().find_map(|envelope| match &envelope.event {
        Event::ApprovalRequested { call, revision, .. } => Some((call.clone(), *revision)),
        _ => None,
    });
    let (call, revision) = card.expect("the card");
    let mut events = app.events();
    answer(&app, &run.session, &call, revision).await;
    ended(&app, &mut events).await;
    assert_eq!(nova.vault.read("Log.md"), "# Log\nTen.\n");
    assert_eq!(last(&app).await.said, "Logged.");
    nova.model.finish();
}

async fn answer(app: &App, session: &str, call: &str, revision: u32) {
    app.decide_approval(DecideApproval {
        session: session.into(),
        call: call.into(),
        decision: Decision::Once,
        revision,
        args: None,
        reason: None,
    })
    .await
    .unwrap();
}

/// Waits until the routine has ended.
async fn ended(app: &App, events: &mut tokio::sync::broadcast::Receiver<nova_protocol::Envelope>) {
    while matches!(last(app).await.end, RoutineEnd::Running | RoutineEnd::Waiting) {
        wait_for(events, |event| matches!(event, Event::RoutinesChanged {})).await;
    }
}

#[tokio::test]
async fn card_is_answered_in_another_process_than_the_waiting_one() {
    let nova = Nova::new(&vault(""), [logs("Ten."), text("Logged.")]);
    let serving = at_ten(&nova).await;
    let window = nova.start().await;
    let run = last(&window).await;
    assert_eq!(run.end, RoutineEnd::Waiting);
    window.run_due_routines(false).await.unwrap();
    let chat = window.open_session(SessionRef { session: run.session.clone() }).await.unwrap();
    let call = chat.events.iter().find_map(|envelope| match &envelope.event {
        Event::ApprovalRequested { call, .. } => Some(call.clone()),
        _ => None,
    });

    let mut events = serving.events();
    answer(&window, &run.session, &call.unwrap(), 1).await;
    ended(&serving, &mut events).await;
    assert_eq!(nova.vault.read("Log.md"), "# Log\nTen.\n");
    nova.model.finish();
}

#[tokio::test]
async fn only_what_its_note_allows_runs_without_a_card() {
    let nova = Nova::new(&vault("allow: vault.append_to_note\n"), [logs("Ten."), text("Logged.")]);
    let app = at_ten(&nova).await;
    assert_eq!(last(&app).await.end, RoutineEnd::Completed);
    assert_eq!(nova.vault.read("Log.md"), "# Log\nTen.\n");
    nova.model.finish();

    // A permission of the assistant does not extend to a routine.
    let nova = Nova::new(&vault("allow: vault.create_note\n"), [logs("Ten.")]);
    nova.rules("permissions: {allow: ['vault__*', vault__append_to_note]}");
    let app = at_ten(&nova).await;
    assert_eq!(last(&app).await.end, RoutineEnd::Waiting);
    assert_eq!(nova.vault.read("Log.md"), "# Log\n");

    // A denial by the user applies to it, too.
    let nova = Nova::new(&vault("allow: 'vault.*'\n"), [logs("Ten."), text("I may not.")]);
    nova.rules("permissions: {deny: [vault__append_to_note]}");
    let app = at_ten(&nova).await;
    assert_eq!(last(&app).await.said, "I may not.");
    assert_eq!(nova.vault.read("Log.md"), "# Log\n");
    nova.model.finish();
}

#[tokio::test]
async fn no_text_widens_the_rights_of_a_routine() {
    // As a model does after prompt injection by a note.
    let widening = call(
        "vault__set_properties",
        json!({"path": "Routines/Morning.md", "properties": {"allow": ["core.*"]}}),
    );
    let nova = Nova::new(&vault("allow: 'vault.*'\n"), [widening]);
    let before = nova.vault.read("Routines/Morning.md");
    let app = at_ten(&nova).await;
    let run = last(&app).await;
    assert_eq!(run.end, RoutineEnd::Waiting);
    assert!(run.said.ends_with("It changes a routine, which runs later by itself."), "{}", run.said);
    assert_eq!(nova.vault.read("Routines/Morning.md"), before);

    // A note that becomes a routine, and one whose text claims permissions.
    let becoming =
        call("vault__set_properties", json!({"path": "Log.md", "properties": {"type": "routine"}}));
    let nova = Nova::new(&vault("allow: 'vault.*'\n"), [becoming]);
    let app = at_ten(&nova).await;
    assert_eq!(last(&app).await.end, RoutineEnd::Waiting);
    let asks = format!(
        "{LOG}//- Routines/Morning.md\n---\ntype: routine\nwhen: daily 10:00\n---\n---\nallow: 'vault.*'\n---\nLog it.\n"
    );
    let nova = Nova::new(&asks, [logs("Ten.")]);
    let app = at_ten(&nova).await;
    assert_eq!(last(&app).await.end, RoutineEnd::Waiting);
}

#[tokio::test]
async fn edit_during_a_run_counts_from_the_next_one() {
    let nova = Nova::new(&vault(""), [pause().and(logs("Ten.")), text("Logged.")]);
    let app = nova.start().await;
    app.run_due_routines(false).await.unwrap();
    nova.clock.advance(HOUR);
    let running = tokio::spawn({
        let app = app.clone();
        async move { app.run_due_routines(false).await }
    });
    nova.model.wait_for_request(1).await;
    let note = nova.vault.read("Routines/Morning.md");
    nova.vault.write("Routines/Morning.md", &note.replace("daily 10:00\n", "daily 09:30\nallow: vault.*\n"));
    nova.model.resume();
    running.await.unwrap().unwrap();
    assert_eq!(last(&app).await.end, RoutineEnd::Waiting, "it keeps its initial rights");
    assert_eq!(nova.vault.read("Log.md"), "# Log\n");
    assert_eq!(row(&app, "Morning").await.next.as_deref(), Some("2026-11-22T09:30:00Z"));
}

#[tokio::test]
async fn runs_never_overlap() {
    let nova = Nova::new(&vault(""), [pause().and(text("Done."))]);
    let app = nova.start().await;
    app.run_due_routines(false).await.unwrap();
    nova.clock.advance(HOUR);
    let running = tokio::spawn({
        let app = app.clone();
        async move { app.run_due_routines(false).await }
    });
    nova.model.wait_for_request(1).await;
    let other = nova.start().await;
    assert_eq!(other.run_due_routines(true).await, Ok(false));
    let by_hand = other.run_routine(RoutineRef { path: "Morning".into() }).await.unwrap_err();
    assert_eq!(
        (by_hand.code, by_hand.message.as_str()),
        (ErrorCode::SessionBusy, "Another routine is running.")
    );
    assert_eq!(last(&other).await.end, RoutineEnd::Running);
    nova.model.resume();
    running.await.unwrap().unwrap();
    assert_eq!(other.run_due_routines(true).await, Ok(true));
    assert_eq!(last(&other).await.end, RoutineEnd::Completed);
    nova.model.finish();
}

#[tokio::test]
async fn routine_runs_a_tool_without_a_model() {
    let tool = "tool: vault.append_to_note\nargs: '{\"path\": \"Log.md\", \"text\": \"Ten.\"}'\n";
    let nova = Nova::new(&vault(&format!("{tool}allow: vault.append_to_note\n")), []);
    let app = at_ten(&nova).await;
    assert_eq!(last(&app).await.end, RoutineEnd::Completed, "{:?}", last(&app).await);
    assert_eq!(nova.vault.read("Log.md"), "# Log\nTen.\n");
    assert_eq!(nova.model.requests().len(), 0);

    let nova = Nova::new(&vault("tool: vault.read_note\nargs: '{\"path\": \"None.md\"}'\n"), []);
    let run = last(&at_ten(&nova).await).await;
    assert_eq!((run.end, run.said.contains("None.md")), (RoutineEnd::Failed, true), "{run:?}");

    let nova = Nova::new(&vault("tool: vault.read_notes\n"), []);
    let run = last(&at_ten(&nova).await).await;
    assert!(run.said.starts_with("There is no tool \"vault.read_notes\". Nearest: "), "{run:?}");
    assert_eq!((run.end, run.session.as_str()), (RoutineEnd::Failed, ""));
}

#[tokio::test]
async fn contact_change_starts_a_routine_once_but_its_own_changes_do_not() {
    let notes = CONTACTS.replace("a contact changes\n", "a contact changes\nallow: vault.*\n");
    let nova = Nova::new(&notes, [own_edit(), text("Done.")]);
    let app = nova.start().await;
    for _ in 0..2 {
        app.run_due_routines(false).await.unwrap();
    }
    assert_eq!(nova.model.requests().len(), 0);
    nova.vault.write("People/Jane.md", "---\ntype: contact\nname: Jane Doe\n---\n");
    for _ in 0..3 {
        app.run_due_routines(false).await.unwrap();
    }
    assert_eq!(nova.model.requests().len(), 2, "one run of two steps");
    assert!(nova.vault.read("People/Jane.md").contains("stage: lead"));
    nova.model.finish();
}

const CONTACTS: &str = "
//- People/Jane.md
---
type: contact
name: Jane
---
//- Routines/Contacts.md
---
type: routine
when: when a contact changes
---
Look after the contacts.
";

fn own_edit() -> nova_testkit::Answer {
    call("vault__set_properties", json!({"path": "People/Jane.md", "properties": {"stage": "lead"}}))
}

#[tokio::test]
async fn edit_during_another_routines_run_starts_a_routine_but_that_runs_own_edits_do_not() {
    let notes = format!("{}{CONTACTS}", vault("allow: vault.*\n"));
    let nova = Nova::new(&notes, [own_edit(), pause().and(text("Done.")), text("Ravi is new.")]);
    let app = nova.start().await;
    app.run_due_routines(false).await.unwrap();
    nova.clock.advance(HOUR);
    let running = tokio::spawn({
        let app = app.clone();
        async move { app.run_due_routines(false).await }
    });
    nova.model.wait_for_request(2).await;
    nova.vault.write("People/Ravi.md", "---\ntype: contact\nname: Ravi\n---\n");
    nova.model.resume();
    running.await.unwrap().unwrap();
    assert_eq!(row(&app, "Contacts").await.last, None, "not while the other one runs");

    app.run_due_routines(false).await.unwrap();
    assert_eq!(row(&app, "Contacts").await.last.expect("it ran").said, "Ravi is new.");
    app.run_due_routines(false).await.unwrap();
    nova.model.finish();

    // The run's own edit alone starts nothing.
    let nova = Nova::new(&notes, [own_edit(), text("Done.")]);
    let app = at_ten(&nova).await;
    app.run_due_routines(false).await.unwrap();
    assert_eq!(row(&app, "Contacts").await.last, None);
    nova.model.finish();
}

#[tokio::test]
async fn edits_before_and_during_a_question_are_told_apart() {
    let notes = format!("{}{CONTACTS}", vault("allow: vault.set_properties\n"));
    let nova = Nova::new(&notes, [own_edit(), logs("Ten."), text("Ravi is new.")]);
    let app = at_ten(&nova).await;
    assert_eq!(last(&app).await.end, RoutineEnd::Waiting);
    app.run_due_routines(false).await.unwrap();
    assert_eq!(row(&app, "Contacts").await.last, None, "the waiting run edited the contact");

    nova.vault.write("People/Ravi.md", "---\ntype: contact\nname: Ravi\n---\n");
    app.run_due_routines(false).await.unwrap();
    assert_eq!(row(&app, "Contacts").await.last.expect("it ran").said, "Ravi is new.");
    nova.model.finish();
}

#[tokio::test]
async fn broken_routine_says_why_and_blocks_no_other() {
    let broken = "//- Routines/Broken.md\n---\ntype: routine\nwhen: every 0 minutes\n---\nHello\n";
    let nova = Nova::new(&format!("{broken}{}", vault("")), [text("Fine.")]);
    let app = at_ten(&nova).await;
    assert_eq!(last(&app).await.said, "Fine.");
    let problem = row(&app, "Broken").await.problem.unwrap();
    assert!(
        problem.contains("is not between 5 minutes and 24 hours. Write it as `weekdays 07:30`"),
        "{problem}"
    );
    let by_hand = app.run_routine_to_end("Broken").await.unwrap_err();
    assert_eq!(by_hand.message, problem);

    // A disabled one is not due.
    app.switch_routine(SwitchRoutine { path: "Morning".into(), enabled: false }).await.unwrap();
    assert!(nova.vault.read("Routines/Morning.md").contains("enabled: false"));
    nova.clock.advance(48 * HOUR);
    app.run_due_routines(false).await.unwrap();
    nova.model.finish();
}

#[tokio::test]
async fn private_routine_is_not_sent_to_a_remote_model() {
    let nova = Nova::new(&vault("nova: private\nmodel: away/m\n"), []);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "away", "kind": "openai", "base_url": "https://models.example/v1"}],
    }));
    let run = last(&at_ten(&nova).await).await;
    assert!(
        run.said.starts_with("The routine's note is private, and its model runs at models.example"),
        "{run:?}"
    );
}

#[tokio::test]
async fn unreadable_run_record_stops_all_routines() {
    let nova = Nova::new(&vault(""), []);
    let app = nova.start().await;
    std::fs::write(nova.data().join("routines.json"), "{").unwrap();
    nova.clock.advance(HOUR);
    let error = app.run_due_routines(true).await.unwrap_err();
    assert!(error.message.ends_with("No routine runs."), "{}", error.message);
    assert_eq!(std::fs::read_to_string(nova.data().join("routines.json")).unwrap(), "{");
}

/// Kills the real program between the record of a start and its end.
#[tokio::test]
async fn killed_run_is_not_repeated() {
    let routine = "//- Routines/Monthly.md\n---\ntype: routine\nwhen: monthly 1 09:00\n---\nWhat is due?\n";
    let nova = Nova::new(routine, [text("It beg").stall()]);
    let vault = nova.vault.root().display().to_string();
    let real = nova.vault.root().canonicalize().unwrap().display().to_string();
    let entry = json!({"schedule": "on | monthly 1 09:00 | ", "through": "2020-01-01T09:00:00Z"});
    std::fs::create_dir_all(nova.data()).unwrap();
    let routines = json!({"Routines/Monthly.md": entry});
    let ledger = json!({"vaults": {vault: routines, real: routines}});
    std::fs::write(nova.data().join("routines.json"), ledger.to_string()).unwrap();
    let mut serving =
        nova.command(&["routine", "serve"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let sent = nova.model.wait_for_request(1).await;
    assert!(sent.to_string().contains("It was missed since 2020-02-01 09:00."), "{sent}");
    serving.kill().unwrap();
    serving.wait().unwrap();

    let (code, rows) = nova.json(&["routine", "list"]);
    assert_eq!((code, &rows[0]["last"]["end"]), (0, &json!("cut_off")), "{rows}");
    let mut again =
        nova.command(&["routine", "serve"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // Its first check has settled the interrupted run; nothing is sent again.
    let settled = async {
        while !std::fs::read_to_string(nova.data().join("routines.json")).unwrap().contains("cut_off") {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(nova_testkit::PATIENCE, settled).await.unwrap();
    again.kill().unwrap();
    again.wait().unwrap();
    assert_eq!(nova.model.requests().len(), 1);
}

#[test]
fn routines_are_added_listed_run_and_removed_at_a_terminal() {
    let nova = Nova::new(LOG, [text("Two are due."), logs("Ten.")]);
    let (code, added) = nova.json(&[
        "routine",
        "add",
        "Morning mail",
        "--when",
        "weekdays 07:30",
        "--when",
        "sun 10:00",
        "--zone",
        "Europe/Berlin",
        "-p",
        "What is due?",
        "--allow",
        "vault.append_to_note",
    ]);
    assert_eq!((code, &added["path"]), (0, &json!("Routines/Morning mail.md")), "{added}");
    assert_eq!(
        nova.vault.read("Routines/Morning mail.md"),
        "---\ntype: routine\nwhen:\n  - weekdays 07:30\n  - sun 10:00\nzone: Europe/Berlin\nallow:\n  - vault.append_to_note\n---\nWhat is due?\n"
    );
    let (code, ran) = nova.json(&["routine", "run", "morning mail"]);
    assert_eq!((code, &ran["last"]["said"]), (0, &json!("Two are due.")), "{ran}");
    let (code, error) = nova.json(&["routine", "add", "Wrong", "--when", "every 0 minutes", "-p", "Hello"]);
    assert_eq!((code, nova.vault.exists("Routines/Wrong.md")), (1, false), "{error}");
    let (code, error) = nova.json(&["routine", "add", "Morning mail", "--when", "at start", "-p", "Hello"]);
    assert_eq!(code, 1, "an existing note is not replaced: {error}");

    // Without an approver the run ends at its question.
    nova.vault.write("Routines/Log.md", "---\ntype: routine\nwhen: at start\n---\nLog it.\n");
    let (code, ran) = nova.json(&["routine", "run", "Log"]);
    assert_eq!((code, &ran["last"]["end"]), (1, &json!("stopped")), "{ran}");
    assert_eq!(ran["last"]["said"], "Change 1 note?");
    assert_eq!(nova.vault.read("Log.md"), "# Log\n");

    let (code, removed) = nova.json(&["routine", "remove", "Morning mail"]);
    assert_eq!((code, nova.vault.exists("Routines/Morning mail.md")), (0, false), "{removed}");
    let listed = String::from_utf8(nova.run(&["routine", "list"]).stdout).unwrap();
    assert!(listed.starts_with("Log: at start, on\n"), "{listed}");
}

#[test]
fn service_is_written_only_with_consent() {
    let nova = Nova::new(LOG, []);
    let folder = nova.home().join("units");
    let install = ["routine", "serve", "--install", "--folder", folder.to_str().unwrap()];
    let refused = nova.run(&install);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("ExecStart="), "it is shown before approval");
    assert!(!folder.exists());
    let written = nova.run(&[&install[..], &["--yes"]].concat());
    assert_eq!(written.status.code(), Some(0));
    let unit = std::fs::read_to_string(folder.join("nova-routines.service")).unwrap();
    let (config, data) = (nova.config(), nova.home().join("data"));
    let folders = format!("--config \"{}\" --data \"{}\"", config.display(), data.display());
    assert!(unit.contains(&format!("{folders} routine serve\nRestart=on-failure\n")), "{unit}");

    // Another vault, and an AppImage, which runs from a temporary mount.
    let vault = nova.vault.root().join("50 %");
    let install = [&install[..], &["--yes", "--vault", vault.to_str().unwrap()]].concat();
    let written = nova.command(&install).env("APPIMAGE", "/opt/Nova.AppImage").output().unwrap();
    assert_eq!(written.status.code(), Some(0), "{written:?}");
    let unit = std::fs::read_to_string(folder.join("nova-routines.service")).unwrap();
    let vault = vault.to_str().unwrap().replace('%', "%%");
    assert!(unit.contains("ExecStart=\"/opt/Nova.AppImage\" --config "), "{unit}");
    assert!(unit.contains(&format!("--vault \"{vault}\" routine serve\n")), "{unit}");
}
