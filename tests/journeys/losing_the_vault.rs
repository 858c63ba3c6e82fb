//! The folder of the vault, or of an extra root, disappears while Nova runs, and comes back.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc;

use nova_app::App;
use nova_protocol::{Commands as _, ErrorCode, Event, Nothing, UndoChanges, UserError};
use nova_testkit::{Answer, PATIENCE, ScriptedApprover, call, text};
use serde_json::json;

use super::nova::{Nova, PEOPLE, turn, wait_for};

pub(super) const JANE: &str = "CRM/People/Jane Doe.md";

pub(super) fn set_stage(stage: &str) -> Answer {
    call("crm__update_contact", json!({"name": "Jane Doe", "stage": stage}))
}

pub(super) fn allowing() -> ScriptedApprover {
    ScriptedApprover::always(nova_protocol::Decision::Once)
}

pub(super) fn aside(nova: &Nova) -> PathBuf {
    nova.vault.root().with_file_name("Second Brain")
}

pub(super) fn gone_sentence(nova: &Nova) -> String {
    format!("The vault folder is gone: {}.", nova.vault.root().display())
}

pub(super) async fn problem(app: &App) -> Option<UserError> {
    app.app_status(Nothing {}).await.unwrap().vault_problem
}

pub(super) async fn wait_for_gone(
    events: &mut tokio::sync::broadcast::Receiver<nova_protocol::Envelope>,
) -> String {
    match wait_for(events, |event| matches!(event, Event::VaultGone { .. })).await {
        Event::VaultGone { root: None, message, .. } => message,
        other => panic!("{other:?}"),
    }
}

pub(super) async fn wait_for_back(
    events: &mut tokio::sync::broadcast::Receiver<nova_protocol::Envelope>,
) -> String {
    match wait_for(events, |event| matches!(event, Event::VaultBack { .. })).await {
        Event::VaultBack { root: None, message } => message,
        other => panic!("{other:?}"),
    }
}

/// Copies as restoring a backup does: every file is new.
pub(super) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

#[tokio::test]
async fn renamed_vault_is_reported_and_not_written() {
    let nova = Nova::new(
        PEOPLE,
        [
            set_stage("talking"),
            text("Done."),
            set_stage("won"),
            text("It is gone."),
            set_stage("won"),
            text("Done."),
        ],
    );
    let app = nova.start().await;
    app.watch();
    let (end, _) = turn(&app, None, "Jane talks", allowing()).await;
    let change_set = app.change_sets(None, None, None).await.unwrap().remove(0).id;
    let written = nova.vault.read(JANE);
    assert_eq!(problem(&app).await, None);

    let mut events = app.events();
    fs::rename(nova.vault.root(), aside(&nova)).unwrap();
    assert_eq!(wait_for_gone(&mut events).await, gone_sentence(&nova));
    let problem_now = problem(&app).await.unwrap();
    assert_eq!((problem_now.code, problem_now.message), (ErrorCode::VaultUnavailable, gone_sentence(&nova)));
    turn(&app, Some(&end.session), "Jane is won", allowing()).await;
    let told = nova.model.last_texts("tool").pop().unwrap();
    assert!(told.contains(&gone_sentence(&nova)) && !told.contains("os error"), "{told}");
    let undo = UndoChanges { change_set, note: None, call: None };
    assert_eq!(app.undo_changes(undo).await.unwrap_err().message, gone_sentence(&nova));
    assert_eq!(fs::read_to_string(aside(&nova).join(JANE)).unwrap(), written);
    assert!(!nova.vault.root().exists());

    fs::write(aside(&nova).join("Ideas.md"), "Edited meanwhile.\n").unwrap();
    let mut events = app.events();
    fs::rename(aside(&nova), nova.vault.root()).unwrap();
    assert_eq!(wait_for_back(&mut events).await, "The vault folder is back. 1 note changed meanwhile.");
    assert_eq!(problem(&app).await, None);
    turn(&app, Some(&end.session), "Jane is won", allowing()).await;
    assert!(nova.vault.read(JANE).contains("stage: won"));
    nova.model.finish();
}

