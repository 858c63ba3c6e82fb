mod answer;
mod calls;
mod compact;
mod late;
mod leaving;
mod said;
pub(crate) mod seen;
mod skills;

pub use leaving::{ModelPlace, Placed, not_agreed};

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use nova_calls::{Access, TurnSoFar};
use nova_protocol::{Envelope, ErrorCode, Event, ImageView, UserError};
use nova_provider::{
    ChatRequest, Completed, Locality, Message, Provider, ProviderError, ToolChoice, ToolDefinition, Usage,
};
use nova_registry::{CatalogBudget, Registry, Snapshot, ToolLookup};
use nova_skill::VaultPath;
use nova_vault::{ChangeSet, Vault};
use tokio_util::sync::CancellationToken;

use crate::activation::{self, ControlTool, Told};
use crate::context::{Sizes, sent};
use crate::error::SessionError;
use crate::images::Showing;
use crate::journal::{EventSink, Journal};
use crate::message::{LogMessage, with_all_outputs};
use crate::named_image::NamedImage;
use crate::prompt::{date_notice, system_prompt};
use crate::session::{Session, State, UserMessage, said};
use crate::store::Store;
use crate::stream::{StreamEnd, show};

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
    begin_turn(scope, session, message, false, cancel).await
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
    begin_turn(scope, session, UserMessage::default(), true, cancel).await
}

