//! Parallel walk over folders. The caller decides what to do with the entries; this module ensures that
//! only links to extra roots are followed and that nothing blocks.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use cap_std::fs::Dir;

use super::gone_root::GoneRoot;
use super::place::{open_note, read_quiet, read_whole};
use super::platform::{self, FileStat, Kind, RACY, nanos_now};
use super::roots::{Refusal, Roots};
use super::{Disk, MAX_NOTE_BYTES, Stamp};
use crate::error::VaultError;
use crate::note::VaultPath;

/// Maximum depth. No real vault is deeper, and every level holds a handle.
pub(crate) const MAX_DEPTH: usize = 128;

/// An opened folder of the vault.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(super) dir: Dir,
    /// Possible targets of links in it, if it is the top of the vault.
    roots: Option<Roots>,
}

/// An entry of a folder as Nova classifies it.
#[derive(Debug)]
pub(crate) enum Met {
    Note(VaultPath),
    /// Any other file, such as an attachment.
    File(VaultPath),
    Folder,
    /// An entry with a note's or folder's name that cannot be read, with reason and remedy.
    Unusable {
        path: String,
        reason: String,
        remedy: &'static str,
    },
    Ignored,
}

impl Disk {
    /// The vault's root, opened for listing.
    pub(crate) fn open_root(&self) -> io::Result<Folder> {
        self.open_folder("")
    }

    /// The folder at `path` (`""` is the root), opened for listing.
    pub(crate) fn open_folder(&self, path: &str) -> io::Result<Folder> {
        let roots = (path.is_empty() && !self.roots.are_none()).then(|| self.roots.clone());
        Ok(Folder { dir: platform::open_folder(&self.folder(path)?, ".")?, roots })
    }
}

impl Folder {
    /// Opens a subfolder; a link is refused unless it leads to an extra root.
    pub(crate) fn open(&self, name: &str) -> io::Result<Folder> {
        let dir = match platform::open_folder(&self.dir, name) {
            Err(_) if self.is_link(name) => self.enter(name)?,
            opened => opened?,
        };
        Ok(Folder { dir, roots: None })
    }

    fn is_link(&self, name: &str) -> bool {
        platform::stat(&self.dir, name).is_ok_and(|stat| stat.kind == Kind::Link)
    }

    /// Enters the extra root behind a link.
    fn enter(&self, link: &str) -> Result<Dir, Refusal> {
        let roots = self.roots.as_ref().ok_or(Refusal::NotListed)?;
        roots.enter(&self.dir, link).map(|entered| entered.dir)
    }

    /// The extra root behind a link at the vault's top, if it is unreachable now.
    pub(crate) fn gone_root(&self, link: &str) -> Option<GoneRoot> {
        self.roots.as_ref()?.gone(&self.dir, |name| name == link).pop()
    }

    /// Lists the entries except dot-files; once per opened folder.
    ///
    /// A file renamed over another while the folder is listed in batches may be missing from all batches
    /// (btrfs, tmpfs), as if that note were deleted, or occur in two. Such a folder is listed again.
    pub(crate) fn list(&self, names: &mut Names) -> io::Result<()> {
        /// Maximum number of listings of a folder that keeps changing.
        const MOST: usize = 4;
        let state = || platform::stat(&self.dir, ".").ok().map(|stat| stat.stamp);
        names.clear();
        let mut before = state();
        if platform::list(&self.dir, |name, kind| names.push(name, kind))? {
            return Ok(());
        }
        // Two changes within one clock tick leave the same stamp.
        let is_fresh = |stamp: &Stamp| stamp.touched().saturating_add(RACY) > nanos_now();
        let mut rests = before.as_ref().is_none_or(|stamp| !is_fresh(stamp));
        for _ in 1..MOST {
            let after = state();
            if rests && after == before {
                break;
            }
            (before, rests) = (after, true);
            let again = platform::open_folder(&self.dir, ".")?;
            let earlier = std::mem::take(names);
            let mut found = HashSet::with_capacity(earlier.len());
            platform::list(&again, |name, kind| {
                if found.insert(name.to_owned()) {
                    names.push(name, kind);
                }
            })?;
            self.add_missed(names, earlier.iter().filter(|(name, _)| !found.contains(*name)));
        }
        Ok(())
    }

