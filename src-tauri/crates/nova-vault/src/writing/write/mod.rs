//! Applies planned changes: compares them with the disk, announces them in the journal, writes note by
//! note, and rolls back all of them if one fails.

mod late;
mod many;
mod moved;
mod note_write;
mod one;
mod orphans;
mod replace;
mod settled;
mod sweep;
mod through;

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::change::{Applied, Author, ChangeSetKind, NoteChange, NoteChangeKind};
use crate::content::Content;
use crate::core::Core;
use crate::disk::{Attributes, Fsync, Like, OpenedFile, Place};
use crate::error::VaultError;
use crate::note::{ContentHash, VaultPath};
use crate::step::Step;
use crate::writing::journal::{
    Image, IntentNote, Line, RecordState, Reverting, SetLog, Writer, lock_writing,
};

use late::File;
pub(crate) use late::{Displaced, LateChecker, displaced_bytes, remove_displaced};
use many::many_creates;
use note_write::{NoteWrite, Outcome, PlaceCache, Texts};
pub(crate) use sweep::sweep;

/// The planned change of a note or another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planned {
    pub(crate) path: VaultPath,
    /// The present path of a note to be moved.
    pub(crate) from: Option<VaultPath>,
    /// The state that the plan is based on; `None` if there was no note.
    pub(crate) base: Option<Content>,
    /// The planned content; `None` for a deletion.
    pub(crate) after: Option<Content>,
    /// Attributes for the file of a restored note.
    pub(crate) file: Option<Attributes>,
    /// Folders that were created for the note, to be removed with it if they are empty.
    pub(crate) folders: Vec<String>,
}

/// The journal of one change set, begun with the first write. Shared with displaced files that await their
/// last check, so that the set's lock outlives them.
#[derive(Debug)]
pub(crate) struct SetJournal {
    id: String,
    kind: ChangeSetKind,
    label: String,
    writer: Mutex<Option<OpenSet>>,
    /// Records of another set that the next writes revert.
    undoes: Mutex<Option<Reverting>>,
}

/// A begun journal.
#[derive(Debug)]
struct OpenSet {
    writer: Writer,
    committed: bool,
}

impl SetJournal {
    pub(crate) fn new(id: String, kind: ChangeSetKind, label: String) -> SetJournal {
        SetJournal { id, kind, label, writer: Mutex::new(None), undoes: Mutex::default() }
    }

    /// Continues the journal of a set whose process has ended.
    pub(crate) fn taken_over(writer: Writer, kind: ChangeSetKind, label: String) -> SetJournal {
        SetJournal {
            id: writer.id().to_owned(),
            kind,
            label,
            writer: Mutex::new(Some(OpenSet { writer, committed: false })),
            undoes: Mutex::default(),
        }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Whether deleted notes go to the trash. An undo only deletes what Nova created and nobody has
    /// changed.
    fn deletes_for_somebody(&self) -> bool {
        self.kind != ChangeSetKind::Undo
    }

    /// Whether it has files.
    pub(crate) fn is_begun(&self) -> bool {
        self.lock().is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Option<OpenSet>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin<'a>(&self, core: &Core, open: &'a mut Option<OpenSet>) -> std::io::Result<&'a mut Writer> {
        let set = match open {
            Some(set) => set,
            None => open.insert(OpenSet {
                writer: Writer::create(&core.journal, &self.id, self.kind, &self.label, core.now())?,
                committed: false,
            }),
        };
        set.committed = false;
        Ok(&mut set.writer)
    }

    /// Marks the set as complete in the journal, if there is one. This survives the end of the process, but
    /// a power cut only once the system has written it; if lost, the set counts as interrupted, with
    /// nothing left to finish.
    pub(crate) fn commit(&self, core: &Core) -> Result<(), VaultError> {
        if self.writer.is_poisoned() {
            // A write panicked midway: handle it as after a kill.
            return Ok(());
        }
        let mut open = self.lock();
        let Some(set) = open.as_mut().filter(|set| !set.committed) else {
            return Ok(());
        };
        core.steps
            .before(Step::JournalCommit, &self.id)
            .and_then(|()| set.writer.append(&Line::Committed { at: core.now() }))
            .map_err(VaultError::io(format!("commit change set {}", self.id)))?;
        set.committed = true;
        core.journal.ahead().make_spare();
        Ok(())
    }

    /// Announces which records of another set the next writes revert, so that an interrupted undo can be
    /// finished as one.
    pub(crate) fn will_undo(&self, of: &str, records: Vec<(u64, VaultPath)>) {
        *self.undoes.lock().unwrap_or_else(PoisonError::into_inner) = Some((of.to_owned(), records));
    }

