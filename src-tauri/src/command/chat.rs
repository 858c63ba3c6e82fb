use std::io::Write as _;
use std::sync::Arc;

use nova_app::{App, Approver, CancellationToken, ChatEnd, ChatRequest, TurnEnd};
use nova_protocol::{Commands as _, Envelope, Event, SandboxView, UserError};
use tokio::io::AsyncBufReadExt as _;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::args::{ApproveHow, Chat};
use crate::{approve, print};

/// One turn, or turns until the input ends.
pub(crate) async fn run(app: &App, chat: &Chat, json: bool) -> Result<u8, UserError> {
    app.watch();
    let code = match &chat.prompt {
        Some(text) => one_turn(app, chat, chat.session.clone(), text.clone(), json).await?.1,
        None => interactive(app, chat, json).await?,
    };
    // Stops background calls, and waits until their end is logged.
    app.stop_everything().await;
    Ok(code)
}

async fn interactive(app: &App, chat: &Chat, json: bool) -> Result<u8, UserError> {
    let mut session = chat.session.clone();
    loop {
        if !json {
            let _ = write!(std::io::stderr(), "\nyou> ");
        }
        // Read line by line without locking the input, which an approval may need.
        let line = tokio::select! {
            line = next_line(chat.approve.approve) => line,
            _ = tokio::signal::ctrl_c() => return Ok(print::INTERRUPTED),
        };
        let text = match line {
            Line::Text(line) => line.trim().to_owned(),
            Line::NoText => {
                print::note("nova: the line is not UTF-8 and was not sent; send it again as UTF-8");
                continue;
            }
            Line::End => return Ok(print::DONE),
        };
        if text.is_empty() {
            continue;
        }
        let (id, _) = one_turn(app, chat, session.clone(), text, json).await?;
        session = Some(id);
    }
}

/// A line typed or piped in.
enum Line {
    Text(String),
    /// Not UTF-8.
    NoText,
    End,
}

async fn next_line(how: Option<ApproveHow>) -> Line {
    if how == Some(ApproveHow::Stdio) {
        // Answers arrive on the same stream, at any time.
        return approve::on_stdin().next_message().await.map_or(Line::End, Line::Text);
    }
    let mut line = Vec::new();
    let mut input = tokio::io::BufReader::with_capacity(1, tokio::io::stdin());
    match input.read_until(b'\n', &mut line).await {
        Ok(bytes) if bytes > 0 => String::from_utf8(line).map_or(Line::NoText, Line::Text),
        _ => Line::End,
    }
}

/// Returns the session and the exit code.
async fn one_turn(
    app: &App,
    chat: &Chat,
    session: Option<String>,
    text: String,
    json: bool,
) -> Result<(String, u8), UserError> {
    let images = nova_app::images_from_files(&chat.images)?;
    let is_new = session.is_none();
    let session = match session {
        Some(id) => id,
        None => app.new_session().await?.id,
    };
    let cancel = CancellationToken::new();
    let events = app.events();
    let how = chat.approve.approve;
    let questions = how == Some(ApproveHow::Stdio);
    let shown = tokio::spawn(show(events, session.clone(), json, questions));
    let approver = approve::approver(how);
    let turn = app.chat(ChatRequest {
        session: Some(session.clone()),
        text,
        skills: chat.skills.clone(),
        tool: chat.tool.clone(),
        after: chat.after.as_ref().map(|turn| Some(turn.clone()).filter(|turn| turn != "start")),
        images,
        model: chat.model.clone(),
        approver: approver.clone(),
        cancel: cancel.clone(),
    });
    let mut ended = match or_interrupt(turn, &cancel).await {
        Ok(ended) => ended,
        Err(error) => {
            shown.abort();
            // Deletes a new session in which no turn has started.
            if is_new {
                let _ = app.delete_session(nova_protocol::SessionRef { session }).await;
            }
            return Err(error);
        }
    };
    if let (Some(events), true) = (shown.await.ok(), chat.prompt.is_some()) {
        let rest = Rest { app, chat, session: &session, json, questions };
        rest.finish(&mut ended, events, &approver, &cancel).await?;
    }
    if cancel.is_cancelled() {
        ended.end = TurnEnd::Cancelled;
    }
    super::keep_conflicts(app)?;
    if !json && chat.prompt.is_some() && how != Some(ApproveHow::Stdio) {
        print::note(&format!("session {session}"));
    }
    let code = match ended.end {
        TurnEnd::Completed { .. } => print::DONE,
        TurnEnd::Cancelled => print::INTERRUPTED,
        TurnEnd::Failed(error) => {
            print::error(&error, json);
            print::FAILED
        }
    };
    Ok((session, code))
}

/// Calls left running by a turn of `-p`. They are awaited, because there will be no further message.
struct Rest<'a> {
    app: &'a App,
    chat: &'a Chat,
    session: &'a str,
    json: bool,
    questions: bool,
}

