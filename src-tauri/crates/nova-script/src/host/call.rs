use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use nova_skill::{Progress, ToolError};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::asks::{Missing, Outside, Refused};
use super::callee::{Bounds, Callee};
use super::failing::{broken_call, failed};
use super::frames::{FrameError, encode};
use super::hand_over::{HandOver, StartError};
use super::pool::{Lease, Pool};
use super::process::Broken;
use crate::protocol::{Answer, Fault, FaultKind, FromChild, Given, Request, ToChild, Want};

/// One call of a tool: the messages of its process, and Nova's answers.
pub(super) struct Conversation {
    what: Callee,
    /// `None` after the call has ended.
    lease: Option<Lease>,
    /// For a retry if nothing is received from a process that was idle: it may have ended meanwhile.
    again: Option<HandOver>,
    outside: Arc<dyn Outside>,
    closing: CancellationToken,
    bounds: Bounds,
    /// Remaining time of the script, without the time spent on its requests.
    left: Duration,
    /// Requests in progress.
    asks: FuturesUnordered<BoxFuture<'static, Answered>>,
    /// Answers not yet sent to the process.
    answers: VecDeque<Vec<u8>>,
    outbox: mpsc::Sender<Vec<u8>>,
    open: HashSet<u64>,
    asked: usize,
    /// Total bytes of partial results, and of logs and progress.
    partial: u64,
    logged: u64,
    /// It received a credential, and may retain it.
    had_secret: bool,
    /// Refusals for a missing credential: the message to the script, and the reason.
    missing: Vec<(String, Missing)>,
}

/// The next update of a call.
pub(super) enum CallUpdate {
    Partial(Value),
    /// Final.
    End(Result<Value, ToolError>),
}

struct Answered {
    ask: u64,
    /// `None` if it could not be serialised.
    answer: Option<Vec<u8>>,
    missing: Option<(String, Missing)>,
}

enum Next {
    /// An answer was handed to the writer.
    Given,
    Message(Result<(FromChild, u64), FrameError>),
    Answered(Answered),
    Cancelled,
    Closing,
    Late,
}

/// Maximum number of concurrent requests; beyond it, no further messages are read.
const OPEN_ASKS: usize = 16;
/// Allowance for the envelope of a message, in bytes.
const AROUND: u64 = 1024;

impl Conversation {
    /// Leases a process and starts the call in it.
    pub(super) async fn begin(
        pool: &Arc<Pool>,
        what: Callee,
        args: Value,
        (request, given): (Request, Given),
        outside: Arc<dyn Outside>,
        bounds: Bounds,
    ) -> Result<Self, ToolError> {
        let call = HandOver { pool: pool.clone(), args, request, given };
        let given = match call.give(&what, &*outside, bounds).await {
            Err(StartError::Gone) => call.give(&what, &*outside, bounds).await,
            given => given,
        };
        let (lease, left) = given.map_err(|error| error.into_tool_error(&what))?;
        Ok(Self {
            what,
            outbox: lease.running.outbox(),
            again: lease.has_waited.then_some(call),
            answers: VecDeque::new(),
            lease: Some(lease),
            outside,
            closing: pool.closing.clone(),
            bounds,
            left,
            asks: FuturesUnordered::new(),
            open: HashSet::new(),
            asked: 0,
            partial: 0,
            logged: 0,
            had_secret: false,
            missing: Vec::new(),
        })
    }

    /// Must not be called after the end.
    pub(super) async fn next(&mut self) -> CallUpdate {
        loop {
            let Some(lease) = &mut self.lease else {
                return CallUpdate::End(Err(broken_call(&self.what, &Broken::Closing)));
            };
            let alone = self.asks.is_empty();
            let begun = Instant::now();
            let next = tokio::select! {
                biased;
                () = self.outside.cancel().cancelled() => Next::Cancelled,
                () = self.closing.cancelled() => Next::Closing,
                Some(answered) = self.asks.next(), if !alone => Next::Answered(answered),
                // Checked before messages, so that a flood of them cannot defer the timeout.
                () = std::future::ready(()), if alone && self.left.is_zero() => Next::Late,
                Ok(room) = self.outbox.reserve(), if !self.answers.is_empty() => {
                    if let Some(answer) = self.answers.pop_front() {
                        room.send(answer);
                    }
                    Next::Given
                }
                message = lease.running.frames.next(), if self.asks.len() + self.answers.len() < OPEN_ASKS => {
                    Next::Message(message.map(|(message, length)| (message, length as u64)))
                }
                () = tokio::time::sleep(self.left), if alone => Next::Late,
            };
            if alone {
                self.left = self.left.saturating_sub(begun.elapsed());
            }
            let ended = match next {
                Next::Message(Ok((message, length))) => {
                    self.again = None;
                    match self.handle(message, length) {
                        Ok(None) => continue,
                        Ok(Some(update)) => return update,
                        Err(violation) => Broken::Violation(violation),
                    }
                }
                Next::Message(Err(FrameError::Ended { within: false })) if self.again.is_some() => {
                    match self.begin_again().await {
                        Ok(()) => continue,
                        Err(error) => return CallUpdate::End(Err(error)),
                    }
                }
                Next::Message(Err(error)) => match &mut self.lease {
                    Some(lease) => lease.running.broken(error).await,
                    None => Broken::Closing,
                },
                Next::Answered(Answered { ask, answer, missing }) => {
                    self.open.remove(&ask);
                    self.answers.extend(answer);
                    self.missing.extend(missing);
                    continue;
                }
                Next::Given => continue,
                Next::Cancelled => {
                    self.stop().await;
                    Broken::Cancelled
                }
                Next::Closing => Broken::Closing,
                Next::Late => Broken::Late(self.bounds.time),
            };
            self.end_process();
            return CallUpdate::End(Err(broken_call(&self.what, &ended)));
        }
    }

