//! Commands for chats and turns.

use nova_protocol::{
    ContextView, DecideApproval, ErrorCode, Event, Nothing, PurgeSessions, PurgedSessions, RenameSession,
    ReviseApproval, SendMessage, SessionRef, SessionRow, SessionView, TurnRef, UserError,
};
use nova_session::UserMessage;

use crate::app::App;
use crate::blocking::blocking;
use crate::images;
use crate::sessions::with_blocks;

impl App {
    pub(crate) async fn list_sessions(&self, _: Nothing) -> Result<Vec<SessionRow>, UserError> {
        let sessions = self.inner.store.list().await?;
        Ok(sessions.into_iter().map(|info| self.session_row(info)).collect())
    }

    pub(crate) async fn create_session(&self, _: Nothing) -> Result<SessionRow, UserError> {
        Ok(self.session_row(self.new_session().await?))
    }

    pub(crate) async fn open_session(&self, session: SessionRef) -> Result<SessionView, UserError> {
        let info = self.inner.store.info(&session.session).await?;
        let open = self.chats().get(&session.session).cloned();
        let (mut running_calls, mut unfinished) = (Vec::new(), Vec::new());
        if let Some(chat) = open {
            running_calls = chat.session.running_calls();
            // Before the flush, so that all events before these blocks are in the log.
            unfinished = chat.session.unfinished();
            chat.session.flush().await?;
        }
        let events = self.inner.store.events_since(&session.session, 0).await;
        let events = events?;
        let row = self.session_row(info);
        if row.running && !self.runs_here(&row.id) {
            self.follow_elsewhere(&row.id, events.last().map_or(0, |(last, _)| last + 1));
        }
        let events = blocking(move || {
            let mut events: Vec<_> = events.into_iter().map(|(_, envelope)| envelope).collect();
            events.extend(unfinished);
            events.sort_by_key(|envelope| envelope.seq);
            Ok(with_blocks(events))
        })
        .await?;
        Ok(SessionView { row, events, running_calls })
    }

    pub(crate) async fn rename_session(&self, rename: RenameSession) -> Result<SessionRow, UserError> {
        let title = rename.title.trim();
        if title.is_empty() {
            return Err(UserError::new(ErrorCode::BadRequest, "The title is empty.", "Write a title."));
        }
        let info = self.inner.store.rename(&rename.session, title).await?;
        self.emit(Event::SessionChanged { id: rename.session });
        Ok(self.session_row(info))
    }

    pub(crate) async fn delete_session(&self, session: SessionRef) -> Result<Nothing, UserError> {
        self.end_calls(&session.session).await;
        self.move_to_trash(&session.session).await?;
        Ok(Nothing {})
    }

    pub(crate) async fn restore_session(&self, session: SessionRef) -> Result<SessionRow, UserError> {
        let info = self.inner.store.restore(&session.session).await?;
        self.emit(Event::SessionChanged { id: session.session });
        Ok(self.session_row(info))
    }

    pub(crate) async fn list_deleted_sessions(&self, _: Nothing) -> Result<Vec<SessionRow>, UserError> {
        let sessions = self.inner.store.list_deleted().await?;
        Ok(sessions.into_iter().map(|info| self.session_row(info)).collect())
    }

    pub(crate) async fn purge_sessions(&self, purge: PurgeSessions) -> Result<PurgedSessions, UserError> {
        let purged = match purge.session {
            Some(session) => self.purge_session(&session).await.map(|()| 1)?,
            None => self.purge_trash(None).await?,
        };
        Ok(PurgedSessions { purged: u32::try_from(purged).unwrap_or(u32::MAX) })
    }

    pub(crate) async fn send_message(&self, message: SendMessage) -> Result<TurnRef, UserError> {
        let after = self.said_after(&message.session, message.after).await?;
        let images = message.images;
        let images = blocking(move || images::received(images)).await?;
        let said = UserMessage {
            text: message.text,
            skills: message.skills,
            tool: message.tool,
            after,
            images,
            outside: message.outside,
        };
        let turn = self.start_turn(&message.session, message.turn, message.model.as_deref(), said).await?;
        Ok(TurnRef { turn })
    }

    pub(crate) async fn context(&self, session: SessionRef) -> Result<ContextView, UserError> {
        let info = self.inner.store.info(&session.session).await?;
        let chat = self.open_chat(&session.session).await?;
        let model = match info.model {
            Some(model) => Some(model),
            None => self.config().model,
        };
        let limit = model.and_then(|model| self.context_of(&model));
        Ok(chat.session.context(&self.inner.registry.snapshot(), limit))
    }

    pub(crate) async fn decide_approval(&self, decide: DecideApproval) -> Result<Nothing, UserError> {
        if !self.runs_here(&decide.session) && self.inner.store.is_running(&decide.session) {
            return self.answer_elsewhere(decide).await;
        }
        self.waiting(&decide.session)?.decide(
            &decide.call,
            Some(decide.revision),
            decide.decision,
            decide.args,
            decide.reason,
            "you",
        )?;
        Ok(Nothing {})
    }

    pub(crate) async fn revise_approval(&self, revise: ReviseApproval) -> Result<Nothing, UserError> {
        self.waiting(&revise.session)?.revise(&revise.call, revise.args)?;
        Ok(Nothing {})
    }
}

impl App {
    fn waiting(&self, session: &str) -> Result<std::sync::Arc<nova_session::WaitingApprovals>, UserError> {
        let chat = self.chats().get(session).map(|chat| chat.waiting.clone());
        let run = || self.runs().get(session).map(|run| run.waiting.clone());
        chat.or_else(run).ok_or_else(|| {
            UserError::new(
                ErrorCode::UnknownApproval,
                "No approval is pending there.",
                "It was already answered, or its turn has ended.",
            )
        })
    }
}
