//! Limits the processor time of a job: the interpreter polls [`Budget::over`] between steps, and a watchdog
//! thread ends the process if a step does not return.

use std::{
    process,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};

use super::link::{Job, Link};
use crate::protocol::{Fault, FaultKind, FromChild};

/// Grace period for a cancelled call to clean up.
const CLEANING: Duration = Duration::from_millis(250);
/// Delay of the watchdog thread, so that the interpreter acts first.
const GRACE: Duration = Duration::from_millis(150);
const LOOKING: Duration = Duration::from_millis(50);
const NEVER: u64 = u64::MAX;
/// Not the number of any job: work between two jobs cannot be cancelled.
const NO_JOB: u64 = u64::MAX - 1;

/// Why a job must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    Time,
    Stopped,
}

#[derive(Debug)]
pub(super) struct Budget {
    allowed_ms: AtomicU64,
    /// Processor time of the process, in nanoseconds, at which the running job must end.
    deadline: AtomicU64,
    running: AtomicU64,
    /// Last known line of the running job in its file; 0 if unknown.
    line: AtomicU32,
    /// The last cancelled job, and the time of its cancellation in nanoseconds.
    cancelled: AtomicU64,
    cancelled_at: AtomicU64,
    watched: Mutex<bool>,
    begun: Condvar,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self {
            allowed_ms: AtomicU64::new(0),
            deadline: AtomicU64::new(NEVER),
            running: AtomicU64::new(NO_JOB),
            line: AtomicU32::new(0),
            cancelled: AtomicU64::new(NEVER),
            cancelled_at: AtomicU64::new(0),
            watched: Mutex::new(false),
            begun: Condvar::new(),
        }
    }

    /// Sets the processor time for a job, in milliseconds from now.
    pub(super) fn allow(&self, computing_ms: u64) {
        self.allowed_ms.store(computing_ms, Relaxed);
    }

    pub(super) fn begin(&self, job: Job) {
        let allowed = Duration::from_millis(self.allowed_ms.load(Relaxed));
        self.running.store(job, Relaxed);
        self.line.store(0, Relaxed);
        self.deadline.store(processor().saturating_add(nanos(allowed)), Relaxed);
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.begun.notify_one();
    }

    pub(super) fn end(&self) {
        self.running.store(NO_JOB, Relaxed);
        self.deadline.store(NEVER, Relaxed);
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }

    /// Records the current line of the running job.
    pub(super) fn at(&self, line: u32) {
        self.line.store(line, Relaxed);
    }

    /// Adds the last known line to a fault without a better position: the fault may have occurred in a
    /// function defined elsewhere.
    pub(super) fn locate(&self, fault: &mut Fault) {
        let line = self.line.load(Relaxed);
        let has_place = match fault.kind {
            FaultKind::Time | FaultKind::Memory | FaultKind::Result => true,
            FaultKind::Thrown => !self.is_cancelled(),
            FaultKind::Syntax | FaultKind::Import | FaultKind::Definition | FaultKind::Arguments => false,
        };
        if has_place && fault.line.is_none() && line > 0 {
            fault.line = Some(line);
            if matches!(fault.kind, FaultKind::Time | FaultKind::Memory) {
                fault.message.push_str(", in or after this line");
            }
        }
    }

    /// Cancels a job, which may not have begun yet.
    pub(super) fn cancel(&self, job: Job) {
        self.cancelled_at.store(now(), Relaxed);
        self.cancelled.store(job, Relaxed);
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed) == self.running.load(Relaxed)
    }

    /// Remaining grace period of the running job; `None` if it is not cancelled.
    pub(super) fn stop_in(&self) -> Option<Duration> {
        let end = self.cancelled_at.load(Relaxed).saturating_add(nanos(CLEANING));
        self.is_cancelled().then(|| Duration::from_nanos(end.saturating_sub(now())))
    }

    /// Whether the running job must end.
    pub(super) fn over(&self) -> Option<Over> {
        self.over_by(Duration::ZERO)
    }

    fn over_by(&self, grace: Duration) -> Option<Over> {
        if self.is_cancelled() {
            let end = self.cancelled_at.load(Relaxed).saturating_add(nanos(CLEANING + grace));
            if now() >= end {
                return Some(Over::Stopped);
            }
        }
        let deadline = self.deadline.load(Relaxed).saturating_add(nanos(grace));
        (processor() >= deadline).then_some(Over::Time)
    }

    /// The fault to report for a job that had to end.
    pub(super) fn fault(&self, over: Over) -> Fault {
        let (kind, message) = match over {
            Over::Time => {
                let allowed = self.allowed_ms.load(Relaxed);
                (FaultKind::Time, format!("it used more than {allowed} ms of computing time and was stopped"))
            }
            Over::Stopped => (FaultKind::Thrown, "stopped".to_owned()),
        };
        Fault { kind, message, line: None, column: None, stack: Vec::new() }
    }
}

/// Ends the process if a job outlasts the interpreter's own check.
pub(super) fn watch(budget: Arc<Budget>, link: Arc<Link>) {
    loop {
        let watched = budget.watched.lock().unwrap_or_else(PoisonError::into_inner);
        drop(budget.begun.wait_while(watched, |watched| !*watched));
        let job = link.last();
        if let Some(over) = budget.over_by(GRACE) {
            let mut fault = budget.fault(over);
            budget.locate(&mut fault);
            // `Ok(false)` if the job has just ended by itself.
            match link.finish(job, &FromChild::Failed { fault, fatal: true }) {
                Ok(false) => {}
                Ok(true) | Err(_) => process::exit(1),
            }
        }
        thread::sleep(LOOKING);
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(NEVER)
}

fn processor() -> u64 {
    clock(ClockId::ProcessCPUTime)
}

fn now() -> u64 {
    clock(ClockId::Monotonic)
}

fn clock(id: ClockId) -> u64 {
    let time = clock_gettime(id);
    let (seconds, nanos) = (time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs());
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}
