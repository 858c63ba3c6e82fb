use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hyper::header::HeaderMap;
use rmcp::transport::streamable_http_server::SessionManager as _;
use rmcp::transport::streamable_http_server::session::SessionId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits;

const SESSION: &str = "mcp-session-id";

/// The clients on a port. Clients rarely close their session, so the session that was not used for longest
/// makes room for a new client.
pub(crate) struct Sessions {
    pub(crate) manager: Arc<LocalSessionManager>,
    places: Arc<Semaphore>,
    /// Time of the last request.
    used: Mutex<HashMap<SessionId, Instant>>,
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            manager: Arc::default(),
            places: Arc::new(Semaphore::new(limits::CLIENTS)),
            used: Mutex::default(),
        }
    }
}

impl Sessions {
    /// A place for a client, held as long as it is served.
    pub(crate) fn place(&self) -> Option<OwnedSemaphorePermit> {
        self.places.clone().try_acquire_owned().ok()
    }

    /// Records a request, and makes room if it begins a session; `false` if there is none.
    pub(crate) async fn admit(&self, request: &HeaderMap) -> bool {
        if let Some(session) = session(request) {
            if let Some(used) = self.used().get_mut(session) {
                *used = Instant::now();
            }
            return true;
        }
        if self.places.available_permits() > 0 {
            return true;
        }
        let oldest = {
            let mut used = self.used();
            let oldest = used.iter().min_by_key(|(_, at)| **at).map(|(session, _)| session.clone());
            oldest.and_then(|oldest| used.remove_entry(&oldest))
        };
        if let Some((oldest, _)) = oldest
            && let Err(error) = self.manager.close_session(&oldest).await
        {
            tracing::debug!(%error, "cannot close a session");
        }
        tokio::time::timeout(limits::ROOM_WITHIN, self.places.acquire()).await.is_ok()
    }

    /// Records the session that a response begins, and forgets ended ones.
    pub(crate) async fn answered(&self, response: &HeaderMap) {
        let Some(session) = session(response) else { return };
        let now = self.manager.sessions.read().await;
        let mut used = self.used();
        used.retain(|session, _| now.contains_key(session));
        used.insert(session.into(), Instant::now());
    }

    fn used(&self) -> MutexGuard<'_, HashMap<SessionId, Instant>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}
