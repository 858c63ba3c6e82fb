//! Reads the journal files, incrementally as they grow.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::Timestamp;

use super::ahead::WriteAhead;
use super::folder::Owner;
use super::{Image, IntentNote, Line, Overwrite, TempName, TempTexts, images_path, lines_path, lock_soon};
use crate::change::{Author, ChangeSetKind, NoteChangeKind};
use crate::content::Content;
use crate::disk::{Attributes, FolderId, FolderNow, Open, open_private};
use crate::note::{ContentHash, VaultPath};

/// All change sets of one vault.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    vault: String,
    /// The vault's folder, which may have had another path.
    vault_folder: FolderNow,
    sets: Mutex<BTreeMap<String, Arc<SetLog>>>,
    pub(super) ahead: Arc<WriteAhead>,
    /// Set once known.
    pub(super) mark: OnceLock<String>,
}

/// Sets with announced writes or undos, oldest first.
#[derive(Debug)]
pub(crate) struct SetsByVault {
    /// This vault's sets, and those of other folders that had its path.
    pub(crate) under_this_path: Vec<Arc<SetLog>>,
    /// The sets of each other vault, which may never be opened again.
    pub(crate) of_others: Vec<Vec<Arc<SetLog>>>,
}

/// Sets whose recorded vault is out of date.
#[derive(Debug, Default)]
pub(crate) struct Unsettled {
    pub(crate) of_this_vault: Vec<Arc<SetLog>>,
    /// By folder.
    pub(crate) of_others: Vec<Vec<Arc<SetLog>>>,
}

/// One change set, as recorded by its lines.
#[derive(Debug, Clone)]
pub(crate) struct SetLog {
    pub(crate) id: String,
    pub(crate) kind: ChangeSetKind,
    pub(crate) label: String,
    pub(crate) at: Timestamp,
    vault: String,
    /// `None` if the system did not report it, or an older version did not record it.
    folder: Option<FolderId>,
    /// Length of the lines file when it was read.
    read: u64,
    /// The last read ended within a line or at a torn line break: the set must be read again from the
    /// start.
    ends_within_a_line: bool,
    pub(crate) records: Vec<Record>,
    /// The undo it announced, until it is recorded as done.
    pub(crate) undoing: Option<Reverting>,
    pub(crate) undid: Vec<Undo>,
    /// Texts that could not be merged.
    pub(crate) kept: Vec<SavedText>,
    /// Unfinished writes in place, at most one per record.
    pub(crate) overwrites: Vec<Overwrite>,
    /// Location of each text that a line refers to.
    images: HashMap<ContentHash, Image>,
    /// Outside edits that were merged into their note, or stored under `<data>/conflicts`.
    pub(crate) brought_back: HashSet<ContentHash>,
    /// Texts of temporary files that differ from those announced by their record.
    temps: HashMap<TempName, TempTexts>,
    pub(crate) committed: bool,
    pub(crate) swept: bool,
}

/// A text stored next to the journal.
#[derive(Debug, Clone)]
pub(crate) struct SavedText {
    /// The record it conflicted with.
    pub(crate) n: u64,
    /// The file's name.
    pub(crate) file: String,
    /// Whether it comes from an interrupted write in place rather than from an outside edit.
    pub(crate) cut: bool,
}

/// What a set reverted.
#[derive(Debug, Clone)]
pub(crate) struct Undo {
    /// The set of the reverted records.
    pub(super) of: String,
    /// Their numbers, and the paths of their notes when the undo began.
    pub(super) records: Vec<(u64, VaultPath)>,
    /// For each record the numbers of the writes that reverted it, if recorded.
    pub(super) by: Option<Vec<(u64, Vec<u64>)>>,
}

/// A set of which records are reverted, and these records: numbers, and paths of their notes when that
/// began.
pub(crate) type Reverting = (String, Vec<(u64, VaultPath)>);

/// One write of a note, announced or done.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) n: u64,
    pub(crate) at: Timestamp,
    pub(crate) author: Author,
    pub(crate) path: VaultPath,
    pub(crate) from: Option<VaultPath>,
    pub(crate) kind: NoteChangeKind,
    pub(crate) before: Option<Image>,
    pub(crate) after: Option<Image>,
    /// Texts that were announced before the write was amended, and may have been in the note.
    pub(crate) passed: Vec<ContentHash>,
    /// Outside edits merged by the write: in the note once `after` is.
    pub(crate) took: Vec<ContentHash>,
    /// The texts of the first temporary file.
    announced: TempTexts,
    /// Attributes of a deleted or restored note's file.
    pub(crate) file: Option<Attributes>,
    pub(crate) folders: Vec<String>,
    pub(crate) state: RecordState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordState {
    /// Announced; it is unknown whether it was written.
    Intended,
    Done,
    /// Not written, or written and reverted.
    Nothing,
}

