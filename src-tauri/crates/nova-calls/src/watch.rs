//! Observes a running call, and measures how long it waits for answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nova_skill::VaultPath;
use nova_vault::note::ContentHash;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

/// Observes a running call.
#[derive(Default)]
pub struct CallWatch {
    pub(crate) stopwatch: Stopwatch,
    state: Mutex<Watched>,
}

impl CallWatch {
    /// Creates the watch of an inner call: while its questions wait, the outer call's time stands still too.
    pub(crate) fn within(outer: Arc<CallWatch>) -> Self {
        Self { stopwatch: Stopwatch { outer: Some(outer), ..Stopwatch::default() }, state: Mutex::default() }
    }
}

#[derive(Default)]
struct Watched {
    ended: bool,
    so_far: PartialOutput,
}

/// The output of a call, as far as it may be shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartialOutput {
    pub message: Option<String>,
    pub partial: Option<Value>,
    /// The notes it had read by then.
    pub seen: BTreeMap<VaultPath, ContentHash>,
    /// As in [`Outcome`](crate::Outcome).
    pub local_only: bool,
}

impl PartialOutput {
    pub fn says_something(&self) -> bool {
        self.message.is_some() || self.partial.is_some()
    }

    /// The latest partial result, or the latest message if there is none.
    pub fn to_value(&self) -> Value {
        match (&self.partial, &self.message) {
            (Some(partial), _) => partial.clone(),
            (None, Some(message)) => json!(message),
            (None, None) => Value::Null,
        }
    }
}

impl CallWatch {
    pub fn so_far(&self) -> PartialOutput {
        self.lock().so_far.clone()
    }

    pub(crate) fn said(
        &self,
        message: Option<&String>,
        partial: Option<&Value>,
        seen: BTreeMap<VaultPath, ContentHash>,
        local_only: bool,
    ) {
        let mut state = self.lock();
        let so_far = &mut state.so_far;
        so_far.message = message.cloned().or(so_far.message.take());
        so_far.partial = partial.cloned().or(so_far.partial.take());
        so_far.seen.extend(seen);
        so_far.local_only |= local_only;
    }

    /// Marks the end, just before it is emitted; from now on the call cannot be detached.
    pub(crate) fn ends(&self) {
        self.lock().ended = true;
    }

    /// Detaches the call unless it has ended; returns whether it did. Events emitted in `on_detach` precede the
    /// end.
    pub(crate) fn detach(&self, on_detach: impl FnOnce(&PartialOutput)) -> bool {
        let state = self.lock();
        if !state.ended {
            on_detach(&state.so_far);
        }
        !state.ended
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Measures the time spent waiting for answers and for earlier calls, which does not count as the tool's.
pub(crate) struct Stopwatch {
    waiting: watch::Sender<Waiting>,
    outer: Option<Arc<CallWatch>>,
}

#[derive(Clone, Copy, Default)]
struct Waiting {
    open: usize,
    since: Option<Instant>,
    before: Duration,
}

impl Default for Stopwatch {
    fn default() -> Self {
        Self { waiting: watch::Sender::new(Waiting::default()), outer: None }
    }
}

impl Stopwatch {
    /// The total waiting time so far.
    pub(crate) fn waited(&self) -> Duration {
        let waiting = *self.waiting.borrow();
        waiting.before + waiting.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Completes after `limit` has passed without counting waits.
    pub(crate) async fn passed(&self, limit: Duration) {
        let mut changes = self.waiting.subscribe();
        let (begun, waited) = (Instant::now(), self.waited());
        loop {
            let waits = changes.borrow_and_update().open > 0;
            let worked = begun.elapsed().saturating_sub(self.waited().saturating_sub(waited));
            let left = async {
                if waits {
                    std::future::pending().await
                } else {
                    tokio::time::sleep(limit.saturating_sub(worked)).await
                }
            };
            tokio::select! {
                () = left => return,
                // The sender is in `self`, so this cannot fail.
                _ = changes.changed() => {}
            }
        }
    }

    pub(crate) fn pause(&self) -> Pause<'_> {
        self.waiting.send_modify(|waiting| {
            waiting.open += 1;
            waiting.since.get_or_insert_with(Instant::now);
        });
        let outer = self.outer.as_ref().map(|outer| Box::new(outer.stopwatch.pause()));
        Pause { stopwatch: self, _outer: outer }
    }
}

pub(crate) struct Pause<'a> {
    stopwatch: &'a Stopwatch,
    _outer: Option<Box<Pause<'a>>>,
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.stopwatch.waiting.send_modify(|waiting| {
            waiting.open -= 1;
            if waiting.open == 0
                && let Some(since) = waiting.since.take()
            {
                waiting.before += since.elapsed();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waiting_for_an_answer_does_not_count() {
        let stopwatch = Stopwatch::default();
        let begun = Instant::now();
        let asking = async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            let first = stopwatch.pause();
            tokio::time::sleep(Duration::from_secs(100)).await;
            let second = stopwatch.pause();
            drop(first);
            tokio::time::sleep(Duration::from_secs(100)).await;
            drop(second);
        };
        tokio::join!(stopwatch.passed(Duration::from_secs(5)), asking);
        assert_eq!(begun.elapsed().as_secs(), 205);
        assert_eq!(stopwatch.waited().as_secs(), 200);
    }
}
