//! Texts cached by the watcher, shared with the index so that they are in memory once.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use foldhash::quality::RandomState;

/// Texts by hash. Of two texts with equal hashes only one is stored; lookups compare the text.
#[derive(Debug, Default)]
pub(crate) struct SharedTexts {
    by_hash: RwLock<HashMap<u64, Arc<str>, RandomState>>,
    hasher: RandomState,
}

impl SharedTexts {
    /// The shared text if it is cached, otherwise a copy.
    pub(crate) fn share(&self, text: &str) -> Arc<str> {
        let known = self.read();
        // No watcher is running.
        if known.is_empty() {
            return text.into();
        }
        match known.get(&self.hash(text)) {
            Some(shared) if **shared == *text => Arc::clone(shared),
            _ => text.into(),
        }
    }

    pub(crate) fn insert(&self, text: &Arc<str>) {
        self.write().insert(self.hash(text), Arc::clone(text));
    }

    /// Called when its owner drops it.
    pub(crate) fn remove(&self, text: &Arc<str>) {
        let hash = self.hash(text);
        let mut known = self.write();
        if known.get(&hash).is_some_and(|shared| Arc::ptr_eq(shared, text)) {
            known.remove(&hash);
        }
    }

    fn hash(&self, text: &str) -> u64 {
        self.hasher.hash_one(text)
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<u64, Arc<str>, RandomState>> {
        self.by_hash.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<u64, Arc<str>, RandomState>> {
        self.by_hash.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_shared_until_its_owner_drops_it() {
        let texts = SharedTexts::default();
        let (one, same): (Arc<str>, Arc<str>) = ("a note".into(), "a note".into());
        texts.insert(&one);
        assert!(Arc::ptr_eq(&texts.share("a note"), &one));
        assert_eq!(*texts.share("another"), *"another");
        // An equal text of another owner replaced it.
        texts.insert(&same);
        texts.remove(&one);
        assert!(Arc::ptr_eq(&texts.share("a note"), &same));
        texts.remove(&same);
        assert!(texts.read().is_empty());
    }
}
