//! The vault: opening and querying it.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use crate::core::Core;
use crate::disk::refuse_hidden;
use crate::error::VaultError;
use crate::note::{VaultPath, folded};
use crate::obsidian::{ObsidianSettings, TemplateFolder};
use crate::problem::Problem;
use crate::reading::index::{
    Head, Index, Listing, Note, Selection as _, Texts, is_record_place, read_note, sync_conflict,
};
use crate::reading::links::Outlines;
use crate::reading::query::Recogniser;
use crate::writing::feed::{Feed, VaultChange};
use crate::writing::history::Diffs;
#[cfg(test)]
use crate::writing::watch::Options;
use crate::writing::watch::WatchState;
use crate::writing::write::{Displaced, LateChecker};

/// An opened vault; clones share it. Reads check the disk every time; writes go through a
/// [`Draft`](crate::Draft) and a [`ChangeSet`](crate::ChangeSet).
#[derive(Clone)]
pub struct Vault {
    inner: Arc<Inner>,
}

struct Inner {
    // Field order matters: the feed's thread must end before the last check of displaced files.
    feed: Mutex<Option<Feed>>,
    keeper: Mutex<Option<LateChecker>>,
    index: Index,
    outlines: Outlines,
    diffs: Diffs,
    core: Arc<Core>,
}

/// A snapshot of the vault's notes, sorted by path. Shares the listing without copying.
#[derive(Clone)]
pub struct Notes {
    listing: Arc<Listing>,
}

/// An entry in the list of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NoteEntry<'a> {
    pub path: &'a VaultPath,
    /// Its `type:`.
    pub record_type: Option<&'a str>,
    /// Line and reason, if its front matter is unreadable.
    pub broken: Option<(u32, &'a str)>,
}

impl Vault {
    /// The vault of a folder that was opened and swept.
    pub(crate) fn of(core: Arc<Core>) -> Vault {
        Vault {
            inner: Arc::new(Inner {
                feed: Mutex::new(None),
                keeper: Mutex::new(None),
                index: Index::new(Arc::clone(&core.texts)),
                outlines: Outlines::default(),
                diffs: Diffs::default(),
                core,
            }),
        }
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.inner.core
    }

    pub(crate) fn index(&self) -> &Index {
        &self.inner.index
    }

    pub(crate) fn outlines(&self) -> &Outlines {
        &self.inner.outlines
    }

    pub(crate) fn diffs(&self) -> &Diffs {
        &self.inner.diffs
    }

    /// The canonical path of the vault's folder.
    pub fn root(&self) -> &Path {
        self.core().disk.root()
    }

    /// Whether it was opened with these [`VaultOptions::roots`].
    pub fn has_roots(&self, roots: &[PathBuf]) -> bool {
        self.core().disk.roots().are(roots)
    }

    /// Whether it was opened with [`VaultOptions::write_through`].
    pub fn writes_through(&self) -> bool {
        self.core().write_through
    }

