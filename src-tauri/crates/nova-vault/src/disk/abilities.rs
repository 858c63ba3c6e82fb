//! Capabilities of a file system, detected on first use.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::fs::Dir;

use super::platform;

/// Capabilities of one file system; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Abilities(Arc<Shown>);

#[derive(Debug, Default)]
struct Shown {
    /// Renaming without replacing is unsupported.
    replaces: AtomicBool,
    /// Whether two files can be exchanged, once known, or why not.
    exchange: Mutex<Option<Result<(), String>>>,
    /// Simulates a file system without hard links.
    #[cfg(test)]
    linkless: AtomicBool,
}

impl Abilities {
    /// Renames unless the new name is taken; `false` if the file system does not support that.
    pub(super) fn rename_no_replace(&self, from: &Dir, old: &str, to: &Dir, new: &str) -> io::Result<bool> {
        if self.0.replaces.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let renamed = platform::rename_no_replace(from, old, to, new)?;
        if !renamed {
            self.refuse_no_replace();
        }
        Ok(renamed)
    }

    pub(super) fn refuse_no_replace(&self) {
        self.0.replaces.store(true, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(super) fn linkless(&self) -> &AtomicBool {
        &self.0.linkless
    }

    /// Whether two files can be exchanged, or why not; `None` if not known yet.
    pub(crate) fn exchange(&self) -> Option<Result<(), String>> {
        self.0.exchange.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn exchanged(&self) {
        *self.0.exchange.lock().unwrap_or_else(PoisonError::into_inner) = Some(Ok(()));
    }

    pub(crate) fn refuse_exchange(&self, error: &io::Error) {
        let reason = format!("the file system cannot swap two files atomically ({error})");
        *self.0.exchange.lock().unwrap_or_else(PoisonError::into_inner) = Some(Err(reason));
    }
}
