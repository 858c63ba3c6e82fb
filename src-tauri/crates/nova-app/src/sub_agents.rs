//! Sessions of sub-agents.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use nova_session::{Session, SessionError, SubSession, SubSessions};
use tokio_util::sync::CancellationToken;

use crate::app::{App, OpenChat};

/// They are open like chats, so that they can be watched and stopped.
#[async_trait]
impl SubSessions for App {
    async fn open(
        &self,
        parent: &Session,
        title: &str,
        cancel: CancellationToken,
    ) -> Result<SubSession, SessionError> {
        let id = self.inner.options.ids.next();
        let at = self.inner.options.clock.now().to_string();
        self.inner.store.create_under(&parent.id, &id, title, &at).await?;
        let mut session = Session::load(&self.inner.store, &id).await?;
        // Approvals are shown in the parent's chat, which also holds the grants.
        session.grants = parent.grants.clone();
        let waiting = self.chats().get(&parent.id).map(|chat| chat.waiting.clone()).unwrap_or_default();
        let chat = Arc::new(OpenChat {
            session: Arc::new(session),
            waiting,
            running: Mutex::default(),
            idle: tokio::sync::watch::Sender::new(true),
        });
        let occupied = chat.occupy(cancel).ok_or(SessionError::Busy)?;
        let session = chat.session.clone();
        self.chats().insert(id, chat);
        Ok(SubSession { session, occupied: Box::new(occupied) })
    }
}
