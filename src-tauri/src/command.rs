//! The commands of the command line.

mod chat;
mod credential;
mod follow;
mod lists;
mod mcp;
mod pending;
mod permission;
mod questions;
mod routine;
mod routing;
mod serve;
mod session;
mod skills;
mod today;
mod workspace;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use nova_app::{App, ChangeSetKind, NewSkill, NoDesktop, ToolRun};
use nova_protocol::{
    Commands as _, ConfigProblemView, EnableSkill, Envelope, ErrorCode, Event, Nothing, SetSkill, UserError,
    inexact_number,
};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use crate::args::{
    ApproveHow, Args, Changes, Command, Mcp, NewKind, Provider, Routine, Skill, SkillExample, Tool,
    UnconfinedAnswer, Vault,
};
use crate::{approve, print, start};

/// How long a command that runs tools waits for tool files that are not cached.
const TOOLS_LIMIT: Duration = Duration::from_secs(30);
/// The same for a command that only lists them.
const LIST_LIMIT: Duration = Duration::from_secs(5);
/// Polling interval for changes in how edits are detected.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Runs a command and returns the exit code.
pub(crate) async fn run(args: &Args, command: &Command) -> Result<u8, UserError> {
    let json = args.json;
    match command {
        Command::Vault(Vault::Ask(question)) => questions::run(args, question).await,
        // On interruption, a chat ends its turn and a call its tool.
        Command::Chat(chat) => with_app(args, command, async |app| chat::run(app, chat, json).await).await,
        Command::Tool(tool @ Tool::Call { .. }) => {
            with_app(args, command, async |app| run_tool(app, tool, json).await).await
        }
        Command::Tool(tool) => quick(args, command, async |app| run_tool(app, tool, json).await).await,
        Command::Skill(skill) => quick(args, command, async |app| run_skill(app, skill, json).await).await,
        Command::Vault(Vault::Status) => {
            quick(args, command, async |app| vault_status(app, json).await).await
        }
        Command::Vault(Vault::Check) => quick(args, command, async |app| vault_check(app, json).await).await,
        Command::Today { date } => {
            quick(args, command, async |app| today::run(app, date.as_deref(), json).await).await
        }
        Command::Routine(it @ Routine::Serve { install: false, .. }) => {
            with_app(args, command, async |app| routine::run(app, it, json).await).await
        }
        Command::Routine(it) => quick(args, command, async |app| routine::run(app, it, json).await).await,
        Command::Changes(it) => quick(args, command, async |app| run_changes(app, it, json).await).await,
        Command::Provider(it) => quick(args, command, async |app| run_provider(app, it, json).await).await,
        Command::Workspace(it) => quick(args, command, async |app| workspace::run(app, it, json).await).await,
        // Completes a write in progress when interrupted.
        Command::Mcp(it @ Mcp::Serve(_)) => {
            with_app(args, command, async |app| mcp::run(app, it, json).await).await
        }
        Command::Mcp(it) => quick(args, command, async |app| mcp::run(app, it, json).await).await,
        Command::Permission(it) => {
            quick(args, command, async |app| permission::run(app, it, json).await).await
        }
        Command::Session(it) => quick(args, command, async |app| session::run(app, it, json).await).await,
        Command::Credential(it) => {
            quick(args, command, async |app| credential::run(app, it, json).await).await
        }
        Command::Watch => quick(args, command, async |app| follow(app, true).await).await,
        Command::Events => quick(args, command, async |app| follow(app, false).await).await,
    }
}

/// Starts the app for a command.
async fn with_app(
    args: &Args,
    command: &Command,
    work: impl AsyncFnOnce(&App) -> Result<u8, UserError>,
) -> Result<u8, UserError> {
    let app = start::app(args, Arc::new(NoDesktop)).await?;
    let problem = app.settings_problem();
    print_problem(problem.as_ref());
    wait_for_tools(&app, command).await;
    if matches!(command, Command::Chat(_) | Command::Routine(_) | Command::Skill(_) | Command::Tool(_)) {
        app.credentials_ready().await;
    }
    let result = unless_reported(work(&app).await, problem.as_ref(), args.json);
    if unmerged(&app.finish_writing().await) { result.map(failed) } else { result }
}

/// Prints files with outside edits that could not be merged; returns whether there are any.
fn unmerged(files: &[PathBuf]) -> bool {
    for file in files {
        print::note(&format!(
            "nova: an edit made by another program during a write could not be merged: {}. Copy what you \
             want to keep into the note, then delete this copy.",
            file.display()
        ));
    }
    !files.is_empty()
}

/// The exit code if a command succeeded but left something to decide.
fn failed(code: u8) -> u8 {
    if code == print::DONE { print::FAILED } else { code }
}

