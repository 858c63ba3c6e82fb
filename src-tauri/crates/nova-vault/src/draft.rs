//! Planned writes.

mod attachment;
mod names;
mod seen;

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::content::Content;
use crate::disk::{Attributes, refuse_hidden};
use crate::error::VaultError;
use crate::note::{
    ContentHash, Document, EditError, NoteDiff, PropertyEdit, VaultPath, append, diff, edit_properties,
    read_yaml, replace_exact, replace_line,
};
use crate::reading::index::Note;
use crate::vault::Vault;
use crate::view::View;
use crate::writing::write::Planned;

use attachment::FileItem;
pub use attachment::{ATTACHMENTS, Attached, BINARY_ATTACHMENTS, attachment_name};

/// Writes planned against the state that was read. Nothing reaches the disk before
/// [`crate::ChangeSet::apply`]; reads through the draft see the planned state. For each note the draft
/// keeps the text first read, which `apply` compares with the disk.
#[derive(Debug, Clone)]
pub struct Draft {
    view: View,
    /// Notes read through the draft and not changed yet.
    seen: HashMap<VaultPath, Note>,
    /// By target path.
    items: IndexMap<VaultPath, Item>,
    /// Notes to be deleted whose path another planned note takes.
    gone: IndexMap<VaultPath, Item>,
    /// Files other than notes, by path.
    files: IndexMap<VaultPath, FileItem>,
    /// Whether any note was ever planned to move; if not, none is away from its origin.
    moved: bool,
    /// For a fork: the plan at the time of the fork, which does not count as the fork's changes.
    before: Option<Arc<Draft>>,
}

#[derive(Debug, Clone)]
struct Item {
    /// Path and text on disk; `None` for a new note.
    origin: Option<(VaultPath, Arc<str>)>,
    /// `None` for a deletion.
    text: Option<String>,
    /// For a restored note: the attributes its file had when it was deleted.
    file: Option<Attributes>,
    /// Folders to remove with the note if they are empty.
    folders: Vec<String>,
    /// The view hides the note: only its links are rewritten.
    unseen: bool,
}

/// A note to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNote {
    /// `""` for the vault's root; created if missing.
    pub folder: String,
    /// The display name, from which the file name is derived.
    pub name: String,
    pub text: String,
}

/// The planned change of one note, as a diff.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedDiff {
    /// The target path.
    pub path: VaultPath,
    /// The present path, if the note is to be moved.
    pub from: Option<VaultPath>,
    /// The change to its text.
    pub diff: NoteDiff,
}

impl Item {
    /// The present path of a note to be moved to `path`.
    fn moved_from(&self, path: &VaultPath) -> Option<&VaultPath> {
        let (from, _) = self.origin.as_ref()?;
        (from != path && self.text.is_some()).then_some(from)
    }

    fn plans_same(&self, other: &Item) -> bool {
        self.origin == other.origin && self.text == other.text
    }

    fn changes(&self, path: &VaultPath) -> bool {
        match (&self.origin, &self.text) {
            (None, None) => false,
            (Some((from, base)), Some(text)) => from != path || **base != **text,
            _ => true,
        }
    }
}

impl Vault {
    /// An empty draft.
    pub fn draft(&self) -> Draft {
        self.seen_by_owner().draft()
    }
}

impl View {
    /// An empty draft that reads through this view.
    pub fn draft(&self) -> Draft {
        Draft::new(self.clone())
    }
}

impl Draft {
    pub(crate) fn new(view: View) -> Draft {
        Draft {
            view,
            seen: HashMap::new(),
            items: IndexMap::new(),
            gone: IndexMap::new(),
            files: IndexMap::new(),
            moved: false,
            before: None,
        }
    }

    /// A draft that starts from this plan. Its changes are those planned after the fork, until it is
    /// [joined](Draft::joined).
    pub fn fork(&self) -> Draft {
        Draft { before: Some(Arc::new(self.clone())), ..self.clone() }
    }

