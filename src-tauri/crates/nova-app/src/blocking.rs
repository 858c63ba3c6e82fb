use nova_protocol::{ErrorCode, UserError};

/// Runs blocking work off the async threads.
pub(crate) async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> Result<R, UserError> + Send + 'static,
) -> Result<R, UserError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(UserError::new(ErrorCode::Internal, format!("Internal error: {error}."), "Try again."))
    })
}
