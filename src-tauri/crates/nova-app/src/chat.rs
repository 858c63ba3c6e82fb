use std::sync::{Arc, Mutex, PoisonError};

use nova_calls::{Access, Approver};
use nova_protocol::{CallRef, DropSkill, ErrorCode, Event, Nothing, SessionRef, SessionRow, UserError};
use nova_provider::ProviderError;
use nova_registry::{CatalogBudget, SkillEntry, Snapshot, State, ToolLookup};
use nova_session::{
    NamedImage, Session, SessionError, SessionInfo, TurnEnd, TurnScope, UserMessage, WaitingApprovals,
    run_late_turn, run_turn,
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::app::{App, OpenChat};
use crate::models::ChosenModel;
use crate::window_state::check_id;

/// One turn on the command line.
pub struct ChatRequest {
    /// `None` starts a new session.
    pub session: Option<String>,
    pub text: String,
    pub skills: Vec<String>,
    pub tool: Option<String>,
    /// The turn to continue after, `Some(None)` for the beginning; absent for the last one.
    pub after: Option<Option<String>>,
    /// Attached images.
    pub images: Vec<NamedImage>,
    /// `provider/model`
    pub model: Option<String>,
    pub approver: Arc<dyn Approver>,
    pub cancel: CancellationToken,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatEnd {
    pub session: String,
    pub end: TurnEnd,
}

impl App {
    /// Runs one turn to its end; progress is reported as events.
    ///
    /// # Errors
    /// When the turn could not start. A failed turn is not an error but a kind of end.
    pub async fn chat(&self, request: ChatRequest) -> Result<ChatEnd, UserError> {
        says_something(&request.text, &request.images)?;
        let id = match request.session {
            Some(id) => id,
            None => self.new_session().await?.id,
        };
        let chat = self.open_chat(&id).await?;
        let after = self.said_after(&id, request.after).await?;
        let ChatRequest { text, skills, tool, images, .. } = request;
        let message = UserMessage { text, skills, tool, after, images, outside: Vec::new() };
        self.check_wanted(&message)?;
        let turn = self.inner.options.ids.next();
        let scope = self.turn_scope(&chat, turn, request.model.as_deref(), request.approver);
        let Some(scope) = unless(&request.cancel, scope).await? else {
            return Ok(ChatEnd { session: id, end: TurnEnd::Cancelled });
        };
        check_image_support(&scope, &message)?;
        let end = run_turn(scope, chat.session.clone(), message, request.cancel).await?;
        Ok(ChatEnd { session: id, end })
    }

    /// Waits for the calls that a turn left running, then gives the model one more turn with their results;
    /// `None` if there are none. Cancelling stops the calls.
    ///
    /// # Errors
    /// See [`App::chat`].
    pub async fn finish_calls(
        &self,
        session: &str,
        model: Option<&str>,
        approver: Arc<dyn Approver>,
        cancel: CancellationToken,
    ) -> Result<Option<ChatEnd>, UserError> {
        let chat = self.open_chat(session).await?;
        self.wait_for_calls(session, cancel.clone()).await;
        if cancel.is_cancelled() || !chat.session.has_news() {
            return Ok(None);
        }
        let has_news = chat.session.has_news_in(&self.inner.store).await;
        if !has_news? {
            return Ok(None);
        }
        let turn = self.inner.options.ids.next();
        let scope = self.turn_scope(&chat, turn, model, approver);
        let Some(scope) = unless(&cancel, scope).await? else { return Ok(None) };
        let end = run_late_turn(scope, chat.session.clone(), cancel).await;
        let end = end?;
        Ok(Some(ChatEnd { session: session.to_owned(), end }))
    }

    /// Waits for background calls. Cancelling stops them.
    pub async fn wait_for_calls(&self, session: &str, cancel: CancellationToken) {
        let Some(chat) = self.chats().get(session).cloned() else { return };
        tokio::select! {
            () = chat.session.calls_ended() => {}
            () = cancel.cancelled() => self.end_calls(session).await,
        }
    }

    /// Whether a turn left a call running whose result the model does not know yet.
    pub fn has_open_calls(&self, session: &str) -> bool {
        self.chats()
            .get(session)
            .is_some_and(|chat| !chat.session.running_calls().is_empty() || chat.session.has_news())
    }

    /// Stops the background calls of a session, and waits until that is logged.
    pub async fn end_calls(&self, session: &str) {
        let chat = self.chats().get(session).cloned();
        if let Some(chat) = chat {
            chat.session.stop_calls();
            if tokio::time::timeout(ENDING, chat.session.calls_ended()).await.is_err() {
                tracing::warn!(session, "timed out waiting for calls to end");
            }
        }
    }

    /// Starts a turn whose approvals are answered by `decide_approval`; returns its id once the user's
    /// message is logged. `turn` is the id to use; one that is already logged is not started again.
    pub(crate) async fn start_turn(
        &self,
        session: &str,
        turn: Option<String>,
        model: Option<&str>,
        message: UserMessage,
    ) -> Result<String, UserError> {
        if message.outside.is_empty() {
            says_something(&message.text, &message.images)?;
        }
        if let Some(turn) = &turn {
            check_id(turn, "turn")?;
            let begun = self.inner.store.has_turn(session, turn).await;
            if begun? {
                return Ok(turn.clone());
            }
        }
        self.check_wanted(&message)?;
        let chat = self.open_chat(session).await?;
        let cancel = CancellationToken::new();
        let occupied = chat.occupy(cancel.clone()).ok_or(SessionError::Busy)?;
        let turn = turn.unwrap_or_else(|| self.inner.options.ids.next());
        // The turn starts at once, so that it is visible and can be stopped; a server that may run the model
        // remotely is asked within the turn. Only a missing default model is looked for before.
        let scope = self.turn_scope(&chat, turn.clone(), model, chat.waiting.clone());
        let mut scope = unless(&cancel, scope).await?.ok_or_else(not_sent)?;
        check_image_support(&scope, &message)?;
        scope.occupied = Box::new(occupied);
        self.emit(Event::SessionChanged { id: session.to_owned() });
        let (begun, taken) = begun();
        let has_begun = begun.clone();
        scope.begun = Arc::new(move || {
            has_begun(Ok(()));
        });
        let app = self.clone();
        tokio::spawn(async move {
            let session = chat.session.clone();
            let ended = tokio::spawn(run_turn(scope, session, message, cancel)).await;
            let failure = match ended {
                Ok(Ok(TurnEnd::Failed(error))) => {
                    // Logged as the turn's end; the sender also needs it if the message was not logged.
                    begun(Err(error));
                    None
                }
                Ok(Ok(_)) => None,
                Ok(Err(error)) => Some(error.into()),
                Err(error) => Some(UserError::new(
                    ErrorCode::Internal,
                    format!("The turn failed: {error}."),
                    "Send the message again.",
                )),
            };
            if let Some(error) = failure
                && !begun(Err(error.clone()))
            {
                app.fail_turn(&chat.session, error);
            }
            app.emit(Event::SessionChanged { id: chat.session.id.clone() });
        });
        taken.await.unwrap_or_else(|_| Err(not_sent()))?;
        Ok(turn)
    }

    /// Checks that the skills and tools named by the user exist.
    pub(crate) fn check_wanted(&self, message: &UserMessage) -> Result<(), UserError> {
        let snapshot = self.inner.registry.snapshot();
        for id in &message.skills {
            let skill = snapshot.skill(id).ok_or_else(|| unknown_skill(&snapshot, id))?;
            if !skill.is_available() {
                return Err(unavailable(skill));
            }
        }
        self.check_outside(&message.outside)?;
        let Some(name) = &message.tool else { return Ok(()) };
        match snapshot.tool(name) {
            ToolLookup::Found { skill, .. } if !skill.is_available() => Err(unavailable(&skill)),
            ToolLookup::Found { tool, .. } if tool.state != State::Available => Err(UserError::new(
                ErrorCode::SkillUnavailable,
                format!("{} cannot be called.", tool.shown_name()),
                tool.reason.clone().unwrap_or_default(),
            )),
            ToolLookup::Found { .. } => Ok(()),
            ToolLookup::Unknown { nearest } => Err(UserError::new(
                ErrorCode::UnknownTool,
                format!("There is no tool \"{name}\"."),
                format!("Nearest: {}.", nearest.join(", ")),
            )),
        }
    }

    /// Deactivates a skill in a session, starting with its next step.
    pub(crate) async fn drop_skill(&self, drop: DropSkill) -> Result<Nothing, UserError> {
        let chat = self.open_chat(&drop.session).await?;
        let (store, clock) = (&self.inner.store, self.inner.options.clock.clone());
        chat.session.drop_skill(&drop.skill, store, clock, self.inner.clone()).await?;
        Ok(Nothing {})
    }

    /// Emits the failure of a turn that could not log its own end.
    pub(crate) fn fail_turn(&self, session: &Session, error: UserError) {
        let envelope = nova_protocol::Envelope {
            v: nova_protocol::PROTOCOL_VERSION,
            seq: u64::try_from(session.take_seq()).unwrap_or_default(),
            at: self.inner.options.clock.now().to_string(),
            session: Some(session.id.clone()),
            turn: None,
            event: Event::TurnFailed {
                code: error.code,
                message: error.message,
                hint: error.hint,
                host: error.host,
            },
        };
        nova_session::EventSink::emit(self.inner.as_ref(), envelope);
    }

    /// Access of the calls of a turn, form or command.
    pub(crate) fn access(&self, approver: Arc<dyn Approver>) -> Access {
        Access {
            vault: self.vault().ok(),
            web: self.inner.options.web.clone(),
            credentials: self.inner.credentials.clone(),
            stores: self.inner.stores.clone(),
            folders: Arc::new(self.clone()),
            sandboxes: Arc::new(self.clone()),
            clock: self.inner.options.clock.clone(),
            rules: self.rules(),
            approved: self.inner.trust.clone(),
            approver,
            save_rule: Arc::new(self.clone()),
            time_limit: Self::CALL_LIMIT,
        }
    }

    async fn turn_scope(
        &self,
        chat: &OpenChat,
        turn: String,
        model: Option<&str>,
        approver: Arc<dyn Approver>,
    ) -> Result<TurnScope, UserError> {
        let info = self.inner.store.info(&chat.session.id).await?;
        let chosen = self.choose_model(model.or(info.model.as_deref())).await?;
        Ok(self.scope_with(chat, turn, chosen, approver))
    }

    /// Like [`Self::turn_scope`], for a chosen model.
    pub(crate) fn scope_with(
        &self,
        chat: &OpenChat,
        turn: String,
        chosen: ChosenModel,
        approver: Arc<dyn Approver>,
    ) -> TurnScope {
        TurnScope {
            access: self.access(approver),
            turn,
            store: self.inner.store.clone(),
            registry: self.inner.registry.clone(),
            provider: chosen.provider,
            model: chosen.model,
            locality: chosen.locality,
            agreed: chosen.agreed,
            place: chosen.place,
            private: self.private(),
            sink: self.inner.clone(),
            ids: self.inner.options.ids.clone(),
            sub_sessions: Arc::new(self.clone()),
            context: chosen.context,
            images: if chat.session.refused_images(&chosen.name) { Some(false) } else { chosen.images },
            catalog: CatalogBudget::of_context(chosen.context),
            router: !self.config().router_off,
            settle: self.inner.options.settle,
            begun: Arc::new(|| ()),
            occupied: Box::new(()),
        }
    }

    pub(crate) async fn open_chat(&self, id: &str) -> Result<Arc<OpenChat>, UserError> {
        if let Some(chat) = self.chats().get(id) {
            return Ok(chat.clone());
        }
        let session = Session::load(&self.inner.store, id).await?;
        let chat = Arc::new(OpenChat {
            session: Arc::new(session),
            waiting: Arc::new(WaitingApprovals::default()),
            running: std::sync::Mutex::default(),
            idle: tokio::sync::watch::Sender::new(true),
        });
        Ok(self.chats().entry(id.to_owned()).or_insert(chat).clone())
    }

    /// Creates a session.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn new_session(&self) -> Result<SessionInfo, UserError> {
        let id = self.inner.options.ids.next();
        let at = self.inner.options.clock.now().to_string();
        let info = self.inner.store.create(&id, &at).await?;
        self.emit(Event::SessionChanged { id });
        Ok(info)
    }

    /// Whether this process runs a turn in the session.
    pub(crate) fn runs_here(&self, session: &str) -> bool {
        let chat = self.chats().get(session).cloned();
        chat.is_some_and(|chat| chat.running.lock().unwrap_or_else(PoisonError::into_inner).is_some())
    }

    pub(crate) fn session_row(&self, info: SessionInfo) -> SessionRow {
        let running = self.runs_here(&info.id) || self.inner.store.is_running(&info.id);
        SessionRow {
            title: info.title,
            updated_at: info.updated_at,
            created_at: info.created_at,
            model: info.model,
            pinned: info.pinned,
            archived: info.archived,
            deleted_at: info.deleted_at,
            parent: info.parent,
            running,
            id: info.id,
        }
    }

    /// Stops all turns and tools, and waits until the turns have logged their end and the vault has done its
    /// last check of displaced files.
    pub async fn stop_everything(&self) {
        let chats: Vec<_> = self.chats().values().cloned().collect();
        for run in self.runs().values() {
            run.cancel.cancel();
        }
        for chat in &chats {
            self.stop(&chat.session.id);
        }
        let all_ended = async {
            for chat in &chats {
                chat.idle.subscribe().wait_for(|idle| *idle).await.ok();
                chat.session.stop_calls();
                chat.session.calls_ended().await;
            }
        };
        if tokio::time::timeout(ENDING, all_ended).await.is_err() {
            tracing::warn!("timed out waiting for turns to end");
        }
        self.finish_writing().await;
    }

    /// Stops the turn in the session.
    ///
    /// # Errors
    /// `session_busy` if another Nova process runs it.
    pub(crate) async fn stop_turn(&self, session: SessionRef) -> Result<Nothing, UserError> {
        if !self.runs_here(&session.session) && self.inner.store.is_running(&session.session) {
            return Err(runs_elsewhere());
        }
        self.stop(&session.session);
        Ok(Nothing {})
    }

    /// Stops one call of a session; its turn continues.
    ///
    /// # Errors
    /// `session_busy` if another Nova process runs it.
    pub(crate) async fn stop_call(&self, call: CallRef) -> Result<Nothing, UserError> {
        let chat = self.chats().get(&call.session).cloned();
        let stopped = chat.is_some_and(|chat| chat.session.stop_call(&call.call));
        if !stopped && !self.runs_here(&call.session) && self.inner.store.is_running(&call.session) {
            return Err(runs_elsewhere());
        }
        Ok(Nothing {})
    }

    pub(crate) fn stop(&self, session: &str) {
        if let Some(chat) = self.chats().get(session) {
            let running = chat.running.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(cancel) = running.as_ref() {
                cancel.cancel();
            }
        }
    }
}

/// Time for stopped turns to log their end.
const ENDING: std::time::Duration = std::time::Duration::from_secs(3);

/// Number of skills that an error lists if no name is similar.
const MOST_NAMED: usize = 20;

pub(crate) fn unknown_skill(snapshot: &Snapshot, id: &str) -> UserError {
    let names = match snapshot.nearest_skills(id) {
        near if near.is_empty() => {
            let available: Vec<&str> = snapshot.available().map(|skill| skill.id.as_str()).collect();
            let more = if available.len() > MOST_NAMED { " and more" } else { "" };
            match available.as_slice() {
                [] => String::new(),
                some => format!("Available: {}{more}. ", some[..some.len().min(MOST_NAMED)].join(", ")),
            }
        }
        near => format!("Nearest: {}. ", near.join(", ")),
    };
    UserError::new(
        ErrorCode::UnknownSkill,
        format!("There is no skill \"{id}\"."),
        format!("{names}See all with: nova skill list"),
    )
}

fn unavailable(skill: &SkillEntry) -> UserError {
    let (reason, remedy) = match skill.state {
        State::Disabled => ("It is disabled".into(), format!("Run: nova skill enable {}", skill.id)),
        _ => (skill.reason.clone().unwrap_or_default(), "See: nova skill list".into()),
    };
    let reason = reason.trim_end_matches('.');
    UserError::new(
        ErrorCode::SkillUnavailable,
        format!("The skill {} is not available. {reason}.", skill.id),
        remedy,
    )
}

fn runs_elsewhere() -> UserError {
    UserError::new(
        ErrorCode::SessionBusy,
        "Another Nova process runs this turn.",
        "Stop it there, at its terminal or in its window.",
    )
}

/// `None` if cancelled before the result.
async fn unless<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T, UserError>>,
) -> Result<Option<T>, UserError> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Ok(None),
        done = work => done.map(Some),
    }
}

