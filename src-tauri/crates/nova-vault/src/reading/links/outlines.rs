//! Outlines by what they were read from, so that a second question reads nothing again.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::names::key;
use crate::note::{ContentHash, Outline, outline};

/// Outlines are remembered up to about this many bytes in all.
const BUDGET: usize = 64 * 1024 * 1024;

/// An outline, and of each of its links the key to compare targets by.
#[derive(Debug)]
pub(crate) struct Outlined {
    pub(crate) outline: Outline,
    pub(crate) keys: Vec<String>,
}

/// A memory of outlines. A text that changed has another hash, so what is remembered is never
/// wrong.
#[derive(Debug, Default)]
pub(crate) struct Outlines {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    by_hash: HashMap<ContentHash, (Arc<Outlined>, usize)>,
    bytes: usize,
}

impl Outlined {
    pub(crate) fn of(text: &str) -> Outlined {
        let mut outline = outline(text);
        outline.shrink();
        let keys = outline.links.iter().map(|link| key(&link.target)).collect();
        Outlined { outline, keys }
    }

    /// About how much memory it takes.
    fn bytes(&self) -> usize {
        let links: usize = self
            .outline
            .links
            .iter()
            .map(|link| {
                let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
                300 + 2 * link.target.len() + text(&link.subpath) + text(&link.display)
            })
            .sum();
        let tags: usize = self.outline.tags.iter().map(|tag| 80 + tag.tag.len()).sum();
        let headings: usize = self.outline.headings.iter().map(|heading| 90 + heading.text.len()).sum();
        let blocks: usize = self.outline.blocks.iter().map(|block| 80 + block.id.len()).sum();
        400 + links + tags + headings + blocks
    }
}

impl Outlines {
    /// The outline of the text with this hash; `text` is asked for when it is not known.
    pub(crate) fn of<T: AsRef<str>>(
        &self,
        hash: ContentHash,
        text: impl FnOnce() -> Option<T>,
    ) -> Option<Arc<Outlined>> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((outlined, _)) = known().by_hash.get(&hash) {
            return Some(Arc::clone(outlined));
        }
        let outlined = Arc::new(Outlined::of(text()?.as_ref()));
        let bytes = outlined.bytes();
        let mut known = known();
        if known.bytes + bytes <= BUDGET
            && known.by_hash.insert(hash, (Arc::clone(&outlined), bytes)).is_none()
        {
            known.bytes += bytes;
        }
        Some(outlined)
    }

    /// Makes room: texts that are no longer in any note are forgotten once they may be many.
    pub(crate) fn keep(&self, present: impl Iterator<Item = ContentHash>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.bytes < BUDGET / 2 {
            return;
        }
        let present: HashSet<ContentHash> = present.collect();
        known.by_hash.retain(|hash, _| present.contains(hash));
        known.bytes = known.by_hash.values().map(|(_, bytes)| bytes).sum();
    }
}
