//! How long a job may compute, and who ends it: the interpreter asks [`Budget::over`] between its
//! steps, and a thread of its own ends the process where a step does not end.

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

/// How long a cancelled call may clean up before it is ended.
const CLEANING: Duration = Duration::from_millis(250);
/// How much later than the interpreter the watching thread ends a job.
const GRACE: Duration = Duration::from_millis(150);
const LOOKING: Duration = Duration::from_millis(50);
const NEVER: u64 = u64::MAX;
/// No job has this number: what is done between two jobs is nobody's to cancel.
const NO_JOB: u64 = u64::MAX - 1;

/// Why a job has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    Time,
    Stopped,
}

#[derive(Debug)]
pub(super) struct Budget {
    allowed_ms: AtomicU64,
    /// Processor time of the process, in nanoseconds, at which the running job has to end.
    deadline: AtomicU64,
    running: AtomicU64,
    /// The line of the file at which the running job was last known to be; 0 where nothing is known.
    line: AtomicU32,
    /// The job that Nova cancelled last, and when, in nanoseconds.
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

    /// Milliseconds of processor time for one job, from now on.
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

    /// The running job has come to this line of its file.
    pub(super) fn at(&self, line: u32) {
        self.line.store(line, Relaxed);
    }

    /// Says of a job that went wrong where it was, if nothing better is known: what it did there may
    /// have been in a function that stands elsewhere.
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

    /// Nova no longer wants this job; it may be one that has not begun.
    pub(super) fn cancel(&self, job: Job) {
        self.cancelled_at.store(now(), Relaxed);
        self.cancelled.store(job, Relaxed);
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed) == self.running.load(Relaxed)
    }

    /// How long the running job may continue after it was cancelled; None where it was not.
    pub(super) fn stop_in(&self) -> Option<Duration> {
        let end = self.cancelled_at.load(Relaxed).saturating_add(nanos(CLEANING));
        self.is_cancelled().then(|| Duration::from_nanos(end.saturating_sub(now())))
    }

    /// Whether the running job has to end.
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

    /// The report about a job that had to end.
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

/// Ends the process where a job continues for longer than the interpreter would let it.
pub(super) fn watch(budget: Arc<Budget>, link: Arc<Link>) {
    loop {
        let watched = budget.watched.lock().unwrap_or_else(PoisonError::into_inner);
        drop(budget.begun.wait_while(watched, |watched| !*watched));
        let job = link.last();
        if let Some(over) = budget.over_by(GRACE) {
            let mut fault = budget.fault(over);
            budget.locate(&mut fault);
            // False where the job has ended by itself since.
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
