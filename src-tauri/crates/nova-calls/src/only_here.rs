//! Facts about notes that a call received apart from their content: that a name exists, which tags a note
//! has, why one cannot be parsed. For private notes these are hidden from remote readers.

use std::collections::BTreeSet;

/// What one call received that is hidden from remote readers.
#[derive(Debug, Clone, Default)]
pub(crate) struct OnlyHere {
    /// It received few facts, and its output certainly reveals one.
    told: bool,
    /// Names among many: only those that occur in its output are revealed.
    named: BTreeSet<String>,
}

impl OnlyHere {
    pub(crate) fn tells(&mut self) {
        self.told = true;
    }

    pub(crate) fn names(&mut self, paths: impl IntoIterator<Item = String>) {
        self.named.extend(paths);
    }

    pub(crate) fn is_nothing(&self) -> bool {
        !self.told && self.named.is_empty()
    }

    /// Whether these texts, the complete output of the tool, reveal any of it.
    pub(crate) fn is_told_in(&self, texts: impl FnOnce() -> Vec<String>) -> bool {
        if self.told || self.named.is_empty() {
            return self.told;
        }
        let texts = texts().join("\n");
        self.named.iter().any(|name| texts.contains(name.as_str()))
    }
}
