//! The history of a vault whose folder was renamed, moved or replaced.
//!
//! A set that belongs to this vault is recorded as such in its journal, permanently: even if a new folder
//! gets the old path later, and even if an older version did not record the folder's identity.
//!
//! A different folder at the same path can be two things. Restored from a backup, or downloaded again by a
//! sync program, it is the vault, and the user needs its history most just then; it contains notes as Nova
//! left them. Otherwise it is a new vault, into which an undo would put notes that were never there. So the
//! notes decide: if none is as any set left it, the sets wait unchanged for their folder. A note in the
//! state before a set proves nothing, because two vaults may start from the same notes; neither does one
//! left by an undo.

use std::collections::HashMap;
use std::sync::Arc;

use crate::change::ChangeSetKind;
use crate::core::Core;
use crate::note::{ContentHash, VaultPath};
use crate::writing::journal::{Line, Record, SetLog, Writer};

/// Records sets that belong to this vault as such. A set written by a running process is left to a later
/// start; so are all sets while the vault is empty, because it may be an unmounted mount point.
pub(super) fn take_over_moved(core: &Core) {
    let Some(folder) = core.journal.vault_folder().filter(|_| !core.disk.is_empty()) else { return };
    let unsettled = match core.journal.unsettled_sets() {
        Ok(unsettled) => unsettled,
        Err(error) => {
            tracing::warn!(%error, "cannot read the journal");
            return;
        }
    };
    let mut sets = unsettled.of_this_vault;
    sets.extend(unsettled.of_others.into_iter().filter(|sets| holds_notes_of(core, sets)).flatten());
    for set in sets {
        let noted = Writer::take_over(&core.journal, &set).and_then(|mut writer| {
            let vault = core.journal.vault().to_owned();
            writer.append(&Line::Vault { vault, folder: folder.clone() })
        });
        match noted {
            Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => {
                tracing::warn!(id = set.id, %error, "cannot take over a change set");
            }
            _ => {}
        }
    }
}

/// Whether a note of the vault is as one of these sets left it.
fn holds_notes_of(core: &Core, sets: &[Arc<SetLog>]) -> bool {
    let mut there: HashMap<VaultPath, Option<ContentHash>> = HashMap::new();
    let is_there = |record: &Record| {
        let changed = record.after.as_ref().filter(|after| {
            !after.is_empty() && record.before.as_ref().is_none_or(|before| before.hash != after.hash)
        });
        // An extra root is shared by all vaults that link to it.
        let Some(left) = changed.filter(|_| !core.disk.is_in_root(&record.path)) else { return false };
        let now = there.entry(record.path.clone()).or_insert_with(|| {
            let text = core.disk.text(&record.path).ok().flatten();
            text.map(|text| ContentHash::of(text.as_bytes()))
        });
        *now == Some(left.hash)
    };
    let sets = sets.iter().rev().filter(|set| set.kind != ChangeSetKind::Undo);
    sets.flat_map(|set| set.maybe_done()).any(is_there)
}
