use std::sync::Arc;
use std::time::Duration;

use nova_skill::ToolError;
use serde_json::Value;
use tokio::time::Instant;

use super::asks::Outside;
use super::callee::{Bounds, Callee};
use super::failing::{broken_call, failed};
use super::pool::{Lease, Pool};
use super::process::{Broken, Ending, LoadError};
use crate::protocol::{Fault, Given, Request, ToChild};

/// A call to be started in a process.
pub(super) struct HandOver {
    pub(super) pool: Arc<Pool>,
    pub(super) args: Value,
    pub(super) request: Request,
    pub(super) given: Given,
}

/// Why a call could not be started.
pub(super) enum StartError {
    /// The process had ended while idle.
    Gone,
    Fault(Fault),
    Broken(Broken),
}

impl HandOver {
    /// Leases a process, loads the file if necessary, and sends the call; returns the remaining time.
    pub(super) async fn give(
        &self,
        what: &Callee,
        outside: &dyn Outside,
        bounds: Bounds,
    ) -> Result<(Lease, Duration), StartError> {
        let cancel = outside.cancel();
        let leased = self.pool.lease(&what.owner, &what.file, what.hash, cancel).await;
        let mut lease = leased.map_err(StartError::Broken)?;
        let begun = Instant::now();
        if lease.running.loaded(&what.file).is_none() {
            let stop = [&self.pool.closing, cancel];
            let load = lease.running.load(what, bounds.time, stop);
            match load.await {
                Ok(_) => {}
                Err(LoadError::Fault { fault, fatal }) => {
                    if fatal {
                        lease.end()
                    } else {
                        lease.release()
                    }
                    return Err(StartError::Fault(fault));
                }
                Err(LoadError::Broken(broken, _)) => {
                    let has_waited = lease.has_waited;
                    lease.end();
                    return Err(match broken {
                        Broken::Ended(_) if has_waited => StartError::Gone,
                        broken => StartError::Broken(broken),
                    });
                }
            }
        }
        let (args, request, given) = (self.args.clone(), self.request.clone(), self.given.clone());
        let call = ToChild::Call { file: what.file.clone(), args, request, given: Box::new(given) };
        let sent = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Broken::Cancelled),
            sent = tokio::time::timeout(bounds.time, lease.running.send(call, 0)) => {
                // The process does not read.
                sent.unwrap_or(Err(Broken::Late(bounds.time)))
            }
        };
        if let Err(broken) = sent {
            lease.end();
            return Err(StartError::Broken(broken));
        }
        Ok((lease, bounds.time.saturating_sub(begun.elapsed())))
    }
}

impl StartError {
    pub(super) fn into_tool_error(self, what: &Callee) -> ToolError {
        match self {
            Self::Gone => broken_call(what, &Broken::Ended(Ending::Unknown)),
            Self::Fault(fault) => failed(what, &fault),
            Self::Broken(broken) => broken_call(what, &broken),
        }
    }
}
