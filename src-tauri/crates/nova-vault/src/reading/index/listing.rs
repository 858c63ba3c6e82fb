//! A snapshot of the vault, kept sorted across queries.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::{Head, Selection, TextBudget, Texts};
use crate::note::{VaultPath, folded};
use crate::problem::Problem;

/// A snapshot of the vault.
#[derive(Debug, Default, Clone)]
pub(crate) struct Listing {
    /// The notes, sorted by path.
    pub(crate) heads: Vec<Arc<Head>>,
    /// Every other file outside dot-folders, sorted by path.
    pub(crate) files: Vec<VaultPath>,
    /// Number of folders below the root.
    pub(crate) folders: usize,
    /// Entries that cannot be notes, files or folders.
    pub(super) unusable: BTreeSet<Problem>,
    /// Computed on first use.
    by_type: OnceLock<ByType>,
    /// Computed on first use: [`Listing::odd`].
    odd: OnceLock<Vec<Arc<Head>>>,
}

/// The notes by folded `type:`, sorted by path.
type ByType = HashMap<String, Vec<Arc<Head>>>;

/// Differences found by a walk.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Deleted notes.
    pub(super) gone: Vec<VaultPath>,
    /// New and changed notes, in runs that are sorted by path and contain no duplicates.
    pub(super) runs: Vec<Vec<Arc<Head>>>,
    pub(super) files_gone: Vec<VaultPath>,
    pub(super) files: Vec<VaultPath>,
    pub(super) unusable_gone: Vec<Problem>,
    pub(super) unusable: Vec<Problem>,
}

impl Listing {
    /// Expected number of entries of a walk, without folders and links.
    pub(super) fn len(&self) -> usize {
        self.heads.len() + self.files.len()
    }

    /// Whether both have the same notes and files, regardless of content.
    pub(crate) fn has_paths_of(&self, other: &Listing) -> bool {
        let heads = || self.heads.iter().zip(&other.heads);
        std::ptr::eq(self, other)
            || self.files == other.files
                && self.heads.len() == other.heads.len()
                && heads().all(|(one, other)| one.path == other.path)
    }

    /// The notes that may be selected, sorted by path.
    pub(crate) fn candidates(&self, selection: &dyn Selection) -> Vec<&Arc<Head>> {
        let types: BTreeSet<&String> = selection.types().iter().collect();
        let mut found: Vec<_> = types.iter().filter_map(|name| self.by_type().get(*name)).flatten().collect();
        if !selection.is_by_type_alone() {
            let others = self.heads.iter();
            let may_be = |head: &&Arc<Head>| selection.may_select_otherwise(head);
            found.extend(others.filter(may_be));
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found.dedup_by(|a, b| a.path == b.path);
        found
    }

    /// Whether a needed text was never read.
    pub(crate) fn lacks(&self, needed: Texts<'_>) -> bool {
        match needed {
            Texts::Nobodys => false,
            Texts::Of(selection) => self.candidates(selection).into_iter().any(|head| !head.is_complete()),
            Texts::All => self.heads.iter().any(|head| !head.is_complete()),
        }
    }

    /// Unreadable notes and those named like conflicted copies, sorted by path. Few in any vault; caching
    /// them saves scans of all notes.
    fn odd(&self) -> &[Arc<Head>] {
        self.odd.get_or_init(|| self.heads.iter().filter(|head| is_odd(head)).cloned().collect())
    }

    /// The notes named like conflicted copies, sorted by path.
    pub(crate) fn copies(&self) -> impl Iterator<Item = &VaultPath> {
        self.odd().iter().map(|head| &head.path).filter(|path| path.is_sync_conflict())
    }

    /// Whether a note is named like a conflicted copy.
    pub(crate) fn is_copy(&self, path: &VaultPath) -> bool {
        position(self.odd(), path).is_ok() && path.is_sync_conflict()
    }

    /// All problems, sorted by path and line.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let of_notes = self.odd().iter().filter_map(|head| head.problem());
        let mut problems: Vec<_> = of_notes.chain(self.unusable.iter().cloned()).collect();
        problems.sort();
        problems
    }

    /// Entries that a search skips: unreadable notes, and those that cannot be notes.
    pub(crate) fn unsearchable(&self) -> Vec<Problem> {
        let unreadable = self.odd().iter().filter(|head| !head.is_readable());
        let mut problems: Vec<_> =
            unreadable.filter_map(|head| head.problem()).chain(self.unusable.iter().cloned()).collect();
        problems.sort();
        problems
    }

    /// Applies a walk's differences; without any, the shared listing stays as it is.
    pub(super) fn update(self: &mut Arc<Self>, folders: usize, changes: Changes, texts: &TextBudget) {
        if folders != self.folders || !changes.are_none() {
            let listing = Arc::make_mut(self);
            listing.folders = folders;
            listing.apply(changes, texts);
        }
    }