    /// Counts the changes planned before the fork as its own.
    pub fn joined(self) -> Draft {
        Draft { before: None, ..self }
    }

    pub(crate) fn vault(&self) -> &Vault {
        self.view.vault()
    }

    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    /// The note as it will be after the draft is applied.
    pub fn read(&mut self, path: &VaultPath) -> Result<Note, VaultError> {
        let path = self.vault().real(path).into_owned();
        self.read_real(&path)
    }

    /// Path and hash on disk, at the time of reading, of a note returned by [`Draft::read`]; `None` for a
    /// new note.
    pub fn on_disk(&self, note: &Note) -> Option<(VaultPath, ContentHash)> {
        match self.items.get(&note.path) {
            Some(item) => {
                let (path, text) = item.origin.as_ref()?;
                Some((path.clone(), ContentHash::of(text.as_bytes())))
            }
            None => Some((note.path.clone(), note.hash)),
        }
    }

    /// As [`Draft::read`], without following links.
    fn read_real(&mut self, path: &VaultPath) -> Result<Note, VaultError> {
        refuse_hidden(path)?;
        match self.items.get(path) {
            Some(Item { unseen: true, .. }) => {
                return Err(VaultError::Private { name: path.as_str().to_owned() });
            }
            Some(Item { text: Some(text), .. }) => {
                return Ok(Note {
                    path: path.clone(),
                    text: text.as_str().into(),
                    hash: ContentHash::of(text.as_bytes()),
                    document: Arc::new(Document::parse(text)),
                    modified: self.vault().core().now(),
                });
            }
            Some(Item { text: None, .. }) => return Err(not_found(path)),
            None if self.is_removed(path) => return Err(not_found(path)),
            None => {}
        }
        if let Some(note) = self.seen.get(path) {
            return Ok(note.clone());
        }
        let note = self.view.read(path)?;
        if note.path != *path {
            // A symbolic link itself is neither moved nor deleted.
            return Err(VaultError::Symlink { path: path.clone(), refused: None });
        }
        self.seen.insert(path.clone(), note.clone());
        Ok(note)
    }

    /// Plans a new note. An error if a note exists there, or one whose path differs in case only, or if its
    /// folder exists in another case.
    pub fn create(&mut self, path: &VaultPath, text: String) -> Result<(), VaultError> {
        writable(path)?;
        self.refuse_twin(path)?;
        if let Some(path) = self.taken(path)? {
            return Err(VaultError::Exists { path });
        }
        self.put(path, text);
        Ok(())
    }

    /// Plans byte-exact property changes.
    pub fn set_properties(&mut self, path: &VaultPath, edits: &[PropertyEdit]) -> Result<(), VaultError> {
        self.edit(path, |text| {
            refuse_base(path)?;
            edit_properties(text, edits)
        })
    }

    /// Plans the replacement of a text that must occur exactly `count` times (default: once).
    pub fn replace(
        &mut self,
        path: &VaultPath,
        old: &str,
        new: &str,
        count: Option<usize>,
    ) -> Result<(), VaultError> {
        self.edit(path, |text| {
            let replaced = replace_exact(text, old, new, count)?;
            if path.is_note() {
                return Ok(replaced);
            }
            match read_yaml(&replaced) {
                Err((line, reason)) if read_yaml(text).is_ok() => {
                    Err(EditError::WouldBreakBase { line, reason })
                }
                _ => Ok(replaced),
            }
        })
    }

    /// Plans the replacement of one line, which must equal `old`, by others. Numbers are 1-based; lines
    /// have no line breaks.
    pub fn replace_line(
        &mut self,
        path: &VaultPath,
        line: u32,
        old: &str,
        new: &[String],
    ) -> Result<(), VaultError> {
        self.edit(path, |note| {
            refuse_base(path)?;
            replace_line(note, line, old, new)
        })
    }

    /// Plans text to append to the note, or to the section under `heading`.
    pub fn append(&mut self, path: &VaultPath, text: &str, heading: Option<&str>) -> Result<(), VaultError> {
        self.edit(path, |note| {
            refuse_base(path)?;
            append(note, text, heading)
        })
    }