    /// Adds those of the missed names that still exist.
    pub(crate) fn add_missed<'a>(&self, names: &mut Names, missed: impl Iterator<Item = (&'a str, Kind)>) {
        for (name, kind) in missed {
            if self.stat(name).is_ok_and(|stat| stat.kind == kind) {
                names.push(name, kind);
            }
        }
    }

    /// Stats an entry.
    pub(crate) fn stat(&self, name: &str) -> io::Result<FileStat> {
        platform::stat(&self.dir, name)
    }

    /// Classifies an entry; `room` is a buffer that is overwritten.
    pub(crate) fn meet(&self, at: At<'_>, name: &str, kind: Kind, room: &mut String) -> Met {
        let At { prefix, is_sound, depth } = at;
        let whole = || [prefix, name].concat();
        let unusable = |reason, remedy| Met::Unusable { path: whole(), reason, remedy };
        let mut path = || VaultPath::within(prefix, is_sound, name, room);
        let is_note = name.len() > 3 && name.as_bytes()[name.len() - 3..].eq_ignore_ascii_case(b".md");
        match kind {
            Kind::BadName => unusable("its name is not UTF-8".to_owned(), "Rename it."),
            Kind::Link if is_note => unusable(
                Refusal::NotListed.to_string(),
                "Put the notes themselves into the vault in place of the link.",
            ),
            Kind::Link => match self.enter(name) {
                Ok(_) => Met::Folder,
                Err(Refusal::NotListed | Refusal::Nowhere) if !self.leads_to_folder(name) => Met::Ignored,
                Err(refusal) => match self.gone_root(name) {
                    Some(root) => unusable(root.message(), root.remedy()),
                    None => unusable(refusal.to_string(), refusal.remedy()),
                },
            },
            Kind::Folder if depth >= MAX_DEPTH => {
                unusable(format!("it is more than {MAX_DEPTH} folders deep"), "Move it up.")
            }
            Kind::Folder => Met::Folder,
            Kind::File | Kind::Other if is_note => match path() {
                Err(error) => unusable(error.to_string(), "Rename it."),
                Ok(_) if kind == Kind::Other => {
                    unusable("it is not a regular file".to_owned(), "Replace it by a file, or remove it.")
                }
                Ok(path) => Met::Note(path),
            },
            Kind::File => path().map_or(Met::Ignored, Met::File),
            Kind::Other => Met::Ignored,
        }
    }

    /// Whether a link leads to a folder, as far as may be checked.
    fn leads_to_folder(&self, link: &str) -> bool {
        // A link out of the vault cannot be checked; an attachment has an extension, a folder hardly ever.
        self.dir.metadata(link).map_or(!link.contains('.'), |target| target.is_dir())
    }

    /// Reads the note `name` (`path` in the vault) into `bytes`; returns its stamp right before, `None` if
    /// it does not exist.
    pub(crate) fn read<'a>(
        &self,
        name: &str,
        path: &VaultPath,
        known: Known,
        bytes: &'a mut Vec<u8>,
    ) -> Result<Option<(&'a str, Stamp)>, VaultError> {
        let Some(file) = open_note(&self.dir, name, path)? else {
            return Ok(None);
        };
        let (length, stamp) = match known {
            Known::Was(stamp) => {
                let stat = read_whole(&file, path, (Some(stamp), MAX_NOTE_BYTES), bytes)?;
                (bytes.len(), stat.stamp)
            }
            Known::Nothing { now } => match read_quiet(&file, now.saturating_sub(RACY), bytes) {
                Some((length, stamp)) => (length, stamp),
                None => {
                    let stat = read_whole(&file, path, (None, MAX_NOTE_BYTES), bytes)?;
                    (bytes.len(), stat.stamp)
                }
            },
        };
        match simdutf8::basic::from_utf8(&bytes[..length]) {
            Ok(text) => Ok(Some((text, stamp))),
            Err(_) => Err(VaultError::NotText { path: path.clone() }),
        }
    }
}

