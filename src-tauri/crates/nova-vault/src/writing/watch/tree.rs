//! The last known state of the notes, and its comparison with the disk.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, ErrorKind, Read};
use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, Metadata};
use file_id::FileId;
use indexmap::IndexMap;

use super::coalescer::is_note;
use super::{Kind, LARGEST_TEXT, RawChange};
use crate::disk::{Disk, open_file};
use crate::shared_texts::SharedTexts;

/// Granularity of file times: a note changed within this span after it was read may seem untouched, so it
/// is read again.
const RACY: Duration = Duration::from_secs(2);

/// The last known notes of the vault.
#[derive(Debug)]
pub(super) struct Tree {
    entries: BTreeMap<Arc<str>, Box<Entry>>,
    by_id: HashMap<FileId, Arc<str>>,
    kept: usize,
    budget: usize,
    texts: Arc<SharedTexts>,
}

/// How far to trust size and times for change detection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reread {
    /// Read only if they changed.
    IfTouched,
    /// Always read.
    Always,
}

/// Notes to check, in this order.
pub(super) type Candidates = IndexMap<String, Reread>;

#[derive(Debug)]
struct Entry {
    stamp: Stamp,
    hash: [u8; 32],
    text: Option<Arc<str>>,
    /// No later change can leave the stamp as it is.
    settled: bool,
}

/// Metadata of a file, available without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
    /// Change time (ctime), in seconds and nanoseconds. Unlike `modified` programs cannot set it.
    changed: Option<(i64, i64)>,
    born: Option<SystemTime>,
    id: Option<FileId>,
}

enum Seen {
    Absent,
    /// It exists, but its content cannot be read.
    Unreadable,
    Same,
    Read(Entry),
}

impl Tree {
    /// An empty tree that caches at most `budget` bytes of text and shares it in `texts`.
    pub(super) fn new(budget: usize, texts: Arc<SharedTexts>) -> Self {
        Self { entries: BTreeMap::new(), by_id: HashMap::new(), kept: 0, budget, texts }
    }

    /// The last known notes in or below a folder (`""` is the root), or at a path that is a note itself.
    pub(super) fn under(&self, path: &str) -> Vec<String> {
        if path.is_empty() {
            return self.entries.keys().map(|name| name.to_string()).collect();
        }
        let below = format!("{path}/");
        let inside = self
            .entries
            .range::<str, _>((Bound::Included(&*below), Bound::Unbounded))
            .map(|(name, _)| name)
            .take_while(|name| name.starts_with(&below));
        let itself = self.entries.get_key_value(path).map(|(name, _)| name);
        itself.into_iter().chain(inside).map(|name| name.to_string()).collect()
    }

    /// Compares `candidates` with the `disk` and passes changes to `sink`. `renames` are pairs (from, to)
    /// known to be the same file.
    ///
    /// Returns the notes to check again: those found without an event that were written so recently
    /// (`quiet`) that they may be incomplete.
    pub(super) fn update(
        &mut self,
        disk: &Disk,
        candidates: &Candidates,
        renames: &[(String, String)],
        quiet: Duration,
        sink: &mut dyn FnMut(RawChange),
    ) -> Vec<String> {
        let mut absent = Vec::new();
        let mut unfinished = Vec::new();
        let sight = Sight { disk, at: RefCell::default() };
        for (path, &reread) in candidates {
            if !is_note(path) {
                continue;
            }
            match self.see(&sight, path, reread) {
                Seen::Same | Seen::Unreadable => {}
                Seen::Absent => absent.push(path),
                Seen::Read(entry) => {
                    let origin = self.origin(&sight, path, &entry, renames);
                    if reread == Reread::IfTouched && origin.is_none() && self.is_fresh(path, &entry, quiet) {
                        unfinished.push(path.clone());
                    } else {
                        self.compare(path, entry, origin, sink);
                    }
                }
            }
        }
        // Last, because a missing note may have reappeared under another name.
        for path in absent {
            if let Some(old) = self.remove(path) {
                sink(RawChange {
                    kind: Kind::Removed,
                    path: path.clone(),
                    before: old.text,
                    after: None,
                    hash: None,
                });
            }
        }
        unfinished
    }

    fn compare(&mut self, path: &str, entry: Entry, origin: Option<String>, sink: &mut dyn FnMut(RawChange)) {
        let (kind, before) = match self.remove(path) {
            Some(old) if old.hash == entry.hash => {
                self.insert(path, entry);
                return;
            }
            Some(old) => (Kind::Modified, old.text),
            None => match origin {
                Some(from) => {
                    let before = self.remove(&from).and_then(|old| old.text);
                    (Kind::Renamed { from }, before)
                }
                None => (Kind::Created, None),
            },
        };
        let change = RawChange {
            kind,
            path: path.to_owned(),
            before,
            after: entry.text.clone(),
            hash: Some(entry.hash),
        };
        self.insert(path, entry);
        sink(change);
    }

