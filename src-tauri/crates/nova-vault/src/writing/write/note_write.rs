//! One note on its way to the disk: what was planned, what is there, and both made one.

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

/// One note on its way to the disk.
#[derive(Debug)]
pub(super) struct NoteWrite {
    pub(super) n: u64,
    pub(super) path: VaultPath,
    pub(super) from: Option<VaultPath>,
    base: Option<Content>,
    mine: Option<Content>,
    /// What undoing this write leads back to: the newest content that is not ours.
    pub(super) before: Option<Content>,
    /// What is to be put there.
    pub(super) after: Option<Content>,
    /// What the note must hold for putting `after` there to be right: what was read, or, when
    /// an edit came in between, what the round before put there.
    pub(super) in_place: String,
    /// Ours was put in the note already and displaced an edit that came in between.
    pub(super) ours_is_there: bool,
    /// Those edits: whole texts that are in no note until `after` is there.
    pub(super) displaced: Vec<String>,
    /// What the journal says that its temporary files expect and put in place.
    pub(super) announced: Texts,
    /// Whether `before` has all of them.
    pub(super) before_is_whole: bool,
    /// What came from outside, readable.
    pub(super) outside: Vec<String>,
    pub(super) written: bool,
    /// It failed, and what it had done by then could not be reverted: it is not said to have come to
    /// nothing, and can be undone.
    pub(super) stays: bool,
    /// It has both names: a kill came in the middle of the move.
    pub(super) half_moved: bool,
    /// The folder that it was moved out of, opened: the user may rename that before the move is reverted.
    pub(super) came_from: Option<Place>,
    /// What the note's file is to have: of one that is restored, what it had when it was deleted. Of
    /// one that is to be deleted, what it has.
    pub(super) file: Option<Attributes>,
    /// Folders made for it, or to go with it when they are empty.
    pub(super) folders: Vec<String>,
}

/// What a temporary file holds after and before it is exchanged with the note.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Texts {
    pub(super) expected: Option<ContentHash>,
    pub(super) ours: Option<ContentHash>,
}

/// Where an outside text was found that was not expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// In the note.
    InPlace,
    /// In the file that ours, which is in the note now, displaced.
    Displaced,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Written,
    /// The disk had the wanted text already.
    AlreadySo,
}

impl Outcome {
    /// What the journal says of it.
    pub(super) fn line(self, n: u64) -> Line {
        match self {
            Outcome::Written => Line::Done { n },
            Outcome::AlreadySo => Line::Failed { n, reason: "it was so already".to_owned() },
        }
    }
}

/// The folders of new notes, each opened once; `None` where there is none.
#[derive(Debug, Default)]
pub(super) struct PlaceCache(HashMap<String, Option<Place>>);

impl PlaceCache {
    /// Whether nothing at all has this name. That another program makes something meanwhile is
    /// found when the note is put there.
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
    /// Whether nothing happens in the vault before a temporary file with the new text lies there.
    pub(super) fn begins_with_temp(&self) -> bool {
        match self.kind() {
            NoteChangeKind::Modified => true,
            NoteChangeKind::Created => self.folders.is_empty(),
            NoteChangeKind::Deleted | NoteChangeKind::Renamed => false,
        }
    }

    /// A write of which nothing is done yet, from `base` to `after`; `file`: attributes and folders.
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

    /// Compares the plan with the disk and merges; `None` when there is nothing to do. The names
    /// in `freed` are taken on the disk still, but not any more when it is this note's turn.
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
                // Moved there already: only the text is left to do.
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

    /// What the new file has its mode from: from what is known of the note, else `otherwise`.
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

    /// The name that no note has when this is written.
    pub(super) fn frees(&self) -> Option<&VaultPath> {
        if self.kind() == NoteChangeKind::Deleted { Some(&self.path) } else { self.from.as_ref() }
    }

    /// The write that takes this one back.
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

    /// Takes an outside text into what is to be written. Gives older outside texts that do not
    /// fit this one and have to be kept beside the note.
    pub(super) fn take_in(&mut self, theirs: String, found: Found) -> Result<Vec<String>, VaultError> {
        let (after, aside) = match self.merged(&theirs) {
            Ok(text) => (text, Vec::new()),
            // Ours was written before; what does not fit are outside texts.
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
        // Ours is wanted also when the other program wrote from an older text.
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

    /// `after` and an outside edit of `in_place` made one.
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

    /// The text that is to be put there; empty for a note that is to go.
    pub(super) fn target(&self) -> String {
        text_of(self.after.as_ref()).to_owned()
    }

    /// A file was created at the path of one that is to be created. Two texts are shown side by side.
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

/// The text of a note; empty for what is missing.
fn text_of(content: Option<&Content>) -> &str {
    content.and_then(Content::text).unwrap_or_default()
}
