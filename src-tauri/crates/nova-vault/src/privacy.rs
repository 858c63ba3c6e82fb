//! Which notes a reader may see.

use std::borrow::Cow;

use crate::note::{Document, FrontMatter, Value, VaultPath, folded};

/// Which notes are hidden from a reader: a model, its sub-agents, an MCP client.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Privacy {
    /// The reader is remote: what it reads leaves this machine.
    pub remote: bool,
    /// Folders and notes the user listed as private.
    pub private: Vec<String>,
}

impl Privacy {
    /// Whether this note must be hidden.
    pub fn hides(&self, path: &VaultPath, document: &Document) -> bool {
        self.remote && (self.listed(path) || is_marked_private(document))
    }

    /// The privacy for a remote reader, with the same list.
    pub fn elsewhere(&self) -> Privacy {
        Privacy { remote: true, private: self.private.clone() }
    }

    /// Whether a path must be hidden, regardless of the note's content.
    pub fn lists(&self, path: &VaultPath) -> bool {
        self.remote && self.listed(path)
    }

    fn listed(&self, path: &VaultPath) -> bool {
        let wanted = folded(path.as_str());
        self.private.iter().any(|entry| covers(entry, &wanted))
    }
}

/// Whether an entry (a note or a folder) covers a folded path. Ignores case, Unicode composition and
/// alternative spellings of a path (`./`, `//`, `\`, `/*`, `/*.md`); `Diary*` covers all paths with that
/// prefix, and an entry for the vault's own folder covers all of it. Ambiguity is resolved towards hiding.
pub(crate) fn covers(entry: &str, path: &str) -> bool {
    let entry = plain(entry);
    if entry.is_empty() {
        return true;
    }
    if let Some(beginning) = entry.strip_suffix('*') {
        return path.starts_with(beginning);
    }
    path == entry
        || path.strip_suffix(".md") == Some(&*entry)
        || path.strip_prefix(&*entry).is_some_and(|rest| rest.starts_with('/'))
}

/// The path of an entry, folded; `""` for the whole vault.
pub(crate) fn plain(entry: &str) -> Cow<'_, str> {
    // Every note is compared with every entry; this is the fast path for most entries.
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
    let is_path = |entry: &str| entry.split('/').all(|part| !part.is_empty() && part.bytes().all(is_plain));
    if is_path(entry.strip_suffix(".md").unwrap_or(entry)) {
        return Cow::Borrowed(entry);
    }
    let entry = folded(entry.trim()).replace('\\', "/");
    let parts = || entry.split('/').map(str::trim).filter(|part| !matches!(*part, "" | "."));
    let last = parts().count().saturating_sub(1);
    let is_all = |part: &str| part.trim_start_matches('*').is_empty() || part == "*.md";
    let named = parts().enumerate().filter(|(at, part)| !(*at == last && is_all(part)));
    let named: Vec<&str> = named.map(|(_, part)| part).collect();
    Cow::Owned(named.join("/"))
}

/// Whether the note marks itself as private. A mark that cannot be understood hides it, too.
pub(crate) fn is_marked_private(document: &Document) -> bool {
    // Unreadable properties cannot declare the note public.
    if matches!(document.front_matter(), FrontMatter::Broken { .. }) {
        return true;
    }
    let properties = document.properties().iter();
    let said: Said<'_> = properties.map(|(key, property)| (key.as_str(), &property.value)).collect();
    marked_private(&said) == Some(true)
}

type Said<'a> = Vec<(&'a str, &'a Value)>;

/// The mark in a mapping, or else in what it merges (`<<: *anchor`); `None` if there is none.
fn marked_private(said: &Said<'_>) -> Option<bool> {
    let any = |one, other| one || other;
    let own = said.iter().filter(|(key, value)| folded(key) == "nova" && **value != Value::Null);
    own.map(|(_, value)| hides(value)).reduce(any).or_else(|| {
        let merged = said.iter().filter(|(key, _)| *key == "<<").flat_map(|(_, value)| match value {
            Value::List(values) => values.as_slice(),
            value => std::slice::from_ref(*value),
        });
        let marks = merged.filter_map(|value| match value {
            Value::Map(inner) => {
                marked_private(&inner.iter().map(|(key, value)| (key.as_str(), value)).collect())
            }
            _ => None,
        });
        marks.reduce(any)
    })
}

fn hides(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Text(text) => folded(text.trim()) != "public",
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn remote(private: &[&str]) -> Privacy {
        Privacy { remote: true, private: private.iter().map(|entry| (*entry).to_owned()).collect() }
    }

    #[test]
    fn private_marks_in_a_note() {
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
            assert!(!Privacy::default().hides(&path, &document), "{line}: a local model reads everything");
        }
    }

    #[test]
    fn merge_key_marks_a_note_as_private() {
        let path = VaultPath::parse("a.md").unwrap();
        for (lines, hidden) in [
            ("base: &b {nova: private}\n<<: *b", true),
            ("base: &b\n  nova: private\n  kind: diary\n<<: *b", true),
            ("base: &b {Nova: Private}\n<<: [*b]", true),
            ("base: &b {kind: diary}\nmark: &m {nova: private}\n<<: [*b, *m]", true),
            ("base: &b {nova: private}\nnext: &n {<<: *b}\n<<: *n", true),
            ("<<: {nova: private}", true),
            ("<<: {nova: true}", true),
            ("base: &b {nova: private}\nnova: public\n<<: *b", false),
            ("base: &b {nova: private}\ncopy: *b", false),
            ("base: &b {nova: public}\n<<: *b", false),
            ("base: &b {nova: private}\nnova:\n<<: *b", true),
            ("<<: private", false),
        ] {
            let document = Document::parse(&format!("---\n{lines}\n---\n"));
            assert_eq!(remote(&[]).hides(&path, &document), hidden, "{lines}");
        }
    }

    #[test]
    fn entries_of_the_private_list() {
        for (entry, path, hidden) in [
            ("Diary", "Diary/One.md", true),
            ("diary/", "Diary/One.md", true),
            ("./Diary", "Diary/One.md", true),
            ("Diary/*", "Diary/One.md", true),
            ("Diary/**", "Diary/Deep/One.md", true),
            ("Diary/*.md", "Diary/One.md", true),
            ("Diary/./Deep//", "Diary/Deep/One.md", true),
            ("Diary\\Deep", "Diary/Deep/One.md", true),
            (" /Diary/ Deep", "Diary/Deep/One.md", true),
            ("*", "One.md", true),
            ("Diary/One", "Diary/One.md", true),
            ("Diary/One.md", "Diary/One.md", true),
            ("/", "One.md", true),
            ("U\u{308}ber", "\u{fc}ber/One.md", true),
            ("Diary", "Diaries/One.md", false),
            ("One", "Diary/One.md", false),
            ("Di*", "Diary/One.md", true),
            ("Diary/On*", "Diary/One.md", true),
            ("Di*", "Other/Diary.md", false),
        ] {
            assert_eq!(remote(&[entry]).lists(&VaultPath::parse(path).unwrap()), hidden, "{entry}: {path}");
        }
    }
}
