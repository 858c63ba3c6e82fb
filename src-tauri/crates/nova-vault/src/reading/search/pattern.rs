//! Matches queries against texts and their lines.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::Look;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::{Search, SearchHit, SearchMode};
use crate::error::VaultError;
use crate::note::VaultPath;

/// Maximum number of characters shown of a line.
const SHOWN: usize = 300;

/// Maximum size of a compiled pattern, in bytes. Worst-case search time is proportional to the text and to
/// this.
const SIZE_LIMIT: usize = 1 << 20;

/// The same for literal text, which is bounded by its length: suffices for the longest query in all
/// compositions and cases.
const LITERAL_SIZE_LIMIT: usize = 16 << 20;

/// Number of bytes, plus the rest of a line, compared between two checks of the time.
const BLOCK: usize = 64 * 1024;

/// Maximum length of a query, in bytes.
const MAX_QUERY: usize = 4096;

/// Maximum number of words in a query.
const MAX_WORDS: usize = 32;

#[derive(Debug, Clone)]
pub(super) enum Pattern {
    /// A line matches if it contains this literal; a text without it has no matching line.
    Literal(Regex),
    /// A line matches if this does.
    Regex {
        line: Regex,
        /// A text without a match has no matching line.
        tells_of_texts: bool,
    },
    /// A line matches if any word does, provided that all occur in the note.
    Words(Vec<Word>),
}

#[derive(Debug, Clone)]
pub(super) struct Word {
    text: Regex,
    /// Scripts without spaces have no word starts.
    anywhere: bool,
}

impl Pattern {
    pub(super) fn new(search: &Search) -> Result<Pattern, VaultError> {
        let query = search.query.as_str();
        if query.trim().is_empty() {
            return Err(invalid("the query is empty", "Give the text to look for."));
        }
        if query.len() > MAX_QUERY {
            return Err(invalid("the query is longer than 4096 bytes", "Look for a part of it."));
        }
        match search.mode {
            SearchMode::Text if query.contains(['\n', '\r']) => Err(invalid(
                "the query has several lines, and lines are searched one by one",
                "Look for one line of it.",
            )),
            SearchMode::Text => Ok(Pattern::Literal(literal(query)?)),
            SearchMode::Words => {
                let words: Vec<_> = query.split_whitespace().collect();
                if words.len() > MAX_WORDS {
                    return Err(invalid("the query has more than 32 words", "Leave some out."));
                }
                Ok(Pattern::Words(words.into_iter().map(Word::new).collect::<Result<_, _>>()?))
            }
            SearchMode::Regex => {
                let line = compiled(query, false)?;
                Ok(Pattern::Regex { line, tells_of_texts: !minds_the_ends_of_a_text(query) })
            }
        }
    }

