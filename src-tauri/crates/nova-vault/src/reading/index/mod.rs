//! Index of all notes, revalidated against the disk on every query. The cache only saves reading unchanged
//! notes again.
//!
//! ```text
//! Index::listing ── tree: compares the known state with the disk, folder by folder
//!                     └── Changes ── Listing: notes and files sorted by path
//! ```

mod head;
mod listing;
mod note;
mod records;
mod tree;

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::disk::{Disk, nanos_now};
use crate::error::VaultError;
use crate::shared_texts::SharedTexts;

pub(crate) use head::Head;
use head::Types;
pub(crate) use listing::Listing;
pub use note::Note;
pub(crate) use note::read_note;
pub(crate) use records::{is_record_place, sync_conflict};

/// Maximum total size of cached texts; beyond it notes are read on demand. A hundred thousand ordinary
/// notes fit.
const TEXT_BUDGET: usize = 256 * 1024 * 1024;

/// Whose texts a query needs. Path, type and broken front matter are known for every note without;
/// documents, hashes, tags and links need the text.
#[derive(Clone, Copy)]
pub(crate) enum Texts<'a> {
    Nobodys,
    /// Of notes that may be selected.
    Of(&'a dyn Selection),
    All,
}

/// Which notes a query concerns, as far as path and type tell.
pub(crate) trait Selection: Sync {
    /// Folded values of `type:` whose notes are all selected.
    fn types(&self) -> &[String];
    /// Whether only these notes are selected.
    fn is_by_type_alone(&self) -> bool;
    /// Whether the note may be selected, whatever its types are called.
    fn may_select_otherwise(&self, head: &Head) -> bool;
    /// Whether the note may be selected.
    fn may_select(&self, head: &Head) -> bool;
}

#[derive(Debug)]
pub(crate) struct Index {
    known: Mutex<Known>,
    texts: TextBudget,
    /// Whether there was a query before.
    asked: AtomicBool,
    /// Offset added to the system clock, in nanoseconds; set by tests only.
    later: AtomicI64,
}

#[derive(Debug, Default)]
struct Known {
    root: Arc<Mutex<tree::KnownFolder>>,
    listing: Arc<Listing>,
    /// The system clock at the last query, in nanoseconds since 1970.
    asked_at: i64,
}

impl Index {
    /// An empty index. Texts present in `texts` are shared.
    pub(crate) fn new(texts: Arc<SharedTexts>) -> Index {
        Index {
            known: Mutex::default(),
            texts: TextBudget { used: AtomicUsize::new(0), shared: texts },
            asked: AtomicBool::new(false),
            later: AtomicI64::new(0),
        }
    }

    /// Compares all known state with the disk and reads what may have changed. Afterwards the heads of
    /// notes whose texts are needed are complete.
    pub(crate) fn listing(&self, disk: &Disk, needed: Texts<'_>) -> Result<Arc<Listing>, VaultError> {
        disk.check_present()?;
        let mut known = self.known.lock().unwrap_or_else(|poisoned| {
            // An interrupted comparison is unusable: read everything again.
            self.known.clear_poison();
            self.texts.used.store(0, Ordering::Relaxed);
            let mut known = poisoned.into_inner();
            *known = Known::default();
            known
        });
        let later = self.later.load(Ordering::Relaxed);
        let now = nanos_now() + later;
        // After the clock was set back, an edit may give a file exactly its old times.
        let set_back_to = (now < known.asked_at).then_some(now);
        known.asked_at = now;
        let wanted =
            tree::Wanted { texts: &self.texts, needed, some_are_missing: known.listing.lacks(needed), later };
        let walked = tree::compare(disk, &known.root, known.listing.len(), &wanted, set_back_to)?;
        known.listing.update(walked.folders, walked.changes, &self.texts);
        self.asked.store(true, Ordering::Relaxed);
        Ok(Arc::clone(&known.listing))
    }

    /// The last result of [`Index::listing`], which returns the same object if nothing changed. Does not
    /// access the disk; `None` during a comparison.
    pub(crate) fn last_listing(&self) -> Option<Arc<Listing>> {
        self.known.try_lock().ok().map(|known| Arc::clone(&known.listing))
    }

    /// Advances the clock by this many nanoseconds.
    #[cfg(test)]
    pub(crate) fn wait(&self, nanos: i64) {
        self.later.fetch_add(nanos, Ordering::Relaxed);
    }

    /// The note as seen by [`Index::listing`]; `None` if it is unreadable.
    pub(crate) fn note(&self, disk: &Disk, head: &Head) -> Option<Note> {
        head.note().or_else(|| read_note(disk, &head.path).ok())
    }

    /// Whether this is the first query: a program with a single query is faster without caching.
    pub(crate) fn is_first_question(&self) -> bool {
        !self.asked.swap(true, Ordering::Relaxed)
    }
}

impl Texts<'_> {
    fn include(self, head: &Head) -> bool {
        match self {
            Texts::Nobodys => false,
            Texts::Of(selection) => selection.may_select(head),
            Texts::All => true,
        }
    }
}

/// Number of bytes of cached text.
#[derive(Debug)]
struct TextBudget {
    used: AtomicUsize,
    shared: Arc<SharedTexts>,
}

impl TextBudget {
    /// Counts the text and returns it for caching; `None` if it exceeds the budget.
    fn take(&self, text: &str) -> Option<Arc<str>> {
        let before = self.used.fetch_add(text.len(), Ordering::Relaxed);
        if before + text.len() <= TEXT_BUDGET {
            return Some(self.shared.share(text));
        }
        self.give_back(text.len());
        None
    }

    fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}