    /// Plans the deletion of a note.
    pub fn delete(&mut self, path: &VaultPath) -> Result<(), VaultError> {
        writable(path)?;
        self.remove(path)
    }

    fn remove(&mut self, path: &VaultPath) -> Result<(), VaultError> {
        self.load(path)?;
        let Some(item) = self.items.shift_remove(path) else {
            return Ok(());
        };
        if let Some((from, base)) = item.origin {
            let of_other = self.items.contains_key(&from);
            let deletions = if of_other { &mut self.gone } else { &mut self.items };
            deletions.insert(
                from.clone(),
                Item {
                    origin: Some((from, base)),
                    text: None,
                    file: None,
                    folders: item.folders,
                    unseen: false,
                },
            );
        }
        Ok(())
    }

    /// Plans a move. Links to the note stay as they are; see [`Draft::move_note`].
    pub fn rename(&mut self, from: &VaultPath, to: &VaultPath) -> Result<(), VaultError> {
        writable(to)?;
        if let Some(path) = self.taken(to)?
            && path != *from
        {
            return Err(VaultError::Exists { path });
        }
        self.rename_to_own(from, to)
    }

    /// As [`Draft::rename`], also if the note's file already has the new name as a hard link, which then
    /// stays.
    pub(crate) fn rename_to_own(&mut self, from: &VaultPath, to: &VaultPath) -> Result<(), VaultError> {
        writable(from)?;
        writable(to)?;
        self.load(from)?;
        self.moved = true;
        if let Some(item) = self.items.shift_remove(from) {
            if let Some(deletion) = self.items.shift_remove(to) {
                self.gone.insert(to.clone(), deletion);
            }
            self.items.insert(to.clone(), item);
        }
        Ok(())
    }

    /// Whether applying it would change nothing.
    pub fn is_empty(&self) -> bool {
        self.changing().next().is_none() && self.changing_files().next().is_none()
    }

    /// Whether it moves a note.
    pub fn moves(&self) -> bool {
        self.changing().any(|(path, item)| item.moved_from(path).is_some())
    }

    /// The notes to be changed, in planning order, then other files.
    pub fn paths(&self) -> Vec<VaultPath> {
        let notes = self.changing().map(|(path, _)| path.clone());
        notes.chain(self.changing_files().map(|(path, _)| path.clone())).collect()
    }

    /// The target paths of changed notes and files, and the present paths of moved notes.
    pub fn places(&self) -> impl Iterator<Item = &VaultPath> {
        let notes = self.changing().flat_map(|(path, item)| item.moved_from(path).into_iter().chain([path]));
        notes.chain(self.changing_files().map(|(path, _)| path))
    }

    /// The notes and files to be changed, with their new texts; `None` for a deletion, a note that the view
    /// hides, or binary content.
    pub fn texts(&self) -> impl Iterator<Item = (&VaultPath, Option<&str>)> {
        let notes = self.changing().map(|(path, item)| (path, item.text.as_deref().filter(|_| !item.unseen)));
        let files = self.changing_files();
        notes.chain(files.map(|(path, item)| (path, item.after.as_ref().and_then(Content::text))))
    }

    /// The diff of each note and file.
    pub fn diffs(&self) -> Vec<PlannedDiff> {
        let notes = self.changing().map(|(path, item)| {
            let before = item.origin.as_ref().map(|(_, base)| &**base);
            let diff = diff(before, item.text.as_deref());
            PlannedDiff { path: path.clone(), from: item.moved_from(path).cloned(), diff }
        });
        let files = self.changing_files().map(|(path, item)| {
            let diff = Content::file_diff(item.before.as_ref(), item.after.as_ref());
            PlannedDiff { path: path.clone(), from: None, diff }
        });
        notes.chain(files).collect()
    }

