mod answer;
mod attachments;
mod calls;
mod compact;
mod control_answer;
mod disclosure;
mod late;
pub(crate) mod seen;
mod skills;
mod step;
mod sub_agents;

pub use disclosure::{ModelPlace, Placed, not_agreed};
pub use sub_agents::{SubSession, SubSessions};

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use nova_calls::{Access, TurnHistory};
use nova_protocol::{Envelope, ErrorCode, Event, ImageView, UserError};
use nova_provider::{Locality, Provider};
use nova_registry::{CatalogBudget, Registry, Snapshot};
use nova_skill::VaultPath;
use nova_vault::{ChangeSet, Vault};
use tokio_util::sync::CancellationToken;

use crate::activation::{self, SkillKnowledge};
use crate::error::SessionError;
use crate::journal::{EventSink, Journal};
use crate::message::{LogMessage, with_all_outputs};
use crate::named_image::NamedImage;
use crate::prompt::{SUB_AGENT, date_notice, system_prompt};
use crate::session::{Session, UserMessage};
use crate::store::Store;
use sub_agents::{Started, SubAgent};

/// Maximum number of requests to the provider within one turn.
const STEP_LIMIT: u32 = 30;
/// Maximum length of a title in characters; it consists of the first words of the first message.
const TITLE_LENGTH: usize = 48;

/// Runs one turn: from the user's message to exactly one of `turn_completed`, `turn_cancelled` and
/// `turn_failed`. In any case, every call in the history has an output.
///
/// # Errors
/// [`SessionError::Busy`] while another turn runs in the session, or if its log cannot be read. After
/// `turn_started` is emitted, failures are events.
pub async fn run_turn(
    scope: TurnScope,
    session: Arc<Session>,
    message: UserMessage,
    cancel: CancellationToken,
) -> Result<TurnEnd, SessionError> {
    begin_turn(scope, session, message, false, cancel, None).await
}

/// Runs a turn that Nova starts without a message: detached calls have ended, and the model is told their
/// results.
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
    let (change_set, touched, history) = match &sub_agent {
        // Its effects belong to its parent's turn.
        Some(agent) => (agent.change_set.clone(), agent.touched.clone(), agent.history.clone()),
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
        history,
        unknown: Vec::new(),
        begun_at: 0,
        named: None,
    };
    turn.recall_limit();
    let end = turn.run(message).await;
    let sink = turn.scope.sink.clone();
    let occupied = std::mem::replace(&mut turn.scope.occupied, Box::new(()));
    let session = turn.session.clone();
    let ending = session.next_seq.begin_end();
    let finished = turn.finish(end).await;
    *session.journal.lock().unwrap_or_else(PoisonError::into_inner) = Weak::new();
    // A listener may start the next turn immediately.
    drop(lease);
    drop(occupied);
    let (end, told) = match finished {
        Ok((end, told)) => (Ok(end), Some(told)),
        Err(error) => (Err(error), None),
    };
    ending.commit(|| told.into_iter().for_each(|told| sink.emit(told)));
    end
}

/// The environment of a turn.
pub struct TurnScope {
    pub turn: String,
    pub access: Access,
    pub store: Store,
    pub registry: Arc<Registry>,
    pub provider: Arc<dyn Provider>,
    /// Without the provider's id.
    pub model: String,
    /// The destination of requests, unless `place` determines another.
    pub locality: Locality,
    /// The user agreed to send notes there.
    pub agreed: bool,
    /// Determines the destination by querying the server, before anything is sent.
    pub place: Option<Arc<dyn ModelPlace>>,
    /// Folders and notes that are hidden from remote models.
    pub private: Vec<String>,
    pub sink: Arc<dyn EventSink>,
    pub ids: Arc<dyn Ids>,
    /// Provides the sessions of its sub-agents.
    pub sub_sessions: Arc<dyn SubSessions>,
    /// The model's context size in tokens, if it is known.
    pub context: Option<u64>,
    /// The size limit of the skill catalog in a request.
    pub catalog: CatalogBudget,
    /// Whether the model accepts images, if that is known.
    pub images: Option<bool>,
    /// Whether a request that clearly concerns one skill activates it.
    pub router: bool,
    /// A call that reads or queries other systems is detached after this time.
    pub settle: Duration,
    /// Called when the user's message is in the log.
    pub begun: Arc<dyn Fn() + Send + Sync>,
    /// Dropped when the session is available again, just before the turn's end is emitted, or if the turn
    /// cannot start.
    pub occupied: Box<dyn Send + Sync>,
}

