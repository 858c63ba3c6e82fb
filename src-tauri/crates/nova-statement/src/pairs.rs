//! Matches the rows of a file with records that they may duplicate.

use std::collections::{HashMap, HashSet};

/// A row and a record that may be equal.
pub struct Candidate {
    /// The distance between the two; smaller is likelier.
    pub distance: (i32, bool),
    /// The index of the row.
    pub place: usize,
    /// The index of the record.
    pub other: usize,
}

/// Assigns records to rows greedily by distance, each record to one row at most. Returns the record's index
/// by the row's.
pub fn pair_up(mut candidates: Vec<Candidate>) -> HashMap<usize, usize> {
    candidates.sort_by_key(|one| (one.distance, one.place, one.other));
    let (mut pairs, mut taken) = (HashMap::new(), HashSet::new());
    for Candidate { place, other, .. } in candidates {
        if !pairs.contains_key(&place) && taken.insert(other) {
            pairs.insert(place, other);
        }
    }
    pairs
}
