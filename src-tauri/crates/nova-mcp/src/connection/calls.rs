//! Requests of a tool call: progress, elicitation, and cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, DiscoverRequest,
    DiscoverRequestParams, ElicitRequestParams, InputRequest, InputRequests, InputResponses, JsonObject,
    PingRequest, ProgressNotificationParam, ProgressToken, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use tokio::runtime::Handle;
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{broadcast, mpsc};
use tokio::time::Instant;

use super::{CANCEL_GRACE, Connection, PROGRESS_TIMEOUT_FACTOR, pages};
use crate::asking::{self, Asked};
use crate::elicitation_router::RunningCall;
use crate::limits;
use crate::trouble::Trouble;

/// Receives progress notifications.
pub(crate) type ProgressListener<'a> = dyn Fn(ProgressNotificationParam) + Send + Sync + 'a;

impl Connection {
    /// Calls a tool. Dropping the future cancels the call.
    pub(crate) async fn call(
        self: &Arc<Self>,
        tool: &str,
        args: Option<JsonObject>,
        limit: Duration,
        asks: &mpsc::Sender<Asked>,
        on_progress: &ProgressListener<'_>,
    ) -> Result<CallToolResult, Trouble> {
        let request = |answers, state| {
            let mut params = CallToolRequestParams::new(tool.to_owned());
            params.arguments.clone_from(&args);
            (params.input_responses, params.request_state) = (answers, state);
            let mut request = CallToolRequest::new(params);
            request.extensions = Default::default();
            ClientRequest::CallToolRequest(request)
        };
        match self.ask_in_rounds(request, limit, asks, on_progress).await? {
            ServerResult::CallToolResult(result) => Ok(result),
            ServerResult::EmptyResult(_) => Ok(CallToolResult::default()),
            _ => Err(self.faulty("sent an invalid answer to the call")),
        }
    }

    /// Repeats a request with the input that the server requires from the user, until it is answered.
    pub(crate) async fn ask_in_rounds(
        self: &Arc<Self>,
        request: impl Fn(Option<InputResponses>, Option<String>) -> ClientRequest,
        limit: Duration,
        asks: &mpsc::Sender<Asked>,
        on_progress: &ProgressListener<'_>,
    ) -> Result<ServerResult, Trouble> {
        let (mut answers, mut state): (Option<InputResponses>, Option<String>) = (None, None);
        for _ in 0..=limits::ROUNDS {
            // Subscribed before asking: the visit may complete immediately.
            let visited = self.visited.subscribe();
            let asked = request(answers.clone(), state.clone());
            let more = match self.ask_once(asked, limit, asks, on_progress).await? {
                Answered::Result(ServerResult::InputRequiredResult(more)) => more,
                Answered::Result(answer) => return Ok(answer),
                Answered::Pages(pages) => {
                    tokio::select! {
                        visited = self.visit(pages, visited, limit, asks) => visited?,
                        () = self.closed.cancelled() => return Err(self.end()),
                    }
                    continue;
                }
            };
            let wanted = more.input_requests.unwrap_or_default();
            answers = Some(tokio::select! {
                answers = self.answers(wanted, asks) => answers?,
                () = self.closed.cancelled() => return Err(self.end()),
            });
            state = more.request_state;
        }
        Err(self.faulty("kept asking for more input"))
    }

    /// The user's answers to the input that the server requires.
    async fn answers(
        &self,
        wanted: InputRequests,
        asks: &mpsc::Sender<Asked>,
    ) -> Result<InputResponses, Trouble> {
        let mut answers = InputResponses::new();
        for (name, request) in wanted {
            let InputRequest::Elicitation(request) = request else {
                return Err(Trouble::failed(
                    format!("{} asked for input that Nova does not support.", self.server),
                    "Use another tool, or give it all arguments at once.",
                ));
            };
            let answer = asking::ask(request.params, asks).await;
            answers.insert(name, serde_json::to_value(answer).unwrap_or_default());
        }
        Ok(answers)
    }

