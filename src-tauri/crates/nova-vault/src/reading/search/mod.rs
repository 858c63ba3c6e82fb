//! Full-text search in front matter and body, on the texts on disk now.
//!
//! After a first query the texts are cached. Otherwise they are read, searched and discarded: only the
//! front matter of notes with a hit is parsed, and only if notes may be hidden from the reader.

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

/// Time limit for matching a regular expression, summed over all threads.
const REGEX_LIMIT: Duration = Duration::from_secs(10);

/// Below this number of notes, starting a thread costs more than it saves.
const FEW: usize = 2048;

/// How the query of a [`Search`] is interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchMode {
    /// Literally, including spaces, ignoring case and Unicode composition: the query is matched as given,
    /// in NFC and in NFD.
    Text,
    /// All its words must be in the note, each as a prefix of a word, ignoring case and composition. The
    /// hits are the lines with any of them.
    Words,
    /// A regular expression of the crate `regex`, matched by line. Case-sensitive unless it begins with
    /// `(?i)`.
    Regex,
}

/// A full-text query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Matched within one line; must not be empty.
    pub query: String,
    /// How the query is interpreted.
    pub mode: SearchMode,
    /// Maximum number of hits.
    pub limit: usize,
}

/// A matching line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchHit {
    pub path: VaultPath,
    /// The line in the file, 1-based.
    pub line: u32,
    /// The line without its line break; a long one is truncated to 300 characters around the match, marked
    /// with `…`.
    pub text: String,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchAnswer {
    /// Sorted by path, then line.
    pub hits: Vec<SearchHit>,
    /// Whether there are further hits beyond the limit.
    pub more: bool,
    /// What could not be searched, up to the last hit or, without `more`, anywhere. Empty for a remote
    /// reader: an unreadable note may be private.
    pub skipped: Vec<Problem>,
    /// The notes of the hits, with their hashes.
    pub read: BTreeMap<VaultPath, ContentHash>,
}

/// The hits so far, with the hashes of their notes.
#[derive(Debug, Default)]
struct Hits {
    hits: Vec<SearchHit>,
    read: BTreeMap<VaultPath, ContentHash>,
}

impl View {
    /// Searches every note; hidden notes never match. A regular expression that takes longer than ten
    /// seconds is refused ([`VaultError::InvalidQuery`]).
    pub fn search(&self, search: &Search) -> Result<SearchAnswer, VaultError> {
        self.search_within(search, REGEX_LIMIT)
    }

    pub(crate) fn search_within(&self, search: &Search, limit: Duration) -> Result<SearchAnswer, VaultError> {
        let patience = Patience::new(limit);
        let pattern = Pattern::new(search)?;
        // One more, to tell whether there are further hits.
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
        // Sorted by path, like the notes.
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

    /// `early`: in a small vault, comparing with the disk takes most of the time, so the cached texts are
    /// searched concurrently. The result is used if nothing has changed.
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
        /// Number of notes that one thread searches at a time.
        const BLOCK: usize = 64;
        let skipped = Mutex::new(listing.unsearchable());
        // Blocks are handed out in order and searched completely. Once enough hits are found, no block that
        // was not handed out can contain an earlier one.
        let found = AtomicUsize::new(0);
        let next = AtomicUsize::new(0);
        let threads = if listing.heads.len() < FEW { 1 } else { threads(None) };
        let search_blocks = |found_here: &mut Hits| {
            // Threads sharing a compiled pattern contend for its scratch memory.
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

    /// Adds the hits in one note, or returns why it could not be searched.
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
        // Notes without a hit are not hashed.
        let (text, mut hash) = match head.text() {
            Some(text) => (Arc::clone(text), None),
            None => match self.vault().read(&head.path) {
                // It may have become private since the listing.
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
