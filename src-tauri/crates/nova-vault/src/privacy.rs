//! Which notes a reader may see.

use crate::note::{Document, FrontMatter, Value, VaultPath};

/// Which notes stay hidden from whoever reads: a model, its sub-agents, an MCP client.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Privacy {
    /// What is read leaves this machine.
    pub remote: bool,
    /// Folders and notes the user listed as private.
    pub private: Vec<String>,
}

impl Privacy {
    /// Whether a note of that path with that content must not be shown.
    pub fn hides(&self, path: &VaultPath, document: &Document) -> bool {
        self.remote && (self.listed(path) || is_marked_private(document))
    }

    /// Whether a note of that path must not be shown, whatever it holds.
    pub fn lists(&self, path: &VaultPath) -> bool {
        self.remote && self.listed(path)
    }

    fn listed(&self, path: &VaultPath) -> bool {
        self.private.iter().any(|entry| {
            let entry = entry.trim_matches('/');
            path.as_str() == entry
                || path.as_str().strip_suffix(".md") == Some(entry)
                || path.as_str().strip_prefix(entry).is_some_and(|rest| rest.starts_with('/'))
        })
    }
}

fn is_marked_private(document: &Document) -> bool {
    // Properties that cannot be read cannot say that the note may be shown.
    if matches!(document.front_matter(), FrontMatter::Broken { .. }) {
        return true;
    }
    let marked = document.property("nova").and_then(Value::as_text);
    marked.is_some_and(|text| text.eq_ignore_ascii_case("private"))
}
