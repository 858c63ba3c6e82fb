//! The known state of the vault, folder by folder, and its comparison with the disk. Where nothing changed,
//! the comparison neither allocates nor hashes.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::listing::Changes;
use super::{Head, TextBudget, Texts, Types, nanos_now};
use crate::disk::{At, Disk, Folder, Kind, Known, Met, Names, RACY, Stamp, in_parallel, threads};
use crate::error::VaultError;
use crate::note::VaultPath;
use crate::problem::Problem;

/// Number of entries of a folder that one thread compares at a time.
const PART: usize = 64;

/// A folder as last listed.
#[derive(Debug, Default)]
pub(super) struct KnownFolder {
    /// `""` for the root, otherwise the path with a trailing `/`.
    prefix: Arc<str>,
    depth: usize,
    names: Arc<Names>,
    parts: Vec<Arc<Mutex<Part>>>,
    /// Why it could not be listed.
    refused: Option<Problem>,
}

/// Some of a folder's entries, in the order of its names.
#[derive(Debug)]
struct Part {
    /// Index of the first one among the names.
    first: usize,
    entries: Vec<Entry>,
}

#[derive(Debug)]
enum Entry {
    /// Not checked yet, or gone when it was.
    Unknown,
    Note(Seen),
    File(VaultPath),
    Folder(Arc<Mutex<KnownFolder>>),
    Unusable(Problem),
    Ignored,
}

/// A note as last read.
#[derive(Debug)]
struct Seen {
    stamp: Stamp,
    /// Nanoseconds since 1970.
    read_at: i64,
    head: Arc<Head>,
}

/// Result of a comparison.
pub(super) struct Walked {
    pub(super) changes: Changes,
    pub(super) folders: usize,
}

/// Whose texts are to be cached.
pub(super) struct Wanted<'a> {
    pub(super) texts: &'a TextBudget,
    pub(super) needed: Texts<'a>,
    /// Whether they include unchanged notes; otherwise only notes that are read anyway.
    pub(super) some_are_missing: bool,
    /// Offset added to the system clock, in nanoseconds.
    pub(super) later: i64,
}

/// Compares the known state with the disk, reads what may have changed, and updates the known state.
/// `entries` is the number of known entries; `set_back_to` the clock, if it was set back.
pub(super) fn compare(
    disk: &Disk,
    root: &Arc<Mutex<KnownFolder>>,
    entries: usize,
    wanted: &Wanted<'_>,
    set_back_to: Option<i64>,
) -> Result<Walked, VaultError> {
    let failed = |error| VaultError::io("list the vault")(error);
    let opened = disk.open_root().map_err(failed)?;
    let state = || Comparison {
        wanted,
        set_back_to,
        changes: Changes::default(),
        folders: 0,
        names: Names::default(),
        types: Types::default(),
        bytes: Vec::new(),
        room: String::new(),
    };
    let mut begun = state();
    let mut first = Vec::new();
    begun.list(Arc::new(opened), &mut lock(root), &mut first).map_err(failed)?;
    let threads = threads((entries > 0).then_some(entries));
    let mut all = in_parallel(threads, first, state, |state: &mut Comparison<'_>, work, more| match work {
        Work::Visit { parent, folder } => state.visit(&parent, &folder, more),
        Work::Check(check) => state.check(&check, more),
    });
    all.push(begun);
    let mut walked = Walked { changes: Changes::default(), folders: 0 };
    for one in all {
        walked.changes.join(one.changes);
        walked.folders += one.folders;
    }
    // Do not count the root.
    walked.folders -= 1;
    Ok(walked)
}

enum Work {
    Visit { parent: Arc<Folder>, folder: Arc<Mutex<KnownFolder>> },
    Check(Check),
}

/// Part of an opened folder, to be compared.
struct Check {
    folder: Arc<Folder>,
    prefix: Arc<str>,
    depth: usize,
    names: Arc<Names>,
    part: Arc<Mutex<Part>>,
}

/// An opened folder whose entries are being compared.
struct Here<'a> {
    folder: &'a Folder,
    at: At<'a>,
    /// A time shortly before the comparison, in nanoseconds since 1970.
    read_at: i64,
}

/// The comparison of one thread.
struct Comparison<'a> {
    wanted: &'a Wanted<'a>,
    set_back_to: Option<i64>,
    changes: Changes,
    folders: usize,
    names: Names,
    types: Types,
    bytes: Vec<u8>,
    room: String,
}

