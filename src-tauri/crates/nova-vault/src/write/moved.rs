//! The history of a vault whose folder has another name or place since, or is another folder now.
//!
//! That a set is this vault's is written into its journal, so that it stays so: also when the old path is
//! given to a new folder, and when an earlier Nova did not write down which folder it was.
//!
//! A folder under the path of another one is two things. Put back from a backup or fetched anew by a
//! sync program it is the vault, and its history is what a person wants most just then; it holds notes
//! as the history knows them. Anything else is a new vault, in which to undo what was done in the old one
//! would put notes that were never there. So the notes decide, and where none is as it was left or found
//! by any set, the sets wait untouched for the folder that they are of.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::core::Core;
use crate::journal::{Line, Record, SetLog, Writer};
use crate::note::{ContentHash, VaultPath};

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

/// Whether a note of the vault holds what one of these sets found or left there.
fn holds_notes_of(core: &Core, sets: &[Arc<SetLog>]) -> bool {
    let mut there: HashMap<VaultPath, Option<ContentHash>> = HashMap::new();
    let is_there = |record: &Record| {
        let images = [&record.before, &record.after].into_iter().flatten();
        let texts: HashSet<ContentHash> =
            images.filter(|image| !image.is_empty()).map(|image| image.hash).collect();
        let paths = [Some(&record.path), record.from.as_ref()].into_iter().flatten();
        // What lies in an extra root is the same for every vault that has a link to it.
        paths.filter(|path| !core.disk.is_in_root(path)).any(|path| {
            let now = there.entry(path.clone()).or_insert_with(|| {
                let text = core.disk.text(path).ok().flatten();
                text.map(|text| ContentHash::of(text.as_bytes()))
            });
            now.is_some_and(|now| texts.contains(&now))
        })
    };
    sets.iter().rev().flat_map(|set| set.maybe_done()).any(is_there)
}
