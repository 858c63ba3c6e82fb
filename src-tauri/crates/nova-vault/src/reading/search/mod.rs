//! Searching in what notes say, front matter and body. The texts are those on the disk now.
//!
//! A vault that was asked before has its texts in memory. Otherwise they are read, searched and
//! forgotten: nothing is parsed but the front matter of a note with a hit, and only where the
//! reader may not see everything.

mod pattern;
mod unread;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use crate::disk::{in_parallel, threads};
use crate::error::VaultError;
use crate::note::{ContentHash, VaultPath};
use crate::problem::Problem;
use crate::reading::index::{Head, Listing, Texts};
use crate::view::View;

use pattern::{Patience, Pattern};

/// So long a regular expression may be compared with the notes, over all threads.
const REGEX_LIMIT: Duration = Duration::from_secs(10);

/// Fewer notes are searched in less time than it takes to start a thread.
const FEW: usize = 2048;

/// How the query of a [`Search`] is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchMode {
    /// As it stands, its spaces included; neither case nor the composition of characters matters:
    /// the query is looked for as given, in NFC and in NFD.
    Text,
    /// Its words must all be in the note, each as a word or the beginning of one; case and
    /// composition do not matter. The hits are the lines with any of them.
    Words,
    /// In the syntax of the crate `regex`, line by line. Case matters, unless it begins `(?i)`.
    Regex,
}

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Within one line; not empty.
    pub query: String,
    /// How the query is meant.
    pub mode: SearchMode,
    /// How many hits at most.
    pub limit: usize,
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchHit {
    /// The note.
    pub path: VaultPath,
    /// The line in the file, 1-based.
    pub line: u32,
    /// The line without its line break; of a long one at most 300 characters around the match,
    /// with `…` where it is cut.
    pub text: String,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchAnswer {
    /// In order of path, then line.
    pub hits: Vec<SearchHit>,
    /// Whether there are further ones, beyond the limit.
    pub more: bool,
    /// What could not be searched and lies before the last hit or, without `more`, anywhere.
    /// A remote reader is not told: of what cannot be read nobody knows whether it is private.
    pub skipped: Vec<Problem>,
    /// The notes of the hits, with what they held.
    pub read: BTreeMap<VaultPath, ContentHash>,
}

/// The hits so far, with what their notes held.
#[derive(Debug, Default)]
struct Hits {
    hits: Vec<SearchHit>,
    read: BTreeMap<VaultPath, ContentHash>,
}

impl View {
    /// Looks into every note. A hidden note is in no hit. A regular expression that takes longer
    /// than ten seconds is refused ([`VaultError::InvalidQuery`]).
    pub fn search(&self, search: &Search) -> Result<SearchAnswer, VaultError> {
        self.search_within(search, REGEX_LIMIT)
    }

    pub(crate) fn search_within(&self, search: &Search, limit: Duration) -> Result<SearchAnswer, VaultError> {
        let patience = Patience::new(limit);
        let pattern = Pattern::new(search)?;
        // One more shows whether there are more.
        let wanted = search.limit.saturating_add(1);
        let (Hits { mut hits, mut read }, mut skipped) = if self.vault().index().is_first_question() {
            unread::search(self, &pattern, wanted, &patience)?
        } else {
            self.search_remembered(&pattern, wanted, &patience, search.mode != SearchMode::Regex)?
        };
        skipped.retain(|problem| !self.vault().is_followed(&problem.path));
        hits.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        let more = hits.len() > search.limit;
        hits.truncate(search.limit);
        // Sorted by their paths, as the notes are.
        read.retain(|path, _| hits.binary_search_by(|hit| hit.path.cmp(path)).is_ok());
        if self.privacy().remote {
            skipped.clear();
        }
        if more {
            let last = hits.last().map_or("", |hit| hit.path.as_str());
            skipped.retain(|problem| problem.path.as_str() <= last);
        }
        skipped.sort();
        Ok(SearchAnswer { hits, more, skipped, read })
    }

    /// `early`: in a small vault, where comparing the notes with the disk is most of the time, what they said
    /// before is searched meanwhile. It counts if they say the same still.
    fn search_remembered(
        &self,
        pattern: &Pattern,
        wanted: usize,
        patience: &Patience,
        early: bool,
    ) -> Result<(Hits, Vec<Problem>), VaultError> {
        let index = self.vault().index();
        let disk = &self.vault().core().disk;
        let before = index.last_listing().filter(|before| early && before.heads.len() < FEW);
        let Some(before) = before.filter(|before| !before.lacks(Texts::All)) else {
            let listing = index.listing(disk, Texts::All)?;
            return self.search_listing(&listing, pattern, wanted, patience);
        };
        let (listing, found) = std::thread::scope(|scope| {
            let searching = scope.spawn(|| self.search_listing(&before, pattern, wanted, patience));
            let listing = index.listing(disk, Texts::All);
            (listing, searching.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let listing = listing?;
        if Arc::ptr_eq(&listing, &before) {
            return found;
        }
        self.search_listing(&listing, pattern, wanted, patience)
    }

    fn search_listing(
        &self,
        listing: &Listing,
        pattern: &Pattern,
        wanted: usize,
        patience: &Patience,
    ) -> Result<(Hits, Vec<Problem>), VaultError> {
        /// How many notes are searched by one thread at a time.
        const BLOCK: usize = 64;
        let skipped = Mutex::new(listing.unsearchable());
        // Blocks are handed out in order, and those handed out are searched to their end. So
        // once enough is found, nothing that was not handed out comes before it.
        let found = AtomicUsize::new(0);
        let next = AtomicUsize::new(0);
        let threads = if listing.heads.len() < FEW { 1 } else { threads(None) };
        let search_blocks = |found_here: &mut Hits| {
            // Threads that share a compiled pattern wait for each other's working memory.
            let pattern = &pattern.clone();
            while found.load(Ordering::Relaxed) < wanted {
                let first = next.fetch_add(BLOCK, Ordering::Relaxed);
                let Some(rest) = listing.heads.get(first..).filter(|rest| !rest.is_empty()) else {
                    break;
                };
                let before = found_here.hits.len();
                for head in &rest[..rest.len().min(BLOCK)] {
                    let room = wanted - (found_here.hits.len() - before).min(wanted);
                    if room == 0 {
                        break;
                    }
                    match self.search_one(head, pattern, room, patience, found_here)? {
                        None => {}
                        Some(problem) => {
                            skipped.lock().unwrap_or_else(PoisonError::into_inner).push(problem);
                        }
                    }
                }
                found.fetch_add(found_here.hits.len() - before, Ordering::Relaxed);
            }
            Ok(())
        };
        let found = in_parallel(
            threads,
            vec![(); threads],
            || Ok(Hits::default()),
            |state: &mut Result<Hits, VaultError>, (), _| {
                if let Ok(hits) = state
                    && let Err(error) = search_blocks(hits)
                {
                    *state = Err(error);
                }
            },
        );
        let mut all = Hits::default();
        for found_here in found {
            let Hits { hits, mut read } = found_here?;
            all.hits.extend(hits);
            all.read.append(&mut read);
        }
        Ok((all, skipped.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Adds the hits in one note, or gives the reason why it could not be searched.
    fn search_one(
        &self,
        head: &Head,
        pattern: &Pattern,
        wanted: usize,
        patience: &Patience,
        found: &mut Hits,
    ) -> Result<Option<Problem>, VaultError> {
        if !head.is_readable() || head.is_hidden_by(self.privacy()) {
            return Ok(None);
        }
        // Nothing is hashed of a note without a hit.
        let (text, mut hash) = match head.text() {
            Some(text) => (Arc::clone(text), None),
            None => match self.vault().read(&head.path) {
                // It may say since the listing that it is private.
                Ok(note) if self.hides(&note) => return Ok(None),
                Ok(note) => (note.text, Some(note.hash)),
                Err(VaultError::NotFound { .. }) => return Ok(None),
                Err(error) => return Ok(Some(Problem::of_unreadable(&head.path, &error))),
            },
        };
        let before = found.hits.len();
        pattern.search(&head.path, &text, wanted, patience, &mut found.hits)?;
        if found.hits.len() > before
            && let Some(hash) = hash.take().or_else(|| head.hash())
        {
            found.read.insert(head.path.clone(), hash);
        }
        Ok(None)
    }
}
