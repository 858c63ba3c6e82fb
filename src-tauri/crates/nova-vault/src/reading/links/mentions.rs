//! Unlinked mentions of notes, and the links they could become.
//!
//! A mention is a note's name or alias, as whole words, in text in which a link may be inserted
//! ([`prose`](crate::note::prose)). Of overlapping mentions the first wins, and of those with the same
//! start the longest. Names of several words match in any case; a single word matches only as spelled, so
//! that the note `Will` does not match the verb. Weak names are skipped: fewer than three letters (two in a
//! script without spaces), numbers, dates, daily notes. So are the names of templates and of conflicted
//! copies, and mentions in them, unless the query names that note.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use serde::Serialize;
use unicode_normalization::UnicodeNormalization as _;

use super::Question;
use super::marked::{Marked, has_no_spaces};
use super::new_link::NewLinks;
use super::rewrite::spliced;
use crate::error::VaultError;
use crate::note::{ContentHash, Outline, Prose, VaultPath, folded, outline, prose};
use crate::obsidian::TemplateFolder;
use crate::reading::index::{Head, Listing, Note, is_record_place};
use crate::view::View;

/// Which mentions to find.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MentionQuery {
    /// A note or a folder to search; `None` for the whole vault.
    pub place: Option<String>,
    /// Every mention, rather than only the first in each note without a link to the mentioned one.
    pub every: bool,
    /// Maximum number of links.
    pub limit: usize,
}

/// Mentions that could become links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MentionAnswer {
    /// The lines with mentions, in the order of the notes; together at most `limit` links.
    pub lines: Vec<MentionLine>,
    /// Number of links without the limit.
    pub total: usize,
    /// Number of notes without the limit.
    pub notes: usize,
    /// Mentioned names that several notes have.
    pub ambiguous: Vec<AmbiguousName>,
    /// The notes of these lines, with their hashes.
    pub read: BTreeMap<VaultPath, ContentHash>,
}

/// A line with mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MentionLine {
    pub path: VaultPath,
    /// 1-based.
    pub line: u32,
    /// The present text, without its line break.
    pub text: String,
    /// The text with the links.
    pub linked: String,
    /// In text order.
    pub links: Vec<MentionLink>,
}

/// A mention and the note it refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MentionLink {
    /// The words as in the text.
    pub words: String,
    /// The mentioned note.
    pub to: VaultPath,
}

/// A name that several notes have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct AmbiguousName {
    /// As spelled by one of them.
    pub name: String,
    pub notes: Vec<VaultPath>,
}

impl View {
    /// The mentions that could become links, in the notes on disk now. Hidden notes are neither searched
    /// nor matched.
    pub fn mentions(&self, query: &MentionQuery) -> Result<MentionAnswer, VaultError> {
        let question = Question::new(self)?;
        let names = MentionedNames::of(&question)?;
        let links = NewLinks::of(&question);
        let mut answer = MentionAnswer::default();
        let mut ambiguous = BTreeSet::new();
        for head in question.heads.iter().filter(|head| names.is_place(query.place.as_deref(), head)) {
            let Some(found) = names.found_in(head, &question, &links, query.every, &mut ambiguous) else {
                continue;
            };
            answer.total += found.edits.len();
            answer.notes += 1;
            let room = query.limit - answer.lines.iter().map(|line| line.links.len()).sum::<usize>();
            if room > 0 {
                answer.take(found, room);
            }
        }
        answer.ambiguous = ambiguous.into_iter().map(|at| names.ambiguous(at)).collect();
        answer.ambiguous.sort();
        Ok(answer)
    }
}

impl MentionAnswer {
    /// Adds the lines of a note.
    fn take(&mut self, mut found: Found, room: usize) {
        found.edits.truncate(room);
        let text = &found.note.text;
        let (mut number, mut counted) = (1_u32, 0);
        let mut edits = found.edits.into_iter().peekable();
        while let Some(first) = edits.next() {
            let start = text[..first.span.start].rfind('\n').map_or(0, |at| at + 1);
            let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
            let end = if end < text.len() && text[..end].ends_with('\r') { end - 1 } else { end };
            let breaks = text[counted..start].bytes().filter(|byte| *byte == b'\n').count();
            (number, counted) = (number.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX)), start);
            let mut of_line = vec![first];
            while let Some(next) = edits.next_if(|edit| edit.span.start < end) {
                of_line.push(next);
            }
            let within = |edit: &Edit| (edit.span.start - start..edit.span.end - start, edit.link.clone());
            let Some(linked) = spliced(&text[start..end], of_line.iter().map(within).collect()) else {
                continue;
            };
            self.lines.push(MentionLine {
                path: found.note.path.clone(),
                line: number,
                text: text[start..end].to_owned(),
                linked,
                links: of_line
                    .into_iter()
                    .map(|edit| MentionLink { words: edit.words, to: edit.to })
                    .collect(),
            });
        }
        self.read.insert(found.note.path, found.note.hash);
    }
}

