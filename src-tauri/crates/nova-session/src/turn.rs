mod answer;
mod calls;
mod compact;
mod late;
mod leaving;
mod said;
pub(crate) mod seen;
mod skills;
mod step;
mod sub_agents;
mod taken_along;

pub use leaving::{ModelPlace, Placed, not_agreed};
pub use sub_agents::{SubSession, SubSessions};

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use nova_calls::{Access, TurnSoFar};
use nova_protocol::{Envelope, ErrorCode, Event, ImageView, UserError};
use nova_provider::{Locality, Provider};
use nova_registry::{CatalogBudget, Registry, Snapshot};
use nova_skill::VaultPath;
use nova_vault::{ChangeSet, Vault};
use tokio_util::sync::CancellationToken;

use crate::activation::{self, Told};
use crate::error::SessionError;
use crate::journal::{EventSink, Journal};
use crate::message::{LogMessage, with_all_outputs};
use crate::named_image::NamedImage;
use crate::prompt::{SUB_AGENT, date_notice, system_prompt};
use crate::session::{Session, UserMessage};
use crate::store::Store;
use sub_agents::{Started, SubAgent};

/// Requests to the provider within one turn.
const STEP_LIMIT: u32 = 30;
/// A title is the first words of the first message, at most this many characters.
const TITLE_LENGTH: usize = 48;

/// Runs one turn: from the user's message to exactly one of `turn_completed`, `turn_cancelled` and
/// `turn_failed`. Whatever happens, every call in the history has an output.
///
/// # Errors
/// [`SessionError::Busy`] while another turn runs in the session, or when its log cannot be read.
/// From the moment `turn_started` is emitted, failures are events.
pub async fn run_turn(
    scope: TurnScope,
    session: Arc<Session>,
    message: UserMessage,
    cancel: CancellationToken,
) -> Result<TurnEnd, SessionError> {
    begin_turn(scope, session, message, false, cancel, None).await
}

/// Runs one turn that Nova begins by itself, where nobody is there to write: calls that ran on have
/// ended, and the model hears how.
///
/// # Errors
/// As [`run_turn`].
pub async fn run_late_turn(
    scope: TurnScope,
    session: Arc<Session>,
    cancel: CancellationToken,
) -> Result<TurnEnd, SessionError> {
    begin_turn(scope, session, UserMessage::default(), true, cancel, None).await
}

async fn begin_turn(
    scope: TurnScope,
    session: Arc<Session>,
    message: UserMessage,
    by_nova: bool,
    cancel: CancellationToken,
    sub_agent: Option<SubAgent>,
) -> Result<TurnEnd, SessionError> {
    let lease = scope.store.lease(&session.id)?;
    session.refresh(&scope.store, &message.after).await?;
    session.load_images(&scope.store).await?;
    let journal = Arc::new(Journal::new(
        &session.id,
        Some(scope.turn.clone()),
        scope.store.clone(),
        scope.access.clock.clone(),
        scope.sink.clone(),
        session.next_seq.clone(),
    ));
    *session.journal.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&journal);
    let (change_set, touched, so_far) = match &sub_agent {
        // What it does is done in its parent's turn.
        Some(agent) => (agent.change_set.clone(), agent.touched.clone(), agent.so_far.clone()),
        None => {
            let kind = nova_vault::ChangeSetKind::Turn;
            let open = |vault: &Vault| Arc::new(vault.change_set(kind, title_of(&message)));
            (scope.access.vault.as_ref().map(open), Arc::default(), Arc::default())
        }
    };
    let mut turn = Turn {
        change_set,
        scope,
        session,
        journal,
        by_nova,
        cancel,
        sub_agent,
        started: Arc::default(),
        spent: 0,
        touched,
        learned: None,
        no_summary: false,
        so_far,
        unknown: Vec::new(),
        begun_at: 0,
        named: None,
    };
    turn.recall_limit();
    let end = turn.run(message).await;
    let sink = turn.scope.sink.clone();
    let occupied = std::mem::replace(&mut turn.scope.occupied, Box::new(()));
    let session = turn.session.clone();
    let ending = session.next_seq.hold_back();
    let finished = turn.finish(end).await;
    *session.journal.lock().unwrap_or_else(PoisonError::into_inner) = Weak::new();
    // A listener may begin the next turn at once.
    drop(lease);
    drop(occupied);
    let (end, told) = match finished {
        Ok((end, told)) => (Ok(end), Some(told)),
        Err(error) => (Err(error), None),
    };
    ending.told(|| told.into_iter().for_each(|told| sink.emit(told)));
    end
}

