//! Output: complete messages in sequence, and exactly one final message per job.

use std::{
    io::{self, Stdout},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use crate::protocol::{self, FromChild, MessageError};

/// Number of a request by Nova, a load or a call, from 1.
pub(super) type Job = u64;

/// Standard output, shared by the JavaScript thread and the watchdog.
pub(super) struct Link {
    out: Mutex<Out>,
    last: AtomicU64,
}

struct Out {
    to: Stdout,
    /// The job without a final message yet.
    open: Option<Job>,
}

impl Link {
    pub(super) fn new() -> Self {
        let out = Out { to: io::stdout(), open: None };
        Self { out: Mutex::new(out), last: AtomicU64::new(0) }
    }

    pub(super) fn open(&self, job: Job) {
        self.lock().open = Some(job);
        self.last.store(job, Relaxed);
    }

    /// Sends a message of the open job.
    pub(super) fn send(&self, message: &FromChild) -> Result<(), MessageError> {
        let mut out = self.lock();
        match out.open {
            Some(_) => protocol::write(&mut out.to, message),
            None => Ok(()),
        }
    }

    /// Sends the final message of a job, unless the other thread has; returns whether it was sent.
    pub(super) fn finish(&self, job: Job, message: &FromChild) -> Result<bool, MessageError> {
        let mut out = self.lock();
        if out.open != Some(job) {
            return Ok(false);
        }
        protocol::write(&mut out.to, message)?;
        out.open = None;
        Ok(true)
    }

    /// The job opened last.
    pub(super) fn last(&self) -> Job {
        self.last.load(Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Out> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
