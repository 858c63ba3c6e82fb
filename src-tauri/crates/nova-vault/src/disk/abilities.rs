//! What a file system showed that it can do, once that was tried.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::fs::Dir;

use super::platform;

/// Of one file system; clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Abilities(Arc<Shown>);

#[derive(Debug, Default)]
struct Shown {
    /// It refused to rename without replacing.
    replaces: AtomicBool,
    /// Whether two files can be exchanged, once that showed; else why not.
    exchange: Mutex<Option<Result<(), String>>>,
    /// As a file system that knows no second names.
    #[cfg(test)]
    linkless: AtomicBool,
}

impl Abilities {
    /// Renames where nothing has the new name; `false` where the file system cannot.
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

    /// Whether two files can be exchanged, else why not; `None` where that did not show yet.
    pub(crate) fn exchange(&self) -> Option<Result<(), String>> {
        self.0.exchange.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn exchanged(&self) {
        *self.0.exchange.lock().unwrap_or_else(PoisonError::into_inner) = Some(Ok(()));
    }

    pub(crate) fn refuse_exchange(&self, error: &io::Error) {
        let reason = format!("the file system cannot exchange two files in one step ({error})");
        *self.0.exchange.lock().unwrap_or_else(PoisonError::into_inner) = Some(Err(reason));
    }
}
