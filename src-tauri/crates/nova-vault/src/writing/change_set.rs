//! A change set that is being written.

use std::sync::Arc;

use crate::change::{Applied, Author, ChangeSetKind, Conflict, NoteChangeKind};
use crate::draft::Draft;
use crate::error::VaultError;
use crate::vault::Vault;
use crate::writing::write::{Planned, SetJournal};

/// All writes of one turn, form, command, call or undo: what Undo undoes. It may be applied to
/// many times, also from several threads. Nothing is on the disk before the first write.
/// Dropping it closes it; a set whose process is killed before that is listed as interrupted.
#[derive(Debug)]
pub struct ChangeSet {
    vault: Vault,
    journal: Arc<SetJournal>,
}

impl Vault {
    /// A change set, of which nothing is on the disk until its first write.
    pub fn change_set(&self, kind: ChangeSetKind, label: String) -> ChangeSet {
        ChangeSet::new(self.clone(), kind, label)
    }
}

impl ChangeSet {
    pub(crate) fn new(vault: Vault, kind: ChangeSetKind, label: String) -> ChangeSet {
        let journal = Arc::new(SetJournal::new(vault.core().free_id(), kind, label));
        ChangeSet { vault, journal }
    }

    /// The id by which the history knows it.
    pub fn id(&self) -> &str {
        self.journal.id()
    }

    /// Writes what the draft plans. Notes that changed since the draft read them are merged;
    /// where that cannot be, [`VaultError::Conflict`] names the note and no note of the draft
    /// is left changed. The same holds for any other error, unless reverting what was written
    /// fails, too: what stays is in the history then.
    pub fn apply(&self, draft: Draft, author: &Author) -> Result<Applied, VaultError> {
        self.apply_plan(&draft.plan(), author)
    }

    /// Writes the text of a conflict that was not written then, over the one that was there. What
    /// was edited once more since is merged, or is a conflict again.
    pub fn keep_mine(&self, conflict: &Conflict, author: &Author) -> Result<Applied, VaultError> {
        let disk = &self.vault.core().disk;
        // A note that is gone from where it was can no longer be moved; it is put where it was to be.
        let from = match &conflict.from {
            Some(from) if disk.content(from)?.is_some() => Some(from.clone()),
            _ => None,
        };
        // An empty text of theirs is a note that is gone, or an empty note.
        let there = disk.content(from.as_ref().unwrap_or(&conflict.path))?;
        let theirs = (there.is_some() || !conflict.theirs.is_empty()).then_some(&conflict.theirs);
        let mine = (conflict.kind != NoteChangeKind::Deleted).then_some(&conflict.mine);
        let plan = Planned {
            path: conflict.path.clone(),
            from,
            base: theirs.map(|text| text.as_str().into()),
            after: mine.map(|text| text.as_str().into()),
            file: None,
            folders: Vec::new(),
        };
        self.apply_plan(&[plan], author)
    }

    pub(crate) fn apply_plan(&self, plan: &[Planned], author: &Author) -> Result<Applied, VaultError> {
        let (result, displaced) = self.journal.apply(self.vault.core(), plan, author);
        self.vault.hold(displaced);
        result
    }

    pub(crate) fn journal(&self) -> &SetJournal {
        &self.journal
    }

    /// Says that the set is complete. What was written is safe without it.
    pub fn close(self) -> Result<(), VaultError> {
        self.journal.commit(self.vault.core())
    }
}

impl Drop for ChangeSet {
    fn drop(&mut self) {
        if let Err(error) = self.journal.commit(self.vault.core()) {
            tracing::warn!("{error}");
        }
        if self.journal.is_begun() {
            self.vault.prune_old_changes(Some(self.id()));
        }
    }
}