/// The names to search for.
struct MentionedNames<'a> {
    names: Vec<Name<'a>>,
    finder: AhoCorasick,
    listing: &'a Listing,
    templates: TemplateFolder,
}

/// Names that are equal when folded.
#[derive(Default)]
struct Name<'a> {
    /// Spellings, NFC-normalised.
    spelled: BTreeSet<String>,
    notes: BTreeSet<&'a VaultPath>,
}

/// The possible links in a note.
struct Found {
    note: Note,
    edits: Vec<Edit>,
}

/// A link that replaces a mention.
struct Edit {
    span: Range<usize>,
    words: String,
    to: VaultPath,
    link: String,
}

impl<'a> MentionedNames<'a> {
    fn of(question: &'a Question<'_>) -> Result<MentionedNames<'a>, VaultError> {
        let (view, listing) = (question.view, &*question.listing);
        let (templates, daily) = (view.template_folder(), view.obsidian().daily);
        let mut by_marked: BTreeMap<Vec<u8>, Name<'a>> = BTreeMap::new();
        for head in question.heads.iter().filter(|head| is_record_place(listing, &templates, &head.path)) {
            let own =
                Some(head.path.name()).filter(|_| head.path.is_note() && daily.date(&head.path).is_none());
            let aliases = head.aliases();
            for name in own.into_iter().chain(aliases.iter().map(|alias| alias.trim())) {
                if says_enough(name) {
                    let entry = by_marked.entry(Marked::of(name).bytes).or_default();
                    entry.spelled.insert(name.nfc().collect());
                    entry.notes.insert(&head.path);
                }
            }
        }
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(by_marked.keys());
        let finder = finder.map_err(|error| VaultError::InvalidQuery {
            reason: format!("the names of all notes together are too long to search for ({error})"),
            remedy: "Shorten the longest names and aliases of your notes".to_owned(),
        })?;
        Ok(MentionedNames { names: by_marked.into_values().collect(), finder, listing, templates })
    }

    /// Whether to search this note.
    fn is_place(&self, place: Option<&str>, head: &Head) -> bool {
        let is_form = || !is_record_place(self.listing, &self.templates, &head.path);
        let Some(place) = place else { return head.path.is_note() && !is_form() };
        let (path, place) = (folded(head.path.as_str()), folded(place.trim_matches('/')));
        let is_below =
            place.is_empty() || path.strip_prefix(&place).is_some_and(|rest| rest.starts_with('/'));
        head.path.is_note() && (path == place || is_below && !is_form())
    }

    fn found_in(
        &self,
        head: &Head,
        question: &Question<'_>,
        links: &NewLinks<'_>,
        every: bool,
        ambiguous: &mut BTreeSet<usize>,
    ) -> Option<Found> {
        let vault = question.view.vault();
        let note = vault.index().note(&vault.core().disk, head)?;
        let marked = Marked::of(&note.text);
        let mut hits = self.finder.find_iter(&marked.bytes).peekable();
        hits.peek()?;
        // The note was read again after its text was evicted: it may have changed, and may be private now.
        if Some(note.hash) != head.hash() {
            return None;
        }
        let outlined = question.outlined(head)?;
        let resolved = |target: &str| question.resolve(target, Some(&head.path)).map(|(path, _)| path);
        let mut linked: HashSet<&VaultPath> =
            outlined.outline.links.iter().filter_map(|link| resolved(&link.target)).collect();
        let prose = prose(&note.text);
        let mut edits = Vec::new();
        for hit in hits {
            let Some(span) = marked.span(hit.start(), hit.end()) else { continue };
            let (name, words) = (&self.names[hit.pattern().as_usize()], &note.text[span.clone()]);
            let Some(place) = place_of(&prose, &span).filter(|_| name.is_spelled(words)) else { continue };
            if is_address(&note.text, &span)
                || is_bracketed(&note.text, &span)
                || name.notes.contains(&head.path)
            {
                continue;
            }
            let mut notes = name.notes.iter();
            let (Some(to), None) = (notes.next(), notes.next()) else {
                ambiguous.insert(hit.pattern().as_usize());
                continue;
            };
            if !every && linked.contains(*to) {
                continue;
            }
            let Some(link) = links.text(&head.path, to, words, place.in_table) else { continue };
            linked.insert(*to);
            edits.push(Edit { span, words: words.to_owned(), to: (*to).clone(), link });
        }
        let edits = sound(&note.text, &outlined.outline, edits);
        (!edits.is_empty()).then_some(Found { note, edits })
    }

    fn ambiguous(&self, at: usize) -> AmbiguousName {
        let name = &self.names[at];
        AmbiguousName {
            name: name.spelled.first().cloned().unwrap_or_default(),
            notes: name.notes.iter().map(|path| (*path).clone()).collect(),
        }
    }
}

