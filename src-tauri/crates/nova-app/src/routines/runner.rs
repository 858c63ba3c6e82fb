//! Runs routines: one at a time among all Nova processes, each due time at most once.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use nova_protocol::{ErrorCode, Event, RoutineEnd, UserError};
use nova_provider::Locality;
use nova_registry::{RulesInForce, ToolLookup, harmless_line};
use nova_session::{SessionError, TurnEnd, UserMessage, run_turn};
use nova_vault::Privacy;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::card::{NoStandingApprovals, RoutineApprover};
use super::due::{Due, Moment, due};
use super::ledger::{Entry, LastRun, Ledger};
use super::note::{Does, Routine, RoutineNote};
use super::tool_call::OneCall;
use crate::app::App;
use crate::blocking::blocking;
use crate::models::ChosenModel;

/// Polling interval.
const POLL_EVERY: Duration = Duration::from_secs(15);
/// A run that starts this much after its due time is late.
pub(super) const LATE: SignedDuration = SignedDuration::from_mins(5);
/// Maximum length of an answer in lists, in characters.
const SAID: usize = 200;

/// A lock among all processes: while it is held, no other routine starts.
pub(super) struct Slot(File);

impl Slot {
    /// `None` if it is held elsewhere.
    pub(super) fn take(data: &Path) -> Result<Option<Self>, UserError> {
        let file = data.join("routines.lock");
        let failed = |error: std::io::Error| {
            UserError::new(
                ErrorCode::Io,
                format!("{} cannot be locked: {error}. No routine runs.", file.display()),
                "Check the data folder and the disk.",
            )
        };
        let opened = nova_files::open_lock(&file).map_err(failed)?;
        match opened.try_lock() {
            Ok(()) => Ok(Some(Self(opened))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // Unlocked explicitly: a child process being started briefly inherits the descriptor, and with it the
        // lock.
        let _ = self.0.unlock();
    }
}

/// Behaviour at the first question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtQuestion {
    /// Wait for the user's answer.
    Wait,
    /// Cancel the run.
    End,
}

impl App {
    /// Runs routines when they are due, for as long as this program runs.
    pub fn keep_routines(&self) {
        let app = self.clone();
        tokio::spawn(async move {
            // So that routines at startup have the same credentials as a chat.
            app.credentials_ready().await;
            let mut ticks = tokio::time::interval(POLL_EVERY);
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            let mut beginning = true;
            let mut said = None;
            loop {
                ticks.tick().await;
                match app.run_due_routines(beginning).await {
                    Ok(looked) => beginning &= !looked,
                    // The window already reports a missing vault.
                    Err(error) if error.code == ErrorCode::NoVault => {}
                    Err(error) => {
                        if said.as_ref() != Some(&error.message) {
                            tracing::warn!(error = error.message, hint = error.hint, "cannot run routines");
                        }
                        said = Some(error.message);
                    }
                }
            }
        });
    }

    /// Runs due routines in sequence, each until it ends or waits for an answer. `beginning` includes those
    /// to run at startup. `false` if another process is running routines.
    ///
    /// # Errors
    /// When the vault is not open, or the ledger cannot be written: then nothing is run.
    pub async fn run_due_routines(&self, beginning: bool) -> Result<bool, UserError> {
        let Some(_slot) = Slot::take(&self.places().data)? else { return Ok(false) };
        let notes = self.routine_notes().await?;
        let records = self.records_of(&notes).await?;
        let (app, vault) = (self.clone(), self.vault_key()?);
        let now = self.inner.options.clock.now();
        let (dues, changed) = blocking(move || {
            let is_running = |session: &str| app.inner.store.is_running(session);
            let moment = Moment { now, beginning, records: &records, is_running: &is_running };
            Ledger::change(&app.places().data, |ledger| {
                let entries = ledger.of_vault(&vault);
                let before: Vec<_> = entries.values().map(|entry| entry.last.clone()).collect();
                let dues = due(entries, &notes, &moment);
                (dues, before != entries.values().map(|entry| entry.last.clone()).collect::<Vec<_>>())
            })
        })
        .await?;
        if changed {
            self.emit(Event::RoutinesChanged {});
        }
        for due in dues {
            self.run_if_still_due(due).await?;
        }
        Ok(true)
    }

