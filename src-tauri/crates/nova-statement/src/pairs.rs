//! Rows of a file with the records that they may duplicate.

use std::collections::{HashMap, HashSet};

/// A row and a record that may be the same.
pub struct Candidate {
    /// How far apart they are; the smaller, the likelier.
    pub distance: (i32, bool),
    /// The place of the row.
    pub place: usize,
    /// The place of the record.
    pub other: usize,
}

/// The record of each row by its place, the likeliest pairs first, each record for one row.
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
