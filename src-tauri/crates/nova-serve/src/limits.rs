//! What one client may take of the machine.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The longest message of a client.
pub(crate) const MESSAGE: usize = 4 * 1024 * 1024;
/// The longest answer of a tool, and the longest note.
pub(crate) const ANSWER: usize = 1024 * 1024;
/// The longest question to the user.
pub(crate) const QUESTION: usize = 16 * 1024;
/// How long a question waits for its answer.
pub(crate) const ANSWERED_WITHIN: Duration = Duration::from_secs(600);
/// Clients connected at the same time, on a port.
pub(crate) const CLIENTS: usize = 32;
/// Connections to the port.
pub(crate) const CONNECTIONS: usize = 128;
/// How long a client may take to send the head of a request.
pub(crate) const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// How long no connection is accepted after one could not be.
pub(crate) const BEFORE_ACCEPTING_AGAIN: Duration = Duration::from_millis(100);
/// How long calls that run may take to end when the server ends.
pub(crate) const END_WITHIN: Duration = Duration::from_secs(5);

/// Calls that run at the same time, and those that wait.
const RUNNING: usize = 16;
const WAITING: usize = 64;

/// The calls of all clients.
pub(crate) struct Calls {
    accepted: Arc<Semaphore>,
    running: Arc<Semaphore>,
}

/// A call's place, until it is dropped.
pub(crate) struct Place {
    _accepted: OwnedSemaphorePermit,
    _running: OwnedSemaphorePermit,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            accepted: Arc::new(Semaphore::new(RUNNING + WAITING)),
            running: Arc::new(Semaphore::new(RUNNING)),
        }
    }
}

impl Calls {
    /// Waits until the call may run.
    ///
    /// # Errors
    /// At once when too many wait already, and when the call is cancelled.
    pub(crate) async fn place(&self, cancel: &CancellationToken) -> Result<Place, ErrorData> {
        let busy = |why: &'static str| ErrorData::new(ErrorCode(-32000), why, None);
        let accepted = self.accepted.clone().try_acquire_owned();
        let accepted = accepted.map_err(|_| busy("Too many calls at once. Wait until one ends."))?;
        let running = tokio::select! {
            running = self.running.clone().acquire_owned() => running,
            () = cancel.cancelled() => return Err(busy("The call was cancelled.")),
        };
        let running = running.map_err(|_| busy("The server is ending."))?;
        Ok(Place { _accepted: accepted, _running: running })
    }

    /// Waits until no call runs, for a limited time: a write that has begun is completed.
    pub(crate) async fn ended(&self) {
        let all = u32::try_from(RUNNING + WAITING).unwrap_or(u32::MAX);
        let _ = tokio::time::timeout(END_WITHIN, self.accepted.acquire_many(all)).await;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[tokio::test]
    async fn calls_beyond_those_that_wait_are_refused_at_once() {
        let (calls, cancel) = (Arc::new(Calls::default()), CancellationToken::new());
        let mut running = Vec::new();
        for _ in 0..RUNNING {
            running.push(calls.place(&cancel).await.unwrap());
        }
        let wait = |cancel: CancellationToken| {
            let calls = calls.clone();
            tokio::spawn(async move { calls.place(&cancel).await })
        };
        let mut waiting: Vec<_> = (0..WAITING).map(|_| wait(cancel.clone())).collect();
        // By then each of them was polled.
        for _ in 0..WAITING {
            tokio::task::yield_now().await;
        }
        assert_eq!(calls.accepted.available_permits(), 0);
        assert!(calls.place(&cancel).await.is_err(), "one too many");

        drop(running.pop());
        let first = waiting.remove(0).await.unwrap();
        assert!(first.is_ok(), "the first of those that wait");
        let stopped = CancellationToken::new();
        let last = wait(stopped.clone());
        stopped.cancel();
        assert!(last.await.unwrap().is_err(), "a cancelled call");
    }
}
