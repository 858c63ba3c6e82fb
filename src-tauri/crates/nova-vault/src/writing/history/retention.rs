//! Automatic pruning of old change sets.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use jiff::{SignedDuration, Timestamp};

use super::{ChangeSetState, History, Limits};
use crate::error::VaultError;
use crate::vault::Vault;
use crate::writing::journal::{SetLog, undone};
use crate::writing::write::{displaced_bytes, remove_displaced, sweep};

/// The size of a group of change sets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HistorySize {
    /// Number of sets.
    pub changes: usize,
    /// Disk usage of the journal and the displaced files.
    pub bytes: u64,
    /// Time of the oldest set.
    pub oldest: Option<Timestamp>,
}

impl HistorySize {
    fn add(&mut self, set: &SetLog, bytes: u64) {
        self.changes += 1;
        self.bytes += bytes;
        self.oldest = Some(self.oldest.map_or(set.at, |oldest| oldest.min(set.at)));
    }
}

impl Vault {
    /// Applies the vault's [`Limits`] after opening, once a day, and when they may be exceeded. `closed` is
    /// the change set that just ended. Errors are only logged, because pruning is automatic.
    pub(crate) fn prune_old_changes(&self, closed: Option<&str>) {
        self.prune_changes_beyond(closed, self.history().limits());
    }

    pub(crate) fn prune_changes_beyond(&self, closed: Option<&str>, limits: Limits) {
        let core = self.core();
        let now = core.now();
        {
            let mut retention = core.retention.lock().unwrap_or_else(PoisonError::into_inner);
            retention.bytes += closed.map_or(0, |id| core.journal.size(id));
            if !retention.is_due(now, limits) {
                return;
            }
            retention.checked_at = Some(now);
        }
        match self.history().prune_at(now, limits) {
            Ok((removed, bytes)) => {
                if !removed.is_empty() {
                    tracing::info!(count = removed.len(), "pruned old change sets");
                }
                let mut retention = core.retention.lock().unwrap_or_else(PoisonError::into_inner);
                retention.bytes = bytes;
                retention.forgotten.extend(removed);
            }
            Err(error) => tracing::warn!(%error, "cannot prune the journal"),
        }
    }
}

impl History {
    /// The present retention limits.
    pub fn limits(&self) -> Limits {
        self.vault.core().retention.lock().unwrap_or_else(PoisonError::into_inner).limits
    }

    /// Sets the retention limits; they are enforced at the next pruning.
    pub fn keep(&self, limits: Limits) {
        let mut retention = self.vault.core().retention.lock().unwrap_or_else(PoisonError::into_inner);
        retention.limits = limits;
    }

    /// Removes sets beyond the limits. Returns their ids, along with those removed automatically since the
    /// vault was opened or this was last called.
    pub fn prune(&self, limits: Limits) -> Result<Vec<String>, VaultError> {
        let core = self.vault.core();
        let (removed, _) = self.prune_at(core.now(), limits)?;
        let mut retention = core.retention.lock().unwrap_or_else(PoisonError::into_inner);
        let mut forgotten = std::mem::take(&mut retention.forgotten);
        forgotten.extend(removed);
        Ok(forgotten)
    }

    /// The size of all change sets, and for each of the limits what [`prune`](History::prune) would remove.
    /// Removes nothing.
    pub fn sizes(&self, limits: &[Limits]) -> Result<(HistorySize, Vec<HistorySize>), VaultError> {
        let core = self.vault.core();
        let displaced = displaced_bytes(core);
        let sets = core.journal.sets_by_vault().map_err(VaultError::io("read the journal"))?.under_this_path;
        let mut all = HistorySize::default();
        sets.iter().for_each(|set| all.add(set, self.size_of(set, &displaced)));
        let beyond = |limits: &Limits| {
            let mut size = HistorySize::default();
            let weighed = self.weighed(&sets, &displaced, core.now(), *limits);
            weighed.filter(|(_, _, may_go)| *may_go).for_each(|(set, bytes, _)| size.add(set, bytes));
            size
        };
        Ok((all, limits.iter().map(beyond).collect()))
    }

