//! Calls that ask a client since protocol 2026-07-28: the response to the call is the question, and the client
//! repeats the call with the answer. Meanwhile the call is parked under a single-use name, so that it runs once
//! however often it asks.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use nova_protocol::ToolResult;
use rmcp::ErrorData;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest, InputRequiredResult,
    InputResponses,
};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Key of the only question of a response.
const QUESTION: &str = "approval";
/// Parked calls, over all clients. One more cancels the oldest.
const PARKED: usize = 32;

/// A question of a call, and where its answer goes.
pub(crate) struct Question {
    pub(crate) params: ElicitRequestParams,
    pub(crate) answer: oneshot::Sender<ElicitResult>,
}

/// A call in progress, cancelled on drop.
pub(crate) struct Running {
    /// Session id of its events.
    pub(crate) run: String,
    /// Identifies the tool and its arguments.
    of: blake3::Hash,
    result: Pin<Box<dyn Future<Output = ToolResult> + Send>>,
    questions: mpsc::Receiver<Question>,
    cancel: CancellationToken,
    on_drop: Option<DropGuard>,
}

pub(crate) enum Next {
    Result(ToolResult),
    Question(Question),
}

impl Running {
    pub(crate) fn new(
        run: String,
        of: blake3::Hash,
        result: impl Future<Output = ToolResult> + Send + 'static,
        questions: mpsc::Receiver<Question>,
        cancel: CancellationToken,
    ) -> Self {
        let on_drop = Some(cancel.clone().drop_guard());
        Self { run, of, result: Box::pin(result), questions, cancel, on_drop }
    }

    /// Waits for its result or question. `cancelled` is the request that waits for it.
    pub(crate) async fn next(&mut self, cancelled: &CancellationToken) -> Next {
        loop {
            tokio::select! {
                result = &mut self.result => {
                    self.on_drop.take().map(DropGuard::disarm);
                    return Next::Result(result);
                }
                Some(question) = self.questions.recv() => {
                    // Otherwise it was withdrawn.
                    if !question.answer.is_closed() {
                        return Next::Question(question);
                    }
                }
                () = cancelled.cancelled() => break,
            }
        }
        self.cancel.cancel();
        // It may be writing, which completes.
        Next::Result((&mut self.result).await)
    }

    /// Continues in a task of its own.
    fn in_background(mut self) -> Self {
        let task = tokio::spawn(self.result);
        self.result = Box::pin(async {
            match task.await {
                Ok(result) => result,
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                // The runtime is shutting down.
                Err(_) => std::future::pending().await,
            }
        });
        self
    }
}

/// Identifies a call: an answer holds for the same tool and arguments.
pub(crate) fn digest(tool: &str, args: &Value) -> blake3::Hash {
    blake3::hash(json!([tool, args]).to_string().as_bytes())
}

/// Parked calls by the name that the client sends back.
#[derive(Default)]
pub(crate) struct Parked(Mutex<VecDeque<(String, Running, oneshot::Sender<ElicitResult>)>>);

impl Parked {
    /// Parks a call until the client answers its question.
    pub(crate) fn park(&self, call: Running, question: Question) -> Result<InputRequiredResult, ErrorData> {
        let mut name = [0; 16];
        getrandom::fill(&mut name)
            .map_err(|_| ErrorData::internal_error("the question could not be named", None))?;
        let name = blake3::hash(&name).to_hex().to_string();
        let Question { params, answer } = question;
        let mut parked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if parked.len() >= PARKED {
            parked.pop_front();
        }
        parked.push_back((name.clone(), call.in_background(), answer));
        let asked = InputRequest::Elicitation(ElicitRequest::new(params));
        Ok(InputRequiredResult::new(Some(BTreeMap::from([(QUESTION.to_owned(), asked)])), Some(name)))
    }

