//! Writes planned, not yet made.

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
pub use attachment::{ATTACHMENTS, Attached, BINARY_ATTACHMENTS};

/// Writes planned against the state that was read. Nothing reaches the disk before
/// [`crate::ChangeSet::apply`]; reading through the draft sees what is planned. Each note
/// remembers the text it was first read with, which is what `apply` compares with the disk.
#[derive(Debug, Clone)]
pub struct Draft {
    view: View,
    /// What was read here and not changed yet.
    seen: HashMap<VaultPath, Note>,
    /// By the path each note is to have.
    items: IndexMap<VaultPath, Item>,
    /// Notes that are to go and whose path another note is to have.
    gone: IndexMap<VaultPath, Item>,
    /// Files that are no notes, by their paths.
    files: IndexMap<VaultPath, FileItem>,
    /// Whether a note was ever to have another path: else none is away from its own.
    moved: bool,
    /// Of a fork, what was planned when it was made: none of that is a change of the fork's own.
    before: Option<Arc<Draft>>,
}

#[derive(Debug, Clone)]
struct Item {
    /// Path and text on the disk; `None` for a new note.
    origin: Option<(VaultPath, Arc<str>)>,
    /// `None` for a note that is to go.
    text: Option<String>,
    /// What its file had when it was deleted, of one that is restored.
    file: Option<Attributes>,
    /// Folders to remove with it when they are empty.
    folders: Vec<String>,
    /// The view may not see the note: only links in it are rewritten.
    unseen: bool,
}

/// A note to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNote {
    /// `""` for the vault's root; made where it is missing.
    pub folder: String,
    /// The display name, made a file name.
    pub name: String,
    pub text: String,
}

/// What is to become of one note, as a difference.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedDiff {
    /// Where it will be.
    pub path: VaultPath,
    /// Where it is, when it is to be moved.
    pub from: Option<VaultPath>,
    /// What changes in its text.
    pub diff: NoteDiff,
}

impl Item {
    /// Where the note is now, when it is to be at `path` instead.
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
    /// An empty plan of writes.
    pub fn draft(&self) -> Draft {
        self.seen_by_owner().draft()
    }
}

impl View {
    /// An empty plan of writes that reads through this view.
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

    /// A draft that sees what is planned here. Its changes are those planned after the fork, until it is
    /// [joined](Draft::joined).
    pub fn fork(&self) -> Draft {
        Draft { before: Some(Arc::new(self.clone())), ..self.clone() }
    }

    /// Takes what was planned before the fork as its own.
    pub fn joined(self) -> Draft {
        Draft { before: None, ..self }
    }

    pub(crate) fn vault(&self) -> &Vault {
        self.view.vault()
    }

    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    /// The note as it will be when the draft is applied.
    pub fn read(&mut self, path: &VaultPath) -> Result<Note, VaultError> {
        let path = self.vault().real(path).into_owned();
        self.read_real(&path)
    }

    /// What the note that [`Draft::read`] gives was when it was read from the disk, and where; `None` for
    /// one that is only planned.
    pub fn on_disk(&self, note: &Note) -> Option<(VaultPath, ContentHash)> {
        match self.items.get(&note.path) {
            Some(item) => {
                let (path, text) = item.origin.as_ref()?;
                Some((path.clone(), ContentHash::of(text.as_bytes())))
            }
            None => Some((note.path.clone(), note.hash)),
        }
    }

