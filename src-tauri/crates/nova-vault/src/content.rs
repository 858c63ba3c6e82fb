//! The content of a file.

use std::fmt;
use std::sync::Arc;

use crate::note::{ChangeKind, ContentHash, NoteDiff, VaultPath, diff};

/// Maximum size in bytes of a file that Nova creates and that is no note.
pub const MAX_FILE_BYTES: u64 = 50 * 1024 * 1024;

/// The whole content of a file, shared: text for notes, any bytes for other files.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Content(Arc<[u8]>);

impl Content {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn hash(&self) -> ContentHash {
        ContentHash::of(&self.0)
    }

    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The text of a note; for binary content its size.
    pub(crate) fn shown(&self) -> String {
        self.text().map_or_else(|| format!("{}, no text", size(self.0.len())), str::to_owned)
    }

    /// The diff of two states of a file; by line if both are text.
    pub(crate) fn diff(before: Option<&Content>, after: Option<&Content>) -> NoteDiff {
        let is_text = |content: Option<&Content>| content.is_none_or(|content| content.text().is_some());
        match is_text(before) && is_text(after) {
            true => diff(before.and_then(Content::text), after.and_then(Content::text)),
            false => Content::file_diff(before, after),
        }
    }

    /// As [`file_diff`].
    pub(crate) fn file_diff(before: Option<&Content>, after: Option<&Content>) -> NoteDiff {
        let bytes = |content: Option<&Content>| content.map(|content| content.0.len());
        file_diff(bytes(before), bytes(after))
    }
}

/// The diff of a file that is not shown by line, from its sizes in bytes: `new file, 48 KB`.
pub fn file_diff(before: Option<usize>, after: Option<usize>) -> NoteDiff {
    let (kind, summary) = match (before, after) {
        (_, None) => (ChangeKind::Deleted, "file deleted".to_owned()),
        (None, Some(after)) => (ChangeKind::Created, format!("new file, {}", size(after))),
        (Some(_), Some(after)) => (ChangeKind::Modified, format!("file replaced, {}", size(after))),
    };
    NoteDiff { kind, properties: Vec::new(), hunks: Vec::new(), tail_skipped: 0, summary }
}

/// Whether Nova edits the file at this path as text.
pub(crate) fn holds_text(path: &VaultPath) -> bool {
    path.is_note() || path.as_str().ends_with(".base") || path.as_str().ends_with(".canvas")
}

/// `812 bytes`, `48 KB`, `3.5 MB`
fn size(bytes: usize) -> String {
    const KB: usize = 1024;
    match bytes {
        1 => "1 byte".to_owned(),
        0..KB => format!("{bytes} bytes"),
        KB..1_024_000 => format!("{} KB", (bytes + KB / 2) / KB),
        _ => {
            let tenths = (bytes * 10 + KB * KB / 2) / (KB * KB);
            format!("{}.{} MB", tenths / 10, tenths % 10)
        }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Some(text) if text.len() < 4096 => write!(f, "{text:?}"),
            _ => f.write_str(&size(self.0.len())),
        }
    }
}

impl AsRef<[u8]> for Content {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Content {
        Content(bytes.into())
    }
}

impl From<&[u8]> for Content {
    fn from(bytes: &[u8]) -> Content {
        Content(bytes.into())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Content {
        Content(text.into_bytes().into())
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Content {
        Content(text.as_bytes().into())
    }
}

impl From<Arc<str>> for Content {
    fn from(text: Arc<str>) -> Content {
        Content(text.into())
    }
}
