//! The write-ahead log: makes additions to a change set's files durable by syncing one existing file.
//!
//! Syncing two new files and their directory entries takes several times as long as appending to one. So a
//! small addition to a set's files also goes into `.ahead-0`, and only that is synced. When a process ends,
//! the set's own files are whole, because the system has them; after a power cut they may not be, and the
//! next start restores the missing parts from the log. Other processes read a running process's log only to
//! see which sets must not be pruned yet. The log is emptied, after the sets' files were synced, when it is
//! long, when no edit was made for a minute, and before a set is pruned.
//!
//! Each process uses the first log that is not locked, and holds a lock on it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::beside::Beside;
use super::spare::Spare;
use super::{images_path, lines_path, lock_file};
use crate::disk::{Fsync, Open, make_private_folder, open_private, private_file, sync_path};

/// Maximum length of the log, in bytes.
const MOST: u64 = 512 * 1024;

/// The file grows by this many zero bytes at a time: overwriting existing bytes does not wait for the file
/// system to record a new length.
const GROWTH: u64 = 64 * 1024;

/// Maximum number of concurrent logs; further processes sync each file by itself.
const MOST_LOGS: usize = 64;

/// Up to this many changed sets are synced one by one, more by syncing the file system.
#[cfg(target_os = "linux")]
const FEW: usize = 4;

/// An addition to the files of one change set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Addition {
    /// Offset in the lines file.
    pub(super) lines_at: u64,
    pub(super) lines: Vec<u8>,
    /// Offset in the images file.
    pub(super) images_at: u64,
    pub(super) images: Vec<u8>,
}

impl Addition {
    /// Maximum size of an addition for which writing it twice is faster.
    pub(super) const MOST: usize = 128 * 1024;

    pub(super) fn len(&self) -> usize {
        self.lines.len() + self.images.len()
    }
}

/// The log of this process.
#[derive(Debug)]
pub(crate) struct WriteAhead {
    folder: PathBuf,
    log: Mutex<State>,
}

#[derive(Debug)]
enum State {
    NotYet,
    Open(Log),
    /// It failed, or the file system has no locks: every file is synced by itself.
    Never,
}

impl WriteAhead {
    pub(super) fn new(folder: PathBuf) -> WriteAhead {
        WriteAhead { folder, log: Mutex::new(State::NotYet) }
    }

    /// Appends an addition to the log. It is durable once the returned file has been synced. `None` if it
    /// must be made durable without the log.
    pub(super) fn add(&self, id: &str, addition: &Addition) -> Option<Arc<File>> {
        if !is_id(id) {
            return None;
        }
        let mut state = self.lock();
        if matches!(*state, State::NotYet) {
            *state = match Log::of_this_process(&self.folder) {
                Ok(log) => State::Open(log),
                Err(error) => {
                    tracing::debug!(path = %self.folder.display(), %error, "cannot open a write-ahead log");
                    State::Never
                }
            };
        }
        let State::Open(log) = &mut *state else { return None };
        match log.add(&self.folder, id, addition) {
            Ok(()) => Some(Arc::clone(&log.file)),
            Err(error) => {
                tracing::warn!(path = %self.folder.display(), %error, "cannot append to the write-ahead log");
                *state = State::Never;
                None
            }
        }
    }

    /// Turns the files prepared for the next change set into those of this set: lines (locked) and images.
    /// `None` if there are none.
    pub(super) fn take_spare(&self, id: &str) -> Option<(File, File)> {
        let State::Open(log) = &mut *self.lock() else { return None };
        let taken = log.spare.take()?.take(&self.folder, id);
        taken.inspect_err(|error| tracing::debug!(id, %error, "cannot use the prepared journal files")).ok()
    }

    /// Prepares the files of the next change set, on another thread.
    pub(crate) fn make_spare(self: &Arc<WriteAhead>) {
        let number = match &*self.lock() {
            State::Open(log) if log.spare.is_none() => log.number,
            _ => return,
        };
        let ahead = Arc::clone(self);
        // Fire and forget.
        Beside::begin(move || {
            // The lock keeps other threads from preparing the same files.
            let State::Open(log) = &mut *ahead.lock() else { return Ok(()) };
            if log.spare.is_none() {
                let spare = Spare::make(&ahead.folder, number);
                log.spare =
                    spare.inspect_err(|error| tracing::debug!(%error, "cannot prepare journal files")).ok();
            }
            Ok(())
        });
    }

    /// Continues without the log after a failed sync.
    pub(super) fn give_up(&self) {
        *self.lock() = State::Never;
    }

    /// Syncs the files of all sets in the log, and empties it.
    pub(crate) fn settle(&self) {
        if let State::Open(log) = &mut *self.lock()
            && let Err(error) = log.settle(&self.folder)
        {
            tracing::warn!(path = %self.folder.display(), %error, "cannot settle the write-ahead log");
        }
    }

