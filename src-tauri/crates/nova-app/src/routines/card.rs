//! Permissions of a routine, and its approvals.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use nova_calls::{Answer, Approval, ApprovalRequest, Approved, Approver, Standing, ToolContent, ToolFace};
use nova_protocol::{DecideApproval, ErrorCode, Nothing, RoutineEnd, UserError};
use nova_session::WaitingApprovals;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::ledger::Ledger;
use crate::app::App;
use crate::blocking::blocking;
use crate::own_files;

/// Polling interval for an answer given in another Nova process.
const LOOKED_FOR: Duration = Duration::from_millis(300);

/// Approvals of one run. While it waits, other routines may run.
pub(super) struct RoutineApprover {
    pub(super) app: App,
    pub(super) session: String,
    pub(super) waiting: Arc<WaitingApprovals>,
    /// Set when the run waits for an answer.
    pub(super) stopped: watch::Sender<bool>,
    /// For runs without anyone to answer: cancels the turn at a question.
    pub(super) ends: Option<CancellationToken>,
    pub(super) open: AtomicUsize,
}

#[async_trait]
impl Approver for RoutineApprover {
    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        self.open.fetch_add(1, Ordering::SeqCst);
        let stops = async {
            // Flushed, because another Nova process reads the question from the log.
            let chat = self.app.chats().get(&self.session).cloned();
            if let Some(chat) = chat
                && let Err(error) = chat.session.flush().await
            {
                tracing::warn!(%error, "cannot save a routine's question");
            }
            self.app.routine_stands(&self.session, RoutineEnd::Waiting, &request.question).await;
            if let Some(cancel) = &self.ends {
                cancel.cancel();
            }
            self.stopped.send_replace(true);
        };
        let answered = async {
            // Polled first, so that the question is registered before an answer is read.
            tokio::select! {
                biased;
                answer = self.waiting.ask(request) => answer,
                never = self.poll_external_answers(&request.call) => match never {},
            }
        };
        let (answer, ()) = tokio::join!(answered, stops);
        if self.open.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.app.routine_stands(&self.session, RoutineEnd::Running, "").await;
        }
        answer
    }

    fn at_once(&self) -> bool {
        self.waiting.at_once()
    }
}

impl RoutineApprover {
    /// Takes answers from another Nova process; one for an older revision is ignored.
    async fn poll_external_answers(&self, call: &str) -> Infallible {
        let file = self.app.answer_file(call);
        loop {
            tokio::time::sleep(LOOKED_FOR).await;
            let Ok(bytes) = nova_files::read(&file) else { continue };
            let _ = std::fs::remove_file(&file);
            if let Ok(DecideApproval { revision, decision, args, reason, .. }) =
                serde_json::from_slice(&bytes)
            {
                let decided = self.waiting.decide(call, Some(revision), decision, args, reason, "you");
                if let Err(error) = decided {
                    tracing::warn!(error = error.message, "answer rejected");
                }
            }
        }
    }
}

impl App {
    /// Passes an answer to the Nova process whose routine waits for it.
    ///
    /// # Errors
    /// `unknown_approval` if no routine waits in that session.
    pub(crate) async fn answer_elsewhere(&self, decide: DecideApproval) -> Result<Nothing, UserError> {
        let (data, file) = (self.places().data.clone(), self.answer_file(&decide.call));
        blocking(move || {
            let mut ledger = Ledger::read(&data)?;
            let waits = |end| end == RoutineEnd::Waiting;
            if !ledger.run_mut(&decide.session).is_some_and(|last| waits(last.end)) {
                return Err(UserError::new(
                    ErrorCode::UnknownApproval,
                    "Another Nova process asks this.",
                    "Answer it there, at its terminal or in its window.",
                ));
            }
            let bytes = serde_json::to_vec(&decide).unwrap_or_default();
            own_files::write(&file, &bytes).map_err(|error| {
                UserError::new(
                    ErrorCode::Io,
                    format!("The answer cannot be written: {error}."),
                    "Check the data folder and the disk, then try again.",
                )
            })?;
            Ok(Nothing {})
        })
        .await
    }

    fn answer_file(&self, call: &str) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = call.chars().map(plain).collect();
        self.places().data.join("answers").join(format!("{name}.json"))
    }
}

/// Disables standing approvals for a routine: only its note grants permissions.
pub(super) struct NoStandingApprovals(pub(super) Arc<dyn Approved>);

impl Approved for NoStandingApprovals {
    fn standing(&self, content: &ToolContent) -> Standing {
        match self.0.standing(content) {
            Standing::This(_) => Standing::This(Approval::Seen),
            other => other,
        }
    }

    fn keep(&self, content: &ToolContent, approval: Approval, face: &ToolFace) -> Result<(), String> {
        self.0.keep(content, approval, face)
    }

    fn covers_host(&self, _: &ToolContent, _: &str) -> bool {
        false
    }

    fn keep_host(&self, content: &ToolContent, host: &str) -> Result<(), String> {
        self.0.keep_host(content, host)
    }
}