    /// The folder's name.
    pub fn name(&self) -> String {
        match self.root().file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => self.root().to_string_lossy().into_owned(),
        }
    }

    /// Reads a note from disk. Refuses dot-folders, links other than those to extra roots, content that is
    /// not UTF-8, and files larger than [`crate::MAX_NOTE_BYTES`]. With [`VaultOptions::write_through`] a
    /// link to a note in the vault is resolved, and the result has that note's path.
    pub fn read(&self, path: &VaultPath) -> Result<Note, VaultError> {
        refuse_hidden(path)?;
        read_note(&self.core().disk, &self.real(path))
    }

    /// The path of the note that is read and written under this path.
    pub(crate) fn real<'a>(&self, path: &'a VaultPath) -> Cow<'a, VaultPath> {
        if self.writes_through() { Cow::Owned(self.core().disk.led_to(path)) } else { Cow::Borrowed(path) }
    }

    /// All notes outside dot-folders, sorted by path, as on disk now.
    pub fn notes(&self) -> Result<Notes, VaultError> {
        Ok(Notes { listing: self.inner.index.listing(&self.core().disk, Texts::Nobodys)? })
    }

    /// The notes with one of these types, ignoring case; see [`Vault::recognised`].
    pub fn records(&self, types: &[&str]) -> Result<Vec<Note>, VaultError> {
        self.recognised(&Recogniser::of_types(types))
    }

    /// The recognised notes, sorted by path. Templates (in the [`TemplateFolder`]) are excluded, and so are
    /// conflicted copies ([`VaultPath::is_sync_conflict`]), which would duplicate their records.
    pub fn recognised(&self, recogniser: &Recogniser) -> Result<Vec<Note>, VaultError> {
        let listing = self.inner.index.listing(&self.core().disk, Texts::Of(recogniser))?;
        Ok(self.records_in(&listing, recogniser))
    }

    /// As [`Vault::recognised`], with the problems of all notes, from the same snapshot.
    pub(crate) fn records_and_problems(
        &self,
        recogniser: &Recogniser,
    ) -> Result<(Vec<Note>, Vec<Problem>), VaultError> {
        let listing = self.inner.index.listing(&self.core().disk, Texts::Of(recogniser))?;
        let mut problems = self.problems_of(&listing);
        problems.extend(listing.copies().filter_map(|path| sync_conflict(&listing, path)));
        Ok((self.records_in(&listing, recogniser), problems))
    }

    fn records_in(&self, listing: &Listing, recogniser: &Recogniser) -> Vec<Note> {
        let templates = self.template_folder();
        let heads = listing.candidates(recogniser).into_iter();
        heads
            .filter(|head| is_record_place(listing, &templates, &head.path))
            .filter(|head| self.is_recognised(head, recogniser))
            .filter_map(|head| self.inner.index.note(&self.core().disk, head))
            .collect()
    }

    /// Whether the head's note, whose text was loaded, is one of these records.
    pub(crate) fn is_recognised(&self, head: &Head, recogniser: &Recogniser) -> bool {
        recogniser.recognises_type(head.record_types())
            || recogniser.may_select(head)
                && head.is_readable()
                && recogniser.decide(&head.path, head.document(), &|| self.tags_of(head))
    }

    /// The bytes of any file.
    pub(crate) fn bytes(&self, path: &VaultPath) -> Result<Vec<u8>, VaultError> {
        refuse_hidden(path)?;
        self.check_present()?;
        self.core().disk.bytes(path)
    }

    /// The notes that match `name`: by path with or without `.md`, else by the end of a path, else by name,
    /// else by alias, ignoring case and Unicode composition. Only matches of the best kind are returned;
    /// several notes mean that the name is ambiguous.
    pub fn find(&self, name: &str) -> Result<Vec<VaultPath>, VaultError> {
        let wanted = folded(name.trim());
        let wanted = wanted.strip_suffix(".md").unwrap_or(&wanted);
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let exact = |head: &Head| {
            let path = head.path.as_str();
            path == name || path.strip_suffix(".md") == Some(name)
        };
        let path = |head: &Head| without_extension(&folded(head.path.as_str())) == wanted;
        let path_end = |head: &Head| {
            let path = folded(head.path.as_str());
            wanted.contains('/')
                && without_extension(&path).strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/'))
        };
        let note_name = |head: &Head| folded(head.path.name()) == wanted;
        let alias = |head: &Head| head.aliases().iter().any(|alias| folded(alias) == wanted);
        let first = |listing: &Listing, kinds: &[&dyn Fn(&Head) -> bool]| {
            let heads_of = |matches: &&dyn Fn(&Head) -> bool| {
                let found = listing.heads.iter().filter(|head| matches(head));
                found.map(|head| head.path.clone()).collect::<Vec<_>>()
            };
            kinds.iter().map(heads_of).find(|found| !found.is_empty()).unwrap_or_default()
        };
        let listing = |texts| self.inner.index.listing(&self.core().disk, texts);
        let found = first(&*listing(Texts::Nobodys)?, &[&exact, &path, &path_end, &note_name]);
        if !found.is_empty() {
            return Ok(found);
        }
        Ok(first(&*listing(Texts::All)?, &[&exact, &path, &path_end, &note_name, &alias]))
    }

    /// Whether the path is a link that is resolved to a note, and therefore no problem.
    pub(crate) fn is_followed(&self, path: &str) -> bool {
        let Ok(path) = VaultPath::parse(path) else { return false };
        let real = self.real(&path);
        *real != path && self.core().disk.place(&real).is_ok_and(|place| !place.is_free(&real))
    }

    /// The user's settings in Obsidian for this vault, as on disk now.
    pub fn obsidian(&self) -> ObsidianSettings {
        ObsidianSettings::read(&self.core().disk)
    }

    /// The folder of templates, as configured now.
    pub fn template_folder(&self) -> TemplateFolder {
        TemplateFolder::read(&self.core().disk)
    }

    /// Subscribes to changes of the vault, by any author. Watching starts with the first call; a receiver
    /// that falls more than 4,096 changes behind gets a lag error.
    pub fn changes(&self) -> tokio::sync::broadcast::Receiver<VaultChange> {
        let mut feed = self.inner.feed.lock().unwrap_or_else(PoisonError::into_inner);
        feed.get_or_insert_with(|| Feed::start(self.core())).subscribe()
    }

    /// Waits until every change made before this call was sent to the receivers of [`Vault::changes`]. Does
    /// nothing without a watcher.
    pub fn flush_changes(&self) {
        if let Some(feed) = &*self.inner.feed.lock().unwrap_or_else(PoisonError::into_inner) {
            feed.flush();
        }
    }

    /// How the vault is watched; `None` before the first subscription.
    pub fn watching(&self) -> Option<WatchState> {
        self.inner.feed.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(Feed::state)
    }

    /// Starts watching with custom options.
    #[cfg(test)]
    pub(crate) fn watch_with(&self, options: Options) {
        let feed = Feed::start_with(self.core(), options);
        *self.inner.feed.lock().unwrap_or_else(PoisonError::into_inner) = Some(feed);
    }

    /// Runs the final check of displaced files and waits for it, as dropping the vault does; for programs
    /// that exit without dropping. Returns the files with outside edits that could not be merged, since the
    /// vault was opened or this was last called: copies beside their notes, files under `<data>/conflicts`
    /// where no copy could be made, and notes that were edited while being deleted.
    pub fn finish_writing(&self) -> Vec<PathBuf> {
        drop(self.inner.keeper.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.core().unmerged.take()
    }

    pub(crate) fn hold(&self, displaced: Vec<Displaced>) {
        if displaced.is_empty() {
            return;
        }
        self.inner
            .keeper
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(|| LateChecker::start(Arc::clone(self.core())))
            .hold(displaced);
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").field("root", &self.root()).finish_non_exhaustive()
    }
}

impl Notes {
    /// Number of notes.
    pub fn len(&self) -> usize {
        self.listing.heads.len()
    }

    /// Whether there are no notes.
    pub fn is_empty(&self) -> bool {
        self.listing.heads.is_empty()
    }

    /// Iterates over the notes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = NoteEntry<'_>> {
        self.listing.heads.iter().map(|head| NoteEntry {
            path: &head.path,
            record_type: head.record_type(),
            broken: head.broken(),
        })
    }
}

impl PartialEq for Notes {
    fn eq(&self, other: &Notes) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

fn without_extension(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}