/// Everything a turn works with.
pub struct TurnScope {
    pub turn: String,
    pub access: Access,
    pub store: Store,
    pub registry: Arc<Registry>,
    pub provider: Arc<dyn Provider>,
    /// Without the provider's id.
    pub model: String,
    /// Where what is sent ends up, as long as `place` says nothing else.
    pub locality: Locality,
    /// The user agreed that notes go there.
    pub agreed: bool,
    /// Where the server has to be asked for that; it is, before anything is sent.
    pub place: Option<Arc<dyn ModelPlace>>,
    /// Folders and notes that no remote model sees.
    pub private: Vec<String>,
    pub sink: Arc<dyn EventSink>,
    pub ids: Arc<dyn Ids>,
    /// Where its sub-agents work.
    pub sub_sessions: Arc<dyn SubSessions>,
    /// What the model takes in, in tokens, where that is known.
    pub context: Option<u64>,
    /// How much of a request the list of skills may take.
    pub catalog: CatalogBudget,
    /// Whether the model can look at images, where that is known.
    pub images: Option<bool>,
    /// Whether a request that is plainly about one skill activates it.
    pub router: bool,
    /// A call that reads or asks elsewhere and works longer than this runs on by itself.
    pub settle: Duration,
    /// Called when what the user wrote is in the log.
    pub begun: Arc<dyn Fn() + Send + Sync>,
    /// Dropped when the session is free again, just before the turn's end is emitted, or when it fails to begin.
    pub occupied: Box<dyn Send + Sync>,
}

/// Makes ids that were never used before.
pub trait Ids: Send + Sync {
    fn next(&self) -> String;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    Completed { text: String },
    Cancelled,
    Failed(UserError),
}

enum Stop {
    Cancelled,
    Failed(UserError),
    /// The provider refused the request as too long for the model, which takes in this many tokens.
    TooLong {
        context: Option<u64>,
        error: UserError,
    },
    /// The provider refused the request for the images that it shows, which are named only from now on.
    Images(UserError),
}

impl From<UserError> for Stop {
    fn from(error: UserError) -> Self {
        Self::Failed(error)
    }
}

impl From<SessionError> for Stop {
    fn from(error: SessionError) -> Self {
        Self::Failed(UserError::new(ErrorCode::Io, error.to_string(), "Check the disk, then try again."))
    }
}

struct Turn {
    scope: TurnScope,
    session: Arc<Session>,
    journal: Arc<Journal>,
    /// Nobody has written a message.
    by_nova: bool,
    cancel: CancellationToken,
    /// It works for another turn.
    sub_agent: Option<SubAgent>,
    /// Those that work for it.
    started: Arc<Started>,
    /// Tokens of its requests, those that the provider had cached not counted.
    spent: u64,
    change_set: Option<Arc<ChangeSet>>,
    /// The notes this turn has changed.
    touched: Arc<Mutex<BTreeSet<VaultPath>>>,
    /// What the model takes in, in tokens, where it refused what was longer.
    learned: Option<u64>,
    /// The model could not sum up what was said, and is not asked again.
    no_summary: bool,
    /// What has happened in the turn, for the calls to come.
    so_far: Arc<TurnSoFar>,
    /// Calls that were stopped while they may already have had an effect.
    unknown: Vec<String>,
    /// How many messages the conversation had before it.
    begun_at: usize,
    /// The notes that its requests so far named; None before the first.
    named: Option<BTreeSet<VaultPath>>,
}

