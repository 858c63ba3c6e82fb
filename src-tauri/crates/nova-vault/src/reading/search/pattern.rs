//! What a query matches, and the lines of a text that it matches.

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

/// The most characters of a line that are shown.
const SHOWN: usize = 300;

/// Compiled patterns may take this many bytes. Searching takes, at the worst, time in proportion
/// to the text and to this.
const SIZE_LIMIT: usize = 1 << 20;

/// The same for text that is looked for as it stands, which its length bounds: this holds the
/// longest query in all compositions and cases.
const LITERAL_SIZE_LIMIT: usize = 16 << 20;

/// How many bytes, and the rest of a line, are compared before time is checked again.
const BLOCK: usize = 64 * 1024;

/// The longest query, in bytes.
const MAX_QUERY: usize = 4096;

/// The most words of a query.
const MAX_WORDS: usize = 32;

#[derive(Debug, Clone)]
pub(super) enum Pattern {
    /// A line matches when this literal is in it, and a text without it has no such line.
    Literal(Regex),
    /// A line matches when this does.
    Regex {
        line: Regex,
        /// A text without a match has no line that matches either.
        tells_of_texts: bool,
    },
    /// A line matches when one does, if all do somewhere in the note.
    Words(Vec<Word>),
}

#[derive(Debug, Clone)]
pub(super) struct Word {
    text: Regex,
    /// Writing without spaces has no beginnings of words.
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

    /// Adds the first `wanted` lines of a note that match.
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

    /// `first` is the number of the first line; `go_on` is asked before every line.
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

/// How long a search may spend on comparing texts with a regular expression, over all threads.
/// To read them is not counted: a slow disk says nothing about the expression.
#[derive(Debug)]
pub(super) struct Patience {
    /// In nanoseconds.
    left: AtomicU64,
}

/// One thread's share while it is spent.
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

    /// Whether the text, which ends in a very long line, can be compared in the time that is left: a
    /// comparison that was begun cannot be ended. How long it takes is found out piece by piece,
    /// because a comparison takes its time by the bytes that it goes over; what the pieces say of
    /// matches does not count.
    fn is_enough_for(&self, pattern: &Regex, text: &str) -> Result<(), VaultError> {
        let began = Instant::now();
        let mut rest = text;
        while !rest.is_empty() {
            let mut end = rest.len().min(BLOCK);
            while !rest.is_char_boundary(end) {
                end += 1;
            }
            let (piece, after) = rest.split_at(end);
            // The whole text is not compared any further than to its first match either.
            if pattern.is_match(piece) {
                break;
            }
            self.check()?;
            rest = after;
        }
        // It is compared twice: as a whole, and line by line.
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

/// Where the lines end that are compared at once, before time is checked again.
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
            // Nothing begins before the end of the word that the match lies in.
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

/// The text as it is given, composed (NFC) and decomposed (NFD).
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
        // So that a line matches in the midst of a text as it does alone.
        .multi_line(true)
        .crlf(true)
        .size_limit(if any_case { LITERAL_SIZE_LIMIT } else { SIZE_LIMIT })
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                invalid("the regular expression is too large", "Repeat less in it, or look for a part of it.")
            }
            // The last line says what is wrong, those before show where.
            error => invalid(
                error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: "),
                "Correct the regular expression, or search for plain text.",
            ),
        })
}

/// Whether a line may match alone and not in the midst of a text: `\A`, `\z`, or line breaks
/// taken in another way than by default.
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
    // Two characters are kept for the signs that it is cut.
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

    /// Each look goes over the rest of the text: one from every character would never end for a note of
    /// megabytes.
    #[test]
    fn a_word_that_is_nearly_everywhere_is_looked_for_no_more_often_than_another() {
        let text = format!("b{0} c{0}", "a".repeat(60_000));
        for (word, looks) in [("a".repeat(3000), 2), ("d".repeat(3000), 1)] {
            let word = Word::new(&word).unwrap();
            assert_eq!(work::of(|| word.find(&text)), (None, looks));
        }
    }
}
