//! Cache of outlines by content hash.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::names::key;
use crate::note::{ContentHash, Outline, outline};

/// Approximate maximum size of the cache, in bytes.
const BUDGET: usize = 64 * 1024 * 1024;

/// An outline, with the comparison key of each of its links.
#[derive(Debug)]
pub(crate) struct Outlined {
    pub(crate) outline: Outline,
    pub(crate) keys: Vec<String>,
}

/// A cache of outlines. Keyed by content hash, so entries never become stale.
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

    /// Approximate memory use.
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
    /// The outline of the text with this hash; `text` is called on a cache miss.
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

    /// Evicts outlines of texts that no note has any more, once there may be many.
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
