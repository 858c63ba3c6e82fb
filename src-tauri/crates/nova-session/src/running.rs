//! Tracks the detached calls of a session.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nova_calls::CallWatch;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::journal::Journal;
use crate::message::DetachedRef;
use crate::store::HeldCall;

/// The detached calls of one session that run in this process.
pub(crate) struct DetachedCalls {
    pub(crate) running: Mutex<Vec<Arc<Running>>>,
    pub(crate) changed: watch::Sender<()>,
}

/// A call that has not ended.
pub(crate) struct Running {
    pub(crate) of: DetachedRef,
    pub(crate) watch: Arc<CallWatch>,
    pub(crate) stop: CancellationToken,
    /// The journal of the turn that made the call, where its events continue.
    pub(crate) journal: Arc<Journal>,
    /// Shows other Nova processes that the call is still running.
    pub(crate) _held: Option<HeldCall>,
}

impl Default for DetachedCalls {
    fn default() -> Self {
        Self { running: Mutex::default(), changed: watch::Sender::new(()) }
    }
}

impl DetachedCalls {
    pub(crate) fn running(&self) -> Vec<Arc<Running>> {
        self.lock().clone()
    }

    pub(crate) fn find(&self, number: u32) -> Option<Arc<Running>> {
        self.lock().iter().find(|running| running.of.number == number).cloned()
    }

    pub(crate) fn journals(&self) -> Vec<Arc<Journal>> {
        self.lock().iter().map(|running| running.journal.clone()).collect()
    }

    /// Waits until the call has an end that the next request can report.
    pub(crate) async fn ended(&self, number: u32) {
        let mut changed = self.changed.subscribe();
        while self.find(number).is_some() {
            // The sender is in `self`, so this cannot fail.
            let _ = changed.changed().await;
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<Arc<Running>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }
}
