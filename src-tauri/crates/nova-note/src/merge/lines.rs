//! Three-way merge of texts by line.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::super::sections::headings;
use super::super::split;

mod additions;

use additions::both;

/// How to merge lines that both sides added at the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Additions {
    /// Conflict.
    Collide,
    /// At the end of a section or of the text keep both: theirs, then mine. Elsewhere they conflict,
    /// because there the order matters.
    Both,
}

/// Applies both sides' changes to one text. `Err` holds the conflicts (0-based line ranges in `theirs`):
/// lines changed differently, or lines added at the same place.
pub(super) fn merge_lines(
    base: &str,
    mine: &str,
    theirs: &str,
    additions: Additions,
) -> Result<String, Vec<Range<usize>>> {
    if additions == Additions::Collide {
        return merge_whole_lines(base, mine, theirs, &[]);
    }
    // Without a final line break, the last line would count as changed when one is added below it.
    let texts = [base, theirs, mine];
    let eol = texts.iter().find(|text| text.contains('\n')).map_or("\n", |text| split::eol(text));
    let is_whole = |text: &str| text.is_empty() || text.ends_with('\n');
    let [base_lines, their_lines, my_lines] = texts.map(|text| match is_whole(text) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(format!("{text}{eol}")),
    });
    let mut merged = merge_whole_lines(&base_lines, &my_lines, &their_lines, &section_ends(&base_lines))?;
    let ends_whole = match (is_whole(mine), is_whole(theirs)) {
        (mine, theirs) if mine == theirs => mine,
        (mine, theirs) => {
            if is_whole(base) == mine {
                theirs
            } else {
                mine
            }
        }
    };
    if !ends_whole && merged.ends_with(eol) {
        merged.truncate(merged.len() - eol.len());
    }
    Ok(merged)
}

/// For every line and the end of the text: whether a section (or the text) ends before it.
fn section_ends(text: &str) -> Vec<bool> {
    let starts: HashSet<usize> = headings(text, 0).iter().map(|heading| heading.lines.start).collect();
    let mut ends = vec![true];
    let lines: Vec<Range<usize>> = split::lines_from(text, 0).collect();
    for line in lines.iter().rev() {
        let behind = ends[ends.len() - 1];
        let is_blank = text[line.clone()].trim().is_empty();
        ends.push(starts.contains(&line.start) || (is_blank && behind));
    }
    ends.reverse();
    ends
}

fn merge_whole_lines(
    base: &str,
    mine: &str,
    theirs: &str,
    section_ends: &[bool],
) -> Result<String, Vec<Range<usize>>> {
    let base: Vec<&str> = base.split_inclusive('\n').collect();
    let mine = Descendant::of(&base, mine);
    let theirs = Descendant::of(&base, theirs);

    let mut merged = String::new();
    let mut conflicts = Vec::new();
    let (mut next_mine, mut next_theirs) = (0, 0);
    let mut copied = 0;
    while let Some(group) = Group::next(&mine.changes[next_mine..], &theirs.changes[next_theirs..]) {
        merged.push_str(&base[copied..group.base.start].concat());
        let my_changes = &mine.changes[next_mine..next_mine + group.mine];
        let their_changes = &theirs.changes[next_theirs..next_theirs + group.theirs];
        let my_text = mine.render(&base, &group.base, my_changes);
        let their_text = theirs.render(&base, &group.base, their_changes);
        let at_section_end =
            group.base.is_empty() && section_ends.get(group.base.start).is_some_and(|end| *end);
        let merged_text = match (group.mine, group.theirs) {
            (_, 0) => Some(my_text),
            (0, _) => Some(their_text),
            _ if my_text == their_text => Some(my_text),
            _ if at_section_end => both(&their_text, &my_text),
            _ => None,
        };
        match merged_text {
            Some(text) => merged.push_str(&text),
            None => {
                let first = their_changes.first().map_or(0, |change| change.side.start);
                let last = their_changes.last().map_or(first, |change| change.side.end);
                conflicts.push(first..last);
            }
        }
        copied = group.base.end;
        next_mine += group.mine;
        next_theirs += group.theirs;
    }
    merged.push_str(&base[copied..].concat());
    if conflicts.is_empty() { Ok(merged) } else { Err(conflicts) }
}

