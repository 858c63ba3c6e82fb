//! Runs work on untrusted text in its own thread, since it may take long, use much stack or panic.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nova_skill::{ToolContext, ToolError};

/// Time limit for parsing one page.
const PATIENCE: Duration = Duration::from_secs(20);
/// Nested elements are parsed by recursion; their depth is limited.
const STACK: usize = 64 * 1024 * 1024;

/// Set when nobody waits for the result.
#[derive(Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The result of `work`, unless it takes too long, panics or is stopped.
pub(super) async fn isolated<T: Send + 'static>(
    ctx: &dyn ToolContext,
    work: impl FnOnce(&Stop) -> T + Send + 'static,
) -> Result<T, ToolError> {
    let stop = Stop::default();
    let (done, result) = tokio::sync::oneshot::channel();
    let seen = stop.clone();
    let thread = std::thread::Builder::new().name("page".to_owned()).stack_size(STACK);
    let run = move || {
        let _ = done.send(work(&seen));
    };
    let unreadable = |why: &str| {
        ToolError::failed(format!("The page cannot be read: {why}."), "Look for another page about it.")
    };
    thread.spawn(run).map_err(|error| unreadable(&error.to_string()))?;
    let ended = tokio::select! {
        biased;
        () = ctx.cancel().cancelled() => Err(ToolError::Cancelled),
        result = result => result.map_err(|_| unreadable("it is damaged")),
        () = tokio::time::sleep(PATIENCE) => Err(unreadable("it takes too long")),
    };
    if ended.is_err() {
        stop.0.store(true, Ordering::Relaxed);
    }
    ended
}
