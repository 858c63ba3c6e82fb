//! The write of one note: its plan merged with the state on disk.

use std::collections::{HashMap, HashSet};

use super::Planned;
use super::settled::settled;
use crate::change::{Conflict, NoteChangeKind};
use crate::content::{Content, holds_text};
use crate::core::Core;
use crate::disk::{Attributes, Like, Place};
use crate::error::VaultError;
use crate::note::{ContentHash, Merge, VaultPath, merge};
use crate::step::Step;
use crate::writing::journal::Line;

/// The write of one note.
#[derive(Debug)]
pub(super) struct NoteWrite {
    pub(super) n: u64,
    pub(super) path: VaultPath,
    pub(super) from: Option<VaultPath>,
    base: Option<Content>,
    mine: Option<Content>,
    /// The state that undoing this write restores: the newest content from outside.
    pub(super) before: Option<Content>,
    /// The text to write.
    pub(super) after: Option<Content>,
    /// The text that the note must have for `after` to be correct: the one read, or, after a concurrent
    /// edit, the one written by the previous round.
    pub(super) in_place: String,
    /// Our text was already put in place and displaced a concurrent edit.
    pub(super) ours_is_there: bool,
    /// Those edits: whole texts that are in no note until `after` is written.
    pub(super) displaced: Vec<String>,
    /// The texts of its temporary files as announced in the journal.
    pub(super) announced: Texts,
    /// Whether `before` contains all of them.
    pub(super) before_is_whole: bool,
    /// The merged outside changes, readable.
    pub(super) outside: Vec<String>,
    pub(super) written: bool,
    /// It failed and could not be reverted: it is not recorded as abandoned, and can be undone.
    pub(super) stays: bool,
    /// It has both names: a kill interrupted the move.
    pub(super) half_moved: bool,
    /// The opened folder it was moved out of, which the user may rename before the move is reverted.
    pub(super) came_from: Option<Place>,
    /// Attributes of the file: for a restored note, those it had when it was deleted; for a deletion, the
    /// present ones.
    pub(super) file: Option<Attributes>,
    /// Folders created for it, or to be removed with it if they are empty.
    pub(super) folders: Vec<String>,
}

/// The texts of a temporary file, after and before it is exchanged with the note.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Texts {
    pub(super) expected: Option<ContentHash>,
    pub(super) ours: Option<ContentHash>,
}

/// Where an unexpected outside text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// In the note.
    InPlace,
    /// In the file displaced by our text, which is in the note now.
    Displaced,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Written,
    /// The disk already had the planned text.
    AlreadySo,
}

impl Outcome {
    /// The journal line for this outcome.
    pub(super) fn line(self, n: u64) -> Line {
        match self {
            Outcome::Written => Line::Done { n },
            Outcome::AlreadySo => Line::Failed { n, reason: "it was already so".to_owned() },
        }
    }
}

/// The folders of new notes, each opened once; `None` if it does not exist.
#[derive(Debug, Default)]
pub(super) struct PlaceCache(HashMap<String, Option<Place>>);

impl PlaceCache {
    /// Whether nothing has this name. A concurrent creation is detected when the note is put in place.
    fn is_free(&mut self, core: &Core, path: &VaultPath) -> bool {
        #[cfg(test)]
        crate::tests::work::done();
        if !self.0.contains_key(path.folder()) {
            let place = match core.disk.place(path) {
                Ok(place) => Some(place),
                Err(VaultError::NotFound { .. }) => None,
                Err(_) => return false,
            };
            self.0.insert(path.folder().to_owned(), place);
        }
        match self.0.get(path.folder()) {
            Some(Some(folder)) => folder.is_free(path),
            Some(None) => true,
            None => false,
        }
    }
}

impl NoteWrite {
    /// Whether the first action in the vault is creating a temporary file with the new text.
    pub(super) fn begins_with_temp(&self) -> bool {
        match self.kind() {
            NoteChangeKind::Modified => true,
            NoteChangeKind::Created => self.folders.is_empty(),
            NoteChangeKind::Deleted | NoteChangeKind::Renamed => false,
        }
    }