    /// Records which records of another set this one reverted, and by which writes.
    pub(crate) fn undid(
        &self,
        core: &Core,
        of: &str,
        records: Vec<(u64, VaultPath)>,
        by: Vec<(u64, Vec<u64>)>,
    ) -> Result<(), VaultError> {
        let mut open = self.lock();
        self.begin(core, &mut open)
            .and_then(|writer| {
                writer.append(&Line::Undo { set: of.to_owned(), records, by: Some(by) })?;
                writer.sync()
            })
            .map_err(VaultError::io("write the journal"))
    }

    /// Applies the planned changes. All notes are compared with the state they were read in before the
    /// first is changed; a conflict there writes nothing. If a later note fails, the previous ones are
    /// reverted.
    pub(crate) fn apply(
        self: &Arc<Self>,
        core: &Core,
        plan: &[Planned],
        author: &Author,
    ) -> (Result<Applied, VaultError>, Vec<Displaced>) {
        if plan.is_empty() {
            return (Ok(Applied::default()), Vec::new());
        }
        if let Err(gone) = core.disk.check_present() {
            return (Err(gone), Vec::new());
        }
        let alone = match lock_writing(core.journal.folder()) {
            Ok(alone) => alone,
            Err(error) => {
                return (Err(VaultError::io("open the journal")(error)), Vec::new());
            }
        };
        let mut writes = Vec::new();
        let mut freed = HashSet::new();
        let mut places = PlaceCache::default();
        for planned in plan {
            match NoteWrite::against_disk(core, planned, &freed, &mut places) {
                Ok(Some(write)) => {
                    freed.extend(write.frees().cloned());
                    writes.push(write);
                }
                Ok(None) => {}
                Err(error) => return (Err(error), Vec::new()),
            }
        }
        drop(places);
        if writes.is_empty() {
            return (Ok(Applied::default()), Vec::new());
        }
        let mut open = self.lock();
        let begun = core.steps.before(Step::Journal, &self.id).and_then(|()| self.begin(core, &mut open));
        let writer = match begun {
            Ok(writer) => writer,
            Err(error) => {
                return (Err(VaultError::io("write the journal")(error)), Vec::new());
            }
        };
        let announced = match self.announce(core, writer, &mut writes, author) {
            Ok(announced) => announced,
            Err(error) => {
                // Any announced writes were abandoned.
                for write in &writes {
                    writer.append(&Line::Failed { n: write.n, reason: error.to_string() }).ok();
                }
                return (Err(VaultError::io("write the journal")(error)), Vec::new());
            }
        };
        let mut writing =
            Writing { core, set: self, writer, announced, displaced: Vec::new(), taking_back: false };
        let result = writing.all(&mut writes);
        let displaced = std::mem::take(&mut writing.displaced);
        drop(alone);
        (result, displaced)
    }

    /// Closes a set of outside edits whose process has ended: there is nothing to finish or undo.
    fn end_outside(&self, core: &Core, log: &SetLog) {
        for record in log.records.iter().filter(|record| record.state == RecordState::Intended) {
            let now = core.disk.text(&record.path).ok().flatten();
            let is_done = now.map(|text| ContentHash::of(text.as_bytes()))
                == record.after.as_ref().map(|after| after.hash);
            let outcome = if is_done { Outcome::Written } else { Outcome::AlreadySo };
            if let Some(set) = self.lock().as_mut() {
                set.writer.append(&outcome.line(record.n)).ok();
            }
        }
        if let Err(error) = self.commit(core) {
            tracing::warn!(%error, "cannot commit a change set");
        }
    }

    /// Records that no temporary file of this set remains in the vault.
    fn swept(&self) {
        if let Some(set) = self.lock().as_mut() {
            set.writer.append(&Line::Swept).ok();
        }
    }

    /// Stores an outside version that could neither be merged nor copied beside its note: in the journal
    /// and in a file under `<data>/conflicts`.
    pub(crate) fn keep(&self, core: &Core, n: u64, path: &VaultPath, bytes: &[u8]) -> std::io::Result<()> {
        match self.lock().as_mut() {
            Some(set) => core.keep(&mut set.writer, n, path, bytes),
            None => Err(std::io::Error::other("the change set has no journal")),
        }
    }

    /// A new name for a temporary file of record `n`.
    fn next_temp(&self, n: u64) -> std::io::Result<String> {
        match self.lock().as_mut() {
            Some(set) => Ok(set.writer.next_temp(n)),
            None => Err(std::io::Error::other("the change set has no journal")),
        }
    }

