use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use nova_protocol::{Decision, Event};
use nova_skill::ToolError;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::detach::CallWatch;
use crate::{Answer, ApprovalRequest, Approver, CallEvents};

/// The questions of one call, before it runs and while it does.
pub(crate) struct Questions {
    approver: Arc<dyn Approver>,
    events: Arc<dyn CallEvents>,
    cancel: CancellationToken,
    revision: AtomicU32,
    pub(crate) watch: Arc<CallWatch>,
}

impl Questions {
    pub(crate) fn new(
        approver: Arc<dyn Approver>,
        events: Arc<dyn CallEvents>,
        cancel: CancellationToken,
        watch: Arc<CallWatch>,
    ) -> Self {
        Self { approver, events, cancel, revision: AtomicU32::new(0), watch }
    }

    /// Asks whether the call may run, as the newest revision. Dropping the future withdraws the
    /// question.
    ///
    /// # Errors
    /// When the call is stopped meanwhile.
    pub(crate) async fn ask(&self, request: &mut ApprovalRequest) -> Result<Answer, ToolError> {
        self.put(request, false).await
    }

    /// The same of a call that runs already.
    pub(crate) async fn ask_mid_run(&self, request: &mut ApprovalRequest) -> Result<Answer, ToolError> {
        self.put(request, true).await
    }

    async fn put(&self, request: &mut ApprovalRequest, mid_run: bool) -> Result<Answer, ToolError> {
        request.revision = self.revision.fetch_add(1, Ordering::SeqCst) + 1;
        let _pause = self.watch.stopwatch.pause();
        let asking = async {
            self.approver.expect(request);
            self.events.emit(Event::ApprovalRequested {
                call: request.call.clone(),
                args: request.args.clone(),
                decisions: request.decisions.clone(),
                question: request.question.clone(),
                editable: request.editable,
                diff: request.diff.clone(),
                host: request.host.clone(),
                credentials: request.credentials.clone(),
                revision: request.revision,
                mid_run,
            });
            self.approver.ask(request).await
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(ToolError::Cancelled),
            answer = asking => Ok(answer),
        }
    }

    /// What an answer means. An edit of the arguments is no answer and is for the caller.
    pub(crate) fn settle(&self, request: &ApprovalRequest, answer: Answer) -> Result<Allowed, NotAllowed> {
        match answer {
            Answer::Decided { decision, args, .. }
                if !request.decisions.contains(&decision) || (args.is_some() && !request.editable) =>
            {
                Err(NotAllowed::NotOffered)
            }
            Answer::Decided { decision, args, by, reason } => {
                self.events.emit(Event::ApprovalDecided {
                    call: request.call.clone(),
                    decision,
                    by: by.clone(),
                    reason: reason.clone(),
                });
                match decision {
                    Decision::Deny => Err(NotAllowed::Denied { by, reason }),
                    Decision::Once | Decision::Session | Decision::Always => Ok(Allowed { decision, args }),
                }
            }
            Answer::Unanswered { reason } => Err(NotAllowed::Unanswered { reason }),
            Answer::Revised { .. } => Err(NotAllowed::NotOffered),
        }
    }
}

pub(crate) struct Allowed {
    pub(crate) decision: Decision,
    pub(crate) args: Option<Value>,
}

#[derive(Debug, Clone)]
pub(crate) enum NotAllowed {
    Denied { by: String, reason: Option<String> },
    Unanswered { reason: String },
    NotOffered,
}

/// Measures how long questions wait, and calls for those before them: that time is not the tool's.
pub(crate) struct Stopwatch(watch::Sender<Waiting>);

#[derive(Clone, Copy, Default)]
struct Waiting {
    open: usize,
    since: Option<Instant>,
    before: Duration,
}

impl Default for Stopwatch {
    fn default() -> Self {
        Self(watch::Sender::new(Waiting::default()))
    }
}

impl Stopwatch {
    /// How long questions have waited until now.
    pub(crate) fn waited(&self) -> Duration {
        let waiting = *self.0.borrow();
        waiting.before + waiting.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Comes back when so much time has passed in which no question waited.
    pub(crate) async fn passed(&self, limit: Duration) {
        let mut changes = self.0.subscribe();
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
                // The sender is in `self`, so this ends only by a change.
                _ = changes.changed() => {}
            }
        }
    }

    pub(crate) fn pause(&self) -> Pause<'_> {
        self.0.send_modify(|waiting| {
            waiting.open += 1;
            waiting.since.get_or_insert_with(Instant::now);
        });
        Pause(self)
    }
}

pub(crate) struct Pause<'a>(&'a Stopwatch);

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|waiting| {
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
    async fn the_time_of_a_question_does_not_count() {
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