    /// Whether a new text may still be incomplete.
    fn is_fresh(&self, path: &str, entry: &Entry, quiet: Duration) -> bool {
        let known = self.entries.get(path);
        let age = entry.stamp.modified.and_then(|time| time.elapsed().ok());
        age.is_some_and(|age| age < quiet) && known.is_none_or(|known| known.hash != entry.hash)
    }

    /// The last known path of a file with a new name, if it is no longer there.
    fn origin(
        &self,
        sight: &Sight<'_>,
        path: &str,
        entry: &Entry,
        renames: &[(String, String)],
    ) -> Option<String> {
        if self.entries.contains_key(path) {
            return None;
        }
        let reported = renames
            .iter()
            .find(|(from, to)| to == path && self.entries.contains_key(&**from))
            .map(|(from, _)| from.as_str());
        let same_file = || {
            let from = &**self.by_id.get(entry.stamp.id.as_ref()?)?;
            let old = self.entries.get(from)?;
            // File ids of deleted files are soon reused.
            let same = match (old.stamp.born, entry.stamp.born) {
                (Some(old), Some(new)) => old == new,
                _ => old.hash == entry.hash,
            };
            same.then_some(from)
        };
        reported
            .or_else(same_file)
            .filter(|from| matches!(self.see(sight, from, Reread::IfTouched), Seen::Absent))
            .map(str::to_owned)
    }

    fn see(&self, sight: &Sight<'_>, path: &str, reread: Reread) -> Seen {
        let known = self.entries.get(path);
        if reread == Reread::IfTouched
            && let Some(known) = known
            && known.settled
            && sight.stamp(path).is_ok_and(|stamp| stamp.as_ref() == Some(&known.stamp))
        {
            return Seen::Same;
        }
        match sight.read(path) {
            Ok(Some(entry)) => Seen::Read(entry),
            Ok(None) => Seen::Absent,
            Err(error) => {
                tracing::debug!(path, %error, "cannot read a note; its changes are missed");
                Seen::Unreadable
            }
        }
    }

    fn insert(&mut self, path: &str, mut entry: Entry) {
        let size = entry.text.as_ref().map_or(0, |text| text.len());
        if self.kept + size > self.budget {
            entry.text = None;
        } else {
            self.kept += size;
            entry.text.iter().for_each(|text| self.texts.insert(text));
        }
        let path: Arc<str> = path.into();
        if let Some(id) = entry.stamp.id {
            self.by_id.insert(id, Arc::clone(&path));
        }
        // Boxed: the map's nodes are half empty if paths are inserted in order.
        self.entries.insert(path, Box::new(entry));
    }

    fn remove(&mut self, path: &str) -> Option<Entry> {
        let entry = self.entries.remove(path)?;
        if let Some(text) = &entry.text {
            self.kept -= text.len();
            self.texts.remove(text);
        }
        if let Some(id) = &entry.stamp.id
            && self.by_id.get(id).is_some_and(|name| **name == *path)
        {
            self.by_id.remove(id);
        }
        Some(*entry)
    }
}

/// The disk during one comparison. Paths are walked from the vault's handle without following links, so
/// that a folder swapped for a link has no notes; the last folder stays open, because notes are sorted by
/// folder.
struct Sight<'a> {
    disk: &'a Disk,
    at: RefCell<Option<(String, Dir)>>,
}

impl Sight<'_> {
    /// Stats the note at `path`; `None` if there is none.
    fn stamp(&self, path: &str) -> io::Result<Option<Stamp>> {
        self.within(path, |folder, name| {
            let metadata = folder.symlink_metadata(name)?;
            Ok(metadata.is_file().then(|| Stamp::of(&metadata, self.disk, path)))
        })
    }

    /// Reads the note at `path`; `None` if there is none: nothing, a folder or a link.
    fn read(&self, path: &str) -> io::Result<Option<Entry>> {
        let mut file = match self.within(path, open_file) {
            Ok(file) => file,
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        // Before reading: a concurrent change then leaves an old stamp, and the note is read again.
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(None);
        }
        let stamp = Stamp::of(&metadata, self.disk, path);
        let settled = stamp.is_settled(SystemTime::now());
        let mut bytes = Vec::new();
        (&mut file).take(LARGEST_TEXT + 1).read_to_end(&mut bytes)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes);
        let text = if bytes.len() as u64 > LARGEST_TEXT {
            drop(bytes);
            std::io::copy(&mut file, &mut hasher)?;
            None
        } else {
            String::from_utf8(bytes).ok().map(Arc::from)
        };
        Ok(Some(Entry { stamp, hash: *hasher.finalize().as_bytes(), text, settled }))
    }

    /// The folder of `path`, and its name there.
    fn within<T>(&self, path: &str, ask: impl FnOnce(&Dir, &str) -> io::Result<T>) -> io::Result<T> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut at = self.at.borrow_mut();
        let dir = match at.take() {
            Some((known, dir)) if known == folder => dir,
            _ => self.disk.folder(folder)?,
        };
        let (_, dir) = at.insert((folder.to_owned(), dir));
        ask(dir, name)
    }
}