    /// Copies the content of an unlinked file into a temporary file beside the note, whose name identifies
    /// it for the next start.
    fn copy_beside(
        &self,
        core: &Core,
        n: u64,
        place: &Place,
        opened: &OpenedFile,
        bytes: &[u8],
    ) -> std::io::Result<String> {
        let name = self.next_temp(n)?;
        let step = |step| core.steps.before(step, place.path().as_str());
        step(Step::CreateTemp)?;
        let mut file = place.create_temp(&name, Like::Known(&opened.attributes()?))?;
        let copied = step(Step::WriteTemp)
            .and_then(|()| file.write_all(bytes))
            .and_then(|()| file.fsync())
            .and_then(|()| place.sync_folder());
        if let Err(error) = copied {
            drop(file);
            place.remove(&name).ok();
            return Err(error);
        }
        Ok(name)
    }

    /// Records that the edit in the file displaced by write `n` is in the note or stored.
    fn brought_back(&self, n: u64, bytes: &[u8]) {
        if let Some(set) = self.lock().as_mut() {
            set.writer.append(&Line::BroughtBack { n, text: ContentHash::of(bytes) }).ok();
        }
    }

    /// As [`SetJournal::keep`], for an interrupted write in place.
    fn keep_cut(&self, core: &Core, n: u64, path: &VaultPath, bytes: &[u8]) -> std::io::Result<()> {
        match self.lock().as_mut() {
            Some(set) => core.keep_as(&mut set.writer, n, path, bytes, true),
            None => Err(std::io::Error::other("the change set has no journal")),
        }
    }

    /// Writes intent and images and makes them durable. If the first action in the vault is a temporary
    /// file, both are synced in parallel by [`Writing::write_temp`].
    fn announce(
        &self,
        core: &Core,
        writer: &mut Writer,
        writes: &mut [NoteWrite],
        author: &Author,
    ) -> std::io::Result<Announced> {
        for write in writes.iter_mut() {
            write.n = writer.next_record();
            if write.kind() == NoteChangeKind::Deleted
                && let Ok(place) = core.disk.place(&write.path)
                && let Ok(attributes) = place.attributes()
            {
                write.file = Some(attributes);
            }
        }
        // At most done and reverted, each with a temporary file; and the end of the set.
        let mut lines = 3 * writes.len() + 2;
        if core.write_through {
            // Begun and reverted, each with its end.
            lines += 4 * writes.len();
        }
        let mut notes = Vec::new();
        // By folder: nothing is created before everything is announced.
        let mut missing: HashMap<String, Vec<String>> = HashMap::new();
        for write in writes.iter_mut() {
            let [before, after] = writer.images([write.before.as_ref(), write.after.as_ref()])?;
            let hash = |image: &Option<Image>| image.as_ref().map(|image| image.hash);
            write.announced = Texts { expected: hash(&before), ours: hash(&after) };
            notes.push(IntentNote {
                n: write.n,
                path: write.path.clone(),
                kind: write.kind(),
                from: write.from.clone(),
                before,
                after,
                file: write.file.clone(),
                folders: {
                    if matches!(write.kind(), NoteChangeKind::Created | NoteChangeKind::Renamed) {
                        let folder = write.path.folder().to_owned();
                        let missing = missing.entry(folder);
                        write.folders =
                            missing.or_insert_with(|| core.disk.missing_folders(&write.path)).clone();
                    }
                    write.folders.clone()
                },
            });
        }
        let waits_for_temp = matches!(writes, [write] if write.begins_with_temp());
        if let Some((set, records)) = self.undoes.lock().unwrap_or_else(PoisonError::into_inner).take() {
            writer.append(&Line::Undoing { set, records })?;
        }
        writer.append(&Line::Intent { at: core.now(), author: author.clone(), notes })?;
        writer.reserve(lines)?;
        if waits_for_temp {
            return Ok(Announced::WaitsForTemp);
        }
        core.steps.before(Step::SyncJournal, &self.id)?;
        writer.sync()?;
        Ok(Announced::Lasts)
    }
}

/// How far the announcements are durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Announced {
    Lasts,
    /// Will be synced together with the first temporary file.
    WaitsForTemp,
}

/// The execution of one plan, note by note.
struct Writing<'a> {
    core: &'a Core,
    set: &'a Arc<SetJournal>,
    writer: &'a mut Writer,
    announced: Announced,
    displaced: Vec<Displaced>,
    /// Rolling back: the journal still describes the forward direction.
    taking_back: bool,
}

