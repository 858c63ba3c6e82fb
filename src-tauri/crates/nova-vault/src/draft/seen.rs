//! Checks of a draft against what its author has seen, and against privacy.

use super::Draft;
use crate::change::{Conflict, NoteChangeKind};
use crate::error::VaultError;
use crate::note::{ContentHash, Document, PropertyEdit, VaultPath, edit_properties};

impl Draft {
    /// Refuses property changes by someone who has not seen the present values. `seen` is the hash of the
    /// version they saw, and its parsed text if still known.
    ///
    /// # Errors
    /// [`VaultError::Conflict`] with those properties.
    pub fn check_seen(
        &mut self,
        path: &VaultPath,
        (hash, seen): (ContentHash, Option<&Document>),
        edits: &[PropertyEdit],
    ) -> Result<(), VaultError> {
        let note = self.read(path)?;
        let theirs = match self.items.get(&note.path).map(|item| &item.origin) {
            Some(Some((_, text))) => text.clone(),
            // The note is new.
            Some(None) => return Ok(()),
            None => note.text.clone(),
        };
        if ContentHash::of(theirs.as_bytes()) == hash {
            return Ok(());
        }
        let now = Document::parse(&theirs);
        let hides_a_change = |edit: &&PropertyEdit| {
            let (key, wanted) = match edit {
                PropertyEdit::Set { key, value } => (key, Some(value)),
                PropertyEdit::Remove { key } => (key, None),
                // Item edits preserve the other items.
                PropertyEdit::AddItem { .. } | PropertyEdit::RemoveItem { .. } => return false,
            };
            now.property(key) != wanted && seen.is_none_or(|seen| seen.property(key) != now.property(key))
        };
        let what: Vec<String> =
            edits.iter().filter(hides_a_change).map(|edit| edit.key().to_owned()).collect();
        if what.is_empty() {
            return Ok(());
        }
        let mine = edit_properties(&note.text, edits).map_err(VaultError::edit(&note.path))?;
        Err(VaultError::Conflict(Box::new(Conflict {
            path: note.path,
            from: None,
            kind: NoteChangeKind::Modified,
            mine,
            theirs: theirs.to_string(),
            what,
        })))
    }

    /// Notes hidden from a remote reader now that the draft would reveal.
    pub fn makes_public(&self) -> impl Iterator<Item = &VaultPath> {
        let elsewhere = self.view.privacy().elsewhere();
        let hides = move |path: &VaultPath, text: &str| elsewhere.hides(path, &Document::parse(text));
        self.changing().filter_map(move |(path, item)| {
            let (from, base) = item.origin.as_ref()?;
            let text = item.text.as_deref()?;
            (hides(from, base) && !hides(path, text)).then_some(from)
        })
    }

    /// The written notes and files that a remote reader may see afterwards.
    pub fn open_notes(&self) -> impl Iterator<Item = &VaultPath> {
        let elsewhere = self.view.privacy().elsewhere();
        let notes = self.changing().filter_map({
            let elsewhere = elsewhere.clone();
            move |(path, item)| {
                let text = item.text.as_deref()?;
                (!elsewhere.hides(path, &Document::parse(text))).then_some(path)
            }
        });
        let files = self.changing_files().filter(|(_, item)| item.after.is_some()).map(|(path, _)| path);
        notes.chain(files.filter(move |path| !elsewhere.lists(path)))
    }
}