/// Reports whether a turn started, once, to the waiting caller. `false` if it was reported before.
type Begun = Arc<dyn Fn(Result<(), UserError>) -> bool + Send + Sync>;

fn begun() -> (Begun, oneshot::Receiver<Result<(), UserError>>) {
    let (tell, taken) = oneshot::channel();
    let tell = Mutex::new(Some(tell));
    let once = move |result| {
        let tell = tell.lock().unwrap_or_else(PoisonError::into_inner).take();
        tell.is_some_and(|tell| tell.send(result).is_ok())
    };
    (Arc::new(once), taken)
}

fn not_sent() -> UserError {
    UserError::new(
        ErrorCode::Cancelled,
        "The message was stopped while Nova looked for a model and was not sent.",
        "Send it again, or choose a model.",
    )
}

/// Refuses before the turn starts, so that the message is not lost. Unknown support is determined in the
/// turn.
fn check_image_support(scope: &TurnScope, message: &UserMessage) -> Result<(), UserError> {
    if scope.images != Some(false) || message.images.is_empty() {
        return Ok(());
    }
    let (provider, model) = (scope.provider.id().to_owned(), scope.model.clone());
    Err(ProviderError::NoImages { provider, model }.into())
}

fn says_something(text: &str, images: &[NamedImage]) -> Result<(), UserError> {
    if text.trim().is_empty() && images.is_empty() {
        return Err(UserError::new(ErrorCode::BadRequest, "The message is empty.", "Write something first."));
    }
    Ok(())
}