    /// Adds the first `wanted` matching lines of a note.
    pub(super) fn search(
        &self,
        path: &VaultPath,
        text: &str,
        wanted: usize,
        patience: &Patience,
        hits: &mut Vec<SearchHit>,
    ) -> Result<(), VaultError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let wanted = hits.len().saturating_add(wanted);
        match self {
            Pattern::Regex { line, .. } => patience.spend(|time| {
                let mut first = 1;
                let mut rest = text;
                while !rest.is_empty() && hits.len() < wanted {
                    time.check()?;
                    let (block, after) = rest.split_at(end_of_block(rest));
                    if block.len() > 2 * BLOCK {
                        time.is_enough_for(line, block)?;
                    }
                    self.search_lines(path, block, first, wanted, &|| time.check(), hits)?;
                    first += line_breaks(block);
                    rest = after;
                }
                Ok(())
            }),
            Pattern::Literal(_) | Pattern::Words(_) => {
                self.search_lines(path, text, 1, wanted, &|| Ok(()), hits)
            }
        }
    }

    /// `first` is the number of the first line; `go_on` is called before every line.
    fn search_lines(
        &self,
        path: &VaultPath,
        text: &str,
        first: u32,
        wanted: usize,
        go_on: &dyn Fn() -> Result<(), VaultError>,
        hits: &mut Vec<SearchHit>,
    ) -> Result<(), VaultError> {
        if !self.may_match(text) {
            return Ok(());
        }
        for (number, line) in (first..).zip(text.split_inclusive('\n')) {
            if hits.len() >= wanted {
                break;
            }
            go_on()?;
            let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
            if let Some(place) = self.find(line) {
                hits.push(SearchHit { path: path.clone(), line: number, text: excerpt(line, place) });
            }
        }
        Ok(())
    }

    /// Whether a line of the text may match.
    fn may_match(&self, text: &str) -> bool {
        match self {
            Pattern::Literal(literal) => literal.is_match(text),
            Pattern::Regex { line, tells_of_texts } => !tells_of_texts || line.is_match(text),
            Pattern::Words(words) => words.iter().all(|word| word.find(text).is_some()),
        }
    }

    /// The first match in a line.
    fn find(&self, line: &str) -> Option<Range<usize>> {
        match self {
            Pattern::Literal(pattern) | Pattern::Regex { line: pattern, .. } => {
                pattern.find(line).map(|found| found.range())
            }
            Pattern::Words(words) => {
                words.iter().filter_map(|word| word.find(line)).min_by_key(|found| found.start)
            }
        }
    }
}

/// Time budget for matching a regular expression, shared by all threads. Excludes I/O: a slow disk does not
/// make an expression expensive.
#[derive(Debug)]
pub(super) struct Patience {
    /// In nanoseconds.
    left: AtomicU64,
}

/// One thread's use of the budget.
struct Spending {
    began: Instant,
    left: Duration,
}

impl Patience {
    pub(super) fn new(limit: Duration) -> Patience {
        Patience { left: u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX).into() }
    }

    fn spend<T>(&self, work: impl FnOnce(&Spending) -> T) -> T {
        let left = Duration::from_nanos(self.left.load(Ordering::Relaxed));
        let spending = Spending { began: Instant::now(), left };
        let done = work(&spending);
        let spent = u64::try_from(spending.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let less = |left: u64| Some(left.saturating_sub(spent));
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).ok();
        done
    }
}

impl Spending {
    fn check(&self) -> Result<(), VaultError> {
        if self.began.elapsed() < self.left { Ok(()) } else { Err(timed_out()) }
    }

    /// Whether the text, which ends in a very long line, can be matched within the remaining time: a match
    /// cannot be interrupted. The cost is measured block by block, because it is proportional to the bytes;
    /// the matches in the blocks are ignored.
    fn is_enough_for(&self, pattern: &Regex, text: &str) -> Result<(), VaultError> {
        let began = Instant::now();
        let mut rest = text;
        while !rest.is_empty() {
            let mut end = rest.len().min(BLOCK);
            while !rest.is_char_boundary(end) {
                end += 1;
            }
            let (piece, after) = rest.split_at(end);
            // Matching the whole text also stops at its first match.
            if pattern.is_match(piece) {
                break;
            }
            self.check()?;
            rest = after;
        }
        // It is matched twice: as a whole, and by line.
        let needed = 2 * began.elapsed();
        if self.began.elapsed() + needed < self.left { Ok(()) } else { Err(timed_out()) }
    }
}

fn timed_out() -> VaultError {
    invalid(
        "the regular expression takes too long to compare with this vault",
        "Make it narrower: repeat less in it, or search for plain text.",
    )
}

/// The end of the lines to match before the next check of the time.
fn end_of_block(text: &str) -> usize {
    let rest = text.as_bytes().get(BLOCK..).unwrap_or_default();
    rest.iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| BLOCK + at + 1)
}

