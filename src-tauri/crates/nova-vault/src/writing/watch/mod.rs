//! Watches the notes of a folder and reports changes.
//!
//! [`Watch`] turns raw file events into note changes: it waits until a save is complete, recognises how
//! editors save, walks new folders, and reports nothing if the bytes are unchanged. It does not know who
//! wrote: every change is reported, including this program's own, and the caller attributes it by
//! [`RawChange::hash`].
//!
//! It never writes, never follows a symbolic link except those to a vault's extra roots, never enters a
//! folder whose name begins with a dot, and never takes an unreadable folder for an empty one.
//!
//! Events are only hints where to check. Changes are detected by comparing the disk with the last known
//! state, so lost or duplicate events are harmless.

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

/// A running watch of one folder; stops and joins its thread on drop.
#[derive(Debug)]
pub struct Watch {
    inbox: Sender<Message>,
    state: Arc<Mutex<WatchState>>,
    thread: Option<JoinHandle<()>>,
}

/// A change of one note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawChange {
    pub kind: Kind,
    /// Relative to the watched folder, `/` between components, as spelled on disk.
    pub path: String,
    /// The last known text, under the old name after a rename. `None` if there was no note, it was not
    /// UTF-8, or it was not cached (see [`TEXT_BUDGET`]).
    pub before: Option<Arc<str>>,
    /// The present text. `None` if the note is gone, is not UTF-8, or is larger than [`LARGEST_TEXT`].
    pub after: Option<Arc<str>>,
    /// BLAKE3 of the present bytes; `None` only if the note is gone.
    pub hash: Option<[u8; 32]>,
}

/// How a note changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Created,
    /// Other bytes under the same name, however the editor replaced them.
    Modified,
    Removed,
    /// The same file under another name; its text may have changed as well.
    Renamed {
        /// The previous path, in the form of [`RawChange::path`].
        from: String,
    },
}

/// How changes are detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchState {
    /// By file events, within milliseconds.
    Watching {
        /// Number of watched folders, including the root.
        folders: usize,
    },
    /// By file events and, because those miss remote changes, by scanning the whole folder every few
    /// seconds.
    Both {
        /// Number of watched folders, including the root.
        folders: usize,
        /// Which folder may change remotely, and its file system.
        reason: String,
    },
    /// By scanning the whole folder every few seconds; `reason` is the cause and the remedy.
    Polling { reason: String },
    /// Not at all, because the folder is unreadable. It is retried every few seconds, and no note is
    /// reported as removed meanwhile.
    Failed { reason: String },
}

impl WatchState {
    /// Events are received; `elsewhere` is why they are incomplete, if they are.
    fn by_events(folders: usize, remote: Option<String>) -> Self {
        match remote {
            None => Self::Watching { folders },
            Some(reason) => Self::Both { folders, reason },
        }
    }
}

/// The state if the watch began now: watches every folder for a moment and reads no note.
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

/// Maximum total size of cached texts, in bytes, for [`RawChange::before`]. Further notes are compared by
/// hash only.
pub const TEXT_BUDGET: usize = 64 << 20;

/// Notes above this size, in bytes, are compared by hash and never loaded.
pub const LARGEST_TEXT: u64 = 16 << 20;

impl Watch {
    /// Reads all notes under `root` and then watches them. Every change after this returns is reported;
    /// existing notes are not.
    ///
    /// `sink` and `on_state` are called on the watch's own thread; `on_state` once at the beginning and
    /// whenever the state changes.
    pub fn start(
        root: PathBuf,
        sink: impl FnMut(RawChange) + Send + 'static,
        on_state: impl FnMut(WatchState) + Send + 'static,
    ) -> Result<Watch, WatchError> {
        Self::start_with(root, Options::default(), sink, on_state)
    }

    /// Waits until every change on disk before the call was passed to the sink, by comparing the whole
    /// folder. Returns at once when called from the sink.
    pub fn flush(&self) {
        if self.on_own_thread() {
            return;
        }
        let (reply, done) = channel();
        if self.inbox.send(Message::Flush(reply)).is_ok() {
            // An error means that the thread has ended.
            let _ = done.recv();
        }
    }

    /// How changes are detected now.
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

    /// As [`Watch::start`]; changes found together are passed together.
    pub(crate) fn start_in_batches(
        root: PathBuf,
        options: Options,
        sink: impl FnMut(Vec<RawChange>) + Send + 'static,
        on_state: impl FnMut(WatchState) + Send + 'static,
    ) -> Result<Watch, WatchError> {
        // Event paths are compared with the root's, and some systems report canonical paths.
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
        // Dropped by its own sink: the thread cannot join itself, and ends next.
        if !self.on_own_thread()
            && let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the receiver of vault changes panicked");
        }
    }
}