#[tokio::test]
async fn vault_that_disappears_is_reported_within_two_seconds() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    app.watch();
    let mut events = app.events();
    // From here on, time advances only when the runtime is idle.
    tokio::time::pause();
    for (from, to) in [(nova.vault.root(), aside(&nova)), (aside(&nova), nova.vault.root())] {
        fs::rename(from, to).unwrap();
        let begun = tokio::time::Instant::now();
        wait_for(&mut events, |event| matches!(event, Event::VaultGone { .. } | Event::VaultBack { .. }))
            .await;
        assert!(begun.elapsed().as_secs_f64() <= 2.0, "{:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn deleted_vault_is_reopened_when_restored() {
    let nova = Nova::new(PEOPLE, [set_stage("won"), text("Done.")]);
    copy(&nova.vault.root(), &aside(&nova));
    let app = nova.start().await;
    app.watch();
    assert_eq!(app.app_status(Nothing {}).await.unwrap().vault.unwrap().notes, 3);

    let mut events = app.events();
    fs::remove_dir_all(nova.vault.root()).unwrap();
    assert_eq!(wait_for_gone(&mut events).await, gone_sentence(&nova));
    // Like the mount point that remains while a disk is not mounted.
    fs::create_dir(nova.vault.root()).unwrap();
    assert_eq!(problem(&app).await.unwrap().message, gone_sentence(&nova));

    copy(&aside(&nova), &nova.vault.root());
    assert_eq!(wait_for_back(&mut events).await, "The vault folder is back.");
    assert_eq!(problem(&app).await, None);
    turn(&app, None, "Jane is won", allowing()).await;
    assert!(nova.vault.read(JANE).contains("stage: won"));
    nova.model.finish();
}

#[tokio::test]
async fn vault_missing_at_the_start_is_opened_when_it_appears() {
    let nova = Nova::new(PEOPLE, []);
    fs::rename(nova.vault.root(), aside(&nova)).unwrap();
    let app = nova.start().await;
    app.watch();
    assert_eq!(problem(&app).await.unwrap().message, gone_sentence(&nova));

    let mut events = app.events();
    fs::rename(aside(&nova), nova.vault.root()).unwrap();
    wait_for(&mut events, |event| matches!(event, Event::VaultOpened { .. })).await;
    assert_eq!(problem(&app).await, None);
    assert_eq!(app.app_status(Nothing {}).await.unwrap().vault.unwrap().notes, 3);
}

#[tokio::test]
async fn extra_root_that_disappears_is_reported() {
    let nova = Nova::new(PEOPLE, []);
    let team = nova.vault.root().with_file_name("team");
    fs::create_dir(&team).unwrap();
    fs::write(team.join("Plan.md"), "A plan.\n").unwrap();
    std::os::unix::fs::symlink(&team, nova.vault.root().join("Team")).unwrap();
    nova.settings(&json!({"vault": nova.vault.root(), "roots": [team]}));
    let app = nova.start().await;
    app.watch();
    let roots = async || {
        let status = app.app_status(Nothing {}).await.unwrap();
        assert_eq!(status.vault_problem, None);
        status.gone_roots.into_iter().map(|root| root.message).collect::<Vec<_>>()
    };
    assert_eq!(roots().await, [""; 0]);

    let mut events = app.events();
    fs::rename(&team, aside(&nova)).unwrap();
    let gone = wait_for(&mut events, |event| matches!(event, Event::VaultGone { .. })).await;
    let sentence = format!("The folder that \"Team\" links to is gone: {}.", team.display());
    let Event::VaultGone { root, message, .. } = gone else { unreachable!() };
    assert_eq!((root.as_deref(), &message), (Some("Team"), &sentence));
    assert_eq!(roots().await, [sentence]);

    fs::rename(aside(&nova), &team).unwrap();
    let back = wait_for(&mut events, |event| matches!(event, Event::VaultBack { .. })).await;
    let message = "The folder that \"Team\" links to is back.".to_owned();
    assert_eq!(back, Event::VaultBack { root: Some("Team".into()), message });
    assert_eq!(roots().await, [""; 0]);
}

#[test]
fn command_line_reports_it_too() {
    let nova = Nova::new(PEOPLE, []);
    fs::rename(nova.vault.root(), aside(&nova)).unwrap();
    for args in [
        &["vault", "status"][..],
        &["vault", "search", "Jane"],
        &["tool", "call", "crm.list_contacts"],
        &["tool", "call", "vault.create_note", "--args", "{\"path\": \"New\"}"],
    ] {
        let output = nova.run(args);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(&gone_sentence(&nova)), "{args:?}: {said}");
    }
    assert!(!nova.vault.root().exists());
}

/// A `nova watch` that is killed with the test.
struct Watching {
    child: Child,
    said: mpsc::Receiver<String>,
}

impl Watching {
    fn start(nova: &Nova) -> Self {
        let mut command = nova.command(&["watch"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (says, said) = mpsc::channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| says.send(line)));
        Self { child, said }
    }

    #[track_caller]
    fn wait_for(&self, words: &str) {
        let said = || self.said.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("never reported: {words}"));
        while !said().contains(words) {}
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn watch_command_reports_it() {
    let nova = Nova::new(PEOPLE, []);
    let watching = Watching::start(&nova);
    watching.wait_for("watching");
    fs::rename(nova.vault.root(), aside(&nova)).unwrap();
    watching.wait_for(&gone_sentence(&nova));
    fs::rename(aside(&nova), nova.vault.root()).unwrap();
    watching.wait_for("The vault folder is back.");
}
