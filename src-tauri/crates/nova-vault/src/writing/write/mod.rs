//! How a planned change reaches the disk: checked against what is there, announced in the
//! journal, written note by note, and reverted as a whole when a note cannot be written.

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

/// What is to become of one note, or of another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planned {
    pub(crate) path: VaultPath,
    /// Where the note is now, when it is to be moved.
    pub(crate) from: Option<VaultPath>,
    /// What the plan was made against; `None` when there was no note.
    pub(crate) base: Option<Content>,
    /// What is wanted; `None` when the note is to go.
    pub(crate) after: Option<Content>,
    /// What the file of a note that is restored is to have.
    pub(crate) file: Option<Attributes>,
    /// Folders that were made for the note, to go with it when they are empty.
    pub(crate) folders: Vec<String>,
}

/// The journal of one change set, begun with the first write. Shared with the displaced
/// files that wait for their last look, so that the set's lock lives as long as they do.
#[derive(Debug)]
pub(crate) struct SetJournal {
    id: String,
    kind: ChangeSetKind,
    label: String,
    writer: Mutex<Option<OpenSet>>,
    /// The records of another set that are reverted by the next writes.
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

    /// Continues with the journal of a set whose process is gone.
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

    /// Whether a note that it deletes is to be found in the trash. An undo deletes what Nova made and
    /// nobody has touched since.
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

    /// Says in the journal that the set is complete. Without a write there is no journal. It lasts
    /// through the end of this process at once, and through a power cut when the system writes it
    /// out; lost, the set counts as interrupted and there is nothing left to finish.
    pub(crate) fn commit(&self, core: &Core) -> Result<(), VaultError> {
        if self.writer.is_poisoned() {
            // A write broke off in the middle: what became of it is to be seen to, as after a kill.
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

    /// Says with the next writes which records of another set they take back, so that an undo
    /// whose process is killed can be finished as one.
    pub(crate) fn will_undo(&self, of: &str, records: Vec<(u64, VaultPath)>) {
        *self.undoes.lock().unwrap_or_else(PoisonError::into_inner) = Some((of.to_owned(), records));
    }

    /// Notes which records of another set this one took back, and by which of its writes.
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
                writer.append(&Line::Undid { set: of.to_owned(), records, by: Some(by) })?;
                writer.sync()
            })
            .map_err(VaultError::io("write the journal"))
    }

    /// Writes the planned changes. All notes are compared with what they were read as before
    /// the first is touched; a conflict there writes nothing at all. A note that fails later
    /// reverts those before it.
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
                // What of the announcement is in the journal came to nothing.
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

    /// Closes a set of outside edits whose process is gone: there is nothing to finish or to undo.
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
            tracing::warn!("{error}");
        }
    }

    /// No temporary file of this set is left in the vault.
    fn swept(&self) {
        if let Some(set) = self.lock().as_mut() {
            set.writer.append(&Line::Swept).ok();
        }
    }

    /// Keeps an outside version that could neither be merged nor put beside its note: in the journal and as
    /// a file of its own under `<data>/conflicts`.
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

    /// Copies what a file without a name holds into a temporary file beside the note, which says so to the
    /// next start by its name.
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

    /// The file that the write `n` displaced holds this edit, which is in the note now or kept.
    fn brought_back(&self, n: u64, bytes: &[u8]) {
        if let Some(set) = self.lock().as_mut() {
            set.writer.append(&Line::BroughtBack { n, text: ContentHash::of(bytes) }).ok();
        }
    }

    /// As [`SetJournal::keep`], for a write in place that was cut short.
    fn keep_cut(&self, core: &Core, n: u64, path: &VaultPath, bytes: &[u8]) -> std::io::Result<()> {
        match self.lock().as_mut() {
            Some(set) => core.keep_as(&mut set.writer, n, path, bytes, true),
            None => Err(std::io::Error::other("the change set has no journal")),
        }
    }

    /// Writes intent and images and makes them last. Where the first thing to happen in the vault
    /// is one temporary file, both wait for the disk together, in [`Writing::write_temp`].
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
        // Each is done and reverted at most, with a temporary file for it; and the set ends.
        let mut lines = 3 * writes.len() + 2;
        if core.write_through {
            // Begun, reverted, and each ended.
            lines += 4 * writes.len();
        }
        let mut notes = Vec::new();
        // By folder: nothing is made before all is announced.
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

/// How far what the journal was told is on its way to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Announced {
    Lasts,
    /// It waits for the disk together with the first temporary file.
    WaitsForTemp,
}

/// The writing of one plan, note by note.
struct Writing<'a> {
    core: &'a Core,
    set: &'a Arc<SetJournal>,
    writer: &'a mut Writer,
    announced: Announced,
    displaced: Vec<Displaced>,
    /// Taking back what was done: the journal keeps telling the first direction.
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
                        self.tell(write, outcome)
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
        // That they are done need not last at once: after a power cut a set of which this was lost
        // counts as interrupted, and to finish it finds every note as it should be.
        Ok(applied)
    }

    /// Makes the journal last where the write does not begin with a temporary file, which waits for
    /// the disk together with it.
    fn journal_lasts(&mut self, write: &NoteWrite) -> Result<(), VaultError> {
        if self.announced == Announced::Lasts || write.begins_with_temp() {
            return Ok(());
        }
        self.writer.sync().map_err(VaultError::io("write the journal"))?;
        self.announced = Announced::Lasts;
        Ok(())
    }

    /// Says in the journal how a write ended.
    fn tell(&mut self, write: &NoteWrite, outcome: Outcome) -> Result<(), VaultError> {
        self.core
            .steps
            .before(Step::JournalDone, write.path.as_str())
            .and_then(|()| self.writer.append(&outcome.line(write.n)))
            .map_err(VaultError::io("write the journal"))
    }

    /// Undoes the notes already written, last first. What cannot be reverted, because it
    /// was edited again meanwhile, stays and stays listed as done.
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
                Err(error) => tracing::warn!("{}: {error}", write.path),
            }
        }
        self.taking_back = false;
    }

    /// Takes a write back by the file that it displaced, where that still lies beside the note:
    /// a full disk has no space for another one. `false` when it has to be written anew.
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
        // Written into since: then it is more than what was displaced.
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
            // Edited at that moment: merged the long way.
            place.exchange(&temp).map_err(doing())?;
            return Ok(false);
        }
        self.displaced.remove(at);
        self.recheck(&place, File::Temp(temp), after, None, inverse);
        place.sync_folder().map_err(doing())?;
        if inverse.from.is_none() {
            return Ok(true);
        }
        // The text is back; its place is to come.
        inverse.before = inverse.after.clone();
        inverse.in_place = inverse.target();
        Ok(false)
    }
}
