//! How much of the history is kept, and when that is checked again.

use jiff::{SignedDuration, Timestamp};

/// What the history keeps. What is interrupted or open is always kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Older sets go, in days.
    pub days: i64,
    /// The oldest go until the journal is no larger, in bytes.
    pub bytes: u64,
    /// How many of the newest stay in any case.
    pub at_least: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { days: 30, bytes: 1_000_000_000, at_least: 50 }
    }
}

/// What this process knows of the history's size, so that the journal is scanned seldom.
#[derive(Debug, Default)]
pub(crate) struct Retention {
    pub(super) limits: Limits,
    /// When it was last scanned.
    pub(super) looked_at: Option<Timestamp>,
    /// How many bytes it had then, and what was written since.
    pub(super) bytes: u64,
    /// The sets that went without being asked, until somebody asks.
    pub(super) forgotten: Vec<String>,
}

impl Retention {
    pub(crate) fn within(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    pub(super) fn is_due(&self, now: Timestamp, limits: Limits) -> bool {
        let recent = self.looked_at.is_some_and(|at| {
            // A clock that was set back is no reason to wait for it.
            let since = now.duration_since(at);
            !since.is_negative() && since < SignedDuration::from_hours(24)
        });
        !recent || self.bytes > limits.bytes
    }
}
