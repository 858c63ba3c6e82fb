//! Which undos are in effect, and what they reverted.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::SetLog;
use super::log::Undo;
use crate::change::NoteChangeKind;
use crate::note::VaultPath;

/// The reverted records of all sets of a vault, with the time of the undo: an undo that was itself undone
/// has no effect. `sets` as from [`Journal::sets`].
pub(crate) fn undone(sets: &[Arc<SetLog>]) -> HashMap<(String, u64), Timestamp> {
    let mut undone: HashMap<(String, u64), Timestamp> = HashMap::new();
    for set in sets.iter().rev() {
        if set.undid.is_empty() {
            continue;
        }
        // Common case: an undo in effect reverted all of its records.
        let own: HashSet<u64> = set
            .records
            .iter()
            .map(|record| record.n)
            .filter(|n| undone.contains_key(&(set.id.clone(), *n)))
            .collect();
        for undid in &set.undid {
            let of_set = sets.iter().find(|set| set.id == undid.of);
            let by = undid.by_record();
            for (n, path) in &undid.records {
                let taken_back = !own.is_empty() && {
                    let kind = of_set.and_then(|of| Some(of.record(*n)?.kind));
                    let writes = undid.writes(&by, set, *n, kind, path);
                    !writes.is_empty() && writes.iter().all(|n| own.contains(n))
                };
                if !taken_back {
                    undone.insert((undid.of.clone(), *n), set.at);
                }
            }
        }
    }
    undone
}

impl Undo {
    /// The writes of each record, if recorded.
    fn by_record(&self) -> HashMap<u64, &[u64]> {
        self.by.iter().flatten().map(|(record, writes)| (*record, &**writes)).collect()
    }

    /// The writes of `set` that revert the record. `noted` as from [`Undo::by_record`].
    fn writes(
        &self,
        noted: &HashMap<u64, &[u64]>,
        set: &SetLog,
        n: u64,
        kind: Option<NoteChangeKind>,
        path: &VaultPath,
    ) -> Vec<u64> {
        let Some(by) = &self.by else {
            return set.maybe_done().filter(|r| r.reverts(kind, path)).map(|r| r.n).collect();
        };
        match noted.get(&n) {
            Some(writes) if !writes.is_empty() => writes.to_vec(),
            // Its note existed neither before nor after: it stands or falls with the whole undo.
            _ => by.iter().flat_map(|(_, writes)| writes).copied().collect(),
        }
    }
}