/// Whether the error means that no file or folder has that name.
pub(super) fn is_absence(error: &io::Error) -> bool {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory => true,
        // A refused link. Its `ErrorKind` is not stable in std.
        #[cfg(unix)]
        _ => error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()),
        #[cfg(not(unix))]
        _ => false,
    }
}

impl Stamp {
    #[cfg(unix)]
    fn of(metadata: &Metadata, _disk: &Disk, _path: &str) -> Self {
        use cap_std::fs::MetadataExt;

        Self {
            size: metadata.len(),
            modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
            changed: Some((metadata.ctime(), metadata.ctime_nsec())),
            born: metadata.created().ok().map(cap_std::time::SystemTime::into_std),
            id: Some(FileId::new_inode(metadata.dev(), metadata.ino())),
        }
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata, disk: &Disk, path: &str) -> Self {
        Self {
            size: metadata.len(),
            modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
            changed: None,
            born: metadata.created().ok().map(cap_std::time::SystemTime::into_std),
            id: file_id::get_file_id(disk.root().join(path)).ok(),
        }
    }

    /// Whether the last change is well before `now`. A time in the future (the clock was set back) never
    /// is.
    fn is_settled(&self, now: SystemTime) -> bool {
        let long_ago = |time: SystemTime| time + RACY < now;
        let changed = match self.changed {
            None => None,
            Some((seconds, _)) => match u64::try_from(seconds) {
                // Rounded up, so that the span is never too short.
                Ok(seconds) => SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds + 1)),
                Err(_) => Some(SystemTime::UNIX_EPOCH),
            },
        };
        changed.into_iter().chain(self.modified).all(long_ago)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Roots;

    #[test]
    fn stamp_is_settled_if_the_change_is_old() {
        let check = |modified: u64, changed: i64, expected: bool| {
            let stamp = Stamp {
                size: 0,
                modified: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(modified)),
                changed: Some((changed, 999_999_999)),
                born: None,
                id: None,
            };
            let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
            assert_eq!(stamp.is_settled(now), expected, "{modified} {changed}");
        };
        check(900, 900, true);
        check(996, 996, true);
        check(999, 900, false);
        // Set back by a program, but changed recently.
        check(900, 999, false);
        check(900, 997, false);
        // From a clock that was ahead.
        check(2000, 900, false);
        check(900, 2000, false);
        check(900, -5, true);
    }

    /// Otherwise every comparison would read every note.
    #[test]
    fn stamp_is_equal_by_name_and_by_handle() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(dir.path().join("In")).expect("create");
        std::fs::write(dir.path().join("In/a.md"), "one").expect("write");
        let disk = Disk::open(dir.path().canonicalize().expect("a path"), Roots::default()).expect("open");
        let sight = Sight { disk: &disk, at: RefCell::default() };
        let opened = sight.read("In/a.md").expect("readable").expect("a note").stamp;
        assert_eq!(sight.stamp("In/a.md").expect("a stamp"), Some(opened));
    }

    /// Some file systems reassign file ids at any time.
    #[test]
    fn reported_rename_needs_no_matching_file_id() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let note = |name: &str| dir.path().join(name);
        std::fs::write(note("a.md"), "one").expect("write");
        let disk = Disk::open(dir.path().canonicalize().expect("a path"), Roots::default()).expect("open");
        let mut tree = Tree::new(100, Arc::default());
        let mut update = |path: &str, renames: &[(String, String)]| {
            let mut reported = Vec::new();
            let candidates = Candidates::from([(path.to_owned(), Reread::Always)]);
            let rest = tree.update(&disk, &candidates, renames, Duration::ZERO, &mut |change| {
                reported.push(change.kind);
            });
            assert!(rest.is_empty());
            reported
        };
        assert_eq!(update("a.md", &[]), [Kind::Created]);
        std::fs::write(note("b.md"), "another file").expect("write");
        std::fs::remove_file(note("a.md")).expect("remove");
        let renamed = [("a.md".to_owned(), "b.md".to_owned())];
        let from = "a.md".to_owned();
        assert_eq!(update("b.md", &renamed), [Kind::Renamed { from }]);
    }
}