    fn size_of(&self, set: &SetLog, displaced: &HashMap<String, u64>) -> u64 {
        self.vault.core().journal.size(&set.id) + displaced.get(&set.id).copied().unwrap_or(0)
    }

    /// The sets, newest first, with their size and whether they can be removed: beyond the limits and not
    /// needed.
    fn weighed<'a>(
        &'a self,
        sets: &'a [Arc<SetLog>],
        displaced: &'a HashMap<String, u64>,
        now: Timestamp,
        limits: Limits,
    ) -> impl Iterator<Item = (&'a Arc<SetLog>, u64, bool)> {
        let conflicts = self.vault.core().conflicts();
        let oldest = now - SignedDuration::from_hours(24 * limits.days);
        let undone = undone(sets);
        let mut bytes = 0;
        sets.iter().rev().enumerate().map(move |(age, set)| {
            let size = self.size_of(set, displaced);
            bytes += size;
            let beyond = age >= limits.at_least && (set.at < oldest || bytes > limits.bytes);
            // A set without writes needs no decision.
            let wrote_nothing = || set.maybe_done().next().is_none();
            let is_undone = || self.info(set, &undone).state == ChangeSetState::Undone;
            let is_settled = || set.committed || wrote_nothing() || is_undone();
            // Only the journal tells to which note a kept text belongs.
            let keeps = || set.kept.iter().any(|kept| conflicts.join(&kept.file).exists());
            // Retain open sets and those that await a decision.
            (set, size, beyond && is_settled() && set.swept && !keeps())
        })
    }

    /// Also returns the remaining size in bytes.
    fn prune_at(&self, now: Timestamp, limits: Limits) -> Result<(Vec<String>, u64), VaultError> {
        let core = self.vault.core();
        // Recover late edits and leftovers of killed processes first, while their sets still exist.
        sweep(core);
        let displaced = displaced_bytes(core);
        let sets = core.journal.sets_by_vault().map_err(VaultError::io("read the journal"))?;
        let pruned = self.prune_beyond(&sets.under_this_path, &displaced, now, limits);
        // The caller's limits do not concern other vaults, so use the automatic ones.
        for sets in sets.of_others {
            match self.prune_beyond(&sets, &displaced, now, self.limits()) {
                Ok((removed, _)) if removed.is_empty() => {}
                Ok((removed, _)) => {
                    tracing::info!(count = removed.len(), "pruned change sets of another vault")
                }
                Err(error) => tracing::warn!(%error, "cannot prune the change sets of another vault"),
            }
        }
        pruned
    }

    /// Removes those of a vault's sets that are beyond the limits, oldest first. Returns their ids and the
    /// remaining size in bytes.
    fn prune_beyond(
        &self,
        sets: &[Arc<SetLog>],
        displaced: &HashMap<String, u64>,
        now: Timestamp,
        limits: Limits,
    ) -> Result<(Vec<String>, u64), VaultError> {
        let journal = &self.vault.core().journal;
        let mut left = 0;
        let mut removed = Vec::new();
        let mut in_a_log = None;
        for (set, size, may_go) in self.weighed(sets, displaced, now, limits) {
            let Some(alone) = may_go.then(|| journal.lock_as_read(set)).flatten() else {
                left += size;
                continue;
            };
            let failed = || VaultError::io("remove an old change set");
            // A write-ahead log that still has parts of a set could restore it, so settle the logs first.
            let in_a_log = in_a_log.get_or_insert_with(|| journal.ahead().settle_all());
            if in_a_log.contains(&set.id) || !remove_displaced(self.vault.core(), &set.id).map_err(failed())?
            {
                left += size;
                continue;
            }
            journal.remove(&set.id).map_err(failed())?;
            drop(alone);
            removed.push(set.id.clone());
        }
        Ok((removed, left))
    }
}