    /// Sends one request and waits until it ends, or times out without progress. Elicitations meanwhile are
    /// forwarded to `asks`; the time of an answer does not count.
    async fn ask_once(
        self: &Arc<Self>,
        request: ClientRequest,
        limit: Duration,
        asks: &mpsc::Sender<Asked>,
        on_progress: &ProgressListener<'_>,
    ) -> Result<Answered, Trouble> {
        let mut progress = self.progress.subscribe();
        let (call, mut questions) = self.elicitations.call();
        let sent = self.peer.send_request_with_option(request, PeerRequestOptions::no_options());
        let handle = tokio::time::timeout(limit, sent)
            .await
            .map_err(|_| self.late(limit))?
            .map_err(|error| self.trouble(error))?;
        let token = handle.progress_token.clone();
        let mut sent = Sent {
            connection: self,
            handle: Some(handle),
            call: Some(call),
            given_up: "stopped by the user",
        };
        let _counted = Counted::of(&self.calls);
        let mut last = Instant::now() + limit * PROGRESS_TIMEOUT_FACTOR;
        let mut until = Instant::now() + limit;
        let answer = loop {
            tokio::select! {
                answer = sent.answer() => break answer,
                told = progress.recv() => match told {
                    Ok(told) if told.progress_token == token => {
                        until = Instant::now() + limit;
                        on_progress(told);
                    }
                    _ => {}
                },
                Some(asked) = questions.recv() => {
                    let since = Instant::now();
                    tokio::select! {
                        () = asking::pass_on(asked, asks) => {}
                        // The server answers without waiting for the elicitation.
                        answer = sent.answer() => break answer,
                    }
                    (until, last) = (until + since.elapsed(), last + since.elapsed());
                }
                () = tokio::time::sleep_until(until.min(last)) => {
                    sent.given_up = "it took too long";
                    return Err(self.late(if until < last { limit } else { limit * PROGRESS_TIMEOUT_FACTOR }));
                }
            }
        };
        // Else the end of its sender would wake this task, and with it another thread.
        drop(questions);
        let answer = answer.map_err(|_| self.end())?;
        if let Some(call) = sent.call.take() {
            call.answered();
        }
        match answer {
            Ok(answer) => Ok(Answered::Result(answer)),
            Err(error) => match pages::wanted(&error) {
                Some(pages) => Ok(Answered::Pages(pages)),
                None => Err(self.trouble(error)),
            },
        }
    }

    /// Kills a process that a cancellation did not reach, or that does not comply with it.
    async fn enforce(
        &self,
        cancelled: bool,
        progress: broadcast::Receiver<ProgressNotificationParam>,
        token: &ProgressToken,
    ) {
        if !self.is_process {
            return;
        }
        if !cancelled {
            return self.kill("It no longer accepted messages, and was stopped".into());
        }
        tokio::time::sleep(CANCEL_GRACE).await;
        if !self.complies(progress, token).await {
            self.kill("It continued a call that was stopped, and was ended".into());
        }
    }

    /// Whether, after a cancellation, the server still responds and sends no more progress of that call.
    async fn complies(
        &self,
        mut progress: broadcast::Receiver<ProgressNotificationParam>,
        token: &ProgressToken,
    ) -> bool {
        let is_old = self.info().is_none_or(|info| info.protocol_version.has_initialize());
        let request = if is_old {
            ClientRequest::PingRequest(PingRequest::default())
        } else {
            ClientRequest::DiscoverRequest(DiscoverRequest::new(DiscoverRequestParams {}))
        };
        let asked = async {
            let handle =
                self.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?;
            handle.await_response().await
        };
        // An error is a response, too. A server may be busy with another call, in which case it is not
        // killed.
        if tokio::time::timeout(CANCEL_GRACE, asked).await.is_err() {
            return self.calls.load(Ordering::SeqCst) > 0;
        }
        while progress.try_recv().is_ok() {}
        let told = async {
            while let Ok(told) = progress.recv().await {
                if told.progress_token == *token {
                    return;
                }
            }
        };
        tokio::time::timeout(CANCEL_GRACE, told).await.is_err()
    }
}

/// Outcome of a request.
#[expect(clippy::large_enum_variant, reason = "it is taken apart at once")]
enum Answered {
    Result(ServerResult),
    /// The user has to visit these pages first.
    Pages(Vec<ElicitRequestParams>),
}

/// A pending request, cancelled on drop.
struct Sent<'a> {
    connection: &'a Arc<Connection>,
    /// `None` once it is answered.
    handle: Option<RequestHandle<RoleClient>>,
    /// `None` once it is answered.
    call: Option<RunningCall>,
    /// Reason for the server if it is cancelled.
    given_up: &'static str,
}

impl Sent<'_> {
    async fn answer(&mut self) -> Result<Result<ServerResult, ServiceError>, RecvError> {
        let Some(handle) = &mut self.handle else { return std::future::pending().await };
        let answer = (&mut handle.rx).await;
        self.handle = None;
        answer
    }
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        let (Some(handle), Ok(runtime)) = (self.handle.take(), Handle::try_current()) else { return };
        let (connection, call) = (self.connection.clone(), self.call.take());
        let (token, progress) = (handle.progress_token.clone(), connection.progress.subscribe());
        let mut cancelling = Box::pin(handle.cancel(Some(self.given_up.to_owned())));
        // The first poll queues the notification, before any later request.
        let queued = (&mut cancelling).now_or_never();
        runtime.spawn(async move {
            let told = match queued {
                Some(told) => told.is_ok(),
                None => matches!(tokio::time::timeout(CANCEL_GRACE, cancelling).await, Ok(Ok(()))),
            };
            // Until then its questions are not mistaken for those of another call.
            drop(call);
            connection.enforce(told, progress, &token).await;
        });
    }
}

/// Counts a running call while it exists.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn of(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
