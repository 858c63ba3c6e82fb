//! What happens to the notes of a folder, as it happens.
//!
//! [`Watch`] turns raw file events into note changes: it waits until a save is
//! finished, sees through the ways editors save, walks new folders, and says
//! nothing when the bytes stayed the same. It knows nothing of who wrote: every
//! change is reported, also one made by this program, and the caller attributes it
//! by [`RawChange::hash`].
//!
//! It never writes, never follows a symbolic link but those to a vault's extra roots, never looks into a folder whose
//! name begins with a dot, and never takes an unreadable folder for an empty one.
//!
//! Events only say where to look. Whether something changed is decided by comparing
//! the disk with what was last seen there, so a lost or doubled event does no harm.

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::disk::Disk;
use folders::{Folders, Rewatch};
use run::{Message, Run};

pub(crate) use run::Options;

mod coalescer;
mod folders;
mod run;
#[cfg(test)]
mod tests;
mod tree;

/// A running watch over one folder; stops and joins its thread when dropped.
#[derive(Debug)]
pub struct Watch {
    inbox: Sender<Message>,
    state: Arc<Mutex<WatchState>>,
    thread: Option<JoinHandle<()>>,
}

/// One note that is no longer what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawChange {
    pub kind: Kind,
    /// Relative to the watched folder, `/` between components, as spelled on disk.
    pub path: String,
    /// The text last seen, under the old name after a rename. `None` when there was
    /// no note, it was not UTF-8, or it was not kept (see [`TEXT_BUDGET`]).
    pub before: Option<Arc<str>>,
    /// The text now. `None` when the note is gone, is not UTF-8, or is larger than
    /// [`LARGEST_TEXT`].
    pub after: Option<Arc<str>>,
    /// BLAKE3 of the bytes now; `None` only when the note is gone.
    pub hash: Option<[u8; 32]>,
}

/// What happened to a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Created,
    /// Other bytes under the same name, however the editor replaced them.
    Modified,
    Removed,
    /// The same file under another name; its text may have changed as well.
    Renamed {
        /// The path before, in the form of [`RawChange::path`].
        from: String,
    },
}

/// How changes are being noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchState {
    /// By file events, within milliseconds.
    Watching {
        /// Folders under watch, the root included.
        folders: usize,
    },
    /// By file events and, since those tell only of what programs on this machine do, by comparing
    /// the whole folder every few seconds besides.
    Both {
        /// Folders under watch, the root included.
        folders: usize,
        /// Which folder other machines may change, and what file system it lies on.
        reason: String,
    },
    /// By comparing the whole folder every few seconds; `reason` says why and what
    /// would make it better.
    Polling { reason: String },
    /// Not at all, because the folder cannot be read. It is tried again every few
    /// seconds, and no note is reported as removed meanwhile.
    Failed { reason: String },
}

impl WatchState {
    /// Events are heard; `elsewhere` says why they do not tell everything, if so.
    fn by_events(folders: usize, remote: Option<String>) -> Self {
        match remote {
            None => Self::Watching { folders },
            Some(reason) => Self::Both { folders, reason },
        }
    }
}

/// How changes would be noticed if the watch began now: every folder is put under watch for a moment, and
/// no note is read.
pub(crate) fn would_be(disk: &Disk, options: &Options) -> WatchState {
    let mut folders = Folders::new(disk.root().to_owned(), options.folder_limit, options.remote);
    if let Err(reason) = folders.listen(|_| {}) {
        return WatchState::Polling { reason };
    }
    let found = folders.walk(disk, "", Rewatch::New);
    match (found.refused, found.remote) {
        (Some(reason), _) => WatchState::Polling { reason },
        (None, remote) => WatchState::by_events(folders.count(), remote),
    }
}

/// Why a watch could not be started.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error("{path} is not a folder; choose the folder that holds the notes")]
    NotAFolder { path: PathBuf },
    #[error("cannot read the folder {path} ({source}); check that it exists and that you may open it")]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("cannot start a thread to watch the folder ({0}); close other programs and try again")]
    Thread(std::io::Error),
}

/// Bytes of note text kept in memory, over all notes, to fill [`RawChange::before`].
/// Notes beyond it are compared by hash only.
pub const TEXT_BUDGET: usize = 64 << 20;

/// Bytes above which a note is compared by hash and its text never loaded.
pub const LARGEST_TEXT: u64 = 16 << 20;

impl Watch {
    /// Reads all notes under `root` and then watches them. Every change made after
    /// this has returned is reported; nothing that was there before is.
    ///
    /// `sink` and `on_state` are called on the watch's own thread. `on_state` is
    /// called once at the beginning and then whenever the way of watching changes.
    pub fn start(
        root: PathBuf,
        sink: impl FnMut(RawChange) + Send + 'static,
        on_state: impl FnMut(WatchState) + Send + 'static,
    ) -> Result<Watch, WatchError> {
        Self::start_with(root, Options::default(), sink, on_state)
    }

    /// Waits until everything that happened on disk before the call was given to the
    /// sink, by comparing the whole folder. Called from within the sink it returns at
    /// once.
    pub fn flush(&self) {
        if self.on_own_thread() {
            return;
        }
        let (reply, done) = channel();
        if self.inbox.send(Message::Flush(reply)).is_ok() {
            // An error means that the thread has ended, and nothing more will come.
            let _ = done.recv();
        }
    }

    /// How changes are noticed at this moment.
    pub fn state(&self) -> WatchState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn start_with(
        root: PathBuf,
        options: Options,
        mut sink: impl FnMut(RawChange) + Send + 'static,
        on_state: impl FnMut(WatchState) + Send + 'static,
    ) -> Result<Watch, WatchError> {
        Watch::start_in_batches(
            root,
            options,
            move |changes| changes.into_iter().for_each(&mut sink),
            on_state,
        )
    }

    /// As [`Watch::start`]; changes that are found in one go come together.
    pub(crate) fn start_in_batches(
        root: PathBuf,
        options: Options,
        sink: impl FnMut(Vec<RawChange>) + Send + 'static,
        on_state: impl FnMut(WatchState) + Send + 'static,
    ) -> Result<Watch, WatchError> {
        // Event paths are compared with the root's, and some systems report them
        // with all links resolved.
        let root = root.canonicalize().and_then(|root| std::fs::read_dir(&root).map(|_| root)).map_err(
            |source| match source.kind() {
                std::io::ErrorKind::NotADirectory => WatchError::NotAFolder { path: root },
                _ => WatchError::Unreadable { path: root, source },
            },
        )?;
        let (inbox, messages) = channel();
        let run = Run::new(root, options, (inbox.clone(), messages), Box::new(sink), Box::new(on_state));
        let state = run.shared_state();
        let thread = std::thread::Builder::new()
            .name("vault watch".to_owned())
            .spawn(move || run.run())
            .map_err(WatchError::Thread)?;
        Ok(Watch { inbox, state, thread: Some(thread) })
    }

    fn on_own_thread(&self) -> bool {
        let own = self.thread.as_ref().map(|thread| thread.thread().id());
        own == Some(std::thread::current().id())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.inbox.send(Message::Stop);
        // Dropped by its own sink, the thread cannot wait for itself; it ends next.
        if !self.on_own_thread()
            && let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("a receiver of vault changes panicked; changes were no longer reported");
        }
    }
}