    /// As [`WriteAhead::settle`], including the logs of ended processes. Returns the sets that remain in a
    /// log, such as that of a running process until a minute after its last edit: if one were pruned now
    /// and that process killed, the next start would restore it.
    pub(crate) fn settle_all(&self) -> BTreeSet<String> {
        self.settle();
        if let Err(error) = each_unused(&self.folder, |mut log| log.settle(&self.folder)) {
            tracing::warn!(path = %self.folder.display(), %error, "cannot settle unused write-ahead logs");
        }
        let logs = logs(&self.folder).filter_map(|path| std::fs::read(path).ok());
        logs.flat_map(|bytes| additions(&bytes).map(|(set, _, _)| set.to_owned()).collect::<Vec<_>>())
            .collect()
    }

    /// Restores what the files of sets lack from the logs of ended processes. Must run before a start
    /// checks any set.
    pub(crate) fn restore(&self) -> io::Result<()> {
        each_unused(&self.folder, |_| Ok(()))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Handles the logs that no process uses, after restoring their sets.
fn each_unused(folder: &Path, mut settle: impl FnMut(Log) -> io::Result<()>) -> io::Result<()> {
    let is_empty = |path: &Path| path.metadata().is_ok_and(|metadata| metadata.len() == 0);
    let logs: Vec<_> = logs(folder).collect();
    if logs.iter().all(|path| is_empty(path)) {
        return Ok(());
    }
    // Another start must not see a partially restored set.
    let alone = lock_file(folder, ".restoring");
    let mut result = Ok(());
    for path in logs.iter().filter(|path| !is_empty(path)) {
        let settled = Log::open(folder, path, Open::Existing).and_then(|log| log.map_or(Ok(()), &mut settle));
        result = result.and(settled);
    }
    drop(alone);
    result
}

fn log_path(folder: &Path, n: usize) -> PathBuf {
    folder.join(format!(".ahead-{n}"))
}

fn logs(folder: &Path) -> impl Iterator<Item = PathBuf> {
    (0..MOST_LOGS).map(|n| log_path(folder, n)).take_while(|path| path.is_file())
}

/// A log locked by this process.
#[derive(Debug)]
struct Log {
    number: usize,
    file: Arc<File>,
    /// End of the additions.
    len: u64,
    /// Length of the file; zero after the additions.
    file_len: u64,
    /// The sets with additions in it.
    sets: BTreeSet<String>,
    spare: Option<Spare>,
}

/// Header of each addition in the log: its length, which is not zero, and its hash.
const FRAME: usize = 4 + blake3::OUT_LEN;

/// An addition in the log: this as a line of JSON, then the bytes.
#[derive(Serialize, Deserialize)]
struct Header<'a> {
    set: &'a str,
    lines_at: u64,
    lines: usize,
    images_at: u64,
    images: usize,
}

impl Log {
    fn of_this_process(folder: &Path) -> io::Result<Log> {
        make_private_folder(folder)?;
        let alone = lock_file(folder, ".restoring");
        for n in 0..MOST_LOGS {
            let path = log_path(folder, n);
            let is_new = !path.exists();
            if let Some(mut log) = Log::open(folder, &path, Open::Any)? {
                log.number = n;
                if is_new {
                    sync_path(folder)?;
                }
                return Ok(log);
            }
        }
        drop(alone);
        Err(io::Error::other("too many processes write at once"))
    }

    /// `None` if another process uses it.
    fn open(folder: &Path, path: &Path, open: Open) -> io::Result<Option<Log>> {
        let file = private_file(open).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => return Ok(None),
            Err(std::fs::TryLockError::Error(error)) => return Err(error),
        }
        let mut bytes = Vec::new();
        (&file).read_to_end(&mut bytes)?;
        let mut log =
            Log { number: 0, file: Arc::new(file), len: 0, file_len: 0, sets: BTreeSet::new(), spare: None };
        for (set, addition, len) in additions(&bytes) {
            put_back(folder, set, &addition)?;
            log.sets.insert(set.to_owned());
            log.len += len as u64;
        }
        if log.len < bytes.len() as u64 {
            // New, or truncated by a crash or power cut.
            log.file.set_len(log.len)?;
        }
        log.file_len = log.len;
        Ok(Some(log))
    }