    /// The planned writes in planning order, except that each path is vacated before another note takes it.
    pub(crate) fn plan(&self) -> Vec<Planned> {
        let mut left: Vec<Option<Planned>> = Vec::new();
        let mut holders: HashMap<&VaultPath, usize> = HashMap::new();
        for (path, item) in self.changing() {
            if let Some((from, _)) = &item.origin {
                holders.insert(from, left.len());
            }
            left.push(Some(Planned {
                path: path.clone(),
                from: item.moved_from(path).cloned(),
                base: item.origin.as_ref().map(|(_, base)| Arc::clone(base).into()),
                after: item.text.clone().map(Content::from),
                file: item.file.clone(),
                folders: item.folders.clone(),
            }));
        }
        let mut plan = Vec::new();
        for at in 0..left.len() {
            // The note, then the one that occupies its target path, and so on.
            let mut chain: Vec<Planned> = left[at].take().into_iter().collect();
            let mut next = at;
            while let Some(last) = chain.last().filter(|last| last.from.is_some() || last.base.is_none()) {
                let Some(holder) = holders.get(&last.path) else { break };
                next = *holder;
                let Some(planned) = left[next].take() else { break };
                chain.push(planned);
            }
            if chain.len() > 1 && next == at {
                // A cycle, in which no path is ever free: exchange texts instead of moving files.
                let mut bases: Vec<_> = chain.iter().map(|planned| planned.base.clone()).collect();
                bases.rotate_left(1);
                for (planned, base) in chain.iter_mut().zip(bases) {
                    planned.from = None;
                    planned.base = base;
                }
            }
            plan.extend(chain.into_iter().rev());
        }
        plan.extend(self.changing_files().map(|(path, item)| Planned {
            path: path.clone(),
            from: None,
            base: item.before.clone(),
            after: item.after.clone(),
            file: item.file.clone(),
            folders: item.folders.clone(),
        }));
        plan
    }