impl Comparison<'_> {
    fn visit(&mut self, parent: &Folder, folder: &Mutex<KnownFolder>, more: &mut Vec<Work>) {
        let mut known = lock(folder);
        let path = known.prefix.trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap_or_default();
        let outcome = parent.open(name).and_then(|opened| self.list(Arc::new(opened), &mut known, more));
        let refused = match outcome {
            Ok(()) => None,
            Err(error) => {
                known.relist(&Names::default(), &mut self.changes);
                // Deleted since its parent was listed.
                if error.kind() == io::ErrorKind::NotFound {
                    None
                } else {
                    let path = known.prefix.trim_end_matches('/');
                    let gone = parent.gone_root(path.rsplit('/').next().unwrap_or_default());
                    Some(Problem::of_refused(&known.prefix, &error, gone))
                }
            }
        };
        if known.refused != refused {
            self.changes.unusable_gone.extend(known.refused.take());
            self.changes.unusable.extend(refused.clone());
            known.refused = refused;
        }
    }

    /// Compares the names, then the entries.
    fn list(&mut self, opened: Arc<Folder>, known: &mut KnownFolder, more: &mut Vec<Work>) -> io::Result<()> {
        opened.list(&mut self.names)?;
        self.folders += 1;
        if self.names != *known.names {
            // An entry that existed a moment ago and is not listed may have been replaced by a rename.
            let listed: HashSet<&str> = self.names.iter().map(|(name, _)| name).collect();
            let missed: Vec<_> = known.names.iter().filter(|(name, _)| !listed.contains(name)).collect();
            opened.add_missed(&mut self.names, missed.into_iter());
            known.relist(&self.names, &mut self.changes);
        }
        let check = |part: &Arc<Mutex<Part>>| Check {
            folder: Arc::clone(&opened),
            prefix: Arc::clone(&known.prefix),
            depth: known.depth,
            names: Arc::clone(&known.names),
            part: Arc::clone(part),
        };
        match known.parts.as_slice() {
            [part] => self.check(&check(part), more),
            parts => more.extend(parts.iter().map(|part| Work::Check(check(part)))),
        }
        Ok(())
    }

    fn check(&mut self, check: &Check, more: &mut Vec<Work>) {
        let mut part = lock(&check.part);
        let first = part.first;
        let here = Here {
            folder: &check.folder,
            at: At::new(&check.prefix, check.depth),
            read_at: nanos_now() + self.wanted.later,
        };
        let mut heads = Vec::new();
        for (at, entry) in part.entries.iter_mut().enumerate() {
            let (name, kind) = check.names.get(first + at);
            match entry {
                Entry::Note(seen) => {
                    if let Some(other) = self.compare_note(&here, name, seen) {
                        self.replace(entry, other, &mut heads);
                    }
                }
                Entry::File(_) | Entry::Folder(_) => {}
                Entry::Ignored if kind != Kind::Link => {}
                Entry::Unknown | Entry::Unusable(_) | Entry::Ignored => {
                    let found = self.classify(&here, name, kind);
                    if !matches!((&*entry, &found), (Entry::Unusable(a), Entry::Unusable(b)) if a == b) {
                        self.replace(entry, found, &mut heads);
                    }
                }
            }
            if let Entry::Folder(folder) = entry {
                more.push(Work::Visit { parent: Arc::clone(&check.folder), folder: Arc::clone(folder) });
            }
        }
        // Sort within one folder while its paths are in the cache; folders are merged later.
        let name = |head: &Arc<Head>| check.prefix.len()..head.path.as_str().len();
        heads.sort_unstable_by(|a, b| a.path.as_str()[name(a)].cmp(&b.path.as_str()[name(b)]));
        heads.dedup_by(|a, b| a.path.as_str()[name(a)] == b.path.as_str()[name(b)]);
        if !heads.is_empty() {
            self.changes.runs.push(heads);
        }
    }

    /// Replaces an entry; `heads` collects new and changed notes.
    fn replace(&mut self, entry: &mut Entry, by: Entry, heads: &mut Vec<Arc<Head>>) {
        match &by {
            Entry::Note(seen) => heads.push(Arc::clone(&seen.head)),
            Entry::File(path) => self.changes.files.push(path.clone()),
            Entry::Unusable(problem) => self.changes.unusable.push(problem.clone()),
            Entry::Unknown | Entry::Folder(_) | Entry::Ignored => {}
        }
        match (std::mem::replace(entry, by), &*entry) {
            // The new head replaces the old one.
            (Entry::Note(_), Entry::Note(_)) => {}
            (old, _) => self.changes.drop_entry(old),
        }
    }

    /// `None` if the note is unchanged.
    fn compare_note(&mut self, here: &Here<'_>, name: &str, seen: &mut Seen) -> Option<Entry> {
        if let Some(now) = self.set_back_to {
            seen.read_at = seen.read_at.min(now);
        }
        let stat = match here.folder.stat(name) {
            Ok(stat) if stat.kind == Kind::File => stat,
            Ok(stat) => return Some(self.classify(here, name, stat.kind)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(Entry::Unknown),
            Err(error) => return self.fail(here, name, Some(seen), error),
        };
        let is_current = seen.is_current(&stat.stamp);
        if is_current && !self.wanted.is_missing(&seen.head) {
            return None;
        }
        let path = seen.head.path.clone();
        #[cfg(test)]
        crate::tests::work::done();
        match here.folder.read(name, &path, Known::Was(stat.stamp), &mut self.bytes) {
            Ok(None) => Some(Entry::Unknown),
            Ok(Some((text, stamp))) if is_current && stamp == stat.stamp => {
                seen.head.remember(text, self.wanted.texts);
                None
            }
            Ok(Some((text, _))) if seen.head.holds(text, &stat.stamp) => {
                // Touched but unchanged: the head is still valid.
                (seen.stamp, seen.read_at) = (stat.stamp, here.read_at);
                None
            }
            Ok(Some((text, _))) => {
                // A note that changed once is likely to be queried and to change again.
                let head = Head::new(path, text, &stat.stamp, &mut self.types);
                head.remember(text, self.wanted.texts);
                Some(Entry::Note(Seen { stamp: stat.stamp, read_at: here.read_at, head: Arc::new(head) }))
            }
            Err(error) if seen.head.fails_as(&error) => {
                (seen.stamp, seen.read_at) = (stat.stamp.after(&error), here.read_at);
                None
            }
            Err(error) => Some(Entry::Note(Seen::unreadable(path, &stat.stamp, &error, here.read_at))),
        }
    }

    fn classify(&mut self, here: &Here<'_>, name: &str, kind: Kind) -> Entry {
        match here.folder.meet(here.at, name, kind, &mut self.room) {
            Met::Note(path) => self.read(here, name, path),
            Met::File(path) => Entry::File(path),
            Met::Folder => Entry::Folder(Arc::new(Mutex::new(KnownFolder {
                prefix: format!("{}{name}/", here.at.prefix).into(),
                depth: here.at.depth + 1,
                ..KnownFolder::default()
            }))),
            Met::Unusable { path, reason, remedy } => {
                Entry::Unusable(Problem::of_unusable(path, &reason, remedy))
            }
            Met::Ignored => Entry::Ignored,
        }
    }

    /// Reads a note that is not known yet.
    fn read(&mut self, here: &Here<'_>, name: &str, path: VaultPath) -> Entry {
        match here.folder.read(name, &path, Known::Nothing { now: here.read_at }, &mut self.bytes) {
            Ok(None) => return Entry::Unknown,
            Ok(Some((text, stamp))) => {
                return Entry::Note(self.wanted.seen(path, text, stamp, here.read_at, &mut self.types));
            }
            // Retry with a stamp, to which the error then belongs.
            Err(_) => {}
        }
        let stat = match here.folder.stat(name) {
            Ok(stat) if stat.kind == Kind::File => stat,
            // No longer a file; the next query will classify it.
            Ok(_) => return Entry::Unknown,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Entry::Unknown,
            Err(error) => return self.fail(here, name, None, error).unwrap_or(Entry::Unknown),
        };
        match here.folder.read(name, &path, Known::Was(stat.stamp), &mut self.bytes) {
            Ok(None) => Entry::Unknown,
            Ok(Some((text, _))) => {
                Entry::Note(self.wanted.seen(path, text, stat.stamp, here.read_at, &mut self.types))
            }
            Err(error) => Entry::Note(Seen::unreadable(path, &stat.stamp, &error, here.read_at)),
        }
    }

    /// Records a note that cannot be read. `None` if that was known.
    fn fail(&mut self, here: &Here<'_>, name: &str, seen: Option<&Seen>, error: io::Error) -> Option<Entry> {
        let path = match VaultPath::parse(&format!("{}{name}", here.at.prefix)) {
            Ok(path) => path,
            Err(_) => return Some(Entry::Ignored),
        };
        let error = VaultError::io_at("read", &path)(error);
        if seen.is_some_and(|seen| seen.head.fails_as(&error)) {
            return None;
        }
        let head = Arc::new(Head::unreadable(path, &error));
        Some(Entry::Note(Seen { stamp: Stamp::unknown(), read_at: 0, head }))
    }
}