    /// A write from `base` to `after` that has not begun; `file`: attributes and folders.
    fn new(
        path: VaultPath,
        from: Option<VaultPath>,
        base: Option<Content>,
        after: Option<Content>,
        (file, folders): (Option<Attributes>, Vec<String>),
    ) -> NoteWrite {
        NoteWrite {
            n: 0,
            path,
            from,
            in_place: text_of(base.as_ref()).to_owned(),
            before: base.clone(),
            base,
            mine: after.clone(),
            after,
            ours_is_there: false,
            displaced: Vec::new(),
            announced: Texts::default(),
            before_is_whole: true,
            outside: Vec::new(),
            written: false,
            stays: false,
            half_moved: false,
            came_from: None,
            file,
            folders,
        }
    }

    /// Compares the plan with the disk and merges; `None` if there is nothing to do. The names in `freed`
    /// are still taken on disk, but will be free when this note is written.
    pub(super) fn against_disk(
        core: &Core,
        planned: &Planned,
        freed: &HashSet<VaultPath>,
        places: &mut PlaceCache,
    ) -> Result<Option<NoteWrite>, VaultError> {
        let at = planned.from.as_ref().unwrap_or(&planned.path);
        core.steps.before(Step::ReadCurrent, at.as_str()).map_err(VaultError::io_at("read", at))?;
        let base = planned.base.clone();
        let file = (planned.file.clone(), planned.folders.clone());
        let mut write =
            NoteWrite::new(planned.path.clone(), planned.from.clone(), base, planned.after.clone(), file);
        let is_free = freed.contains(&planned.path);
        let is_new = planned.base.is_none() && planned.from.is_none();
        let nothing = is_free && planned.base.is_none() || is_new && places.is_free(core, at);
        let mut current = if nothing { None } else { core.disk.content(at)? };
        let mut at = at;
        if planned.from.is_some()
            && !is_free
            && let Some(there) = core.disk.content(&planned.path)?
        {
            if current.is_none() {
                // Already moved: only the text remains.
                write.from = None;
                at = &planned.path;
                current = Some(there);
            } else if core.disk.place(at)?.is_one_file_with(&core.disk.place(&planned.path)?) {
                write.half_moved = true;
            } else {
                return Err(VaultError::Exists { path: planned.path.clone() });
            }
        }
        if write.from.is_none() && current == planned.after {
            return Ok(None);
        }
        match (current, &planned.base) {
            (None, None) => {}
            (None, Some(_)) => return Err(write.conflict("", "deleted outside")),
            (Some(there), None) => return Err(write.taken_by(&there)),
            (Some(there), Some(base)) if there == *base => {}
            (Some(there), Some(_)) => {
                match settled(&core.steps, at.as_str(), Some(there), || core.disk.content(at))? {
                    Some(there) => match there.text() {
                        Some(text) if holds_text(at) => {
                            write.take_in(text.to_owned(), Found::InPlace)?;
                        }
                        _ => return Err(write.conflict(&there.shown(), "edited outside")),
                    },
                    None => return Err(write.conflict("", "deleted outside")),
                }
            }
        }
        let unchanged = write.from.is_none() && write.before == write.after;
        Ok((!unchanged).then_some(write))
    }

    /// The source of the new file's attributes: stored ones if known, else `otherwise`.
    pub(super) fn like<'a>(&'a self, otherwise: Like<'a>) -> Like<'a> {
        self.file.as_ref().map_or(otherwise, Like::Known)
    }

    pub(super) fn kind(&self) -> NoteChangeKind {
        match (&self.from, &self.before, &self.after) {
            (Some(_), ..) => NoteChangeKind::Renamed,
            (None, None, _) => NoteChangeKind::Created,
            (None, Some(_), None) => NoteChangeKind::Deleted,
            (None, Some(_), Some(_)) => NoteChangeKind::Modified,
        }
    }

    /// The path that this write vacates.
    pub(super) fn frees(&self) -> Option<&VaultPath> {
        if self.kind() == NoteChangeKind::Deleted { Some(&self.path) } else { self.from.as_ref() }
    }