async fn begin_turn(
    scope: TurnScope,
    session: Arc<Session>,
    message: UserMessage,
    by_nova: bool,
    cancel: CancellationToken,
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
    let mut turn = Turn {
        change_set: scope
            .access
            .vault
            .as_ref()
            .map(|vault| Arc::new(vault.change_set(nova_vault::ChangeSetKind::Turn, title_of(&message)))),
        scope,
        session,
        journal,
        by_nova,
        cancel,
        touched: Arc::default(),
        learned: None,
        no_summary: false,
        so_far: Arc::default(),
        unknown: Vec::new(),
        begun_at: 0,
        named: None,
    };
    turn.recall_limit();
    let end = turn.run(message).await;
    let (sink, ended) = (turn.scope.sink.clone(), turn.scope.ended.clone());
    let session = turn.session.clone();
    let ending = session.next_seq.hold_back();
    let finished = turn.finish(end).await;
    *session.journal.lock().unwrap_or_else(PoisonError::into_inner) = Weak::new();
    // Whoever hears of the end may begin the next turn at once.
    drop(lease);
    ended();
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
    /// Called when the session is free again, just before the turn's end is told.
    pub ended: Arc<dyn Fn() + Send + Sync>,
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
    /// The provider refused the request as too long for the model, which takes in so many tokens.
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
        for step in 0..STEP_LIMIT {
            self.tell_late_ends().await;
            self.tell_outdated().await?;
            let snapshot = self.scope.registry.snapshot();
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
        });
        let written = self.journal.flush().await;
        being_written.told(|| self.journal.tell(started));
        written?;
        (self.scope.begun)();
        // Only now: the turn ends with what went wrong, and what the user wrote stands before it.
        kept?;
        let snapshot = self.scope.registry.snapshot();
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
            let text = said(&message.text, message.tool.as_deref());
            self.message(LogMessage::User { text, images });
        }
        self.journal.flush().await?;
        may_leave?;
        self.find_outdated().await;
        Ok(())
    }

    async fn keep_images(&self, images: &[NamedImage]) -> Result<(), SessionError> {
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
        self.message(LogMessage::System {
            text: system_prompt(snapshot, vault.as_deref(), &notice_mark, self.scope.catalog),
            tools: activation::first_tools(snapshot).into_iter().map(Into::into).collect(),
            told,
            notice_mark,
        });
    }

    /// `bound`: the tool that the user points at, which the model must call first.
    fn request(&self, snapshot: &Snapshot, bound: Option<&str>) -> ChatRequest {
        let calls_run = !Self::running_here(&self.session).is_empty();
        let state = self.session.lock();
        let mut tools = activation::visible_tools(snapshot, &state.first_tools(), &state.active);
        // Behind all others, so that they break as little as they can of what the provider keeps.
        let is_cut = state.messages.iter().any(|message| message.cut().is_some());
        tools.extend(ControlTool::about_calls(calls_run, is_cut));
        let bound = bound.and_then(|name| match snapshot.tool(name) {
            ToolLookup::Found { tool, .. } => Some(tool.wire_name.clone()),
            ToolLookup::Unknown { .. } => None,
        });
        let bound = bound.filter(|name| tools.iter().any(|tool| tool.name == *name));
        let deferred = self.deferred(&state, snapshot);
        tools.retain(|tool| !deferred.iter().any(|deferred| deferred.name == tool.name));
        ChatRequest {
            model: self.scope.model.clone(),
            system: state.system().to_owned(),
            tools,
            deferred,
            messages: self.as_sent(&state, &sent(&state.messages)),
            max_output: None,
            tool_choice: bound.map_or(ToolChoice::Auto, ToolChoice::Required),
        }
    }

    /// The tools that the messages sent make callable, where they may be sent aside. They stay when their
    /// skill is not active any more: a call of one activates it again.
    fn deferred(&self, state: &State, snapshot: &Snapshot) -> Vec<ToolDefinition> {
        if !self.scope.provider.defers_tools(&self.scope.model) {
            return Vec::new();
        }
        let mut deferred = activation::named_tools(snapshot, &state.told().tools);
        let first = state.first_tools();
        deferred.retain(|tool| !first.iter().any(|first| first.name == tool.name));
        // What loads a tool is read as Nova's own words, not as the answer of a call: what tools say must
        // load none. A log may hold such outputs still.
        let is_about_calls =
            |tool: &ToolDefinition| ControlTool::named(&tool.name).is_some_and(ControlTool::is_about_calls);
        deferred.retain(|tool| !is_about_calls(tool));
        deferred
    }

    /// The messages as this turn's model is sent them.
    fn as_sent(&self, state: &State, messages: &[Cow<'_, LogMessage>]) -> Vec<Message> {
        let model = self.model_name();
        // It may have been found out in this turn.
        let takes = self.scope.images != Some(false) && state.blind.as_ref() != Some(&model);
        let refused = state.refused_images.iter().filter(|(by, _)| *by == model);
        let refused = refused.map(|(_, id)| id.clone()).collect();
        let showing = Showing::of(messages, &state.images, &refused, takes);
        messages.iter().filter_map(|message| message.to_provider(&showing, state.notice_mark())).collect()
    }

    /// One request to the provider.
    async fn step(&mut self, request: &ChatRequest, step: u32) -> Result<Completed, Stop> {
        let parts = cache_order(request);
        let (prefix_kept, sizes, context) = {
            let mut state = self.session.lock();
            let kept = match (&state.last_request, &state.last_tools) {
                (Some(before), _) => parts.starts_with(before),
                // Another Nova sent the last one: the log has the names of its tools.
                (None, Some(before)) => has_tools_of(request, before),
                (None, None) => true,
            };
            state.last_request = Some(parts);
            let sizes = Sizes::of(&sent(&state.messages), request.all_tools(), state.first_tools().len());
            (kept, sizes, state.measure.view(sizes, self.scope.context))
        };
        self.tell_request(request, prefix_kept, Some(context)).await?;
        let id = format!("{}-{step}", self.scope.turn);
        let stream = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(Stop::Cancelled),
            stream = self.scope.provider.stream(request, self.cancel.clone()) => stream,
        };
        let end = match stream {
            Ok(stream) => show(stream, &id, &self.journal, &self.cancel).await,
            Err(error) => StreamEnd::Failed { text: String::new(), error },
        };
        match end {
            StreamEnd::Completed(completed, usage) => {
                self.session.lock().measure.counted(sizes.total(), usage.input, usage.cached);
                self.note_usage(usage);
                if !completed.text.is_empty() {
                    self.tell_message(id, completed.text.clone()).await;
                }
                Ok(completed)
            }
            StreamEnd::Cancelled { text } => {
                self.keep_cut_text(id, text).await;
                Err(Stop::Cancelled)
            }
            StreamEnd::Failed { text, error } => {
                let nothing_said = text.is_empty();
                self.keep_cut_text(id, text).await;
                Err(match error {
                    ProviderError::Cancelled => Stop::Cancelled,
                    ProviderError::NoImages { .. } => {
                        self.session.lock().blind = Some(self.model_name());
                        refused_images(nothing_said, provider_error(&error))
                    }
                    // It may be for anything, but what is shown would be sent with every message to come.
                    ProviderError::Failed { status: Some(400 | 413), .. }
                        if request.images().next().is_some() =>
                    {
                        let model = self.model_name();
                        let ids = request.images().map(|image| (model.clone(), image.id.clone()));
                        self.session.lock().refused_images.extend(ids);
                        refused_images(nothing_said, provider_error(&error))
                    }
                    ProviderError::TooLong { context, .. } if nothing_said => {
                        Stop::TooLong { context, error: provider_error(&error) }
                    }
                    error => Stop::Failed(provider_error(&error)),
                })
            }
        }
    }

    fn recall_limit(&mut self) {
        let model = self.model_name();
        let state = self.session.lock();
        self.learned = state.learned.as_ref().filter(|(of, _)| *of == model).map(|(_, tokens)| *tokens);
    }

    /// Notes that the model takes in less than this request, as requests are measured here.
    fn learn_limit(&mut self, request: &ChatRequest, context: Option<u64>) {
        let most = self.tokens_of(request) * 9 / 10;
        let learned = context.map_or(most, |context| context.min(most)).max(1);
        self.learned = Some(learned);
        self.session.lock().learned = Some((self.model_name(), learned));
    }

    /// `provider/model`
    fn model_name(&self) -> String {
        format!("{}/{}", self.scope.provider.id(), self.scope.model)
    }

    fn note_usage(&self, usage: Usage) {
        if usage != Usage::default() {
            self.journal.event(Event::Usage {
                input: usage.input,
                cached: usage.cached,
                output: usage.output,
            });
        }
    }

    /// Text that arrived before a cut stays; calls that were not whole never existed.
    async fn keep_cut_text(&self, id: String, text: String) {
        if !text.is_empty() {
            self.message(LogMessage::Assistant {
                text: text.clone(),
                calls: Vec::new(),
                provider_data: None,
            });
            self.tell_message(id, text).await;
        }
    }

    async fn tell_message(&self, message: String, text: String) {
        let private = self.has_read_private().await;
        self.journal.event(Event::MessageCompleted { message, text, private });
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

/// A refusal for its images: before anything was said the request can be made again.
fn refused_images(nothing_said: bool, error: UserError) -> Stop {
    if nothing_said { Stop::Images(error) } else { Stop::Failed(error) }
}

/// Whether an earlier request with these tools had the same, but for those that are sent aside.
fn has_tools_of(request: &ChatRequest, before: &[String]) -> bool {
    let mut before = before.iter();
    request.tools.iter().all(|tool| before.next() == Some(&tool.name))
        && before.all(|name| request.deferred.iter().any(|tool| tool.name == *name))
}

/// What providers hash, in their order: tools, system, messages. Deferred tools are none of the first, but
/// of the messages that load them.
fn cache_order(request: &ChatRequest) -> Vec<u8> {
    let mut parts = format!("{:?}\0{}\0", request.tools, request.system).into_bytes();
    for message in &request.messages {
        parts.extend(message_bytes(message));
    }
    parts
}

fn message_bytes(message: &Message) -> Vec<u8> {
    format!("{message:?}\0").into_bytes()
}

/// A provider's failure as the user is told.
pub fn provider_error(error: &ProviderError) -> UserError {
    let code =
        ErrorCode::ALL.iter().map(|(code, _)| *code).find(|code| code.as_str() == error.code()).unwrap_or(
            match error {
                ProviderError::ModelNotFound { .. } => ErrorCode::UnknownModel,
                _ => ErrorCode::ProviderFailed,
            },
        );
    UserError::new(code, error.to_string(), error.hint())
}

/// The first words of a message, or what it shows.
fn title_of(message: &UserMessage) -> String {
    let mut words = message.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(shown) = message.images.first().filter(|_| words.is_empty()) {
        words.clone_from(&shown.name);
    }
    if words.chars().count() <= TITLE_LENGTH {
        return words;
    }
    let cut: String = words.chars().take(TITLE_LENGTH).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{whole}…")
}
