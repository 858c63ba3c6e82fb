//! How many processes there may be at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// One of the places for processes, taken until this is dropped.
pub(super) struct Place(pub(super) Arc<Places>);

/// Apart from the state, so that a place can be left while the state's lock is held.
#[derive(Default)]
pub(super) struct Places {
    pub(super) taken: AtomicUsize,
    /// A process has become idle or is gone.
    pub(super) changed: Notify,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
        self.0.changed.notify_waiters();
    }
}