    fn add(&mut self, folder: &Path, id: &str, addition: &Addition) -> io::Result<()> {
        let mut bytes = vec![0; FRAME];
        let header = Header {
            set: id,
            lines_at: addition.lines_at,
            lines: addition.lines.len(),
            images_at: addition.images_at,
            images: addition.images.len(),
        };
        serde_json::to_writer(&mut bytes, &header).map_err(io::Error::other)?;
        bytes.push(b'\n');
        bytes.extend_from_slice(&addition.lines);
        bytes.extend_from_slice(&addition.images);
        let (frame, payload) = bytes.split_at_mut(FRAME);
        let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
        frame[..4].copy_from_slice(&length.to_le_bytes());
        frame[4..].copy_from_slice(blake3::hash(payload).as_bytes());
        if self.len + bytes.len() as u64 > MOST {
            self.settle(folder)?;
        }
        let end = self.len + bytes.len() as u64;
        let grown = if end > self.file_len { end.next_multiple_of(GROWTH) } else { self.file_len };
        bytes.resize(bytes.len() + (grown - end.max(self.file_len)) as usize, 0);
        let mut file = &*self.file;
        if let Err(error) = file.seek(SeekFrom::Start(self.len)).and_then(|_| file.write_all(&bytes)) {
            // Additions after a partial one would not be found.
            file.set_len(self.len).ok();
            self.file_len = self.len;
            return Err(error);
        }
        self.len = end;
        self.file_len = grown;
        self.sets.insert(id.to_owned());
        Ok(())
    }

    fn settle(&mut self, folder: &Path) -> io::Result<()> {
        if self.len == 0 {
            return Ok(());
        }
        self.sync_sets(folder)?;
        self.file.set_len(0)?;
        self.len = 0;
        self.file_len = 0;
        self.sets.clear();
        Ok(())
    }

    fn sync_sets(&self, folder: &Path) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if self.sets.len() > FEW {
            return Ok(rustix::fs::syncfs(&*self.file)?);
        }
        for id in &self.sets {
            for path in [images_path(folder, id), lines_path(folder, id)] {
                match open_private(&path, Open::Existing).and_then(|file| file.fdatasync()) {
                    // Pruned by another process.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    other => other?,
                }
            }
        }
        sync_path(folder)
    }
}

/// The whole additions up to the first partial one, each with its length.
fn additions(bytes: &[u8]) -> impl Iterator<Item = (&str, Addition, usize)> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (set, addition, len) = parse(rest)?;
        rest = &rest[len..];
        Some((set, addition, len))
    })
}

/// The first addition and its length. `None` if it is partial.
fn parse(bytes: &[u8]) -> Option<(&str, Addition, usize)> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (hash, rest) = rest.split_first_chunk::<{ blake3::OUT_LEN }>()?;
    let payload = rest.get(..u32::from_le_bytes(*length) as usize)?;
    if payload.is_empty() || blake3::hash(payload) != *hash {
        return None;
    }
    let header_len = payload.iter().position(|byte| *byte == b'\n')?;
    let header: Header<'_> = serde_json::from_slice(&payload[..header_len]).ok()?;
    let (lines, images) = payload[header_len + 1..].split_at_checked(header.lines)?;
    (is_id(header.set) && images.len() == header.images).then(|| {
        let addition = Addition {
            lines_at: header.lines_at,
            lines: lines.to_owned(),
            images_at: header.images_at,
            images: images.to_owned(),
        };
        (header.set, addition, FRAME + payload.len())
    })
}

/// Rules out path traversal.
fn is_id(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Writes the missing parts into a set's files.
fn put_back(folder: &Path, id: &str, addition: &Addition) -> io::Result<()> {
    let files = [
        // Images first: lines without images cannot be read, while images without lines are ignored.
        (images_path(folder, id), addition.images_at, &addition.images),
        (lines_path(folder, id), addition.lines_at, &addition.lines),
    ];
    // The set was pruned, so its later parts are obsolete.
    if addition.lines_at > 0 && !files[1].0.exists() {
        return Ok(());
    }
    for (path, at, bytes) in files {
        let mut file = match File::options().read(true).write(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                drop(open_private(&path, Open::Any)?);
                File::options().read(true).write(true).open(&path)?
            }
            Err(error) => return Err(error),
        };
        file.seek(SeekFrom::Start(at))?;
        let mut there = Vec::with_capacity(bytes.len());
        (&file).take(bytes.len() as u64).read_to_end(&mut there)?;
        if there != *bytes {
            tracing::info!(path = %path.display(), "restoring a journal file after a power cut");
            file.seek(SeekFrom::Start(at))?;
            file.write_all(bytes)?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn log_writes_only_into_files_of_change_sets() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("history");
        let ahead = WriteAhead::new(folder.clone());
        let line = Addition { lines: b"line\n".to_vec(), ..Addition::default() };
        assert!(ahead.add("good", &line).is_some());
        assert!(ahead.add("../evil", &line).is_none());
        drop(ahead);
        // A log forged by another program.
        let open = || Log::open(&folder, &log_path(&folder, 0), Open::Existing).unwrap();
        // A child process that another test spawns shares the first one's lock until it calls exec.
        let mut log = std::iter::repeat_with(open).flatten().next().unwrap();
        log.add(&folder, "../evil", &line).unwrap();
        drop(log);
        WriteAhead::new(folder.clone()).restore().unwrap();
        assert_eq!(std::fs::read(lines_path(&folder, "good")).unwrap(), b"line\n");
        assert!(!dir.path().join("evil.jsonl").exists());
    }
}