/// Location of a folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'a> {
    /// Its path with a trailing `/`, `""` for the root.
    pub(crate) prefix: &'a str,
    /// Whether the prefix is valid in a [`VaultPath`].
    is_sound: bool,
    /// Nesting depth.
    pub(crate) depth: usize,
}

impl<'a> At<'a> {
    pub(crate) fn new(prefix: &'a str, depth: usize) -> At<'a> {
        At { prefix, is_sound: VaultPath::is_sound_folder(prefix), depth }
    }
}

/// What is known about a note before it is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Known {
    /// Its stamp a moment ago.
    Was(Stamp),
    /// Nothing. A file last touched well before `now`, in nanoseconds since 1970, is not being written.
    Nothing { now: i64 },
}

/// The entries of a folder: names and kinds in the system's order, in one allocation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    text: String,
    /// End of each name in `text`. Overflows beyond 4 GiB of names per folder.
    ends: Vec<(u32, Kind)>,
}

impl Names {
    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    pub(crate) fn push(&mut self, name: &str, kind: Kind) {
        self.text.push_str(name);
        self.ends.push((u32::try_from(self.text.len()).unwrap_or(u32::MAX), kind));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, at: usize) -> (&str, Kind) {
        let start = if at == 0 { 0 } else { self.ends[at - 1].0 };
        let (end, kind) = self.ends[at];
        (self.text.get(start as usize..end as usize).unwrap_or_default(), kind)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Kind)> {
        (0..self.len()).map(|at| self.get(at))
    }

    pub(crate) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// Number of threads for a walk over `entries` entries, `None` if unknown.
pub(crate) fn threads(entries: Option<usize>) -> usize {
    /// Below this, starting a thread costs more than it saves.
    const FEW: usize = 512;
    /// More would only wait for the file system.
    const MOST: usize = 8;
    match entries {
        Some(entries) if entries < FEW => 1,
        _ => std::thread::available_parallelism().map_or(1, usize::from).min(MOST),
    }
}

/// Processes `first` and all work that steps add, newest first, on several threads; returns each thread's
/// state.
pub(crate) fn in_parallel<W: Send, S: Send>(
    threads: usize,
    first: Vec<W>,
    state: impl Fn() -> S + Sync,
    step: impl Fn(&mut S, W, &mut Vec<W>) + Sync,
) -> Vec<S> {
    let queue =
        Queue { open: Mutex::new(Open { work: first, busy: 0 }), more: Condvar::new(), idle: 0.into() };
    let run = || {
        let mut state = state();
        let mut own = Vec::new();
        while let Some(work) = queue.next() {
            let _busy = Busy(&queue);
            own.push(work);
            while let Some(work) = own.pop() {
                step(&mut state, work, &mut own);
                queue.share(&mut own);
            }
        }
        state
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut states = vec![run()];
        for other in others {
            match other.join() {
                Ok(state) => states.push(state),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        states
    })
}

struct Queue<W> {
    open: Mutex<Open<W>>,
    more: Condvar,
    /// Threads waiting for work.
    idle: AtomicUsize,
}

struct Open<W> {
    work: Vec<W>,
    /// Threads that may still add work.
    busy: usize,
}

/// Marks a thread as done on drop, so that the others never wait for it forever.
struct Busy<'a, W>(&'a Queue<W>);

impl<W> Drop for Busy<'_, W> {
    fn drop(&mut self) {
        self.0.lock().busy -= 1;
        self.0.more.notify_all();
    }
}

impl<W> Queue<W> {
    fn lock(&self) -> MutexGuard<'_, Open<W>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for work; `None` when all is done. Counts the thread as busy.
    fn next(&self) -> Option<W> {
        let mut open = self.lock();
        loop {
            if let Some(work) = open.work.pop() {
                open.busy += 1;
                return Some(work);
            }
            if open.busy == 0 {
                return None;
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            open = self.more.wait(open).unwrap_or_else(PoisonError::into_inner);
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Gives the older half of a thread's work to idle threads.
    fn share(&self, own: &mut Vec<W>) {
        if own.len() > 1 && self.idle.load(Ordering::Relaxed) > 0 {
            let half = own.len() / 2;
            self.lock().work.extend(own.drain(..half));
            self.more.notify_all();
        }
    }
}
