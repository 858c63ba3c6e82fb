//! The present content of files, for callers that read them before.

use std::sync::Arc;

use crate::error::VaultError;
use crate::note::{ContentHash, Document, VaultPath};
use crate::reading::index::{Note, Texts};
use crate::vault::Vault;

/// Above this number of files the index is used, which checks the whole vault once and reads only what
/// changed.
const FEW: usize = 1024;

/// A file's content.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    pub hash: ContentHash,
    /// The parsed text, if it is text.
    pub document: Arc<Document>,
}

impl Vault {
    /// The present content of each of these files, which may be any; `None` if it is gone or unreadable.
    pub fn held(&self, paths: Vec<VaultPath>) -> Vec<(VaultPath, Option<Held>)> {
        let many = paths.len() > FEW;
        let listing = many.then(|| self.index().listing(&self.core().disk, Texts::All).ok()).flatten();
        let indexed = |path: &VaultPath| {
            let heads = &listing.as_ref()?.heads;
            let at = heads.binary_search_by(|head| head.path.cmp(path)).ok()?;
            Some(Held { hash: heads[at].hash()?, document: Arc::clone(heads[at].document()) })
        };
        let now = |path: VaultPath| {
            let held = indexed(&path).or_else(|| self.held_on_disk(&path).ok());
            (path, held)
        };
        paths.into_iter().map(now).collect()
    }

    fn held_on_disk(&self, path: &VaultPath) -> Result<Held, VaultError> {
        if path.is_note() {
            let Note { hash, document, .. } = self.read(path)?;
            return Ok(Held { hash, document });
        }
        let bytes = self.bytes(path)?;
        let document = Document::parse(std::str::from_utf8(&bytes).unwrap_or_default());
        Ok(Held { hash: ContentHash::of(&bytes), document: Arc::new(document) })
    }
}