impl Journal {
    pub(crate) fn new(folder: PathBuf, vault: &Path) -> Journal {
        Journal {
            ahead: Arc::new(WriteAhead::new(folder.clone())),
            folder,
            vault: vault.to_string_lossy().into_owned(),
            vault_folder: FolderNow::at(vault),
            sets: Mutex::default(),
            mark: OnceLock::new(),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn vault(&self) -> &str {
        &self.vault
    }

    pub(crate) fn vault_folder(&self) -> Option<&FolderId> {
        self.vault_folder.id.as_ref()
    }

    /// The write-ahead log of the sets.
    pub(crate) fn ahead(&self) -> &Arc<WriteAhead> {
        &self.ahead
    }

    /// The sets of this vault with at least one announced write, oldest first.
    pub(crate) fn sets(&self) -> io::Result<Vec<Arc<SetLog>>> {
        self.sets_as_they_are(&|_| false)
    }

    /// All sets, grouped by vault.
    pub(crate) fn sets_by_vault(&self) -> io::Result<SetsByVault> {
        let mut under_this_path = Vec::new();
        let mut others: HashMap<(String, Option<FolderId>), Vec<Arc<SetLog>>> = HashMap::new();
        for (set, owner) in self.sets_with_owners(&|_| false)? {
            match owner {
                Owner::Another => {
                    others.entry((set.vault.clone(), set.folder.clone())).or_default().push(set)
                }
                _ => under_this_path.push(set),
            }
        }
        let of_others = others.into_values().map(in_order).collect();
        Ok(SetsByVault { under_this_path: in_order(under_this_path), of_others })
    }

    /// Sets to be recorded as this vault's, and sets with its path that belong to a folder that was there
    /// before.
    pub(crate) fn unsettled_sets(&self) -> io::Result<Unsettled> {
        let mut of_this_vault = Vec::new();
        let mut of_others: HashMap<Option<FolderId>, Vec<Arc<SetLog>>> = HashMap::new();
        for (set, owner) in self.sets_with_owners(&|_| false)? {
            match owner {
                Owner::ThisVaultToBeNoted => of_this_vault.push(set),
                Owner::AnotherUnderThisPath => of_others.entry(set.folder.clone()).or_default().push(set),
                Owner::ThisVault | Owner::Another => {}
            }
        }
        Ok(Unsettled { of_this_vault, of_others: of_others.into_values().collect() })
    }

    /// As [`Journal::sets`], but may miss what ended sets record about restored or stored texts. Avoids
    /// checking thousands of complete sets.
    pub(crate) fn sets_with_new_records(&self) -> io::Result<Vec<Arc<SetLog>>> {
        // A set is swept once its process has ended.
        self.sets_as_they_are(&|known| known.committed && known.swept)
    }

    fn sets_as_they_are(&self, is_complete: &dyn Fn(&SetLog) -> bool) -> io::Result<Vec<Arc<SetLog>>> {
        let sets = self.sets_with_owners(is_complete)?.into_iter();
        Ok(in_order(sets.filter(|(_, owner)| owner.is_this_vault()).map(|(set, _)| set).collect()))
    }

    fn sets_with_owners(
        &self,
        is_complete: &dyn Fn(&SetLog) -> bool,
    ) -> io::Result<Vec<(Arc<SetLog>, Owner)>> {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let listing = match std::fs::read_dir(&self.folder) {
            Ok(listing) => listing,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut present = BTreeSet::new();
        for entry in listing {
            let entry = entry?;
            let Some(id) =
                entry.file_name().to_str().and_then(|name| name.strip_suffix(".jsonl")).map(str::to_owned)
            else {
                continue;
            };
            if sets.get(&id).is_some_and(|known| is_complete(known)) {
                present.insert(id);
                continue;
            }
            #[cfg(test)]
            crate::tests::work::done();
            // Pruned by another process between listing and stat.
            let Some(metadata) = entry.metadata().ok().filter(Metadata::is_file) else {
                continue;
            };
            let grew = match sets.get_mut(&id) {
                Some(set) if set.read == metadata.len() => true,
                Some(set) if set.read < metadata.len() => add_to(set, &entry.path()),
                _ => false,
            };
            if !grew {
                match std::fs::read(entry.path()) {
                    Ok(bytes) => match SetLog::parse(&bytes) {
                        Some(log) => sets.insert(id.clone(), Arc::new(log)),
                        None => sets.remove(&id),
                    },
                    Err(_) => continue,
                };
            }
            present.insert(id);
        }
        sets.retain(|id, _| present.contains(id));
        // Thousands of sets share a handful of folders.
        let mut owners: HashMap<(&str, Option<&FolderId>), Owner> = HashMap::new();
        let mut all = Vec::with_capacity(sets.len());
        for set in sets.values() {
            let of = (set.vault.as_str(), set.folder.as_ref());
            let owner =
                *owners.entry(of).or_insert_with(|| Owner::of(of.0, of.1, &self.vault, &self.vault_folder));
            all.push((Arc::clone(set), owner));
        }
        Ok(all)
    }

    /// Whether a running process still writes this set. If the lock cannot be queried, the set counts as
    /// live and is left alone.
    pub(crate) fn is_live(&self, id: &str) -> bool {
        match File::open(lines_path(&self.folder, id)) {
            Ok(file) => file.try_lock_shared().is_err(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    /// Locks a set so that no other process resumes it while it is pruned. `None` if another process holds
    /// it, has added to it since it was read, or has pruned it.
    pub(crate) fn lock_as_read(&self, set: &SetLog) -> Option<File> {
        let path = lines_path(&self.folder, &set.id);
        let file = open_private(&path, Open::Existing).ok()?;
        lock_soon(&file).ok()?;
        // Whoever pruned it in between held the lock until it was gone.
        (path.exists() && file.metadata().ok()?.len() == set.read).then_some(file)
    }

    /// The bytes of an image, verified against their hash.
    pub(crate) fn bytes(&self, id: &str, image: &Image) -> io::Result<Vec<u8>> {
        let mut file = File::open(images_path(&self.folder, id))?;
        file.seek(SeekFrom::Start(image.at))?;
        let mut bytes = Vec::new();
        file.take(image.len).read_to_end(&mut bytes)?;
        if ContentHash::of(&bytes) != image.hash {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the stored bytes are damaged"));
        }
        Ok(bytes)
    }

    /// The content of an image.
    pub(crate) fn content(&self, id: &str, image: Option<&Image>) -> io::Result<Option<Content>> {
        image.map(|image| self.bytes(id, image).map(Content::from)).transpose()
    }

    /// Size of a set, in bytes.
    pub(crate) fn size(&self, id: &str) -> u64 {
        [lines_path(&self.folder, id), images_path(&self.folder, id)]
            .iter()
            .filter_map(|path| path.metadata().ok())
            .map(|metadata| metadata.len())
            .sum()
    }

    /// Removes the files of a set. Lines first: images without lines are ignored.
    pub(crate) fn remove(&self, id: &str) -> io::Result<()> {
        for path in [lines_path(&self.folder, id), images_path(&self.folder, id)] {
            match std::fs::remove_file(path) {
                // Another process is pruning concurrently.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                other => other?,
            }
        }
        Ok(())
    }
}

impl Drop for Journal {
    /// Releases the log for other processes; a thread that prepares files may hold it a moment longer.
    fn drop(&mut self) {
        self.ahead.give_up();
    }
}

/// Sets with announced writes or undos, oldest first.
fn in_order(mut sets: Vec<Arc<SetLog>>) -> Vec<Arc<SetLog>> {
    sets.retain(|set| !set.is_empty());
    sets.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    sets
}

/// Reads what was added to the lines of a set; returns whether that was possible. Incremental, because a
/// set of many thousand notes is read while it is written.
fn add_to(set: &mut Arc<SetLog>, lines: &Path) -> bool {
    if set.ends_within_a_line {
        return false;
    }
    let mut bytes = Vec::new();
    let added = File::open(lines).and_then(|mut file| {
        file.seek(SeekFrom::Start(set.read))?;
        file.read_to_end(&mut bytes)
    });
    if added.is_err() {
        return false;
    }
    Arc::make_mut(set).add(&bytes);
    true
}

/// Skips unreadable lines.
fn lines_of(bytes: &[u8]) -> impl Iterator<Item = Line> {
    bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

impl SetLog {
    pub(super) fn parse(bytes: &[u8]) -> Option<SetLog> {
        let Line::Opened { id, kind, label, at, vault, folder, .. } = lines_of(bytes).next()? else {
            return None;
        };
        let mut log = SetLog {
            id,
            kind,
            label,
            at,
            vault,
            folder,
            read: 0,
            ends_within_a_line: false,
            records: Vec::new(),
            undoing: None,
            undid: Vec::new(),
            kept: Vec::new(),
            overwrites: Vec::new(),
            images: HashMap::new(),
            brought_back: HashSet::new(),
            temps: HashMap::new(),
            committed: false,
            swept: false,
        };
        log.add(bytes);
        Some(log)
    }

    /// Adds the next bytes of the file.
    fn add(&mut self, bytes: &[u8]) {
        for line in lines_of(bytes) {
            self.take(line);
        }
        self.read += bytes.len() as u64;
        self.ends_within_a_line = bytes.last().is_some_and(|byte| *byte != b'\n');
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Opened { .. } => {}
            Line::Intent { at, author, notes } => {
                for note in notes {
                    self.know([&note.before, &note.after]);
                    self.records.push(note.record(at, &author));
                }
                self.swept = false;
            }
            Line::Amended { n, before, after, took } => {
                self.know([&before, &after]);
                if let Some(record) = self.record_mut(n) {
                    record.before = before;
                    record.passed.extend(std::mem::replace(&mut record.after, after).map(|i| i.hash));
                    record.took.extend(took);
                }
            }
            Line::Temp { n, temp, texts } => {
                self.know([&texts.expected, &texts.ours]);
                self.temps.insert(TempName { n, number: temp }, texts);
            }
            Line::Done { n } => self.set_state(n, RecordState::Done),
            Line::Failed { n, .. } | Line::Reverted { n } => {
                self.set_state(n, RecordState::Nothing);
            }
            Line::SavedText { n, file, text, cut } => {
                self.brought_back.insert(text.hash);
                if self.kept.iter().all(|kept| kept.file != file) {
                    self.kept.push(SavedText { n, file, cut });
                }
            }
            Line::BroughtBack { text, .. } => {
                self.brought_back.insert(text);
            }
            Line::InPlace(overwrite) => {
                self.overwrites.retain(|other| other.n != overwrite.n);
                self.overwrites.push(overwrite);
            }
            Line::Whole { n } => self.overwrites.retain(|overwrite| overwrite.n != n),
            Line::Undoing { set, records } => self.undoing = Some((set, records)),
            Line::Undo { set, records, by } => {
                self.undoing = None;
                self.undid.push(Undo { of: set, records, by });
            }
            Line::Committed { .. } => self.committed = true,
            Line::Vault { vault, folder } => {
                self.vault = vault;
                self.folder = Some(folder);
            }
            Line::Swept => self.swept = true,
        }
    }

    /// The record with this number. Records are sorted by number, without duplicates.
    pub(crate) fn record(&self, n: u64) -> Option<&Record> {
        let at = self.records.binary_search_by_key(&n, |record| record.n).ok()?;
        self.records.get(at)
    }

    fn record_mut(&mut self, n: u64) -> Option<&mut Record> {
        let at = self.records.binary_search_by_key(&n, |record| record.n).ok()?;
        self.records.get_mut(at)
    }

    fn set_state(&mut self, n: u64, state: RecordState) {
        if let Some(record) = self.record_mut(n) {
            record.state = state;
        }
    }

    fn know(&mut self, images: [&Option<Image>; 2]) {
        self.images.extend(images.into_iter().flatten().map(|image| (image.hash, image.clone())));
    }

    /// Location of a text's bytes.
    pub(crate) fn image(&self, text: ContentHash) -> Option<&Image> {
        self.images.get(&text)
    }

    /// The texts of a temporary file of the record.
    pub(crate) fn texts_of<'a>(&'a self, temp: TempName, record: &'a Record) -> &'a TempTexts {
        self.temps.get(&temp).unwrap_or(&record.announced)
    }

    fn is_empty(&self) -> bool {
        self.records.is_empty() && self.undid.is_empty()
    }

    /// The records that were or may have been written.
    pub(crate) fn maybe_done(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.records.iter().filter(|record| record.state != RecordState::Nothing)
    }
}

impl Record {
    /// The note's path before.
    pub(crate) fn origin(&self) -> &VaultPath {
        self.from.as_ref().unwrap_or(&self.path)
    }

    /// Whether this write of an undo reverts a record of that kind to the note that had this path when the
    /// undo began.
    pub(crate) fn reverts(&self, kind: Option<NoteChangeKind>, path: &VaultPath) -> bool {
        let right_kind = match kind {
            // Another note may have taken the deleted one's path.
            Some(NoteChangeKind::Deleted) => self.from.is_none() && self.kind != NoteChangeKind::Deleted,
            Some(_) => self.kind != NoteChangeKind::Created,
            None => true,
        };
        right_kind && self.origin() == path
    }
}

impl IntentNote {
    fn record(self, at: Timestamp, author: &Author) -> Record {
        Record {
            n: self.n,
            at,
            author: author.clone(),
            path: self.path,
            from: self.from,
            kind: self.kind,
            announced: TempTexts { expected: self.before.clone(), ours: self.after.clone() },
            before: self.before,
            after: self.after,
            passed: Vec::new(),
            took: Vec::new(),
            file: self.file,
            folders: self.folders,
            state: RecordState::Intended,
        }
    }
}
