//! What files hold at this moment, for whoever has read them before.

use std::sync::Arc;

use crate::error::VaultError;
use crate::note::{ContentHash, Document, VaultPath};
use crate::reading::index::{Note, Texts};
use crate::vault::Vault;

/// Of more files than this the index is asked, which checks the whole vault once and reads only what
/// has changed.
const FEW: usize = 1024;

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// Of its bytes.
    pub hash: ContentHash,
    /// What it says, if it is text.
    pub document: Arc<Document>,
}

impl Vault {
    /// What each of these files holds now; `None` where it is gone or cannot be read. They need not be
    /// notes.
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