impl Wanted<'_> {
    /// Whether the text is needed and was never read.
    fn is_missing(&self, head: &Head) -> bool {
        self.some_are_missing && !head.is_complete() && self.needed.include(head)
    }

    /// A note just read. If its stamp is too recent to detect a later change, the text is kept even if it
    /// is not needed.
    fn seen(&self, path: VaultPath, text: &str, stamp: Stamp, read_at: i64, types: &mut Types) -> Seen {
        let seen = Seen { stamp, read_at, head: Arc::new(Head::new(path, text, &stamp, types)) };
        if !seen.is_current(&stamp) || self.needed.include(&seen.head) {
            seen.head.remember(text, self.texts);
        }
        seen
    }
}

impl Seen {
    /// A note that cannot be read.
    fn unreadable(path: VaultPath, stamp: &Stamp, error: &VaultError, read_at: i64) -> Seen {
        Seen { stamp: stamp.after(error), read_at, head: Arc::new(Head::unreadable(path, error)) }
    }

    fn is_current(&self, stamp: &Stamp) -> bool {
        self.stamp == *stamp && stamp.touched().saturating_add(RACY) < self.read_at
    }
}

impl Stamp {
    /// The stamp to store for an unreadable note: an I/O error may be gone at the next query without a
    /// trace in the metadata.
    fn after(&self, error: &VaultError) -> Stamp {
        match error {
            VaultError::Io { .. } => Stamp::unknown(),
            _ => *self,
        }
    }
}