    /// Retries once with another process, if nothing has been received yet.
    async fn begin_again(&mut self) -> Result<(), ToolError> {
        self.end_process();
        let Some(again) = self.again.take() else { return Ok(()) };
        let given = again.give(&self.what, &*self.outside, self.bounds).await;
        let (lease, left) = given.map_err(|error| error.into_tool_error(&self.what))?;
        self.outbox = lease.running.outbox();
        self.lease = Some(lease);
        self.left = left;
        Ok(())
    }

    /// # Errors
    /// A violation of the protocol.
    fn handle(&mut self, message: FromChild, length: u64) -> Result<Option<CallUpdate>, String> {
        let most = self.bounds.output.saturating_add(AROUND);
        match message {
            FromChild::Ask { ask, want } => self.ask(ask, want)?,
            FromChild::Log { level, message } => {
                self.count_logged(length)?;
                self.outside.log(level, &message);
            }
            FromChild::Progress { fraction, message } => {
                self.count_logged(length)?;
                let fraction = fraction.filter(|fraction| (0.0..=1.0).contains(fraction));
                self.outside.progress(Progress { fraction, message });
            }
            FromChild::Partial { value } => {
                self.partial += length;
                // Counts a minimum per message, so that tiny ones are bounded as well.
                if self.partial > most.saturating_mul(4) {
                    return Err("its partial results are too long".into());
                }
                return Ok(Some(CallUpdate::Partial(value)));
            }
            FromChild::Done { value } => {
                if length > most {
                    return Err("its result is too long".into());
                }
                self.release();
                return Ok(Some(CallUpdate::End(Ok(value))));
            }
            FromChild::Failed { fault, fatal } => {
                if fatal {
                    self.end_process()
                } else {
                    self.release()
                }
                return Ok(Some(CallUpdate::End(Err(self.failed(&fault)))));
            }
            FromChild::Loaded { .. } => return Err("it answered a call with a definition".into()),
            FromChild::At { .. } => return Err("it reported a line of a file that it is not loading".into()),
        }
        Ok(None)
    }

    fn count_logged(&mut self, length: u64) -> Result<(), String> {
        self.logged += length;
        let most = self.bounds.output.saturating_add(AROUND).saturating_mul(4);
        if self.logged > most { Err("it logs too much".into()) } else { Ok(()) }
    }

    fn ask(&mut self, ask: u64, want: Want) -> Result<(), String> {
        if !self.open.insert(ask) {
            return Err("it reused a request number".into());
        }
        self.asked += 1;
        self.had_secret |= matches!(want, Want::Credential { .. });
        if self.asked > self.bounds.asks {
            let most = self.bounds.asks;
            let refused = Refused::new(format!(
                "One call may make at most {most} requests of Nova, and each read or write of a note is one. \
                 Work on fewer notes in one call."
            ));
            self.asks.push(written(ask, Err(refused)).boxed());
            return Ok(());
        }
        let outside = self.outside.clone();
        self.asks.push(async move { written(ask, outside.answer(want).await).await }.boxed());
        Ok(())
    }

    /// Cancels the script, and waits for the grace period.
    async fn stop(&mut self) {
        self.asks.clear();
        let Some(lease) = &mut self.lease else { return };
        let ended = async {
            lease.running.send(ToChild::Cancel, 0).await?;
            loop {
                match lease.running.frames.next().await {
                    Ok((FromChild::Done { .. } | FromChild::Failed { .. }, _)) | Err(_) => break,
                    Ok(_) => {}
                }
            }
            Ok::<(), Broken>(())
        };
        // The process is ended in either case.
        let _ = tokio::time::timeout(self.bounds.grace, ended).await;
    }

    fn release(&mut self) {
        if self.what.snippet || !self.asks.is_empty() || !self.answers.is_empty() || self.had_secret {
            // A snippet is never called again. Pending requests would continue into the next call, and a
            // retained secret could leak into a call that is not entitled to it.
            return self.end_process();
        }
        if let Some(mut lease) = self.lease.take() {
            if lease.running.frames.quiet() { lease.release() } else { lease.end() }
        }
    }

    fn end_process(&mut self) {
        self.asks.clear();
        if let Some(lease) = self.lease.take() {
            lease.end();
        }
    }

    fn failed(&self, fault: &Fault) -> ToolError {
        if fault.kind == FaultKind::Thrown
            && let Some((_, missing)) = self.missing.iter().find(|(told, _)| fault.message.contains(told))
        {
            return missing.clone().into();
        }
        for call in &fault.stack {
            super::process::trace(&self.what.file, crate::protocol::Level::Error, call);
        }
        failed(&self.what, fault)
    }
}

/// Serialises an answer.
async fn written(ask: u64, answer: Result<Answer, Refused>) -> Answered {
    let missing = answer
        .as_ref()
        .err()
        .and_then(|refused| refused.missing.clone().map(|missing| (refused.message.clone(), missing)));
    let about = match &answer {
        Ok(Answer::Fetched { body, .. }) => body.len(),
        _ => 0,
    };
    let answer = answer.map_err(|refused| refused.refusal());
    let encoded = match encode(ToChild::Answer { ask, answer }, about).await {
        Ok(bytes) => Ok(bytes),
        Err(_) => {
            let refusal = Refused::new("The answer is too long.").refusal();
            encode(ToChild::Answer { ask, answer: Err(refusal) }, 0).await
        }
    };
    Answered { ask, answer: encoded.ok(), missing }
}
