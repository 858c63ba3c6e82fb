//! Regular expression search, on ripgrep's libraries.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use ignore::{DirEntry, WalkState};

use crate::Stop;
use crate::error::FileError;
use crate::folder::FilePath;
use crate::walk::PathPattern;

/// A search request.
#[derive(Debug, Clone, Default)]
pub struct Grep {
    /// A regular expression; case matters unless it begins with `(?i)`.
    pub pattern: String,
    /// Filters files by path, relative to the folder searched.
    pub glob: Option<String>,
    /// Context lines before and after each match.
    pub context: usize,
    /// Maximum number of matching lines.
    pub limit: usize,
}

/// A line of the result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct GrepHit {
    pub path: String,
    pub line: u64,
    pub text: String,
    /// A context line, not a match.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub context: bool,
}

/// The result, sorted by path and line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GrepAnswer {
    pub hits: Vec<GrepHit>,
    /// The limit was reached; which hits were found first is arbitrary.
    pub more: bool,
    /// Number of files searched.
    pub files: usize,
}

/// Size limits of a compiled pattern and of a line, in bytes.
const SIZE_LIMIT: usize = 10 << 20;
const LONGEST_LINE: usize = 16 << 20;
/// Characters shown of a line.
const SHOWN: usize = 300;
/// Partial results are reported each time this many hits were added.
const REPORT_EVERY: usize = 50;

struct Search<'a> {
    from: &'a FilePath,
    matcher: RegexMatcher,
    glob: Option<PathPattern>,
    limit: usize,
    stop: Stop<'a>,
    so_far: &'a (dyn Fn(&[GrepHit]) + Sync),
    hits: Mutex<Vec<GrepHit>>,
    matches: AtomicUsize,
    files: AtomicUsize,
    more: AtomicBool,
}

impl FilePath {
    /// Searches this folder or file. `so_far` receives the hits found so far while the search runs.
    ///
    /// # Errors
    /// When a pattern is not valid, or the path does not exist.
    pub fn grep(
        &self,
        grep: &Grep,
        so_far: &(dyn Fn(&[GrepHit]) + Sync),
        stop: Stop<'_>,
    ) -> Result<GrepAnswer, FileError> {
        let matcher = RegexMatcherBuilder::new()
            .line_terminator(Some(b'\n'))
            .size_limit(SIZE_LIMIT)
            .build(&grep.pattern)
            .map_err(|error| FileError::Pattern { reason: error.to_string() })?;
        self.folder
            .dir()
            .metadata(self.relative())
            .map_err(|error| FileError::of(&self.to_string(), error))?;
        let search = Search {
            from: self,
            matcher,
            glob: grep.glob.as_deref().map(PathPattern::new).transpose()?,
            limit: grep.limit,
            stop,
            so_far,
            hits: Mutex::default(),
            matches: AtomicUsize::default(),
            files: AtomicUsize::default(),
            more: AtomicBool::default(),
        };
        self.walk().build_parallel().run(|| {
            let mut searcher = SearcherBuilder::new()
                .binary_detection(BinaryDetection::quit(0))
                .heap_limit(Some(LONGEST_LINE))
                .before_context(grep.context)
                .after_context(grep.context)
                .build();
            let search = &search;
            Box::new(move |entry| match entry {
                Ok(entry) => search.file(&mut searcher, &entry),
                // Deleted meanwhile, or unreadable.
                Err(_) => WalkState::Continue,
            })
        });
        if stop() {
            return Err(FileError::Stopped);
        }
        let mut hits = search.hits.into_inner().unwrap_or_else(PoisonError::into_inner);
        hits.sort();
        Ok(GrepAnswer { hits, more: search.more.into_inner(), files: search.files.into_inner() })
    }
}

impl Search<'_> {
    fn file(&self, searcher: &mut Searcher, entry: &DirEntry) -> WalkState {
        if (self.stop)() || self.more.load(Ordering::Relaxed) {
            return WalkState::Quit;
        }
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let below = entry.path().strip_prefix(self.from.absolute()).unwrap_or(entry.path());
        let wanted = self.glob.as_ref().is_none_or(|glob| glob.is_match(below));
        let Some(met) = self.from.met(entry.path()).filter(|_| is_file && wanted) else {
            return WalkState::Continue;
        };
        // Opening by the handle verifies that the file is inside of the folder.
        let Ok(file) = met.open_met() else { return WalkState::Continue };
        self.files.fetch_add(1, Ordering::Relaxed);
        let mut lines = Lines { search: self, path: met.to_string(), found: Vec::new() };
        // On a read error, the hits so far are kept.
        let _ = searcher.search_file(&self.matcher, &file.into_std(), &mut lines);
        let found = lines.found;
        if !found.is_empty() {
            let mut hits = self.hits.lock().unwrap_or_else(PoisonError::into_inner);
            let told = hits.len() / REPORT_EVERY;
            hits.extend(found);
            if hits.len() / REPORT_EVERY > told || told == 0 && hits.len() < REPORT_EVERY {
                (self.so_far)(&hits);
            }
        }
        WalkState::Continue
    }
}

/// Collects the lines of one file.
struct Lines<'a> {
    search: &'a Search<'a>,
    path: String,
    found: Vec<GrepHit>,
}

impl Lines<'_> {
    fn add(&mut self, number: Option<u64>, bytes: &[u8], context: bool) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches(['\r', '\n']);
        let mut shown: String = text.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        self.found.push(GrepHit {
            path: self.path.clone(),
            line: number.unwrap_or_default(),
            text: shown,
            context,
        });
    }
}

impl Sink for Lines<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        if (self.search.stop)() {
            return Ok(false);
        }
        if self.search.matches.fetch_add(1, Ordering::Relaxed) >= self.search.limit {
            self.search.more.store(true, Ordering::Relaxed);
            return Ok(false);
        }
        self.add(found.line_number(), found.bytes(), false);
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, Self::Error> {
        self.add(found.line_number(), found.bytes(), true);
        Ok(true)
    }
}
