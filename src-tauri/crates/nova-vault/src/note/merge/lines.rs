//! Three-way merge of texts by line.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// Applies two sides' changes to one text. `Err` holds the places (0-based line ranges in
/// `theirs`) where both changed the same lines differently, or added lines at the same place.
pub(super) fn merge_lines(base: &str, mine: &str, theirs: &str) -> Result<String, Vec<Range<usize>>> {
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
        match (group.mine, group.theirs) {
            (_, 0) => merged.push_str(&my_text),
            (0, _) => merged.push_str(&their_text),
            _ if my_text == their_text => merged.push_str(&my_text),
            _ => {
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

/// Lines of the base and what a side has in their place.
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

    /// The lines this side has in place of `range`, which holds all of `changes`.
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

/// Changes that have to be decided together: how many of each side, and the lines they span.
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

/// Whether two changes touch the same lines, or leave the order of their lines open.
fn collide(one: &Change, other: &Change) -> bool {
    let (a, b) = (&one.base, &other.base);
    match (a.is_empty(), b.is_empty()) {
        (true, true) => a.start == b.start,
        (false, false) => a.start < b.end && b.start < a.end,
        (true, false) => inserts_into(a.start, other),
        (false, true) => inserts_into(b.start, one),
    }
}

/// Lines added inside changed lines collide. Added at their edge they do so unless the lines were
/// changed one for one: then it is clear where they stand.
fn inserts_into(at: usize, change: &Change) -> bool {
    let inside = change.base.start < at && at < change.base.end;
    let at_edge = at == change.base.start || at == change.base.end;
    inside || (at_edge && change.base.len() != change.side.len())
}
