//! Facts about notes that a call received apart from their content: that a name exists, which tags a note
//! has, why one cannot be parsed. For private notes these are hidden from remote readers.

use std::collections::BTreeSet;

/// What one call received that is hidden from remote readers.
#[derive(Debug, Clone, Default)]
pub(crate) struct LocalOnly {
    /// It received few facts, and its output certainly reveals one.
    reveals: bool,
    /// Names among many: only those that occur in its output are revealed.
    names: BTreeSet<String>,
}

impl LocalOnly {
    pub(crate) fn reveal(&mut self) {
        self.reveals = true;
    }

    pub(crate) fn add_names(&mut self, paths: impl IntoIterator<Item = String>) {
        self.names.extend(paths);
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.reveals && self.names.is_empty()
    }

    /// Whether these texts, the complete output of the tool, reveal any of it.
    pub(crate) fn is_revealed_in(&self, texts: impl FnOnce() -> Vec<String>) -> bool {
        if self.reveals || self.names.is_empty() {
            return self.reveals;
        }
        let texts = texts().join("\n");
        self.names.iter().any(|name| texts.contains(name.as_str()))
    }
}