    /// Runs the current version of the note, which may have been edited since it became due.
    async fn run_if_still_due(&self, due: Due) -> Result<(), UserError> {
        let notes = self.routine_notes_at(Some(due.path.clone())).await?;
        // Not those of the poll: an earlier run may have changed them.
        let records = self.records_of(&notes).await?;
        let Some(note) = notes.into_iter().next().filter(|note| note.enabled) else { return Ok(()) };
        if let Ok(started) = self.start_routine(note, Some(&due), &records, AtQuestion::Wait).await? {
            started.ended_or_waits().await;
        }
        Ok(())
    }

    /// Records the start of the routine, and starts it. `due` is `None` if the user starts it. The inner
    /// error concerns only this routine.
    pub(super) async fn start_routine(
        &self,
        note: RoutineNote,
        due: Option<&Due>,
        records: &BTreeMap<String, String>,
        at_question: AtQuestion,
    ) -> Result<Result<Started, UserError>, UserError> {
        let session = self.inner.options.ids.next();
        let now = self.inner.options.clock.now();
        let schedule = note.schedule();
        let routine = match note.routine {
            Ok(routine) => routine,
            Err(problem) => return Ok(Err(UserError::new(ErrorCode::BadRequest, problem, ""))),
        };
        let (at, first) = due.map_or((now, now), |due| (due.at, due.first));
        let run = LastRun {
            session: session.clone(),
            due: at,
            started: now,
            ended: None,
            end: RoutineEnd::Running,
            said: String::new(),
            seen: false,
            excluded: BTreeMap::new(),
        };
        let (data, vault, path) = (self.places().data.clone(), self.vault_key()?, note.path.to_string());
        let (by_hand, records) = (due.is_none(), records.clone());
        let taken = blocking(move || {
            Ledger::change(&data, |ledger| {
                let entry = ledger.of_vault(&vault).entry(path.clone()).or_insert_with(|| Entry {
                    schedule: schedule.clone(),
                    through: now,
                    records: BTreeMap::new(),
                    last: None,
                });
                if entry.last.as_ref().is_some_and(LastRun::is_open) || !by_hand && entry.schedule != schedule
                {
                    return false;
                }
                // After the clock was set back nothing is run twice, unless the user starts it.
                entry.through = if by_hand { entry.through.min(now) } else { entry.through.max(now) };
                for (record_type, now) in entry.records.iter_mut() {
                    if let Some(known) = records.get(record_type) {
                        now.clone_from(known);
                    }
                }
                entry.last = Some(run.clone());
                true
            })
        })
        .await?;
        if !taken {
            return Ok(Err(UserError::new(
                ErrorCode::SessionBusy,
                format!("{} is already running, or waits for your answer.", note.name),
                "Answer it in its chat, or stop it there.",
            )));
        }
        self.emit(Event::RoutinesChanged {});
        let text = self.text_of(&note.name, &routine, at, first, now);
        let (stopped, waits) = watch::channel(false);
        let app = self.clone();
        let name = note.name.clone();
        let own = session.clone();
        let ended = tokio::spawn(async move {
            let begun = app.begin_run(&own, &name, routine, text, at_question, stopped).await;
            let (end, said) = begun
                .unwrap_or_else(|error| (RoutineEnd::Failed, format!("{} {}", error.message, error.hint)));
            app.routine_ended(&own, end, &said).await;
        });
        Ok(Ok(Started { waits, ended }))
    }