    /// As [`Draft::read`]; a link is not followed.
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
            // A link itself is neither moved nor deleted.
            return Err(VaultError::Symlink { path: path.clone(), refused: None });
        }
        self.seen.insert(path.clone(), note.clone());
        Ok(note)
    }

    /// Plans a new note. Where there is one already, also one whose path differs in case only, that is
    /// an error; and so is a folder that would stand beside one of the same name in another case.
    pub fn create(&mut self, path: &VaultPath, text: String) -> Result<(), VaultError> {
        writable(path)?;
        self.refuse_twin(path)?;
        if let Some(path) = self.taken(path)? {
            return Err(VaultError::Exists { path });
        }
        self.put(path, text);
        Ok(())
    }

    /// Plans property changes, byte-exact: nothing else in the note changes.
    pub fn set_properties(&mut self, path: &VaultPath, edits: &[PropertyEdit]) -> Result<(), VaultError> {
        self.edit(path, |text| {
            refuse_base(path)?;
            edit_properties(text, edits)
        })
    }

    /// Plans the replacement of a text that is in the note exactly `count` times (else once).
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

    /// Plans other lines in the place of one, which must say `old`. Numbers are 1-based; no line has its line break.
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

    /// Plans text at the end of the note, or of the section under `heading`.
    pub fn append(&mut self, path: &VaultPath, text: &str, heading: Option<&str>) -> Result<(), VaultError> {
        self.edit(path, |note| {
            refuse_base(path)?;
            append(note, text, heading)
        })
    }

    /// Plans the removal of a note.
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

    /// Plans another path for a note. Links to it stay as they are; see [`Draft::move_note`].
    pub fn rename(&mut self, from: &VaultPath, to: &VaultPath) -> Result<(), VaultError> {
        writable(to)?;
        if let Some(path) = self.taken(to)?
            && path != *from
        {
            return Err(VaultError::Exists { path });
        }
        self.rename_to_own(from, to)
    }

    /// As [`Draft::rename`] for a note that may have the name already, beside its own: then that is the
    /// one to stay.
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

    /// Whether a note would have another path.
    pub fn moves(&self) -> bool {
        self.changing().any(|(path, item)| item.moved_from(path).is_some())
    }

    /// The notes that would change, in the order they were planned, then other files.
    pub fn paths(&self) -> Vec<VaultPath> {
        let notes = self.changing().map(|(path, _)| path.clone());
        notes.chain(self.changing_files().map(|(path, _)| path.clone())).collect()
    }

    /// Where the notes and files that would change will be, and where those that would be moved are.
    pub fn places(&self) -> impl Iterator<Item = &VaultPath> {
        let notes = self.changing().flat_map(|(path, item)| item.moved_from(path).into_iter().chain([path]));
        notes.chain(self.changing_files().map(|(path, _)| path))
    }

    /// The notes and files that would change with the texts that they would have; `None` for one that would
    /// go, that the view does not see, or that is no text.
    pub fn texts(&self) -> impl Iterator<Item = (&VaultPath, Option<&str>)> {
        let notes = self.changing().map(|(path, item)| (path, item.text.as_deref().filter(|_| !item.unseen)));
        let files = self.changing_files();
        notes.chain(files.map(|(path, item)| (path, item.after.as_ref().and_then(Content::text))))
    }

    /// What would change in each note and file.
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

    /// What is to be written, in the order it was planned, but each name is free before another
    /// note takes it.
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
            // The note, then the one that has its name, then the one that has the name of that …
            let mut chain: Vec<Planned> = left[at].take().into_iter().collect();
            let mut next = at;
            while let Some(last) = chain.last().filter(|last| last.from.is_some() || last.base.is_none()) {
                let Some(holder) = holders.get(&last.path) else { break };
                next = *holder;
                let Some(planned) = left[next].take() else { break };
                chain.push(planned);
            }
            if chain.len() > 1 && next == at {
                // No name is ever free: the texts change places, not the files.
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

    /// The text as planned, `None` when there is no note. A link is not followed.
    pub(crate) fn text(&mut self, path: &VaultPath) -> Result<Option<Arc<str>>, VaultError> {
        match self.read_real(path) {
            Ok(note) => Ok(Some(note.text)),
            Err(VaultError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Plans a whole text for a note, there or not. A link is not followed.
    pub(crate) fn set_text(&mut self, path: &VaultPath, text: String) -> Result<(), VaultError> {
        match self.load(path) {
            Ok(()) | Err(VaultError::NotFound { .. }) => {
                self.put(path, text);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Plans the text of a note that was found missing; its file is to be as it was when it was
    /// deleted, where that is known. A note made there since is a conflict, not looked for again.
    pub(crate) fn restore(&mut self, path: &VaultPath, text: String, file: Option<&Attributes>) {
        self.put(path, text);
        if let Some(item) = self.items.get_mut(path) {
            item.file = file.cloned();
        }
    }

    /// As [`Draft::delete`] for whatever Nova has made, with folders to remove when they are empty then.
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

    /// Reverts whatever is planned for the note that is to have this path.
    pub(crate) fn forget(&mut self, path: &VaultPath) {
        if self.items.get(path).is_some_and(|item| item.text.is_some()) {
            self.items.shift_remove(path);
            self.items.extend(self.gone.shift_remove_entry(path));
        }
    }

    /// The texts as planned, by the paths their notes will have.
    pub(crate) fn planned_texts(&self) -> impl Iterator<Item = (VaultPath, Arc<str>)> {
        self.items.iter().filter_map(|(path, item)| Some((path.clone(), item.text.as_deref()?.into())))
    }

    /// Where the notes with planned changes are on the disk.
    pub(crate) fn origins(&self) -> impl Iterator<Item = &VaultPath> {
        self.gone
            .values()
            .chain(self.items.values())
            .filter_map(|item| item.origin.as_ref().map(|(from, _)| from))
    }

    /// Whether the note is in the plan for its links only.
    pub(crate) fn is_unseen(&self, path: &VaultPath) -> bool {
        self.items.get(path).is_some_and(|item| item.unseen)
    }

    /// Plans a text for a note in which only links differ from `before`, which was read past the
    /// view where the note is not `visible`.
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

    /// Makes sure that the note is among the items.
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

    /// Whether the note that has this path on the disk is to have another, or to go.
    fn is_removed(&self, path: &VaultPath) -> bool {
        self.gone.contains_key(path)
            || self.moved
                && self
                    .items
                    .iter()
                    .any(|(at, item)| at != path && matches!(&item.origin, Some((from, _)) if from == path))
    }
}

/// Front matter or a section would make a base unreadable.
fn refuse_base(path: &VaultPath) -> Result<(), EditError> {
    if path.is_note() { Ok(()) } else { Err(EditError::Base) }
}

/// Nova writes notes and the views over them. Other files are only made ([`Draft::attach`], [`Draft::attach_file`]), and the links
/// in canvases follow a moved note.
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
