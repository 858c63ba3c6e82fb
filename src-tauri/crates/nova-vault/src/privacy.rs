//! Which notes a reader may see.

use crate::index::folded;
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

    /// What holds for a reader elsewhere who has the same list.
    pub fn elsewhere(&self) -> Privacy {
        Privacy { remote: true, private: self.private.clone() }
    }

    /// Whether a note of that path must not be shown, whatever it holds.
    pub fn lists(&self, path: &VaultPath) -> bool {
        self.remote && self.listed(path)
    }

    fn listed(&self, path: &VaultPath) -> bool {
        let wanted = folded(path.as_str());
        self.private.iter().any(|entry| covers(entry, &wanted))
    }

    /// The entries of the user's list that hide none of these notes: most likely a slip of the pen.
    pub fn without_effect<'a>(&'a self, paths: impl Iterator<Item = &'a VaultPath>) -> Vec<&'a str> {
        let mut entries: Vec<&str> = self.private.iter().map(String::as_str).collect();
        for path in paths {
            if entries.is_empty() {
                break;
            }
            let wanted = folded(path.as_str());
            entries.retain(|entry| !covers(entry, &wanted));
        }
        entries
    }
}

/// Whether an entry, a note or a folder, covers a folded path. Case, Unicode composition, `./` and
/// `/*` do not matter, and an entry for the vault's own folder covers all of it: a person who writes
/// the list means to hide something.
fn covers(entry: &str, path: &str) -> bool {
    let entry = folded(entry.trim());
    let entry = entry.trim_start_matches("./").trim_end_matches('*').trim_matches('/');
    if entry.is_empty() || entry == "." {
        return true;
    }
    path == entry
        || path.strip_suffix(".md") == Some(entry)
        || path.strip_prefix(entry).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether the note asks not to be shown. What it says about that and cannot be understood hides
/// it, too.
pub(crate) fn is_marked_private(document: &Document) -> bool {
    // Properties that cannot be read cannot say that the note may be shown.
    if matches!(document.front_matter(), FrontMatter::Broken { .. }) {
        return true;
    }
    let said = document.properties().iter().filter(|(key, _)| folded(key) == "nova");
    said.map(|(_, property)| &property.value).any(|value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Text(text) => folded(text.trim()) != "public",
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn remote(private: &[&str]) -> Privacy {
        Privacy { remote: true, private: private.iter().map(|entry| (*entry).to_owned()).collect() }
    }

    #[test]
    fn what_a_note_says_of_itself() {
        for (line, hidden) in [
            ("nova: private", true),
            ("Nova: Private", true),
            ("nova: ' private '", true),
            ("nova: [private]", true),
            ("nova:\n  - private", true),
            ("nova: {private: true}", true),
            ("nova: true", true),
            ("nova: privat", true),
            ("nova: [broken", true),
            ("nova: public", false),
            ("nova:", false),
            ("nova: false", false),
            ("title: private", false),
        ] {
            let document = Document::parse(&format!("---\n{line}\n---\n"));
            let path = VaultPath::parse("a.md").unwrap();
            assert_eq!(remote(&[]).hides(&path, &document), hidden, "{line}");
            assert!(!Privacy::default().hides(&path, &document), "{line}: on this machine all is shown");
        }
    }

    #[test]
    fn what_the_users_list_covers() {
        for (entry, path, hidden) in [
            ("Diary", "Diary/One.md", true),
            ("diary/", "Diary/One.md", true),
            ("./Diary", "Diary/One.md", true),
            ("Diary/*", "Diary/One.md", true),
            ("Diary/**", "Diary/Deep/One.md", true),
            ("Diary/One", "Diary/One.md", true),
            ("Diary/One.md", "Diary/One.md", true),
            ("/", "One.md", true),
            ("U\u{308}ber", "\u{fc}ber/One.md", true),
            ("Diary", "Diaries/One.md", false),
            ("One", "Diary/One.md", false),
        ] {
            assert_eq!(remote(&[entry]).lists(&VaultPath::parse(path).unwrap()), hidden, "{entry}: {path}");
        }
    }

    #[test]
    fn an_entry_that_hides_nothing_is_named() {
        let paths = [VaultPath::parse("Diary/One.md").unwrap(), VaultPath::parse("Two.md").unwrap()];
        assert_eq!(remote(&["diary", "Dairy", "Two"]).without_effect(paths.iter()), ["Dairy"]);
    }
}
