//! Limits the number of processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// A permit for one process, released on drop.
pub(super) struct Place(pub(super) Arc<Places>);

/// Separate from the pool's state, so that a permit can be released while that is locked.
#[derive(Default)]
pub(super) struct Places {
    pub(super) taken: AtomicUsize,
    /// A process became idle or ended.
    pub(super) changed: Notify,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
        self.0.changed.notify_waiters();
    }
}
