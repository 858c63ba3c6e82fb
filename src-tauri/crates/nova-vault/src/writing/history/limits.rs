//! Retention limits of the history, and when to apply them.

use jiff::{SignedDuration, Timestamp};

/// Retention limits of the history. Interrupted and open sets are always retained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum age of a set, in days.
    pub days: i64,
    /// Maximum size of the journal, in bytes; the oldest sets are removed first.
    pub bytes: u64,
    /// Number of newest sets that are always retained.
    pub at_least: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { days: 30, bytes: 1_000_000_000, at_least: 50 }
    }
}

/// The known size of the history, which saves scans of the journal.
#[derive(Debug, Default)]
pub(crate) struct Retention {
    pub(super) limits: Limits,
    /// Time of the last scan.
    pub(super) checked_at: Option<Timestamp>,
    /// Size at that time, plus what was written since.
    pub(super) bytes: u64,
    /// Sets removed automatically and not yet reported.
    pub(super) forgotten: Vec<String>,
}

impl Retention {
    pub(crate) fn within(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    pub(super) fn is_due(&self, now: Timestamp, limits: Limits) -> bool {
        let recent = self.checked_at.is_some_and(|at| {
            // If the clock was set back, do not wait for it.
            let since = now.duration_since(at);
            !since.is_negative() && since < SignedDuration::from_hours(24)
        });
        !recent || self.bytes > limits.bytes
    }
}