impl Name<'_> {
    /// Whether these words match the name as spelled, so that everyday words do not.
    fn is_spelled(&self, words: &str) -> bool {
        let is_phrase = |name: &String| name.contains(char::is_whitespace);
        self.spelled.iter().any(is_phrase) || self.spelled.contains(&words.nfc().collect::<String>())
    }
}

/// Whether a name is distinctive enough to search for.
fn says_enough(name: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphabetic());
    let weight: usize = letters.map(|c| if has_no_spaces(c) { 2 } else { 1 }).sum();
    weight >= 3 && !name.contains(char::is_control)
}

/// The prose range that contains the whole mention.
fn place_of<'a>(prose: &'a [Prose], span: &Range<usize>) -> Option<&'a Prose> {
    let at = prose.partition_point(|prose| prose.span.end < span.end);
    prose.get(at).filter(|prose| prose.span.start <= span.start)
}

/// Whether it is part of a URL or e-mail address, which a link would break.
fn is_address(text: &str, span: &Range<usize>) -> bool {
    const MOST: usize = 2_000;
    let before = text[..span.start].char_indices().rev().take(MOST).take_while(|(_, c)| !c.is_whitespace());
    let start = before.last().map_or(span.start, |(at, _)| at);
    let behind = text[span.end..].char_indices().take(MOST).take_while(|(_, c)| !c.is_whitespace());
    let end = behind.last().map_or(span.end, |(at, c)| span.end + at + c.len_utf8());
    let is_one = |word: &str| {
        word.contains("://") || word.contains('@') || word.starts_with("www.") || word.starts_with("mailto:")
    };
    text[start..end].split_whitespace().any(is_one)
}

/// Whether it touches a bracket, or its line has an unclosed `[[` before it: with the brackets of a new
/// link it could be parsed as another link.
fn is_bracketed(text: &str, span: &Range<usize>) -> bool {
    let before = &text[..span.start];
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_open = line.rfind("[[").is_some_and(|at| !line[at..].contains("]]"));
    is_open || before.ends_with(['[', ']']) || text[span.end..].starts_with(['[', ']'])
}

/// The edits that only add these links to the outline. If all of them together do not, those that do
/// individually are tried.
fn sound(text: &str, before: &Outline, mut edits: Vec<Edit>) -> Vec<Edit> {
    if edits.is_empty() || is_sound(text, before, &edits) {
        return edits;
    }
    edits.retain(|edit| is_sound(text, before, std::slice::from_ref(edit)));
    if !is_sound(text, before, &edits) {
        edits.clear();
    }
    edits
}

fn is_sound(text: &str, before: &Outline, edits: &[Edit]) -> bool {
    let splices = edits.iter().map(|edit| (edit.span.clone(), edit.link.clone())).collect();
    let Some(after) = spliced(text, splices) else { return false };
    let after = outline(&after);
    let mut added = 0;
    let expected: HashSet<(usize, usize)> = edits
        .iter()
        .map(|edit| {
            let start = edit.span.start + added;
            added += edit.link.len() - edit.span.len();
            (start, start + edit.link.len())
        })
        .collect();
    let (new, old): (Vec<_>, Vec<_>) =
        after.links.iter().partition(|link| expected.contains(&(link.span.start, link.span.end)));
    let is_same = before.links.iter().zip(&old).all(|(was, is)| {
        was.kind == is.kind
            && was.target == is.target
            && was.subpath == is.subpath
            && was.display == is.display
    });
    new.len() == edits.len()
        && old.len() == before.links.len()
        && is_same
        && before.tags.iter().map(|tag| &tag.tag).eq(after.tags.iter().map(|tag| &tag.tag))
        && before
            .headings
            .iter()
            .map(|heading| &heading.text)
            .eq(after.headings.iter().map(|heading| &heading.text))
        && before.blocks.iter().map(|block| &block.id).eq(after.blocks.iter().map(|block| &block.id))
}
