use std::sync::Arc;

use nova_skill::VaultPath;
use nova_vault::note::{ContentHash, Document};

/// The notes that the caller has seen before the call.
pub trait SeenNotes: Send + Sync {
    /// Returns `None` if the caller has not seen the note, or knows that what they saw is stale.
    fn seen(&self, path: &VaultPath) -> Option<SeenNote>;

    /// Whether the caller has read private notes, so that notes it creates are private.
    fn makes_private(&self) -> bool {
        false
    }
}

/// A note as it was when the caller saw it.
pub struct SeenNote {
    pub hash: ContentHash,
    /// Its content, as long as that is cached.
    pub document: Option<Arc<Document>>,
}

/// A caller who looks at the notes directly, such as a form.
impl SeenNotes for () {
    fn seen(&self, _: &VaultPath) -> Option<SeenNote> {
        None
    }
}
