//! What a call was given of notes beside what they hold: that there is one of a name, which tags it has,
//! why it cannot be read. A reader elsewhere would not be given it of a private note.

use std::collections::BTreeSet;

/// What one call was given that no reader elsewhere would have been.
#[derive(Debug, Clone, Default)]
pub(crate) struct OnlyHere {
    /// It was given few, of which it says something.
    told: bool,
    /// Names among many: it says nothing of those that do not stand in what it says.
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

    /// Whether these texts, which are all that the tool says, tell something of it.
    pub(crate) fn is_told_in(&self, texts: impl FnOnce() -> Vec<String>) -> bool {
        if self.told || self.named.is_empty() {
            return self.told;
        }
        let texts = texts().join("\n");
        self.named.iter().any(|name| texts.contains(name.as_str()))
    }
}
