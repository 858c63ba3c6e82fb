//! Item-by-item edits of lists: items that stay keep their bytes.

use std::hash::{Hash, Hasher};

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::matter::{Item, Node, line_end, line_start};
use super::value::Value;
use super::write::{self, Place};

/// Edits a block list. `None` if an item does not begin its own line.
///
/// The result replaces the lines from the first item's line to the end of the last item's line.
pub(super) fn block(text: &str, old: &[Item], new: &[Value], eol: &str) -> Option<String> {
    let first = old.first()?;
    let indent = &text[line_start(text, first.dash)..first.dash];
    let lines: Vec<_> =
        old.iter().map(|item| line_start(text, item.dash)..line_end(text, item.node.span.end)).collect();
    let own_lines =
        old.iter().zip(&lines).all(|(item, line)| text[line.start..item.dash].bytes().all(|b| b == b' '));
    if !own_lines {
        return None;
    }

    let mut out = String::new();
    // Comments and blank lines before an item stay even if the item is removed.
    let between = |index: usize| match index {
        0 => "",
        index => &text[lines[index - 1].end..lines[index].start],
    };
    for step in steps(old.iter().map(|item| &item.node), new) {
        match step {
            Step::Keep(index) => {
                out.push_str(between(index));
                out.push_str(&text[lines[index].clone()]);
            }
            Step::Drop(index) => out.push_str(between(index)),
            Step::Add(value) => {
                let line = format!("{indent}- {}", write::inline(value, Place::Block));
                out.push_str(line.trim_end());
                out.push_str(eol);
            }
        }
    }
    Some(out)
}

/// Edits a flow list; the result replaces it from `[` to `]`.
pub(super) fn flow(text: &str, list: &Node, old: &[Node], new: &[Value]) -> String {
    if new.is_empty() {
        return "[]".to_owned();
    }
    let (open, close) = match (old.first(), old.last()) {
        (Some(first), Some(last)) => {
            (&text[list.span.start..first.span.start], &text[last.span.end..list.span.end])
        }
        _ => ("[", "]"),
    };
    let separator = |index: usize| &text[old[index].span.end..old[index + 1].span.start];
    // A list with one item per line keeps that layout; comments are never duplicated.
    let added = match old.len() {
        0 | 1 => ", ",
        _ if separator(0).contains('\n') && !separator(0).contains('#') => separator(0),
        _ => ", ",
    };

    let mut out = open.to_owned();
    let mut previous = None;
    let mut is_first = true;
    for step in steps(old.iter(), new) {
        let (written, index) = match step {
            Step::Drop(_) => continue,
            Step::Keep(index) => (text[old[index].span.clone()].to_owned(), Some(index)),
            Step::Add(value) => (write::inline(value, Place::Flow), None),
        };
        if !is_first {
            match (previous, index) {
                (Some(before), Some(index)) if before + 1 == index => out.push_str(separator(before)),
                _ => out.push_str(added),
            }
        }
        out.push_str(&written);
        is_first = false;
        previous = index;
    }
    out.push_str(close);
    out
}

enum Step<'a> {
    Keep(usize),
    Drop(usize),
    Add(&'a Value),
}

fn steps<'a, 'b>(old: impl Iterator<Item = &'b Node>, new: &'a [Value]) -> Vec<Step<'a>> {
    // Values hash by their display text; equality decides.
    let old: Vec<Value> = old.map(|node| node.value.clone()).collect();
    let old_keys = keys(&old);
    let new_keys = keys(new);
    let mut steps = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old_keys, &new_keys) {
        match op {
            DiffOp::Equal { old_index, len, .. } => {
                steps.extend((old_index..old_index + len).map(Step::Keep))
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                steps.extend((old_index..old_index + old_len).map(Step::Drop));
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                steps.extend(new[new_index..new_index + new_len].iter().map(Step::Add));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                steps.extend((old_index..old_index + old_len).map(Step::Drop));
                steps.extend(new[new_index..new_index + new_len].iter().map(Step::Add));
            }
        }
    }
    steps
}

/// Proxy for a value: the diff needs an order and a hash, which values lack. Equal values have equal keys.
#[derive(Debug, Clone, Eq, PartialOrd, Ord)]
pub(super) struct Key(String);

pub(super) fn keys(values: &[Value]) -> Vec<Key> {
    values.iter().map(|value| Key(format!("{value:?}"))).collect()
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        #[cfg(test)]
        crate::tests::work::done();
        self.0 == other.0
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