impl KnownFolder {
    /// Replaces the names; entries whose name remains are kept.
    fn relist(&mut self, names: &Names, changes: &mut Changes) {
        let before = std::mem::take(&mut self.names);
        let entries = self
            .parts
            .drain(..)
            .flat_map(|part| std::mem::take(&mut lock(&part).entries))
            .collect::<Vec<_>>();
        let mut known: HashMap<(&str, Kind), Entry> = HashMap::with_capacity(entries.len());
        for (key, entry) in before.iter().zip(entries) {
            if let Some(double) = known.insert(key, entry) {
                changes.drop_entry(double);
            }
        }
        let is_new = known.is_empty();
        let mut next = names.iter().map(|key| match is_new {
            true => Entry::Unknown,
            false => known.remove(&key).unwrap_or(Entry::Unknown),
        });
        let mut first = 0;
        while first < names.len() {
            let entries: Vec<_> = next.by_ref().take(PART).collect();
            let length = entries.len();
            self.parts.push(Arc::new(Mutex::new(Part { first, entries })));
            first += length;
        }
        for (_, gone) in known {
            changes.drop_entry(gone);
        }
        let mut names = names.clone();
        names.shrink();
        self.names = Arc::new(names);
    }
}

impl Changes {
    /// Records an entry and its descendants as deleted.
    fn drop_entry(&mut self, entry: Entry) {
        match entry {
            Entry::Note(seen) => self.gone.push(seen.head.path.clone()),
            Entry::File(path) => self.files_gone.push(path),
            Entry::Unusable(problem) => self.unusable_gone.push(problem),
            Entry::Folder(folder) => {
                let mut folder = lock(&folder);
                self.unusable_gone.extend(folder.refused.take());
                folder.relist(&Names::default(), self);
            }
            Entry::Unknown | Entry::Ignored => {}
        }
    }

    fn join(&mut self, other: Changes) {
        self.gone.extend(other.gone);
        self.runs.extend(other.runs);
        self.files_gone.extend(other.files_gone);
        self.files.extend(other.files);
        self.unusable_gone.extend(other.unusable_gone);
        self.unusable.extend(other.unusable);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
