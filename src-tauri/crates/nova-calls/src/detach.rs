//! Detaches long calls, so that their caller can continue.

use std::sync::Arc;
use std::time::Duration;

use nova_protocol::Event;
use nova_registry::{Snapshot, ToolEntry, ToolLookup};
use nova_skill::{Effect, Value};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::run::run_watched;
use crate::watch::CallWatch;
use crate::{Arguments, Call, CallScope, CalledTool, Outcome, arguments};

/// Runs a call as [`crate::run_call`] does. A call that only reads, only queries other systems, or is
/// detached by its arguments continues in the background if it has worked for `settle` without ending. Waits
/// for answers do not count.
///
/// Dropping the future ends a call that was not detached.
pub async fn run_or_detach(
    scope: &CallScope,
    call: Call,
    cancel: CancellationToken,
    settle: Duration,
) -> Settled {
    let watch = Arc::new(CallWatch::default());
    let tool = match &call.tool {
        CalledTool::Named(name) => {
            detachable(&scope.snapshot, name).or_else(|| in_background(&scope.snapshot, name, &call.args))
        }
        CalledTool::OfForm { .. } => None,
    };
    let Some(tool) = tool else {
        return Settled::Ended(Box::new(run_watched(scope, call, cancel, &watch).await));
    };
    // It writes nothing, and must not keep the turn's change set open.
    let own = CallScope { change_set: None, ..scope.clone() };
    let (id, seen_from_here, stop) = (call.id.clone(), watch.clone(), cancel.clone());
    let running = async move { run_watched(&own, call, cancel, &seen_from_here).await };
    let mut task = AbortOnDropHandle::new(tokio::spawn(running));
    tokio::select! {
        biased;
        ended = &mut task => return Settled::Ended(Box::new(ended.unwrap_or_else(|error| broken(&id, &error)))),
        () = watch.stopwatch.passed(settle) => {}
    }
    let reported = watch.detach(|so_far| {
        // Whether its output so far is untrusted is only known at its end.
        if so_far.says_something() {
            scope.history.taint(&tool.shown_name());
        }
        scope.events.emit(Event::ToolCallDetached { call: id.clone(), so_far: so_far.to_value() });
    });
    if !reported {
        return Settled::Ended(Box::new((&mut task).await.unwrap_or_else(|error| broken(&id, &error))));
    }
    Settled::Detached(DetachedCall { call: id, tool, stop, watch, task })
}

/// Returns the tool of that name if calls of it may be detached.
pub fn detachable(snapshot: &Snapshot, name: &str) -> Option<Arc<ToolEntry>> {
    match snapshot.tool(name) {
        ToolLookup::Found { tool, .. }
            if matches!(tool.effect(), Effect::Read | Effect::External)
                && !tool.spec().on_notes
                && !tool.spec().delegates =>
        {
            Some(tool)
        }
        _ => None,
    }
}

/// Returns the tool of that name if these arguments request a call in the background.
fn in_background(snapshot: &Snapshot, name: &str, args: &Arguments) -> Option<Arc<ToolEntry>> {
    let ToolLookup::Found { tool, .. } = snapshot.tool(name) else { return None };
    let argument = tool.spec().background?;
    let args = match args {
        Arguments::Value(value) => value.clone(),
        Arguments::Text(text) => arguments::parse(&tool, text).ok()?,
    };
    let fitting = arguments::fit(&tool, args).ok()?;
    (fitting[argument] == Value::Bool(true)).then_some(tool)
}

pub enum Settled {
    Ended(Box<Outcome>),
    Detached(DetachedCall),
}

/// A call that continues in the background. Rules, limits and taint still apply until it ends.
pub struct DetachedCall {
    pub call: String,
    pub tool: Arc<ToolEntry>,
    stop: CancellationToken,
    watch: Arc<CallWatch>,
    task: AbortOnDropHandle<Outcome>,
}

impl DetachedCall {
    /// Observes its output, also after its end.
    pub fn watch(&self) -> Arc<CallWatch> {
        self.watch.clone()
    }

    /// Returns the token that stops it; the outcome is then a cancellation.
    pub fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }

    pub async fn end(mut self) -> Outcome {
        (&mut self.task).await.unwrap_or_else(|error| broken(&self.call, &error))
    }
}

/// The outcome if the task itself panicked, which a tool cannot cause.
fn broken(call: &str, error: &tokio::task::JoinError) -> Outcome {
    tracing::error!(call, panicked = error.is_panic(), "a call panicked");
    let result = Err(nova_skill::ToolError::Cancelled.into());
    Outcome { result, unknown: true, ..Outcome::of_call(call.to_owned()) }
}