/// Like [`with_app`], for commands that may be interrupted at any time.
async fn quick(
    args: &Args,
    command: &Command,
    work: impl AsyncFnOnce(&App) -> Result<u8, UserError>,
) -> Result<u8, UserError> {
    with_app(args, command, async |app| until_interrupted(work(app)).await).await
}

async fn until_interrupted(work: impl Future<Output = Result<u8, UserError>>) -> Result<u8, UserError> {
    tokio::select! {
        result = work => result,
        _ = tokio::signal::ctrl_c() => Ok(print::INTERRUPTED),
    }
}

/// Prints a problem of the settings before the command runs.
fn print_problem(problem: Option<&ConfigProblemView>) {
    if let Some(problem) = problem {
        print::note(&format!("nova: {}", problem.message).replace('\n', " "));
    }
}

/// The result, unless its error was already printed before the command.
fn unless_reported(
    result: Result<u8, UserError>,
    problem: Option<&ConfigProblemView>,
    json: bool,
) -> Result<u8, UserError> {
    match result {
        Err(error) if problem.is_some_and(|problem| problem.message.starts_with(&error.message)) => {
            print::error_value(&error, json);
            Ok(print::FAILED)
        }
        result => result,
    }
}

/// Waits for the tool files that the command needs, and prints which are unavailable.
async fn wait_for_tools(app: &App, command: &Command) {
    let missing = match command {
        Command::Tool(Tool::Call { tool, .. }) => app.tool_loaded(tool, TOOLS_LIMIT).await,
        Command::Chat(_) | Command::Routine(Routine::Run { .. } | Routine::Serve { .. }) => {
            app.tools_loaded(TOOLS_LIMIT).await
        }
        Command::Skill(_)
        | Command::Tool(_)
        | Command::Credential(_)
        | Command::Permission(_)
        | Command::Today { .. } => app.tools_loaded(LIST_LIMIT).await,
        _ => return,
    };
    if !missing.is_empty() {
        print::note(&format!(
            "nova: still loading: {}. Run the command again to see them.",
            missing.join(", ")
        ));
    }
}

async fn run_skill(app: &App, skill: &Skill, json: bool) -> Result<u8, UserError> {
    let (rows, changed) = match skill {
        Skill::List { all } => {
            let rows = app.list_skills(Nothing {}).await?;
            (rows.into_iter().filter(|row| *all || !row.hidden).collect(), None)
        }
        Skill::Enable { id } => {
            routing::warn_before_enabling(app, id).await?;
            let rows = app.enable_skill(EnableSkill { skill: id.clone(), enabled: true }).await?;
            (rows, Some((id, "is enabled")))
        }
        Skill::Disable { id } => {
            let rows = app.enable_skill(EnableSkill { skill: id.clone(), enabled: false }).await?;
            (rows, Some((id, "is disabled")))
        }
        Skill::Pin { id } => (app.set_skill(pinned(id, true)).await?, Some((id, "is pinned"))),
        Skill::Unpin { id } => (app.set_skill(pinned(id, false)).await?, Some((id, "is no longer pinned"))),
        Skill::Route { text, limit } => return routing::route(app, text, *limit, json).await,
        Skill::Test => return routing::test(app, json).await,
        Skill::Review { id, accept, fingerprint } => {
            return skills::review(app, id, *accept, fingerprint.as_deref(), json).await;
        }
        Skill::Fields { id, apply } => return skills::fields(app, id, *apply, json).await,
        Skill::Template { id, record_type, base } => {
            return skills::template(app, id, record_type, *base, json);
        }
        Skill::Check { path } => return skills::check(app, path, json).await,
        Skill::New { id, kind, from } => return new_skill(app, id, *kind, *from, json).await,
    };
    match changed {
        _ if json => print::json(&rows),
        None => lists::skills(&rows),
        Some((id, what)) => skills::changed(app, &rows, id, what),
    }
    Ok(print::DONE)
}

fn pinned(id: &str, pinned: bool) -> SetSkill {
    SetSkill { skill: id.to_owned(), pinned: Some(pinned), ..SetSkill::default() }
}

async fn new_skill(
    app: &App,
    id: &str,
    kind: NewKind,
    from: Option<SkillExample>,
    json: bool,
) -> Result<u8, UserError> {
    let written = match kind {
        _ if from == Some(SkillExample::ReadingList) => app.new_skill(id, NewSkill::ReadingList).await?,
        NewKind::Folder => app.new_skill(id, NewSkill::Folder).await?,
        NewKind::Tool => app.new_skill(id, NewSkill::Tool).await?,
        NewKind::Native => {
            let here = std::env::current_dir().map_err(|error| {
                UserError::new(
                    ErrorCode::Io,
                    format!("The current folder cannot be read: {error}."),
                    "Start the command in a checkout of Nova.",
                )
            })?;
            app.new_native_skill(id, &here).await?
        }
    };
    let written: Vec<String> = written.iter().map(|file| file.display().to_string()).collect();
    if json {
        print::json(&json!({"ok": true, "files": written}));
    } else {
        written.iter().for_each(|file| print::line(file));
    }
    Ok(print::DONE)
}