/// Lines of the base and one side's replacement for them.
struct Change {
    base: Range<usize>,
    side: Range<usize>,
}

struct Descendant<'a> {
    lines: Vec<&'a str>,
    changes: Vec<Change>,
}

impl<'a> Descendant<'a> {
    fn of(base: &[&str], text: &'a str) -> Self {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let deadline = Instant::now() + Duration::from_secs(2);
        let mut changes: Vec<Change> = Vec::new();
        for op in capture_diff_slices_deadline(Algorithm::Myers, base, &lines, Some(deadline)) {
            if matches!(op, DiffOp::Equal { .. }) {
                continue;
            }
            match changes.last_mut() {
                Some(last) if last.base.end == op.old_range().start => {
                    last.base.end = op.old_range().end;
                    last.side.end = op.new_range().end;
                }
                _ => changes.push(Change { base: op.old_range(), side: op.new_range() }),
            }
        }
        Self { lines, changes }
    }

    /// This side's text for `range`, which contains all of `changes`.
    fn render(&self, base: &[&str], range: &Range<usize>, changes: &[Change]) -> String {
        let mut text = String::new();
        let mut at = range.start;
        for change in changes {
            text.push_str(&base[at..change.base.start].concat());
            text.push_str(&self.lines[change.side.clone()].concat());
            at = change.base.end;
        }
        text.push_str(&base[at..range.end].concat());
        text
    }
}

/// Overlapping changes that are resolved together: their number on each side, and the lines they span.
struct Group {
    base: Range<usize>,
    mine: usize,
    theirs: usize,
}

impl Group {
    fn next(mine: &[Change], theirs: &[Change]) -> Option<Self> {
        let mut group = match (mine.first(), theirs.first()) {
            (None, None) => return None,
            (Some(first), None) => Self { base: first.base.clone(), mine: 1, theirs: 0 },
            (None, Some(first)) => Self { base: first.base.clone(), mine: 0, theirs: 1 },
            // Lines added before a changed line come before it.
            (Some(one), Some(other))
                if (one.base.start, one.base.end) <= (other.base.start, other.base.end) =>
            {
                Self { base: one.base.clone(), mine: 1, theirs: 0 }
            }
            (Some(_), Some(first)) => Self { base: first.base.clone(), mine: 0, theirs: 1 },
        };
        loop {
            let my_group = &mine[..group.mine];
            let their_group = &theirs[..group.theirs];
            if let Some(change) = mine.get(group.mine)
                && their_group.iter().any(|other| collide(change, other))
            {
                group.cover(change);
                group.mine += 1;
            } else if let Some(change) = theirs.get(group.theirs)
                && my_group.iter().any(|other| collide(change, other))
            {
                group.cover(change);
                group.theirs += 1;
            } else {
                return Some(group);
            }
        }
    }

    fn cover(&mut self, change: &Change) {
        self.base = self.base.start.min(change.base.start)..self.base.end.max(change.base.end);
    }
}

/// Whether two changes touch the same lines, or leave the order of their lines ambiguous.
fn collide(one: &Change, other: &Change) -> bool {
    let (a, b) = (&one.base, &other.base);
    match (a.is_empty(), b.is_empty()) {
        (true, true) => a.start == b.start,
        (false, false) => a.start < b.end && b.start < a.end,
        (true, false) => inserts_into(a.start, other),
        (false, true) => inserts_into(b.start, one),
    }
}

/// Lines added inside changed lines conflict. Added at their edge they conflict unless the lines were
/// changed one for one, which makes the position unambiguous.
fn inserts_into(at: usize, change: &Change) -> bool {
    let inside = change.base.start < at && at < change.base.end;
    let at_edge = at == change.base.start || at == change.base.end;
    inside || (at_edge && change.base.len() != change.side.len())
}