    /// The write that reverts this one.
    pub(super) fn inverse(&self) -> NoteWrite {
        let (path, from) = match &self.from {
            Some(from) => (from.clone(), Some(self.path.clone())),
            None => (self.path.clone(), None),
        };
        let base = self.after.clone();
        let file = (self.file.clone(), self.folders.clone());
        NoteWrite {
            n: self.n,
            announced: self.announced,
            ..NoteWrite::new(path, from, base, self.before.clone(), file)
        }
    }

    /// Merges an outside text into the text to write. Returns older outside texts that conflict with it and
    /// must be stored beside the note.
    pub(super) fn take_in(&mut self, theirs: String, found: Found) -> Result<Vec<String>, VaultError> {
        let (after, aside) = match self.merged(&theirs) {
            Ok(text) => (text, Vec::new()),
            // Our text is already in place, so the conflict is between outside texts.
            Err(_) if self.ours_is_there => (theirs.clone(), std::mem::take(&mut self.displaced)),
            Err(conflict) => return Err(conflict),
        };
        let clean = |base: &str, mine: &str, theirs: &str| match merge(base, mine, theirs) {
            Merge::Clean { text, .. } => Some(text),
            Merge::Conflict { .. } => None,
        };
        let (base, mine) = (text_of(self.base.as_ref()), text_of(self.mine.as_ref()));
        let before = match &self.before {
            Some(_) if !aside.is_empty() => clean(mine, base, &theirs),
            Some(before) if self.ours_is_there => clean(&self.in_place, text_of(Some(before)), &theirs),
            _ => Some(theirs.clone()),
        };
        // Re-apply our change even if the other program started from an older text.
        let after = clean(base, mine, &after).unwrap_or(after);
        self.before_is_whole &= before.is_some();
        self.before = Some(before.unwrap_or_else(|| theirs.clone()).into());
        let ours = self.target();
        self.after = Some(after.into());
        match found {
            Found::InPlace => self.in_place = theirs,
            Found::Displaced => {
                self.in_place = ours;
                self.ours_is_there = true;
                self.displaced.push(theirs);
            }
        }
        Ok(aside)
    }

    /// Merges `after` with an outside edit of `in_place`.
    fn merged(&mut self, theirs: &str) -> Result<String, VaultError> {
        let Some(after) = &self.after else {
            return Err(self.conflict(theirs, "edited outside"));
        };
        match merge(&self.in_place, text_of(Some(after)), theirs) {
            Merge::Clean { text, outside } => {
                for one in outside {
                    if !self.outside.contains(&one) {
                        self.outside.push(one);
                    }
                }
                Ok(text)
            }
            Merge::Conflict { what } => Err(self.conflict_in(theirs, what)),
        }
    }

    /// The text to write; empty for a deletion.
    pub(super) fn target(&self) -> String {
        text_of(self.after.as_ref()).to_owned()
    }

    /// The error if a file was created concurrently at the target path. Two texts are shown side by side.
    pub(super) fn taken_by(&self, there: &Content) -> VaultError {
        match self.mine.as_ref().is_none_or(|mine| mine.text().is_some()) && there.text().is_some() {
            true => self.conflict(&there.shown(), "created outside"),
            false => VaultError::Exists { path: self.path.clone() },
        }
    }

    pub(super) fn conflict(&self, theirs: &str, what: &str) -> VaultError {
        self.conflict_in(theirs, vec![what.to_owned()])
    }

    fn conflict_in(&self, theirs: &str, what: Vec<String>) -> VaultError {
        VaultError::Conflict(Box::new(Conflict {
            path: self.path.clone(),
            from: self.from.clone(),
            kind: match (&self.from, &self.base, &self.mine) {
                (Some(_), ..) => NoteChangeKind::Renamed,
                (None, _, None) => NoteChangeKind::Deleted,
                (None, None, Some(_)) => NoteChangeKind::Created,
                (None, Some(_), Some(_)) => NoteChangeKind::Modified,
            },
            mine: self.mine.as_ref().map(Content::shown).unwrap_or_default(),
            theirs: theirs.to_owned(),
            what,
        }))
    }
}

/// The text of a note; empty if it does not exist.
fn text_of(content: Option<&Content>) -> &str {
    content.and_then(Content::text).unwrap_or_default()
}
