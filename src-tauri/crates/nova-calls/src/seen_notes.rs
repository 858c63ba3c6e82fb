use std::sync::Arc;

use nova_skill::VaultPath;
use nova_vault::note::{ContentHash, Document};

/// What whoever asked for a call has seen of the notes, before it.
pub trait SeenNotes: Send + Sync {
    /// `None` where they have not seen the note, or know that what they saw is out of date.
    fn seen(&self, path: &VaultPath) -> Option<SeenNote>;

    /// Whether they know what no model elsewhere may see, so that notes they make are private.
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

/// Whoever has the notes before their eyes.
impl SeenNotes for () {
    fn seen(&self, _: &VaultPath) -> Option<SeenNote> {
        None
    }
}
