//! The history of a vault whose folder has another name or place since, or is another folder now.
//!
//! That a set is this vault's is written into its journal, so that it stays so: also when the old path is
//! given to a new folder, and when an earlier Nova did not write down which folder it was.
//!
//! A folder under the path of another one is two things. Put back from a backup or fetched anew by a
//! sync program it is the vault, and its history is what a person wants most just then; it holds notes
//! as Nova left them. Anything else is a new vault, in which to undo what was done in the old one
//! would put notes that were never there. So the notes decide, and where none is as it was left by any set,
//! the sets wait untouched for the folder that they are of. A note as a set found it says nothing: two
//! vaults may begin with the same ones. Nor does one that an undo left so.

use std::collections::HashMap;
use std::sync::Arc;

use crate::change::ChangeSetKind;
use crate::core::Core;
use crate::note::{ContentHash, VaultPath};
use crate::writing::journal::{Line, Record, SetLog, Writer};

/// Notes the sets that are this vault's as such. One that a running Nova writes is left to a later start, and so
/// are all while there is nothing in the vault: what lies at its path may be where it is to be mounted.
pub(super) fn take_over_moved(core: &Core) {
    let Some(folder) = core.journal.vault_folder().filter(|_| !core.disk.is_empty()) else { return };
    let unsettled = match core.journal.unsettled_sets() {
        Ok(unsettled) => unsettled,
        Err(error) => {
            tracing::warn!("the journal cannot be read: {error}");
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
                tracing::warn!("change set {}: {error}", set.id);
            }
            _ => {}
        }
    }
}

/// Whether a note of the vault holds what one of these sets left there.
fn holds_notes_of(core: &Core, sets: &[Arc<SetLog>]) -> bool {
    let mut there: HashMap<VaultPath, Option<ContentHash>> = HashMap::new();
    let is_there = |record: &Record| {
        let changed = record.after.as_ref().filter(|after| {
            !after.is_empty() && record.before.as_ref().is_none_or(|before| before.hash != after.hash)
        });
        // What lies in an extra root is the same for every vault that has a link to it.
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