impl Turn {
    async fn run(&mut self, message: UserMessage) -> Result<String, Stop> {
        self.begin(&message).await?;
        for step in 0.. {
            match &self.sub_agent {
                Some(agent) => self.check_limits(agent, step).await?,
                None if step == STEP_LIMIT => break,
                None => {}
            }
            self.tell_late_ends().await;
            self.tell_outdated().await?;
            let snapshot = self.snapshot();
            self.tell_skills(&snapshot);
            let bound = message.tool.as_deref().filter(|_| step == 0);
            let request = self.request_that_fits(&snapshot, bound).await?;
            let completed = match self.step(&request, step).await {
                // Nobody had said how much the model takes in, or not rightly: room is made once.
                Err(Stop::TooLong { context, error }) => {
                    self.learn_limit(&request, context);
                    let shorter = match self.request_that_fits(&snapshot, bound).await {
                        Ok(shorter) => shorter,
                        Err(Stop::Cancelled) => return Err(Stop::Cancelled),
                        Err(_) => return Err(Stop::Failed(error)),
                    };
                    self.step(&shorter, step).await?
                }
                // What the user shows now the model must see, or the user hear that it does not. What was
                // shown before is in the way of no other message.
                Err(Stop::Images(_)) if message.images.is_empty() => {
                    let without = self.request_that_fits(&snapshot, bound).await?;
                    let end = self.step(&without, step).await;
                    if matches!(end, Err(Stop::Failed(_))) {
                        // It was not for the images, then.
                        self.session.lock().refused_images.clear();
                    }
                    end?
                }
                completed => completed?,
            };
            let calls = self.note_answer(&snapshot, &completed).await?;
            if calls.is_empty() {
                return self.last_answer(completed);
            }
            self.run_calls(&snapshot, calls).await?;
        }
        Err(UserError::new(
            ErrorCode::StepLimit,
            format!("The model called tools in {STEP_LIMIT} steps without finishing."),
            "Send a message to continue, or ask for less at once.",
        )
        .into())
    }

    /// The user's message, and what the model must know before it.
    async fn begin(&mut self, message: &UserMessage) -> Result<(), Stop> {
        let after = {
            let mut state = self.session.lock();
            let after = state.branch.last().cloned();
            state.branch.push(self.scope.turn.clone());
            after
        };
        // What the user wrote is on the disk before anybody hears that it was taken.
        let kept = self.keep_images(&message.images).await;
        let images: Vec<ImageView> = message.images.iter().map(NamedImage::view).collect();
        let being_written = self.session.next_seq.hold_back();
        let started = self.journal.record_end(Event::TurnStarted {
            text: message.text.clone(),
            model: self.model_name(),
            skills: message.skills.clone(),
            tool: message.tool.clone(),
            after: Some(after),
            by_nova: self.by_nova,
            images: images.clone(),
            outside: message.outside.clone(),
        });
        let written = self.journal.flush().await;
        being_written.told(|| self.journal.tell(started));
        written?;
        (self.scope.begun)();
        // Only now: the turn ends with what went wrong, and what the user wrote stands before it.
        kept?;
        let snapshot = self.snapshot();
        let is_frozen = |message: &LogMessage| matches!(message, LogMessage::System { .. });
        let is_new = !self.session.lock().messages.iter().any(is_frozen);
        if is_new {
            self.freeze(&snapshot);
            let info = self.scope.store.info(&self.session.id).await?;
            if info.title.is_empty() {
                self.scope.store.rename(&self.session.id, &title_of(message)).await?;
            }
        }
        self.settle_unfinished();
        self.settle_lost_calls().await?;
        self.begun_at = self.session.lock().messages.len();
        if !self.by_nova {
            self.begin_skills(&snapshot, message).await;
        }
        let today = self.scope.access.clock.today();
        if !self.session.lock().was_told_last(&date_notice(today)) {
            self.message(LogMessage::notice(date_notice(today)));
        }
        self.tell_skills(&snapshot);
        let may_leave = self.check_leaving(!message.images.is_empty()).await;
        // What was not let go now does not go along with a later message.
        if !self.by_nova && !matches!(may_leave, Err(Stop::Failed(_))) {
            let text = self.whole_message(&snapshot, message).await;
            self.message(LogMessage::User { text, images });
        }
        self.journal.flush().await?;
        may_leave?;
        self.find_outdated().await;
        Ok(())
    }

