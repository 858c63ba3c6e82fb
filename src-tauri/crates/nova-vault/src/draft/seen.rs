//! What a draft would do to notes that somebody has seen otherwise, or may not see.

use super::Draft;
use crate::change::{Conflict, NoteChangeKind};
use crate::error::VaultError;
use crate::note::{ContentHash, Document, PropertyEdit, VaultPath, edit_properties};

impl Draft {
    /// Refuses to change properties that whoever changes them has not seen as they are. `seen`: the hash of
    /// what they saw of the note, and what that said, where it is still known.
    ///
    /// # Errors
    /// [`VaultError::Conflict`] with the properties.
    pub fn check_seen(
        &mut self,
        path: &VaultPath,
        (hash, seen): (ContentHash, Option<&Document>),
        edits: &[PropertyEdit],
    ) -> Result<(), VaultError> {
        let note = self.read(path)?;
        let theirs = match self.items.get(&note.path).map(|item| &item.origin) {
            Some(Some((_, text))) => text.clone(),
            // Nobody has seen it yet.
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
                // What others did to the list stays.
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

    /// Where the notes are that a reader elsewhere may not see as they are, and may as they would be.
    pub fn makes_public(&self) -> impl Iterator<Item = &VaultPath> {
        let elsewhere = self.view.privacy().elsewhere();
        let hides = move |path: &VaultPath, text: &str| elsewhere.hides(path, &Document::parse(text));
        self.changing().filter_map(move |(path, item)| {
            let (from, base) = item.origin.as_ref()?;
            let text = item.text.as_deref()?;
            (hides(from, base) && !hides(path, text)).then_some(from)
        })
    }

    /// The notes and files that would be written and that a reader elsewhere may see afterwards.
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