/// Generates unique ids.
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
    /// The provider refused the request as too long for the model, whose limit this is in tokens.
    TooLong {
        context: Option<u64>,
        error: UserError,
    },
    /// The provider refused the request for its images, which are only named from now on.
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
    /// There is no user message.
    by_nova: bool,
    cancel: CancellationToken,
    /// Set if it runs on behalf of another turn.
    sub_agent: Option<SubAgent>,
    /// The sub-agents started by it.
    started: Arc<Started>,
    /// Tokens of its requests, excluding those cached by the provider.
    spent: u64,
    change_set: Option<Arc<ChangeSet>>,
    /// The notes this turn has changed.
    touched: Arc<Mutex<BTreeSet<VaultPath>>>,
    /// The model's limit in tokens, learned from a refusal.
    learned: Option<u64>,
    /// The model failed to write a summary, and is not asked again.
    no_summary: bool,
    /// The history of the turn, for later calls.
    history: Arc<TurnHistory>,
    /// Calls that were stopped when they may already have had an effect.
    unknown: Vec<String>,
    /// The number of messages in the conversation before it.
    begun_at: usize,
    /// The notes named by its requests so far; `None` before the first.
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
            self.report_late_ends().await;
            self.report_outdated().await?;
            let snapshot = self.snapshot();
            self.add_skill_notices(&snapshot);
            let bound = message.tool.as_deref().filter(|_| step == 0);
            let request = self.request_that_fits(&snapshot, bound).await?;
            let completed = match self.step(&request, step).await {
                // The context size was unknown or wrong: compact once.
                Err(Stop::TooLong { context, error }) => {
                    self.learn_limit(&request, context);
                    let shorter = match self.request_that_fits(&snapshot, bound).await {
                        Ok(shorter) => shorter,
                        Err(Stop::Cancelled) => return Err(Stop::Cancelled),
                        Err(_) => return Err(Stop::Failed(error)),
                    };
                    self.step(&shorter, step).await?
                }
                // If the model refuses images of the current message, the user must be told. Images of
                // earlier messages must not block this one.
                Err(Stop::Images(_)) if message.images.is_empty() => {
                    let without = self.request_that_fits(&snapshot, bound).await?;
                    let end = self.step(&without, step).await;
                    if matches!(end, Err(Stop::Failed(_))) {
                        // The refusal had another reason.
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

    /// Adds the user's message, preceded by information that the model needs.
    async fn begin(&mut self, message: &UserMessage) -> Result<(), Stop> {
        let after = {
            let mut state = self.session.lock();
            let after = state.branch.last().cloned();
            state.branch.push(self.scope.turn.clone());
            after
        };
        // The user's message must be on disk before it is acknowledged.
        let kept = self.keep_images(&message.images).await;
        let images: Vec<ImageView> = message.images.iter().map(NamedImage::view).collect();
        let being_written = self.session.next_seq.begin_end();
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
        being_written.commit(|| self.journal.emit_recorded(started));
        written?;
        (self.scope.begun)();
        // Only now: the turn fails with this error, after the user's message.
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
        if !self.session.lock().is_last_date_notice(&date_notice(today)) {
            self.message(LogMessage::notice(date_notice(today)));
        }
        self.add_skill_notices(&snapshot);
        let may_leave = self.check_disclosure(!message.images.is_empty()).await;
        // A message that must not leave now must not leave with a later one either.
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
            // An image that is attached again is tried again.
            state.refused_images.retain(|(_, id)| *id != image.id);
        }
        Ok(())
    }

    /// Reports a turn that was interrupted by the end of the process, before the next one.
    fn settle_unfinished(&self) {
        let (unfinished, unsent_message) = {
            let mut state = self.session.lock();
            (std::mem::take(&mut state.unfinished), state.unsent_message.take())
        };
        if unfinished {
            if let Some(message) = unsent_message {
                self.message(message);
            }
            self.message(LogMessage::notice("Nova ended during the previous turn."));
        }
    }

    /// Creates the common prefix of all requests of the session.
    fn freeze(&self, snapshot: &Snapshot) {
        let vault = self.scope.access.vault.as_ref().map(Vault::name);
        let mut told = SkillKnowledge::catalog(snapshot);
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

    /// Adds outputs for calls that the turn did not reach.
    fn answer_open_calls(&self) {
        let messages = self.session.lock().messages.clone();
        let known = messages.len();
        for output in with_all_outputs(messages).split_off(known) {
            self.message(output);
        }
    }

    /// The only place where a turn ends: the end is written first, and emitted by the caller.
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
                tracing::error!("cannot close a change set; it is listed as interrupted");
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

/// The first words of a message, or the names of its attachments.
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
