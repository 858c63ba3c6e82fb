//! Groups changed lines into hunks with context.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices, capture_diff_slices_deadline};

use super::{DiffLine, Hunk, Line, LineKind, Word};

/// Removed lines and the lines that replace them, as ranges of the two sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// The changed groups in order, separated by at least one equal line.
pub(super) fn groups(old: &[Line<'_>], new: &[Line<'_>]) -> Vec<Group> {
    let texts = |lines: &[Line<'_>]| lines.iter().map(|line| line.text.to_owned()).collect::<Vec<_>>();
    // Two long texts with nothing in common would take minutes to diff; after the deadline the result is
    // coarser but still correct.
    let deadline = Instant::now() + Duration::from_secs(2);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &texts(old), &texts(new), Some(deadline));
    let mut groups: Vec<Group> = Vec::new();
    for op in ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        match groups.last_mut() {
            Some(last) if last.old.end == op.old_range().start && last.new.end == op.new_range().start => {
                last.old.end = op.old_range().end;
                last.new.end = op.new_range().end;
            }
            _ => groups.push(Group { old: op.old_range(), new: op.new_range() }),
        }
    }
    groups
}

/// The hunks with one line of context, and the number of unchanged lines after the last one.
pub(super) fn hunks(old: &[Line<'_>], new: &[Line<'_>], groups: &[Group]) -> (Vec<Hunk>, u32) {
    let mut hunks: Vec<Hunk> = Vec::new();
    // How many equal lines of `old` have been emitted.
    let mut shown = 0;
    for (index, group) in groups.iter().enumerate() {
        let gap = group.old.start - shown;
        let context = |at: usize| context(&old[at], &new[group.new.start - (group.old.start - at)]);
        match hunks.last_mut() {
            // Showing the gap takes no more room than a "lines omitted" marker.
            Some(hunk) if gap <= CONTEXT => hunk.lines.extend((shown..group.old.start).map(context)),
            _ => {
                let kept = gap.min(CONTEXT);
                let start = group.old.start - kept;
                hunks.push(Hunk {
                    lines: (start..group.old.start).map(context).collect(),
                    skipped: small(start - shown),
                });
            }
        }
        let Some(hunk) = hunks.last_mut() else {
            continue;
        };
        hunk.lines.extend(changed(&old[group.old.clone()], &new[group.new.clone()]));
        let next = groups.get(index + 1).map_or(old.len(), |next| next.old.start);
        let behind = (next - group.old.end).min(CONTEXT);
        for step in 0..behind {
            hunk.lines.push(self::context(&old[group.old.end + step], &new[group.new.end + step]));
        }
        shown = group.old.end + behind;
    }
    (hunks, small(old.len() - shown))
}

fn context(old: &Line<'_>, new: &Line<'_>) -> DiffLine {
    DiffLine {
        kind: LineKind::Context,
        old: Some(old.number),
        new: Some(new.number),
        words: whole(new.text, false),
    }
}

/// A group's lines, removed before added, paired in order for the word diff.
fn changed(old: &[Line<'_>], new: &[Line<'_>]) -> Vec<DiffLine> {
    let mut marks: Vec<(Vec<Word>, Vec<Word>)> =
        old.iter().zip(new).map(|(old, new)| words(old.text, new.text)).collect();
    let mut lines = Vec::with_capacity(old.len() + new.len());
    for (index, line) in old.iter().enumerate() {
        lines.push(DiffLine {
            kind: LineKind::Removed,
            old: Some(line.number),
            new: None,
            words: marks
                .get_mut(index)
                .map_or_else(|| whole(line.text, false), |pair| std::mem::take(&mut pair.0)),
        });
    }
    for (index, line) in new.iter().enumerate() {
        lines.push(DiffLine {
            kind: LineKind::Added,
            old: None,
            new: Some(line.number),
            words: marks
                .get_mut(index)
                .map_or_else(|| whole(line.text, false), |pair| std::mem::take(&mut pair.1)),
        });
    }
    lines
}

/// Splits two lines where their words differ. Lines with little in common are marked as a whole.
fn words(old: &str, new: &str) -> (Vec<Word>, Vec<Word>) {
    let (old_tokens, new_tokens) = (tokens(old), tokens(new));
    if old_tokens.len().max(new_tokens.len()) > MAX_TOKENS {
        return (whole(old, true), whole(new, true));
    }
    let mut marked = (Vec::new(), Vec::new());
    let mut common = 0;
    for op in capture_diff_slices(Algorithm::Myers, &old_tokens, &new_tokens) {
        let is_equal = matches!(op, DiffOp::Equal { .. });
        let (old_text, new_text) = (old_tokens[op.old_range()].concat(), new_tokens[op.new_range()].concat());
        if is_equal {
            common += old_text.trim().len();
        }
        push(&mut marked.0, old_text, !is_equal);
        push(&mut marked.1, new_text, !is_equal);
    }
    if common * 4 < old.trim().len().min(new.trim().len()) {
        return (whole(old, true), whole(new, true));
    }
    marked
}

/// Words, runs of whitespace, and every other character by itself.
fn tokens(line: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut previous = None;
    for (at, c) in line.char_indices() {
        let kind = class(c);
        if previous.is_some_and(|previous| previous != kind || kind == 0) {
            tokens.push(&line[start..at]);
            start = at;
        }
        previous = Some(kind);
    }
    if start < line.len() {
        tokens.push(&line[start..]);
    }
    tokens
}

fn push(words: &mut Vec<Word>, text: String, changed: bool) {
    if text.is_empty() {
        return;
    }
    match words.last_mut() {
        Some(last) if last.changed == changed => last.text.push_str(&text),
        _ => words.push(Word { text, changed }),
    }
}

fn whole(text: &str, changed: bool) -> Vec<Word> {
    let mut words = Vec::new();
    push(&mut words, text.to_owned(), changed);
    words
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Context lines on each side of a change.
const CONTEXT: usize = 1;
/// Longer lines are marked as a whole: a word diff would take too long.
const MAX_TOKENS: usize = 2_000;