    /// The planned text, `None` if there is no note. Links are not followed.
    pub(crate) fn text(&mut self, path: &VaultPath) -> Result<Option<Arc<str>>, VaultError> {
        match self.read_real(path) {
            Ok(note) => Ok(Some(note.text)),
            Err(VaultError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Plans the whole text of a note, existing or not. Links are not followed.
    pub(crate) fn set_text(&mut self, path: &VaultPath, text: String) -> Result<(), VaultError> {
        match self.load(path) {
            Ok(()) | Err(VaultError::NotFound { .. }) => {
                self.put(path, text);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Plans to restore a missing note with the attributes its file had when it was deleted, if known. A
    /// note created there since is a conflict, so the disk is not read.
    pub(crate) fn restore(&mut self, path: &VaultPath, text: String, file: Option<&Attributes>) {
        self.put(path, text);
        if let Some(item) = self.items.get_mut(path) {
            item.file = file.cloned();
        }
    }

    /// As [`Draft::delete`] for anything that Nova created, including folders to remove if they become
    /// empty.
    pub(crate) fn delete_with_folders(
        &mut self,
        path: &VaultPath,
        folders: &[String],
    ) -> Result<(), VaultError> {
        self.remove(path)?;
        if let Some(item) = self.items.get_mut(path) {
            item.folders = folders.to_vec();
        }
        Ok(())
    }

    /// Discards the plan for the note with this target path.
    pub(crate) fn forget(&mut self, path: &VaultPath) {
        if self.items.get(path).is_some_and(|item| item.text.is_some()) {
            self.items.shift_remove(path);
            self.items.extend(self.gone.shift_remove_entry(path));
        }
    }

    /// The planned texts by target path.
    pub(crate) fn planned_texts(&self) -> impl Iterator<Item = (VaultPath, Arc<str>)> {
        self.items.iter().filter_map(|(path, item)| Some((path.clone(), item.text.as_deref()?.into())))
    }

    /// Present paths of the notes with planned changes.
    pub(crate) fn origins(&self) -> impl Iterator<Item = &VaultPath> {
        self.gone
            .values()
            .chain(self.items.values())
            .filter_map(|item| item.origin.as_ref().map(|(from, _)| from))
    }

    /// Whether the note is hidden and planned only for its links.
    pub(crate) fn is_unseen(&self, path: &VaultPath) -> bool {
        self.items.get(path).is_some_and(|item| item.unseen)
    }

    /// Plans a text that differs from `before` in links only. `before` was read bypassing the view if the
    /// note is not `visible`.
    pub(crate) fn rewrite_links(&mut self, path: &VaultPath, before: &Arc<str>, text: String, visible: bool) {
        let item = self.items.entry(path.clone()).or_insert_with(|| Item {
            origin: Some((path.clone(), Arc::clone(before))),
            text: None,
            file: None,
            folders: Vec::new(),
            unseen: !visible,
        });
        item.text = Some(text);
    }

    fn changing(&self) -> impl Iterator<Item = (&VaultPath, &Item)> {
        let before = self.before.as_deref();
        let is_own = move |(path, item): &(&VaultPath, &Item),
                           planned: fn(&Draft) -> &IndexMap<VaultPath, Item>| {
            !before
                .is_some_and(|before| planned(before).get(*path).is_some_and(|known| known.plans_same(item)))
        };
        let gone = self.gone.iter().filter(move |entry| is_own(entry, |draft| &draft.gone));
        let items = self.items.iter().filter(move |entry| is_own(entry, |draft| &draft.items));
        gone.chain(items).filter(|(path, item)| item.changes(path))
    }

    fn edit(
        &mut self,
        path: &VaultPath,
        edit: impl FnOnce(&str) -> Result<String, EditError>,
    ) -> Result<(), VaultError> {
        writable(path)?;
        let path = &self.vault().real(path).into_owned();
        let note = self.read_real(path)?;
        let text = edit(&note.text).map_err(VaultError::edit(path))?;
        self.load(path)?;
        self.put(path, text);
        Ok(())
    }

    /// Ensures that the note is among the items.
    fn load(&mut self, path: &VaultPath) -> Result<(), VaultError> {
        let note = self.read_real(path)?;
        if !self.items.contains_key(path) {
            self.items.insert(
                path.clone(),
                Item {
                    origin: Some((path.clone(), Arc::clone(&note.text))),
                    text: Some(note.text.to_string()),
                    file: None,
                    folders: Vec::new(),
                    unseen: false,
                },
            );
        }
        Ok(())
    }

    fn put(&mut self, path: &VaultPath, text: String) {
        let new = || Item { origin: None, text: None, file: None, folders: Vec::new(), unseen: false };
        let gone = &mut self.gone;
        let item =
            self.items.entry(path.clone()).or_insert_with(|| gone.shift_remove(path).unwrap_or_else(new));
        item.text = Some(text);
        item.folders.clear();
    }

    /// Whether the note at this path on disk is to be moved or deleted.
    fn is_removed(&self, path: &VaultPath) -> bool {
        self.gone.contains_key(path)
            || self.moved
                && self
                    .items
                    .iter()
                    .any(|(at, item)| at != path && matches!(&item.origin, Some((from, _)) if from == path))
    }
}

/// A base has no front matter and no sections: adding either would make it unreadable.
fn refuse_base(path: &VaultPath) -> Result<(), EditError> {
    if path.is_note() { Ok(()) } else { Err(EditError::Base) }
}

/// Nova writes notes and bases. Other files are only created ([`Draft::attach`], [`Draft::attach_file`]),
/// and links in canvases are updated when a note moves.
fn writable(path: &VaultPath) -> Result<(), VaultError> {
    refuse_hidden(path)?;
    if path.is_note() || path.as_str().ends_with(".base") {
        return Ok(());
    }
    Err(VaultError::NotANote { path: path.clone() })
}

fn not_found(path: &VaultPath) -> VaultError {
    VaultError::NotFound { name: path.as_str().to_owned() }
}

fn file_part(path: &VaultPath) -> &str {
    path.as_str().rsplit('/').next().unwrap_or_default()
}
