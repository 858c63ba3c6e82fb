//! All notes of the vault, compared with the disk at every question. The memory of what was
//! read only saves reading again what did not change.
//!
//! ```text
//! Index::listing ── tree: folder by folder, what is known against what is there
//!                     └── Changes ── Listing: notes and files in order of their paths
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
use crate::note::VaultPath;
use crate::shared_texts::SharedTexts;

pub(crate) use head::Head;
use head::Types;
pub(crate) use listing::Listing;
pub use note::Note;
pub(crate) use note::read_note;
pub(crate) use records::{is_record_place, sync_conflict};

/// Texts are remembered up to this many bytes in all; beyond it a note is read when asked for.
/// A hundred thousand notes of ordinary length fit.
const TEXT_BUDGET: usize = 256 * 1024 * 1024;

/// Whose texts a question needs. What is known of every note (path, type, broken front matter)
/// needs none; documents, hashes, tags and links do.
#[derive(Clone, Copy)]
pub(crate) enum Texts<'a> {
    Nobodys,
    /// Of the notes that may be selected.
    Of(&'a dyn Selection),
    All,
}

/// Which notes a question is about, as far as their places and types tell.
pub(crate) trait Selection: Sync {
    /// Values of `type:`, folded, whose notes are all selected.
    fn types(&self) -> &[String];
    /// Whether no other notes are.
    fn is_by_type_alone(&self) -> bool;
    /// Whether a note there may be selected, whatever its type is called.
    fn may_select_otherwise(&self, path: &VaultPath, record_type: Option<&str>) -> bool;
    /// Whether a note there of that type may be selected.
    fn may_select(&self, path: &VaultPath, record_type: Option<&str>) -> bool;
}

#[derive(Debug)]
pub(crate) struct Index {
    known: Mutex<Known>,
    texts: TextBudget,
    /// Whether a question was asked before.
    asked: AtomicBool,
    /// How much later than the system's clock it is, in nanoseconds. Only tests let time pass.
    later: AtomicI64,
}

#[derive(Debug, Default)]
struct Known {
    root: Arc<Mutex<tree::KnownFolder>>,
    listing: Arc<Listing>,
    /// The system's clock at the last question, in nanoseconds since 1970.
    asked_at: i64,
}

impl Index {
    /// An empty one. What is among `texts` is not remembered a second time.
    pub(crate) fn new(texts: Arc<SharedTexts>) -> Index {
        Index {
            known: Mutex::default(),
            texts: TextBudget { used: AtomicUsize::new(0), shared: texts },
            asked: AtomicBool::new(false),
            later: AtomicI64::new(0),
        }
    }

    /// Compares everything known with the disk and reads what may differ. The heads of the notes
    /// whose texts are needed are complete then.
    pub(crate) fn listing(&self, disk: &Disk, needed: Texts<'_>) -> Result<Arc<Listing>, VaultError> {
        disk.check_present()?;
        let mut known = self.known.lock().unwrap_or_else(|poisoned| {
            // Half compared is worth nothing: all of it is read again.
            self.known.clear_poison();
            self.texts.used.store(0, Ordering::Relaxed);
            let mut known = poisoned.into_inner();
            *known = Known::default();
            known
        });
        let later = self.later.load(Ordering::Relaxed);
        let now = nanos_now() + later;
        // After the clock was set back a file may get, by an edit, the very times it had.
        let set_back_to = (now < known.asked_at).then_some(now);
        known.asked_at = now;
        let wanted =
            tree::Wanted { texts: &self.texts, needed, some_are_missing: known.listing.lacks(needed), later };
        let walked = tree::compare(disk, &known.root, known.listing.len(), &wanted, set_back_to)?;
        known.listing.update(walked.folders, walked.changes, &self.texts);
        self.asked.store(true, Ordering::Relaxed);
        Ok(Arc::clone(&known.listing))
    }

    /// What [`Index::listing`] gave last: it gives the same again where nothing has changed. Nothing is
    /// compared with the disk; `None` while somebody does.
    pub(crate) fn last_listing(&self) -> Option<Arc<Listing>> {
        self.known.try_lock().ok().map(|known| Arc::clone(&known.listing))
    }

    /// As if so many nanoseconds passed.
    #[cfg(test)]
    pub(crate) fn wait(&self, nanos: i64) {
        self.later.fetch_add(nanos, Ordering::Relaxed);
    }

    /// The note as [`Index::listing`] saw it; `None` when it cannot be read.
    pub(crate) fn note(&self, disk: &Disk, head: &Head) -> Option<Note> {
        head.note().or_else(|| read_note(disk, &head.path).ok())
    }

    /// Whether this is the first question, which a program that asks only once answers faster
    /// without remembering anything.
    pub(crate) fn is_first_question(&self) -> bool {
        !self.asked.swap(true, Ordering::Relaxed)
    }
}

impl Texts<'_> {
    fn include(self, head: &Head) -> bool {
        match self {
            Texts::Nobodys => false,
            Texts::Of(selection) => selection.may_select(&head.path, head.record_type()),
            Texts::All => true,
        }
    }
}

/// How many bytes of text are remembered.
#[derive(Debug)]
struct TextBudget {
    used: AtomicUsize,
    shared: Arc<SharedTexts>,
}

impl TextBudget {
    /// The text, to be remembered, and counted. `None`: it does not fit.
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