impl Writing<'_> {
    fn all(&mut self, writes: &mut [NoteWrite]) -> Result<Applied, VaultError> {
        let mut applied = Applied::default();
        let mut next = 0;
        while next < writes.len() {
            let at = next;
            let result = match many_creates(&writes[at..]) {
                0 => {
                    next += 1;
                    let write = &mut writes[at];
                    self.journal_lasts(write).and_then(|()| self.one(write)).and_then(|outcome| {
                        write.written = outcome == Outcome::Written;
                        self.record_outcome(write, outcome)
                    })
                }
                many => {
                    next += many;
                    self.create_many(&mut writes[at..next])
                }
            };
            if let Err(error) = result {
                for write in writes[at..].iter().filter(|write| !write.written && !write.stays) {
                    let line = Line::Failed { n: write.n, reason: error.message() };
                    self.writer.append(&line).ok();
                }
                self.revert(&writes[..next]);
                self.writer.sync().ok();
                return Err(error);
            }
        }
        for write in writes.iter() {
            if write.written {
                applied.changes.push(NoteChange {
                    path: write.path.clone(),
                    kind: write.kind(),
                    from: write.from.clone(),
                });
            }
            if !write.outside.is_empty() {
                applied.merged.push((write.path.clone(), write.outside.clone()));
            }
        }
        // The *done* records need not be durable at once: if a power cut loses them, the set counts as
        // interrupted, and finishing it finds every note in its final state.
        Ok(applied)
    }

    /// Syncs the journal before a write that does not begin with a temporary file; otherwise both are
    /// synced together.
    fn journal_lasts(&mut self, write: &NoteWrite) -> Result<(), VaultError> {
        if self.announced == Announced::Lasts || write.begins_with_temp() {
            return Ok(());
        }
        self.writer.sync().map_err(VaultError::io("write the journal"))?;
        self.announced = Announced::Lasts;
        Ok(())
    }

    /// Records in the journal how a write ended.
    fn record_outcome(&mut self, write: &NoteWrite, outcome: Outcome) -> Result<(), VaultError> {
        self.core
            .steps
            .before(Step::JournalDone, write.path.as_str())
            .and_then(|()| self.writer.append(&outcome.line(write.n)))
            .map_err(VaultError::io("write the journal"))
    }

    /// Reverts the notes already written, last first. A note that cannot be reverted, because it was edited
    /// again meanwhile, remains and is still listed as done.
    fn revert(&mut self, written: &[NoteWrite]) {
        self.taking_back = true;
        for write in written.iter().rev().filter(|write| write.written) {
            let mut inverse = write.inverse();
            if let Some(path) = write.came_from.as_ref().and_then(|folder| self.core.disk.path_now(folder)) {
                inverse.path = path;
            }
            let taken_back = match self.put_back(write, &mut inverse) {
                Ok(true) => Ok(Outcome::Written),
                Ok(false) => self.one(&mut inverse),
                Err(error) => Err(error),
            };
            match taken_back {
                Ok(_) => {
                    if write.kind() == NoteChangeKind::Renamed {
                        self.core.disk.remove_empty(&write.folders);
                    }
                    self.writer.append(&Line::Reverted { n: write.n }).ok();
                }
                Err(error) => tracing::warn!(path = %write.path, %error, "cannot roll back a write"),
            }
        }
        self.taking_back = false;
    }

    /// Reverts a write by means of the displaced file if that is still beside the note: a full disk has no
    /// room for a new one. `false` if it must be written anew.
    fn put_back(&mut self, write: &NoteWrite, inverse: &mut NoteWrite) -> Result<bool, VaultError> {
        let (Some(before), false) = (&write.before, write.kind() == NoteChangeKind::Created) else {
            return Ok(false);
        };
        let found = self
            .displaced
            .iter()
            .enumerate()
            .rev()
            .find_map(|(at, displaced)| Some((at, displaced.is_beside(write.n, before)?.to_owned())));
        let Some((at, temp)) = found else { return Ok(false) };
        let place = self.core.disk.place(&write.path)?;
        let doing = || VaultError::io_at("take back", &write.path);
        // It was edited: there is more than the old text to restore.
        if place.bytes_of(&temp).map_err(doing())?.as_deref() != Some(before.as_bytes()) {
            return Ok(false);
        }
        let Some(after) = &write.after else {
            if place.put(&temp).is_err() {
                return Ok(false);
            }
            self.displaced.remove(at);
            place.sync_folder().map_err(doing())?;
            return Ok(true);
        };
        if place.content()?.as_ref() != Some(after) {
            return Ok(false);
        }
        self.turn(write.n, &temp, Some(after), Some(before));
        if place.exchange(&temp).is_err() {
            return Ok(false);
        }
        if place.bytes_of(&temp).map_err(doing())?.as_deref() != Some(after.as_bytes()) {
            // Edited concurrently: merge instead.
            place.exchange(&temp).map_err(doing())?;
            return Ok(false);
        }
        self.displaced.remove(at);
        self.recheck(&place, File::Temp(temp), after, None, inverse);
        place.sync_folder().map_err(doing())?;
        if inverse.from.is_none() {
            return Ok(true);
        }
        // The text is restored; the path is next.
        inverse.before = inverse.after.clone();
        inverse.in_place = inverse.target();
        Ok(false)
    }
}