impl Rest<'_> {
    async fn finish(
        &self,
        ended: &mut ChatEnd,
        mut events: Receiver<Envelope>,
        approver: &Arc<dyn Approver>,
        cancel: &CancellationToken,
    ) -> Result<(), UserError> {
        let Self { app, chat, session, json, questions } = *self;
        while matches!(ended.end, TurnEnd::Completed { .. }) && app.has_open_calls(session) {
            let shown = tokio::spawn(show(events, session.to_owned(), json, questions));
            let late = app.finish_calls(session, chat.model.as_deref(), approver.clone(), cancel.clone());
            match or_interrupt(late, cancel).await? {
                Some(late) => *ended = late,
                None => {
                    shown.abort();
                    return Ok(());
                }
            }
            let Ok(left) = shown.await else { return Ok(()) };
            events = left;
        }
        // Also after a failed turn; the model receives their results with the next message.
        if matches!(ended.end, TurnEnd::Failed(_)) && app.has_open_calls(session) {
            or_interrupt(app.wait_for_calls(session, cancel.clone()), cancel).await;
            show_left(events, session, json, questions);
        }
        Ok(())
    }
}

/// Ctrl-C cancels, and then the end is awaited.
async fn or_interrupt<T>(work: impl Future<Output = T>, cancel: &CancellationToken) -> T {
    tokio::pin!(work);
    tokio::select! {
        done = &mut work => done,
        _ = tokio::signal::ctrl_c() => {
            cancel.cancel();
            work.await
        }
    }
}

/// Prints the events of a turn up to its end; with `questions` also as JSON lines, if a program answers them.
/// Returns the receiver with the remaining events.
async fn show(
    mut events: Receiver<Envelope>,
    session: String,
    json: bool,
    questions: bool,
) -> Receiver<Envelope> {
    loop {
        let envelope = match events.recv().await {
            Ok(envelope) => envelope,
            Err(RecvError::Lagged(missed)) => {
                print::note(&format!("nova: {missed} events came too fast to print"));
                continue;
            }
            Err(RecvError::Closed) => return events,
        };
        let ends = matches!(
            envelope.event,
            Event::TurnCompleted { .. } | Event::TurnCancelled { .. } | Event::TurnFailed { .. }
        );
        if show_one(&envelope, &session, json, questions) && ends {
            return events;
        }
    }
}

/// Prints the events after the end of a turn.
fn show_left(mut events: Receiver<Envelope>, session: &str, json: bool, questions: bool) {
    while let Ok(envelope) = events.try_recv() {
        show_one(&envelope, session, json, questions);
    }
}

/// Returns whether the event belongs to the session.
fn show_one(envelope: &Envelope, session: &str, json: bool, questions: bool) -> bool {
    if envelope.session.as_deref() != Some(session) {
        if !json && let Event::VaultGone { message, .. } | Event::VaultBack { message, .. } = &envelope.event
        {
            print::note(&format!("· {message}"));
        }
        return false;
    }
    let asks = matches!(envelope.event, Event::ApprovalRequested { .. } | Event::ElicitationRequested { .. });
    if json || questions && asks {
        print::json(envelope);
    } else {
        show_as_text(&envelope.event);
    }
    true
}

/// The sandbox of a command, on one line.
fn sandbox_line(sandbox: &SandboxView) -> String {
    let folders =
        sandbox.writes.iter().cloned().chain(sandbox.reads.iter().map(|name| format!("{name} (read only)")));
    let also: String = folders.map(|folder| format!(", {folder}")).collect();
    let network = if sandbox.hosts.is_empty() { "none".to_owned() } else { sandbox.hosts.join(", ") };
    let vault = if sandbox.vault { "vault read only without private notes, " } else { "" };
    format!(
        "in the {}{also}; network {network}; guard on: {vault}at most {} MB of memory",
        sandbox.folder,
        sandbox.memory >> 20
    )
}

fn show_as_text(event: &Event) {
    match event {
        Event::TextDelta { text } => print::part(&print::visible(text)),
        Event::MessageCompleted { .. } => print::line(""),
        Event::ToolCallStarted { tool, args, sandbox, .. } => {
            print::note(&format!("· {tool} {args}"));
            if let Some(sandbox) = sandbox {
                print::note(&format!("  {}", sandbox_line(sandbox)));
            }
        }
        Event::ToolCallProgress { message: Some(message), .. } => print::note(&format!("  {message}")),
        Event::SubagentStarted { name, .. } => {
            print::note(&format!("  sub-agent {name} begins"));
        }
        Event::SubagentWorked { now: Some(now), steps, limit, .. } => {
            print::note(&format!("  step {steps} of {limit}: {now}"));
        }
        Event::ToolCallDetached { .. } => print::note("  takes longer; the turn continues without it"),
        Event::ToolCallCompleted { ok: false, output, .. } => {
            print::note(&format!("  failed: {}", output["message"].as_str().unwrap_or_default()));
        }
        Event::ToolCallCompleted { changes, .. } => {
            for change in changes {
                print::note(&format!("  {:?} {}", change.kind, change.path));
            }
        }
        Event::HistoryCompacted { .. } => print::note("· context full: earlier messages were summarised"),
        Event::SkillActivated { skill, .. } => print::note(&format!("· skill {skill}")),
        Event::NotesChangedOutside { paths, .. } => {
            print::note(&format!("· changed outside: {}", paths.join(", ")))
        }
        _ => {}
    }
}
