//! The running body of a tool, whose panic fails only its call.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Either};
use nova_protocol::{ErrorCode, UserError};
use nova_registry::ToolEntry;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How long a cancelled body may take to end.
const ENDING: Duration = Duration::from_millis(200);

/// Dropping it ends the body.
pub(super) struct Body<T>(Either<BoxFuture<'static, Result<T, Crashed>>, AbortOnDropHandle<T>>);

/// The body panicked. Its message is not kept: it may contain a credential.
#[derive(Debug)]
pub(super) struct Crashed;

impl<T: Send + 'static> Body<T> {
    /// Starts the body in a task of its own, or, if it never blocks its thread, as a part of the call's task:
    /// the answer of a server is then not passed through a second task.
    pub(super) fn start(nonblocking: bool, body: impl Future<Output = T> + Send + 'static) -> Self {
        match nonblocking {
            true => Self(Either::Left(
                AssertUnwindSafe(body).catch_unwind().map(|ended| ended.map_err(|_panic| Crashed)).boxed(),
            )),
            false => Self(Either::Right(AbortOnDropHandle::new(tokio::spawn(body)))),
        }
    }

    /// Waits for its end. Cancel safe; once it has ended, it must not be called again.
    pub(super) async fn end(&mut self) -> Result<T, Crashed> {
        match &mut self.0 {
            Either::Left(body) => body.await,
            Either::Right(task) => task.await.map_err(|_join_error| Crashed),
        }
    }

    /// Cancels the body and waits for it briefly: until it ends it may act. A body blocked in a computation is
    /// abandoned.
    pub(super) async fn stop(self, cancel: &CancellationToken) {
        match self.0 {
            Either::Left(body) => {
                drop(body);
                cancel.cancel();
            }
            Either::Right(task) => {
                task.abort();
                cancel.cancel();
                let _ = tokio::time::timeout(ENDING, task).await;
            }
        }
    }
}

pub(super) fn crashed(tool: &ToolEntry) -> UserError {
    tracing::error!(tool = tool.shown_name(), "a tool panicked");
    UserError::new(
        ErrorCode::ToolFailed,
        format!("{} crashed. Nothing was written.", tool.shown_name()),
        "Try again; if it happens again, tell the skill's author.",
    )
}
