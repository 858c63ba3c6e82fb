use std::sync::Arc;

use nova_skill::VaultPath;
use nova_vault::note::{ContentHash, Document};

/// The notes that the caller had seen before the call.
pub trait SeenNotes: Send + Sync {
    /// `None` where they have not seen the note, or know that what they saw is out of date.
    fn seen(&self, path: &VaultPath) -> Option<SeenNote>;

    /// Whether the caller has read private notes, so that notes it creates are private.
    fn makes_private(&self) -> bool {
        false
    }
}

/// A note as it was when it was seen.
pub struct SeenNote {
    pub hash: ContentHash,
    /// What it said, as long as that is kept.
    pub document: Option<Arc<Document>>,
}

/// A caller who sees the notes themselves, such as a form.
impl SeenNotes for () {
    fn seen(&self, _: &VaultPath) -> Option<SeenNote> {
        None
    }
}