    pub(crate) async fn keep_images(&self, images: &[NamedImage]) -> Result<(), SessionError> {
        self.scope.store.add_images(&self.session.id, images).await?;
        let mut state = self.session.lock();
        for NamedImage { image, .. } in images {
            state.images.insert(image.id.clone(), image.clone());
            // Who shows it again wants it to be tried again.
            state.refused_images.retain(|(_, id)| *id != image.id);
        }
        Ok(())
    }

    /// A turn that Nova did not live to end: say so before the next one.
    fn settle_unfinished(&self) {
        let (unfinished, unsaid) = {
            let mut state = self.session.lock();
            (std::mem::take(&mut state.unfinished), state.unsaid.take())
        };
        if unfinished {
            if let Some(message) = unsaid {
                self.message(message);
            }
            self.message(LogMessage::notice("Nova ended during the previous turn."));
        }
    }

    /// What all requests of the session begin with.
    fn freeze(&self, snapshot: &Snapshot) {
        let vault = self.scope.access.vault.as_ref().map(Vault::name);
        let mut told = Told::catalog(snapshot);
        activation::always(snapshot).for_each(|skill| told.add_instructions(skill));
        let notice_mark = activation::new_notice_mark();
        let mut text = system_prompt(snapshot, vault.as_deref(), &notice_mark, self.scope.catalog);
        if self.sub_agent.is_some() {
            text.push_str(SUB_AGENT);
        }
        self.message(LogMessage::System {
            text,
            tools: activation::first_tools(snapshot).into_iter().map(Into::into).collect(),
            told,
            notice_mark,
            private: self.sub_agent.as_ref().is_some_and(|agent| agent.private),
        });
    }

    /// `provider/model`
    fn model_name(&self) -> String {
        format!("{}/{}", self.scope.provider.id(), self.scope.model)
    }

    fn message(&self, message: LogMessage) {
        self.session.lock().messages.push(message.clone());
        self.journal.message(message);
    }

    /// A call that the turn did not come to has an output, too.
    fn answer_open_calls(&self) {
        let messages = self.session.lock().messages.clone();
        let known = messages.len();
        for output in with_all_outputs(messages).split_off(known) {
            self.message(output);
        }
    }

    /// The one place where a turn ends: written down first, told by the caller.
    async fn finish(self, end: Result<String, Stop>) -> Result<(TurnEnd, Envelope), SessionError> {
        self.started.ended().await;
        self.answer_open_calls();
        self.session.lock().images.clear();
        let end = match end {
            Ok(text) => TurnEnd::Completed { text },
            Err(Stop::Cancelled) => {
                self.message(LogMessage::notice("The user stopped the turn."));
                TurnEnd::Cancelled
            }
            Err(Stop::Failed(error) | Stop::TooLong { error, .. } | Stop::Images(error)) => {
                TurnEnd::Failed(error)
            }
        };
        if let Some(change_set) = self.change_set.and_then(Arc::into_inner) {
            let closed = tokio::task::spawn_blocking(move || change_set.close()).await;
            if !matches!(closed, Ok(Ok(_))) {
                tracing::error!("a change set could not be closed; it is listed as interrupted");
            }
        }
        let told = self.journal.record_end(match &end {
            TurnEnd::Completed { text } => Event::TurnCompleted { text: text.clone() },
            TurnEnd::Cancelled => Event::TurnCancelled { unknown: self.unknown.clone() },
            TurnEnd::Failed(error) => Event::TurnFailed {
                code: error.code,
                message: error.message.clone(),
                hint: error.hint.clone(),
                host: error.host.clone(),
            },
        });
        self.journal.flush().await?;
        Ok((end, told))
    }
}

/// The first words of a message, or what it shows.
fn title_of(message: &UserMessage) -> String {
    let mut words = message.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(shown) = message.images.first().filter(|_| words.is_empty()) {
        words.clone_from(&shown.name);
    }
    if let Some(taken) = message.outside.first().filter(|_| words.is_empty()) {
        words.clone_from(&taken.name);
    }
    if words.chars().count() <= TITLE_LENGTH {
        return words;
    }
    let cut: String = words.chars().take(TITLE_LENGTH).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{whole}…")
}