    /// Runs the whole turn in a new chat.
    async fn begin_run(
        &self,
        session: &str,
        name: &str,
        routine: Routine,
        text: String,
        at_question: AtQuestion,
        stopped: watch::Sender<bool>,
    ) -> Result<(RoutineEnd, String), UserError> {
        let message = UserMessage { text, skills: routine.skills.clone(), ..UserMessage::default() };
        self.check_wanted(&message)?;
        let (chosen, one_call) = self.model_for(&routine).await?;
        let at = self.inner.options.clock.now().to_string();
        self.inner.store.create(session, &at).await?;
        self.inner.store.rename(session, name).await?;
        let chat = self.open_chat(session).await?;
        let cancel = CancellationToken::new();
        let occupied = chat.occupy(cancel.clone()).ok_or(SessionError::Busy)?;
        let approver = Arc::new(RoutineApprover {
            app: self.clone(),
            session: session.to_owned(),
            waiting: chat.waiting.clone(),
            stopped,
            ends: (at_question == AtQuestion::End).then(|| cancel.clone()),
            open: AtomicUsize::new(0),
        });
        let turn = self.inner.options.ids.next();
        let mut scope = self.scope_with(&chat, turn, chosen, approver);
        scope.access.rules = Arc::new(RulesInForce::allowing_only(&scope.access.rules, routine.allow));
        scope.access.approved = Arc::new(NoStandingApprovals(scope.access.approved));
        // Waits for all calls, as nobody would continue the chat later.
        scope.settle = Duration::MAX;
        scope.router &= one_call.is_none();
        scope.occupied = Box::new(occupied);
        self.emit(Event::SessionChanged { id: session.to_owned() });
        let ended = tokio::spawn(run_turn(scope, chat.session.clone(), message, cancel)).await;
        let end = match ended {
            Ok(Ok(TurnEnd::Completed { text })) => match one_call.and_then(|call| call.failure()) {
                Some(why) => (RoutineEnd::Failed, why),
                None => (RoutineEnd::Completed, text),
            },
            Ok(Ok(TurnEnd::Cancelled)) => (RoutineEnd::Stopped, String::new()),
            Ok(Ok(TurnEnd::Failed(error))) => {
                (RoutineEnd::Failed, format!("{} {}", error.message, error.hint))
            }
            Ok(Err(error)) => return Err(self.turn_failed(&chat.session, error.into())),
            Err(error) => {
                let error = UserError::new(ErrorCode::Internal, format!("The turn failed: {error}."), "");
                return Err(self.turn_failed(&chat.session, error));
            }
        };
        self.emit(Event::SessionChanged { id: session.to_owned() });
        Ok(end)
    }

    fn turn_failed(&self, session: &nova_session::Session, error: UserError) -> UserError {
        self.fail_turn(session, error.clone());
        self.emit(Event::SessionChanged { id: session.id.clone() });
        error
    }

    /// The model for a message; for a tool call, a fake model that makes it.
    async fn model_for(&self, routine: &Routine) -> Result<(ChosenModel, Option<Arc<OneCall>>), UserError> {
        let Does::Call(name, args) = &routine.does else {
            let chosen = self.choose_model(routine.model.as_deref()).await?;
            let privacy = Privacy { remote: true, private: self.private() };
            if privacy.hides(&routine.note.path, &routine.note.document) {
                require_local_model(&chosen).await?;
            }
            return Ok((chosen, None));
        };
        let wire_name = match self.inner.registry.snapshot().tool(name) {
            ToolLookup::Found { tool, .. } => tool.wire_name.clone(),
            ToolLookup::Unknown { nearest } => {
                return Err(UserError::new(
                    ErrorCode::UnknownTool,
                    format!("There is no tool \"{name}\"."),
                    format!("Nearest: {}.", nearest.join(", ")),
                ));
            }
        };
        let call = Arc::new(OneCall::new(&wire_name, args.clone()));
        let chosen = ChosenModel {
            provider: call.clone(),
            name: "routine/tool".into(),
            model: "tool".into(),
            locality: Locality::Local,
            agreed: true,
            place: None,
            context: None,
            images: None,
        };
        Ok((chosen, Some(call)))
    }

