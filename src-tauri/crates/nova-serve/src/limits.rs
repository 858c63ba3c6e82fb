//! Resource limits for clients.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Maximum size of a client's message, in bytes.
pub(crate) const MESSAGE: usize = 4 * 1024 * 1024;
/// Maximum size of a tool result and of a note, in bytes.
pub(crate) const ANSWER: usize = 1024 * 1024;
/// Maximum size of a question to the user, in bytes.
pub(crate) const QUESTION: usize = 16 * 1024;
/// Timeout for the answer to a question.
pub(crate) const ANSWERED_WITHIN: Duration = Duration::from_secs(600);
/// Concurrent clients on a port.
pub(crate) const CLIENTS: usize = 32;
/// Time for a place to be free after a session was closed.
pub(crate) const ROOM_WITHIN: Duration = Duration::from_secs(2);
/// Concurrent connections to the port.
pub(crate) const CONNECTIONS: usize = 128;
/// Timeout for the head of a request.
pub(crate) const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// Pause after a failed accept.
pub(crate) const BEFORE_ACCEPTING_AGAIN: Duration = Duration::from_millis(100);
/// Time that running calls get to finish at shutdown.
pub(crate) const END_WITHIN: Duration = Duration::from_secs(5);

/// Concurrent calls, those that wait for a place, and those that ask their user.
const RUNNING: usize = 16;
const WAITING: usize = 64;
const ASKING: usize = 64;

/// Admission control for the calls of all clients.
pub(crate) struct Calls {
    accepted: Arc<Semaphore>,
    running: Arc<Semaphore>,
    asking: Arc<Semaphore>,
}

/// Permits of a call, released on drop and while it asks its user.
pub(crate) struct Place {
    held: Mutex<Option<[OwnedSemaphorePermit; 2]>>,
    accepted: Arc<Semaphore>,
    running: Arc<Semaphore>,
    asking: Arc<Semaphore>,
}

impl Place {
    /// Gives the place up while `asking` waits for an answer, then waits for a new one. `None` if too many calls
    /// ask.
    pub(crate) async fn released_during<T>(&self, asking: impl Future<Output = T>) -> Option<T> {
        let answer = {
            let _asking = self.asking.try_acquire().ok()?;
            self.hold(None);
            asking.await
        };
        let accepted = self.accepted.clone().acquire_owned().await.ok()?;
        let running = self.running.clone().acquire_owned().await.ok()?;
        self.hold(Some([accepted, running]));
        Some(answer)
    }

    fn hold(&self, permits: Option<[OwnedSemaphorePermit; 2]>) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = permits;
    }
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            accepted: Arc::new(Semaphore::new(RUNNING + WAITING)),
            running: Arc::new(Semaphore::new(RUNNING)),
            asking: Arc::new(Semaphore::new(ASKING)),
        }
    }
}

impl Calls {
    /// Waits until the call may run.
    ///
    /// # Errors
    /// Immediately if too many calls wait, and when the call is cancelled.
    pub(crate) async fn place(&self, cancel: &CancellationToken) -> Result<Place, ErrorData> {
        let busy = |why: &'static str| ErrorData::new(ErrorCode(-32000), why, None);
        let accepted = self.accepted.clone().try_acquire_owned();
        let accepted = accepted.map_err(|_| busy("Too many calls at once. Wait until one ends."))?;
        let running = tokio::select! {
            running = self.running.clone().acquire_owned() => running,
            () = cancel.cancelled() => return Err(busy("The call was cancelled.")),
        };
        let running = running.map_err(|_| busy("The server is shutting down."))?;
        Ok(Place {
            held: Mutex::new(Some([accepted, running])),
            accepted: self.accepted.clone(),
            running: self.running.clone(),
            asking: self.asking.clone(),
        })
    }

    /// Waits, within a limit, until no call runs, so that a write in progress completes.
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
    async fn calls_that_ask_leave_their_places_to_others() {
        let (calls, cancel) = (Arc::new(Calls::default()), CancellationToken::new());
        let (answer, answered) = tokio::sync::watch::channel(false);
        let mut asking = tokio::task::JoinSet::new();
        for _ in 0..ASKING {
            let place = calls.place(&cancel).await.unwrap();
            let mut answered = answered.clone();
            asking.spawn(async move {
                place.released_during(async { answered.wait_for(|answered| *answered).await.is_ok() }).await
            });
            while calls.running.available_permits() < RUNNING {
                tokio::task::yield_now().await;
            }
        }
        let read = calls.place(&cancel).await.unwrap();
        assert_eq!(read.released_during(async {}).await, None, "one question too many");
        drop(read);
        answer.send(true).unwrap();
        assert!(asking.join_all().await.into_iter().all(|asked| asked == Some(true)));
        assert_eq!(calls.accepted.available_permits(), RUNNING + WAITING);
    }

    #[tokio::test]
    async fn calls_beyond_the_queue_limit_are_refused_at_once() {
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
        // By now each of them was polled once.
        for _ in 0..WAITING {
            tokio::task::yield_now().await;
        }
        assert_eq!(calls.accepted.available_permits(), 0);
        assert!(calls.place(&cancel).await.is_err(), "one too many");

        drop(running.pop());
        let first = waiting.remove(0).await.unwrap();
        assert!(first.is_ok(), "the first waiting call");
        let stopped = CancellationToken::new();
        let last = wait(stopped.clone());
        stopped.cancel();
        assert!(last.await.unwrap().is_err(), "a cancelled call");
    }
}
