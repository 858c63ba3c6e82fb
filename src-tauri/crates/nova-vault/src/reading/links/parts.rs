//! The parts of a note that a link can lead to, `[[Note#Log]]` and `[[Note#^id]]`, to be asked for by
//! many links: looking at every heading for every link takes minutes in a note of thousands of both.

use std::collections::{HashMap, HashSet};

use crate::note::{Outline, folded};

/// The headings and blocks of one note.
pub(super) struct Parts {
    /// For each text, as headings are compared, and each level from 1 which of the headings have both,
    /// counted from 0.
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

    /// Whether there is such a heading or block. Each heading of `A#B` stands below the one before.
    pub(super) fn have(&self, subpath: &str) -> bool {
        if let Some(id) = subpath.strip_prefix('^') {
            return self.blocks.contains(&id.to_ascii_lowercase());
        }
        // The first heading that may be meant, and how many levels are too high.
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

/// A heading as Obsidian compares it: without punctuation, white space run together, without case.
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