    fn apply(&mut self, changes: Changes, texts: &TextBudget) {
        /// Up to this many are inserted one by one.
        const FEW: usize = 16;
        let Changes { gone, runs, files_gone, files, unusable_gone, unusable } = changes;
        for problem in &unusable_gone {
            self.unusable.remove(problem);
        }
        self.unusable.extend(unusable);
        if !files_gone.is_empty() || !files.is_empty() {
            let files_gone: HashSet<_> = files_gone.into_iter().collect();
            self.files.retain(|path| !files_gone.contains(path));
            self.files.extend(files);
            self.files.sort();
            self.files.dedup();
        }
        if gone.len() + runs.iter().map(Vec::len).sum::<usize>() <= FEW {
            for path in &gone {
                if let Ok(at) = position(&self.heads, path) {
                    let old = self.heads.remove(at);
                    self.forget(&old, texts);
                }
            }
            for head in runs.into_iter().flatten() {
                self.put(head, texts);
            }
        } else {
            self.put_many(gone, in_order(runs), texts);
        }
    }

    fn put(&mut self, head: Arc<Head>, texts: &TextBudget) {
        match position(&self.heads, &head.path) {
            Ok(at) => {
                let old = std::mem::replace(&mut self.heads[at], Arc::clone(&head));
                self.forget(&old, texts);
            }
            Err(at) => self.heads.insert(at, Arc::clone(&head)),
        }
        if let Some(by_type) = self.by_type.get_mut() {
            for record_type in head.record_types() {
                let records = by_type.entry(folded(record_type)).or_default();
                if let Err(at) = position(records, &head.path) {
                    records.insert(at, Arc::clone(&head));
                }
            }
        }
        if let Some(odd) = self.odd.get_mut()
            && is_odd(&head)
            && let Err(at) = position(odd, &head.path)
        {
            odd.insert(at, head);
        }
    }

    fn forget(&mut self, old: &Head, texts: &TextBudget) {
        texts.give_back(old.text_bytes());
        if let Some(odd) = self.odd.get_mut()
            && let Ok(at) = position(odd, &old.path)
        {
            odd.remove(at);
        }
        let Some(by_type) = self.by_type.get_mut() else { return };
        for record_type in old.record_types().map(folded) {
            let Some(records) = by_type.get_mut(&record_type) else { continue };
            if let Ok(at) = position(records, &old.path) {
                records.remove(at);
            }
            if records.is_empty() {
                by_type.remove(&record_type);
            }
        }
    }

    fn put_many(&mut self, gone: Vec<VaultPath>, mut heads: Vec<Arc<Head>>, texts: &TextBudget) {
        let gone: HashSet<_> = gone.into_iter().collect();
        self.heads.retain(|head| {
            let stays = !gone.contains(&head.path) && position(&heads, &head.path).is_err();
            if !stays {
                texts.give_back(head.text_bytes());
            }
            stays
        });
        if self.heads.is_empty() {
            self.heads = heads;
        } else {
            self.heads.append(&mut heads);
            self.heads.sort_by(|a, b| a.path.cmp(&b.path));
            self.heads.dedup_by(|a, b| a.path == b.path);
        }
        self.by_type.take();
        self.odd.take();
    }

    fn by_type(&self) -> &ByType {
        self.by_type.get_or_init(|| {
            let mut spelled: HashMap<&str, Vec<Arc<Head>>> = HashMap::new();
            for head in &self.heads {
                for record_type in head.record_types() {
                    spelled.entry(record_type).or_default().push(Arc::clone(head));
                }
            }
            let mut by_type = ByType::new();
            for (record_type, mut heads) in spelled {
                let records = by_type.entry(folded(record_type)).or_default();
                let spelled_otherwise = !records.is_empty();
                records.append(&mut heads);
                if spelled_otherwise {
                    records.sort_by(|a, b| a.path.cmp(&b.path));
                }
                // A list may name a type twice.
                records.dedup_by(|a, b| a.path == b.path);
            }
            by_type
        })
    }
}

/// Merges the runs into one sorted list without duplicates. A run is mostly a whole folder, so runs can
/// usually be concatenated.
fn in_order(mut runs: Vec<Vec<Arc<Head>>>) -> Vec<Arc<Head>> {
    fn path(head: Option<&Arc<Head>>) -> Option<&VaultPath> {
        head.map(|head| &head.path)
    }
    runs.sort_by(|a, b| path(a.first()).cmp(&path(b.first())));
    let one_by_one = runs.is_sorted_by(|a, b| path(a.last()) < path(b.first()));
    let mut heads = Vec::with_capacity(runs.iter().map(Vec::len).sum());
    heads.extend(runs.into_iter().flatten());
    if !one_by_one {
        heads.sort_by(|a, b| a.path.cmp(&b.path));
        heads.dedup_by(|a, b| a.path == b.path);
    }
    heads
}

impl Changes {
    fn are_none(&self) -> bool {
        let Changes { gone, runs, files_gone, files, unusable_gone, unusable } = self;
        gone.is_empty()
            && runs.is_empty()
            && files_gone.is_empty()
            && files.is_empty()
            && unusable_gone.is_empty()
            && unusable.is_empty()
    }
}

fn is_odd(head: &Head) -> bool {
    head.path.is_sync_conflict() || head.problem().is_some()
}

fn position(heads: &[Arc<Head>], path: &VaultPath) -> Result<usize, usize> {
    heads.binary_search_by(|head| head.path.cmp(path))
}
