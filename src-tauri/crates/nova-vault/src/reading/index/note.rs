//! A note as it is on disk.

use std::sync::Arc;

use jiff::Timestamp;

use crate::disk::Disk;
use crate::error::VaultError;
use crate::note::{ContentHash, Document, VaultPath};

/// A note as read.
#[derive(Debug, Clone)]
pub struct Note {
    pub path: VaultPath,
    /// Its whole text.
    pub text: Arc<str>,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// The text, parsed.
    pub document: Arc<Document>,
    /// When the file was last modified.
    pub modified: Timestamp,
}

/// Reads one note from the disk.
pub(crate) fn read_note(disk: &Disk, path: &VaultPath) -> Result<Note, VaultError> {
    disk.check_present()?;
    let found = disk.read(path)?;
    Ok(Note {
        path: path.clone(),
        document: Arc::new(Document::parse(&found.text)),
        hash: ContentHash::of(found.text.as_bytes()),
        text: found.text.into(),
        modified: found.stamp.modified(),
    })
}
