//! Assigns a server's question to a call. Up to protocol 2025-11-25 the server does not say which call it is
//! for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ElicitRequestParams, ElicitResult};
use tokio::sync::{mpsc, oneshot};

use crate::asking::{Asked, cancelled};
use crate::limits;

/// The running calls, each with the sender of its questions, and the questions not yet assigned.
#[derive(Default)]
pub(crate) struct ElicitationRouter(Mutex<Now>);

#[derive(Default)]
struct Now {
    next: u64,
    calls: Vec<(u64, mpsc::Sender<Asked>)>,
    held: Vec<Held>,
}

/// A question that arrived while several calls were running. A call that is answered did not ask it, so it
/// belongs to the last one that remains.
struct Held {
    among: Vec<u64>,
    found: oneshot::Sender<mpsc::Sender<Asked>>,
}

impl ElicitationRouter {
    /// Registers a running call until the guard is dropped.
    pub(crate) fn call(self: &Arc<Self>) -> (RunningCall, mpsc::Receiver<Asked>) {
        let (sender, questions) = mpsc::channel(limits::QUESTIONS);
        let mut now = self.now();
        now.next += 1;
        let id = now.next;
        now.calls.push((id, sender));
        (RunningCall { router: self.clone(), id, is_answered: false }, questions)
    }

    /// Cancelled if no call is running, if several ask at once, and if too many questions wait. A question
    /// that any of several calls may have asked waits until the others are answered.
    pub(crate) async fn ask(&self, params: ElicitRequestParams) -> ElicitResult {
        let call = match self.find_call() {
            Some(Found::Now(call)) => call,
            Some(Found::Later(found)) => match found.await {
                Ok(call) => call,
                Err(_) => return cancelled(),
            },
            None => return cancelled(),
        };
        let (answer, answered) = oneshot::channel();
        if call.try_send(Asked { params, answer }).is_err() {
            return cancelled();
        }
        drop(call);
        answered.await.unwrap_or_else(|_| cancelled())
    }

    fn find_call(&self) -> Option<Found> {
        let mut now = self.now();
        // The server withdrew these questions.
        now.held.retain(|held| !held.found.is_closed());
        match now.calls.as_slice() {
            [] => None,
            [(_, one)] => Some(Found::Now(one.clone())),
            // Two calls that both ask would deadlock.
            _ if !now.held.is_empty() => None,
            several => {
                let among = several.iter().map(|(id, _)| *id).collect();
                let (found, later) = oneshot::channel();
                now.held.push(Held { among, found });
                Some(Found::Later(later))
            }
        }
    }

    /// Unregisters a call; `is_answered` is false if it ended in another way.
    fn ended(&self, id: u64, is_answered: bool) {
        let mut now = self.now();
        let Now { calls, held, .. } = &mut *now;
        calls.retain(|(other, _)| *other != id);
        for mut one in std::mem::take(held) {
            let was_among = one.among.contains(&id);
            one.among.retain(|other| *other != id);
            let left = match one.among.as_slice() {
                [left] => calls.iter().find(|(other, _)| other == left),
                _ => None,
            };
            match left {
                // It may have been the one that asked.
                _ if was_among && !is_answered => {}
                Some((_, call)) => drop(one.found.send(call.clone())),
                None if one.among.is_empty() => {}
                None => held.push(one),
            }
        }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Found {
    Now(mpsc::Sender<Asked>),
    Later(oneshot::Receiver<mpsc::Sender<Asked>>),
}

/// Unregisters a running call on drop.
pub(crate) struct RunningCall {
    router: Arc<ElicitationRouter>,
    id: u64,
    is_answered: bool,
}

impl RunningCall {
    /// Marks the call as answered by the server.
    pub(crate) fn answered(mut self) {
        self.is_answered = true;
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.router.ended(self.id, self.is_answered);
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ElicitationAction;
    use serde_json::json;
    use tokio::task::JoinHandle;

    use super::*;

    fn question(router: &Arc<ElicitationRouter>) -> JoinHandle<ElicitResult> {
        let params =
            json!({"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": {}}});
        let params = serde_json::from_value(params).expect("a question");
        let router = router.clone();
        tokio::spawn(async move { router.ask(params).await })
    }

    fn accept(asked: Asked) {
        let _ = asked.answer.send(ElicitResult::new(ElicitationAction::Accept));
    }

    async fn waits(router: &ElicitationRouter) {
        while router.now().held.is_empty() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn question_of_one_of_two_calls_belongs_to_the_remaining_one() {
        let router = Arc::<ElicitationRouter>::default();
        let (first, _) = router.call();
        let (_second, mut questions) = router.call();
        let asked = question(&router);
        waits(&router).await;
        // A call that starts later cannot have asked it.
        let (_third, _) = router.call();
        first.answered();
        accept(questions.recv().await.expect("the question"));
        assert_eq!(asked.await.expect("an answer").action, ElicitationAction::Accept);
    }

    #[tokio::test]
    async fn question_whose_call_may_have_ended_is_cancelled() {
        let router = Arc::<ElicitationRouter>::default();
        let (first, _) = router.call();
        let (_second, mut questions) = router.call();
        let asked = question(&router);
        waits(&router).await;
        drop(first);
        assert_eq!(asked.await.expect("an answer").action, ElicitationAction::Cancel);
        assert!(questions.try_recv().is_err(), "no question was asked");
    }

    #[tokio::test]
    async fn second_of_two_concurrent_questions_is_cancelled() {
        let router = Arc::<ElicitationRouter>::default();
        let (_first, mut questions) = router.call();
        let (second, _) = router.call();
        let of_first = question(&router);
        waits(&router).await;
        assert_eq!(question(&router).await.expect("an answer").action, ElicitationAction::Cancel);
        second.answered();
        accept(questions.recv().await.expect("the question"));
        assert_eq!(of_first.await.expect("an answer").action, ElicitationAction::Accept);
    }
}