async fn run_tool(app: &App, tool: &Tool, json: bool) -> Result<u8, UserError> {
    match tool {
        Tool::List => {
            let rows = app.list_tools(Nothing {}).await?;
            if json {
                print::json(&rows)
            } else {
                lists::tools(&rows)
            }
            Ok(print::DONE)
        }
        Tool::Unconfined { answer } => {
            app.allow_unconfined_tools(*answer == UnconfinedAnswer::Allow)?;
            Ok(print::DONE)
        }
        Tool::Pending => pending::list(app, json).await,
        Tool::Promote { name, hash } => pending::promote(app, name, hash.as_deref(), json).await,
        Tool::Discard { name, hash } => pending::discard(app, name, hash.as_deref(), json).await,
        Tool::Call { tool, args, args_file, approve } => {
            let args = read_args(args.as_deref(), args_file.as_deref())?;
            let at_terminal = std::io::IsTerminal::is_terminal(&std::io::stdin());
            let cancel = nova_app::CancellationToken::new();
            let mut events = app.events();
            let call = app.run_tool(ToolRun {
                run: "cli".into(),
                tool: tool.clone(),
                args,
                kind: ChangeSetKind::Cli,
                approver: approve::approver(approve.approve),
                by_hand: at_terminal,
                cancel: cancel.clone(),
            });
            tokio::pin!(call);
            // A program that answers needs the questions.
            let questions = approve.approve == Some(ApproveHow::Stdio);
            let result = loop {
                tokio::select! {
                    result = &mut call => break result,
                    event = events.recv() => match event {
                        Ok(envelope) => show_call(&envelope, questions),
                        Err(RecvError::Lagged(missed)) => {
                            print::note(&format!("nova: {missed} events came too fast to print"));
                        }
                        Err(RecvError::Closed) => break call.await,
                    },
                    _ = tokio::signal::ctrl_c() => {
                        cancel.cancel();
                        call.await;
                        return Ok(print::INTERRUPTED);
                    }
                }
            };
            while let Ok(envelope) = events.try_recv() {
                show_call(&envelope, questions);
            }
            keep_conflicts(app)?;
            let code = match &result.error {
                None => print::DONE,
                Some(error) => exit_code(error),
            };
            match (&result.error, json) {
                (None, true) => print::json(&json!({
                    "ok": true, "value": result.value, "sources": result.sources,
                    "figures": result.figures, "changes": result.changes, "change_set": result.change_set,
                })),
                (None, false) => lists::value(result.value.as_ref().unwrap_or(&Value::Null), &result.changes),
                (Some(error), json) => print::error(error, json),
            }
            Ok(code)
        }
    }
}

/// Prints a call's events before its result.
fn show_call(envelope: &Envelope, questions: bool) {
    match &envelope.event {
        Event::ToolCallProgress { message: Some(message), .. } => print::note(message),
        Event::ApprovalRequested { .. } | Event::ElicitationRequested { .. } if questions => {
            print::json(envelope)
        }
        _ => {}
    }
}

/// 3 if a rule or a missing answer refused the call.
fn exit_code(error: &UserError) -> u8 {
    match error.code {
        ErrorCode::DeniedByRule
        | ErrorCode::ApprovalUnanswered
        | ErrorCode::DeniedByUser
        | ErrorCode::CredentialNotGranted => print::REFUSED,
        _ => print::FAILED,
    }
}

fn read_args(text: Option<&str>, file: Option<&std::path::Path>) -> Result<Value, UserError> {
    let text = match (text, file) {
        (Some(text), _) => text.to_owned(),
        (None, Some(file)) => std::fs::read_to_string(file).map_err(|error| {
            UserError::new(
                ErrorCode::InvalidArguments,
                format!("{}: {error}.", file.display()),
                "Name a file with a JSON object.",
            )
        })?,
        (None, None) => "{}".into(),
    };
    match serde_json::from_str(&text) {
        Ok(value @ Value::Object(_)) => match inexact_number(&text) {
            None => Ok(value),
            Some(number) => Err(UserError::new(
                ErrorCode::InvalidArguments,
                format!("The number {number} has more digits than JSON keeps."),
                format!("Pass it as text: \"{number}\"."),
            )),
        },
        Ok(_) => Err(UserError::new(
            ErrorCode::InvalidArguments,
            "The arguments are not a JSON object.",
            "Write them as {\"name\": \"value\"}.",
        )),
        Err(error) => Err(UserError::new(
            ErrorCode::InvalidArguments,
            format!("The arguments are not JSON: {error}."),
            "Write them as {\"name\": \"value\"}.",
        )),
    }
}