    /// The first message, with a remark if the run is late.
    fn text_of(
        &self,
        name: &str,
        routine: &Routine,
        at: Timestamp,
        first: Timestamp,
        now: Timestamp,
    ) -> String {
        let text = match &routine.does {
            Does::Say(text) => text.clone(),
            Does::Call(tool, args) => {
                let args = serde_json::to_string(args).unwrap_or_default();
                format!("Run {tool} with {args}.")
            }
        };
        let late = now.duration_since(at);
        if late < LATE {
            return text;
        }
        let on_clock =
            |at: Timestamp| at.to_zoned(self.inner.options.clock.zone()).strftime("%F %H:%M").to_string();
        let missed = match first < at {
            true => format!(" It was missed since {}.", on_clock(first)),
            false => String::new(),
        };
        format!("({name} was due at {} and runs {} late.{missed})\n\n{text}", on_clock(at), in_words(late))
    }

    /// Records that a run waits or continues.
    pub(super) async fn routine_stands(&self, session: &str, end: RoutineEnd, said: &str) {
        if end == RoutineEnd::Waiting {
            self.exclude_own_changes(session).await;
        }
        self.note_end(session, end, said, false).await;
    }

    async fn routine_ended(&self, session: &str, end: RoutineEnd, said: &str) {
        let line: String = harmless_line(said).chars().take(SAID).collect();
        self.exclude_own_changes(session).await;
        self.note_end(session, end, &line, true).await;
    }

    async fn exclude_own_changes(&self, session: &str) {
        if let Err(error) = self.exclude_changes_of(session).await {
            tracing::warn!(error = error.message, "cannot exclude a routine's own changes");
        }
    }

    async fn note_end(&self, session: &str, end: RoutineEnd, said: &str, ended: bool) {
        let (data, session, said) = (self.places().data.clone(), session.to_owned(), said.to_owned());
        let now = self.inner.options.clock.now();
        let store = self.inner.store.clone();
        let has_chat = !ended || store.info(&session).await.is_ok();
        let noted = blocking(move || {
            Ledger::change(&data, |ledger| {
                let Some(last) = ledger.run_mut(&session) else { return };
                // Keeps the question at which the run stopped, which is more informative.
                if !(end == RoutineEnd::Stopped && said.is_empty()) {
                    last.said.clone_from(&said);
                }
                last.end = end;
                last.ended = ended.then_some(now);
                if !has_chat {
                    last.session.clear();
                }
            })
        })
        .await;
        if let Err(error) = noted {
            tracing::error!(error = error.message, "cannot save the end of a routine");
        }
        self.emit(Event::RoutinesChanged {});
    }
}

/// A started run.
pub(super) struct Started {
    waits: watch::Receiver<bool>,
    ended: tokio::task::JoinHandle<()>,
}

impl Started {
    /// Waits until it has ended or stopped at a question.
    pub(super) async fn ended_or_waits(self) {
        let Self { mut waits, mut ended } = self;
        let waits = async {
            if waits.wait_for(|waits| *waits).await.is_err() {
                // It ended without a question.
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            _ = &mut ended => {}
            () = waits => {}
        }
    }

    pub(super) async fn ended(self) {
        let _ = self.ended.await;
    }
}

/// Refuses to send a private message to a remote model.
async fn require_local_model(chosen: &ChosenModel) -> Result<(), UserError> {
    let mut locality = chosen.locality.clone();
    if let Some(place) = &chosen.place {
        locality = place.find(&CancellationToken::new()).await?.locality;
    }
    match locality {
        Locality::Local => Ok(()),
        Locality::Remote { host } => Err(UserError::new(
            ErrorCode::Private,
            format!("The routine's note is private, and its model runs at {host}."),
            "Name a model on this machine under `model`, or make the note public.",
        )),
    }
}

/// "2 h 40 min", "3 days"
pub(super) fn in_words(late: SignedDuration) -> String {
    let minutes = late.as_mins();
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes} min"),
        (0, hours) if minutes == 0 => format!("{hours} h"),
        (0, hours) => format!("{hours} h {minutes} min"),
        (1, _) => "1 day".into(),
        (days, _) => format!("{days} days"),
    }
}