fn line_breaks(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

impl Word {
    fn new(word: &str) -> Result<Word, VaultError> {
        let first = word.chars().next().unwrap_or(' ');
        let anywhere = !first.is_alphanumeric() || is_written_without_spaces(first);
        Ok(Word { text: literal(word)?, anywhere })
    }

    fn find(&self, text: &str) -> Option<Range<usize>> {
        let mut from = 0;
        loop {
            #[cfg(test)]
            crate::tests::work::done();
            let found = self.text.find_at(text, from)?.range();
            if self.anywhere || !text[..found.start].chars().next_back().is_some_and(is_in_words) {
                return Some(found);
            }
            // No word starts before the end of the word with the match.
            from = found.start + text[found.start..].find(|c| !is_in_words(c))?;
        }
    }
}

fn is_in_words(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

/// Thai and Lao, Japanese kana, Chinese characters.
fn is_written_without_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The text as given, in NFC and in NFD.
fn literal(text: &str) -> Result<Regex, VaultError> {
    let mut forms = vec![text.to_owned(), text.nfc().collect(), text.nfd().collect()];
    forms.sort_unstable();
    forms.dedup();
    let forms: Vec<String> = forms.iter().map(|form| regex::escape(form)).collect();
    compiled(&forms.join("|"), true)
}

fn compiled(pattern: &str, any_case: bool) -> Result<Regex, VaultError> {
    RegexBuilder::new(pattern)
        .case_insensitive(any_case)
        // So that a line matches within a text as it does by itself.
        .multi_line(true)
        .crlf(true)
        .size_limit(if any_case { LITERAL_SIZE_LIMIT } else { SIZE_LIMIT })
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                invalid("the regular expression is too large", "Repeat less in it, or look for a part of it.")
            }
            // The last line is the reason; the ones before show the position.
            error => invalid(
                error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: "),
                "Correct the regular expression, or search for plain text.",
            ),
        })
}

/// Whether a line may match by itself but not within a text: `\A`, `\z`, or non-default line breaks.
fn minds_the_ends_of_a_text(pattern: &str) -> bool {
    let parsed = regex_syntax::ParserBuilder::new().multi_line(true).crlf(true).build().parse(pattern);
    parsed.map_or(true, |hir| {
        let looks = hir.properties().look_set();
        [Look::Start, Look::End, Look::StartLF, Look::EndLF].into_iter().any(|look| looks.contains(look))
    })
}

fn excerpt(line: &str, place: Range<usize>) -> String {
    if line.chars().nth(SHOWN).is_none() {
        return line.to_owned();
    }
    // Two characters are reserved for the ellipses.
    let matched = line[place.clone()].chars().take(SHOWN - 2).count();
    let room = SHOWN - 2 - matched;
    let end = place.start + line[place.start..].chars().take(matched).map(char::len_utf8).sum::<usize>();
    let after = line[end..].chars().take(room).count();
    let before = (room / 2).max(room - after);
    let start =
        line[..place.start].char_indices().rev().take(before).last().map_or(place.start, |(at, _)| at);
    let before = line[start..place.start].chars().count();
    let end = line[end..].char_indices().nth(room - before).map_or(line.len(), |(at, _)| end + at);
    let cut = |is_cut| if is_cut { "…" } else { "" };
    format!("{}{}{}", cut(start > 0), &line[start..end], cut(end < line.len()))
}

fn invalid(reason: &str, remedy: &str) -> VaultError {
    VaultError::InvalidQuery { reason: reason.to_owned(), remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::tests::work;

    /// Each attempt scans the rest of the text: an attempt at every character would be quadratic, and never
    /// end for a note of megabytes.
    #[test]
    fn a_frequent_word_is_searched_in_as_few_attempts_as_any_other() {
        let text = format!("b{0} c{0}", "a".repeat(60_000));
        for (word, looks) in [("a".repeat(3000), 2), ("d".repeat(3000), 1)] {
            let word = Word::new(&word).unwrap();
            assert_eq!(work::of(|| word.find(&text)), (None, looks));
        }
    }
}