async fn vault_status(app: &App, json: bool) -> Result<u8, UserError> {
    let status = app.vault_status().await?;
    if json {
        print::json(&status)
    } else {
        lists::object(&status)
    }
    for root in app.gone_roots().await {
        print::note(&format!("nova: {} {}", root.message, root.hint));
    }
    Ok(print::DONE)
}

async fn vault_check(app: &App, json: bool) -> Result<u8, UserError> {
    let problems = app.vault_problems().await?;
    if json {
        print::json(&problems)
    } else {
        lists::problems(&problems)
    }
    Ok(if problems.is_empty() { print::DONE } else { print::FAILED })
}

async fn run_changes(app: &App, changes: &Changes, json: bool) -> Result<u8, UserError> {
    match changes {
        Changes::List => {
            let sets = app.change_sets(None, None, Some(usize::MAX)).await?;
            if json {
                print::json(&sets.iter().map(lists::change_set_row).collect::<Vec<_>>());
            } else {
                lists::changes(&sets);
            }
        }
        Changes::Show { id } => {
            let set = app.change_set(id).await?;
            if json { print::json(&set) } else { lists::change_set(&set) }
        }
        Changes::Undo { id, note, call } => {
            let result = app.undo(id, note.as_deref(), call.as_deref()).await?;
            if json {
                print::json(&result)
            } else {
                lists::undone(&result)
            }
            keep_conflicts(app)?;
            if !result.conflicts.is_empty() {
                return Ok(print::FAILED);
            }
        }
        Changes::Finish { id } => {
            let result = app.finish(id).await;
            keep_conflicts(app)?;
            let result = result?;
            if json {
                print::json(&result)
            } else {
                print::line(&format!("{} written", lists::count(result.finished.len(), "note")))
            }
            if let Some(conflict) = result.conflicts.first() {
                print::note(&format!(
                    "nova: {} changed since, so nothing was written: {}.",
                    conflict.path,
                    conflict.what.join(", ")
                ));
                return Ok(print::FAILED);
            }
        }
        Changes::Prune => {
            let pruned = app.prune_history(None).await?;
            if json {
                print::json(&pruned)
            } else {
                print::line(&format!("{} forgotten", lists::count(pruned.len(), "change set")))
            }
        }
    }
    Ok(print::DONE)
}

/// Saves both versions of conflicts as files.
pub(crate) fn keep_conflicts(app: &App) -> Result<(), UserError> {
    if let Some(folder) = app.keep_conflicts()? {
        print::note(&format!("nova: both versions of each conflict are in {}.", folder.display()));
    }
    Ok(())
}

async fn run_provider(app: &App, provider: &Provider, json: bool) -> Result<u8, UserError> {
    match provider {
        Provider::List => {}
        Provider::Allow { id } => app.agree_to_provider(id).await?,
        Provider::Revoke { id } => app.revoke_provider_agreement(id, None)?,
    }
    let rows = app.list_provider_rows().await;
    if json {
        print::json(&rows)
    } else {
        lists::providers(&rows)
    }
    Ok(print::DONE)
}

/// Prints events until interrupted.
async fn follow(app: &App, only_notes: bool) -> Result<u8, UserError> {
    let mut events = app.events();
    if only_notes {
        app.vault()?;
    }
    app.watch();
    let watching = || app.watching().unwrap_or_else(|| "watching".to_owned());
    let mut said = watching();
    print::note(&format!("nova: {said}"));
    let mut again = tokio::time::interval(LOOK_AGAIN);
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            _ = again.tick() => {
                // Changes if a vault gets too many folders, or its folder disappears.
                let now = watching();
                if now != said {
                    print::note(&format!("nova: {now}"));
                    said = now;
                }
                continue;
            }
        };
        match event {
            Ok(envelope) => {
                if !only_notes || matches!(envelope.event, Event::VaultChanged { .. }) {
                    print::json(&envelope);
                } else if let Event::VaultGone { message, .. } | Event::VaultBack { message, .. } =
                    &envelope.event
                {
                    print::note(&format!("nova: {message}"));
                }
            }
            Err(RecvError::Lagged(missed)) => {
                print::note(&format!("nova: {missed} events came too fast to print"))
            }
            Err(RecvError::Closed) => return Ok(print::DONE),
        }
    }
}
