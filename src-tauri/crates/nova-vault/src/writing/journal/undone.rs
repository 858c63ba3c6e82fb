//! What undos took back, and what of it counts.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::SetLog;
use super::log::Undid;
use crate::change::NoteChangeKind;
use crate::note::VaultPath;

/// Which records are reverted, over all sets of a vault: an undo that was itself undone
/// takes nothing back. `sets` as from [`Journal::sets`].
/// Each with the time of the undo.
pub(crate) fn undone(sets: &[Arc<SetLog>]) -> HashMap<(String, u64), Timestamp> {
    let mut undone: HashMap<(String, u64), Timestamp> = HashMap::new();
    for set in sets.iter().rev() {
        if set.undid.is_empty() {
            continue;
        }
        // An undo that was not undone itself took all of it back: the usual case.
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

impl Undid {
    /// The writes of each record, where that was noted.
    fn by_record(&self) -> HashMap<u64, &[u64]> {
        self.by.iter().flatten().map(|(record, writes)| (*record, &**writes)).collect()
    }

    /// The writes of `set` without which the record would not be reverted. `noted` as from
    /// [`Undid::by_record`].
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
            // Its note was neither there before nor after: it goes with the undo as a whole.
            _ => by.iter().flat_map(|(_, writes)| writes).copied().collect(),
        }
    }
}
