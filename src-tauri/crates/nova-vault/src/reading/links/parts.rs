//! The possible subpaths of links to a note, `[[Note#Log]]` and `[[Note#^id]]`, indexed for many lookups:
//! scanning every heading for every link takes minutes in a note with thousands of both.

use std::collections::{HashMap, HashSet};

use crate::note::{Outline, folded};

/// The headings and blocks of one note.
pub(super) struct Parts {
    /// By normalised text and by level from 1: indices of the headings with both.
    headings: HashMap<String, [Vec<usize>; 6]>,
    blocks: HashSet<String>,
}

impl Parts {
    pub(super) fn of(outline: &Outline) -> Parts {
        let mut headings: HashMap<String, [Vec<usize>; 6]> = HashMap::new();
        for (at, heading) in outline.headings.iter().enumerate() {
            let levels = headings.entry(comparable(&heading.text)).or_default();
            levels[usize::from(heading.level.clamp(1, 6)) - 1].push(at);
        }
        let blocks = outline.blocks.iter().map(|block| block.id.to_ascii_lowercase()).collect();
        Parts { headings, blocks }
    }

    /// Whether there is such a heading or block. In `A#B`, each heading must be nested below the previous
    /// one.
    pub(super) fn have(&self, subpath: &str) -> bool {
        if let Some(id) = subpath.strip_prefix('^') {
            return self.blocks.contains(&id.to_ascii_lowercase());
        }
        // The first heading that can match, and the number of levels that are too high.
        let (mut from, mut above) = (0, 0);
        subpath.split('#').map(comparable).filter(|wanted| !wanted.is_empty()).all(|wanted| {
            let Some(levels) = self.headings.get(&wanted) else { return false };
            let below = levels.iter().enumerate().skip(above);
            let first = below.filter_map(|(level, all)| {
                let at = all.get(all.partition_point(|at| *at < from))?;
                Some((*at, level))
            });
            let Some((at, level)) = first.min() else { return false };
            (from, above) = (at + 1, level + 1);
            true
        })
    }
}

/// A heading as Obsidian compares it: without punctuation and case, with whitespace collapsed.
fn comparable(heading: &str) -> String {
    let words: String = heading
        .chars()
        .map(|c| match c {
            '-' | '_' | '\'' => c,
            c if c.is_ascii_punctuation() => ' ',
            c => c,
        })
        .collect();
    folded(&words.split_whitespace().collect::<Vec<_>>().join(" "))
}