    /// Resumes the call of that name with the client's answer, if it is this call. Without an answer, the
    /// question was closed.
    pub(crate) fn resume(
        &self,
        name: &str,
        of: blake3::Hash,
        answers: Option<InputResponses>,
    ) -> Option<Running> {
        let mut parked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = parked.iter().position(|(known, ..)| known == name)?;
        let (_, call, answer) = parked.remove(at)?;
        drop(parked);
        let sent = answers.and_then(|mut answers| answers.remove(QUESTION));
        let sent = sent.and_then(|answer| serde_json::from_value(answer).ok());
        if call.of != of {
            return None;
        }
        // The question may have been withdrawn.
        let _ = answer.send(sent.unwrap_or_else(|| ElicitResult::new(ElicitationAction::Cancel)));
        Some(call)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use rmcp::model::ElicitationSchema;

    use super::*;

    /// A call that asks, and whose result is whether the answer was an acceptance.
    fn call(args: &Value) -> (Running, CancellationToken) {
        let (questions, asked) = mpsc::channel(1);
        let cancel = CancellationToken::new();
        let result = async move {
            let (answer, answered) = oneshot::channel();
            let params = ElicitRequestParams::FormElicitationParams {
                meta: None,
                message: "Change 1 note?".into(),
                requested_schema: ElicitationSchema::new(BTreeMap::new()),
            };
            questions.send(Question { params, answer }).await.ok().unwrap();
            let ok = answered.await.is_ok_and(|answer| answer.action == ElicitationAction::Accept);
            let result = json!({
                "ok": ok, "value": null, "error": null, "ms": 1, "sources": [], "changes": [], "change_set": null,
            });
            serde_json::from_value(result).unwrap()
        };
        (Running::new("run".into(), digest("tool", args), result, asked, cancel.clone()), cancel)
    }

    async fn park(parked: &Parked, args: &Value) -> (String, CancellationToken) {
        let (mut running, cancel) = call(args);
        let Next::Question(question) = running.next(&CancellationToken::new()).await else {
            panic!("it asks first");
        };
        let asked = parked.park(running, question).unwrap();
        assert!(asked.input_requests.unwrap().contains_key(QUESTION));
        (asked.request_state.unwrap(), cancel)
    }

    fn accepted() -> Option<InputResponses> {
        Some(InputResponses::from_iter([(QUESTION.to_owned(), json!({"action": "accept", "content": {}}))]))
    }

    async fn result(mut running: Running) -> bool {
        match running.next(&CancellationToken::new()).await {
            Next::Result(result) => result.ok,
            Next::Question(_) => panic!("it asks once"),
        }
    }

    #[tokio::test]
    async fn answer_resumes_its_call_once() {
        let (parked, args) = (Parked::default(), json!({"text": "a"}));
        let (name, cancel) = park(&parked, &args).await;
        let of = digest("tool", &args);
        let resumed = parked.resume(&name, of, accepted()).unwrap();
        assert!(result(resumed).await);
        assert!(!cancel.is_cancelled(), "what it detached continues");
        assert!(parked.resume(&name, of, accepted()).is_none(), "a name used twice");
        assert!(parked.resume("0123", of, accepted()).is_none(), "an invented name");
        let (name, _) = park(&parked, &args).await;
        assert!(!result(parked.resume(&name, of, None).unwrap()).await, "no answer is no acceptance");
    }

    #[tokio::test]
    async fn answer_for_other_arguments_cancels_the_call() {
        let parked = Parked::default();
        let (name, cancel) = park(&parked, &json!({"text": "a"})).await;
        assert!(parked.resume(&name, digest("tool", &json!({"text": "b"})), accepted()).is_none());
        assert!(cancel.is_cancelled());
    }

    #[tokio::test]
    async fn oldest_call_is_cancelled_beyond_the_limit() {
        let (parked, args) = (Parked::default(), json!({}));
        let (first, cancelled) = park(&parked, &args).await;
        let mut last = None;
        for _ in 0..PARKED {
            last = Some(park(&parked, &args).await);
        }
        assert!(cancelled.is_cancelled());
        assert!(parked.resume(&first, digest("tool", &args), accepted()).is_none());
        let (name, cancel) = last.unwrap();
        assert!(!cancel.is_cancelled());
        assert!(result(parked.resume(&name, digest("tool", &args), accepted()).unwrap()).await);
    }
}
