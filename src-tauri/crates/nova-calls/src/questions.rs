use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use nova_protocol::{Decision, Event};
use nova_skill::{Elicitation, ToolError, Wanted};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::watch::CallWatch;
use crate::{Answer, ApprovalRequest, Approver, CallEvents};

/// The questions of one call, before and during its run.
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

    /// Asks whether the call may run, with the current revision. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// If the call is stopped while it waits.
    pub(crate) async fn ask(&self, request: &mut ApprovalRequest) -> Result<Answer, ToolError> {
        self.put(request, false).await
    }

    /// As [`Questions::ask`], for a running call.
    pub(crate) async fn ask_mid_run(&self, request: &mut ApprovalRequest) -> Result<Answer, ToolError> {
        self.put(request, true).await
    }

    async fn put(&self, request: &mut ApprovalRequest, mid_run: bool) -> Result<Answer, ToolError> {
        request.revision = self.revision.fetch_add(1, Ordering::SeqCst) + 1;
        let _pause = self.watch.stopwatch.pause();
        let asking = async {
            self.approver.expect(request);
            self.events.emit(requested(request, mid_run));
            self.approver.ask(request).await
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(ToolError::Cancelled),
            answer = asking => Ok(answer),
        }
    }

    /// Reports that a question ended without an answer, so that windows remove it.
    pub(crate) fn withdrawn(&self, call: &str, by: &str) {
        self.events.emit(Event::ApprovalDecided {
            call: call.to_owned(),
            decision: Decision::Cancel,
            by: by.to_owned(),
            reason: Some("It is no longer asked.".into()),
        });
    }

    /// Shows on the card why an answer was rejected.
    pub(crate) fn report_rejection(&self, call: &str, message: String) {
        self.events.emit(Event::ToolCallProgress {
            call: call.to_owned(),
            fraction: None,
            message: Some(message),
            partial: None,
        });
    }

    /// Interprets an answer. Edited arguments are left to the caller.
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
                    Decision::Cancel => {
                        Err(NotAllowed::Unanswered { reason: "the question was closed".into() })
                    }
                    Decision::Once | Decision::Session | Decision::Always => Ok(Allowed { decision, args }),
                }
            }
            Answer::Unanswered { reason } => Err(NotAllowed::Unanswered { reason }),
            Answer::Revised { .. } => Err(NotAllowed::NotOffered),
        }
    }
}

fn requested(request: &ApprovalRequest, mid_run: bool) -> Event {
    if let Some(Elicitation { from, message, wanted }) = &request.elicitation {
        let (schema, url) = match wanted {
            Wanted::Values(schema) => (schema.clone(), None),
            Wanted::Visit(url) => (Value::Null, Some(url.to_string())),
        };
        return Event::ElicitationRequested {
            call: request.call.clone(),
            schema,
            from: from.clone(),
            message: message.clone(),
            url,
            host: request.host.clone(),
            decisions: request.decisions.clone(),
            revision: request.revision,
        };
    }
    Event::ApprovalRequested {
        call: request.call.clone(),
        args: request.args.clone(),
        decisions: request.decisions.clone(),
        question: request.question.clone(),
        editable: request.editable,
        diff: request.diff.clone(),
        details: request.details.clone(),
        host: request.host.clone(),
        credentials: request.credentials.clone(),
        revision: request.revision,
        mid_run,
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
