//! Overviews of many change sets, with cached diffs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{ChangeSetInfo, History};
use crate::content::Content;
use crate::error::VaultError;
use crate::note::{ContentHash, NoteDiff, VaultPath};
use crate::writing::journal::{Record, SetLog, undone};

/// A change set with the diffs of its notes.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeSetOverview {
    /// As returned by [`History::list`].
    pub info: ChangeSetInfo,
    /// In the order of `info.notes`.
    pub notes: Vec<NoteOverview>,
}

/// The change of one note.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteOverview {
    /// Its path after the change.
    pub path: VaultPath,
    /// Hash of its text after; `None` for a deleted note.
    pub after: Option<ContentHash>,
    pub diff: Arc<NoteDiff>,
}

/// Cache of diffs, keyed by the hashes of both texts, so entries never become stale.
#[derive(Debug, Default)]
pub(crate) struct Diffs {
    known: Mutex<HashMap<Texts, Arc<NoteDiff>>>,
}

type Texts = (Option<ContentHash>, Option<ContentHash>);

/// Maximum number of entries; then the cache is cleared.
const MOST: usize = 4096;

impl History {
    /// Up to `limit` of the newest change sets that match, newest first.
    pub fn overviews(
        &self,
        wanted: impl Fn(&ChangeSetInfo) -> bool,
        limit: usize,
    ) -> Result<Vec<ChangeSetOverview>, VaultError> {
        let sets = self.sets()?;
        let undone = undone(&sets);
        let all = sets.iter().rev().map(|set| (set, self.info(set, &undone)));
        all.filter(|(_, info)| !info.notes.is_empty() && wanted(info))
            .take(limit)
            .map(|(set, info)| self.overview_of(set, info))
            .collect()
    }

    /// The overview of one change set.
    pub fn overview(&self, id: &str) -> Result<ChangeSetOverview, VaultError> {
        let sets = self.sets()?;
        let set = super::find(&sets, id)?;
        self.overview_of(set, self.info(set, &undone(&sets)))
    }

    fn overview_of(&self, set: &SetLog, info: ChangeSetInfo) -> Result<ChangeSetOverview, VaultError> {
        let note = |record: &Record| {
            Ok(NoteOverview {
                path: record.path.clone(),
                after: record.after.as_ref().map(|image| image.hash),
                diff: self.diff_of(set, record)?,
            })
        };
        let notes = set.maybe_done().map(note).collect::<Result<_, VaultError>>()?;
        Ok(ChangeSetOverview { info, notes })
    }

    fn diff_of(&self, set: &SetLog, record: &Record) -> Result<Arc<NoteDiff>, VaultError> {
        let known = &self.vault.diffs().known;
        let texts = [&record.before, &record.after].map(|image| image.as_ref().map(|image| image.hash));
        let texts = (texts[0], texts[1]);
        if let Some(diff) = known.lock().unwrap_or_else(PoisonError::into_inner).get(&texts) {
            return Ok(Arc::clone(diff));
        }
        let (before, after) = self.contents(set, record)?;
        let diff = Arc::new(Content::diff(before.as_ref(), after.as_ref()));
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(texts, Arc::clone(&diff));
        Ok(diff)
    }
}
