//! Searches a vault without cached texts: every note is read, searched and discarded.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::pattern::{Patience, Pattern};
use super::{Hits, SearchHit};
use crate::disk::{At, Folder, Kind, Known, Met, Names, in_parallel, nanos_now, threads};
use crate::error::VaultError;
use crate::note::{ContentHash, Document, VaultPath};
use crate::problem::Problem;
use crate::view::View;

/// Number of entries of a folder that one thread searches at a time.
const PART: usize = 256;

/// The first `wanted` hits sorted by path, or all, and what could not be read.
pub(super) fn search(
    view: &View,
    pattern: &Pattern,
    wanted: usize,
    patience: &Patience,
) -> Result<(Hits, Vec<Problem>), VaultError> {
    let failed = |error| VaultError::io("list the vault")(error);
    let search = Searching { view, pattern, patience, best: Best::new(wanted) };
    let mut first = Vec::new();
    view.vault().check_present()?;
    let root = view.vault().core().disk.open_root().map_err(failed)?;
    list(Arc::new(root), "".into(), 0, &mut first).map_err(failed)?;
    let states = in_parallel(threads(None), first, State::default, |state, work, more| {
        if state.failed.is_some() {
            return;
        }
        match work {
            Work::Folder { parent, prefix, depth } => search.folder(state, &parent, prefix, depth, more),
            Work::Part(part) => search.part(state, &part, more),
        }
    });
    let mut skipped = Vec::new();
    for state in states {
        if let Some(error) = state.failed {
            return Err(error);
        }
        skipped.extend(state.skipped);
    }
    Ok((search.best.into_hits(), skipped))
}

enum Work {
    Folder {
        parent: Arc<Folder>,
        /// The folder's path with a trailing `/`.
        prefix: Arc<str>,
        depth: usize,
    },
    Part(Part),
}

/// Some entries of an opened folder.
struct Part {
    folder: Arc<Folder>,
    prefix: Arc<str>,
    depth: usize,
    names: Arc<Names>,
    first: usize,
}

/// One thread's state.
#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    room: String,
    skipped: Vec<Problem>,
    /// Why the search was aborted.
    failed: Option<VaultError>,
}

struct Searching<'a> {
    view: &'a View,
    pattern: &'a Pattern,
    patience: &'a Patience,
    best: Best,
}

impl Searching<'_> {
    fn folder(
        &self,
        state: &mut State,
        parent: &Folder,
        prefix: Arc<str>,
        depth: usize,
        more: &mut Vec<Work>,
    ) {
        // Everything in the folder sorts after its name.
        if self.best.is_beyond(&prefix) {
            return;
        }
        let path = prefix.trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap_or_default();
        let opened =
            parent.open(name).and_then(|folder| list(Arc::new(folder), Arc::clone(&prefix), depth, more));
        match opened {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => state.skipped.push(Problem::of_refused(&prefix, &error, parent.gone_root(name))),
        }
    }

    fn part(&self, state: &mut State, part: &Part, more: &mut Vec<Work>) {
        let here = At::new(&part.prefix, part.depth);
        for at in part.first..part.names.len().min(part.first + PART) {
            if state.failed.is_some() {
                return;
            }
            let (name, kind) = part.names.get(at);
            // Skip attachments early.
            if kind == Kind::File && !name.as_bytes().to_ascii_lowercase().ends_with(b".md") {
                continue;
            }
            match part.folder.meet(here, name, kind, &mut state.room) {
                Met::Note(path) => self.note(state, part, name, &path),
                Met::Folder => more.push(Work::Folder {
                    parent: Arc::clone(&part.folder),
                    prefix: format!("{}{name}/", part.prefix).into(),
                    depth: part.depth + 1,
                }),
                Met::Unusable { path, reason, remedy } => {
                    state.skipped.push(Problem::of_unusable(path, &reason, remedy));
                }
                Met::File(_) | Met::Ignored => {}
            }
        }
    }

    fn note(&self, state: &mut State, part: &Part, name: &str, path: &VaultPath) {
        let privacy = self.view.privacy();
        if self.best.is_beyond(path.as_str()) || privacy.lists(path) {
            return;
        }
        match part.folder.read(name, path, Known::Nothing { now: nanos_now() }, &mut state.bytes) {
            Ok(None) => {}
            Ok(Some((text, _))) => {
                let mut hits = Vec::new();
                let wanted = self.best.wanted;
                if let Err(error) = self.pattern.search(path, text, wanted, self.patience, &mut hits) {
                    state.failed = Some(error);
                    return;
                }
                let hidden = || privacy.remote && privacy.hides(path, &Document::parse(text));
                if !hits.is_empty() && !hidden() {
                    self.best.add(path, hits, || ContentHash::of(text.as_bytes()));
                }
            }
            Err(error) => state.skipped.push(Problem::of_unreadable(path, &error)),
        }
    }
}

/// Lists an opened folder and splits its entries.
fn list(folder: Arc<Folder>, prefix: Arc<str>, depth: usize, more: &mut Vec<Work>) -> io::Result<()> {
    let mut names = Names::default();
    folder.list(&mut names)?;
    let names = Arc::new(names);
    more.extend((0..names.len()).step_by(PART).map(|first| {
        Work::Part(Part {
            folder: Arc::clone(&folder),
            prefix: Arc::clone(&prefix),
            depth,
            names: Arc::clone(&names),
            first,
        })
    }));
    Ok(())
}

/// The hits with the lowest paths found so far.
struct Best {
    wanted: usize,
    found: Mutex<Found>,
    /// Whether there are enough hits, so that later paths can be skipped.
    full: AtomicBool,
}

#[derive(Default)]
struct Found {
    notes: BTreeMap<VaultPath, (ContentHash, Vec<SearchHit>)>,
    hits: usize,
}

impl Best {
    fn new(wanted: usize) -> Best {
        Best { wanted, found: Mutex::default(), full: AtomicBool::new(false) }
    }

    fn lock(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether enough hits precede `path`.
    fn is_beyond(&self, path: &str) -> bool {
        self.full.load(Ordering::Relaxed)
            && self.lock().notes.last_key_value().is_some_and(|(last, _)| path > last.as_str())
    }

    fn add(&self, path: &VaultPath, hits: Vec<SearchHit>, hash: impl FnOnce() -> ContentHash) {
        // Hash before locking, so that other threads do not wait.
        let hash = hash();
        let mut found = self.lock();
        let found = &mut *found;
        found.hits += hits.len();
        found.notes.insert(path.clone(), (hash, hits));
        while let Some(last) = found.notes.last_entry() {
            let without = found.hits - last.get().1.len();
            if without < self.wanted {
                break;
            }
            found.hits = without;
            last.remove();
        }
        if found.hits >= self.wanted {
            self.full.store(true, Ordering::Relaxed);
        }
    }

    fn into_hits(self) -> Hits {
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut all = Hits::default();
        for (path, (hash, hits)) in found.notes {
            all.hits.extend(hits);
            all.read.insert(path, hash);
        }
        all
    }
}
