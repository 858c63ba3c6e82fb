//! The way out: whole messages, one after the other, and one last message for each job.

use std::{
    io::{self, Stdout},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use crate::protocol::{self, FromChild, MessageError};

/// What Nova asked for, a load or a call, by its number from 1.
pub(super) type Job = u64;

/// Standard output, shared by the thread that runs JavaScript and the one that watches it.
pub(super) struct Link {
    out: Mutex<Out>,
    last: AtomicU64,
}

struct Out {
    to: Stdout,
    /// The job that has no last message yet.
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

    /// A message in the course of the open job.
    pub(super) fn send(&self, message: &FromChild) -> Result<(), MessageError> {
        let mut out = self.lock();
        match out.open {
            Some(_) => protocol::write(&mut out.to, message),
            None => Ok(()),
        }
    }

    /// The last message of a job, unless the other thread has sent one; says whether it was sent.
    pub(super) fn finish(&self, job: Job, message: &FromChild) -> Result<bool, MessageError> {
        let mut out = self.lock();
        if out.open != Some(job) {
            return Ok(false);
        }
        protocol::write(&mut out.to, message)?;
        out.open = None;
        Ok(true)
    }

    /// The job that was opened last.
    pub(super) fn last(&self) -> Job {
        self.last.load(Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Out> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
