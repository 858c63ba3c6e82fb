//! An open change set.

use std::sync::Arc;

use crate::change::{Applied, Author, ChangeSetKind, Conflict, NoteChangeKind};
use crate::draft::Draft;
use crate::error::VaultError;
use crate::vault::Vault;
use crate::writing::write::{Planned, SetJournal};

/// All writes of one turn, form, command, call or undo: the unit of undo. Can be applied to repeatedly and
/// from several threads. Nothing is on disk before the first write. Dropping it closes it; if the process
/// is killed before, the set is listed as interrupted.
#[derive(Debug)]
pub struct ChangeSet {
    vault: Vault,
    journal: Arc<SetJournal>,
}

impl Vault {
    /// Opens a change set; nothing is on disk until its first write.
    pub fn change_set(&self, kind: ChangeSetKind, label: String) -> ChangeSet {
        ChangeSet::new(self.clone(), kind, label)
    }
}

impl ChangeSet {
    pub(crate) fn new(vault: Vault, kind: ChangeSetKind, label: String) -> ChangeSet {
        let journal = Arc::new(SetJournal::new(vault.core().free_id(), kind, label));
        ChangeSet { vault, journal }
    }

    /// Its id in the history.
    pub fn id(&self) -> &str {
        self.journal.id()
    }

    /// Applies a draft. Notes that changed since the draft read them are merged; if that is impossible,
    /// [`VaultError::Conflict`] names the note and no note of the draft is changed. The same holds for any
    /// other error, unless rolling back fails, too; what remains is then in the history.
    pub fn apply(&self, draft: Draft, author: &Author) -> Result<Applied, VaultError> {
        self.apply_plan(&draft.plan(), author)
    }

    /// Overwrites the other side of a conflict with the text that was not written. Later edits are merged,
    /// or are a new conflict.
    pub fn keep_mine(&self, conflict: &Conflict, author: &Author) -> Result<Applied, VaultError> {
        let disk = &self.vault.core().disk;
        // A note that left its old path can no longer be moved; it is created at the target.
        let from = match &conflict.from {
            Some(from) if disk.content(from)?.is_some() => Some(from.clone()),
            _ => None,
        };
        // An empty `theirs` means a missing or an empty note.
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

    /// Marks the set as complete. Its writes are safe without it.
    pub fn close(self) -> Result<(), VaultError> {
        self.journal.commit(self.vault.core())
    }
}

impl Drop for ChangeSet {
    fn drop(&mut self) {
        if let Err(error) = self.journal.commit(self.vault.core()) {
            tracing::warn!(%error, "cannot commit a change set");
        }
        if self.journal.is_begun() {
            self.vault.prune_old_changes(Some(self.id()));
        }
    }
}
